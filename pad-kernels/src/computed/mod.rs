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

use alloc::vec::Vec;

use crate::element::Element;
use crate::error::PadError;

pub use crate::spec::PerSide;
pub use adjoint::ComputedAdjoint;
pub use own::pad_statistic;
pub use plan::ComputedPlan;
pub use spec::{ComputedMode, ComputedSpec, EndValue, RampPrecision};

/// Pads `src`, a contiguous tensor of `shape`, with computed borders into a new vector: plan and run in one call.
///
/// # Errors
///
/// Returns the errors of [`ComputedPlan::new`] and [`ComputedPlan::to_vec`].
pub fn pad_computed<T: Element>(src: &[T], shape: &[usize], spec: &ComputedSpec) -> Result<Vec<T>, PadError> {
    ComputedPlan::new::<T>(spec, shape)?.to_vec(src)
}

/// Pads `src`, a contiguous tensor of `shape`, with computed borders into `dst`: plan and run in one call.
///
/// # Errors
///
/// Returns the errors of [`ComputedPlan::new`] and [`ComputedPlan::run`].
pub fn pad_computed_into<T: Element>(
    src: &[T],
    shape: &[usize],
    spec: &ComputedSpec,
    dst: &mut [T],
) -> Result<(), PadError> {
    ComputedPlan::new::<T>(spec, shape)?.run(src, dst)
}
