//! Computes medians: the middle element in sorted order, or the mean of the two middle elements.
//!
//! A key is a number that represents an element and can be sorted.

use core::array;
use core::mem::MaybeUninit;
use core::slice;

use super::lines::{Group, Groups};
use super::number::{Number, Pair};
use super::select::{ranks, select, sort_columns};
use super::{Computation, ComputedKernel, Job, Pass};
use crate::dtype::DType;
use crate::kernel::raw::get;

/// The number of lines whose keys are copied together. Short lines are sorted as columns of a matrix, and others searched singly.
const TOGETHER: usize = 16;

/// The maximum size of a line's keys in bytes, if lines are sorted as columns. For longer lines, a search is faster.
const COLUMN_BYTES: usize = 512;

/// Returns the scratch memory in bytes that medians of `count` elements need.
pub(super) fn scratch_bytes(pass: &Pass, row: &ComputedKernel, count: usize) -> usize {
    let size = row.size();
    let key = if matches!(row.dtype, DType::C64 | DType::C128) { size_of::<Pair>() } else { size };
    let lines = match pass.lines.last() {
        _ if count.saturating_mul(key) <= COLUMN_BYTES => TOGETHER,
        _ if pass.stride == size as isize => 0,
        lines => lines.map_or(1, |&(lines, _)| lines.min(TOGETHER)),
    };
    // `select` copies keys to the space of one more line.
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
            // The limit is halved for keys of two words, because vectors can sort words, but not pairs of them.
            let most = COLUMN_BYTES * size_of::<T::Word>() / size_of::<T::Key>();
            let in_columns = count * size_of::<T::Key>() <= most;
            let is_alone = !in_columns && stride == size;
            let together = if is_alone { 1 } else { TOGETHER };
            for first in (0..lines).step_by(together) {
                let some = together.min(lines - first);
                let mut results = [const { MaybeUninit::<T>::uninit() }; TOGETHER];
                // SAFETY:
                // - The contract of `Job` says that these lines have the elements, and that the scratch memory has room for
                //   `count` keys and for the copied lines.
                // - Every key and element in the scratch is written before it is read.
                unsafe {
                    let start = dst.offset(at + first as isize * step);
                    let from = start.offset(side.from as isize * stride);
                    let read =
                        |line: isize, index: usize| get::<T>(from.offset(line + index as isize * stride));
                    if in_columns {
                        // If there are fewer lines than columns, the rest of the columns repeats the first line.
                        let offsets: [isize; TOGETHER] =
                            array::from_fn(|line| if line < some { line as isize * step } else { 0 });
                        for index in 0..count {
                            for (line, &offset) in offsets.iter().enumerate() {
                                keys.add(index * TOGETHER + line).write(read(offset, index).key());
                            }
                        }
                        sort_columns(slice::from_raw_parts_mut(keys.cast::<[T::Key; TOGETHER]>(), count));
                        for (line, result) in results[..some].iter_mut().enumerate() {
                            let key = |index| keys.add(line + index * TOGETHER).read();
                            result.write(median(count, skips, key, None));
                        }
                    } else {
                        // Elements of a line that are far apart are copied, because a search reads them several times.
                        let copied = keys.add(count).cast::<T>();
                        for index in 0..if is_alone { 0 } else { count } {
                            for line in 0..some {
                                copied.add(line * count + index).write(read(line as isize * step, index));
                            }
                        }
                        for (line, result) in results[..some].iter_mut().enumerate() {
                            let line = if is_alone { from.cast() } else { copied.add(line * count) };
                            let key = |index| line.add(index).read_unaligned().key();
                            result.write(median(count, skips, key, Some(keys)));
                        }
                    }
                    side.write(start, stride, step, &results[..some]);
                }
            }
        }
    }
}

/// Returns the median of `count` keys, without NaNs if `skips` is true. If `copies` is `None`, the keys must be sorted.
///
/// # Safety
///
/// - `copies` has room for `count` keys, and `key` does not read them.
#[inline(always)]
unsafe fn median<T: Number>(
    count: usize,
    skips: bool,
    key: impl Fn(usize) -> T::Key,
    copies: Option<*mut T::Key>,
) -> T {
    // Lines are often constant or sorted already, or in reverse order.
    let rises = copies.is_none() || (1..count).all(|index| key(index - 1) <= key(index));
    let falls = !rises && (1..count).all(|index| key(index) <= key(index - 1));
    let sorted = |rank: usize| key(if falls { count - 1 - rank } else { rank });
    // NaNs are the last in the order.
    let absent = if rises || falls {
        (0..count).rev().take_while(|&index| T::Word::from(sorted(index)) > T::MOST).count()
    } else {
        count - ranks(count, |index| T::Word::from(key(index)), T::MOST).1
    };
    let kept = count - if skips { absent } else { 0 };
    if kept == 0 {
        return T::of_none();
    }
    // If there are NaNs and they are not skipped, the last NaN is the median.
    let (lower, upper) =
        if kept == count && absent > 0 { (count - 1, count - 1) } else { ((kept - 1) / 2, kept / 2) };
    let (low, high) = match copies {
        // SAFETY: the caller promises that `copies` has room for `count` keys, and that `key` does not read them.
        Some(copies) if !rises && !falls => unsafe {
            select::<_, T::Word>(count, key, copies, (lower, upper))
        },
        _ => (sorted(lower), sorted(upper)),
    };
    T::median(T::of_key(low), T::of_key(high), lower == upper)
}
