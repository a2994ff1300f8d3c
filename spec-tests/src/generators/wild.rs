//! Requests of any numbers.

use arbitrary::{Result, Unstructured};
use pad_kernels::{AxisPad, DType, PadMode};

use super::axis::stretched;
use super::cases::case;
use crate::case::{Case, Kind};

/// A request of any numbers at all: nearly all of them are refused, or would be too large to run.
pub fn wild(u: &mut Unstructured<'_>) -> Result<Case> {
    let mut case = case(u)?.plain();
    if u.ratio(1, 32)? {
        // Right but for the fill, which a type without a zero needs.
        return Ok(Case {
            kind: Kind::Tagged(DType::F8E8M0),
            mode: PadMode::Constant.into(),
            fill: None,
            ..case
        });
    }
    const LENGTHS: [usize; 14] = [
        0,
        1,
        2,
        3,
        5,
        1 << 15,
        1 << 16,
        1 << 31,
        u32::MAX as usize,
        usize::MAX / 4 + 1,
        usize::MAX / 16,
        isize::MAX as usize - 1,
        isize::MAX as usize,
        usize::MAX,
    ];
    const SIDES: [i64; 17] = [
        0,
        1,
        -1,
        7,
        -7,
        1 << 31,
        -(1 << 31),
        1 << 32,
        1 << 61,
        -(1 << 61),
        1 << 62,
        -(1 << 62),
        i64::MAX - 1,
        i64::MAX,
        i64::MIN + 1,
        i64::MIN,
        i64::MIN / 2,
    ];
    const INTERIORS: [u64; 9] =
        [0, 1, 3, 1 << 31, 1 << 62, i64::MAX as u64 - 1, i64::MAX as u64, 1 << 63, u64::MAX];
    for axis in 0..case.shape.len() {
        if u.ratio(1, 2)? {
            case.shape[axis] = *u.choose(&LENGTHS)?;
        }
        let pad = &mut case.axes[axis];
        if u.ratio(1, 3)? {
            pad.low = *u.choose(&SIDES)?;
        }
        if u.ratio(1, 3)? {
            pad.high = *u.choose(&SIDES)?;
        }
        if u.ratio(1, 4)? {
            pad.interior = *u.choose(&INTERIORS)?;
        }
        if u.ratio(1, 4)? {
            // Where the output is just possible, or just not.
            let edge = i128::from(*u.choose(&[0, i64::MAX])?) + i128::from(u.int_in_range(-2..=2i8)?);
            let others = stretched(case.shape[axis], pad.interior).saturating_add(i128::from(pad.low));
            pad.high = i64::try_from(edge.saturating_sub(others)).unwrap_or(pad.high);
        }
    }
    if u.ratio(1, 16)? {
        // Many types have no signs.
        case.negated =
            case.shape.iter().map(|_| Ok((u.arbitrary()?, u.arbitrary()?))).collect::<Result<_>>()?;
    }
    match u.int_in_range(0..=31u8)? {
        29 => case.mode = vec![PadMode::Constant; case.shape.len() + 1].into(),
        30 => case.axes.push(AxisPad::new(1, 1)),
        31 => drop(case.axes.pop()),
        _ => {}
    }
    // One entry is for every axis, and no mistake.
    if case.axes.len() == 1 && case.shape.len() != 1 {
        case.axes.clear();
        case.axes.resize(usize::from(case.shape.is_empty()) * 2, AxisPad::new(1, 1));
    }
    Ok(case)
}
