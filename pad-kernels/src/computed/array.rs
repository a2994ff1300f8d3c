//! Runs on arrays of the crate `ndarray`: their elements are read and written where they lie.

use alloc::vec::Vec;

use super::plan::ComputedPlan;
use crate::element::Element;
use crate::error::PadError;
use crate::kernel::places::{Placed, Source, Target};
use crate::view::Strides;

impl ComputedPlan {
    /// The plan between these very tensors.
    ///
    /// # Panics
    ///
    /// If they have other shapes or elements than the plan.
    fn between<T: Element>(
        &self,
        input: &Placed<'_, Source<'_>>,
        (shape, strides): (&[usize], &Strides),
    ) -> Result<ComputedPlan, PadError> {
        // Memory that is no slice is run by a plan made here, for where its elements lie, and by no other.
        assert!(self.geometry.check_element::<T>().is_ok());
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
        self.between::<T>(input, (shape, &strides))?.run_in(input.memory, memory)
    }

    /// Pads `input` into a new vector, in which the elements of the output lie so.
    pub(crate) fn to_vec_placed<T: Element>(
        &self,
        input: &Placed<'_, Source<'_>>,
        strides: &Strides,
    ) -> Result<Vec<T>, PadError> {
        self.between::<T>(input, (self.output_shape(), strides))?.new_vec(input.memory)
    }
}
