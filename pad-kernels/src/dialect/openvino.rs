//! OpenVINO's Pad-1 and Pad-12.

use crate::dialect::{Dialect, DialectError, zip_pads};
use crate::dtype::DType;
use crate::spec::{Fill, Frame, PadMode, PadSpec};

/// A Pad layer of opset 1 or 12.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// 1 or 12.
    pub version: u32,
    /// `constant`, `edge`, `reflect` or `symmetric`, in any case. It has no default.
    pub pad_mode: &'a str,
    /// Elements before the first of each axis. Pad-12 removes if negative.
    pub pads_begin: &'a [i64],
    /// Elements after the last of each axis. Pad-12 removes if negative.
    pub pads_end: &'a [i64],
    /// The scalar of constant mode; the type's zero if not given; ignored in other modes.
    pub pad_value: Option<Fill>,
    /// Pad-1 takes negative pads, as its implementation does although its text does not. Off by default.
    pub negative_pads: bool,
    /// Pad-12 makes an axis that would end below 0 elements empty, as its text says, instead of an error. Off by
    /// default.
    pub clamp_output: bool,
}

impl<'a> Pad<'a> {
    /// A layer of opset `version` without a value.
    pub fn new(version: u32, pad_mode: &'a str, pads_begin: &'a [i64], pads_end: &'a [i64]) -> Self {
        Pad {
            version,
            pad_mode,
            pads_begin,
            pads_end,
            pad_value: None,
            negative_pads: false,
            clamp_output: false,
        }
    }

    /// The same with a value for constant mode.
    #[must_use]
    pub fn pad_value(self, value: Fill) -> Self {
        Pad { pad_value: Some(value), ..self }
    }

    /// The same, but Pad-1 takes negative pads.
    #[must_use]
    pub fn negative_pads(self, accept: bool) -> Self {
        Pad { negative_pads: accept, ..self }
    }

    /// The same, but an axis of Pad-12 that would end below 0 elements ends empty.
    #[must_use]
    pub fn clamp_output(self, clamp: bool) -> Self {
        Pad { clamp_output: clamp, ..self }
    }
}

impl Dialect for Pad<'_> {
    fn spec(&self, shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        let pads = zip_pads(("pads_begin", self.pads_begin), ("pads_end", self.pads_end), shape.len())?;
        let mode = match self.pad_mode {
            "constant" => PadMode::Constant,
            "edge" => PadMode::Edge,
            "reflect" => PadMode::Reflect,
            _ => PadMode::Symmetric,
        };
        Ok(PadSpec::new(mode, pads).with_frame(Frame::Uncropped))
    }
}
