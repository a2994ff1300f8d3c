//! Adds the method `pad` to the image buffers of the crate `image`, for any pixel type. Needs the feature `image`.
//!
//! ```
//! use image::{GrayImage, Luma, RgbImage, Rgb};
//! use pad_kernels::interop::image::{Border, PadImageExt, Sides};
//!
//! let row = GrayImage::from_raw(3, 1, vec![1, 2, 3]).expect("three pixels");
//! let wide = Sides { left: 2, right: 2, ..Sides::default() };
//! assert_eq!(row.pad(wide, Border::Constant(Luma([9])))?.into_raw(), [9, 9, 1, 2, 3, 9, 9]);
//! assert_eq!(row.pad(wide, Border::Replicate)?.into_raw(), [1, 1, 1, 2, 3, 3, 3]);
//! assert_eq!(row.pad(wide, Border::Reflect)?.into_raw(), [2, 1, 1, 2, 3, 3, 2]);
//! assert_eq!(row.pad(wide, Border::Reflect101)?.into_raw(), [3, 2, 1, 2, 3, 2, 1]);
//! assert_eq!(row.pad(wide, Border::Wrap)?.into_raw(), [2, 3, 1, 2, 3, 1, 2]);
//!
//! // Adds a frame of ten pixels, and then crops it with a negative width.
//! let framed = RgbImage::new(640, 480).pad(10, Border::Constant(Rgb([255, 0, 0])))?;
//! assert_eq!(framed.dimensions(), (660, 500));
//! assert_eq!(framed.pad(-10, Border::Replicate)?.dimensions(), (640, 480));
//! # Ok::<(), pad_kernels::interop::image::PadImageError>(())
//! ```
//!
//! [`PadDynamicImageExt`] pads a [`DynamicImage`](::image::DynamicImage), and keeps its colour type, depth and alpha.
//!
//! # Names
//!
//! | border | OpenCV | [`PadMode`](crate::PadMode) | `a b c` with 4 on both sides |
//! |---|---|---|---|
//! | [`Constant`](Border::Constant) | `BORDER_CONSTANT` | constant | `. . . .  a b c  . . . .` |
//! | [`Replicate`](Border::Replicate) | `BORDER_REPLICATE` | edge | `a a a a  a b c  c c c c` |
//! | [`Reflect`](Border::Reflect) | `BORDER_REFLECT` | **symmetric** | `c c b a  a b c  c b a a` |
//! | [`Reflect101`](Border::Reflect101) | `BORDER_REFLECT_101`, `BORDER_DEFAULT` | **reflect** | `a b c b  a b c  b a b c` |
//! | [`Wrap`](Border::Wrap) | `BORDER_WRAP` | wrap | `c a b c  a b c  a b c a` |
//!
//! The name "reflect" has two meanings. OpenCV's `BORDER_REFLECT` repeats the outermost pixel, and the mode `reflect` of numpy and torch
//! does not. Borders may be longer than the image. The image is then mirrored or repeated several times.

mod borders;
mod dynamic;
mod error;
mod pictures;
#[cfg(test)]
mod tests;

use core::ops::{Deref, DerefMut};

use ::image::{ImageBuffer, Pixel};

pub use self::borders::{Border, Borders, Sides};
pub use self::dynamic::PadDynamicImageExt;
pub use self::error::PadImageError;
pub use self::pictures::Padded;
use self::pictures::{pad_to, padded, picture, plan, room, samples, side_lengths, sizes};
#[cfg(feature = "rayon")]
use self::pictures::{par_pad_to, par_padded};
use crate::element::Element;
use crate::run::PadPlan;

/// Adds methods that pad an [`ImageBuffer`] of any pixel type.
pub trait PadImageExt {
    /// The type of the pixels.
    type Pixel: Pixel;

    /// Pads the image, and returns a new image.
    ///
    /// # Errors
    ///
    /// - [`PadImageError::Pad`]: A crop is larger than the image, an image without pixels gets a border, or there is not enough memory.
    /// - [`PadImageError::TooLarge`]: The result has more rows or columns than an image can have.
    /// - [`PadImageError::Constants`]: Two sides are constant and have different pixels.
    /// - [`PadImageError::Channels`]: A pixel does not have 1 to 8 channels.
    fn pad(
        &self,
        sides: impl Into<Sides>,
        border: impl Into<Borders<Self::Pixel>>,
    ) -> Result<Padded<Self::Pixel>, PadImageError>;

    /// Pads the image, and writes the result to `output`, which must have the size of the result.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad`](PadImageExt::pad), and [`PadImageError::OutputSize`].
    fn pad_into<C>(
        &self,
        sides: impl Into<Sides>,
        border: impl Into<Borders<Self::Pixel>>,
        output: &mut ImageBuffer<Self::Pixel, C>,
    ) -> Result<(), PadImageError>
    where
        C: DerefMut<Target = [<Self::Pixel as Pixel>::Subpixel]>;

    /// Makes a plan for images of the size of this image. An element of the plan is a whole pixel. A plan saves time if you pad many images
    /// of one size.
    ///
    /// ```
    /// use image::GrayImage;
    /// use pad_kernels::interop::image::{Border, PadImageExt};
    /// let frames = [GrayImage::new(64, 48), GrayImage::new(64, 48)];
    /// let plan = frames[0].plan(3, Border::Reflect101)?;
    /// let mut padded = GrayImage::new(70, 54);
    /// for frame in &frames {
    ///     frame.pad_with_plan_into(&plan, &mut padded)?;
    /// }
    /// # Ok::<(), pad_kernels::interop::image::PadImageError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad`](PadImageExt::pad), except those about memory and [`PadImageError::TooLarge`].
    fn plan(
        &self,
        sides: impl Into<Sides>,
        border: impl Into<Borders<Self::Pixel>>,
    ) -> Result<PadPlan, PadImageError>;

    /// Pads the image with a plan, and returns a new image in the colour space of this one.
    ///
    /// # Errors
    ///
    /// Returns [`PadImageError::InputSize`], [`PadImageError::NotOfPictures`] or [`PadImageError::TooLarge`] if the plan does
    /// not fit the image. Returns [`PadImageError::Pad`] for the errors of [`PadPlan::to_vec`], such as a plan for other pixels.
    fn pad_with_plan(&self, plan: &PadPlan) -> Result<Padded<Self::Pixel>, PadImageError>;

    /// Pads the image with a plan, and writes the result to `output`, which must have the size of the result.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad_with_plan`](PadImageExt::pad_with_plan), and [`PadImageError::OutputSize`].
    fn pad_with_plan_into<C>(
        &self,
        plan: &PadPlan,
        output: &mut ImageBuffer<Self::Pixel, C>,
    ) -> Result<(), PadImageError>
    where
        C: DerefMut<Target = [<Self::Pixel as Pixel>::Subpixel]>;

    /// Pads the image as [`pad_with_plan`](PadImageExt::pad_with_plan) does, on the threads of the current rayon pool.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad_with_plan`](PadImageExt::pad_with_plan).
    #[cfg(feature = "rayon")]
    fn par_pad_with_plan(&self, plan: &PadPlan) -> Result<Padded<Self::Pixel>, PadImageError>
    where
        <Self::Pixel as Pixel>::Subpixel: Send + Sync;

    /// Pads the image as [`pad_with_plan_into`](PadImageExt::pad_with_plan_into) does, on the threads of the current rayon
    /// pool.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`pad_with_plan_into`](PadImageExt::pad_with_plan_into).
    #[cfg(feature = "rayon")]
    fn par_pad_with_plan_into<C>(
        &self,
        plan: &PadPlan,
        output: &mut ImageBuffer<Self::Pixel, C>,
    ) -> Result<(), PadImageError>
    where
        C: DerefMut<Target = [<Self::Pixel as Pixel>::Subpixel]>,
        <Self::Pixel as Pixel>::Subpixel: Send + Sync;
}

/// Calls a function with the number of channels as a constant, so that a pixel is copied as a whole.
macro_rules! by_channels {
    ($pixel:ty, $with:ident($($argument:expr),*)) => {
        match <$pixel>::CHANNEL_COUNT {
            1 => $with::<$pixel, 1>($($argument),*),
            2 => $with::<$pixel, 2>($($argument),*),
            3 => $with::<$pixel, 3>($($argument),*),
            4 => $with::<$pixel, 4>($($argument),*),
            5 => $with::<$pixel, 5>($($argument),*),
            6 => $with::<$pixel, 6>($($argument),*),
            7 => $with::<$pixel, 7>($($argument),*),
            8 => $with::<$pixel, 8>($($argument),*),
            count => Err(PadImageError::Channels { count }),
        }
    };
}

impl<P, Container> PadImageExt for ImageBuffer<P, Container>
where
    P: Pixel<Subpixel: Element>,
    Container: Deref<Target = [P::Subpixel]>,
{
    type Pixel = P;

    fn pad(
        &self,
        sides: impl Into<Sides>,
        border: impl Into<Borders<P>>,
    ) -> Result<Padded<P>, PadImageError> {
        self.pad_with_plan(&self.plan(sides, border)?)
    }

    fn pad_into<C>(
        &self,
        sides: impl Into<Sides>,
        border: impl Into<Borders<P>>,
        output: &mut ImageBuffer<P, C>,
    ) -> Result<(), PadImageError>
    where
        C: DerefMut<Target = [P::Subpixel]>,
    {
        self.pad_with_plan_into(&self.plan(sides, border)?, output)
    }

    fn plan(&self, sides: impl Into<Sides>, border: impl Into<Borders<P>>) -> Result<PadPlan, PadImageError> {
        by_channels!(P, plan(self.dimensions(), sides.into(), border.into()))
    }

    fn pad_with_plan(&self, plan: &PadPlan) -> Result<Padded<P>, PadImageError> {
        let size = side_lengths(sizes(plan, self.dimensions())?)?;
        let data = by_channels!(P, padded(plan, samples(self)))?;
        picture(size, data, self.color_space())
    }

    fn pad_with_plan_into<C>(
        &self,
        plan: &PadPlan,
        output: &mut ImageBuffer<P, C>,
    ) -> Result<(), PadImageError>
    where
        C: DerefMut<Target = [P::Subpixel]>,
    {
        let room = room(plan, self.dimensions(), output)?;
        by_channels!(P, pad_to(plan, samples(self), room))?;
        // The colour space of another image is valid for this one.
        let _ = output.set_color_space(self.color_space());
        Ok(())
    }

    #[cfg(feature = "rayon")]
    fn par_pad_with_plan(&self, plan: &PadPlan) -> Result<Padded<P>, PadImageError>
    where
        P::Subpixel: Send + Sync,
    {
        let size = side_lengths(sizes(plan, self.dimensions())?)?;
        let data = by_channels!(P, par_padded(plan, samples(self)))?;
        picture(size, data, self.color_space())
    }

    #[cfg(feature = "rayon")]
    fn par_pad_with_plan_into<C>(
        &self,
        plan: &PadPlan,
        output: &mut ImageBuffer<P, C>,
    ) -> Result<(), PadImageError>
    where
        C: DerefMut<Target = [P::Subpixel]>,
        P::Subpixel: Send + Sync,
    {
        let room = room(plan, self.dimensions(), output)?;
        by_channels!(P, par_pad_to(plan, samples(self), room))?;
        // The colour space of another image is valid for this one.
        let _ = output.set_color_space(self.color_space());
        Ok(())
    }
}
