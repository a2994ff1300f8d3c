//! Recorded cases: the format of `vectors/`, and elements as the numbers it writes them in.
//!
//! `vectors/README.md` is the format's documentation; the fields of [`Case`] are exactly the ones it lists.

#![forbid(unsafe_code)]

mod elements;

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use half::f16;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::rules::{Call, Fill, Type};
use elements::bits;
pub use elements::{Elements, check_count};

/// One line of a file. Written, it is the call alone, without what is right.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub id: String,
    pub dialect: String,
    #[serde(default, deserialize_with = "version", serialize_with = "of_version")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flavour: Option<String>,
    /// How negative widths are read, where the case may choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    pub dtype: String,
    pub shape: Vec<usize>,
    pub data: Vec<Value>,
    pub low: Vec<i64>,
    pub high: Vec<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interior: Option<Vec<i64>>,
    /// The axes the widths are for; all in order, if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axes: Option<Vec<i64>>,
    /// How many trailing axes a torch call names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub npad: Option<usize>,
    pub mode: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    #[serde(skip_serializing)]
    pub expect: Expect,
    #[serde(skip_serializing)]
    pub source: String,
    /// What the other fields cannot say.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub args: Map<String, Value>,
    /// What engines answered that answered something else.
    #[serde(default, skip_serializing)]
    pub answers: BTreeMap<String, Expect>,
    /// The bugs this case would find.
    #[serde(default, skip_serializing)]
    pub flags: Vec<String>,
}

/// An answer as it is written.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(try_from = "RawExpect")]
pub enum Expect {
    Tensor { shape: Vec<usize>, data: Vec<Value> },
    Error,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawExpect {
    shape: Option<Vec<usize>>,
    data: Option<Vec<Value>>,
    error: Option<bool>,
}

impl TryFrom<RawExpect> for Expect {
    type Error = &'static str;

    fn try_from(raw: RawExpect) -> Result<Self, &'static str> {
        match raw {
            RawExpect { shape: Some(shape), data: Some(data), error: None } => {
                Ok(Expect::Tensor { shape, data })
            }
            RawExpect { shape: None, data: None, error: Some(true) } => Ok(Expect::Error),
            _ => Err("an answer is either a shape and data or an error that is true"),
        }
    }
}

/// A version is a number in some systems and a name in others.
fn version<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(None),
        Value::String(name) => Ok(Some(name)),
        Value::Number(number) => Ok(Some(number.to_string())),
        other => Err(serde::de::Error::custom(format!("{other} is no version"))),
    }
}

#[expect(clippy::ref_option, reason = "serde calls it")]
fn of_version<S: serde::Serializer>(version: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
    match version.as_ref().map(|version| (version.parse::<u64>(), version)) {
        Some((Ok(number), _)) => to.serialize_u64(number),
        Some((_, name)) => to.serialize_str(name),
        None => to.serialize_none(),
    }
}

/// A line that may not be a case: where it stands, and what is wrong with it.
pub type Line = (String, Result<Case, String>);

/// The cases of a file, line by line. Empty lines are left out.
pub fn load(path: &Path) -> io::Result<Vec<Line>> {
    let text = fs::read_to_string(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parse = |line: &str| serde_json::from_str(line).map_err(|error| error.to_string());
    Ok(lines.map(|(i, line)| (format!("{}:{}", path.display(), i + 1), parse(line))).collect())
}

impl Case {
    /// A case of which only the call is told, as an engine is. What is right, and where it was recorded, is not to be looked at.
    pub fn of_call(call: &Value) -> Result<Case, String> {
        let mut fields = call.as_object().ok_or("no case")?.clone();
        fields.insert("expect".into(), serde_json::json!({"error": true}));
        fields.insert("source".into(), "".into());
        serde_json::from_value(fields.into()).map_err(|error| error.to_string())
    }

    /// The case in the words of the rules, for elements of the type it names.
    pub fn call(&self, element: Type) -> Call<'_> {
        Call {
            dialect: &self.dialect,
            version: self.version.as_deref(),
            flavour: self.flavour.as_deref(),
            frame: self.frame.as_deref(),
            element,
            shape: &self.shape,
            low: &self.low,
            high: &self.high,
            interior: self.interior.as_deref(),
            axes: self.axes.as_deref(),
            npad: self.npad,
            mode: &self.mode,
            value: self.value.is_some(),
            value_is_zero: self.value.as_ref().and_then(Value::as_f64) == Some(0.0),
            given: self.value.as_ref(),
            args: &self.args,
        }
    }

    /// The case with a width for every axis in order, for systems whose calls name no axes: the widths are those of
    /// the axes named, and nothing elsewhere. Refused: an axis that does not exist or is named twice, and lists that
    /// are not as long as the axes.
    pub fn spread(mut self) -> Result<Case, String> {
        let Some(axes) = self.axes.take() else { return Ok(self) };
        let rank = self.shape.len();
        let mut places = Vec::new();
        for axis in axes {
            let place = if axis < 0 { axis + rank as i64 } else { axis };
            match usize::try_from(place) {
                Ok(place) if place < rank && !places.contains(&place) => places.push(place),
                _ => return Err(format!("axis {axis} does not exist or is named twice")),
            }
        }
        for widths in
            [Some(&mut self.low), Some(&mut self.high), self.interior.as_mut()].into_iter().flatten()
        {
            if widths.len() != places.len() {
                return Err("not one width per axis".into());
            }
            let mut spread = vec![0; rank];
            places.iter().zip(&*widths).for_each(|(&place, &width)| spread[place] = width);
            *widths = spread;
        }
        Ok(self)
    }

    pub fn input(&self, element: Type) -> Result<Elements, String> {
        let elements = Elements::from_json(&self.data, element)?;
        check_count(&self.shape, self.data.len()).map(|()| elements)
    }

    /// The value as one element of this type: zero, as it is, or through a 32-bit float.
    pub fn fill(&self, fill: Fill, element: Type) -> Result<Elements, String> {
        let value = self.value.as_ref();
        match fill {
            Fill::Zero => Ok(Elements::zero(element)),
            Fill::TextZero => Ok(Elements::Text(vec!["0".into()])),
            Fill::Value => Elements::from_json(value, element),
            Fill::Element(element_value) => Elements::from_json([&element_value], element),
            Fill::Elements(values) => Elements::from_json(&values, element),
            Fill::Float32 => attribute(value.ok_or("no value")?)
                .and_then(|attribute| Ok(Elements::Bytes(from_float32(attribute, element)?))),
        }
    }

    /// The value as the 32-bit float that an attribute holds.
    pub fn float32(&self) -> Result<Option<f32>, String> {
        self.value.as_ref().map(attribute).transpose()
    }
}

/// A value as numbers of 64 bits: none, one, or those of a list. Patterns of bits are those of doubles.
pub fn numbers(value: Option<&Value>) -> Result<Vec<f64>, String> {
    let number = |value: &Value| match value.as_f64() {
        Some(number) => Ok(number),
        None => bits(value, 64)?.map(f64::from_bits).ok_or_else(|| format!("{value} is no number")),
    };
    match value {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => list.iter().map(number).collect(),
        Some(one) => Ok(vec![number(one)?]),
    }
}

/// A number as the nearest 32-bit float.
fn attribute(value: &Value) -> Result<f32, String> {
    match value.as_f64() {
        Some(number) => Ok(number as f32),
        None => {
            Ok(f32::from_bits(bits(value, 32)?.ok_or_else(|| format!("{value} is no attribute"))? as u32))
        }
    }
}

/// A 32-bit float as the nearest element of a floating-point type, ties to even.
fn from_float32(value: f32, element: Type) -> Result<Vec<u8>, String> {
    match element {
        Type::Float32 => Ok(value.to_ne_bytes().to_vec()),
        Type::Float64 => Ok(f64::from(value).to_ne_bytes().to_vec()),
        Type::Float16 => Ok(f16::from_f32(value).to_ne_bytes().to_vec()),
        other => Err(format!("no attribute becomes {}", other.name())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_has_the_documented_fields_and_no_others() {
        let line = json!({
            "id": "a", "dialect": "onnx", "version": 13, "dtype": "int64", "shape": [1], "data": [1],
            "low": [0], "high": [1], "mode": "edge", "expect": {"error": true}, "source": "here",
        });
        let case: Case = serde_json::from_value(line.clone()).expect("a case");
        assert_eq!(case.version.as_deref(), Some("13"));
        let with = |name: &str, value: Value| {
            let mut line = line.clone();
            line[name] = value;
            serde_json::from_value::<Case>(line)
        };
        assert!(with("pads", json!([1])).is_err());
        assert!(with("expect", json!({"shape": [2]})).is_err());
        assert!(with("expect", json!({"error": false})).is_err());
        assert!(with("expect", json!({"shape": [2], "data": [1, 1], "error": true})).is_err());
        assert_eq!(
            with("data", json!([1, 2])).expect("a case").input(Type::Int64),
            Err("2 elements in shape [1]".into())
        );
    }
}
