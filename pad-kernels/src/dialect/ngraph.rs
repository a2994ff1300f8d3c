//! nGraph's Pad in its three generations: v0 with interior padding, v0 with modes, and v1.
//!
//! Sources: the operator's documents and `op/pad.cpp`, `reference/pad.hpp` of NervanaSystems/ngraph. Its documents
//! allow any element type, so all of [`DType`] are accepted. A negative pad uncovers nothing: borders count in the axis
//! as it was ([`Frame::Uncropped`]), as in the project's own tests.
//!
//! Where documents and code part, this follows
//! - the documents in SYMMETRIC mode, which tiles by flipping at the edge. The code does so below the data, but above it
//!   only if `padding_above` is one less than the length, which is what its single test uses;
//! - the documents in the demand that EDGE has one element and REFLECT two to take from. The code asks it of axes 2 and
//!   up only, and reads out of bounds or hangs on the others; here it holds for every axis that is extended;
//! - the documents and the code in reflecting as often as needed;
//! - the example and the prose of the documents in the output length, `below + (d - 1) * (interior + 1) + 1 + above` or
//!   without elements `below + above`; the formula set apart in them says something else.

use crate::dialect::{Dialect, DialectError, add_interior, check_length, check_unsigned, extends, zip_pads};
use crate::dtype::DType;
use crate::spec::{Fill, Frame, PadMode, PadSpec};

/// `op::Pad` of nGraph 0.7 to 0.15: constant, with interior and exterior padding, all unsigned.
///
/// The three lists have one entry per axis.
///
/// ```
/// use pad_kernels::Fill;
/// use pad_kernels::dialect::{Dialect, ngraph};
/// let op = ngraph::PadV0Interior::new(Fill::of(42), &[1], &[2], &[1]);
/// assert_eq!(op.pad(&[1, 2, 3], &[3])?, [42, 1, 42, 2, 42, 3, 42, 42]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PadV0Interior<'a> {
    /// The scalar that is inserted, of the type of the data. Required.
    pub arg_pad_value: Option<Fill>,
    /// Elements before the first of each axis; not negative.
    pub padding_below: &'a [i64],
    /// Elements after the last of each axis; not negative.
    pub padding_above: &'a [i64],
    /// Elements between each two neighbours of each axis; not negative.
    pub padding_interior: &'a [i64],
}

/// `op::v0::Pad` of nGraph 0.18 and later, with modes and signed pads.
///
/// Its documents describe interior padding all the same, though the released class lost the argument, so it can be
/// given here; with none it is the released operator. With border modes the gaps are opened first and mirrored too.
///
/// ```
/// use pad_kernels::dialect::{Dialect, ngraph};
/// use pad_kernels::{Fill, PadMode};
/// let op = ngraph::PadV0::new(Fill::of(0), &[-7], &[3]).pad_mode(PadMode::Reflect);
/// assert_eq!(op.pad(&[1, 2, 3, 4, 5, 6], &[6])?, [4, 3]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PadV0<'a> {
    /// The scalar that is inserted in constant mode, of the type of the data. Required, and its type checked, in all
    /// modes.
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

/// `op::v1::Pad` of nGraph 0.26 and later: pads and value are inputs.
///
/// Pads may be of any integer type; here they are `i64`. Both lists must have exactly one entry per axis, though the
/// code takes shorter ones and then infers a result of lower rank. A result length below 0 is an error, though the
/// code lost that check.
///
/// ```
/// use pad_kernels::PadMode;
/// use pad_kernels::dialect::{Dialect, ngraph};
/// let op = ngraph::PadV1::new(PadMode::Symmetric, &[1], &[2]);
/// assert_eq!(op.pad(&[1, 2, 3], &[3])?, [1, 1, 2, 3, 3, 2]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PadV1<'a> {
    /// Elements before the first of each axis, removed if negative.
    pub pads_begin: &'a [i64],
    /// Elements after the last of each axis, removed if negative.
    pub pads_end: &'a [i64],
    /// The scalar that is inserted in constant mode, of the type of the data; zero if not given. Other modes ignore it,
    /// its type included.
    pub arg_pad_value: Option<Fill>,
    /// CONSTANT, EDGE, REFLECT or SYMMETRIC. It has no default.
    pub pad_mode: PadMode,
}

impl<'a> PadV0Interior<'a> {
    /// Padding with `value`.
    pub fn new(
        value: Fill,
        padding_below: &'a [i64],
        padding_above: &'a [i64],
        padding_interior: &'a [i64],
    ) -> Self {
        PadV0Interior { arg_pad_value: Some(value), padding_below, padding_above, padding_interior }
    }
}

impl<'a> PadV0<'a> {
    /// Padding with `value` in constant mode, without interior.
    pub fn new(value: Fill, padding_below: &'a [i64], padding_above: &'a [i64]) -> Self {
        PadV0 {
            arg_pad_value: Some(value),
            padding_below,
            padding_above,
            padding_interior: None,
            pad_mode: PadMode::Constant,
        }
    }

    /// Sets `pad_mode`.
    #[must_use]
    pub fn pad_mode(self, mode: PadMode) -> Self {
        PadV0 { pad_mode: mode, ..self }
    }

    /// Sets the interior padding.
    #[must_use]
    pub fn padding_interior(self, interior: &'a [i64]) -> Self {
        PadV0 { padding_interior: Some(interior), ..self }
    }
}

impl<'a> PadV1<'a> {
    /// Padding in `mode`, with zero in constant mode.
    pub fn new(mode: PadMode, pads_begin: &'a [i64], pads_end: &'a [i64]) -> Self {
        PadV1 { pads_begin, pads_end, arg_pad_value: None, pad_mode: mode }
    }

    /// Sets `arg_pad_value`, the value of constant mode.
    #[must_use]
    pub fn arg_pad_value(self, value: Fill) -> Self {
        PadV1 { arg_pad_value: Some(value), ..self }
    }
}

impl Dialect for PadV0Interior<'_> {
    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        check_unsigned("padding_below", self.padding_below)?;
        check_unsigned("padding_above", self.padding_above)?;
        PadV0 {
            arg_pad_value: self.arg_pad_value.clone(),
            padding_below: self.padding_below,
            padding_above: self.padding_above,
            padding_interior: Some(self.padding_interior),
            pad_mode: PadMode::Constant,
        }
        .spec(shape, dtype)
    }
}

impl Dialect for PadV0<'_> {
    fn spec(&self, shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        let Some(value) = &self.arg_pad_value else {
            return Err(DialectError::ValueRequired { name: "arg_pad_value" });
        };
        let (below, above) = (("padding_below", self.padding_below), ("padding_above", self.padding_above));
        let mut spec = signed(self.pad_mode, below, above, shape)?;
        if let Some(interior) = self.padding_interior {
            add_interior(&mut spec.axes, "padding_interior", interior)?;
        }
        spec.fill = Some(value.clone());
        Ok(spec)
    }
}

impl Dialect for PadV1<'_> {
    fn spec(&self, shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        let (begin, end) = (("pads_begin", self.pads_begin), ("pads_end", self.pads_end));
        let mut spec = signed(self.pad_mode, begin, end, shape)?;
        if self.pad_mode == PadMode::Constant {
            spec.fill = self.arg_pad_value.clone();
        }
        Ok(spec)
    }
}

/// The rules of both versions that have modes.
fn signed(
    mode: PadMode,
    low: (&'static str, &[i64]),
    high: (&'static str, &[i64]),
    shape: &[usize],
) -> Result<PadSpec, DialectError> {
    let least = match mode {
        PadMode::Constant | PadMode::Symmetric => 0,
        PadMode::Edge => 1,
        PadMode::Reflect => 2,
        PadMode::Wrap => {
            let known = ["CONSTANT", "EDGE", "REFLECT", "SYMMETRIC"].into();
            return Err(DialectError::Word { name: "pad_mode", given: mode.name().into(), known });
        }
    };
    let pads = zip_pads(low, high, shape.len())?;
    for (axis, (&pad, &length)) in pads.iter().zip(shape).enumerate() {
        if extends(pad) {
            check_length(axis, length, least, mode)?;
        }
    }
    Ok(PadSpec::new(mode, pads).with_frame(Frame::Uncropped))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::error::PadError;

    const DATA: [i32; 6] = [1, 2, 3, 4, 5, 6];

    fn v0(mode: PadMode, low: i64, high: i64, d: usize) -> Result<Vec<i32>, DialectError> {
        PadV0::new(Fill::of(9), &[low], &[high]).pad_mode(mode).pad(&DATA[..d], &[d])
    }

    #[test]
    fn interior_follows_the_example_of_the_documents() {
        let op = PadV0Interior::new(Fill::of(42), &[1, 2], &[1, 0], &[1, 2]);
        assert_eq!(op.output_shape(&[3, 3], DType::I32).unwrap(), [7, 9]);
        assert_eq!(op.output_shape(&[0, 3], DType::I32).unwrap(), [2, 9]);
        let out = op.pad(&[1, 2, 3, 4, 5, 6, 7, 8, 9], &[3, 3]).unwrap();
        assert_eq!(out[9..18], [42, 42, 1, 42, 42, 2, 42, 42, 3]);
        // The signed operator gives an equal result.
        let signed = PadV0::new(Fill::of(42), &[1, 2], &[1, 0]).padding_interior(&[1, 2]);
        assert_eq!(signed.pad(&[1, 2, 3, 4, 5, 6, 7, 8, 9], &[3, 3]).unwrap(), out);
    }

    #[test]
    fn interior_is_unsigned_counted_and_valued() {
        let op = |low: &'static [i64], high: &'static [i64], interior: &'static [i64]| {
            PadV0Interior::new(Fill::of(0), low, high, interior).output_shape(&[3], DType::I32)
        };
        let negative = |name| Err(DialectError::NegativePad { name, axis: 0, value: -1 });
        let count = |name, got| Err(DialectError::Count { name, expected: 1, got });
        assert_eq!(op(&[-1], &[1], &[0]), negative("padding_below"));
        assert_eq!(op(&[1], &[-1], &[0]), negative("padding_above"));
        assert_eq!(op(&[1], &[1], &[-1]), negative("padding_interior"));
        assert_eq!(op(&[], &[1], &[0]), count("padding_below", 0));
        assert_eq!(op(&[1], &[1, 1], &[0]), count("padding_above", 2));
        assert_eq!(op(&[1], &[1], &[]), count("padding_interior", 0));
        let without = PadV0Interior { arg_pad_value: None, ..PadV0Interior::new(Fill::of(0), &[], &[], &[]) };
        let required = DialectError::ValueRequired { name: "arg_pad_value" };
        assert_eq!(without.spec(&[], DType::I32), Err(required));
        let other = PadV0Interior::new(Fill::of(0u8), &[0], &[0], &[0]).pad(&[1], &[1]);
        assert!(matches!(other, Err(DialectError::Pad(PadError::FillType { .. }))));
    }

    #[test]
    fn modes_count_in_the_uncropped_axis() {
        use PadMode::{Constant, Edge, Reflect, Symmetric};
        for (mode, low, high, d, expected) in [
            (Constant, -7, 3, 6, &[9, 9][..]),
            (Constant, 4, -7, 6, &[9, 9, 9]),
            (Edge, -7, 3, 6, &[6, 6]),
            (Reflect, -7, 3, 6, &[4, 3]),
            (Reflect, -2, 5, 6, &[3, 4, 5, 6, 5, 4, 3, 2, 1]),
            (Reflect, 4, 3, 3, &[1, 2, 3, 2, 1, 2, 3, 2, 1, 2]),
            (Symmetric, -2, 5, 6, &[3, 4, 5, 6, 6, 5, 4, 3, 2]),
            (Symmetric, 0, 1, 3, &[1, 2, 3, 3]),
            (Symmetric, 0, 4, 3, &[1, 2, 3, 3, 2, 1, 1]),
        ] {
            assert_eq!(v0(mode, low, high, d).unwrap(), expected, "{mode} {low} {high}");
        }
    }

    #[test]
    fn modes_need_elements_where_they_extend() {
        use PadMode::{Constant, Edge, Reflect, Symmetric, Wrap};
        let short = |length, min, mode: PadMode| {
            Err(DialectError::AxisTooShort { axis: 0, length, min, mode: mode.name() })
        };
        assert_eq!(v0(Edge, 0, 1, 0), short(0, 1, Edge));
        assert_eq!(v0(Edge, 0, 1, 1).unwrap(), [1, 1]);
        assert_eq!(v0(Reflect, 0, 1, 1), short(1, 2, Reflect));
        assert_eq!(v0(Reflect, 0, 1, 2).unwrap(), [1, 2, 1]);
        assert!(v0(Reflect, 0, -1, 1).unwrap().is_empty());
        assert_eq!(v0(Symmetric, 1, 1, 1).unwrap(), [1, 1, 1]);
        assert!(matches!(v0(Symmetric, 1, 1, 0), Err(DialectError::Pad(PadError::EmptyWindow { .. }))));
        assert_eq!(v0(Constant, 1, 1, 0).unwrap(), [9, 9]);
        assert!(matches!(v0(Constant, -4, -3, 6), Err(DialectError::Pad(PadError::NegativeOutput { .. }))));
        assert!(matches!(v0(Wrap, 0, 0, 6), Err(DialectError::Word { .. })));
    }

    #[test]
    fn v1_has_a_default_value_and_ignores_it_outside_constant() {
        let wrong = Fill::of(1u8);
        let op = |mode| PadV1::new(mode, &[1], &[0]);
        assert_eq!(op(PadMode::Constant).pad(&DATA, &[6]).unwrap()[0], 0);
        assert_eq!(op(PadMode::Constant).arg_pad_value(Fill::of(7)).pad(&DATA, &[6]).unwrap()[0], 7);
        assert_eq!(op(PadMode::Edge).arg_pad_value(wrong.clone()).pad(&DATA, &[6]).unwrap()[0], 1);
        let refused = op(PadMode::Constant).arg_pad_value(wrong.clone()).pad(&DATA, &[6]);
        assert!(matches!(refused, Err(DialectError::Pad(PadError::FillType { .. }))));
        // Version 0 checks the value in every mode.
        let refused = PadV0::new(wrong, &[1], &[0]).pad_mode(PadMode::Edge).pad(&DATA, &[6]);
        assert!(matches!(refused, Err(DialectError::Pad(PadError::FillType { .. }))));
        let count = DialectError::Count { name: "pads_begin", expected: 2, got: 1 };
        assert_eq!(op(PadMode::Edge).spec(&[2, 3], DType::I32), Err(count));
    }
}
