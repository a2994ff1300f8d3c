//! TensorFlow's Pad, PadV2 and MirrorPad, and `tf.pad` over them.

use crate::dialect::{Dialect, DialectError};
use crate::dtype::DType;
use crate::spec::{Fill, PadSpec};

/// A call of `tf.pad`, which is the operators Pad and PadV2 in constant mode and MirrorPad in the others.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// One row of before and after per axis; not negative.
    pub paddings: &'a [[i64; 2]],
    /// `CONSTANT` (default), `REFLECT` or `SYMMETRIC`, in any case.
    pub mode: Option<&'a str>,
    /// The scalar of constant mode; the type's zero if not given; ignored in other modes.
    pub constant_values: Option<Fill>,
}

/// The operator MirrorPad.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorPad<'a> {
    /// One row of before and after per axis; not negative.
    pub paddings: &'a [[i64; 2]],
    /// `REFLECT` or `SYMMETRIC`. It has no default.
    pub mode: &'a str,
}

impl<'a> Pad<'a> {
    /// A call in constant mode with zero.
    pub fn new(paddings: &'a [[i64; 2]]) -> Self {
        Pad { paddings, mode: None, constant_values: None }
    }

    /// The same in `mode`.
    #[must_use]
    pub fn mode(self, mode: &'a str) -> Self {
        Pad { mode: Some(mode), ..self }
    }

    /// The same with a value for constant mode.
    #[must_use]
    pub fn constant_values(self, value: Fill) -> Self {
        Pad { constant_values: Some(value), ..self }
    }
}

impl<'a> MirrorPad<'a> {
    /// A node in `mode`.
    pub fn new(mode: &'a str, paddings: &'a [[i64; 2]]) -> Self {
        MirrorPad { paddings, mode }
    }
}

impl Dialect for Pad<'_> {
    fn spec(&self, _shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        Err(DialectError::Untagged)
    }
}

impl Dialect for MirrorPad<'_> {
    fn spec(&self, _shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        Err(DialectError::Untagged)
    }
}
