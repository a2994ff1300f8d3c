//! Compares every kernel of the registry with the reference, on contiguous and strided tensors and on regions of outputs.
//!
//! A hash of the whole input selects the kernel, so every mutation reaches another kernel.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use spec_tests::fuzzing;

fuzz_target!(|data: &[u8]| -> Corpus {
    if fuzzing::run("kernels", data) { Corpus::Keep } else { Corpus::Reject }
});
