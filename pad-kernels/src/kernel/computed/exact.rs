//! The correctly rounded mean, where sums in double precision do not settle it.

/// A format that means are rounded to.
#[derive(Clone, Copy)]
pub(super) struct Format {
    /// Bits of a number, the first one included.
    pub(super) bits: i32,
    /// The exponent of the last bit of the smallest number.
    pub(super) least: i32,
}

pub(super) const F64: Format = Format { bits: 53, least: -1074 };
pub(super) const F32: Format = Format { bits: 24, least: -149 };
pub(super) const F16: Format = Format { bits: 11, least: -24 };
pub(super) const BF16: Format = Format { bits: 8, least: -133 };

/// Bits of a digit of a sum.
const DIGIT: usize = 32;
/// The exponent of a sum's last bit: below that of any number, so that a quotient has bits to be rounded by.
const BASE: i32 = -1074 - 2 * DIGIT as i32;
/// Digits for the largest numbers, and for the sum of as many as there can be.
const DIGITS: usize = (2098 + 2 * DIGIT) / DIGIT + 4;

/// The mean of `count` values rounded once to `format`, of two the even one, as an `f64` that is one of its values.
///
/// As of any sum: NaN if one of them is, or if infinities of both signs are; the infinity if there is one. A mean of zero is
/// positive, and what is rounded to zero keeps its sign.
#[cold]
#[inline(never)]
pub(super) fn mean(count: usize, value: &dyn Fn(usize) -> f64, format: Format) -> f64 {
    let mut digits = [0i64; DIGITS];
    // What is no number: the sum of all that is not finite.
    let mut other = 0.0;
    for index in 0..count {
        let value = value(index);
        if !value.is_finite() {
            other += value;
            continue;
        }
        add(&mut digits, value);
        if index % (1 << 30) == (1 << 30) - 1 {
            carry(&mut digits);
        }
    }
    if other != 0.0 {
        return if other.is_nan() { f64::NAN } else { other };
    }
    carry(&mut digits);
    let negative = digits[DIGITS - 1] < 0;
    if negative {
        digits.iter_mut().for_each(|digit| *digit = -*digit);
        carry(&mut digits);
    }
    divide(&mut digits, count as u64);
    let magnitude = rounded(&digits, format);
    if negative { -magnitude } else { magnitude }
}

/// Adds a finite number.
fn add(digits: &mut [i64; DIGITS], value: f64) {
    let bits = value.to_bits();
    let (biased, fraction) = ((bits >> 52) as i32 & 0x7ff, bits & ((1 << 52) - 1));
    let (mantissa, exponent) =
        if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    let place = (exponent - BASE) as usize;
    let shifted = u128::from(mantissa) << (place % DIGIT);
    for (digit, part) in digits[place / DIGIT..].iter_mut().zip([0, DIGIT, 2 * DIGIT]) {
        let part = (shifted >> part) as u32;
        *digit += if bits >> 63 == 0 { i64::from(part) } else { -i64::from(part) };
    }
}

/// Brings all digits but the last into their range.
fn carry(digits: &mut [i64; DIGITS]) {
    for i in 0..DIGITS - 1 {
        digits[i + 1] += digits[i] >> DIGIT;
        digits[i] &= (1 << DIGIT) - 1;
    }
}

/// Divides. What is left over makes no difference: a quotient by less than 2^64 that is not half between two numbers is so by more
/// than the two digits behind the smallest number.
fn divide(digits: &mut [i64; DIGITS], by: u64) {
    let mut rest = 0u128;
    for digit in digits.iter_mut().rev() {
        let all = rest << DIGIT | *digit as u128;
        *digit = (all / u128::from(by)) as i64;
        rest = all % u128::from(by);
    }
}

/// The number of these digits.
fn rounded(digits: &[i64; DIGITS], format: Format) -> f64 {
    let bit = |place: i32| digits[place as usize / DIGIT] >> (place as usize % DIGIT) & 1;
    let Some(top) = digits.iter().rposition(|digit| *digit > 0) else { return 0.0 };
    let top = (top * DIGIT) as i32 + digits[top].ilog2() as i32;
    // The place of the last bit that is kept.
    let last = (top - format.bits + 1).max(format.least - BASE);
    let mut kept = 0u64;
    for place in (last..=top.max(last)).rev() {
        kept = kept << 1 | bit(place) as u64;
    }
    let half = bit(last - 1) == 1;
    let more = (0..last - 1).any(|place| bit(place) == 1);
    kept += u64::from(half && (more || kept & 1 == 1));
    // Two factors, since one alone may be no normal number. Each product is exact.
    let exponent = last + BASE;
    let power = |exponent: i32| f64::from_bits(((exponent + 1023) as u64) << 52);
    kept as f64 * power(exponent / 2) * power(exponent - exponent / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_of(values: &[f64], format: Format) -> f64 {
        mean(values.len(), &|index| values[index], format)
    }

    #[test]
    fn means_are_rounded_once() {
        assert_eq!(mean_of(&[1.0, 2.0, 4.0], F64), 7.0 / 3.0);
        assert_eq!(mean_of(&[1e308, 1.5e308], F64), 1.25e308);
        assert_eq!(mean_of(&[1e300, 1.0, -1e300], F64), 1.0 / 3.0);
        assert_eq!(mean_of(&[-1e300, -3.0, 1e300], F64), -1.0);
        assert_eq!(mean_of(&[f64::MAX; 5], F64), f64::MAX);
        assert_eq!(mean_of(&[f64::from_bits(3), 0.0], F64), f64::from_bits(2));
        assert_eq!(mean_of(&[f64::from_bits(1), 0.0], F64), 0.0);
        assert_eq!(mean_of(&[0.1; 10], F64), 0.1);
        assert_eq!(mean_of(&[88.0, -1e-40, -88.0], BF16).to_bits(), (-0.0f64).to_bits());
        assert_eq!(mean_of(&[88.0, -88.0], BF16).to_bits(), 0);
    }

    #[test]
    fn ties_go_to_the_even_number_of_the_format() {
        let next = f64::from(f32::from_bits(1.0f32.to_bits() + 1));
        let after = f64::from(f32::from_bits(1.0f32.to_bits() + 2));
        assert_eq!(mean_of(&[1.0, next], F32), 1.0);
        assert_eq!(mean_of(&[next, after], F32), after);
        assert_eq!(mean_of(&[1.0, next, next + f64::EPSILON], F32), next);
        assert_eq!(mean_of(&[65504.0, 65504.0], F16), 65504.0);
        assert_eq!(mean_of(&[1.0, 1.0 + 1.0 / 128.0], BF16), 1.0);
        let least = 1.0 / f64::from(1 << 24);
        assert_eq!(mean_of(&[least, 2.0 * least], F16), 2.0 * least);
    }

    #[test]
    fn what_is_not_finite_stays_so() {
        let inf = f64::INFINITY;
        assert_eq!(mean_of(&[1.0, inf], F64), inf);
        assert_eq!(mean_of(&[-inf, -inf, 1.0], F64), -inf);
        assert!(mean_of(&[inf, -inf], F64).is_nan());
        assert!(mean_of(&[f64::NAN, 1.0], F64).is_nan());
        assert_eq!(mean_of(&[-0.0, -0.0], F64).to_bits(), 0);
    }
}
