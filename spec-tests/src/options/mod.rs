//! Everything that a caller can choose of a run, drawn together, and the table of which pairs of choices were run.
//!
//! The other oracles vary one option at a time. A bug that needs two of them at once, as streaming into an output
//! with holes or several threads on a column-major one, is found here.
#![forbid(unsafe_code)]

mod choices;
mod draw;
mod run;
mod table;

pub use choices::{Call, Elements, Kernel, Options, Part, Threads};
pub use draw::draw;
pub use run::check;
pub use table::{Pairs, pairs};
