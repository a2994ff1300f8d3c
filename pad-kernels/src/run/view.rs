//! Makes plans from other plans: for strided tensors, and for regions of the output.

use alloc::vec::Vec;
use core::ops::Range;

use super::PadPlan;
use crate::error::PadError;
use crate::plan::Geometry;
use crate::plan::parts::InputRegions;
use crate::view::Strides;

impl PadPlan {
    /// Returns a plan for an input and an output with these strides.
    ///
    /// The slices may be longer than the tensors. A run does not write between or after the elements of the output. The kernels
    /// follow the order of the output in memory, so column-major tensors are as fast as row-major ones.
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
    /// Returns [`PadError::StrideCount`] for a wrong number of strides. Returns [`PadError::StrideRange`] if an element would
    /// lie before the slice or beyond the largest address. Returns [`PadError::IndexRange`] if the offset lies beyond the
    /// largest address. Returns [`PadError::Overlap`] if two elements of the output could have the same position.
    pub fn with_strides(&self, input: &Strides, output: &Strides) -> Result<PadPlan, PadError> {
        let mut plan = self.strided_once(input, output)?;
        plan.prepare();
        Ok(plan)
    }

    /// Returns the plan for these strides, for a single run.
    pub(super) fn strided_once(&self, input: &Strides, output: &Strides) -> Result<PadPlan, PadError> {
        Ok(self.of(self.geometry.with_strides(input, output)?))
    }

    /// Returns a plan that computes one region of the output, and writes it as a contiguous tensor.
    ///
    /// If you divide the output into regions, you can compute them in any order. To write a region to its position in the whole
    /// output, call [`with_strides`](PadPlan::with_strides) with the strides of the whole output and the offset of the region.
    /// The method skips the preparation that pays only if a plan runs many times.
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
    /// Returns [`PadError::WindowCount`] for a wrong number of ranges. Returns [`PadError::WindowRange`] if the region is not
    /// inside the output.
    pub fn window(&self, window: &[Range<usize>]) -> Result<PadPlan, PadError> {
        Ok(self.of(self.geometry.window(window)?))
    }

    /// Returns the part of the input that a region of the output reads, as one range per axis. If the region contains only fill,
    /// at least one of the ranges is empty.
    ///
    /// In mode wrap, a region can read elements at both ends of an axis. The range then also contains all elements between the ends. To
    /// exclude them, use [`input_regions`](PadPlan::input_regions).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`window`](PadPlan::window).
    pub fn input_region(&self, window: &[Range<usize>]) -> Result<Vec<Range<usize>>, PadError> {
        Ok(self.geometry.input_region(window)?.into_vec())
    }

    /// Returns a plan that computes one region of the output from only the part of the input that this region reads.
    ///
    /// The input of the plan is the contiguous tensor that [`input_region`](PadPlan::input_region) describes.
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
    /// Returns the errors of [`window`](PadPlan::window).
    pub fn window_from_region(&self, window: &[Range<usize>]) -> Result<PadPlan, PadError> {
        Ok(self.of(self.geometry.window_from_region(window)?))
    }

    /// Returns the parts of the input that a region of the output reads. They are at most two intervals per axis, and contain no
    /// other elements.
    ///
    /// In mode wrap, a region can read elements at both ends of an axis, which are two intervals. A region that contains only
    /// fill reads nothing ([`InputRegions::is_empty`]). A region without border is a copy of one region of the input
    /// ([`InputRegions::is_slice`]).
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
    /// Returns the errors of [`window`](PadPlan::window).
    pub fn input_regions(&self, window: &[Range<usize>]) -> Result<InputRegions, PadError> {
        self.geometry.input_regions(window)
    }

    /// Returns a plan that computes one region of the output from the parts that [`input_regions`](PadPlan::input_regions)
    /// lists.
    ///
    /// The input of the plan is a contiguous tensor that holds these parts side by side. [`InputRegions::boxes`] returns the
    /// position of each part in it.
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
    /// Returns the errors of [`window`](PadPlan::window).
    pub fn window_from_regions(&self, window: &[Range<usize>]) -> Result<PadPlan, PadError> {
        Ok(self.of(self.geometry.window_from_regions(window)?))
    }

    /// Returns a plan for another geometry. It has the same instruction set, and is prepared for a single run.
    pub(super) fn of(&self, geometry: Geometry) -> PadPlan {
        let mut plan = PadPlan { geometry, ..PadPlan::blank() };
        (plan.isa, plan.streaming) = (self.isa, self.streaming);
        plan.choose();
        plan
    }
}
