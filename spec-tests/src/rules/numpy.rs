//! `numpy.pad` (2.1 or later) in the five modes that copy elements. It accepts any type.
//!
//! Widths are never negative, so there is no frame. Reflections repeat as often as needed, and an axis of length 1 repeats its
//! element. Only constant mode extends an empty axis. The reference already has all of these rules.

use super::*;
use crate::vectors::PadWidth;

pub(super) fn read(call: &Case) -> Answer<Meaning> {
    let mode = mode_of(call, &Mode::ALL)?;
    deny(call.value.is_some() && mode != Mode::Constant, "other modes have no keyword constant_values")?;
    let axes = match argument(call, "pad_width")? {
        None => axis_pads(call)?,
        Some(width) => {
            let pair = |(low, high)| AxisPad { low, high, interior: 0 };
            pad_width(width, call.shape.len())?.into_iter().map(pair).collect()
        }
    };
    no_negatives(&axes)?;
    // The default is the number 0, which an array of text converts to text.
    let fill = match fill_of(call) {
        None if call.dtype == Type::String => Some(vec!["0".into()]),
        fill => fill,
    };
    Ok(Meaning { axes, mode, frame: mode.default_frame(), fill })
}

/// Broadcasts `pad_width` to the axes.
fn pad_width(width: PadWidth, rank: usize) -> Answer<Vec<(i64, i64)>> {
    match width {
        PadWidth::Number(both) => Ok(vec![pair(&[both])?; rank]),
        PadWidth::Row(row) => Ok(vec![pair(&row)?; rank]),
        PadWidth::Rows(rows) => {
            // Rows of different lengths are not an array.
            deny(rows.iter().any(|row| row.len() != rows[0].len()), "pad_width is ragged")?;
            match rows.iter().map(|row| pair(row)).collect::<Answer<Vec<_>>>()? {
                pairs if pairs.len() == rank => Ok(pairs),
                pairs if pairs.len() == 1 => Ok(vec![pairs[0]; rank]),
                _ => refuse("pad_width has neither one row nor one per axis"),
            }
        }
        // An axis without a key gets no padding. If two keys name one axis, the last one counts.
        PadWidth::Dictionary(widths) => {
            let mut pairs = vec![(0, 0); rank];
            for (axis, width) in widths {
                let number = axis.parse().unwrap_or(i64::MAX);
                let counted = if number < 0 { number + rank as i64 } else { number };
                let slot = usize::try_from(counted).ok().and_then(|axis| pairs.get_mut(axis));
                let Some(slot) = slot else { return refuse(format!("no axis {axis}")) };
                *slot = match serde_json::from_value(width) {
                    Ok(PadWidth::Number(both)) => (both, both),
                    Ok(PadWidth::Row(row)) if row.len() == 2 => (row[0], row[1]),
                    _ => return refuse("a width is a number or a pair"),
                };
            }
            Ok(pairs)
        }
    }
}

/// Reads a row of one or two numbers, none of them negative.
fn pair(row: &[i64]) -> Answer<(i64, i64)> {
    deny(row.iter().any(|&width| width < 0), "a negative width, even if there are no axes")?;
    match *row {
        [both] => Ok((both, both)),
        [low, high] => Ok((low, high)),
        _ => refuse("a row of pad_width has one or two numbers"),
    }
}
