//! Any case.

use arbitrary::{Arbitrary, Result, Unstructured};
use pad_kernels::{AxisPad, tensor::ElementSize};

use super::axis::{axis_pad, frame_of, length, output};
use super::choices::{fill, frame, kind, modes, negated};
use crate::case::{Case, Kind};

/// The most elements of an output, but for a few of the rows of units alone. Miri takes a thousand times as long.
pub const MOST_ELEMENTS: usize = if cfg!(miri) { 130 } else { 4096 };

/// The most bytes of an output, likewise.
pub const MOST_BYTES: usize = if cfg!(miri) { 600 } else { 1 << 16 };

/// The highest rank that is drawn.
pub const MOST_AXES: usize = 8;

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        case(u)
    }
}

/// Any case that runs, or nearly any: of a few the library says that they need a fill.
pub fn case(u: &mut Unstructured<'_>) -> Result<Case> {
    let kind = kind(u)?;
    case_of(kind, u)
}

/// Any case with elements of a kind.
pub fn case_of(kind: Kind, u: &mut Unstructured<'_>) -> Result<Case> {
    let rank = usize::from(*u.choose(&[1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 0u8])?);
    case_of_rank(kind, rank, u)
}

/// Any case with elements of a kind and so many axes.
pub fn case_of_rank(kind: Kind, rank: usize, u: &mut Unstructured<'_>) -> Result<Case> {
    let mode = modes(rank, u)?;
    let frame = frame(u)?;
    let empties = u.ratio(1, 16)?;
    let mut room = budget(kind, u)?.max(1);
    let (mut shape, mut axes) = (vec![0; rank], vec![AxisPad::default(); rank]);
    // The innermost axis first: it takes what it wants, the others what is left.
    for axis in (0..rank).rev() {
        let most = match rank - axis {
            1 if rank == 1 => room,
            1 => room.min(if u.ratio(1, 2)? { 80 } else { 12 }),
            _ => room.min([40, 9, 5, 4, 3, 3, 3][rank - 2]),
        };
        let length = if empties && u.ratio(1, 3)? { 0 } else { length(kind, most, u)? };
        let of_axis = mode.of(axis).unwrap_or_default();
        let pad = axis_pad(length, of_axis, frame_of(frame, of_axis), (usize::from(!empties), room), u)?;
        room = (room / output(length, pad).max(1)).max(1);
        (shape[axis], axes[axis]) = (length, pad);
    }
    // In one of six a fill for each position of an axis that is not padded.
    let coloured = if rank > 0 && u.ratio(1, 6)? { Some(u.choose_index(rank)?) } else { None };
    let coloured = coloured.filter(|&axis| {
        let is_room = shape[axis] > 1 && output(shape[axis], axes[axis]) >= shape[axis];
        is_room && matches!(kind.element_size(), ElementSize::Bytes(_))
    });
    if let Some(axis) = coloured {
        axes[axis] = AxisPad::default();
    }
    let mut fill = fill(kind, &mode, &axes, u)?;
    if let (Some(fill), Some(axis)) = (&mut fill, coloured) {
        let one = fill.clone();
        for number in 1..shape[axis] {
            // Booleans are 0 and 1.
            let other = |byte: &u8| {
                if *byte < 2 { byte ^ (number as u8 & 1) } else { 251 + (byte % 5 + number as u8 % 5) % 5 }
            };
            fill.extend(one.iter().map(other));
        }
    }
    let negated = negated(kind, &axes, u)?;
    Ok(Case { shape, axes, mode, frame, kind, fill, negated, paint: u.arbitrary()? })
}

/// Output elements that a case may have: a few in most cases, so that there can be many.
fn budget(kind: Kind, u: &mut Unstructured<'_>) -> Result<usize> {
    let most =
        *u.choose(if cfg!(miri) { &[8, 16, 24, MOST_ELEMENTS] } else { &[128, 256, 512, MOST_ELEMENTS] })?;
    Ok((MOST_BYTES / kind.bytes(1).max(1)).min(most))
}
