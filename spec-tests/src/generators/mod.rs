//! Cases drawn from bytes, biased to where bugs live.
//!
//! Bytes come from a fuzzer or, through [`Source`], from a seed. Draws are corrected, not rejected: nearly every
//! string of bytes is a case that runs, and no bytes at all are one too.
#![forbid(unsafe_code)]

mod axis;
mod cases;
mod rows;
mod source;
#[cfg(test)]
mod tests;

pub use cases::{
    MOST_AXES, MOST_BYTES, MOST_ELEMENTS, case, case_of, case_of_rank, frame, kind, mode, modes, wild,
};
pub use rows::{case_for_row, is_chosen};
pub use source::Source;
pub(crate) use source::add_bytes;
