//! `cv2.copyMakeBorder`. Top and left are the low widths, bottom and right the high ones. A third axis holds channels.
//!
//! `args.roi` selects the rows and columns of the data that are the image. With `args.isolated`, the border does not read the
//! other rows and columns. The value is a Scalar: one number for all four channels, or a list of up to four.

use super::types::Type::*;
use super::*;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    let mode = mode_of(call, &Mode::ALL)?;
    only_types(call, &[Bool, Uint8, Int8, Uint16, Int16, Uint32, Int32, Float16, Float32, Float64])?;
    let mut axes = axis_pads(call)?;
    match call.shape[..] {
        [_, _] => {}
        [_, _, 1..=128] if axes[2].low == 0 && axes[2].high == 0 => {}
        _ => return refuse("no image"),
    }
    no_negatives(&axes)?;
    let isolated = argument(call, "isolated")? == Some(true);
    let whole = [[0, call.shape[0] as i64], [0, call.shape[1] as i64]];
    let roi = argument(call, "roi")?.unwrap_or(whole);
    for ((pad, &[start, end]), &d) in axes.iter_mut().zip(&roi).zip(&call.shape) {
        deny(!(0 <= start && start <= end && end <= d as i64), "the region is not in the image")?;
        deny(padded((end - start).into(), *pad) > i32::MAX.into(), "an int counts rows and columns")?;
        let behind = d as i64 - end;
        let both = pad.low > 0 && start > 0 || pad.high > 0 && behind > 0;
        deny(isolated && both, "cropped and padded on one side, which is no Pad")?;
        // The region grows as far as the data goes, and the rest is border. Data outside of the grown region is cropped.
        pad.low -= start;
        pad.high -= behind;
    }
    let scalar = scalar(call)?;
    let fill = if mode == Mode::Constant { fill(call, scalar)? } else { None };
    Ok(Meaning { axes, mode, frame: Frame::Cropped, fill })
}

/// Returns the four numbers of the Scalar. Modes other than constant ignore them.
fn scalar(call: &Case) -> Answer<[f64; 4]> {
    let numbers = numbers_of(call)?;
    match numbers[..] {
        [one] if !call.value.as_ref().is_some_and(Value::is_array) => Ok([one; 4]),
        _ if numbers.len() > 4 => refuse("a Scalar has four numbers"),
        _ => Ok(std::array::from_fn(|i| numbers.get(i).copied().unwrap_or(0.0))),
    }
}

/// Returns one element for all channels, or one per channel.
fn fill(call: &Case, scalar: [f64; 4]) -> Answer<Fill> {
    let channels = call.shape.get(2).copied().unwrap_or(1);
    let is_one = scalar.iter().all(|&number| number == scalar[0]);
    deny(channels > 4 && !is_one, "more than four channels have one value")?;
    let elements = scalar.iter().take(channels).map(|&number| numbers::saturated(number, call.dtype));
    match elements.collect::<Option<Vec<_>>>() {
        Some(elements) if elements.iter().all(|other| *other == elements[0]) => {
            Ok(Some(elements[..1].to_vec()))
        }
        Some(elements) => Ok(Some(elements)),
        None => refuse("the conversion is left to the machine"),
    }
}
