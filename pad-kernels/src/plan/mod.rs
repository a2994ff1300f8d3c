//! The plan: a request checked against a shape, with all arithmetic done.

pub(crate) mod axis;
pub(crate) mod normalise;
#[cfg(feature = "rayon")]
mod parallel;
pub(crate) mod pattern;
mod size;
mod window;

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use smallvec::SmallVec;

use crate::dtype::{DType, Layout};
use crate::element::{Element, Tag};
use crate::error::{PadError, Side};
use crate::kernel::{self, Isa, Row, STREAMS, Script, cloned, output};
use crate::spec::{PadMode, PadSpec};
use axis::Axis;
use normalise::Nest;
use pattern::Pattern;

/// What offsets and strides of a plan count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Atom {
    Byte,
    Bit,
    Value,
}

/// A request checked against a shape and an element type, ready to run any number of times.
///
/// Running it neither allocates nor checks anything but the lengths of the slices. A plan is plain data: it can be
/// compared, printed and shared between threads, and holds up to six axes without an allocation of its own.
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
#[derive(Clone, Debug, PartialEq)]
pub struct PadPlan {
    tag: Tag,
    layout: Layout,
    mode: PadMode,
    input: Tensor,
    output: Tensor,
    /// One axis per axis of the tensors, with strides in atoms: what views and windows are made from.
    axes: SmallVec<[Axis; 6]>,
    pub(crate) atom: Atom,
    /// The same axes normalised: what runs.
    pub(crate) nest: Nest,
    pub(crate) fill: Pattern,
    kernel: Option<usize>,
    streaming: Streaming,
    /// What came of it for this plan.
    pub(crate) streams: bool,
    /// All that a small plan does; it runs instead of the kernel.
    pub(crate) script: Option<Script>,
}

/// Whether a plan writes its output past the cache.
///
/// Streaming stores spare the machine from reading the output's memory before it is overwritten, and leave the cache to
/// others. They pay where the output is far larger than the cache or is not read soon, and cost where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Streaming {
    /// If the output is large: see [`STREAMED_FROM`].
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
pub const STREAMED_FROM: usize = 64 << 20;

/// The shortest rows, in bytes, that [`Streaming::Auto`] streams: 100 MiB of rows of 72 and 136 bytes ran at 0.77 of
/// memcpy's speed streamed and at 0.80 to 0.93 not, of 264 bytes or more alike (Skylake).
const STREAMED_RUNS: usize = 256;

/// A tensor of a plan and where it lies in its buffer.
#[derive(Clone, Debug, PartialEq)]
struct Tensor {
    shape: SmallVec<[usize; 6]>,
    /// Elements.
    len: usize,
    /// Offset of its first element in the buffer, in atoms.
    offset: isize,
    /// Elements the buffer must hold, and may not hold more of if the tensor is all there is in it.
    buffer: usize,
    contiguous: bool,
}

impl Tensor {
    #[inline]
    fn blank() -> Tensor {
        Tensor { shape: SmallVec::new(), len: 0, offset: 0, buffer: 0, contiguous: true }
    }

    /// A contiguous tensor, if its size is one that memory can have.
    fn new(shape: SmallVec<[usize; 6]>, layout: Layout, side: Side) -> Result<Tensor, PadError> {
        let len = size::elements(&shape, layout, side)?;
        Ok(Tensor { shape, len, offset: 0, buffer: len, contiguous: true })
    }

    /// Its strides in atoms, row-major.
    fn row_major(&self, layout: Layout) -> impl Iterator<Item = isize> + use<'_> {
        let mut stride = layout.atoms() as isize;
        let strides: SmallVec<[isize; 6]> = (self.shape.iter().rev())
            .map(|&length| {
                let this = stride;
                // Below the size checked by `new`, which leaves out empty axes in the same way.
                stride *= length.max(1) as isize;
                this
            })
            .collect();
        strides.into_iter().rev()
    }
}

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

    /// The same for elements of `dtype` that are held as bytes, or for text ([`DType::String`]) as any type that
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

    /// A plan of nothing, in whose place another is made: to move one is to copy more than a kilobyte. A call that plans for a
    /// dozen elements took 172 ns where the plan was put together of parts that were moved, and takes 128 (Xeon with AMX).
    #[inline]
    pub(crate) fn blank() -> PadPlan {
        PadPlan {
            tag: Tag::DType(DType::U8),
            layout: Layout::Bytes(1),
            mode: PadMode::Constant,
            input: Tensor::blank(),
            output: Tensor::blank(),
            axes: SmallVec::new(),
            atom: Atom::Byte,
            nest: Nest::blank(),
            fill: Pattern::blank(),
            kernel: None,
            streaming: Streaming::Auto,
            streams: false,
            script: None,
        }
    }

    /// Makes a blank plan one that is run once: what pays only later is left out.
    pub(crate) fn once<T: Element>(&mut self, spec: &PadSpec, shape: &[usize]) -> Result<&PadPlan, PadError> {
        match size_of::<T>() {
            0 => Err(PadError::ZeroSized),
            bytes => self.build(spec, shape, Tag::of::<T>(), T::HAS_ZERO, Layout::Bytes(bytes)),
        }
    }

    /// The same for elements of `dtype`.
    pub(crate) fn once_for_dtype(
        &mut self,
        spec: &PadSpec,
        shape: &[usize],
        dtype: DType,
    ) -> Result<&PadPlan, PadError> {
        self.build(spec, shape, Tag::DType(dtype), dtype.has_zero(), dtype.layout())
    }

    /// Adds what makes later runs shorter.
    fn prepare(&mut self) {
        if self.atom == Atom::Byte && !self.is_empty() {
            self.script = Script::new(&self.nest, &self.fill, self.output_bytes());
        }
    }

    fn build(
        &mut self,
        spec: &PadSpec,
        shape: &[usize],
        tag: Tag,
        has_zero: bool,
        layout: Layout,
    ) -> Result<&PadPlan, PadError> {
        if spec.axes.len() != shape.len() {
            return Err(PadError::AxisCount { spec: spec.axes.len(), shape: shape.len() });
        }
        (self.tag, self.layout, self.mode) = (tag, layout, spec.mode);
        for (axis, (&length, &pad)) in shape.iter().zip(&spec.axes).enumerate() {
            self.axes.push(Axis::new(
                planted!("errors-name-the-first-axis", axis, 0),
                length,
                pad,
                spec.mode,
                spec.frame(),
            )?);
        }
        self.input = Tensor::new(SmallVec::from_slice(shape), layout, Side::Input)?;
        self.output = Tensor::new(self.axes.iter().map(|axis| axis.out).collect(), layout, Side::Output)?;
        self.fill = pattern(spec, tag, has_zero, layout)?;
        // Row-major. Below the sizes checked by `Tensor::new`, which leave out empty axes in the same way.
        let (mut src, mut dst) = (layout.atoms() as isize, layout.atoms() as isize);
        for (axis, &length) in self.axes.iter_mut().zip(shape).rev() {
            (axis.src_stride, axis.dst_stride) = (src, dst);
            src *= length.max(1) as isize;
            dst *= axis.out.max(1) as isize;
        }
        self.finish(Isa::best());
        Ok(self)
    }

    /// Normalises the axes, and chooses a kernel for the widest instruction set up to `isa`.
    fn finish(&mut self, isa: Isa) {
        self.normalise();
        self.select(isa);
        self.choose_streaming(self.streaming);
    }

    /// The nest and what its offsets count: packed types run as bytes where all of them are whole bytes.
    fn normalise(&mut self) {
        self.atom = match self.layout {
            Layout::Bytes(_) => Atom::Byte,
            Layout::Bits(_) => Atom::Bit,
            Layout::Cloned => Atom::Value,
        };
        (self.nest.mode, self.nest.unit) = (self.mode, self.layout.atoms());
        if self.is_empty() {
            return;
        }
        self.nest.set(&self.axes, self.input.offset, self.output.offset);
        if self.atom == Atom::Bit
            && let Some(nest) = self.nest.in_bytes()
        {
            (self.atom, self.nest) = (Atom::Byte, nest);
        }
    }

    /// Chooses the kernel for the widest instruction set up to `isa` that has one.
    fn select(&mut self, isa: Isa) {
        let nest = &self.nest;
        let unit = kernel::unit_of(self.atom, nest.unit);
        // A unit of several elements is no longer of the element's type.
        let dtype = self.dtype().filter(|_| nest.unit == self.layout.atoms() || self.atom != Atom::Byte);
        self.kernel = if self.is_empty() {
            None
        } else {
            Isa::ALL
                .into_iter()
                .rev()
                .filter(|&candidate| planted!("kernel-of-another-isa", candidate <= isa, isa <= candidate))
                .find_map(|isa| {
                    kernel::find(
                        planted!(
                            "kernel-of-another-rank",
                            nest.axes.len(),
                            if nest.axes.len() == 3 { 2 } else { nest.axes.len() }
                        ),
                        planted!(
                            "kernel-of-another-mode",
                            nest.mode,
                            if nest.mode == PadMode::Reflect { PadMode::Symmetric } else { nest.mode }
                        ),
                        unit,
                        dtype,
                        isa,
                    )
                })
        };
    }

    /// The same plan with the kernel for `isa`, to compare instruction sets or to pin one.
    ///
    /// # Errors
    ///
    /// [`PadError::IsaUnavailable`] if this machine does not have `isa`, or there is no kernel of it for this plan.
    pub fn with_isa(mut self, isa: Isa) -> Result<PadPlan, PadError> {
        if isa.available() {
            self.script = None;
            self.select(isa);
            if self.kernel().is_some_and(|row| row.isa == isa) {
                return Ok(self);
            }
        }
        Err(PadError::IsaUnavailable { isa })
    }

    /// The same plan with another choice of [`Streaming`]. Windows made from it choose alike.
    #[must_use]
    pub fn with_streaming(mut self, streaming: Streaming) -> PadPlan {
        self.choose_streaming(streaming);
        self
    }

    fn choose_streaming(&mut self, streaming: Streaming) {
        let wanted = match streaming {
            Streaming::Auto => {
                // As much of the output as the input does not account for is fill.
                let mostly_fill =
                    self.nest.mode == PadMode::Constant && self.input.len <= self.output.len / 2;
                let from = if mostly_fill { STREAMED_FROM / 2 } else { STREAMED_FROM };
                self.output_bytes() >= from && self.nest.run_len() >= STREAMED_RUNS
            }
            Streaming::Always => true,
            Streaming::Never => false,
        };
        (self.streaming, self.streams) = (streaming, wanted && self.can_stream());
    }

    /// Whether the kernel can put the output together line by line. A copy is libc's, which streams by itself.
    fn can_stream(&self) -> bool {
        let nest = &self.nest;
        let row = nest.axes.last().map(|row| row.src_stride.unsigned_abs());
        let neighbours = row.is_some_and(|stride| stride == nest.unit || stride == 0);
        STREAMS
            && self.atom == Atom::Byte
            && nest.sequential
            && self.fill.step() > 0
            && neighbours
            && !self.is_copy()
    }

    /// The moves that the plan consists of, if it is so small that they are listed; then they are run instead of the
    /// [kernel](PadPlan::kernel).
    pub fn moves(&self) -> Option<usize> {
        self.script.as_ref().map(Script::len)
    }

    /// Whether a run writes the output past the cache, if this machine can.
    pub fn streams(&self) -> bool {
        self.streams
    }

    /// The same plan without a specialised kernel: it runs on the any-rank kernel in safe code.
    #[must_use]
    pub fn with_generic_kernel(mut self) -> PadPlan {
        (self.kernel, self.script) = (None, None);
        self
    }

    /// The input's shape.
    pub fn input_shape(&self) -> &[usize] {
        &self.input.shape
    }

    /// The output's shape.
    pub fn output_shape(&self) -> &[usize] {
        &self.output.shape
    }

    /// The input's elements.
    pub fn input_len(&self) -> usize {
        self.input.len
    }

    /// The output's elements.
    pub fn output_len(&self) -> usize {
        self.output.len
    }

    /// The input's bytes; 0 for cloned elements.
    pub fn input_bytes(&self) -> usize {
        self.layout.bytes(self.input.len)
    }

    /// The output's bytes, which are what a run writes; 0 for cloned elements.
    pub fn output_bytes(&self) -> usize {
        self.layout.bytes(self.output.len)
    }

    /// The element type, or `None` for one without a tag.
    pub fn dtype(&self) -> Option<DType> {
        self.tag.dtype()
    }

    /// The axes that are left after normalisation, outermost first, in normal form.
    ///
    /// Unpadded neighbours are merged, a crop is only an offset, and an innermost unpadded run either belongs to
    /// the padded axis outside of it or is [the unit](PadPlan::unit) that moves.
    pub fn axes(&self) -> &[Axis] {
        &self.nest.axes
    }

    /// The mode that is left after normalisation: constant if no border is.
    pub fn mode(&self) -> PadMode {
        self.nest.mode
    }

    /// What moves at a time, in bytes; in bits for packed types at odd offsets, in elements for cloned ones.
    pub fn unit(&self) -> usize {
        self.nest.unit
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.output.len == 0
    }

    /// Whether the output is one run of the input, as it is if nothing is padded.
    pub fn is_copy(&self) -> bool {
        !self.is_empty() && self.nest.is_copy()
    }

    /// The kernel that was chosen, or `None` if nothing is to be done or more axes are left than kernels have: then
    /// the any-rank kernel in safe code runs.
    pub fn kernel(&self) -> Option<&'static Row> {
        self.kernel.map(|row| &kernel::registry()[row])
    }

    /// Pads `src` into `dst`.
    ///
    /// # Errors
    ///
    /// [`PadError::ElementType`] if the plan was made for another type, [`PadError::Length`] if a slice is not
    /// as long as the shape says. Nothing is written then.
    pub fn run<T: Element>(&self, src: &[T], dst: &mut [T]) -> Result<(), PadError> {
        self.check_element::<T>()?;
        self.check_len(Side::Input, src.len())?;
        self.check_len(Side::Output, dst.len())?;
        output::run(self, src, dst)
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
        self.check_element::<T>()?;
        self.check_len(Side::Input, src.len())?;
        self.check_len(Side::Output, dst.len())?;
        self.check_dense()?;
        output::run_uninit(self, src, dst)
    }

    /// Pads `src` into a new vector, which is written once; if the fill is zero its pages are never touched where
    /// the fill stays.
    ///
    /// # Errors
    ///
    /// As for [`run`](PadPlan::run), [`PadError::OutputHasHoles`], and [`PadError::OutOfMemory`].
    pub fn to_vec<T: Element>(&self, src: &[T]) -> Result<Vec<T>, PadError> {
        self.check_element::<T>()?;
        self.check_len(Side::Input, src.len())?;
        self.check_dense()?;
        output::to_vec(self, src)
    }

    /// Pads a tensor held as bytes, of any alignment, packed types included.
    ///
    /// # Errors
    ///
    /// [`PadError::Cloned`] if elements of this plan are no bytes, [`PadError::Length`] in bytes.
    pub fn run_bytes(&self, src: &[u8], dst: &mut [u8]) -> Result<(), PadError> {
        self.check_bytes(src.len(), dst.len())?;
        kernel::run_plan(self, src, output::as_uninit(dst), false)
    }

    /// Pads elements of any type that can be cloned, for a plan of [`DType::String`].
    ///
    /// If a clone panics, `dst` holds valid values all the same: what was reached is replaced, the rest is not.
    ///
    /// # Errors
    ///
    /// [`PadError::Cloned`] if the plan is for bytes, [`PadError::Length`] if a slice is not as long as the shape says.
    pub fn run_cloned<T: Clone>(&self, src: &[T], fill: &T, dst: &mut [T]) -> Result<(), PadError> {
        self.check_cloned(src.len())?;
        self.check_len(Side::Output, dst.len())?;
        cloned::run(self, src, fill, dst);
        Ok(())
    }

    /// The same into a new vector.
    ///
    /// # Errors
    ///
    /// As for [`run_cloned`](PadPlan::run_cloned), [`PadError::OutputHasHoles`], and [`PadError::OutOfMemory`].
    pub fn to_vec_cloned<T: Clone>(&self, src: &[T], fill: &T) -> Result<Vec<T>, PadError> {
        self.check_cloned(src.len())?;
        self.check_dense()?;
        cloned::to_vec(self, src, fill)
    }

    fn check_element<T: Element>(&self) -> Result<(), PadError> {
        let plan_bytes = match self.layout {
            Layout::Bytes(bytes) => bytes,
            _ => 0,
        };
        if self.tag == Tag::of::<T>() && plan_bytes == size_of::<T>() {
            return Ok(());
        }
        Err(PadError::ElementType {
            plan: self.dtype(),
            plan_bytes,
            given: T::DTYPE,
            given_bytes: size_of::<T>(),
        })
    }

    fn check_cloned(&self, src_len: usize) -> Result<(), PadError> {
        if self.layout != Layout::Cloned {
            return Err(PadError::Cloned { plan: self.dtype() });
        }
        self.check_len(Side::Input, src_len)
    }

    pub(crate) fn check_bytes(&self, src: usize, dst: usize) -> Result<(), PadError> {
        if self.layout == Layout::Cloned {
            return Err(PadError::Cloned { plan: self.dtype() });
        }
        let check = |side, tensor: &Tensor, got| tensor.check(side, self.layout.bytes(tensor.buffer), got);
        check(Side::Input, &self.input, src)?;
        check(Side::Output, &self.output, dst)
    }

    fn check_len(&self, side: Side, got: usize) -> Result<(), PadError> {
        let tensor = match side {
            Side::Input => &self.input,
            Side::Output => &self.output,
        };
        tensor.check(side, tensor.buffer, got)
    }

    /// Memory between the elements of an output with holes would stay uninitialised.
    fn check_dense(&self) -> Result<(), PadError> {
        if planted!("holes-in-a-new-vector", self.nest.sequential, true) {
            Ok(())
        } else {
            Err(PadError::OutputHasHoles)
        }
    }
}

impl Tensor {
    /// Whether a slice of `got` will do where `needed` are needed.
    fn check(&self, side: Side, needed: usize, got: usize) -> Result<(), PadError> {
        let long_enough = if self.contiguous {
            planted!("length-too-long", got == needed, got >= needed)
        } else {
            got >= needed
        };
        if long_enough { Ok(()) } else { Err(PadError::Length { side, expected: needed, got }) }
    }
}

/// The fill of `spec` for elements of this type, or the type's zero.
fn pattern(spec: &PadSpec, tag: Tag, has_zero: bool, layout: Layout) -> Result<Pattern, PadError> {
    let bytes = match layout {
        Layout::Bytes(bytes) => bytes,
        // One byte, in whose low bits the field stands.
        Layout::Bits(_) => 1,
        // Cloned values carry their fill with the run.
        Layout::Cloned => 0,
    };
    let zero: SmallVec<[u8; 16]>;
    let element: &[u8] = match &spec.fill {
        Some(fill)
            if planted!("fill-of-another-type", fill.tag != tag, false) || fill.bytes.len() != bytes =>
        {
            let (dtype, fill_dtype) = (tag.dtype(), fill.tag.dtype());
            return Err(PadError::FillType { dtype, bytes, fill_dtype, fill_bytes: fill.bytes.len() });
        }
        Some(fill) => match fill.bytes[..] {
            [value] if value > planted!("bool-of-two", 1, 2) && tag == Tag::DType(DType::Bool) => {
                return Err(PadError::FillBool { value });
            }
            _ => &fill.bytes,
        },
        None => {
            let needed = spec.mode == PadMode::Constant || spec.axes.iter().any(|pad| pad.interior > 0);
            if needed && planted!("fill-not-required", !has_zero, false) {
                return Err(PadError::FillRequired { dtype: tag.dtype() });
            }
            zero = SmallVec::from_elem(0, bytes);
            &zero
        }
    };
    Ok(match layout {
        Layout::Bytes(_) => Pattern::of_bytes(element),
        Layout::Bits(bits) => Pattern::of_bits(element[0], bits),
        Layout::Cloned => Pattern::of_bytes(&[0]),
    })
}
