//! ONNX `Pad` of opsets 1 to 28: the specification, and onnxruntime's CPU provider. If the specification leaves a case open, its
//! reference evaluator decides, which calls `numpy.pad`. All of them crop before they pad.

use super::types::Type::*;
use super::*;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    let opset: u32 = match call.version.as_deref().map(str::parse) {
        Some(Ok(opset @ 1..=28)) => opset,
        _ => return Err(Refused::Broken(format!("onnx {:?}", call.version))),
    };
    if opset < 18 && call.axes.is_some() {
        return refuse("axes are an input from opset 18 on");
    }
    if argument::<std::string::String>(call, "axes_dtype")?
        .is_some_and(|name| !["int32", "int64"].contains(&&name[..]))
    {
        return refuse("axes are int32 or int64");
    }
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
    let mode = match mode_of(call, &[Mode::Constant, Mode::Reflect, Mode::Edge, Mode::Wrap])? {
        Mode::Wrap if opset < 19 => return refuse("wrap came with opset 19"),
        mode => mode,
    };
    let axes = axis_pads(call)?;
    // Opset 1 only adds elements. Opset 2 adds the words "or remove (if negative)".
    if opset == 1 && call.flavour.as_deref() != Some("evaluator") {
        no_negatives(&axes)?;
    }
    // `pads` is a 1-D tensor, and `constant_value` is a scalar.
    if argument::<Vec<i64>>(call, "pads_shape")?.is_some_and(|dims| dims.len() != 1) {
        return refuse("pads are one-dimensional");
    }
    if call.value.is_some() && argument::<Vec<i64>>(call, "value_shape")?.is_some_and(|dims| !dims.is_empty())
    {
        return refuse("the value is a scalar");
    }
    Ok((axes, mode))
}

/// The reference evaluator of onnx 1.24, in development. It checks the lengths, slices, and then calls numpy.
fn evaluator(call: &Case, opset: u32) -> Answer<(Vec<AxisPad>, Mode)> {
    let (axes, mode) = spec(call, opset)?;
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
    if opset == 1 {
        return refuse("not implemented");
    }
    only_types(call, &types(&RUNTIME_TYPES, opset))?;
    // The modes do not depend on the opset.
    let mode = mode_of(call, &[Mode::Constant, Mode::Reflect, Mode::Edge, Mode::Wrap])?;
    // If an axis is named twice, its last widths count.
    let axes = axis_pads_with(call, true)?;
    if call.shape.is_empty() {
        return refuse("input tensor has no dimensions");
    }
    // onnxruntime also accepts pads of shape [1, 2n], and a value of one element in any shape.
    if argument::<Vec<i64>>(call, "pads_shape")?
        .is_some_and(|dims| dims.len() != 1 && !(dims.len() == 2 && dims[0] == 1))
    {
        return refuse("pads are one-dimensional");
    }
    let one = |dims: Vec<i64>| dims.iter().product::<i64>() == 1;
    // All modes except constant ignore the value, but check its shape.
    if call.value.is_some() && argument::<Vec<i64>>(call, "value_shape")?.is_some_and(|dims| !one(dims)) {
        return refuse("the value is one element");
    }
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
