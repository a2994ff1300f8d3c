//! Pads with computed borders, such as ramps, means and odd reflections.
//!
//! A [`ComputedSpec`] describes the request. Together with a shape and an element type, it makes a [`ComputedPlan`], which you can run any
//! number of times. The plan copies the interior with a [`PadPlan`](crate::PadPlan). Then it computes the borders, one axis after the
//! other, from everything written so far.

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

/// Pads `src`, a contiguous tensor of shape `shape`, with computed borders, and returns the result in a new vector.
///
/// # Errors
///
/// Returns the errors of [`ComputedPlan::new`] and [`ComputedPlan::to_vec`].
pub fn pad_computed<T: Element>(src: &[T], shape: &[usize], spec: &ComputedSpec) -> Result<Vec<T>, PadError> {
    ComputedPlan::new::<T>(spec, shape)?.to_vec(src)
}

/// Pads `src`, a contiguous tensor of shape `shape`, with computed borders, and writes the result to `dst`.
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
