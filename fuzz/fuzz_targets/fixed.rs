//! Compares functions of `fixed_pad!`, on random bytes, with the reference.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spec_tests::fuzzing;

fuzz_target!(|data: &[u8]| {
    fuzzing::run("fixed", data);
});
