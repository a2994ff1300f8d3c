//! Linear ramps, computed as `numpy.linspace` does: `[4 5]` with two positions before it and the end value 0 becomes `[0 2 4 5]`.

use core::mem::MaybeUninit;
use core::slice;

use super::lines::{Group, Groups, MOST_LINES};
use super::number::{Float, Number};
use super::{Borders, Job};
use crate::kernel::raw::{get, put};

/// The number of ramp positions whose factors are computed together.
const FACTORS: usize = 64;

/// A ramp of at least this many contiguous positions is written line by line.
const LONG: usize = 4;

/// Writes ramps to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Number>(job: &mut Job<'_>) {
    let &Borders::Ramp { ends, double } = &job.pass.borders else { unreachable!("the borders of a ramp") };
    let total = job.pass.low + job.pass.len + job.pass.high;
    let sides = [
        Side { end: ends[0], width: job.pass.low, edge: job.pass.low, outermost: 0, direction: 1 },
        Side {
            end: ends[1],
            width: job.pass.high,
            edge: total - 1 - job.pass.high,
            outermost: total - 1,
            direction: -1,
        },
    ];
    for side in sides.into_iter().filter(|side| side.width > 0) {
        // SAFETY: the caller keeps the contract.
        unsafe {
            if double || !T::HAS_OWN {
                run_in(job, side, T::double, T::from_double);
            } else {
                run_in(job, side, T::own, T::from_own);
            }
        }
    }
}

/// The ramp of one side. It goes from the end value at the outermost position to the element at the edge.
#[derive(Clone, Copy)]
struct Side {
    end: [f64; 2],
    width: usize,
    edge: usize,
    outermost: usize,
    direction: isize,
}

/// Writes the ramps of one side, computed in one precision.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
unsafe fn run_in<T: Number, F: Float>(
    job: &mut Job<'_>,
    side: Side,
    of: impl Fn(T) -> F,
    to: impl Fn(F) -> T,
) {
    let (pass, dst, size) = (job.pass, job.dst, size_of::<T>() as isize);
    let Side { width, .. } = side;
    let (stride, end) = (pass.stride, F::of(side.end));
    let (edge, outermost) = (side.edge as isize * stride, side.outermost as isize * stride);
    // numpy uses another formula for all ramps of a side if the step of one of them is zero.
    let mut has_zero = false;
    let mut buffer = [const { MaybeUninit::<F>::uninit() }; MOST_LINES];
    let mut groups = Groups::of(pass, size as usize);
    while let Some(Group { at, lines, step }) = groups.next() {
        // SAFETY: the contract of `Job` says that the elements of the pass lie within the memory, and that the interior is written.
        let deltas = unsafe { deltas(dst.offset(at + edge), step, end, &mut buffer[..lines], &of) };
        for delta in deltas {
            has_zero |= delta.is_zero_over(width);
        }
    }
    for first in (0..width).step_by(FACTORS) {
        let count = FACTORS.min(width - first);
        // The factors are in the order of memory, so both sides write to ascending addresses.
        let mut factors = [F::ZERO; FACTORS];
        for (index, factor) in factors[..count].iter_mut().enumerate() {
            let k = F::index(first + if side.direction > 0 { index } else { count - 1 - index });
            *factor = if has_zero { k.over(width) } else { k };
        }
        let lowest = if side.direction > 0 { first as isize } else { 1 - (first + count) as isize };
        let mut groups = Groups::of(pass, size as usize);
        while let Some(Group { at, lines, step }) = groups.next() {
            // SAFETY: the caller keeps the contract of `Job`. The deltas are read as above, and the positions belong to these lines.
            unsafe {
                let slopes = deltas(dst.offset(at + edge), step, end, &mut buffer[..lines], &of);
                if !has_zero {
                    for slope in &mut *slopes {
                        *slope = slope.over(width);
                    }
                }
                let start = dst.offset(at + outermost + lowest * stride);
                let factors = &factors[..count];
                if step == size {
                    products(start, factors, stride, slopes, size, end, &to);
                } else if stride == size && count >= LONG {
                    products(start, slopes, step, factors, size, end, &to);
                } else {
                    products(start, factors, stride, slopes, step, end, &to);
                }
            }
        }
    }
}

/// Returns the elements at the edge minus the end value, for lines that are `step` bytes apart.
///
/// # Safety
///
/// - Each line of the buffer has an element at its edge, in readable memory.
#[inline(always)]
unsafe fn deltas<T: Number, F: Float>(
    edge: *const u8,
    step: isize,
    end: F,
    buffer: &mut [MaybeUninit<F>],
    of: impl Fn(T) -> F,
) -> &mut [F] {
    // SAFETY: the caller keeps the contract.
    let delta = |at: isize| unsafe { of(get::<T>(edge.offset(at))).minus(end) };
    let size = size_of::<T>() as isize;
    if step == size {
        for (line, slot) in buffer.iter_mut().enumerate() {
            slot.write(delta(line as isize * size));
        }
    } else {
        for (line, slot) in buffer.iter_mut().enumerate() {
            slot.write(delta(line as isize * step));
        }
    }
    // SAFETY: the loops above have written the whole buffer.
    unsafe { slice::from_raw_parts_mut(buffer.as_mut_ptr().cast(), buffer.len()) }
}

/// Writes `end` plus the product of each outer and each inner number. The steps give the distances of the results.
///
/// # Safety
///
/// - For each pair, an element lies at the sum of both offsets from `start`, in writable memory.
#[inline(always)]
unsafe fn products<T: Number, F: Float>(
    start: *mut u8,
    outer: &[F],
    outer_step: isize,
    inner: &[F],
    inner_step: isize,
    end: F,
    to: impl Fn(F) -> T,
) {
    for (row, &one) in outer.iter().enumerate() {
        for (index, &other) in inner.iter().enumerate() {
            // SAFETY: the caller keeps the contract.
            unsafe {
                let at = start.offset(row as isize * outer_step + index as isize * inner_step);
                put(at, to(one.times(other).plus(end)));
            }
        }
    }
}
