//! `torch.nn.functional.pad`. Its list has pairs from the last axis backwards. A [`Case`] has them in the order of the axes.
//!
//! `npad` is the number of trailing axes that the list names (by default all). `args.pad` is the list itself.

use super::types::Type::*;
use super::*;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    let (axes, first) = of_last_axes(call, true)?;
    let named = call.shape.len() - first;
    // Both torch's names and the usual ones are accepted.
    let mode = match &call.mode[..] {
        "replicate" => Mode::Edge,
        "circular" => Mode::Wrap,
        _ => mode_of(call, &[Mode::Constant, Mode::Reflect, Mode::Edge, Mode::Wrap])?,
    };
    let needs_kernel = matches!(mode, Mode::Reflect | Mode::Edge);
    let missing = NOT_A_TYPE.contains(&call.dtype) || needs_kernel && NO_KERNEL.contains(&call.dtype);
    deny(missing, format!("no kernel for {:?}", call.dtype))?;
    if mode != Mode::Constant {
        let value = call.value.as_ref().map(Value::as_f64);
        deny(value.is_some_and(|value| value != Some(0.0)), "only constant takes a value other than 0")?;
        let fits = (1..=3).contains(&named) && (1..=2).contains(&first);
        deny(!fits, "only the last 1, 2 or 3 axes, of one or two axes more")?;
    }
    let frame = match mode {
        // torch calls narrow() for each side, so the sides together may not crop more than the axis has.
        Mode::Constant => {
            every_axis(call, &axes, "narrow(): length must be non-negative", |d, pad| left_of(d, pad) < 0)?;
            Frame::Cropped
        }
        Mode::Wrap => {
            // Python's slices count a negative end from the end. `copy_` broadcasts one element to none, but not two.
            let many = |d, pad: AxisPad| d + i128::from(pad.high) < 0 && 2 * d + i128::from(pad.high) > 1;
            every_axis(call, &axes, "slices of different lengths", many)?;
            let around = |d, pad| widest(pad) > d;
            every_axis(call, &axes, "wrapping around more than once", around)?;
            // If the crop leaves less than the pad, torch fails or reads unwritten memory, unless the output is empty.
            if call.shape.iter().zip(&axes).all(|(&d, &pad)| padded(d as i128, pad) > 0) {
                let missing = |d, pad| widest(pad) > 0 && widest(pad) > left_of(d, pad);
                every_axis(call, &axes, "the crop leaves less than the pad", missing)?;
            }
            Frame::Cropped
        }
        _ => {
            // With two axes before the padded ones, the first axis is the batch. Only the batch may be empty.
            let batch = first - 1;
            deny(call.shape[batch..].contains(&0), "only the batch may be empty")?;
            if mode == Mode::Reflect {
                every_axis(call, &axes, "padding should be less than the dimension", |d, pad| {
                    widest(pad) >= d && widest(pad) > 0
                })?;
            }
            every_axis(call, &axes, "the output has no elements", |d, pad| d > 0 && padded(d, pad) < 1)?;
            Frame::Uncropped
        }
    };
    // torch needs a fill, also of a type without a zero, only if it adds elements.
    let unread = !call.dtype.has_zero() && axes.iter().all(|&pad| widest(pad) <= 0);
    let fill = fill_of(call).or(unread.then(|| vec![serde_json::json!({ "bits": "0x00" })]));
    Ok(Meaning { axes, mode, frame, fill })
}

/// Types that torch does not have, or cannot pad in any mode.
const NOT_A_TYPE: [Type; 6] = [String, Int4, Uint4, Float4e2m1, Int2, Uint2];

/// Types for which torch has no kernels in modes reflect and replicate.
const NO_KERNEL: [Type; 9] =
    [Bool, Uint16, Uint32, Uint64, Float8e4m3fn, Float8e4m3fnuz, Float8e5m2, Float8e5m2fnuz, Float8e8m0];
