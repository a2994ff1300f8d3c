//! `numpy.pad` (2.1 or later) in the five modes that copy elements. It accepts any type.
//!
//! Widths are never negative, so there is no frame. Reflections repeat as often as needed, and an axis of length 1 repeats its
//! element. Only constant mode extends an empty axis. The reference already has all of these rules.

use super::*;

pub(super) fn read(call: &Call<'_>) -> Answer<Meaning> {
    no_interior(call)?;
    let mode = mode_of(call, &Mode::ALL)?;
    if call.value && mode != Mode::Constant {
        return refuse("constant_values is an unknown keyword in other modes");
    }
    let axes = match call.args.get("pad_width") {
        None => axis_pads(call)?,
        Some(width) => {
            let pair = |(low, high)| AxisPad { low, high, interior: 0 };
            pad_width(width, call.shape.len())?.into_iter().map(pair).collect()
        }
    };
    no_negatives(&axes)?;
    // The default is the number 0, which an array of text converts to text.
    let fill = match fill_of(call) {
        Fill::Zero if call.element == Type::String => Fill::TextZero,
        fill => fill,
    };
    Ok(Meaning { axes, mode, frame: mode.default_frame(), fill })
}

/// Reads `pad_width` for a rank: a number, an array that broadcasts to (rank, 2), or a dictionary.
fn pad_width(width: &Value, rank: usize) -> Answer<Vec<(i64, i64)>> {
    match width {
        Value::Number(_) => {
            let both = integer(width)?;
            Ok(vec![(both, both); rank])
        }
        Value::Array(rows) if rows.iter().all(Value::is_array) && !rows.is_empty() => {
            let pairs = rows.iter().map(pair).collect::<Answer<Vec<_>>>()?;
            // Rows of different lengths are not an array.
            if rows.iter().any(|row| row.as_array().map(Vec::len) != rows[0].as_array().map(Vec::len)) {
                return refuse("pad_width is ragged");
            }
            match pairs[..] {
                [one] => Ok(vec![one; rank]),
                _ if pairs.len() == rank => Ok(pairs),
                _ => refuse("pad_width has neither one row nor one per axis"),
            }
        }
        // There is one row for all axes.
        Value::Array(_) => Ok(vec![pair(width)?; rank]),
        // The keys are axes. An axis without a key gets no padding. If two keys name one axis, the last one counts.
        Value::Object(widths) => {
            let mut pairs = vec![(0, 0); rank];
            for (axis, width) in widths {
                let Ok(number) = axis.parse::<i64>() else {
                    return refuse(format!("no axis {axis}"));
                };
                let counted = if number < 0 { number + rank as i64 } else { number };
                let Some(slot) = usize::try_from(counted).ok().and_then(|axis| pairs.get_mut(axis)) else {
                    return refuse(format!("no axis {axis}"));
                };
                *slot = match width {
                    Value::Number(_) => (integer(width)?, integer(width)?),
                    Value::Array(two) if two.len() == 2 => (integer(&two[0])?, integer(&two[1])?),
                    _ => return refuse("a width is a number or a pair"),
                };
            }
            Ok(pairs)
        }
        _ => refuse("pad_width is not of integers"),
    }
}

/// Reads a row of one or two numbers.
fn pair(row: &Value) -> Answer<(i64, i64)> {
    match row.as_array().map(Vec::as_slice) {
        Some([both]) => Ok((integer(both)?, integer(both)?)),
        Some([low, high]) => Ok((integer(low)?, integer(high)?)),
        _ => refuse("a row of pad_width has one or two numbers"),
    }
}

fn integer(number: &Value) -> Answer<i64> {
    number.as_i64().map_or_else(|| refuse("pad_width must be of integral type"), Ok)
}
