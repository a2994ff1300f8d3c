//! Generates random cases from bytes. Values at which bugs are likely are more frequent.
//!
//! The bytes come from a fuzzer or, through [`Source`], from a seed. Invalid values are corrected, not rejected. Nearly every
//! string of bytes therefore gives a case that runs. The empty string gives one, too.

mod axis;
mod cases;
mod rows;
mod source;
#[cfg(test)]
mod tests;

pub use cases::{
    MOST_AXES, MOST_BYTES, MOST_ELEMENTS, case, case_of, case_of_rank, frame, kind, mode, modes, wild,
};
pub use rows::{is_chosen, of_row};
pub use source::Source;
pub(crate) use source::add_bytes;
