//! What is done to a row. Everything is inlined into the shells, so that it is compiled for their instruction sets.

use core::ops::Range;

use super::number::Number;
use super::{Task, Work};
use crate::plan::adjoint::{Adjoint, Again, Fold, Group, Kind, Term};

/// Groups of at most so many numbers are summed one by one: loops over more are vectors, and take a while to begin.
const FEW: usize = 8;

/// Does what a kernel is called for.
#[inline(always)]
pub(super) fn run_work<N: Number>(task: &mut Task<'_>, work: Work) {
    let Task { adjoint, from, adds, .. } = *task;
    let width = adjoint.row.inputs * adjoint.unit;
    let src = N::numbers(task.grad_out);
    let dst = N::numbers_mut(task.grad_in);
    let sums = N::sums_mut(task.scratch);
    let at = |write: isize| (write - from as isize) as usize;
    match work {
        Work::Rows { mut read, mut write, count, step } => {
            for _ in 0..count {
                if adjoint.dense && !adds {
                    let to = &mut dst[at(write)..][..width];
                    row::<N>(adjoint, &src[read as usize..], to, &mut sums[..width]);
                } else {
                    fold::<N>(adjoint, src, read, &mut sums[..width]);
                    put::<N>(adjoint, &sums[..width], dst, at(write), adds);
                }
                (read, write) = (read + step.0, write + step.1);
            }
        }
        Work::Zero { write } if !adds => {
            each_unit(adjoint, 0..adjoint.row.inputs, at(write), |_, to| dst[to].fill(N::ZERO));
        }
        Work::Zero { .. } => {}
        Work::Fold { read, slot } => fold::<N>(adjoint, src, read, &mut sums[slot * width..][..width]),
        Work::Add { slot } => {
            let (to, from) = sums[slot * width..][..2 * width].split_at_mut(width);
            for (to, from) in to.iter_mut().zip(from) {
                *to = N::store(N::add(N::load(*to), N::load(*from)));
            }
        }
        Work::Write { write } => put::<N>(adjoint, &sums[..width], dst, at(write), adds),
    }
}

/// A row of neighbours from one row of neighbours.
#[inline(always)]
fn row<N: Number>(adjoint: &Adjoint, src: &[N::Bytes], dst: &mut [N::Bytes], sums: &mut [N::SumBytes]) {
    let Adjoint { row, unit, body, .. } = adjoint;
    let to = &mut dst[body.write * unit..][..body.count * unit];
    to.copy_from_slice(&src[body.read * unit..][..body.count * unit]);
    for &patch in &adjoint.patches {
        let group = &row.groups[patch];
        let numbers = group.start * unit..group.end * unit;
        let dst = &mut dst[numbers.clone()];
        let terms = row.terms_of(group);
        match (group.kind, terms) {
            (Kind::Sum, _) if dst.len() <= FEW && row.again.is_none() => {
                few::<N>(row, *unit, terms, src, dst)
            }
            (Kind::Sum, _) => {
                let sums = &mut sums[numbers];
                fold_group::<N>(row, *unit, group, src, 0, sums);
                for (to, &sum) in dst.iter_mut().zip(&*sums) {
                    *to = N::narrow(N::load(sum));
                }
            }
            (Kind::Single, [term]) => {
                for (i, to) in dst.chunks_exact_mut(*unit).enumerate() {
                    let from = (term.at + term.step * i as isize) as usize * unit;
                    to.copy_from_slice(&src[from..][..*unit]);
                }
            }
            _ => dst.fill(N::ZERO),
        }
    }
}

/// A few numbers, each with all its terms.
#[inline(always)]
fn few<N: Number>(row: &Fold, unit: usize, terms: &[Term], src: &[N::Bytes], dst: &mut [N::Bytes]) {
    debug_assert!(row.again.is_none());
    for (at, to) in dst.iter_mut().enumerate() {
        let (i, part) = if unit == 1 { (at, 0) } else { (at / unit, at % unit) };
        let mut sum = N::NEUTRAL;
        for term in terms {
            let first = (term.at + term.step * i as isize) as usize;
            for held in first..first + term.hold {
                sum = N::add(sum, N::widen(src[held * unit + part]));
            }
        }
        *to = N::narrow(sum);
    }
}

/// Sums the row that begins at `read` along itself.
#[inline(always)]
fn fold<N: Number>(adjoint: &Adjoint, src: &[N::Bytes], read: isize, sums: &mut [N::SumBytes]) {
    let unit = adjoint.unit;
    for group in &adjoint.row.groups {
        let sums = &mut sums[group.start * unit..group.end * unit];
        fold_group::<N>(&adjoint.row, unit, group, src, read, sums);
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
        if sets {
            sums.iter_mut().zip(src).for_each(|(to, &from)| *to = N::store(N::widen(from)));
        } else {
            sums.iter_mut().zip(src).for_each(|(to, &from)| add(to, from));
        }
        return;
    }
    if unit == 1 && step == -1 {
        let src = &src[(read + 1) as usize - sums.len()..=read as usize];
        sums.iter_mut().zip(src.iter().rev()).for_each(|(to, &from)| add(to, from));
        return;
    }
    for (i, sums) in sums.chunks_exact_mut(unit).enumerate() {
        let src = &src[(read + i as isize * step) as usize..][..unit];
        sums.iter_mut().zip(src).for_each(|(to, &from)| add(to, from));
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
    let Adjoint { row, unit, .. } = adjoint;
    if row.write == *unit as isize {
        let of_sums = positions.start * unit..positions.end * unit;
        return part(of_sums.clone(), at + of_sums.start..at + of_sums.end);
    }
    for i in positions {
        let to = at.wrapping_add_signed(i as isize * row.write);
        part(i * unit..(i + 1) * unit, to..to + unit);
    }
}
