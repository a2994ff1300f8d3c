//! Makes random calls of the C interface, many of them with wrong arguments.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spec_tests::fuzzing;

fuzz_target!(|data: &[u8]| {
    fuzzing::run("c", data);
});
