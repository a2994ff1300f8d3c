//! A value given as one float, converted to the type of the data.

use crate::dtype::DType;
use crate::element::Tag;
use crate::spec::Fill;

/// A float format narrower than binary32 that has subnormals and a sign bit on top.
struct Narrow {
    dtype: DType,
    bits: u32,
    mantissa: u32,
    bias: i32,
    /// The largest finite value.
    max: f64,
    infinity: Option<u16>,
    nan: u16,
}

const fn narrow(
    dtype: DType,
    bits: u32,
    (mantissa, bias): (u32, i32),
    max: f64,
    infinity: Option<u16>,
    nan: u16,
) -> Narrow {
    Narrow { dtype, bits, mantissa, bias, max, infinity, nan }
}

const NARROW: [Narrow; 6] = [
    narrow(DType::F16, 16, (10, 15), 65504.0, Some(0x7c00), 0x7e00),
    narrow(DType::BF16, 16, (7, 127), 255.0 * (1u128 << 120) as f64, Some(0x7f80), 0x7fc0),
    narrow(DType::F8E5M2, 8, (2, 15), 57344.0, Some(0x7c), 0x7f),
    narrow(DType::F8E4M3FN, 8, (3, 7), 448.0, None, 0x7f),
    narrow(DType::F8E5M2FNUZ, 8, (2, 16), 57344.0, None, 0x80),
    narrow(DType::F8E4M3FNUZ, 8, (3, 8), 240.0, None, 0x80),
];

impl Narrow {
    fn of(dtype: DType) -> Option<&'static Narrow> {
        NARROW.iter().find(|narrow| narrow.dtype == dtype)
    }

    /// Rounds to nearest, ties to even. Beyond the largest value stands infinity, or NaN where there is none.
    fn round(&self, value: f32) -> u16 {
        self.rounded(value).0
    }

    /// The pattern of `value`, if the format has it.
    fn exact(&self, value: f32) -> Option<u16> {
        let (pattern, is_exact) = self.rounded(value);
        is_exact.then_some(pattern)
    }

    /// The pattern that is nearest, and whether it is that of the very value.
    fn rounded(&self, value: f32) -> (u16, bool) {
        let sign = (value.is_sign_negative() as u16) << (self.bits - 1);
        let bits = value.abs().to_bits();
        if value.is_nan() {
            let payload = (bits & 0x7f_ffff) >> (23 - self.mantissa);
            let pattern = self.nan | if self.unsigned_zero() { 0 } else { payload as u16 | sign };
            return (pattern, bits & 0x3f_ffff == 0 && (sign == 0 || !self.unsigned_zero()));
        }
        // A subnormal has the exponent of the smallest normal and no leading one.
        let exponent = (bits >> 23).max(1) as i32 - 127;
        let significand = bits & 0x7f_ffff | if bits >> 23 == 0 { 0 } else { 1 << 23 };
        let smallest = 1 - self.bias;
        let drop = (23 - self.mantissa + (smallest - exponent).max(0) as u32).min(31);
        let (kept, rest, half) = (significand >> drop, significand & ((1 << drop) - 1), 1 << (drop - 1));
        let up = rest > half || rest == half && kept & 1 == 1;
        // The leading one and a carry out of the mantissa both add to the exponent, as they should.
        let rounded = (((exponent - smallest).max(0) as u32) << self.mantissa) + kept + u32::from(up);
        let overflow = u32::from(self.infinity.unwrap_or(self.nan));
        match rounded {
            0 if self.unsigned_zero() => (0, rest == 0 && sign == 0),
            _ if rounded >= overflow => {
                let pattern = overflow as u16 | if self.unsigned_zero() { 0 } else { sign };
                (pattern, value.is_infinite() && self.infinity.is_some())
            }
            _ => (rounded as u16 | sign, rest == 0),
        }
    }

    /// Whether the pattern of negative zero is NaN.
    fn unsigned_zero(&self) -> bool {
        u32::from(self.nan) == 1 << (self.bits - 1)
    }

    fn fill(&self, pattern: u16) -> Fill {
        match self.bits {
            8 => Fill::from_bytes(self.dtype, &[pattern as u8]),
            _ => Fill::from_bytes(self.dtype, &pattern.to_ne_bytes()),
        }
    }
}

/// A number that a fill holds.
enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    fn of(fill: &Fill) -> Option<Number> {
        macro_rules! read {
            ($type:ty) => {
                <$type>::from_ne_bytes(fill.bytes[..].try_into().ok()?)
            };
        }
        Some(match fill.tag.dtype()? {
            DType::I8 => Number::Integer(read!(i8).into()),
            DType::I16 => Number::Integer(read!(i16).into()),
            DType::I32 => Number::Integer(read!(i32).into()),
            DType::I64 => Number::Integer(read!(i64).into()),
            DType::U8 => Number::Integer(read!(u8).into()),
            DType::U16 => Number::Integer(read!(u16).into()),
            DType::U32 => Number::Integer(read!(u32).into()),
            DType::U64 => Number::Integer(read!(u64).into()),
            DType::F32 => Number::Float(read!(f32).into()),
            DType::F64 => Number::Float(read!(f64)),
            _ => return None,
        })
    }

    /// The integer that it is. Negative zero is none.
    fn integer(&self) -> Option<i128> {
        match *self {
            Number::Integer(value) => Some(value),
            Number::Float(value) => {
                let within = value % 1.0 == 0.0 && value.abs() < (1u128 << 64) as f64;
                (within && (value != 0.0 || value.is_sign_positive())).then_some(value as i128)
            }
        }
    }

    fn double(&self) -> Option<f64> {
        match *self {
            Number::Integer(value) => (value as f64 as i128 == value).then_some(value as f64),
            Number::Float(value) => Some(value),
        }
    }

    fn single(&self) -> Option<f32> {
        let double = self.double()?;
        let single = to_single(double);
        (f64::from(single).to_bits() == double.to_bits()).then_some(single)
    }
}

impl Fill {
    /// Converts the number to `dtype`, if that is another type and holds the very value.
    pub(crate) fn converted(&self, dtype: DType) -> Option<Fill> {
        if self.tag == Tag::DType(dtype) {
            return None;
        }
        let number = Number::of(self)?;
        macro_rules! integer {
            ($type:ty) => {
                <$type>::try_from(number.integer()?).ok().map(Fill::of)
            };
        }
        let packed = |values: core::ops::Range<i128>| {
            let value = number.integer().filter(|value| values.contains(value))?;
            // Of 2 or 4 bits, in the low bits of a byte.
            Some(Fill::from_bytes(dtype, &[value as u8 & (values.end - values.start - 1) as u8]))
        };
        match dtype {
            DType::I8 => integer!(i8),
            DType::I16 => integer!(i16),
            DType::I32 => integer!(i32),
            DType::I64 => integer!(i64),
            DType::U8 => integer!(u8),
            DType::U16 => integer!(u16),
            DType::U32 => integer!(u32),
            DType::U64 => integer!(u64),
            DType::I4 => packed(-8..8),
            DType::U4 => packed(0..16),
            DType::I2 => packed(-2..2),
            DType::U2 => packed(0..4),
            DType::F64 => number.double().map(Fill::of),
            DType::F32 => number.single().map(Fill::of),
            DType::C64 => number.single().map(|single| complex(dtype, &single.to_ne_bytes())),
            DType::C128 => number.double().map(|double| complex(dtype, &double.to_ne_bytes())),
            _ => {
                let narrow = Narrow::of(dtype)?;
                narrow.exact(number.single()?).map(|pattern| narrow.fill(pattern))
            }
        }
    }
}

/// A binary32 as IEEE 754 converts it: exactly to wider types, rounded to nearest even to binary16.
pub(super) fn fill_of_f32(value: f32, dtype: DType) -> Option<Fill> {
    Some(match dtype {
        DType::F32 => Fill::of(value),
        DType::F64 => Fill::of(f64::from(value)),
        _ => {
            let narrow = Narrow::of(dtype)?;
            narrow.fill(narrow.round(value))
        }
    })
}

/// A double as PyTorch casts it, if the type's range holds it: integers drop what is after the point, narrow floats go
/// through binary32. NaN loses its payload.
pub(super) fn fill_of_f64(value: f64, dtype: DType) -> Option<Fill> {
    macro_rules! integer {
        ($type:ty) => {{
            // In place of the largest value, which a double may not hold, the first that is too large.
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

/// The nearest binary32. Of a NaN the sign and the upper bits of the payload are kept, as machines do but `as` does not promise.
fn to_single(value: f64) -> f32 {
    if !value.is_nan() {
        return value as f32;
    }
    let bits = value.to_bits();
    let (sign, payload) = ((bits >> 32) as u32 & 0x8000_0000, (bits >> 29) as u32 & 0x7f_ffff);
    f32::from_bits(sign | 0x7fc0_0000 | payload)
}

/// Rounds to an integer, halves to the even one. A number of 2^52 or more is one.
fn round_even(value: f64) -> f64 {
    let shift = (1u64 << 52) as f64;
    if value.abs() < shift { (value.abs() + shift - shift).copysign(value) } else { value }
}

/// A double as OpenCV converts a Scalar: rounded to the nearest even integer (`uint32`: halves away from zero) and cut to the
/// range of the type; floats by way of binary32. None where the result is left to the machine: NaN, and what does not
/// fit 32 bits.
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
            // What rounds to 2^32 is too large.
            (value < f64::from(u32::MAX) + 0.5).then(|| Fill::of(whole + u32::from(up)))
        }
        _ => float(value, dtype),
    }
}

/// A double as WebNN casts it, to one of its types: integers to nearest even and cut to the range, NaN to 0; floats to nearest
/// even in one step.
pub(super) fn fill_cast(value: f64, dtype: DType) -> Fill {
    let even = round_even(value);
    // The conversion of Rust cuts to the range, and makes NaN 0.
    match dtype {
        DType::I8 => Fill::of(even as i8),
        DType::I32 => Fill::of(even as i32),
        DType::I64 => Fill::of(even as i64),
        DType::U8 => Fill::of(even as u8),
        DType::U32 => Fill::of(even as u32),
        DType::U64 => Fill::of(even as u64),
        DType::F32 => Fill::of(to_single(value)),
        _ => {
            // What binary32 drops makes its last bit 1, so that no tie comes of it.
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

/// An integer of any size as WebNN casts it.
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
        // Those that a double does not hold are beyond the range.
        _ => fill_cast(value as f64, dtype),
    }
}

/// A double as scipy's interpolation writes one: rounded to an integer, halves away from zero, and cut to the range of the
/// type. None where the result is left to the machine: NaN, and what does not fit 64 bits; for `bool` all but 0 and 1.
pub(super) fn fill_rounded(value: f64, dtype: DType) -> Option<Fill> {
    let up = value + if value > 0.0 { 0.5 } else { -0.5 };
    macro_rules! integer {
        ($type:ty) => {{
            let above = 2.0 * (<$type>::MAX / 2 + 1) as f64;
            let defined = !value.is_nan() && (size_of::<$type>() < 8 || up < above);
            let up = if <$type>::MIN == 0 { up.max(0.0) } else { up };
            // The conversion of Rust drops what is after the point, and cuts to the range.
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

/// A double as the nearest float or complex number, by way of binary32 if that is narrower.
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

/// A double that is an element of the type.
pub(super) fn fill_exact(value: f64, dtype: DType) -> Option<Fill> {
    let whole = || value % 1.0 == 0.0;
    match dtype {
        DType::F32 if f64::from(value as f32) != value && !value.is_nan() => None,
        DType::F32 | DType::F64 => float(value, dtype),
        DType::Bool => fill_rounded(value, dtype),
        _ => whole().then(|| fill_of_f64(value, dtype)).flatten(),
    }
}

/// A real number as a complex one.
fn complex(dtype: DType, real: &[u8]) -> Fill {
    let mut bytes = [0; 16];
    bytes[..real.len()].copy_from_slice(real);
    Fill::from_bytes(dtype, &bytes[..2 * real.len()])
}

/// The pattern of `F8E8M0`, which is an exponent and nothing else. Halfway between two powers is the larger.
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
    fn numbers_of_another_type() {
        let half = |bits: u16| Some(Fill::from_bytes(DType::F16, &bits.to_ne_bytes()));
        let byte = |dtype, pattern: u8| Some(Fill::from_bytes(dtype, &[pattern]));
        for (fill, dtype, expected) in [
            (Fill::of(0.0), DType::F32, Some(Fill::of(0.0f32))),
            (Fill::of(-0.0), DType::F32, Some(Fill::of(-0.0f32))),
            (Fill::of(f64::NAN), DType::F32, Some(Fill::of(f32::NAN))),
            (Fill::of(f64::INFINITY), DType::F32, Some(Fill::of(f32::INFINITY))),
            (Fill::of(0.1), DType::F32, None),
            (Fill::of(1e39), DType::F32, None),
            (Fill::of(0.1f32), DType::F64, Some(Fill::of(f64::from(0.1f32)))),
            (Fill::of(7), DType::U8, Some(Fill::of(7u8))),
            (Fill::of(-1), DType::U8, None),
            (Fill::of(256), DType::U8, None),
            (Fill::of(7), DType::F32, Some(Fill::of(7.0f32))),
            (Fill::of((1 << 24) + 1), DType::F32, None),
            (Fill::of(i64::MAX), DType::F64, None),
            (Fill::of(u64::MAX), DType::I64, None),
            (Fill::of(2.0), DType::I64, Some(Fill::of(2i64))),
            (Fill::of(-0.0), DType::I64, None),
            (Fill::of(2.5), DType::I64, None),
            (Fill::of(9.3e18), DType::U64, Some(Fill::of(9_300_000_000_000_000_000u64))),
            (Fill::of(f64::INFINITY), DType::U64, None),
            (Fill::of(f64::NAN), DType::I8, None),
            (Fill::of(-1), DType::I4, byte(DType::I4, 0xf)),
            (Fill::of(8), DType::I4, None),
            (Fill::of(15.0), DType::U4, byte(DType::U4, 0xf)),
            (Fill::of(-2), DType::I2, byte(DType::I2, 2)),
            (Fill::of(4), DType::U2, None),
            (Fill::of(1.5), DType::F16, half(0x3e00)),
            (Fill::of(65504), DType::F16, half(0x7bff)),
            (Fill::of(65520), DType::F16, None),
            (Fill::of(f64::NEG_INFINITY), DType::F16, half(0xfc00)),
            (Fill::of(0.1f32), DType::F16, None),
            (Fill::of(6e-8), DType::F16, None),
            (Fill::of(1.0), DType::F8E4M3FN, byte(DType::F8E4M3FN, 0x38)),
            (Fill::of(f64::INFINITY), DType::F8E4M3FN, None),
            (Fill::of(-0.0), DType::F8E5M2FNUZ, None),
            (Fill::of(1.0), DType::Bool, None),
            (Fill::of(true), DType::U8, None),
            (Fill::of(1.0), DType::F64, None),
            (Fill::untyped(&[1]), DType::U8, None),
        ] {
            assert_eq!(fill.converted(dtype), expected, "{fill:?} as {dtype}");
        }
        let complex = Fill::of(1.5).converted(DType::C64).map(|fill| fill.bytes.to_vec());
        assert_eq!(complex, Some([1.5f32.to_ne_bytes(), [0; 4]].concat()));
    }

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
            // Next to a tie of binary16, which binary32 makes a tie.
            (DType::F16, 1.0 + 1.5 * ulp, half(0x3c02)),
            (DType::F16, 1.0 + 1.5 * ulp - f64::from(power(-40)), half(0x3c01)),
            (DType::F16, 1.0 + 0.5 * ulp + f64::from(power(-40)), half(0x3c01)),
            (DType::F16, -1.0 - 1.5 * ulp + f64::from(power(-40)), half(0xbc01)),
        ] {
            assert_eq!(fill_cast(value, dtype), expected, "{dtype} {value:e}");
        }
        // Between two values of binary32, and just above the middle, which a double does not hold.
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
        // Under Miri some: there is nothing unsafe in it.
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
