//! WebNN's `MLGraphBuilder.pad`, by the steps of the Editor's Draft. The mode `reflect` stands for WebNN's `reflection`. The
//! value is an `MLNumber`: an integer is a bigint, and any other number is a double.

use super::types::Type::*;
use super::*;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    let mode = mode_of(call, &[Mode::Constant, Mode::Edge, Mode::Reflect])?;
    only_types(call, &[Float32, Float16, Int32, Uint32, Int64, Uint64, Int8, Uint8])?;
    let axes = axis_pads(call)?;
    no_negatives(&axes)?;
    every_axis(call, &axes, "not a valid dimension", |d, pad| {
        d < 1 || padded(d, pad) > i128::from(i32::MAX)
    })?;
    if mode == Mode::Reflect {
        every_axis(call, &axes, "padding of the length of the dimension", |d, pad| widest(pad) >= d)?;
    }
    let fill = match &call.value {
        Some(value) if mode == Mode::Constant => Some(vec![match vectors::integer(value) {
            Some(integer) => numbers::cast_integer(integer, call.dtype),
            None => numbers::cast(numbers_of(call)?[0], call.dtype),
        }]),
        _ => None,
    };
    Ok(Meaning { axes, mode, frame: mode.default_frame(), fill })
}
