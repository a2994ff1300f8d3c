//! Functions of `fixed_pad!` on any bytes, against the reference.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spec_tests::fuzzing;

fuzz_target!(|data: &[u8]| {
    fuzzing::run("fixed", data);
});
