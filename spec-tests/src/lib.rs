//! The reference that `pad-kernels` is compared with.

pub mod conform;
pub mod reference;
pub mod rules;
pub mod vectors;

/// The examples in the README compile and hold.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
