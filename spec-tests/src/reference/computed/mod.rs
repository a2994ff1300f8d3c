//! Computed borders. This module pads one axis after another, each time into a new tensor.
//!
//! A line holds all elements along the axis whose positions on the other axes are equal. Every line gets borders. `x` are the
//! elements of the line, `e` is an end value, and `w` is the width of a border. `k` counts from the interior outwards, except in
//! ramps:
//!
//! | mode | low border | high border |
//! |---|---|---|
//! | ramp | `e + k (x[0] - e) / w`, k = 0.. from the outermost position | the mirrored formula with the last element |
//! | statistic | the statistic of the first elements | the statistic of the last elements |
//! | statistic without NaN | the statistic of the first elements that are not NaN | that of the last elements that are not NaN |
//! | smooth | `x[0] + k (x[0] - x[1])`, k = 1..; `x[0]` if there is no `x[1]` | the mirrored formula with the last elements |
//! | odd | `2 x[0] - x[k]`, k = 1..; with the edge repeated k = 0.. | the mirrored formula with the last element |
//! | constant | the value | the value |
//!
//! The arithmetic is numpy's. Integers wrap, and their statistics and ramps use `f64`. Floats round after every operation. Means
//! add in numpy's order, which depends on the strides of a line. Smooth borders round the step to the type, and then use `f64`.

mod formats;
mod lines;
mod means;
mod numbers;
mod requests;

pub use formats::Format;
pub use numbers::{Kind, Number};
pub use requests::{Mode, Refusal, Request, Statistic};

use lines::borders;

/// Returns the shape and the elements that `request` makes of a tensor, or the first axis that is refused and the reason.
pub fn pad(
    request: &Request,
    kind: Kind,
    shape: &[usize],
    data: &[u8],
) -> Result<(Vec<usize>, Vec<u8>), (usize, Refusal)> {
    let padded: Vec<usize> =
        shape.iter().zip(&request.widths).map(|(n, (low, high))| low + n + high).collect();
    if !matches!(request.mode, Mode::Constant | Mode::Empty) && shape.contains(&0) {
        let extended = (0..shape.len()).find(|&axis| shape[axis] == 0 && padded[axis] > 0);
        return extended.map_or(Ok((padded, Vec::new())), |axis| Err((axis, Refusal::EmptyAxis)));
    }
    // Copied elements are read as integers, because a NaN must keep its bits.
    let kind = match request.mode {
        Mode::Constant | Mode::Empty => Kind::Integer(8 * kind.size() as u32, false),
        _ => kind,
    };
    let row_major = |axis: usize| padded[axis + 1..].iter().product::<usize>();
    let distance = |axis: usize| match &request.strides {
        Some(strides) => strides[axis].unsigned_abs(),
        None => row_major(axis),
    };
    let elements = data.chunks_exact(kind.size()).map(|bytes| kind.read(bytes)).collect();
    let made = axis_by_axis(shape, elements, request, |axis, lines| {
        let length = |other: usize| if other < axis { padded[other] } else { shape[other] };
        let is_innermost = (0..padded.len())
            .filter(|&other| other != axis && length(other) > 1)
            .all(|other| distance(other) >= distance(axis));
        borders(request, kind, axis, is_innermost, lines)
    })?;
    Ok((padded, made.iter().flat_map(|&element| kind.write(element)).collect()))
}

/// Pads the axes from the outermost to the innermost, and returns all elements. `borders` extends the lines of one axis.
fn axis_by_axis(
    shape: &[usize],
    mut elements: Vec<Number>,
    request: &Request,
    borders: impl Fn(usize, &[Vec<Number>]) -> Result<Vec<Vec<Number>>, Refusal>,
) -> Result<Vec<Number>, (usize, Refusal)> {
    let mut shape = shape.to_vec();
    for axis in 0..shape.len() {
        let after: usize = shape[axis + 1..].iter().product();
        let before: usize = shape[..axis].iter().product();
        let length = shape[axis];
        let lines: Vec<Vec<Number>> = (0..before * after)
            .map(|line| {
                let start = line / after * after * length + line % after;
                (0..length).map(|index| elements[start + index * after]).collect()
            })
            .collect();
        let lines = borders(axis, &lines).map_err(|reason| (axis, reason))?;
        shape[axis] += request.widths[axis].0 + request.widths[axis].1;
        let total = before * after * shape[axis];
        elements = (0..total)
            .map(|place| {
                let (outer, rest) = (place / (after * shape[axis]), place % (after * shape[axis]));
                lines[outer * after + rest % after][rest / after]
            })
            .collect();
    }
    Ok(elements)
}
