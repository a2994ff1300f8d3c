//! TensorFlow's operators Pad, PadV2 and MirrorPad, and the function `tf.pad` that calls them.
//!
//! This module follows `pad_op.cc`, `mirror_pad_op.cc` and `array_ops.py` of tensorflow 2.21, for the CPU. Element types are
//! bool, integers of 8 to 64 bits, floats of 16 bits and more, complex numbers and strings.

use crate::dialect::{
    Dialect, DialectError, check_count, check_differentiable, check_reach, unsigned, word, word_in_any_case,
};
use crate::dtype::DType;
use crate::spec::{Fill, PadMode, PadSpec};

const MODES: [(&str, PadMode); 3] =
    [("CONSTANT", PadMode::Constant), ("REFLECT", PadMode::Reflect), ("SYMMETRIC", PadMode::Symmetric)];

/// The maximum number of axes in constant mode.
const MAX_RANK: usize = 8;
/// The maximum number of axes in constant mode, after each run of neighbouring axes without pads became one axis.
const MAX_RANK_MERGED: usize = 6;
/// The maximum number of axes of MirrorPad.
const MAX_RANK_MIRROR: usize = 5;

/// Describes a call of `tf.pad`, which runs the operators Pad and PadV2 in mode `CONSTANT`, and MirrorPad in other modes.
///
/// The tensor may have up to 8 axes in mode `CONSTANT`, and up to 5 axes in other modes. Mode `CONSTANT` merges neighbouring
/// axes without pads into one axis. At most 6 axes may remain, unless the output is empty. A `REFLECT` border must be shorter
/// than the axis. A `SYMMETRIC` border must not be longer than the axis. These limits of borders hold for all axes, even if
/// their pads are 0.
///
/// TensorFlow has no gradient of `SYMMETRIC` for a tensor with an empty axis. The plan of [`adjoint`](Dialect::adjoint) writes
/// an empty gradient.
///
/// ```
/// use pad_kernels::dialect::{Dialect, tensorflow};
/// let call = tensorflow::Pad::new(&[[2, 3]]).mode("symmetric");
/// assert_eq!(call.pad(&[1, 2, 3], &[3])?, [2, 1, 1, 2, 3, 3, 2, 1]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// One pair per axis: the elements to add before and after it. They must not be negative. `tf.pad` keeps only the low 32
    /// bits of a numpy array of `int64`, but this module keeps all bits.
    pub paddings: &'a [[i64; 2]],
    /// `CONSTANT` (default), `REFLECT` or `SYMMETRIC`, in any case.
    pub mode: Option<&'a str>,
    /// The fill, in the type of the data. The default is zero or the empty string. Modes other than `CONSTANT` ignore it. All its bits are
    /// kept, although `tf.pad` changes -0.0 to 0.0.
    pub constant_values: Option<Fill>,
}

/// Describes the operator MirrorPad.
///
/// ```
/// use pad_kernels::dialect::{Dialect, tensorflow};
/// let node = tensorflow::MirrorPad::new("REFLECT", &[[1, 2]]);
/// assert_eq!(node.pad(&[1, 2, 3], &[3])?, [2, 1, 2, 3, 2, 1]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorPad<'a> {
    /// One pair per axis: the elements to add before and after it. They must not be negative.
    pub paddings: &'a [[i64; 2]],
    /// `REFLECT` or `SYMMETRIC`. It has no default.
    pub mode: &'a str,
}

impl<'a> Pad<'a> {
    /// Makes a call in mode `CONSTANT` with fill zero.
    pub fn new(paddings: &'a [[i64; 2]]) -> Self {
        Pad { paddings, mode: None, constant_values: None }
    }

    /// Sets `mode`.
    #[must_use]
    pub fn mode(self, mode: &'a str) -> Self {
        Pad { mode: Some(mode), ..self }
    }

    /// Sets `constant_values`, the fill.
    #[must_use]
    pub fn constant_values(self, value: Fill) -> Self {
        Pad { constant_values: Some(value), ..self }
    }
}

impl<'a> MirrorPad<'a> {
    /// Makes a node in mode `mode`.
    pub fn new(mode: &'a str, paddings: &'a [[i64; 2]]) -> Self {
        MirrorPad { paddings, mode }
    }
}

impl Dialect for Pad<'_> {
    fn words(&self) -> &'static [(&'static str, PadMode)] {
        &MODES
    }

    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        let mode = self.mode.map_or(Ok(PadMode::Constant), |mode| word_in_any_case("mode", mode, &MODES))?;
        let mut spec = spec(mode, self.paddings, shape, dtype)?;
        if mode == PadMode::Constant {
            spec.fill = self.constant_values.clone();
        }
        Ok(spec)
    }

    fn check_gradient(&self, dtype: DType, mode: PadMode) -> Result<(), DialectError> {
        check_differentiable("TensorFlow", dtype, mode, &PadMode::ALL)
    }
}

impl Dialect for MirrorPad<'_> {
    fn words(&self) -> &'static [(&'static str, PadMode)] {
        &MODES
    }

    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        spec(word("mode", self.mode, &MODES[1..])?, self.paddings, shape, dtype)
    }

    fn check_gradient(&self, dtype: DType, mode: PadMode) -> Result<(), DialectError> {
        check_differentiable("TensorFlow", dtype, mode, &PadMode::ALL)
    }
}

fn spec(
    mode: PadMode,
    paddings: &[[i64; 2]],
    shape: &[usize],
    dtype: DType,
) -> Result<PadSpec, DialectError> {
    if !takes(dtype) {
        return Err(DialectError::DType { system: "TensorFlow", dtype, mode: mode.name() });
    }
    let max = if mode == PadMode::Constant { MAX_RANK } else { MAX_RANK_MIRROR };
    if shape.len() > max {
        return Err(DialectError::Rank { rank: shape.len(), min: 0, max, mode: mode.name() });
    }
    check_count("paddings", paddings.len(), shape.len())?;
    for (axis, (&row, &length)) in paddings.iter().zip(shape).enumerate() {
        for side in row {
            unsigned("paddings", axis, side)?;
        }
        if mode != PadMode::Constant {
            check_reach(axis, length, row.into(), mode)?;
        }
    }
    let merged = paddings.windows(2).filter(|&rows| rows == [[0, 0]; 2]).count();
    // TensorFlow copies a tensor before it merges axes, if the output has as many elements.
    let empty = paddings.iter().zip(shape).any(|(&row, &length)| row == [0, 0] && length == 0);
    if shape.len() - merged > MAX_RANK_MERGED && !empty {
        return Err(DialectError::Rank {
            rank: shape.len(),
            min: 0,
            max: MAX_RANK_MERGED,
            mode: mode.name(),
        });
    }
    Ok(PadSpec::new(mode, paddings))
}

fn takes(dtype: DType) -> bool {
    use DType::*;
    match dtype {
        Bool | I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 => true,
        F16 | BF16 | F32 | F64 | C64 | C128 | String => true,
        F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0 | F4E2M1 | I4 | U4 | I2 | U2 => false,
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use super::*;
    use crate::error::PadError;
    use crate::spec::AxisPad;

    #[test]
    fn mirrors_reach_once_on_every_axis() {
        let long = |axis, length, low, high, max, mode: PadMode| {
            let (pad, mode) = (AxisPad::new(low, high), mode.name());
            Err(DialectError::PadTooLong { axis, length, pad, max, mode }.in_words_of(&MODES))
        };
        let shape = |mode, rows: &[[i64; 2]], shape: &[usize]| {
            MirrorPad::new(mode, rows).output_shape(shape, DType::I32)
        };
        use PadMode::{Reflect, Symmetric};
        assert_eq!(shape("REFLECT", &[[2, 1]], &[3]).unwrap(), [6]);
        assert_eq!(shape("REFLECT", &[[3, 0]], &[3]), long(0, 3, 3, 0, 2, Reflect));
        assert_eq!(shape("REFLECT", &[[0, 3]], &[3]), long(0, 3, 0, 3, 2, Reflect));
        assert_eq!(shape("REFLECT", &[[1, 1], [0, 0]], &[3, 0]), long(1, 0, 0, 0, -1, Reflect));
        assert_eq!(shape("REFLECT", &[[0, 1]], &[1]), long(0, 1, 0, 1, 0, Reflect));
        assert_eq!(shape("SYMMETRIC", &[[3, 3]], &[3]).unwrap(), [9]);
        assert_eq!(shape("SYMMETRIC", &[[4, 0]], &[3]), long(0, 3, 4, 0, 3, Symmetric));
        assert_eq!(shape("SYMMETRIC", &[[1, 1], [0, 0]], &[3, 0]).unwrap(), [5, 0]);
        assert_eq!(shape("SYMMETRIC", &[[0, 1]], &[0]), long(0, 0, 0, 1, 0, Symmetric));
    }

    #[test]
    fn ranks() {
        let rows = [[0, 0]; 9];
        let shape = [1; 9];
        for (mode, max) in [("CONSTANT", 8), ("REFLECT", 5), ("SYMMETRIC", 5)] {
            let spec = |rank| Pad::new(&rows[..rank]).mode(mode).spec(&shape[..rank], DType::F32);
            for rank in [0, max - 1, max] {
                assert!(spec(rank).is_ok(), "{mode} {rank}");
            }
            assert!(matches!(spec(max + 1), Err(DialectError::Rank { min: 0, .. })), "{mode}");
        }
        assert_eq!(Pad::new(&[]).pad(&[7], &[]).unwrap(), [7]);
        // Only 6 axes may remain after a merge of neighbours without pads. Copies have no such limit.
        let spec = |marks: &str, length| {
            let rows: Vec<_> = marks.bytes().map(|mark| [0, i64::from(mark == b'+')]).collect();
            let shape: Vec<_> = marks.bytes().map(|mark| if mark == b'0' { length } else { 1 }).collect();
            Pad::new(&rows).spec(&shape, DType::F32)
        };
        for marks in ["++++++", "+++++00", "00+++++", "+0+0+00", "++0000++", "00+0+00+"] {
            assert!(spec(marks, 1).is_ok(), "{marks}");
        }
        for marks in ["+++++++", "++++++0", "0+0+0+0", "++++++00", "+0+0+0+0", "++++++++"] {
            let rank = marks.len();
            let refused = DialectError::Rank { rank, min: 0, max: 6, mode: "CONSTANT" };
            assert_eq!(spec(marks, 1).map_err(|error| error.in_words_of(&MODES)), Err(refused), "{marks}");
            assert_eq!(spec(marks, 0).is_ok(), marks.contains('0'), "{marks}");
        }
    }

    #[test]
    fn refusals() {
        let pad = |rows: &[[i64; 2]]| Pad::new(rows).pad(&[1, 2, 3], &[3]);
        let negative = |value| Err(DialectError::NegativePad { name: "paddings", axis: 0, value });
        assert_eq!(pad(&[[-1, 0]]), negative(-1));
        assert_eq!(pad(&[[1, -2]]), negative(-2));
        assert_eq!(pad(&[]), Err(DialectError::Count { name: "paddings", expected: 1, got: 0 }));
        let edge = Pad::new(&[]).mode("edge").spec(&[], DType::F32);
        assert!(matches!(edge, Err(DialectError::Word { given, .. }) if given == "edge"));
        for mode in ["reflect", "CONSTANT"] {
            let refused = MirrorPad::new(mode, &[]).spec(&[], DType::F32);
            assert!(matches!(refused, Err(DialectError::Word { .. })));
        }
        let refused: Vec<_> =
            DType::ALL.iter().filter(|&&dtype| !takes(dtype)).map(|dtype| dtype.name()).collect();
        assert_eq!(refused.len(), 10, "{refused:?}");
        assert!(matches!(Pad::new(&[]).spec(&[], DType::U4), Err(DialectError::DType { .. })));
    }

    #[test]
    fn values_belong_to_constant_mode() {
        let call = Pad::new(&[[1, 0]]).constant_values(Fill::of(-0.0f32));
        assert!(call.pad(&[1.0f32], &[1]).unwrap()[0].is_sign_negative());
        let other = Pad::new(&[[1, 0]]).constant_values(Fill::of(1u8));
        assert!(matches!(other.pad(&[1, 2], &[2]), Err(DialectError::Pad(PadError::FillType { .. }))));
        assert_eq!(other.mode("Reflect").pad(&[1, 2], &[2]).unwrap(), [2, 1, 2]);
        let words = ["a".to_string(), "b".to_string()];
        let text = Pad::new(&[[1, 1]]);
        assert_eq!(text.pad_cloned(&words, &[2], &text.text_fill().to_string()).unwrap(), ["", "a", "b", ""]);
        assert_eq!(
            text.mode("REFLECT").pad_cloned(&words, &[2], &String::new()).unwrap(),
            ["b", "a", "b", "a"]
        );
    }
}
