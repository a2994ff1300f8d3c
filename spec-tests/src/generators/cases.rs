//! Generates random cases that run, and random requests with extreme numbers.

use arbitrary::{Arbitrary, Result, Unstructured};
use pad_kernels::{AxisPad, DType, Frame, Modes, PadMode, tensor::ElementSize};

use super::axis::{axis_pad, length, output, stretched};
use crate::case::{Case, Kind, SIGNED};

/// The maximum number of elements of an output, except for some cases for single kernels. It is small under Miri, which takes
/// a thousand times as long.
pub const MOST_ELEMENTS: usize = if cfg!(miri) { 130 } else { 4096 };

/// The maximum number of bytes of an output, with the exceptions of [`MOST_ELEMENTS`].
pub const MOST_BYTES: usize = if cfg!(miri) { 600 } else { 1 << 16 };

/// The maximum rank of a generated case.
pub const MOST_AXES: usize = 8;

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        case(u)
    }
}

/// Generates a case. Nearly all cases run. The library refuses a few, because they lack a fill.
pub fn case(u: &mut Unstructured<'_>) -> Result<Case> {
    let kind = kind(u)?;
    case_of(kind, u)
}

/// Generates a case with elements of the given kind.
pub fn case_of(kind: Kind, u: &mut Unstructured<'_>) -> Result<Case> {
    let rank = usize::from(*u.choose(&[1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 0u8])?);
    case_of_rank(kind, rank, u)
}

/// Generates a case with elements of the given kind and `rank` axes.
pub fn case_of_rank(kind: Kind, rank: usize, u: &mut Unstructured<'_>) -> Result<Case> {
    let mode = modes(rank, u)?;
    case_with(kind, mode, rank, false, u)
}

/// Generates a case with the given modes. If `separate` is true, nearly all axes have elements and padding, so none is merged.
pub(super) fn case_with(
    kind: Kind,
    mode: Modes,
    rank: usize,
    separate: bool,
    u: &mut Unstructured<'_>,
) -> Result<Case> {
    let frame = frame(u)?;
    let empties = u.ratio(1, 16)? && !separate;
    // The output has few elements in most cases, so that many cases can run.
    let most = if cfg!(miri) { [8, 16, 24, MOST_ELEMENTS] } else { [128, 256, 512, MOST_ELEMENTS] };
    let mut room = (MOST_BYTES / kind.bytes(1).max(1)).min(*u.choose(&most)?).max(1);
    let (mut shape, mut axes) = (vec![0; rank], vec![AxisPad::default(); rank]);
    // Start with the innermost axis. It takes as many elements of `room` as it needs, and the outer axes share the rest.
    for axis in (0..rank).rev() {
        // If `separate` is true, the axis leaves at least two elements for each outer axis.
        let here = if separate { (room >> axis).max(2) } else { room };
        let most = match rank - axis {
            1 if rank == 1 => here,
            1 => here.min(*u.choose(&[80, 80, 12, 12, 300])?),
            _ if rank < 4 && u.ratio(1, 4)? => here,
            _ => here.min([40, 9, 5, 4, 3, 3, 3][rank - 2]),
        };
        let length = if empties && u.ratio(1, 3)? {
            0
        } else {
            length(kind, (most - usize::from(separate)).max(1), u)?
        };
        let of_axis = mode.of(axis).unwrap_or_default();
        let pad = match u.ratio(1, if separate { 16 } else { 4 })? {
            true => AxisPad::default(),
            false => axis_pad(length, of_axis, frame, (usize::from(!empties), here), u)?,
        };
        room = (room / output(length, pad).max(1)).max(1);
        (shape[axis], axes[axis]) = (length, pad);
    }
    // One case of six has a fill for each position of an axis without padding.
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
            // Bytes below 2 may be booleans, so they stay below 2.
            let other = |byte: &u8| {
                if *byte < 2 { byte ^ (number as u8 & 1) } else { 251 + (byte % 5 + number as u8 % 5) % 5 }
            };
            fill.extend(one.iter().map(other));
        }
    }
    let negated = negated(kind, &axes, u)?;
    Ok(Case { shape, axes, mode, frame, kind, fill, negated, paint: u.arbitrary()? })
}

/// Generates a kind of element. One of four has no `DType`.
pub fn kind(u: &mut Unstructured<'_>) -> Result<Kind> {
    match u.ratio(1, 4)? {
        true => u.choose(&Kind::untagged().collect::<Vec<_>>()).copied(),
        false => Ok(Kind::Tagged(*u.choose(DType::ALL)?)),
    }
}

pub fn mode(u: &mut Unstructured<'_>) -> Result<PadMode> {
    u.choose(&PadMode::ALL).copied()
}

/// Generates one mode for all sides, or in one of four cases a mode for each side of `rank` axes.
pub fn modes(rank: usize, u: &mut Unstructured<'_>) -> Result<Modes> {
    if rank == 0 || !u.ratio(1, 4)? {
        return Ok(mode(u)?.into());
    }
    (0..rank).map(|_| Ok((mode(u)?, mode(u)?))).collect()
}

pub fn frame(u: &mut Unstructured<'_>) -> Result<Option<Frame>> {
    u.choose(&[None, Some(Frame::Uncropped), Some(Frame::Cropped)]).copied()
}

/// Generates the sides whose borders are negated. Of the cases that allow negation, one of four gets random sides, and the others
/// none. In some of these cases, all axes have the sides of the first axis.
pub(super) fn negated(kind: Kind, axes: &[AxisPad], u: &mut Unstructured<'_>) -> Result<Vec<(bool, bool)>> {
    let has_signs = kind.dtype().is_some_and(|dtype| SIGNED.contains(&dtype));
    if !has_signs || axes.iter().any(|pad| pad.interior > 0) || !u.ratio(1, 4)? {
        return Ok(Vec::new());
    }
    let (first, same) = ((u.arbitrary()?, u.arbitrary()?), u.ratio(1, 4)?);
    axes.iter().map(|_| Ok(if same { first } else { (u.arbitrary()?, u.arbitrary()?) })).collect()
}

/// Generates a fill or none. The fill is zero, random, of equal bytes, or most often of bytes that the data does not contain.
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

/// Generates a number near a power of two. Numbers near the limits of integers are frequent.
fn extreme(u: &mut Unstructured<'_>) -> Result<i128> {
    let power = 1i128 << *u.choose(&[0, 1, 2, 3, 15, 16, 31, 32, 60, 61, 62, 63, 63, 64])?;
    let number = power + i128::from(u.int_in_range(-1..=1i8)?);
    Ok(if u.arbitrary()? { number } else { -number })
}

/// Generates a request with extreme numbers. Nearly all of these requests are refused or too large to run.
pub fn wild(u: &mut Unstructured<'_>) -> Result<Case> {
    let mut case = case(u)?.plain();
    if u.ratio(1, 32)? {
        // This request lacks a fill, and its type has no zero as default. The request is otherwise valid.
        return Ok(Case {
            kind: Kind::Tagged(DType::F8E8M0),
            mode: PadMode::Constant.into(),
            fill: None,
            ..case
        });
    }
    for axis in 0..case.shape.len() {
        if u.ratio(1, 2)? {
            case.shape[axis] = extreme(u)?.abs().min(usize::MAX as i128) as usize;
        }
        let pad = &mut case.axes[axis];
        let mut width = |width: &mut i64| {
            if u.ratio(1, 3)? {
                *width = extreme(u)?.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
            }
            Ok(())
        };
        width(&mut pad.low)?;
        width(&mut pad.high)?;
        if u.ratio(1, 4)? {
            pad.interior = extreme(u)?.abs().min(u64::MAX.into()) as u64;
        }
        if u.ratio(1, 4)? {
            // Put the output length close to one of its limits, 0 and `i64::MAX`.
            let edge = i128::from(*u.choose(&[0, i64::MAX])?) + i128::from(u.int_in_range(-2..=2i8)?);
            let others = stretched(case.shape[axis], pad.interior).saturating_add(i128::from(pad.low));
            pad.high = i64::try_from(edge.saturating_sub(others)).unwrap_or(pad.high);
        }
    }
    if u.ratio(1, 16)? {
        // Many types cannot be negated, so the library often refuses these requests.
        case.negated =
            case.shape.iter().map(|_| Ok((u.arbitrary()?, u.arbitrary()?))).collect::<Result<_>>()?;
    }
    match u.int_in_range(0..=31u8)? {
        29 => case.mode = vec![PadMode::Constant; case.shape.len() + 1].into(),
        30 => case.axes.push(AxisPad::new(1, 1)),
        31 => drop(case.axes.pop()),
        _ => {}
    }
    // A single padding applies to any number of axes. Use a wrong number of paddings instead.
    if case.axes.len() == 1 && case.shape.len() != 1 {
        case.axes.clear();
        case.axes.resize(usize::from(case.shape.is_empty()) * 2, AxisPad::new(1, 1));
    }
    Ok(case)
}
