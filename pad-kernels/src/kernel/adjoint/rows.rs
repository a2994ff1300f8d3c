//! Executes the steps of a kernel. Every function is inlined into a shell, so it is compiled for the shell's instruction set.

use core::ops::Range;

use super::lanes::Sums;
use super::number::Number;
use super::run::{SumShells, run_program};
use super::{Spread, Step, Task};
use crate::plan::adjoint::Adjoint;
use crate::plan::fold::{Fold, Kind};
use crate::plan::form::{Source, Term};

/// Executes one step.
#[inline(always)]
pub(super) fn run_step<N: Number, S: Sums + SumShells>(task: &mut Task<'_>, step: Step, count: usize) {
    match (step, task.program) {
        (Step::Sum { read, is_near, slot, to }, Some(program)) => {
            if const { size_of::<N::Sum>() == 1 } {
                run_program::<N, S, S::OfBytes>(task, program, (read, is_near), slot, to, count);
            } else {
                run_program::<N, S, S::OfWords>(task, program, (read, is_near), slot, to, count);
            }
        }
        // SAFETY: the machine has the instruction set, because the compiler inlines this function into a shell for it.
        (Step::Sum { read, slot, .. }, None) => unsafe { S::fold_rows::<N>(task, read, slot, count) },
        // SAFETY: the machine has the instruction set, because the compiler inlines this function into a shell for it.
        (Step::Add { slot }, _) => unsafe { S::add_slot::<N::OfSums>(task, slot, count) },
        (Step::Write { to }, _) => put::<N>(task, to, count),
    }
}

/// Adds slot `slot + 1` to slot `slot`.
#[inline(always)]
pub(super) fn add_slot<N: Number>(task: &mut Task<'_>, slot: usize, count: usize) {
    let length = count * task.adjoint.width();
    let (start, next) = (task.slot(slot), task.slot(slot + 1));
    let (to, from) = N::sums_mut(task.scratch)[start..].split_at_mut(next - start);
    for (to, from) in to[..length].iter_mut().zip(&from[..length]) {
        *to = N::store(N::add(N::load(*to), N::load(*from)));
    }
}

/// Sums rows with unlisted terms into a slot.
#[inline(always)]
pub(super) fn fold_rows<N: Number>(task: &mut Task<'_>, blocks: Spread, slot: usize, count: usize) {
    let (adjoint, start, removed) = (task.adjoint, task.slot(slot), task.removed::<N>());
    let (src, sums) = (N::numbers(task.grad_out), &mut N::sums_mut(task.scratch)[start..]);
    let (row, unit, repeats) = (adjoint.row(), adjoint.unit, adjoint.row().repeats());
    let width = row.inputs * unit;
    for lane in 0..count {
        let sums = &mut sums[lane * width..][..width];
        let read = blocks.at(lane) as isize;
        for group in &row.groups {
            let sums = &mut sums[group.start * unit..group.end * unit];
            if repeats || group.kind == Kind::Empty {
                sums.fill(N::store(if group.kind == Kind::Empty { removed } else { N::NEUTRAL }));
            }
            for (number, term) in row.terms_of(group).iter().enumerate() {
                add_term::<N>(row, unit, term, (src, read), sums, number == 0);
            }
        }
        if repeats {
            let mut position = 0;
            for segment in row.axis.segments().expanded() {
                if let Some(Source { start, end, term }) = Source::of(segment, position) {
                    add_term::<N>(row, unit, &term, (src, read), &mut sums[start * unit..end * unit], false);
                }
                position += segment.positions() as isize;
            }
        }
    }
}

/// Adds the positions of a term to sums. If `sets` is true, the sums have no value yet, and the first position overwrites them.
#[inline(always)]
fn add_term<N: Number>(
    row: &Fold,
    unit: usize,
    &Term { at, step, hold }: &Term,
    (src, read): (&[N::Bytes], isize),
    sums: &mut [N::SumBytes],
    sets: bool,
) {
    let step = step * row.read;
    // If positions are contiguous in either direction, one loop adds all of them, and compilers can vectorise it.
    let width = if step == unit as isize { sums.len() } else { unit };
    for held in 0..hold {
        let (read, sets) = (read + (at + held as isize) * row.read, sets && held == 0);
        if (step, unit) == (-1, 1) {
            let end = read as usize + 1;
            add::<N>(sums, src[end - sums.len()..end].iter().rev(), sets);
            continue;
        }
        for (i, sums) in sums.chunks_exact_mut(width).enumerate() {
            let start = (read + i as isize * step) as usize;
            add::<N>(sums, src[start..start + width].iter(), sets);
        }
    }
}

/// Adds a number to each sum. If `sets` is true, the sums have no value yet.
#[inline(always)]
fn add<'a, N: Number>(sums: &mut [N::SumBytes], from: impl Iterator<Item = &'a N::Bytes>, sets: bool) {
    for (sum, &number) in sums.iter_mut().zip(from) {
        let number = N::widen(number);
        *sum = N::store(if sets { number } else { N::add(N::load(*sum), number) });
    }
}

/// Writes blocks of slot 0 to the input's gradient, or adds them.
#[inline(always)]
fn put<N: Number>(task: &mut Task<'_>, blocks: Spread, count: usize) {
    let Task { adjoint, adds, .. } = *task;
    let width = adjoint.width();
    let sums = &N::sums_mut(task.scratch)[..count * width];
    let dst = N::numbers_mut(task.grad_in);
    for lane in 0..count {
        for (of_sums, to) in Runs::of(adjoint, Side::Input, blocks.at(lane)) {
            let sums = &sums[lane * width + of_sums.start..lane * width + of_sums.end];
            for (to, &sum) in dst[to].iter_mut().zip(sums) {
                let sum = N::load(sum);
                *to = N::narrow(if adds { N::add(N::widen(*to), sum) } else { sum });
            }
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
    /// The offset of the block in the gradient, and how many numbers the block has.
    at: usize,
    numbers: usize,
    /// The start of the next run, and the length of each run.
    start: usize,
    length: usize,
}

impl<'a> Runs<'a> {
    /// The runs of the block at offset `at`.
    #[inline(always)]
    pub(super) fn of(adjoint: &'a Adjoint, side: Side, at: usize) -> Runs<'a> {
        let (packed, numbers) = match side {
            Side::Output => (adjoint.packed.0, adjoint.outputs()),
            Side::Input => (adjoint.packed.1, adjoint.width()),
        };
        let (positions, stride) = side.of(adjoint.row());
        // A run is one unit of a row, a whole row, or a whole block.
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
    /// The number of positions of an axis, and their distance.
    #[inline(always)]
    fn of(self, fold: &Fold) -> (usize, isize) {
        match self {
            Side::Output => (fold.outputs, fold.read),
            Side::Input => (fold.inputs, fold.write),
        }
    }
}
