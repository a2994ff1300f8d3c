//! Converts elements from and to the JSON values of recorded cases.

use half::{bf16, f16};
use serde_json::{Value, json};

use crate::rules::Type;

/// Checks that a shape has `count` elements, and returns an error if not.
pub(super) fn check_count(shape: &[usize], count: usize) -> Result<(), String> {
    let product = if shape.contains(&0) {
        Some(0)
    } else {
        shape.iter().try_fold(1usize, |product, &length| product.checked_mul(length))
    };
    if product == Some(count) { Ok(()) } else { Err(format!("{count} elements in shape {shape:?}")) }
}

/// The elements of a tensor, as in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Elements {
    /// Bytes in native order. Packed types fill each byte from its low bits, without padding between rows. Unused bits are 0.
    Bytes(Vec<u8>),
    Text(Vec<String>),
}

impl Elements {
    /// Returns one element with all bits 0, or the empty string.
    pub fn zero(element: Type) -> Elements {
        match element {
            Type::String => Elements::Text(vec![String::new()]),
            _ => Elements::Bytes(vec![0; element.bits().div_ceil(8) as usize]),
        }
    }

    /// Reads elements from the JSON values of a recorded case. Returns an error if a value does not fit the type.
    pub fn from_json<'a>(
        values: impl IntoIterator<Item = &'a Value>,
        element: Type,
    ) -> Result<Elements, String> {
        let values = values.into_iter();
        match element {
            Type::String => {
                let text =
                    |value: &Value| value.as_str().map(str::to_owned).ok_or(format!("{value} is no text"));
                values.map(text).collect::<Result<_, _>>().map(Elements::Text)
            }
            _ => {
                let (part, mut fields) = (element.part(), Vec::new());
                for value in values {
                    match value.as_array().map(Vec::as_slice) {
                        _ if part == element => fields.push(field(value, element)?),
                        Some([re, im]) => fields.extend([field(re, part)?, field(im, part)?]),
                        _ => return Err(format!("{value} is no complex number")),
                    }
                }
                Ok(Elements::Bytes(pack(&fields, part.bits())))
            }
        }
    }

    /// Returns the first `count` elements as JSON. The limit is needed for packed types, whose last byte may have unused bits.
    pub fn to_json(&self, element: Type, count: usize) -> Vec<Value> {
        let part = element.part();
        let mut all: Vec<Value> = match self {
            Elements::Text(text) => text.iter().map(|text| text[..].into()).collect(),
            Elements::Bytes(bytes) => {
                unpack(bytes, part.bits()).into_iter().map(|field| field_json(field, part)).collect()
            }
        };
        if part != element {
            all = all.chunks(2).map(Value::from).collect();
        }
        all.truncate(count);
        all
    }

    /// Returns the elements as a JSON list.
    pub fn show(&self, element: Type) -> String {
        Value::from(self.to_json(element, usize::MAX)).to_string()
    }
}

/// Reads the elements of a tensor. Returns an error if their number does not fit the shape, or if one does not fit the type.
pub fn tensor(shape: &[usize], data: &[Value], element: Type) -> Result<(Vec<usize>, Elements), String> {
    check_count(shape, data.len())?;
    Ok((shape.to_vec(), Elements::from_json(data, element)?))
}

/// Returns the bytes of fields that have `bits` bits each. A field holds the bits of an element, or of a part of a complex one.
fn pack(fields: &[u64], bits: u32) -> Vec<u8> {
    let bytes = |field: &u64| match cfg!(target_endian = "little") {
        true => field.to_le_bytes()[..bits as usize / 8].to_vec(),
        false => field.to_be_bytes()[8 - bits as usize / 8..].to_vec(),
    };
    let byte = |fields: &[u64]| fields.iter().rev().fold(0, |byte, &field| byte << bits | field as u8);
    match bits {
        2 | 4 => fields.chunks(8 / bits as usize).map(byte).collect(),
        _ => fields.iter().flat_map(bytes).collect(),
    }
}

/// Returns the fields of these bytes, including unused fields of the last byte. It is the inverse of [`pack`].
fn unpack(bytes: &[u8], bits: u32) -> Vec<u64> {
    let field = |bytes: &[u8]| match cfg!(target_endian = "little") {
        true => bytes.iter().rev().fold(0, |field, &byte| field << 8 | u64::from(byte)),
        false => bytes.iter().fold(0, |field, &byte| field << 8 | u64::from(byte)),
    };
    let part = |byte: u8, i: u32| u64::from(byte >> (i * bits)) & ((1 << bits) - 1);
    match bits {
        2 | 4 => bytes.iter().flat_map(|&byte| (0..8 / bits).map(move |i| part(byte, i))).collect(),
        _ => bytes.chunks(bits as usize / 8).map(field).collect(),
    }
}

/// Returns the bits of a value `{"bits": "0x.."}`, or `None` for other values.
pub(super) fn bits(value: &Value, width: u32) -> Result<Option<u64>, String> {
    let Some(object) = value.as_object() else { return Ok(None) };
    let digits = match object.get("bits") {
        Some(Value::String(text)) if object.len() == 1 => text.strip_prefix("0x"),
        _ => None,
    };
    match digits.map(|digits| u64::from_str_radix(digits, 16)) {
        Some(Ok(bits)) if width == 64 || bits >> width == 0 => Ok(Some(bits)),
        _ => Err(format!("{value} is no pattern of {width} bits")),
    }
}

/// Returns the bits of an element, or of a part of a complex one, or an error if the type cannot represent the number exactly.
fn field(value: &Value, element: Type) -> Result<u64, String> {
    let inexact = || format!("{value} is no {}", element.name());
    let width = element.bits();
    if let Some(bits) = bits(value, width)? {
        return if element == Type::Bool && bits > 1 { Err(inexact()) } else { Ok(bits) };
    }
    let range = if element == Type::Bool { Some((0, 1)) } else { element.range() };
    match range {
        Some((least, most)) => integer_of(value)
            .filter(|integer| (least..=most).contains(integer))
            .map(|integer| integer as u64 & (u64::MAX >> (64 - width))),
        None => float_of(value).and_then(|number| float_bits(number, element)),
    }
    .ok_or_else(inexact)
}

/// Returns the value if it is written as an integer.
pub fn integer(value: &Value) -> Option<i128> {
    value.as_i64().map(i128::from).or(value.as_u64().map(i128::from))
}

/// Returns the value if it is a number without a fraction.
fn integer_of(value: &Value) -> Option<i128> {
    let float = || value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e30);
    integer(value).or_else(|| float().map(|number| number as i128))
}

/// Returns the value as a 64-bit float. An integer must be exact; a decimal is rounded to the nearest float.
fn float_of(value: &Value) -> Option<f64> {
    let float = value.as_f64()?;
    integer(value).is_none_or(|integer| float as i128 == integer).then_some(float)
}

/// Returns the bits of a finite number, if the type represents it exactly.
fn float_bits(number: f64, element: Type) -> Option<u64> {
    let exact = |field: &u64| float_value(*field, element).to_bits() == number.to_bits();
    let nearest = match element {
        Type::Float64 => number.to_bits(),
        Type::Float32 => (number as f32).to_bits().into(),
        Type::Float16 => f16::from_f64(number).to_bits().into(),
        Type::Bfloat16 => bf16::from_f64(number).to_bits().into(),
        // Small types have few patterns, so try them all.
        _ => return (0..1 << element.bits()).find(exact),
    };
    Some(nearest).filter(exact)
}

/// Returns the number that a bit pattern of this type represents.
fn float_value(field: u64, element: Type) -> f64 {
    // The numbers of exponent bits and mantissa bits, the exponent bias, and whether the pattern is a NaN. Types ending in `fn`
    // have one NaN per sign. Types ending in `fnuz` have one NaN, with the pattern of negative zero. float4e2m1 has no NaN.
    let (exponent, mantissa, bias, is_nan) = match element {
        Type::Float64 => return f64::from_bits(field),
        Type::Float32 => return f32::from_bits(field as u32).into(),
        Type::Float16 => return f16::from_bits(field as u16).to_f64(),
        Type::Bfloat16 => return bf16::from_bits(field as u16).to_f64(),
        // The type has only powers of two, without a sign. The pattern of all ones is a NaN.
        Type::Float8e8m0 if field == 0xff => return f64::NAN,
        Type::Float8e8m0 => return (field as f64 - 127.0).exp2(),
        Type::Float8e5m2 if field & 0x7f == 0x7c => return f64::INFINITY.copysign(64.0 - field as f64),
        Type::Float8e4m3fn => (4, 3, 7, field & 0x7f == 0x7f),
        Type::Float8e4m3fnuz => (4, 3, 8, field == 0x80),
        Type::Float8e5m2 => (5, 2, 15, field & 0x7c == 0x7c),
        Type::Float8e5m2fnuz => (5, 2, 16, field == 0x80),
        Type::Float4e2m1 => (2, 1, 1, false),
        other => unreachable!("{} is no float", other.name()),
    };
    if is_nan { f64::NAN } else { small_float(field, exponent, mantissa, bias) }
}

/// Returns the finite number of a pattern with one sign bit, `exponent` exponent bits with the given bias, and `mantissa`
/// mantissa bits.
fn small_float(field: u64, exponent: u32, mantissa: u32, bias: i32) -> f64 {
    let fraction = (field & ((1 << mantissa) - 1)) as f64 / f64::from(1 << mantissa);
    let biased = (field >> mantissa & ((1 << exponent) - 1)) as i32;
    let magnitude = match biased {
        0 => fraction * f64::from(1 - bias).exp2(),
        _ => (1.0 + fraction) * f64::from(biased - bias).exp2(),
    };
    if field >> (exponent + mantissa) == 0 { magnitude } else { -magnitude }
}

/// Returns an element as JSON.
fn field_json(field: u64, element: Type) -> Value {
    match element.range() {
        // A pattern above the maximum is that of a negative number.
        Some((_, most)) if i128::from(field) > most => {
            json!((i128::from(field) - (1 << element.bits())) as i64)
        }
        Some(_) => json!(field),
        None if element == Type::Bool => json!(field),
        None => match float_value(field, element) {
            number if !number.is_finite() || number.to_bits() == (-0.0f64).to_bits() => {
                json!({"bits": format!("0x{field:0width$x}", width = element.bits().div_ceil(4) as usize)})
            }
            // A larger number is written with an exponent. Digits alone would be read as an integer, which must be exact.
            number if number.fract() == 0.0 && number.abs() < 1e16 => json!(number as i64),
            number => json!(number),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_bytes() {
        use Type::*;
        // The smallest types have several elements per byte, the first one in the low bits. The first value of most float types
        // of 8 bits is their largest finite number.
        for (element, values, bytes) in [
            (Uint4, json!([1, 2, 3]), &[0x21, 0x03][..]),
            (Int4, json!([-1, -8, 7]), &[0x8f, 0x07]),
            (Uint2, json!([1, 2, 3, 0, 1]), &[0x39, 0x01]),
            (Int2, json!([-1, -2, 1]), &[0b01_10_11]),
            (Float4e2m1, json!([0.5, -6, 3]), &[0xf1, 0x05]),
            (Float8e4m3fn, json!([448, 1, 0.001953125]), &[0x7e, 0x38, 0x01]),
            (Float8e4m3fnuz, json!([240, 1, 0.0009765625]), &[0x7f, 0x40, 0x01]),
            (Float8e5m2, json!([57344, 1, -0.0]), &[0x7b, 0x3c, 0x80]),
            (Float8e5m2fnuz, json!([57344, 1]), &[0x7f, 0x40]),
            (Float8e8m0, json!([1, 2, 0.5]), &[127, 128, 126]),
            (Float16, json!([65504]), &0x7bffu16.to_ne_bytes()),
            (Bfloat16, json!([1.0078125]), &0x3f81u16.to_ne_bytes()),
            (Float32, json!([1.401298464324817e-45]), &1u32.to_ne_bytes()),
            (Float64, json!([0.1]), &0.1f64.to_ne_bytes()),
            (Uint64, json!([u64::MAX]), &[0xff; 8]),
            (Int64, json!([i64::MIN]), &i64::MIN.to_ne_bytes()),
            (Int64, json!([9007199254740993i64]), &9007199254740993i64.to_ne_bytes()),
        ] {
            let values = values.as_array().expect("a list");
            let elements = Elements::from_json(values, element);
            assert_eq!(elements, Ok(Elements::Bytes(bytes.to_vec())), "{element:?}");
            let shown = elements.expect("as before").to_json(element, values.len());
            assert_eq!(
                Elements::from_json(&shown, element),
                Ok(Elements::Bytes(bytes.to_vec())),
                "{shown:?}"
            );
        }
    }

    #[test]
    fn numbers_are_exact_or_refused() {
        use Type::*;
        for (element, value) in [
            (Float64, json!(9007199254740993i64)),
            (Float32, json!(0.1)),
            (Float16, json!(65505)),
            (Float8e5m2fnuz, json!(-0.0)),
            (Float8e8m0, json!(0)),
            (Uint8, json!(256)),
            (Int8, json!(-129)),
            (Int32, json!(0.5)),
            (Bool, json!(2)),
        ] {
            assert!(Elements::from_json([&value], element).is_err(), "{value} {element:?}");
        }
    }

    #[test]
    fn every_pattern_is_shown_as_it_is_read() {
        let small = |element: &Type| element.bits() <= 16 && ![Type::String, Type::Bool].contains(element);
        for element in Type::all().filter(small) {
            let fields: Vec<u64> = (0..1 << element.bits()).collect();
            let all = Elements::Bytes(pack(&fields, element.bits()));
            let shown = all.to_json(element, usize::MAX);
            assert_eq!(Elements::from_json(&shown, element), Ok(all), "{element:?}");
        }
    }
}
