//! The C interface of [`pad_kernels`]. `README.md` explains it, and `include/pad_kernels.h` declares it.
//!
//! C code calls the functions of [`raw`], the only module with `unsafe` code. The other modules are safe code behind it.

#![deny(unsafe_code)]

mod plan;
mod pool;
#[expect(unsafe_code, reason = "C passes pointers")]
pub mod raw;
mod status;
pub mod types;

pub use plan::Plan;
pub use pool::Pool;
