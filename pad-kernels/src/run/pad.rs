//! Plans, and the methods that run them on one thread.

use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::mem::MaybeUninit;

use crate::dtype::DType;
use crate::element::{Element, Elements};
use crate::error::{Operand, PadError};
use crate::isa::Isa;
use crate::kernel::places::{RawInput, RawOutput, Source, Target};
use crate::kernel::slices::{self, ZEROED_FROM, as_bytes, as_uninit, as_uninit_bytes, written};
use crate::kernel::{PadKernel, REPEATED_FROM, STREAMS, Written, walk};
use crate::plan::Geometry;
use crate::plan::axis::Axis;
use crate::plan::form::Segment;
use crate::plan::nest::Atom;
use crate::spec::{PadMode, PadSpec};

use super::executor::{Choice, Executor};

/// A prepared pad call for one shape and element type, which you can run any number of times.
///
/// A run checks only the lengths of the slices. It allocates nothing, unless the fill lies along an axis and the plan has more
/// than six axes. You can compare, hash and print plans, and several threads can use one plan.
///
/// ```
/// use pad_kernels::{PadMode, PadPlan, PadSpec};
/// let spec = PadSpec::new(PadMode::Constant, [(0, 0), (0, 0), (1, 1), (1, 1)]);
/// let plan = PadPlan::new::<f32>(&spec, &[1, 64, 56, 56])?;
/// assert_eq!(plan.output_shape(), [1, 64, 58, 58]);
/// let (src, mut dst) = (vec![1.0f32; plan.input_len()], vec![0.0f32; plan.output_len()]);
/// plan.run(&src, &mut dst)?;
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct PadPlan {
    pub(super) geometry: Geometry,
    pub(super) choice: Choice,
    /// The widest instruction set that may be chosen.
    pub(super) isa: Isa,
    pub(super) streaming: Streaming,
    /// True if this plan uses non-temporal stores.
    pub(super) streams: bool,
}

/// Hashes only the request, because the executor follows from the request.
impl Hash for PadPlan {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.geometry, self.isa, self.streaming).hash(state);
    }
}

/// Decides whether a plan uses non-temporal stores, which bypass the cache.
///
/// With these stores, the CPU does not read the old contents of the output, and keeps other data in the cache. They are faster if
/// the output is much larger than the cache, and slower if the program reads the output soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Streaming {
    /// Uses non-temporal stores for large outputs. See [`STREAMING_THRESHOLD_BYTES`].
    #[default]
    Auto,
    /// Uses non-temporal stores if the kernel can: on x86-64, for outputs whose elements are adjacent.
    Always,
    /// Uses no non-temporal stores.
    Never,
}

/// The number of output bytes from which [`Streaming::Auto`] uses non-temporal stores.
///
/// It is larger than the share of the last cache that one core has on common machines. If at least half of the output is fill,
/// half as many bytes are enough. For rows of less than 2 KiB, [`Streaming::Auto`] never uses these stores.
pub const STREAMING_THRESHOLD_BYTES: usize = 64 << 20;

/// The minimum length of rows, in bytes, for which [`Streaming::Auto`] uses non-temporal stores.
///
/// Zen 4, 80 MB of rows of 400 to 1200 bytes: non-temporal stores take 1.02 to 1.4 times as long.
const STREAMED_RUNS: usize = 2048;

impl PadPlan {
    /// Makes a plan for a contiguous tensor with this shape and elements of type `T`.
    ///
    /// # Errors
    ///
    /// Returns a [`PadError`] about the axes, the sizes or the fill. The plan checks the axes in their order, and returns the
    /// first error.
    pub fn new<T: Element>(spec: &PadSpec, shape: &[usize]) -> Result<PadPlan, PadError> {
        PadPlan::made(spec, shape, Elements::of::<T>())
    }

    /// Makes a plan for elements whose type is known only at run time. Run the plan on bytes, or on values for [`DType::String`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](PadPlan::new).
    pub fn for_dtype(spec: &PadSpec, shape: &[usize], dtype: DType) -> Result<PadPlan, PadError> {
        PadPlan::made(spec, shape, Elements::of_dtype(dtype))
    }

    /// Makes a plan for elements whose type is unknown and whose size in bytes is known, such as records of another language.
    ///
    /// ```
    /// use pad_kernels::{Fill, PadMode, PadPlan, PadSpec};
    /// let mut spec = PadSpec::new(PadMode::Constant, [(1, 0)]);
    /// spec.fill = Some(Fill::untyped(b"---"));
    /// let plan = PadPlan::for_bytes(&spec, &[2], 3)?;
    /// let mut dst = [0; 9];
    /// plan.run_bytes(b"onetwo", &mut dst)?;
    /// assert_eq!(&dst, b"---onetwo");
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](PadPlan::new). The fill must be a [`Fill::untyped`] of this size, otherwise the error is
    /// [`PadError::FillType`]. If the spec has mode constant or interior padding, but no fill, the error is
    /// [`PadError::FillRequired`], even if the output contains no fill.
    ///
    /// [`Fill::untyped`]: crate::Fill::untyped
    pub fn for_bytes(spec: &PadSpec, shape: &[usize], element_bytes: usize) -> Result<PadPlan, PadError> {
        PadPlan::made(spec, shape, Elements::of_bytes(element_bytes))
    }

    /// Makes a plan for values of any type that can be cloned. To run it, pass the fill to [`run_cloned`](PadPlan::run_cloned) or
    /// [`to_vec_cloned`](PadPlan::to_vec_cloned).
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadPlan, PadSpec};
    /// let plan = PadPlan::for_cloned(&PadSpec::new(PadMode::Reflect, [(0, 1)]), &[2])?;
    /// let lists = [vec![1], vec![2, 3]];
    /// assert_eq!(plan.to_vec_cloned(&lists, None)?, [vec![1], vec![2, 3], vec![1]]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](PadPlan::new), and [`PadError::FillType`] if the spec has a fill.
    pub fn for_cloned(spec: &PadSpec, shape: &[usize]) -> Result<PadPlan, PadError> {
        let mut plan = PadPlan::blank();
        plan.once(spec, shape, Elements::CLONED)?;
        Ok(plan)
    }

    /// Pads `src`, and writes the result to `dst`.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::ElementType`] or [`PadError::Cloned`] if the plan is for another type, and [`PadError::Length`] if a slice
    /// has another length than the plan needs.
    pub fn run<T: Element>(&self, src: &[T], dst: &mut [T]) -> Result<(), PadError> {
        self.geometry.check_element::<T>()?;
        self.geometry.check_len(Operand::Input, src.len())?;
        self.geometry.check_len(Operand::Output, dst.len())?;
        self.write(src, as_uninit(dst), false).map(drop)
    }

    /// Pads `src`, writes the result to uninitialised memory, and returns the initialised slice.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](PadPlan::run), and [`PadError::OutputHasHoles`] if the output has strides with holes.
    pub fn run_uninit<'a, T: Element>(
        &self,
        src: &[T],
        dst: &'a mut [MaybeUninit<T>],
    ) -> Result<&'a mut [T], PadError> {
        self.geometry.check_element::<T>()?;
        self.geometry.check_len(Operand::Input, src.len())?;
        self.geometry.check_len(Operand::Output, dst.len())?;
        self.geometry.check_dense()?;
        // A buffer may be longer than the output.
        let dst = &mut dst[..self.output_len()];
        let bytes = self.write(src, dst, false)?;
        Ok(written(dst, bytes))
    }

    /// Pads `src`, and returns the result in a new vector. The call does not clear the vector first.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](PadPlan::run), [`PadError::OutputHasHoles`], and [`PadError::OutOfMemory`].
    pub fn to_vec<T: Element>(&self, src: &[T]) -> Result<Vec<T>, PadError> {
        self.geometry.check_element::<T>()?;
        self.geometry.check_len(Operand::Input, src.len())?;
        self.geometry.check_dense()?;
        self.new_vec(self.output_len(), |dst, filled| self.write(src, dst, filled))
    }

    /// Pads the bytes of a tensor. The slices may have any alignment, and elements may have less than a byte.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::Cloned`] if the plan is for cloned values, and [`PadError::Length`] if a slice has another number of
    /// bytes than the plan needs.
    pub fn run_bytes(&self, src: &[u8], dst: &mut [u8]) -> Result<(), PadError> {
        self.geometry.check_bytes(src.len(), dst.len())?;
        self.run_in(Source::slice(src), Target::slice(as_uninit(dst)), false).map(drop)
    }

    /// Pads the bytes of a tensor, writes the result to uninitialised memory, and returns the initialised bytes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_bytes`](PadPlan::run_bytes), and [`PadError::OutputHasHoles`].
    pub fn run_bytes_uninit<'a>(
        &self,
        src: &[u8],
        dst: &'a mut [MaybeUninit<u8>],
    ) -> Result<&'a mut [u8], PadError> {
        self.geometry.check_bytes(src.len(), dst.len())?;
        self.geometry.check_dense()?;
        // A buffer may be longer than the output.
        let dst = &mut dst[..self.output_bytes()];
        let bytes = self.run_on(src, dst, false)?;
        Ok(written(dst, bytes))
    }

    /// Pads the bytes of a tensor, and returns the result in a new vector. Unused bits of the last byte are zero.
    ///
    /// ```
    /// use pad_kernels::{DType, PadMode, PadPlan, PadSpec};
    /// // Three 4-bit elements, the first in the low half of the first byte.
    /// let plan = PadPlan::for_dtype(&PadSpec::new(PadMode::Wrap, [(2, 0)]), &[3], DType::U4)?;
    /// assert_eq!(plan.to_vec_bytes(&[0x21, 0x03])?, [0x32, 0x21, 0x03]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_bytes`](PadPlan::run_bytes), [`PadError::OutputHasHoles`], and [`PadError::OutOfMemory`].
    pub fn to_vec_bytes(&self, src: &[u8]) -> Result<Vec<u8>, PadError> {
        self.geometry.check_source_bytes(src.len())?;
        self.geometry.check_dense()?;
        self.new_vec(self.output_bytes(), |dst, filled| self.run_on(src, dst, filled))
    }

    /// Pads values that can be cloned, and writes the result to `dst`. The plan is made by [`for_cloned`](PadPlan::for_cloned),
    /// or for [`DType::String`].
    ///
    /// `fill` is a reference to the fill, or `None` if the output contains no fill. If a clone panics, all elements of `dst` are valid
    /// values, but only some of them are replaced.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::NotCloned`] if the plan is for bytes, [`PadError::Length`] if a slice has another length than the
    /// plan needs, and [`PadError::FillRequired`] if the output contains fill and `fill` is `None`.
    pub fn run_cloned<'a, T: Clone + 'a>(
        &self,
        src: &[T],
        fill: impl Into<Option<&'a T>>,
        dst: &mut [T],
    ) -> Result<(), PadError> {
        self.geometry.check_cloned(src.len())?;
        self.geometry.check_len(Operand::Output, dst.len())?;
        let fill = self.cloned_fill(fill.into())?;
        walk::run_cloned(&self.geometry.nest, src, fill, dst);
        Ok(())
    }

    /// Pads values that can be cloned, and returns the result in a new vector.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_cloned`](PadPlan::run_cloned), [`PadError::OutputHasHoles`], and [`PadError::OutOfMemory`].
    pub fn to_vec_cloned<'a, T: Clone + 'a>(
        &self,
        src: &[T],
        fill: impl Into<Option<&'a T>>,
    ) -> Result<Vec<T>, PadError> {
        self.geometry.check_cloned(src.len())?;
        self.geometry.check_dense()?;
        let fill = self.cloned_fill(fill.into())?;
        let mut dst = Vec::new();
        let bytes = self.output_len().saturating_mul(size_of::<T>());
        dst.try_reserve_exact(self.output_len()).map_err(|_| PadError::OutOfMemory { bytes })?;
        walk::push_cloned(&self.geometry.nest, src, fill, &mut dst);
        Ok(dst)
    }

    /// Pads from one tensor behind a pointer to another. The run does not read or write the memory between their elements.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::ElementType`], [`PadError::StrideCount`] or [`PadError::OtherTensor`] if a tensor differs from the
    /// tensor of the plan. The plan must have strides made by [`Strides::spanning`](crate::Strides::spanning).
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadPlan, PadSpec, Strides, tensor::{RawInput, RawOutput}};
    /// // Pads every second element of an array, and writes the result to every third element of another one.
    /// let (src, mut dst) = ([1u16, 7, 2, 7, 3], [0u16; 10]);
    /// let plan = PadPlan::new::<u16>(&PadSpec::new(PadMode::Edge, [(1, 0)]), &[3])?;
    /// let plan = plan.with_strides(&Strides::spanning(&[3], &[2]), &Strides::spanning(&[4], &[3]))?;
    /// // SAFETY: the input has three elements of two bytes, and the output has four. Each tensor lies in one array.
    /// let (input, output) = unsafe {
    ///     (RawInput::new(src.as_ptr().cast(), 2, &[3], &[2]), RawOutput::new(dst.as_mut_ptr().cast(), 2, &[4], &[3]))
    /// };
    /// plan.run_raw(&input, output)?;
    /// assert_eq!(dst, [1, 0, 0, 1, 0, 0, 2, 0, 0, 3]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    pub fn run_raw(&self, input: &RawInput<'_>, output: RawOutput<'_>) -> Result<(), PadError> {
        self.geometry.check_raw(Operand::Input, input.tensor())?;
        self.geometry.check_raw(Operand::Output, output.tensor())?;
        self.run_in(input.memory, output.memory, false).map(drop)
    }

    /// Returns the element type, or `None` if it has no [`DType`].
    pub fn dtype(&self) -> Option<DType> {
        self.geometry.dtype()
    }

    /// Returns whether the output has no elements.
    pub fn is_empty(&self) -> bool {
        self.geometry.output.len == 0
    }

    /// Returns whether the output is a copy of consecutive elements of the input, for example because nothing is padded.
    pub fn is_copy(&self) -> bool {
        self.geometry.nest.is_copy() && self.geometry.planes().is_none() && self.geometry.signs.is_empty()
    }

    /// Returns an empty plan, which the caller fills in place.
    #[inline(always)]
    pub(crate) fn blank() -> PadPlan {
        PadPlan {
            geometry: Geometry::blank(),
            choice: Choice::Empty,
            isa: Isa::best(),
            streaming: Streaming::Auto,
            streams: false,
        }
    }

    /// Makes a plan for many runs.
    pub(crate) fn made(spec: &PadSpec, shape: &[usize], elements: Elements) -> Result<PadPlan, PadError> {
        let mut plan = PadPlan::blank();
        plan.once(spec, shape, elements)?;
        plan.prepare();
        Ok(plan)
    }

    /// Makes an empty plan ready for a single run. The function skips the preparation that pays only in later runs.
    pub(crate) fn once(
        &mut self,
        spec: &PadSpec,
        shape: &[usize],
        elements: Elements,
    ) -> Result<&PadPlan, PadError> {
        self.geometry.set(spec, shape, elements)?;
        self.choose();
        Ok(self)
    }

    /// Chooses the executor.
    pub(super) fn choose(&mut self) {
        self.choice = Choice::of(&self.geometry, self.isa);
        self.choose_streaming(self.streaming);
    }

    /// Prepares operation lists, which make later runs faster.
    pub(super) fn prepare(&mut self) {
        self.choice.prepare(&self.geometry);
        // Blocks that repeat their own output must stay in the cache, so they cannot use non-temporal stores.
        self.choose_streaming(self.streaming);
    }

    /// Tells whether the plan is for tensors with strides.
    #[cfg(feature = "image")]
    pub(crate) fn has_strides(&self) -> bool {
        !(self.geometry.input.contiguous && self.geometry.output.contiguous)
    }

    /// Limits the plan to kernels for the instruction set `isa` or a smaller set, which the machine must have.
    pub(crate) fn limit_isa(&mut self, isa: Isa) {
        self.isa = isa;
        self.choose();
        self.prepare();
    }

    /// Returns a plan that uses the kernel for the instruction set `isa`.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::IsaUnavailable`] if this machine does not have `isa`, or if no kernel for it can run this plan.
    pub fn with_isa(&self, isa: Isa) -> Result<PadPlan, PadError> {
        if isa.available() {
            let mut plan = self.clone();
            plan.isa = isa;
            plan.choice = Choice::kernel(&plan.geometry, isa);
            plan.prepare();
            if plan.kernel().is_some_and(|row| row.isa() == isa) {
                return Ok(plan);
            }
        }
        Err(PadError::IsaUnavailable { isa })
    }

    /// Returns a plan with another choice of [`Streaming`]. Plans that are derived from it, such as a
    /// [`window`](PadPlan::window), have this choice, too.
    #[must_use]
    pub fn with_streaming(&self, streaming: Streaming) -> PadPlan {
        let mut plan = self.clone();
        plan.choose_streaming(streaming);
        plan
    }

    pub(super) fn choose_streaming(&mut self, streaming: Streaming) {
        let Geometry { nest, input, output, .. } = &self.geometry;
        let wanted = match streaming {
            Streaming::Auto => {
                // If all borders are constant, at most `input.len` elements of the output are not fill.
                let all_fill = nest.axes.iter().all(Axis::is_constant);
                let mostly_fill = all_fill && input.len <= output.len / 2;
                let from =
                    if mostly_fill { STREAMING_THRESHOLD_BYTES / 2 } else { STREAMING_THRESHOLD_BYTES };
                self.geometry.output_bytes() >= from && nest.run_len() >= STREAMED_RUNS
            }
            Streaming::Always => true,
            Streaming::Never => false,
        };
        (self.streaming, self.streams) = (streaming, wanted && self.can_stream());
    }

    /// Tells whether a kernel can write the output with non-temporal stores.
    ///
    /// A plain copy calls libc, which has its own non-temporal stores. A kernel for long rows that repeat reads its own output, so the
    /// output should stay in the cache.
    fn can_stream(&self) -> bool {
        let Geometry { nest, fill, .. } = &self.geometry;
        let Some(row) = nest.axes.last() else { return false };
        // If outer axes or short rows repeat, they read the source again, not the output.
        let again = |segment: &Segment| match segment {
            Segment::Again { count, .. } => count * nest.unit >= REPEATED_FROM,
            _ => false,
        };
        STREAMS
            && nest.atom == Atom::Byte
            && nest.sequential
            && fill.step() > 0
            && [0, nest.unit].contains(&row.src_stride.unsigned_abs())
            && self.kernel().is_some()
            && !self.is_copy()
            && !self.choice.repeats()
            && !row.segments().iter().any(again)
    }

    /// Returns the way in which the plan runs.
    pub fn executor(&self) -> Executor {
        self.choice.executor()
    }

    /// Returns the number of copies, fills and permutations, if the plan is small enough to list all of them.
    #[doc(hidden)]
    pub fn moves(&self) -> Option<usize> {
        match self.executor() {
            Executor::Moves { count, .. } => Some(count),
            _ => None,
        }
    }

    /// Returns the kernel that runs the plan. It is `None` if the output is empty or a copy, if the plan has too many axes for
    /// kernels, or if [`for_cloned`](PadPlan::for_cloned) has made the plan.
    pub fn kernel(&self) -> Option<&'static PadKernel> {
        match self.executor() {
            Executor::Moves { kernel, .. } | Executor::Nest(kernel) => Some(kernel),
            _ => None,
        }
    }

    /// Returns whether a run uses non-temporal stores, if this machine has them.
    pub fn streams(&self) -> bool {
        self.streams
    }

    /// Returns a plan that runs the loop in safe code instead of a kernel.
    #[doc(hidden)]
    #[must_use]
    pub fn with_generic_kernel(&self) -> PadPlan {
        let choice = Choice::any_rank(&self.geometry);
        PadPlan { choice, streams: false, ..self.clone() }
    }

    /// Returns the axes of the plan after merging, the outermost axis first.
    ///
    /// The plan merges neighbouring axes without padding. If the last axes have no padding, they become part of the axis before
    /// them or of the [unit](PadPlan::unit). A crop becomes an offset.
    pub fn axes(&self) -> &[Axis] {
        &self.geometry.nest.axes
    }

    /// Returns the mode of the first border, or constant if there is no border. The first border is the low side of the outermost axis,
    /// unless that side has no border.
    ///
    /// [`axes`](PadPlan::axes) returns the modes of all sides.
    pub fn mode(&self) -> PadMode {
        self.geometry.nest.mode
    }

    /// Returns the size of the unit that the plan copies as a whole, in bytes.
    ///
    /// If elements of less than a byte do not begin at byte boundaries, the size is in bits. For cloned values, it is in
    /// values.
    pub fn unit(&self) -> usize {
        self.geometry.nest.unit
    }

    /// Checks the fill for cloned values. If the output contains fill, the caller must pass one.
    fn cloned_fill<'a, T>(&self, fill: Option<&'a T>) -> Result<Option<&'a T>, PadError> {
        if fill.is_none() && self.geometry.nest.axes.iter().any(Axis::has_fill) {
            return Err(PadError::FillRequired { dtype: self.dtype() });
        }
        Ok(fill)
    }

    /// Runs on bytes whose lengths are checked.
    pub(super) fn run_on(
        &self,
        src: &[u8],
        dst: &mut [MaybeUninit<u8>],
        filled: bool,
    ) -> Result<Written, PadError> {
        self.run_in(Source::slice(src), Target::slice(dst), filled)
    }

    /// Runs on memory that is checked.
    #[inline(always)]
    pub(crate) fn run_in(&self, src: Source<'_>, dst: Target<'_>, filled: bool) -> Result<Written, PadError> {
        self.choice.run(&self.geometry, self.streams, src, dst, filled)
    }

    /// Runs on elements whose lengths are checked.
    pub(super) fn write<T: Element>(
        &self,
        src: &[T],
        dst: &mut [MaybeUninit<T>],
        filled: bool,
    ) -> Result<Written, PadError> {
        self.run_on(as_bytes(src), as_uninit_bytes(dst), filled)
    }

    /// Returns a new vector of `len` elements or bytes that the function `write` has written. The second argument of `write` says
    /// whether the memory already holds the fill.
    pub(super) fn new_vec<T: Element>(
        &self,
        len: usize,
        write: impl FnOnce(&mut [MaybeUninit<T>], bool) -> Result<Written, PadError>,
    ) -> Result<Vec<T>, PadError> {
        let one_zero = self.geometry.fill.is_zero() && self.geometry.planes().is_none();
        let filled = self.output_bytes() >= ZEROED_FROM && one_zero && !self.is_copy();
        slices::new_vec(len, filled, |dst| write(dst, filled))
    }
}

tensor_sizes!(PadPlan, "input", "output", ", or 0 for cloned values.");
