//! Conversions of a fill that is a 64-bit number to an element of the data's type.

use serde_json::{Value, json};

use super::types::Type::{self, *};
use crate::reference::computed::Format;

/// Writes an integer as the JSON value of a recorded case.
fn integer(number: i128) -> Value {
    i64::try_from(number).map_or_else(|_| json!(number as u64), |number| json!(number))
}

/// Writes a float in the format of the vectors, by its bits. The imaginary part of a complex number is 0.
pub(super) fn float(number: f64, element: Type) -> Option<Value> {
    let bits32 = json!({"bits": format!("{:#x}", (number as f32).to_bits())});
    let bits64 = json!({"bits": format!("{:#x}", number.to_bits())});
    match element {
        Float16 => Some(json!({"bits": format!("{:#x}", half::f16::from_f32(number as f32).to_bits())})),
        Float32 => Some(bits32),
        Float64 => Some(bits64),
        Complex64 => Some(json!([bits32, 0])),
        Complex128 => Some(json!([bits64, 0])),
        _ => None,
    }
}

/// OpenCV's `saturate_cast` from a double. Returns `None` if the result depends on the machine.
pub(super) fn saturated(number: f64, element: Type) -> Option<Value> {
    let Some((least, most)) = element.range() else {
        return match element {
            Bool => Some(json!(i32::from(number != 0.0))),
            other => float(number, other),
        };
    };
    if element == Uint32 {
        // Halves round away from zero, and negative numbers become zero.
        let nearest = number.round();
        return (nearest <= most as f64).then(|| integer((nearest as i128).max(0)));
    }
    // The number is rounded to a 32-bit integer, with halves to even, and then clamped to the type's range.
    let nearest = number.round_ties_even();
    let word = (-2147483648.0..=2147483647.0).contains(&nearest).then_some(nearest as i128)?;
    Some(integer(word.clamp(least, most)))
}

/// scipy's interpolation: it adds one half away from zero, clamps to the range, and drops the digits after the point.
pub(super) fn rounded(number: f64, element: Type) -> Option<Value> {
    let Some((least, most)) = element.range() else {
        return match element {
            Bool if number == 0.0 || number == 1.0 => Some(json!(number as i32)),
            Bool => None,
            other => float(number, other),
        };
    };
    if number.is_nan() {
        return None;
    }
    let whole = if number > 0.0 { (number + 0.5).trunc() } else { (number - 0.5).trunc() };
    // The largest 64-bit integer is not a double, and the next double is outside of the range.
    if element.bits() == 64 && whole > most as f64 - 1.0 {
        return None;
    }
    Some(integer((whole as i128).clamp(least, most)))
}

/// WebNN's conversion of a double.
pub(super) fn cast(number: f64, element: Type) -> Value {
    match (element.range(), element) {
        (Some(_), _) if number.is_nan() => json!(0),
        (Some((least, most)), _) => integer((number.round_ties_even() as i128).clamp(least, most)),
        // Half precision is rounded once, not first to single precision.
        (None, Float16) => {
            json!({"bits": format!("{:#x}", half::f16::from_f64(Format::F16.rounded(number)).to_bits())})
        }
        (None, _) => float(number, element).expect("a float of WebNN"),
    }
}

/// WebNN's conversion of a bigint.
pub(super) fn cast_integer(number: i128, element: Type) -> Value {
    match (element.range(), element) {
        (Some((least, most)), _) => integer(number.clamp(least, most)),
        (None, Float32) => json!({"bits": format!("{:#x}", (number as f32).to_bits())}),
        (None, _) => cast(number as f64, element),
    }
}

/// Returns the number itself, if it is an element of the type.
pub(super) fn exact(number: f64, element: Type) -> Option<Value> {
    match element.range() {
        None if element == Bool => rounded(number, element),
        None if element == Float32 && f64::from(number as f32) != number && !number.is_nan() => None,
        None => float(number, element),
        Some((least, most)) => {
            let whole = (number.is_finite() && number.trunc() == number).then_some(number as i128)?;
            (least..=most).contains(&whole).then(|| integer(whole))
        }
    }
}
