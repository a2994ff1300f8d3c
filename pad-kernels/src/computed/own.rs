//! Computes borders with a closure of the caller.

use alloc::vec::Vec;

use super::PerSide;
use crate::element::Element;
use crate::error::PadError;
use crate::run::PadPlan;
use crate::spec::{AxisPad, PadMode, PadSpec, Pads};

/// Pads a tensor with borders that the closure `statistic` computes.
///
/// The closure computes one value for each border of each line along an axis. It receives the elements next to the border, in their order:
/// as many as `lengths` says, or the whole line for `None`. The function pads the outermost axis first, as for all [computed
/// borders](crate::guide::computed).
///
/// ```
/// use pad_kernels::computed::{PerSide, pad_statistic};
/// // Computes the middle of the range of the three elements next to each border.
/// let middle = |line: &[f64]| {
///     let (least, most) = line.iter().fold((f64::MAX, f64::MIN), |(least, most), &x| (x.min(least), x.max(most)));
///     (least + most) / 2.0
/// };
/// let padded = pad_statistic(&[1.0, 9.0, 2.0, 4.0], &[4], &[(1, 2)], &PerSide::all(Some(3)), middle)?;
/// assert_eq!(padded, [5.0, 1.0, 9.0, 2.0, 4.0, 5.5, 5.5]);
/// // One pair of widths applies to every axis.
/// let padded = pad_statistic(&[1, 3], &[1, 2], &[(0, 1)], &PerSide::default(), |line| line[0])?;
/// assert_eq!(padded, [1, 3, 1, 1, 3, 1]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
///
/// # Errors
///
/// - [`PadError::EmptyStatistic`]: The length for a border is 0.
/// - [`PadError::EmptyAxis`]: An axis with a border has no elements.
/// - [`PadError::ArgumentCount`]: The number of widths or lengths is not the number of axes.
/// - The other errors are those of [`pad`](crate::pad) in mode edge.
pub fn pad_statistic<T: Element>(
    src: &[T],
    shape: &[usize],
    widths: &[(usize, usize)],
    lengths: &PerSide<Option<usize>>,
    mut statistic: impl FnMut(&[T]) -> T,
) -> Result<Vec<T>, PadError> {
    if lengths.0.len() > 1 && lengths.0.len() != shape.len() {
        let (name, given) = ("statistic lengths", lengths.0.len());
        return Err(PadError::ArgumentCount { name, given, shape: shape.len() });
    }
    // One pair applies to every axis.
    let all: Vec<_>;
    let widths = match widths {
        [one] => {
            all = alloc::vec![*one; shape.len()];
            &all[..]
        }
        widths => widths,
    };
    let width = |width: usize| i64::try_from(width).unwrap_or(i64::MAX);
    let edges = widths.iter().map(|&(low, high)| AxisPad::new(width(low), width(high)));
    let edges = PadSpec::new(PadMode::Edge, edges.collect::<Pads>());
    let plan = PadPlan::new::<T>(&edges, shape).map_err(|error| match error {
        PadError::AxisCount { spec: given, shape } => {
            PadError::ArgumentCount { name: "widths", given, shape }
        }
        PadError::EmptyWindow { axis, pad, .. } => PadError::EmptyAxis { axis, pad },
        error => error,
    })?;
    for (axis, &(low, high)) in widths.iter().enumerate() {
        let (first, last) = lengths.get(axis).copied().unwrap_or_default();
        if low > 0 && first == Some(0) || high > 0 && last == Some(0) {
            return Err(PadError::EmptyStatistic { axis });
        }
    }
    let (mut dst, out) = (plan.to_vec(src)?, plan.output_shape());
    let mut line = Vec::new();
    for (axis, &(low, high)) in widths.iter().enumerate() {
        let (first, last) = lengths.get(axis).copied().unwrap_or_default();
        let (len, step) = (shape[axis], out[axis + 1..].iter().product::<usize>());
        let sides = [(0..low, low, first), (low + len..low + len + high, low + len, last)];
        for start in (0..dst.len()).filter(|at| at / step.max(1) % out[axis] == 0) {
            // This pass reads only the interior of the inner axes, because later passes write their borders.
            let inside = (axis + 1..shape.len()).all(|inner| {
                let index = start / out[inner + 1..].iter().product::<usize>() % out[inner];
                (widths[inner].0..widths[inner].0 + shape[inner]).contains(&index)
            });
            for (number, (border, edge, count)) in sides.iter().enumerate() {
                if !inside || border.is_empty() {
                    continue;
                }
                let count = count.unwrap_or(len).min(len);
                let from = if number == 0 { *edge } else { edge - count };
                line.clear();
                line.extend((from..from + count).map(|index| dst[start + index * step]));
                let value = statistic(&line);
                border.clone().for_each(|index| dst[start + index * step] = value);
            }
        }
    }
    Ok(dst)
}
