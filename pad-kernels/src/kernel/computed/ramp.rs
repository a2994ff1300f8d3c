//! Ramps, as `numpy.linspace` computes them.

use super::lines::{APART, Group, Groups, NEIGHBOURS};
use super::number::{Float, Number};
use super::{Borders, Job};

/// Positions of a ramp whose factors are worked out together.
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

/// The same in one precision.
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
    let position = |index: usize| index as isize * pass.stride;
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
        let (edge, outermost) = (position(edge), position(outermost));
        let delta = |at: isize| of(read(at + edge)).minus(end);
        // numpy computes all ramps of a side otherwise if the steps of one of them are zero.
        let mut has_zero = false;
        let mut groups = Groups::of(pass, size);
        while let Some(group) = groups.next() {
            match group {
                Group::Neighbours(at, lines) => {
                    for line in 0..lines {
                        has_zero |= delta(at + (line * size) as isize).is_zero_over(width);
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
        let mut slopes = [F::ZERO; NEIGHBOURS];
        let mut groups = Groups::of(pass, size);
        while let Some(group) = groups.next() {
            match group {
                Group::Neighbours(at, lines) => {
                    let lines = lines.min(NEIGHBOURS);
                    for (line, slot) in slopes[..lines].iter_mut().enumerate() {
                        *slot = slope(at + (line * size) as isize);
                    }
                    for k in 0..width {
                        let row = at + outermost + direction * position(k);
                        let factor = factor(k);
                        for (line, slope) in slopes[..lines].iter().enumerate() {
                            write(row + (line * size) as isize, to(factor.times(*slope).plus(end)));
                        }
                    }
                }
                Group::Apart(lines) => {
                    for first in (0..width).step_by(FACTORS) {
                        // In the order of memory, in which loops over neighbours go.
                        let count = FACTORS.min(width - first);
                        let at_factor = |index: usize| if direction > 0 { index } else { count - 1 - index };
                        let mut factors = [F::ZERO; FACTORS];
                        for (index, slot) in factors[..count].iter_mut().enumerate() {
                            *slot = factor(first + at_factor(index));
                        }
                        let begin = outermost + direction * position(first + at_factor(0));
                        for &at in &groups.offsets[..lines.min(APART)] {
                            let (slope, row) = (slope(at), at + begin);
                            let value = |factor: &F| to(factor.times(slope).plus(end));
                            if pass.stride == size as isize {
                                for (index, factor) in factors[..count].iter().enumerate() {
                                    write(row + (index * size) as isize, value(factor));
                                }
                            } else {
                                for (index, factor) in factors[..count].iter().enumerate() {
                                    write(row + position(index), value(factor));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
