//! Random axes: a length, and a padding that the library accepts.

use arbitrary::{Result, Unstructured};
use pad_kernels::{AxisMode, AxisPad, Frame, PadMode};

use crate::case::Kind;

/// Sizes in bytes at which kernels may change their method: widths of vectors, of unrolled loops, and of copies by libc.
const VECTORS: [usize; 5] = [16, 32, 64, 128, 256];

/// Generates a length from 1 to `most`: 1, 2, a few, or about the number of elements in a vector.
pub(super) fn length(kind: Kind, most: usize, u: &mut Unstructured<'_>) -> Result<usize> {
    let length = match u.int_in_range(0..=11u8)? {
        0 => 3,
        1..=2 => 1,
        3..=4 => 2,
        5..=7 => u.int_in_range(3..=9)?,
        8 => u.int_in_range(4..=24)?,
        _ => {
            let about = u.choose(&VECTORS)? * 8 / kind.bits() as usize;
            about.saturating_add_signed(u.int_in_range(-1..=1)?).max(1)
        }
    };
    Ok(length.min(most))
}

/// Generates a padding that the library accepts for an axis. The output gets from `least` to `room` elements.
pub(super) fn axis_pad(
    length: usize,
    mode: AxisMode,
    frame: Option<Frame>,
    (least, room): (usize, usize),
    u: &mut Unstructured<'_>,
) -> Result<AxisPad> {
    let interior = if u.ratio(2, 3)? { 0 } else { u.int_in_range(1..=3)? };
    let interior = if stretched(length, interior) > room as i128 { 0 } else { interior };
    let d = stretched(length, interior) as i64;
    let spare = (room as i64 - d).max(0);
    let mut low = side(d, mode.low, u)?.min(spare);
    let mut high = side(d, mode.high, u)?.min((spare - low).max(0));
    high = high.max(least as i64 - d - low);
    // Without a frame, the default of one side may be the cropped frame. Assume it, because it leaves fewer elements.
    let cropped = [mode.low, mode.high].iter().any(|side| side.default_frame() == Frame::Cropped);
    let cropped = frame.map_or(cropped, |frame| frame == Frame::Cropped);
    let grows = mode != AxisMode::from(PadMode::Constant) && d + low + high > 0;
    if grows && d == 0 {
        (low, high) = (0, 0);
    } else if grows && cropped {
        // Keep at least one element, from which the border is made.
        low = low.max(1 - d);
        let first = (-low).max(0);
        high = high.max(1 - (d - first));
    }
    // If the two widths differ much, the output can still be too long.
    let fits = d + low + high <= room as i64;
    Ok(if fits { AxisPad { low, high, interior } } else { AxisPad::default() })
}

/// Generates the width of one side of an axis of dilated length `d`: zero, small, negative, or about one or two periods.
fn side(d: i64, mode: PadMode, u: &mut Unstructured<'_>) -> Result<i64> {
    let period = match mode {
        PadMode::Constant | PadMode::Edge | PadMode::Wrap => d,
        PadMode::Symmetric => 2 * d,
        PadMode::Reflect => 2 * (d - 1).max(0),
    };
    let about = |u: &mut Unstructured<'_>| u.int_in_range(-1..=1i64);
    Ok(match u.int_in_range(0..=11u8)? {
        0..=1 => 0,
        2..=4 => u.int_in_range(1..=3)?,
        5 => -u.int_in_range(1..=3)?,
        6 => -d + about(u)?,
        7 => -u.int_in_range(0..=d)?,
        8 => d + about(u)?,
        9 => period + about(u)?,
        10 => 2 * period + about(u)?,
        _ => u.int_in_range(0..=20)?,
    })
}

/// Returns the dilated length: the length with interior padding.
pub(super) fn stretched(length: usize, interior: u64) -> i128 {
    match length {
        0 => 0,
        _ => (length as i128 - 1).saturating_mul(i128::from(interior) + 1).saturating_add(1),
    }
}

/// Returns the output length of an axis whose padding was corrected.
pub(super) fn output(length: usize, pad: AxisPad) -> usize {
    usize::try_from(stretched(length, pad.interior) + i128::from(pad.low) + i128::from(pad.high)).unwrap_or(0)
}
