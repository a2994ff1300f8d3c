//! Runs plans on arrays of the crate `ndarray`. Their elements are read and written in place.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::{BorderPlan, PadPlan};
use crate::element::Element;
#[cfg(feature = "rayon")]
use crate::error::Operand;
use crate::error::PadError;
use crate::kernel::places::{RawInput, RawOutput, Target};
#[cfg(feature = "rayon")]
use crate::kernel::slices::as_uninit;
use crate::kernel::slices::as_uninit_bytes;
use crate::plan::Geometry;
use crate::view::Strides;

impl PadPlan {
    /// Returns a plan for these tensors. It is this plan if both tensors have its strides, and otherwise a copy with their
    /// strides.
    ///
    /// # Panics
    ///
    /// The call panics if the tensors have other shapes than the plan.
    fn between<T: Element>(
        &self,
        input: &RawInput<'_>,
        (shape, strides): (&[usize], &Strides),
    ) -> Result<Cow<'_, PadPlan>, PadError> {
        // A run does not check strided memory, so the returned plan must have exactly the type, the shapes and the strides of the
        // tensors.
        self.geometry.check_element::<T>()?;
        assert!(input.shape == self.input_shape() && shape == self.output_shape());
        let Geometry { input: from, output: to, .. } = &self.geometry;
        let as_planned = from.contiguous && to.contiguous;
        if as_planned
            && input.strides == Strides::row_major(input.shape)
            && *strides == Strides::row_major(shape)
        {
            return Ok(Cow::Borrowed(self));
        }
        self.strided_once(&input.strides, strides).map(Cow::Owned)
    }

    /// Pads `input` into `output`.
    pub(crate) fn run_placed<T: Element>(
        &self,
        input: &RawInput<'_>,
        output: RawOutput<'_>,
    ) -> Result<(), PadError> {
        self.geometry.check_element::<T>()?;
        if self.is_empty() {
            return Ok(());
        }
        let RawOutput { memory, shape, strides, .. } = output;
        let plan = self.between::<T>(input, (shape, &strides))?;
        plan.run_in(input.memory, memory, false).map(drop)
    }

    /// Pads `input` into a new vector with the given strides.
    pub(crate) fn to_vec_placed<T: Element>(
        &self,
        input: &RawInput<'_>,
        strides: &Strides,
    ) -> Result<Vec<T>, PadError> {
        let plan = self.between::<T>(input, (self.output_shape(), strides))?;
        plan.geometry.check_dense()?;
        plan.new_vec(plan.output_len(), |dst, filled| {
            plan.run_in(input.memory, Target::slice(as_uninit_bytes(dst)), filled)
        })
    }

    /// Pads into a new vector on several threads.
    #[cfg(feature = "rayon")]
    pub(crate) fn par_to_vec_placed<T: Element + Send + Sync>(
        &self,
        input: &RawInput<'_>,
        strides: &Strides,
    ) -> Result<Vec<T>, PadError> {
        let plan = self.between::<T>(input, (self.output_shape(), strides))?;
        let Some(pieces) = plan.pieces() else { return self.to_vec_placed(input, strides) };
        let source = &input.memory;
        plan.new_vec(plan.output_len(), |dst, filled| {
            pieces.run(dst, &|plan, dst| plan.run_in(*source, Target::slice(as_uninit_bytes(dst)), filled))
        })
    }

    /// Pads `input` into a row-major slice on several threads.
    #[cfg(feature = "rayon")]
    pub(crate) fn par_run_placed<T: Element + Send + Sync>(
        &self,
        input: &RawInput<'_>,
        output: &mut [T],
    ) -> Result<(), PadError> {
        let strides = Strides::row_major(self.output_shape());
        let plan = self.between::<T>(input, (self.output_shape(), &strides))?;
        plan.geometry.check_len(Operand::Output, output.len())?;
        let source = &input.memory;
        let write =
            |plan: &PadPlan, dst: &mut [_]| plan.run_in(*source, Target::slice(as_uninit_bytes(dst)), false);
        match plan.pieces() {
            Some(pieces) => pieces.run(as_uninit(output), &write).map(drop),
            None => write(&plan, as_uninit(output)).map(drop),
        }
    }
}

impl BorderPlan {
    /// Writes the borders of `output`.
    ///
    /// # Panics
    ///
    /// The call panics if the output has another shape than the plan.
    pub(crate) fn run_placed<T: Element>(&self, output: RawOutput<'_>) -> Result<(), PadError> {
        self.geometry.check_element::<T>()?;
        assert!(output.shape == self.output_shape());
        if self.output_len() > 0 {
            self.with_strides(&output.strides)?.run_in(output.memory);
        }
        Ok(())
    }
}
