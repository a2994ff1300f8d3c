//! Programs, run.

use super::Spread;
use super::blocks::MOST_TERMS;
use super::lanes::{Lanes, splat};
use super::number::Number;
use super::program::{Part, Pick, Program, Stage, Sum, Table};
use crate::kernel::memory::{CLAIMED, copy_lines};
use crate::kernel::raw::{copy_exact, get, put};
use crate::kernel::simd::{LINE, Simd, prefetch};

/// What a program reads and writes.
pub(super) struct Buffers<'a> {
    /// The output's gradient. If it is none, its numbers were copied to the first buffer.
    pub(super) gradient: Option<&'a [u8]>,
    /// Where the blocks lie in it: one that is summed is that of all of these places, at most [`MOST_TERMS`] and one if blocks are
    /// no rows. Those lie one behind the other.
    pub(super) reads: &'a [Spread],
    pub(super) first: &'a mut [u8],
    pub(super) second: &'a mut [u8],
    /// Where the last stage writes, and whether it rounds.
    pub(super) dst: &'a mut [u8],
    pub(super) written: Spread,
    pub(super) narrows: bool,
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
    let Buffers { gradient, reads, mut first, mut second, dst, narrows, written } = buffers;
    let last = program.stages.len() - 1;
    let has_rows = program.row_reach().is_some();
    for (number, stage) in program.stages.iter().enumerate() {
        let gradient = if number == 0 { gradient } else { None };
        // Rows lie where they are, and what is not a row lies one behind the other.
        let beside = [Spread {
            first: if gradient.is_some() { reads[0].first } else { 0 },
            step: stage.steps.0 as isize,
        }];
        let step = if has_rows { written.step } else { stage.steps.1 as isize };
        let job = Job {
            stage,
            tables: &program.tables,
            groups: stage.groups(blocks),
            reads: if has_rows && gradient.is_some() { reads } else { &beside },
            written: Spread { first: if number == last { written.first } else { 0 }, step },
            removed,
            fetched: gradient.is_some(),
        };
        // Types whose sums are of the same length need one of these.
        let other = size_of::<N::Bytes>() != size_of::<N::Sum>();
        let from: &[u8] = gradient.unwrap_or(first);
        let to: &mut [u8] = if number == last { &mut *dst } else { &mut *second };
        match (number == 0 && other, number == last && narrows && other) {
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
    reads: &'a [Spread],
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
    let Job { stage, tables, groups, reads, written, removed, fetched } = *job;
    let (of_src, of_dst) = (bytes::<N>(WIDENS), bytes::<N>(NARROWS));
    let mut sources = [Source { src: src.as_ptr(), step: 0 }; MOST_TERMS];
    let sources = &mut sources[..reads.len()];
    for (source, read) in sources.iter_mut().zip(reads) {
        assert!(read.is_within(groups, stage.reach, src.len() / of_src));
        source.src = source.src.wrapping_add(read.first * of_src);
        source.step = read.step * of_src as isize;
    }
    assert!(written.is_within(groups, stage.steps.1, dst.len() / of_dst));
    let (neutral, removed) = (splat::<N, L>(N::NEUTRAL), splat::<N, L>(removed));
    let mut dst = dst.as_mut_ptr().wrapping_add(written.first * of_dst);
    let step = written.step * of_dst as isize;
    let long = stage.group == 1 && stage.steps.0 * of_src >= LONG_ROW;
    let batch = if fetched && long { SHORT_BATCH } else { BATCH };
    let alone = sources.len() == 1;
    let short = stage.group == 1 && stage.steps.0 * of_src <= EARLY_ROW;
    let early = fetched && alone && short && !stage.picks.is_empty();
    let mut left = groups;
    while left > 0 {
        let groups = left.min(batch);
        let place = Place::<WIDENS, NARROWS> { source: sources[0], sources, dst, step, groups, batch, early };
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
                            [one] if WIDENS == NARROWS && alone => place.copy::<N, S>(one, count as usize),
                            _ => place.run::<N, L>(terms, count as usize, exact, removed),
                        }
                    }
                    Sum::Gather { parts, picks, each, filled, removed: cleared } => {
                        let picks = stage.picks.get_unchecked(picks.0 as usize..picks.1 as usize);
                        let table = |at: u32| get(tables.get_unchecked(at as usize).0.as_ptr());
                        // Narrow registers gain less from that than it takes in code.
                        let unrolled = L::BYTES == 64 && cleared.is_none();
                        match (picks.len(), each, filled && unrolled) {
                            (2, 1, true) => place.gather::<N, L, 2, 1, true>(picks, tables, parts, neutral),
                            (4, 2, true) => place.gather::<N, L, 4, 2, true>(picks, tables, parts, neutral),
                            (6, 2, true) => place.gather::<N, L, 6, 2, true>(picks, tables, parts, neutral),
                            (8, 2, true) => place.gather::<N, L, 8, 2, true>(picks, tables, parts, neutral),
                            (1, 1, _) if unrolled => {
                                place.gather::<N, L, 1, 1, false>(picks, tables, parts, neutral)
                            }
                            (2, 1, _) if unrolled => {
                                place.gather::<N, L, 2, 1, false>(picks, tables, parts, neutral)
                            }
                            (3, 1, _) if unrolled => {
                                place.gather::<N, L, 3, 1, false>(picks, tables, parts, neutral)
                            }
                            (4, 1, _) if unrolled => {
                                place.gather::<N, L, 4, 1, false>(picks, tables, parts, neutral)
                            }
                            _ => {
                                let cleared = cleared.map(|at| (removed, table(at)));
                                place.gather_many::<N, L>(picks, tables, parts, neutral, cleared);
                            }
                        }
                    }
                }
            }
        }
        for source in &mut *sources {
            *source = source.at(groups);
        }
        dst = dst.wrapping_offset(groups as isize * step);
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

/// Rows of the output's gradient up to this long are prefetched where borders are permuted: copies wait for memory as it is, and
/// permutations do not. Gradients of rows of 116 and 124 bytes took 0.89 to 0.94 times as long as with copies that prefetch, those
/// of rows of 248 bytes 1.0 to 1.02 times (Xeon with AMX).
const EARLY_ROW: usize = 2 * LINE;

/// Where some groups lie that are read, and how many bytes they are apart.
#[derive(Clone, Copy)]
struct Source {
    src: *const u8,
    step: isize,
}

impl Source {
    /// From some group on.
    #[inline(always)]
    fn at(self, group: usize) -> Source {
        Source { src: self.src.wrapping_offset(group as isize * self.step), ..self }
    }
}

/// Where the groups of a batch lie, of numbers (`WIDENS`, `NARROWS`) or of sums: those of all sources are added up.
#[derive(Clone, Copy)]
struct Place<'a, const WIDENS: bool, const NARROWS: bool> {
    source: Source,
    sources: &'a [Source],
    dst: *mut u8,
    step: isize,
    groups: usize,
    /// The groups of a whole batch: the prefetch distance.
    batch: usize,
    /// Whether rows are prefetched by permutations, and not by copies.
    early: bool,
}

/// The bytes of a number, or of a sum.
const fn bytes<N: Number>(number: bool) -> usize {
    if number { size_of::<N::Bytes>() } else { size_of::<N::Sum>() }
}

/// The contract of its methods:
/// - The machine has the instruction set.
/// - In every group all registers that are read and written are within memory that may be.
/// - Tables name numbers of one register, or none.
impl<const WIDENS: bool, const NARROWS: bool> Place<'_, WIDENS, NARROWS> {
    #[inline(always)]
    fn at<N: Number>(mut self, dst: u32) -> Self {
        self.dst = self.dst.wrapping_add(dst as usize * bytes::<N>(NARROWS));
        self
    }

    #[inline(always)]
    unsafe fn load<N: Number, L: Lanes>(self, number: u32) -> L::Register {
        // SAFETY: the contract.
        unsafe {
            let src = self.source.src.add(number as usize * bytes::<N>(WIDENS));
            if WIDENS { L::widen::<N>(src) } else { get(src) }
        }
    }

    /// The numbers at `pick`, brought to their lanes, and those of `base` elsewhere.
    #[inline(always)]
    unsafe fn pick<N: Number, L: Lanes>(
        self,
        base: L::Register,
        pick: Pick,
        index: L::Register,
    ) -> L::Register {
        // SAFETY: the contract.
        unsafe {
            let src = self.source.src.add(pick.src as usize * bytes::<N>(WIDENS));
            if WIDENS { L::pick::<N>(base, src, index) } else { L::permute(base, get(src), index) }
        }
    }

    /// What a table names of the numbers at `pick`, before they are made sums. Elsewhere it is anything.
    #[inline(always)]
    unsafe fn take<N: Number, L: Lanes>(self, pick: Pick, index: L::Register) -> L::Register {
        // SAFETY: the contract.
        unsafe {
            let src = self.source.src.add(pick.src as usize * bytes::<N>(WIDENS));
            let numbers = if WIDENS && !N::IS_UPPER { L::widen::<N>(src) } else { get(src) };
            L::take(numbers, index)
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
                (false, true) => L::narrow_lanes::<N>(dst, sums, 0..count),
                (false, false) => L::store_bytes(dst, sums, 0..count * size_of::<N::Sum>()),
            }
        }
    }

    /// Writes the parts of a register.
    #[inline(always)]
    unsafe fn store_parts<N: Number, L: Lanes>(self, sums: L::Register, parts: [Part; 2]) {
        let [first, second] = parts;
        let (start, end) = (first.count as usize, (first.count + second.count) as usize);
        // SAFETY: the contract.
        unsafe {
            self.store::<N, L>(first.dst as usize, sums, start);
            if start == end {
                return;
            }
            let dst = self.dst.add(second.dst as usize * bytes::<N>(NARROWS));
            let sum = size_of::<N::Sum>();
            if NARROWS {
                L::narrow_lanes::<N>(dst, sums, start..end);
            } else {
                L::store_bytes(dst, sums, start * sum..end * sum);
            }
        }
    }

    #[inline(always)]
    fn next(&mut self) {
        self.source = self.source.at(1);
        self.dst = self.dst.wrapping_offset(self.step);
    }

    /// Prefetches a row of the next batch, if that is to be early.
    #[inline(always)]
    fn fetch(self) {
        let ahead = self.source.at(self.batch).src;
        for line in 0..if self.early { EARLY_ROW / LINE } else { 0 } {
            prefetch(ahead.wrapping_add(line * LINE));
        }
    }

    /// With another source, from some group on.
    #[inline(always)]
    fn from(self, other: Source, group: usize) -> Self {
        Place { source: other.at(group), ..self }
    }

    /// Neighbours that nothing is added to, and that are not rounded.
    #[inline(always)]
    unsafe fn copy<N: Number, S: Simd>(mut self, number: u32, count: usize) {
        let length = count * bytes::<N>(NARROWS);
        let Source { src, step } = self.source;
        let mut src = src.wrapping_add(number as usize * bytes::<N>(WIDENS));
        let ahead = self.batch as isize * step;
        // SAFETY: the contract.
        unsafe {
            seq_macro::seq!(LINES in 1..=8 {
                match length.div_ceil(LINE) {
                    #(LINES if length >= LINE => for _ in 0..self.groups {
                        for line in 0..if self.early { 0 } else { LINES } {
                            prefetch(src.wrapping_add(line * LINE).wrapping_offset(ahead));
                        }
                        copy_lines::<S, LINES>(src, self.dst, length, CLAIMED as isize);
                        src = src.wrapping_offset(step);
                        self.next();
                    },)*
                    _ => for _ in 0..self.groups {
                        copy_exact(src, self.dst, length);
                        src = src.wrapping_offset(step);
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
            for group in 0..self.groups {
                for i in (0..count).step_by(lanes) {
                    let wanted = if exact { count - i } else { lanes };
                    let mut sums = removed;
                    for (number, &source) in self.sources.iter().enumerate() {
                        let some = self.from(source, group).neighbours::<N, L>(terms, i as u32, removed);
                        sums = if number == 0 { some } else { L::add::<N>(sums, some) };
                    }
                    self.store::<N, L>(i, sums, wanted);
                }
                self.next();
            }
        }
    }

    /// A register of sums of neighbours.
    #[inline(always)]
    unsafe fn neighbours<N: Number, L: Lanes>(
        self,
        terms: &[u32],
        at: u32,
        removed: L::Register,
    ) -> L::Register {
        // SAFETY: the contract.
        unsafe {
            let [first, ref others @ ..] = *terms else { return removed };
            let mut sums = self.load::<N, L>(first + at);
            for &term in others {
                sums = L::add::<N>(sums, self.load::<N, L>(term + at));
            }
            sums
        }
    }

    /// Permutations, `EACH` to a term. If it is `FILLED`, all lanes have all terms: those of each part from a permutation of its own
    /// if there are two.
    #[inline(always)]
    unsafe fn gather<N: Number, L: Lanes, const PICKS: usize, const EACH: usize, const FILLED: bool>(
        mut self,
        picks: &[Pick],
        tables: &[Table],
        parts: [Part; 2],
        neutral: L::Register,
    ) {
        // SAFETY: the contract.
        unsafe {
            let picks: [Pick; PICKS] = core::array::from_fn(|i| *picks.get_unchecked(i));
            let index: [L::Register; PICKS] =
                picks.map(|pick| get(tables.get_unchecked(pick.table as usize).0.as_ptr()));
            let first = parts[0].count as usize;
            for group in 0..self.groups {
                let mut sums = neutral;
                self.fetch();
                for (number, &source) in self.sources.iter().enumerate() {
                    let place = self.from(source, group);
                    let some = place.picked::<N, L, PICKS, EACH, FILLED>(&picks, &index, first, neutral);
                    sums = if number == 0 { some } else { L::add::<N>(sums, some) };
                }
                self.store_parts::<N, L>(sums, parts);
                self.next();
            }
        }
    }

    /// A register of sums of permutations.
    #[inline(always)]
    unsafe fn picked<N: Number, L: Lanes, const PICKS: usize, const EACH: usize, const FILLED: bool>(
        self,
        picks: &[Pick; PICKS],
        index: &[L::Register; PICKS],
        first: usize,
        neutral: L::Register,
    ) -> L::Register {
        // SAFETY: the contract.
        unsafe {
            let mut sums = neutral;
            for term in 0..PICKS / EACH {
                let at = term * EACH;
                let taken = if FILLED {
                    let mut taken = self.take::<N, L>(picks[at], index[at]);
                    if EACH == 2 {
                        let second = self.take::<N, L>(picks[at + 1], index[at + 1]);
                        taken = L::join(taken, second, first * size_of::<N::Sum>());
                    }
                    if bytes::<N>(WIDENS) < size_of::<N::Sum>() && N::IS_UPPER {
                        L::upper(taken)
                    } else {
                        taken
                    }
                } else {
                    let mut taken = self.pick::<N, L>(neutral, picks[at], index[at]);
                    for further in at + 1..at + EACH {
                        taken = self.pick::<N, L>(taken, picks[further], index[further]);
                    }
                    taken
                };
                sums = if term == 0 { taken } else { L::add::<N>(sums, taken) };
            }
            sums
        }
    }

    /// Any number of permutations, and what is put in the place of sums of nothing.
    #[inline(always)]
    unsafe fn gather_many<N: Number, L: Lanes>(
        mut self,
        picks: &[Pick],
        tables: &[Table],
        parts: [Part; 2],
        neutral: L::Register,
        cleared: Option<(L::Register, L::Register)>,
    ) {
        // SAFETY: the contract.
        unsafe {
            for group in 0..self.groups {
                self.fetch();
                let mut sums = neutral;
                for (number, &source) in self.sources.iter().enumerate() {
                    let place = self.from(source, group);
                    let some = place.picked_many::<N, L>(picks, tables, neutral, cleared);
                    sums = if number == 0 { some } else { L::add::<N>(sums, some) };
                }
                self.store_parts::<N, L>(sums, parts);
                self.next();
            }
        }
    }

    /// A register of sums of any number of permutations.
    #[inline(always)]
    unsafe fn picked_many<N: Number, L: Lanes>(
        self,
        picks: &[Pick],
        tables: &[Table],
        neutral: L::Register,
        cleared: Option<(L::Register, L::Register)>,
    ) -> L::Register {
        // SAFETY: the contract.
        unsafe {
            let (mut sums, mut taken) = (neutral, neutral);
            for pick in picks {
                let index = get(tables.get_unchecked(pick.table as usize).0.as_ptr());
                taken = self.pick::<N, L>(taken, *pick, index);
                if pick.last {
                    sums = L::add::<N>(sums, taken);
                    taken = neutral;
                }
            }
            match cleared {
                Some((removed, index)) => L::permute(sums, removed, index),
                None => sums,
            }
        }
    }
}
