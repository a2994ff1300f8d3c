//! Adjoints, held against the definition: sums one element at a time, in the order that it says.
#![forbid(unsafe_code)]

mod law;
mod numbers;
mod questions;
mod runs;

pub use law::check_dot_product;
pub use questions::{Question, SUMMABLE, question, question_of};
pub use runs::{check, gradients, settle};
