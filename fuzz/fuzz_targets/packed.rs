//! Compares elements of 2 and 4 bits with the reference, at every bit offset.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spec_tests::fuzzing;

fuzz_target!(|data: &[u8]| {
    fuzzing::run("packed", data);
});
