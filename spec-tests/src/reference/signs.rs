//! Signs that turn, by carrying every position back step by step.
//!
//! A side may negate. A position outside of the window is carried back into it: the mode of its side mirrors it on the end that it
//! lies beyond, or moves it a period towards the window, until it is inside. The sign turns each time that the position passes a side
//! that negates. An edge is passed once. A reflection on a window of one position passes nothing. The sign of an element is the
//! product over the axes; the filler has none.

use super::{AxisPad, Frame, Mode, Sides, dilated, window};

/// For every position of every axis whether the sign turns there.
///
/// The request must be one that [`output_shape_of_sides`](super::output_shape_of_sides) accepts; `negated` says which sides of
/// each axis negate.
pub fn signs(
    shape: &[usize],
    axes: &[AxisPad],
    modes: &[Sides],
    frame: Option<Frame>,
    negated: &[(bool, bool)],
) -> Vec<Vec<bool>> {
    let axis = |i: usize| {
        let pad = axes[i];
        let len = dilated(shape[i], pad.interior).expect("an axis that was accepted");
        let (a, b) = window(len, pad, frame.unwrap_or(modes[i].default_frame(pad)));
        let out = len + i128::from(pad.low) + i128::from(pad.high);
        (0..out).map(|o| turns(o - i128::from(pad.low) - a, b - a, modes[i], negated[i])).collect()
    };
    (0..shape.len()).map(axis).collect()
}

/// Whether the sign turns on the way from the coordinate `t` into a window of length `w`.
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
            Mode::Symmetric => {
                if is_low {
                    -1 - t
                } else {
                    2 * w - 1 - t
                }
            }
            Mode::Reflect => {
                if is_low {
                    -t
                } else {
                    2 * (w - 1) - t
                }
            }
        };
        turned ^= if is_low { low } else { high };
    }
    turned
}
