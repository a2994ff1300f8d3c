//! What is done to rows. Everything is inlined into the shells, so that it is compiled for their instruction sets.

use core::ops::Range;

use super::number::Number;
use super::{Lanes, Task, Work};
use crate::kernel::threshold;
use crate::plan::adjoint::{Adjoint, Again, Fold, Group, Kind, LANES, Term};

/// Parts of a row of fewer numbers are made column by column, down the rows: a loop over so few takes longer to begin than to run.
pub(super) const SHORT: usize = threshold(16, 4);

/// Does what a kernel is called for.
#[inline(always)]
pub(super) fn run_work<N: Number>(task: &mut Task<'_>, work: Work, lanes: Lanes) {
    let Task { adjoint, from, adds, .. } = *task;
    let width = adjoint.row.inputs * adjoint.unit;
    // The numbers of a slot.
    let slots = width * adjoint.lanes;
    let src = N::numbers(task.grad_out);
    let dst = N::numbers_mut(task.grad_in);
    let sums = N::sums_mut(task.scratch);
    let Lanes { count, step } = lanes;
    let at = |write: isize, lane: usize| (write + lane as isize * step.1 - from as isize) as usize;
    match work {
        Work::Rows { read, write } => {
            let mut done = 0;
            while done < count {
                let some = Lanes { count: (count - done).min(LANES), step };
                let read = read + done as isize * step.0;
                rows::<N>(adjoint, (src, read), (dst, at(write, done) as isize), some);
                done += some.count;
            }
        }
        Work::Zero { write } if !adds => {
            for lane in 0..count {
                each_unit(adjoint, 0..adjoint.row.inputs, at(write, lane), |_, to| dst[to].fill(N::ZERO));
            }
        }
        Work::Zero { .. } => {}
        Work::Fold { read, slot } => fold::<N>(adjoint, src, read, &mut sums[slot * slots..], lanes),
        Work::Add { slot } => {
            let (to, from) = sums[slot * slots..].split_at_mut(slots);
            for (to, from) in to[..count * width].iter_mut().zip(from) {
                *to = N::store(N::add(N::load(*to), N::load(*from)));
            }
        }
        Work::Write { write } => {
            for (lane, sums) in sums[..count * width].chunks_exact(width).enumerate() {
                put::<N>(adjoint, sums, dst, at(write, lane), adds);
            }
        }
    }
}

/// Rows of neighbours, each from one row of neighbours.
#[inline(always)]
fn rows<N: Number>(
    adjoint: &Adjoint,
    (src, read): (&[N::Bytes], isize),
    (dst, write): (&mut [N::Bytes], isize),
    lanes: Lanes,
) {
    let (row, unit, body) = (&adjoint.row, adjoint.unit, adjoint.body);
    let numbers = body.count * unit;
    let (mut from, mut to) = (read + (body.read * unit) as isize, write + (body.write * unit) as isize);
    for _ in 0..if numbers == 0 { 0 } else { lanes.count } {
        dst[to as usize..][..numbers].copy_from_slice(&src[from as usize..][..numbers]);
        (from, to) = (from + lanes.step.0, to + lanes.step.1);
    }
    for &patch in &adjoint.patches {
        let group = &row.groups[patch];
        let numbers = group.start * unit..group.end * unit;
        if group.kind == Kind::Empty {
            for lane in 0..lanes.count as isize {
                let to = (write + lane * lanes.step.1) as usize;
                dst[to + numbers.start..to + numbers.end].fill(N::ZERO);
            }
            continue;
        }
        columns::<N>(adjoint, group, src, read, lanes, |column, lane, sum| {
            dst[(write + column as isize + lane as isize * lanes.step.1) as usize] = N::narrow(sum);
        });
    }
}

/// Calls `set` with the sums of a group of every lane: column by column, and down the lanes.
#[inline(always)]
fn columns<N: Number>(
    adjoint: &Adjoint,
    group: &Group,
    src: &[N::Bytes],
    read: isize,
    lanes: Lanes,
    mut set: impl FnMut(usize, usize, N::Sum),
) {
    let (row, unit) = (&adjoint.row, adjoint.unit);
    let number = |at: isize, lane: usize| N::widen(src[(at + lane as isize * lanes.step.0) as usize]);
    let terms = row.terms_of(group);
    let simple = row.is_simple(group);
    for i in group.start..group.end {
        let at = |term: &Term| read + (term.at + term.step * (i - group.start) as isize) * row.read;
        for part in 0..unit {
            let column = i * unit + part;
            match terms {
                [term] if simple => {
                    let at = at(term) + part as isize;
                    (0..lanes.count).for_each(|lane| set(column, lane, number(at, lane)));
                }
                [one, other] if simple => {
                    let (one, other) = (at(one) + part as isize, at(other) + part as isize);
                    (0..lanes.count).for_each(|lane| {
                        set(column, lane, N::add(number(one, lane), number(other, lane)));
                    });
                }
                _ => {
                    for lane in 0..lanes.count {
                        let mut sum = N::NEUTRAL;
                        row.positions(group, i, |position| {
                            sum = N::add(sum, number(read + part as isize + position * row.read, lane));
                        });
                        set(column, lane, sum);
                    }
                }
            }
        }
    }
}

/// Sums the row that begins at `read` along itself, and those of all lanes.
#[inline(always)]
fn fold<N: Number>(adjoint: &Adjoint, src: &[N::Bytes], read: isize, sums: &mut [N::SumBytes], lanes: Lanes) {
    let (row, unit) = (&adjoint.row, adjoint.unit);
    let width = row.inputs * unit;
    let body = adjoint.body;
    let from = read + (body.read * unit) as isize;
    let numbers = body.write * unit..(body.write + body.count) * unit;
    for lane in 0..lanes.count {
        let sums = &mut sums[lane * width + numbers.start..lane * width + numbers.end];
        add_term::<N>(src, from + lane as isize * lanes.step.0, unit as isize, unit, sums, true);
    }
    for group in adjoint.patches.iter().map(|&patch| &row.groups[patch]) {
        let numbers = group.start * unit..group.end * unit;
        if group.kind == Kind::Empty {
            continue;
        }
        if numbers.len() < SHORT {
            columns::<N>(adjoint, group, src, read, lanes, |column, lane, sum| {
                sums[lane * width + column] = N::store(sum);
            });
            continue;
        }
        for lane in 0..lanes.count {
            let sums = &mut sums[lane * width + numbers.start..lane * width + numbers.end];
            fold_group::<N>(row, unit, group, src, read + lane as isize * lanes.step.0, sums);
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

/// Writes sums to a row of the input's gradient, or adds them to it.
#[inline(always)]
fn put<N: Number>(adjoint: &Adjoint, sums: &[N::SumBytes], dst: &mut [N::Bytes], at: usize, adds: bool) {
    let row = &adjoint.row;
    let some = |group: &Group| group.kind != Kind::Empty;
    let whole = [Group { start: 0, end: row.inputs, terms: (0, 0), kind: Kind::Sum }];
    // Where nothing was removed a row is one part.
    let groups = if row.groups.iter().all(some) { &whole[..] } else { &row.groups[..] };
    for group in groups {
        each_unit(adjoint, group.start..group.end, at, |of_sums, to| {
            let dst = &mut dst[to];
            match group.kind {
                Kind::Empty if adds => {}
                Kind::Empty => dst.fill(N::ZERO),
                _ => {
                    for (to, &sum) in dst.iter_mut().zip(&sums[of_sums]) {
                        let sum = N::load(sum);
                        *to = N::narrow(if adds { N::add(N::widen(*to), sum) } else { sum });
                    }
                }
            }
        });
    }
}

/// Where positions of a row lie in a row of sums and in the input's gradient, in parts as long as they can be.
#[inline(always)]
fn each_unit(
    adjoint: &Adjoint,
    positions: Range<usize>,
    at: usize,
    mut part: impl FnMut(Range<usize>, Range<usize>),
) {
    let (row, unit) = (&adjoint.row, adjoint.unit);
    if row.write == unit as isize {
        let of_sums = positions.start * unit..positions.end * unit;
        return part(of_sums.clone(), at + of_sums.start..at + of_sums.end);
    }
    for i in positions {
        let to = at.wrapping_add_signed(i as isize * row.write);
        part(i * unit..(i + 1) * unit, to..to + unit);
    }
}
