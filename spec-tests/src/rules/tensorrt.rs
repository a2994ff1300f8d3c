//! TensorRT's slice layer, as its pages document it. The widths give the slice: `start` is the negative low width, and `size` is
//! the length that both widths leave.
//!
//! The mode `constant` stands for FILL, and `edge` for CLAMP. `args.mode` is the layer's own name of a mode and replaces the
//! usual name. `args.stride` are the strides.

use super::types::Type::*;
use super::*;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    let (mode, strict) = match call.args.get("mode").and_then(Value::as_str) {
        None => (mode_of(call, &[Mode::Constant, Mode::Edge, Mode::Reflect, Mode::Wrap])?, false),
        Some("STRICT_BOUNDS") => (Mode::Constant, true),
        Some("FILL") => (Mode::Constant, false),
        Some("CLAMP") => (Mode::Edge, false),
        Some("REFLECT") => (Mode::Reflect, false),
        Some("WRAP") => (Mode::Wrap, false),
        Some(other) => return refuse(format!("no SampleMode {other}")),
    };
    let narrow = [Bool, Int4, Int8, Int32, Float8e4m3fn, Float16, Float32].contains(&call.dtype);
    let wide = [Int64, Bfloat16].contains(&call.dtype) && (strict || mode == Mode::Wrap);
    deny(!narrow && !wide, format!("{:?} is not supported in this mode", call.dtype))?;
    deny(call.shape.len() > 8, "more than MAX_DIMS")?;
    // An empty axis makes the volume 0.
    let volume: f64 = call.shape.iter().map(|&d| d as f64).product();
    deny(volume >= 2f64.powi(31), "a volume of 2^31 or more")?;
    let fills = mode == Mode::Constant && !strict;
    deny(call.value.is_some() && !fills, "a fifth input in a mode other than FILL")?;
    let axes = axis_pads(call)?;
    if argument(call, "stride")?.is_some_and(|strides: Vec<i64>| strides != vec![1; call.low.len()]) {
        return refuse("not one stride of 1 per axis");
    }
    every_axis(call, &axes, "a size below 0", |d, pad| padded(d, pad) < 0)?;
    // Start and size are 64-bit numbers. The positions before and after the data must fit 64 bits, too.
    every_axis(call, &axes, "no int64", |d, pad| {
        let most = i128::from(i64::MAX);
        i128::from(pad.low) > most - d || -i128::from(pad.low) > most - padded(d, pad)
    })?;
    if strict {
        let outside = |d, pad: AxisPad| padded(d, pad) > 0 && (pad.low > 0 || pad.high > 0);
        every_axis(call, &axes, "coordinates out of bounds", outside)?;
    }
    Ok(Meaning { axes, mode, frame: Frame::Uncropped, fill: fill_of(call) })
}
