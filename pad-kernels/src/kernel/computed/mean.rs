//! Means. They use numpy's arithmetic and add in numpy's order, so the results are equal to the bit.

use super::Computation;
use super::fold::{Fold, MOST_LANES};
use super::number::{Brain, Complex, Flag, Float, FromF64, Half, Number, round};

#[derive(Clone, Copy)]
pub(super) struct Mean;

impl From<Computation> for Mean {
    #[inline(always)]
    fn from(_: Computation) -> Mean {
        Mean
    }
}

/// The number of lanes in numpy's sums of real numbers. Sums of complex numbers have half as many.
const LANES: usize = 8;

/// The number of elements that numpy converts together, if the sum has another type than the data.
const CONVERTED: usize = 8192;

macro_rules! means {
    ($($type:ty as $sum:ty: $lanes:expr, $chunk:expr, |$value:ident| $first:expr, |$state:ident, $count:ident| $finish:expr, $none:expr;)*) => {$(
        impl Fold<$type> for Mean {
            type State = $sum;
            const LANES: usize = $lanes;
            const CHUNK: usize = $chunk;

            #[inline(always)]
            fn first(self, $value: $type) -> $sum {
                $first
            }

            #[inline(always)]
            fn join(self, state: $sum, other: $sum) -> $sum {
                state + other
            }

            /// numpy adds the elements to an initial zero, so a sum of negative zeros is positive.
            #[inline(always)]
            fn finish(self, $state: $sum, $count: usize) -> $type {
                $finish
            }

            fn of_none() -> $type {
                $none
            }
        }
    )*};
}
means! {
    f64 as f64: LANES, usize::MAX, |value| value, |sum, count| (sum + 0.0) / count as f64, f64::NAN;
    f32 as f32: LANES, usize::MAX, |value| value, |sum, count| single(sum, count), f32::NAN;
    Half as f32: LANES, CONVERTED, |value| value.widen(),
        |sum, count| Half::narrow_single(single(sum, count)), Half::NAN;
    Brain as f32: LANES, CONVERTED, |value| value.widen(),
        |sum, count| Brain::narrow_single(single(sum, count)), Brain::NAN;
    Complex<f64> as Complex<f64>: LANES / 2, usize::MAX, |value| value, |sum, count| (sum + Complex::ZERO).over(count),
        Complex { re: f64::NAN, im: f64::NAN };
    Complex<f32> as Complex<f32>: LANES / 2, usize::MAX, |value| value,
        |sum, count| narrow(Complex::from(sum + Complex::ZERO).over(count)), Complex { re: f32::NAN, im: f32::NAN };
    // Sums of integers of 8 and 16 bits are exact in any order, because no line is long enough for 53 bits.
    i8 as i64: MOST_LANES, usize::MAX, |value| value.into(), |sum, count| i8::cast(whole(sum as f64, count)), integer();
    u8 as i64: MOST_LANES, usize::MAX, |value| value.into(), |sum, count| u8::cast(whole(sum as f64, count)), integer();
    i16 as i64: MOST_LANES, usize::MAX, |value| value.into(), |sum, count| i16::cast(whole(sum as f64, count)), integer();
    u16 as i64: MOST_LANES, usize::MAX, |value| value.into(), |sum, count| u16::cast(whole(sum as f64, count)), integer();
    i32 as f64: LANES, CONVERTED, |value| value.into(), |sum, count| i32::cast(whole(sum, count)), integer();
    u32 as f64: LANES, CONVERTED, |value| value.into(), |sum, count| u32::cast(whole(sum, count)), integer();
    i64 as f64: LANES, CONVERTED, |value| value as f64, |sum, count| i64::cast(whole(sum, count)), integer();
    u64 as f64: LANES, CONVERTED, |value| value as f64, |sum, count| u64::cast(whole(sum, count)), integer();
}

fn single(sum: f32, count: usize) -> f32 {
    (f64::from(sum + 0.0) / count as f64) as f32
}

#[inline(always)]
fn narrow(value: Complex<f64>) -> Complex<f32> {
    Complex::from_double(value)
}

#[inline(always)]
fn whole(sum: f64, count: usize) -> f64 {
    round(sum / count as f64)
}

fn integer<T>() -> T {
    unreachable!("a plan refuses means of no integers")
}

/// numpy computes the mean as a float. The mean is true unless it is 0.
impl Fold<Flag> for Mean {
    type State = Flag;
    const LANES: usize = MOST_LANES;

    #[inline(always)]
    fn first(self, value: Flag) -> Flag {
        value
    }

    #[inline(always)]
    fn join(self, state: Flag, other: Flag) -> Flag {
        Flag::new(state.get() || other.get())
    }

    #[inline(always)]
    fn finish(self, state: Flag, _: usize) -> Flag {
        Flag::new(state.get())
    }

    /// NaN is true.
    fn of_none() -> Flag {
        Flag::new(true)
    }
}
