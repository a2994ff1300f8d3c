//! The operation `pad` of Core ML's intermediate language MIL.
//!
//! This module follows the documentation of `coremltools` 9 (`mil.ops.defs.iOS15.tensor_operation.pad`). No engine was tested.
//! Any axis can be reflected or replicated. A scalar or an empty `pad` gives a copy.
//!
//! The value inference of `coremltools`, which computes constants, differs. It limits neither borders nor the rank, and it
//! fails if `pad` is empty, such as for a scalar.

use alloc::vec;

use crate::dialect::{Dialect, DialectError, check_reach, unsigned, word};
use crate::dtype::DType;
use crate::spec::{AxisPad, Fill, PadMode, PadSpec};

const MODES: [(&str, PadMode); 3] =
    [("constant", PadMode::Constant), ("reflect", PadMode::Reflect), ("replicate", PadMode::Edge)];

/// The maximum number of axes.
const MAX_RANK: usize = 5;

/// The axes of the pairs, for an error.
const ORDER: &str = "for the last axes, in the order of the axes";

/// Describes a `pad` operation for a tensor of `float16` or `float32` with at most 5 axes.
///
/// ```
/// use pad_kernels::dialect::{Dialect, coreml};
/// // Two pairs belong to the last two axes.
/// let call = coreml::Pad::new(&[0, 1, 1, 0]).mode("replicate");
/// let padded = call.pad(&[1.0f32, 2.0, 3.0, 4.0], &[1, 2, 2])?;
/// assert_eq!(padded, [1.0, 1.0, 2.0, 3.0, 3.0, 4.0, 3.0, 3.0, 4.0]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// Pairs of elements to add before and after each padded axis. The padded axes are the last ones, and their pairs are in
    /// the order of the axes. The numbers are `int32` and must not be negative.
    pub pad: &'a [i64],
    /// `constant`, `reflect` or `replicate`. A `reflect` border must be shorter than the axis. A `replicate` border must not be
    /// longer than the axis.
    pub mode: &'a str,
    /// The fill, in the type of the data. The default is 0. Modes other than `constant` ignore it.
    pub constant_val: Option<Fill>,
}

impl<'a> Pad<'a> {
    /// Makes an operation in mode `constant` with fill zero.
    pub fn new(pad: &'a [i64]) -> Self {
        Pad { pad, mode: "constant", constant_val: None }
    }

    /// Sets `mode`.
    #[must_use]
    pub fn mode(self, mode: &'a str) -> Self {
        Pad { mode, ..self }
    }

    /// Sets `constant_val`, the fill.
    #[must_use]
    pub fn constant_val(self, value: Fill) -> Self {
        Pad { constant_val: Some(value), ..self }
    }
}

impl Dialect for Pad<'_> {
    fn words(&self) -> &'static [(&'static str, PadMode)] {
        &MODES
    }

    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        let mode = word("mode", self.mode, &MODES)?;
        if !matches!(dtype, DType::F16 | DType::F32) {
            return Err(DialectError::DType { system: "Core ML", dtype, mode: mode.name() });
        }
        let (rank, got) = (shape.len(), self.pad.len());
        if rank > MAX_RANK {
            return Err(DialectError::Rank { rank, min: 0, max: MAX_RANK, mode: mode.name() });
        }
        if !got.is_multiple_of(2) || got > 2 * rank {
            return Err(DialectError::Pairs { name: "pad", order: ORDER, got, min: 0, max: 2 * rank });
        }
        let mut pads = vec![AxisPad::default(); rank];
        let first = rank - got / 2;
        for (axis, pair) in (first..).zip(self.pad.chunks_exact(2)) {
            pads[axis] = AxisPad::new(pair[0], pair[1]);
            for &value in pair {
                unsigned("pad", axis, value)?;
                let max = i64::from(i32::MAX);
                if value > max {
                    return Err(DialectError::OutOfRange { name: "pad", axis, value, min: 0, max });
                }
            }
            if mode != PadMode::Constant {
                check_reach(axis, shape[axis], pads[axis], mode)?;
            }
        }
        let mut spec = PadSpec::new(mode, pads);
        if mode == PadMode::Constant {
            spec.fill = self.constant_val.clone();
        }
        Ok(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_of_the_last_axes() {
        let shape = |pad: &[i64], shape: &[usize]| Pad::new(pad).output_shape(shape, DType::F16);
        assert_eq!(shape(&[1, 2], &[3, 3]).unwrap(), [3, 6]);
        assert_eq!(shape(&[1, 2, 0, 4], &[3, 3, 3]).unwrap(), [3, 6, 7]);
        assert_eq!(shape(&[], &[3]).unwrap(), [3]);
        assert_eq!(Pad::new(&[]).pad(&[7.0f32], &[]).unwrap(), [7.0]);
        for (pad, rank) in [(&[1, 2, 3][..], 2), (&[0; 6], 2), (&[0; 4], 1), (&[1], 3)] {
            let got = pad.len();
            let refused = DialectError::Pairs { name: "pad", order: ORDER, got, min: 0, max: 2 * rank };
            assert_eq!(shape(pad, &[2; 3][..rank]), Err(refused));
        }
    }

    #[test]
    fn rules() {
        let pad = |mode, low, high, length| Pad::new(&[low, high]).mode(mode).spec(&[length], DType::F32);
        assert!(pad("reflect", 2, 2, 3).is_ok());
        assert!(matches!(pad("reflect", 3, 0, 3), Err(DialectError::PadTooLong { max: 2, .. })));
        assert!(pad("replicate", 0, 3, 3).is_ok());
        assert!(matches!(pad("replicate", 0, 4, 3), Err(DialectError::PadTooLong { max: 3, .. })));
        assert!(matches!(pad("constant", 0, -1, 3), Err(DialectError::NegativePad { value: -1, .. })));
        assert!(matches!(pad("constant", 1 << 31, 0, 3), Err(DialectError::OutOfRange { .. })));
        assert!(pad("constant", i64::from(i32::MAX), 0, 3).is_ok());
        assert!(matches!(pad("edge", 0, 0, 3), Err(DialectError::Word { .. })));
        // An axis without a pair has no limit.
        assert!(Pad::new(&[1, 1]).mode("reflect").spec(&[0, 2], DType::F32).is_ok());
        let rank = |rank| Pad::new(&[]).spec(&[1; 6][..rank], DType::F32);
        assert!(rank(5).is_ok() && matches!(rank(6), Err(DialectError::Rank { max: 5, .. })));
        assert!(matches!(Pad::new(&[]).spec(&[], DType::F64), Err(DialectError::DType { .. })));
    }

    #[test]
    fn value_is_of_constant_mode() {
        let call = Pad::new(&[1, 0]).constant_val(Fill::of(-0.0f32));
        let padded = call.pad(&[1.0f32, 2.0], &[2]).unwrap();
        assert_eq!(padded[0].to_bits(), (-0.0f32).to_bits());
        assert_eq!(call.clone().mode("reflect").pad(&[1.0f32, 2.0], &[2]).unwrap(), [2.0, 1.0, 2.0]);
        assert!(matches!(call.plan(&[2], DType::F16), Err(DialectError::Pad(_))));
    }
}
