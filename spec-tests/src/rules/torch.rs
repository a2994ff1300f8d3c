//! `torch.nn.functional.pad`. Its list has pairs from the last axis backwards; here they stand in the order of the
//! axes, and `npad` says how many trailing axes the list names (all, if it does not). `args.pad` is the list itself.

use super::types::Type::*;
use super::*;

pub(super) fn read(call: &Call<'_>) -> Answer<Meaning> {
    no_interior(call)?;
    let rank = call.shape.len();
    let (axes, named) = match call.args.get("pad") {
        Some(list) => from_list(list, rank)?,
        None => (axis_pads(call)?, call.npad.unwrap_or(rank)),
    };
    let Some(first) = rank.checked_sub(named) else {
        return refuse("more pairs than axes");
    };
    if axes[..first].iter().any(|pad| pad.low != 0 || pad.high != 0) {
        return refuse("the list does not reach this axis");
    }
    // torch's own names and the usual ones.
    let mode = match call.mode {
        "replicate" => Mode::Edge,
        "circular" => Mode::Wrap,
        _ => mode_of(call, &[Mode::Constant, Mode::Reflect, Mode::Edge, Mode::Wrap])?,
    };
    let refused: &[Type] = match mode {
        Mode::Constant | Mode::Wrap => &NOT_A_TYPE,
        _ => &NO_KERNEL,
    };
    if refused.contains(&call.element) || NOT_A_TYPE.contains(&call.element) {
        return refuse(format!("no kernel for {:?}", call.element));
    }
    if mode != Mode::Constant {
        if call.value && !call.value_is_zero {
            return refuse("only constant takes a value other than 0");
        }
        if !(1..=3).contains(&named) || !(1..=2).contains(&first) {
            return refuse("only the last 1, 2 or 3 axes, of one or two axes more");
        }
    }
    let frame = match mode {
        // narrow() side by side: neither may pass what is there.
        Mode::Constant => {
            every_axis(call, &axes, "narrow(): length must be non-negative", |d, pad| left_of(d, pad) < 0)?;
            Frame::Cropped
        }
        Mode::Wrap => {
            let around = |d, pad| widest(pad) > d;
            every_axis(call, &axes, "wrapping around more than once", around)?;
            // Where the crop leaves less than the pad, torch fails or reads unwritten memory; not if it writes nothing.
            let out = |(&d, pad): (&usize, &AxisPad)| d as i128 + i128::from(pad.low) + i128::from(pad.high);
            if call.shape.iter().zip(&axes).map(out).all(|out| out > 0) {
                let missing = |d, pad| widest(pad) > 0 && widest(pad) > left_of(d, pad);
                every_axis(call, &axes, "the crop leaves less than the pad", missing)?;
            }
            Frame::Cropped
        }
        _ => {
            // With two axes before the padded ones the first is the batch, and only that may be empty.
            let batch = first - 1;
            if call.shape[batch..].contains(&0) {
                return refuse("only the batch may be empty");
            }
            if mode == Mode::Reflect {
                every_axis(call, &axes, "padding should be less than the dimension", |d, pad| {
                    widest(pad) >= d && widest(pad) > 0
                })?;
            }
            let none = |d, pad: AxisPad| d > 0 && d + i128::from(pad.low) + i128::from(pad.high) < 1;
            every_axis(call, &axes, "the output has no elements", none)?;
            Frame::Uncropped
        }
    };
    Ok(Meaning { axes, mode, frame, fill: fill_of(call) })
}

/// Types torch has not, or pads in no mode.
const NOT_A_TYPE: [Type; 6] = [String, Int4, Uint4, Float4e2m1, Int2, Uint2];

/// Types its reflect and replicate kernels have not.
const NO_KERNEL: [Type; 9] =
    [Bool, Uint16, Uint32, Uint64, Float8e4m3fn, Float8e4m3fnuz, Float8e5m2, Float8e5m2fnuz, Float8e8m0];

/// The list as torch takes it: pairs from the last axis backwards.
fn from_list(list: &Value, rank: usize) -> Answer<(Vec<AxisPad>, usize)> {
    let numbers = list.as_array().map(|list| list.iter().map(Value::as_i64).collect::<Option<Vec<_>>>());
    let Some(Some(numbers)) = numbers else {
        return refuse("the list is not of integers");
    };
    if numbers.len() % 2 != 0 || numbers.len() > 2 * rank {
        return refuse("the list is of odd length or longer than the axes");
    }
    let mut axes = vec![AxisPad { low: 0, high: 0, interior: 0 }; rank];
    for (axis, pair) in axes.iter_mut().rev().zip(numbers.chunks(2)) {
        *axis = AxisPad { low: pair[0], high: pair[1], interior: 0 };
    }
    Ok((axes, numbers.len() / 2))
}
