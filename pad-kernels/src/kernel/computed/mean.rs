//! Means: of floats the correctly rounded one, of integers that of numpy.

use super::Computation;
use super::exact::{self, BF16, F16, F32, F64, Format};
use super::fold::Fold;
use super::number::{Brain, Complex, Flag, FromF64, Half, Number, round};

#[derive(Clone, Copy)]
pub(super) struct Mean;

impl From<Computation> for Mean {
    #[inline(always)]
    fn from(_: Computation) -> Mean {
        Mean
    }
}

/// Sums of so many integers are below what their parts hold.
const MOST: usize = 1 << 31;

macro_rules! integers {
    ($($type:ty: $count:literal, |$value:ident| $parts:expr, |$a:ident, $b:ident| $sum:expr;)*) => {$(
        impl Fold<$type> for Mean {
            type Part = i64;
            const PARTS: usize = $count;
            const IN_ORDER: bool = false;

            #[inline(always)]
            fn first(self, $value: $type) -> [i64; 3] {
                $parts
            }

            #[inline(always)]
            fn next(self, state: [i64; 3], value: $type) -> [i64; 3] {
                <Mean as Fold<$type>>::join(state, self.first(value))
            }

            #[inline(always)]
            fn join(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
                [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1]), 0]
            }

            #[inline(always)]
            fn finish(self, [$a, $b, _]: [i64; 3], count: usize) -> Option<$type> {
                let sum: i128 = $sum;
                (count <= MOST).then(|| <$type>::cast(integer_mean(sum, count)))
            }

            fn again(count: usize, value: &dyn Fn(usize) -> $type) -> $type {
                let sum = (0..count).map(|index| i128::from(value(index))).sum();
                <$type>::cast(integer_mean(sum, count))
            }

            fn of_none() -> $type {
                unreachable!("a plan refuses means of no integers")
            }
        }
    )*};
}
integers! {
    i8: 1, |value| [value.into(), 0, 0], |sum, _b| sum.into();
    u8: 1, |value| [value.into(), 0, 0], |sum, _b| sum.into();
    i16: 1, |value| [value.into(), 0, 0], |sum, _b| sum.into();
    u16: 1, |value| [value.into(), 0, 0], |sum, _b| sum.into();
    i32: 1, |value| [value.into(), 0, 0], |sum, _b| sum.into();
    u32: 1, |value| [value.into(), 0, 0], |sum, _b| sum.into();
    i64: 2, |value| [value & 0xffff_ffff, value >> 32, 0], |low, high| (i128::from(high) << 32) + i128::from(low);
    u64: 2, |value| [(value & 0xffff_ffff) as i64, (value >> 32) as i64, 0], |low, high| (i128::from(high) << 32) + i128::from(low);
}

#[inline(always)]
fn integer_mean(sum: i128, count: usize) -> f64 {
    round(sum as f64 / count as f64)
}

/// The mean is a float, which is true unless it is 0.
impl Fold<Flag> for Mean {
    type Part = Flag;
    const PARTS: usize = 1;
    const IN_ORDER: bool = false;

    #[inline(always)]
    fn first(self, value: Flag) -> [Flag; 3] {
        [value; 3]
    }

    #[inline(always)]
    fn next(self, [state, ..]: [Flag; 3], value: Flag) -> [Flag; 3] {
        [Flag::new(state.get() || value.get()); 3]
    }

    #[inline(always)]
    fn join(state: [Flag; 3], [other, ..]: [Flag; 3]) -> [Flag; 3] {
        Mean.next(state, other)
    }

    #[inline(always)]
    fn finish(self, [state, ..]: [Flag; 3], _: usize) -> Option<Flag> {
        Some(Flag::new(state.get()))
    }

    fn again(_: usize, _: &dyn Fn(usize) -> Flag) -> Flag {
        unreachable!("the state tells the mean")
    }

    /// NaN is true.
    fn of_none() -> Flag {
        Flag::new(true)
    }
}

/// A float of at most 32 bits: the state is the sum, and the sum of the magnitudes, by which the first is known to be good.
trait Short: Number + Into<f64> {
    fn narrow(value: f64) -> Self;
}

macro_rules! short {
    ($($type:ty: $format:expr, $nan:expr, $narrow:expr;)*) => {$(
        impl Short for $type {
            #[inline(always)]
            fn narrow(value: f64) -> Self {
                ($narrow)(value)
            }
        }

        impl Fold<$type> for Mean {
            type Part = f64;
            const PARTS: usize = 2;
            const IN_ORDER: bool = false;

            #[inline(always)]
            fn first(self, value: $type) -> [f64; 3] {
                let value = f64::from(value);
                [value, value.abs(), 0.0]
            }

            #[inline(always)]
            fn next(self, [sum, size, _]: [f64; 3], value: $type) -> [f64; 3] {
                let value = f64::from(value);
                [sum + value, size + value.abs(), 0.0]
            }

            #[inline(always)]
            fn join(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
                [a[0] + b[0], a[1] + b[1], 0.0]
            }

            #[inline(always)]
            fn finish(self, [sum, size, _]: [f64; 3], count: usize) -> Option<$type> {
                short_mean(sum, size, count)
            }

            fn again(count: usize, value: &dyn Fn(usize) -> $type) -> $type {
                let wide = |index| f64::from(value(index));
                let rounded = |value| <$type as Short>::narrow(value).into();
                short_mean_slowly(count, &wide, $format, rounded, <$type as Short>::narrow)
            }

            fn of_none() -> $type {
                $nan
            }
        }
    )*};
}
short! {
    f32: F32, f32::NAN, |value| value as f32;
    Half: F16, Half::NAN, Half::narrow;
    Brain: BF16, Brain::NAN, Brain::narrow;
}

/// The correctly rounded mean of numbers whose sum is about `sum`, and that of their magnitudes about `size`, if these tell it.
#[inline(always)]
fn short_mean<T: Short>(sum: f64, size: f64, count: usize) -> Option<T> {
    let n = count as f64;
    // A sum of n terms in any order is off by less than n rounding errors of all of them; the quotient by two more.
    let off = size * n * f64::EPSILON + sum.abs() * (4.0 * f64::EPSILON);
    // To multiply adds a rounding error of the quotient to that, and spares a division.
    let part = 1.0 / n;
    let (least, most) = (sum - off, sum + off);
    let (low, high) = (T::narrow(least * part), T::narrow(most * part));
    let zero = T::narrow(0.0);
    // A mean of zeros is positive, and what is rounded to zero keeps its sign.
    let has_sign = high != zero || size == 0.0 || least > 0.0 || most < 0.0;
    (low == high && off < f64::INFINITY && has_sign).then_some(if size == 0.0 { zero } else { high })
}

/// Computes a short mean where rounding errors could matter.
#[cold]
#[inline(never)]
fn short_mean_slowly<T>(
    count: usize,
    value: &dyn Fn(usize) -> f64,
    format: Format,
    rounded: fn(f64) -> f64,
    narrow: fn(f64) -> T,
) -> T {
    let n = count as f64;
    let (mut sum, mut is_exact) = (0.0, count < 1 << 28);
    for index in 0..count {
        let (next, rest) = two_sum(sum, value(index));
        sum = next;
        is_exact &= rest == 0.0;
    }
    let mean = sum / n;
    if is_exact && mean != 0.0 && mean.is_finite() {
        let near = |bits: u64| rounded(f64::from_bits(bits)) == rounded(mean);
        // Away from what lies between two numbers of the format rounding twice is rounding once. Just there the quotient has so few bits
        // that its product tells whether it is exact.
        if near(mean.to_bits() + 1) && near(mean.to_bits() - 1) || mean * n == sum {
            return narrow(mean);
        }
    }
    narrow(exact::mean(count, value, format))
}

/// A sum and its rounding error.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// The state is the sum, its rounding errors, and the sum of the magnitudes.
impl Fold<f64> for Mean {
    type Part = f64;
    const PARTS: usize = 3;
    const IN_ORDER: bool = false;

    #[inline(always)]
    fn first(self, value: f64) -> [f64; 3] {
        [value, 0.0, value.abs()]
    }

    #[inline(always)]
    fn next(self, [sum, rest, size]: [f64; 3], value: f64) -> [f64; 3] {
        let (sum, more) = two_sum(sum, value);
        [sum, rest + more, size + value.abs()]
    }

    #[inline(always)]
    fn join(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        let (sum, more) = two_sum(a[0], b[0]);
        [sum, a[1] + b[1] + more, a[2] + b[2]]
    }

    #[inline(always)]
    fn finish(self, state: [f64; 3], count: usize) -> Option<f64> {
        long_mean(state, count)
    }

    fn again(count: usize, value: &dyn Fn(usize) -> f64) -> f64 {
        exact::mean(count, value, F64)
    }

    fn of_none() -> f64 {
        f64::NAN
    }
}

/// The correctly rounded mean of numbers with this state, if it tells it.
#[inline(always)]
fn long_mean([sum, rest, size]: [f64; 3], count: usize) -> Option<f64> {
    // Within these no product or quotient below leaves the range of normal numbers.
    const RANGE: core::ops::Range<f64> = 1e-270..1e280;
    let n = count as f64;
    let (high, low) = two_sum(sum, rest);
    let mean = high / n;
    if RANGE.contains(&mean.abs()) && RANGE.contains(&size) {
        if count <= 2 {
            // The error of one sum is exact, and half of a number too.
            return Some(mean);
        }
        // What is left of the quotient, by a product without error.
        let (product, error) = two_product(mean, n);
        let more = (((high - product) - error) + low) / n;
        let off = size * n * (f64::EPSILON * f64::EPSILON) + mean.abs() * 1e-30;
        let (least, most) = (mean + (more - off), mean + (more + off));
        if least == most {
            return Some(most);
        }
    }
    None
}

/// A product and its rounding error.
#[inline(always)]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let split = |value: f64| {
        let large = value * 134_217_729.0;
        let high = large - (large - value);
        (high, value - high)
    };
    let product = a * b;
    let ((a, a_low), (b, b_low)) = (split(a), split(b));
    (product, a_low * b_low - (((product - a * b) - a_low * b) - a * b_low))
}

macro_rules! complex {
    ($($type:ty),*) => {$(
        /// Part by part. numpy then divides by a complex number, of which what is not finite gets into the other part.
        impl Fold<Complex<$type>> for Mean {
            type Part = Complex<f64>;
            const PARTS: usize = 3;
            const IN_ORDER: bool = false;

            #[inline(always)]
            fn first(self, value: Complex<$type>) -> [Complex<f64>; 3] {
                both(self.first(value.re), self.first(value.im))
            }

            #[inline(always)]
            fn next(self, state: [Complex<f64>; 3], value: Complex<$type>) -> [Complex<f64>; 3] {
                let (re, im) = parts(state);
                both(self.next(re, value.re), self.next(im, value.im))
            }

            #[inline(always)]
            fn join(state: [Complex<f64>; 3], other: [Complex<f64>; 3]) -> [Complex<f64>; 3] {
                let ((re, im), (other_re, other_im)) = (parts(state), parts(other));
                both(<Mean as Fold<$type>>::join(re, other_re), <Mean as Fold<$type>>::join(im, other_im))
            }

            #[inline(always)]
            fn finish(self, state: [Complex<f64>; 3], count: usize) -> Option<Complex<$type>> {
                let (re, im) = parts(state);
                let (re, im) = (self.finish(re, count)?, self.finish(im, count)?);
                Some(divided(re, im))
            }

            fn again(count: usize, value: &dyn Fn(usize) -> Complex<$type>) -> Complex<$type> {
                let re = <Mean as Fold<$type>>::again(count, &|index| value(index).re);
                divided(re, <Mean as Fold<$type>>::again(count, &|index| value(index).im))
            }

            fn of_none() -> Complex<$type> {
                Complex { re: <$type>::NAN, im: <$type>::NAN }
            }
        }
    )*};
}
complex!(f64, f32);

#[inline(always)]
fn both(re: [f64; 3], im: [f64; 3]) -> [Complex<f64>; 3] {
    let part = |part: usize| Complex { re: re[part], im: im[part] };
    [part(0), part(1), part(2)]
}

#[inline(always)]
fn parts([a, b, c]: [Complex<f64>; 3]) -> ([f64; 3], [f64; 3]) {
    ([a.re, b.re, c.re], [a.im, b.im, c.im])
}

/// What numpy makes of the parts of a mean by dividing by a complex number.
#[inline(always)]
fn divided<
    T: Copy + core::ops::Add<Output = T> + core::ops::Sub<Output = T> + core::ops::Mul<Output = T> + From<f32>,
>(
    re: T,
    im: T,
) -> Complex<T> {
    Complex { re: re + im * T::from(0.0), im: im - re * T::from(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the sign of a mean that is rounded to zero, too, a sum says only what it knows.
    #[test]
    fn sums_tell_the_sign_of_zero() {
        let bits = |sum, size| short_mean::<f32>(sum, size, 4).map(f32::to_bits);
        assert_eq!(bits(1e-45, 1e-45), Some(0));
        assert_eq!(bits(-1e-45, 1e-45), Some((-0.0f32).to_bits()));
        assert_eq!(bits(-0.0, 0.0), Some(0));
        assert_eq!(bits(0.0, 1e-44), None);
    }
}
