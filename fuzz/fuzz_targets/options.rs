//! Compares runs with random combinations of all options.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spec_tests::fuzzing;

fuzz_target!(|data: &[u8]| {
    fuzzing::run("options", data);
});
