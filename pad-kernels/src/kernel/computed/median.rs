//! Computes medians: the middle element in sorted order, or the mean of the two middle elements.
//!
//! A line is all positions along the padded axis, for one index of the other axes. A key is a number that represents an element
//! and can be sorted.

use core::mem::MaybeUninit;
use core::slice;

use super::lines::{Group, Groups};
use super::number::Number;
use super::select::{ranks, select, sort_columns};
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
    let key = if matches!(dtype, DType::C64 | DType::C128) { size_of::<i128>() } else { size };
    let lines = match pass.lines.last() {
        _ if count.saturating_mul(key) <= COLUMN_BYTES => TOGETHER,
        _ if pass.stride == size as isize => 0,
        lines => lines.map_or(1, |&(lines, _)| lines.min(TOGETHER)),
    };
    // One more line receives copies of keys.
    count.saturating_mul(key * (lines + 1))
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
        const { assert!(align_of::<T::Key>() <= align_of::<u128>()) };
        let keys: *mut T::Key = job.scratch.as_mut_ptr().cast();
        let mut groups = Groups::of(pass, size as usize);
        while let Some(Group { at, lines, step }) = groups.next() {
            let is_short = lines >= LEAST_COLUMNS && count * size_of::<T::Key>() <= COLUMN_BYTES;
            let is_alone = !is_short && stride == size;
            let together = if is_alone { 1 } else { TOGETHER };
            for first in (0..lines).step_by(together) {
                let some = together.min(lines - first);
                let in_columns = is_short && some >= LEAST_COLUMNS;
                let mut results = [const { MaybeUninit::<T>::uninit() }; TOGETHER];
                // SAFETY:
                // - The contract of `Job` says that these lines have the elements, and that the scratch memory has room for
                //   their keys and `count` more keys.
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
                    } else if is_alone {
                        let from = from.cast::<T>();
                        let read = |index: usize| from.add(index).read_unaligned().key();
                        results[0].write(median(count, skips, read, Some(keys)));
                    } else {
                        for index in 0..count {
                            for line in 0..some {
                                let key = read(line as isize * step + index as isize * stride);
                                keys.add(line * count + index).write(key);
                            }
                        }
                        for (line, result) in results[..some].iter_mut().enumerate() {
                            let line = keys.add(line * count);
                            let copies = keys.add(some * count);
                            result.write(median(count, skips, |index| line.add(index).read(), Some(copies)));
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
/// - `count` keys may be written to `copies`, from which `key` does not read.
#[inline(always)]
unsafe fn median<T: Number>(
    count: usize,
    skips: bool,
    key: impl Fn(usize) -> T::Key,
    copies: Option<*mut T::Key>,
) -> T {
    // Lines are often constant or sorted already.
    let mut last = None;
    let mut follows = |index| last.replace(key(index)) <= last;
    let is_sorted = copies.is_none() || (0..count).all(&mut follows);
    // NaNs are the last in the order.
    let absent = if is_sorted {
        (0..count).rev().take_while(|&index| key(index) > T::MOST).count()
    } else {
        count - ranks(count, &key, T::MOST).1
    };
    let kept = count - if skips { absent } else { 0 };
    if kept == 0 {
        return T::of_none();
    }
    // If there are NaNs and they are not skipped, the last NaN is the median.
    let (lower, upper) =
        if kept == count && absent > 0 { (count - 1, count - 1) } else { ((kept - 1) / 2, kept / 2) };
    let (low, high) = match copies {
        // SAFETY: the caller keeps the contract.
        Some(copies) if !is_sorted => unsafe { select(count, key, copies, (lower, upper)) },
        _ => (key(lower), key(upper)),
    };
    T::median(T::of_key(low), T::of_key(high), lower == upper)
}
