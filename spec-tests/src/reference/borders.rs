//! Borders in place: one array is both input and output.
//!
//! 13. **Borders in place.** The interior of an array lies from `low` to `low + d` on every axis. No width is negative.
//!     - A position of an axis is *made* if it is outside of the interior, on a side that is requested. It then stands for the
//!       position `low + source` of the same array, or for the fill. `source` is the result of formulas 3 to 6.
//!     - A position that is not made stands for itself.
//!     - An element has one position per axis. If none of them is made, the element keeps its value. Otherwise, it becomes the
//!       fill if one of its positions stands for the fill. Else it becomes the old value at the positions that its own
//!       positions stand for.

use super::{Frame, Map, Request, axis_source, combined};

impl Request {
    /// Returns the source of each element after the borders are made on `sides` of every axis. A source is the index of an
    /// element in the old array, or `None` for the fill.
    ///
    /// [`output_shape`](Self::output_shape) must accept the request.
    pub fn borders(&self, sides: &[(bool, bool)]) -> Map {
        let mut map = Map { shape: Vec::new(), source: vec![Some(0)] };
        for (axis, &d) in self.shape.iter().enumerate() {
            let (low, high) = (self.axes[axis].low as usize, self.axes[axis].high as usize);
            let source = |o: usize| {
                let made = if o < low { sides[axis].0 } else { o >= low + d && sides[axis].1 };
                if !made {
                    return Some(o);
                }
                let source = axis_source(o, d, self.axes[axis], self.modes[axis], Frame::Uncropped);
                source.map(|source| low + source)
            };
            let along: Vec<_> = (0..low + d + high).map(source).collect();
            map.source = combined(&map.source, &along, along.len());
            map.shape.push(along.len());
        }
        map
    }
}
