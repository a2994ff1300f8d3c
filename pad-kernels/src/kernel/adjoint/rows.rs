//! Executes the steps of a kernel. The compiler inlines every function into a shell, and so compiles it for the shell's instruction set.

use core::ops::Range;

use super::blocks::{Runs, Side};
use super::lanes::{Lanes, Sums};
use super::number::Number;
use super::program::Program;
use super::run::{Buffers, SumShells, run_program};
use super::{Spread, Step, Task};
use crate::plan::fold::{Again, Fold, Group, Kind};

/// Groups shorter than this are summed number by number, because starting a loop takes longer than running it.
const SHORT: usize = 4;

/// The maximum length of repeated groups that are summed in registers.
///
/// Xeon with AMX, ten doubles with 1,001 repetitions: this takes 0.15 times as long as sums in memory.
const FEW: usize = 16;

/// Executes one step.
#[inline(always)]
pub(super) fn run_step<N: Number, S: Sums + SumShells>(task: &mut Task<'_>, step: Step<'_>, count: usize) {
    match (step, task.program) {
        (Step::Sum { reads, is_near, slot, to }, Some(program)) => {
            if const { size_of::<N::Sum>() == 1 } {
                sum::<N, S, S::OfBytes>(task, program, (reads, is_near), slot, to, count);
            } else {
                sum::<N, S, S::OfWords>(task, program, (reads, is_near), slot, to, count);
            }
        }
        // SAFETY: the machine has the instruction set, because the compiler inlines this function into a shell for it.
        (Step::Sum { reads, slot, .. }, None) => unsafe { S::fold_rows::<N>(task, reads[0], slot, count) },
        // SAFETY: the machine has the instruction set, because the compiler inlines this function into a shell for it.
        (Step::Add { slot, folds, sets }, _) => unsafe {
            S::add_slot::<N::OfSums>(task, slot, (folds, sets), count);
        },
        (Step::Write { to }, _) => put::<N>(task, to, count),
    }
}

/// Returns the sum of an element without terms: zero, or the neutral value if the kernel adds to the gradient.
#[inline(always)]
fn removed<N: Number>(task: &Task<'_>) -> N::Sum {
    if task.adds { N::NEUTRAL } else { N::widen(N::ZERO) }
}

/// Sums blocks along their own axes with a program, and adds the blocks of several `reads`. The sums go `to` the input's gradient or to a
/// slot.
#[inline(always)]
fn sum<N: Number, S: SumShells, L: Lanes>(
    task: &mut Task<'_>,
    program: &Program,
    (reads, is_near): (&[Spread], bool),
    slot: usize,
    to: Option<Spread>,
    count: usize,
) {
    let (width, removed) = (task.adjoint.width(), removed::<N>(task));
    let (bytes, start) = (size_of::<N::Sum>(), task.slot(slot));
    let (slots, buffers) = task.scratch.split_at_mut(task.buffers());
    let (first, second) = buffers.split_at_mut(program.buffers[0] * bytes);
    let gradient = if is_near { Some(task.grad_out) } else { None };
    let narrows = to.is_some();
    let (dst, written) = match to {
        Some(to) => (&mut *task.grad_in, to),
        None => (&mut slots[start * bytes..], Spread { first: 0, step: width as isize }),
    };
    let buffers = Buffers { gradient, reads, first, second, dst, narrows, written };
    run_program::<N, S, L>(program, buffers, count, removed);
}

/// Adds the next slot to a slot. With `folds`, the function adds all blocks of the next slot to the first block of this slot, in order.
/// With `sets`, the slot has no value yet, so the first addition overwrites it.
#[inline(always)]
pub(super) fn add_slot<N: Number>(
    task: &mut Task<'_>,
    slot: usize,
    (folds, sets): (bool, bool),
    count: usize,
) {
    let width = task.adjoint.width();
    let (start, next) = (task.slot(slot), task.slot(slot + 1));
    let (to, from) = N::sums_mut(task.scratch)[start..].split_at_mut(next - start);
    let (times, length) = if folds { (count, width) } else { (1, count * width) };
    if sets {
        to[..length].copy_from_slice(&from[..length]);
    }
    for time in usize::from(sets)..times {
        let from = &from[time * length..][..length];
        for (to, from) in to[..length].iter_mut().zip(from) {
            *to = N::store(N::add(N::load(*to), N::load(*from)));
        }
    }
}

/// Sums rows into a slot, if their terms are not listed.
#[inline(always)]
pub(super) fn fold_rows<N: Number>(task: &mut Task<'_>, blocks: Spread, slot: usize, count: usize) {
    let (adjoint, start, removed) = (task.adjoint, task.slot(slot), removed::<N>(task));
    let (src, sums) = (N::numbers(task.grad_out), &mut N::sums_mut(task.scratch)[start..]);
    let (row, unit) = (adjoint.row(), adjoint.unit);
    let width = row.inputs * unit;
    for lane in 0..count {
        let sums = &mut sums[lane * width..][..width];
        let read = blocks.first as isize + lane as isize * blocks.step;
        for group in &row.groups {
            let sums = &mut sums[group.start * unit..group.end * unit];
            if group.kind == Kind::Empty {
                sums.fill(N::store(removed));
            } else if sums.len() < SHORT {
                for (number, sum) in sums.iter_mut().enumerate() {
                    let mut all = N::NEUTRAL;
                    row.positions(group, group.start + number / unit, |position| {
                        let at = read + position * row.read + (number % unit) as isize;
                        all = N::add(all, N::widen(src[at as usize]));
                    });
                    *sum = N::store(all);
                }
            } else {
                fold_group::<N>(row, unit, group, src, read, sums);
            }
        }
    }
}

/// Computes the sums of a group. It adds one term of every element, and then the next term of every element.
#[inline(always)]
fn fold_group<N: Number>(
    row: &Fold,
    unit: usize,
    group: &Group,
    src: &[N::Bytes],
    read: isize,
    sums: &mut [N::SumBytes],
) {
    let count = group.end - group.start;
    let mut first = true;
    for (Again { from, period, end }, terms) in row.by_again(group) {
        let mut further = 0;
        if let [term] = terms
            && (term.step, term.hold, row.read) == (1, 1, unit as isize)
            && term.at >= from as isize
            && sums.len() <= FEW
        {
            let periods = (end - count - term.at as usize) / period + 1;
            let read = (read + term.at * row.read) as usize;
            let done = add_periods::<N>(&src[read..], period * unit, periods, sums, first);
            (first, further) = (first && done == 0, done * period);
        }
        while further < end {
            for term in terms {
                let lowest = term.at.min(term.at + term.step * (count - 1) as isize);
                if further > 0 && lowest < from as isize {
                    continue;
                }
                for held in 0..term.hold {
                    let at = term.at + (further + held) as isize;
                    let inside = inside(at, term.step, count, end);
                    let read = read + (at + term.step * inside.start as isize) * row.read;
                    let sums = &mut sums[inside.start * unit..inside.end * unit];
                    add_term::<N>(src, read, term.step * row.read, unit, sums, core::mem::take(&mut first));
                }
            }
            further = further.saturating_add(period);
        }
    }
}

/// Adds up to `periods` runs of consecutive numbers to a few sums. The runs are `apart` numbers apart. With `sets`, the sums have no value
/// yet, so the first run overwrites them.
///
/// The function may stop early, because it reads past the end of a run. It returns the number of runs that it has added.
#[inline(always)]
fn add_periods<N: Number>(
    src: &[N::Bytes],
    apart: usize,
    periods: usize,
    sums: &mut [N::SumBytes],
    sets: bool,
) -> usize {
    let periods = periods.min(src.len().saturating_sub(FEW) / apart);
    if periods == 0 {
        return 0;
    }
    // The local array keeps the sums in registers.
    let mut all = [N::NEUTRAL; FEW];
    if !sets {
        for (all, &sum) in all.iter_mut().zip(&*sums) {
            *all = N::load(sum);
        }
    }
    for period in 0..periods {
        let src = &src[period * apart..][..FEW];
        for (all, &number) in all.iter_mut().zip(src) {
            *all = N::add(*all, N::widen(number));
        }
    }
    for (sum, all) in sums.iter_mut().zip(all) {
        *sum = N::store(all);
    }
    periods
}

/// Returns the indices of those positions that are before the end, among `count` positions `at`, `at + step`, and so on.
#[inline(always)]
fn inside(at: isize, step: isize, count: usize, end: usize) -> Range<usize> {
    let end = end as isize;
    let last = at + step * (count as isize - 1);
    if at.max(last) < end {
        return 0..count;
    }
    if step > 0 && at < end {
        0..((end - at - 1) / step) as usize + 1
    } else if step < 0 && last < end {
        ((at - end) / -step) as usize + 1..count
    } else {
        0..0
    }
}

/// Adds units that are `step` apart to sums. With `sets`, it overwrites the sums instead.
#[inline(always)]
fn add_term<N: Number>(
    src: &[N::Bytes],
    read: isize,
    step: isize,
    unit: usize,
    sums: &mut [N::SumBytes],
    sets: bool,
) {
    if sums.is_empty() {
        return;
    }
    let add = |to: &mut N::SumBytes, from: N::Bytes| {
        let sum = if sets { N::widen(from) } else { N::add(N::load(*to), N::widen(from)) };
        *to = N::store(sum);
    };
    if step == unit as isize {
        let src = &src[read as usize..][..sums.len()];
        sums.iter_mut().zip(src).for_each(|(to, &from)| add(to, from));
    } else if unit == 1 && step == -1 {
        let src = &src[(read + 1) as usize - sums.len()..=read as usize];
        sums.iter_mut().zip(src.iter().rev()).for_each(|(to, &from)| add(to, from));
    } else {
        for (i, sums) in sums.chunks_exact_mut(unit).enumerate() {
            let src = &src[(read + i as isize * step) as usize..][..unit];
            sums.iter_mut().zip(src).for_each(|(to, &from)| add(to, from));
        }
    }
}

/// Writes blocks of slot 0 to the input's gradient, or adds them to it.
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
