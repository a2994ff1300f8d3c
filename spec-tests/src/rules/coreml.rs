//! Core ML's `pad`, as coremltools documents the MIL operation.
//!
//! `npad` is the number of trailing axes that the list names (by default all). `args.pad` is the list itself: one pair for each
//! of these axes, in their order. The mode `edge` stands for Core ML's `replicate`.

use super::types::Type::*;
use super::*;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    let mode = mode_of(call, &[Mode::Constant, Mode::Reflect, Mode::Edge])?;
    only_types(call, &[Float16, Float32])?;
    deny(call.shape.len() > 5, "Core ML only supports tensors with rank <= 5")?;
    let (axes, first) = of_last_axes(call, false)?;
    no_negatives(&axes)?;
    every_axis(call, &axes, "no int32", |_, pad| widest(pad) >= 1 << 31)?;
    for (&d, &pad) in call.shape.iter().zip(&axes).skip(first) {
        let most = match mode {
            Mode::Reflect => d as i128 - 1,
            Mode::Edge => d as i128,
            _ => continue,
        };
        deny(widest(pad) > most, format!("{mode:?} adds at most {most}"))?;
    }
    Ok(Meaning { axes, mode, frame: mode.default_frame(), fill: fill_of(call) })
}
