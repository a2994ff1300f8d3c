//! Linear ramps, computed as `numpy.linspace` does: `[4 5]` with two positions before it and the end value 0 becomes `[0 2 4 5]`.

use core::mem::MaybeUninit;
use core::slice;

use super::lines::{Group, Groups, MOST_LINES};
use super::number::{Float, In, Number};
use super::{Borders, Job};
use crate::kernel::raw::{get, put};

/// The number of ramp positions whose factors are computed together.
const FACTORS: usize = 64;

/// Ramps with at least this many contiguous positions are written line by line.
const LONG: usize = 4;

/// Writes ramps to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Number>(job: &mut Job<'_>) {
    let &Borders::Ramp { double, .. } = &job.pass.borders else { unreachable!("the borders of a ramp") };
    for is_low in [true, false] {
        // SAFETY: the caller keeps the contract.
        unsafe {
            if double || size_of::<T::Own>() == size_of::<T::Double>() {
                run_in::<T, T::Double>(job, is_low);
            } else {
                run_in::<T, T::Own>(job, is_low);
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
unsafe fn run_in<T: Number + In<F>, F: Float>(job: &mut Job<'_>, is_low: bool) {
    let (pass, dst, size) = (job.pass, job.dst, size_of::<T>() as isize);
    let &Borders::Ramp { ends: [low, high], .. } = &pass.borders else { unreachable!("as above") };
    let after = pass.low + pass.len;
    let (end, from, width, edge) =
        if is_low { (low, 0, pass.low, pass.low) } else { (high, after, pass.high, after - 1) };
    if width == 0 {
        return;
    }
    let (stride, end, zero) = (pass.stride, F::of(end), F::steps(0));
    let edge = edge as isize * stride;
    // If the step of one ramp is zero, numpy computes all ramps of the side as `k / width * delta`, not `delta / width * k`.
    let mut has_zero = false;
    let mut buffer = [const { MaybeUninit::<F>::uninit() }; MOST_LINES];
    let mut groups = Groups::of(pass, size as usize);
    while let Some(Group { at, lines, step }) = groups.next() {
        // SAFETY: the contract of `Job` says that the elements lie within the memory, and that the interior is written.
        let deltas = unsafe { deltas::<T, F>(dst.offset(at + edge), step, end, &mut buffer[..lines]) };
        for delta in deltas {
            has_zero |= delta.over(width) == zero;
        }
    }
    for first in (0..width).step_by(FACTORS) {
        let count = FACTORS.min(width - first);
        let mut factors = [zero; FACTORS];
        let factors = &mut factors[..count];
        for (index, factor) in (first..).zip(&mut *factors) {
            let k = F::steps(if is_low { index } else { width - 1 - index });
            *factor = if has_zero { k.over(width) } else { k };
        }
        let mut groups = Groups::of(pass, size as usize);
        while let Some(Group { at, lines, step }) = groups.next() {
            // SAFETY: the contract of `Job` says that the elements lie within the memory. The positions belong to these lines.
            unsafe {
                let slopes = deltas::<T, F>(dst.offset(at + edge), step, end, &mut buffer[..lines]);
                if !has_zero {
                    for slope in &mut *slopes {
                        *slope = slope.over(width);
                    }
                }
                let start = dst.offset(at + (from + first) as isize * stride);
                if step == size {
                    products::<T, F>(start, (factors, stride), (slopes, size), end);
                } else if stride == size && count >= LONG {
                    products::<T, F>(start, (slopes, step), (factors, size), end);
                } else {
                    products::<T, F>(start, (factors, stride), (slopes, step), end);
                }
            }
        }
    }
}

/// Returns the differences of edge elements and the end value, for lines that lie `step` bytes apart.
///
/// # Safety
///
/// - An element lies at the edge of as many lines as the buffer is long.
#[inline(always)]
unsafe fn deltas<T: Number + In<F>, F: Float>(
    edge: *const u8,
    step: isize,
    end: F,
    buffer: &mut [MaybeUninit<F>],
) -> &mut [F] {
    // SAFETY: the caller keeps the contract.
    let delta = |at: isize| unsafe { In::<F>::to(get::<T>(edge.offset(at))) - end };
    let size = size_of::<T>() as isize;
    if step == size {
        (0..).zip(&mut *buffer).for_each(|(line, slot)| _ = slot.write(delta(line * size)));
    } else {
        (0..).zip(&mut *buffer).for_each(|(line, slot)| _ = slot.write(delta(line * step)));
    }
    // SAFETY: one of the loops has written every element of the buffer.
    unsafe { slice::from_raw_parts_mut(buffer.as_mut_ptr().cast(), buffer.len()) }
}

/// Writes the sum of `end` and a product for each pair of an outer and an inner number.
///
/// # Safety
///
/// - For each pair, an element lies at the sum of both offsets from `start`, in writable memory.
#[inline(always)]
unsafe fn products<T: Number + In<F>, F: Float>(
    start: *mut u8,
    (outer, outer_step): (&[F], isize),
    (inner, inner_step): (&[F], isize),
    end: F,
) {
    for (row, &one) in outer.iter().enumerate() {
        for (index, &other) in inner.iter().enumerate() {
            // SAFETY: the caller keeps the contract.
            unsafe {
                let at = start.offset(row as isize * outer_step + index as isize * inner_step);
                put(at, T::back(one * other + end));
            }
        }
    }
}
