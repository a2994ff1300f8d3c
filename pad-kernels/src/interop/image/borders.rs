//! The arguments of a call: the border of each side, and its number of pixels.

use ::image::Pixel;

use super::error::PadImageError;
use crate::spec::PadMode;

/// What a border is made of, by the names of image processing. [The module](super) has the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Border<P> {
    /// This pixel.
    Constant(P),
    /// The outermost pixel repeated: [`PadMode::Edge`].
    Replicate,
    /// Mirrored, with the outermost pixel repeated: [`PadMode::Symmetric`].
    Reflect,
    /// Mirrored about the outermost pixel, which is not repeated: [`PadMode::Reflect`].
    Reflect101,
    /// From the other side: [`PadMode::Wrap`].
    Wrap,
}

impl<P> Border<P> {
    /// The mode of this border.
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

/// The border of each side. A [`Border`] converts into that border on all of them, and a pair into one for the rows above and
/// below and one for the columns on both sides.
///
/// A corner is made by both of its sides, and constant if one of them is.
///
/// ```
/// use image::{GrayImage, Luma};
/// use pad_kernels::interop::image::{Border, Borders, PadImageExt};
/// // A map of the world: it ends at the poles and goes round the globe.
/// let world = GrayImage::from_raw(3, 1, vec![1, 2, 3]).expect("three pixels");
/// let padded = world.pad(1, (Border::Replicate, Border::Wrap))?;
/// assert_eq!(padded.into_raw(), [3, 1, 2, 3, 1, 3, 1, 2, 3, 1, 3, 1, 2, 3, 1]);
/// let sky = Borders { top: Border::Constant(Luma([9])), ..Border::Replicate.into() };
/// assert_eq!(world.pad(1, sky)?.into_raw(), [9, 9, 9, 9, 9, 1, 1, 2, 3, 3, 1, 1, 2, 3, 3]);
/// # Ok::<(), pad_kernels::interop::image::PadImageError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Borders<P> {
    /// Above.
    pub top: Border<P>,
    /// Below.
    pub bottom: Border<P>,
    /// On the left.
    pub left: Border<P>,
    /// On the right.
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

    /// Returns the pixel of the constant borders, if all of them have the same one.
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
        let differs = |pixel: &P| first.is_some_and(|first| first.channels() != pixel.channels());
        if constant.any(differs) { Err(PadImageError::Constants) } else { Ok(first) }
    }
}

/// Pixels to add on each side, or to remove if negative. A number converts into that many on all sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sides {
    /// Rows above.
    pub top: i64,
    /// Rows below.
    pub bottom: i64,
    /// Columns on the left.
    pub left: i64,
    /// Columns on the right.
    pub right: i64,
}

impl From<i64> for Sides {
    fn from(all: i64) -> Self {
        Sides { top: all, bottom: all, left: all, right: all }
    }
}
