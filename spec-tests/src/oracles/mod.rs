//! What every run is held against.
//!
//! - The output equals the reference's, bit for bit.
//! - Every byte of it was written: it is filled beforehand with bytes that are all wrong, twice with different ones.
//! - Nothing else was: canaries stand on both sides.
//! - Nothing was read or written across the end or the start of source and destination, which lie at unmapped pages.
//! - Addresses are odd.
//! - What is refused is what the reference refuses.
//!
//! With `PAD_TRACE` in the environment every case is printed before it runs, for those that end the process.
#![forbid(unsafe_code)]

mod arena;
mod outcome;
mod plans;
mod runs;

pub use arena::{Arena, Junk, Place, observe};
pub use outcome::{Mismatch, Outcome};
pub(crate) use plans::planned;
pub use plans::{check_plan, fitting};
pub use runs::{check, check_row};
