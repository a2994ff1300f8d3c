//! ONNX's Pad, opsets 1 to 28.

use crate::dialect::{Dialect, DialectError};
use crate::dtype::DType;
use crate::spec::{Fill, PadSpec};

/// Whose Pad it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// The operator's specification; where it is silent, what its reference evaluator and numpy do.
    #[default]
    Spec,
    /// The CPU kernels of onnxruntime 1.31.
    OnnxRuntime,
}

/// A Pad node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// The model's opset, 1 to 28: the newest Pad that is not newer applies.
    pub opset: u32,
    /// Whose rules apply: the specification's (default) or onnxruntime's.
    pub flavour: Flavour,
    /// `constant` (default), `reflect`, `edge`; from opset 19 `wrap`.
    pub mode: Option<&'a str>,
    /// All begins, then all ends, of the listed axes. The attribute `paddings` of opset 1, the attribute `pads` of
    /// opset 2, an input from opset 11.
    pub pads: &'a [i64],
    /// The shape of the tensor `pads`; if not given it has one axis.
    pub pads_shape: Option<&'a [usize]>,
    /// The attribute `value` of opsets 1 to 10, 0 if not given.
    pub value: Option<f32>,
    /// The input `constant_value` from opset 11; the type's zero if not given.
    pub constant_value: Option<Fill>,
    /// The shape of the tensor `constant_value`; if not given it is a scalar.
    pub constant_value_shape: Option<&'a [usize]>,
    /// The input `axes` from opset 18, negative ones counted from the last; all in order if not given.
    pub axes: Option<&'a [i64]>,
    /// An axis listed twice takes the pads it is listed with last instead of being an error. Off by default.
    pub last_axis_wins: bool,
}

impl<'a> Pad<'a> {
    /// A node of `opset` as specified, in constant mode, over all axes, without a value.
    pub fn new(opset: u32, pads: &'a [i64]) -> Self {
        Pad {
            opset,
            flavour: Flavour::Spec,
            mode: None,
            pads,
            pads_shape: None,
            value: None,
            constant_value: None,
            constant_value_shape: None,
            axes: None,
            last_axis_wins: false,
        }
    }

    /// The same in the rules of `flavour`.
    #[must_use]
    pub fn flavour(self, flavour: Flavour) -> Self {
        Pad { flavour, ..self }
    }

    /// The same in `mode`.
    #[must_use]
    pub fn mode(self, mode: &'a str) -> Self {
        Pad { mode: Some(mode), ..self }
    }

    /// The same with `pads` in a tensor of `shape`.
    #[must_use]
    pub fn pads_shape(self, shape: &'a [usize]) -> Self {
        Pad { pads_shape: Some(shape), ..self }
    }

    /// The same with the attribute `value` of opsets 1 to 10.
    #[must_use]
    pub fn value(self, value: f32) -> Self {
        Pad { value: Some(value), ..self }
    }

    /// The same with the input `constant_value` of opset 11 and later.
    #[must_use]
    pub fn constant_value(self, value: Fill) -> Self {
        Pad { constant_value: Some(value), ..self }
    }

    /// The same with `constant_value` in a tensor of `shape`.
    #[must_use]
    pub fn constant_value_shape(self, shape: &'a [usize]) -> Self {
        Pad { constant_value_shape: Some(shape), ..self }
    }

    /// The same with the input `axes` of opset 18 and later.
    #[must_use]
    pub fn axes(self, axes: &'a [i64]) -> Self {
        Pad { axes: Some(axes), ..self }
    }

    /// The same, but an axis listed twice takes the pads it is listed with last.
    #[must_use]
    pub fn last_axis_wins(self, wins: bool) -> Self {
        Pad { last_axis_wins: wins, ..self }
    }
}

impl Dialect for Pad<'_> {
    fn spec(&self, _shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        Err(DialectError::Untagged)
    }
}
