//! Programs: the innermost axes of a plan as a list of moves, worked out once and run for every block of the output.
//!
//! A block is one row, a few rows, whole planes, or of a small plan all there is. Its moves are in the order of the output,
//! and few, whatever the mode: what is next to each other in the output is gathered by permutations of registers.

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
pub(super) use moves::{Batch, rows_apart};
pub(super) use planes::{MOST_RUNS, run_planes, run_planes_of_rows, short_rows};
pub(super) use registers::run_registers;
pub(super) use rows::run_rows;
pub(super) use run::{FAR, Run, run_batch, run_block, run_move, run_once, run_program};
pub(super) use stream::stream_program;

/// The moves of a block. Places are bytes from the block's beginning in the source and in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program<'a> {
    moves: Entries<'a, Move>,
    /// The indices of permutations.
    tables: Entries<'a, Table>,
    /// Bytes of the registers that are permuted, or 0 if none are.
    window: usize,
    /// Bytes that they move together.
    grain: usize,
    /// The lowest place that is needed, and behind the last one; behind the last one that is read where registers are whole.
    src_start: isize,
    src_end: isize,
    src_over: isize,
    /// The place behind the last byte that is read, where consecutive blocks are written as rows.
    src_rows: isize,
    /// Bytes of the output.
    len: usize,
    /// The moves of a block that is all there is, if they are nothing but registers.
    registers: Option<Box<Registers>>,
    /// Those of one of several blocks.
    rows: Option<Rows>,
    /// Their registers.
    gathers: Entries<'a, Gather>,
}

/// Room to pack a program in without an allocation, for calls that make their plan.
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

/// Indices of a permutation, in a line of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
struct Table([u8; BLOCK]);

impl Table {
    /// Those that take nothing: all is fill.
    const NOTHING: Table = Table([0x80; BLOCK]);
}

/// Neighbours in the output that are made in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Neighbours of the source.
    Copy { src: isize, dst: usize, bytes: usize },
    /// Fill.
    Fill { dst: usize, bytes: usize },
    /// A register of bytes of a window of the source, and fill, by a table. What is behind its `bytes` is overwritten later.
    Gather { window: Window, dst: usize, table: usize, bytes: usize },
    /// A register of bytes of two windows of the source, by two tables.
    GatherTwo { windows: [Window; 2], dst: usize, table: usize, bytes: usize },
    /// A register of bytes of two windows, made `count` times, with windows `step` apart, of which `bytes` bytes each are written. No bytes of the second window
    /// are none of it.
    Permute { windows: [Window; 2], step: isize, table: usize, dst: usize, bytes: usize, count: usize },
    /// Bodies with fill between them.
    Interleave(Bodies),
    /// `count` registers, of which `bytes` bytes each are written, merged from `windows` windows that are `across` apart, by as many
    /// tables. From one register to the next it is `step` in the source. Nothing is read of all windows but what the first mask
    /// says, and of the last one the second.
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
    /// What was written from `from` on, repeated.
    Again { from: usize, dst: usize, bytes: usize },
}

/// `count` bodies of `body` bytes, `step` apart in the source, with `gap` bytes between each two in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bodies {
    src: isize,
    step: isize,
    body: usize,
    dst: usize,
    gap: usize,
    count: usize,
}

/// Bytes of the source that a permutation takes from one register. A window of no bytes is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    src: isize,
    bytes: usize,
}

/// The permutations to pack programs for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes {
    /// Bytes of a register, or 0 if there are no permutations.
    pub(crate) window: usize,
    /// Bytes that move together.
    pub(crate) grain: usize,
    /// Bytes of a register that is not permuted.
    pub(crate) whole: usize,
    /// Neighbours of at least so many bytes are copied, and not gathered with what is around them: all, if there are no permutations.
    pub(crate) copied: usize,
    /// Bytes of a register that is merged from windows of which nothing is read but what is taken, or 0 if there are none.
    pub(crate) merged: usize,
}

/// Neighbours of so many bytes are copied where single bytes are permuted, whatever the registers: of 32 bytes they are two of the
/// shortest. Rows of 38 to 60 bytes took 1.2 to 1.7 times as long with copies from 64 bytes on (EPYC with AVX2).
const COPIED_FROM: usize = 32;

impl Lanes {
    /// No permutations: units that are no neighbours move one by one.
    pub(super) const NONE: Lanes = Lanes { window: 0, grain: 1, whole: LINE, copied: 0, merged: 0 };

    /// The widest permutations of an instruction set that move units of `unit` bytes. Of the wide ones neighbours of two registers are
    /// copied: where those are of 16 or 32 bytes, mirrored pixels of 4 and 12 bytes and axes of six complex numbers took 0.6 to
    /// 0.75 times as long as with copies from 128 bytes on (EPYC with AVX2).
    pub(super) const fn of<S: Simd>(unit: usize) -> Lanes {
        let whole = size_of::<S::Register>();
        if unit.is_multiple_of(S::Wide::GRAIN) {
            let merged = if S::Wide::MASKS { S::Wide::BYTES } else { 0 };
            Lanes { window: S::Wide::BYTES, grain: S::Wide::GRAIN, whole, copied: 2 * S::Wide::BYTES, merged }
        } else {
            Lanes { window: S::Narrow::BYTES, grain: 1, whole, copied: COPIED_FROM, merged: 0 }
        }
    }

    /// Whether the permutations are wide ones, each of which is one instruction or two.
    const fn are_wide(self) -> bool {
        self.window == LINE || self.grain > 1
    }

    /// Whether a permutation is seven instructions: that of single bytes in registers of two halves.
    pub(super) const fn are_slow(self) -> bool {
        self.window == LINE / 2 && self.grain == 1
    }

    /// Those for rows between whose elements nothing may be read.
    pub(super) const fn apart(self) -> Lanes {
        Lanes { grain: self.grain, merged: self.merged, ..Lanes::NONE }
    }
}

/// What a program is packed for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packing {
    pub(super) lanes: Lanes,
    /// It is run once, or a few times: it is packed the faster.
    pub(super) once: bool,
    /// Its output stays in the cache, and is read again.
    pub(super) repeats: bool,
}

/// Where permutations are slow less than a register is copied, too, unless rows are whole multiples of so many bytes and share tables. 62 planes of
/// 31 by 31 bytes took 1.9 times as long permuted, and 306 of 14 by 14 halves 0.5 times (Zen 3, AVX2).
const SHORTEST_COPY: usize = 22;
const SHARING: usize = 8;

/// So is that much of rows with fill that are longer than a register. 87 shapes of such rows of 33 to 96 bytes took 0.72 of the time so on average
/// (Zen 3, AVX2).
const SHORTEST_WITH_FILL: usize = 17;

/// Where registers are shorter than a line and a row has more fill than so many bytes its elements are copied however few they are. Short rows with
/// 70 to 1200 bytes of fill took 0.4 to 1.05 times as long copied, and with less fill up to 2.7 times (Zen 3, AVX2).
const LONG_BORDERS: usize = LINE;

/// What of a row is fill before its elements, the first of these and how many, if they are neighbours that are copied where these
/// are the permutations.
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
    // One register is, where fill is of shorter ones: 256 planes of 13 by 13 floats with gaps of 6 took 2.7 times as long, of 10 by 10 with
    // gaps of 2 1.3 times, as registers of both (Zen 3, AVX2).
    let least = match lanes.window {
        LINE => lanes.copied,
        _ if (row.out - count) * unit > LONG_BORDERS => unit,
        _ if row.out * unit > lanes.window => SHORTEST_WITH_FILL.min(lanes.copied).min(lanes.whole),
        _ if lanes.are_slow() && !(row.out * unit).is_multiple_of(SHARING) => SHORTEST_COPY,
        _ => lanes.copied.min(lanes.whole),
    };
    (row.src_stride == unit as isize && count * unit >= least).then_some((low, from, count))
}

impl Move {
    /// Any of the permutations in its most general form: windows, from one time to the next, first table, place, bytes written
    /// each time and how often.
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
    /// How many copies, registers and the like it is made of.
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
    /// An empty program.
    #[inline(always)]
    pub(super) fn within(Space { moves, tables, gathers }: &'a mut Space) -> Program<'a> {
        Program::of(moves.lend(), tables.lend(), gathers.lend())
    }

    /// One of these lists, which are empty.
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

    /// A copy that takes no more memory than it needs.
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

    /// Makes it empty again.
    pub(super) fn clear(&mut self) {
        let Program { moves, tables, gathers, .. } = self;
        *self = Program::of(moves.emptied(), tables.emptied(), gathers.emptied());
    }

    /// Whether the registers that are permuted are the wide ones of this instruction set. Where these move single bytes there are no
    /// others, and no code for them.
    #[inline(always)]
    fn is_wide<S: Simd>(&self) -> bool {
        S::Wide::GRAIN == 1 || (self.window, self.grain) == (S::Wide::BYTES, S::Wide::GRAIN)
    }

    /// Behind the last place that is read where moves overshoot.
    #[inline(always)]
    fn src_overshot(&self) -> isize {
        self.src_over.max(self.src_end.saturating_add(OVERSHOOT as isize))
    }

    /// Whether it reads what it wrote.
    pub(in crate::kernel) fn repeats(&self) -> bool {
        self.moves.iter().any(|next| matches!(next, Move::Again { .. }))
    }

    /// Whether any of its moves is a copy.
    pub(super) fn copies(&self) -> bool {
        self.moves.iter().any(|next| matches!(next, Move::Copy { .. }))
    }

    /// Bytes of the output.
    pub(super) fn bytes(&self) -> usize {
        self.len
    }

    /// How many moves.
    pub(crate) fn moves(&self) -> usize {
        self.moves.len()
    }

    /// Adds `count` positions of the output, each all of `axes` and then `gap` such positions of fill. Their sources are `step`
    /// apart.
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

/// Functions compiled for an instruction set, which the macro writes: each calls the function of its name, here or in
/// [`output`](super::output).
///
/// The contract of them all: that of the function, and the machine has the instruction set.
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
    unsafe fn run_planes(sheet: &Sheet<'_>, program: &Program, blocks: &Batch);
    unsafe fn short_rows(sheet: &Sheet<'_>, blocks: &Batch, rows: &Bodies, between: usize);
    unsafe fn run_bordered(sheet: &Sheet<'_>, program: &Program, planes: &Batch, rows: &[Run]);
    unsafe fn run_planes_of_rows(sheet: &Sheet<'_>, program: &Program, rows: &[Run], planes: Run);
    unsafe fn run_batch(sheet: &Sheet<'_>, program: &Program, blocks: &Batch, is_whole: bool);
    unsafe fn run_move(sheet: &Sheet<'_>, program: &Program, next: &Move, batch: &Batch);
    unsafe fn run_merge(sheet: &Sheet<'_>, program: &Program, next: &Move, batch: &Batch);
    unsafe fn stream_program(sheet: &mut Sheet<'_>, program: &Program, run: Run);
    unsafe fn write_fill(sheet: &mut Sheet<'_>, depth: usize, at: isize, count: usize);
    unsafe fn fill_lines(fetch: Fetch, fill: &Pattern, dst: *mut u8, bytes: usize);
    unsafe fn rows_apart(sheet: &Sheet<'_>, bodies: &Batch, body: usize, room: usize);
    unsafe fn write_again(sheet: &Sheet<'_>, distance: isize, at: isize, bytes: isize);
    unsafe fn finish_stream(sheet: &mut Sheet<'_>);
}
