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
//! - A mode for each axis and for each side goes beyond it, and so does [`pad_with`](PadExt::pad_with): negative pads, which
//!   remove, and gaps between the elements.
//! - Elements are copied bit for bit: NaN payloads and signs of zero stay.

use alloc::vec::Vec;
use core::fmt;

use ::ndarray::{Array, ArrayRef, ArrayView, Axis, Dimension, ShapeBuilder, Slice};
use smallvec::SmallVec;

use crate::computed::{ComputedPlan, ComputedSpec};
pub use crate::dialect::numpy::PadWidth;
use crate::dialect::{Dialect, DialectError, numpy};
use crate::element::Element;
use crate::error::PadError;
use crate::kernel::places::array;
use crate::run::{BorderPlan, PadPlan};
use crate::spec::{Modes, PadMode, PadSpec};
use crate::view::Strides;

/// Why an array was not padded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PadArrayError {
    /// The widths are no widths for this many axes, or one is negative.
    Width(DialectError),
    /// The call is none that numpy takes.
    Call(DialectError),
    /// The request cannot be fulfilled.
    Pad(PadError),
    /// The array has another shape than the plan was made for.
    InputShape {
        /// The plan's shape.
        expected: Vec<usize>,
        /// The array's shape.
        got: Vec<usize>,
    },
    /// The borders are longer than the array that they are to be part of.
    Narrow {
        /// The axis.
        axis: usize,
        /// Its length.
        length: usize,
        /// What its two borders come to.
        borders: i128,
    },
    /// The output has another shape than the result.
    OutputShape {
        /// The result's shape.
        expected: Vec<usize>,
        /// The output's shape.
        got: Vec<usize>,
    },
}

impl From<PadError> for PadArrayError {
    fn from(error: PadError) -> Self {
        PadArrayError::Pad(error)
    }
}

impl fmt::Display for PadArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PadArrayError::Width(error @ DialectError::NegativePad { .. }) => {
                write!(f, "{error}: pad_with takes requests that remove")
            }
            PadArrayError::Width(error) | PadArrayError::Call(error) => error.fmt(f),
            PadArrayError::Pad(error) => error.fmt(f),
            PadArrayError::InputShape { expected, got } => {
                write!(f, "the plan was made for shape {expected:?}, but the array has {got:?}")
            }
            PadArrayError::Narrow { axis, length, borders } => {
                write!(f, "axis {axis} has length {length}, which leaves no room for borders of {borders}")
            }
            PadArrayError::OutputShape { expected, got } => {
                write!(f, "the result has shape {expected:?}, but the output has {got:?}")
            }
        }
    }
}

impl core::error::Error for PadArrayError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            PadArrayError::Width(error) | PadArrayError::Call(error) => Some(error),
            PadArrayError::Pad(error) => Some(error),
            PadArrayError::InputShape { .. }
            | PadArrayError::Narrow { .. }
            | PadArrayError::OutputShape { .. } => None,
        }
    }
}

/// Padding for arrays and views. [The module](self) shows it at work and says what is done about memory order.
///
/// Modes are one for all sides, or any other [`Modes`]: one for each axis, or a pair for the sides of each. Widths are a
/// number for all sides, a pair of before and after for all axes, one pair per axis, or any other [`PadWidth`]. They are not negative; [`pad_with`](PadExt::pad_with) takes any request.
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
    /// As for [`pad`](PadExt::pad).
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
    /// let padded = array![[1, 2], [3, 4], [5, 6]].pad_with(&spec)?;
    /// assert_eq!(padded, array![[3, 9, 4], [5, 9, 6], [3, 9, 4], [5, 9, 6]]);
    /// # Ok::<(), pad_kernels::interop::ndarray::PadArrayError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PadArrayError::Pad`].
    fn pad_with(&self, spec: &PadSpec) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads into `output`, an array or view of the result's shape and any layout. For other fills than zero see
    /// [`pad_with_into`](PadExt::pad_with_into).
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
    /// As for [`pad`](PadExt::pad), and [`PadArrayError::OutputShape`]. Nothing is written then.
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
    fn pad_with_into(&self, spec: &PadSpec, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element;

    /// Pads by a plan into a new array: for many arrays of one shape, and for a plan that
    /// [streams](PadPlan::with_streaming) or has an instruction set [pinned](PadPlan::with_isa). Where the array's elements
    /// lie is the array's to say, whatever strides the plan has.
    ///
    /// ```
    /// use ndarray::array;
    /// use pad_kernels::interop::ndarray::PadExt;
    /// use pad_kernels::{PadMode, PadPlan, PadSpec, Streaming};
    /// let spec = PadSpec::new(PadMode::Edge, [(0, 0), (1, 0)]);
    /// let plan = PadPlan::new::<f32>(&spec, &[2, 2])?.with_streaming(Streaming::Never);
    /// let pictures = array![[[1.0f32, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]];
    /// for picture in pictures.outer_iter() {
    ///     assert_eq!(picture.pad_by(&plan)?.column(0), picture.column(0));
    /// }
    /// # Ok::<(), pad_kernels::interop::ndarray::PadArrayError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PadArrayError::InputShape`]; [`PadArrayError::Pad`] as for [`PadPlan::to_vec`].
    fn pad_by(&self, plan: &PadPlan) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element;

    /// Pads by a plan into `output`, an array or view of the result's shape and any layout.
    ///
    /// # Errors
    ///
    /// As for [`pad_by`](PadExt::pad_by), and [`PadArrayError::OutputShape`]. Nothing is written then.
    fn pad_by_into(&self, plan: &PadPlan, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element;

    /// [`pad_by`](PadExt::pad_by) on the threads of rayon's pool. Results in Fortran order are made by one thread.
    ///
    /// # Errors
    ///
    /// As for [`pad_by`](PadExt::pad_by).
    #[cfg(feature = "rayon")]
    fn par_pad_by(&self, plan: &PadPlan) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element + Send + Sync;

    /// [`pad_by_into`](PadExt::pad_by_into) on the threads of rayon's pool. Outputs that are not in row-major order, or have
    /// holes, are written by one thread.
    ///
    /// # Errors
    ///
    /// As for [`pad_by_into`](PadExt::pad_by_into).
    #[cfg(feature = "rayon")]
    fn par_pad_by_into(&self, plan: &PadPlan, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
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

    /// The same as `plan` says, which is one for an array of this shape, on the sides that it writes. The array's own layout is
    /// followed, whatever strides the plan has.
    ///
    /// # Errors
    ///
    /// [`PadArrayError::Pad`] if the plan is for another type, and [`PadArrayError::OutputShape`]. Nothing is written then.
    fn fill_borders_with(&mut self, plan: &BorderPlan) -> Result<(), PadArrayError>
    where
        A: Element;

    /// Pads with computed borders as `spec` says into a new array.
    ///
    /// ```
    /// use ndarray::array;
    /// use pad_kernels::ComputedSpec;
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
    fn pad_cloned(&self, spec: &PadSpec, fill: &A) -> Result<Array<A, D>, PadArrayError>
    where
        A: Clone;
}

impl<A, D: Dimension> PadExt<A, D> for ArrayRef<A, D> {
    fn pad(&self, width: impl Into<PadWidth>, mode: impl Into<Modes>) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element,
    {
        self.pad_with(&spec_of(&width.into(), mode.into(), self.ndim())?)
    }

    fn pad_constant(&self, width: impl Into<PadWidth>, value: A) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element,
    {
        self.pad_with(&spec_of(&width.into(), PadMode::Constant.into(), self.ndim())?.with_fill(value))
    }

    fn pad_with(&self, spec: &PadSpec) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element,
    {
        self.pad_by(PadPlan::blank().once::<A>(spec, self.shape())?)
    }

    fn pad_into(
        &self,
        width: impl Into<PadWidth>,
        mode: impl Into<Modes>,
        output: &mut ArrayRef<A, D>,
    ) -> Result<(), PadArrayError>
    where
        A: Element,
    {
        self.pad_with_into(&spec_of(&width.into(), mode.into(), self.ndim())?, output)
    }

    fn pad_with_into(&self, spec: &PadSpec, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element,
    {
        self.pad_by_into(PadPlan::blank().once::<A>(spec, self.shape())?, output)
    }

    fn pad_by(&self, plan: &PadPlan) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element,
    {
        check_input(plan, self)?;
        let fortran = is_fortran(self);
        let strides = new_strides(plan.output_shape(), fortran);
        Ok(array(plan.output_shape(), fortran, plan.to_vec_placed(&array::input(self), &strides)?))
    }

    fn pad_by_into(&self, plan: &PadPlan, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element,
    {
        check_input(plan, self)?;
        check_output(plan, output)?;
        if !plan.is_empty() {
            plan.run_placed::<A>(&array::input(self), array::output(output, plan.output_shape()))?;
        }
        Ok(())
    }

    #[cfg(feature = "rayon")]
    fn par_pad_by(&self, plan: &PadPlan) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element + Send + Sync,
    {
        check_input(plan, self)?;
        let fortran = is_fortran(self);
        let strides = new_strides(plan.output_shape(), fortran);
        Ok(array(plan.output_shape(), fortran, plan.par_to_vec_placed(&array::input(self), &strides)?))
    }

    #[cfg(feature = "rayon")]
    fn par_pad_by_into(&self, plan: &PadPlan, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element + Send + Sync,
    {
        check_input(plan, self)?;
        check_output(plan, output)?;
        match output.as_slice_mut() {
            Some(output) => Ok(plan.par_run_placed(&array::input(self), output)?),
            None => self.pad_by_into(plan, output),
        }
    }

    fn fill_borders(
        &mut self,
        width: impl Into<PadWidth>,
        mode: impl Into<Modes>,
    ) -> Result<(), PadArrayError>
    where
        A: Element,
    {
        let spec = spec_of(&width.into(), mode.into(), self.ndim())?;
        let mut inside: SmallVec<[usize; 6]> = SmallVec::new();
        for (axis, (&length, pad)) in self.shape().iter().zip(&spec.axes).enumerate() {
            let borders = i128::from(pad.low) + i128::from(pad.high);
            let left = usize::try_from(length as i128 - borders);
            inside.push(left.map_err(|_| PadArrayError::Narrow { axis, length, borders })?);
        }
        self.fill_borders_with(&BorderPlan::new::<A>(&spec, &inside)?)
    }

    fn fill_borders_with(&mut self, plan: &BorderPlan) -> Result<(), PadArrayError>
    where
        A: Element,
    {
        if plan.output_shape() != self.shape() {
            let (expected, got) = (plan.output_shape().into(), self.shape().into());
            return Err(PadArrayError::OutputShape { expected, got });
        }
        Ok(plan.run_placed::<A>(array::output(self, plan.output_shape()))?)
    }

    fn pad_computed(&self, spec: &ComputedSpec) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element,
    {
        let plan = ComputedPlan::new::<A>(spec, self.shape())?;
        let fortran = is_fortran(self);
        let strides = new_strides(plan.output_shape(), fortran);
        Ok(array(plan.output_shape(), fortran, plan.to_vec_placed(&array::input(self), &strides)?))
    }

    fn pad_computed_into(&self, spec: &ComputedSpec, output: &mut ArrayRef<A, D>) -> Result<(), PadArrayError>
    where
        A: Element,
    {
        let plan = ComputedPlan::new::<A>(spec, self.shape())?;
        if plan.output_shape() != output.shape() {
            let (expected, got) = (plan.output_shape().into(), output.shape().into());
            return Err(PadArrayError::OutputShape { expected, got });
        }
        Ok(plan.run_placed::<A>(&array::input(self), array::output(output, plan.output_shape()))?)
    }

    fn pad_numpy(&self, call: &numpy::Pad<'_>) -> Result<Array<A, D>, PadArrayError>
    where
        A: Element,
    {
        let dtype = A::DTYPE.ok_or(PadArrayError::Call(DialectError::Untagged))?;
        match call.computed_spec(self.shape()).map_err(PadArrayError::Call)? {
            Some(spec) => self.pad_computed(&spec),
            None => self.pad_with(&call.spec(self.shape(), dtype).map_err(PadArrayError::Call)?),
        }
    }

    fn pad_cloned(&self, spec: &PadSpec, fill: &A) -> Result<Array<A, D>, PadArrayError>
    where
        A: Clone,
    {
        let plan = PadPlan::for_cloned(spec, self.shape())?;
        let input = Values::of(self.view())?;
        let fortran = is_fortran(self);
        let data = plan.with_strides(&input.strides, &new_strides(plan.output_shape(), fortran))?;
        Ok(array(plan.output_shape(), fortran, data.to_vec_cloned(input.data(), fill)?))
    }
}

fn spec_of(width: &PadWidth, mode: Modes, rank: usize) -> Result<PadSpec, PadArrayError> {
    Ok(PadSpec::new(mode, width.pads(rank).map_err(PadArrayError::Width)?))
}

fn check_input<A, D: Dimension>(plan: &PadPlan, input: &ArrayRef<A, D>) -> Result<(), PadArrayError> {
    if plan.input_shape() == input.shape() {
        return Ok(());
    }
    let (expected, got) = (plan.input_shape().into(), input.shape().into());
    Err(PadArrayError::InputShape { expected, got })
}

fn check_output<A, D: Dimension>(plan: &PadPlan, output: &ArrayRef<A, D>) -> Result<(), PadArrayError> {
    if plan.output_shape() == output.shape() {
        return Ok(());
    }
    let (expected, got) = (plan.output_shape().into(), output.shape().into());
    Err(PadArrayError::OutputShape { expected, got })
}

/// Whether numpy gives the result in Fortran order.
fn is_fortran<A, D: Dimension>(array: &ArrayRef<A, D>) -> bool {
    !array.is_standard_layout() && array.t().is_standard_layout()
}

fn new_strides(shape: &[usize], fortran: bool) -> Strides {
    if fortran { Strides::column_major(shape) } else { Strides::row_major(shape) }
}

/// The array of these elements, which lie in this order.
fn array<A, D: Dimension>(shape: &[usize], fortran: bool, data: Vec<A>) -> Array<A, D> {
    let mut dim = D::zeros(shape.len());
    dim.slice_mut().copy_from_slice(shape);
    Array::from_shape_vec(dim.set_f(fortran), data).expect("as long as its shape says")
}

/// An array's values as one slice, and where they lie in it: for those that are cloned.
struct Values<'a, A> {
    data: Data<'a, A>,
    strides: Strides,
}

enum Data<'a, A> {
    Borrowed(&'a [A]),
    Copied(Vec<A>),
}

impl<'a, A: Clone> Values<'a, A> {
    fn of<D: Dimension>(array: ArrayView<'a, A, D>) -> Result<Self, PadError> {
        // Of an axis that repeats one place the first is all there is.
        let mut places = array.clone();
        for axis in (0..array.ndim()).map(Axis) {
            if array.stride_of(axis) == 0 && array.len_of(axis) > 1 {
                places.slice_axis_inplace(axis, Slice::from(..1));
            }
        }
        let (data, mut strides) = match places.to_slice_memory_order() {
            Some(slice) => (Data::Borrowed(slice), strides_of(&places)),
            None => (Data::Copied(copy(&places)?), Strides::row_major(places.shape())),
        };
        for (axis, stride) in strides.strides.iter_mut().enumerate() {
            if places.len_of(Axis(axis)) != array.len_of(Axis(axis)) {
                *stride = 0;
            }
        }
        Ok(Values { data, strides })
    }

    fn data(&self) -> &[A] {
        match &self.data {
            Data::Borrowed(slice) => slice,
            Data::Copied(copy) => copy,
        }
    }
}

/// Where the elements of an array lie in its slice in memory order.
fn strides_of<A, D: Dimension>(array: &ArrayView<'_, A, D>) -> Strides {
    let strides: SmallVec<[isize; 6]> = array.strides().iter().copied().collect();
    // The slice begins with the lowest address: axes that go backwards end there.
    let backwards = array.shape().iter().zip(&strides).filter(|(_, stride)| **stride < 0);
    let offset = backwards.map(|(length, stride)| length.saturating_sub(1) * stride.unsigned_abs()).sum();
    Strides { offset, strides }
}

/// The elements in row-major order.
fn copy<A: Clone, D: Dimension>(array: &ArrayView<'_, A, D>) -> Result<Vec<A>, PadError> {
    let mut copy = Vec::new();
    let bytes = array.len().saturating_mul(size_of::<A>());
    copy.try_reserve_exact(array.len()).map_err(|_| PadError::OutOfMemory { bytes })?;
    for row in array.rows() {
        match row.to_slice() {
            Some(row) => copy.extend_from_slice(row),
            None => copy.extend(row.iter().cloned()),
        }
    }
    Ok(copy)
}
