//! Number types for computed borders, with numpy's arithmetic.

use core::fmt;

/// A number type, as its elements lie in memory.
///
/// # Safety
///
/// - The type has no padding bytes and no pointers.
/// - Its operations only return values of the element type that the kernel's table names.
pub(crate) unsafe trait Number: Copy + PartialEq + fmt::Debug + 'static {
    /// The type of ramps in double precision.
    type Double: Float;
    /// The type of ramps in the type's own precision. For integers and bool it is `Double`.
    type Own: Float;
    /// True if `Own` and `Double` differ.
    const HAS_OWN: bool;

    /// Returns `2 * edge - self`, as numpy computes it in this type.
    fn reflected(self, edge: Self) -> Self;
    /// Converts to double precision.
    fn double(self) -> Self::Double;
    /// Converts to the type's own precision.
    fn own(self) -> Self::Own;
    /// Converts a ramp's value as numpy does. Integers are rounded down first.
    fn from_double(value: Self::Double) -> Self;
    /// Converts a ramp's value in the type's own precision.
    fn from_own(value: Self::Own) -> Self;
}

/// A type in which ramps are computed.
pub(crate) trait Float: Copy + PartialEq {
    /// Zero.
    const ZERO: Self;
    /// Rounds a complex value to this type.
    fn of(value: [f64; 2]) -> Self;
    /// Returns the position `k` of a ramp.
    fn index(k: usize) -> Self;
    /// Returns the sum.
    fn plus(self, other: Self) -> Self;
    /// Returns the difference.
    fn minus(self, other: Self) -> Self;
    /// Returns the product.
    fn times(self, other: Self) -> Self;
    /// Returns the number divided by a number of steps.
    fn over(self, steps: usize) -> Self;
    /// Tells whether this quotient is zero.
    fn is_zero_over(self, steps: usize) -> bool;
}

/// IEEE 754 binary16.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Half(u16);

/// The upper half of a binary32.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Brain(u16);

/// A bool: a byte that is true unless it is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub(crate) struct Flag(u8);

/// A complex number: its real and its imaginary part.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Complex<T> {
    pub(super) re: T,
    pub(super) im: T,
}

impl Half {
    pub(super) const NAN: Half = Half(0x7e00);

    pub(super) fn to_bits(self) -> u16 {
        self.0
    }

    pub(super) fn from_bits(bits: u16) -> Half {
        Half(bits)
    }

    #[inline(always)]
    pub(super) fn widen(self) -> f32 {
        let (sign, rest) = (u32::from(self.0 & 0x8000) << 16, u32::from(self.0 & 0x7fff));
        let magnitude = match rest {
            0x7c00.. => f32::from_bits(0x7f80_0000 | (rest << 13)),
            // The exponent changes by the difference of the biases. The product is exact.
            _ => f32::from_bits(rest << 13) * f32::from_bits(0x7780_0000),
        };
        f32::from_bits(magnitude.to_bits() | sign)
    }

    #[inline(always)]
    pub(super) fn narrow(value: f64) -> Half {
        Half::narrow_single(to_odd(value))
    }

    /// Rounds to the nearest number. There is no branch for subnormal numbers, because an addition rounds them.
    #[inline(always)]
    pub(super) fn narrow_single(value: f32) -> Half {
        const NORMAL: u32 = 113 << 23;
        let magnitude = value.to_bits() & 0x7fff_ffff;
        let small = (f32::from_bits(magnitude) + 0.5).to_bits() - 0.5f32.to_bits();
        let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + (magnitude >> 13 & 1)) >> 13;
        let number = if magnitude < NORMAL { small } else { normal.min(0x7c00) };
        let bits = if magnitude > f32::INFINITY.to_bits() { 0x7e00 } else { number };
        Half(bits as u16 | (value.to_bits() >> 16 & 0x8000) as u16)
    }
}

impl Brain {
    pub(super) const NAN: Brain = Brain(0x7fc0);

    pub(super) fn to_bits(self) -> u16 {
        self.0
    }

    pub(super) fn from_bits(bits: u16) -> Brain {
        Brain(bits)
    }

    #[inline(always)]
    pub(super) fn widen(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }

    #[inline(always)]
    pub(super) fn narrow(value: f64) -> Brain {
        Brain::narrow_single(to_odd(value))
    }

    /// Rounds to the nearest number, without a branch.
    #[inline(always)]
    pub(super) fn narrow_single(value: f32) -> Brain {
        let bits = value.to_bits();
        let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
        Brain(if value.is_nan() { (bits >> 16 & 0x8000) as u16 | Brain::NAN.0 } else { rounded as u16 })
    }
}

macro_rules! compared {
    ($($type:ty),*) => {$(
        /// Compares as numbers: zeros of both signs are equal, and a NaN is not equal to itself.
        impl PartialEq for $type {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool {
                self.widen() == other.widen()
            }
        }
    )*};
}
compared!(Half, Brain);

impl Flag {
    pub(super) fn new(value: bool) -> Flag {
        Flag(u8::from(value))
    }

    pub(super) fn get(self) -> bool {
        self.0 != 0
    }
}

/// Rounds to `f32` by the rule "round to odd": if `value` has no exact `f32`, the result is the neighbour whose last bit is 1. Rounding the
/// result to a 16-bit float then gives the 16-bit float that is nearest to `value`.
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
pub(super) fn round(value: f64) -> f64 {
    const SHIFT: f64 = 4_503_599_627_370_496.0;
    let magnitude = value.abs();
    if magnitude < SHIFT { ((magnitude + SHIFT) - SHIFT).copysign(value) } else { value }
}

/// Converts `f64` to integers as numpy does. C does not define the result for values out of range, so this trait follows x86-64, where
/// types shorter than 32 bits convert through 32 bits.
pub(super) trait FromF64 {
    fn cast(value: f64) -> Self;
}

const TWO_63: f64 = 9_223_372_036_854_775_808.0;

macro_rules! casts {
    ($($type:ty: |$value:ident| $cast:expr;)*) => {$(
        impl FromF64 for $type {
            #[inline(always)]
            fn cast($value: f64) -> Self {
                $cast
            }
        }
    )*};
}
casts! {
    i8: |value| i32::cast(value) as i8;
    u8: |value| i32::cast(value) as u8;
    i16: |value| i32::cast(value) as i16;
    u16: |value| i32::cast(value) as u16;
    i32: |value| {
        let held = if value > -2_147_483_649.0 && value < 2_147_483_648.0 { value } else { -2_147_483_648.0 };
        // SAFETY: the value is within the range of the type. A checked cast would not compile to vector instructions.
        unsafe { held.to_int_unchecked() }
    };
    u32: |value| i64::cast(value) as u32;
    i64: |value| {
        let held = if (-TWO_63..TWO_63).contains(&value) { value } else { -TWO_63 };
        // SAFETY: as above.
        unsafe { held.to_int_unchecked() }
    };
    u64: |value| if value >= TWO_63 { (i64::cast(value - TWO_63) as u64) ^ (1 << 63) } else { i64::cast(value) as u64 };
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        // SAFETY: every bit pattern is a value of the type.
        unsafe impl Number for $type {
            type Double = f64;
            type Own = f64;
            const HAS_OWN: bool = false;

            #[inline(always)]
            fn reflected(self, edge: Self) -> Self {
                edge.wrapping_mul(2).wrapping_sub(self)
            }

            #[inline(always)]
            fn double(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn own(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn from_double(value: f64) -> Self {
                Self::cast(floor(value))
            }

            #[inline(always)]
            fn from_own(value: f64) -> Self {
                Self::cast(floor(value))
            }
        }
    )*};
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

// SAFETY: all operations return 0 or 1.
unsafe impl Number for Flag {
    type Double = f64;
    type Own = f64;
    const HAS_OWN: bool = false;

    /// Computes with integers. The result is true unless it is 0.
    #[inline(always)]
    fn reflected(self, edge: Self) -> Self {
        Flag::new(2 * i32::from(edge.get()) - i32::from(self.get()) != 0)
    }

    #[inline(always)]
    fn double(self) -> f64 {
        f64::from(u8::from(self.get()))
    }

    #[inline(always)]
    fn own(self) -> f64 {
        self.double()
    }

    #[inline(always)]
    fn from_double(value: f64) -> Self {
        Flag::new(value != 0.0)
    }

    #[inline(always)]
    fn from_own(value: f64) -> Self {
        Flag::new(value != 0.0)
    }
}

macro_rules! floats {
    ($($type:ty: $own:ty, $double:ident, $from_double:expr;)*) => {$(
        // SAFETY: every bit pattern is a value of the type.
        unsafe impl Number for $type {
            type Double = $double;
            type Own = $own;
            const HAS_OWN: bool = size_of::<$own>() != size_of::<$double>();

            #[inline(always)]
            fn reflected(self, edge: Self) -> Self {
                <$own>::of([2.0, 0.0]).times(edge).minus(self)
            }

            #[inline(always)]
            fn double(self) -> $double {
                self.into()
            }

            #[inline(always)]
            fn own(self) -> $own {
                self
            }

            #[inline(always)]
            fn from_double(value: $double) -> Self {
                ($from_double)(value)
            }

            #[inline(always)]
            fn from_own(value: $own) -> Self {
                value
            }
        }
    )*};
}
floats! {
    f64: f64, f64, |value| value;
    f32: f32, f64, |value| value as f32;
    Half: Half, f64, Half::narrow;
    Brain: Brain, f64, Brain::narrow;
    Complex<f64>: Complex<f64>, ComplexDouble, |value: ComplexDouble| value;
    Complex<f32>: Complex<f32>, ComplexDouble, |value: ComplexDouble| Complex { re: value.re as f32, im: value.im as f32 };
}

type ComplexDouble = Complex<f64>;

impl From<Half> for f64 {
    #[inline(always)]
    fn from(value: Half) -> f64 {
        f64::from(value.widen())
    }
}

impl From<Brain> for f64 {
    #[inline(always)]
    fn from(value: Brain) -> f64 {
        f64::from(value.widen())
    }
}

impl From<Complex<f32>> for Complex<f64> {
    #[inline(always)]
    fn from(value: Complex<f32>) -> Complex<f64> {
        Complex { re: value.re.into(), im: value.im.into() }
    }
}

macro_rules! native {
    ($($type:ty);*) => {$(
        impl Float for $type {
            const ZERO: Self = 0.0;

            #[inline(always)]
            fn of(value: [f64; 2]) -> Self {
                value[0] as $type
            }

            #[inline(always)]
            fn index(k: usize) -> Self {
                k as $type
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }

            #[inline(always)]
            fn over(self, steps: usize) -> Self {
                // If the number of steps is a power of two, the product rounds equally and is faster.
                if steps.is_power_of_two() { self * (1.0 / steps as $type) } else { self / steps as $type }
            }

            #[inline(always)]
            fn is_zero_over(self, steps: usize) -> bool {
                // Avoids a division: a quotient of at most half of the smallest number rounds to zero.
                let half = steps as $type as usize / 2;
                self.abs() <= half as $type * <$type>::from_bits(1)
            }
        }
    )*};
}
native!(f64; f32);

/// Implements 16-bit floats. They compute in 32 bits, and round after each operation.
macro_rules! short {
    ($($type:ident),*) => {$(
        impl Float for $type {
            const ZERO: Self = $type(0);

            #[inline(always)]
            fn of(value: [f64; 2]) -> Self {
                $type::narrow(value[0])
            }

            #[inline(always)]
            fn index(k: usize) -> Self {
                $type::narrow(k as f64)
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                $type::narrow_single(self.widen() + other.widen())
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                $type::narrow_single(self.widen() - other.widen())
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                $type::narrow_single(self.widen() * other.widen())
            }

            #[inline(always)]
            fn over(self, steps: usize) -> Self {
                $type::narrow_single(self.widen() / $type::index(steps).widen())
            }

            #[inline(always)]
            fn is_zero_over(self, steps: usize) -> bool {
                self.over(steps) == Self::ZERO
            }
        }
    )*};
}
short!(Half, Brain);

macro_rules! complex {
    ($($type:ty),*) => {$(
        impl core::ops::Add for Complex<$type> {
            type Output = Self;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Complex { re: self.re + other.re, im: self.im + other.im }
            }
        }

        impl Float for Complex<$type> {
            const ZERO: Self = Complex { re: 0.0, im: 0.0 };

            #[inline(always)]
            fn of([re, im]: [f64; 2]) -> Self {
                Complex { re: re as $type, im: im as $type }
            }

            #[inline(always)]
            fn index(k: usize) -> Self {
                Complex { re: k as $type, im: 0.0 }
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                Complex { re: self.re - other.re, im: self.im - other.im }
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                Complex {
                    re: self.re * other.re - self.im * other.im,
                    im: self.re * other.im + self.im * other.re,
                }
            }

            /// numpy divides by the complex number `steps + 0i`.
            #[inline(always)]
            fn over(self, steps: usize) -> Self {
                let steps = steps as $type;
                let (ratio, scale) = (0.0 / steps, 1.0 / (steps + 0.0 * (0.0 / steps)));
                Complex { re: (self.re + self.im * ratio) * scale, im: (self.im - self.re * ratio) * scale }
            }

            #[inline(always)]
            fn is_zero_over(self, steps: usize) -> bool {
                self.over(steps) == Self::ZERO
            }
        }
    )*};
}
complex!(f64, f32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_short_float_widens_and_narrows_to_itself() {
        for bits in (0..=u16::MAX).step_by(if cfg!(miri) { 97 } else { 1 }) {
            let (half, brain) = (Half(bits), Brain(bits));
            if half.widen().is_nan() {
                assert_eq!(Half::narrow(f64::from(half.widen())).0 & 0x7fff, 0x7e00);
            } else {
                assert_eq!(Half::narrow(f64::from(half.widen())), half, "{bits:04x}");
            }
            if !brain.widen().is_nan() {
                assert_eq!(Brain::narrow(f64::from(brain.widen())), brain, "{bits:04x}");
            }
        }
    }

    #[test]
    fn narrowing_rounds_to_even_once() {
        let next = |bits: u16| f64::from(Half(bits).widen());
        for bits in (0..0x7bff).step_by(if cfg!(miri) { 97 } else { 7 }) {
            let middle = (next(bits) + next(bits + 1)) / 2.0;
            assert_eq!(Half::narrow(middle).0, bits + (bits & 1), "{bits:04x}");
            assert_eq!(Half::narrow(middle * (1.0 + f64::EPSILON)).0, bits + 1);
            assert_eq!(Half::narrow(-middle * (1.0 - f64::EPSILON)).0, bits | 0x8000);
        }
        assert_eq!(Half::narrow(65519.999).0, 0x7bff);
        assert_eq!(Half::narrow(65520.0).0, 0x7c00);
        assert_eq!(Brain::narrow(f64::MAX).0, 0x7f80);
        assert_eq!(Brain::narrow(f64::from_bits(1)).0, 0);
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
    fn steps_are_zero_where_the_quotient_is() {
        for steps in [1, 2, 3, 4, 7, 8, 1000, 1001, (1 << 24) + 1, (1 << 25) + 3] {
            for of in [
                0,
                steps as u32 / 2 - u32::from(steps > 1),
                steps as u32 / 2,
                steps as u32 / 2 + 1,
                steps as u32,
            ] {
                let (single, double) = (f32::from_bits(of), f64::from_bits(of.into()));
                assert_eq!(single.is_zero_over(steps), single / steps as f32 == 0.0, "{of} over {steps}");
                assert_eq!((-double).is_zero_over(steps), double / steps as f64 == 0.0, "{of} over {steps}");
            }
        }
        assert!(!f32::NAN.is_zero_over(3) && !f64::INFINITY.is_zero_over(3));
    }

    #[test]
    fn floors_and_halves() {
        let cases = [
            (-1.5, -2.0, -2.0),
            (-0.5, -1.0, 0.0),
            (0.5, 0.0, 0.0),
            (1.5, 1.0, 2.0),
            (2.5, 2.0, 2.0),
            (1e300, 1e300, 1e300),
        ];
        for (value, floored, rounded) in cases {
            assert_eq!((floor(value), round(value)), (floored, rounded), "{value}");
        }
        assert!(floor(f64::NAN).is_nan() && round(f64::NAN).is_nan());
    }
}
