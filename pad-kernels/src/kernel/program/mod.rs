//! Makes and runs programs. A program is a list of moves that write the innermost axes of a plan. It is made once, and runs for
//! every block of the output.
//!
//! A block is one row, a few rows, some planes, or the whole output of a small plan. A move is one operation that writes a part
//! of a block. For example, two moves write the row `[. . a b c]`: a `Fill` of two elements and a `Copy` of three.
//!
//! A program lists its moves in the order in which they write the output. With permutations, one move can write several short
//! segments, so a program has few moves.
//!
//! All files of this folder use these words:
//! - A unit is what a plan moves as a whole: one element or several. A segment is a part of an axis: fill, equally spaced units
//!   of the source, or a repetition.
//! - A plan is prepared if it runs often. Otherwise, it runs once, and packing must be fast.
//! - A window is the source bytes that an operation loads as one register.
//! - A grain is a group of 1, 2 or 4 bytes that a permutation moves together. A variable `grain` is its size in bytes.
//! - A table holds the indices of a permutation for one window. Each index says where one grain of the output comes from.
//! - A body is a run of source bytes that is copied. A gap is the fill between two bodies.
//! - A [`Sheet`] holds the memory of source and output, and the fill.

mod bodies;
mod bordered;
mod end;
mod merge;
mod moves;
mod pack;
mod permute;
mod piece;
mod registers;
mod run;
mod stream;

use alloc::borrow::Cow;
use alloc::boxed::Box;

use smallvec::SmallVec;

pub(crate) use pack::REPEATED_FROM;

use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Permute, Simd};
use crate::plan::axis::Axis;
use crate::plan::form::{Segment, Segments};
use crate::plan::pattern::{BLOCK, Pattern};
use bordered::Bordered;
use registers::Registers;

pub(super) use bodies::short_rows;
pub(super) use merge::{is_merged, run_merge};
pub(super) use moves::{Batch, Run};
pub(super) use registers::run_registers;
pub(super) use run::{LARGE, run_batch, run_move, run_program};
pub(super) use stream::stream_program;

/// The moves of a block, or of a group of several blocks. Offsets count bytes from the start of the block, in the source and in the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Program<'a> {
    moves: Cow<'a, [Move]>,
    /// The indices of the permutations.
    tables: Cow<'a, [Table]>,
    /// [`Lanes::window`] and [`Lanes::grain`] of the lanes for which the program was packed.
    window: usize,
    grain: usize,
    /// The start and the end of the source bytes that the moves need. Loads of whole registers may read more bytes, up to
    /// `src_over`.
    src_start: isize,
    src_end: isize,
    src_over: isize,
    /// The size of the block in the output, in bytes.
    len: usize,
    /// The list from which [`run_registers`] writes the block, if the list is the fastest way.
    registers: Option<Box<Registers>>,
    /// The rows of the block, if they are bordered rows, or planes of dilated rows.
    rows: Option<Bordered>,
}

/// A program while it is packed. Its lists are on the stack, or on the heap if they become longer. See [`Program`].
pub(super) struct Draft {
    moves: SmallVec<[Move; 38]>,
    tables: SmallVec<[Table; 68]>,
    src_start: isize,
    src_end: isize,
    src_over: isize,
    len: usize,
}

impl Draft {
    #[inline(always)]
    pub(super) fn new() -> Draft {
        let (moves, tables) = (SmallVec::new(), SmallVec::new());
        let (src_start, src_end, src_over) = (isize::MAX, isize::MIN, isize::MIN);
        Draft { moves, tables, src_start, src_end, src_over, len: 0 }
    }
}

/// The indices of a permutation for one window, in one cache line. If the top bit of an index is set, the result keeps the byte that
/// it had before: a byte of fill, or a byte from another window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
struct Table([u8; BLOCK]);

impl Table {
    /// The indices that take no byte from the window.
    const NOTHING: Table = Table([0x80; BLOCK]);
}

/// An operation that writes consecutive bytes of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Copies consecutive bytes.
    Copy { src: isize, dst: usize, bytes: usize },
    /// Writes fill.
    Fill { dst: usize, bytes: usize },
    /// Writes permuted registers.
    Permute(Permutation),
    /// Copies several bodies, with fill between them.
    Interleave(Bodies),
    /// Writes registers that are merged from several windows.
    Merge(Merging),
    /// Copies `bytes` bytes of earlier output to offset `dst`. They begin at output offset `from`. If there are fewer than
    /// `bytes` bytes between `from` and `dst`, they are repeated.
    Again { from: usize, dst: usize, bytes: usize },
}

/// Permutes one or two windows and fill into each of `count` registers. From one register to the next, the windows move by `step`
/// bytes. Each register writes `bytes` bytes of the output. Later stores overwrite the bytes after them.
///
/// If the second window has no bytes, there is only one window. The first window uses the table with index `table`, and the second
/// window uses the next table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Permutation {
    windows: [Window; 2],
    step: isize,
    table: usize,
    dst: usize,
    bytes: usize,
    count: usize,
}

/// Merges `windows` windows into each of `count` registers. The windows of a register are `across` bytes apart in the source, and
/// each has its own table. From one register to the next, the windows move by `step` bytes.
///
/// The loads read only the bytes whose bits are set in the first mask. For the last window, the second mask applies instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Merging {
    src: isize,
    windows: u8,
    across: isize,
    step: isize,
    table: usize,
    masks: [u64; 2],
    dst: usize,
    bytes: usize,
    count: usize,
}

/// Describes `count` bodies of `body` bytes each. They are `step` bytes apart in the source. In the output, `gap` bytes of fill
/// lie between two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bodies {
    src: isize,
    step: isize,
    body: usize,
    dst: usize,
    gap: usize,
    count: usize,
}

/// Describes a window. A permutation loads a register from source offset `src`, and needs the first `bytes` bytes of it. If a
/// second window has 0 bytes, the permutation has only one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    src: isize,
    bytes: usize,
}

/// Describes the permutations of an instruction set to the code that packs programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes {
    /// The size in bytes of a register that is permuted, or 0 if there are no permutations.
    pub(crate) window: usize,
    /// The number of bytes that a permutation moves together.
    pub(crate) grain: usize,
    /// The size in bytes of a register that is copied or filled.
    pub(crate) whole: usize,
    /// The minimum length in bytes of a run that is copied. A shorter run is permuted together with its neighbours. Without
    /// permutations, the value is 0.
    pub(crate) copied: usize,
    /// The size in bytes of a register for [`Move::Merge`], whose loads are masked, or 0 if there are no masked loads.
    pub(crate) merged: usize,
}

/// The minimum length of a copy, in bytes, in programs with narrow permutations (see [`Lanes::of`]).
///
/// EPYC with AVX2: with a minimum of 64 bytes, rows of 38 to 60 bytes take 1.2 to 1.7 times as long.
const COPIED_FROM: usize = 32;

impl Lanes {
    /// No permutations. Units that are not contiguous in the source are copied one by one.
    pub(super) const NONE: Lanes = Lanes { window: 0, grain: 1, whole: LINE, copied: 0, merged: 0 };

    /// Returns the best permutations of an instruction set for units of `unit` bytes. The wide permutations are the best ones,
    /// but some of them move only whole grains of 2 or 4 bytes. For other units, the result is the narrow permutations, which
    /// move single bytes. With wide permutations, runs of at least two registers are copied.
    ///
    /// EPYC with AVX2, mirrored pixels of 4 and 12 bytes: with a minimum of two registers (64 bytes), they take 0.6 to 0.75 times
    /// as long as with 128 bytes.
    pub(super) const fn of<S: Simd>(unit: usize) -> Lanes {
        let whole = size_of::<S::Register>();
        if unit.is_multiple_of(S::Wide::GRAIN) {
            let merged = if S::Wide::MASKS { S::Wide::BYTES } else { 0 };
            Lanes { window: S::Wide::BYTES, grain: S::Wide::GRAIN, whole, copied: 2 * S::Wide::BYTES, merged }
        } else {
            Lanes { window: S::Narrow::BYTES, grain: 1, whole, copied: COPIED_FROM, merged: 0 }
        }
    }

    /// Tells whether a permutation takes at most two instructions: with registers of 64 bytes, or with grains of several bytes.
    const fn are_cheap(self) -> bool {
        self.window == LINE || self.grain > 1
    }

    /// Returns these lanes without permutations, for rows with bytes of other tensors between their elements. The bytes of
    /// other tensors must not be read. Permutations load whole registers, but masked loads read only the elements.
    pub(super) const fn apart(self) -> Lanes {
        Lanes { grain: self.grain, merged: self.merged, ..Lanes::NONE }
    }
}

/// The options for packing a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packing {
    pub(super) lanes: Lanes,
    /// True if the plan runs once. Otherwise, it is prepared.
    pub(super) once: bool,
}

/// Describes a row that consists of fill, one copy, and fill again. The result holds the number of units of fill before the copy,
/// the index of the first unit in the source, and the number of copied units. Returns `None` if the row has other parts, or if
/// permutations are faster.
pub(crate) fn row_of_copy(
    lanes: Lanes,
    row: &Axis,
    segments: &Segments,
    unit: usize,
) -> Option<(usize, isize, usize)> {
    let (low, rest) = match **segments {
        [Segment::Fill { count }, ref rest @ ..] => (count, rest),
        ref rest => (0, rest),
    };
    let [Segment::Source { from, step: 1, count, gap: 0 }, ref high @ ..] = *rest else { return None };
    // If permuted registers are shorter than a cache line, a run of one register of `whole` bytes is copied, too.
    let least = if lanes.window == LINE { lanes.copied } else { lanes.copied.min(lanes.whole) };
    let is_row = matches!(high, [] | [Segment::Fill { .. }]) && row.src_stride == unit as isize;
    (is_row && count * unit >= least).then_some((low, from, count))
}

impl Move {
    /// Returns a permutation of one register. The arguments are the fields of a [`Permutation`].
    const fn one_register(windows: [Window; 2], table: usize, dst: usize, bytes: usize) -> Move {
        Move::Permute(Permutation { windows, step: 0, table, dst, bytes, count: 1 })
    }

    /// Returns the number of copies or registers in the move.
    fn steps(&self) -> usize {
        match *self {
            Move::Interleave(Bodies { count, .. })
            | Move::Permute(Permutation { count, .. })
            | Move::Merge(Merging { count, .. }) => count,
            _ => 1,
        }
    }
}

impl<'a> Program<'a> {
    /// Packs `count` blocks, each of which is the whole output of `axes`. After each block, the program writes as much fill as
    /// `gap` blocks have bytes. The sources of two consecutive blocks are `step` bytes apart. The draft must be empty.
    pub(super) fn packed(
        draft: &'a mut Draft,
        packing: Packing,
        unit: usize,
        axes: &[Axis],
        segments: &[&Segments],
        (step, count): (isize, usize),
        gap: usize,
    ) -> Program<'a> {
        debug_assert!(draft.moves.is_empty());
        let mut packer = pack::Packer::new(draft, packing, unit);
        for i in 0..count as isize {
            packer.axes(axes, segments, i * step);
            packer.fill(axes.iter().fold(gap, |count, axis| count * axis.out));
        }
        packer.finish();
        let rows = Bordered::of(draft, packing.lanes);
        let Draft { ref moves, ref tables, src_start, src_end, src_over, len } = *draft;
        let Lanes { window, grain, .. } = packing.lanes;
        let (moves, tables) = (Cow::Borrowed(&moves[..]), Cow::Borrowed(&tables[..]));
        Program { moves, tables, window, grain, src_start, src_end, src_over, len, registers: None, rows }
    }

    /// Returns a copy of the program, with lists on the heap that have exactly the needed size.
    pub(super) fn kept(&self) -> Program<'static> {
        let (moves, tables) = (Cow::Owned(self.moves.to_vec()), Cow::Owned(self.tables.to_vec()));
        Program { moves, tables, registers: self.registers.clone(), rows: self.rows.clone(), ..*self }
    }

    /// Joins the blocks to planes. Before the call, a block is one row, and `is_dilated` says that it has interior padding. After
    /// it, a block is a plane with the rows of the axis `around` them, whose segments are few. Elements of fill have `element` bytes.
    ///
    /// Returns false and changes nothing in these cases: the rows are neither bordered nor dilated, loads of whole registers read past
    /// the end of a row, registers of a dilated row do not consist of whole elements, or fill lies around or between bordered rows.
    pub(super) fn set_planes(
        &mut self,
        around: &Axis,
        segments: &Segments,
        element: usize,
        is_dilated: bool,
    ) -> bool {
        let rows = match is_dilated {
            true if self.window.is_multiple_of(element) => Bordered::dilated(self),
            true => None,
            false => self.rows.clone(),
        };
        let Some(mut rows) = rows.filter(|_| self.src_over <= self.src_end) else { return false };
        let Some([first, last]) = rows.set_planes(around, segments) else { return false };
        self.rows = Some(rows);
        self.src_start += first;
        self.src_end += last;
        self.src_over += last;
        self.len *= around.out;
        true
    }

    /// Tells whether the program uses the wide permutations of this instruction set. If wide permutations move single bytes,
    /// every program uses them.
    #[inline(always)]
    fn uses_wide<S: Simd>(&self) -> bool {
        S::Wide::GRAIN == 1 || (self.window, self.grain) == (S::Wide::BYTES, S::Wide::GRAIN)
    }

    /// Tells whether the program reads output that it has written.
    pub(in crate::kernel) fn repeats(&self) -> bool {
        self.moves.iter().any(|next| matches!(next, Move::Again { .. }))
    }

    /// Tells whether the blocks are planes of bordered or dilated rows. The moves are those of one row.
    #[inline(always)]
    pub(super) fn are_planes(&self) -> bool {
        self.rows.as_ref().is_some_and(Bordered::are_planes)
    }

    /// Returns the number of moves.
    pub(crate) fn moves(&self) -> usize {
        self.moves.len()
    }
}

/// Declares the shells. A shell is a function that the macro `pad_kernels!` compiles for one instruction set. Each shell calls
/// the function with the same name in this module or in [`output`](super::output). It has the same safety contract as that
/// function. In addition, the machine must have the instruction set.
pub(super) trait Shells: Simd + Sized {
    unsafe fn run_registers(program: &Program, fill: &Pattern, src: *const u8, dst: *mut u8);
    unsafe fn run_program(sheet: &Sheet<'_>, program: &Program, run: Run);
    unsafe fn short_rows(sheet: &Sheet<'_>, blocks: &Batch, rows: &Bodies);
    unsafe fn run_batch(sheet: &Sheet<'_>, program: &Program, blocks: &Batch, is_whole: bool);
    unsafe fn run_move(sheet: &Sheet<'_>, program: &Program, next: &Move, batch: &Batch);
    unsafe fn run_merge(sheet: &Sheet<'_>, program: &Program, next: &Merging, batch: &Batch);
    unsafe fn stream_program(sheet: &mut Sheet<'_>, program: &Program, run: Run);
    unsafe fn write_fill(sheet: &mut Sheet<'_>, depth: usize, at: isize, count: usize);
    unsafe fn write_again(sheet: &Sheet<'_>, distance: isize, at: isize, bytes: isize);
    unsafe fn finish_stream(sheet: &mut Sheet<'_>);
}
