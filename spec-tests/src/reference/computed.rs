//! Computed borders, one axis after the other, each on a tensor of its own.
//!
//! To pad an axis by a computed mode, every line along it becomes a line with borders. With `x` the elements of a line, `e` an end value
//! and `w` the width of a border:
//!
//! | mode | low border, outermost first | high border, outermost last |
//! |---|---|---|
//! | ramp | `e + k (x[0] - e) / w`, k = 0.. | the same of the last element, in reverse |
//! | statistic | that of the first elements | that of the last elements |
//! | odd | `2 x[0] - x[k]`, k = 1.. from the inside; with the edge repeated k = 0.. | likewise about the last |
//! | constant | the value | the value |
//!
//! Arithmetic is that of numpy: integers wrap, their statistics and ramps go by way of `f64`, floats round after every operation. The
//! mean of floats is the exact one, rounded once.

/// The numbers of a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Integers of so many bits, with or without a sign.
    Integer(u32, bool),
    /// 0 or 1.
    Bool,
    /// Floats.
    Float(Format),
    /// Two floats.
    Complex(Format),
}

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

/// What borders are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// Ramps, in double precision or in that of the data.
    Ramp {
        /// In double precision.
        double: bool,
    },
    /// The largest.
    Maximum,
    /// The mean.
    Mean,
    /// The middle one.
    Median,
    /// The smallest.
    Minimum,
    /// Odd reflections.
    Odd {
        /// Whether the edge is part of the image.
        repeats_edge: bool,
    },
    /// Constants.
    Constant,
    /// Nothing, here zeros.
    Empty,
}

/// A request, with one entry per axis in every list that its mode asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The mode.
    pub mode: Mode,
    /// Elements added before and after.
    pub widths: Vec<(usize, usize)>,
    /// Elements that statistics are made of, at most; none for all.
    pub lengths: Vec<(Option<usize>, Option<usize>)>,
    /// End values, real and imaginary.
    pub ends: Vec<([f64; 2], [f64; 2])>,
    /// Constants as bytes.
    pub constants: Vec<(Vec<u8>, Vec<u8>)>,
}

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Integer(i128),
    Real(f64),
    Complex(f64, f64),
}
use self::Number::{Complex, Integer, Real};

/// The shape and the elements that `request` makes of a tensor, or why it is refused.
pub fn pad(
    request: &Request,
    kind: Kind,
    shape: &[usize],
    data: &[u8],
) -> Result<(Vec<usize>, Vec<u8>), &'static str> {
    let extends = |axis: usize| request.widths[axis] != (0, 0);
    if !matches!(request.mode, Mode::Constant | Mode::Empty) && shape.contains(&0) {
        if (0..shape.len()).any(|axis| shape[axis] == 0 && extends(axis)) {
            return Err("an empty axis is extended");
        }
        let widened =
            (0..shape.len()).map(|axis| shape[axis] + request.widths[axis].0 + request.widths[axis].1);
        return Ok((widened.collect(), Vec::new()));
    }
    let mut shape = shape.to_vec();
    let bytes = data.chunks_exact(kind.size());
    // What is copied is bytes: not a number, for NaNs have bits of their own.
    let made = if matches!(request.mode, Mode::Constant | Mode::Empty) {
        let elements = bytes.map(<[u8]>::to_vec).collect();
        axis_by_axis(&mut shape, elements, request, |axis, lines| Ok(copied(request, kind, axis, lines)))?
            .concat()
    } else {
        let elements = bytes.map(|bytes| kind.read(bytes)).collect();
        let made =
            axis_by_axis(&mut shape, elements, request, |axis, lines| borders(request, kind, axis, lines))?;
        made.iter().flat_map(|&element| kind.write(element)).collect()
    };
    Ok((shape, made))
}

/// The elements after all axes, from the outermost to the innermost, of which `borders` extends the lines of one.
fn axis_by_axis<T: Clone>(
    shape: &mut [usize],
    mut elements: Vec<T>,
    request: &Request,
    borders: impl Fn(usize, &[Vec<T>]) -> Result<Vec<Vec<T>>, &'static str>,
) -> Result<Vec<T>, &'static str> {
    for axis in 0..shape.len() {
        let after: usize = shape[axis + 1..].iter().product();
        let before: usize = shape[..axis].iter().product();
        let length = shape[axis];
        let lines: Vec<Vec<T>> = (0..before * after)
            .map(|line| {
                let start = line / after * after * length + line % after;
                (0..length).map(|index| elements[start + index * after].clone()).collect()
            })
            .collect();
        let lines = borders(axis, &lines)?;
        shape[axis] += request.widths[axis].0 + request.widths[axis].1;
        let total = before * after * shape[axis];
        elements = (0..total)
            .map(|place| {
                let (outer, rest) = (place / (after * shape[axis]), place % (after * shape[axis]));
                lines[outer * after + rest % after][rest / after].clone()
            })
            .collect();
    }
    Ok(elements)
}

/// The lines of an axis with borders of constants, or of zeros.
fn copied(request: &Request, kind: Kind, axis: usize, lines: &[Vec<Vec<u8>>]) -> Vec<Vec<Vec<u8>>> {
    let (low, high) = request.widths[axis];
    let zero = vec![0; kind.size()];
    let (before, after) = match request.mode {
        Mode::Constant => request.constants[axis].clone(),
        _ => (zero.clone(), zero),
    };
    let extended =
        |line: &Vec<Vec<u8>>| [vec![before.clone(); low], line.clone(), vec![after.clone(); high]].concat();
    lines.iter().map(extended).collect()
}

/// The lines of an axis with their borders.
fn borders(
    request: &Request,
    kind: Kind,
    axis: usize,
    lines: &[Vec<Number>],
) -> Result<Vec<Vec<Number>>, &'static str> {
    let (low, high) = request.widths[axis];
    let mut made = Vec::new();
    match request.mode {
        Mode::Constant | Mode::Empty => unreachable!("copied"),
        Mode::Maximum | Mode::Minimum | Mode::Mean | Mode::Median => {
            let (first, last) = request.lengths[axis];
            let extreme = matches!(request.mode, Mode::Maximum | Mode::Minimum);
            if extreme && (first == Some(0) || last == Some(0)) {
                return Err("an extreme of nothing");
            }
            for line in lines {
                let first = first.unwrap_or(line.len()).min(line.len());
                let last = last.unwrap_or(line.len()).min(line.len());
                let of = |width: usize, part: &[Number]| match width {
                    0 => Ok(Vec::new()),
                    _ => Ok(vec![statistic(request.mode, kind, part)?; width]),
                };
                let (before, after) = (of(low, &line[..first])?, of(high, &line[line.len() - last..])?);
                made.push([before, line.clone(), after].concat());
            }
        }
        Mode::Ramp { double } => {
            let (start, end) = request.ends[axis];
            let before = ramps(kind, double, start, low, lines.iter().map(|line| line[0]))?;
            let after = ramps(kind, double, end, high, lines.iter().map(|line| line[line.len() - 1]))?;
            for ((line, before), mut after) in lines.iter().zip(before).zip(after) {
                after.reverse();
                made.push([before, line.clone(), after].concat());
            }
        }
        Mode::Odd { repeats_edge } => {
            made.extend(lines.iter().map(|line| odd(kind, repeats_edge, low, line, high)));
        }
    }
    Ok(made)
}

/// Reflections about the ends of what is there, whole periods at a time, until the borders are long enough.
fn odd(kind: Kind, repeats_edge: bool, low: usize, line: &[Number], high: usize) -> Vec<Number> {
    let period = line.len();
    if period == 1 {
        return vec![line[0]; low + 1 + high];
    }
    let (mut low, mut high) = (low, high);
    let mut line = line.to_vec();
    while low + high > 0 {
        // The most that can be mirrored: repeated edges are images, too.
        let most = if repeats_edge {
            line.len() / period * period
        } else {
            (line.len() - 1) / (period - 1) * (period - 1)
        };
        let skip = usize::from(!repeats_edge);
        let turned = |about: Number, image: Number| {
            let twice = kind.times(kind.whole(2.0), about);
            kind.stored(kind.minus(twice, image))
        };
        let before: Vec<_> =
            line.iter().skip(skip).take(most.min(low)).map(|&image| turned(line[0], image)).collect();
        let about = line[line.len() - 1];
        let after: Vec<_> =
            line.iter().rev().skip(skip).take(most.min(high)).map(|&image| turned(about, image)).collect();
        (low, high) = (low - before.len(), high - after.len());
        line = before.into_iter().rev().chain(line).chain(after).collect();
    }
    line
}

/// The ramps to `end` from all edges of a side: numpy computes them otherwise if a step of any is zero.
fn ramps(
    kind: Kind,
    double: bool,
    end: [f64; 2],
    width: usize,
    edges: impl Iterator<Item = Number>,
) -> Result<Vec<Vec<Number>>, &'static str> {
    let working = match kind {
        Kind::Integer(..) | Kind::Bool => Kind::Float(Format::F64),
        Kind::Float(_) if double => Kind::Float(Format::F64),
        Kind::Complex(_) if double => Kind::Complex(Format::F64),
        own => own,
    };
    let end = match working {
        Kind::Complex(format) => Complex(format.rounded(end[0]), format.rounded(end[1])),
        Kind::Float(_) if end[1] != 0.0 => return Err("a complex end for real data"),
        Kind::Float(format) => Real(format.rounded(end[0])),
        _ => unreachable!("ramps are computed in floats"),
    };
    let widen = |number: Number| match number {
        Integer(value) => Real(value as f64),
        other => other,
    };
    let deltas: Vec<Number> = edges.map(|edge| working.minus(widen(edge), end)).collect();
    if width == 0 {
        return Ok(vec![Vec::new(); deltas.len()]);
    }
    let steps: Vec<Number> = deltas.iter().map(|&delta| working.over(delta, width)).collect();
    let any_zero = steps.iter().any(|&step| matches!(step, Real(0.0) | Complex(0.0, 0.0)));
    let ramp = |(&delta, &step): (&Number, &Number)| {
        let position = |k: usize| {
            let k = working.whole(k as f64);
            let way =
                if any_zero { working.times(working.over(k, width), delta) } else { working.times(k, step) };
            kind.of_float(working.plus(way, end), true)
        };
        (0..width).map(position).collect()
    };
    Ok(deltas.iter().zip(&steps).map(ramp).collect())
}

fn statistic(mode: Mode, kind: Kind, of: &[Number]) -> Result<Number, &'static str> {
    let nan = match kind {
        Kind::Float(_) => Some(Real(f64::NAN)),
        Kind::Complex(_) => Some(Complex(f64::NAN, f64::NAN)),
        _ => None,
    };
    if of.is_empty() {
        return match kind {
            Kind::Bool => Ok(Integer(1)),
            _ => nan.ok_or("a statistic of no integers"),
        };
    }
    if let (Some(nan), true) = (nan, of.iter().any(|&number| is_nan(number))) {
        match kind {
            Kind::Float(_) => return Ok(nan),
            // The first number with a NaN is an extreme, the last in order the median.
            _ if matches!(mode, Mode::Maximum | Mode::Minimum) => {
                return Ok(*of.iter().find(|&&number| is_nan(number)).expect("there is one"));
            }
            _ if mode == Mode::Median => {
                let last =
                    of.iter().copied().max_by(|&a, &b| order(a).partial_cmp(&order(b)).expect("no NaN"));
                return Ok(last.expect("there is one"));
            }
            _ => {}
        }
    }
    Ok(match mode {
        Mode::Maximum | Mode::Minimum => {
            let mut best = of[0];
            for &number in &of[1..] {
                let more = match (best, number) {
                    // Of zeros the positive one is the larger.
                    (Real(a), Real(b)) if a == b => !a.is_sign_positive() & b.is_sign_positive(),
                    _ => before(best, number),
                };
                let less = match (best, number) {
                    (Real(a), Real(b)) if a == b => a.is_sign_positive() & !b.is_sign_positive(),
                    _ => before(number, best),
                };
                if if mode == Mode::Maximum { more } else { less } {
                    best = number;
                }
            }
            best
        }
        Mode::Mean => match kind {
            Kind::Integer(..) | Kind::Bool => {
                let sum: i128 =
                    of.iter().map(|&number| if let Integer(value) = number { value } else { 0 }).sum();
                kind.of_float(Real(sum as f64 / of.len() as f64), false)
            }
            Kind::Float(format) => {
                Real(mean(format, &of.iter().map(|&number| parts(number).0).collect::<Vec<_>>()))
            }
            Kind::Complex(format) => {
                let re = mean(format, &of.iter().map(|&number| parts(number).0).collect::<Vec<_>>());
                let im = mean(format, &of.iter().map(|&number| parts(number).1).collect::<Vec<_>>());
                // A division by a complex number without an imaginary part.
                Complex(re + im * 0.0, im - re * 0.0)
            }
        },
        Mode::Median => {
            let mut sorted = of.to_vec();
            sorted.sort_by(|&a, &b| {
                use std::cmp::Ordering::{Equal, Greater, Less};
                match (before(a, b), before(b, a)) {
                    (true, _) => Less,
                    (_, true) => Greater,
                    _ => Equal,
                }
            });
            let (lower, upper) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
            let is_one = sorted.len() % 2 == 1;
            match kind {
                Kind::Integer(..) | Kind::Bool => {
                    let value = |number: Number| if let Integer(value) = number { value as f64 } else { 0.0 };
                    let middle = if is_one { value(upper) } else { (value(lower) + value(upper)) / 2.0 };
                    kind.of_float(Real(middle), false)
                }
                Kind::Float(_) if is_one => upper,
                // numpy adds up numbers of two bytes as f32.
                Kind::Float(format) if format.size() == 2 => {
                    let sum = parts(lower).0 as f32 + parts(upper).0 as f32;
                    Real(format.rounded(f64::from(sum / 2.0)))
                }
                _ if is_one => kind.over(upper, 1),
                _ => kind.over(kind.plus(lower, upper), 2),
            }
        }
        _ => unreachable!("the mode is no statistic"),
    })
}

fn parts(number: Number) -> (f64, f64) {
    match number {
        Integer(value) => (value as f64, 0.0),
        Real(value) => (value, 0.0),
        Complex(re, im) => (re, im),
    }
}

fn is_nan(number: Number) -> bool {
    let (re, im) = parts(number);
    re.is_nan() || im.is_nan()
}

/// Whether `a` is less than `b`: complex numbers by their real parts, and where these are equal by their imaginary ones.
fn before(a: Number, b: Number) -> bool {
    match (a, b) {
        (Integer(a), Integer(b)) => a < b,
        _ => {
            let ((a_re, a_im), (b_re, b_im)) = (parts(a), parts(b));
            a_re < b_re || a_re == b_re && a_im < b_im
        }
    }
}

/// The place of a complex number among those with NaNs.
fn order(number: Number) -> (u8, f64, f64) {
    let (re, im) = parts(number);
    let plain = |part: f64| if part.is_nan() { 0.0 } else { part };
    (u8::from(re.is_nan()) * 2 + u8::from(im.is_nan()), plain(re), plain(im))
}

impl Kind {
    fn size(self) -> usize {
        match self {
            Kind::Integer(bits, _) => bits as usize / 8,
            Kind::Bool => 1,
            Kind::Float(format) => format.size(),
            Kind::Complex(format) => 2 * format.size(),
        }
    }

    fn read(self, bytes: &[u8]) -> Number {
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

    fn write(self, number: Number) -> Vec<u8> {
        match (self, number) {
            (Kind::Float(format), Real(value)) => format.write(value),
            (Kind::Complex(format), Complex(re, im)) => [format.write(re), format.write(im)].concat(),
            (_, Integer(value)) => value.to_le_bytes()[..self.size()].to_vec(),
            _ => unreachable!("a number of another kind"),
        }
    }

    /// A number as it is stored: integers wrap, and of bool all are 1 but 0.
    fn stored(self, number: Number) -> Number {
        match (self, number) {
            (Kind::Bool, Integer(value)) => Integer(i128::from(value != 0)),
            (Kind::Integer(..), _) => self.read(&self.write(number)),
            _ => number,
        }
    }

    /// numpy's cast of a float to this kind, `floored` or else rounded to even before. What an integer cannot hold is what x86-64 makes of it.
    fn of_float(self, number: Number, floored: bool) -> Number {
        let value = parts(number).0;
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
            Kind::Complex(format) => Complex(format.rounded(value), format.rounded(parts(number).1)),
        }
    }

    fn whole(self, value: f64) -> Number {
        match self {
            Kind::Integer(..) | Kind::Bool => Integer(value as i128),
            Kind::Float(format) => Real(format.rounded(value)),
            Kind::Complex(format) => Complex(format.rounded(value), 0.0),
        }
    }

    fn plus(self, a: Number, b: Number) -> Number {
        self.by_parts(a, b, |a, b| a + b, |a, b| a + b)
    }

    fn minus(self, a: Number, b: Number) -> Number {
        self.by_parts(a, b, |a, b| a - b, |a, b| a - b)
    }

    fn by_parts(
        self,
        a: Number,
        b: Number,
        integers: fn(i128, i128) -> i128,
        floats: fn(f64, f64) -> f64,
    ) -> Number {
        match (self, a, b) {
            (_, Integer(a), Integer(b)) => Integer(integers(a, b)),
            (Kind::Float(format), Real(a), Real(b)) => Real(format.rounded(floats(a, b))),
            (Kind::Complex(format), Complex(a, c), Complex(b, d)) => {
                Complex(format.rounded(floats(a, b)), format.rounded(floats(c, d)))
            }
            _ => unreachable!("numbers of other kinds"),
        }
    }

    fn times(self, a: Number, b: Number) -> Number {
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

    /// Complex numbers are divided by `steps + 0i`, by way of its reciprocal.
    fn over(self, a: Number, steps: usize) -> Number {
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

impl Format {
    fn size(self) -> usize {
        match self {
            Format::F16 | Format::BF16 => 2,
            Format::F32 => 4,
            Format::F64 => 8,
        }
    }

    /// Bits behind the point, and bits of the exponent.
    fn bits(self) -> (i32, i32) {
        match self {
            Format::F16 => (10, 5),
            Format::BF16 => (7, 8),
            Format::F32 => (23, 8),
            Format::F64 => (52, 11),
        }
    }

    fn read(self, bytes: &[u8]) -> f64 {
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

    /// The bits of a number that is one of the format. NaNs are all the same.
    fn code(self, value: f64) -> u64 {
        let (mantissa, exponent) = self.bits();
        let sign = u64::from(value.is_sign_negative()) << (mantissa + exponent);
        let all = ((1u64 << exponent) - 1) << mantissa;
        if value.is_nan() {
            return all | 1 << (mantissa - 1);
        }
        if value.is_infinite() {
            return sign | all;
        }
        // The largest code whose number is not above it.
        let (mut low, mut high) = (0, all - 1);
        while low < high {
            let middle = (low + high).div_ceil(2);
            let number = self.read(&middle.to_le_bytes()[..self.size()]);
            if number <= value.abs() { low = middle } else { high = middle - 1 }
        }
        sign | low
    }

    fn write(self, value: f64) -> Vec<u8> {
        let code = if self == Format::F64 && !value.is_nan() { value.to_bits() } else { self.code(value) };
        code.to_le_bytes()[..self.size()].to_vec()
    }

    /// The number of the format that is nearest, of two the one with an even code.
    fn rounded(self, value: f64) -> f64 {
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

/// The exact mean, rounded once.
fn mean(format: Format, of: &[f64]) -> f64 {
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

    #[test]
    fn numpys_examples() {
        let request = |mode, widths: (usize, usize)| Request {
            mode,
            widths: vec![widths],
            lengths: vec![(None, None)],
            ends: vec![([5.0, 0.0], [-4.0, 0.0])],
            constants: Vec::new(),
        };
        let pad = |mode, widths| {
            let (_, bytes) =
                pad(&request(mode, widths), Kind::Integer(8, true), &[5], &[1, 2, 3, 4, 5]).expect("padded");
            bytes.into_iter().map(|byte| byte as i8).collect::<Vec<_>>()
        };
        assert_eq!(pad(Mode::Ramp { double: true }, (2, 3)), [5, 3, 1, 2, 3, 4, 5, 2, -1, -4]);
        assert_eq!(pad(Mode::Mean, (2, 2)), [3, 3, 1, 2, 3, 4, 5, 3, 3]);
        assert_eq!(pad(Mode::Median, (2, 2)), [3, 3, 1, 2, 3, 4, 5, 3, 3]);
        assert_eq!(pad(Mode::Odd { repeats_edge: false }, (2, 3)), [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(pad(Mode::Odd { repeats_edge: true }, (2, 3)), [0, 1, 1, 2, 3, 4, 5, 5, 6, 7]);
    }
}
