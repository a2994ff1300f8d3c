//! Describes the border of each side, and the number of pixels to add.

use ::image::Pixel;

use super::error::PadImageError;
use crate::spec::PadMode;

/// Decides which pixels the border contains, with the names of OpenCV. The documentation of the [module](super) has a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Border<P> {
    /// The border contains this pixel.
    Constant(P),
    /// The border repeats the outermost pixel, as in [`PadMode::Edge`].
    Replicate,
    /// The border mirrors the image and repeats the outermost pixel, as in [`PadMode::Symmetric`].
    Reflect,
    /// The border mirrors the image at the outermost pixel, as in [`PadMode::Reflect`].
    Reflect101,
    /// The border repeats the image, as in [`PadMode::Wrap`].
    Wrap,
}

impl<P> Border<P> {
    /// Returns the mode of this border.
    pub const fn mode(&self) -> PadMode {
        match self {
            Border::Constant(_) => PadMode::Constant,
            Border::Replicate => PadMode::Edge,
            Border::Reflect => PadMode::Symmetric,
            Border::Reflect101 => PadMode::Reflect,
            Border::Wrap => PadMode::Wrap,
        }
    }
}

/// Holds the border of each side. You can convert a single [`Border`] for all sides into this type. You can also convert a pair:
/// the first border is for the top and the bottom, and the second one is for the left and the right.
///
/// A corner combines both of its sides. If one of them is constant, the corner is constant.
///
/// ```
/// use image::{GrayImage, Luma};
/// use pad_kernels::interop::image::{Border, Borders, PadImageExt};
/// // A map of the world ends at the poles and is periodic in the other direction.
/// let world = GrayImage::from_raw(3, 1, vec![1, 2, 3]).expect("three pixels");
/// let padded = world.pad(1, (Border::Replicate, Border::Wrap))?;
/// assert_eq!(padded.into_raw(), [3, 1, 2, 3, 1, 3, 1, 2, 3, 1, 3, 1, 2, 3, 1]);
/// let sky = Borders { top: Border::Constant(Luma([9])), ..Border::Replicate.into() };
/// assert_eq!(world.pad(1, sky)?.into_raw(), [9, 9, 9, 9, 9, 1, 1, 2, 3, 3, 1, 1, 2, 3, 3]);
/// # Ok::<(), pad_kernels::interop::image::PadImageError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Borders<P> {
    /// The border above the image.
    pub top: Border<P>,
    /// The border below the image.
    pub bottom: Border<P>,
    /// The border on the left.
    pub left: Border<P>,
    /// The border on the right.
    pub right: Border<P>,
}

impl<P: Copy> From<Border<P>> for Borders<P> {
    fn from(all: Border<P>) -> Self {
        Borders { top: all, bottom: all, left: all, right: all }
    }
}

impl<P: Copy> From<(Border<P>, Border<P>)> for Borders<P> {
    fn from((rows, columns): (Border<P>, Border<P>)) -> Self {
        Borders { top: rows, bottom: rows, left: columns, right: columns }
    }
}

impl<P: Copy> Borders<P> {
    /// Converts the pixels of constant borders.
    pub(super) fn map<Q>(self, convert: impl Fn(P) -> Q) -> Borders<Q> {
        let one = |border| match border {
            Border::Constant(pixel) => Border::Constant(convert(pixel)),
            Border::Replicate => Border::Replicate,
            Border::Reflect => Border::Reflect,
            Border::Reflect101 => Border::Reflect101,
            Border::Wrap => Border::Wrap,
        };
        let Borders { top, bottom, left, right } = self;
        Borders { top: one(top), bottom: one(bottom), left: one(left), right: one(right) }
    }

    /// Returns the pixel of the constant borders, or an error if two of them differ.
    pub(super) fn pixel(&self) -> Result<Option<P>, PadImageError>
    where
        P: Pixel,
    {
        let pixels = [self.top, self.bottom, self.left, self.right].map(|border| match border {
            Border::Constant(pixel) => Some(pixel),
            _ => None,
        });
        let mut constant = pixels.iter().flatten();
        let first = constant.next().copied();
        // A NaN differs from itself. Two NaNs count as equal, because one pixel is often given for all sides.
        let is_nan = |value: &P::Subpixel| value.partial_cmp(value).is_none();
        let same = |(a, b): (&P::Subpixel, &P::Subpixel)| a == b || is_nan(a) && is_nan(b);
        let differs =
            |pixel: &P| first.is_some_and(|first| !first.channels().iter().zip(pixel.channels()).all(same));
        if constant.any(differs) { Err(PadImageError::Constants) } else { Ok(first) }
    }
}

/// Says how many pixels to add on each side. A negative number removes pixels. You can convert a single number for all sides into
/// this type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sides {
    /// The number of rows to add above.
    pub top: i64,
    /// The number of rows to add below.
    pub bottom: i64,
    /// The number of columns to add on the left.
    pub left: i64,
    /// The number of columns to add on the right.
    pub right: i64,
}

impl From<i64> for Sides {
    fn from(all: i64) -> Self {
        Sides { top: all, bottom: all, left: all, right: all }
    }
}
