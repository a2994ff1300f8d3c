//! Pads images whose pixel type is known only at run time.

use ::image::{DynamicImage, Rgba};

#[cfg(doc)]
use super::borders::Border;
use super::borders::{Borders, Sides};
use super::error::PadImageError;
use super::{PadImageExt, Padded};

/// Adds the method `pad` to [`DynamicImage`]s. The result has the colour type, the depth and the alpha of the image.
///
/// ```
/// use image::{ColorType, DynamicImage, Rgba};
/// use pad_kernels::interop::image::{Border, PadDynamicImageExt};
/// let clear = Border::Constant(Rgba([0; 4]));
/// let sticker = DynamicImage::new_rgba8(3, 2).pad(1, clear)?;
/// assert_eq!((sticker.width(), sticker.color()), (5, ColorType::Rgba8));
/// let scan = DynamicImage::new_luma16(3, 2).pad(1, Border::Reflect101)?;
/// assert_eq!(scan.color(), ColorType::L16);
/// assert!(scan.pad(1, clear).is_err());
/// # Ok::<(), pad_kernels::interop::image::PadImageError>(())
/// ```
pub trait PadDynamicImageExt {
    /// Pads the image, and returns a new image.
    ///
    /// The crate `image` converts the pixel of a [constant](Border::Constant) border to the colour type of the image. For example, it
    /// rounds channels of 16 bits to 8 bits.
    ///
    /// # Errors
    ///
    /// - The errors of [`PadImageExt::pad`].
    /// - [`PadImageError::Alpha`]: The pixel is not opaque, and the image has no alpha.
    /// - [`PadImageError::Color`]: The pixel is coloured, and the image is grey.
    /// - [`PadImageError::ColorType`]: The library does not know the colour type of the image.
    fn pad(
        &self,
        sides: impl Into<Sides>,
        border: impl Into<Borders<Rgba<u16>>>,
    ) -> Result<DynamicImage, PadImageError>;
}

/// Calls `pad` for the variant of the image, with the pixel converted to this variant.
macro_rules! padded {
    ($image:expr, $sides:expr, $borders:expr, $($variant:ident by $to:ident),*) => {
        match $image {
            $(DynamicImage::$variant(image) => {
                let borders = $borders.map(|pixel| *one(pixel).$to().get_pixel(0, 0));
                image.pad($sides, borders).map(DynamicImage::$variant)
            })*
            other => Err(PadImageError::ColorType { color: other.color() }),
        }
    };
}

impl PadDynamicImageExt for DynamicImage {
    fn pad(
        &self,
        sides: impl Into<Sides>,
        border: impl Into<Borders<Rgba<u16>>>,
    ) -> Result<DynamicImage, PadImageError> {
        let (sides, borders) = (sides.into(), border.into());
        if let Some(Rgba([red, green, blue, alpha])) = borders.pixel()? {
            if alpha < u16::MAX && !self.color().has_alpha() {
                return Err(PadImageError::Alpha);
            }
            if (red != green || green != blue) && !self.color().has_color() {
                return Err(PadImageError::Color { fill: [red, green, blue] });
            }
        }
        padded!(
            self, sides, borders,
            ImageLuma8 by to_luma8, ImageLumaA8 by to_luma_alpha8, ImageRgb8 by to_rgb8, ImageRgba8 by to_rgba8,
            ImageLuma16 by to_luma16, ImageLumaA16 by to_luma_alpha16, ImageRgb16 by to_rgb16, ImageRgba16 by to_rgba16,
            ImageRgb32F by to_rgb32f, ImageRgba32F by to_rgba32f
        )
    }
}

/// Returns an image of one pixel.
fn one(pixel: Rgba<u16>) -> DynamicImage {
    DynamicImage::ImageRgba16(Padded::from_pixel(1, 1, pixel))
}
