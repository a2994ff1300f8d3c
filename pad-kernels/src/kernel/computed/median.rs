//! Medians: the middle element in sorted order, or the mean of the two middle elements.
//!
//! The functions compare integer keys instead of numbers. For example, the keys of floats have the order of the floats, and a NaN has the
//! largest key.

use core::mem::MaybeUninit;
use core::slice;

use super::lines::{Group, Groups};
use super::number::{Brain, Complex, Flag, Float, FromF64, Half, Number, round};
use super::present::is_nan;
use super::{Computation, Job};
use crate::dtype::{DType, ElementSize};
use crate::kernel::raw::get;

/// A number type whose values have keys. NaNs come last.
pub(super) trait Ranked: Number {
    type Key: Key;

    fn key(self) -> Self::Key;
    /// Returns the median, given the two middle keys and the last key. With `is_one`, the number of keys is odd, and the median is `upper`.
    fn median(lower: Self::Key, upper: Self::Key, last: Self::Key, is_one: bool) -> Self;
    /// Returns the median of no elements.
    fn of_none() -> Self;
}

/// A key that orders numbers.
pub(super) trait Key: Ord + Copy {
    /// True if keys are integers. The CPU can compare several integers at a time, so short lines are sorted together.
    const IS_INTEGER: bool;

    /// Returns the difference between this key and a smaller one.
    fn above(self, least: Self) -> u64;
}

macro_rules! integer_keys {
    ($($type:ty),*) => {$(
        impl Key for $type {
            const IS_INTEGER: bool = true;

            #[inline(always)]
            fn above(self, least: Self) -> u64 {
                self.abs_diff(least).into()
            }
        }
    )*};
}
integer_keys!(i8, i16, i32, i64);

impl Key for ComplexKey {
    const IS_INTEGER: bool = false;

    fn above(self, _: Self) -> u64 {
        unreachable!("complex numbers have no distance")
    }
}

/// Up to this many keys are partitioned. More keys are first counted in buckets.
const FEW: usize = 256;

/// The number of bits of a key that select its bucket.
const BUCKET_BITS: u32 = 8;

/// The number of tables for counts. Consecutive keys use different tables, because otherwise the load of a count would wait for the store
/// before it.
const TURNS: usize = 4;

/// The keys that are left while searching for the key with a given rank.
struct Search<K> {
    count: usize,
    /// The number of these keys that precede the wanted key.
    rank: usize,
    /// The largest key that is smaller than all of these, and the largest key of all.
    lower: Option<K>,
    last: Option<K>,
}

/// Returns three keys: the key before the one with rank `rank`, the key with this rank, and the last key.
///
/// # Safety
///
/// - The memory at `keys` has room for `count` keys. `read` may read the key of an index from its place there.
#[inline(always)]
unsafe fn middle<K: Key>(read: impl Fn(usize) -> K, count: usize, rank: usize, keys: *mut K) -> (K, K, K) {
    let mut search = Search { count, rank, lower: None, last: None };
    // SAFETY: the caller keeps the contract.
    unsafe {
        if K::IS_INTEGER && count > FEW {
            let mut found = narrow(read, &mut search, keys);
            while found.is_none() && search.count > FEW {
                found = narrow(|index| keys.add(index).read(), &mut search, keys);
            }
            if let Some(upper) = found {
                let lower = if search.rank > 0 { upper } else { search.lower.unwrap_or(upper) };
                return (lower, upper, search.last.unwrap_or(upper));
            }
        } else {
            let first = read(0);
            if (1..count).all(|index| read(index) == first) {
                return (first, first, first);
            }
            for index in 0..count {
                keys.add(index).write(read(index));
            }
        }
        select(slice::from_raw_parts_mut(keys, search.count), &search)
    }
}

/// Finds the wanted key by partitions.
#[inline(never)]
fn select<K: Key>(keys: &mut [K], search: &Search<K>) -> (K, K, K) {
    let (before, &mut upper, after) = keys.select_nth_unstable(search.rank);
    let lower = before.iter().max().copied().or(search.lower).unwrap_or(upper);
    (lower, upper, search.last.or(after.iter().max().copied()).unwrap_or(upper))
}

/// Counts the keys in equal ranges, and keeps only the keys of the range with the wanted key. Returns the key if all keys are equal.
///
/// # Safety
///
/// - The contract of [`middle`] holds.
#[inline(always)]
unsafe fn narrow<K: Key>(read: impl Fn(usize) -> K, search: &mut Search<K>, keys: *mut K) -> Option<K> {
    let (mut least, mut most) = (read(0), read(0));
    for index in 1..search.count {
        (least, most) = (least.min(read(index)), most.max(read(index)));
    }
    search.last = search.last.or(Some(most));
    if least == most {
        return Some(least);
    }
    let shift = (u64::BITS - most.above(least).leading_zeros()).saturating_sub(BUCKET_BITS);
    let bucket = |key: K| (key.above(least) >> shift) as usize % (1 << BUCKET_BITS);
    let mut counts = [[0usize; 1 << BUCKET_BITS]; TURNS];
    let turns = search.count - search.count % TURNS;
    for first in (0..turns).step_by(TURNS) {
        for (turn, counts) in counts.iter_mut().enumerate() {
            counts[bucket(read(first + turn))] += 1;
        }
    }
    for index in turns..search.count {
        counts[0][bucket(read(index))] += 1;
    }
    let mut middle = 0;
    loop {
        let held = counts.iter().map(|counts| counts[middle]).sum();
        if search.rank < held {
            break;
        }
        (search.rank, middle) = (search.rank - held, middle + 1);
    }
    let (mut kept, mut lower) = (0, least);
    for index in 0..search.count {
        let key = read(index);
        let at = bucket(key);
        lower = lower.max(if at < middle { key } else { least });
        // SAFETY: the caller keeps the contract. A key is written to a place whose own key was read before.
        unsafe { keys.add(kept).write(key) };
        kept += usize::from(at == middle);
    }
    // The smallest key is in the first bucket.
    search.lower = if middle > 0 { Some(lower) } else { search.lower };
    search.count = kept;
    None
}

/// The number of lines whose keys are copied together. Short lines are sorted in columns, and longer ones are searched line by line.
const TOGETHER: usize = 16;

/// The minimum number of lines that are sorted in columns, and the maximum size of the keys in a column. Beyond these limits, a search is
/// faster.
const LEAST_COLUMNS: usize = 4;
const COLUMN_BYTES: usize = 512;

/// The maximum number of keys per line that are copied to the stack.
const ON_STACK: usize = 64;

/// Returns the scratch memory in bytes that a median of `count` elements needs.
pub(super) fn scratch_bytes(dtype: DType, count: usize) -> usize {
    let ElementSize::Bytes(size) = dtype.element_size() else { unreachable!("numbers are of whole bytes") };
    let key = if matches!(dtype, DType::C64 | DType::C128) { size_of::<ComplexKey>() } else { size };
    if count <= ON_STACK { 0 } else { count.saturating_mul(key * TOGETHER) }
}

/// Sorts every column with Batcher's merge exchange. Its comparisons do not depend on the keys.
#[inline(always)]
fn sort_columns<K: Key>(keys: &mut [[K; TOGETHER]]) {
    let half = keys.len().next_power_of_two() / 2;
    let mut p = half;
    while p > 0 {
        let (mut q, mut r, mut apart) = (half, 0, p);
        loop {
            // Compares every second run of `p` rows with the rows `apart` after it. `p` is at most `apart`.
            for first in (r..keys.len() - apart).step_by(2 * p) {
                let (rows, others) = keys[first..].split_at_mut(apart);
                for (row, other) in rows[..p].iter_mut().zip(others) {
                    let (a, b) = (*row, *other);
                    for lane in 0..TOGETHER {
                        row[lane] = a[lane].min(b[lane]);
                        other[lane] = a[lane].max(b[lane]);
                    }
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

/// Writes medians to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Ranked>(job: &mut Job<'_>) {
    let (pass, dst) = (job.pass, job.dst);
    let stride = pass.stride;
    let skips = pass.row().computation == Computation::NanMedian;
    let mut on_stack = [const { MaybeUninit::<T::Key>::uninit() }; TOGETHER * ON_STACK];
    for side in job.sides().into_iter().flatten() {
        let (from, count) = (side.from as isize * stride, side.count);
        // SAFETY: the contract of `Job` says that the elements lie within the memory, and that the interior is written.
        let read = |line: isize, index: usize| unsafe {
            get::<T>(dst.offset(line + from + index as isize * stride))
        };
        const { assert!(align_of::<T::Key>() <= align_of::<u64>()) };
        let keys: *mut T::Key = if count <= ON_STACK {
            on_stack.as_mut_ptr().cast()
        } else {
            debug_assert!(size_of_val(job.scratch) >= size_of::<T::Key>() * TOGETHER * count);
            job.scratch.as_mut_ptr().cast()
        };
        let mut groups = Groups::of(pass, size_of::<T>());
        while let Some(Group { at, lines, step }) = groups.next() {
            for first in (0..lines).step_by(TOGETHER) {
                let some = TOGETHER.min(lines - first);
                let start = at + first as isize * step;
                let line_at = |line: usize| start + line as isize * step;
                let in_columns = T::Key::IS_INTEGER
                    && some >= LEAST_COLUMNS
                    && count * size_of::<T::Key>() <= COLUMN_BYTES;
                let in_place = !in_columns && (some == 1 || stride.unsigned_abs() < step.unsigned_abs());
                // SAFETY: the contract of `Job` says that the scratch memory has room for `TOGETHER * count` keys.
                unsafe {
                    if in_columns {
                        // If there are fewer lines than columns, the other columns repeat the first line.
                        let lines: [isize; TOGETHER] =
                            core::array::from_fn(|line| line_at(if line < some { line } else { 0 }));
                        let columns: *mut [T::Key; TOGETHER] = keys.cast();
                        for index in 0..count {
                            columns.add(index).write(lines.map(|line| read(line, index).key()));
                        }
                        sort_columns(slice::from_raw_parts_mut(columns, count));
                    } else if !in_place {
                        for index in 0..count {
                            for line in 0..some {
                                keys.add(line * count + index).write(read(line_at(line), index).key());
                            }
                        }
                    }
                }
                let mut results = [const { MaybeUninit::<T>::uninit() }; TOGETHER];
                for (line, result) in results[..some].iter_mut().enumerate() {
                    let is_absent = |&index: &usize| skips && is_nan(read(line_at(line), index));
                    // NaNs are the last in the order.
                    let kept = count - (0..count).filter(is_absent).count();
                    if kept == 0 {
                        result.write(T::of_none());
                        continue;
                    }
                    // SAFETY: as above. All keys in the scratch memory have been written.
                    let (lower, upper, last) = unsafe {
                        if in_columns {
                            let key = |index: usize| keys.add(index * TOGETHER + line).read();
                            (key((kept - 1) / 2), key(kept / 2), key(count - 1))
                        } else if in_place {
                            middle(|index| read(line_at(line), index).key(), count, kept / 2, keys)
                        } else {
                            let keys = keys.add(line * count);
                            middle(|index| keys.add(index).read(), count, kept / 2, keys)
                        }
                    };
                    result.write(T::median(lower, upper, if skips { upper } else { last }, kept % 2 == 1));
                }
                // SAFETY: the contract of `Job` says that these lines have the positions.
                unsafe { side.write(dst.offset(start), stride, step, &results[..some]) };
            }
        }
    }
}

macro_rules! integers {
    ($($type:ty as $key:ty;)*) => {$(
        impl Ranked for $type {
            type Key = $key;

            #[inline(always)]
            fn key(self) -> $key {
                (self ^ <$type>::MIN) as $key ^ <$key>::MIN
            }

            /// Computes in `f64`, as numpy does.
            #[inline(always)]
            fn median(lower: $key, upper: $key, _: $key, is_one: bool) -> Self {
                let number = |key: $key| ((key ^ <$key>::MIN) as $type ^ <$type>::MIN) as f64;
                let mean = if is_one { number(upper) } else { (number(lower) + number(upper)) / 2.0 };
                Self::cast(round(mean))
            }

            fn of_none() -> Self {
                unreachable!("a plan refuses medians of no integers")
            }
        }
    )*};
}
integers! { i8 as i8; u8 as i8; i16 as i16; u16 as i16; i32 as i32; u32 as i32; i64 as i64; u64 as i64; }

impl Ranked for Flag {
    type Key = i8;

    #[inline(always)]
    fn key(self) -> i8 {
        self.get().into()
    }

    /// A mean of one half is true.
    #[inline(always)]
    fn median(lower: i8, upper: i8, _: i8, is_one: bool) -> Self {
        Flag::new(upper > 0 || !is_one && lower > 0)
    }

    /// NaN is true.
    fn of_none() -> Self {
        Flag::new(true)
    }
}

/// Implements `Ranked` for floats. A key consists of the bits of the float, reversed for negative floats. The mapping from bits to keys is
/// its own inverse.
macro_rules! floats {
    ($($type:ty as $key:ty, $nan:expr, |$value:ident| $number:expr, |$a:ident, $b:ident| $mean:expr;)*) => {$(
        impl Ranked for $type {
            type Key = $key;

            #[inline(always)]
            fn key(self) -> $key {
                let $value = self;
                let bits = self.to_bits() as $key;
                if $number.is_nan() { <$key>::MAX } else { bits ^ (bits >> (<$key>::BITS - 1)) & <$key>::MAX }
            }

            #[inline(always)]
            fn median(lower: $key, upper: $key, last: $key, is_one: bool) -> Self {
                if last == <$key>::MAX {
                    return $nan;
                }
                let number = |key: $key| {
                    <$type>::from_bits((key ^ (key >> (<$key>::BITS - 1)) & <$key>::MAX) as _)
                };
                let ($a, $b) = (number(lower), number(upper));
                if is_one { $b } else { $mean }
            }

            fn of_none() -> Self {
                $nan
            }
        }
    )*};
}
floats! {
    f64 as i64, f64::NAN, |value| value, |a, b| (a + b) / 2.0;
    f32 as i32, f32::NAN, |value| value, |a, b| (a + b) / 2.0;
    Half as i16, Half::NAN, |value| value.widen(), |a, b| Half::narrow_single((a.widen() + b.widen()) / 2.0);
    Brain as i16, Brain::NAN, |value| value.widen(), |a, b| Brain::narrow_single((a.widen() + b.widen()) / 2.0);
}

/// The key of a complex number. Numbers without a NaN come first, ordered by real and then imaginary part.
///
/// Numbers with a NaN in the imaginary part follow, then those with one in the real part, then those with two. Each is ordered by
/// its other part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ComplexKey {
    nans: i64,
    re: i64,
    im: i64,
}

macro_rules! complex {
    ($($type:ty),*) => {$(
        impl Ranked for Complex<$type> {
            type Key = ComplexKey;

            #[inline(always)]
            fn key(self) -> ComplexKey {
                let nans = i64::from(self.re.is_nan()) << 1 | i64::from(self.im.is_nan());
                // Zeros of both signs are equal.
                let key = |value: $type| f64::from(value + 0.0).key();
                ComplexKey { nans, re: key(self.re), im: key(self.im) }
            }

            #[inline(always)]
            fn median(lower: ComplexKey, upper: ComplexKey, last: ComplexKey, is_one: bool) -> Self {
                let part = |key: i64| f64::median(key, key, key, true) as $type;
                let number = |key: ComplexKey| Complex { re: part(key.re), im: part(key.im) };
                match (last.nans, is_one) {
                    (0, true) => number(upper).over(1),
                    (0, false) => number(lower).plus(number(upper)).over(2),
                    _ => number(last),
                }
            }

            fn of_none() -> Self {
                Complex { re: <$type>::NAN, im: <$type>::NAN }
            }
        }
    )*};
}
complex!(f64, f32);
