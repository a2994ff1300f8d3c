//! Tests of computed borders. They run random and recorded cases in every way, and compare the results with the reference.

mod adjoint;
mod cases;
mod draw;
mod recorded;
mod runs;

pub use cases::Case;
pub(crate) use cases::{kind, little, same};
pub(crate) use draw::element;
pub use draw::{draw, row};
pub use recorded::{Recorded, load};
pub use runs::check;
