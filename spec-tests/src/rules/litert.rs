//! LiteRT's operators `PAD`, `PADV2`, `MIRROR_PAD` and `DILATE`. The version selects the operator.
//!
//! `args.zero_point` is that of a quantised tensor, and `args.value_zero_point` that of its fill, if it differs. A dilation is an
//! interior width plus one.

use serde_json::json;

use super::types::Type::*;
use super::*;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    let Some(operator @ ("PAD" | "PADV2" | "MIRROR_PAD" | "DILATE")) = call.version.as_deref() else {
        return Err(Refused::Broken(format!("litert {:?}", call.version)));
    };
    let modes: &[Mode] = match operator {
        "MIRROR_PAD" => &[Mode::Reflect, Mode::Symmetric],
        _ => &[Mode::Constant],
    };
    let mode = mode_of(call, modes)?;
    let mut types = vec![Bool, Int8, Int16, Int32, Int64, Uint8, Float16, Bfloat16, Float32];
    // Operators that only copy data accept more types.
    if !operator.starts_with("PAD") {
        types.extend([Float64, Complex64, Uint16, Uint32, Uint64]);
    }
    if operator == "DILATE" {
        types.push(Complex128);
    }
    only_types(call, &types)?;
    let axes = axis_pads(call)?;
    if operator == "DILATE" {
        return dilate(call, axes);
    }
    no_negatives(&axes)?;
    deny(operator != "MIRROR_PAD" && call.shape.len() > 5, "more than 5 axes")?;
    every_axis(call, &axes, "the output does not fit int32", |d, pad| padded(d, pad) >= 1 << 31)?;
    only_one_mirror(call, &axes, mode)?;
    // Only these types can be quantised here. For other types a zero point is ignored.
    let point = |name: &str| match [Uint8, Int8, Int16].contains(&call.dtype) {
        true => call.args.get(name).and_then(Value::as_i64),
        false => None,
    };
    let zero_point = point("zero_point");
    let fill = match operator {
        "MIRROR_PAD" => {
            deny(call.dtype == Int16 && zero_point.unwrap_or(0) != 0, "the zero point of int16 is 0")?;
            None
        }
        "PADV2" => {
            deny(call.value.is_none(), "PADV2 has three inputs")?;
            let differs = point("value_zero_point").or(zero_point) != zero_point;
            // If the output has no zero point, only the kernel of `uint8` compares the fill's zero point with it.
            let compared = zero_point.is_some() || call.dtype == Uint8;
            deny(compared && differs, "the value has another zero point")?;
            fill_of(call)
        }
        _ => match zero_point {
            None => None,
            Some(point) => {
                let (least, most) = match call.dtype {
                    Uint8 => (0, 255),
                    Int8 => (-128, 127),
                    _ => (-32768, 32767),
                };
                deny(!(least..=most).contains(&point), "the zero point is outside of the type")?;
                Some(vec![json!(point)])
            }
        },
    };
    Ok(Meaning { axes, mode, frame: mode.default_frame(), fill })
}

fn dilate(call: &Case, axes: Vec<AxisPad>) -> Answer<Meaning> {
    deny(call.shape.is_empty(), "a scalar is not dilated")?;
    deny(axes.iter().any(|pad| pad.low != 0 || pad.high != 0), "nothing is added outside")?;
    deny(call.value.is_none(), "the padding value is an input")?;
    // An empty axis would get the length `1 - dilation`.
    every_axis(call, &axes, "an empty axis", |d, _| d == 0)?;
    every_axis(call, &axes, "a dilation beyond int32", |_, pad| pad.interior >= (1 << 31) - 1)?;
    let length = |d, pad: AxisPad| d + (d - 1) * i128::from(pad.interior);
    every_axis(call, &axes, "a length beyond int32", |d, pad| length(d, pad) >= 1 << 31)?;
    Ok(Meaning { axes, mode: Mode::Constant, frame: Frame::Uncropped, fill: fill_of(call) })
}
