//! XLA's `Pad`, StableHLO's `pad`, `jax.lax.pad`: constant only, signed widths that cut the dilated operand, interior
//! widths from 0 up. Removing more than there is is legal.

use super::*;

pub(super) fn read(call: &Call<'_>) -> Answer<Meaning> {
    if call.element == Type::String {
        return refuse("no text here");
    }
    let mode = mode_of(call, &[Mode::Constant])?;
    if !call.value {
        return refuse("the padding value is a required operand");
    }
    Ok(Meaning { axes: axis_pads(call)?, mode, frame: Frame::Uncropped, fill: Fill::Value })
}
