//! nGraph: `Pad` with interior padding (v0.7 to v0.15), `v0::Pad` with modes and signed widths, `v1::Pad` with widths
//! as inputs. All read negative widths in the uncropped frame. Arguments are of any type.

use super::*;

pub(super) fn read(call: &Call<'_>) -> Answer<Meaning> {
    let axes = axis_pads(call)?;
    let mode = match call.version {
        // The first version has no modes, and its widths are unsigned. The filler is an input it cannot do without.
        Some("v0-interior") => {
            no_negatives(&axes)?;
            value_required(call)?;
            mode_of(call, &[Mode::Constant])?
        }
        // The documents still have interior padding here, so it is one. The filler is required in every mode.
        Some("v0") => {
            value_required(call)?;
            mode_of(call, &MODES)?
        }
        // Widths are one-dimensional tensors as long as the rank. The filler is optional, and interior is gone.
        Some("v1") => {
            no_interior(call)?;
            mode_of(call, &MODES)?
        }
        other => return Err(Refused::Unknown(format!("ngraph {other:?}"))),
    };
    // Documented for "each spatial axis"; the released code looks at axes after the second only. Taken: every axis
    // that is padded. Any number of reflections is meant.
    let pads = |pad: AxisPad| pad.low > 0 || pad.high > 0;
    match mode {
        Mode::Edge => every_axis(call, &axes, "edge needs 1 element", |d, pad| pads(pad) && d < 1)?,
        Mode::Reflect => every_axis(call, &axes, "reflect needs 2 elements", |d, pad| pads(pad) && d < 2)?,
        _ => {}
    }
    // Symmetric is what the documents say, tiling by flipping at the edge. The code's last line is another formula.
    Ok(Meaning { axes, mode, frame: Frame::Uncropped, fill: fill_of(call) })
}

const MODES: [Mode; 4] = [Mode::Constant, Mode::Edge, Mode::Reflect, Mode::Symmetric];

fn value_required(call: &Call<'_>) -> Answer<()> {
    if call.value { Ok(()) } else { refuse("the pad value is a required input") }
}
