//! Borders of `scipy.ndimage`: the elements that filters, or interpolation at whole positions, read around an array. `args.mode`
//! is scipy's name of the mode. Without it, the call has the usual name.

use super::types::Type::*;
use super::*;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    let filter = match call.flavour.as_deref() {
        Some("filter") => true,
        Some("interpolation") => false,
        other => return Err(Refused::Broken(format!("scipy {other:?}"))),
    };
    let mode = match call.args.get("mode").and_then(Value::as_str) {
        None => mode_of(call, &Mode::ALL)?,
        Some("nearest") => Mode::Edge,
        Some("mirror") => Mode::Reflect,
        Some("reflect" | "grid-mirror") => Mode::Symmetric,
        Some("constant" | "grid-constant") => Mode::Constant,
        Some("grid-wrap") => Mode::Wrap,
        // In interpolation, this mode has a period that is one element shorter.
        Some("wrap") if filter => Mode::Wrap,
        Some(other) => return refuse(format!("boundary mode {other} not supported")),
    };
    let complex = [Complex64, Complex128].contains(&call.dtype);
    let real = [Bool, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Float32, Float64];
    let supported = real.contains(&call.dtype) || complex && !filter;
    deny(!supported, format!("data type {:?} not supported", call.dtype))?;
    deny(call.shape.is_empty(), "input and output rank must be > 0")?;
    let axes = axis_pads(call)?;
    if filter {
        no_negatives(&axes)?;
    }
    let fill = match mode {
        // Without a border, scipy does not read `cval`.
        Mode::Constant if axes.iter().any(|&pad| widest(pad) > 0) => {
            let number = numbers_of(call)?.first().copied().unwrap_or(0.0);
            let convert = if filter { numbers::exact } else { numbers::rounded };
            match convert(number, call.dtype) {
                Some(element) => Some(vec![element]),
                None => return refuse("cval is no element of the type"),
            }
        }
        _ => None,
    };
    Ok(Meaning { axes, mode, frame: Frame::Uncropped, fill })
}
