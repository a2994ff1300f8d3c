//! Kinds of elements, modes, frames and fills.

use arbitrary::{Result, Unstructured};
use pad_kernels::{AxisPad, DType, Frame, Modes, PadMode};

use crate::case::{Kind, SIGNED};

/// Any element, those without a tag less often.
pub fn kind(u: &mut Unstructured<'_>) -> Result<Kind> {
    Ok(if u.ratio(1, 4)? {
        Kind::Raw(*u.choose(Kind::RAW_SIZES)?)
    } else {
        Kind::Tagged(*u.choose(DType::ALL)?)
    })
}

/// Any mode.
pub fn mode(u: &mut Unstructured<'_>) -> Result<PadMode> {
    u.choose(&PadMode::ALL).copied()
}

/// Any mode, or in one of four any modes for every side of so many axes.
pub fn modes(rank: usize, u: &mut Unstructured<'_>) -> Result<Modes> {
    if rank == 0 || !u.ratio(1, 4)? {
        return Ok(mode(u)?.into());
    }
    (0..rank).map(|_| Ok((mode(u)?, mode(u)?))).collect()
}

/// Any frame, or none.
pub fn frame(u: &mut Unstructured<'_>) -> Result<Option<Frame>> {
    u.choose(&[None, Some(Frame::Uncropped), Some(Frame::Cropped)]).copied()
}

/// Sides that turn signs, in one of eight cases that can have them.
pub(super) fn negated(kind: Kind, axes: &[AxisPad], u: &mut Unstructured<'_>) -> Result<Vec<(bool, bool)>> {
    let has_signs = matches!(kind, Kind::Tagged(dtype) if SIGNED.contains(&dtype));
    if !has_signs || axes.iter().any(|pad| pad.interior > 0) || !u.ratio(1, 8)? {
        return Ok(Vec::new());
    }
    axes.iter().map(|_| Ok((u.arbitrary()?, u.arbitrary()?))).collect()
}

/// A fill, or none: zero, all bytes alike, and most often bytes that no data has.
pub(super) fn fill(
    kind: Kind,
    mode: &Modes,
    axes: &[AxisPad],
    u: &mut Unstructured<'_>,
) -> Result<Option<Vec<u8>>> {
    let bytes = kind.bytes(1);
    let choice = u.int_in_range(0..=7u8)?;
    let needed = mode.contains(PadMode::Constant) || axes.iter().any(|pad| pad.interior > 0);
    Ok(match (kind, choice) {
        (Kind::Tagged(DType::String), _) => None,
        (_, 7) if kind.has_zero() || !needed => None,
        (_, 6) => Some(vec![0; bytes]),
        (Kind::Tagged(DType::Bool), _) => Some(vec![choice & 1]),
        (_, 5) => Some(vec![u.arbitrary()?; bytes]),
        (_, 4) => Some((0..bytes).map(|_| u.arbitrary()).collect::<Result<_>>()?),
        (_, 3) => Some((1..=bytes).map(|i| if i == bytes { 0x80 } else { 0 }).collect()),
        _ => {
            let first = u.int_in_range(0..=4)?;
            Some((0..bytes).map(|i| 251 + ((first + i) % 5) as u8).collect())
        }
    })
}
