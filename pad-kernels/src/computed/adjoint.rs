//! The adjoint of borders that are linear in the data.

use alloc::vec::Vec;

use super::plan::{ComputedPlan, borders};
use super::spec::ComputedMode;
use crate::dtype::DType;
use crate::element::Element;
use crate::error::PadError;
use crate::kernel::computed::back::{self, Back};
use crate::kernel::slices;
use crate::plan::Geometry;
use crate::plan::adjoint::Numbers;

/// Computes gradients of the input of a [`ComputedPlan`] from gradients of its output, for odd reflections and smooth borders.
///
/// The gradient of each border is added to the elements that the border was computed from. The innermost axis comes first. Within an
/// axis the last written image comes first, in ascending order. `f16` and `bf16` are summed in `f32` and rounded once. Integers wrap.
///
/// ```
/// use pad_kernels::computed::{ComputedPlan, ComputedSpec};
/// // x y becomes 2x-y x y 2y-x.
/// let plan = ComputedPlan::new::<i32>(&ComputedSpec::odd_reflect([(1, 1)]), &[2])?;
/// let mut gradient = [0; 2];
/// plan.adjoint()?.run(&[1, 10, 100, 1000], &mut gradient)?;
/// assert_eq!(gradient, [10 + 2 * 1 - 1000, 100 + 2 * 1000 - 1]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ComputedAdjoint {
    geometry: Geometry,
    dtype: DType,
    axes: Vec<Back>,
}

impl ComputedPlan {
    /// Makes the adjoint of this plan. Its gradients have the shapes and strides of the plan's output and input.
    ///
    /// # Errors
    ///
    /// [`PadError::NotLinear`] for other modes than odd reflections and smooth borders, and the errors of
    /// [`PadPlan::adjoint`](crate::PadPlan::adjoint).
    pub fn adjoint(&self) -> Result<ComputedAdjoint, PadError> {
        let mode = &self.spec.mode;
        let is_linear =
            matches!(mode, ComputedMode::OddReflect | ComputedMode::OddSymmetric | ComputedMode::Smooth);
        let Some(computation) = mode.computation().filter(|_| is_linear) else {
            return Err(PadError::NotLinear { mode: mode.name() });
        };
        let geometry = self.geometry.clone();
        let dtype = geometry.dtype();
        let dtype =
            dtype.filter(|&dtype| Numbers::of(dtype).is_some()).ok_or(PadError::NotSummable { dtype })?;
        geometry.check_input_disjoint()?;
        let axis = |(axis, &(low, high)): (usize, &(usize, usize))| {
            let len = geometry.input.shape[axis];
            let padded = low + high > 0 && geometry.input.len > 0;
            let borders = padded.then(|| borders(&self.spec, computation, axis, low, len, high).1);
            Back { low, len, out: low + len + high, borders }
        };
        let axes = self.spec.widths.iter().enumerate().map(axis).collect();
        Ok(ComputedAdjoint { geometry, dtype, axes })
    }
}

impl ComputedAdjoint {
    /// Overwrites the input's gradient. The call allocates a copy of the output's gradient in which it sums.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`AdjointPlan::run`](crate::AdjointPlan::run).
    pub fn run<T: Element>(&self, grad_out: &[T], grad_in: &mut [T]) -> Result<(), PadError> {
        self.geometry.check_element::<T>()?;
        self.run_in(slices::as_bytes(grad_out), slices::numbers_as_bytes(grad_in), false)
    }

    /// Adds to the input's gradient. Each element is added to its sum before the sum is rounded.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](ComputedAdjoint::run).
    pub fn run_add<T: Element>(&self, grad_out: &[T], grad_in: &mut [T]) -> Result<(), PadError> {
        self.geometry.check_element::<T>()?;
        self.run_in(slices::as_bytes(grad_out), slices::numbers_as_bytes(grad_in), true)
    }

    /// Overwrites the input's gradient, for gradients held as bytes of any alignment.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](ComputedAdjoint::run), with lengths in bytes.
    pub fn run_bytes(&self, grad_out: &[u8], grad_in: &mut [u8]) -> Result<(), PadError> {
        self.run_in(grad_out, grad_in, false)
    }

    /// Adds to the input's gradient, for gradients held as bytes of any alignment.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_bytes`](ComputedAdjoint::run_bytes).
    pub fn run_add_bytes(&self, grad_out: &[u8], grad_in: &mut [u8]) -> Result<(), PadError> {
        self.run_in(grad_out, grad_in, true)
    }

    fn run_in(&self, grad_out: &[u8], grad_in: &mut [u8], adds: bool) -> Result<(), PadError> {
        let of_gradient = |error| match error {
            PadError::Length { operand, expected, got } => {
                PadError::GradientLength { operand, expected, got }
            }
            other => other,
        };
        self.geometry.check_bytes(grad_in.len(), grad_out.len()).map_err(of_gradient)?;
        if self.geometry.input.len == 0 {
            return Ok(());
        }
        back::sum(self.dtype, &self.axes, (&self.geometry, grad_out, grad_in), adds)
    }
}
