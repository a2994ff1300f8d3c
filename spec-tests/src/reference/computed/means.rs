//! The exact mean.

use super::formats::Format;

/// The exact mean, rounded once.
pub(super) fn mean(format: Format, of: &[f64]) -> f64 {
    let others: f64 = of.iter().filter(|value| !value.is_finite()).sum();
    if others != 0.0 {
        return others;
    }
    if of[0] != 0.0 && of.iter().all(|&value| value == of[0]) {
        return of[0];
    }
    // The mean is less than the largest number there is, and more than the smallest.
    let (mantissa, exponent) = format.bits();
    let most = ((((1u64 << exponent) - 1) << mantissa) - 1) as i64;
    let number = |code: i64| {
        let magnitude = format.read(&code.unsigned_abs().to_le_bytes()[..format.size()]);
        if code < 0 { -magnitude } else { magnitude }
    };
    // Codes of numbers in their order: a negative number is minus the code of its magnitude.
    let guess = of.iter().map(|value| value / of.len() as f64).sum::<f64>();
    let mut low = format.code(format.rounded(guess).abs()) as i64;
    low = if guess < 0.0 { -low } else { low }.clamp(-most, most);
    let is_below = |code: i64| compare(of, number(code), number(code)) >= 0;
    let mut step = 1i64;
    while !is_below(low) {
        low = low.saturating_sub(step).max(-most);
        step = step.saturating_mul(2);
    }
    let mut high = (low + 1).min(most);
    step = 1;
    while is_below(high) {
        low = high;
        high = high.saturating_add(step).min(most);
        step = step.saturating_mul(2);
    }
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if is_below(middle) { low = middle } else { high = middle }
    }
    let code = match compare(of, number(low), number(high)) {
        ..0 => low,
        0 if low % 2 == 0 => low,
        _ => high,
    };
    // What is rounded to zero keeps its sign.
    if code == 0 && compare(of, 0.0, 0.0) < 0 { -0.0 } else { number(code) }
}

/// The sign of twice the sum of `of` less `of.len()` times `a` and `b`, by the powers of two that all are made of.
fn compare(of: &[f64], a: f64, b: f64) -> i32 {
    let mut powers = vec![0i64; 2200];
    let mut add = |value: f64, times: i64| {
        let bits = value.to_bits();
        let (biased, fraction) = ((bits >> 52) as usize & 0x7ff, bits & ((1 << 52) - 1));
        let mantissa = if biased == 0 { fraction } else { fraction | 1 << 52 };
        let sign = if value.is_sign_negative() { -times } else { times };
        for bit in (0..53).filter(|bit| mantissa >> bit & 1 == 1) {
            powers[biased.max(1) - 1 + bit] += sign;
        }
    };
    of.iter().for_each(|&value| add(value, 2));
    add(a, -(of.len() as i64));
    add(b, -(of.len() as i64));
    let (mut carry, mut is_zero) = (0, true);
    for power in powers {
        let all = power + carry;
        is_zero &= all & 1 == 0;
        carry = all >> 1;
    }
    match carry {
        ..0 => -1,
        0 if is_zero => 0,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_exact_and_rounded_once() {
        assert_eq!(mean(Format::F64, &[1.0, 2.0, 4.0]), 7.0 / 3.0);
        assert_eq!(mean(Format::F64, &[1e300, 1.0, -1e300]), 1.0 / 3.0);
        assert_eq!(mean(Format::F64, &[f64::MAX, f64::MAX]), f64::MAX);
        assert_eq!(mean(Format::F32, &[1.0, 1.0 + 2f64.powi(-23)]), 1.0);
        assert_eq!(mean(Format::F16, &[1.0 + 2f64.powi(-10), 1.0 + 2f64.powi(-9)]), 1.0 + 2f64.powi(-9));
        assert_eq!(mean(Format::F64, &[-3.0, -4.0]), -3.5);
        assert!(mean(Format::F64, &[f64::INFINITY, -f64::INFINITY]).is_nan());
    }
}
