//! Linear ramps, computed as `numpy.linspace` does: `[4 5]` with two positions before it and the end value 0 becomes `[0 2 4 5]`.

use core::mem::MaybeUninit;

use super::lines::{Group, Groups, MOST_LINES};
use super::number::{Float, In, Number};
use super::{Borders, Job};
use crate::kernel::raw::{get, put};

/// Writes ramps to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Number>(job: &mut Job<'_>) {
    let &Borders::Ramp { ends: [low, high], double } = &job.pass.borders else {
        unreachable!("a ramp's borders")
    };
    for (end, is_low) in [(low, true), (high, false)] {
        // SAFETY: the caller keeps the contract of `Job`.
        unsafe {
            if double || size_of::<T::Own>() == size_of::<T::Double>() {
                run_in::<T, T::Double>(job, end, is_low);
            } else {
                run_in::<T, T::Own>(job, end, is_low);
            }
        }
    }
}

/// Writes the ramps of one side, computed in the type `F`. They go from the end value at the outermost position to the edge.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
unsafe fn run_in<T: Number + In<F>, F: Float>(job: &mut Job<'_>, end: [f64; 2], is_low: bool) {
    let (pass, dst) = (job.pass, job.dst);
    let after = pass.low + pass.len;
    let (from, width, edge) = if is_low { (0, pass.low, pass.low) } else { (after, pass.high, after - 1) };
    let (stride, end) = (pass.stride, F::of(end));
    let mut slopes = [const { MaybeUninit::<F>::uninit() }; MOST_LINES];
    let mut has_zero = false;
    // SAFETY: the contract of `Job` says that the elements lie within the memory, and that the interior is written. A group's slopes
    // are written before they are read.
    unsafe {
        let place = |at: isize, line: usize, step: isize, index: usize, stride: isize| {
            dst.offset(at + line as isize * step + index as isize * stride)
        };
        let delta = |edge: *mut u8| In::<F>::to(get::<T>(edge)) - end;
        // If the step of one ramp is zero, numpy computes all ramps of the side as `k / width * delta`, not `delta / width * k`.
        let mut groups = Groups::of(pass, size_of::<T>());
        while let (false, Some(Group { at, lines, step })) = (has_zero, groups.next()) {
            each!(T, (line, lines, step), (edge, edge..edge + 1, stride) => {
                has_zero |= delta(place(at, line, step, edge, stride)).over(width) == F::steps(0);
            });
        }
        let mut groups = Groups::of(pass, size_of::<T>());
        while let Some(Group { at, lines, step }) = groups.next() {
            each!(T, (line, lines, step), (edge, edge..edge + 1, stride) => {
                let delta = delta(place(at, line, step, edge, stride));
                *slopes.get_unchecked_mut(line) = MaybeUninit::new(if has_zero { delta } else { delta.over(width) });
            });
            each!(T, (line, lines, step), (index, 0..width, stride) => {
                let k = F::steps(if is_low { index } else { width - 1 - index });
                let k = if has_zero { k.over(width) } else { k };
                let value = k * slopes.get_unchecked(line).assume_init() + end;
                put(place(at, line, step, from + index, stride), T::back(value));
            });
        }
    }
}
