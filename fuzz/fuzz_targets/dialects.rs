//! Compares random calls of every dialect with the second implementation of the rules.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spec_tests::fuzzing;

fuzz_target!(|data: &[u8]| {
    fuzzing::run("dialects", data);
});
