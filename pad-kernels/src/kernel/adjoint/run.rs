//! Runs programs.

use super::blocks::MOST_TERMS;
use super::lanes::{Lanes, splat};
use super::number::Number;
use super::place::{Copied, EARLY_ROW, Gather, Place, Source, bytes};
use super::program::{Program, Stage, Sum, Table};
use super::{Spread, Task};
use crate::kernel::raw::get;
use crate::kernel::simd::{LINE, Simd};

/// The memory that a program reads and writes.
pub(super) struct Buffers<'a> {
    /// The output's gradient, or `None` if its numbers were copied to the buffer `first`.
    pub(super) gradient: Option<&'a [u8]>,
    /// The offsets of the blocks in the gradient. If blocks are rows, there may be up to [`MOST_TERMS`] offsets, and each sum adds the rows
    /// at all of them. Otherwise there is one offset, and the blocks are contiguous.
    pub(super) reads: &'a [Spread],
    pub(super) first: &'a mut [u8],
    pub(super) second: &'a mut [u8],
    /// The memory that the last stage writes. With `narrows`, this stage rounds its sums to numbers.
    pub(super) dst: &'a mut [u8],
    pub(super) written: Spread,
    pub(super) narrows: bool,
}

impl Program {
    /// Returns how many numbers some blocks read and write, including those past their end.
    #[inline(always)]
    pub(super) fn extents(&self, blocks: usize) -> (usize, usize) {
        let last = self.stages.len() - 1;
        (self.stages[0].extent(blocks).0, self.stages[last].extent(blocks).1)
    }

    /// Returns the end of the numbers that a row reads, if each block is one row and rows are summed one by one. Such rows may lie
    /// anywhere.
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
/// The call panics if a buffer is shorter than the program needs.
#[inline(always)]
pub(super) fn run_program<N: Number, S: SumShells, L: Lanes>(
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
        // Rows have their own distance in the gradient. Other blocks are contiguous.
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
        let from: &[u8] = gradient.unwrap_or(first);
        let to: &mut [u8] = if number == last { &mut *dst } else { &mut *second };
        // SAFETY: the machine has the instruction set, because the compiler inlines this function into a shell for it.
        unsafe {
            // If sums have the type of the numbers, one of these four versions is enough.
            if const { size_of::<N::Bytes>() == size_of::<N::Sum>() } {
                S::run_stage::<N, L, false, false>(&job, from, to);
            } else {
                match (number == 0, number == last && narrows) {
                    (false, false) => S::run_stage::<N::OfSums, L, false, false>(&job, from, to),
                    (false, true) => S::run_stage::<N, L, false, true>(&job, from, to),
                    (true, false) => S::run_stage::<N, L, true, false>(&job, from, to),
                    (true, true) => S::run_stage::<N, L, true, true>(&job, from, to),
                }
            }
        }
        core::mem::swap(&mut first, &mut second);
    }
}

/// Shells: functions that the macro generates for an instruction set. Each calls the function of its name, in this module, in
/// [`place`](super::place) or in [`rows`](super::rows), and has the safety contract of this function. The machine must also have the
/// instruction set.
pub(super) trait SumShells: Simd {
    unsafe fn run_stage<N: Number, L: Lanes, const WIDENS: bool, const NARROWS: bool>(
        job: &Job<'_, N::Sum>,
        src: &[u8],
        dst: &mut [u8],
    );
    unsafe fn copy_rows(rows: &Copied);
    unsafe fn fold_rows<N: Number>(task: &mut Task<'_>, blocks: Spread, slot: usize, count: usize);
    unsafe fn add_slot<N: Number>(task: &mut Task<'_>, slot: usize, how: (bool, bool), count: usize);
}

/// The arguments of a stage.
pub(super) struct Job<'a, Sum> {
    stage: &'a Stage,
    tables: &'a [Table],
    groups: usize,
    reads: &'a [Spread],
    written: Spread,
    removed: Sum,
    /// True if the source is the output's gradient. The sums of an earlier stage are already in the cache.
    fetched: bool,
}

/// Runs a stage. With `WIDENS`, it reads numbers and converts them to sums. With `NARROWS`, it rounds its sums to numbers.
///
/// # Safety
///
/// - The machine has the instruction set.
///
/// # Panics
///
/// The call panics if source or destination is shorter than the stage needs.
#[inline(always)]
pub(super) unsafe fn run_stage<N: Number, S: SumShells, L: Lanes, const WIDENS: bool, const NARROWS: bool>(
    job: &Job<'_, N::Sum>,
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
    let copies = matches!(stage.moves[..], [Sum::Run { .. }, ..]);
    let early = fetched && alone && short && copies && !stage.picks.is_empty();
    let mut left = groups;
    while left > 0 {
        let groups = left.min(batch);
        let place = Place::<WIDENS, NARROWS> {
            source: sources[0],
            sources,
            dst,
            step,
            groups,
            batch,
            fetched,
            early,
        };
        for one in &stage.moves {
            // SAFETY:
            // - The caller says that the machine has the instruction set.
            // - Memory: each group stays within its reach, which the packer has counted. The assertions above compare all groups
            //   with the buffers.
            // - Lists: moves and picks name terms and tables of this program, because the packer made both.
            // - Indices: tables name numbers of the loaded registers, or none.
            unsafe {
                match *one {
                    Sum::Run { dst, count, exact, terms } => {
                        let terms = stage.terms.get_unchecked(terms.0 as usize..terms.1 as usize);
                        let (place, count) = (place.at::<N>(dst), count as usize);
                        if const { WIDENS == NARROWS } && place.is_copied::<L>(terms.len(), count * of_dst) {
                            S::copy_rows(&place.copied::<N>(terms[0], count));
                        } else if !(const { L::BYTES == LINE }
                            && place.run_listed::<N, L>(terms, count, exact))
                        {
                            place.run::<N, L>(terms, count, exact, removed);
                        }
                    }
                    Sum::Gather { parts, picks: (first, last), each, filled, shared, removed: cleared } => {
                        let picks = stage.picks.get_unchecked(first as usize..last as usize);
                        let gather = Gather { picks, tables, parts, neutral };
                        // On machines with shorter registers, the loop for listed permutations is not worth its code size.
                        let listed = const { L::BYTES == LINE }
                            && cleared.is_none()
                            && place.gather_listed::<N, L>(&gather, each, filled, shared);
                        if !listed {
                            let table = |at: u32| get(tables.get_unchecked(at as usize).0.as_ptr());
                            let cleared = cleared.map(|at| (removed, table(at)));
                            place.gather_many::<N, L>(&gather, cleared);
                        }
                    }
                }
            }
        }
        for source in &mut *sources {
            *source = source.at(groups);
        }
        dst = dst.wrapping_offset((groups as isize).wrapping_mul(step));
        left -= groups;
    }
}

/// The number of groups for which a move runs before the next move starts.
const BATCH: usize = 32;

/// The number of groups per batch for long rows. The second move then finds the rows in the cache.
///
/// Xeon with AMX, rows of 248 bytes: batches of 32 take 1.1 to 1.25 times as long.
const SHORT_BATCH: usize = 8;
const LONG_ROW: usize = 192;
