//! Translates recorded cases to calls of the library's dialects.

use std::fmt;

use pad_kernels::dialect::{
    Dialect, coreml, litert, ngraph, numpy, onnx, opencv, openvino, scipy, tensorflow, tensorrt, torch,
    webnn, xla,
};
use pad_kernels::{AxisPad, Fill, Frame, PadMode, PadPlan, PadSpec};
use serde_json::Value;

use super::dtype;
use crate::reach;
use crate::rules::{Answer, Refused, argument, deny, refuse};
use crate::vectors::{Case, Elements, PadWidth, integer, numbers};

/// The request of a case, translated by its dialect.
pub(super) struct Asked {
    pub(super) spec: PadSpec,
    pub(super) plan: Answer<PadPlan>,
    /// The default fill of text tensors, if the case has no value.
    pub(super) text_fill: &'static str,
}

/// Translates a case with its dialect, and returns the request and its plan.
pub(super) fn with_dialect(case: &Case) -> Answer<Asked> {
    let Case { low, high, interior, axes, .. } = case;
    let version = case.version.as_deref().unwrap_or_default();
    let flavour = case.flavour.as_deref().unwrap_or("spec");
    let value = || fill(case);
    let any = || Fill::from_bytes(dtype(case), &[]);
    let gaps = || interior.clone().unwrap_or_else(|| vec![0; low.len()]);
    // Whether the framework's call has an argument for the mode, and one for interior padding.
    let (has_modes, has_gaps) = match (&case.dialect[..], version) {
        ("core", _) | ("ngraph", "v0") => (true, true),
        ("xla", _) | ("ngraph", "v0-interior") | ("litert", "DILATE") => (false, true),
        ("litert", "PAD" | "PADV2") => (false, false),
        _ => (true, false),
    };
    let asks_for_gaps = interior.iter().flatten().any(|&width| width != 0);
    deny(asks_for_gaps && !has_gaps, "the operator has no interior widths")?;
    deny(!has_modes && case.mode != "constant", "the operator has no modes")?;
    match (&case.dialect[..], version) {
        ("core", _) => {
            let spec = core(case, value()?, &gaps())?;
            let plan = PadPlan::for_dtype(&spec, &case.shape, dtype(case)).map_err(refused);
            Ok(Asked { spec, plan, text_fill: "" })
        }
        ("ngraph", "v0-interior") => {
            let gaps = gaps();
            let mut pad = ngraph::PadV0Interior::new(any(), low, high, &gaps);
            pad.arg_pad_value = value()?;
            plan(case, &pad)
        }
        ("ngraph", "v0") => {
            let mut pad = ngraph::PadV0::new(any(), low, high).pad_mode(mode(case)?);
            pad.arg_pad_value = value()?;
            pad.padding_interior = interior.as_deref().filter(|widths| !widths.is_empty());
            plan(case, &pad)
        }
        ("ngraph", "v1") => {
            let mut pad = ngraph::PadV1::new(mode(case)?, low, high);
            pad.arg_pad_value = value()?;
            plan(case, &pad)
        }
        ("openvino", "1" | "12") => {
            let flavours = [("spec", openvino::Flavour::Spec), ("engine", openvino::Flavour::Engine)];
            let mut pad = openvino::Pad::new(if version == "1" { 1 } else { 12 }, &case.mode, low, high)
                .flavour(known(flavour, &flavours)?)
                .clamp_output(argument(case, "clamp")?.unwrap_or(false));
            pad.pad_value = value()?;
            plan(case, &pad)
        }
        ("onnx", opset) if (1..=28).contains(&opset.parse().unwrap_or(0)) => {
            let flavours = [
                ("spec", onnx::Flavour::Spec),
                ("onnxruntime", onnx::Flavour::OnnxRuntime),
                ("evaluator", onnx::Flavour::Evaluator),
            ];
            let (flavour, opset) = (known(flavour, &flavours)?, opset.parse().unwrap_or(0));
            // The call has one list for begins and ends, so check first that both have the same length.
            rows(case)?;
            let pads = [&low[..], high].concat();
            let (pads_shape, value_shape): (Option<Vec<_>>, Option<Vec<_>>) =
                (argument(case, "pads_shape")?, argument(case, "value_shape")?);
            // If an axis has two entries, onnxruntime uses the last.
            let last_wins = flavour == onnx::Flavour::OnnxRuntime;
            let mut pad =
                onnx::Pad::new(opset, &pads).flavour(flavour).mode(&case.mode).last_axis_wins(last_wins);
            pad.axes = axes.as_deref();
            pad.pads_shape = pads_shape.as_deref();
            pad.constant_value_shape = value_shape.as_deref().filter(|_| case.value.is_some());
            if opset < 11 {
                pad.value = case.float32().map_err(Refused::Broken)?;
            } else {
                pad.constant_value = value()?;
            }
            plan(case, &pad)
        }
        ("xla", _) => {
            let mut pad = xla::Pad::new(any(), low, high);
            pad.padding_value = value()?;
            pad.interior_padding = interior.as_deref().filter(|widths| !widths.is_empty());
            plan(case, &pad)
        }
        ("numpy", _) => {
            let mut pad = numpy::Pad::new(numpy_width(case)?).mode(&case.mode);
            pad.constant_values = value()?.map(Into::into);
            plan(case, &pad)
        }
        ("torch", _) => {
            // The list has a pair for each of the last `npad` axes, the last axis first.
            let list = match argument(case, "pad")? {
                Some(list) => list,
                None => trailing(case)?.into_iter().rev().flatten().collect::<Vec<_>>(),
            };
            let mut pad = torch::Pad::new(&list).mode(own_mode(case));
            // PyTorch receives the value as a Python number, and converts it to a double.
            let double = case.value.as_ref().and_then(|value| {
                let double = value.as_f64()?;
                integer(value).is_none_or(|integer| integer == double as i128).then_some(double)
            });
            pad.value = match double {
                Some(number) => Some(torch::Value::Number(number)),
                None => value()?.map(torch::Value::Element),
            };
            plan(case, &pad)
        }
        ("tensorflow", _) => {
            let rows = rows(case)?;
            let mut pad = tensorflow::Pad::new(&rows).mode(&case.mode);
            pad.constant_values = value()?;
            plan(case, &pad)
        }
        ("litert", "PAD" | "PADV2") => {
            let rows = rows(case)?;
            let mut pad = litert::Pad::new(&rows);
            pad.zero_point = argument(case, "zero_point")?;
            if version == "PADV2" {
                let required = || Refused::Rule("PADV2 has three inputs".into());
                pad.constant_values = Some(value()?.ok_or_else(required)?);
                pad.value_zero_point = argument(case, "value_zero_point")?.or(pad.zero_point);
            }
            plan(case, &pad)
        }
        ("litert", "MIRROR_PAD") => {
            let (rows, mode) = (rows(case)?, case.mode.to_ascii_uppercase());
            let mut pad = litert::MirrorPad::new(&mode, &rows);
            pad.zero_point = argument(case, "zero_point")?;
            plan(case, &pad)
        }
        // An interior width is the dilation minus 1.
        ("litert", "DILATE") => {
            let rows = rows(case)?;
            deny(rows != vec![[0, 0]; case.shape.len()], "DILATE adds nothing outside")?;
            let dilations: Vec<i64> = gaps().iter().map(|gap| gap.saturating_add(1)).collect();
            let mut pad = litert::Dilate::new(&dilations, Fill::of(0u8));
            pad.padding_value = value()?;
            plan(case, &pad)
        }
        ("opencv", _) => copy_make_border(case),
        ("scipy", _) => {
            let families =
                [("filter", scipy::Family::Filter), ("interpolation", scipy::Family::Interpolation)];
            let (family, rows) = (known(flavour, &families)?, rows(case)?);
            let cval = given(case)?.first().copied().unwrap_or(0.0);
            plan(case, &scipy::Pad::new(own_mode(case), &rows).cval(cval).family(family))
        }
        // Integers become a bigint, other numbers a double.
        ("webnn", _) => {
            let mut call = webnn::Pad::new(low, high).mode(own_mode(case));
            if let Some(value) = &case.value {
                call.value = match integer(value) {
                    Some(integer) => webnn::Number::BigInt(integer),
                    None => webnn::Number::Number(given(case)?[0]),
                };
            }
            plan(case, &call)
        }
        // The list has the pairs of the trailing axes, in ascending order of the axes.
        ("coreml", _) => {
            let list = match argument(case, "pad")? {
                Some(list) => list,
                None => trailing(case)?.into_iter().flatten().collect::<Vec<_>>(),
            };
            let mut call = coreml::Pad::new(&list).mode(own_mode(case));
            call.constant_val = value()?;
            plan(case, &call)
        }
        ("tensorrt", _) => {
            let (start, size) = slice(case)?;
            let stride: Option<Vec<i64>> = argument(case, "stride")?;
            let mut call = tensorrt::Slice::new(&start, &size).mode(own_mode(case));
            call.stride = stride.as_deref();
            call.axes = axes.as_deref();
            call.fill_value = value()?;
            plan(case, &call)
        }
        (dialect, version) => Err(Refused::Broken(format!(
            "{dialect} {version:?} has no arm in spec-tests/src/conform/dialects.rs"
        ))),
    }
}

/// Returns the request with the widths, mode and frame of the case, in the library's own terms.
fn core(case: &Case, fill: Option<Fill>, gaps: &[i64]) -> Answer<PadSpec> {
    let rows = rows(case)?;
    deny(gaps.len() != rows.len(), "not one width per axis")?;
    let axis = |([low, high], &gap): ([i64; 2], &i64)| match u64::try_from(gap) {
        Ok(gap) => Ok(AxisPad::new(low, high).with_interior(gap)),
        Err(_) => refuse("negative interior width"),
    };
    let axes = rows.into_iter().zip(gaps).map(axis).collect::<Answer<Vec<_>>>()?;
    let mut spec = PadSpec::new(mode(case)?, axes);
    let frames = [("uncropped", Frame::Uncropped), ("cropped", Frame::Cropped)];
    spec.frame = case.frame.as_deref().map(|frame| known(frame, &frames)).transpose()?;
    spec.fill = fill;
    Ok(spec)
}

/// Translates a case to OpenCV's `copyMakeBorder`. The value is a `Scalar`: one number for all channels, or up to four numbers.
fn copy_make_border(case: &Case) -> Answer<Asked> {
    let rows = rows(case)?;
    let (&[top, left] | &[top, left, [0, 0]]) = &rows[..] else {
        return refuse("only rows and columns are padded");
    };
    deny(rows.len() != case.shape.len(), "not one pair per axis")?;
    let border_type = match &case.mode[..] {
        "constant" => opencv::BORDER_CONSTANT,
        "edge" => opencv::BORDER_REPLICATE,
        "reflect" => opencv::BORDER_REFLECT_101,
        "symmetric" => opencv::BORDER_REFLECT,
        "wrap" => opencv::BORDER_WRAP,
        // BORDER_TRANSPARENT, which `copyMakeBorder` does not support.
        _ => 5,
    };
    let isolated = if argument(case, "isolated")?.unwrap_or(false) { opencv::BORDER_ISOLATED } else { 0 };
    let mut call = opencv::CopyMakeBorder::new(top[0], top[1], left[0], left[1], border_type | isolated);
    let list = given(case)?;
    call.value = match &case.value {
        Some(Value::Array(_)) if list.len() > 4 => return refuse("a Scalar has four numbers"),
        Some(Value::Array(_)) => std::array::from_fn(|i| list.get(i).copied().unwrap_or(0.0)),
        _ => [list.first().copied().unwrap_or(0.0); 4],
    };
    call.roi = argument(case, "roi")?;
    plan(case, &call)
}

/// Returns the start and the size of the slice that equals the padded tensor. It starts at minus the low width, and is as long as
/// the output.
fn slice(case: &Case) -> Answer<(Vec<i64>, Vec<i64>)> {
    let rank = case.shape.len() as i64;
    let length = |position: usize| {
        let axis = match &case.axes {
            Some(axes) => axes.get(position).map(|&axis| if axis < 0 { axis + rank } else { axis }),
            None => Some(position as i64),
        };
        // The call refuses an axis that does not exist, so its length does not matter.
        axis.and_then(|axis| case.shape.get(usize::try_from(axis).ok()?)).copied().unwrap_or(0) as i128
    };
    let (mut start, mut size) = (Vec::new(), Vec::new());
    for (position, [low, high]) in rows(case)?.into_iter().enumerate() {
        let output = length(position) + i128::from(low) + i128::from(high);
        let (Some(first), Ok(output)) = (low.checked_neg(), i64::try_from(output)) else {
            return refuse("start and size are of 64 bits");
        };
        start.push(first);
        size.push(output);
    }
    Ok((start, size))
}

/// Plans the call, and checks that shape inference without a plan gives the same shape.
fn plan<D: Dialect>(case: &Case, pad: &D) -> Answer<Asked> {
    let dtype = dtype(case);
    let inferred = pad.output_shape(&case.shape, dtype);
    let plan = pad.plan(&case.shape, dtype);
    match (&inferred, &plan) {
        (Ok(shape), Ok(plan)) if shape[..] == *plan.output_shape() => {}
        (Err(_), Err(_)) => {}
        _ => return Err(Refused::Broken("shape inference and plan disagree".into())),
    }
    // Return the error of the plan, because it has the framework's own name of the mode.
    let plan = plan.map_err(refused)?;
    let spec = pad.spec(&case.shape, dtype).map_err(refused)?;
    Ok(Asked { spec, plan: Ok(plan), text_fill: pad.text_fill() })
}

fn refused(error: impl fmt::Display + reach::Refuses) -> Refused {
    reach::met(&error);
    Refused::Rule(error.to_string())
}

/// Returns the meaning of a word, or an error if it is not in the table.
fn known<T: Copy>(word: &str, words: &[(&str, T)]) -> Answer<T> {
    let found = words.iter().find(|(known, _)| *known == word);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| Refused::Broken(word.into()))
}

/// The names of modes in frameworks, if they differ from the usual ones.
const OWN_MODES: &str = "coreml/edge=replicate opencv/constant=CONSTANT opencv/edge=REPLICATE opencv/reflect=REFLECT_101 \
    opencv/symmetric=REFLECT opencv/wrap=WRAP scipy/edge=nearest scipy/reflect=mirror scipy/symmetric=reflect \
    scipy/wrap=grid-wrap tensorrt/constant=FILL tensorrt/edge=CLAMP tensorrt/reflect=REFLECT tensorrt/wrap=WRAP \
    tensorrt/symmetric=SYMMETRIC torch/edge=replicate torch/wrap=circular webnn/reflect=reflection";

/// Returns the framework's name of the mode: the argument `mode` of the case, a name in `OWN_MODES`, or the case's own name.
pub fn own_mode(case: &Case) -> &str {
    let usual = format!("{}/{}=", case.dialect, case.mode);
    let given = case.args.get("mode").and_then(Value::as_str);
    let listed = || OWN_MODES.split(' ').find_map(|entry| entry.strip_prefix(&usual));
    given.or_else(listed).unwrap_or(&case.mode)
}

fn mode(case: &Case) -> Answer<PadMode> {
    let mode = PadMode::ALL.into_iter().find(|mode| mode.name() == case.mode);
    mode.ok_or_else(|| Refused::Rule(format!("no mode {}", case.mode)))
}

/// Returns the value as one element of the tensor's type. For text, the fill has no bytes, because a plan does not contain text.
fn fill(case: &Case) -> Answer<Option<Fill>> {
    let Some(value) = &case.value else { return Ok(None) };
    match Elements::from_json([value], case.dtype).map_err(Refused::Broken)? {
        Elements::Bytes(bytes) => Ok(Some(Fill::from_bytes(dtype(case), &bytes))),
        Elements::Text(_) => Ok(Some(Fill::from_bytes(dtype(case), &[]))),
    }
}

/// Returns the value as a list of 64-bit floats.
fn given(case: &Case) -> Answer<Vec<f64>> {
    numbers(case.value.as_ref()).map_err(Refused::Broken)
}

fn rows(case: &Case) -> Answer<Vec<[i64; 2]>> {
    deny(case.low.len() != case.high.len(), "not one pair per axis")?;
    Ok(case.low.iter().zip(&case.high).map(|(&low, &high)| [low, high]).collect())
}

/// Returns the pairs of widths of the last `npad` axes.
fn trailing(case: &Case) -> Answer<Vec<[i64; 2]>> {
    let rows = rows(case)?;
    let Some(first) = rows.len().checked_sub(case.npad.unwrap_or(rows.len())) else {
        return refuse("more pairs than axes");
    };
    let (silent, named) = rows.split_at(first);
    let all_named = silent.iter().all(|row| *row == [0, 0]);
    deny(rows.len() != case.shape.len() || !all_named, "the list does not reach this axis")?;
    Ok(named.to_vec())
}

/// Returns `pad_width` as the case writes it. If it is missing, builds it from the widths.
pub fn numpy_width(case: &Case) -> Answer<numpy::PadWidth> {
    let entry = |(axis, width): (String, Value)| {
        let pair = match serde_json::from_value(width) {
            Ok(PadWidth::Number(both)) => (both, both),
            Ok(PadWidth::Row(row)) if row.len() == 2 => (row[0], row[1]),
            _ => return None,
        };
        Some((axis.parse().ok()?, pair))
    };
    Ok(match argument(case, "pad_width")? {
        // A scalar has no axes, so NumPy accepts any pair.
        None if case.shape.is_empty() && case.low.is_empty() => (0, 0).into(),
        None => numpy::PadWidth::Rows(rows(case)?.iter().map(|row| row.to_vec()).collect()),
        Some(PadWidth::Number(number)) => numpy::PadWidth::Scalar(number),
        Some(PadWidth::Row(row)) => numpy::PadWidth::List(row),
        Some(PadWidth::Rows(rows)) => numpy::PadWidth::Rows(rows),
        Some(PadWidth::Dictionary(widths)) => match widths.into_iter().map(entry).collect() {
            Some(widths) => numpy::PadWidth::Dict(widths),
            None => return refuse("a key is no axis, or a width is no number or pair"),
        },
    })
}
