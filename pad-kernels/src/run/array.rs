//! Runs on arrays of the crate `ndarray`: their elements are read and written where they lie.

use alloc::vec::Vec;

use super::{BorderPlan, PadPlan};
use crate::dtype::Layout;
use crate::element::Element;
use crate::error::PadError;
use crate::kernel::places::{Placed, Source, Target};
use crate::kernel::slices::as_uninit_bytes;
use crate::view::Strides;

impl PadPlan {
    /// The plan between these very tensors.
    ///
    /// # Panics
    ///
    /// If they have other shapes than the plan.
    fn between<T: Element>(
        &self,
        input: &Placed<'_, Source<'_>>,
        (shape, strides): (&[usize], &Strides),
    ) -> Result<PadPlan, PadError> {
        // Memory that is no slice is run by a plan made here, for where its elements lie, and by no other.
        assert!(self.geometry.layout == Layout::Bytes(size_of::<T>()));
        assert!(input.shape == self.input_shape() && shape == self.output_shape());
        self.with_strides(&input.strides, strides)
    }

    /// Pads `input` into `output`.
    pub(crate) fn run_placed<T: Element>(
        &self,
        input: &Placed<'_, Source<'_>>,
        output: Placed<'_, Target<'_>>,
    ) -> Result<(), PadError> {
        let Placed { memory, shape, strides } = output;
        let plan = self.between::<T>(input, (shape, &strides))?;
        plan.run_in(input.memory, memory, false).map(drop)
    }

    /// Pads `input` into a new vector, in which the elements of the output lie so.
    pub(crate) fn to_vec_placed<T: Element>(
        &self,
        input: &Placed<'_, Source<'_>>,
        strides: &Strides,
    ) -> Result<Vec<T>, PadError> {
        let plan = self.between::<T>(input, (self.output_shape(), strides))?;
        plan.geometry.check_dense()?;
        plan.new_vec(|dst, filled| plan.run_in(input.memory, Target::slice(as_uninit_bytes(dst)), filled))
    }
}

impl BorderPlan {
    /// Writes the borders of `output`.
    ///
    /// # Panics
    ///
    /// If it has another shape than the plan.
    pub(crate) fn run_placed<T: Element>(&self, output: Placed<'_, Target<'_>>) -> Result<(), PadError> {
        self.check_element::<T>()?;
        assert!(output.shape == self.output_shape());
        if self.output_len() > 0 {
            self.with_strides(&output.strides)?.run_in::<T>(output.memory);
        }
        Ok(())
    }
}
