//! ONNX's Pad, opsets 1 to 28, by the rules of the specification, of onnxruntime, or of the next reference evaluator.
//!
//! This module follows the operator schemas and the reference evaluator of onnx 1.23, and the CPU kernels of onnxruntime 1.31. It also
//! follows the reference evaluator of onnx 1.24, which was in development in October 2026 and can crop.

use alloc::vec;
use alloc::vec::Vec;

use crate::dialect::convert::fill_of_f32;
use crate::dialect::{
    Dialect, DialectError, check_differentiable, check_length, check_listed, check_reach, cropped, extends,
    resolve, unsigned, word,
};
use crate::dtype::DType;
use crate::spec::{AxisPad, Fill, Frame, PadMode, PadSpec};

/// The opsets in which Pad changed.
const VERSIONS: [u32; 10] = [1, 2, 11, 13, 18, 19, 21, 23, 24, 25];
/// The newest opset. Its Pad is that of opset 25.
const NEWEST_OPSET: u32 = 28;

/// The modes. In the specification, the last one exists from opset 19 on.
const MODES: [(&str, PadMode); 4] = [
    ("constant", PadMode::Constant),
    ("reflect", PadMode::Reflect),
    ("edge", PadMode::Edge),
    ("wrap", PadMode::Wrap),
];

/// Names the document or program whose rules apply. [`Pad`] lists the differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// The specification of the operator. If it does not decide, the reference evaluator, which uses numpy, decides.
    #[default]
    Spec,
    /// The CPU kernels of onnxruntime 1.31.
    OnnxRuntime,
    /// The reference evaluator of onnx 1.24, in development (1.24.0.dev20261026).
    ///
    /// It follows the specification, with five exceptions. In mode `reflect`, a border must be shorter than the axis after the
    /// crop. Only mode `constant` accepts crops longer than the axis. Opset 1 accepts negative pads. Every opset accepts
    /// `wrap`. Rank 0 is an error.
    ///
    /// This module refuses some calls that the evaluator computes: other modes of numpy, such as `symmetric`; axes below
    /// `-rank`; a `constant_value` with one or two axes; `pads` of shape `[0, 1]`. The evaluator fills text with "0" by
    /// default, and float8e8m0 with NaN. In this module, the defaults of the specification hold.
    Evaluator,
}

impl Flavour {
    /// Returns the first version that accepts elements of `dtype`, as a number and in words, or `None`.
    fn takes_since(self, dtype: DType) -> Option<(u32, &'static str)> {
        use DType::*;
        let listed = if self == Flavour::Evaluator { Flavour::Spec } else { self };
        Some(match (listed, dtype) {
            (Flavour::Spec, F16 | F32 | F64) => (1, "from opset 1"),
            (Flavour::Spec, I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64) => (11, "from opset 11"),
            (Flavour::Spec, BF16 | Bool | String | C64 | C128) => (13, "from opset 13"),
            (Flavour::Spec, F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ | I4 | U4) => (21, "from opset 21"),
            (Flavour::Spec, F4E2M1) => (23, "from opset 23"),
            (Flavour::Spec, F8E8M0) => (24, "from opset 24"),
            (Flavour::Spec, I2 | U2) => (25, "from opset 25"),
            (Flavour::OnnxRuntime, F32 | F64) => (2, "from opset 2"),
            (Flavour::OnnxRuntime, F16 | I8 | I32 | I64 | U8 | U32 | U64) => (11, "from opset 11"),
            (Flavour::OnnxRuntime, Bool) => (13, "from opset 13"),
            (Flavour::OnnxRuntime | Flavour::Evaluator, _) => return None,
        })
    }
}

/// A Pad node.
///
/// Negative pads crop the axis before borders are made ([`Frame::Cropped`]). The specification does not define this order, but onnxruntime
/// and the reference evaluator of the next release crop first. In opset 1, negative pads are an error.
///
/// This table shows where the specification leaves something open, or where the first two flavours differ:
///
/// | | [`Flavour::Spec`] | [`Flavour::OnnxRuntime`] |
/// |---|---|---|
/// | opsets | 1 to 28 | 2 to 26 |
/// | `wrap` | from opset 19 | always |
/// | `reflect` | borders of any length; a single element is repeated | borders shorter than the axis that remains, which must have at least 2 elements |
/// | an axis is cropped to nothing | only `constant` can extend it | an error in other modes, even if nothing is added |
/// | an axis has no elements | only `constant` can extend it | the same, but `wrap` is an error |
/// | rank 0 | copied | an error |
/// | `pads` | of shape `[2n]` | of shape `[2n]`; or of shape `[1, 2n]`, if `pads` is no initializer |
/// | `constant_value` | of rank 0 | of any shape with one element |
/// | an axis listed twice | an error, unless [`last_axis_wins`](Pad::last_axis_wins) is set | an error, unless [`last_axis_wins`](Pad::last_axis_wins) is set |
/// | types, by opset | 1: floats from 16 to 64 bits; 11: integers from 8 bits; 13: bfloat16, bool, text, complex; 21: the 8-bit floats and 4-bit integers; 23: float4e2m1; 24: float8e8m0; 25: 2-bit integers | 2: float and double; 11: float16 and integers of 8, 32 and 64 bits; 13: bool |
///
/// In two rules, this module differs from onnxruntime. If the data has no elements, onnxruntime lets a call crop an axis to
/// nothing and then extend it. In this module, `reflect` and `edge` need an element on every axis that they extend. In opsets 6 to
/// 10, sessions of onnxruntime pad float16, because they insert casts to `float`. This module lists only types that Pad itself accepts.
///
/// ```
/// use pad_kernels::Fill;
/// use pad_kernels::dialect::{Dialect, onnx};
/// let node = onnx::Pad::new(18, &[2, 1]).axes(&[-1]).constant_value(Fill::of(9.0f32));
/// assert_eq!(node.pad(&[1.0f32, 1.2, 2.3, 3.4], &[2, 2])?, [9.0, 9.0, 1.0, 1.2, 9.0, 9.0, 9.0, 2.3, 3.4, 9.0]);
/// let node = onnx::Pad::new(13, &[2, 0]).mode("reflect");
/// assert_eq!(node.pad(&[1.0f32, 1.2], &[2])?, [1.0, 1.2, 1.0, 1.2]);
/// assert!(node.flavour(onnx::Flavour::OnnxRuntime).pad(&[1.0f32, 1.2], &[2]).is_err());
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// The opset of the model, 1 to 28. The rules are those of the newest version of Pad up to this opset.
    pub opset: u32,
    /// The flavour, which decides the rules. The default is the specification.
    pub flavour: Flavour,
    /// `constant` (default), `reflect`, `edge`, or `wrap`, which the specification has from opset 19 on.
    pub mode: Option<&'a str>,
    /// The elements to add before each listed axis, and then the elements to add after each one. Negative numbers crop. In opset 1 this is
    /// the attribute `paddings`, in opsets 2 to 10 the attribute `pads`, and from opset 11 on the input `pads`.
    pub pads: &'a [i64],
    /// The shape of the input `pads`. By default it has one axis.
    pub pads_shape: Option<&'a [usize]>,
    /// The fill of opsets 1 to 10, which is the attribute `value`. The default is 0. It is a `float`, which is converted to the type of the
    /// data. A `float16` is rounded to the nearest even number. Modes other than `constant` ignore it.
    pub value: Option<f32>,
    /// The fill from opset 11 on, which is the input `constant_value`. It has the type of the data. The default is zero, false or the empty
    /// string. The type float8e8m0 has no default. Modes other than `constant` check only the type.
    pub constant_value: Option<Fill>,
    /// The shape of the input `constant_value`. By default it is a scalar.
    pub constant_value_shape: Option<&'a [usize]>,
    /// The input `axes` from opset 18 on. Negative axes count from the last one. By default, `pads` is for all axes in order.
    pub axes: Option<&'a [i64]>,
    /// True if an axis may be listed twice. Then its last entry counts, as in onnxruntime and in the reference evaluator. By default, a
    /// repeated axis is an error, as in ONNX's shape inference.
    pub last_axis_wins: bool,
}

impl<'a> Pad<'a> {
    /// Makes a node in mode `constant` for all axes, with the default fill and the rules of the specification.
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

    /// Sets the flavour, which decides the rules.
    #[must_use]
    pub fn flavour(self, flavour: Flavour) -> Self {
        Pad { flavour, ..self }
    }

    /// Sets `mode`.
    #[must_use]
    pub fn mode(self, mode: &'a str) -> Self {
        Pad { mode: Some(mode), ..self }
    }

    /// Sets the shape of the tensor `pads`.
    #[must_use]
    pub fn pads_shape(self, shape: &'a [usize]) -> Self {
        Pad { pads_shape: Some(shape), ..self }
    }

    /// Sets the attribute `value` of opsets 1 to 10.
    #[must_use]
    pub fn value(self, value: f32) -> Self {
        Pad { value: Some(value), ..self }
    }

    /// Sets the input `constant_value` of opset 11 and later.
    #[must_use]
    pub fn constant_value(self, value: Fill) -> Self {
        Pad { constant_value: Some(value), ..self }
    }

    /// Sets the shape of the tensor `constant_value`.
    #[must_use]
    pub fn constant_value_shape(self, shape: &'a [usize]) -> Self {
        Pad { constant_value_shape: Some(shape), ..self }
    }

    /// Sets the input `axes` of opset 18 and later.
    #[must_use]
    pub fn axes(self, axes: &'a [i64]) -> Self {
        Pad { axes: Some(axes), ..self }
    }

    /// Sets whether an axis may be listed twice. If it may, its last entry counts.
    #[must_use]
    pub fn last_axis_wins(self, wins: bool) -> Self {
        Pad { last_axis_wins: wins, ..self }
    }

    /// Returns the version of the operator in this opset: 1, 2, 11, 13, 18, 19, 21, 23, 24 or 25. Returns `None` if there is no such opset.
    pub fn since_version(&self) -> Option<u32> {
        let versions = VERSIONS.iter().rev().find(|&&version| version <= self.opset);
        versions.copied().filter(|_| self.opset <= NEWEST_OPSET)
    }

    /// Returns the error for an attribute, input or mode that only other versions have.
    fn not_in_version(&self, name: &'static str, known: &'static str, instead: &'static str) -> DialectError {
        DialectError::NotInVersion { system: "ONNX Pad", name, version: self.opset, known, instead }
    }

    /// Returns an error if the call has an argument that this version lacks.
    fn check_version(&self, version: u32) -> Result<(), DialectError> {
        let refuse = |given: bool, name, known, instead| match given {
            true => Err(self.not_in_version(name, known, instead)),
            false => Ok(()),
        };
        let (attributes, input) = (version < 11, "give the attribute value");
        let constant = self.constant_value.is_some() || self.constant_value_shape.is_some();
        refuse(
            !attributes && self.value.is_some(),
            "attribute value",
            "up to opset 10",
            "give constant_value",
        )?;
        refuse(attributes && constant, "input constant_value", "from opset 11", input)?;
        refuse(
            attributes && self.pads_shape.is_some(),
            "input pads",
            "from opset 11",
            if version == 1 { "give the attribute paddings" } else { "give the attribute pads" },
        )?;
        let all = if version == 1 { "give paddings for all axes" } else { "give pads for all axes" };
        refuse(version < 18 && self.axes.is_some(), "input axes", "from opset 18", all)
    }

    /// Checks the shapes of the inputs. onnxruntime allows more shapes.
    fn check_shapes(&self) -> Result<(), DialectError> {
        let lenient = self.flavour == Flavour::OnnxRuntime;
        if let Some(shape) = self.pads_shape {
            let columns = match shape {
                [columns] => Some(columns),
                [1, columns] if lenient => Some(columns),
                _ => None,
            };
            if columns != Some(&self.pads.len()) {
                let expected = if lenient { "[2 * axes] or [1, 2 * axes]" } else { "[2 * axes]" };
                return Err(DialectError::Shape { name: "pads", shape: shape.into(), expected });
            }
        }
        let scalar = |shape: &[usize]| shape.is_empty() || lenient && shape.iter().all(|&length| length == 1);
        if let Some(shape) = self.constant_value_shape.filter(|shape| !scalar(shape)) {
            let expected = if lenient { "one element" } else { "rank 0" };
            return Err(DialectError::Shape { name: "constant_value", shape: shape.into(), expected });
        }
        Ok(())
    }

    /// Returns the pads of every axis.
    fn per_axis(&self, rank: usize) -> Result<Vec<AxisPad>, DialectError> {
        let name = if self.opset == 1 { "paddings" } else { "pads" };
        let count = self.axes.map_or(rank, <[i64]>::len);
        check_listed(name, self.pads.len(), count.saturating_mul(2), self.axes)?;
        let (begins, ends) = self.pads.split_at(count);
        let listed = begins.iter().zip(ends).map(|(&begin, &end)| AxisPad::new(begin, end));
        let Some(axes) = self.axes else {
            return Ok(listed.collect());
        };
        let mut pads: Vec<Option<AxisPad>> = vec![None; rank];
        for (position, (&axis, pad)) in axes.iter().zip(listed).enumerate() {
            let axis = resolve(axis, rank)?;
            if pads[axis].replace(pad).is_some() && !self.last_axis_wins {
                return Err(DialectError::RepeatedAxis { axis, position });
            }
        }
        Ok(pads.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// Checks the rules of the reference evaluator.
    fn check_evaluator(mode: PadMode, pads: &[AxisPad], shape: &[usize]) -> Result<(), DialectError> {
        for (axis, (&pad, &length)) in pads.iter().zip(shape).enumerate() {
            let removed = -i128::from(pad.low.min(0)) - i128::from(pad.high.min(0));
            if mode != PadMode::Constant && removed > length as i128 {
                return Err(DialectError::OverCrop { axis, length, pad });
            }
            if mode == PadMode::Reflect {
                let added = AxisPad::new(pad.low.max(0), pad.high.max(0));
                check_reach(axis, cropped(length, pad), added, mode)?;
            }
        }
        Ok(())
    }

    /// Checks the rules of onnxruntime.
    fn check_onnxruntime(
        &self,
        mode: PadMode,
        pads: &[AxisPad],
        shape: &[usize],
    ) -> Result<(), DialectError> {
        let empty = shape.contains(&0);
        for (axis, (&pad, &length)) in pads.iter().zip(shape).enumerate() {
            match mode {
                PadMode::Constant => {}
                PadMode::Wrap if empty => check_length(axis, length, 1, mode)?,
                _ if empty => {}
                _ => {
                    let left = cropped(length, pad);
                    check_length(axis, left, 1, mode)?;
                    if mode == PadMode::Reflect && extends(pad) {
                        check_length(axis, left, 2, mode)?;
                        check_reach(axis, left, pad, mode)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Dialect for Pad<'_> {
    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        let (system, known) = match self.flavour {
            Flavour::Spec => ("ONNX", "opset 1 to 28"),
            Flavour::OnnxRuntime => ("onnxruntime", "opset 2 to 26"),
            Flavour::Evaluator => ("ONNX's evaluator", "opset 1 to 28"),
        };
        let version = self
            .since_version()
            .filter(|_| self.flavour != Flavour::OnnxRuntime || (2..=26).contains(&self.opset))
            .ok_or(DialectError::Version { system, version: self.opset, known })?;
        self.check_version(version)?;
        let wrap = version >= 19 || self.flavour != Flavour::Spec;
        let mode = word("mode", self.mode.unwrap_or("constant"), &MODES)?;
        if mode == PadMode::Wrap && !wrap {
            return Err(self.not_in_version("mode wrap", "from opset 19", "use constant, reflect or edge"));
        }
        let refused = DialectError::DType { system, dtype, mode: mode.name() };
        let (since, known) = self.flavour.takes_since(dtype).ok_or(refused)?;
        if version < since {
            let (name, version, instead) = (dtype.name(), self.opset, "convert the data");
            return Err(DialectError::NotInVersion { system, name, version, known, instead });
        }
        self.check_shapes()?;
        let pads = self.per_axis(shape.len())?;
        if version == 1 && self.flavour == Flavour::Spec {
            for (axis, pad) in pads.iter().enumerate() {
                unsigned("paddings", axis, pad.low)?;
                unsigned("paddings", axis, pad.high)?;
            }
        }
        if shape.is_empty() && self.flavour != Flavour::Spec {
            return Err(DialectError::Rank { rank: 0, min: 1, max: usize::MAX, mode: mode.name() });
        }
        match self.flavour {
            Flavour::Spec => {}
            Flavour::OnnxRuntime => self.check_onnxruntime(mode, &pads, shape)?,
            Flavour::Evaluator => Self::check_evaluator(mode, &pads, shape)?,
        }
        let mut spec = PadSpec::new(mode, pads).with_frame(Frame::Cropped);
        spec.fill = match self.value {
            Some(value) => fill_of_f32(value, dtype),
            None => self.constant_value.clone(),
        };
        Ok(spec)
    }

    fn check_gradient(&self, dtype: DType, mode: PadMode) -> Result<(), DialectError> {
        if self.flavour != Flavour::OnnxRuntime {
            return Err(DialectError::NoGradient { system: "ONNX", dtype, mode: mode.name() });
        }
        // The training of onnxruntime has a gradient only for mode constant.
        check_differentiable("onnxruntime", dtype, mode, &[PadMode::Constant])
    }
}

#[cfg(test)]
mod tests;
