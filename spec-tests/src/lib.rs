//! Compares `pad-kernels` with a simple and slow reference implementation.
//!
//! A [`Case`](case::Case) is one request with everything that a run depends on. [`generators`] make random cases from bytes.
//! [`oracles`] run a case on every kernel that can run it, and compare the output with [`reference`](mod@reference).
//! [`reach`] counts the runs. Tests and fuzz targets only combine these modules.
#![deny(unsafe_code)]
#![allow(missing_docs, reason = "what a name says is not said again")]

pub mod adjoint;
pub mod borders;
#[allow(unsafe_code, reason = "C passes pointers")]
pub mod c;
pub mod case;
pub mod computed;
pub mod conform;
pub mod convert;
pub mod engine;
pub mod export;
pub mod faults;
pub mod fixed;
pub mod fuzzing;
pub mod generators;
// The package of `pad-kernels` must contain all files of its own tests, so the file belongs there.
#[allow(unsafe_code, reason = "memory that ends where no page is mapped")]
#[path = "../../pad-kernels/src/kernel/tests/guard.rs"]
pub mod guard;
pub mod laws;
pub mod options;
pub mod oracles;
#[allow(unsafe_code, reason = "tensors behind pointers")]
pub mod pointers;
mod pools;
pub mod questions;
pub mod reach;
pub mod reference;
pub mod rules;
pub mod sizes;
pub mod vectors;
pub mod views;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
