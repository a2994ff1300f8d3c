//! XLA's Pad, which is StableHLO's and `jax.lax.pad`.

use crate::dialect::{Dialect, DialectError};
use crate::dtype::DType;
use crate::spec::{Fill, PadSpec};

/// A Pad instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// The scalar of everything that is inserted. Required.
    pub padding_value: Option<Fill>,
    /// Elements before the first of each axis, removed from the dilated axis if negative.
    pub edge_padding_low: &'a [i64],
    /// Elements after the last of each axis, removed from the dilated axis if negative.
    pub edge_padding_high: &'a [i64],
    /// Elements between each two neighbours of each axis; not negative; none if not given.
    pub interior_padding: Option<&'a [i64]>,
}

impl<'a> Pad<'a> {
    /// Padding with `value`, without interior.
    pub fn new(value: Fill, edge_padding_low: &'a [i64], edge_padding_high: &'a [i64]) -> Self {
        Pad { padding_value: Some(value), edge_padding_low, edge_padding_high, interior_padding: None }
    }

    /// The same with interior padding.
    #[must_use]
    pub fn interior_padding(self, interior: &'a [i64]) -> Self {
        Pad { interior_padding: Some(interior), ..self }
    }
}

impl Dialect for Pad<'_> {
    fn spec(&self, _shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        Err(DialectError::Untagged)
    }
}
