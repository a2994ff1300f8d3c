//! TensorRT's slice layer, used as a pad.
//!
//! This module follows the documents of TensorRT 10.10 for the operator Slice, and the header of `ISliceLayer` and `SampleMode`. No engine
//! was tested. A slice with strides of 1 pads if it starts before the axis or ends after it.
//!
//! The documents leave four cases open. In this module, the default fill is 0, and a scalar is copied. If an axis has no
//! elements, a border is an error, in mode `WRAP`, too. On an axis of length 1, `REFLECT` repeats the element. The documented
//! formula divides by 0.

use alloc::vec;
use alloc::vec::Vec;

use crate::dialect::{Dialect, DialectError, check_listed, resolve, unsigned, word};
use crate::dtype::DType;
use crate::spec::{AxisPad, Fill, Frame, PadMode, PadSpec};

/// The modes for positions outside of the axis. In the last mode, such positions are an error.
static MODES: [(&str, PadMode); 5] = [
    ("WRAP", PadMode::Wrap),
    ("CLAMP", PadMode::Edge),
    ("FILL", PadMode::Constant),
    ("REFLECT", PadMode::Reflect),
    (STRICT, PadMode::Constant),
];

const STRICT: &str = "STRICT_BOUNDS";

/// The maximum number of axes of a `Dims`.
const MAX_DIMS: usize = 8;

/// Describes a slice layer for a tensor of up to 8 axes. On each axis, output element `i` corresponds to input position `start + i`, which
/// may be outside of the axis.
///
/// Every mode accepts `bool`, `int4`, `int8`, `int32`, `float8e4m3fn`, `float16` and `float32`. `STRICT_BOUNDS` and `WRAP` also
/// accept `int64` and `bfloat16`. The input must have fewer than 2^31 elements.
///
/// ```
/// use pad_kernels::dialect::{Dialect, tensorrt};
/// // The output has one row less at the top, one column more on the left, and two columns more on the right.
/// let layer = tensorrt::Slice::new(&[1, -1], &[1, 5]).mode("CLAMP");
/// assert_eq!(layer.pad(&[1, 2, 3, 4], &[2, 2])?, [3, 3, 4, 4, 4]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Slice<'a> {
    /// The first position of each axis. A negative position lies before the axis.
    pub start: &'a [i64],
    /// The length of each axis in the output.
    pub size: &'a [i64],
    /// The stride of each axis, which must be 1. The default is 1.
    pub stride: Option<&'a [i64]>,
    /// The axes to which the lists belong. Negative axes count from the last one, and no axis may be repeated. The default is
    /// all axes. Other axes do not change.
    pub axes: Option<&'a [i64]>,
    /// `STRICT_BOUNDS`, `WRAP`, `CLAMP`, `FILL` or `REFLECT`. Only `FILL` can extend an axis without elements.
    pub mode: &'a str,
    /// The fill, in the type of the data. If both are floats, it may have another type, and the type of the data must hold it exactly. In
    /// modes other than `FILL`, a fill is an error.
    pub fill_value: Option<Fill>,
}

impl<'a> Slice<'a> {
    /// Makes a layer in mode `STRICT_BOUNDS` with strides of 1.
    pub fn new(start: &'a [i64], size: &'a [i64]) -> Self {
        Slice { start, size, stride: None, axes: None, mode: "STRICT_BOUNDS", fill_value: None }
    }

    /// Sets `stride`.
    #[must_use]
    pub fn stride(self, stride: &'a [i64]) -> Self {
        Slice { stride: Some(stride), ..self }
    }

    /// Sets `axes`.
    #[must_use]
    pub fn axes(self, axes: &'a [i64]) -> Self {
        Slice { axes: Some(axes), ..self }
    }

    /// Sets `mode`.
    #[must_use]
    pub fn mode(self, mode: &'a str) -> Self {
        Slice { mode, ..self }
    }

    /// Sets `fill_value`, the fill.
    #[must_use]
    pub fn fill_value(self, value: Fill) -> Self {
        Slice { fill_value: Some(value), ..self }
    }
}

impl Dialect for Slice<'_> {
    fn words(&self) -> &'static [(&'static str, PadMode)] {
        // Errors about the mode `constant` of this call use its own word.
        if self.mode == STRICT { &MODES[4..] } else { &MODES[..4] }
    }

    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        use DType::*;
        let mode = word("mode", self.mode, &MODES)?;
        let strict = self.mode == STRICT;
        let word = MODES.iter().find(|(word, _)| *word == self.mode).map_or("", |&(word, _)| word);
        let taken = match dtype {
            Bool | I4 | I8 | I32 | F8E4M3FN | F16 | F32 => true,
            I64 | BF16 => strict || mode == PadMode::Wrap,
            _ => false,
        };
        if !taken {
            return Err(DialectError::DType { system: "TensorRT", dtype, mode: word });
        }
        let rank = shape.len();
        if rank > MAX_DIMS {
            return Err(DialectError::Rank { rank, min: 0, max: MAX_DIMS, mode: word });
        }
        check_volume(shape)?;
        if self.fill_value.is_some() && (strict || mode != PadMode::Constant) {
            return Err(DialectError::ValueForbidden { name: "fill_value", mode: word });
        }
        let mut spec = PadSpec::new(mode, self.pads(shape, strict)?).with_frame(Frame::Uncropped);
        // "T (or type implicitly convertible to T)" are the types of the fill, by the documents.
        let float = |dtype| matches!(dtype, F8E4M3FN | BF16 | F16 | F32);
        let convert = |fill: &Fill| match fill.tag.dtype() {
            Some(given) if float(given) && float(dtype) => fill.converted(dtype),
            _ => None,
        };
        spec.fill = self.fill_value.clone().map(|fill| convert(&fill).unwrap_or(fill));
        Ok(spec)
    }
}

impl Slice<'_> {
    /// Returns the pads of each axis. If `strict`, all positions must be inside the axis.
    fn pads(&self, shape: &[usize], strict: bool) -> Result<Vec<AxisPad>, DialectError> {
        let rank = shape.len();
        let listed = self.axes.map_or(rank, <[i64]>::len);
        check_listed("start", self.start.len(), listed, self.axes)?;
        check_listed("size", self.size.len(), listed, self.axes)?;
        let strides = self.stride.unwrap_or(&[]);
        if self.stride.is_some() {
            check_listed("stride", strides.len(), listed, self.axes)?;
        }
        let mut pads: Vec<Option<AxisPad>> = vec![None; rank];
        for (position, (&start, &size)) in self.start.iter().zip(self.size).enumerate() {
            let axis = match self.axes {
                Some(axes) => resolve(axes[position], rank)?,
                None => position,
            };
            if pads[axis].is_some() {
                return Err(DialectError::RepeatedAxis { axis, position });
            }
            let stride = strides.get(position).copied().unwrap_or(1);
            if stride != 1 {
                return Err(DialectError::OutOfRange { name: "stride", axis, value: stride, min: 1, max: 1 });
            }
            unsigned("size", axis, size)?;
            pads[axis] = Some(window(axis, shape[axis], start, size, strict)?);
        }
        Ok(pads.into_iter().map(Option::unwrap_or_default).collect())
    }
}

/// Returns the pads that extract `size` elements of an axis, from position `start` on.
fn window(axis: usize, length: usize, start: i64, size: i64, strict: bool) -> Result<AxisPad, DialectError> {
    let within = |name, value: i64, min: i128, max: i128| match (min..=max).contains(&i128::from(value)) {
        true => Ok(()),
        false => {
            // Only a maximum can lie outside of `i64`.
            let near = |bound: i128| i64::try_from(bound).unwrap_or(i64::MAX);
            Err(DialectError::OutOfRange { name, axis, value, min: near(min), max: near(max) })
        }
    };
    let length = length as i128;
    if strict && size > 0 {
        within("size", size, 0, length)?;
        within("start", start, 0, length - i128::from(size))?;
    }
    // Both pads must fit 64 bits.
    let most = i128::from(i64::MAX);
    within("start", start, length - most, most - i128::from(size))?;
    let high = i128::from(start) + i128::from(size) - length;
    Ok(AxisPad::new(-start, high as i64))
}

/// Checks that a tensor has fewer than 2^31 elements.
fn check_volume(shape: &[usize]) -> Result<(), DialectError> {
    let volume = shape.iter().fold(1u128, |volume, &length| volume.saturating_mul(length as u128));
    if volume < 1 << 31 || shape.contains(&0) {
        return Ok(());
    }
    Err(DialectError::Shape {
        name: "the input",
        shape: shape.to_vec(),
        expected: "fewer than 2^31 elements",
    })
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn slice(mode: &str, start: i64, size: i64, length: usize) -> Result<Vec<i32>, DialectError> {
        Slice::new(&[start], &[size]).mode(mode).pad(&[1, 2, 3, 4][..length], &[length])
    }

    #[test]
    fn coordinates_count_in_the_whole_axis() {
        assert_eq!(slice("STRICT_BOUNDS", 1, 2, 4).unwrap(), [2, 3]);
        assert_eq!(slice("WRAP", -2, 7, 3).unwrap(), [2, 3, 1, 2, 3, 1, 2]);
        assert_eq!(slice("CLAMP", -1, 4, 2).unwrap(), [1, 1, 2, 2]);
        assert_eq!(slice("FILL", 2, 3, 3).unwrap(), [3, 0, 0]);
        assert_eq!(slice("REFLECT", 1, 6, 3).unwrap(), [2, 3, 2, 1, 2, 3]);
        assert_eq!(slice("REFLECT", -2, 4, 1).unwrap(), [1; 4]);
        // These regions contain no element of the data.
        assert_eq!(slice("WRAP", 4, 2, 3).unwrap(), [2, 3]);
        assert_eq!(slice("FILL", -5, 2, 3).unwrap(), [0, 0]);
    }

    #[test]
    fn strict_bounds_are_strict() {
        for (start, size) in [(-1, 2), (3, 2), (0, 5), (i64::MAX, 1)] {
            let refused = slice("STRICT_BOUNDS", start, size, 4);
            assert!(matches!(refused, Err(DialectError::OutOfRange { .. })), "{start} {size}");
        }
        // An empty output reads no elements.
        assert!(slice("STRICT_BOUNDS", 9, 0, 4).unwrap().is_empty());
    }

    #[test]
    fn lists_are_of_axes() {
        let layer = Slice::new(&[-1], &[3]).mode("FILL").axes(&[-1]).fill_value(Fill::of(9));
        assert_eq!(layer.pad(&[1, 2, 3, 4], &[2, 2]).unwrap(), [9, 1, 2, 9, 3, 4]);
        let shape =
            |axes: &[i64]| Slice::new(&[0, 0], &[1, 1]).axes(axes).output_shape(&[2, 2, 2], DType::F32);
        assert_eq!(shape(&[-1, 0]).unwrap(), [1, 2, 1]);
        assert!(matches!(shape(&[1, -2]), Err(DialectError::RepeatedAxis { axis: 1, position: 1 })));
        assert!(matches!(shape(&[0, 3]), Err(DialectError::AxisOutOfRange { .. })));
        assert!(matches!(shape(&[0]), Err(DialectError::ListedCount { name: "start", .. })));
        let strided = |stride: &[i64]| Slice::new(&[0], &[1]).stride(stride).output_shape(&[2], DType::F32);
        assert_eq!(strided(&[1]).unwrap(), [1]);
        assert!(matches!(strided(&[2]), Err(DialectError::OutOfRange { name: "stride", .. })));
        assert!(matches!(strided(&[1, 1]), Err(DialectError::Count { name: "stride", .. })));
        assert_eq!(Slice::new(&[], &[]).pad(&[7i8], &[]).unwrap(), [7]);
    }

    #[test]
    fn types_ranks_and_values() {
        let spec = |mode, dtype| Slice::new(&[0], &[1]).mode(mode).spec(&[1], dtype);
        for dtype in [DType::I64, DType::BF16] {
            assert!(spec("STRICT_BOUNDS", dtype).is_ok() && spec("WRAP", dtype).is_ok());
            for mode in ["CLAMP", "FILL", "REFLECT"] {
                assert_eq!(spec(mode, dtype), Err(DialectError::DType { system: "TensorRT", dtype, mode }));
            }
        }
        assert!(matches!(spec("FILL", DType::F64), Err(DialectError::DType { .. })));
        assert!(matches!(spec("EDGE", DType::F32), Err(DialectError::Word { .. })));
        let value = Slice::new(&[0], &[1]).mode("CLAMP").fill_value(Fill::of(0.0f32));
        let refused = DialectError::ValueForbidden { name: "fill_value", mode: "CLAMP" };
        assert_eq!(value.spec(&[1], DType::F32), Err(refused));
        let rank = |rank| Slice::new(&[0; 9][..rank], &[1; 9][..rank]).spec(&[1; 9][..rank], DType::F32);
        assert!(rank(8).is_ok() && matches!(rank(9), Err(DialectError::Rank { max: 8, .. })));
        let volume = |shape: [usize; 2]| Slice::new(&[0, 0], &[0, 0]).spec(&shape, DType::Bool);
        assert!(volume([(1 << 31) - 1, 1]).is_ok() && volume([1 << 31, 0]).is_ok());
        assert!(matches!(volume([1 << 16, 1 << 15]), Err(DialectError::Shape { .. })));
    }

    #[test]
    fn fills_convert_between_floats_if_they_are_exact() {
        let fill = |fill: Fill, dtype| Slice::new(&[0], &[2]).mode("FILL").fill_value(fill).plan(&[1], dtype);
        assert!(fill(Fill::of(0.5f32), DType::F16).is_ok());
        assert!(fill(Fill::of(0.1f32), DType::F16).is_err());
        assert!(fill(Fill::of(1i32), DType::F16).is_err() && fill(Fill::of(1.0f32), DType::I32).is_err());
        assert!(fill(Fill::of(1.0f64), DType::F32).is_err());
    }

    #[test]
    fn errors_use_the_words_of_the_layer() {
        let says = |result: Result<(), DialectError>, text| assert_eq!(result.unwrap_err().to_string(), text);
        let empty = |mode| Slice::new(&[0], &[1]).mode(mode).pad(&[0i32; 0], &[0]).map(drop);
        says(empty("CLAMP"), "axis 0: mode CLAMP needs a length of at least 1, not 0");
        for mode in ["STRICT_BOUNDS", "FILL", "WRAP"] {
            let gradient = Slice::new(&[0], &[1]).mode(mode).adjoint(&[1], DType::F32);
            assert!(matches!(gradient, Err(DialectError::NoGradient { mode: word, .. }) if word == mode));
        }
    }

    #[test]
    fn sizes_are_checked() {
        assert!(matches!(slice("WRAP", 0, -1, 3), Err(DialectError::NegativePad { name: "size", .. })));
        for (start, size) in [(i64::MIN, 1), (i64::MAX, 1), (1, i64::MAX), (3 - i64::MAX, i64::MAX)] {
            assert!(slice("WRAP", start, size, 3).is_err(), "{start} {size}");
        }
        assert_eq!(slice("CLAMP", 3 - i64::MAX, 2, 3).unwrap(), [1, 1]);
        assert_eq!(slice("FILL", i64::MAX - 2, 2, 3).unwrap(), [0, 0]);
        for mode in ["CLAMP", "REFLECT", "WRAP"] {
            assert!(slice(mode, 0, 1, 0).is_err() && slice(mode, 3, 0, 0).unwrap().is_empty(), "{mode}");
        }
    }
}
