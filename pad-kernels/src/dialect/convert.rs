//! Converts the fill of a call, which is a number, to the type of the data. Each framework has its own rule.

use crate::dtype::DType;
use crate::exact::{NARROW, Narrow, complex, to_double, to_single};
use crate::spec::Fill;

/// Converts an `f32` as IEEE 754 does. The result is exact for wider types, and rounded to the nearest even number for `f16`.
pub(super) fn fill_of_f32(value: f32, dtype: DType) -> Option<Fill> {
    Some(match dtype {
        DType::F32 => Fill::of(value),
        DType::F64 => Fill::of(to_double(value)),
        _ => {
            let narrow = Narrow::of(dtype)?;
            narrow.fill(narrow.round(value))
        }
    })
}

/// Converts an `f64` as PyTorch does. Returns `None` if the value is outside the range of the type. For an integer type, the
/// value loses its fraction. For a narrow float, the value is first rounded to `f32`. NaN loses its payload.
pub(super) fn fill_of_f64(value: f64, dtype: DType) -> Option<Fill> {
    macro_rules! integer {
        ($type:ty) => {{
            // `f64` cannot represent the largest value of all types, so the code compares with the first value above it.
            let above = 2.0 * (<$type>::MAX / 2 + 1) as f64;
            (value >= <$type>::MIN as f64 && value < above).then(|| Fill::of(value as $type))
        }};
    }
    let fits = |max: f64| value.abs() <= max || value.is_nan();
    let value = if value.is_nan() { f64::NAN.copysign(value) } else { value };
    let single = (fits(f64::from(f32::MAX)) || value.is_infinite()).then_some(to_single(value));
    match dtype {
        DType::F64 => Some(Fill::of(value)),
        DType::F32 => single.map(Fill::of),
        DType::Bool => Some(Fill::of(value != 0.0)),
        DType::I8 => integer!(i8),
        DType::I16 => integer!(i16),
        DType::I32 => integer!(i32),
        DType::I64 => integer!(i64),
        DType::U8 => integer!(u8),
        DType::U16 => integer!(u16),
        DType::U32 => integer!(u32),
        DType::U64 => integer!(u64),
        DType::C64 => Some(complex(dtype, &single?.to_ne_bytes())),
        DType::C128 => Some(complex(dtype, &value.to_ne_bytes())),
        DType::F8E8M0 => power_of_two(value).map(|pattern| Fill::from_bytes(dtype, &[pattern])),
        _ => {
            let narrow = Narrow::of(dtype)?;
            let fits = fits(narrow.max) || narrow.infinity.is_some() && value.is_infinite();
            fits.then(|| narrow.fill(narrow.round(to_single(value))))
        }
    }
}

/// Rounds to the nearest integer, ties to even. All numbers from 2^52 on are integers.
fn round_even(value: f64) -> f64 {
    let shift = (1u64 << 52) as f64;
    if value.abs() < shift { (value.abs() + shift - shift).copysign(value) } else { value }
}

/// Converts an `f64` as OpenCV converts a Scalar. It is rounded to the nearest integer and clamped to the range of the type. Ties go to
/// even, or away from zero for `uint32`. Floats are first rounded to `f32`.
///
/// Returns `None` if OpenCV does not have the type, or if the result depends on the machine. For integers, it does for NaN and
/// for values outside of 32 bits. For `uint32`, negative values become 0.
pub(super) fn fill_saturated(value: f64, dtype: DType) -> Option<Fill> {
    let rounded = round_even(value);
    let word = (rounded >= f64::from(i32::MIN) && rounded <= f64::from(i32::MAX)).then_some(rounded as i32);
    match dtype {
        DType::Bool => Some(Fill::of(value != 0.0)),
        DType::I8 => word.map(|word| Fill::of(word.clamp(i8::MIN.into(), i8::MAX.into()) as i8)),
        DType::I16 => word.map(|word| Fill::of(word.clamp(i16::MIN.into(), i16::MAX.into()) as i16)),
        DType::I32 => word.map(Fill::of),
        DType::U8 => word.map(|word| Fill::of(word.clamp(0, u8::MAX.into()) as u8)),
        DType::U16 => word.map(|word| Fill::of(word.clamp(0, u16::MAX.into()) as u16)),
        DType::U32 => {
            let whole = value as u32;
            let up = value - f64::from(whole) >= 0.5;
            // If the value rounds to 2^32, it is too large.
            (value < f64::from(u32::MAX) + 0.5).then(|| Fill::of(whole + u32::from(up)))
        }
        _ => float(value, dtype),
    }
}

/// Converts an `f64` as WebNN does. For an integer type, the value is rounded to the nearest integer, with ties to even, and
/// clamped to the range of the type. NaN becomes 0. For a float type, the value is rounded only once, with ties to even.
pub(super) fn fill_cast(value: f64, dtype: DType) -> Fill {
    // A NaN of JavaScript has no payload.
    let value = if value.is_nan() { f64::from_bits(0x7ff8 << 48) } else { value };
    let even = round_even(value);
    // Rust's conversion clamps to the range, and turns NaN into 0.
    match dtype {
        DType::I8 => Fill::of(even as i8),
        DType::I32 => Fill::of(even as i32),
        DType::I64 => Fill::of(even as i64),
        DType::U8 => Fill::of(even as u8),
        DType::U32 => Fill::of(even as u32),
        DType::U64 => Fill::of(even as u64),
        DType::F32 => Fill::of(to_single(value)),
        _ => {
            // The value is rounded to `f32` and then to `f16`. If the first rounding drops bits, the last bit of `single` must be
            // 1. Otherwise, the second rounding could see a tie that the value does not have.
            let single = to_single(value);
            let (up, down) = (f64::from(single) < value, f64::from(single) > value);
            let odd = (up || down) && single.is_finite() && single.to_bits() & 1 == 0;
            let step = match up == (single.is_sign_positive()) {
                true => single.to_bits().wrapping_add(1),
                false => single.to_bits().wrapping_sub(1),
            };
            let single = if odd && single != 0.0 { f32::from_bits(step) } else { single };
            Fill::from_bytes(DType::F16, &NARROW[0].round(single).to_ne_bytes())
        }
    }
}

/// Converts an integer of any size as WebNN does.
pub(super) fn fill_cast_integer(value: i128, dtype: DType) -> Fill {
    macro_rules! integer {
        ($type:ty) => {
            Fill::of(value.clamp(<$type>::MIN.into(), <$type>::MAX.into()) as $type)
        };
    }
    match dtype {
        DType::I64 => integer!(i64),
        DType::U64 => integer!(u64),
        DType::F32 => Fill::of(value as f32),
        // A value that is not exact in `f64` is outside the range of the type.
        _ => fill_cast(value as f64, dtype),
    }
}

/// Converts an `f64` as scipy's interpolation does. It is rounded to the nearest integer, with halves away from zero, and clamped to the
/// range of the type.
///
/// Returns `None` if the result depends on the machine. For integers, it does for NaN, and for values above the range of a 64-bit
/// type. For `bool`, it does for values other than 0 and 1.
pub(super) fn fill_rounded(value: f64, dtype: DType) -> Option<Fill> {
    let up = value + if value > 0.0 { 0.5 } else { -0.5 };
    macro_rules! integer {
        ($type:ty) => {{
            let above = 2.0 * (<$type>::MAX / 2 + 1) as f64;
            let defined = !value.is_nan() && (size_of::<$type>() < 8 || up < above);
            let up = if <$type>::MIN == 0 { up.max(0.0) } else { up };
            // Rust's conversion drops the digits after the point, and clamps to the range.
            defined.then(|| Fill::of(up as $type))
        }};
    }
    match dtype {
        DType::Bool => (value == 0.0 || value == 1.0).then(|| Fill::of(value == 1.0)),
        DType::I8 => integer!(i8),
        DType::I16 => integer!(i16),
        DType::I32 => integer!(i32),
        DType::I64 => integer!(i64),
        DType::U8 => integer!(u8),
        DType::U16 => integer!(u16),
        DType::U32 => integer!(u32),
        DType::U64 => integer!(u64),
        _ => float(value, dtype),
    }
}

/// Rounds to the nearest float or complex number. A narrow float is first rounded to `f32`.
fn float(value: f64, dtype: DType) -> Option<Fill> {
    let single = to_single(value);
    Some(match dtype {
        DType::F64 => Fill::of(value),
        DType::F16 | DType::F32 => return fill_of_f32(single, dtype),
        DType::C64 => complex(dtype, &single.to_ne_bytes()),
        DType::C128 => complex(dtype, &value.to_ne_bytes()),
        _ => return None,
    })
}

/// Converts an `f64` to the type, if the type can represent it exactly.
pub(super) fn fill_exact(value: f64, dtype: DType) -> Option<Fill> {
    let whole = || value % 1.0 == 0.0;
    match dtype {
        DType::F32 if f64::from(value as f32) != value && !value.is_nan() => None,
        DType::F32 | DType::F64 => float(value, dtype),
        DType::Bool => fill_rounded(value, dtype),
        _ => whole().then(|| fill_of_f64(value, dtype)).flatten(),
    }
}

/// Returns the bits of `F8E8M0`, which has only an exponent. A value halfway between two powers of two becomes the larger power.
fn power_of_two(value: f64) -> Option<u8> {
    let smallest = f64::from(f32::MIN_POSITIVE) / 2.0;
    let largest = smallest.recip();
    match value {
        _ if value.is_nan() => Some(0xff),
        _ if value >= smallest && value <= largest => {
            let bits = (value as f32).to_bits();
            let (exponent, mantissa) = ((bits >> 23) as u8, bits & 0x7f_ffff);
            let half = if exponent == 0 { 0x60_0000 } else { 0x40_0000 };
            Some(exponent + u8::from(mantissa >= half))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_saturate() {
        let nan = f64::NAN;
        for (dtype, value, expected) in [
            (DType::U8, 2.5, Some(Fill::of(2u8))),
            (DType::U8, 3.5, Some(Fill::of(4u8))),
            (DType::U8, -0.5, Some(Fill::of(0u8))),
            (DType::I8, -1.5, Some(Fill::of(-2i8))),
            (DType::I8, -300.0, Some(Fill::of(-128i8))),
            (DType::U16, 70000.0, Some(Fill::of(u16::MAX))),
            (DType::I16, 1e9, Some(Fill::of(i16::MAX))),
            (DType::U8, 3e9, None),
            (DType::I32, 2147483647.4, Some(Fill::of(i32::MAX))),
            (DType::I32, 2147483647.5, None),
            (DType::I32, nan, None),
            (DType::U32, 2.5, Some(Fill::of(3u32))),
            (DType::U32, 0.499_999_999_999_999_94, Some(Fill::of(0u32))),
            (DType::U32, -1e12, Some(Fill::of(0u32))),
            (DType::U32, 4294967295.4, Some(Fill::of(u32::MAX))),
            (DType::U32, 4294967295.5, None),
            (DType::U32, nan, None),
            (DType::Bool, -0.1, Some(Fill::of(true))),
            (DType::Bool, -0.0, Some(Fill::of(false))),
            (DType::F16, 65520.0, Some(Fill::from_bytes(DType::F16, &0x7c00u16.to_ne_bytes()))),
            (DType::F32, 1e39, Some(Fill::of(f32::INFINITY))),
            (DType::F64, 0.1, Some(Fill::of(0.1))),
            (DType::I64, 1.0, None),
        ] {
            assert_eq!(fill_saturated(value, dtype), expected, "{dtype} {value:e}");
        }
    }

    #[test]
    fn casts_round_once_to_even_and_saturate() {
        let half = |bits: u16| Fill::from_bytes(DType::F16, &bits.to_ne_bytes());
        let ulp = f64::from(power(-10));
        for (dtype, value, expected) in [
            (DType::I8, -2.5, Fill::of(-2i8)),
            (DType::I8, 1e9, Fill::of(127i8)),
            (DType::I32, f64::NAN, Fill::of(0)),
            (DType::U8, -1.0, Fill::of(0u8)),
            (DType::U32, 3.5, Fill::of(4u32)),
            (DType::F32, 0.1, Fill::of(0.1f32)),
            // The value is next to a tie of `f16`. After a conversion to `f32`, it would be a tie.
            (DType::F16, 1.0 + 1.5 * ulp, half(0x3c02)),
            (DType::F16, 1.0 + 1.5 * ulp - f64::from(power(-40)), half(0x3c01)),
            (DType::F16, 1.0 + 0.5 * ulp + f64::from(power(-40)), half(0x3c01)),
            (DType::F16, -1.0 - 1.5 * ulp + f64::from(power(-40)), half(0xbc01)),
        ] {
            assert_eq!(fill_cast(value, dtype), expected, "{dtype} {value:e}");
        }
        // The value is between two values of `f32`, just above the middle. `f64` cannot represent it.
        let near = (1i128 << 60) + (1 << 36) + 1;
        for (dtype, value, expected) in [
            (DType::I8, -129, Fill::of(-128i8)),
            (DType::U8, 1 << 100, Fill::of(255u8)),
            (DType::I32, -5, Fill::of(-5)),
            (DType::I64, near, Fill::of(near as i64)),
            (DType::U64, i128::MIN, Fill::of(0u64)),
            (DType::F32, near, Fill::of(((1u64 << 60) + (1 << 37)) as f32)),
            (DType::F16, 2049, half(0x6800)),
        ] {
            assert_eq!(fill_cast_integer(value, dtype), expected, "{dtype} {value}");
        }
    }

    #[test]
    fn values_round_away_from_zero_or_are_exact() {
        for (dtype, value, rounded, exact) in [
            (DType::U8, 2.5, Some(Fill::of(3u8)), None),
            (DType::U8, -7.0, Some(Fill::of(0u8)), None),
            (DType::U8, 255.0, Some(Fill::of(255u8)), Some(Fill::of(255u8))),
            (DType::I8, -2.5, Some(Fill::of(-3i8)), None),
            (DType::I32, f64::INFINITY, Some(Fill::of(i32::MAX)), None),
            (DType::I64, -1e300, Some(Fill::of(i64::MIN)), None),
            (DType::I64, 9.3e18, None, None),
            (
                DType::U64,
                9.3e18,
                Some(Fill::of(9_300_000_000_000_000_000u64)),
                Some(Fill::of(9_300_000_000_000_000_000u64)),
            ),
            (DType::U64, 1.9e19, None, None),
            (DType::I16, f64::NAN, None, None),
            (DType::Bool, 1.0, Some(Fill::of(true)), Some(Fill::of(true))),
            (DType::Bool, 2.0, None, None),
            (DType::F32, 0.1, Some(Fill::of(0.1f32)), None),
            (DType::F32, 0.5, Some(Fill::of(0.5f32)), Some(Fill::of(0.5f32))),
            (DType::F64, 0.1, Some(Fill::of(0.1)), Some(Fill::of(0.1))),
            (DType::String, 1.0, None, None),
        ] {
            assert_eq!(fill_rounded(value, dtype), rounded, "{dtype} {value:e}");
            assert_eq!(fill_exact(value, dtype), exact, "{dtype} {value:e}");
        }
        let complex = fill_rounded(0.5, DType::C64);
        assert_eq!(
            complex,
            Some(Fill::from_bytes(DType::C64, [0.5f32, 0.0].map(f32::to_ne_bytes).as_flattened()))
        );
    }

    fn power(exponent: i32) -> f32 {
        f32::from_bits(((exponent + 127) as u32) << 23)
    }

    fn f16(value: f32) -> u16 {
        Narrow::of(DType::F16).unwrap().round(value)
    }

    #[test]
    fn binary16_rounds_to_nearest_even() {
        let ulp = power(-10);
        for (value, bits) in [
            (0.0, 0),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (1.0 + ulp * 0.49, 0x3c00),
            (1.0 + ulp * 0.5, 0x3c00),
            (1.0 + ulp * 0.51, 0x3c01),
            (1.0 + ulp * 1.5, 0x3c02),
            (-2.0 + ulp * 0.5, 0xc000),
            (65504.0, 0x7bff),
            (65519.996, 0x7bff),
            (65520.0, 0x7c00),
            (-65520.0, 0xfc00),
            (f32::INFINITY, 0x7c00),
            (f32::NEG_INFINITY, 0xfc00),
            (f32::NAN, 0x7e00),
            (f32::from_bits(0xff80_2000), 0xfe01),
            (power(-14), 0x0400),
            (power(-14) * (1.0 - ulp * 0.5), 0x0400),
            (power(-24), 1),
            (power(-25), 0),
            (power(-25) * 1.001, 1),
            (power(-24) * 1.5, 2),
            (power(-26), 0),
            (f32::from_bits(1), 0),
        ] {
            assert_eq!(f16(value), bits, "{value:e}");
        }
    }

    #[test]
    fn every_binary16_comes_back() {
        // Miri runs only some values, because the code contains no `unsafe`.
        for bits in (0..0x7c00u16).step_by(if cfg!(miri) { 97 } else { 1 }) {
            let (exponent, mantissa) = (i32::from(bits >> 10), f32::from(bits & 0x3ff));
            let value = match exponent {
                0 => mantissa * power(-24),
                _ => (1024.0 + mantissa) * power(exponent - 25),
            };
            assert_eq!(f16(value), bits);
            assert_eq!(f16(-value), bits | 0x8000);
        }
    }

    #[test]
    fn binary32_widens_rounds_or_is_refused() {
        for (dtype, expected) in [
            (DType::F32, Some(Fill::of(0.1f32))),
            (DType::F64, Some(Fill::of(f64::from(0.1f32)))),
            (DType::F16, Some(Fill::from_bytes(DType::F16, &0x2e66u16.to_ne_bytes()))),
            (DType::U8, None),
        ] {
            assert_eq!(fill_of_f32(0.1, dtype), expected, "{dtype}");
        }
    }

    #[test]
    fn doubles_convert_or_are_refused() {
        let nan = f64::NAN;
        for (dtype, value, expected) in [
            (DType::U8, 255.0, Some(Fill::of(255u8))),
            (DType::U8, 255.9, Some(Fill::of(255u8))),
            (DType::U8, 256.0, None),
            (DType::U8, -0.5, None),
            (DType::U8, 1.7, Some(Fill::of(1u8))),
            (DType::U8, nan, None),
            (DType::I8, -128.0, Some(Fill::of(-128i8))),
            (DType::I8, -128.5, None),
            (DType::I8, -0.5, Some(Fill::of(0i8))),
            (DType::I8, 127.5, Some(Fill::of(127i8))),
            (DType::I8, 128.0, None),
            (DType::I32, 2147483647.0, Some(Fill::of(i32::MAX))),
            (DType::I32, 2147483648.0, None),
            (DType::I16, -32768.0, Some(Fill::of(i16::MIN))),
            (DType::I16, 32768.0, None),
            (DType::U16, 65535.0, Some(Fill::of(u16::MAX))),
            (DType::U16, 65536.0, None),
            (DType::U32, 4294967295.0, Some(Fill::of(u32::MAX))),
            (DType::U32, 4294967296.0, None),
            (DType::I64, 9007199254740993i64 as f64, Some(Fill::of(9007199254740992i64))),
            (DType::I64, 9223372036854774784.0, Some(Fill::of(9223372036854774784i64))),
            (DType::I64, 9223372036854775808.0, None),
            (DType::I64, -9223372036854775808.0, Some(Fill::of(i64::MIN))),
            (DType::U64, 18446744073709549568.0, Some(Fill::of(18446744073709549568u64))),
            (DType::U64, 18446744073709551616.0, None),
            (DType::Bool, 0.5, Some(Fill::of(true))),
            (DType::Bool, -0.0, Some(Fill::of(false))),
            (DType::Bool, nan, Some(Fill::of(true))),
            (DType::F32, 0.1, Some(Fill::of(0.1f32))),
            (DType::F32, 3.4028235677973366e38, None),
            (DType::F32, f64::INFINITY, Some(Fill::of(f32::INFINITY))),
            (DType::F32, -0.0, Some(Fill::of(-0.0f32))),
            (DType::F32, -nan, Some(Fill::of(-f32::NAN))),
            (DType::F16, 65504.0, Some(Fill::from_bytes(DType::F16, &0x7bffu16.to_ne_bytes()))),
            (DType::F16, 65505.0, None),
            (DType::BF16, 1.0, Some(Fill::from_bytes(DType::BF16, &0x3f80u16.to_ne_bytes()))),
            (
                DType::BF16,
                3.3895313892515355e38,
                Some(Fill::from_bytes(DType::BF16, &0x7f7fu16.to_ne_bytes())),
            ),
            (DType::BF16, 3.4e38, None),
            (DType::BF16, nan, Some(Fill::from_bytes(DType::BF16, &0x7fc0u16.to_ne_bytes()))),
            (DType::F8E4M3FN, 448.0, Some(Fill::from_bytes(DType::F8E4M3FN, &[0x7e]))),
            (DType::F8E4M3FN, 449.0, None),
            (DType::F8E4M3FN, -1.0625, Some(Fill::from_bytes(DType::F8E4M3FN, &[0xb8]))),
            (DType::F8E4M3FN, f64::INFINITY, None),
            (DType::F8E4M3FNUZ, -0.0, Some(Fill::from_bytes(DType::F8E4M3FNUZ, &[0]))),
            (DType::F8E4M3FNUZ, 240.0, Some(Fill::from_bytes(DType::F8E4M3FNUZ, &[0x7f]))),
            (DType::F8E4M3FNUZ, nan, Some(Fill::from_bytes(DType::F8E4M3FNUZ, &[0x80]))),
            (DType::F8E5M2, f64::NEG_INFINITY, Some(Fill::from_bytes(DType::F8E5M2, &[0xfc]))),
            (DType::F8E5M2FNUZ, -57344.0, Some(Fill::from_bytes(DType::F8E5M2FNUZ, &[0xff]))),
            (DType::F8E8M0, 1.0, Some(Fill::from_bytes(DType::F8E8M0, &[0x7f]))),
            (DType::F8E8M0, 1.4999, Some(Fill::from_bytes(DType::F8E8M0, &[0x7f]))),
            (DType::F8E8M0, 1.5, Some(Fill::from_bytes(DType::F8E8M0, &[0x80]))),
            (DType::F8E8M0, 3.0, Some(Fill::from_bytes(DType::F8E8M0, &[0x81]))),
            (DType::F8E8M0, f64::from(power(127)), Some(Fill::from_bytes(DType::F8E8M0, &[0xfe]))),
            (DType::F8E8M0, f64::from(power(127)) * 1.0001, None),
            (DType::F8E8M0, f64::from(power(-126)) * 0.5, Some(Fill::from_bytes(DType::F8E8M0, &[0]))),
            (DType::F8E8M0, f64::from(power(-126)) * 0.75, Some(Fill::from_bytes(DType::F8E8M0, &[1]))),
            (DType::F8E8M0, f64::from(power(-126)) * 0.49, None),
            (DType::F8E8M0, nan, Some(Fill::from_bytes(DType::F8E8M0, &[0xff]))),
            (DType::F8E8M0, 0.0, None),
            (DType::F8E8M0, -1.0, None),
            (
                DType::C64,
                0.1,
                Some(Fill::from_bytes(DType::C64, [0.1f32, 0.0].map(f32::to_ne_bytes).as_flattened())),
            ),
            (DType::C64, 1e300, None),
            (
                DType::C128,
                1e300,
                Some(Fill::from_bytes(DType::C128, [1e300, 0.0].map(f64::to_ne_bytes).as_flattened())),
            ),
            (DType::F64, -nan, Some(Fill::of(-nan))),
            (DType::U4, 1.0, None),
            (DType::String, 1.0, None),
        ] {
            assert_eq!(fill_of_f64(value, dtype), expected, "{dtype} {value:e}");
        }
    }
}
