//! Extends the lines along an axis by their borders.

use super::formats::Format;
use super::means::sum;
use super::numbers::Number::{Complex, Integer, Real};
use super::numbers::{Kind, Number, before, is_nan, order};
use super::requests::{Mode, Refusal, Request, Statistic};

/// Returns the lines of an axis with their borders.
pub(super) fn borders(
    request: &Request,
    kind: Kind,
    axis: usize,
    is_innermost: bool,
    lines: &[Vec<Number>],
) -> Result<Vec<Vec<Number>>, Refusal> {
    let (low, high) = request.widths[axis];
    let mut made = Vec::new();
    match request.mode {
        Mode::Constant | Mode::Empty => {
            let zero = vec![0; kind.size()];
            let (before, after) =
                request.constants.get(axis).map_or((&zero, &zero), |(low, high)| (low, high));
            let (before, after) = (vec![kind.read(before); low], vec![kind.read(after); high]);
            made.extend(lines.iter().map(|line| [&before[..], line, &after].concat()));
        }
        Mode::Statistic { of, skips_nan } => {
            let (first, last) = request.lengths[axis];
            let is_extreme = matches!(of, Statistic::Maximum | Statistic::Minimum);
            if is_extreme && (first == Some(0) || last == Some(0)) {
                return Err(Refusal::EmptyStatistic);
            }
            let value = |part: &[Number]| match skips_nan {
                true => without_nan(of, kind, is_innermost, part),
                false => statistic(of, kind, is_innermost, part),
            };
            for line in lines {
                let first = first.unwrap_or(line.len()).min(line.len());
                let last = last.unwrap_or(line.len()).min(line.len());
                let of = |width: usize, part: &[Number]| match width {
                    0 => Ok(Vec::new()),
                    _ => Ok(vec![value(part)?; width]),
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
        Mode::Smooth => {
            for line in lines {
                let mut backward = line.clone();
                backward.reverse();
                let mut before = smooth(kind, line, low);
                before.reverse();
                made.push([before, line.clone(), smooth(kind, &backward, high)].concat());
            }
        }
        Mode::Odd { repeats_edge } => {
            made.extend(lines.iter().map(|line| odd(kind, repeats_edge, low, line, high)));
        }
    }
    Ok(made)
}

/// Returns `count` elements before a line, the nearest first. They extrapolate the first two elements of the line linearly.
fn smooth(kind: Kind, line: &[Number], count: usize) -> Vec<Number> {
    let Some(&second) = line.get(1) else { return vec![line[0]; count] };
    let step = kind.stored(kind.minus(line[0], second));
    let working = match kind {
        Kind::Float(_) => Kind::Float(Format::F64),
        Kind::Complex(_) => Kind::Complex(Format::F64),
        integers => integers,
    };
    let at = |k: usize| {
        if let (Integer(first), Integer(second)) = (line[0], second) {
            return kind.stored(Integer(first + k as i128 * (first - second)));
        }
        let value = working.plus(working.times(working.whole(k as f64), step), line[0]);
        kind.of_float(value, false)
    };
    (1..=count).map(at).collect()
}

/// Adds odd reflections at both ends, whole periods at a time, until the borders are long enough.
fn odd(kind: Kind, repeats_edge: bool, low: usize, line: &[Number], high: usize) -> Vec<Number> {
    let period = line.len();
    if period == 1 {
        return vec![line[0]; low + 1 + high];
    }
    let (mut low, mut high) = (low, high);
    let mut line = line.to_vec();
    while low + high > 0 {
        // The number of elements to mirror in this step. With `repeats_edge`, the edge is mirrored, too.
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

/// Returns the ramps from each of `edges` to `end`. If one step is zero, numpy uses another formula for all ramps of the side.
fn ramps(
    kind: Kind,
    double: bool,
    end: [f64; 2],
    width: usize,
    edges: impl Iterator<Item = Number>,
) -> Result<Vec<Vec<Number>>, Refusal> {
    let working = match kind {
        Kind::Integer(..) | Kind::Bool => Kind::Float(Format::F64),
        Kind::Float(_) if double => Kind::Float(Format::F64),
        Kind::Complex(_) if double => Kind::Complex(Format::F64),
        own => own,
    };
    let end = match working {
        Kind::Complex(format) => Complex(format.rounded(end[0]), format.rounded(end[1])),
        Kind::Float(_) if end[1] != 0.0 => return Err(Refusal::ComplexEnd),
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

/// Returns the statistic of the elements that are not NaN. If all elements are NaN, it is the mean of no elements.
fn without_nan(mode: Statistic, kind: Kind, is_innermost: bool, of: &[Number]) -> Result<Number, Refusal> {
    let present: Vec<Number> = of.iter().copied().filter(|&number| !is_nan(number)).collect();
    if mode == Statistic::Mean && !present.is_empty() {
        // A NaN counts as zero in the sum, and does not count in the number of elements.
        let zero = if let Kind::Complex(_) = kind { Complex(0.0, 0.0) } else { Real(0.0) };
        let of: Vec<Number> = of.iter().map(|&number| if is_nan(number) { zero } else { number }).collect();
        return Ok(mean(kind, is_innermost, &of, present.len()));
    }
    statistic(if present.is_empty() { Statistic::Mean } else { mode }, kind, is_innermost, &present)
}

fn statistic(mode: Statistic, kind: Kind, is_innermost: bool, of: &[Number]) -> Result<Number, Refusal> {
    let nan = match kind {
        Kind::Float(_) => Some(Real(f64::NAN)),
        Kind::Complex(_) => Some(Complex(f64::NAN, f64::NAN)),
        _ => None,
    };
    if of.is_empty() {
        return match kind {
            Kind::Bool => Ok(Integer(1)),
            _ => nan.ok_or(Refusal::EmptyStatistic),
        };
    }
    if let (Some(nan), true) = (nan, of.iter().any(|&number| is_nan(number))) {
        match kind {
            Kind::Float(_) => return Ok(nan),
            // Among complex numbers, the first with a NaN is the extreme. The last one in the order of [`order`] is the median.
            _ if matches!(mode, Statistic::Maximum | Statistic::Minimum) => {
                return Ok(*of.iter().find(|&&number| is_nan(number)).expect("there is one"));
            }
            _ if mode == Statistic::Median => {
                let last =
                    of.iter().copied().max_by(|&a, &b| order(a).partial_cmp(&order(b)).expect("no NaN"));
                return Ok(last.expect("there is one"));
            }
            _ => {}
        }
    }
    Ok(match mode {
        Statistic::Maximum | Statistic::Minimum => {
            // The larger of two zeros is the positive one.
            let less = |a: Number, b: Number| match (a, b) {
                (Real(a), Real(b)) if a == b => a.is_sign_negative() && b.is_sign_positive(),
                _ => before(a, b),
            };
            let better = |a, b| if mode == Statistic::Maximum { less(a, b) } else { less(b, a) };
            let best =
                of.iter().copied().reduce(|best, number| if better(best, number) { number } else { best });
            best.expect("there is one")
        }
        Statistic::Mean => mean(kind, is_innermost, of, of.len()),
        Statistic::Median => {
            let mut sorted = of.to_vec();
            sorted.sort_by(|&a, &b| before(b, a).cmp(&before(a, b)));
            let (lower, upper) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
            let is_one = sorted.len() % 2 == 1;
            match kind {
                Kind::Integer(..) | Kind::Bool => {
                    let (lower, upper) = (lower.parts().0, upper.parts().0);
                    let middle = if is_one { upper } else { (lower + upper) / 2.0 };
                    kind.of_float(Real(middle), false)
                }
                Kind::Float(_) if is_one => upper,
                // numpy adds numbers of two bytes in `f32`.
                Kind::Float(format) if format.size() == 2 => {
                    let sum = lower.parts().0 as f32 + upper.parts().0 as f32;
                    Real(format.rounded(f64::from(sum / 2.0)))
                }
                _ if is_one => kind.over(upper, 1),
                _ => kind.over(kind.plus(lower, upper), 2),
            }
        }
    })
}

/// Returns the mean: the sum of `of`, divided by `count`.
fn mean(kind: Kind, is_innermost: bool, of: &[Number], count: usize) -> Number {
    let all = |part: fn(Number) -> f64, working: Format, lanes: usize, is_converted: bool| {
        let of: Vec<f64> = of.iter().map(|&number| working.rounded(part(number))).collect();
        sum(working, &of, is_innermost.then_some(lanes), is_converted)
    };
    let real = |format: Format, is_converted: bool| {
        all(|number| number.parts().0, format, 8, is_converted) / count as f64
    };
    match kind {
        Kind::Integer(..) | Kind::Bool => kind.of_float(Real(real(Format::F64, true)), false),
        Kind::Float(format) if format.size() == 2 => {
            Real(format.rounded(Format::F32.rounded(real(Format::F32, true))))
        }
        Kind::Float(format) => Real(format.rounded(real(format, false))),
        Kind::Complex(format) => {
            let re = all(|number| number.parts().0, format, 4, false);
            let im = all(|number| number.parts().1, format, 4, false);
            let (re, im) = Kind::Complex(Format::F64).over(Complex(re, im), count).parts();
            Complex(format.rounded(re), format.rounded(im))
        }
    }
}
