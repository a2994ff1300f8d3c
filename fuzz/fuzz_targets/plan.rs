//! Plans random requests, possible or not. The result must be the reference's error, or its shape and bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spec_tests::fuzzing;

fuzz_target!(|data: &[u8]| {
    fuzzing::run("plan", data);
});
