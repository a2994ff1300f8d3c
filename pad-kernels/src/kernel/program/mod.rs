//! Programs: the innermost axes of a plan as a list of moves. The list is made once, and runs for every block of the output.
//!
//! A block is one row, a few rows, some planes, or the whole output of a small plan. A move is one operation on a block. For
//! example, a row `[a b c]` with two fill elements on the left is `Fill` of two elements and `Copy` of three.
//!
//! The moves are in the order of the output. There are few of them in every mode, because permutations of registers collect
//! several short segments. A window is the part of the source that a permutation loads as one register.

mod bordered;
mod entries;
mod finish;
mod list;
mod merge;
mod moves;
mod pack;
mod permute;
mod piece;
mod planes;
mod registers;
mod rows;
mod run;
mod stream;

use alloc::boxed::Box;

pub(crate) use pack::REPEATED_FROM;

use crate::kernel::memory::{Fetch, OVERSHOOT};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Permute, Simd};
use crate::plan::axis::Axis;
use crate::plan::form::{Segment, Segments};
use crate::plan::pattern::{BLOCK, Pattern};
use entries::{Entries, Room};
use list::{Gather, MOST_OF_A_ROW};
use registers::Registers;
use rows::Rows;

pub(super) use bordered::run_bordered;
pub(super) use merge::{is_merged, run_merge};
pub(super) use moves::Batch;
pub(super) use planes::{MOST_RUNS, run_planes_of_rows, short_rows};
pub(super) use registers::run_registers;
pub(super) use rows::run_rows;
pub(super) use run::{Run, run_batch, run_block, run_move, run_once, run_program};
pub(super) use stream::stream_program;

/// The moves of a block. Offsets count bytes from the start of the block, in the source and in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program<'a> {
    moves: Entries<'a, Move>,
    /// The indices of the permutations.
    tables: Entries<'a, Table>,
    /// The size of the registers that are permuted, or 0 if there is no permutation.
    window: usize,
    /// The number of bytes that a permutation moves together.
    grain: usize,
    /// The lowest source offset that is needed, and the end of the needed bytes. Whole registers may read more, up to `src_over`.
    src_start: isize,
    src_end: isize,
    src_over: isize,
    /// The end of the source bytes that are read if consecutive blocks are written as rows.
    src_rows: isize,
    /// The size of the output in bytes.
    len: usize,
    /// The list of registers, if the block is the whole output and needs nothing but registers.
    registers: Option<Box<Registers>>,
    /// How blocks are written as rows of registers, if the program lists them.
    rows: Option<Rows>,
    /// The permutations of this list.
    gathers: Entries<'a, Gather>,
}

/// Space on the stack for a program, for one-shot calls.
pub(super) struct Space {
    moves: Room<Move, 36>,
    tables: Room<Table, 64>,
    gathers: Room<Gather, MOST_OF_A_ROW>,
}

impl Space {
    #[inline(always)]
    pub(super) const fn new() -> Space {
        Space { moves: Room::new(), tables: Room::new(), gathers: Room::new() }
    }
}

/// The indices of one permutation, in one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
struct Table([u8; BLOCK]);

impl Table {
    /// The indices of a register of fill.
    const NOTHING: Table = Table([0x80; BLOCK]);
}

/// An operation that writes consecutive bytes of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Copies consecutive bytes.
    Copy { src: isize, dst: usize, bytes: usize },
    /// Writes fill.
    Fill { dst: usize, bytes: usize },
    /// Permutes a window of the source and fill into one register. Later moves overwrite the bytes after `bytes`.
    Gather { window: Window, dst: usize, table: usize, bytes: usize },
    /// Permutes two windows of the source and fill into one register, by two tables.
    GatherTwo { windows: [Window; 2], dst: usize, table: usize, bytes: usize },
    /// Makes `count` registers in this way, each from windows that are `step` apart. Each register has `bytes` bytes of output.
    /// If the second window has no bytes, there is only one window.
    Permute { windows: [Window; 2], step: isize, table: usize, dst: usize, bytes: usize, count: usize },
    /// Copies several bodies, with fill between them.
    Interleave(Bodies),
    /// Makes `count` registers from `windows` windows each, which are `across` apart. Each window has its own table, and
    /// consecutive registers are `step` apart in the source.
    ///
    /// The loads read only the bytes of the first mask, and in the last window those of the second mask.
    Merge {
        src: isize,
        windows: u8,
        across: isize,
        step: isize,
        table: usize,
        masks: [u64; 2],
        dst: usize,
        bytes: usize,
        count: usize,
    },
    /// Repeats the output from offset `from`.
    Again { from: usize, dst: usize, bytes: usize },
}

/// `count` bodies of `body` bytes. They are `step` apart in the source, and have `gap` bytes between each two in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bodies {
    src: isize,
    step: isize,
    body: usize,
    dst: usize,
    gap: usize,
    count: usize,
}

/// The source bytes that a permutation needs from one register. If a second window has 0 bytes, the permutation has only one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    src: isize,
    bytes: usize,
}

/// The permutations of an instruction set, for packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes {
    /// The size of a register, or 0 if there are no permutations.
    pub(crate) window: usize,
    /// The number of bytes that move together.
    pub(crate) grain: usize,
    /// The size of a register that is not permuted.
    pub(crate) whole: usize,
    /// From this length in bytes, a run is copied instead of permuted together with its neighbours. Without permutations it is 0.
    pub(crate) copied: usize,
    /// The size of a register for [`Move::Merge`], whose loads are masked, or 0 if there are no masked loads.
    pub(crate) merged: usize,
}

/// The minimum length of a copy where single bytes are permuted.
///
/// EPYC with AVX2: rows of 38 to 60 bytes take 1.2 to 1.7 times as long with copies from 64 bytes.
const COPIED_FROM: usize = 32;

impl Lanes {
    /// No permutations. Units that are not contiguous move one by one.
    pub(super) const NONE: Lanes = Lanes { window: 0, grain: 1, whole: LINE, copied: 0, merged: 0 };

    /// Returns the widest permutations of an instruction set for units of `unit` bytes. Runs of two wide registers are copied.
    ///
    /// EPYC with AVX2: mirrored pixels of 4 and 12 bytes take 0.6 to 0.75 times as long as with copies from 128 bytes.
    pub(super) const fn of<S: Simd>(unit: usize) -> Lanes {
        let whole = size_of::<S::Register>();
        if unit.is_multiple_of(S::Wide::GRAIN) {
            let merged = if S::Wide::MASKS { S::Wide::BYTES } else { 0 };
            Lanes { window: S::Wide::BYTES, grain: S::Wide::GRAIN, whole, copied: 2 * S::Wide::BYTES, merged }
        } else {
            Lanes { window: S::Narrow::BYTES, grain: 1, whole, copied: COPIED_FROM, merged: 0 }
        }
    }

    /// Tells whether a permutation takes one or two instructions.
    const fn are_wide(self) -> bool {
        self.window == LINE || self.grain > 1
    }

    /// Tells whether a permutation takes seven instructions: for single bytes in registers of two halves.
    pub(super) const fn are_slow(self) -> bool {
        self.window == LINE / 2 && self.grain == 1
    }

    /// Returns the permutations for rows with foreign bytes between their elements. Those must not be read.
    pub(super) const fn apart(self) -> Lanes {
        Lanes { grain: self.grain, merged: self.merged, ..Lanes::NONE }
    }
}

/// The options for packing a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packing {
    pub(super) lanes: Lanes,
    /// The program runs once or a few times, so packing must be fast.
    pub(super) once: bool,
}

/// Returns the fill before the elements of a row, the first of these elements, and their number. Returns `None` if the elements are not
/// contiguous, or if these permutations are faster than a copy.
pub(crate) fn copied(
    lanes: Lanes,
    row: &Axis,
    segments: &Segments,
    unit: usize,
) -> Option<(usize, isize, usize)> {
    let (low, from, count) = match **segments {
        [Segment::Source { from, step: 1, count, gap: 0 }]
        | [Segment::Source { from, step: 1, count, gap: 0 }, Segment::Fill { .. }] => (0, from, count),
        [Segment::Fill { count: low }, Segment::Source { from, step: 1, count, gap: 0 }]
        | [
            Segment::Fill { count: low },
            Segment::Source { from, step: 1, count, gap: 0 },
            Segment::Fill { .. },
        ] => (low, from, count),
        _ => return None,
    };
    // If a store of fill is shorter than a cache line, even a single register is copied.
    let least = if lanes.window == LINE { lanes.copied } else { lanes.copied.min(lanes.whole) };
    (row.src_stride == unit as isize && count * unit >= least).then_some((low, from, count))
}

impl Move {
    /// Returns a permutation in its most general form: windows, step, first table, output offset, bytes per register, and count.
    #[inline(always)]
    fn permutation(&self) -> Option<([Window; 2], isize, usize, usize, usize, usize)> {
        match *self {
            Move::Gather { window, dst, table, bytes } => {
                Some(([window, Window { src: window.src, bytes: 0 }], 0, table, dst, bytes, 1))
            }
            Move::GatherTwo { windows, dst, table, bytes } => Some((windows, 0, table, dst, bytes, 1)),
            Move::Permute { windows, step, table, dst, bytes, count } => {
                Some((windows, step, table, dst, bytes, count))
            }
            _ => None,
        }
    }
}

impl Move {
    /// Returns the number of copies or registers in the move.
    fn steps(&self) -> usize {
        match *self {
            Move::Interleave(Bodies { count, .. })
            | Move::Permute { count, .. }
            | Move::Merge { count, .. } => count,
            _ => 1,
        }
    }
}

impl<'a> Program<'a> {
    /// Returns an empty program.
    #[inline(always)]
    pub(super) fn within(Space { moves, tables, gathers }: &'a mut Space) -> Program<'a> {
        Program::of(moves.lend(), tables.lend(), gathers.lend())
    }

    /// Returns a program with these empty lists.
    #[inline(always)]
    fn of(moves: Entries<'a, Move>, tables: Entries<'a, Table>, gathers: Entries<'a, Gather>) -> Self {
        Program {
            moves,
            tables,
            window: 0,
            grain: 1,
            src_start: isize::MAX,
            src_end: isize::MIN,
            src_over: isize::MIN,
            src_rows: isize::MIN,
            len: 0,
            registers: None,
            rows: None,
            gathers,
        }
    }

    /// Returns a copy on the heap, in the exact size.
    pub(super) fn kept(&self) -> Program<'static> {
        let Program { ref moves, ref tables, ref registers, ref rows, ref gathers, .. } = *self;
        Program {
            moves: moves.kept(),
            tables: tables.kept(),
            registers: registers.clone(),
            rows: rows.clone(),
            gathers: gathers.kept(),
            ..*self
        }
    }

    /// Empties the program.
    pub(super) fn clear(&mut self) {
        let Program { moves, tables, gathers, .. } = self;
        *self = Program::of(moves.emptied(), tables.emptied(), gathers.emptied());
    }

    /// Tells whether the program uses the wide permutations of this instruction set. If these move single bytes, there are no
    /// others.
    #[inline(always)]
    fn is_wide<S: Simd>(&self) -> bool {
        S::Wide::GRAIN == 1 || (self.window, self.grain) == (S::Wide::BYTES, S::Wide::GRAIN)
    }

    /// Returns the end of the source bytes that are read if moves overshoot.
    #[inline(always)]
    fn src_overshot(&self) -> isize {
        self.src_over.max(self.src_end.saturating_add(OVERSHOOT as isize))
    }

    /// Tells whether the program reads what it has written.
    pub(in crate::kernel) fn repeats(&self) -> bool {
        self.moves.iter().any(|next| matches!(next, Move::Again { .. }))
    }

    /// Tells whether the program contains rows with fill between them. [`short_rows`] writes such rows if they are short.
    pub(super) fn is_plane(&self) -> bool {
        self.moves.iter().any(|next| matches!(next, Move::Interleave(_)))
    }

    /// Tells whether the program contains a copy.
    pub(super) fn copies(&self) -> bool {
        self.moves.iter().any(|next| matches!(next, Move::Copy { .. }))
    }

    /// Returns the size of the output in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.len
    }

    /// Returns the number of moves.
    pub(crate) fn moves(&self) -> usize {
        self.moves.len()
    }

    /// Adds `count` positions of the output, whose sources are `step` apart. A position is the whole output of `axes`, followed by `gap`
    /// times as much fill.
    pub(super) fn add(
        &mut self,
        packing: Packing,
        unit: usize,
        axes: &[Axis],
        segments: &[&Segments],
        (step, count): (isize, usize),
        gap: usize,
    ) {
        (self.window, self.grain) = (packing.lanes.window, packing.lanes.grain);
        let mut packer = pack::Packer::new(self, packing, unit);
        for i in 0..count as isize {
            packer.axes(axes, segments, i * step);
            packer.gap(axes, gap);
        }
        packer.finish();
    }
}

/// Shells: functions that the macro generates for an instruction set. Each calls the function of its name, in this module or in
/// [`output`](super::output), and has the safety contract of this function. The machine must also have the instruction set.
pub(super) trait Shells: Simd + Sized {
    unsafe fn run_registers(program: &Program, fill: &Pattern, src: *const u8, dst: *mut u8);
    unsafe fn run_program(sheet: &Sheet<'_>, program: &Program, run: Run);
    unsafe fn run_block(sheet: &Sheet<'_>, program: &Program, src: isize, dst: isize);
    unsafe fn run_once(
        sheet: &Sheet<'_>,
        program: &Program,
        next: &Move,
        src: isize,
        dst: isize,
        is_whole: bool,
    );
    unsafe fn run_rows(sheet: &Sheet<'_>, program: &Program, planes: &Batch, rows: &[Run]);
    unsafe fn short_rows(sheet: &Sheet<'_>, blocks: &Batch, rows: &Bodies);
    unsafe fn run_bordered(sheet: &Sheet<'_>, program: &Program, planes: &Batch, rows: &[Run]);
    unsafe fn run_planes_of_rows(sheet: &Sheet<'_>, program: &Program, rows: &[Run], planes: Run);
    unsafe fn run_batch(sheet: &Sheet<'_>, program: &Program, blocks: &Batch, is_whole: bool);
    unsafe fn run_move(sheet: &Sheet<'_>, program: &Program, next: &Move, batch: &Batch);
    unsafe fn run_merge(sheet: &Sheet<'_>, program: &Program, next: &Move, batch: &Batch);
    unsafe fn stream_program(sheet: &mut Sheet<'_>, program: &Program, run: Run);
    unsafe fn write_fill(sheet: &mut Sheet<'_>, depth: usize, at: isize, count: usize);
    unsafe fn fill_lines(fetch: Fetch, fill: &Pattern, dst: *mut u8, bytes: usize);
    unsafe fn write_again(sheet: &Sheet<'_>, distance: isize, at: isize, bytes: isize);
    unsafe fn finish_stream(sheet: &mut Sheet<'_>);
}
