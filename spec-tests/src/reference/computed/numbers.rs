//! Numbers, and numpy's arithmetic for each kind of number.

use self::Number::{Complex, Integer, Real};
use super::formats::Format;

/// The number type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Integers with this number of bits, signed or unsigned.
    Integer(u32, bool),
    /// 0 or 1.
    Bool,
    Float(Format),
    Complex(Format),
}

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Integer(i128),
    Real(f64),
    Complex(f64, f64),
}

impl Number {
    /// Returns the real and the imaginary part.
    pub fn parts(self) -> (f64, f64) {
        match self {
            Integer(value) => (value as f64, 0.0),
            Real(value) => (value, 0.0),
            Complex(re, im) => (re, im),
        }
    }

    pub fn negated(self) -> Number {
        match self {
            Integer(value) => Integer(-value),
            Real(value) => Real(-value),
            Complex(re, im) => Complex(-re, -im),
        }
    }
}

impl Kind {
    pub fn size(self) -> usize {
        match self {
            Kind::Integer(bits, _) => bits as usize / 8,
            Kind::Bool => 1,
            Kind::Float(format) => format.size(),
            Kind::Complex(format) => 2 * format.size(),
        }
    }

    pub fn read(self, bytes: &[u8]) -> Number {
        match self {
            Kind::Integer(bits, signed) => {
                let value = bytes.iter().rev().fold(0i128, |value, &byte| value << 8 | i128::from(byte));
                Integer(if signed && value >> (bits - 1) == 1 { value - (1 << bits) } else { value })
            }
            Kind::Bool => Integer(i128::from(bytes[0] != 0)),
            Kind::Float(format) => Real(format.read(bytes)),
            Kind::Complex(format) => {
                let (re, im) = bytes.split_at(format.size());
                Complex(format.read(re), format.read(im))
            }
        }
    }

    pub fn write(self, number: Number) -> Vec<u8> {
        match (self, number) {
            (Kind::Float(format), Real(value)) => format.write(value),
            (Kind::Complex(format), Complex(re, im)) => [format.write(re), format.write(im)].concat(),
            (_, Integer(value)) => value.to_le_bytes()[..self.size()].to_vec(),
            _ => unreachable!("a number of another kind"),
        }
    }

    /// Returns a number as it is stored: integers wrap, and any `bool` except 0 becomes 1.
    pub(super) fn stored(self, number: Number) -> Number {
        match (self, number) {
            (Kind::Bool, Integer(value)) => Integer(i128::from(value != 0)),
            (Kind::Integer(..), _) => self.read(&self.write(number)),
            _ => number,
        }
    }

    /// Converts a float to this kind as numpy does. For integers, it rounds down if `floored`, otherwise to the nearest integer,
    /// and ties to even. If a value does not fit an integer, the result is that of numpy on x86-64.
    pub fn of_float(self, number: Number, floored: bool) -> Number {
        let value = number.parts().0;
        let whole = if floored { value.floor() } else { value.round_ties_even() };
        let within = |bits: u32| {
            let limit = 2f64.powi(bits as i32 - 1);
            if whole >= -limit && whole < limit { whole as i128 } else { -(1 << (bits - 1)) }
        };
        match self {
            Kind::Bool => Integer(i128::from(value != 0.0)),
            Kind::Integer(8 | 16, _) | Kind::Integer(32, true) => self.stored(Integer(within(32))),
            Kind::Integer(64, false) if whole >= 2f64.powi(63) => {
                let above = whole - 2f64.powi(63);
                let above = if above < 2f64.powi(63) { above as i128 } else { -(1 << 63) };
                self.stored(Integer(above + (1 << 63)))
            }
            Kind::Integer(..) => self.stored(Integer(within(64))),
            Kind::Float(format) => Real(format.rounded(value)),
            Kind::Complex(format) => Complex(format.rounded(value), format.rounded(number.parts().1)),
        }
    }

    pub(super) fn whole(self, value: f64) -> Number {
        match self {
            Kind::Integer(..) | Kind::Bool => Integer(value as i128),
            Kind::Float(format) => Real(format.rounded(value)),
            Kind::Complex(format) => Complex(format.rounded(value), 0.0),
        }
    }

    pub fn plus(self, a: Number, b: Number) -> Number {
        self.by_part(a, b, |a, b| a + b, |a, b| a + b)
    }

    pub(super) fn minus(self, a: Number, b: Number) -> Number {
        self.by_part(a, b, |a, b| a - b, |a, b| a - b)
    }

    fn by_part(self, a: Number, b: Number, int: fn(i128, i128) -> i128, real: fn(f64, f64) -> f64) -> Number {
        match (self, a, b) {
            (_, Integer(a), Integer(b)) => Integer(int(a, b)),
            (Kind::Float(format), Real(a), Real(b)) => Real(format.rounded(real(a, b))),
            (Kind::Complex(format), Complex(a, c), Complex(b, d)) => {
                Complex(format.rounded(real(a, b)), format.rounded(real(c, d)))
            }
            _ => unreachable!("numbers of other kinds"),
        }
    }

    pub(super) fn times(self, a: Number, b: Number) -> Number {
        match (self, a, b) {
            (_, Integer(a), Integer(b)) => Integer(a * b),
            (Kind::Float(format), Real(a), Real(b)) => Real(format.rounded(a * b)),
            (Kind::Complex(format), Complex(a, b), Complex(c, d)) => {
                let product = |a: f64, b: f64| format.rounded(a * b);
                Complex(
                    format.rounded(product(a, c) - product(b, d)),
                    format.rounded(product(a, d) + product(b, c)),
                )
            }
            _ => unreachable!("numbers of other kinds"),
        }
    }

    /// Divides a number by `steps`. Like numpy, it divides a complex number by `steps + 0i`: it multiplies by the reciprocal.
    pub(super) fn over(self, a: Number, steps: usize) -> Number {
        match (self, a) {
            (Kind::Float(format), Real(a)) => Real(format.rounded(a / format.rounded(steps as f64))),
            (Kind::Complex(format), Complex(re, im)) => {
                let scale = format.rounded(1.0 / format.rounded(steps as f64));
                Complex(
                    format.rounded(format.rounded(re + im * 0.0) * scale),
                    format.rounded(format.rounded(im - re * 0.0) * scale),
                )
            }
            _ => unreachable!("only floats are divided"),
        }
    }
}

pub(super) fn is_nan(number: Number) -> bool {
    let (re, im) = number.parts();
    re.is_nan() || im.is_nan()
}

/// Returns whether `a` is less than `b`. Complex numbers compare by real parts, and then by imaginary parts.
pub(super) fn before(a: Number, b: Number) -> bool {
    match (a, b) {
        (Integer(a), Integer(b)) => a < b,
        _ => {
            let ((a_re, a_im), (b_re, b_im)) = (a.parts(), b.parts());
            a_re < b_re || a_re == b_re && a_im < b_im
        }
    }
}

/// Returns a key that sorts complex numbers with NaNs. Numbers without NaN come first. Then follow those with NaN in the
/// imaginary part, in the real part, and in both.
pub(super) fn order(number: Number) -> (u8, f64, f64) {
    let (re, im) = number.parts();
    let plain = |part: f64| if part.is_nan() { 0.0 } else { part };
    (u8::from(re.is_nan()) * 2 + u8::from(im.is_nan()), plain(re), plain(im))
}
