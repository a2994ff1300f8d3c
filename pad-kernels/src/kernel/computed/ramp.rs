//! Ramps, as `numpy.linspace` computes them.

use core::mem::MaybeUninit;

use super::fold::PIECE;
use super::lines::{APART, Group, Groups, NEIGHBOURS, Repeated};
use super::number::{Float, Number};
use super::{Borders, Job};
use crate::kernel::raw::put;

/// Elements of a ramp whose factors are worked out together.
const FACTORS: usize = 64;

/// Writes ramps to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Number>(job: &mut Job<'_>) {
    let &Borders::Ramp { ends, double } = &job.pass.borders else { unreachable!("the borders of a ramp") };
    // SAFETY: the caller's.
    unsafe {
        if double || !T::HAS_OWN {
            run_in(job, ends, T::double, T::from_double);
        } else {
            run_in(job, ends, T::own, T::from_own);
        }
    }
}

/// Writes ramps in one precision.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
unsafe fn run_in<T: Number, F: Float>(
    job: &mut Job<'_>,
    ends: [[f64; 2]; 2],
    of: impl Fn(T) -> F,
    to: impl Fn(F) -> T,
) {
    let (pass, dst) = (job.pass, job.dst);
    // SAFETY: `Job`: elements of the pass are within the memory, and those of the middle written.
    let read = |at: isize| unsafe { dst.offset(at).cast::<T>().read_unaligned() };
    // SAFETY: as above, without being read.
    let write = |at: isize, value: T| unsafe { dst.offset(at).cast::<T>().write_unaligned(value) };
    let stride = pass.stride;
    let position = |index: usize| index as isize * stride;
    let size = size_of::<T>();
    let total = pass.low + pass.len + pass.high;
    // Of each side the end value, the length, and the positions of the edge, of the end, and from there on.
    let sides =
        [(ends[0], pass.low, pass.low, 0, 1), (ends[1], pass.high, total - 1 - pass.high, total - 1, -1)];
    for (end, width, edge, outermost, direction) in sides {
        if width == 0 {
            continue;
        }
        let end = F::of(end);
        let lowest = if direction > 0 { 0 } else { position(total - width) };
        let (edge, outermost) = (position(edge), position(outermost));
        let delta = |at: isize| of(read(at + edge)).minus(end);
        // numpy computes all ramps of a side otherwise if the steps of one of them are zero.
        let mut has_zero = false;
        let mut groups = Groups::of(pass, size, true);
        while let Some(group) = groups.next() {
            match group {
                Group::Neighbours(at, lines) => {
                    for line in 0..lines {
                        has_zero |= delta(at + (line * size) as isize).is_zero_over(width);
                    }
                }
                Group::Bundles(at, lines, Repeated { count, step }) => {
                    for line in 0..lines {
                        let at = at + (line * size) as isize;
                        for bundle in 0..count as isize {
                            has_zero |= delta(at + bundle * step).is_zero_over(width);
                        }
                    }
                }
                Group::Apart(lines) => {
                    for &at in &groups.offsets[..lines.min(APART)] {
                        has_zero |= delta(at).is_zero_over(width);
                    }
                }
            }
        }
        let factor = |k: usize| if has_zero { F::index(k).over(width) } else { F::index(k) };
        let slope = |at: isize| if has_zero { delta(at) } else { delta(at).over(width) };
        let mut slopes = [const { MaybeUninit::<F>::uninit() }; NEIGHBOURS];
        // Of elements of a bundle, in the order of memory: the factors of those from `made` on, and the slopes.
        let (mut factors, mut made) = ([F::ZERO; FACTORS], usize::MAX);
        let mut by_turns = [F::ZERO; FACTORS];
        let mut groups = Groups::of(pass, size, true);
        while let Some(group) = groups.next() {
            match group {
                Group::Neighbours(at, lines) => {
                    let slopes = &mut slopes[..lines.min(NEIGHBOURS)];
                    for (line, slot) in slopes.iter_mut().enumerate() {
                        slot.write(slope(at + (line * size) as isize));
                    }
                    for k in 0..width {
                        let row = at + outermost + direction * position(k);
                        let factor = factor(k);
                        for (line, slope) in slopes.iter().enumerate() {
                            // SAFETY: written just now.
                            let slope = unsafe { slope.assume_init() };
                            write(row + (line * size) as isize, to(factor.times(slope).plus(end)));
                        }
                    }
                }
                Group::Bundles(at, lines, Repeated { count: bundles, step }) => {
                    let (all, together) = (width * lines, FACTORS / lines * lines);
                    // A chunk that is all of a side has the same factors in all bundles.
                    for bundle in 0..bundles as isize {
                        let at = at + bundle * step;
                        for first in (0..all).step_by(together) {
                            let count = together.min(all - first);
                            if made != first {
                                for (index, slot) in factors[..count].iter_mut().enumerate() {
                                    let k = (first + index) / lines;
                                    *slot = factor(if direction > 0 { k } else { width - 1 - k });
                                }
                                made = first;
                            }
                            if lines > 1 {
                                for line in 0..lines {
                                    let slope = slope(at + (line * size) as isize);
                                    for slot in by_turns[line..count].iter_mut().step_by(lines) {
                                        *slot = slope;
                                    }
                                }
                            }
                            let one = slope(at);
                            let to_run = at + lowest + (first * size) as isize;
                            let value = |factor: F, slope: F| to(factor.times(slope).plus(end));
                            let (pieces, rest) = factors[..count].as_chunks::<PIECE>();
                            let (slopes, slopes_of_rest) = by_turns[..count].as_chunks::<PIECE>();
                            for (index, (factors, slopes)) in pieces.iter().zip(slopes).enumerate() {
                                let slopes = if lines > 1 { *slopes } else { [one; PIECE] };
                                let values: [T; PIECE] =
                                    core::array::from_fn(|index| value(factors[index], slopes[index]));
                                let at = to_run + (index * PIECE * size) as isize;
                                // SAFETY: `Job`: positions of lines of a bundle, which are neighbours.
                                unsafe { put(dst.offset(at), values) };
                            }
                            let done = count - rest.len();
                            for (index, (factor, slope)) in rest.iter().zip(slopes_of_rest).enumerate() {
                                let slope = if lines > 1 { *slope } else { one };
                                write(to_run + ((done + index) * size) as isize, value(*factor, slope));
                            }
                        }
                    }
                }
                Group::Apart(lines) => {
                    for &at in &groups.offsets[..lines.min(APART)] {
                        let slope = slope(at);
                        for k in 0..width {
                            let value = to(factor(k).times(slope).plus(end));
                            write(at + outermost + direction * position(k), value);
                        }
                    }
                }
            }
        }
    }
}
