//! Runs plans on arrays of the crate `ndarray`. A run reads and writes the elements of the arrays in place.

use alloc::vec::Vec;

use super::plan::ComputedPlan;
use crate::element::Element;
use crate::error::PadError;
use crate::kernel::places::{RawInput, RawOutput};
use crate::view::Strides;

impl ComputedPlan {
    /// Returns this plan with the strides of an input and an output.
    ///
    /// # Panics
    ///
    /// The call panics if the tensors have other shapes or elements than the plan.
    fn between<T: Element>(
        &self,
        input: &RawInput<'_>,
        (shape, strides): (&[usize], &Strides),
    ) -> Result<ComputedPlan, PadError> {
        // A plan for other shapes or elements could access memory outside of the tensors.
        assert!(self.geometry.check_element::<T>().is_ok());
        assert!(input.shape == self.input_shape() && shape == self.output_shape());
        self.with_strides(&input.strides, strides)
    }

    /// Pads `input` into `output`.
    pub(crate) fn run_placed<T: Element>(
        &self,
        input: &RawInput<'_>,
        output: RawOutput<'_>,
    ) -> Result<(), PadError> {
        let RawOutput { memory, shape, strides, .. } = output;
        self.between::<T>(input, (shape, &strides))?.run_in(input.memory, memory).map(drop)
    }

    /// Pads `input` into a new vector with the given strides.
    pub(crate) fn to_vec_placed<T: Element>(
        &self,
        input: &RawInput<'_>,
        strides: &Strides,
    ) -> Result<Vec<T>, PadError> {
        self.between::<T>(input, (self.output_shape(), strides))?.new_vec(input.memory)
    }
}
