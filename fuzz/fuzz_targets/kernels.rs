//! Every kernel of the registry against the reference, on contiguous and strided tensors and on boxes.
//!
//! Which row it is, a hash of the whole input says: every mutation moves on to another.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use spec_tests::fuzzing;

fuzz_target!(|data: &[u8]| -> Corpus {
    if fuzzing::run("kernels", data) { Corpus::Keep } else { Corpus::Reject }
});
