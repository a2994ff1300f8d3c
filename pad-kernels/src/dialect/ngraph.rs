//! nGraph's Pad in its three generations: v0 with interior padding, v0 with modes, and v1.
//!
//! This module follows the documents of the operator, and `op/pad.cpp` and `reference/pad.hpp` of NervanaSystems/ngraph. It accepts every
//! [`DType`]. Negative pads crop, but borders can still contain the cropped elements ([`Frame::Uncropped`]).
//!
//! If the documents and the code disagree, the module follows these rules:
//!
//! - In mode SYMMETRIC, the module follows the documents. Before the data, the code gives the same border. After the data, it
//!   does so only if `padding_above` is one less than the length.
//! - EDGE needs one element and REFLECT needs two, on every axis from axis 2 on, even if it is not padded. The code checks this. Axes 0 and
//!   1 need the elements only if they are extended. The code does not check these axes, and reads outside the data or does not end.
//! - Reflected borders may have any length, as in the documents and in the code.
//! - The output length is `below + (d - 1) * (interior + 1) + 1 + above`, or `below + above` if `d` is 0. The text and the example of the
//!   documents say so, but their formula differs.

use crate::dialect::{Dialect, DialectError, add_interior, check_length, check_unsigned, extends, zip_pads};
use crate::dtype::DType;
use crate::spec::{Fill, Frame, PadMode, PadSpec};

const MODES: [(&str, PadMode); 4] = [
    ("CONSTANT", PadMode::Constant),
    ("EDGE", PadMode::Edge),
    ("REFLECT", PadMode::Reflect),
    ("SYMMETRIC", PadMode::Symmetric),
];

/// Describes `op::Pad` of nGraph 0.7 to 0.15, which has constant borders and interior padding. No number may be negative.
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
    /// The fill, in the type of the data. It is required. Calls for text ignore it, because `pad_cloned` has its own argument.
    pub arg_pad_value: Option<Fill>,
    /// The elements to add before the first one of each axis. They must not be negative.
    pub padding_below: &'a [i64],
    /// The elements to add after the last one of each axis. They must not be negative.
    pub padding_above: &'a [i64],
    /// The elements to insert between each two neighbours of each axis. They must not be negative.
    pub padding_interior: &'a [i64],
}

/// Describes `op::v0::Pad` of nGraph 0.18 and later, with modes and negative pads.
///
/// Its documents describe interior padding, but the released class has no argument for it. This type has the argument. Interior padding is
/// inserted first, so borders contain it, too.
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
    /// The fill, in the type of the data. It is required in all modes. Calls for text ignore it, because `pad_cloned` has its own argument.
    pub arg_pad_value: Option<Fill>,
    /// The elements to add before the first one of each axis. Negative numbers crop.
    pub padding_below: &'a [i64],
    /// The elements to add after the last one of each axis. Negative numbers crop.
    pub padding_above: &'a [i64],
    /// The elements to insert between each two neighbours of each axis. They must not be negative. The default is 0.
    pub padding_interior: Option<&'a [i64]>,
    /// CONSTANT (default), EDGE, REFLECT or SYMMETRIC.
    pub pad_mode: PadMode,
}

/// Describes `op::v1::Pad` of nGraph 0.26 and later, which has modes and negative pads.
///
/// Both lists must have one entry per axis. A negative output length is an error. The code of nGraph does not check these rules.
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
    /// The elements to add before the first one of each axis. Negative numbers crop.
    pub pads_begin: &'a [i64],
    /// The elements to add after the last one of each axis. Negative numbers crop.
    pub pads_end: &'a [i64],
    /// The fill, in the type of the data. The default is zero. Modes other than CONSTANT ignore it.
    pub arg_pad_value: Option<Fill>,
    /// CONSTANT, EDGE, REFLECT or SYMMETRIC. It has no default.
    pub pad_mode: PadMode,
}

impl<'a> PadV0Interior<'a> {
    /// Makes a call with the fill `value`.
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
    /// Makes a call in mode CONSTANT with the fill `value`.
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
    /// Makes a call in mode `mode` with fill zero.
    pub fn new(mode: PadMode, pads_begin: &'a [i64], pads_end: &'a [i64]) -> Self {
        PadV1 { pads_begin, pads_end, arg_pad_value: None, pad_mode: mode }
    }

    /// Sets `arg_pad_value`, the fill.
    #[must_use]
    pub fn arg_pad_value(self, value: Fill) -> Self {
        PadV1 { arg_pad_value: Some(value), ..self }
    }
}

impl Dialect for PadV0Interior<'_> {
    fn words(&self) -> &'static [(&'static str, PadMode)] {
        &MODES
    }

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
    fn words(&self) -> &'static [(&'static str, PadMode)] {
        &MODES
    }

    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        if self.arg_pad_value.is_none() && dtype != DType::String {
            return Err(DialectError::ValueRequired { name: "arg_pad_value" });
        }
        let (below, above) = (("padding_below", self.padding_below), ("padding_above", self.padding_above));
        let mut spec = signed(self.pad_mode, below, above, shape)?;
        if let Some(interior) = self.padding_interior {
            add_interior(&mut spec.axes, "padding_interior", interior)?;
        }
        spec.fill = self.arg_pad_value.clone().filter(|_| dtype != DType::String);
        Ok(spec)
    }
}

impl Dialect for PadV1<'_> {
    fn words(&self) -> &'static [(&'static str, PadMode)] {
        &MODES
    }

    fn spec(&self, shape: &[usize], _dtype: DType) -> Result<PadSpec, DialectError> {
        let (begin, end) = (("pads_begin", self.pads_begin), ("pads_end", self.pads_end));
        let mut spec = signed(self.pad_mode, begin, end, shape)?;
        if self.pad_mode == PadMode::Constant {
            spec.fill = self.arg_pad_value.clone();
        }
        Ok(spec)
    }
}

/// Applies the rules of both versions that have modes.
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
            let known = MODES.map(|(word, _)| word).into();
            return Err(DialectError::Word { name: "pad_mode", given: mode.name().into(), known });
        }
    };
    let pads = zip_pads(low, high, shape.len())?;
    for (axis, (&pad, &length)) in pads.iter().zip(shape).enumerate() {
        if axis > 1 || extends(pad) {
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
        // The operator with modes gives an equal result.
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
        let short = |length, min, mode| Err(DialectError::AxisTooShort { axis: 0, length, min, mode });
        assert_eq!(v0(Edge, 0, 1, 0), short(0, 1, "EDGE"));
        assert_eq!(v0(Edge, 0, 1, 1).unwrap(), [1, 1]);
        assert_eq!(v0(Reflect, 0, 1, 1), short(1, 2, "REFLECT"));
        assert_eq!(v0(Reflect, 0, 1, 2).unwrap(), [1, 2, 1]);
        assert!(v0(Reflect, 0, -1, 1).unwrap().is_empty());
        assert_eq!(v0(Symmetric, 1, 1, 1).unwrap(), [1, 1, 1]);
        assert_eq!(v0(Symmetric, 1, 1, 0), short(0, 1, "SYMMETRIC"));
        assert_eq!(v0(Constant, 1, 1, 0).unwrap(), [9, 9]);
        assert!(matches!(v0(Constant, -4, -3, 6), Err(DialectError::Pad(PadError::NegativeOutput { .. }))));
        assert!(matches!(v0(Wrap, 0, 0, 6), Err(DialectError::Word { .. })));
    }

    #[test]
    fn axes_from_2_on_need_elements_even_without_pads() {
        for (mode, min) in [(PadMode::Edge, 1), (PadMode::Reflect, 2)] {
            for (axis, pads) in [(2, [0, 0, 0, 1]), (3, [0, 0, 0, -1])] {
                let mut shape = [min - 1, min - 1, 5, 5];
                let v0 = PadV0::new(Fill::of(0), &pads, &[0; 4]).pad_mode(mode);
                assert!(v0.spec(&shape, DType::I32).is_ok());
                shape[axis] = min - 1;
                let refused = DialectError::AxisTooShort { axis, length: min - 1, min, mode: mode.name() };
                assert_eq!(v0.spec(&shape, DType::I32), Err(refused.clone()));
                assert_eq!(PadV1::new(mode, &pads, &[0; 4]).spec(&shape, DType::I32), Err(refused));
            }
        }
    }

    #[test]
    fn text_has_its_fill_from_the_call() {
        let v0 = PadV0::new(Fill::of(0u8), &[1], &[1]);
        assert_eq!(v0.pad_cloned(&["a"], &[1], &"b").unwrap(), ["b", "a", "b"]);
        let v0 = PadV0 { arg_pad_value: None, ..v0 };
        assert_eq!(v0.pad_cloned(&["a"], &[1], &"").unwrap(), ["", "a", ""]);
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
