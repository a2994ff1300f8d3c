//! OpenVINO's Pad-1 and Pad-12.
//!
//! This module follows the specifications of both operations. It also follows the shape inference and the reference implementation of
//! openvinotoolkit/openvino 2026.4, which both operations share. It accepts every [`DType`] except complex numbers, `F8E4M3FNUZ`,
//! `F8E5M2FNUZ` and `I2`. Text is accepted only in mode constant of Pad-12.
//!
//! The module does not follow the CPU plugin, which gives other results for wide integers, doubles, -0.0, and crops longer than the axis.

use crate::dialect::{
    Dialect, DialectError, check_length, check_reach, check_unsigned, extends, padded, word_in_any_case,
    zip_pads,
};
use crate::dtype::DType;
use crate::spec::{AxisPad, Fill, Frame, PadMode, PadSpec};

const MODES: [(&str, PadMode); 4] = [
    ("constant", PadMode::Constant),
    ("edge", PadMode::Edge),
    ("reflect", PadMode::Reflect),
    ("symmetric", PadMode::Symmetric),
];

/// Names the document or program whose rules apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// The specifications. If they leave something open, the engine decides. There is one exception: [`Pad::clamp_output`] decides whether
    /// an output length may be negative.
    #[default]
    Spec,
    /// The engine. In its Pad-1, the rules of Pad-12 apply except for strings, and negative pads are accepted.
    Engine,
}

/// A Pad layer of opset 1 or 12.
///
/// Negative pads remove elements, but a mirrored border can contain these elements ([`Frame::Uncropped`]).
///
/// These limits hold for every axis, even if it is not padded:
///
/// - A `reflect` border must be shorter than the axis. An axis of length 0 is an error, even with pads of 0.
/// - A `symmetric` border must not be longer than the axis.
/// - An `edge` border needs at least one element on the axis.
///
/// ```
/// use pad_kernels::dialect::{Dialect, openvino};
/// let layer = openvino::Pad::new(1, "reflect", &[0, 1], &[2, 3]);
/// let out = layer.pad(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], &[3, 4])?;
/// assert_eq!(out[..8], [2, 1, 2, 3, 4, 3, 2, 1]);
/// assert_eq!(out[32..], [2, 1, 2, 3, 4, 3, 2, 1]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// 1 or 12.
    pub version: u32,
    /// `constant`, `edge`, `reflect` or `symmetric`, in upper or lower case. It has no default.
    pub pad_mode: &'a str,
    /// The elements to add before the first element of each axis. A negative number crops, in Pad-12 and in the engine's Pad-1.
    pub pads_begin: &'a [i64],
    /// The elements to add after the last element of each axis. A negative number crops, in Pad-12 and in the engine's Pad-1.
    pub pads_end: &'a [i64],
    /// The fill of mode constant, in the type of the data. The default is zero or the empty string. The specification asks callers not to
    /// set it in other modes. Other modes ignore the value and its type, as the engine does.
    pub pad_value: Option<Fill>,
    /// The flavour, which decides the rules. The default is the specification.
    pub flavour: Flavour,
    /// If true, an axis of Pad-12 becomes empty if its length would be negative. The specification says so, but no path of the
    /// engine does so. By default, a negative length is an error, as in the engine. In Pad-1, it is always an error.
    pub clamp_output: bool,
}

impl<'a> Pad<'a> {
    /// Makes a layer of Pad-`version` with the default fill.
    pub fn new(version: u32, pad_mode: &'a str, pads_begin: &'a [i64], pads_end: &'a [i64]) -> Self {
        Pad {
            version,
            pad_mode,
            pads_begin,
            pads_end,
            pad_value: None,
            flavour: Flavour::Spec,
            clamp_output: false,
        }
    }

    /// Sets `pad_value`, the fill.
    #[must_use]
    pub fn pad_value(self, value: Fill) -> Self {
        Pad { pad_value: Some(value), ..self }
    }

    /// Sets the flavour, which decides the rules.
    #[must_use]
    pub fn flavour(self, flavour: Flavour) -> Self {
        Pad { flavour, ..self }
    }

    /// Sets whether an axis of Pad-12 becomes empty if its length would be negative.
    #[must_use]
    pub fn clamp_output(self, clamp: bool) -> Self {
        Pad { clamp_output: clamp, ..self }
    }
}

impl Dialect for Pad<'_> {
    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        let system = match self.version {
            1 => "OpenVINO Pad-1",
            12 => "OpenVINO Pad-12",
            version => return Err(DialectError::Version { system: "OpenVINO", version, known: "1 or 12" }),
        };
        let mode = word_in_any_case("pad_mode", self.pad_mode, &MODES)?;
        if !takes(dtype, self.version, mode) {
            return Err(DialectError::DType { system, dtype, mode: mode.name() });
        }
        if self.version == 1 && self.flavour == Flavour::Spec {
            check_unsigned("pads_begin", self.pads_begin)?;
            check_unsigned("pads_end", self.pads_end)?;
        }
        let mut pads = zip_pads(("pads_begin", self.pads_begin), ("pads_end", self.pads_end), shape.len())?;
        for (axis, (pad, &length)) in pads.iter_mut().zip(shape).enumerate() {
            match mode {
                PadMode::Edge if extends(*pad) => check_length(axis, length, 1, mode)?,
                PadMode::Reflect | PadMode::Symmetric => check_reach(axis, length, *pad, mode)?,
                _ => {}
            }
            if self.version == 12 && self.clamp_output && padded(length, *pad) < 0 {
                // The pads crop the whole axis, and the axis becomes empty.
                *pad = AxisPad::new(i64::try_from(length).map_or(i64::MIN, |length| -length), 0);
            }
        }
        let mut spec = PadSpec::new(mode, pads).with_frame(Frame::Uncropped);
        if mode == PadMode::Constant {
            spec.fill = self.pad_value.clone();
        }
        Ok(spec)
    }
}

fn takes(dtype: DType, version: u32, mode: PadMode) -> bool {
    use DType::*;
    match dtype {
        Bool | I4 | I8 | I16 | I32 | I64 | U2 | U4 | U8 | U16 | U32 | U64 => true,
        F16 | BF16 | F32 | F64 | F8E4M3FN | F8E5M2 | F8E8M0 | F4E2M1 => true,
        C64 | C128 | F8E4M3FNUZ | F8E5M2FNUZ | I2 => false,
        String => version == 12 && mode == PadMode::Constant,
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use super::*;
    use crate::error::PadError;

    const DATA: [i32; 6] = [1, 2, 3, 4, 5, 6];

    fn pad12(mode: &str, low: i64, high: i64, d: usize) -> Result<Vec<i32>, DialectError> {
        Pad::new(12, mode, &[low], &[high]).pad(&DATA[..d], &[d])
    }

    #[test]
    fn mirrors_reach_once() {
        let long = |length, low, high, max, mode: PadMode| DialectError::PadTooLong {
            axis: 0,
            length,
            pad: AxisPad::new(low, high),
            max,
            mode: mode.name(),
        };
        use PadMode::{Reflect, Symmetric};
        assert_eq!(pad12("reflect", 1, 2, 3).unwrap(), [2, 1, 2, 3, 2, 1]);
        assert_eq!(pad12("reflect", 3, 0, 3), Err(long(3, 3, 0, 2, Reflect)));
        assert_eq!(pad12("reflect", 0, 3, 3), Err(long(3, 0, 3, 2, Reflect)));
        assert_eq!(pad12("reflect", 0, 0, 1).unwrap(), [1]);
        assert_eq!(pad12("reflect", 1, 0, 1), Err(long(1, 1, 0, 0, Reflect)));
        assert_eq!(pad12("reflect", 0, 0, 0), Err(long(0, 0, 0, -1, Reflect)));
        assert_eq!(pad12("symmetric", 3, 2, 3).unwrap(), [3, 2, 1, 1, 2, 3, 3, 2]);
        assert_eq!(pad12("symmetric", 4, 0, 3), Err(long(3, 4, 0, 3, Symmetric)));
        assert!(pad12("symmetric", 0, 0, 0).unwrap().is_empty());
        assert_eq!(pad12("symmetric", 0, 1, 0), Err(long(0, 0, 1, 0, Symmetric)));
        // The limit applies to every axis, even if it is not padded.
        let refused = Pad::new(12, "reflect", &[0, 1], &[0, 1]).spec(&[0, 3], DType::I32);
        assert_eq!(refused, Err(long(0, 0, 0, -1, Reflect)));
    }

    #[test]
    fn edge_and_constant_on_short_axes() {
        let short = DialectError::AxisTooShort { axis: 0, length: 0, min: 1, mode: PadMode::Edge.name() };
        assert_eq!(pad12("edge", 1, 0, 0), Err(short));
        assert!(pad12("edge", 0, 0, 0).unwrap().is_empty());
        assert_eq!(pad12("edge", 0, 9, 1).unwrap(), [1; 10]);
        assert_eq!(pad12("constant", 1, 1, 0).unwrap(), [0, 0]);
    }

    #[test]
    fn negative_pads_count_in_the_uncropped_axis() {
        assert_eq!(pad12("reflect", -2, 5, 6).unwrap(), [3, 4, 5, 6, 5, 4, 3, 2, 1]);
        assert_eq!(pad12("edge", -7, 3, 6).unwrap(), [6, 6]);
        assert_eq!(pad12("symmetric", -2, 5, 6).unwrap(), [3, 4, 5, 6, 6, 5, 4, 3, 2]);
        // The documents of Pad-12 contain this example.
        let rows = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
        let out = Pad::new(12, "reflect", &[2, -1], &[-1, 3]).pad(&rows, &[3, 4]).unwrap();
        assert_eq!(out[..6], [10, 11, 12, 11, 10, 9]);
    }

    #[test]
    fn pad1_takes_negative_pads_in_the_engine_only() {
        let layer = Pad::new(1, "edge", &[1], &[-1]);
        let negative = DialectError::NegativePad { name: "pads_end", axis: 0, value: -1 };
        assert_eq!(layer.pad(&DATA, &[6]), Err(negative));
        assert_eq!(layer.flavour(Flavour::Engine).pad(&DATA, &[6]).unwrap(), [1, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn lengths_below_0_clamp_only_if_asked_and_only_in_pad12() {
        let shape = |layer: Pad| layer.output_shape(&[6, 2], DType::I32);
        let layer = |version| Pad::new(version, "constant", &[-3, 0], &[-4, 1]).flavour(Flavour::Engine);
        let negative = |result| matches!(result, Err(DialectError::Pad(PadError::NegativeOutput { .. })));
        assert!(negative(shape(layer(12))));
        assert!(negative(shape(layer(1).clamp_output(true))));
        assert_eq!(shape(layer(12).clamp_output(true)).unwrap(), [0, 3]);
        let edge = Pad::new(12, "edge", &[-9], &[2]).clamp_output(true);
        assert!(edge.pad(&DATA, &[6]).unwrap().is_empty());
        let huge = Pad::new(12, "constant", &[i64::MIN], &[i64::MIN]).clamp_output(true);
        assert!(huge.pad(&DATA, &[6]).unwrap().is_empty());
    }

    #[test]
    fn text_is_constant_in_pad12() {
        let words = ["a".to_string()];
        let pad =
            |version, mode| Pad::new(version, mode, &[1], &[0]).pad_cloned(&words, &[1], &String::new());
        assert_eq!(pad(12, "constant").unwrap(), ["", "a"]);
        for (version, mode) in [(1, "constant"), (12, "edge")] {
            assert!(matches!(pad(version, mode), Err(DialectError::DType { dtype: DType::String, .. })));
        }
    }

    #[test]
    fn words_versions_counts_and_values() {
        assert_eq!(pad12("CONSTANT", 1, 0, 1).unwrap(), [0, 1]);
        assert!(matches!(pad12("wrap", 1, 0, 1), Err(DialectError::Word { .. })));
        assert!(matches!(pad12("", 1, 0, 1), Err(DialectError::Word { .. })));
        let version = DialectError::Version { system: "OpenVINO", version: 2, known: "1 or 12" };
        assert_eq!(Pad::new(2, "edge", &[], &[]).spec(&[], DType::I32), Err(version));
        let count = DialectError::Count { name: "pads_end", expected: 1, got: 0 };
        assert_eq!(Pad::new(12, "edge", &[0], &[]).spec(&[1], DType::I32), Err(count));
        let valued = |mode| Pad::new(12, mode, &[1], &[0]).pad_value(Fill::of(7.0f32));
        assert!(matches!(
            valued("constant").pad(&DATA, &[6]),
            Err(DialectError::Pad(PadError::FillType { .. }))
        ));
        assert_eq!(valued("edge").pad(&DATA, &[6]).unwrap()[0], 1);
        assert_eq!(valued("constant").pad(&[1.0f32], &[1]).unwrap(), [7.0, 1.0]);
    }
}
