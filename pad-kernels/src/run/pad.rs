//! The plan of a pad, and its runs on one thread.

use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::mem::MaybeUninit;

use crate::dtype::DType;
use crate::element::Element;
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

/// A request checked against a shape and an element type, ready to run any number of times.
///
/// Running it neither allocates nor checks anything but the lengths of the slices. A plan is plain data: it can be
/// compared, hashed, printed and shared between threads.
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
    /// Whether this plan uses non-temporal stores.
    pub(super) streams: bool,
}

/// Hashes only the request. The executor follows from it.
impl Hash for PadPlan {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.geometry, self.isa, self.streaming).hash(state);
    }
}

/// Whether a plan writes its output past the cache.
///
/// Streaming stores spare the machine from reading the output's memory before it is overwritten, and leave the cache to
/// others. They pay where the output is far larger than the cache or is not read soon, and cost where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Streaming {
    /// If the output is large: see [`STREAMING_THRESHOLD_BYTES`].
    #[default]
    Auto,
    /// Where the kernel can: outputs without holes, on x86-64.
    Always,
    /// Not at all.
    Never,
}

/// The bytes of output from which [`Streaming::Auto`] streams: above what a core's share of the last cache is on common
/// machines. Half as many are enough if half of the output or more is fill, and rows of less than 256 bytes never are.
///
/// On a Xeon (Skylake, 33 MiB of last cache) 130 MiB of rows of 4 KiB ran at 1.0 of memcpy's speed streamed and at 0.95
/// not, 276 MiB of wrapped rows at 0.88 and 0.86; 31 to 128 MiB of which half or more was fill at 1.0 to 1.4 and at 0.86 to
/// 1.0; 34 MiB with less of it at 0.89 to 0.95 and at 0.93 to 0.98.
pub const STREAMING_THRESHOLD_BYTES: usize = 64 << 20;

/// The minimum length of rows for which [`Streaming::Auto`] uses non-temporal stores.
///
/// Skylake: 100 MiB of rows of 72 to 136 bytes run at 0.77 times memcpy's speed with them, and at 0.80 to 0.93 without.
const STREAMED_RUNS: usize = 256;

impl PadPlan {
    /// Plans `spec` for a tensor of `shape` with elements of type `T`, contiguous in row-major order.
    ///
    /// # Errors
    ///
    /// Every rule of [`PadError`] that speaks of axes, sizes or the fill. Axes are checked in order; the first
    /// rule that is broken is reported.
    pub fn new<T: Element>(spec: &PadSpec, shape: &[usize]) -> Result<PadPlan, PadError> {
        let mut plan = PadPlan::blank();
        plan.once::<T>(spec, shape)?;
        plan.prepare();
        Ok(plan)
    }

    /// Plans `spec` for elements of `dtype` that are held as bytes, or for text ([`DType::String`]) as any type that
    /// can be cloned.
    ///
    /// # Errors
    ///
    /// As for [`new`](PadPlan::new).
    pub fn for_dtype(spec: &PadSpec, shape: &[usize], dtype: DType) -> Result<PadPlan, PadError> {
        let mut plan = PadPlan::blank();
        plan.once_for_dtype(spec, shape, dtype)?;
        plan.prepare();
        Ok(plan)
    }

    /// Plans `spec` for elements of which only the size in bytes is known, as those of a type that a host program defines at run
    /// time: records, dates, 16-bit floats. They are moved and never looked at.
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
    /// As for [`new`](PadPlan::new); [`PadError::FillType`] for a fill that is not [`Fill::untyped`] or of another size, and
    /// [`PadError::FillRequired`] where one is needed and there is none.
    ///
    /// [`Fill::untyped`]: crate::Fill::untyped
    pub fn for_bytes(spec: &PadSpec, shape: &[usize], element_bytes: usize) -> Result<PadPlan, PadError> {
        let mut plan = PadPlan::blank();
        plan.geometry.set_for_bytes(spec, shape, element_bytes)?;
        plan.choose();
        plan.prepare();
        Ok(plan)
    }

    /// Plans `spec` for values of any type that can be cloned: [`run_cloned`](PadPlan::run_cloned) and
    /// [`to_vec_cloned`](PadPlan::to_vec_cloned) take them, and the fill.
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
    /// As for [`new`](PadPlan::new); a fill in the spec is a [`PadError::FillType`].
    pub fn for_cloned(spec: &PadSpec, shape: &[usize]) -> Result<PadPlan, PadError> {
        let mut plan = PadPlan::blank();
        plan.once_for_cloned(spec, shape)?;
        Ok(plan)
    }

    /// Pads `src` into `dst`.
    ///
    /// # Errors
    ///
    /// [`PadError::ElementType`] if the plan was made for another type, [`PadError::Length`] if a slice is not
    /// as long as the shape says. Nothing is written then.
    pub fn run<T: Element>(&self, src: &[T], dst: &mut [T]) -> Result<(), PadError> {
        self.geometry.check_element::<T>()?;
        self.geometry.check_len(Operand::Input, src.len())?;
        self.geometry.check_len(Operand::Output, dst.len())?;
        self.write(src, as_uninit(dst), false).map(drop)
    }

    /// Pads `src` into uninitialised memory and returns it initialised.
    ///
    /// # Errors
    ///
    /// As for [`run`](PadPlan::run), and [`PadError::OutputHasHoles`].
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

    /// Pads `src` into a new vector, which is written once; if the fill is zero its pages are never touched where
    /// the fill stays.
    ///
    /// # Errors
    ///
    /// As for [`run`](PadPlan::run), [`PadError::OutputHasHoles`], and [`PadError::OutOfMemory`].
    pub fn to_vec<T: Element>(&self, src: &[T]) -> Result<Vec<T>, PadError> {
        self.geometry.check_element::<T>()?;
        self.geometry.check_len(Operand::Input, src.len())?;
        self.geometry.check_dense()?;
        self.new_vec(self.output_len(), |dst, filled| self.write(src, dst, filled))
    }

    /// Pads a tensor held as bytes, of any alignment, packed types included.
    ///
    /// # Errors
    ///
    /// [`PadError::Cloned`] if elements of this plan are no bytes, [`PadError::Length`] in bytes.
    pub fn run_bytes(&self, src: &[u8], dst: &mut [u8]) -> Result<(), PadError> {
        self.geometry.check_bytes(src.len(), dst.len())?;
        self.run_in(Source::slice(src), Target::slice(as_uninit(dst)), false).map(drop)
    }

    /// Pads a tensor held as bytes into uninitialised memory and returns it initialised.
    ///
    /// # Errors
    ///
    /// As for [`run_bytes`](PadPlan::run_bytes), and [`PadError::OutputHasHoles`].
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

    /// Pads a tensor held as bytes into a new vector of bytes. What is left of the last byte of packed elements is zero.
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
    /// As for [`run_bytes`](PadPlan::run_bytes), [`PadError::OutputHasHoles`], and [`PadError::OutOfMemory`].
    pub fn to_vec_bytes(&self, src: &[u8]) -> Result<Vec<u8>, PadError> {
        self.geometry.check_source_bytes(src.len())?;
        self.geometry.check_dense()?;
        self.new_vec(self.output_bytes(), |dst, filled| self.run_on(src, dst, filled))
    }

    /// Pads elements of any type that can be cloned, by a plan [for these](PadPlan::for_cloned) or for [`DType::String`].
    ///
    /// `fill` is a reference to the fill, or `None` where the output has no fill: in modes other than constant without interior
    /// padding. If a clone panics, `dst` holds valid values all the same: some elements are replaced, the others are not.
    ///
    /// # Errors
    ///
    /// [`PadError::Cloned`] if the plan is for bytes, [`PadError::Length`] if a slice is not as long as the shape says,
    /// [`PadError::FillRequired`] if the output has fill and none is given.
    pub fn run_cloned<'a, T: Clone + 'a>(
        &self,
        src: &[T],
        fill: impl Into<Option<&'a T>>,
        dst: &mut [T],
    ) -> Result<(), PadError> {
        self.geometry.check_cloned(src.len())?;
        self.geometry.check_len(Operand::Output, dst.len())?;
        let fill = self.cloned_fill(fill.into())?;
        if !self.is_empty() {
            walk::run_cloned(&self.geometry.nest, src, fill, dst);
        }
        Ok(())
    }

    /// Pads elements of any type that can be cloned into a new vector.
    ///
    /// # Errors
    ///
    /// As for [`run_cloned`](PadPlan::run_cloned), [`PadError::OutputHasHoles`], and [`PadError::OutOfMemory`].
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
        if !self.is_empty() {
            walk::push_cloned(&self.geometry.nest, src, fill, &mut dst);
        }
        Ok(dst)
    }

    /// Pads between tensors that need not be slices: their elements are read and written in place, and what lies between
    /// these is not touched.
    ///
    /// # Errors
    ///
    /// [`PadError::ElementType`], [`PadError::StrideCount`] or [`PadError::OtherTensor`] if a tensor is not the one that the plan was made
    /// for, with [`Strides::spanning`](crate::Strides::spanning) for strides. Nothing is written then.
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadPlan, PadSpec, Strides, tensor::{RawInput, RawOutput}};
    /// // Every second element of an array, padded into every third of another.
    /// let (src, mut dst) = ([1u16, 7, 2, 7, 3], [0u16; 10]);
    /// let plan = PadPlan::new::<u16>(&PadSpec::new(PadMode::Edge, [(1, 0)]), &[3])?;
    /// let plan = plan.with_strides(&Strides::spanning(&[3], &[2]), &Strides::spanning(&[4], &[3]))?;
    /// // SAFETY: three elements of two bytes, two elements apart, and four that are three apart, each in one array.
    /// let (input, output) = unsafe {
    ///     (RawInput::new(src.as_ptr().cast(), 2, &[3], &[2]), RawOutput::new(dst.as_mut_ptr().cast(), 2, &[4], &[3]))
    /// };
    /// plan.run_raw(&input, output)?;
    /// assert_eq!(dst, [1, 0, 0, 1, 0, 0, 2, 0, 0, 3]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    pub fn run_raw(&self, input: &RawInput<'_>, output: RawOutput<'_>) -> Result<(), PadError> {
        self.geometry.check_raw(Operand::Input, input.element_bytes(), input.shape(), input.strides())?;
        self.geometry.check_raw(Operand::Output, output.element_bytes(), output.shape(), output.strides())?;
        self.run_in(input.memory(), output.into_memory(), false).map(drop)
    }

    /// The input's shape.
    pub fn input_shape(&self) -> &[usize] {
        &self.geometry.input.shape
    }

    /// The output's shape.
    pub fn output_shape(&self) -> &[usize] {
        &self.geometry.output.shape
    }

    /// The input's elements.
    pub fn input_len(&self) -> usize {
        self.geometry.input.len
    }

    /// The output's elements.
    pub fn output_len(&self) -> usize {
        self.geometry.output.len
    }

    /// The input's bytes; 0 for cloned elements.
    pub fn input_bytes(&self) -> usize {
        self.geometry.layout.bytes(self.geometry.input.len)
    }

    /// The output's bytes, which are what a run writes; 0 for cloned elements.
    pub fn output_bytes(&self) -> usize {
        self.geometry.output_bytes()
    }

    /// The element type, or `None` for one without a tag.
    pub fn dtype(&self) -> Option<DType> {
        self.geometry.dtype()
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.geometry.output.len == 0
    }

    /// Whether the output is one run of the input, as it is if nothing is padded.
    pub fn is_copy(&self) -> bool {
        !self.is_empty()
            && self.geometry.planes().is_none()
            && self.geometry.nest.is_copy()
            && self.geometry.signs.is_empty()
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

    /// Fills an empty plan for a single run. It skips preparation that pays only in later runs.
    pub(crate) fn once<T: Element>(&mut self, spec: &PadSpec, shape: &[usize]) -> Result<&PadPlan, PadError> {
        self.geometry.set_for::<T>(spec, shape)?;
        self.choose();
        Ok(self)
    }

    /// Fills an empty plan for a single run on elements of `dtype`.
    pub(crate) fn once_for_dtype(
        &mut self,
        spec: &PadSpec,
        shape: &[usize],
        dtype: DType,
    ) -> Result<&PadPlan, PadError> {
        self.geometry.set_for_dtype(spec, shape, dtype)?;
        self.choose();
        Ok(self)
    }

    /// Fills an empty plan for a single run on cloned values.
    pub(crate) fn once_for_cloned(&mut self, spec: &PadSpec, shape: &[usize]) -> Result<&PadPlan, PadError> {
        self.geometry.set_for_cloned(spec, shape)?;
        self.choose();
        Ok(self)
    }

    /// Chooses the executor.
    pub(super) fn choose(&mut self) {
        self.choice = Choice::of(&self.geometry, self.isa);
        self.choose_streaming(self.streaming);
    }

    /// Prepares operation lists, which make later runs shorter.
    pub(super) fn prepare(&mut self) {
        self.choice.prepare(&self.geometry);
        // Blocks that repeat their own output cannot use non-temporal stores.
        self.choose_streaming(self.streaming);
    }

    /// Returns the plan with the kernel for `isa`, to compare instruction sets or to pin one.
    ///
    /// # Errors
    ///
    /// [`PadError::IsaUnavailable`] if this machine does not have `isa`, or there is no kernel of it for this plan.
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

    /// Returns the plan with another choice of [`Streaming`]. Windows made from it choose alike.
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
                // The part of the output that exceeds the input is fill.
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
    /// A plain copy calls libc, which has its own. Long rows that repeat are read back from the output, which should stay in the
    /// cache.
    fn can_stream(&self) -> bool {
        let Geometry { nest, fill, .. } = &self.geometry;
        let row = nest.axes.last().map(|row| row.src_stride.unsigned_abs());
        let neighbours = row.is_some_and(|stride| stride == nest.unit || stride == 0);
        STREAMS
            && nest.atom == Atom::Byte
            && nest.sequential
            && fill.step() > 0
            && neighbours
            && self.kernel().is_some()
            && !self.is_copy()
            && !self.choice.repeats()
            && !nest.axes.last().is_some_and(|row| {
                // If outer axes or short rows repeat, they read the source again.
                let again = |segment: &Segment| match segment {
                    Segment::Again { count, .. } => count * nest.unit >= REPEATED_FROM,
                    _ => false,
                };
                row.segments().iter().any(again)
            })
    }

    /// What runs the plan.
    pub fn executor(&self) -> Executor {
        self.choice.executor()
    }

    /// The moves that the plan consists of, if it is so small that all of them are listed.
    #[doc(hidden)]
    pub fn moves(&self) -> Option<usize> {
        match self.executor() {
            Executor::Moves { count, .. } => Some(count),
            _ => None,
        }
    }

    /// The kernel that runs, or `None` if nothing is to be done, the output is a copy, or more axes are left than kernels have.
    pub fn kernel(&self) -> Option<&'static PadKernel> {
        match self.executor() {
            Executor::Moves { kernel, .. } | Executor::Nest(kernel) => Some(kernel),
            _ => None,
        }
    }

    /// Whether a run writes the output past the cache, if this machine can.
    pub fn streams(&self) -> bool {
        self.streams
    }

    /// Returns the plan without a specialised kernel: it runs on the any-rank walk in safe code.
    #[doc(hidden)]
    #[must_use]
    pub fn with_generic_kernel(&self) -> PadPlan {
        let choice = Choice::any_rank(&self.geometry);
        PadPlan { choice, streams: false, ..self.clone() }
    }

    /// The axes that are left after normalisation, outermost first, in normal form.
    ///
    /// Unpadded neighbours are merged, a crop is only an offset, and an innermost unpadded run either belongs to
    /// the padded axis outside of it or is [the unit](PadPlan::unit) that moves.
    pub fn axes(&self) -> &[Axis] {
        &self.geometry.nest.axes
    }

    /// The mode that is left after normalisation: constant if no border is, and if borders of several modes are, that of the
    /// first, the outermost axis and its low side first. [`axes`](PadPlan::axes) has the mode of every side.
    pub fn mode(&self) -> PadMode {
        self.geometry.nest.mode
    }

    /// What moves at a time, in bytes; in bits for packed types at odd offsets, in elements for cloned ones.
    pub fn unit(&self) -> usize {
        self.geometry.nest.unit
    }

    /// Returns the fill for cloned values. It must be given if the output contains fill.
    fn cloned_fill<'a, T>(&self, fill: Option<&'a T>) -> Result<Option<&'a T>, PadError> {
        if fill.is_none() && !self.is_empty() && walk::has_fill(&self.geometry.nest) {
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

    /// Returns a new vector of `len` elements or bytes. `write` writes it, and learns whether the memory already holds the fill.
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
