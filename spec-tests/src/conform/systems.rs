//! Recorded cases of LiteRT, OpenCV, scipy, WebNN, Core ML and TensorRT as calls of their dialects.

use pad_kernels::DType;
use pad_kernels::dialect::{coreml, litert, opencv, scipy, tensorrt, webnn};
use serde_json::Value;

use super::{Asked, Fault, fill, no_interior, pad_list, pairs, plan, trailing};
use crate::rules::Type;
use crate::vectors::{Case, numbers};

type Planned = Result<Asked, Fault>;

/// The operator is the version, and interior widths are dilations less 1.
pub(super) fn litert(case: &Case, element: Type, dtype: DType) -> Planned {
    let number = |name: &str| case.args.get(name).and_then(Value::as_i64);
    let rows: Vec<[i64; 2]> = pairs(case)?.into_iter().map(|(low, high)| [low, high]).collect();
    let value = fill(case, element, dtype)?;
    let constant = match case.mode.as_str() {
        "constant" => Ok(()),
        other => Err(Fault::Refused(format!("no mode {other}"))),
    };
    match case.version.as_deref() {
        Some(operator @ ("PAD" | "PADV2")) => {
            constant?;
            no_interior(case)?;
            let mut pad = litert::Pad::new(&rows);
            pad.zero_point = number("zero_point");
            if operator == "PADV2" {
                pad.constant_values =
                    Some(value.ok_or_else(|| Fault::Refused("PADV2 has three inputs".into()))?);
                pad.value_zero_point = number("value_zero_point").or(pad.zero_point);
            }
            plan(case, dtype, &pad)
        }
        Some("MIRROR_PAD") => {
            no_interior(case)?;
            let mode = case.mode.to_ascii_uppercase();
            let mut pad = litert::MirrorPad::new(&mode, &rows);
            pad.zero_point = number("zero_point");
            plan(case, dtype, &pad)
        }
        Some("DILATE") => {
            constant?;
            if rows.len() != case.shape.len() || rows.iter().any(|row| *row != [0, 0]) {
                return Err(Fault::Refused("DILATE adds nothing outside".into()));
            }
            let zeros = vec![0; case.shape.len()];
            let gaps = case.interior.as_ref().unwrap_or(&zeros);
            let dilations: Vec<i64> = gaps.iter().map(|gap| gap.saturating_add(1)).collect();
            let mut pad = litert::Dilate::new(&dilations, pad_kernels::Fill::of(0u8));
            pad.padding_value = value;
            plan(case, dtype, &pad)
        }
        other => Err(Fault::Unknown(format!("litert {other:?}"))),
    }
}

/// The value is a Scalar: one number for all of its four, or a list of up to four.
pub(super) fn opencv(case: &Case, dtype: DType) -> Planned {
    no_interior(case)?;
    let rows = pairs(case)?;
    let (&[top, left] | &[top, left, (0, 0)]) = &rows[..] else {
        return Err(Fault::Refused("only rows and columns are padded".into()));
    };
    if rows.len() != case.shape.len() {
        return Err(Fault::Refused("not one pair per axis".into()));
    }
    let border_type = match case.mode.as_str() {
        "constant" => opencv::BORDER_CONSTANT,
        "edge" => opencv::BORDER_REPLICATE,
        "reflect" => opencv::BORDER_REFLECT_101,
        "symmetric" => opencv::BORDER_REFLECT,
        "wrap" => opencv::BORDER_WRAP,
        // BORDER_TRANSPARENT, which is of other functions.
        _ => 5,
    };
    let isolated = case.args.get("isolated") == Some(&Value::Bool(true));
    let isolated = if isolated { opencv::BORDER_ISOLATED } else { 0 };
    let mut call = opencv::CopyMakeBorder::new(top.0, top.1, left.0, left.1, border_type | isolated);
    let given = numbers(case.value.as_ref()).map_err(Fault::Broken)?;
    call.value = match (&case.value, &given[..]) {
        (Some(Value::Array(_)), list) if list.len() > 4 => {
            return Err(Fault::Refused("a Scalar has four numbers".into()));
        }
        (Some(Value::Array(_)), list) => std::array::from_fn(|i| list.get(i).copied().unwrap_or(0.0)),
        (_, list) => [list.first().copied().unwrap_or(0.0); 4],
    };
    if let Some(roi) = case.args.get("roi") {
        let roi = serde_json::from_value(roi.clone()).map_err(|_| Fault::Refused("no region".into()))?;
        call.roi = Some(roi);
    }
    plan(case, dtype, &call)
}

/// scipy's word for the mode is the usual one for it if none is given.
pub(super) fn scipy(case: &Case, dtype: DType) -> Planned {
    let family = match case.flavour.as_deref() {
        Some("filter") => scipy::Family::Filter,
        Some("interpolation") => scipy::Family::Interpolation,
        other => return Err(Fault::Unknown(format!("scipy {other:?}"))),
    };
    no_interior(case)?;
    let rows: Vec<[i64; 2]> = pairs(case)?.into_iter().map(|(low, high)| [low, high]).collect();
    let mode = match case.args.get("mode").and_then(Value::as_str) {
        Some(word) => word,
        None => match case.mode.as_str() {
            "constant" => "constant",
            "edge" => "nearest",
            "reflect" => "mirror",
            "symmetric" => "reflect",
            "wrap" => "grid-wrap",
            other => return Err(Fault::Refused(format!("no mode {other}"))),
        },
    };
    let cval = numbers(case.value.as_ref()).map_err(Fault::Broken)?.first().copied().unwrap_or(0.0);
    plan(case, dtype, &scipy::Pad::new(mode, &rows).cval(cval).family(family))
}

/// An integer is a bigint, another number a double.
pub(super) fn webnn(case: &Case, dtype: DType) -> Planned {
    no_interior(case)?;
    let mode = if case.mode == "reflect" { "reflection" } else { &case.mode };
    let mut call = webnn::Pad::new(&case.low, &case.high).mode(mode);
    if let Some(value) = &case.value {
        let integer = value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
        call.value = match integer {
            Some(integer) => webnn::Number::BigInt(integer),
            None => webnn::Number::Number(numbers(Some(value)).map_err(Fault::Broken)?[0]),
        };
    }
    plan(case, dtype, &call)
}

/// The list has the pairs of the trailing axes, in their order.
pub(super) fn coreml(case: &Case, element: Type, dtype: DType) -> Planned {
    no_interior(case)?;
    let list = match pad_list(case)? {
        Some(list) => list,
        None => trailing(case)?.into_iter().flat_map(|(low, high)| [low, high]).collect(),
    };
    let mode = if case.mode == "edge" { "replicate" } else { &case.mode };
    let mut call = coreml::Pad::new(&list).mode(mode);
    call.constant_val = fill(case, element, dtype)?;
    plan(case, dtype, &call)
}

/// The slice that starts as far before an axis as is added there, and is as long as the output.
pub(super) fn tensorrt(case: &Case, element: Type, dtype: DType) -> Planned {
    no_interior(case)?;
    let length = |position: usize| {
        let axis = match &case.axes {
            Some(axes) => {
                axes.get(position).map(|&axis| if axis < 0 { axis + case.shape.len() as i64 } else { axis })
            }
            None => Some(position as i64),
        };
        // An axis that is not there is refused, whatever its size.
        axis.and_then(|axis| case.shape.get(usize::try_from(axis).ok()?)).copied().unwrap_or(0) as i128
    };
    let (mut start, mut size) = (Vec::new(), Vec::new());
    for (position, (low, high)) in pairs(case)?.into_iter().enumerate() {
        let output = length(position) + i128::from(low) + i128::from(high);
        let (Some(first), Ok(output)) = (low.checked_neg(), i64::try_from(output)) else {
            return Err(Fault::Refused("start and size are of 64 bits".into()));
        };
        start.push(first);
        size.push(output);
    }
    let mode = match case.args.get("mode").and_then(Value::as_str) {
        Some(word) => word,
        None => match case.mode.as_str() {
            "constant" => "FILL",
            "edge" => "CLAMP",
            "reflect" => "REFLECT",
            "wrap" => "WRAP",
            other => other,
        },
    };
    let stride = match case.args.get("stride").map(|list| serde_json::from_value::<Vec<i64>>(list.clone())) {
        Some(Ok(list)) => Some(list),
        Some(Err(_)) => return Err(Fault::Refused("strides are integers".into())),
        None => None,
    };
    let mut call = tensorrt::Slice::new(&start, &size).mode(mode);
    call.stride = stride.as_deref();
    call.axes = case.axes.as_deref();
    call.fill_value = fill(case, element, dtype)?;
    plan(case, dtype, &call)
}
