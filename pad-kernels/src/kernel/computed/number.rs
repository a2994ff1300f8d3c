//! Number types for computed borders, with numpy's arithmetic.

use core::ops::{Add, Div, Mul, Neg, Sub};

use crate::kernel::adjoint::number::{BF16, F16, Number as _};

/// A type of numbers in memory, with the operations that borders need.
///
/// # Safety
///
/// - The type has no padding bytes and no pointers.
/// - Its operations return only valid values of the element type that the table in `generated.rs` names for it.
pub(super) unsafe trait Number:
    Copy + PartialEq + In<Self::Double> + In<Self::Own> + 'static
{
    /// The type in which ramps are computed in double precision.
    type Double: Float;
    /// The type in which ramps are computed in the type's own precision. For integers and bool it is `Double`.
    type Own: Float;
    /// The type of sums.
    type Sum: Copy + Add<Output = Self::Sum>;
    /// The type of keys. Numbers are sorted by their keys, and NaNs come last.
    type Key: Copy + Ord;
    /// The type of words. A word is the part of a key that is compared first, and vectors can compare words.
    type Word: Copy + Ord + From<Self::Key>;
    /// The largest word of a number that is not NaN.
    const MOST: Self::Word;
    /// The number of lanes of a sum, see [`Fold::ORDER`](super::fold::Fold::ORDER).
    const LANES: Option<usize>;
    /// The number of elements that numpy converts at once, if the sum has another type than the data.
    const CHUNK: usize;

    /// Returns `2 * edge - self`, as numpy computes it in this type.
    fn reflected(self, edge: Self) -> Self;
    /// Returns the number `k` steps after `self` on the line from `before` to `self`, as PyWavelets computes it. Integers wrap.
    fn extended(self, before: Self, k: usize) -> Self;
    /// Returns the smaller number. A NaN is smaller than any number.
    fn smaller(self, other: Self) -> Self;
    /// Returns `self`, or the number with the opposite rank if `is_turned` is true. Two calls give the number back.
    fn turned(self, is_turned: bool) -> Self;
    /// Converts to the type of sums.
    fn summand(self) -> Self::Sum;
    /// Returns the mean of numbers with this sum.
    fn mean(sum: Self::Sum, count: usize) -> Self;
    /// Converts to a key.
    fn key(self) -> Self::Key;
    /// Returns a number with this key.
    fn of_key(key: Self::Key) -> Self;
    /// Returns the median of numbers whose two middle ones are `lower` and `upper`. If `is_odd` is true, the median is `upper`.
    fn median(lower: Self, upper: Self, is_odd: bool) -> Self;
    /// Returns the mean or median of no numbers. For floats, it is NaN.
    fn of_none() -> Self;

    /// Tells whether a number with other bits can have the same rank, which is the position in sorted order.
    #[inline(always)]
    fn is_ambiguous(self) -> bool {
        false
    }

    /// Tells whether the number is NaN.
    #[inline(always)]
    fn is_nan(self) -> bool {
        Self::Word::from(self.key()) > Self::MOST
    }
}

/// Converts to another type and back, as numpy does.
pub(super) trait In<F> {
    fn to(self) -> F;
    fn back(value: F) -> Self;
}

/// A type in which ramps are computed.
pub(super) trait Float:
    Copy + PartialEq + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Rounds a complex value, given as its real and imaginary part. Real types drop the imaginary part.
    fn of(value: [f64; 2]) -> Self;

    inline! {
        /// Converts a number of steps.
        fn steps(count: usize) -> Self { Self::of([count as f64, 0.0]) }
        /// Divides by a number of steps.
        fn over(self, steps: usize) -> Self { self / Self::steps(steps) }
    }
}

/// A float of 16 bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Short<const IS_BRAIN: bool>(u16);

/// IEEE 754 binary16.
pub(super) type Half = Short<false>;

/// bfloat16, which is the upper half of a binary32.
pub(super) type Brain = Short<true>;

/// A bool: a byte that is true unless it is 0.
#[derive(Clone, Copy, PartialEq)]
#[repr(transparent)]
pub(super) struct Flag(u8);

/// Real and imaginary part.
#[derive(Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct Complex<T> {
    pub(super) re: T,
    pub(super) im: T,
}

/// The key of a complex number. The first word is compared first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair(pub(super) i64, pub(super) i64);

impl From<Pair> for i64 {
    inline! { fn from(key: Pair) -> i64 { key.0 } }
}

impl<const IS_BRAIN: bool> Short<IS_BRAIN> {
    inline! {
        pub(super) fn from_bits(bits: u16) -> Self { Short(bits) }
        pub(super) fn to_bits(self) -> u16 { self.0 }
        pub(super) fn widen(self) -> f32 {
            let bytes = self.0.to_ne_bytes();
            if IS_BRAIN { BF16::widen(bytes) } else { F16::widen(bytes) }
        }
        pub(super) fn narrow(value: f64) -> Self { Self::narrow_single(to_odd(value)) }
        pub(super) fn narrow_single(value: f32) -> Self {
            Short(u16::from_ne_bytes(if IS_BRAIN { BF16::narrow(value) } else { F16::narrow(value) }))
        }
    }
}

impl<const IS_BRAIN: bool> From<Short<IS_BRAIN>> for f32 {
    inline! { fn from(value: Short<IS_BRAIN>) -> f32 { value.widen() } }
}

impl<const IS_BRAIN: bool> Neg for Short<IS_BRAIN> {
    type Output = Self;
    inline! { fn neg(self) -> Self { Short(self.0 ^ 0x8000) } }
}

/// Compares as numbers: zeros of both signs are equal, and a NaN is not equal to itself.
impl<const IS_BRAIN: bool> PartialEq for Short<IS_BRAIN> {
    inline! { fn eq(&self, other: &Self) -> bool { self.widen() == other.widen() } }
}

impl Flag {
    inline! {
        fn new(value: bool) -> Flag { Flag(u8::from(value)) }
        fn get(self) -> bool { self.0 != 0 }
    }
}

/// Returns `value` as `f32` if that is exact, otherwise the neighbouring `f32` whose last bit is 1. The result rounds to the same
/// 16-bit float as `value`.
#[inline(always)]
fn to_odd(value: f64) -> f32 {
    let near = value as f32;
    let toward_zero = near.to_bits() - u32::from(f64::from(near.abs()) > value.abs());
    if f64::from(near) == value || value.is_nan() { near } else { f32::from_bits(toward_zero | 1) }
}

/// Returns the largest integer that is not above `value`.
#[inline(always)]
fn floor(value: f64) -> f64 {
    let near = round(value);
    if near > value { near - 1.0 } else { near }
}

/// Rounds to the nearest integer, ties to even.
#[inline(always)]
fn round(value: f64) -> f64 {
    const SHIFT: f64 = 4_503_599_627_370_496.0;
    let magnitude = value.abs();
    if magnitude < SHIFT { ((magnitude + SHIFT) - SHIFT).copysign(value) } else { value }
}

/// numpy's conversions from `f64` to integers. C does not define results for values out of range. The results are those of
/// x86-64, where types of 8 and 16 bits convert through `i32`.
trait FromF64 {
    fn cast(value: f64) -> Self;
}

const TWO_63: f64 = 9_223_372_036_854_775_808.0;

/// The number of lanes in numpy's sums of real numbers. Complex numbers use half as many.
const LANES: usize = 8;

/// The number of elements that numpy converts at once.
const CONVERTED: usize = 8192;

macro_rules! integers {
    ($($type:ty, $sum:ty: $lanes:expr, |$value:ident| $cast:expr;)*) => {$(
        impl FromF64 for $type {
            inline! { fn cast($value: f64) -> Self { $cast } }
        }

        impl In<f64> for $type {
            inline! {
                fn to(self) -> f64 { self as f64 }
                fn back(value: f64) -> Self { Self::cast(floor(value)) }
            }
        }

        // SAFETY: every bit pattern is a value of the type.
        unsafe impl Number for $type {
            type Double = f64;
            type Own = f64;
            type Sum = $sum;
            type Key = Self;
            type Word = Self;
            const MOST: Self = Self::MAX;
            const LANES: Option<usize> = $lanes;
            const CHUNK: usize = CONVERTED;

            inline! {
                fn reflected(self, edge: Self) -> Self { edge.wrapping_mul(2).wrapping_sub(self) }
                fn extended(self, before: Self, k: usize) -> Self {
                    self.wrapping_add(self.wrapping_sub(before).wrapping_mul(k as Self))
                }
                fn smaller(self, other: Self) -> Self { self.min(other) }
                fn turned(self, is_turned: bool) -> Self { self ^ Self::from(is_turned).wrapping_neg() }
                fn summand(self) -> $sum { self as $sum }
                fn mean(sum: $sum, count: usize) -> Self { Self::cast(round(sum as f64 / count as f64)) }
                fn key(self) -> Self { self }
                fn of_key(key: Self) -> Self { key }
                fn median(lower: Self, upper: Self, is_odd: bool) -> Self {
                    Self::cast(round(if is_odd { upper as f64 } else { (lower as f64 + upper as f64) / 2.0 }))
                }
                fn of_none() -> Self { unreachable!("a plan refuses statistics of no integers") }
            }
        }
    )*};
}
integers! {
    // Sums of integers of 8 and 16 bits are exact in any order, because no line is long enough for a sum of more than 53 bits.
    i8, i64: None, |value| i32::cast(value) as i8;
    u8, i64: None, |value| i32::cast(value) as u8;
    i16, i64: None, |value| i32::cast(value) as i16;
    u16, i64: None, |value| i32::cast(value) as u16;
    i32, f64: Some(LANES), |value| {
        let held = if value > -2_147_483_649.0 && value < 2_147_483_648.0 { value } else { -2_147_483_648.0 };
        // SAFETY: `i32` can hold the value. A saturating cast with `as` would not become a vector instruction.
        unsafe { held.to_int_unchecked() }
    };
    u32, f64: Some(LANES), |value| i64::cast(value) as u32;
    i64, f64: Some(LANES), |value| {
        let held = if (-TWO_63..TWO_63).contains(&value) { value } else { -TWO_63 };
        // SAFETY: `i64` can hold the value.
        unsafe { held.to_int_unchecked() }
    };
    u64, f64: Some(LANES), |value| {
        if value >= TWO_63 { (i64::cast(value - TWO_63) as u64) ^ (1 << 63) } else { i64::cast(value) as u64 }
    };
}

// SAFETY: all operations return 0 or 1.
unsafe impl Number for Flag {
    type Double = f64;
    type Own = f64;
    type Sum = i64;
    type Key = u8;
    type Word = u8;
    const MOST: u8 = u8::MAX;
    const LANES: Option<usize> = None;
    const CHUNK: usize = usize::MAX;

    // numpy computes with the numbers 0 and 1. A result is true unless it is 0, so NaN is true.
    inline! {
        fn reflected(self, edge: Self) -> Self { Flag::new(2 * edge.summand() != self.summand()) }
        fn extended(self, before: Self, k: usize) -> Self {
            let (last, before) = (self.summand(), before.summand());
            Flag::new(last.wrapping_add((last - before).wrapping_mul(k as i64)) != 0)
        }
        fn smaller(self, other: Self) -> Self { Flag::new(self.get() && other.get()) }
        fn turned(self, is_turned: bool) -> Self { Flag::new(self.get() != is_turned) }
        fn summand(self) -> i64 { self.get().into() }
        fn mean(sum: i64, _: usize) -> Self { Flag::new(sum != 0) }
        fn key(self) -> u8 { self.get().into() }
        fn of_key(key: u8) -> Self { Flag(key) }
        fn median(lower: Self, upper: Self, is_odd: bool) -> Self {
            Flag::new(upper.get() || !is_odd && lower.get())
        }
        fn of_none() -> Self { Flag::new(true) }
    }
}

macro_rules! conversions {
    ($([$($bound:tt)*] $type:ty, $other:ty: |$value:ident| $to:expr, $back:expr;)*) => {$(
        impl<$($bound)*> In<$other> for $type {
            inline! {
                fn to(self) -> $other { let $value = self; $to }
                fn back($value: $other) -> Self { $back }
            }
        }
    )*};
}
conversions! {
    // A type in which ramps are computed converts to itself.
    [F: Float] F, F: |value| value, value;
    [] f32, f64: |value| value.into(), value as f32;
    [const IS_BRAIN: bool] Short<IS_BRAIN>, f64: |value| value.widen().into(), Self::narrow(value);
    [] Complex<f32>, Complex<f64>: |value| Complex { re: value.re.into(), im: value.im.into() },
        Complex { re: value.re as f32, im: value.im as f32 };
    // A bool is true unless it is 0, so NaN is true.
    [] Flag, f64: |value| f64::from(u8::from(value.get())), Flag::new(value != 0.0);
}

/// Continues a line of floats. The step is rounded to their type, and the rest is computed in double precision.
#[inline(always)]
fn extended<T: Number + Float>(last: T, before: T, k: usize) -> T {
    let (step, last): (T::Double, T::Double) = ((last - before).to(), last.to());
    T::back(T::Double::steps(k) * step + last)
}

// The minimum is computed without branches: the bitwise "or" of two selections. Both select the smaller number, if there is one.
// Otherwise, they select different numbers. For zeros of both signs, the "or" is the negative zero. With a NaN, it is a NaN.
//
// A key is the bits of a float as a signed integer. For a negative float, all bits except the sign are inverted. A wrapping
// subtraction moves negative NaNs from the lowest keys to the highest ones.
//
// Operations on 16-bit floats compute in 32 bits, and each operation rounds its result.
macro_rules! reals {
    ($($type:ty, $key:ty: $infinity:expr, $sum:ty: $chunk:expr, |$value:ident| $rounded:expr;)*) => {$(
        impl Float for $type {
            inline! { fn of([re, _]: [f64; 2]) -> Self { In::<f64>::back(re) } }
        }

        // SAFETY: every bit pattern is a value of the type.
        unsafe impl Number for $type {
            type Double = f64;
            type Own = Self;
            type Sum = $sum;
            type Key = $key;
            type Word = $key;
            const MOST: $key = $infinity - (<$key>::MAX ^ $infinity);
            const LANES: Option<usize> = Some(LANES);
            const CHUNK: usize = $chunk;

            inline! {
                fn reflected(self, edge: Self) -> Self { Self::steps(2) * edge - self }
                fn extended(self, before: Self, k: usize) -> Self { extended(self, before, k) }
                fn smaller(self, other: Self) -> Self {
                    let (a, b) = (self.summand(), other.summand());
                    let (one, another) = (if a < b { self } else { other }, if b < a { other } else { self });
                    Self::from_bits(one.to_bits() | another.to_bits())
                }
                // If this flipped the sign bit of an integer, compilers would select integers in `smaller`, too.
                fn turned(self, is_turned: bool) -> Self { if is_turned { -self } else { self } }
                fn summand(self) -> $sum { self.into() }
                // numpy adds to an initial zero, so a sum of negative zeros is the positive zero.
                fn mean(sum: $sum, count: usize) -> Self {
                    let $value = (f64::from(sum + 0.0) / count as f64) as $sum;
                    $rounded
                }
                fn key(self) -> $key {
                    let bits = self.to_bits() as $key;
                    (bits ^ (bits >> (<$key>::BITS - 1)) & <$key>::MAX).wrapping_sub(<$key>::MAX ^ $infinity)
                }
                fn of_key(key: $key) -> Self {
                    let key = key.wrapping_add(<$key>::MAX ^ $infinity);
                    Self::from_bits((key ^ (key >> (<$key>::BITS - 1)) & <$key>::MAX) as _)
                }
                fn median(lower: Self, upper: Self, is_odd: bool) -> Self {
                    let $value = (lower.summand() + upper.summand()) / 2.0;
                    if is_odd { upper } else { $rounded }
                }
                fn of_none() -> Self {
                    let $value = <$sum>::NAN;
                    $rounded
                }
            }
        }
    )*};
}
reals! {
    f64, i64: 0x7ff << 52, f64: usize::MAX, |value| value;
    f32, i32: 0xff << 23, f32: usize::MAX, |value| value;
    Half, i16: 0x7c00, f32: CONVERTED, |value| Half::narrow_single(value);
    Brain, i16: 0x7f80, f32: CONVERTED, |value| Brain::narrow_single(value);
}

macro_rules! complexes {
    ($($type:ty),*) => {$(
        impl Float for Complex<$type> {
            inline! { fn of([re, im]: [f64; 2]) -> Self { Complex { re: re as $type, im: im as $type } } }
        }

        // SAFETY: every bit pattern is a value of the type.
        unsafe impl Number for Complex<$type> {
            type Double = Complex<f64>;
            type Own = Self;
            type Sum = Self;
            /// Numbers without a NaN come first, then those with one in the imaginary part, in the real part, and in both.
            type Key = Pair;
            type Word = i64;
            const MOST: i64 = f64::MOST;
            const LANES: Option<usize> = Some(LANES / 2);
            const CHUNK: usize = usize::MAX;

            inline! {
                fn reflected(self, edge: Self) -> Self { Self::steps(2) * edge - self }
                fn extended(self, before: Self, k: usize) -> Self { extended(self, before, k) }
                /// Compares real parts, and if they are equal, imaginary parts. Returns the first number with a NaN, if any.
                // The operators `&` and `|` do not branch, so compilers can vectorise the code.
                fn smaller(self, other: Self) -> Self {
                    let (a, b) = (self, other);
                    let is_less = (a.re < b.re) & !b.im.is_nan() | (a.re == b.re) & (a.im <= b.im);
                    if a.re.is_nan() | a.im.is_nan() | is_less { a } else { b }
                }
                fn is_ambiguous(self) -> bool { self.is_nan() || self.re == 0.0 || self.im == 0.0 }
                fn turned(self, is_turned: bool) -> Self {
                    Complex { re: self.re.turned(is_turned), im: self.im.turned(is_turned) }
                }
                fn summand(self) -> Self { self }
                fn mean(sum: Self, count: usize) -> Self {
                    let sum: Complex<f64> = (sum + Self::steps(0)).to();
                    Self::back(sum.over(count))
                }
                fn key(self) -> Pair {
                    // Adding 0.0 gives both zeros the same key. The three highest keys are keys of NaNs, not of numbers.
                    // As first words, they tell which parts are NaN.
                    let [re, im] = [self.re, self.im].map(|value| f64::from(value + 0.0).key());
                    match (self.re.is_nan(), self.im.is_nan()) {
                        (false, false) => Pair(re, im),
                        (false, true) => Pair(i64::MAX - 2, re),
                        (true, false) => Pair(i64::MAX - 1, im),
                        (true, true) => Pair(i64::MAX, i64::MAX),
                    }
                }
                fn of_key(Pair(high, low): Pair) -> Self {
                    let (re, im) = if high == i64::MAX - 2 { (low, high) } else { (high, low) };
                    Complex { re: f64::of_key(re) as $type, im: f64::of_key(im) as $type }
                }
                fn median(lower: Self, upper: Self, is_odd: bool) -> Self {
                    match is_odd {
                        true if upper.is_nan() => upper,
                        true => upper.over(1),
                        false => (lower + upper).over(2),
                    }
                }
                fn of_none() -> Self { Complex { re: <$type>::NAN, im: <$type>::NAN } }
            }
        }
    )*};
}
complexes!(f64, f32);

macro_rules! operations {
    ($($trait:ident $name:ident: |$a:ident, $b:ident| $short:expr, $complex:expr;)*) => {$(
        impl<const IS_BRAIN: bool> $trait for Short<IS_BRAIN> {
            type Output = Self;
            inline! {
                fn $name(self, other: Self) -> Self {
                    let ($a, $b) = (self.widen(), other.widen());
                    Self::narrow_single($short)
                }
            }
        }

        impl<T: Float> $trait for Complex<T> {
            type Output = Self;
            inline! {
                fn $name(self, other: Self) -> Self {
                    let ($a, $b) = (self, other);
                    let [re, im] = $complex;
                    Complex { re, im }
                }
            }
        }
    )*};
}
operations! {
    Add add: |a, b| a + b, [a.re + b.re, a.im + b.im];
    Sub sub: |a, b| a - b, [a.re - b.re, a.im - b.im];
    Mul mul: |a, b| a * b, [a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re];
    // numpy divides in this way if the real part of the divisor has the larger magnitude. A number of steps is real.
    Div div: |a, b| a / b, {
        let ratio = b.im / b.re;
        let scale = T::steps(1) / (b.re + b.im * ratio);
        [(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale]
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrowing_rounds_to_even_once() {
        let next = |bits: u16| f64::from(Half::from_bits(bits).widen());
        for bits in (0..0x7bff).step_by(if cfg!(miri) { 97 } else { 7 }) {
            let middle = (next(bits) + next(bits + 1)) / 2.0;
            assert_eq!(Half::narrow(middle).to_bits(), bits + (bits & 1), "{bits:04x}");
            assert_eq!(Half::narrow(middle * (1.0 + f64::EPSILON)).to_bits(), bits + 1);
            assert_eq!(Half::narrow(-middle * (1.0 - f64::EPSILON)).to_bits(), bits | 0x8000);
        }
        assert_eq!(Half::narrow(65519.999).to_bits(), 0x7bff);
        assert_eq!(Half::narrow(65520.0).to_bits(), 0x7c00);
        assert_eq!(Brain::narrow(f64::MAX).to_bits(), 0x7f80);
        assert_eq!(Brain::narrow(f64::from_bits(1)).to_bits(), 0);
    }

    #[test]
    fn integers_are_cast_as_on_x86_64() {
        assert_eq!((i8::cast(300.0), u8::cast(-5.0), i8::cast(1e10), u8::cast(f64::NAN)), (44, 251, 0, 0));
        assert_eq!((i16::cast(-5.9), u16::cast(65536.0)), (-5, 0));
        assert_eq!(
            (i32::cast(1e10), u32::cast(1e10), u32::cast(-5.0)),
            (i32::MIN, 1_410_065_408, 4_294_967_291)
        );
        assert_eq!((i32::cast(2_147_483_647.5), i32::cast(-2_147_483_648.5)), (i32::MAX, i32::MIN));
        assert_eq!((i64::cast(1e19), u64::cast(1e19)), (i64::MIN, 10_000_000_000_000_000_000));
        assert_eq!((u64::cast(f64::NAN), u64::cast(1e20), u64::cast(-5.0)), (1 << 63, 0, u64::MAX - 4));
    }

    #[test]
    fn floors_and_halves() {
        let values = [-1.5, -0.5, 0.5, 1.5, 2.5, 1e300];
        assert_eq!(values.map(floor), [-2.0, -1.0, 0.0, 1.0, 2.0, 1e300]);
        assert_eq!(values.map(round), [-2.0, 0.0, 0.0, 2.0, 2.0, 1e300]);
        assert!(floor(f64::NAN).is_nan() && round(f64::NAN).is_nan());
    }
}
