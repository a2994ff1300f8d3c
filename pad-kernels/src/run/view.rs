//! Derives plans from a plan: for strided tensors, and for regions of the output.

use alloc::vec::Vec;
use core::ops::Range;

use super::PadPlan;
use crate::error::PadError;
use crate::plan::Geometry;
use crate::plan::parts::InputRegions;
use crate::view::Strides;

impl PadPlan {
    /// Returns the plan for an input and an output that lie in their buffers with these strides.
    ///
    /// The buffers may be longer than the tensors. What lies between the elements of the output, and behind them, is
    /// left alone, to the bit.
    /// The kernels follow the output's order in memory, so a Fortran-ordered pair runs like a row-major one.
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadPlan, PadSpec, Strides};
    /// // The transpose of a 2 x 3 tensor, padded by a column on the left.
    /// let spec = PadSpec::new(PadMode::Edge, [(0, 0), (1, 0)]);
    /// let plan = PadPlan::new::<u8>(&spec, &[3, 2])?
    ///     .with_strides(&Strides::new(0, [1, 3]), &Strides::row_major(&[3, 3]))?;
    /// let mut dst = [0; 9];
    /// plan.run(&[1u8, 2, 3, 4, 5, 6], &mut dst)?;
    /// assert_eq!(dst, [1, 1, 4, 2, 2, 5, 3, 3, 6]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PadError::StrideCount`], [`PadError::StrideRange`] if an element would lie before the buffer or beyond
    /// what memory can hold, [`PadError::Overlap`] if two elements of the output could be one.
    pub fn with_strides(&self, input: &Strides, output: &Strides) -> Result<PadPlan, PadError> {
        let mut plan = self.strided_once(input, output)?;
        plan.prepare();
        Ok(plan)
    }

    /// Returns the plan for these strides, for a single run.
    pub(super) fn strided_once(&self, input: &Strides, output: &Strides) -> Result<PadPlan, PadError> {
        Ok(self.of(self.geometry.with_strides(input, output)?))
    }

    /// The plan of one box of the output alone: it writes the box, contiguous in row-major order. It is made to be run once or a few
    /// times: what pays only for more is left out.
    ///
    /// Boxes that tile the output give the same as the whole, in any order. To write a box to its place in the
    /// whole output, give [`with_strides`](PadPlan::with_strides) the whole output's strides from the box's start.
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadPlan, PadSpec};
    /// let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Wrap, [(2, 2)]), &[4])?;
    /// assert_eq!(plan.to_vec(&[1u8, 2, 3, 4])?, [3, 4, 1, 2, 3, 4, 1, 2]);
    /// assert_eq!(plan.window(&[1..5])?.to_vec(&[1u8, 2, 3, 4])?, [4, 1, 2, 3]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PadError::WindowCount`] reports a wrong number of ranges. [`PadError::WindowRange`] reports a box that is not inside the output.
    pub fn window(&self, window: &[Range<usize>]) -> Result<PadPlan, PadError> {
        Ok(self.of(self.geometry.window(window)?))
    }

    /// The part of the input that a box of the output needs: a range per axis, empty where the box is fill alone.
    ///
    /// On an axis that wraps, a box may take both ends. The range then also covers all elements between them, which
    /// [`input_regions`](PadPlan::input_regions) leaves out.
    ///
    /// # Errors
    ///
    /// As for [`window`](PadPlan::window).
    pub fn input_region(&self, window: &[Range<usize>]) -> Result<Vec<Range<usize>>, PadError> {
        Ok(self.geometry.input_region(window)?.into_vec())
    }

    /// Returns the plan that pads one box of the output from only the input region that it needs.
    ///
    /// The input is [`input_region`](PadPlan::input_region) of the box, contiguous in row-major order.
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadPlan, PadSpec};
    /// let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Reflect, [(3, 3)]), &[100])?;
    /// assert_eq!(plan.input_region(&[0..4])?, [0..4]);
    /// assert_eq!(plan.window_from_region(&[0..4])?.to_vec(&[7u8, 8, 9, 10])?, [10, 9, 8, 7]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`window`](PadPlan::window).
    pub fn window_from_region(&self, window: &[Range<usize>]) -> Result<PadPlan, PadError> {
        Ok(self.of(self.geometry.window_from_region(window)?))
    }

    /// The parts of the input that a box of the output takes: a few intervals an axis, and no element that is not taken.
    ///
    /// A box at the end of an axis that wraps takes both ends, and nothing between. A box that is fill alone takes nothing
    /// ([`InputRegions::is_empty`]). A box without borders is a box of the input ([`InputRegions::is_slice`]).
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadPlan, PadSpec};
    /// let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Constant, [(20, 20)]), &[100])?;
    /// assert!(plan.input_regions(&[0..20])?.is_empty());
    /// let inside = plan.input_regions(&[40..60])?;
    /// assert!(inside.is_slice());
    /// assert_eq!(inside.boxes().next(), Some((vec![20..40], vec![0..20])));
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`window`](PadPlan::window).
    pub fn input_regions(&self, window: &[Range<usize>]) -> Result<InputRegions, PadError> {
        self.geometry.input_regions(window)
    }

    /// The plan of one box of the output from the parts of the input that it takes: the input is
    /// [`input_regions`](PadPlan::input_regions) of the box side by side, contiguous in row-major order.
    ///
    /// If the parts are one box, the input is that box. If they are several, [`InputRegions::boxes`] gives the position of
    /// each in the input.
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadPlan, PadSpec};
    /// let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Wrap, [(3, 3)]), &[100])?;
    /// let parts = plan.input_regions(&[0..8])?;
    /// assert_eq!(parts.axes().collect::<Vec<_>>(), [[0..5, 97..100]]);
    /// let read = [0u8, 1, 2, 3, 4, 97, 98, 99];
    /// assert_eq!(plan.window_from_regions(&[0..8])?.to_vec(&read)?, [97, 98, 99, 0, 1, 2, 3, 4]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`window`](PadPlan::window).
    pub fn window_from_regions(&self, window: &[Range<usize>]) -> Result<PadPlan, PadError> {
        Ok(self.of(self.geometry.window_from_regions(window)?))
    }

    /// Returns the plan of another geometry with the same instruction set, for a single run.
    pub(super) fn of(&self, geometry: Geometry) -> PadPlan {
        let mut plan = PadPlan { geometry, ..PadPlan::blank() };
        (plan.isa, plan.streaming) = (self.isa, self.streaming);
        plan.choose();
        plan
    }
}
