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
    // The documents state this limit for "each spatial axis". The released code only checks axes after the second one. These
    // rules check every axis with padding. Any number of reflections is allowed.
    let pads = |pad: AxisPad| pad.low > 0 || pad.high > 0;
    match mode {
        Mode::Edge => every_axis(call, &axes, "edge needs 1 element", |d, pad| pads(pad) && d < 1)?,
        Mode::Reflect => every_axis(call, &axes, "reflect needs 2 elements", |d, pad| pads(pad) && d < 2)?,
        _ => {}
    }
    // Symmetric mode follows the documents, which mirror at the edge. The last line of the released code has another formula.
    Ok(Meaning { axes, mode, frame: Frame::Uncropped, fill: fill_of(call) })
}

const MODES: [Mode; 4] = [Mode::Constant, Mode::Edge, Mode::Reflect, Mode::Symmetric];

fn value_required(call: &Case) -> Answer<()> {
    if call.value.is_some() { Ok(()) } else { refuse("the pad value is a required input") }
}
