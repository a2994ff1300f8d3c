//! `tf.pad`: the operators `Pad`, `PadV2` and `MirrorPad`. Widths are never negative, so there is no frame. The limits of mirrors
//! hold for every axis, with or without padding.

use super::types::Type::*;
use super::*;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    only_types(call, &TYPES)?;
    // The case of the mode does not matter.
    let mode = mode_named(&call.mode.to_lowercase(), &[Mode::Constant, Mode::Reflect, Mode::Symmetric])?;
    let axes = axis_pads(call)?;
    no_negatives(&axes)?;
    let most = if mode == Mode::Constant { 8 } else { 5 };
    deny(call.shape.len() > most, format!("more than {most} axes"))?;
    only_one_mirror(call, &axes, mode)?;
    // `Pad` has kernels for 6 axes. Before it selects a kernel, it joins neighbours without padding, and copies empty outputs.
    let bare = |pad: &AxisPad| pad.low == 0 && pad.high == 0;
    let apart = axes.len() - axes.windows(2).filter(|pair| pair.iter().all(bare)).count();
    let empty = call.shape.iter().zip(&axes).any(|(&length, pad)| length == 0 && bare(pad));
    deny(apart > 6 && !empty, "more than 6 axes after the merge")?;
    Ok(Meaning { axes, mode, frame: mode.default_frame(), fill: fill_of(call) })
}

const TYPES: [Type; 16] = [
    Bool, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Float16, Bfloat16, Float32, Float64,
    Complex64, Complex128, String,
];
