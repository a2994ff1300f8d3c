//! Elements of 2 and 4 bits against the reference, at every offset in a byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spec_tests::fuzzing;

fuzz_target!(|data: &[u8]| {
    fuzzing::run("packed", data);
});
