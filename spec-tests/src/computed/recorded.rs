//! Repeats recorded calls of numpy with the dialect and with the reference, and compares the results.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use pad_kernels::dialect::{Dialect, numpy};
use pad_kernels::{
    DType, Fill,
    computed::{ComputedMode, EndValue},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::cases::{Case, encode, kind, little};
use crate::reach;
use crate::reference::computed::pad;

/// A recorded call of numpy. `vectors/README.md` describes the format.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    pub id: String,
    dtype: String,
    shape: Vec<usize>,
    data: String,
    /// The name of numpy's mode, with the prefix `odd_` for odd reflections.
    pub mode: String,
    pad_width: Value,
    args: Map<String, Value>,
    expect: Answer,
    #[allow(dead_code, reason = "for readers")]
    source: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    shape: Option<Vec<usize>>,
    data: Option<String>,
    error: Option<String>,
}

/// Reads recorded calls from a file with one JSON object per line.
pub fn load(path: &Path) -> Result<Vec<Recorded>> {
    fs::read_to_string(path)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

impl Recorded {
    /// Repeats the call with the dialect and with the reference, and compares the results with numpy's answer.
    pub fn check(&self) -> Result<()> {
        self.repeat().with_context(|| self.id.clone())
    }

    fn repeat(&self) -> Result<()> {
        let dtype: DType = self.dtype.parse()?;
        let data = little(dtype, &hex::decode(&self.data)?);
        let numpy_mode = self.mode.strip_prefix("odd_").unwrap_or(&self.mode);
        let mut call = numpy::Pad::new(width(&self.pad_width)).mode(numpy_mode);
        if self.mode.starts_with("odd_") {
            call = call.reflect_type("odd");
        }
        for (name, value) in &self.args {
            call = match &name[..] {
                "stat_length" => call.stat_length(width(value)),
                "end_values" => call.end_values(values(value, &|value| {
                    let (re, im) = number(value);
                    EndValue { re, im }
                })),
                "constant_values" => call.constant_values(values(value, &|value| fill(dtype, value))),
                name => bail!("{name} is no argument"),
            };
        }
        let ours = call.pad_bytes(&data, &self.shape, dtype);
        let (ours, theirs) = match (ours, &self.expect) {
            (Ok(ours), Answer { shape: Some(shape), data: Some(theirs), error: None }) => {
                let own = call.output_shape(&self.shape, dtype)?;
                ensure!(own == *shape, "shape {own:?} instead of {shape:?}");
                (ours, little(dtype, &hex::decode(theirs)?))
            }
            (Err(error), Answer { shape: None, data: None, error: Some(_) }) => {
                reach::met(&error);
                return Ok(());
            }
            (ours, theirs) => bail!("{ours:?} instead of {theirs:?}"),
        };
        let Some(spec) = call.computed_spec(&self.shape)? else {
            ensure!(ours == theirs, "{ours:?} instead of {theirs:?}");
            return Ok(());
        };
        let case = Case { dtype, shape: self.shape.clone(), data, spec };
        ensure!(case.same(&ours, &theirs, true), "{ours:?} instead of {theirs:?}");
        let reference = pad(&case.request(), kind(dtype), &case.shape, &little(dtype, &case.data));
        let reference = little(dtype, &reference.ok().context("refused by the reference")?.1);
        let same = case.spec.mode == ComputedMode::Empty || case.same(&ours, &reference, false);
        ensure!(same, "{ours:?}, and the reference {reference:?}");
        Ok(())
    }
}

/// Reads a number for all sides, a pair for all axes, or a row for each axis.
fn values<T>(value: &Value, one: &dyn Fn(&Value) -> T) -> numpy::Values<T> {
    let list = |list: &[Value]| list.iter().map(one).collect();
    match value {
        Value::Array(rows) if rows.iter().any(Value::is_array) => {
            numpy::Values::Rows(rows.iter().map(|row| list(row.as_array().expect("rows alone"))).collect())
        }
        Value::Array(sides) => numpy::Values::List(list(sides)),
        both => numpy::Values::Scalar(one(both)),
    }
}

fn width(value: &Value) -> numpy::PadWidth {
    match values(value, &|value| value.as_i64().expect("a width is an integer")) {
        numpy::Values::Rows(rows) => numpy::PadWidth::Rows(rows),
        numpy::Values::List(sides) => numpy::PadWidth::List(sides),
        numpy::Values::Scalar(both) => numpy::PadWidth::Scalar(both),
    }
}

/// Reads a number, and returns its real and imaginary part.
fn number(value: &Value) -> (f64, f64) {
    match value {
        Value::Object(parts) => (number(&parts["re"]).0, number(&parts["im"]).0),
        Value::String(name) => (name.parse().expect("inf or nan"), 0.0),
        Value::Bool(flag) => (f64::from(u8::from(*flag)), 0.0),
        value => (value.as_f64().expect("a number"), 0.0),
    }
}

/// Converts a recorded number to a fill of the type.
fn fill(dtype: DType, value: &Value) -> Fill {
    let (re, im) = number(value);
    let parts = if matches!(dtype, DType::C64 | DType::C128) { vec![re, im] } else { vec![re] };
    Fill::from_bytes(dtype, &parts.into_iter().flat_map(|part| encode(dtype, part)).collect::<Vec<_>>())
}
