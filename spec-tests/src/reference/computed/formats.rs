//! Formats of floats: their bits, and rounding to them.

use half::{bf16, f16};

/// A binary format of floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Format {
    /// binary16
    F16,
    /// The upper half of a binary32.
    BF16,
    /// binary32
    F32,
    /// binary64
    F64,
}

impl Format {
    pub(super) fn size(self) -> usize {
        match self {
            Format::F16 | Format::BF16 => 2,
            Format::F32 => 4,
            Format::F64 => 8,
        }
    }

    pub(super) fn read(self, bytes: &[u8]) -> f64 {
        let bits = bytes.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
        match self {
            Format::F16 => f16::from_bits(bits as u16).to_f64(),
            Format::BF16 => bf16::from_bits(bits as u16).to_f64(),
            Format::F32 => f32::from_bits(bits as u32).into(),
            Format::F64 => f64::from_bits(bits),
        }
    }

    /// Returns the bytes of a number that the format can represent.
    pub(super) fn write(self, value: f64) -> Vec<u8> {
        match self {
            Format::F16 => f16::from_f64(value).to_le_bytes().to_vec(),
            Format::BF16 => bf16::from_f64(value).to_le_bytes().to_vec(),
            Format::F32 => (value as f32).to_le_bytes().to_vec(),
            Format::F64 => value.to_le_bytes().to_vec(),
        }
    }

    /// Rounds to the nearest number of the format. A tie goes to the number with an even code.
    pub(super) fn rounded(self, value: f64) -> f64 {
        if self == Format::F64 || !value.is_finite() || value == 0.0 {
            return value;
        }
        if self == Format::F32 {
            return f64::from(value as f32);
        }
        // The bits after the point, and the bias of the exponent.
        let (mantissa, bias) = if self == Format::F16 { (10, 15) } else { (7, 127) };
        // The exponent of the last bit that is kept.
        let own = ((value.to_bits() >> 52) as i32 & 0x7ff) - 1023;
        let last = own.max(1 - bias) - mantissa;
        let kept = (value / 2f64.powi(last)).round_ties_even() * 2f64.powi(last);
        if kept.abs() >= 2f64.powi(bias + 1) { f64::INFINITY.copysign(kept) } else { kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read_written_and_rounded() {
        for code in 0..=0xffffu64 {
            for format in [Format::F16, Format::BF16] {
                let bytes = &code.to_le_bytes()[..2];
                let value = format.read(bytes);
                assert!(
                    value.is_nan() || format.write(value) == bytes && format.rounded(value) == value,
                    "{code:x}"
                );
            }
        }
        assert_eq!(Format::F16.rounded(65519.0), 65504.0);
        assert_eq!(Format::F16.rounded(65520.0), f64::INFINITY);
        assert_eq!(Format::F16.rounded(2f64.powi(-25)), 0.0);
    }
}
