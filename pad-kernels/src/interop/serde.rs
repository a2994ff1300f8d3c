//! Serialises and deserialises requests, and serialises plans. Needs the feature `serde`.
//!
//! A [`PadSpec`] or a [`ComputedSpec`] can be written and read back as JSON, as CBOR, and as MessagePack with field names. JSON has no
//! infinity and no NaN, so such an [end value](crate::computed::EndValue) cannot be read back from JSON. A [`DType`] is written as
//! its short name. A fill is written as the name of its type and its bytes, the least significant byte first. A fill of a type
//! without a [`DType`], such as `[u8; 3]`, is an error. Reading checks only the form of the data. The plan checks the request.
//!
//! ```
//! use pad_kernels::{PadMode, PadPlan, PadSpec};
//! let spec = PadSpec::constant([(1, 1, 0), (0, -2, 1)], 1.0f32);
//! let json = serde_json::to_string(&spec)?;
//! assert_eq!(
//!     json,
//!     r#"{"axes":[{"low":1,"high":1,"interior":0},{"low":0,"high":-2,"interior":1}],"#.to_owned()
//!         + r#""mode":"constant","fill":{"dtype":"f32","bytes":[0,0,128,63]}}"#
//! );
//! assert_eq!(serde_json::from_str::<PadSpec>(&json)?, spec);
//!
//! // Widths of 0 may be left out.
//! let short: PadSpec = serde_json::from_str(r#"{"axes": [{"low": 1}, {}], "mode": "edge"}"#)?;
//! assert_eq!(short, PadSpec::new(PadMode::Edge, [(1, 0), (0, 0)]));
//!
//! // A list has one mode per axis. A pair of modes in it has one mode per side.
//! let mixed: PadSpec = serde_json::from_str(r#"{"axes": [{}, {"low": 1}], "mode": ["edge", ["wrap", "edge"]]}"#)?;
//! let modes = [(PadMode::Edge, PadMode::Edge), (PadMode::Wrap, PadMode::Edge)];
//! assert_eq!(mixed, PadSpec::new(modes, [(0, 0), (1, 0)]));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! A plan is written as a description for logs: its shapes, mode, element type, merged axes, unit and kernel. The description cannot be
//! read back. To store a plan, store the request, and make the plan again.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use ::serde::de::{self, Deserialize, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use ::serde::ser::{self, Serialize, SerializeStruct, Serializer};
use smallvec::SmallVec;

use crate::dtype::DType;
use crate::element::Tag;
use crate::run::PadPlan;
use crate::spec::{AxisMode, Fill, Modes, PadMode};
#[cfg(doc)]
use crate::{computed::ComputedSpec, spec::PadSpec};

impl Serialize for DType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for DType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = DType;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of an element type, such as \"f32\" or \"float32\"")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<DType, E> {
                name.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Name)
    }
}

/// The serialised form of a fill.
#[derive(::serde::Serialize, ::serde::Deserialize)]
#[serde(rename = "Fill", deny_unknown_fields, expecting = "a fill: the name of its type and its bytes")]
struct FillData<'a> {
    dtype: DType,
    bytes: Cow<'a, [u8]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    axis: Option<usize>,
}

impl Serialize for Fill {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let dtype = self.tag.dtype().ok_or_else(|| {
            ser::Error::custom(
                "a fill of a type without a DType cannot be written: give it as bytes of a DType",
            )
        })?;
        let mut bytes = self.bytes.clone();
        swap(dtype, &mut bytes);
        FillData { dtype, bytes: Cow::Borrowed(&bytes), axis: self.axis }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Fill {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let FillData { dtype, bytes, axis } = FillData::deserialize(deserializer)?;
        let mut bytes = SmallVec::from_slice(&bytes);
        swap(dtype, &mut bytes);
        Ok(Fill { tag: Tag::DType(dtype), bytes, axis })
    }
}

/// Swaps the bytes if this machine is big-endian, because serialised elements are little-endian.
fn swap(dtype: DType, bytes: &mut [u8]) {
    if cfg!(target_endian = "big") && !bytes.is_empty() {
        // A complex number consists of two numbers.
        let parts = if matches!(dtype, DType::C64 | DType::C128) { 2 } else { 1 };
        let element = dtype.element_size().bytes(1).max(1);
        bytes.chunks_mut(element.div_ceil(parts)).for_each(<[u8]>::reverse);
    }
}

impl Serialize for AxisMode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            AxisMode { low, high } if low == high => low.serialize(serializer),
            AxisMode { low, high } => (low, high).serialize(serializer),
        }
    }
}

impl Serialize for Modes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Modes::All(mode) => mode.serialize(serializer),
            Modes::Each(modes) => serializer.collect_seq(modes),
        }
    }
}

/// Reads the name of a mode.
fn mode<E: de::Error>(name: &str) -> Result<PadMode, E> {
    PadMode::deserialize(name.into_deserializer())
}

impl<'de> Deserialize<'de> for AxisMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Sides;

        impl<'de> Visitor<'de> for Sides {
            type Value = AxisMode;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mode, or two: those of the low and of the high side")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<AxisMode, E> {
                mode(name).map(AxisMode::from)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sides: A) -> Result<AxisMode, A::Error> {
                let mut side = |number| {
                    sides.next_element()?.ok_or_else(|| de::Error::invalid_length(number, &"two modes"))
                };
                let (low, high) = (side(0)?, side(1)?);
                match sides.next_element::<PadMode>()? {
                    None => Ok(AxisMode { low, high }),
                    Some(_) => Err(de::Error::invalid_length(3, &"two modes")),
                }
            }
        }

        deserializer.deserialize_any(Sides)
    }
}

impl<'de> Deserialize<'de> for Modes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Axes;

        impl<'de> Visitor<'de> for Axes {
            type Value = Modes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mode, or one or two for each axis")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Modes, E> {
                mode(name).map(Modes::All)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut axes: A) -> Result<Modes, A::Error> {
                let mut modes = Vec::new();
                while let Some(axis) = axes.next_element()? {
                    modes.push(axis);
                }
                Ok(Modes::Each(modes))
            }
        }

        deserializer.deserialize_any(Axes)
    }
}

impl Serialize for PadPlan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut plan = serializer.serialize_struct("PadPlan", 7)?;
        plan.serialize_field("input_shape", self.input_shape())?;
        plan.serialize_field("output_shape", self.output_shape())?;
        plan.serialize_field("dtype", &self.dtype())?;
        plan.serialize_field("mode", &self.mode())?;
        plan.serialize_field("axes", self.axes())?;
        plan.serialize_field("unit", &self.unit())?;
        plan.serialize_field("kernel", &self.kernel().map(|row| row.name()))?;
        plan.end()
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::computed::ComputedSpec;
    use crate::spec::{AxisPad, Frame, PadSpec, PerSide};

    fn read(json: &str) -> Result<PadSpec, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn every_request_with_a_tagged_fill_comes_back() {
        for mode in PadMode::ALL {
            for frame in [None, Some(Frame::Cropped), Some(Frame::Uncropped)] {
                let axes = [(i64::MIN, i64::MAX, u64::MAX), (0, -1, 2)];
                let spec = PadSpec { frame, ..PadSpec::new(mode, axes) };
                let fills = [Fill::of(-0.0f64), Fill::of(true), Fill::from_bytes(DType::U4, &[7])];
                for spec in
                    fills.map(|fill| PadSpec { fill: Some(fill), ..spec.clone() }).iter().chain([&spec])
                {
                    let json = serde_json::to_string(spec).unwrap();
                    assert_eq!(&read(&json).unwrap(), spec, "{json}");
                }
            }
        }
        for low in PadMode::ALL {
            for modes in PadMode::ALL.map(|high| Modes::from([(low, high), (high, high)])) {
                let spec = PadSpec::new(modes, [(1, 2), (3, 4)]);
                let json = serde_json::to_string(&spec).unwrap();
                assert_eq!(read(&json).unwrap(), spec, "{json}");
            }
        }
        for &dtype in DType::ALL {
            let json = serde_json::to_string(&dtype).unwrap();
            assert_eq!(json, alloc::format!("\"{dtype}\""));
            assert_eq!(serde_json::from_str::<DType>(&json).unwrap(), dtype);
        }
    }

    #[test]
    fn bytes_are_written_least_significant_first() {
        let value = serde_json::to_value(Fill::of(0x0102_0304u32)).unwrap();
        assert_eq!(value, serde_json::json!({"dtype": "u32", "bytes": [4, 3, 2, 1]}));
        let fill = Fill::from_bytes(DType::C64, &[1.0f32.to_ne_bytes(), 2.0f32.to_ne_bytes()].concat());
        let value = serde_json::to_value(fill).unwrap();
        assert_eq!(value["bytes"], serde_json::json!([0, 0, 128, 63, 0, 0, 0, 64]));
    }

    #[test]
    fn modes_are_as_short_as_they_can_be() {
        let json = |mode: AxisMode| serde_json::to_string(&mode).unwrap();
        assert_eq!(json(PadMode::Edge.into()), r#""edge""#);
        assert_eq!(json((PadMode::Edge, PadMode::Wrap).into()), r#"["edge","wrap"]"#);
        assert_eq!(serde_json::to_string(&Modes::All(PadMode::Reflect)).unwrap(), r#""reflect""#);
    }

    #[test]
    fn errors_say_what_is_expected() {
        fn refused<T: for<'de> Deserialize<'de> + fmt::Debug>(json: &str) -> alloc::string::String {
            serde_json::from_str::<T>(json).unwrap_err().to_string()
        }
        assert!(refused::<DType>("1").contains("expected the name of an element type, such as \"f32\""));
        assert!(
            refused::<AxisMode>("1")
                .contains("expected a mode, or two: those of the low and of the high side")
        );
        assert!(refused::<Modes>("1").contains("expected a mode, or one or two for each axis"));
        assert!(refused::<Fill>("1").contains("expected a fill: the name of its type and its bytes"));
    }

    #[test]
    fn what_is_no_request_is_refused() {
        let untagged = PadSpec::constant([(1, 1)], [1u8, 2, 3]);
        assert!(serde_json::to_string(&untagged).unwrap_err().to_string().contains("without a DType"));
        for json in [
            r#"{"axes": []}"#,
            r#"{"axes": [], "mode": "mirror"}"#,
            r#"{"axes": [{"lo": 1}], "mode": "edge"}"#,
            r#"{"axes": [], "mode": "edge", "value": 1}"#,
            r#"{"axes": [], "mode": "edge", "fill": {"dtype": "f33", "bytes": [0]}}"#,
            r#"{"axes": [], "mode": "edge", "fill": {"dtype": "u8", "bytes": [256]}}"#,
            r#"{"axes": [{"low": 1, "interior": -1}], "mode": "edge"}"#,
            r#"{"axes": [{}], "mode": ["mirror"]}"#,
            r#"{"axes": [{}], "mode": [["edge"]]}"#,
            r#"{"axes": [{}], "mode": [["edge", "wrap", "edge"]]}"#,
            r#"{"axes": [{}], "mode": [[["edge", "wrap"], "wrap"]]}"#,
            r#"{"axes": [{}], "mode": {"low": "edge"}}"#,
        ] {
            assert!(read(json).is_err(), "{json}");
        }
        let computed = |mode: &str| {
            serde_json::from_str::<ComputedSpec>(&alloc::format!(r#"{{"widths": [[1, 2]], "mode": {mode}}}"#))
        };
        let ramp = ComputedSpec::linear_ramp([(1, 2)], PerSide::default());
        assert_eq!(computed(r#"{"linear_ramp": {}}"#).unwrap(), ramp);
        assert!(computed(r#"{"linear_ramp": {"end": []}}"#).is_err());
        let end = |end| computed(&r#"{"linear_ramp": {"ends": [[END, END]]}}"#.replace("END", end));
        assert!(end(r#"{"re": 1, "im": 2}"#).is_ok());
        assert!(end(r#"{"re": 1, "im": 2, "i": 3}"#).is_err());
        let frame = read(r#"{"axes": [{"high": 1}], "mode": "wrap", "frame": "uncropped"}"#).unwrap();
        assert_eq!(frame.frame, Some(Frame::Uncropped));
        assert_eq!(frame.axes[0], AxisPad::new(0, 1));
    }

    #[test]
    fn a_plan_is_described() {
        let spec = PadSpec::new(PadMode::Reflect, [(0, 0), (1, 2)]);
        let plan = PadPlan::new::<f32>(&spec, &[3, 4]).unwrap();
        let value = serde_json::to_value(&plan).unwrap();
        assert_eq!(value["output_shape"], serde_json::json!([3, 7]));
        assert_eq!(value["dtype"], "f32");
        assert_eq!(value["mode"], "reflect");
        assert_eq!(value["kernel"], plan.kernel().unwrap().name());
        assert_eq!(value["axes"].as_array().unwrap().len(), plan.axes().len());
        assert_eq!(value["axes"][1]["out"], 7);
    }
}
