//! Programs, run.

use super::lanes::{Lanes, splat};
use super::number::Number;
use super::program::{Program, Stage, Sum, Table};
use crate::kernel::raw::{get, put};

/// What a program reads and writes.
pub(super) struct Buffers<'a> {
    /// The output's gradient, from the first block on. If it is none, its numbers are sums in the first buffer.
    pub(super) gradient: Option<&'a [u8]>,
    pub(super) first: &'a mut [u8],
    pub(super) second: &'a mut [u8],
    /// Where the last stage writes, and whether it rounds.
    pub(super) dst: &'a mut [u8],
    pub(super) narrows: bool,
}

impl Program {
    /// The numbers that so many blocks read and write, with those behind them.
    #[inline(always)]
    pub(super) fn extents(&self, blocks: usize) -> (usize, usize) {
        let last = self.stages.len() - 1;
        (self.stages[0].extent(blocks).0, self.stages[last].extent(blocks).1)
    }
}

/// Sums blocks.
///
/// # Panics
///
/// If a buffer is shorter than the program needs.
#[inline(always)]
pub(super) fn run_program<N: Number, L: Lanes>(
    program: &Program,
    buffers: Buffers<'_>,
    blocks: usize,
    removed: N::Sum,
) {
    let Buffers { gradient, mut first, mut second, dst, narrows } = buffers;
    let last = program.stages.len() - 1;
    for (number, stage) in program.stages.iter().enumerate() {
        let job = Job { stage, tables: &program.tables, groups: stage.groups(blocks), removed };
        let gradient = gradient.filter(|_| number == 0);
        // Types whose sums are of the same length need one of these.
        let same = size_of::<N::Bytes>() == size_of::<N::Sum>();
        let from: &[u8] = gradient.unwrap_or(first);
        match (gradient.is_some() && !same, number == last, narrows && !same) {
            (false, false, _) => run_stage::<N, L, false, false>(&job, from, second),
            (false, true, false) => run_stage::<N, L, false, false>(&job, from, dst),
            (false, true, true) => run_stage::<N, L, false, true>(&job, from, dst),
            (true, false, _) => run_stage::<N, L, true, false>(&job, from, second),
            (true, true, false) => run_stage::<N, L, true, false>(&job, from, dst),
            (true, true, true) => run_stage::<N, L, true, true>(&job, from, dst),
        }
        core::mem::swap(&mut first, &mut second);
    }
}

struct Job<'a, N: Number> {
    stage: &'a Stage,
    tables: &'a [Table],
    groups: usize,
    removed: N::Sum,
}

/// Runs a stage from numbers or from sums (`WIDENS`), to sums or to numbers (`NARROWS`).
#[inline(always)]
fn run_stage<N: Number, L: Lanes, const WIDENS: bool, const NARROWS: bool>(
    job: &Job<'_, N>,
    src: &[u8],
    dst: &mut [u8],
) {
    let Job { stage, tables, groups, removed } = *job;
    let sum = size_of::<N::Sum>();
    let bytes = |narrow: bool| if narrow { size_of::<N::Bytes>() } else { sum };
    let (of_src, of_dst) = (bytes(WIDENS), bytes(NARROWS));
    let (from, to) = (groups - 1, groups - 1);
    let read = (from * stage.steps.0 + stage.reach.0) * of_src;
    let written = (to * stage.steps.1 + stage.reach.1) * of_dst;
    assert!(read <= src.len() && written <= dst.len());
    let lanes = L::BYTES / sum;
    let (neutral, removed) = (splat::<N, L>(N::NEUTRAL), splat::<N, L>(removed));
    let (mut src, mut dst) = (src.as_ptr(), dst.as_mut_ptr());
    // SAFETY:
    // - The machine has the instruction set: this is inlined into a shell of it.
    // - Reads and writes: a group's are within its reach, as whoever packed the stage counted, and all groups' within what was
    //   asserted above.
    // - Indices: tables name numbers of one register, or none.
    unsafe {
        let load = |src: *const u8| if WIDENS { L::widen::<N>(src) } else { get(src) };
        let store = |dst: *mut u8, sums| if NARROWS { L::narrow::<N>(dst, sums) } else { put(dst, sums) };
        for _ in 0..groups {
            for one in &stage.moves {
                match *one {
                    Sum::Run { dst: at, count, terms } => {
                        let dst = dst.add(at as usize * of_dst);
                        let terms = stage.terms.get_unchecked(terms.0 as usize..terms.1 as usize);
                        match *terms {
                            [] => {
                                for i in (0..count as usize).step_by(lanes) {
                                    store(dst.add(i * of_dst), removed);
                                }
                            }
                            [one] => {
                                let src = src.add(one as usize * of_src);
                                copy_run::<N, L, WIDENS, NARROWS>(src, dst, count as usize);
                            }
                            [one, other] => {
                                let one = src.add(one as usize * of_src);
                                let other = src.add(other as usize * of_src);
                                for i in (0..count as usize).step_by(lanes) {
                                    let sums = L::add::<N>(load(one.add(i * of_src)), load(other.add(i * of_src)));
                                    store(dst.add(i * of_dst), sums);
                                }
                            }
                            [one, ref others @ ..] => {
                                for i in (0..count as usize).step_by(lanes) {
                                    let src = src.add(i * of_src);
                                    let mut sums = load(src.add(one as usize * of_src));
                                    for &term in others {
                                        sums = L::add::<N>(sums, load(src.add(term as usize * of_src)));
                                    }
                                    store(dst.add(i * of_dst), sums);
                                }
                            }
                        }
                    }
                    Sum::Gather { dst: at, picks, removed: table } => {
                        let (mut sums, mut taken) = (neutral, neutral);
                        for pick in stage.picks.get_unchecked(picks.0 as usize..picks.1 as usize) {
                            let numbers = load(src.add(pick.src as usize * of_src));
                            let index = get(tables.get_unchecked(pick.table as usize).0.as_ptr());
                            taken = L::permute(taken, numbers, index);
                            if pick.last {
                                sums = L::add::<N>(sums, taken);
                                taken = neutral;
                            }
                        }
                        if let Some(table) = table {
                            let index = get(tables.get_unchecked(table as usize).0.as_ptr());
                            sums = L::permute(sums, removed, index);
                        }
                        store(dst.add(at as usize * of_dst), sums);
                    }
                }
            }
            src = src.wrapping_add(stage.steps.0 * of_src);
            dst = dst.wrapping_add(stage.steps.1 * of_dst);
        }
    }
}

/// Runs of more bytes are copied by a function that knows the machine.
const LONG: usize = 1024;

/// One term: a copy.
///
/// # Safety
///
/// - `count` numbers, rounded up to whole registers, are readable at `src` and writable at `dst`.
#[inline(always)]
unsafe fn copy_run<N: Number, L: Lanes, const WIDENS: bool, const NARROWS: bool>(
    src: *const u8,
    dst: *mut u8,
    count: usize,
) {
    let lanes = L::BYTES / size_of::<N::Sum>();
    let bytes = if WIDENS { size_of::<N::Bytes>() } else { size_of::<N::Sum>() };
    // SAFETY: the caller's.
    unsafe {
        if WIDENS == NARROWS && count * bytes >= LONG {
            return core::ptr::copy_nonoverlapping(src, dst, count * bytes);
        }
        for i in (0..count).step_by(lanes) {
            match (WIDENS, NARROWS) {
                (false, false) => put(dst.add(i * bytes), get::<L::Register>(src.add(i * bytes))),
                // Half a register: sums are twice as long.
                (true, true) if L::BYTES == 64 => put(dst.add(i * bytes), get::<[u8; 32]>(src.add(i * bytes))),
                (true, true) => put(dst.add(i * bytes), get::<[u8; 8]>(src.add(i * bytes))),
                (true, false) => {
                    put(dst.add(i * size_of::<N::Sum>()), L::widen::<N>(src.add(i * bytes)));
                }
                (false, true) => {
                    L::narrow::<N>(dst.add(i * size_of::<N::Bytes>()), get(src.add(i * bytes)));
                }
            }
        }
    }
}
