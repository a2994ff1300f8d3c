//! The kernels: everything that writes through a pointer, and the only folder with `unsafe`.
//!
//! A kernel is a row of the generated [list](pad): one for a rank, element type and instruction set, and the mode of the
//! first border that it is chosen for. Segments bring the mode of every side, and pointers what knows the width of an element, so rows
//! of all modes and widths share a nest. What calls it is [`run`], which is safe. The folder knows axes, segments and the fill, and no plan.

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

/// Says what a kernel copies as a whole.
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
    /// The kind of `unit` atoms.
    pub(crate) fn of(atom: Atom, unit: usize) -> Unit {
        match atom {
            Atom::Byte if matches!(unit, 1 | 2 | 4 | 8 | 16) => Unit::Bytes(unit),
            Atom::Byte => Unit::AnyBytes,
            Atom::Bit => Unit::Bits,
            Atom::Value => Unit::Value,
        }
    }

    /// Whether a nest's unit is one of these.
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

/// How a kernel is called.
#[derive(Clone, Copy)]
pub(crate) enum Entry {
    /// Moves whole bytes.
    Bytes(unsafe fn(&Job<'_>)),
    /// Moves fields of bits.
    Packed(unsafe fn(&Job<'_>)),
    /// Clones elements: the walk does.
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

    /// Whether it is one for `nest`, whose elements are of this type if it has a tag.
    pub(crate) fn takes(&self, nest: &Nest, dtype: Option<DType>) -> bool {
        let alike = self.dtype.is_none_or(|own| dtype.is_none_or(|dtype| dtype == own));
        alike && self.unit.takes(nest) && self.rank == nest.axes.len() && self.mode == nest.mode
    }
}

/// What a kernel is called for.
pub(crate) struct Task<'a> {
    pub(crate) nest: &'a Nest,
    pub(crate) fill: &'a Pattern,
    /// What was prepared for this nest and the kernel's instruction set.
    pub(crate) blocks: Option<&'a Blocks<'a>>,
    /// The destination holds the fill already.
    pub(crate) filled: bool,
    /// The output goes past the cache.
    pub(crate) streams: bool,
}

/// What a kernel of bytes or bits is called with.
///
/// The contract of every entry, upheld by [`run`]:
/// - The nest has as many axes as the kernel's rank, and its unit.
/// - Every source offset that the axes reach, plus one unit, lies within `src_len` bytes of readable memory
///   behind `src`; every destination offset, plus one unit, within `dst_len` bytes of writable memory
///   behind `dst`, and the two do not overlap.
/// - What lies between units of the source is readable if they are neighbours on an axis at most `solid` bytes apart.
/// - If the nest is sequential, its axes reach all of the destination in ascending order, so that what lies behind
///   a position is not written yet. Otherwise the destination is initialised.
/// - If there is a `stage`, it is nobody else's, the nest is sequential, nothing in it repeats itself, the destination is not
///   `filled`, the fill has a step, and there are streaming stores.
/// - `blocks` are those of the nest for the kernel's instruction set.
/// - The machine has the kernel's instruction set.
pub(crate) struct Job<'a> {
    nest: &'a Nest,
    fill: &'a Pattern,
    blocks: &'a Blocks<'a>,
    filled: bool,
    /// Where the output is put together if it is streamed.
    stage: Option<NonNull<Stage>>,
    places: Places,
}

/// Source and destination.
#[derive(Clone, Copy)]
struct Places {
    src: *const u8,
    src_len: usize,
    /// See [`Source`]: nothing between other elements is read, and nothing behind the last one.
    solid: usize,
    dst: *mut u8,
    dst_len: usize,
}

/// Bytes of an output that were initialised: what only kernels can say.
#[derive(Debug, Default)]
pub(crate) struct Written(usize);

impl Written {
    /// Two parts of one output.
    pub(crate) fn and(self, other: Written) -> Written {
        Written(self.0 + other.0)
    }
}

/// Runs the one block that is all there is.
///
/// # Panics
///
/// If there are more blocks, the source is no slice, or the memory is shorter than the nest needs.
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
    // - Offsets: a nest is made by `plan` alone, for tensors of the lengths that were asserted; what is borrowed shared and what
    //   is exclusively do not overlap. All of a slice is readable.
    // - Blocks: prepared for this nest by whoever holds both, with the instruction set, which the machine had then.
    unsafe {
        if program.is_registers() {
            let (src, dst) = (src.start.wrapping_offset(nest.src), dst.start.wrapping_offset(nest.dst));
            generated::registers(blocks.isa)(program, fill, src, dst);
        } else {
            let dst_len = if nest.sequential { nest.dst_len } else { dst.len };
            let sheet = Sheet {
                src: src.start,
                src_len: src.len,
                dst: dst.start,
                dst_len,
                fill,
                filled,
                exact: false,
                nest,
                stream: None,
            };
            generated::all(blocks.isa)(&sheet, program, nest.src, nest.dst);
        }
    }
    Written(if nest.sequential { nest.dst_len } else { 0 })
}

/// Runs the kernel's loop nest, and tells how many bytes are initialised: all of an output without holes, none of others.
///
/// A source or target that is no slice is of the very tensor that the nest was made for.
///
/// # Errors
///
/// [`PadError::IsaUnavailable`], [`PadError::Cloned`].
///
/// # Panics
///
/// If the kernel is none for the nest, or its memory is shorter than the nest needs.
pub(crate) fn run(
    row: &PadKernel,
    task: &Task<'_>,
    src: Source<'_>,
    dst: Target<'_>,
) -> Result<Written, PadError> {
    let Task { nest, fill, filled, streams, .. } = *task;
    if !row.isa.available() {
        return Err(PadError::IsaUnavailable { isa: row.isa });
    }
    assert!(src.len >= nest.src_len && dst.len >= nest.dst_len);
    // A buffer may go on behind an output without holes: that is nobody's to write to.
    let dst_len = if nest.sequential { nest.dst_len } else { dst.len };
    // What was prepared may read all of a slice.
    let prepared = task.blocks.filter(|_| src.is_slice());
    // Made anew for every call, of registers: a copy of a struct that was just written waits for it.
    macro_rules! places {
        () => {
            Places { src: src.start, src_len: src.len, solid: src.solid, dst: dst.start, dst_len }
        };
    }
    // SAFETY:
    // - Axes, mode and unit: asserted.
    // - Offsets: a nest is made by `plan` alone, for tensors of the lengths that were asserted, or for the one that the source or
    //   the target is; what is borrowed shared and what is exclusively do not overlap.
    // - Between units: all of a slice is readable, and a source that is none has counted what lies between its elements.
    // - Sequential: worked out from the same axes; a nest that is not is run on initialised memory only.
    // - Stage: a local of `packed`; the plan has checked the nest, and `filled` and the stores are asked for there.
    // - Blocks: prepared for this nest and row by whoever holds both, or packed for them.
    // - Instruction set: asked above.
    unsafe {
        assert!(row.takes(nest, None));
        let kernel = match row.entry {
            Entry::Bytes(kernel) | Entry::Packed(kernel) => kernel,
            Entry::Cloned => return Err(PadError::Cloned { plan: row.dtype }),
        };
        match prepared {
            Some(blocks) if !streams => {
                let places = places!();
                kernel(&Job { nest, fill, blocks, filled, stage: None, places });
            }
            _ => packed(row, kernel, task, prepared, places!()),
        }
    }
    Ok(Written(if nest.sequential { nest.dst_len } else { 0 }))
}

/// Runs a kernel whose blocks are packed if none are prepared, or whose output is streamed: both take room on the stack,
/// which other calls do without.
///
/// # Safety
///
/// - The contract of a [`Job`], but for the blocks and the stage.
#[inline(never)]
unsafe fn packed(
    row: &PadKernel,
    kernel: unsafe fn(&Job<'_>),
    task: &Task<'_>,
    prepared: Option<&Blocks>,
    places: Places,
) {
    let Task { nest, fill, filled, streams, .. } = *task;
    let mut stage = Stage::new();
    let stage = (streams && !filled && STREAMS).then_some(NonNull::from(&mut stage));
    let mut space = blocks::Space::new();
    let mut blocks = Blocks::within(&mut space);
    let blocks = match prepared {
        Some(prepared) => prepared,
        None => {
            if nest.atom == Atom::Byte {
                blocks.set(nest, lanes(row.isa, nest.unit), (true, places.solid));
            }
            &blocks
        }
    };
    // SAFETY: the caller's, and the blocks are for this nest and instruction set.
    unsafe { kernel(&Job { nest, fill, blocks, filled, stage, places }) }
}

/// Runs the walk instead, which takes any number of axes.
///
/// A source or target that is no slice is of the very tensor that the nest was made for.
///
/// # Panics
///
/// If the memory is shorter than the nest needs.
pub(crate) fn run_any_rank(nest: &Nest, fill: &Pattern, src: Source<'_>, dst: Target<'_>) -> Written {
    let written = Written(if nest.sequential { nest.dst_len } else { 0 });
    assert!(src.len >= nest.src_len && dst.len >= nest.dst_len);
    let (from, to) = (src.start, dst.start);
    match (src.as_slice(), dst.into_slice()) {
        (Some(src), Some(dst)) if nest.atom == Atom::Bit => {
            // It completes bytes that it has begun.
            if nest.sequential {
                dst[..nest.dst_len].fill(MaybeUninit::new(0));
            }
            // SAFETY: initialised just now; a nest that is not sequential is run on initialised slices only.
            walk::run_bits(nest, fill, src, unsafe { slices::assume_init(dst) });
        }
        (Some(src), Some(dst)) => walk::run_bytes(nest, fill, src, dst),
        // SAFETY: a nest reaches nothing but units of the tensors that it was made for, which these are.
        _ => unsafe { run_apart(nest, fill, from, to) },
    }
    written
}

/// The walk over bytes where a slice would span what is not the tensors': unit by unit.
///
/// # Safety
///
/// - Every unit of the source that the nest reaches is readable behind `src`, and of the destination writable behind `dst`.
unsafe fn run_apart(nest: &Nest, fill: &Pattern, src: *const u8, dst: *mut u8) {
    debug_assert!(nest.atom == Atom::Byte);
    walk::walk_nest(nest, &mut |piece| {
        piece.each(|to, from| {
            let to = dst.wrapping_offset(to);
            // SAFETY: the caller's; a unit is whole elements.
            unsafe {
                match from {
                    Some(from) => memory::copy_exact(src.wrapping_offset(from), to, nest.unit),
                    None => memory::fill_exact(fill, to, nest.unit),
                }
            }
        });
    });
}

/// Copies, where an output is its input.
///
/// A source or target that is no slice is of the very tensor that the nest was made for.
///
/// # Panics
///
/// If the memory is shorter than the nest needs.
pub(crate) fn run_copy(nest: &Nest, src: Source<'_>, dst: Target<'_>) -> Written {
    assert!(nest.is_copy() && src.len >= nest.src_len && dst.len >= nest.dst_len);
    // SAFETY: a nest that is a copy reads and writes one run of units, all of them within the lengths that were asserted; what
    // is borrowed shared and what is exclusively do not overlap.
    unsafe { core::ptr::copy_nonoverlapping(src.start.offset(nest.src), dst.start, nest.dst_len) };
    Written(nest.dst_len)
}

/// A threshold that was measured, or in debug builds a lower one: tests and fuzzing, whose tensors are small, are to come to
/// what is beyond it.
pub(crate) const fn threshold(measured: usize, in_tests: usize) -> usize {
    if cfg!(debug_assertions) { in_tests } else { measured }
}
