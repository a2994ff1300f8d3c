//! Programs, run.

use super::lanes::{Lanes, splat};
use super::number::Number;
use super::program::{Pick, Program, Stage, Sum, Table};
use crate::kernel::memory::{CLAIMED, copy_lines};
use crate::kernel::raw::{copy_exact, get, put};
use crate::kernel::simd::{LINE, Simd, prefetch};

/// Where blocks lie in a buffer, in numbers: the first of them, and how far each is from the last one.
#[derive(Clone, Copy)]
pub(super) struct Spread {
    pub(super) first: usize,
    pub(super) step: isize,
}

impl Spread {
    /// Where `count` blocks lie from the lowest one on, and where that one lies. The first is `at` some number.
    #[inline(always)]
    pub(super) fn from_lowest(at: usize, step: isize, count: usize) -> (Spread, usize) {
        let lowest = at.wrapping_add_signed((count as isize - 1) * step.min(0));
        (Spread { first: at - lowest, step }, lowest)
    }

    /// Behind the last number of blocks of which each takes `length`.
    #[inline(always)]
    pub(super) fn end(self, count: usize, length: usize) -> usize {
        self.first + length + (count - 1) * self.step.max(0) as usize
    }

    /// Whether all of these blocks lie within `numbers` numbers.
    #[inline(always)]
    fn is_within(self, count: usize, length: usize, numbers: usize) -> bool {
        let lowest = self.first as isize + (count as isize - 1) * self.step.min(0);
        lowest >= 0 && self.end(count, length) <= numbers
    }
}

/// What a program reads and writes.
pub(super) struct Buffers<'a> {
    /// The output's gradient, from the first block on. If it is none, its numbers are sums in the first buffer.
    pub(super) gradient: Option<&'a [u8]>,
    pub(super) first: &'a mut [u8],
    pub(super) second: &'a mut [u8],
    /// Where the last stage writes, and whether it rounds.
    pub(super) dst: &'a mut [u8],
    pub(super) narrows: bool,
    /// Where rows that are blocks are read and written if they do not lie one behind the other.
    pub(super) read: Option<Spread>,
    pub(super) written: Option<Spread>,
}

impl Program {
    /// The numbers that so many blocks read and write, with those behind them.
    #[inline(always)]
    pub(super) fn extents(&self, blocks: usize) -> (usize, usize) {
        let last = self.stages.len() - 1;
        (self.stages[0].extent(blocks).0, self.stages[last].extent(blocks).1)
    }

    /// Behind the last number that is read of a row, if blocks are rows that are summed one by one: those may lie anywhere.
    #[inline(always)]
    pub(super) fn row_reach(&self) -> Option<usize> {
        match self.stages[..] {
            [Stage { rows: 1, group: 1, reach, .. }] => Some(reach),
            _ => None,
        }
    }
}

/// Sums blocks.
///
/// # Panics
///
/// If a buffer is shorter than the program needs.
#[inline(always)]
pub(super) fn run_program<N: Number, S: Simd, L: Lanes>(
    program: &Program,
    buffers: Buffers<'_>,
    blocks: usize,
    removed: N::Sum,
) {
    let Buffers { gradient, mut first, mut second, dst, narrows, read, written } = buffers;
    let last = program.stages.len() - 1;
    for (number, stage) in program.stages.iter().enumerate() {
        let gradient = gradient.filter(|_| number == 0);
        let beside = |step: usize| Spread { first: 0, step: step as isize };
        let job = Job {
            stage,
            tables: &program.tables,
            groups: stage.groups(blocks),
            read: read.filter(|_| number == 0).unwrap_or(beside(stage.steps.0)),
            written: written.filter(|_| number == last).unwrap_or(beside(stage.steps.1)),
            removed,
            fetched: gradient.is_some(),
        };
        // Types whose sums are of the same length need one of these.
        let other = size_of::<N::Bytes>() != size_of::<N::Sum>();
        let from: &[u8] = gradient.unwrap_or(first);
        let to: &mut [u8] = if number == last { &mut *dst } else { &mut *second };
        match (gradient.is_some() && other, number == last && narrows && other) {
            (false, false) => run_stage::<N, S, L, false, false>(&job, from, to),
            (false, true) => run_stage::<N, S, L, false, true>(&job, from, to),
            (true, false) => run_stage::<N, S, L, true, false>(&job, from, to),
            (true, true) => run_stage::<N, S, L, true, true>(&job, from, to),
        }
        core::mem::swap(&mut first, &mut second);
    }
}

struct Job<'a, N: Number> {
    stage: &'a Stage,
    tables: &'a [Table],
    groups: usize,
    read: Spread,
    written: Spread,
    removed: N::Sum,
    /// Whether the source is the output's gradient, and no sums that were just made.
    fetched: bool,
}

/// Runs a stage from numbers or from sums (`WIDENS`), to sums or to numbers (`NARROWS`).
#[inline(always)]
fn run_stage<N: Number, S: Simd, L: Lanes, const WIDENS: bool, const NARROWS: bool>(
    job: &Job<'_, N>,
    src: &[u8],
    dst: &mut [u8],
) {
    let Job { stage, tables, groups, read, written, removed, fetched } = *job;
    let (of_src, of_dst) = (bytes::<N>(WIDENS), bytes::<N>(NARROWS));
    assert!(read.is_within(groups, stage.reach, src.len() / of_src));
    assert!(written.is_within(groups, stage.steps.1, dst.len() / of_dst));
    let (neutral, removed) = (splat::<N, L>(N::NEUTRAL), splat::<N, L>(removed));
    let mut src = src.as_ptr().wrapping_add(read.first * of_src);
    let mut dst = dst.as_mut_ptr().wrapping_add(written.first * of_dst);
    let steps = (read.step * of_src as isize, written.step * of_dst as isize);
    let long = stage.group == 1 && stage.steps.0 * of_src >= LONG_ROW;
    let batch = if fetched && long { SHORT_BATCH } else { BATCH };
    let mut left = groups;
    while left > 0 {
        let groups = left.min(batch);
        let place = Place::<WIDENS, NARROWS> { src, dst, steps, groups, ahead: batch as isize * steps.0 };
        for one in &stage.moves {
            // SAFETY:
            // - The machine has the instruction set: this is inlined into a shell of it.
            // - Reads and writes: a group's are within its reach, as whoever packed the stage counted, and all groups' within
            //   what was asserted above. Moves and picks name terms and tables of this program.
            // - Indices: tables name numbers of one register, or none.
            unsafe {
                match *one {
                    Sum::Run { dst, count, exact, terms } => {
                        let terms = stage.terms.get_unchecked(terms.0 as usize..terms.1 as usize);
                        let place = place.at::<N>(dst);
                        match *terms {
                            [one] if WIDENS == NARROWS => place.copy::<N, S>(one, count as usize),
                            _ => place.run::<N, L>(terms, count as usize, exact, removed),
                        }
                    }
                    Sum::Gather { dst, count, picks, apart, removed: cleared } => {
                        let picks = stage.picks.get_unchecked(picks.0 as usize..picks.1 as usize);
                        let place = place.at::<N>(dst);
                        let count = count as usize;
                        let table = |at: u32| get(tables.get_unchecked(at as usize).0.as_ptr());
                        // Narrow registers gain less from that than it takes in code.
                        let unrolled = L::BYTES == 64 && apart && cleared.is_none();
                        match (picks.len(), unrolled) {
                            (1, true) => place.gather::<N, L, 1>(picks, tables, count, neutral),
                            (2, true) => place.gather::<N, L, 2>(picks, tables, count, neutral),
                            (3, true) => place.gather::<N, L, 3>(picks, tables, count, neutral),
                            (4, true) => place.gather::<N, L, 4>(picks, tables, count, neutral),
                            (6, true) => place.gather::<N, L, 6>(picks, tables, count, neutral),
                            _ => {
                                let cleared = cleared.map(|at| (removed, table(at)));
                                place.gather_many::<N, L>(picks, tables, count, neutral, cleared);
                            }
                        }
                    }
                }
            }
        }
        src = src.wrapping_offset(groups as isize * steps.0);
        dst = dst.wrapping_offset(groups as isize * steps.1);
        left -= groups;
    }
}

/// Groups that a move is made for before the next move.
const BATCH: usize = 32;

/// A batch of long rows of the output's gradient is short: more are not in the nearest cache yet when the next batch's first
/// move comes to them. Gradients of rows of 248 bytes took 1.1 to 1.25 times as long in batches of 32, those of rows of 116
/// bytes 0.95 to 1 times, and those of groups of shorter rows 0.9 times (Xeon with AMX).
const SHORT_BATCH: usize = 8;
const LONG_ROW: usize = 192;

/// Where the groups of a batch lie, of numbers (`WIDENS`, `NARROWS`) or of sums, and how many bytes they are apart.
#[derive(Clone, Copy)]
struct Place<const WIDENS: bool, const NARROWS: bool> {
    src: *const u8,
    dst: *mut u8,
    steps: (isize, isize),
    groups: usize,
    /// The prefetch distance: to the next batch.
    ahead: isize,
}

/// The bytes of a number, or of a sum.
const fn bytes<N: Number>(number: bool) -> usize {
    if number { size_of::<N::Bytes>() } else { size_of::<N::Sum>() }
}

/// The contract of its methods:
/// - The machine has the instruction set.
/// - In every group all registers that are read and written are within memory that may be.
/// - Tables name numbers of one register, or none.
impl<const WIDENS: bool, const NARROWS: bool> Place<WIDENS, NARROWS> {
    #[inline(always)]
    fn at<N: Number>(mut self, dst: u32) -> Self {
        self.dst = self.dst.wrapping_add(dst as usize * bytes::<N>(NARROWS));
        self
    }

    #[inline(always)]
    unsafe fn load<N: Number, L: Lanes>(self, number: u32) -> L::Register {
        // SAFETY: the contract.
        unsafe {
            let src = self.src.add(number as usize * bytes::<N>(WIDENS));
            if WIDENS { L::widen::<N>(src) } else { get(src) }
        }
    }

    /// Writes the first `count` sums of a register.
    #[inline(always)]
    unsafe fn store<N: Number, L: Lanes>(self, at: usize, sums: L::Register, count: usize) {
        let whole = count * size_of::<N::Sum>() >= L::BYTES;
        // SAFETY: the contract.
        unsafe {
            let dst = self.dst.add(at * bytes::<N>(NARROWS));
            match (whole, NARROWS) {
                (true, true) => L::narrow::<N>(dst, sums),
                (true, false) => put(dst, sums),
                (false, true) => L::narrow_part::<N>(dst, sums, count),
                (false, false) => L::store_part(dst, sums, count * size_of::<N::Sum>()),
            }
        }
    }

    #[inline(always)]
    fn next(&mut self) {
        self.src = self.src.wrapping_offset(self.steps.0);
        self.dst = self.dst.wrapping_offset(self.steps.1);
    }

    /// Neighbours that nothing is added to, and that are not rounded.
    #[inline(always)]
    unsafe fn copy<N: Number, S: Simd>(mut self, number: u32, count: usize) {
        let length = count * bytes::<N>(NARROWS);
        self.src = self.src.wrapping_add(number as usize * bytes::<N>(WIDENS));
        // SAFETY: the contract.
        unsafe {
            seq_macro::seq!(LINES in 1..=8 {
                match length.div_ceil(LINE) {
                    #(LINES if length >= LINE => for _ in 0..self.groups {
                        for line in 0..LINES {
                            prefetch(self.src.wrapping_add(line * LINE).wrapping_offset(self.ahead));
                        }
                        copy_lines::<S, LINES>(self.src, self.dst, length, CLAIMED as isize);
                        self.next();
                    },)*
                    _ => for _ in 0..self.groups {
                        copy_exact(self.src, self.dst, length);
                        self.next();
                    },
                }
            });
        }
    }

    /// Sums of neighbours. What the last register has behind them is written, too, unless it is to be `exact`.
    #[inline(always)]
    unsafe fn run<N: Number, L: Lanes>(
        mut self,
        terms: &[u32],
        count: usize,
        exact: bool,
        removed: L::Register,
    ) {
        let lanes = L::BYTES / size_of::<N::Sum>();
        // SAFETY: the contract.
        unsafe {
            for _ in 0..self.groups {
                for i in (0..count).step_by(lanes) {
                    let wanted = if exact { count - i } else { lanes };
                    let at = |term: u32| term + i as u32;
                    match *terms {
                        [one] => self.store::<N, L>(i, self.load::<N, L>(at(one)), wanted),
                        [one, other] => {
                            let sums = L::add::<N>(self.load::<N, L>(at(one)), self.load::<N, L>(at(other)));
                            self.store::<N, L>(i, sums, wanted);
                        }
                        [one, ref others @ ..] => {
                            let mut sums = self.load::<N, L>(at(one));
                            for &term in others {
                                sums = L::add::<N>(sums, self.load::<N, L>(at(term)));
                            }
                            self.store::<N, L>(i, sums, wanted);
                        }
                        [] => self.store::<N, L>(i, removed, wanted),
                    }
                }
                self.next();
            }
        }
    }

    /// `PICKS` permutations, each of which is added.
    #[inline(always)]
    unsafe fn gather<N: Number, L: Lanes, const PICKS: usize>(
        mut self,
        picks: &[Pick],
        tables: &[Table],
        count: usize,
        neutral: L::Register,
    ) {
        // SAFETY: the contract.
        unsafe {
            let picks: [Pick; PICKS] = core::array::from_fn(|i| *picks.get_unchecked(i));
            let index: [L::Register; PICKS] =
                picks.map(|pick| get(tables.get_unchecked(pick.table as usize).0.as_ptr()));
            for _ in 0..self.groups {
                let mut sums = L::permute(neutral, self.load::<N, L>(picks[0].src), index[0]);
                for i in 1..PICKS {
                    let taken = L::permute(neutral, self.load::<N, L>(picks[i].src), index[i]);
                    sums = L::add::<N>(sums, taken);
                }
                self.store::<N, L>(0, sums, count);
                self.next();
            }
        }
    }

    /// Any number of permutations, and what is put in the place of sums of nothing.
    #[inline(always)]
    unsafe fn gather_many<N: Number, L: Lanes>(
        mut self,
        picks: &[Pick],
        tables: &[Table],
        count: usize,
        neutral: L::Register,
        cleared: Option<(L::Register, L::Register)>,
    ) {
        // SAFETY: the contract.
        unsafe {
            for _ in 0..self.groups {
                let (mut sums, mut taken) = (neutral, neutral);
                for pick in picks {
                    let index = get(tables.get_unchecked(pick.table as usize).0.as_ptr());
                    taken = L::permute(taken, self.load::<N, L>(pick.src), index);
                    if pick.last {
                        sums = L::add::<N>(sums, taken);
                        taken = neutral;
                    }
                }
                if let Some((removed, index)) = cleared {
                    sums = L::permute(sums, removed, index);
                }
                self.store::<N, L>(0, sums, count);
                self.next();
            }
        }
    }
}
