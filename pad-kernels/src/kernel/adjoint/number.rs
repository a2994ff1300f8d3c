//! Number types: their format in memory, and how to add them.

/// A number that can be added up.
///
/// Numbers in memory are arrays of bytes, so they may have any alignment. Sums of 16-bit floats are `f32`, and are rounded once,
/// at the end. All other sums have the type of the numbers. Integers wrap.
pub(in crate::kernel) trait Number: 'static {
    /// The number in memory.
    type Bytes: Copy;
    /// The type of its sums.
    type Sum: Copy;
    /// A sum in memory.
    type SumBytes: Copy;
    /// The number type that sums of this type have in memory. For example, it is `F32` for `BF16`.
    type OfSums: Number<Sum = Self::Sum>;

    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only x86-64 uses it"))]
    const KIND: Kind;

    const ZERO: Self::Bytes;

    /// True if a number becomes a sum by appending zero bytes below it.
    const IS_UPPER: bool;

    /// The sum of no numbers. For floats it is -0.0, because `-0.0 + 0.0` is 0.0.
    const NEUTRAL: Self::Sum;

    fn widen(bytes: Self::Bytes) -> Self::Sum;
    fn narrow(sum: Self::Sum) -> Self::Bytes;
    fn load(bytes: Self::SumBytes) -> Self::Sum;
    fn store(sum: Self::Sum) -> Self::SumBytes;
    fn add(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// Multiplies a sum by an integer.
    fn times(a: Self::Sum, by: isize) -> Self::Sum;

    fn numbers(bytes: &[u8]) -> &[Self::Bytes];
    fn numbers_mut(bytes: &mut [u8]) -> &mut [Self::Bytes];
    fn sums_mut(bytes: &mut [u8]) -> &mut [Self::SumBytes];
}

/// The number types, for code that treats some of them differently.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::kernel) enum Kind {
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
}

macro_rules! number {
    ($name:ident, $bytes:literal, $sum:ty as $of_sums:ident, $neutral:expr, $widen:expr, $narrow:expr, $add:expr, $times:expr) => {
        pub(in crate::kernel) struct $name;

        impl Number for $name {
            type Bytes = [u8; $bytes];
            type Sum = $sum;
            type SumBytes = [u8; size_of::<$sum>()];
            type OfSums = $of_sums;

            const KIND: Kind = Kind::$name;
            const ZERO: Self::Bytes = [0; $bytes];
            const IS_UPPER: bool = !matches!(Kind::$name, Kind::F16);
            const NEUTRAL: $sum = $neutral;

            #[inline(always)]
            fn widen(bytes: Self::Bytes) -> $sum {
                $widen(bytes)
            }

            #[inline(always)]
            fn narrow(sum: $sum) -> Self::Bytes {
                $narrow(sum)
            }

            #[inline(always)]
            fn load(bytes: Self::SumBytes) -> $sum {
                <$sum>::from_ne_bytes(bytes)
            }

            #[inline(always)]
            fn store(sum: $sum) -> Self::SumBytes {
                sum.to_ne_bytes()
            }

            #[inline(always)]
            fn add(a: $sum, b: $sum) -> $sum {
                $add(a, b)
            }

            #[inline(always)]
            fn times(a: $sum, by: isize) -> $sum {
                $times(a, by as $sum)
            }

            #[inline(always)]
            fn numbers(bytes: &[u8]) -> &[Self::Bytes] {
                bytes.as_chunks().0
            }

            #[inline(always)]
            fn numbers_mut(bytes: &mut [u8]) -> &mut [Self::Bytes] {
                bytes.as_chunks_mut().0
            }

            #[inline(always)]
            fn sums_mut(bytes: &mut [u8]) -> &mut [Self::SumBytes] {
                bytes.as_chunks_mut().0
            }
        }
    };
}

macro_rules! integers {
    ($($name:ident $bytes:literal $type:ty),*) => {$(
        number!($name, $bytes, $type as $name, 0, <$type>::from_ne_bytes, <$type>::to_ne_bytes, <$type>::wrapping_add, <$type>::wrapping_mul);
    )*};
}
integers!(U8 1 u8, U16 2 u16, U32 4 u32, U64 8 u64);

macro_rules! floats {
    ($($name:ident $bytes:literal $sum:ty as $of_sums:ident, $widen:path, $narrow:path;)*) => {$(
        number!($name, $bytes, $sum as $of_sums, -0.0, $widen, $narrow, core::ops::Add::add, core::ops::Mul::mul);
    )*};
}
floats! {
    F32 4 f32 as F32, f32::from_ne_bytes, f32::to_ne_bytes;
    F64 8 f64 as F64, f64::from_ne_bytes, f64::to_ne_bytes;
    BF16 2 f32 as F32, from_bf16, to_bf16;
    F16 2 f32 as F32, from_f16, to_f16;
}

#[inline(always)]
fn from_bf16(bytes: [u8; 2]) -> f32 {
    f32::from_bits(u32::from(u16::from_ne_bytes(bytes)) << 16)
}

/// Rounds to nearest, ties to even.
#[inline(always)]
fn to_bf16(value: f32) -> [u8; 2] {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    // Rounding could carry the bits of a NaN into the sign.
    let nan = bits >> 16 | 0x40;
    (if value.is_nan() { nan } else { rounded } as u16).to_ne_bytes()
}

/// 2 to the power 112. The biases of the exponents of `f16` and `f32` differ by 112.
const APART: f32 = f32::from_bits((127 + 112) << 23);

#[inline(always)]
fn from_f16(bytes: [u8; 2]) -> f32 {
    let bits = u32::from(u16::from_ne_bytes(bytes));
    let magnitude = (bits & 0x7fff) << 13;
    // The product is exact, also for subnormal numbers. The exponent of infinities and NaNs is set separately.
    let finite = f32::from_bits(magnitude) * APART;
    let special = magnitude | 0xff << 23;
    let value = if bits & 0x7c00 == 0x7c00 { special } else { finite.to_bits() };
    f32::from_bits(value | (bits & 0x8000) << 16)
}

/// Rounds to nearest, ties to even.
#[inline(always)]
fn to_f16(value: f32) -> [u8; 2] {
    let bits = value.to_bits();
    let sign = bits >> 16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    // Values of `f16` below 2^-14 and of `f32` from 0.5 to 1 are multiples of 2^-24, so adding 0.5 rounds.
    let small = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let odd = magnitude >> 13 & 1;
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
    let half = if magnitude < 113 << 23 { small } else { normal };
    // 65520 and larger values become infinity.
    let half = if magnitude >= 0x477f_f000 { 0x7c00 } else { half };
    let half = if value.is_nan() { 0x7e00 | magnitude >> 13 & 0x3ff } else { half };
    ((half | sign) as u16).to_ne_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every 16-bit float converts to `f32` and back without change. A value between two neighbours rounds to the nearer one, and
    /// a value in the middle to the even one.
    #[test]
    fn halves_are_rounded_to_nearest_even() {
        let check = |widen: fn([u8; 2]) -> f32, narrow: fn(f32) -> [u8; 2], infinity: u16| {
            for bits in 0..=u16::MAX {
                let value = widen(bits.to_ne_bytes());
                let back = u16::from_ne_bytes(narrow(value));
                if bits & 0x7fff > infinity {
                    assert!(value.is_nan() && back & 0x7fff > infinity, "{bits:#x}");
                    continue;
                }
                assert_eq!(back, bits, "{value}");
                if bits & 0x7fff == infinity {
                    assert!(value.is_infinite());
                    continue;
                }
                // The neighbour away from zero. After the largest number, the next power of two stands in for infinity.
                let next = widen((bits + 1).to_ne_bytes());
                let before = || widen((bits - 1).to_ne_bytes());
                let next = if next.is_infinite() { value + (value - before()) } else { next };
                if !next.is_finite() {
                    continue;
                }
                let middle = ((f64::from(value) + f64::from(next)) / 2.0) as f32;
                let at = |value: f32| u16::from_ne_bytes(narrow(value));
                assert_eq!(at(middle), bits + (bits & 1), "{value} {middle}");
                assert_eq!(at(f32::from_bits(middle.to_bits() - 1)), bits, "{value} below {middle}");
                assert_eq!(at(f32::from_bits(middle.to_bits() + 1)), bits + 1, "{value} above {middle}");
            }
        };
        check(from_f16, to_f16, 0x7c00);
        check(from_bf16, to_bf16, 0x7f80);
    }

    /// A number plus the neutral sum is unchanged, also for negative zero.
    #[test]
    fn nothing_is_added_by_what_is_neutral() {
        for value in [0.0f32, -0.0, 1.5, f32::MIN_POSITIVE, f32::NEG_INFINITY] {
            assert_eq!(F32::add(F32::NEUTRAL, value).to_bits(), value.to_bits());
            assert_eq!(F64::add(F64::NEUTRAL, value.into()).to_bits(), f64::from(value).to_bits());
        }
        assert_eq!(U8::add(U8::NEUTRAL, 200), 200);
        assert_eq!(U8::add(200, 100), 44);
    }
}
