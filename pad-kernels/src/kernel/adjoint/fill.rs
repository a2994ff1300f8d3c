//! The gradient of the fill: the sum of the output's gradient over all positions that are fill.

use super::number::{BF16, F16, F32, F64, Number, U8, U16, U32, U64};
use crate::dtype::DType;
use crate::plan::adjoint::Numbers;
use crate::plan::axis::Axis;
use crate::plan::form::Segment;

/// Writes the gradient of the fill to `fill`. The function sums one axis after another, from the innermost outwards. Offsets
/// count bytes. The first element of `grad_out` is at `offset`.
pub(crate) fn fill_gradient(dtype: DType, axes: &[Axis], offset: isize, grad_out: &[u8], fill: &mut [u8]) {
    let run = match dtype {
        DType::I8 | DType::U8 => fill_as::<U8>,
        DType::I16 | DType::U16 => fill_as::<U16>,
        DType::I32 | DType::U32 => fill_as::<U32>,
        DType::I64 | DType::U64 => fill_as::<U64>,
        DType::F16 => fill_as::<F16>,
        DType::BF16 => fill_as::<BF16>,
        DType::F32 | DType::C64 => fill_as::<F32>,
        DType::F64 | DType::C128 => fill_as::<F64>,
        _ => return,
    };
    let bytes = Numbers::of(dtype).map_or(1, |numbers| numbers.bytes);
    for (part, fill) in fill.chunks_exact_mut(bytes).enumerate() {
        run(axes, offset + (part * bytes) as isize, grad_out, fill);
    }
}

fn fill_as<N: Number>(axes: &[Axis], offset: isize, grad_out: &[u8], fill: &mut [u8]) {
    let bytes = fill.len();
    let number = |at: isize| N::widen(N::numbers(&grad_out[at as usize..][..bytes])[0]);
    let sum = sum_fill::<N>(axes, offset, false, &number);
    N::numbers_mut(fill)[0] = sum.map_or(N::ZERO, N::narrow);
}

/// Returns the sum over the fill within these axes, or `None` if there is no fill. If `filled` is true, the position on an outer
/// axis is fill, so all positions within it are fill.
fn sum_fill<N: Number>(
    axes: &[Axis],
    at: isize,
    filled: bool,
    number: &dyn Fn(isize) -> N::Sum,
) -> Option<N::Sum> {
    // Axes of one position are skipped, so that the depth of the recursion does not grow with their number.
    let (ones, axes) = axes.split_at(axes.iter().take_while(|axis| axis.out == 1).count());
    let filled = filled || ones.iter().any(|one| matches!(one.segments()[..], [Segment::Fill { .. }]));
    let Some((axis, inner)) = axes.split_first() else { return filled.then(|| number(at)) };
    let segments = axis.segments();
    let (mut sum, mut position) = (None, 0);
    let mut add = |filled: bool| {
        if let Some(next) = sum_fill::<N>(inner, at + position * axis.dst_stride, filled, number) {
            sum = Some(N::add(sum.unwrap_or(N::NEUTRAL), next));
        }
        position += 1;
    };
    for segment in segments.expanded() {
        match segment {
            Segment::Fill { count } => (0..count).for_each(|_| add(true)),
            Segment::Source { count, gap, .. } => {
                for element in 0..count {
                    add(filled);
                    let gap = if element + 1 < count { gap } else { 0 };
                    (0..gap).for_each(|_| add(true));
                }
            }
            Segment::Again { .. } => unreachable!("segments are expanded"),
        }
    }
    sum
}
