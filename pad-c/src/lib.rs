//! The C interface of [`pad_kernels`]. `README.md` explains it, and `include/pad_kernels.h` declares it.
//!
//! C code calls the functions of [`raw`], the only module with `unsafe` code. The other modules are safe code behind it.

#![deny(unsafe_code)]

#[forbid(unsafe_code)]
mod plan;
#[forbid(unsafe_code)]
mod pool;
#[expect(unsafe_code, reason = "C passes pointers")]
pub mod raw;
#[forbid(unsafe_code)]
mod status;
#[forbid(unsafe_code)]
pub mod types;

pub use plan::Plan;
pub use pool::Pool;
