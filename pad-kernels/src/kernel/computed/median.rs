//! Medians: the middle element in sorted order, or the mean of the two middle elements.

use core::mem::MaybeUninit;
use core::slice;

use super::lines::{Group, Groups, innermost};
use super::number::Number;
use super::{Computation, Job, Pass};
use crate::dtype::{DType, ElementSize};
use crate::kernel::raw::get;

/// The number of lines whose keys are copied together. Lines with few keys are sorted as columns. Others are searched one by one.
const TOGETHER: usize = 16;

/// The minimum number of lines that are sorted as columns, and the maximum size of a line's keys in bytes. For other lines, a
/// search is faster.
const LEAST_COLUMNS: usize = 4;
const COLUMN_BYTES: usize = 256;

/// Returns the scratch memory in bytes that medians of `count` elements need.
pub(super) fn scratch_bytes(pass: &Pass, dtype: DType, count: usize) -> usize {
    let ElementSize::Bytes(size) = dtype.element_size() else { unreachable!("numbers are of whole bytes") };
    let key = if matches!(dtype, DType::C64 | DType::C128) { size_of::<(u8, i64, i64)>() } else { size };
    let is_alone = innermost(pass) && count.saturating_mul(key) > COLUMN_BYTES;
    count.saturating_mul(key * if is_alone { 1 } else { TOGETHER })
}

/// Writes medians to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Number>(job: &mut Job<'_>) {
    let (pass, dst, size) = (job.pass, job.dst, size_of::<T>() as isize);
    let skips = pass.row().computation == Computation::NanMedian;
    for side in job.sides().into_iter().flatten() {
        let (count, stride) = (side.count, pass.stride);
        const { assert!(align_of::<T::Key>() <= align_of::<u64>()) };
        let keys: *mut T::Key = job.scratch.as_mut_ptr().cast();
        let mut groups = Groups::of(pass, size as usize);
        while let Some(Group { at, lines, step }) = groups.next() {
            let is_short = lines >= LEAST_COLUMNS && count * size_of::<T::Key>() <= COLUMN_BYTES;
            let is_alone = !is_short && innermost(pass);
            let together = if is_alone { 1 } else { TOGETHER };
            debug_assert!(size_of_val(job.scratch) >= size_of::<T::Key>() * together * count);
            for first in (0..lines).step_by(together) {
                let some = together.min(lines - first);
                let in_columns = is_short && some >= LEAST_COLUMNS;
                let mut results = [const { MaybeUninit::<T>::uninit() }; TOGETHER];
                // SAFETY:
                // - `Job`: these lines have the elements, and the scratch has room for `together * count` keys.
                // - Every key in the scratch is written before it is read.
                unsafe {
                    let start = dst.offset(at + first as isize * step);
                    let from = start.offset(side.from as isize * stride);
                    let read = |at: isize| get::<T>(from.offset(at)).key();
                    if in_columns {
                        // If there are fewer lines than columns, the rest of the columns repeats the first line.
                        let lines: [isize; TOGETHER] =
                            core::array::from_fn(|line| if line < some { line as isize * step } else { 0 });
                        for index in 0..count {
                            for (lane, line) in lines.into_iter().enumerate() {
                                let key = read(line + index as isize * stride);
                                keys.add(index * TOGETHER + lane).write(key);
                            }
                        }
                        let columns = slice::from_raw_parts_mut(keys.cast::<[T::Key; TOGETHER]>(), count);
                        sort_columns(columns);
                        for (line, result) in results[..some].iter_mut().enumerate() {
                            result.write(median::<T>(count, skips, |index| columns[index][line], None));
                        }
                    } else if is_alone && stride == size {
                        results[0].write(median(
                            count,
                            skips,
                            |index| read(index as isize * size),
                            Some(keys),
                        ));
                    } else if is_alone {
                        results[0].write(median(
                            count,
                            skips,
                            |index| read(index as isize * stride),
                            Some(keys),
                        ));
                    } else {
                        for index in 0..count {
                            for line in 0..some {
                                let key = read(line as isize * step + index as isize * stride);
                                keys.add(line * count + index).write(key);
                            }
                        }
                        for (line, result) in results[..some].iter_mut().enumerate() {
                            let keys = keys.add(line * count);
                            result.write(median(count, skips, |index| keys.add(index).read(), Some(keys)));
                        }
                    }
                    side.write(start, stride, step, &results[..some]);
                }
            }
        }
    }
}

/// Returns the median of a line. Keys must be sorted if `copies` is `None`. Otherwise they are copied to `copies` if necessary.
///
/// # Safety
///
/// - `count` keys may be written to `copies`. If `key` reads from `copies`, it reads each key from the key's own place.
#[inline(always)]
unsafe fn median<T: Number>(
    count: usize,
    skips: bool,
    key: impl Fn(usize) -> T::Key,
    copies: Option<*mut T::Key>,
) -> T {
    let is_nan = |key: T::Key| T::of_key(key).is_nan();
    // Lines are often constant or sorted already.
    let is_sorted = copies.is_none() || (1..count).all(|index| key(index - 1) <= key(index));
    let copies = copies.filter(|_| !is_sorted).map(|copies| {
        // SAFETY: the caller keeps the contract.
        unsafe {
            (0..count).for_each(|index| copies.add(index).write(key(index)));
            slice::from_raw_parts_mut(copies, count)
        }
    });
    // NaNs are the last in the order.
    let absent = match &copies {
        Some(keys) => keys.iter().filter(|&&key| is_nan(key)).count(),
        None => (0..count).rev().take_while(|&index| is_nan(key(index))).count(),
    };
    let kept = count - if skips { absent } else { 0 };
    if kept == 0 {
        return T::of_none();
    }
    // If NaNs are not skipped, the last one is the median.
    let (lower, upper) =
        if kept == count && absent > 0 { (count - 1, count - 1) } else { ((kept - 1) / 2, kept / 2) };
    let (low, high) = copies.map_or_else(|| (key(lower), key(upper)), |keys| select(keys, lower, upper));
    T::median(T::of_key(low), T::of_key(high), lower == upper)
}

/// Returns the keys with the ranks `lower` and `upper`. The ranks are equal or consecutive.
#[inline(never)]
fn select<K: Ord + Copy>(keys: &mut [K], lower: usize, upper: usize) -> (K, K) {
    let (before, &mut high, _) = keys.select_nth_unstable(upper);
    let low = before.iter().max().filter(|_| lower < upper);
    (low.copied().unwrap_or(high), high)
}

/// Sorts every column with Batcher's merge exchange. Its comparisons do not depend on the keys.
#[inline(always)]
fn sort_columns<K: Ord + Copy>(keys: &mut [[K; TOGETHER]]) {
    // Lines are often constant or sorted already.
    if keys.windows(2).all(|rows| rows[0].iter().zip(&rows[1]).all(|(key, next)| key <= next)) {
        return;
    }
    let half = keys.len().next_power_of_two() / 2;
    let mut p = half;
    while p > 0 {
        let (mut q, mut r, mut apart) = (half, 0, p);
        loop {
            // Compares every second run of `p` rows with the rows `apart` after it. `p` is at most `apart`.
            for first in (r..keys.len() - apart).step_by(2 * p) {
                let (rows, others) = keys[first..].split_at_mut(apart);
                let pairs = rows[..p].as_flattened_mut().iter_mut().zip(others.as_flattened_mut());
                for (key, other) in pairs {
                    (*key, *other) = ((*key).min(*other), (*key).max(*other));
                }
            }
            if q == p {
                break;
            }
            (apart, q, r) = (q - p, q / 2, p);
        }
        p /= 2;
    }
}
