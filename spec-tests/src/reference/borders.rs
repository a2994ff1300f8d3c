//! Borders in place: one array is both input and output.
//!
//! 9. **Borders in place.** The interior of an array lies from `low` to `low + d` on every axis. No width is negative.
//!    - A position of an axis is *made* if it is outside of the interior, on a side that is requested. It then stands for the
//!      position `low + source` of the same array, or for the filler. `source` is the result of formulas 3 to 6.
//!    - A position that is not made stands for itself.
//!    - If no position of an element is made, the element keeps its value. Otherwise, it becomes the filler if one of its
//!      positions stands for the filler. Else it becomes the old value at the positions that its own positions stand for.

use super::{AxisPad, Frame, Map, Sides, axis_source};

/// Returns the source of each element after the borders are made on `sides` of every axis. A source is the index of an element in
/// the old array, or `None` for the filler.
///
/// [`output_shape_of_sides`](super::output_shape_of_sides) must accept the request.
pub fn borders(shape: &[usize], axes: &[AxisPad], modes: &[Sides], sides: &[(bool, bool)]) -> Map {
    let mut source = vec![Some(0)];
    let mut whole = Vec::new();
    for (i, &d) in shape.iter().enumerate() {
        let (low, high) = (axes[i].low as usize, axes[i].high as usize);
        let length = low + d + high;
        let along: Vec<_> = (0..length)
            .map(|o| {
                let made = if o < low { sides[i].0 } else { o >= low + d && sides[i].1 };
                if !made {
                    return Some(o);
                }
                axis_source(o, d, axes[i], modes[i], Frame::Uncropped).map(|source| low + source)
            })
            .collect();
        let mut with_axis = Vec::with_capacity(source.len() * length);
        for outer in source {
            with_axis.extend(along.iter().map(|inner| Some(outer? * length + (*inner)?)));
        }
        source = with_axis;
        whole.push(length);
    }
    Map { shape: whole, source }
}
