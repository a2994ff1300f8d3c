//! Defines the errors of methods that pad images.

use core::fmt;

use ::image::ColorType;

use crate::error::PadError;
use crate::spec::AxisPad;

/// Says why an image cannot be padded. A call that returns an error has written nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PadImageError {
    /// The request is impossible. Axis 0 counts rows, and axis 1 counts columns.
    Pad(PadError),
    /// The result has more rows or columns than an image can have.
    TooLarge {
        /// The number of columns of the result.
        width: usize,
        /// The number of rows of the result.
        height: usize,
    },
    /// The image has another size than the plan needs.
    InputSize {
        /// The columns and rows of the plan.
        expected: (usize, usize),
        /// The columns and rows of the image.
        got: (u32, u32),
    },
    /// The plan does not have two axes, or it has strides, so it is not a plan of [`PadImageExt::plan`](super::PadImageExt::plan).
    NotOfPictures,
    /// The output has another size than the result.
    OutputSize {
        /// The columns and rows of the result.
        expected: (usize, usize),
        /// The columns and rows of the output.
        got: (u32, u32),
    },
    /// Two sides are constant and have different pixels.
    Constants,
    /// A pixel does not have 1 to 8 channels.
    Channels {
        /// The number of channels of a pixel.
        count: u8,
    },
    /// The pixel of a constant border is not opaque, and the image has no alpha.
    Alpha,
    /// The pixel of a constant border is coloured, and the image is grey.
    Color {
        /// The red, green and blue of the pixel, in the range 0 to 65535.
        fill: [u16; 3],
    },
    /// The image has a colour type that this version of the library does not know.
    ColorType {
        /// The colour type.
        color: ColorType,
    },
}

impl From<PadError> for PadImageError {
    fn from(error: PadError) -> Self {
        PadImageError::Pad(error)
    }
}

impl fmt::Display for PadImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PadImageError::Pad(error) => write_for_image(error, f),
            PadImageError::TooLarge { width, height } => {
                write!(f, "the result has {width} x {height} pixels, more than {} a side", u32::MAX)
            }
            PadImageError::InputSize { expected, got } => write!(
                f,
                "the plan was made for {} x {} pixels, but the picture has {} x {}",
                expected.0, expected.1, got.0, got.1
            ),
            PadImageError::NotOfPictures => f.write_str("the plan is for a tensor with strides, or of other than two axes"),
            PadImageError::OutputSize { expected, got } => write!(
                f,
                "the result has {} x {} pixels, but the output has {} x {}",
                expected.0, expected.1, got.0, got.1
            ),
            PadImageError::Constants => {
                f.write_str("the constant sides differ in their pixels: give them one")
            }
            PadImageError::Channels { count } => write!(f, "pixels have 1 to 8 channels, not {count}"),
            PadImageError::Alpha => {
                f.write_str("the fill is transparent, and the image has no alpha: give an opaque fill, or convert the image")
            }
            PadImageError::Color { fill: [red, green, blue] } => write!(
                f,
                "the fill has red {red}, green {green} and blue {blue} of 65535, and the image is grey: give a grey fill, or \
                 convert the image"
            ),
            PadImageError::ColorType { color } => {
                write!(f, "images of colour type {color:?} are not padded: convert the image first")
            }
        }
    }
}

/// Writes the message.
impl fmt::Debug for PadImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Writes an error about axis 0 or 1 in the terms of an image, such as rows and columns. Other errors keep their text.
fn write_for_image(error: &PadError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let PadError::SizeOverflow { operand, axis: axis @ 0..2, length, .. } = *error {
        let side = ["height", "width"][axis];
        return write!(f, "the {operand} is larger than memory can be, with {side} {length}: add less");
    }
    let (axis, length, AxisPad { low, high, .. }) = match *error {
        PadError::NegativeOutput { axis, length, pad, .. }
        | PadError::AxisOverflow { axis, length, pad }
        | PadError::EmptyWindow { axis, length, pad, .. } => (axis, length, pad),
        PadError::ElementType { .. } | PadError::Cloned { .. } => {
            return f.write_str("the plan is for other pixels: make it with PadImageExt::plan");
        }
        _ => return fmt::Display::fmt(error, f),
    };
    let [side, first, last] =
        if axis == 0 { ["height", "top", "bottom"] } else { ["width", "left", "right"] };
    write!(f, "{side} {length} with {first} {low} and {last} {high} ")?;
    match *error {
        PadError::NegativeOutput { output, .. } => write!(f, "would become {output}: remove less"),
        PadError::EmptyWindow { output, length, .. } => {
            let advice = if length > 0 { "remove less, or use" } else { "use" };
            write!(f, "has no pixel to make {output} from: {advice} a constant border")
        }
        _ => f.write_str("is more than an image can have: add less"),
    }
}

impl core::error::Error for PadImageError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            PadImageError::Pad(error) => Some(error),
            _ => None,
        }
    }
}
