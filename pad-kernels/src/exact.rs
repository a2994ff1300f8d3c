//! Converts numbers to other element types. One function rounds, and another one returns a result only if it is exact.

use alloc::vec::Vec;

use crate::dtype::{DType, ElementSize};
use crate::element::Tag;
use crate::spec::Fill;

/// A float format with less than 32 bits. It has subnormals, and the sign is the top bit.
pub(crate) struct Narrow {
    dtype: DType,
    bits: u32,
    mantissa: u32,
    bias: i32,
    /// The largest finite value.
    pub(crate) max: f64,
    pub(crate) infinity: Option<u16>,
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

pub(crate) const NARROW: [Narrow; 6] = [
    narrow(DType::F16, 16, (10, 15), 65504.0, Some(0x7c00), 0x7e00),
    narrow(DType::BF16, 16, (7, 127), 255.0 * (1u128 << 120) as f64, Some(0x7f80), 0x7fc0),
    narrow(DType::F8E5M2, 8, (2, 15), 57344.0, Some(0x7c), 0x7f),
    narrow(DType::F8E4M3FN, 8, (3, 7), 448.0, None, 0x7f),
    narrow(DType::F8E5M2FNUZ, 8, (2, 16), 57344.0, None, 0x80),
    narrow(DType::F8E4M3FNUZ, 8, (3, 8), 240.0, None, 0x80),
];

impl Narrow {
    pub(crate) fn of(dtype: DType) -> Option<&'static Narrow> {
        NARROW.iter().find(|narrow| narrow.dtype == dtype)
    }

    /// Returns the value of these bits. NaN keeps its sign and payload, if the format has infinity.
    fn value(&self, pattern: u16) -> f32 {
        let sign = u32::from(pattern >> (self.bits - 1)) << 31;
        let magnitude = pattern & ((1 << (self.bits - 1)) - 1);
        let bits = u32::from(magnitude) << (23 - self.mantissa);
        // The factor corrects the bias of the exponent, also for subnormal values.
        let finite = f32::from_bits(bits) * f32::from_bits(((254 - self.bias) as u32) << 23);
        match magnitude {
            _ if pattern == self.nan => f32::NAN,
            _ if magnitude >= self.infinity.unwrap_or(self.nan) => f32::from_bits(sign | 0x7f80_0000 | bits),
            _ => f32::from_bits(sign | finite.to_bits()),
        }
    }

    /// Rounds to the nearest value, ties to even. Values that are too large become infinity, or NaN if the format has no infinity.
    pub(crate) fn round(&self, value: f32) -> u16 {
        self.rounded(value).0
    }

    /// Returns the bits of `value`, if the format can represent it exactly.
    fn exact(&self, value: f32) -> Option<u16> {
        let (pattern, is_exact) = self.rounded(value);
        is_exact.then_some(pattern)
    }

    /// Returns the bits of the nearest value, and whether it is exact.
    fn rounded(&self, value: f32) -> (u16, bool) {
        let sign = (value.is_sign_negative() as u16) << (self.bits - 1);
        let bits = value.abs().to_bits();
        if value.is_nan() {
            let payload = (bits & 0x7f_ffff) >> (23 - self.mantissa);
            let pattern = self.nan | if self.unsigned_zero() { 0 } else { payload as u16 | sign };
            return (pattern, bits & 0x3f_ffff == 0 && (sign == 0 || !self.unsigned_zero()));
        }
        // A subnormal has the exponent of the smallest normal number, and no leading one.
        let exponent = (bits >> 23).max(1) as i32 - 127;
        let significand = bits & 0x7f_ffff | if bits >> 23 == 0 { 0 } else { 1 << 23 };
        let smallest = 1 - self.bias;
        let drop = (23 - self.mantissa + (smallest - exponent).max(0) as u32).min(31);
        let (kept, rest, half) = (significand >> drop, significand & ((1 << drop) - 1), 1 << (drop - 1));
        let up = rest > half || rest == half && kept & 1 == 1;
        // The addition of the leading one, and a carry out of the mantissa, both increase the exponent. Both results are correct.
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

    /// Tells whether the bits that mean negative zero in other formats mean NaN in this one.
    fn unsigned_zero(&self) -> bool {
        u32::from(self.nan) == 1 << (self.bits - 1)
    }

    pub(crate) fn fill(&self, pattern: u16) -> Fill {
        match self.bits {
            8 => Fill::from_bytes(self.dtype, &[pattern as u8]),
            _ => Fill::from_bytes(self.dtype, &pattern.to_ne_bytes()),
        }
    }
}

/// The numbers of `f4e2m1` without a sign. The index of each is its pattern.
const F4E2M1: [f64; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];

/// The number that a fill holds.
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    pub(crate) fn of(dtype: DType, bytes: &[u8]) -> Option<Number> {
        macro_rules! read {
            ($type:ty) => {
                <$type>::from_ne_bytes(bytes.try_into().ok()?)
            };
        }
        Some(match dtype {
            DType::I8 => Number::Integer(read!(i8).into()),
            DType::I16 => Number::Integer(read!(i16).into()),
            DType::I32 => Number::Integer(read!(i32).into()),
            DType::I64 => Number::Integer(read!(i64).into()),
            DType::U8 => Number::Integer(read!(u8).into()),
            DType::U16 => Number::Integer(read!(u16).into()),
            DType::U32 => Number::Integer(read!(u32).into()),
            DType::U64 => Number::Integer(read!(u64).into()),
            DType::F32 => Number::Float(to_double(read!(f32))),
            DType::F64 => Number::Float(read!(f64)),
            // The number is in the low 2 or 4 bits of a byte.
            DType::U4 => Number::Integer((read!(u8) & 15).into()),
            DType::U2 => Number::Integer((read!(u8) & 3).into()),
            DType::I4 => Number::Integer((read!(i8) << 4 >> 4).into()),
            DType::I2 => Number::Integer((read!(i8) << 6 >> 6).into()),
            DType::F4E2M1 => {
                let (pattern, is_negative) = (read!(u8), read!(u8) & 8 > 0);
                let value = F4E2M1[usize::from(pattern & 7)];
                Number::Float(if is_negative { -value } else { value })
            }
            DType::F8E8M0 => Number::Float(to_double(f32::from_bits(match read!(u8) {
                // The smallest power is subnormal in `f32`.
                0 => 0x0040_0000,
                0xff => 0x7fc0_0000,
                exponent => u32::from(exponent) << 23,
            }))),
            _ => {
                let pattern = if bytes.len() == 1 { read!(u8).into() } else { read!(u16) };
                Number::Float(to_double(Narrow::of(dtype)?.value(pattern)))
            }
        })
    }

    /// Returns the value as an integer. Negative zero is not an integer.
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
        (to_double(single).to_bits() == double.to_bits()).then_some(single)
    }
}

impl Fill {
    /// Converts the numbers of a fill along an axis to `dtype`, as [`converted`](Self::converted) does.
    pub(crate) fn each_converted(&self, dtype: DType) -> Option<Fill> {
        let ElementSize::Bytes(size) = self.tag.dtype()?.element_size() else { return None };
        let one = |value: &[u8]| Fill { tag: self.tag, bytes: value.into(), axis: None }.converted(dtype);
        let values: Option<Vec<Fill>> = self.bytes.chunks(size).map(one).collect();
        let bytes = values?.iter().flat_map(|value| value.bytes.iter().copied()).collect();
        Some(Fill { tag: Tag::DType(dtype), bytes, axis: self.axis })
    }

    /// Converts the number to `dtype`. Returns `None` if the fill has this type already, or if the type cannot represent the number
    /// exactly.
    pub(crate) fn converted(&self, dtype: DType) -> Option<Fill> {
        if self.tag == Tag::DType(dtype) {
            return None;
        }
        let number = Number::of(self.tag.dtype()?, &self.bytes)?;
        macro_rules! integer {
            ($type:ty) => {
                <$type>::try_from(number.integer()?).ok().map(Fill::of)
            };
        }
        let packed = |values: core::ops::Range<i128>| {
            let value = number.integer().filter(|value| values.contains(value))?;
            // The number is in the low 2 or 4 bits of a byte.
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
            DType::F4E2M1 => {
                let single = number.single()?;
                let pattern = F4E2M1.iter().position(|&value| value == f64::from(single.abs()))? as u8;
                Some(Fill::from_bytes(dtype, &[pattern | u8::from(single.is_sign_negative()) << 3]))
            }
            DType::F8E8M0 => {
                let pattern = match number.single()?.to_bits() {
                    // The smallest power is subnormal in `f32`.
                    0x0040_0000 => 0,
                    0x7fc0_0000 => 0xff,
                    bits if bits & 0x7f_ffff == 0 && (1..255).contains(&(bits >> 23)) => (bits >> 23) as u8,
                    _ => return None,
                };
                Some(Fill::from_bytes(dtype, &[pattern]))
            }
            _ => {
                let narrow = Narrow::of(dtype)?;
                narrow.exact(number.single()?).map(|pattern| narrow.fill(pattern))
            }
        }
    }
}

/// Rounds to `f32`. A NaN keeps its sign and the upper bits of its payload, as on CPUs. Rust's `as` does not guarantee this.
pub(crate) fn to_single(value: f64) -> f32 {
    if !value.is_nan() {
        return value as f32;
    }
    let bits = value.to_bits();
    let (sign, payload) = ((bits >> 32) as u32 & 0x8000_0000, (bits >> 29) as u32 & 0x7f_ffff);
    f32::from_bits(sign | 0x7fc0_0000 | payload)
}

/// Converts to `f64`. A NaN keeps its sign and payload, as in [`to_single`].
pub(crate) fn to_double(value: f32) -> f64 {
    if !value.is_nan() {
        return value.into();
    }
    let bits = u64::from(value.to_bits());
    f64::from_bits((bits & 0x8000_0000) << 32 | 0x7ff8 << 48 | (bits & 0x7f_ffff) << 29)
}

/// Converts a real number to a complex one.
pub(crate) fn complex(dtype: DType, real: &[u8]) -> Fill {
    let mut bytes = [0; 16];
    bytes[..real.len()].copy_from_slice(real);
    Fill::from_bytes(dtype, &bytes[..2 * real.len()])
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
            (Fill::of(-f32::NAN), DType::F64, Some(Fill::of(-f64::NAN))),
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
            (Fill::of(1.5), DType::F4E2M1, byte(DType::F4E2M1, 3)),
            (Fill::of(-0.0), DType::F4E2M1, byte(DType::F4E2M1, 8)),
            (Fill::of(-6), DType::F4E2M1, byte(DType::F4E2M1, 0xf)),
            (Fill::of(5), DType::F4E2M1, None),
            (Fill::of(f32::NAN), DType::F4E2M1, None),
            (Fill::of(1), DType::F8E8M0, byte(DType::F8E8M0, 127)),
            (Fill::of(0.5f32.powi(127)), DType::F8E8M0, byte(DType::F8E8M0, 0)),
            (Fill::of(2f64.powi(127)), DType::F8E8M0, byte(DType::F8E8M0, 254)),
            (Fill::of(f64::NAN), DType::F8E8M0, byte(DType::F8E8M0, 0xff)),
            (Fill::of(f64::INFINITY), DType::F8E8M0, None),
            (Fill::of(0), DType::F8E8M0, None),
            (Fill::of(-1), DType::F8E8M0, None),
            (Fill::of(1.5), DType::F8E8M0, None),
            (half(0x3e00).unwrap(), DType::F32, Some(Fill::of(1.5f32))),
            (half(0x8001).unwrap(), DType::F64, Some(Fill::of(-0.5f64.powi(24)))),
            (half(0xfc00).unwrap(), DType::F32, Some(Fill::of(f32::NEG_INFINITY))),
            (half(0x7e01).unwrap(), DType::F32, Some(Fill::of(f32::from_bits(0x7fc0_2000)))),
            (half(0x3e00).unwrap(), DType::I32, None),
            (byte(DType::I4, 0xf).unwrap(), DType::I32, Some(Fill::of(-1))),
            (byte(DType::U4, 0xf).unwrap(), DType::F32, Some(Fill::of(15f32))),
            (byte(DType::I2, 2).unwrap(), DType::I8, Some(Fill::of(-2i8))),
            (byte(DType::U2, 3).unwrap(), DType::I4, byte(DType::I4, 3)),
            (byte(DType::F4E2M1, 0xb).unwrap(), DType::F64, Some(Fill::of(-1.5))),
            (byte(DType::F4E2M1, 8).unwrap(), DType::F16, half(0x8000)),
            (byte(DType::F8E8M0, 0).unwrap(), DType::F64, Some(Fill::of(0.5f64.powi(127)))),
            (byte(DType::F8E8M0, 128).unwrap(), DType::U8, Some(Fill::of(2u8))),
            (byte(DType::F8E8M0, 0xff).unwrap(), DType::F32, Some(Fill::of(f32::NAN))),
            (Fill::from_bytes(DType::BF16, &0xbfc0u16.to_ne_bytes()), DType::F16, half(0xbe00)),
            (byte(DType::F8E5M2FNUZ, 0x80).unwrap(), DType::F32, Some(Fill::of(f32::NAN))),
            (Fill::of(1.0), DType::Bool, None),
            (Fill::of(true), DType::U8, None),
            (Fill::of(1.0), DType::F64, None),
            (Fill::untyped(&[1]), DType::U8, None),
        ] {
            assert_eq!(fill.converted(dtype), expected, "{fill:?} as {dtype}");
        }
        // Each value of a narrow float comes back from `f32`.
        for narrow in &NARROW {
            for pattern in 0..=((1u32 << narrow.bits) - 1) as u16 {
                let value = narrow.value(pattern);
                assert!(
                    value.is_nan() || narrow.exact(value) == Some(pattern),
                    "{} {pattern:#x}",
                    narrow.dtype
                );
            }
        }
        let complex = Fill::of(1.5).converted(DType::C64).map(|fill| fill.bytes.to_vec());
        assert_eq!(complex, Some([1.5f32.to_ne_bytes(), [0; 4]].concat()));
    }
}
