//! Borders whose values are computed: ramps, statistics, odd reflections, a constant for each side, and none at all.
//!
//! A [`ComputedSpec`] says what is wanted; with a shape and an element type it becomes a [`ComputedPlan`], which runs any number of
//! times. It first has the inside copied by a [`PadPlan`](crate::PadPlan), and then writes the borders axis by axis, each
//! over all that is there by then.

mod adjoint;
#[cfg(feature = "ndarray")]
mod array;
mod own;
mod plan;
mod run;
mod spec;

pub use adjoint::ComputedAdjoint;
pub use own::pad_statistic;
pub use plan::ComputedPlan;
pub use spec::{ComputedMode, ComputedSpec, EndValue, PerSide, RampPrecision};
