//! The reference that `pad-kernels` is compared with.

pub mod reference;

/// The examples in the README compile and hold.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
