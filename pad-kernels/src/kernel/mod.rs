//! All code that writes through a pointer. Almost all `unsafe` of the library is in this folder.
//!
//! A kernel is one entry of a generated [registry](pad), for example `r2_reflect_f32_avx2`: 2 axes, the first border in mode reflect,
//! type `f32`, AVX2. The library chooses a kernel by these four properties and calls it through [`run`], which is safe.
//!
//! Kernels of one rank and instruction set share one generated function, the nest. Modes are data: they decide which segments an
//! axis has. The code for each element size is behind function pointers.
//!
//! This folder uses the axes, the segments and the fill of `plan`, but not `PadPlan`.

pub(crate) mod adjoint;
pub(crate) mod borders;
pub(crate) mod colours;
pub(crate) mod computed;
pub(crate) mod fixed;
pub(crate) mod negate;
pub(crate) mod places;
pub(crate) mod slices;
pub(crate) mod small;
pub(crate) mod walk;

mod bits;
mod blocks;
mod generated;
mod memory;
mod nest;
mod output;
mod program;
mod raw;
mod sheet;
mod simd;
mod stream;
mod strided;
#[cfg(test)]
mod tests;
mod tile;

use core::fmt;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::dtype::DType;
use crate::error::PadError;
use crate::isa::Isa;
use crate::kernel::program::{Draft, Run};
use crate::plan::nest::{Atom, Nest};
use crate::plan::pattern::Pattern;
use crate::spec::PadMode;
use places::{Source, Target};

pub(crate) use blocks::Blocks;
pub(crate) use generated::{find, lanes};
pub(crate) use program::REPEATED_FROM;
use sheet::Sheet;
pub(crate) use simd::STREAMS;
use stream::Stage;

/// Returns all kernels that pad.
pub fn pad() -> &'static [PadKernel] {
    generated::REGISTRY
}

/// The part of the data that a kernel copies as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// The kernel copies this number of bytes.
    Bytes(usize),
    /// The kernel copies any number of bytes.
    AnyBytes,
    /// The kernel copies any number of bits.
    Bits,
    /// The kernel clones values of any type.
    Value,
}

impl Unit {
    /// Returns the kind of unit for `unit` atoms: 4 bytes are `Bytes(4)`, 3 bytes are `AnyBytes`.
    pub(crate) fn of(atom: Atom, unit: usize) -> Unit {
        match atom {
            Atom::Byte if matches!(unit, 1 | 2 | 4 | 8 | 16) => Unit::Bytes(unit),
            Atom::Byte => Unit::AnyBytes,
            Atom::Bit => Unit::Bits,
            Atom::Value => Unit::Value,
        }
    }

    /// Tells whether a kernel for this kind can copy the units of `nest`.
    fn takes(self, nest: &Nest) -> bool {
        match (self, nest.atom) {
            (Unit::Bytes(width), Atom::Byte) => width == nest.unit,
            (Unit::AnyBytes, Atom::Byte) | (Unit::Bits, Atom::Bit) | (Unit::Value, Atom::Value) => true,
            _ => false,
        }
    }
}

/// A kernel: a function that pads, for one number of axes, mode, element type and instruction set.
#[derive(Clone, Copy, Debug)]
pub struct PadKernel {
    name: &'static str,
    rank: usize,
    mode: PadMode,
    dtype: Option<DType>,
    unit: Unit,
    isa: Isa,
    entry: Entry,
}

/// The function of a kernel.
#[derive(Clone, Copy)]
pub(crate) enum Entry {
    /// The function copies whole bytes.
    Bytes(unsafe fn(&Job<'_>)),
    /// The function copies fields of bits.
    Packed(unsafe fn(&Job<'_>)),
    /// There is no function: the safe loop in `walk` clones the elements.
    Cloned,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Entry::Bytes(_) => "Bytes",
            Entry::Packed(_) => "Packed",
            Entry::Cloned => "Cloned",
        })
    }
}

impl PadKernel {
    /// Returns the name of the kernel, such as `r2_reflect_f32_avx2`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the number of axes that the plan has after merging.
    pub const fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the mode of the first border of the plan, or constant if the plan has no border.
    pub const fn mode(&self) -> PadMode {
        self.mode
    }

    /// Returns the element type, or `None` if the kernel is for any type.
    pub const fn dtype(&self) -> Option<DType> {
        self.dtype
    }

    /// Returns what the kernel copies as a whole.
    pub const fn unit(&self) -> Unit {
        self.unit
    }

    /// Returns the instruction set that the kernel needs.
    pub const fn isa(&self) -> Isa {
        self.isa
    }

    /// Tells whether the kernel can run `nest`, for elements of this type if the type is known.
    pub(crate) fn takes(&self, nest: &Nest, dtype: Option<DType>) -> bool {
        let alike = self.dtype.is_none_or(|own| dtype.is_none_or(|dtype| dtype == own));
        alike && self.unit.takes(nest) && self.rank == nest.axes.len() && self.mode == nest.mode
    }
}

/// The arguments of a call of [`run`].
pub(crate) struct Task<'a> {
    pub(crate) nest: &'a Nest,
    pub(crate) fill: &'a Pattern,
    /// Programs that a plan has prepared for this nest and the kernel's instruction set.
    pub(crate) blocks: Option<&'a Blocks<'a>>,
    /// True if the destination already contains the fill.
    pub(crate) filled: bool,
    /// True if the kernel writes the output with non-temporal stores.
    pub(crate) streams: bool,
}

/// The argument of a kernel for bytes or bits.
///
/// [`run`] guarantees the contract of every kernel:
/// - The rank and the unit of the nest are those of the kernel.
/// - For every source offset of the axes, the unit at this offset from `src` is readable and lies in the `src_len` bytes from there.
/// - For every destination offset of the axes, the unit at this offset from `dst` is writable and lies in the `dst_len` bytes from there.
/// - If the source or the destination is a slice, all of these bytes are readable or writable.
/// - Source and destination do not overlap.
/// - If neighbours on an axis are at most `solid` bytes apart, the bytes between them are readable.
/// - If the nest is sequential, its axes cover the whole destination in ascending order. Positions after the current one are not
///   written yet. If the nest is not sequential and its atoms are bits, the destination is initialised.
/// - If there is a `stage`, nobody else uses it. Then the nest is sequential and no move repeats earlier output. The destination
///   is not `filled`, the fill has a step, and the machine has non-temporal stores.
/// - `blocks` was made for this nest and the kernel's instruction set.
/// - The machine has the kernel's instruction set.
pub(crate) struct Job<'a> {
    nest: &'a Nest,
    fill: &'a Pattern,
    blocks: &'a Blocks<'a>,
    filled: bool,
    /// The staging buffer, if the kernel uses non-temporal stores.
    stage: Option<NonNull<Stage>>,
    places: Places,
}

/// The memory of source and destination, and its limits.
#[derive(Clone, Copy)]
struct Places {
    src: *const u8,
    src_len: usize,
    /// The field [`Source::solid`]. Longer gaps between elements, and the bytes after the last element, must not be read.
    solid: usize,
    dst: *mut u8,
    dst_len: usize,
}

/// The number of output bytes that are initialised. Only this folder can make a number above zero.
#[derive(Debug, Default)]
pub(crate) struct Written(usize);

impl Written {
    /// Adds the counts of two regions of one output.
    pub(crate) fn and(self, other: Written) -> Written {
        Written(self.0 + other.0)
    }
}

impl Nest {
    /// Returns how many bytes are initialised after a run: the whole output if it is sequential, otherwise 0.
    #[inline(always)]
    fn written(&self) -> Written {
        Written(if self.sequential { self.dst_len } else { 0 })
    }

    /// Returns how many of `len` bytes a kernel may write. A buffer may be longer than a sequential output.
    #[inline(always)]
    fn writable(&self, len: usize) -> usize {
        if self.sequential { self.dst_len } else { len }
    }
}

/// Runs the program of a nest that is a single block.
///
/// # Panics
///
/// The call panics if the nest has more than one block, if the source is not a slice, or if the memory is too short.
#[inline(always)]
pub(crate) fn run_all(
    (nest, fill, blocks): (&Nest, &Pattern, &Blocks),
    src: Source<'_>,
    dst: Target<'_>,
    filled: bool,
) -> Written {
    assert!(blocks.are_all() && src.is_slice() && src.len >= nest.src_len && dst.len >= nest.dst_len);
    let program = &blocks.single;
    // SAFETY:
    // - Offsets: only `plan` makes a nest, for tensors of the lengths that the assertion compares.
    // - Overlap: the source is borrowed shared and the target exclusively.
    // - Gaps: the source is a slice, so all of it is readable.
    // - Blocks: the plan has prepared them for this nest, on a machine with their instruction set.
    unsafe {
        if program.is_registers() {
            let (src, dst) = (src.start.wrapping_offset(nest.src), dst.start.wrapping_offset(nest.dst));
            generated::registers(blocks.isa)(program, fill, src, dst);
        } else {
            let dst_len = nest.writable(dst.len);
            let sheet = Sheet {
                src: src.start,
                src_len: src.len,
                dst: dst.start,
                dst_len,
                fill,
                filled,
                exact: false,
                bypass: false,
                nest,
                stream: None,
            };
            let run = Run { src: nest.src, step: 0, dst: nest.dst, pitch: 0, count: 1 };
            generated::all(blocks.isa)(&sheet, program, run);
        }
    }
    nest.written()
}

/// Runs the kernel's loop nest. Returns how many bytes are initialised: the whole output if it has no holes, otherwise 0.
///
/// A strided source or target must be the tensor that the nest was made for.
///
/// # Errors
///
/// - [`PadError::IsaUnavailable`] if the machine lacks the instruction set.
/// - [`PadError::Cloned`] if the kernel only clones values.
///
/// # Panics
///
/// The call panics if the kernel does not fit the nest, or if the memory is too short.
pub(crate) fn run(
    kernel: &PadKernel,
    task: &Task<'_>,
    src: Source<'_>,
    dst: Target<'_>,
) -> Result<Written, PadError> {
    let Task { nest, fill, filled, streams, .. } = *task;
    if !kernel.isa.available() {
        return Err(PadError::IsaUnavailable { isa: kernel.isa });
    }
    assert!(src.len >= nest.src_len && dst.len >= nest.dst_len);
    let dst_len = nest.writable(dst.len);
    // A prepared program may read any byte of the source, so the source must be a slice. Its blocks may be too long for a stream.
    let prepared = task.blocks.filter(|_| src.is_slice() && !streams);
    // Each use builds the struct from registers, because loads from a struct that was just stored would wait for the stores.
    macro_rules! places {
        () => {
            Places { src: src.start, src_len: src.len, solid: src.solid, dst: dst.start, dst_len }
        };
    }
    // SAFETY:
    // - Axes, mode and unit: the assertion in this block compares them.
    // - Offsets: only `plan` makes a nest, for tensors of the asserted lengths or for the strided tensor itself.
    // - Overlap: the source is borrowed shared and the target exclusively.
    // - Gaps: a slice is readable everywhere. A strided source has computed `solid` from its strides.
    // - Sequential: `plan` computed the flag from the same axes. Callers run other nests of bits only on initialised memory.
    // - Stage: it is a local of `run_unprepared`, which checks `filled` and the stores. The plan has checked the nest.
    // - Blocks: the plan has prepared them for this nest and kernel, or `run_unprepared` packs them.
    // - Instruction set: the first check of this function.
    unsafe {
        assert!(kernel.takes(nest, None));
        let function = match kernel.entry {
            Entry::Bytes(function) | Entry::Packed(function) => function,
            Entry::Cloned => return Err(PadError::Cloned { plan: kernel.dtype }),
        };
        match prepared {
            Some(blocks) if src.len <= SHORT_SOURCE => {
                run_short(function, (nest, fill, blocks), filled, places!())
            }
            Some(blocks) => {
                let places = places!();
                function(&Job { nest, fill, blocks, filled, stage: None, places });
            }
            None => run_unprepared(kernel.isa, function, task, places!()),
        }
    }
    Ok(nest.written())
}

/// Runs a kernel whose programs are not prepared.
///
/// They need space on the stack, and so does a staging buffer. This code is a separate function, so that other calls do not pay
/// for the space.
///
/// # Safety
///
/// - The contract of a [`Job`] holds, except for the blocks and the stage.
#[inline(never)]
unsafe fn run_unprepared(isa: Isa, function: unsafe fn(&Job<'_>), task: &Task<'_>, places: Places) {
    let Task { nest, fill, filled, streams, .. } = *task;
    let mut stage = Stage::new();
    let stage = (streams && !filled && STREAMS).then_some(NonNull::from(&mut stage));
    let mut draft = [Draft::new(), Draft::new()];
    let mut blocks = Blocks::empty();
    if nest.atom == Atom::Byte {
        blocks.set(nest, lanes(isa, nest.unit), (true, stage.is_some()), places.solid, &mut draft);
    }
    // SAFETY: the caller keeps the contract. `blocks` is for this nest and instruction set, and `stage` is a local.
    unsafe { function(&Job { nest, fill, blocks: &blocks, filled, stage, places }) }
}

/// The maximum length in bytes of a source that is copied before it is padded: a register of any instruction set.
const SHORT_SOURCE: usize = 64;

/// Runs a kernel on a copy of a short source. From every byte of the copy, a whole register is readable.
///
/// Zen 3 with AVX2, 48 bytes that become 22 KB: with this copy, and with loops over the blocks in `permute.rs`, they take 0.8
/// times as long.
///
/// # Safety
///
/// - The contract of a [`Job`] holds. The source is a slice of at most [`SHORT_SOURCE`] bytes.
#[inline(never)]
unsafe fn run_short(
    kernel: unsafe fn(&Job<'_>),
    (nest, fill, blocks): (&Nest, &Pattern, &Blocks),
    filled: bool,
    places: Places,
) {
    let mut copy = [0u8; 2 * SHORT_SOURCE];
    // SAFETY: the caller keeps the contract. The copy has every byte of the source at its offset.
    unsafe {
        memory::copy_exact(places.src, copy.as_mut_ptr(), places.src_len);
        let places = Places { src: copy.as_ptr(), src_len: copy.len(), ..places };
        kernel(&Job { nest, fill, blocks, filled, stage: None, places });
    }
}

/// Runs a nest of any rank with the safe loop in `walk`.
///
/// A strided source or target must be the tensor that the nest was made for.
///
/// # Panics
///
/// The call panics if the memory is too short.
pub(crate) fn run_any_rank(nest: &Nest, fill: &Pattern, src: Source<'_>, dst: Target<'_>) -> Written {
    let written = nest.written();
    assert!(src.len >= nest.src_len && dst.len >= nest.dst_len);
    let (from, to) = (src.start, dst.start);
    match (src.as_slice(), dst.into_slice()) {
        (Some(src), Some(dst)) if nest.atom == Atom::Bit => {
            // The loop sets single bits, so the bytes must have a value.
            if nest.sequential {
                dst[..nest.dst_len].fill(MaybeUninit::new(0));
            }
            // SAFETY: the branch sets a sequential output to zero. Callers run other nests only on initialised slices.
            walk::run_bits(nest, fill, src, unsafe { slices::assume_init(dst) });
        }
        (Some(src), Some(dst)) => walk::run_bytes(nest, fill, src, dst),
        // SAFETY: the nest was made for these tensors and covers only their units.
        _ => unsafe { run_apart(nest, fill, from, to) },
    }
    written
}

/// Runs the loop of `walk` on a strided tensor, unit by unit. A slice from its first to its last element would contain memory of
/// other tensors.
///
/// # Safety
///
/// - Every unit of the source that the nest covers is readable from `src`.
/// - Every unit of the destination that the nest covers is writable from `dst`.
unsafe fn run_apart(nest: &Nest, fill: &Pattern, src: *const u8, dst: *mut u8) {
    debug_assert!(nest.atom == Atom::Byte);
    walk::walk_nest(nest, &mut |piece| {
        piece.each(|to, from| {
            let to = dst.wrapping_offset(to);
            // SAFETY: the caller keeps the contract, and a unit is a whole number of elements.
            unsafe {
                match from {
                    Some(from) => memory::copy_exact(src.wrapping_offset(from), to, nest.unit),
                    None => memory::fill_exact(fill, to, nest.unit),
                }
            }
        });
    });
}

/// Copies the input to an output with the same contents.
///
/// A strided source or target must be the tensor that the nest was made for.
///
/// # Panics
///
/// The call panics if the memory is too short.
pub(crate) fn run_copy(nest: &Nest, src: Source<'_>, dst: Target<'_>) -> Written {
    assert!(nest.is_copy() && src.len >= nest.src_len && dst.len >= nest.dst_len);
    // SAFETY:
    // - A nest that is a copy reads and writes one contiguous run, which lies within the asserted lengths.
    // - The source is borrowed shared and the target exclusively, so they do not overlap.
    unsafe { core::ptr::copy_nonoverlapping(src.start.offset(nest.src), dst.start, nest.dst_len) };
    Written(nest.dst_len)
}

/// Returns a measured threshold. In debug builds it returns a lower one, so that small tests run the code on both sides of it.
pub(crate) const fn threshold(measured: usize, in_tests: usize) -> usize {
    if cfg!(debug_assertions) { in_tests } else { measured }
}
