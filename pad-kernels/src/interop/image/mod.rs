//! `pad` on the pictures of the crate `image`, of any pixel type: feature `image`.
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
//! // A frame of ten pixels, and a crop: sides below zero remove.
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
//! "Reflect" is not the same everywhere: OpenCV's `BORDER_REFLECT` repeats the outermost pixel, and numpy's and torch's
//! `reflect` does not. Borders may be of any length: pictures are mirrored and repeated as often as needed.

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

/// Padding for [`ImageBuffer`]s of any pixel type.
pub trait PadImageExt {
    /// The pixel.
    type Pixel: Pixel;

    /// Pads into a new picture.
    ///
    /// # Errors
    ///
    /// [`PadImageError::Pad`] if more is removed than there is, a picture without pixels is to be extended, or there is
    /// no memory; [`PadImageError::TooLarge`]; [`PadImageError::Constants`].
    fn pad(
        &self,
        sides: impl Into<Sides>,
        border: impl Into<Borders<Self::Pixel>>,
    ) -> Result<Padded<Self::Pixel>, PadImageError>;

    /// Pads into `output`, a picture of the result's size.
    ///
    /// # Errors
    ///
    /// As for [`pad`](PadImageExt::pad), and [`PadImageError::OutputSize`]. Nothing is written then.
    fn pad_into<C>(
        &self,
        sides: impl Into<Sides>,
        border: impl Into<Borders<Self::Pixel>>,
        output: &mut ImageBuffer<Self::Pixel, C>,
    ) -> Result<(), PadImageError>
    where
        C: DerefMut<Target = [<Self::Pixel as Pixel>::Subpixel]>;

    /// The plan for pictures of this size, whose elements are whole pixels: for many pictures, and to choose whether it
    /// [streams](PadPlan::with_streaming) or what [instruction set](PadPlan::with_isa) runs it.
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
    /// As for [`pad`](PadImageExt::pad), but for those of memory.
    fn plan(
        &self,
        sides: impl Into<Sides>,
        border: impl Into<Borders<Self::Pixel>>,
    ) -> Result<PadPlan, PadImageError>;

    /// Pads by a plan into a new picture.
    ///
    /// # Errors
    ///
    /// [`PadImageError::InputSize`], [`PadImageError::NotOfPictures`], [`PadImageError::TooLarge`]; [`PadImageError::Pad`] as
    /// for [`PadPlan::to_vec`].
    fn pad_with_plan(&self, plan: &PadPlan) -> Result<Padded<Self::Pixel>, PadImageError>;

    /// Pads by a plan into `output`, a picture of the result's size.
    ///
    /// # Errors
    ///
    /// As for [`pad_with_plan`](PadImageExt::pad_with_plan), and [`PadImageError::OutputSize`]. Nothing is written then.
    fn pad_with_plan_into<C>(
        &self,
        plan: &PadPlan,
        output: &mut ImageBuffer<Self::Pixel, C>,
    ) -> Result<(), PadImageError>
    where
        C: DerefMut<Target = [<Self::Pixel as Pixel>::Subpixel]>;

    /// [`pad_with_plan`](PadImageExt::pad_with_plan) on the threads of rayon's pool.
    ///
    /// # Errors
    ///
    /// As for [`pad_with_plan`](PadImageExt::pad_with_plan).
    #[cfg(feature = "rayon")]
    fn par_pad_with_plan(&self, plan: &PadPlan) -> Result<Padded<Self::Pixel>, PadImageError>
    where
        <Self::Pixel as Pixel>::Subpixel: Send + Sync;

    /// [`pad_with_plan_into`](PadImageExt::pad_with_plan_into) on the threads of rayon's pool.
    ///
    /// # Errors
    ///
    /// As for [`pad_with_plan_into`](PadImageExt::pad_with_plan_into).
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

/// Calls a function with the number of channels as a constant, because a pixel is copied as a whole.
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
        picture(size, data)
    }

    fn pad_with_plan_into<C>(
        &self,
        plan: &PadPlan,
        output: &mut ImageBuffer<P, C>,
    ) -> Result<(), PadImageError>
    where
        C: DerefMut<Target = [P::Subpixel]>,
    {
        let output = room(plan, self.dimensions(), output)?;
        by_channels!(P, pad_to(plan, samples(self), output))
    }

    #[cfg(feature = "rayon")]
    fn par_pad_with_plan(&self, plan: &PadPlan) -> Result<Padded<P>, PadImageError>
    where
        P::Subpixel: Send + Sync,
    {
        let size = side_lengths(sizes(plan, self.dimensions())?)?;
        let data = by_channels!(P, par_padded(plan, samples(self)))?;
        picture(size, data)
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
        let output = room(plan, self.dimensions(), output)?;
        by_channels!(P, par_pad_to(plan, samples(self), output))
    }
}
