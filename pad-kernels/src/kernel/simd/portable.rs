//! The instructions that every machine of the target has.

use super::{Baseline, NoPermute, Simd};

/// Registers of 16 bytes, without permutations. The compiler uses the instructions that the target guarantees.
pub(in crate::kernel) struct Portable;

impl Simd for Portable {
    type Register = Baseline;
    type Narrow = NoPermute;
    type Wide = NoPermute;
}
