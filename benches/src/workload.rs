//! Workloads: shapes and pads of real programs, read from a JSON file.
//!
//! The file is an array of objects: `{"id", "class", "dtype", "shape", "pads": [[before, after], ..], "interior"?: [..], "mode",
//! "value"?, "why"?}`.

use std::collections::HashSet;
use std::path::Path;

use half::{bf16, f16};
use pad_kernels::{AxisPad, DType, Fill, PadMode, PadPlan, PadSpec, tensor::ElementSize};
use serde::Deserialize;
use serde_json::Number;

use crate::Error;

/// A pad of one tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The name of the workload.
    pub id: String,
    /// The class of workloads that it belongs to.
    pub class: String,
    /// The element type.
    pub dtype: DType,
    /// The input's shape.
    pub shape: Vec<usize>,
    /// One pad per axis, including interior padding.
    pub pads: Vec<AxisPad>,
    /// The mode.
    pub mode: PadMode,
    /// The fill element: the bytes of a `dtype`, or the low bits of one byte.
    pub fill: Vec<u8>,
    /// The program that needs this workload.
    pub why: String,
}

/// An object of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    class: String,
    dtype: String,
    shape: Vec<usize>,
    pads: Vec<[i64; 2]>,
    interior: Option<Vec<u64>>,
    mode: String,
    value: Option<Number>,
    #[serde(default)]
    why: String,
}

impl Workload {
    /// Returns the request for the library.
    pub fn spec(&self) -> PadSpec {
        PadSpec::new(self.mode, &self.pads[..]).with_fill(Fill::from_bytes(self.dtype, &self.fill))
    }

    /// Returns the output's shape. A negative length becomes 0, and no plan allows it.
    pub fn output_shape(&self) -> Vec<usize> {
        let length = |(&d, pad): (&usize, &AxisPad)| {
            let gaps = d.saturating_sub(1) as i64 * pad.interior as i64;
            usize::try_from(d as i64 + gaps + pad.low + pad.high).unwrap_or(0)
        };
        self.shape.iter().zip(&self.pads).map(length).collect()
    }

    /// Returns the number of bits in an element.
    pub fn element_bits(&self) -> usize {
        match self.dtype.element_size() {
            ElementSize::Bytes(bytes) => 8 * bytes,
            ElementSize::Bits(bits) => bits,
            ElementSize::Cloned => 0,
        }
    }

    /// Returns the size of the output in bytes.
    pub fn output_bytes(&self) -> usize {
        (self.output_shape().iter().product::<usize>() * self.element_bits()).div_ceil(8)
    }
}

/// Reads the workloads of a file.
///
/// # Errors
///
/// The call fails if the file cannot be read, and with the errors of [`parse`].
pub fn load(path: &Path) -> Result<Vec<Workload>, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// Reads the workloads from the text of a file.
///
/// # Errors
///
/// The call fails if the format is wrong, or if entries are invalid. The error lists all invalid entries.
pub fn parse(text: &str) -> Result<Vec<Workload>, Error> {
    let entries: Vec<Entry> = serde_json::from_str(text)?;
    let (mut workloads, mut wrong, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for entry in entries {
        let id = entry.id.clone();
        if !seen.insert(id.clone()) {
            wrong.push(format!("{id}: this id is there twice"));
        }
        match workload(entry) {
            Ok(workload) => workloads.push(workload),
            Err(error) => wrong.push(format!("{id}: {error}")),
        }
    }
    if wrong.is_empty() { Ok(workloads) } else { Err(wrong.join("\n").into()) }
}

fn workload(entry: Entry) -> Result<Workload, String> {
    let dtype = match entry.dtype.parse::<DType>() {
        Ok(DType::String) => return Err("text is not held as bytes".into()),
        Ok(dtype) => dtype,
        Err(error) => return Err(format!("dtype `{}`: {error}", entry.dtype)),
    };
    let mode = PadMode::ALL.into_iter().find(|mode| mode.name() == entry.mode);
    let mode = mode.ok_or_else(|| format!("unknown mode `{}`", entry.mode))?;
    let interior = entry.interior.unwrap_or_else(|| vec![0; entry.shape.len()]);
    for (what, axes) in [("pads", entry.pads.len()), ("interior", interior.len())] {
        if axes != entry.shape.len() {
            return Err(format!("{what} for {axes} axes, but the shape has {}", entry.shape.len()));
        }
    }
    let pads = entry.pads.iter().zip(&interior);
    let pads = pads.map(|(&[low, high], &interior)| AxisPad { low, high, interior }).collect();
    let value = entry.value.unwrap_or_else(|| Number::from(0));
    let fill = fill(dtype, &value)
        .ok_or_else(|| format!("{value} is no value of {dtype}, or one this loader cannot encode"))?;
    let Entry { id, class, shape, why, .. } = entry;
    let workload = Workload { id, class, dtype, shape, pads, mode, fill, why };
    // A program that measures all workloads in turn would find a refused one only after hours.
    PadPlan::for_dtype(&workload.spec(), &workload.shape, dtype).map_err(|error| error.to_string())?;
    Ok(workload)
}

/// Returns one element with this value.
fn fill(dtype: DType, value: &Number) -> Option<Vec<u8>> {
    fn integer<T: TryFrom<i128>>(value: &Number) -> Option<T> {
        let whole = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))?;
        T::try_from(whole).ok()
    }
    let float = value.as_f64()?;
    let in_bits = |least: i8, most: i8, mask: u8| {
        let value = integer::<i8>(value).filter(|value| (least..=most).contains(value))?;
        Some(vec![value as u8 & mask])
    };
    match dtype {
        DType::F64 => Some(float.to_ne_bytes().into()),
        DType::F32 => Some((float as f32).to_ne_bytes().into()),
        DType::F16 => Some(f16::from_f64(float).to_ne_bytes().into()),
        DType::BF16 => Some(bf16::from_f64(float).to_ne_bytes().into()),
        DType::I8 => Some(integer::<i8>(value)?.to_ne_bytes().into()),
        DType::I16 => Some(integer::<i16>(value)?.to_ne_bytes().into()),
        DType::I32 => Some(integer::<i32>(value)?.to_ne_bytes().into()),
        DType::I64 => Some(integer::<i64>(value)?.to_ne_bytes().into()),
        DType::U8 => Some(integer::<u8>(value)?.to_ne_bytes().into()),
        DType::U16 => Some(integer::<u16>(value)?.to_ne_bytes().into()),
        DType::U32 => Some(integer::<u32>(value)?.to_ne_bytes().into()),
        DType::U64 => Some(integer::<u64>(value)?.to_ne_bytes().into()),
        DType::Bool => integer::<u8>(value).filter(|&value| value < 2).map(|value| vec![value]),
        DType::C64 => Some([(float as f32).to_ne_bytes(), [0; 4]].concat()),
        DType::C128 => Some([float.to_ne_bytes(), [0; 8]].concat()),
        DType::I4 => in_bits(-8, 7, 15),
        DType::U4 => in_bits(0, 15, 15),
        DType::I2 => in_bits(-2, 1, 3),
        DType::U2 => in_bits(0, 3, 3),
        // In the 8-bit and 4-bit formats, zero has zero bits if it exists.
        _ if float == 0.0 && dtype.has_zero() => Some(vec![0]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"[{"id":"a","class":"c","dtype":"DTYPE","shape":[3,4],"pads":[[1,-1],[0,2]],
        "interior":[0,1],"mode":"constant","value":VALUE,"why":"test"}]"#;

    fn one(dtype: &str, value: &str) -> Result<Vec<Workload>, Error> {
        parse(&ONE.replace("DTYPE", dtype).replace("VALUE", value))
    }

    #[test]
    fn an_entry_is_read() {
        let workload = one("i16", "-1024").unwrap().remove(0);
        assert_eq!(workload.dtype, DType::I16);
        assert_eq!(workload.pads[0], AxisPad::new(1, -1));
        assert_eq!(workload.pads[1], AxisPad::new(0, 2).with_interior(1));
        assert_eq!(workload.fill, (-1024i16).to_ne_bytes());
        assert_eq!(workload.output_shape(), [3, 9]);
    }

    #[test]
    fn fills_have_the_bits_of_the_type() {
        let fill = |dtype, value| one(dtype, value).unwrap().remove(0).fill;
        assert_eq!(fill("f16", "1.0"), 0x3C00u16.to_ne_bytes());
        assert_eq!(fill("bf16", "1.0"), 0x3F80u16.to_ne_bytes());
        assert_eq!(fill("c64", "1.0"), [1.0f32.to_ne_bytes(), [0; 4]].concat());
        assert_eq!(fill("i4", "-1"), [15]);
        assert_eq!(fill("u64", "18446744073709551615"), [0xFF; 8]);
    }

    #[test]
    fn unknown_dtypes_are_all_named() {
        let text = r#"[{"id":"x","class":"","dtype":"f31","shape":[],"pads":[],"mode":"edge"},
            {"id":"y","class":"","dtype":"quux","shape":[],"pads":[],"mode":"edge"}]"#;
        let error = parse(text).unwrap_err().to_string();
        assert!(error.contains("x: dtype `f31`") && error.contains("y: dtype `quux`"), "{error}");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (dtype, value) in
            [("u8", "256"), ("u8", "-1"), ("bool", "2"), ("i4", "8"), ("f8e8m0", "0"), ("string", "0")]
        {
            assert!(one(dtype, value).is_err(), "{dtype} {value}");
        }
        let text = ONE.replace("DTYPE", "u8").replace("VALUE", "0");
        assert!(parse(&text.replace("[0,1]", "[0]")).is_err());
        assert!(parse(&text.replace("constant", "mirror")).is_err());
        assert!(parse(&text.replace("[1,-1]", "[1,-9]")).is_err());
        assert!(parse(&text.replace("\"why\"", "\"because\"")).is_err());
    }

    #[test]
    fn the_workloads_of_this_crate_load() {
        let workloads = parse(include_str!("../workloads.json")).unwrap();
        let short = parse(include_str!("../workloads_short.json")).unwrap();
        let types = parse(include_str!("../types.json")).unwrap();
        assert_eq!((workloads.len(), short.len(), types.len()), (38, 24, 38));
        for workload in workloads.iter().chain(&short).chain(&types) {
            let plan = PadPlan::for_dtype(&workload.spec(), &workload.shape, workload.dtype);
            let plan = plan.unwrap();
            assert_eq!(plan.output_shape(), workload.output_shape(), "{}", workload.id);
            assert_eq!(plan.output_bytes(), workload.output_bytes(), "{}", workload.id);
            let name = format!("\"{}\"", workload.dtype.name());
            assert!(include_str!("../python/compare.py").contains(&name), "compare.py does not know {name}");
        }
    }
}
