//! Splits the work on some blocks into steps of a kernel. For each step, it decides where the kernel reads the blocks, and whether it
//! writes the sums directly to the input's gradient or first to a slot.
//!
//! This code runs once per step, so it is not compiled for instruction sets. The module [`super`] explains the words.

use core::ops::Range;

use super::{AdjointKernel, Lanes, Spread, Step, Task, Terms, Work};
use crate::plan::adjoint::Adjoint;
use crate::plan::fold::Fold;
use crate::plan::form::Term;

/// The maximum number of blocks that one step adds in registers.
pub(super) const MOST_TERMS: usize = 8;

/// Executes some work for `lanes.count` blocks.
///
/// # Safety
///
/// - The machine has the kernel's instruction set.
pub(super) unsafe fn run_work(row: &AdjointKernel, task: &mut Task<'_>, work: Work<'_>, lanes: Lanes) {
    let from = task.from as isize;
    let at = |write: isize, done: usize| Spread {
        first: (write + done as isize * lanes.step - from) as usize,
        step: lanes.step,
    };
    let (terms, slot, write) = match work {
        Work::Blocks { terms, write } => (Some(terms), 0, Some(write)),
        Work::Sum { read, slot } => (Some(Terms::one(read)), slot, None),
        Work::Write { write } => (None, 0, Some(write)),
        Work::Zero { write } => {
            if !task.adds {
                zero(task, at(write, 0), lanes.count);
            }
            return;
        }
        Work::Add { slot } => {
            // SAFETY: the caller keeps the contract.
            return unsafe { (row.kernel)(task, Step::Add { slot, folds: false, sets: false }, lanes.count) };
        }
    };
    let mut done = 0;
    let whole = task.program.map_or(1, |program| program.whole);
    while done < lanes.count {
        let count = (lanes.count - done).min(task.adjoint.lanes);
        // A program may process rows in groups. Blocks that do not fill a group are summed separately.
        let count = if count > whole { count - count % whole } else { count };
        let to = write.map(|write| at(write, done));
        // SAFETY: the caller keeps the contract.
        unsafe {
            let written = match terms {
                Some(terms) => sum(row, task, (&terms, done), slot, to, count),
                None => false,
            };
            if let (Some(to), false) = (to, written) {
                (row.kernel)(task, Step::Write { to }, count);
            }
        }
        done += count;
    }
}

/// Sums blocks, starting with block number `done`. The sums go to a slot, or directly `to` the input's gradient. Returns whether they went
/// to the gradient.
///
/// If the kernel can read all blocks in place, it adds them in registers. Otherwise it sums one block after another into the next slot, and
/// adds that slot.
///
/// # Safety
///
/// - The machine has the kernel's instruction set.
unsafe fn sum(
    row: &AdjointKernel,
    task: &mut Task<'_>,
    (terms, done): (&Terms<'_>, usize),
    slot: usize,
    to: Option<Spread>,
    count: usize,
) -> bool {
    let mut reads = [Spread { first: 0, step: 0 }; MOST_TERMS];
    let together = match collect(task, terms, done, count, &mut reads) {
        Some(reads) => reads,
        None => &[],
    };
    let to = to.filter(|&to| !together.is_empty() && is_written(task, to, count));
    if !together.is_empty() {
        let is_near = is_near(task, together[0], count);
        if !is_near {
            copy(task, together[0], count);
        }
        // SAFETY: the caller keeps the contract.
        unsafe { (row.kernel)(task, Step::Sum { reads: together, is_near, slot, to }, count) };
        return to.is_some();
    }
    let mut first = true;
    for term in terms.list {
        // If a single block has neighbouring terms, the terms are summed as separate blocks in separate lanes. Then these sums are added.
        let folds = count == 1 && term.hold > 1;
        let together = if folds { task.adjoint.lanes } else { 1 };
        for held in (0..term.hold).step_by(together) {
            let read = read_at(terms, term, held, done);
            let (read, count) = match folds {
                true => (Spread { step: terms.stride, ..read }, (term.hold - held).min(together)),
                false => (read, count),
            };
            let is_near = is_near(task, read, count);
            if !is_near {
                copy(task, read, count);
            }
            let sets = core::mem::take(&mut first);
            let into = if sets && !folds { slot } else { slot + 1 };
            // SAFETY: the caller keeps the contract.
            unsafe {
                (row.kernel)(task, Step::Sum { reads: &[read], is_near, slot: into, to: None }, count);
                if folds || !sets {
                    (row.kernel)(task, Step::Add { slot, folds, sets }, count);
                }
            }
        }
    }
    false
}

/// Returns the offsets of all blocks to add, if there is one block per sum, or if there are a few rows that can be read in place.
fn collect<'a>(
    task: &Task<'_>,
    terms: &Terms<'_>,
    done: usize,
    count: usize,
    reads: &'a mut [Spread; MOST_TERMS],
) -> Option<&'a [Spread]> {
    let mut all = 0;
    for term in terms.list {
        if term.hold > MOST_TERMS - all {
            return None;
        }
        for held in 0..term.hold {
            reads[all] = read_at(terms, term, held, done);
            all += 1;
        }
    }
    let reads = &reads[..all];
    let together = || has_rows(task) && reads.iter().all(|&read| is_near(task, read, count));
    (all == 1 || together()).then_some(reads)
}

/// Returns the offset of a term of block number `done`, and the distance to the term of the next block.
fn read_at(terms: &Terms<'_>, term: &Term, held: usize, done: usize) -> Spread {
    let (read, step) = terms.place(term);
    Spread { first: (read + held as isize * terms.stride + done as isize * step) as usize, step }
}

/// Tells whether a block is a single row. Such blocks may lie at any distance.
fn has_rows(task: &Task<'_>) -> bool {
    task.program.is_some_and(|program| program.row_reach().is_some())
}

/// Tells whether the kernel can read the blocks in place. Plain loops always can.
///
/// A program can do so if the blocks are contiguous or single rows, and if it may read the bytes after them that it needs.
fn is_near(task: &Task<'_>, blocks: Spread, count: usize) -> bool {
    let adjoint = task.adjoint;
    let Some(program) = task.program else { return true };
    let numbers = task.grad_out.len() / adjoint.numbers.bytes;
    adjoint.packed.0
        && match program.row_reach() {
            Some(reach) => blocks.is_within(count, reach, numbers),
            None => {
                let beside = count == 1 || blocks.step == adjoint.outputs() as isize;
                beside && blocks.first + program.extents(count).0 <= numbers
            }
        }
}

/// Tells whether the kernel can write the sums directly to the input's gradient.
///
/// A program that processes rows in groups may write more rows than the blocks have. If these rows do not fit, the sums go to a slot.
fn is_written(task: &Task<'_>, to: Spread, count: usize) -> bool {
    let (adjoint, width) = (task.adjoint, task.adjoint.width());
    let Some(program) = task.program else { return false };
    let beside = count == 1 || to.step == width as isize;
    let fits = program.row_reach().is_some() || beside && program.extents(count).1 == count * width;
    !task.adds && adjoint.packed.1 && fits
}

/// Copies blocks of the output's gradient, one after another, into the program's first buffer.
fn copy(task: &mut Task<'_>, blocks: Spread, count: usize) {
    let (adjoint, bytes) = (task.adjoint, task.adjoint.numbers.bytes);
    let (start, outputs) = (task.buffers(), adjoint.outputs());
    let buffer = &mut task.scratch[start..];
    for lane in 0..count {
        for (to, from) in Runs::of(adjoint, Side::Output, blocks.at(lane)) {
            let to = (lane * outputs + to.start) * bytes..(lane * outputs + to.end) * bytes;
            buffer[to].copy_from_slice(&task.grad_out[from.start * bytes..from.end * bytes]);
        }
    }
}

/// Writes zeros to some blocks.
fn zero(task: &mut Task<'_>, blocks: Spread, count: usize) {
    let bytes = task.adjoint.numbers.bytes;
    for lane in 0..count {
        for (_, to) in Runs::of(task.adjoint, Side::Input, blocks.at(lane)) {
            task.grad_in[to.start * bytes..to.end * bytes].fill(0);
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    Output,
    Input,
}

/// Iterates over the contiguous runs of a block: their range within the block, and their range in the gradient.
///
/// This is an iterator because a closure could become a function without the caller's instruction set.
pub(super) struct Runs<'a> {
    adjoint: &'a Adjoint,
    side: Side,
    /// The offset of the block in the gradient, and the length of the block in numbers.
    at: usize,
    numbers: usize,
    /// The start of the next run, and the length of each run.
    start: usize,
    length: usize,
}

impl<'a> Runs<'a> {
    /// Returns the runs of the block at offset `at`.
    #[inline(always)]
    pub(super) fn of(adjoint: &'a Adjoint, side: Side, at: usize) -> Runs<'a> {
        let (packed, numbers) = match side {
            Side::Output => (adjoint.packed.0, adjoint.outputs()),
            Side::Input => (adjoint.packed.1, adjoint.width()),
        };
        let (positions, stride) = side.of(adjoint.row());
        // A run is one position of a row, a whole row, or a whole block.
        let length = match adjoint.unit {
            _ if packed => numbers,
            unit if stride == unit as isize => positions * unit,
            unit => unit,
        };
        Runs { adjoint, side, at, numbers, start: 0, length }
    }
}

impl Iterator for Runs<'_> {
    type Item = (Range<usize>, Range<usize>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let Runs { adjoint, side, at, numbers, start, length } = *self;
        if start >= numbers {
            return None;
        }
        let (mut rest, mut to) = (start / adjoint.unit, at);
        for fold in adjoint.block.iter().rev() {
            let (positions, stride) = side.of(fold);
            to = to.wrapping_add_signed((rest % positions) as isize * stride);
            rest /= positions;
        }
        self.start += length;
        Some((start..start + length, to..to + length))
    }
}

impl Side {
    /// Returns the number of positions of an axis, and their distance.
    #[inline(always)]
    fn of(self, fold: &Fold) -> (usize, isize) {
        match self {
            Side::Output => (fold.outputs, fold.read),
            Side::Input => (fold.inputs, fold.write),
        }
    }
}
