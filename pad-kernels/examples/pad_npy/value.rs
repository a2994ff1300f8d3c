//! Converts a fill value to the bytes of one element of a file.

use std::cmp::Ordering;

use half::f16;

use crate::npy::Header;

/// Returns the bytes of `text` as an element. Without a text, it returns the default fill of numpy: the number 0, or the digit 0 for
/// strings.
pub(crate) fn fill(header: &Header, text: Option<&str>) -> Result<Vec<u8>, String> {
    let item = header.item;
    let text = match (text, header.kind.letter) {
        (Some(text), _) => text,
        (None, b'S' | b'U') if item > 0 => "0",
        (None, _) => return Ok(vec![0; item]),
    };
    let bytes = match header.kind.letter {
        b'S' => Some(text.as_bytes().to_vec()),
        b'U' => Some(text.chars().flat_map(|c| order(header, (c as u32).to_le_bytes())).collect()),
        b'b' => match text {
            "0" | "false" | "False" => Some(vec![0]),
            "1" | "true" | "True" => Some(vec![1]),
            _ => None,
        },
        b'i' | b'u' => integer(header, text),
        b'M' | b'm' if matches!(text, "NaT" | "nat") => Some(order(header, i64::MIN.to_le_bytes())),
        b'M' | b'm' => integer(header, text),
        b'f' => float(header, text, item),
        b'c' => {
            let (re, im) = text.split_once(',').unwrap_or((text, "0"));
            float(header, re.trim(), item / 2)
                .zip(float(header, im.trim(), item / 2))
                .map(|(re, im)| [re, im].concat())
        }
        _ => (text == "0").then(|| vec![0; item]),
    };
    match bytes {
        // A shorter string ends with zeros.
        Some(mut bytes) if bytes.len() <= item => {
            bytes.resize(item, 0);
            Ok(bytes)
        }
        Some(_) => Err(format!("the value {text:?} is longer than an element of type {}", header.descr)),
        None => Err(format!("the value {text:?} cannot be one of type {}{}", header.descr, hint(header))),
    }
}

fn hint(header: &Header) -> &'static str {
    match header.kind.letter {
        b'c' => ": give REAL or REAL,IMAGINARY",
        b'M' | b'm' => ": give a number of its units, or NaT",
        b'V' => ": records are filled with zeros, so leave it out",
        b'f' if header.item > 8 => ": for this type there is only 0",
        _ => "",
    }
}

fn order<const N: usize>(header: &Header, mut little_endian: [u8; N]) -> Vec<u8> {
    if header.kind.big_endian {
        little_endian.reverse();
    }
    little_endian.to_vec()
}

fn integer(header: &Header, text: &str) -> Option<Vec<u8>> {
    let value: i128 = text.parse().ok()?;
    let bits = 8 * header.item as u32;
    let (least, most) = match header.kind.letter {
        b'u' => (0, (1 << bits) - 1),
        _ => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
    };
    let mut bytes = value.to_le_bytes()[..header.item].to_vec();
    if header.kind.big_endian {
        bytes.reverse();
    }
    (least <= value && value <= most).then_some(bytes)
}

fn float(header: &Header, text: &str, item: usize) -> Option<Vec<u8>> {
    let value: f64 = text.parse().ok()?;
    let named = text.to_ascii_lowercase().contains("inf");
    let (bytes, infinite) = match item {
        2 => {
            let value = half(value);
            (order(header, value.to_le_bytes()), value.is_infinite())
        }
        4 => {
            let value: f32 = text.parse().ok()?;
            (order(header, value.to_le_bytes()), value.is_infinite())
        }
        8 => (order(header, value.to_le_bytes()), value.is_infinite()),
        // The format of a long double depends on the machine that wrote the file, so only zero is supported.
        _ => return (value.to_bits() == 0).then(|| vec![0; item]),
    };
    (named || !infinite).then_some(bytes)
}

/// Returns the nearest half-precision number. `f16::from_f64` rounds to `f32` first or drops bits, so it rounds some numbers wrongly.
fn half(value: f64) -> f16 {
    let near = value as f32;
    let bits = near.to_bits();
    // A number without an exact `f32` becomes the neighbour whose last bit is 1. This neighbour never lies halfway between two
    // `f16` numbers.
    let odd = match value.abs().partial_cmp(&f64::from(near.abs())) {
        Some(Ordering::Greater) if bits & 1 == 0 => bits + 1,
        Some(Ordering::Less) if bits & 1 == 0 => bits - 1,
        _ => bits,
    };
    f16::from_f32(f32::from_bits(odd))
}
