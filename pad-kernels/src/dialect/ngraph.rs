//! nGraph's Pad: v0 with interior padding, v0 with modes, and v1.

use crate::dialect::{Dialect, DialectError};
use crate::dtype::DType;
use crate::spec::{Fill, PadMode, PadSpec};

/// `op::Pad` of nGraph 0.7 to 0.15: constant, with unsigned interior and exterior padding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PadV0Interior<'a> {
    /// The scalar that is inserted. Required.
    pub arg_pad_value: Option<Fill>,
    /// Elements before the first of each axis; not negative.
    pub padding_below: &'a [i64],
    /// Elements after the last of each axis; not negative.
    pub padding_above: &'a [i64],
    /// Elements between each two neighbours of each axis; not negative.
    pub padding_interior: &'a [i64],
}

/// `op::v0::Pad` with modes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PadV0<'a> {
    /// The scalar that is inserted in constant mode. Required in all modes.
    pub arg_pad_value: Option<Fill>,
    /// Elements before the first of each axis, removed if negative.
    pub padding_below: &'a [i64],
    /// Elements after the last of each axis, removed if negative.
    pub padding_above: &'a [i64],
    /// Elements between each two neighbours of each axis; not negative; none if not given.
    pub padding_interior: Option<&'a [i64]>,
    /// CONSTANT (default), EDGE, REFLECT or SYMMETRIC.
    pub pad_mode: PadMode,
}

/// `op::v1::Pad`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PadV1<'a> {
    /// Elements before the first of each axis, removed if negative.
    pub pads_begin: &'a [i64],
    /// Elements after the last of each axis, removed if negative.
    pub pads_end: &'a [i64],
    /// The scalar that is inserted in constant mode; zero if not given; ignored in other modes.
    pub arg_pad_value: Option<Fill>,
    /// CONSTANT, EDGE, REFLECT or SYMMETRIC; it has no default.
    pub pad_mode: PadMode,
}

impl<'a> PadV0Interior<'a> {
    /// Padding with `value`.
    pub fn new(value: Fill, below: &'a [i64], above: &'a [i64], interior: &'a [i64]) -> Self {
        let arg_pad_value = Some(value);
        PadV0Interior {
            arg_pad_value,
            padding_below: below,
            padding_above: above,
            padding_interior: interior,
        }
    }
}

impl<'a> PadV0<'a> {
    /// Padding with `value` in constant mode, without interior.
    pub fn new(value: Fill, below: &'a [i64], above: &'a [i64]) -> Self {
        PadV0 {
            arg_pad_value: Some(value),
            padding_below: below,
            padding_above: above,
            padding_interior: None,
            pad_mode: PadMode::Constant,
        }
    }

    /// The same in `mode`.
    #[must_use]
    pub fn pad_mode(self, mode: PadMode) -> Self {
        PadV0 { pad_mode: mode, ..self }
    }

    /// The same with interior padding.
    #[must_use]
    pub fn padding_interior(self, interior: &'a [i64]) -> Self {
        PadV0 { padding_interior: Some(interior), ..self }
    }
}

impl<'a> PadV1<'a> {
    /// Padding in `mode`, with zero in constant mode.
    pub fn new(mode: PadMode, begin: &'a [i64], end: &'a [i64]) -> Self {
        PadV1 { pads_begin: begin, pads_end: end, arg_pad_value: None, pad_mode: mode }
    }

    /// The same with a value for constant mode.
    #[must_use]
    pub fn arg_pad_value(self, value: Fill) -> Self {
        PadV1 { arg_pad_value: Some(value), ..self }
    }
}

impl Dialect for PadV0Interior<'_> {
    fn spec(&self, _shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        Err(DialectError::Untagged)
    }
}
impl Dialect for PadV0<'_> {
    fn spec(&self, _shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        Err(DialectError::Untagged)
    }
}
impl Dialect for PadV1<'_> {
    fn spec(&self, _shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        Err(DialectError::Untagged)
    }
}
