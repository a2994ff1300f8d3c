//! What is to be done to blocks as the steps of a kernel: where they are read, and whether they are written where they belong or
//! into a slot first. None of this is compiled for instruction sets.

use core::ops::Range;

use super::{AdjointKernel, Lanes, Spread, Step, Task, Terms, Work};
use crate::plan::adjoint::Adjoint;
use crate::plan::fold::Fold;
use crate::plan::form::Term;

/// The most blocks that are added up in registers.
pub(super) const MOST_TERMS: usize = 8;

/// Does the work on some blocks.
///
/// # Safety
///
/// - The machine has the row's instruction set.
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
            // SAFETY: the caller's.
            return unsafe { (row.kernel)(task, Step::Add { slot, folds: false, sets: false }, lanes.count) };
        }
    };
    let mut done = 0;
    let whole = task.program.map_or(1, |program| program.whole);
    while done < lanes.count {
        let count = (lanes.count - done).min(task.adjoint.lanes);
        // Rows that complete no group of the program cannot be written in their place: they are summed on their own.
        let count = if count > whole { count - count % whole } else { count };
        let to = write.map(|write| at(write, done));
        // SAFETY: the caller's.
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

/// Sums blocks from some number on into a slot: in registers if they are near, otherwise one after the other in the next slot,
/// which is added. Where it can, it writes them `to` the input's gradient instead, and says so.
///
/// # Safety
///
/// - The machine has the row's instruction set.
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
        // SAFETY: the caller's.
        unsafe { (row.kernel)(task, Step::Sum { reads: together, is_near, slot, to }, count) };
        return to.is_some();
    }
    let mut first = true;
    for term in terms.list {
        // The neighbours of one block are summed together, as if they were blocks, and then added up.
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
            // SAFETY: the caller's.
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

/// Where all the blocks lie that are added up: if it is one of each, or few rows that are near.
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

/// Where a term's blocks lie from number `done` on.
fn read_at(terms: &Terms<'_>, term: &Term, held: usize, done: usize) -> Spread {
    let (read, step) = terms.place(term);
    Spread { first: (read + held as isize * terms.stride + done as isize * step) as usize, step }
}

/// Whether blocks are rows that may lie anywhere.
fn has_rows(task: &Task<'_>) -> bool {
    task.program.is_some_and(|program| program.row_reach().is_some())
}

/// Whether blocks are read in their place: blocks that lie one behind the other, and rows wherever they lie, if what is read
/// behind them is there. Blocks that are summed by plain loops are always.
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

/// Whether blocks are written where they belong, and not into a slot. A program that takes rows in groups may write more rows than
/// there are.
fn is_written(task: &Task<'_>, to: Spread, count: usize) -> bool {
    let (adjoint, width) = (task.adjoint, task.adjoint.width());
    let Some(program) = task.program else { return false };
    let beside = count == 1 || to.step == width as isize;
    let fits = program.row_reach().is_some() || beside && program.extents(count).1 == count * width;
    !task.adds && adjoint.packed.1 && fits
}

/// Copies blocks of the output's gradient one behind the other into the program's first buffer.
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

/// Writes zeros to blocks.
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

/// Where the numbers of a block lie among its numbers and in a gradient, in runs as long as they can be.
///
/// No closure is called with them: it could be a function without the instruction set of its caller.
pub(super) struct Runs<'a> {
    adjoint: &'a Adjoint,
    side: Side,
    /// The block's place in the gradient, and its numbers.
    at: usize,
    numbers: usize,
    /// Where the next run begins, and how long each is.
    start: usize,
    length: usize,
}

impl<'a> Runs<'a> {
    /// Those of the block at this place.
    #[inline(always)]
    pub(super) fn of(adjoint: &'a Adjoint, side: Side, at: usize) -> Runs<'a> {
        let (packed, numbers) = match side {
            Side::Output => (adjoint.packed.0, adjoint.outputs()),
            Side::Input => (adjoint.packed.1, adjoint.width()),
        };
        let (positions, stride) = side.of(adjoint.row());
        // Units of a row, or all of it, or all of a block.
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
    /// The positions of an axis, and how far apart they are.
    #[inline(always)]
    fn of(self, fold: &Fold) -> (usize, isize) {
        match self {
            Side::Output => (fold.outputs, fold.read),
            Side::Input => (fold.inputs, fold.write),
        }
    }
}
