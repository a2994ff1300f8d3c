//! ONNX `Pad` of opsets 1 to 28: the specification, and onnxruntime's CPU provider. If the specification leaves a case open, its
//! reference evaluator decides, which calls `numpy.pad`. All of them crop before they pad.

use super::types::Type::*;
use super::*;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    let opset: u32 = match call.version.as_deref().map(str::parse) {
        Some(Ok(opset @ 1..=28)) => opset,
        _ => return Err(Refused::Broken(format!("onnx {:?}", call.version))),
    };
    deny(opset < 18 && call.axes.is_some(), "axes are an input from opset 18 on")?;
    let axes_dtype = argument::<Value>(call, "axes_dtype")?;
    deny(axes_dtype.is_some_and(|name| name != "int32" && name != "int64"), "axes are int32 or int64")?;
    let (axes, mode) = match call.flavour.as_deref().unwrap_or("spec") {
        "spec" => spec(call, opset)?,
        "onnxruntime" => onnxruntime(call, opset)?,
        "evaluator" => evaluator(call, opset)?,
        other => return Err(Refused::Broken(format!("onnx flavour {other}"))),
    };
    // Up to opset 10, the value is an attribute, which is a 32-bit float. It becomes the nearest element.
    let attribute = if opset < 11 { call.float32().or_else(refuse)? } else { None };
    let fill = match attribute {
        Some(number) => numbers::float(number.into(), call.dtype).map(|element| vec![element]),
        None => fill_of(call),
    };
    Ok(Meaning { axes, mode, frame: Frame::Cropped, fill })
}

/// The specification. Reflections repeat as often as needed, and an axis of length 1 repeats its element. Only constant mode
/// extends an empty axis. The reference implementation in `spec-tests` already has all of these rules.
fn spec(call: &Case, opset: u32) -> Answer<(Vec<AxisPad>, Mode)> {
    only_types(call, &types(&TYPES, opset))?;
    let evaluator = call.flavour.as_deref() == Some("evaluator");
    let mode = match mode_of(call, &[Mode::Constant, Mode::Reflect, Mode::Edge, Mode::Wrap])? {
        Mode::Wrap if opset < 19 && !evaluator => return refuse("wrap came with opset 19"),
        mode => mode,
    };
    let axes = axis_pads(call)?;
    // Opset 1 only adds elements. Opset 2 adds the words "or remove (if negative)".
    if opset == 1 && !evaluator {
        no_negatives(&axes)?;
    }
    // `pads` is a 1-D tensor, and `constant_value` is a scalar.
    let [pads, value] = shapes(call)?;
    deny(pads.is_some_and(|dims| dims.len() != 1), "pads are one-dimensional")?;
    deny(value.is_some_and(|dims| !dims.is_empty()), "the value is a scalar")?;
    Ok((axes, mode))
}

/// Returns the shapes of the inputs `pads` and `constant_value`, if the call gives them.
fn shapes(call: &Case) -> Answer<[Option<Vec<i64>>; 2]> {
    Ok([argument(call, "pads_shape")?, argument(call, "value_shape")?.filter(|_| call.value.is_some())])
}

/// The reference evaluator of onnx 1.24, in development. It checks the lengths, slices, and then calls numpy.
fn evaluator(call: &Case, opset: u32) -> Answer<(Vec<AxisPad>, Mode)> {
    let (axes, mode) = spec(call, opset)?;
    deny(call.shape.is_empty(), "numpy passes no pads of a scalar on")?;
    if mode != Mode::Constant {
        every_axis(call, &axes, "cannot pad an overcropped input", |d, pad| left_of(d, pad) < 0)?;
    }
    if mode == Mode::Reflect {
        let long = |d, pad| widest(pad).max(0) > left_of(d, pad) - 1;
        every_axis(call, &axes, "reflect exceeds the cropped axis length minus 1", long)?;
    }
    Ok((axes, mode))
}

/// The CPU provider of onnxruntime 1.31.
fn onnxruntime(call: &Case, opset: u32) -> Answer<(Vec<AxisPad>, Mode)> {
    deny(!(2..=26).contains(&opset), "not implemented")?;
    only_types(call, &types(&RUNTIME_TYPES, opset))?;
    // The modes do not depend on the opset.
    let mode = mode_of(call, &[Mode::Constant, Mode::Reflect, Mode::Edge, Mode::Wrap])?;
    // If an axis is named twice, its last widths count.
    let axes = axis_pads_with(call, true)?;
    deny(call.shape.is_empty(), "input tensor has no dimensions")?;
    // onnxruntime also accepts pads of shape [1, 2n], and a value of one element in any shape.
    let [pads, value] = shapes(call)?;
    deny(pads.is_some_and(|dims| !matches!(dims[..], [_] | [1, _])), "pads are one-dimensional")?;
    // All modes except constant ignore the value, but check its shape.
    deny(value.is_some_and(|dims| dims.iter().product::<i64>() != 1), "the value is one element")?;
    // An empty input skips the limits below. The reference refuses requests that extend an empty axis.
    let empty = call.shape.contains(&0);
    match mode {
        Mode::Constant => {}
        Mode::Wrap if empty => return refuse("unexpected mode of an empty input"),
        _ if empty => {}
        _ => {
            // This limit holds even if nothing is added.
            every_axis(call, &axes, "zero effective input extent", |d, pad| left_of(d, pad) <= 0)?;
            if mode == Mode::Reflect {
                let long = |d, pad| widest(pad) > 0 && widest(pad) > left_of(d, pad) - 1;
                every_axis(call, &axes, "pad exceeds maximum allowed", long)?;
            }
        }
    }
    Ok((axes, mode))
}

/// The types of the operator, with the opset that added them.
const TYPES: [(u32, &[Type]); 7] = [
    (1, &[Float16, Float32, Float64]),
    (11, &[Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64]),
    (13, &[Bfloat16, Bool, String, Complex64, Complex128]),
    (21, &[Float8e4m3fn, Float8e4m3fnuz, Float8e5m2, Float8e5m2fnuz, Int4, Uint4]),
    (23, &[Float4e2m1]),
    (24, &[Float8e8m0]),
    (25, &[Int2, Uint2]),
];

/// The types that onnxruntime has kernels for, with the first opset.
const RUNTIME_TYPES: [(u32, &[Type]); 3] =
    [(1, &[Float32, Float64]), (11, &[Float16, Int32, Int64, Uint32, Uint64, Int8, Uint8]), (13, &[Bool])];

fn types(all: &[(u32, &[Type])], opset: u32) -> Vec<Type> {
    all.iter().filter(|(since, _)| *since <= opset).flat_map(|(_, types)| types.to_vec()).collect()
}
