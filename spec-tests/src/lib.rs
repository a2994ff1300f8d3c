//! The reference that `pad-kernels` is compared with.

pub mod conform;
pub mod reference;
pub mod rules;
pub mod vectors;
