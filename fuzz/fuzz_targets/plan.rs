//! Any request for any shape, possible or not: the reference's error, or the reference's shape and bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spec_tests::fuzzing;

fuzz_target!(|data: &[u8]| {
    fuzzing::run("plan", data);
});
