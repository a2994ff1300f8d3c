//! `numpy.pad`, the five modes that take elements from the data or from a constant.

use alloc::vec::Vec;

use crate::dialect::{Dialect, DialectError};
use crate::dtype::DType;
use crate::spec::{Fill, PadSpec};

/// `pad_width` as it is written: an array of up to two axes, broadcast to one pair per axis, or a dict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PadWidth {
    /// `n`: both sides of all axes.
    Scalar(i64),
    /// `(n,)`: as a scalar; `(before, after)`: the sides of all axes. Nothing else broadcasts.
    List(Vec<i64>),
    /// `((before, after), ...)` or `((n,), ...)`: one row per axis, or one for all.
    Rows(Vec<Vec<i64>>),
    /// `{axis: (before, after)}`, negative axes counted from the last; axes not named are not padded; the last of two
    /// keys that name the same axis counts. For `{axis: n}` give `(n, n)`.
    Dict(Vec<(i64, (i64, i64))>),
}

impl From<i64> for PadWidth {
    fn from(width: i64) -> Self {
        PadWidth::Scalar(width)
    }
}

impl From<(i64, i64)> for PadWidth {
    fn from((before, after): (i64, i64)) -> Self {
        PadWidth::List([before, after].into())
    }
}

impl<const N: usize> From<[(i64, i64); N]> for PadWidth {
    fn from(rows: [(i64, i64); N]) -> Self {
        rows.as_slice().into()
    }
}

impl From<&[(i64, i64)]> for PadWidth {
    fn from(rows: &[(i64, i64)]) -> Self {
        PadWidth::Rows(rows.iter().map(|&(before, after)| [before, after].into()).collect())
    }
}

/// A call of `numpy.pad`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// How many elements each side of each axis gets; not negative.
    pub pad_width: PadWidth,
    /// `constant` (default), `edge`, `reflect`, `symmetric` or `wrap`.
    pub mode: Option<&'a str>,
    /// The scalar of constant mode, in the type of the data; 0 if not given; an error in other modes.
    pub constant_values: Option<Fill>,
    /// `even` (default), for the modes `reflect` and `symmetric`; an error in other modes.
    pub reflect_type: Option<&'a str>,
}

impl<'a> Pad<'a> {
    /// A call in constant mode with 0.
    pub fn new(pad_width: impl Into<PadWidth>) -> Self {
        Pad { pad_width: pad_width.into(), mode: None, constant_values: None, reflect_type: None }
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

    /// The same with `reflect_type`.
    #[must_use]
    pub fn reflect_type(self, reflect_type: &'a str) -> Self {
        Pad { reflect_type: Some(reflect_type), ..self }
    }
}

impl Dialect for Pad<'_> {
    fn spec(&self, _shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        Err(DialectError::Untagged)
    }

    fn text_fill(&self) -> &'static str {
        "0"
    }
}
