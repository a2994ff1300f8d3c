//! A fill that is given as a number of 64 bits, whatever the type of the data, and becomes an element.

use serde_json::{Value, json};

use super::types::Type::{self, *};

/// The least and the most of an integer type.
fn range(element: Type) -> Option<(i128, i128)> {
    let bits = element.bits();
    match element {
        Int8 | Int16 | Int32 | Int64 => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        Uint8 | Uint16 | Uint32 | Uint64 => Some((0, (1 << bits) - 1)),
        _ => None,
    }
}

/// An integer as the format writes it.
fn integer(number: i128) -> Value {
    i64::try_from(number).map_or_else(|_| json!(number as u64), |number| json!(number))
}

/// A float of this type as the format writes it, by its bits; a complex number without an imaginary part.
fn float(number: f64, element: Type) -> Option<Value> {
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

/// OpenCV: `saturate_cast` from a double. What it leaves to the machine has no answer.
pub(super) fn saturated(number: f64, element: Type) -> Option<Value> {
    let Some((least, most)) = range(element) else {
        return match element {
            Bool => Some(json!(i32::from(number != 0.0))),
            other => float(number, other),
        };
    };
    if element == Uint32 {
        // Halves away from zero, and nothing below it.
        let nearest = number.round();
        return (nearest <= most as f64).then(|| integer((nearest as i128).max(0)));
    }
    // To an int of 32 bits first, halves to even, and from there cut to the range.
    let nearest = number.round_ties_even();
    let word = (-2147483648.0..=2147483647.0).contains(&nearest).then_some(nearest as i128)?;
    Some(integer(word.clamp(least, most)))
}

/// scipy's interpolation: the half is added away from zero, the range cuts, and what is after the point is dropped.
pub(super) fn rounded(number: f64, element: Type) -> Option<Value> {
    let Some((least, most)) = range(element) else {
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
    // The largest of 64 bits is no double, and the next one is beyond the range.
    if element.bits() == 64 && whole > most as f64 - 1.0 {
        return None;
    }
    Some(integer((whole as i128).clamp(least, most)))
}

/// The number itself, if it is an element.
pub(super) fn exact(number: f64, element: Type) -> Option<Value> {
    match range(element) {
        None if element == Bool => rounded(number, element),
        None if element == Float32 && f64::from(number as f32) != number && !number.is_nan() => None,
        None => float(number, element),
        Some((least, most)) => {
            let whole = (number.is_finite() && number.trunc() == number).then_some(number as i128)?;
            (least..=most).contains(&whole).then(|| integer(whole))
        }
    }
}
