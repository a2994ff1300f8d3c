//! XLA's Pad, which is also StableHLO's `pad` and `jax.lax.pad`.
//!
//! This module follows the specification of StableHLO, the evaluator of XLA, and jax 0.10. All element types except strings are valid.
//! There is only the mode constant. In this module, a size that is too large is an error, although StableHLO and jax do not check
//! it.

use crate::dialect::{Dialect, DialectError, add_interior, check_differentiable, zip_pads};
use crate::dtype::DType;
use crate::spec::{Fill, Frame, PadMode, PadSpec};

/// Describes a Pad instruction.
///
/// Interior padding is inserted first. Then negative pads crop the result. They may crop interior padding, and may crop more
/// elements than the axis has. An axis without elements becomes `low + high` elements of the fill.
///
/// ```
/// use pad_kernels::Fill;
/// use pad_kernels::dialect::{Dialect, xla};
/// let pad = xla::Pad::new(Fill::of(0), &[-1], &[2]).interior_padding(&[1]);
/// assert_eq!(pad.pad(&[1, 2, 3], &[3])?, [0, 2, 0, 3, 0, 0]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// The fill, in the type of the data. It is required.
    pub padding_value: Option<Fill>,
    /// The elements to add before the first one of each axis. Negative numbers crop.
    pub edge_padding_low: &'a [i64],
    /// The elements to add after the last one of each axis. Negative numbers crop.
    pub edge_padding_high: &'a [i64],
    /// The elements to insert between each two neighbours of each axis. They must not be negative. The default is 0.
    pub interior_padding: Option<&'a [i64]>,
}

impl<'a> Pad<'a> {
    /// Makes an instruction with the fill `value`, without interior padding.
    pub fn new(value: Fill, edge_padding_low: &'a [i64], edge_padding_high: &'a [i64]) -> Self {
        Pad { padding_value: Some(value), edge_padding_low, edge_padding_high, interior_padding: None }
    }

    /// Sets `interior_padding`.
    #[must_use]
    pub fn interior_padding(self, interior: &'a [i64]) -> Self {
        Pad { interior_padding: Some(interior), ..self }
    }
}

impl Dialect for Pad<'_> {
    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        if dtype == DType::String {
            return Err(DialectError::DType { system: "XLA", dtype, mode: PadMode::Constant.name() });
        }
        let Some(value) = &self.padding_value else {
            return Err(DialectError::ValueRequired { name: "padding_value" });
        };
        let low = ("edge_padding_low", self.edge_padding_low);
        let mut pads = zip_pads(low, ("edge_padding_high", self.edge_padding_high), shape.len())?;
        if let Some(interior) = self.interior_padding {
            add_interior(&mut pads, "interior_padding", interior)?;
        }
        let mut spec = PadSpec::new(PadMode::Constant, pads).with_frame(Frame::Uncropped);
        spec.fill = Some(value.clone());
        Ok(spec)
    }

    fn check_gradient(&self, dtype: DType, mode: PadMode) -> Result<(), DialectError> {
        check_differentiable("jax", dtype, mode, &PadMode::ALL)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;
    use crate::error::PadError;

    fn pad(low: i64, high: i64, interior: i64, d: usize) -> Result<Vec<u8>, DialectError> {
        Pad::new(Fill::of(0u8), &[low], &[high])
            .interior_padding(&[interior])
            .pad(&[1, 2, 3, 4, 5, 6][..d], &[d])
    }

    #[test]
    fn negative_pads_cut_the_dilated_axis() {
        assert_eq!(pad(-3, 2, 2, 6).unwrap(), [2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0]);
        assert_eq!(pad(-1, -1, 1, 6).unwrap(), [0, 2, 0, 3, 0, 4, 0, 5, 0]);
        assert_eq!(pad(-7, 3, 0, 6).unwrap(), [0, 0]);
        assert_eq!(pad(-20, 30, 0, 6).unwrap(), vec![0; 16]);
    }

    #[test]
    fn axes_without_elements_have_no_gaps() {
        assert_eq!(pad(1, 2, 5, 0).unwrap(), [0, 0, 0]);
        assert!(pad(-1, 1, 5, 0).unwrap().is_empty());
        assert!(matches!(pad(-1, 0, 5, 0), Err(DialectError::Pad(PadError::NegativeOutput { .. }))));
        assert_eq!(Pad::new(Fill::of(0u8), &[], &[]).pad(&[7u8], &[]).unwrap(), [7]);
    }

    #[test]
    fn refusals() {
        let negative = DialectError::NegativePad { name: "interior_padding", axis: 0, value: -1 };
        assert_eq!(pad(0, 0, -1, 6), Err(negative));
        let count = |name, got| Err(DialectError::Count { name, expected: 1, got });
        let spec = |low: &[i64], high: &[i64], interior: &[i64]| {
            Pad::new(Fill::of(0u8), low, high).interior_padding(interior).spec(&[6], DType::U8).map(drop)
        };
        assert_eq!(spec(&[], &[0], &[0]), count("edge_padding_low", 0));
        assert_eq!(spec(&[0], &[0, 0], &[0]), count("edge_padding_high", 2));
        assert_eq!(spec(&[0], &[0], &[]), count("interior_padding", 0));
        let without = Pad { padding_value: None, ..Pad::new(Fill::of(0u8), &[0], &[0]) };
        let required = DialectError::ValueRequired { name: "padding_value" };
        assert_eq!(without.spec(&[6], DType::U8), Err(required));
        let other = Pad::new(Fill::of(0i8), &[0], &[0]);
        assert!(matches!(other.pad(&[1u8], &[1]), Err(DialectError::Pad(PadError::FillType { .. }))));
        assert!(matches!(other.spec(&[1], DType::String), Err(DialectError::DType { .. })));
    }
}
