//! What is done to blocks. Everything is inlined into the shells, so that it is compiled for their instruction sets.

use core::ops::Range;

use super::lanes::{Lanes as Registers, Sums};
use super::number::Number;
use super::run::{Buffers, Spread, run_program};
use super::{Lanes, Task, Work};
use crate::kernel::simd::Simd;
use crate::plan::adjoint::Adjoint;
use crate::plan::fold::{Again, Fold, Group, Kind};

/// Groups of fewer numbers are summed number by number: a loop over so few takes longer to begin than to run.
const SHORT: usize = 4;

/// Does what a kernel is called for.
#[inline(always)]
pub(super) fn run_work<N: Number, S: Sums>(task: &mut Task<'_>, work: Work, lanes: Lanes) {
    if size_of::<N::Sum>() == 1 {
        run_with::<N, S, S::OfBytes>(task, work, lanes);
    } else {
        run_with::<N, S, S::OfWords>(task, work, lanes);
    }
}

#[inline(always)]
fn run_with<N: Number, S: Simd, L: Registers>(task: &mut Task<'_>, work: Work, lanes: Lanes) {
    let Task { adjoint, from, adds, .. } = *task;
    let width = adjoint.width();
    // The numbers of a slot.
    let slots = width * adjoint.lanes;
    let at = |write: isize, lane: usize| (write + lane as isize * lanes.step.1 - from as isize) as usize;
    // Sums are made and written in one place each: all of it is inlined.
    let (sums, writes) = match work {
        Work::Blocks { read, write } => (Some((read, 0)), Some(write)),
        Work::Sum { read, slot } => (Some((read, slot)), None),
        Work::Write { write } => (None, Some(write)),
        Work::Zero { write } => {
            let dst = N::numbers_mut(task.grad_in);
            for lane in 0..if adds { 0 } else { lanes.count } {
                each_run(adjoint, Side::Input, at(write, lane), |_, to| dst[to].fill(N::ZERO));
            }
            return;
        }
        Work::Add { slot } => {
            let sums = N::sums_mut(task.scratch);
            let (to, from) = sums[slot * slots..].split_at_mut(slots);
            for (to, from) in to[..lanes.count * width].iter_mut().zip(from) {
                *to = N::store(N::add(N::load(*to), N::load(*from)));
            }
            return;
        }
    };
    let mut done = 0;
    while done < lanes.count {
        let some = Lanes { count: (lanes.count - done).min(adjoint.lanes), ..lanes };
        let to = writes.map(|write| at(write, done));
        // Closures that are not inlined are compiled without the instruction set.
        let written = match sums {
            Some((read, slot)) => sum::<N, S, L>(task, read + done as isize * lanes.step.0, (slot, to), some),
            None => false,
        };
        if let (Some(to), false) = (to, written) {
            put::<N>(task, (to, lanes.step.1), some.count);
        }
        done += some.count;
    }
}

/// Sums blocks along their own axes into a slot. Where it can, it writes them `to` the input's gradient instead, and says so.
#[inline(always)]
fn sum<N: Number, S: Simd, L: Registers>(
    task: &mut Task<'_>,
    read: isize,
    (slot, to): (usize, Option<usize>),
    lanes: Lanes,
) -> bool {
    let Task { adjoint, adds, .. } = *task;
    // What nothing is added to is zero, and leaves a gradient alone that it is added to.
    let removed = if adds { N::NEUTRAL } else { N::widen(N::ZERO) };
    let (width, outputs) = (adjoint.width(), adjoint.outputs());
    let bytes = size_of::<N::Sum>();
    let Some(program) = task.program else {
        let sums = &mut N::sums_mut(task.scratch)[slot * width * adjoint.lanes..];
        fold::<N>(adjoint, N::numbers(task.grad_out), read, sums, lanes, removed);
        return false;
    };
    let (slots, buffers) = task.scratch.split_at_mut(adjoint.sums_bytes() + program.over * bytes);
    let (first, second) = buffers.split_at_mut(program.buffers[0] * bytes);
    // Blocks that lie one behind the other are read in their place, and rows wherever they lie, if what is read behind them is
    // there.
    let (reads, writes) = program.extents(lanes.count);
    let src = N::numbers(task.grad_out);
    let reach = program.row_reach();
    let (rows, lowest) = Spread::from_lowest(read as usize, lanes.step.0, lanes.count);
    let beside = lanes.count == 1 || lanes.step.0 == outputs as isize;
    let end = match reach {
        Some(reach) => rows.end(lanes.count, reach),
        None => reads,
    };
    let in_place = adjoint.packed.0 && (beside || reach.is_some()) && lowest + end <= src.len();
    if !in_place {
        let sums = N::sums_mut(first);
        for lane in 0..lanes.count {
            let at = (read + lane as isize * lanes.step.0) as usize;
            each_run(adjoint, Side::Output, at, |to, from| {
                let to = lane * outputs + to.start..lane * outputs + to.end;
                for (to, &from) in sums[to].iter_mut().zip(&src[from]) {
                    *to = N::store(N::widen(from));
                }
            });
        }
    }
    let gradient = in_place.then(|| &task.grad_out[lowest * size_of::<N::Bytes>()..]);
    let read = reach.filter(|_| in_place).map(|_| rows);
    // A program that takes rows in groups may write more rows than there are.
    let beside = lanes.count == 1 || lanes.step.1 == width as isize;
    let fits = reach.is_some() || beside && writes == lanes.count * width;
    let to = to.filter(|_| !adds && adjoint.packed.1 && fits);
    let narrows = to.is_some();
    let (dst, written) = match to {
        Some(to) => {
            let (rows, lowest) = Spread::from_lowest(to, lanes.step.1, lanes.count);
            (&mut task.grad_in[lowest * size_of::<N::Bytes>()..], reach.map(|_| rows))
        }
        None => (&mut slots[slot * width * adjoint.lanes * bytes..], None),
    };
    let buffers = Buffers { gradient, first, second, dst, narrows, read, written };
    run_program::<N, S, L>(program, buffers, lanes.count, removed);
    narrows
}

/// Sums rows along themselves whose terms are not listed.
#[inline(always)]
fn fold<N: Number>(
    adjoint: &Adjoint,
    src: &[N::Bytes],
    read: isize,
    sums: &mut [N::SumBytes],
    lanes: Lanes,
    removed: N::Sum,
) {
    let (row, unit) = (adjoint.row(), adjoint.unit);
    let width = row.inputs * unit;
    for lane in 0..lanes.count {
        let sums = &mut sums[lane * width..][..width];
        let read = read + lane as isize * lanes.step.0;
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

/// The sums of a group, whose positions are added one term after the other.
#[inline(always)]
fn fold_group<N: Number>(
    row: &Fold,
    unit: usize,
    group: &Group,
    src: &[N::Bytes],
    read: isize,
    sums: &mut [N::SumBytes],
) {
    let terms = row.terms_of(group);
    let count = group.end - group.start;
    let mut first = true;
    let mut further = 0;
    loop {
        for term in terms {
            let from = row.again.map_or(0, |again| again.from as isize);
            if further > 0 && term.at.min(term.at + term.step * (count - 1) as isize) < from {
                continue;
            }
            for held in 0..term.hold {
                let at = term.at + (further + held) as isize;
                let inside = inside(at, term.step, count, row.outputs);
                let read = read + (at + term.step * inside.start as isize) * row.read;
                let sums = &mut sums[inside.start * unit..inside.end * unit];
                add_term::<N>(src, read, term.step * row.read, unit, sums, core::mem::take(&mut first));
            }
        }
        match row.again {
            Some(Again { period, .. }) if further + period < row.outputs => further += period,
            _ => return,
        }
    }
}

/// Which of `count` positions, `at` the first of them and each `step` from the last, are before the end.
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

/// Adds units that are `step` apart, or sets sums to them.
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

/// Writes blocks of the first slot to the input's gradient, or adds them to it: to the one at `write`, and to others `step` apart.
#[inline(always)]
fn put<N: Number>(task: &mut Task<'_>, (write, step): (usize, isize), count: usize) {
    let Task { adjoint, adds, .. } = *task;
    let width = adjoint.width();
    let sums = &N::sums_mut(task.scratch)[..count * width];
    let dst = N::numbers_mut(task.grad_in);
    for lane in 0..count {
        let at = write.wrapping_add_signed(lane as isize * step);
        each_run(adjoint, Side::Input, at, |of_sums, to| {
            let sums = &sums[lane * width + of_sums.start..lane * width + of_sums.end];
            for (to, &sum) in dst[to].iter_mut().zip(sums) {
                let sum = N::load(sum);
                *to = N::narrow(if adds { N::add(N::widen(*to), sum) } else { sum });
            }
        });
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Output,
    Input,
}

/// Calls `run` with where the numbers of a block lie among its numbers and in a gradient, in runs as long as they can be.
#[inline(always)]
fn each_run(adjoint: &Adjoint, side: Side, at: usize, mut run: impl FnMut(Range<usize>, Range<usize>)) {
    let of = |fold: &Fold| match side {
        Side::Output => (fold.outputs, fold.read),
        Side::Input => (fold.inputs, fold.write),
    };
    let (packed, numbers) = match side {
        Side::Output => (adjoint.packed.0, adjoint.outputs()),
        Side::Input => (adjoint.packed.1, adjoint.width()),
    };
    if packed {
        return run(0..numbers, at..at + numbers);
    }
    let (row, unit) = (adjoint.row(), adjoint.unit);
    let (positions, stride) = of(row);
    // Units of a row, or all of it.
    let length = if stride == unit as isize { positions * unit } else { unit };
    for start in (0..numbers).step_by(length) {
        let mut rest = start / unit;
        let mut to = at;
        for fold in adjoint.block.iter().rev() {
            let (positions, stride) = of(fold);
            to = to.wrapping_add_signed((rest % positions) as isize * stride);
            rest /= positions;
        }
        run(start..start + length, to..to + length);
    }
}
