//! Tests of plans and types that the tests with random requests do not cover.

mod bits;
#[path = "../common/mod.rs"]
mod common;
mod ecosystem;
mod long;
mod pad_to;
mod raw;
mod signs;
