//! Medians: the middle one of the elements in order, or the mean of the two in the middle.

use core::mem::MaybeUninit;
use core::slice;

use super::fold::fill;
use super::lines::Walk;
use super::number::{Brain, Complex, Flag, Float, FromF64, Half, Number, round};
use super::{Borders, Job};
use crate::dtype::{DType, ElementSize};

/// A number that has its place in an order, in which NaNs are the last.
pub(super) trait Ranked: Number {
    type Key: Key;

    fn key(self) -> Self::Key;
    /// The median of numbers of which these are the two in the middle, or the same if there is one, and the last.
    fn median(lower: Self::Key, upper: Self::Key, last: Self::Key, is_one: bool) -> Self;
    /// The median of no elements.
    fn of_none() -> Self;
}

/// The place of a number in an order.
pub(super) trait Key: Ord + Copy {
    /// Whether registers compare keys: then few keys of several lines are sorted together.
    const IN_COLUMNS: bool;

    /// The key that half of them are before, with the one before that and the last of all.
    fn middle(keys: &mut [Self]) -> (Self, Self, Self);
}

/// The same by selection.
#[inline(never)]
fn selected<K: Ord + Copy>(keys: &mut [K]) -> (K, K, K) {
    let middle = keys.len() / 2;
    let (before, &mut upper, behind) = keys.select_nth_unstable(middle);
    let lower = before.iter().max().copied().unwrap_or(upper);
    (lower, upper, behind.iter().max().copied().unwrap_or(upper))
}

/// Keys that are counted again for each bit: of others the middle one is selected.
const COUNTED: core::ops::Range<usize> = 100..4096;

impl Key for u32 {
    const IN_COLUMNS: bool = true;

    /// Half by half of what it can be: the largest number that no more than half of the keys are below. They are counted in registers.
    #[inline(always)]
    fn middle(keys: &mut [u32]) -> (u32, u32, u32) {
        if !COUNTED.contains(&keys.len()) {
            return selected(keys);
        }
        let half = keys.len() as u32 / 2;
        let (mut least, mut most) = (u32::MAX, 0);
        for &key in &*keys {
            (least, most) = (least.min(key), most.max(key));
        }
        let last = most;
        // The number is not below `least`, and not above `most`.
        while least < most {
            let above = most - (most - least) / 2;
            let before: u32 = keys.iter().map(|&key| u32::from(key < above)).sum();
            if before <= half { least = above } else { most = above - 1 }
        }
        let (mut before, mut lower) = (0, 0);
        for &key in &*keys {
            before += u32::from(key < least);
            lower = lower.max(if key < least { key } else { 0 });
        }
        (if before == half && half > 0 { lower } else { least }, least, last)
    }
}

impl Key for u64 {
    const IN_COLUMNS: bool = true;

    #[inline(always)]
    fn middle(keys: &mut [u64]) -> (u64, u64, u64) {
        selected(keys)
    }
}

impl Key for ComplexKey {
    const IN_COLUMNS: bool = false;

    #[inline(always)]
    fn middle(keys: &mut [ComplexKey]) -> (ComplexKey, ComplexKey, ComplexKey) {
        selected(keys)
    }
}

/// Lines that are copied together: those of a line of the cache. Of them elements are sorted together, or selected one after the
/// other.
const TOGETHER: usize = 8;

/// Elements that are sorted or selected on the stack.
const ON_STACK: usize = 64;

/// Bytes that kernels for medians of so many elements need.
pub(super) fn scratch_bytes(dtype: DType, count: usize) -> usize {
    let ElementSize::Bytes(size) = dtype.element_size() else { unreachable!("numbers are of whole bytes") };
    let key = match dtype {
        DType::C64 | DType::C128 => size_of::<ComplexKey>(),
        _ if size > 4 => 8,
        _ => 4,
    };
    if count <= ON_STACK { 0 } else { count.saturating_mul(key * TOGETHER) }
}

/// Sorts every column: Batcher's merge exchange, whose comparisons do not depend on the keys.
#[inline(always)]
fn sort_columns<K: Key>(keys: &mut [[K; TOGETHER]]) {
    let half = keys.len().next_power_of_two() / 2;
    let mut p = half;
    while p > 0 {
        let (mut q, mut r, mut apart) = (half, 0, p);
        loop {
            // Of every two runs of `p` rows one; no run is longer than what is apart.
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
    let &Borders::Statistic { low, high } = &pass.borders else { unreachable!("a statistic's borders") };
    // SAFETY: `Job`: elements of the pass are within the memory, and those of the middle written.
    let read = |at: isize| unsafe { dst.offset(at).cast::<T>().read_unaligned() };
    let stride = pass.stride;
    let position = |index: usize| index as isize * stride;
    let total = pass.low + pass.len + pass.high;
    let behind = pass.low + pass.len;
    let same = low == high && low == pass.len;
    let sides = [
        (pass.low, low, [(0, pass.low), if same { (behind, total) } else { (0, 0) }]),
        (behind - high, high, [(behind, total), (0, 0)]),
    ];
    let mut on_stack = [const { MaybeUninit::<T::Key>::uninit() }; TOGETHER * ON_STACK];
    for (from, count, ranges) in &sides[..if same { 1 } else { 2 }] {
        let (from, count) = (position(*from), *count);
        if ranges.iter().all(|(begin, end)| begin == end) {
            continue;
        }
        let in_columns = T::Key::IN_COLUMNS && count <= ON_STACK;
        let scratch = if count <= ON_STACK {
            &mut on_stack[..]
        } else {
            const { assert!(align_of::<T::Key>() <= align_of::<u64>()) };
            debug_assert!(size_of_val(job.scratch) >= size_of::<T::Key>() * TOGETHER * count);
            // SAFETY: `Job`: so many bytes, aligned as asserted; any byte may be uninitialised.
            unsafe { slice::from_raw_parts_mut(job.scratch.as_mut_ptr().cast(), TOGETHER * count) }
        };
        let mut walk = Walk::new(pass.start, &pass.lines);
        loop {
            let (mut offsets, mut lines) = ([pass.start; TOGETHER], 0);
            while lines < TOGETHER
                && let Some(at) = walk.next()
            {
                offsets[lines] = at;
                lines += 1;
            }
            if lines == 0 {
                break;
            }
            // Keys of a line are neighbours, or those of all lines at a position. Lines that are not there are like the first.
            let copied = if in_columns { TOGETHER } else { lines };
            for index in 0..count {
                let mut values = [const { MaybeUninit::<T>::uninit() }; TOGETHER];
                for (value, at) in values.iter_mut().zip(&offsets) {
                    value.write(read(at + from + position(index)));
                }
                // SAFETY: written just now.
                let key = |value: &MaybeUninit<T>| unsafe { value.assume_init() }.key();
                if in_columns {
                    let keys = &mut scratch[index * TOGETHER..][..TOGETHER];
                    for (slot, value) in keys.iter_mut().zip(&values) {
                        slot.write(key(value));
                    }
                } else {
                    for (line, value) in values[..lines].iter().enumerate() {
                        scratch[line * count + index].write(key(value));
                    }
                }
            }
            // SAFETY: so many were written just now.
            let keys = unsafe { slice::from_raw_parts_mut(scratch.as_mut_ptr().cast(), copied * count) };
            if in_columns {
                sort_columns::<T::Key>(keys.as_chunks_mut().0);
            }
            for (line, &at) in offsets[..lines].iter().enumerate() {
                let value = if count == 0 {
                    T::of_none()
                } else {
                    let (lower, upper, last) = if in_columns {
                        let key = |index: usize| keys[index * TOGETHER + line];
                        (key((count - 1) / 2), key(count / 2), key(count - 1))
                    } else {
                        T::Key::middle(&mut keys[line * count..][..count])
                    };
                    T::median(lower, upper, last, count % 2 == 1)
                };
                for &(begin, end) in ranges {
                    // SAFETY: `Job`: positions of a line.
                    unsafe { fill(dst.offset(at + position(begin)), stride, end - begin, value) };
                }
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

            /// By way of `f64`.
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

    /// A half is true.
    #[inline(always)]
    fn median(lower: u32, upper: u32, _: u32, _: bool) -> Self {
        Flag::new(lower + upper > 0)
    }

    /// NaN is true.
    fn of_none() -> Self {
        Flag::new(true)
    }
}

/// The place of a float among all floats, by its bits: those of negative ones in reverse.
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

/// First those without a NaN, in the order of real parts and then imaginary ones; then those with one in the imaginary part, in the
/// real part, in both, each in the order of the other part.
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
