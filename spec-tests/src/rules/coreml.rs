//! Core ML's `pad`, as coremltools documents the MIL operation.
//!
//! `npad` is the number of trailing axes that the list names (by default all). `args.pad` is the list itself: one pair for each
//! of these axes, in their order. The mode `edge` stands for Core ML's `replicate`.

use super::types::Type::*;
use super::*;

pub(super) fn read(call: &Call<'_>) -> Answer<Meaning> {
    no_interior(call)?;
    let mode = mode_of(call, &[Mode::Constant, Mode::Reflect, Mode::Edge])?;
    if ![Float16, Float32].contains(&call.element) {
        return refuse(format!("T is fp16 or fp32, not {:?}", call.element));
    }
    let rank = call.shape.len();
    if rank > 5 {
        return refuse("Core ML only supports tensors with rank <= 5");
    }
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
    no_negatives(&axes)?;
    every_axis(call, &axes, "no int32", |_, pad| widest(pad) >= 1 << 31)?;
    for (&d, &pad) in call.shape.iter().zip(&axes).skip(first) {
        let most = match mode {
            Mode::Reflect => d as i128 - 1,
            Mode::Edge => d as i128,
            _ => continue,
        };
        if widest(pad) > most {
            return refuse(format!("{mode:?} adds at most {most}"));
        }
    }
    Ok(Meaning { axes, mode, frame: mode.default_frame(), fill: fill_of(call) })
}

/// Returns the pairs of the list, which end with the last axis, and their number.
fn from_list(list: &Value, rank: usize) -> Answer<(Vec<AxisPad>, usize)> {
    let Some(list) =
        list.as_array().and_then(|list| list.iter().map(Value::as_i64).collect::<Option<Vec<_>>>())
    else {
        return refuse("pad is not a list of integers");
    };
    if list.len() % 2 != 0 || list.len() > 2 * rank {
        return refuse("pad is not of pairs, or of more than there are axes");
    }
    let named = list.len() / 2;
    let mut axes = vec![AxisPad { low: 0, high: 0, interior: 0 }; rank - named];
    axes.extend(list.chunks(2).map(|pair| AxisPad { low: pair[0], high: pair[1], interior: 0 }));
    Ok((axes, named))
}
