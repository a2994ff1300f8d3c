//! OpenVINO: `Pad-1` and `Pad-12`, both in the uncropped frame. `pad_mode` has no default.

use super::*;

pub(super) fn read(call: &Call<'_>) -> Answer<Meaning> {
    let version = match call.version {
        Some("1") => 1,
        Some("12") => 12,
        other => return Err(Refused::Unknown(format!("openvino {other:?}"))),
    };
    let engine = match call.flavour {
        None | Some("spec") => false,
        Some("engine") => true,
        Some(other) => return Err(Refused::Unknown(format!("openvino flavour {other}"))),
    };
    no_interior(call)?;
    let mode = mode_of(call, &[Mode::Constant, Mode::Edge, Mode::Reflect, Mode::Symmetric])?;
    // The system has no complex numbers, nor these small ones.
    if [Type::Complex64, Type::Complex128, Type::Float8e4m3fnuz, Type::Float8e5m2fnuz, Type::Int2]
        .contains(&call.element)
    {
        return refuse(format!("no type {:?} here", call.element));
    }
    // Pad-1 is for any numeric type. Pad-12 adds text, in constant mode only.
    if call.element == Type::String && (version == 1 || mode != Mode::Constant) {
        return refuse("no text here");
    }
    let mut axes = axis_pads(call)?;
    // "A list of non-negative integers" in Pad-1; the engine takes negative ones there too.
    if version == 1 && !engine {
        no_negatives(&axes)?;
    }
    match mode {
        Mode::Constant => {}
        // Nothing can be repeated of an axis that has nothing.
        Mode::Edge => every_axis(call, &axes, "edge of nothing", |d, pad| d == 0 && widest(pad) > 0)?,
        // The limits hold for every axis: "for any valid D". So reflect refuses an empty axis even if it is not padded.
        Mode::Reflect => every_axis(call, &axes, "more than d - 1", |d, pad| widest(pad) > d - 1)?,
        Mode::Symmetric => every_axis(call, &axes, "more than d", |d, pad| widest(pad) > d)?,
        Mode::Wrap => unreachable!("not a mode here"),
    }
    // Pad-12's text makes the length max(low + d + high, 0); engines make it an error unless the shape is dynamic.
    if version == 12 && flag(call, "clamp") {
        for (pad, &d) in axes.iter_mut().zip(call.shape) {
            let out = d as i128 + i128::from(pad.low) + i128::from(pad.high);
            if out < 0 {
                // Everything is removed, and nothing else.
                (pad.low, pad.high) = (-(d as i64), 0);
            }
        }
    }
    // The value is optional, and nobody looks at it in other modes.
    Ok(Meaning { axes, mode, frame: Frame::Uncropped, fill: fill_of(call) })
}

fn flag(call: &Call<'_>, name: &str) -> bool {
    call.args.get(name) == Some(&Value::Bool(true))
}
