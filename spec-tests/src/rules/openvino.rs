//! OpenVINO's `Pad-1` and `Pad-12`, both in the uncropped frame. `pad_mode` has no default.

use super::types::Type::*;
use super::*;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    let version = match call.version.as_deref() {
        Some("1") => 1,
        Some("12") => 12,
        other => return Err(Refused::Broken(format!("openvino {other:?}"))),
    };
    let engine = match call.flavour.as_deref() {
        None | Some("spec") => false,
        Some("engine") => true,
        Some(other) => return Err(Refused::Broken(format!("openvino flavour {other}"))),
    };
    let mode = mode_of(call, &[Mode::Constant, Mode::Edge, Mode::Reflect, Mode::Symmetric])?;
    // OpenVINO has neither complex numbers nor these small types.
    let missing = [Complex64, Complex128, Float8e4m3fnuz, Float8e5m2fnuz, Int2];
    deny(missing.contains(&call.dtype), format!("no type {:?} here", call.dtype))?;
    // Pad-1 accepts any numeric type. Pad-12 also accepts text, in constant mode only.
    deny(call.dtype == String && (version == 1 || mode != Mode::Constant), "no text here")?;
    let mut axes = axis_pads(call)?;
    // Pad-1 specifies "a list of non-negative integers". The engine accepts negative ones, too.
    if version == 1 && !engine {
        no_negatives(&axes)?;
    }
    // An empty axis has no edge to repeat.
    if mode == Mode::Edge {
        every_axis(call, &axes, "edge of nothing", |d, pad| d == 0 && widest(pad) > 0)?;
    }
    // The limits hold for every axis: "for any valid D". Reflect therefore refuses an empty axis even without padding.
    only_one_mirror(call, &axes, mode)?;
    // Pad-12 specifies the length max(low + d + high, 0). The engine reports an error.
    if version == 12 && argument(call, "clamp")? == Some(true) {
        for (pad, &d) in axes.iter_mut().zip(&call.shape) {
            if padded(d as i128, *pad) < 0 {
                // The whole axis is cropped, and nothing is added.
                (pad.low, pad.high) = (-(d as i64), 0);
            }
        }
    }
    // The value is optional, and other modes ignore it.
    Ok(Meaning { axes, mode, frame: Frame::Uncropped, fill: fill_of(call) })
}
