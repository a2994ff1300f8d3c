//! Reads and writes the recorded cases of `vectors/`.
//!
//! `vectors/README.md` documents the format. It lists exactly the fields of [`Case`].

mod elements;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::rules::Type;
use elements::bits;
use elements::check_count;
pub use elements::{Elements, integer, tensor};

/// A recorded case, which is one line of a file. Serialization writes only the call, not the expected result.
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
    /// The interpretation of negative widths, in dialects that have a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    pub dtype: Type,
    pub shape: Vec<usize>,
    pub data: Vec<Value>,
    pub low: Vec<i64>,
    pub high: Vec<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interior: Option<Vec<i64>>,
    /// The axes to which the widths belong. `None` stands for all axes in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axes: Option<Vec<i64>>,
    /// The number of trailing axes for which a call of PyTorch or Core ML has widths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub npad: Option<usize>,
    pub mode: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    #[serde(skip_serializing)]
    pub expect: Expect,
    #[serde(skip_serializing)]
    pub source: String,
    /// The arguments for which there is no other field.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub args: Map<String, Value>,
    /// The answers of engines, if they differ from `expect` or from each other.
    #[serde(default, skip_serializing)]
    pub answers: BTreeMap<String, Expect>,
    /// The flags of the case, which `vectors/README.md` lists.
    #[serde(default, skip_serializing)]
    pub flags: Vec<String>,
}

/// The recorded answer to a call.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged, deny_unknown_fields, expecting = "neither a shape and data, nor an error that is true")]
pub enum Expect {
    Tensor {
        shape: Vec<usize>,
        data: Vec<Value>,
    },
    #[serde(deserialize_with = "error")]
    Error,
}

fn error<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
    let is_error = Value::deserialize(from)? == json!({"error": true});
    if is_error { Ok(()) } else { Err(serde::de::Error::custom("no error that is true")) }
}

/// Deserializes a version, which is a number in some frameworks and a name in others.
fn version<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let version = Option::<Value>::deserialize(from)?;
    Ok(version.map(|version| version.as_str().map_or_else(|| version.to_string(), str::to_owned)))
}

#[expect(clippy::ref_option, reason = "serde calls it")]
fn of_version<S: Serializer>(version: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
    match version.as_ref().and_then(|version| version.parse().ok()) {
        Some(number) => to.serialize_u64(number),
        None => version.serialize(to),
    }
}

/// The forms of numpy's `pad_width`: a number, one row, several rows, and a dictionary by axis.
#[derive(Deserialize)]
#[serde(untagged, expecting = "not of integers")]
pub enum PadWidth {
    Number(i64),
    Row(Vec<i64>),
    Rows(Vec<Vec<i64>>),
    Dictionary(Map<String, Value>),
}

/// Reads the cases of these files, one per line. Returns an error if a line is no valid case, or if two cases have the same id.
pub fn load(files: &[PathBuf]) -> Result<Vec<Case>, String> {
    let (mut cases, mut ids) = (Vec::<Case>::new(), BTreeSet::new());
    for file in files {
        let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let at = |error: &dyn Display| format!("{}:{number}: {error}", file.display());
            let case: Case = serde_json::from_str(line).map_err(|error| at(&error))?;
            if !ids.insert(case.id.clone()) {
                return Err(at(&format!("the id {} is there twice", case.id)));
            }
            cases.push(case);
        }
    }
    Ok(cases)
}

impl Case {
    /// Creates a case from a call alone. Its fields `expect` and `source` have no meaning.
    pub fn of_call(mut call: Value) -> Result<Case, String> {
        let fields = call.as_object_mut().ok_or("no case")?;
        fields.extend([("expect".into(), json!({"error": true})), ("source".into(), json!(""))]);
        serde_json::from_value(call).map_err(|error| error.to_string())
    }

    /// Returns the case with a width for every axis in order, for frameworks whose calls name no axes.
    ///
    /// Axes that are not named get width 0. Returns an error if an axis does not exist, if there is not one width per named axis,
    /// or if an axis is named twice. If `last_wins`, an axis may be named twice, and its last widths count.
    pub fn spread(mut self, last_wins: bool) -> Result<Case, String> {
        let Some(axes) = self.axes.take() else { return Ok(self) };
        let rank = self.shape.len();
        let mut places = Vec::new();
        for axis in axes {
            let place = if axis < 0 { axis + rank as i64 } else { axis };
            match usize::try_from(place) {
                Ok(place) if place < rank && (last_wins || !places.contains(&place)) => places.push(place),
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

    /// Returns an argument for which there is no other field.
    pub fn argument<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, String> {
        let read = |value: &Value| serde_json::from_value(value.clone());
        self.args.get(name).map(read).transpose().map_err(|error| format!("{name}: {error}"))
    }

    pub fn input(&self) -> Result<Elements, String> {
        let elements = Elements::from_json(&self.data, self.dtype)?;
        check_count(&self.shape, self.data.len()).map(|()| elements)
    }

    /// Returns the value as the nearest 32-bit float, the type of ONNX's attribute `value`.
    pub fn float32(&self) -> Result<Option<f32>, String> {
        self.value.as_ref().map(attribute).transpose()
    }
}

/// Converts a value to a list of 64-bit floats. An entry `{"bits": "0x.."}` holds the bits of a 64-bit float.
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

/// Rounds a number to the nearest 32-bit float.
fn attribute(value: &Value) -> Result<f32, String> {
    match value.as_f64() {
        Some(number) => Ok(number as f32),
        None => {
            Ok(f32::from_bits(bits(value, 32)?.ok_or_else(|| format!("{value} is no attribute"))? as u32))
        }
    }
}

#[cfg(test)]
mod tests {
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
            with("data", json!([1, 2])).expect("a case").input(),
            Err("2 elements in shape [1]".into())
        );
    }
}
