//! Adds the method `pad` to the arrays and views of the crate `ndarray`, with any number of axes and any memory layout. Needs
//! the feature `ndarray`.
//!
//! ```
//! use ndarray::{array, s};
//! use pad_kernels::PadMode;
//! use pad_kernels::interop::ndarray::PadExt;
//!
//! let a = array![[1, 2, 3], [4, 5, 6]];
//! // The width is a number for all sides, a pair for all axes, or a pair per axis, as in numpy.pad.
//! assert_eq!(a.pad((1, 0), PadMode::Edge)?, array![[1, 1, 2, 3], [1, 1, 2, 3], [4, 4, 5, 6]]);
//! assert_eq!(a.pad([(0, 0), (2, 0)], PadMode::Reflect)?, array![[3, 2, 1, 2, 3], [6, 5, 4, 5, 6]]);
//! assert_eq!(a.row(0).pad_constant(1, 9)?, array![9, 1, 2, 3, 9]);
//! // The mode can differ for each axis, and for each side of an axis.
//! assert_eq!(a.pad((1, 0), [PadMode::Edge, PadMode::Wrap])?, array![[3, 1, 2, 3], [3, 1, 2, 3], [6, 4, 5, 6]]);
//! assert_eq!(a.row(0).pad(1, [(PadMode::Constant, PadMode::Edge)])?, array![0, 1, 2, 3, 3]);
//! // Views of any kind are valid. This view is transposed and reversed.
//! assert_eq!(a.t().slice(s![..;-1, 1..]).pad((1, 0), PadMode::Constant)?, array![[0, 0], [0, 6], [0, 5], [0, 4]]);
//! # Ok::<(), pad_kernels::interop::ndarray::PadArrayError>(())
//! ```
//!
//! # Memory
//!
//! As in numpy, the result is in row-major order. If the array is in Fortran order and not in row-major order, the result is in
//! Fortran order.
//!
//! A call reads arrays and views of up to six axes without a copy, even if they are sliced, transposed, reversed or broadcast. It allocates
//! only the result. [`pad_into`](PadExt::pad_into) writes to an output of any layout, and allocates nothing. A call does not read or write
//! the memory between the elements of a view. Another view may use this memory at the same time.
//!
//! In two cases, a call allocates more memory. First, it allocates memory for shapes and strides if the array has more than six
//! axes, or if the number of axes is known only at run time. Second, [`pad_cloned`](PadExt::pad_cloned) copies the elements of a
//! view with holes before it pads.
//!
//! # Differences to `numpy.pad`
//!
//! - [`pad`](PadExt::pad) has the modes that copy. [`pad_computed`](PadExt::pad_computed) has the modes that compute values, constants for
//!   each side, and `empty`. [`pad_numpy`](PadExt::pad_numpy) accepts whole calls with all arguments. A mode cannot be a function.
//! - The fill has the type of the elements. It is not cast.
//! - For strings and other cloned values, the caller gives the fill ([`pad_cloned`](PadExt::pad_cloned)). The fill of numpy is `"0"`.
//! - Each axis and each side can have its own mode. [`pad_with_spec`](PadExt::pad_with_spec) also supports negative pads, which
//!   crop, and interior padding.
//! - Elements are copied bit for bit, so NaN payloads and the sign of zero do not change.

mod arrays;
mod error;
mod values;

use ::ndarray::{Array, ArrayRef, Dimension};

pub use self::error::PadArrayError;
use crate::computed::ComputedSpec;
use crate::dialect::numpy;
pub use crate::dialect::numpy::PadWidth;
use crate::element::Element;
use crate::run::{BorderPlan, PadPlan};
use crate::spec::{Modes, PadSpec};

/// Adds methods that pad arrays and views. The documentation of the [module](self) has examples.
///
/// A single mode is for all sides. A list has one mode or one pair of modes per axis ([`Modes`]). The width is a number for all
/// sides, a pair for all axes, or one pair per axis ([`PadWidth`]). Widths must not be negative, except in
/// [`pad_with_spec`](PadExt::pad_with_spec).
pub trait PadExt<A, D: Dimension> {
    /// Pads the array, and returns a new array. The fill of mode constant is zero.
    ///
    /// # Errors
    ///
    /// Returns [`PadArrayError::Width`] for a wrong number of widths or a negative width, and [`PadArrayError::Pad`] for the
    /// errors of [`PadPlan::new`] and [`PadPlan::to_vec`].
    fn pad(&self, width: impl Into<PadWidth>, mode: impl Into<Modes>) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads the array with the fill `value`, and returns a new array.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad`](PadExt::pad).
    fn pad_constant(&self, width: impl Into<PadWidth>, value: A) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads the array as `spec` says, and returns a new array.
    ///
    /// ```
    /// use ndarray::array;
    /// use pad_kernels::interop::ndarray::PadExt;
    /// use pad_kernels::{PadMode, PadSpec};
    /// let spec = PadSpec::new(PadMode::Wrap, [(-1, 2, 0), (0, 0, 1)]).with_fill(9);
    /// let padded = array![[1, 2], [3, 4], [5, 6]].pad_with_spec(&spec)?;
    /// assert_eq!(padded, array![[3, 9, 4], [5, 9, 6], [3, 9, 4], [5, 9, 6]]);
    /// # Ok::<(), pad_kernels::interop::ndarray::PadArrayError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`PadArrayError::Pad`] if the request is impossible.
    fn pad_with_spec(&self, spec: &PadSpec) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads the array, and writes the result to `output`. The output may be an array or a view of any layout, with the shape of the result.
    ///
    /// For a fill other than zero, use [`pad_with_spec_into`](PadExt::pad_with_spec_into).
    ///
    /// ```
    /// use ndarray::{Array3, array, s};
    /// use pad_kernels::PadMode;
    /// use pad_kernels::interop::ndarray::PadExt;
    /// let mut batch = Array3::zeros((8, 4, 5));
    /// let picture = array![[1, 2, 3], [4, 5, 6]];
    /// picture.pad_into(1, PadMode::Symmetric, &mut batch.slice_mut(s![3, .., ..]))?;
    /// assert_eq!(batch.slice(s![3, 0, ..]), array![1, 1, 2, 3, 3]);
    /// # Ok::<(), pad_kernels::interop::ndarray::PadArrayError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad`](PadExt::pad), and [`PadArrayError::OutputShape`].
    fn pad_into(
        &self,
        width: impl Into<PadWidth>,
        mode: impl Into<Modes>,
        output: &mut ArrayRef<A, D>,
    ) -> Result<(), PadArrayError>
    where
        A: Element;

    /// Pads the array as `spec` says, and writes the result to `output`.
    ///
    /// # Errors
    ///
    /// Returns [`PadArrayError::Pad`] if the request is impossible, and [`PadArrayError::OutputShape`] if `output` has another shape.
    fn pad_with_spec_into(&self, spec: &PadSpec, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element;

    /// Pads the array with a plan, and returns a new array. A plan saves time if you pad many arrays of one shape.
    ///
    /// The call ignores the strides of the plan, and uses those of the array.
    ///
    /// ```
    /// use ndarray::array;
    /// use pad_kernels::interop::ndarray::PadExt;
    /// use pad_kernels::{PadMode, PadPlan, PadSpec, kernels::Streaming};
    /// let spec = PadSpec::new(PadMode::Edge, [(0, 0), (1, 0)]);
    /// let plan = PadPlan::new::<f32>(&spec, &[2, 2])?.with_streaming(Streaming::Never);
    /// let pictures = array![[[1.0f32, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]];
    /// for picture in pictures.outer_iter() {
    ///     assert_eq!(picture.pad_with_plan(&plan)?.column(0), picture.column(0));
    /// }
    /// # Ok::<(), pad_kernels::interop::ndarray::PadArrayError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`PadArrayError::InputShape`] if the array has another shape than the plan, and [`PadArrayError::Pad`] for the
    /// errors of [`PadPlan::to_vec`].
    fn pad_with_plan(&self, plan: &PadPlan) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads the array with a plan, and writes the result to `output`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad_with_plan`](PadExt::pad_with_plan), and [`PadArrayError::OutputShape`].
    fn pad_with_plan_into(&self, plan: &PadPlan, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element;

    /// Pads the array as [`pad_with_plan`](PadExt::pad_with_plan) does, on the threads of the current rayon pool. Only one
    /// thread writes a result in Fortran order.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad_with_plan`](PadExt::pad_with_plan).
    #[cfg(feature = "rayon")]
    fn par_pad_with_plan(&self, plan: &PadPlan) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element + Send + Sync;

    /// Pads the array as [`pad_with_plan_into`](PadExt::pad_with_plan_into) does, on the threads of the current rayon pool.
    /// Only one thread writes an output that is not in row-major order, or has holes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad_with_plan_into`](PadExt::pad_with_plan_into).
    #[cfg(feature = "rayon")]
    fn par_pad_with_plan_into(
        &self,
        plan: &PadPlan,
        output: &mut ArrayRef<A, D>,
    ) -> Result<(), PadArrayError>
    where
        A: Element + Send + Sync;

    /// Writes the border of this array, whose interior is already filled.
    ///
    /// ```
    /// use ndarray::array;
    /// use pad_kernels::PadMode;
    /// use pad_kernels::interop::ndarray::PadExt;
    /// let mut grid = array![[0, 0, 0, 0], [0, 1, 2, 0], [0, 3, 4, 0], [0, 0, 0, 0]];
    /// grid.fill_borders(1, PadMode::Wrap)?;
    /// assert_eq!(grid, array![[4, 3, 4, 3], [2, 1, 2, 1], [4, 3, 4, 3], [2, 1, 2, 1]]);
    /// # Ok::<(), pad_kernels::interop::ndarray::PadArrayError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`PadArrayError::Width`] for a wrong number of widths or a negative width, [`PadArrayError::Pad`] for the errors
    /// of [`BorderPlan::new`], and [`PadArrayError::Narrow`] if the border leaves no
    /// element that it could repeat, or is wider than the array.
    fn fill_borders(
        &mut self,
        width: impl Into<PadWidth>,
        mode: impl Into<Modes>,
    ) -> Result<(), PadArrayError>
    where
        A: Element;

    /// Writes the border of this array with a plan, on the sides that the plan writes.
    ///
    /// The call ignores the strides of the plan, and uses those of the array.
    ///
    /// # Errors
    ///
    /// Returns [`PadArrayError::Pad`] if the plan is for another type, and [`PadArrayError::OutputShape`] if it is for another
    /// shape.
    fn fill_borders_with_plan(&mut self, plan: &BorderPlan) -> Result<(), PadArrayError>
    where
        A: Element;

    /// Pads the array with computed borders, and returns a new array.
    ///
    /// ```
    /// use ndarray::array;
    /// use pad_kernels::computed::ComputedSpec;
    /// use pad_kernels::interop::ndarray::PadExt;
    /// let padded = array![[1.0, 3.0], [5.0, 7.0]].pad_computed(&ComputedSpec::mean([(0, 1), (1, 0)]))?;
    /// assert_eq!(padded, array![[2.0, 1.0, 3.0], [6.0, 5.0, 7.0], [4.0, 3.0, 5.0]]);
    /// # Ok::<(), pad_kernels::interop::ndarray::PadArrayError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`PadArrayError::Pad`] if the request is impossible.
    fn pad_computed(&self, spec: &ComputedSpec) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads the array with computed borders, and writes the result to `output`.
    ///
    /// # Errors
    ///
    /// Returns [`PadArrayError::Pad`] if the request is impossible, and [`PadArrayError::OutputShape`] if `output` has another shape.
    fn pad_computed_into(
        &self,
        spec: &ComputedSpec,
        output: &mut ArrayRef<A, D>,
    ) -> Result<(), PadArrayError>
    where
        A: Element;

    /// Pads the array as a call of `numpy.pad` does, in any of its modes, and returns a new array.
    ///
    /// ```
    /// use ndarray::array;
    /// use pad_kernels::dialect::numpy;
    /// use pad_kernels::interop::ndarray::PadExt;
    /// let call = numpy::Pad::new([(0, 0), (2, 1)]).mode("median").stat_length((3, 1));
    /// assert_eq!(array![[1, 9, 3, 4]].pad_numpy(&call)?, array![[3, 3, 1, 9, 3, 4, 4]]);
    /// # Ok::<(), pad_kernels::interop::ndarray::PadArrayError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`PadArrayError::Call`] if numpy refuses the call, or if the elements have no [`DType`](crate::DType). Returns
    /// [`PadArrayError::Pad`] if the request is impossible.
    fn pad_numpy(&self, call: &numpy::Pad<'_>) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads an array of values that can be cloned, such as `String`, and returns a new array.
    ///
    /// ```
    /// use ndarray::array;
    /// use pad_kernels::interop::ndarray::PadExt;
    /// use pad_kernels::{PadMode, PadSpec};
    /// let spec = PadSpec::new(PadMode::Constant, [(0, 0), (1, 0)]);
    /// let words = array![["a"], ["b"]];
    /// assert_eq!(words.pad_cloned(&spec, &"-")?, array![["-", "a"], ["-", "b"]]);
    /// # Ok::<(), pad_kernels::interop::ndarray::PadArrayError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`PadArrayError::Pad`] if the request is impossible.
    fn pad_cloned<'a>(
        &self,
        spec: &PadSpec,
        fill: impl Into<Option<&'a A>>,
    ) -> Result<Array<A, D>, PadArrayError>
    where
        A: Clone + 'a;
}
