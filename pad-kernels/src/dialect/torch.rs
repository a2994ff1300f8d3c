//! PyTorch's `torch.nn.functional.pad`.
//!
//! This module follows `PadNd.cpp`, `ReflectionPad.cpp`, `ReplicationPadding.cpp` and `Padding.h` of PyTorch 2.15, for the CPU.
//! In modes `constant` and `circular`, negative pads crop before borders are made ([`Frame::Cropped`]). In modes `reflect` and
//! `replicate`, borders can contain the cropped elements ([`Frame::Uncropped`]).

use alloc::vec;

use crate::dialect::convert::fill_of_f64;
use crate::dialect::{
    Dialect, DialectError, check_differentiable, check_length, check_reach, cropped, extends, padded, word,
};
use crate::dtype::DType;
use crate::spec::{AxisPad, Fill, Frame, PadMode, PadSpec};

const MODES: [(&str, PadMode); 4] = [
    ("constant", PadMode::Constant),
    ("reflect", PadMode::Reflect),
    ("replicate", PadMode::Edge),
    ("circular", PadMode::Wrap),
];

/// The maximum number of trailing axes that modes other than constant can pad.
const MAX_AXES: usize = 3;

/// Describes a call of `torch.nn.functional.pad`.
///
/// | mode | axes | limits |
/// |---|---|---|
/// | `constant` | any | a crop must not be longer than the axis |
/// | `reflect` | the last 1 to 3, of a tensor with one or two more axes | a border must be shorter than the axis |
/// | `replicate` | the last 1 to 3, of a tensor with one or two more axes | none |
/// | `circular` | the last 1 to 3, of a tensor with one or two more axes | a border must not be longer than the axis, or than what a crop leaves of it |
///
/// In modes `reflect` and `replicate`, an axis of length 0 is an error. The only exception is the first axis of a tensor with two
/// axes more than are padded. In the output, every padded axis must have at least one element.
///
/// In mode `circular`, a crop can leave fewer elements than a border needs. PyTorch then fails or returns uninitialised memory.
/// In this module, it is an error. If the output is empty, it is an error only if the crop leaves no element of an axis that has
/// elements in the output. A crop at the end that is longer than the axis is an error, too, except for some empty outputs.
///
/// Every [`DType`] is accepted except strings, `F4E2M1` and integers of 2 and 4 bits. In modes `reflect` and `replicate`, bool,
/// `U16`, `U32`, `U64` and 8-bit floats are errors, too.
///
/// ```
/// use pad_kernels::dialect::{Dialect, torch};
/// let call = torch::Pad::new(&[1, 1, 2, 0]).value(9.0);
/// assert_eq!(call.pad(&[1, 2], &[1, 2])?, [9, 9, 9, 9, 9, 9, 9, 9, 9, 1, 2, 9]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pad<'a> {
    /// Pairs of elements to add before and after an axis, the last axis first. Negative numbers crop. Axes without a pair are
    /// not padded.
    pub pad: &'a [i64],
    /// `constant` (default), `reflect`, `replicate` or `circular`.
    pub mode: Option<&'a str>,
    /// The fill. The default is 0, except for `F8E8M0`, which has no default. If no pad is positive, neither the default nor the
    /// range of a number matters. In modes other than `constant`, only 0 is allowed.
    pub value: Option<Value>,
}

/// A fill, as a number or as an element of the data.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, which is converted to the type of the data as in PyTorch. For integers, it loses the fraction. A bool is true if the
    /// number is not 0. For narrow floats, the number is rounded to `f32` first. A NaN loses its payload. A number outside the range of the
    /// type is an error.
    Number(f64),
    /// An element of the type of the data. Use it for values that an `f64` cannot represent, such as large integers, complex
    /// numbers and NaN payloads.
    Element(Fill),
}

impl Value {
    /// Tells whether the value is 0, which all modes accept.
    fn is_zero(&self) -> bool {
        match self {
            Value::Number(number) => *number == 0.0,
            Value::Element(element) => {
                let (dtype, negative) = (element.tag.dtype(), Fill::of(-0.0));
                let negative = dtype.and_then(|dtype| negative.converted(dtype)).unwrap_or(negative);
                let positive = dtype != Some(DType::F8E8M0) && element.bytes.iter().all(|&byte| byte == 0);
                positive || *element == negative
            }
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

impl From<Fill> for Value {
    fn from(element: Fill) -> Self {
        Value::Element(element)
    }
}

impl<'a> Pad<'a> {
    /// Makes a call in mode `constant` with fill 0.
    pub fn new(pad: &'a [i64]) -> Self {
        Pad { pad, mode: None, value: None }
    }

    /// Sets `mode`.
    #[must_use]
    pub fn mode(self, mode: &'a str) -> Self {
        Pad { mode: Some(mode), ..self }
    }

    /// Sets `value`, the fill.
    #[must_use]
    pub fn value(self, value: impl Into<Value>) -> Self {
        Pad { value: Some(value.into()), ..self }
    }
}

impl Dialect for Pad<'_> {
    fn words(&self) -> &'static [(&'static str, PadMode)] {
        &MODES
    }

    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        let mode = word("mode", self.mode.unwrap_or("constant"), &MODES)?;
        if !takes(dtype, mode) {
            return Err(DialectError::DType { system: "PyTorch", dtype, mode: mode.name() });
        }
        let (rank, got, count) = (shape.len(), self.pad.len(), self.pad.len() / 2);
        let (min, max) = match mode {
            PadMode::Constant => (0, 2 * rank),
            _ if rank == 0 => {
                return Err(DialectError::Rank { rank, min: 2, max: MAX_AXES + 2, mode: mode.name() });
            }
            _ => (2, 2 * MAX_AXES.min(rank)),
        };
        if !got.is_multiple_of(2) || got < min || got > max {
            return Err(DialectError::Pairs { name: "pad", order: "the last axis first", got, min, max });
        }
        let mut pads = vec![AxisPad::default(); rank];
        for (i, pair) in self.pad.chunks_exact(2).enumerate() {
            pads[rank - 1 - i] = AxisPad::new(pair[0], pair[1]);
        }

        let frame = match mode {
            PadMode::Constant => {
                for (axis, (&pad, &length)) in pads.iter().zip(shape).enumerate() {
                    check_crop(axis, length, pad)?;
                }
                Frame::Cropped
            }
            _ if rank != count + 1 && rank != count + 2 => {
                return Err(DialectError::Rank { rank, min: count + 1, max: count + 2, mode: mode.name() });
            }
            PadMode::Wrap => {
                // If the output is empty, PyTorch does not compare the border with the cropped length.
                let written = pads.iter().zip(shape).all(|(&pad, &length)| padded(length, pad) > 0);
                for (axis, (&pad, &length)) in pads.iter().zip(shape).enumerate() {
                    check_reach(axis, length, pad, mode)?;
                    if written {
                        check_reach(axis, cropped(length, pad), pad, mode)?;
                    }
                    // PyTorch slices up to this negative position, which counts from the end. Two or more elements are too many.
                    let (length, high) = (length as i128, i128::from(pad.high));
                    if (2 - 2 * length..-length).contains(&high) {
                        return Err(DialectError::OverCrop { axis, length: shape[axis], pad });
                    }
                }
                Frame::Cropped
            }
            _ => {
                let batch = rank - count - 1;
                for (axis, &length) in shape.iter().enumerate().skip(batch) {
                    check_length(axis, length, 1, mode)?;
                }
                for axis in rank - count..rank {
                    let (length, pad) = (shape[axis], pads[axis]);
                    if mode == PadMode::Reflect {
                        check_reach(axis, length, pad, mode)?;
                    }
                    if padded(length, pad) < 1 {
                        return Err(DialectError::EmptyOutput { axis, length, pad, mode: mode.name() });
                    }
                }
                Frame::Uncropped
            }
        };

        // PyTorch converts the value only if it adds elements. A plan asks for a fill in any case, if the type has no zero.
        let unread = (dtype == DType::F8E8M0).then(|| Fill::from_bytes(dtype, &[0]));
        let adds = pads.iter().copied().any(extends);
        let mut spec = PadSpec::new(mode, pads).with_frame(frame);
        spec.fill = match &self.value {
            None | Some(Value::Number(_)) if mode == PadMode::Constant && !adds => unread,
            None => None,
            Some(value) if mode != PadMode::Constant => match value.is_zero() {
                true => None,
                false => return Err(DialectError::ValueForbidden { name: "value", mode: mode.name() }),
            },
            Some(Value::Element(element)) => Some(element.clone()),
            Some(Value::Number(value)) => {
                let refused = DialectError::ValueConversion { value: *value, dtype };
                Some(fill_of_f64(*value, dtype).ok_or(refused)?)
            }
        };
        Ok(spec)
    }

    fn check_gradient(&self, dtype: DType, mode: PadMode) -> Result<(), DialectError> {
        check_differentiable("PyTorch", dtype, mode, &PadMode::ALL)
    }
}

/// Checks that both sides together do not crop more elements than the axis has. Elements that the call adds do not count.
fn check_crop(axis: usize, length: usize, pad: AxisPad) -> Result<(), DialectError> {
    let left = length as i128 + i128::from(pad.low.min(0)) + i128::from(pad.high.min(0));
    if left < 0 { Err(DialectError::OverCrop { axis, length, pad }) } else { Ok(()) }
}

fn takes(dtype: DType, mode: PadMode) -> bool {
    use DType::*;
    match dtype {
        F64 | F32 | F16 | BF16 | I8 | I16 | I32 | I64 | U8 | C64 | C128 => true,
        Bool | U16 | U32 | U64 | F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0 => {
            matches!(mode, PadMode::Constant | PadMode::Wrap)
        }
        I4 | U4 | F4E2M1 | I2 | U2 | String => false,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::error::PadError;

    /// Pads a tensor with one channel.
    fn pad1(mode: &str, low: i64, high: i64, d: usize) -> Result<Vec<i32>, DialectError> {
        Pad::new(&[low, high]).mode(mode).pad(&[1, 2, 3, 4, 5, 6][..d], &[1, d])
    }

    fn long(length: usize, low: i64, high: i64, max: i128, mode: PadMode) -> DialectError {
        DialectError::PadTooLong { axis: 1, length, pad: AxisPad::new(low, high), max, mode: mode.name() }
            .in_words_of(&MODES)
    }

    #[test]
    fn the_last_axis_comes_first() {
        let shape = |pad: &[i64]| Pad::new(pad).output_shape(&[1, 2, 3], DType::U8).unwrap();
        assert_eq!(shape(&[]), [1, 2, 3]);
        assert_eq!(shape(&[1, 0]), [1, 2, 4]);
        assert_eq!(shape(&[0, 0, 0, 1, 2, 0]), [3, 3, 3]);
        let order = "the last axis first";
        let pairs = |got, max| Err(DialectError::Pairs { name: "pad", order, got, min: 0, max });
        assert_eq!(Pad::new(&[1]).spec(&[3], DType::U8), pairs(1, 2));
        assert_eq!(Pad::new(&[0; 4]).spec(&[3], DType::U8), pairs(4, 2));
        assert_eq!(Pad::new(&[]).pad(&[7], &[]).unwrap(), [7]);
        let scalar = Pad::new(&[]).mode("reflect").spec(&[], DType::F32);
        assert_eq!(scalar, Err(DialectError::Rank { rank: 0, min: 2, max: 5, mode: "reflect" }));
    }

    #[test]
    fn constant_crops_first() {
        assert_eq!(pad1("constant", -2, 3, 6).unwrap(), [3, 4, 5, 6, 0, 0, 0]);
        assert_eq!(pad1("constant", -6, 3, 6).unwrap(), [0, 0, 0]);
        assert!(pad1("constant", -3, -3, 6).unwrap().is_empty());
        let crop =
            |low, high| Err(DialectError::OverCrop { axis: 1, length: 6, pad: AxisPad::new(low, high) });
        assert_eq!(pad1("constant", -7, 3, 6), crop(-7, 3));
        assert_eq!(pad1("constant", 4, -7, 6), crop(4, -7));
        assert_eq!(pad1("constant", -3, -4, 6), crop(-3, -4));
    }

    #[test]
    fn reflect_and_replicate_count_in_the_uncropped_axis() {
        use PadMode::Reflect;
        assert_eq!(pad1("reflect", -2, 5, 6).unwrap(), [3, 4, 5, 6, 5, 4, 3, 2, 1]);
        assert_eq!(pad1("reflect", -7, 3, 6).unwrap(), [4, 3]);
        assert_eq!(pad1("replicate", -7, 3, 6).unwrap(), [6, 6]);
        assert_eq!(pad1("replicate", 1, 9, 1).unwrap(), [1; 11]);
        assert_eq!(pad1("reflect", 0, 5, 6).unwrap().len(), 11);
        assert_eq!(pad1("reflect", 0, 6, 6), Err(long(6, 0, 6, 5, Reflect)));
        assert_eq!(pad1("reflect", 0, 1, 1), Err(long(1, 0, 1, 0, Reflect)));
        assert_eq!(pad1("reflect", 0, 0, 1).unwrap(), [1]);
        for mode in ["reflect", "replicate"] {
            assert_eq!(pad1(mode, -3, -2, 6).unwrap(), [4], "{mode}");
            let pad = AxisPad::new(-3, -3);
            let empty = DialectError::EmptyOutput { axis: 1, length: 6, pad, mode };
            assert_eq!(pad1(mode, -3, -3, 6), Err(empty), "{mode}");
            let call = Pad::new(&[-3, 0, 1, 0]).mode(mode);
            let refused = call.spec(&[1, 2, 3], DType::F32);
            assert!(matches!(refused, Err(DialectError::EmptyOutput { axis: 2, .. })), "{mode}");
        }
    }

    #[test]
    fn circular_crops_first_and_wraps_once() {
        use PadMode::Wrap;
        assert_eq!(pad1("circular", -2, 3, 6).unwrap(), [3, 4, 5, 6, 3, 4, 5]);
        assert_eq!(pad1("circular", 2, 2, 2).unwrap(), [1, 2, 1, 2, 1, 2]);
        assert_eq!(pad1("circular", 0, 6, 6).unwrap().len(), 12);
        assert_eq!(pad1("circular", 0, 7, 6), Err(long(6, 0, 7, 6, Wrap)));
        assert_eq!(pad1("circular", -2, 4, 6).unwrap(), [3, 4, 5, 6, 3, 4, 5, 6]);
        assert_eq!(pad1("circular", -2, 5, 6), Err(long(4, -2, 5, 4, Wrap)));
        assert_eq!(pad1("circular", -6, 3, 6), Err(long(0, -6, 3, 0, Wrap)));
        assert!(pad1("circular", -3, -3, 6).unwrap().is_empty());
        assert!(pad1("circular", -7, 1, 6).unwrap().is_empty());
        for (low, high, d) in [(1, -2, 1), (2, -4, 2), (5, -11, 6)] {
            assert!(pad1("circular", low, high, d).unwrap().is_empty(), "{low} {high} {d}");
        }
        for (low, high, length) in [(1, -4, 3), (1, -7, 6), (2, -8, 6)] {
            let refused = DialectError::OverCrop { axis: 1, length, pad: AxisPad::new(low, high) };
            assert_eq!(pad1("circular", low, high, length), Err(refused));
        }
        assert!(matches!(
            pad1("circular", -3, -4, 6),
            Err(DialectError::Pad(PadError::NegativeOutput { .. }))
        ));
    }

    #[test]
    fn ranks() {
        let pads = [1; 8];
        let refused = Pad::new(&pads[..2]).mode("replicate").spec(&[2], DType::F32);
        assert_eq!(refused, Err(DialectError::Rank { rank: 1, min: 2, max: 3, mode: PadMode::Edge.name() }));
        for mode in ["reflect", "replicate", "circular"] {
            for pairs in 0..=4 {
                for rank in 0..=7 {
                    let call = Pad::new(&pads[..2 * pairs]).mode(mode);
                    let known = (1..=3).contains(&pairs) && (rank == pairs + 1 || rank == pairs + 2);
                    assert_eq!(
                        call.spec(&[2; 7][..rank], DType::F32).is_ok(),
                        known,
                        "{mode} {pairs} {rank}"
                    );
                }
            }
        }
    }

    #[test]
    fn only_the_batch_may_be_empty() {
        let shape = |mode, shape: &[usize]| Pad::new(&[1, 1]).mode(mode).output_shape(shape, DType::F32);
        for mode in ["reflect", "replicate"] {
            let short = |axis| Err(DialectError::AxisTooShort { axis, length: 0, min: 1, mode });
            assert_eq!(shape(mode, &[0, 2, 3]).unwrap(), [0, 2, 5]);
            assert_eq!(shape(mode, &[2, 0, 3]), short(1));
            assert_eq!(shape(mode, &[2, 2, 0]), short(2));
            assert_eq!(shape(mode, &[0, 3]), short(0));
        }
        assert_eq!(shape("circular", &[2, 0, 3]).unwrap(), [2, 0, 5]);
        assert_eq!(shape("circular", &[0, 3]).unwrap(), [0, 5]);
        let longer_than_what_is_left = Pad::new(&[-1, 3]).mode("circular");
        assert_eq!(longer_than_what_is_left.output_shape(&[1, 0, 3], DType::F32).unwrap(), [1, 0, 5]);
        assert!(longer_than_what_is_left.output_shape(&[1, 1, 3], DType::F32).is_err());
        assert_eq!(shape("circular", &[2, 0]), Err(long(0, 1, 1, 0, PadMode::Wrap)));
    }

    #[test]
    fn values() {
        let constant = |value| Pad::new(&[1, 0]).value(value);
        assert_eq!(constant(1.7).pad(&[5i64], &[1]).unwrap(), [1, 5]);
        assert_eq!(constant(9007199254740993.0).pad(&[5i64], &[1]).unwrap(), [9007199254740992, 5]);
        let refused = DialectError::ValueConversion { value: 300.0, dtype: DType::U8 };
        assert_eq!(constant(300.0).pad(&[5u8], &[1]), Err(refused));
        // PyTorch does not read the value if no pad is positive.
        assert_eq!(Pad::new(&[-1, 0]).value(300.0).pad(&[5u8, 6], &[2]).unwrap(), [6]);
        assert!(Pad::new(&[1, -1]).value(300.0).pad(&[5u8, 6], &[2]).is_err());
        assert_eq!(Pad::new(&[-1, 0]).pad_bytes(&[5, 6], &[2], DType::F8E8M0).unwrap(), [6]);
        assert!(Pad::new(&[1, -1]).pad_bytes(&[5, 6], &[2], DType::F8E8M0).is_err());
        let exact = Pad::new(&[1, 0]).value(Fill::of(9007199254740993i64));
        assert_eq!(exact.pad(&[5i64], &[1]).unwrap(), [9007199254740993, 5]);
        assert!(matches!(exact.pad(&[5i32], &[1]), Err(DialectError::Pad(PadError::FillType { .. }))));
        for mode in ["reflect", "replicate", "circular"] {
            let call =
                |value: f64| Pad::new(&[1, 0]).mode(mode).value(value).spec(&[1, 2], DType::F32).is_ok();
            assert!(call(0.0) && call(-0.0) && !call(1.0) && !call(f64::NAN), "{mode}");
            let element =
                |value: Fill| Pad::new(&[1, 0]).mode(mode).value(value).spec(&[1, 2], DType::F32).is_ok();
            assert!(
                element(Fill::of(0.0f32)) && element(Fill::of(-0.0f32)) && element(Fill::of(-0.0)),
                "{mode}"
            );
            assert!(!element(Fill::of(1.0f32)) && !element(Fill::from_bytes(DType::F8E8M0, &[0])), "{mode}");
        }
    }

    #[test]
    fn types_and_words() {
        let count = |mode| {
            let call = Pad::new(&[1, 0]).mode(mode);
            DType::ALL.iter().filter(|&&dtype| call.spec(&[1, 2], dtype).is_ok()).count()
        };
        assert_eq!(["constant", "circular", "reflect", "replicate"].map(count), [20, 20, 11, 11]);
        assert!(matches!(pad1("wrap", 0, 0, 1), Err(DialectError::Word { .. })));
        assert!(matches!(pad1("edge", 0, 0, 1), Err(DialectError::Word { .. })));
    }
}
