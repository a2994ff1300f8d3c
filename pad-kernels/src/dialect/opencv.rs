//! OpenCV's `copyMakeBorder`.
//!
//! This module follows `copy.cpp` of OpenCV 5.0, as Python calls it. Images have 2 axes, or 3 axes with 1 to 128 channels. Elements are
//! `bool`, integers of 8, 16 and 32 bits, or floats of 16, 32 and 64 bits. The Python package converts 64-bit integers to 32 bits, reads an
//! array of 1 axis as a row, and drops an axis of 1 channel. This module does none of these.

use alloc::vec;
use alloc::vec::Vec;

use crate::dialect::convert::fill_saturated;
use crate::dialect::{Dialect, DialectError, check_int32, padded, unsigned};
use crate::dtype::DType;
use crate::spec::{AxisPad, Fill, Frame, PadMode, PadSpec};

/// The border contains the fill.
pub const BORDER_CONSTANT: i32 = 0;
/// The border repeats the outermost element, as in [`PadMode::Edge`].
pub const BORDER_REPLICATE: i32 = 1;
/// The border mirrors the image and repeats the outermost element, as in [`PadMode::Symmetric`].
pub const BORDER_REFLECT: i32 = 2;
/// The border repeats the image, as in [`PadMode::Wrap`].
pub const BORDER_WRAP: i32 = 3;
/// The border mirrors the image at the outermost element, as in [`PadMode::Reflect`]. OpenCV also calls it `BORDER_DEFAULT`.
pub const BORDER_REFLECT_101: i32 = 4;
/// Keeps a call from reading outside its region. Callers add this number to another border type.
pub const BORDER_ISOLATED: i32 = 16;

/// The maximum number of channels.
const MAX_CHANNELS: usize = 128;

/// Describes a call of `copyMakeBorder`. Borders may have any length.
///
/// On an axis without pixels, only [`BORDER_CONSTANT`] can add a border. With another border type, OpenCV reads other memory, crashes or
/// never returns. In this module, the call is an error.
///
/// ```
/// use pad_kernels::dialect::{Dialect, opencv};
/// let call = opencv::CopyMakeBorder::new(0, 0, 2, 1, opencv::BORDER_REFLECT);
/// assert_eq!(call.pad(&[1u8, 2, 3], &[1, 3])?, [2, 1, 1, 2, 3, 3]);
/// // A Scalar is rounded, and clamped to the range of the type.
/// let call = opencv::CopyMakeBorder::new(0, 0, 1, 0, opencv::BORDER_CONSTANT).value([300.0; 4]);
/// assert_eq!(call.pad(&[1u8], &[1, 1])?, [255, 1]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CopyMakeBorder {
    /// The number of rows to add above.
    pub top: i64,
    /// The number of rows to add below.
    pub bottom: i64,
    /// The number of columns to add on the left.
    pub left: i64,
    /// The number of columns to add on the right.
    pub right: i64,
    /// One of the five border types. You can add [`BORDER_ISOLATED`] to it.
    pub border_type: i32,
    /// The fill, with one number for each of the first four channels. If an image has more channels, all numbers must be equal.
    /// For integers, NaN and numbers beyond 32 bits are errors, because their conversion depends on the machine. For `uint32`,
    /// negative numbers become 0.
    pub value: [f64; 4],
    /// The rows and the columns of the region to pad, each as start and end. The border contains elements of the image around the region,
    /// unless the border type has [`BORDER_ISOLATED`]. The default is the whole image.
    pub roi: Option<[[usize; 2]; 2]>,
}

impl CopyMakeBorder {
    /// Makes a call for a whole image with fill zero.
    pub fn new(top: i64, bottom: i64, left: i64, right: i64, border_type: i32) -> Self {
        CopyMakeBorder { top, bottom, left, right, border_type, value: [0.0; 4], roi: None }
    }

    /// Sets `value`.
    #[must_use]
    pub fn value(self, value: [f64; 4]) -> Self {
        CopyMakeBorder { value, ..self }
    }

    /// Sets the region of the image to pad.
    #[must_use]
    pub fn roi(self, rows: [usize; 2], columns: [usize; 2]) -> Self {
        CopyMakeBorder { roi: Some([rows, columns]), ..self }
    }

    /// Returns the fill for an image of `shape`: one element, or one element per channel.
    fn fill(&self, shape: &[usize], dtype: DType) -> Result<Fill, DialectError> {
        let channels = shape.get(2).copied().unwrap_or(1);
        let [first, ..] = self.value;
        let of = |value| fill_saturated(value, dtype).ok_or(DialectError::ValueConversion { value, dtype });
        let fill = of(first)?;
        let mut bytes = Vec::new();
        for (channel, &value) in self.value.iter().enumerate().take(channels) {
            if channels > 4 && channel > 0 && value != first {
                return Err(DialectError::ChannelValues { channel, value, first });
            }
            bytes.extend_from_slice(&of(value)?.bytes);
        }
        let alike = bytes.chunks_exact(fill.bytes.len()).all(|value| *value == fill.bytes[..]);
        Ok(if alike { fill } else { Fill::from_bytes(dtype, &bytes).along_axis(2) })
    }
}

impl Dialect for CopyMakeBorder {
    fn words(&self) -> &'static [(&'static str, PadMode)] {
        &[
            ("BORDER_CONSTANT", PadMode::Constant),
            ("BORDER_REPLICATE", PadMode::Edge),
            ("BORDER_REFLECT", PadMode::Symmetric),
            ("BORDER_WRAP", PadMode::Wrap),
            ("BORDER_REFLECT_101", PadMode::Reflect),
        ]
    }

    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError> {
        let mode = match self.border_type & !BORDER_ISOLATED {
            BORDER_CONSTANT => PadMode::Constant,
            BORDER_REPLICATE => PadMode::Edge,
            BORDER_REFLECT => PadMode::Symmetric,
            BORDER_WRAP => PadMode::Wrap,
            BORDER_REFLECT_101 => PadMode::Reflect,
            other => return Err(DialectError::BorderType { given: other }),
        };
        if !takes(dtype) {
            return Err(DialectError::DType { system: "OpenCV", dtype, mode: mode.name() });
        }
        let (&[height, width] | &[height, width, 1..=MAX_CHANNELS]) = shape else {
            return Err(match shape.len() {
                3 => DialectError::Shape { name: "src", shape: shape.into(), expected: "1 to 128 channels" },
                rank => DialectError::Rank { rank, min: 2, max: 3, mode: mode.name() },
            });
        };
        for (name, axis, value) in [
            ("top", 0, self.top),
            ("bottom", 0, self.bottom),
            ("left", 1, self.left),
            ("right", 1, self.right),
        ] {
            unsigned(name, axis, value)?;
        }
        let isolated = self.border_type & BORDER_ISOLATED != 0;
        let mut axes = vec![AxisPad::new(self.top, self.bottom), AxisPad::new(self.left, self.right)];
        for (axis, length) in [(0, height), (1, width)] {
            let [start, end] = self.roi.map_or([0, length], |roi| roi[axis]);
            if start > end || end > length {
                return Err(DialectError::RegionOutside { axis, start, end, length });
            }
            check_int32(axis, padded(end - start, axes[axis]))?;
            axes[axis] = region(axis, axes[axis], start, length - end, isolated)?;
        }
        axes.extend(shape.get(2).map(|_| AxisPad::new(0, 0)));
        let mut spec = PadSpec::new(mode, axes).with_frame(Frame::Cropped);
        if mode == PadMode::Constant {
            spec.fill = Some(self.fill(shape, dtype)?);
        }
        Ok(spec)
    }
}

/// Converts the pad of a region into a pad of the whole image with the same result. On this axis, the image has `start` elements
/// before the region and `behind` elements after it.
fn region(
    axis: usize,
    pad: AxisPad,
    start: usize,
    behind: usize,
    isolated: bool,
) -> Result<AxisPad, DialectError> {
    let side = |pad: i64, inside: usize| {
        if isolated && pad > 0 && inside > 0 {
            return Err(DialectError::IsolatedRegion { axis, pad, inside });
        }
        // The conversion fails only if the image is larger than any image can be.
        let inside = i64::try_from(inside).map_err(|_| DialectError::IsolatedRegion { axis, pad, inside })?;
        Ok(pad.saturating_sub(inside))
    };
    Ok(AxisPad::new(side(pad.low, start)?, side(pad.high, behind)?))
}

fn takes(dtype: DType) -> bool {
    use DType::*;
    match dtype {
        Bool | U8 | I8 | U16 | I16 | U32 | I32 | F16 | F32 | F64 => true,
        U64 | I64 | BF16 | C64 | C128 | String => false,
        F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0 | F4E2M1 | I4 | U4 | I2 | U2 => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(left: i64, right: i64, border_type: i32) -> CopyMakeBorder {
        CopyMakeBorder::new(0, 0, left, right, border_type)
    }

    #[test]
    fn border_types() {
        let pad = |border_type| row(4, 4, border_type).value([9.0; 4]).pad(&[1u8, 2, 3], &[1, 3]);
        assert_eq!(pad(BORDER_CONSTANT).unwrap(), [9, 9, 9, 9, 1, 2, 3, 9, 9, 9, 9]);
        assert_eq!(pad(BORDER_REPLICATE).unwrap(), [1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3]);
        assert_eq!(pad(BORDER_REFLECT).unwrap(), [3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1]);
        assert_eq!(pad(BORDER_WRAP).unwrap(), [3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1]);
        assert_eq!(pad(BORDER_REFLECT_101).unwrap(), [1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3]);
        assert_eq!(pad(5), Err(DialectError::BorderType { given: 5 }));
        assert_eq!(pad(-1), Err(DialectError::BorderType { given: -17 }));
    }

    #[test]
    fn regions_look_outside_unless_isolated() {
        let source = [0u8, 1, 2, 3, 4];
        let pad = |left, right, border_type| {
            row(left, right, border_type).roi([0, 1], [1, 4]).pad(&source, &[1, 5])
        };
        assert_eq!(pad(2, 1, BORDER_REPLICATE).unwrap(), [0, 0, 1, 2, 3, 4]);
        assert_eq!(pad(0, 3, BORDER_WRAP).unwrap(), [1, 2, 3, 4, 1, 2]);
        assert_eq!(pad(0, 0, BORDER_WRAP | BORDER_ISOLATED).unwrap(), [1, 2, 3]);
        let refused = DialectError::IsolatedRegion { axis: 1, pad: 2, inside: 1 };
        assert_eq!(pad(2, 0, BORDER_WRAP | BORDER_ISOLATED), Err(refused));
        let whole = row(1, 0, BORDER_WRAP | BORDER_ISOLATED).roi([0, 1], [0, 3]);
        assert_eq!(whole.pad(&source, &[1, 5]).unwrap(), [2, 0, 1, 2]);
        let outside = row(0, 0, BORDER_WRAP).roi([0, 1], [2, 6]).spec(&[1, 5], DType::U8);
        assert_eq!(outside, Err(DialectError::RegionOutside { axis: 1, start: 2, end: 6, length: 5 }));
        // The maximum length applies to the region with its borders.
        let longest = i64::from(i32::MAX) - 2;
        assert!(row(longest, 0, BORDER_CONSTANT).roi([0, 1], [3, 5]).spec(&[1, 5], DType::U8).is_ok());
        let longer = row(longest + 1, 0, BORDER_CONSTANT).roi([0, 1], [3, 5]).spec(&[1, 5], DType::U8);
        assert!(matches!(longer, Err(DialectError::OutOfRange { axis: 1, value: 0x8000_0000, .. })));
    }

    #[test]
    fn scalars_are_of_the_channels() {
        let pad = |value, channels| {
            row(1, 0, BORDER_CONSTANT).value(value).spec(&[1, 1, channels], DType::U8).map(|spec| spec.fill)
        };
        assert_eq!(pad([3.0, 3.4, 1.0, 1.0], 2), Ok(Some(Fill::of(3u8))));
        assert_eq!(pad([3.0, 3.4, 1.0, 1.0], 3), Ok(Some(Fill::along(2, &[3u8, 3, 1]))));
        let refused = DialectError::ChannelValues { channel: 1, value: 3.4, first: 3.0 };
        assert_eq!(pad([3.0, 3.4, 3.0, 3.0], 5), Err(refused));
        let colour = row(1, 0, BORDER_CONSTANT).value([9.0, 8.0, 7.0, 0.0]).pad(&[1u8, 2, 3], &[1, 1, 3]);
        assert_eq!(colour.unwrap(), [9, 8, 7, 1, 2, 3]);
        assert!(matches!(pad([f64::NAN; 4], 1), Err(DialectError::ValueConversion { .. })));
        let nan = row(1, 0, BORDER_CONSTANT).value([f64::NAN; 4]).spec(&[1, 1, 5], DType::F32);
        assert!(matches!(nan, Err(DialectError::ChannelValues { channel: 1, .. })));
    }

    #[test]
    fn limits() {
        let spec = |shape: &[usize], dtype| row(0, 0, BORDER_WRAP).spec(shape, dtype);
        assert!(spec(&[1, 1, 128], DType::U8).is_ok());
        assert!(matches!(spec(&[1, 1, 129], DType::U8), Err(DialectError::Shape { name: "src", .. })));
        assert!(matches!(spec(&[1, 1, 0], DType::U8), Err(DialectError::Shape { name: "src", .. })));
        for rank in [0, 1, 4] {
            assert!(matches!(spec(&[1; 4][..rank], DType::U8), Err(DialectError::Rank { .. })));
        }
        assert_eq!(DType::ALL.iter().filter(|&&dtype| takes(dtype)).count(), 10);
        let empty = row(1, 1, BORDER_REFLECT);
        let short = DialectError::AxisTooShort { axis: 1, length: 0, min: 1, mode: "BORDER_REFLECT" };
        assert_eq!(empty.pad::<u8>(&[], &[3, 0]), Err(short.clone()));
        assert_eq!(empty.pad_into::<u8>(&[], &[3, 0], &mut []), Err(short.clone()));
        assert_eq!(empty.pad_bytes(&[], &[3, 0], DType::U8), Err(short.clone()));
        assert_eq!(empty.pad_bytes_into(&[], &[3, 0], DType::U8, &mut []), Err(short.clone()));
        assert_eq!(empty.output_shape(&[3, 0], DType::U8), Err(short));
        let refused = row(0, 0, BORDER_REFLECT_101).output_shape(&[1, 1], DType::I64);
        let refused_as =
            DialectError::DType { system: "OpenCV", dtype: DType::I64, mode: "BORDER_REFLECT_101" };
        assert_eq!(refused, Err(refused_as));
        let negative = CopyMakeBorder::new(0, -1, 0, 0, BORDER_WRAP).spec(&[1, 1], DType::U8);
        assert_eq!(negative, Err(DialectError::NegativePad { name: "bottom", axis: 0, value: -1 }));
        let long = row(i64::from(i32::MAX), 0, BORDER_WRAP).spec(&[1, 1], DType::U8);
        assert!(matches!(long, Err(DialectError::OutOfRange { axis: 1, value: 0x8000_0000, .. })));
    }
}
