//! Runs plans on memory. Only this module calls kernels.

// This module is first, so that the documentation lists how to make and run a plan before anything else.
mod pad;

mod adjoint;
#[cfg(feature = "ndarray")]
mod array;
mod borders;
mod display;
mod executor;
pub(crate) mod once;
#[cfg(feature = "rayon")]
mod parallel;
mod rows;
mod view;

pub use adjoint::AdjointPlan;
pub use borders::BorderPlan;
pub use executor::Executor;
pub use pad::{PadPlan, STREAMING_THRESHOLD_BYTES, Streaming};
pub use rows::Rows;
