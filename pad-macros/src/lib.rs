//! Generates the kernels of `pad-kernels`.
#![forbid(unsafe_code)]
