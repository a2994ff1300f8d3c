//! Medians: the middle element in sorted order, or the mean of the two middle elements.
//!
//! Elements are compared by integer keys. For example, the key of a float orders like the float, and a NaN has the largest key.

use core::mem::MaybeUninit;
use core::slice;

use super::lines::{Group, Groups};
use super::number::{Brain, Complex, Flag, Float, FromF64, Half, Number, round};
use super::present::is_nan;
use super::{Computation, Job};
use crate::dtype::{DType, ElementSize};

/// A number with a rank. NaNs come last.
pub(super) trait Ranked: Number {
    type Key: Key;

    fn key(self) -> Self::Key;
    /// Returns the median from the two middle keys and the last key. If `is_one`, there is a single middle key, and both are
    /// equal.
    fn median(lower: Self::Key, upper: Self::Key, last: Self::Key, is_one: bool) -> Self;
    /// The median of no elements.
    fn of_none() -> Self;
}

/// A key that orders numbers.
pub(super) trait Key: Ord + Copy {
    /// Whether registers can compare keys. Then short lines are sorted several at a time.
    const IN_COLUMNS: bool;

    /// Returns three keys: the one before the middle, the one in the middle, and the last one.
    fn middle(keys: &mut [Self]) -> (Self, Self, Self);
}

/// Finds the middle by partitioning.
#[inline(never)]
fn selected<K: Ord + Copy>(keys: &mut [K], middle: usize) -> (Option<K>, K, K) {
    let (before, &mut upper, after) = keys.select_nth_unstable(middle);
    (before.iter().max().copied(), upper, after.iter().max().copied().unwrap_or(upper))
}

/// Up to this many keys are partitioned. More keys are first counted in buckets.
const FEW: usize = 256;

/// The bits of a key that choose its bucket.
const BUCKET_BITS: u32 = 8;

/// The number of count tables. Neighbouring keys use different tables, because a load of a count would wait for the store before
/// it.
const TURNS: usize = 4;

macro_rules! integer_keys {
    ($($type:ty),*) => {$(
        impl Key for $type {
            const IN_COLUMNS: bool = true;

            /// Counts the keys in equal ranges and keeps the keys in the range of the middle. It repeats this with the kept keys.
            #[inline(always)]
            fn middle(mut keys: &mut [$type]) -> ($type, $type, $type) {
                let (mut rank, mut lower, mut last) = (keys.len() / 2, 0, None);
                loop {
                    if keys.len() <= FEW {
                        let (before, upper, most) = selected(keys, rank);
                        return (before.unwrap_or(lower), upper, last.unwrap_or(most));
                    }
                    let (mut least, mut most) = (<$type>::MAX, 0);
                    for &key in &*keys {
                        (least, most) = (least.min(key), most.max(key));
                    }
                    last = last.or(Some(most));
                    if least == most {
                        return (if rank > 0 { least } else { lower }, least, last.unwrap_or(most));
                    }
                    let shift = (<$type>::BITS - (most - least).leading_zeros()).saturating_sub(BUCKET_BITS);
                    let bucket = |key: $type| ((key - least) >> shift) as usize % (1 << BUCKET_BITS);
                    let mut counts = [[0usize; 1 << BUCKET_BITS]; TURNS];
                    let (turns, rest) = keys.as_chunks::<TURNS>();
                    for turn in turns {
                        for (counts, &key) in counts.iter_mut().zip(turn) {
                            counts[bucket(key)] += 1;
                        }
                    }
                    for &key in rest {
                        counts[0][bucket(key)] += 1;
                    }
                    let mut middle = 0;
                    loop {
                        let count: usize = counts.iter().map(|counts| counts[middle]).sum();
                        if rank < count {
                            break;
                        }
                        (rank, middle) = (rank - count, middle + 1);
                    }
                    let mut kept = 0;
                    for index in 0..keys.len() {
                        let key = keys[index];
                        let at = bucket(key);
                        lower = lower.max(if at < middle { key } else { 0 });
                        keys[kept] = key;
                        kept += usize::from(at == middle);
                    }
                    keys = &mut keys[..kept];
                }
            }
        }
    )*};
}
integer_keys!(u32, u64);

impl Key for ComplexKey {
    const IN_COLUMNS: bool = false;

    #[inline(always)]
    fn middle(keys: &mut [ComplexKey]) -> (ComplexKey, ComplexKey, ComplexKey) {
        let (before, upper, last) = selected(keys, keys.len() / 2);
        (before.unwrap_or(upper), upper, last)
    }
}

/// The number of lines that are copied together, as many as share a cache line. Their elements are sorted together, or line by
/// line.
const TOGETHER: usize = 8;

/// Lines up to this length are sorted on the stack.
const ON_STACK: usize = 64;

/// Returns the scratch memory in bytes that a median of `count` elements needs.
pub(super) fn scratch_bytes(dtype: DType, count: usize) -> usize {
    let ElementSize::Bytes(size) = dtype.element_size() else { unreachable!("numbers are of whole bytes") };
    let key = match dtype {
        DType::C64 | DType::C128 => size_of::<ComplexKey>(),
        _ if size > 4 => 8,
        _ => 4,
    };
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
            dst.offset(line + from + index as isize * stride).cast::<T>().read_unaligned()
        };
        let key = |line: isize, index: usize| read(line, index).key();
        let in_columns = T::Key::IN_COLUMNS && count <= ON_STACK && !skips;
        let scratch = if count <= ON_STACK {
            &mut on_stack[..]
        } else {
            const { assert!(align_of::<T::Key>() <= align_of::<u64>()) };
            debug_assert!(size_of_val(job.scratch) >= size_of::<T::Key>() * TOGETHER * count);
            // SAFETY: the contract of `Job` gives this many bytes, and the assertion checks the alignment. Any byte may be
            // uninitialised.
            unsafe { slice::from_raw_parts_mut(job.scratch.as_mut_ptr().cast(), TOGETHER * count) }
        };
        let mut groups = Groups::of(pass, size_of::<T>());
        while let Some(Group { at, lines, step }) = groups.next() {
            for first in (0..lines).step_by(TOGETHER) {
                let some = TOGETHER.min(lines - first);
                let start = at + first as isize * step;
                // The keys of a line are contiguous, or the keys of all lines at one position are. Missing lines repeat the first
                // one.
                let copied = if in_columns { TOGETHER } else { some };
                let mut kept = [count; TOGETHER];
                if in_columns {
                    let offsets: [isize; TOGETHER] = core::array::from_fn(|line| {
                        start + if line < some { line as isize * step } else { 0 }
                    });
                    for (index, keys) in scratch[..TOGETHER * count].chunks_mut(TOGETHER).enumerate() {
                        for (slot, &line) in keys.iter_mut().zip(&offsets) {
                            slot.write(key(line, index));
                        }
                    }
                } else if skips {
                    for (line, keys) in scratch[..some * count].chunks_mut(count.max(1)).enumerate() {
                        let (mut first, mut last) = (0, count);
                        for index in 0..count {
                            let value = read(start + line as isize * step, index);
                            // A NaN goes to the end and is ignored.
                            let slot = if is_nan(value) { last - 1 } else { first };
                            keys[slot].write(value.key());
                            if is_nan(value) { last -= 1 } else { first += 1 }
                        }
                        kept[line] = first;
                    }
                } else if some == 1 || stride.unsigned_abs() < step.unsigned_abs() {
                    for (line, keys) in scratch[..some * count].chunks_mut(count.max(1)).enumerate() {
                        for (index, slot) in keys.iter_mut().enumerate() {
                            slot.write(key(start + line as isize * step, index));
                        }
                    }
                } else {
                    for index in 0..count {
                        for line in 0..some {
                            scratch[line * count + index].write(key(start + line as isize * step, index));
                        }
                    }
                }
                // SAFETY: the code above has written this many keys.
                let keys = unsafe { slice::from_raw_parts_mut(scratch.as_mut_ptr().cast(), copied * count) };
                if in_columns {
                    sort_columns::<T::Key>(keys.as_chunks_mut().0);
                }
                let mut results = [const { MaybeUninit::<T>::uninit() }; TOGETHER];
                for (line, result) in results[..some].iter_mut().enumerate() {
                    let kept = kept[line];
                    result.write(if kept == 0 {
                        T::of_none()
                    } else {
                        let (lower, upper, last) = if in_columns {
                            let key = |index: usize| keys[index * TOGETHER + line];
                            (key((count - 1) / 2), key(count / 2), key(count - 1))
                        } else {
                            T::Key::middle(&mut keys[line * count..][..kept])
                        };
                        T::median(lower, upper, last, kept % 2 == 1)
                    });
                }
                // SAFETY: the contract of `Job` says that these lines have the positions.
                unsafe { side.write(dst.offset(start), stride, step, &results[..some]) };
            }
        }
    }
}

macro_rules! integers {
    ($($type:ty as $unsigned:ty => $key:ty;)*) => {$(
        impl Ranked for $type {
            type Key = $key;

            #[inline(always)]
            fn key(self) -> $key {
                ((self as $unsigned) ^ (<$type>::MIN as $unsigned)) as $key
            }

            /// Computes in `f64`, as numpy does.
            #[inline(always)]
            fn median(lower: $key, upper: $key, _: $key, is_one: bool) -> Self {
                let number = |key: $key| ((key as $unsigned) ^ (<$type>::MIN as $unsigned)) as $type as f64;
                let mean = if is_one { number(upper) } else { (number(lower) + number(upper)) / 2.0 };
                Self::cast(round(mean))
            }

            fn of_none() -> Self {
                unreachable!("a plan refuses medians of no integers")
            }
        }
    )*};
}
integers! {
    i8 as u8 => u32; u8 as u8 => u32; i16 as u16 => u32; u16 as u16 => u32;
    i32 as u32 => u32; u32 as u32 => u32; i64 as u64 => u64; u64 as u64 => u64;
}

impl Ranked for Flag {
    type Key = u32;

    #[inline(always)]
    fn key(self) -> u32 {
        u32::from(self.get())
    }

    /// A mean of one half is true.
    #[inline(always)]
    fn median(lower: u32, upper: u32, _: u32, _: bool) -> Self {
        Flag::new(lower + upper > 0)
    }

    /// NaN is true.
    fn of_none() -> Self {
        Flag::new(true)
    }
}

/// The key of a float: its bits, which are inverted for negative numbers.
macro_rules! floats {
    ($($type:ty, $bits:ty as $signed:ty => $key:ty, $nan:expr, |$value:ident| $number:expr, |$a:ident, $b:ident| $mean:expr;)*) => {$(
        impl Ranked for $type {
            type Key = $key;

            #[inline(always)]
            fn key(self) -> $key {
                let $value = self;
                if $number.is_nan() {
                    return <$key>::MAX;
                }
                let bits = self.to_bits();
                let negative = (bits as $signed >> (<$bits>::BITS - 1)) as $bits;
                (bits ^ (negative | 1 << (<$bits>::BITS - 1))) as $key
            }

            #[inline(always)]
            fn median(lower: $key, upper: $key, last: $key, is_one: bool) -> Self {
                if last == <$key>::MAX {
                    return $nan;
                }
                let number = |key: $key| {
                    let key = key as $bits;
                    let positive = (key as $signed >> (<$bits>::BITS - 1)) as $bits;
                    <$type>::from_bits(key ^ (!positive | 1 << (<$bits>::BITS - 1)))
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
    f64, u64 as i64 => u64, f64::NAN, |value| value, |a, b| (a + b) / 2.0;
    f32, u32 as i32 => u32, f32::NAN, |value| value, |a, b| (a + b) / 2.0;
    Half, u16 as i16 => u32, Half::NAN, |value| value.widen(),
        |a, b| Half::narrow(f64::from((a.widen() + b.widen()) / 2.0));
    Brain, u16 as i16 => u32, Brain::NAN, |value| value.widen(),
        |a, b| Brain::narrow(f64::from((a.widen() + b.widen()) / 2.0));
}

/// The key of a complex number. Numbers without a NaN come first, ordered by real and then imaginary part.
///
/// Numbers with a NaN in the imaginary part follow, then those with one in the real part, then those with two. Each is ordered by
/// its other part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ComplexKey {
    nans: u64,
    re: u64,
    im: u64,
}

macro_rules! complex {
    ($($type:ty),*) => {$(
        impl Ranked for Complex<$type> {
            type Key = ComplexKey;

            #[inline(always)]
            fn key(self) -> ComplexKey {
                let nans = u64::from(self.re.is_nan()) << 1 | u64::from(self.im.is_nan());
                // Zeros of both signs are equal.
                let key = |value: $type| f64::from(value + 0.0).key();
                ComplexKey { nans, re: key(self.re), im: key(self.im) }
            }

            #[inline(always)]
            fn median(lower: ComplexKey, upper: ComplexKey, last: ComplexKey, is_one: bool) -> Self {
                let part = |key: u64| f64::median(key, key, key, true) as $type;
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
