//! Makes plans for images, checks sizes, and runs plans on the samples of an image. A sample is one channel of one pixel. The
//! constant `N` is the number of channels.

use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

use ::image::metadata::Cicp;
use ::image::{ImageBuffer, Pixel};

use super::borders::{Borders, Sides};
use super::error::PadImageError;
use crate::element::Element;
use crate::run::PadPlan;
use crate::spec::{AxisPad, PadSpec};

/// An image that owns its pixels.
pub type Padded<P> = ImageBuffer<P, Vec<<P as Pixel>::Subpixel>>;

/// Returns the samples of the image. The container of the image may be longer.
pub(super) fn samples<P, C>(image: &ImageBuffer<P, C>) -> &[P::Subpixel]
where
    P: Pixel,
    C: Deref<Target = [P::Subpixel]>,
{
    let (width, height) = image.dimensions();
    // This cannot overflow, because the container holds this many samples.
    let len = width as usize * height as usize * usize::from(P::CHANNEL_COUNT);
    &image.as_raw()[..len]
}

pub(super) fn plan<P, const N: usize>(
    (width, height): (u32, u32),
    sides: Sides,
    border: Borders<P>,
) -> Result<PadPlan, PadImageError>
where
    P: Pixel<Subpixel: Element>,
{
    let pads = [AxisPad::new(sides.top, sides.bottom), AxisPad::new(sides.left, sides.right)];
    let Borders { top, bottom, left, right } = &border;
    let modes = [(top.mode(), bottom.mode()), (left.mode(), right.mode())];
    let mut spec = PadSpec::new(modes, pads);
    if let Some(pixel) = border.pixel()? {
        let channels: Option<&[P::Subpixel; N]> = pixel.channels().first_chunk();
        spec = spec.with_fill(*channels.ok_or(PadImageError::Channels { count: P::CHANNEL_COUNT })?);
    }
    Ok(PadPlan::new::<[P::Subpixel; N]>(&spec, &[height as usize, width as usize])?)
}

/// Returns the columns and rows of the result, if the plan is for images of this size.
pub(super) fn sizes(plan: &PadPlan, got: (u32, u32)) -> Result<(usize, usize), PadImageError> {
    let (&[height, width], &[rows, columns]) = (plan.input_shape(), plan.output_shape()) else {
        return Err(PadImageError::NotOfPictures);
    };
    // Strides would change the order of the pixels.
    if plan.has_strides() {
        return Err(PadImageError::NotOfPictures);
    }
    if (width, height) != (got.0 as usize, got.1 as usize) {
        return Err(PadImageError::InputSize { expected: (width, height), got });
    }
    Ok((columns, rows))
}

/// Returns the samples of an output, or an error if it has a wrong size.
pub(super) fn room<'a, P, C>(
    plan: &PadPlan,
    size: (u32, u32),
    output: &'a mut ImageBuffer<P, C>,
) -> Result<&'a mut [P::Subpixel], PadImageError>
where
    P: Pixel,
    C: DerefMut<Target = [P::Subpixel]>,
{
    let (expected, got) = (sizes(plan, size)?, output.dimensions());
    if expected != (got.0 as usize, got.1 as usize) {
        return Err(PadImageError::OutputSize { expected, got });
    }
    let room = samples(output).len();
    Ok(&mut (**output)[..room])
}

/// Returns the columns and rows as `u32`, or an error if an image cannot be so large.
pub(super) fn side_lengths((width, height): (usize, usize)) -> Result<(u32, u32), PadImageError> {
    let lengths = u32::try_from(width).ok().zip(u32::try_from(height).ok());
    lengths.ok_or(PadImageError::TooLarge { width, height })
}

pub(super) fn picture<P: Pixel>(
    (columns, rows): (u32, u32),
    data: Vec<P::Subpixel>,
    space: Cicp,
) -> Result<Padded<P>, PadImageError> {
    let too_large = PadImageError::TooLarge { width: columns as usize, height: rows as usize };
    let mut picture = ImageBuffer::from_raw(columns, rows, data).ok_or(too_large)?;
    // The colour space of another image is valid for this one.
    let _ = picture.set_color_space(space);
    Ok(picture)
}

type Samples<P> = [<P as Pixel>::Subpixel];

pub(super) fn padded<P, const N: usize>(
    plan: &PadPlan,
    data: &Samples<P>,
) -> Result<Vec<P::Subpixel>, PadImageError>
where
    P: Pixel<Subpixel: Element>,
{
    Ok(plan.to_vec(data.as_chunks::<N>().0)?.into_flattened())
}

pub(super) fn pad_to<P, const N: usize>(
    plan: &PadPlan,
    data: &Samples<P>,
    output: &mut Samples<P>,
) -> Result<(), PadImageError>
where
    P: Pixel<Subpixel: Element>,
{
    Ok(plan.run(data.as_chunks::<N>().0, output.as_chunks_mut::<N>().0)?)
}

#[cfg(feature = "rayon")]
pub(super) fn par_padded<P, const N: usize>(
    plan: &PadPlan,
    data: &Samples<P>,
) -> Result<Vec<P::Subpixel>, PadImageError>
where
    P: Pixel<Subpixel: Element + Send + Sync>,
{
    Ok(plan.par_to_vec(data.as_chunks::<N>().0)?.into_flattened())
}

#[cfg(feature = "rayon")]
pub(super) fn par_pad_to<P, const N: usize>(
    plan: &PadPlan,
    data: &Samples<P>,
    output: &mut Samples<P>,
) -> Result<(), PadImageError>
where
    P: Pixel<Subpixel: Element + Send + Sync>,
{
    Ok(plan.par_run(data.as_chunks::<N>().0, output.as_chunks_mut::<N>().0)?)
}
