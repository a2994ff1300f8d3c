//! `torch.nn.functional.pad`.

use crate::dialect::{Dialect, DialectError};
use crate::dtype::DType;
use crate::spec::PadSpec;

/// A call of `torch.nn.functional.pad`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// Pairs of low and high, the last axis first; axes that are not reached are not padded.
    pub pad: &'a [i64],
    /// `constant` (default), `reflect`, `replicate` or `circular`.
    pub mode: Option<&'a str>,
    /// The value of constant mode, converted to the type of the data; 0 if not given; an error in other modes.
    pub value: Option<f64>,
}

impl<'a> Pad<'a> {
    /// A call in constant mode with 0.
    pub fn new(pad: &'a [i64]) -> Self {
        Pad { pad, mode: None, value: None }
    }

    /// The same in `mode`.
    #[must_use]
    pub fn mode(self, mode: &'a str) -> Self {
        Pad { mode: Some(mode), ..self }
    }

    /// The same with a value for constant mode.
    #[must_use]
    pub fn value(self, value: f64) -> Self {
        Pad { value: Some(value), ..self }
    }
}

impl Dialect for Pad<'_> {
    fn spec(&self, _shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        Err(DialectError::Untagged)
    }
}
