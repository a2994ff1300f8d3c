//! Computes which elements a request with negated borders negates.
//!
//! A position outside of the window moves back step by step: the mode of its side mirrors it at the end of the window, or moves
//! it by a period, until it is in the window. Each time that the position passes a side that negates, the sign changes. In edge
//! mode, the position passes its side once. In reflect mode on a window of one position, it passes no side. The sign of an
//! element is the product over the axes. The fill has no sign.

use super::{Mode, Request, Sides, dilated, window};

impl Request {
    /// Returns for every position of every axis whether the sign changes.
    ///
    /// [`output_shape`](Self::output_shape) must accept the request. `negated` says which sides of each axis negate.
    pub fn signs(&self, negated: &[(bool, bool)]) -> Vec<Vec<bool>> {
        let axis = |i: usize| {
            let pad = self.axes[i];
            let len = dilated(self.shape[i], pad.interior).expect("an axis that was accepted");
            let (a, b) = window(len, pad, self.frame_of(i));
            let out = len + i128::from(pad.low) + i128::from(pad.high);
            (0..out).map(|o| turns(o - i128::from(pad.low) - a, b - a, self.modes[i], negated[i])).collect()
        };
        (0..self.shape.len()).map(axis).collect()
    }
}

/// Returns whether the sign changes on the way from coordinate `t` into a window of length `w`.
fn turns(mut t: i128, w: i128, sides: Sides, (low, high): (bool, bool)) -> bool {
    let mode = if t < 0 { sides.low } else { sides.high };
    let mut turned = false;
    while t < 0 || t >= w {
        let is_low = t < 0;
        t = match mode {
            Mode::Constant => return false,
            Mode::Reflect if w == 1 => return false,
            Mode::Edge => t.clamp(0, w - 1),
            Mode::Wrap => t + if is_low { w } else { -w },
            Mode::Symmetric if is_low => -1 - t,
            Mode::Symmetric => 2 * w - 1 - t,
            Mode::Reflect if is_low => -t,
            Mode::Reflect => 2 * (w - 1) - t,
        };
        turned ^= if is_low { low } else { high };
    }
    turned
}
