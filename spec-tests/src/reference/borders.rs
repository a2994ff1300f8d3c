//! Borders in place: the output's array is the input, too.
//!
//! 10. **Borders in place.** The inside of an array lies from `low` to `low + d` on every axis, and no width is negative. A
//!    position of an axis is *made* if it is before the inside, or behind it, and that side is one to be made. Where it is
//!    made it stands for the position `low + source` of the same array, `source` being the input of formulas 3 to 6, or for the filler;
//!    where it is not, for itself. The element at a tuple of positions none of which is made is left alone. Any other
//!    becomes the filler if any axis says so, else the element at the tuple of what the positions stand for, as it was before.

use super::{AxisPad, Frame, Map, Sides, axis_source};

/// The array after its borders were made on `sides` of every axis, told by where each of its elements comes from: the index
/// of an element of the same array as it was, its own where it is left alone, or `None` for the filler.
///
/// The request must be one that [`output_shape_of_sides`](super::output_shape_of_sides) accepts.
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
