//! Implements plans that write only the border of an array.

use smallvec::SmallVec;

use crate::dtype::{DType, ElementSize};
use crate::element::{Element, Elements};
use crate::error::{Operand, PadError};
use crate::kernel::borders;
use crate::kernel::negate::Negation;
use crate::kernel::places::{RawOutput, Target};
use crate::kernel::slices::{as_uninit, as_uninit_bytes};
use crate::plan::Geometry;
use crate::plan::borders::{Pass, passes};
use crate::spec::PadSpec;
use crate::view::Strides;

/// A plan that writes only the border of an array whose interior is already filled.
///
/// The border gets the values that a [`PadPlan`](crate::PadPlan) would write around the interior. The time for a run depends on
/// the size of the border, not on that of the array. A run allocates nothing. Negative widths and interior padding are errors.
///
/// ```
/// use pad_kernels::{BorderPlan, PadMode, PadSpec};
/// // A periodic grid of 2 x 3 cells with a halo of one cell.
/// let halo = BorderPlan::new::<f32>(&PadSpec::new(PadMode::Wrap, [(1, 1), (1, 1)]), &[2, 3])?;
/// assert_eq!(halo.output_shape(), [4, 5]);
/// let mut grid = [
///     0.0f32, 0.0, 0.0, 0.0, 0.0,
///     0.0, 1.0, 2.0, 3.0, 0.0,
///     0.0, 4.0, 5.0, 6.0, 0.0,
///     0.0, 0.0, 0.0, 0.0, 0.0,
/// ];
/// halo.run(&mut grid)?;
/// assert_eq!(grid, [
///     6.0, 4.0, 5.0, 6.0, 4.0,
///     3.0, 1.0, 2.0, 3.0, 1.0,
///     6.0, 4.0, 5.0, 6.0, 4.0,
///     3.0, 1.0, 2.0, 3.0, 1.0,
/// ]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct BorderPlan {
    pub(super) geometry: Geometry,
    pub(super) spec: PadSpec,
    pub(super) sides: SmallVec<[(bool, bool); 6]>,
    passes: SmallVec<[Pass; 4]>,
    negation: Option<Negation>,
}

impl BorderPlan {
    /// Makes a plan for a contiguous array whose interior has this shape and elements of type `T`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`PadPlan::new`](crate::PadPlan::new), and [`PadError::BorderInside`] for negative widths or
    /// interior padding.
    pub fn new<T: Element>(spec: &PadSpec, shape: &[usize]) -> Result<BorderPlan, PadError> {
        BorderPlan::of(spec, shape, Elements::of::<T>())
    }

    /// Makes a plan for elements whose type is known only at run time. Run it on bytes.
    ///
    /// ```
    /// use pad_kernels::{BorderPlan, DType, PadError, PadMode, PadSpec};
    /// let spec = PadSpec::new(PadMode::Edge, [(1, 1)]);
    /// let plan = BorderPlan::for_dtype(&spec, &[1], DType::U16)?;
    /// assert_eq!((plan.input_bytes(), plan.output_bytes()), (2, 6));
    /// let refused = BorderPlan::for_dtype(&spec, &[1], DType::U4);
    /// assert_eq!(refused, Err(PadError::BorderType { dtype: DType::U4 }));
    /// # Ok::<(), PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](BorderPlan::new), and [`PadError::BorderType`] for text and for types of less than a byte.
    pub fn for_dtype(spec: &PadSpec, shape: &[usize], dtype: DType) -> Result<BorderPlan, PadError> {
        if !matches!(dtype.element_size(), ElementSize::Bytes(_)) {
            return Err(PadError::BorderType { dtype });
        }
        BorderPlan::of(spec, shape, Elements::of_dtype(dtype))
    }

    /// Makes a plan for elements whose type is unknown and whose size in bytes is known, as
    /// [`PadPlan::for_bytes`](crate::PadPlan::for_bytes) does.
    ///
    /// ```
    /// use pad_kernels::{BorderPlan, PadMode, PadSpec};
    /// // There are three elements of three bytes each. Only the middle one is filled.
    /// let plan = BorderPlan::for_bytes(&PadSpec::new(PadMode::Edge, [(1, 1)]), &[1], 3)?;
    /// let mut names = *b"---two---";
    /// plan.run_bytes(&mut names)?;
    /// assert_eq!(&names, b"twotwotwo");
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`PadPlan::for_bytes`](crate::PadPlan::for_bytes), and [`PadError::BorderInside`].
    pub fn for_bytes(spec: &PadSpec, shape: &[usize], element_bytes: usize) -> Result<BorderPlan, PadError> {
        BorderPlan::of(spec, shape, Elements::of_bytes(element_bytes))
    }

    fn of(spec: &PadSpec, shape: &[usize], elements: Elements) -> Result<BorderPlan, PadError> {
        let mut geometry = Geometry::blank();
        geometry.set(spec, shape, elements)?;
        let sides = SmallVec::from_elem((true, true), geometry.axes.len());
        BorderPlan { geometry, spec: spec.clone(), sides, passes: SmallVec::new(), negation: None }.planned()
    }

    /// Returns a plan that writes only the sides marked `true`. There is one pair per axis, for its low and its high side, the outermost
    /// axis first.
    ///
    /// A run does not change the other sides, and makes the corners from them. Along its own axis, a written side repeats only the
    /// interior. If other processes send some sides of a halo, receive those sides first, and then run the plan for the others.
    ///
    /// ```
    /// use pad_kernels::{BorderPlan, PadMode, PadSpec};
    /// // A neighbour sent the row above. There is no neighbour below, and the columns are periodic.
    /// let spec = PadSpec::new([PadMode::Edge, PadMode::Wrap], [(1, 1), (1, 1)]);
    /// let plan = BorderPlan::new::<u8>(&spec, &[1, 2])?.with_sides([(false, true), (true, true)])?;
    /// let mut grid = [
    ///     0u8, 8, 9, 0,
    ///     0, 1, 2, 0,
    ///     0, 0, 0, 0,
    /// ];
    /// plan.run(&mut grid)?;
    /// assert_eq!(grid, [
    ///     9, 8, 9, 8,
    ///     2, 1, 2, 1,
    ///     2, 1, 2, 1,
    /// ]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`PadError::SideCount`] if the number of pairs differs from the number of axes.
    pub fn with_sides(&self, sides: impl IntoIterator<Item = (bool, bool)>) -> Result<BorderPlan, PadError> {
        let sides: SmallVec<[(bool, bool); 6]> = sides.into_iter().collect();
        if sides.len() != self.sides.len() {
            return Err(PadError::SideCount { sides: sides.len(), shape: self.sides.len() });
        }
        BorderPlan { sides, ..self.clone() }.planned()
    }

    /// Returns a plan for an array with these strides. A run does not write to the memory between the elements.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`PadPlan::with_strides`](crate::PadPlan::with_strides).
    pub fn with_strides(&self, output: &Strides) -> Result<BorderPlan, PadError> {
        let input = Strides::row_major(&self.geometry.input.shape);
        BorderPlan { geometry: self.geometry.with_strides(&input, output)?, ..self.clone() }.planned()
    }

    fn planned(mut self) -> Result<BorderPlan, PadError> {
        self.passes = passes(&self.geometry, &self.spec, &self.sides)?;
        self.negation = Negation::new(&self.geometry, |axis| self.sides[axis]);
        Ok(self)
    }

    /// Returns the element type, or `None` if it has no [`DType`].
    pub fn dtype(&self) -> Option<DType> {
        self.geometry.dtype()
    }

    /// Writes the border of `dst`.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::ElementType`] if the plan is for another type, and [`PadError::Length`] if the slice has another
    /// length than the plan needs.
    pub fn run<T: Element>(&self, dst: &mut [T]) -> Result<(), PadError> {
        self.geometry.check_element::<T>()?;
        self.geometry.check_len(Operand::Output, dst.len())?;
        self.run_in(Target::slice(as_uninit_bytes(as_uninit(dst))));
        Ok(())
    }

    /// Writes the border of a tensor in a slice of bytes, which may have any alignment.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::Length`] if the slice has another number of bytes than the plan needs.
    pub fn run_bytes(&self, dst: &mut [u8]) -> Result<(), PadError> {
        self.geometry.check_output_bytes(dst.len())?;
        self.run_in(Target::slice(as_uninit(dst)));
        Ok(())
    }

    /// Writes the border of a tensor behind a pointer, as [`PadPlan::run_raw`](crate::PadPlan::run_raw) does.
    ///
    /// A run does not write between the elements. If the interior is not initialised, the border is not initialised either.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`PadPlan::run_raw`](crate::PadPlan::run_raw).
    pub fn run_raw(&self, output: RawOutput<'_>) -> Result<(), PadError> {
        self.geometry.check_raw(Operand::Output, output.tensor())?;
        self.run_in(output.memory);
        Ok(())
    }

    /// Runs the plan on memory whose length and strides are checked.
    pub(super) fn run_in(&self, mut dst: Target<'_>) {
        let Geometry { fill, output, layout, .. } = &self.geometry;
        let len = layout.bytes(output.buffer);
        if let Some(planes) = self.geometry.planes() {
            let stride = self.geometry.coloured().0.map_or(0, |axis| self.geometry.axes[axis].dst_stride);
            for (fill, number) in planes.fills.iter().zip(0..) {
                borders::fill_borders(&self.passes, fill.element(), number * stride, len, dst.again());
            }
        } else {
            borders::fill_borders(&self.passes, fill.element(), 0, len, dst.again());
        }
        if let Some(negation) = &self.negation {
            negation.run(&mut dst);
        }
    }
}

tensor_sizes!(BorderPlan, "interior", "whole array, with its border", ".");
