//! The adjoint of computed borders that are linear in the data.

use alloc::vec::Vec;

use super::plan::{ComputedPlan, borders};
use super::spec::ComputedMode;
use crate::dtype::DType;
use crate::element::Element;
use crate::error::{Operand, PadError};
use crate::kernel::computed::back::{self, Back};
use crate::kernel::slices;
use crate::plan::Geometry;
use crate::plan::adjoint::Numbers;
use crate::run::of_gradient;

/// Computes gradients of the input of a [`ComputedPlan`] from gradients of its output, for odd reflections and smooth borders.
///
/// The adjoint adds the gradient of each border to the elements from which the border was computed. It visits the innermost axis
/// first. On each axis, it begins with the mirror image that the plan wrote last. The adjoint sums `f16` and `bf16` in `f32`, and
/// rounds once. Integers wrap on overflow.
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
    /// Makes the adjoint of this plan. The adjoint reads a gradient with the shape and strides of the plan's output. It writes a
    /// gradient with the shape and strides of the plan's input.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::NotLinear`] for modes other than odd reflections and smooth borders, and the errors of
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
    /// Computes the gradient of the input, and writes it to `grad_in`. The call allocates memory for the sums: one
    /// number for each number of `grad_out`, in `f32` for `f16` and `bf16`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`AdjointPlan::run`](crate::AdjointPlan::run).
    pub fn run<T: Element>(&self, grad_out: &[T], grad_in: &mut [T]) -> Result<(), PadError> {
        self.check::<T>(grad_out.len(), grad_in.len())?;
        self.run_in(slices::as_bytes(grad_out), slices::numbers_as_bytes(grad_in), false)
    }

    /// Computes the gradient of the input, and adds it to `grad_in`. The sums are not rounded before they are added.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](ComputedAdjoint::run).
    pub fn run_add<T: Element>(&self, grad_out: &[T], grad_in: &mut [T]) -> Result<(), PadError> {
        self.check::<T>(grad_out.len(), grad_in.len())?;
        self.run_in(slices::as_bytes(grad_out), slices::numbers_as_bytes(grad_in), true)
    }

    /// Computes the gradient of the input as [`run`](ComputedAdjoint::run) does, in slices of bytes with any alignment.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](ComputedAdjoint::run), with lengths in bytes.
    pub fn run_bytes(&self, grad_out: &[u8], grad_in: &mut [u8]) -> Result<(), PadError> {
        self.run_in(grad_out, grad_in, false)
    }

    /// Adds the gradient as [`run_add`](ComputedAdjoint::run_add) does, in slices of bytes with any alignment.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_bytes`](ComputedAdjoint::run_bytes).
    pub fn run_add_bytes(&self, grad_out: &[u8], grad_in: &mut [u8]) -> Result<(), PadError> {
        self.run_in(grad_out, grad_in, true)
    }

    /// Returns an error unless the gradients have this type and these numbers of elements.
    fn check<T: Element>(&self, grad_out: usize, grad_in: usize) -> Result<(), PadError> {
        self.geometry.check_element::<T>()?;
        self.geometry.check_len(Operand::Output, grad_out).map_err(of_gradient)?;
        self.geometry.check_len(Operand::Input, grad_in).map_err(of_gradient)
    }

    fn run_in(&self, grad_out: &[u8], grad_in: &mut [u8], adds: bool) -> Result<(), PadError> {
        self.geometry.check_bytes(grad_in.len(), grad_out.len()).map_err(of_gradient)?;
        if self.geometry.input.len == 0 {
            return Ok(());
        }
        back::sum(self.dtype, &self.axes, (&self.geometry, grad_out, grad_in), adds)
    }
}
