//! nGraph: `Pad` with interior padding (v0.7 to v0.15), `v0::Pad` with modes and signed widths, and `v1::Pad`, whose widths are
//! inputs. All versions use the uncropped frame and accept any type.

use super::*;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    let axes = axis_pads(call)?;
    let mode = match call.version.as_deref() {
        // The first version has no modes, its widths are unsigned, and its fill is a required input.
        Some("v0-interior") => {
            no_negatives(&axes)?;
            value_required(call)?;
            mode_of(call, &[Mode::Constant])?
        }
        // The documents describe interior padding for this version, so these rules allow it. The fill is required in every
        // mode.
        Some("v0") => {
            value_required(call)?;
            mode_of(call, &MODES)?
        }
        // Widths are one-dimensional tensors of the rank's length. The fill is optional. There is no interior padding.
        Some("v1") => mode_of(call, &MODES)?,
        other => return Err(Refused::Broken(format!("ngraph {other:?}"))),
    };
    // The released code states this limit for "each spatial axis", which is each axis after the second one, padded or not. These
    // rules also check the first two axes, if they have padding. Any number of reflections is allowed.
    let least = match mode {
        Mode::Edge => 1,
        Mode::Reflect => 2,
        _ => 0,
    };
    let checked = |(axis, pad): (usize, &AxisPad)| axis > 1 || pad.low > 0 || pad.high > 0;
    let short = call.shape.iter().zip(axes.iter().enumerate()).any(|(&d, pad)| checked(pad) && d < least);
    deny(short, "edge needs 1 element, and reflect needs 2")?;
    // Symmetric mode follows the documents, which mirror at the edge. The last line of the released code has another formula.
    Ok(Meaning { axes, mode, frame: Frame::Uncropped, fill: fill_of(call) })
}

const MODES: [Mode; 4] = [Mode::Constant, Mode::Edge, Mode::Reflect, Mode::Symmetric];

fn value_required(call: &Case) -> Answer<()> {
    let text = call.dtype == Type::String;
    if call.value.is_some() || text { Ok(()) } else { refuse("the pad value is a required input") }
}
