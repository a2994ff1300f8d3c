//! `pad` on arrays and views of the crate `ndarray`, of any dimension and layout: feature `ndarray`.
//!
//! ```
//! use ndarray::{array, s};
//! use pad_kernels::PadMode;
//! use pad_kernels::interop::ndarray::PadExt;
//!
//! let a = array![[1, 2, 3], [4, 5, 6]];
//! // One width for all sides, one pair for all axes, or a pair per axis, as numpy.pad takes them.
//! assert_eq!(a.pad((1, 0), PadMode::Edge)?, array![[1, 1, 2, 3], [1, 1, 2, 3], [4, 4, 5, 6]]);
//! assert_eq!(a.pad([(0, 0), (2, 0)], PadMode::Reflect)?, array![[3, 2, 1, 2, 3], [6, 5, 4, 5, 6]]);
//! assert_eq!(a.row(0).pad_constant(1, 9)?, array![9, 1, 2, 3, 9]);
//! // A mode for each axis, or for each side of one.
//! assert_eq!(a.pad((1, 0), [PadMode::Edge, PadMode::Wrap])?, array![[3, 1, 2, 3], [3, 1, 2, 3], [6, 4, 5, 6]]);
//! assert_eq!(a.row(0).pad(1, [(PadMode::Constant, PadMode::Edge)])?, array![0, 1, 2, 3, 3]);
//! // Views of any kind: here transposed and reversed.
//! assert_eq!(a.t().slice(s![..;-1, 1..]).pad((1, 0), PadMode::Constant)?, array![[0, 0], [0, 6], [0, 5], [0, 4]]);
//! # Ok::<(), pad_kernels::interop::ndarray::PadArrayError>(())
//! ```
//!
//! # Memory
//!
//! As in numpy the result is in row-major order, unless the array is Fortran-ordered and not row-major as well: then
//! so is the result.
//!
//! Arrays and views of up to six axes are read where their elements lie, in whatever order and direction, and nothing is allocated
//! but the result: slices, every second column, transposed, permuted, reversed and broadcast ones. Those whose rows are columns
//! in memory are read in tiles. [`pad_into`](PadExt::pad_into) writes to outputs of every layout in place, and allocates
//! nothing. What lies between the elements of a view, which may be another view's to write, is neither read nor written.
//!
//! Dimensions known at run time alone and more than six axes take some memory for shapes and strides. Values that are
//! [cloned](PadExt::pad_cloned) from a view that leaves some out are first copied without those.
//!
//! # Differences to `numpy.pad`
//!
//! - [`pad`](PadExt::pad) has the modes that copy; [`pad_computed`](PadExt::pad_computed) has those that compute new values, constants
//!   for each side, and `empty`; [`pad_numpy`](PadExt::pad_numpy) takes whole calls with all their arguments. There are no callables.
//! - Constants are of the elements' own type, without a cast.
//! - Text and other cloned values take their fill from the caller ([`pad_cloned`](PadExt::pad_cloned)); numpy writes `"0"`.
//! - A mode for each axis and for each side goes beyond it, and so does [`pad_with_spec`](PadExt::pad_with_spec): negative pads, which
//!   remove, and gaps between the elements.
//! - Elements are copied bit for bit: NaN payloads and signs of zero stay.

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

/// Padding for arrays and views. [The module](self) shows it at work and says what is done about memory order.
///
/// Modes are one for all sides, or any other [`Modes`]: one for each axis, or a pair for the sides of each. Widths are a
/// number for all sides, a pair of before and after for all axes, one pair per axis, or any other [`PadWidth`]. They are not negative; [`pad_with_spec`](PadExt::pad_with_spec) takes any request.
pub trait PadExt<A, D: Dimension> {
    /// Pads into a new array. Constant mode takes the type's zero.
    ///
    /// # Errors
    ///
    /// [`PadArrayError::Width`]; [`PadArrayError::Pad`] as for [`PadPlan::new`], and if there is no memory.
    fn pad(&self, width: impl Into<PadWidth>, mode: impl Into<Modes>) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads with `value` into a new array.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad`](PadExt::pad).
    fn pad_constant(&self, width: impl Into<PadWidth>, value: A) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads as `spec` says into a new array.
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
    /// [`PadArrayError::Pad`].
    fn pad_with_spec(&self, spec: &PadSpec) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads into `output`, an array or view of the result's shape and any layout. For other fills than zero see
    /// [`pad_with_spec_into`](PadExt::pad_with_spec_into).
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
    /// Returns the errors of [`pad`](PadExt::pad), and [`PadArrayError::OutputShape`]. Nothing is written then.
    fn pad_into(
        &self,
        width: impl Into<PadWidth>,
        mode: impl Into<Modes>,
        output: &mut ArrayRef<A, D>,
    ) -> Result<(), PadArrayError>
    where
        A: Element;

    /// Pads as `spec` says into `output`, an array or view of the result's shape and any layout.
    ///
    /// # Errors
    ///
    /// [`PadArrayError::Pad`] and [`PadArrayError::OutputShape`]. Nothing is written then.
    fn pad_with_spec_into(&self, spec: &PadSpec, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element;

    /// Pads by a plan into a new array: for many arrays of one shape, and for a plan that
    /// [streams](PadPlan::with_streaming) or has an instruction set [pinned](PadPlan::with_isa). Where the array's elements
    /// lie is the array's to say, whatever strides the plan has.
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
    /// [`PadArrayError::InputShape`]; [`PadArrayError::Pad`] as for [`PadPlan::to_vec`].
    fn pad_with_plan(&self, plan: &PadPlan) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads by a plan into `output`, an array or view of the result's shape and any layout.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad_with_plan`](PadExt::pad_with_plan), and [`PadArrayError::OutputShape`]. Nothing is written then.
    fn pad_with_plan_into(&self, plan: &PadPlan, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element;

    /// [`pad_with_plan`](PadExt::pad_with_plan) on the threads of rayon's pool. Results in Fortran order are made by one thread.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad_with_plan`](PadExt::pad_with_plan).
    #[cfg(feature = "rayon")]
    fn par_pad_with_plan(&self, plan: &PadPlan) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element + Send + Sync;

    /// [`pad_with_plan_into`](PadExt::pad_with_plan_into) on the threads of rayon's pool. Outputs that are not in row-major order, or have
    /// holes, are written by one thread.
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

    /// Writes the borders of this array, whose inside is there already.
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
    /// [`PadArrayError::Width`]; [`PadArrayError::Pad`] as for [`BorderPlan::new`]; [`PadArrayError::Narrow`] if there is no
    /// room for an inside. Nothing is written then.
    fn fill_borders(
        &mut self,
        width: impl Into<PadWidth>,
        mode: impl Into<Modes>,
    ) -> Result<(), PadArrayError>
    where
        A: Element;

    /// Fills the borders by a plan for an array of this shape, on the sides that it writes. The array's own layout is
    /// followed, whatever strides the plan has.
    ///
    /// # Errors
    ///
    /// [`PadArrayError::Pad`] if the plan is for another type, and [`PadArrayError::OutputShape`]. Nothing is written then.
    fn fill_borders_with_plan(&mut self, plan: &BorderPlan) -> Result<(), PadArrayError>
    where
        A: Element;

    /// Pads with computed borders as `spec` says into a new array.
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
    /// [`PadArrayError::Pad`].
    fn pad_computed(&self, spec: &ComputedSpec) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads with computed borders as `spec` says into `output`, an array or view of the result's shape and any layout.
    ///
    /// # Errors
    ///
    /// [`PadArrayError::Pad`] and [`PadArrayError::OutputShape`]. Nothing is written then.
    fn pad_computed_into(
        &self,
        spec: &ComputedSpec,
        output: &mut ArrayRef<A, D>,
    ) -> Result<(), PadArrayError>
    where
        A: Element;

    /// Does what a call of `numpy.pad` does, in any of its modes, into a new array.
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
    /// [`PadArrayError::Call`] for what numpy refuses, and for elements without a tag; [`PadArrayError::Pad`].
    fn pad_numpy(&self, call: &numpy::Pad<'_>) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads elements of any type that can be cloned, such as `String`, as `spec` says into a new array.
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
    /// [`PadArrayError::Pad`].
    fn pad_cloned<'a>(
        &self,
        spec: &PadSpec,
        fill: impl Into<Option<&'a A>>,
    ) -> Result<Array<A, D>, PadArrayError>
    where
        A: Clone + 'a;
}
