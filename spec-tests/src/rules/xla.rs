//! XLA's `Pad`, StableHLO's `pad` and `jax.lax.pad`. There is only constant mode. Signed widths crop the dilated operand, and may
//! crop more than it has. Interior widths are not negative.

use super::*;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    deny(call.dtype == Type::String, "no text here")?;
    let mode = mode_of(call, &[Mode::Constant])?;
    deny(call.value.is_none(), "the padding value is a required operand")?;
    Ok(Meaning { axes: axis_pads(call)?, mode, frame: Frame::Uncropped, fill: fill_of(call) })
}
