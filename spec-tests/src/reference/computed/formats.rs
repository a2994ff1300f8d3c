//! Formats of floats: their bits, and rounding to them.

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

    /// Returns the number of bits after the point, and of the exponent.
    pub(super) fn bits(self) -> (i32, i32) {
        match self {
            Format::F16 => (10, 5),
            Format::BF16 => (7, 8),
            Format::F32 => (23, 8),
            Format::F64 => (52, 11),
        }
    }

    pub(super) fn read(self, bytes: &[u8]) -> f64 {
        let (mantissa, exponent) = self.bits();
        let bits = bytes.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
        let sign = if bits >> (mantissa + exponent) == 1 { -1.0 } else { 1.0 };
        let biased = (bits >> mantissa) as i32 & ((1 << exponent) - 1);
        let fraction = bits & ((1 << mantissa) - 1);
        let bias = (1 << (exponent - 1)) - 1;
        let power = |exponent: i32| 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
        match biased {
            0 => sign * fraction as f64 * power(1 - bias - mantissa),
            _ if biased == (1 << exponent) - 1 => {
                if fraction > 0 {
                    f64::NAN
                } else {
                    sign * f64::INFINITY
                }
            }
            _ => sign * (fraction | 1 << mantissa) as f64 * power(biased - bias - mantissa),
        }
    }

    /// Returns the bits of a number that the format can represent. All NaNs have equal bits.
    pub(super) fn code(self, value: f64) -> u64 {
        let (mantissa, exponent) = self.bits();
        let sign = u64::from(value.is_sign_negative()) << (mantissa + exponent);
        let all = ((1u64 << exponent) - 1) << mantissa;
        if value.is_nan() {
            return all | 1 << (mantissa - 1);
        }
        if value.is_infinite() {
            return sign | all;
        }
        // Searches the largest code whose number is not above the value.
        let (mut low, mut high) = (0, all - 1);
        while low < high {
            let middle = (low + high).div_ceil(2);
            let number = self.read(&middle.to_le_bytes()[..self.size()]);
            if number <= value.abs() { low = middle } else { high = middle - 1 }
        }
        sign | low
    }

    pub(super) fn write(self, value: f64) -> Vec<u8> {
        let code = match self {
            Format::F64 if !value.is_nan() => value.to_bits(),
            Format::F32 if !value.is_nan() => (value as f32).to_bits().into(),
            _ => self.code(value),
        };
        code.to_le_bytes()[..self.size()].to_vec()
    }

    /// Rounds to the nearest number of the format. A tie goes to the number with an even code.
    pub fn rounded(self, value: f64) -> f64 {
        if self == Format::F64 || !value.is_finite() || value == 0.0 {
            return value;
        }
        if self == Format::F32 {
            return f64::from(value as f32);
        }
        let (mantissa, exponent) = self.bits();
        let bias = (1 << (exponent - 1)) - 1;
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
