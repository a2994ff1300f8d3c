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
//! # Names
//!
//! | border | OpenCV | [`PadMode`] | `a b c` with 4 on both sides |
//! |---|---|---|---|
//! | [`Constant`](Border::Constant) | `BORDER_CONSTANT` | constant | `. . . .  a b c  . . . .` |
//! | [`Replicate`](Border::Replicate) | `BORDER_REPLICATE` | edge | `a a a a  a b c  c c c c` |
//! | [`Reflect`](Border::Reflect) | `BORDER_REFLECT` | **symmetric** | `c c b a  a b c  c b a a` |
//! | [`Reflect101`](Border::Reflect101) | `BORDER_REFLECT_101`, `BORDER_DEFAULT` | **reflect** | `a b c b  a b c  b a b c` |
//! | [`Wrap`](Border::Wrap) | `BORDER_WRAP` | wrap | `c a b c  a b c  a b c a` |
//!
//! "Reflect" is not the same everywhere: OpenCV's `BORDER_REFLECT` repeats the outermost pixel, and numpy's and torch's
//! `reflect` does not. Borders may be of any length: pictures are mirrored and repeated as often as needed.

use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, DerefMut};

use ::image::{ImageBuffer, Pixel};

use crate::element::Element;
use crate::error::PadError;
use crate::run::PadPlan;
use crate::spec::{AxisPad, PadMode, PadSpec};

/// What a border is made of, by the names of image processing. [The module](self) has the table.
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
    /// The pixel of those that are constant, if they are of one.
    fn pixel(&self) -> Result<Option<P>, PadImageError>
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

/// Why a picture was not padded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PadImageError {
    /// The request cannot be fulfilled. Axis 0 is the rows, axis 1 the columns.
    Pad(PadError),
    /// The result has more pixels a side than a picture can.
    TooLarge {
        /// The result's columns.
        width: usize,
        /// The result's rows.
        height: usize,
    },
    /// The picture is not of the size that the plan was made for.
    InputSize {
        /// The plan's columns and rows.
        expected: (usize, usize),
        /// The picture's columns and rows.
        got: (u32, u32),
    },
    /// The plan is none of [`PadImageExt::plan`]: it has not two axes.
    NotOfPictures,
    /// The output is not of the result's size.
    OutputSize {
        /// The result's columns and rows.
        expected: (usize, usize),
        /// The output's columns and rows.
        got: (u32, u32),
    },
    /// Two sides are constant, and of different pixels.
    Constants,
    /// A pixel of this many channels, which are 1 to 8.
    Channels {
        /// Channels of a pixel.
        count: u8,
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
            PadImageError::Pad(error) => error.fmt(f),
            PadImageError::TooLarge { width, height } => {
                write!(f, "the result has {width} x {height} pixels, more than {} a side", u32::MAX)
            }
            PadImageError::InputSize { expected, got } => write!(
                f,
                "the plan was made for {} x {} pixels, but the picture has {} x {}",
                expected.0, expected.1, got.0, got.1
            ),
            PadImageError::NotOfPictures => f.write_str("the plan is for a tensor of other than two axes"),
            PadImageError::OutputSize { expected, got } => write!(
                f,
                "the result has {} x {} pixels, but the output has {} x {}",
                expected.0, expected.1, got.0, got.1
            ),
            PadImageError::Constants => {
                f.write_str("the constant sides differ in their pixels: give them one")
            }
            PadImageError::Channels { count } => write!(f, "pixels have 1 to 8 channels, not {count}"),
        }
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

/// A picture that owns its pixels.
pub type Padded<P> = ImageBuffer<P, Vec<<P as Pixel>::Subpixel>>;

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
    ///     frame.pad_by_into(&plan, &mut padded)?;
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
    fn pad_by(&self, plan: &PadPlan) -> Result<Padded<Self::Pixel>, PadImageError>;

    /// Pads by a plan into `output`, a picture of the result's size.
    ///
    /// # Errors
    ///
    /// As for [`pad_by`](PadImageExt::pad_by), and [`PadImageError::OutputSize`]. Nothing is written then.
    fn pad_by_into<C>(
        &self,
        plan: &PadPlan,
        output: &mut ImageBuffer<Self::Pixel, C>,
    ) -> Result<(), PadImageError>
    where
        C: DerefMut<Target = [<Self::Pixel as Pixel>::Subpixel]>;

    /// [`pad_by`](PadImageExt::pad_by) on the threads of rayon's pool.
    ///
    /// # Errors
    ///
    /// As for [`pad_by`](PadImageExt::pad_by).
    #[cfg(feature = "rayon")]
    fn par_pad_by(&self, plan: &PadPlan) -> Result<Padded<Self::Pixel>, PadImageError>
    where
        <Self::Pixel as Pixel>::Subpixel: Send + Sync;

    /// [`pad_by_into`](PadImageExt::pad_by_into) on the threads of rayon's pool.
    ///
    /// # Errors
    ///
    /// As for [`pad_by_into`](PadImageExt::pad_by_into).
    #[cfg(feature = "rayon")]
    fn par_pad_by_into<C>(
        &self,
        plan: &PadPlan,
        output: &mut ImageBuffer<Self::Pixel, C>,
    ) -> Result<(), PadImageError>
    where
        C: DerefMut<Target = [<Self::Pixel as Pixel>::Subpixel]>,
        <Self::Pixel as Pixel>::Subpixel: Send + Sync;
}

/// A pixel moves as a whole: what to do for each number of channels there may be.
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
        self.pad_by(&self.plan(sides, border)?)
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
        self.pad_by_into(&self.plan(sides, border)?, output)
    }

    fn plan(&self, sides: impl Into<Sides>, border: impl Into<Borders<P>>) -> Result<PadPlan, PadImageError> {
        by_channels!(P, plan(self.dimensions(), sides.into(), border.into()))
    }

    fn pad_by(&self, plan: &PadPlan) -> Result<Padded<P>, PadImageError> {
        let size = side_lengths(sizes(plan, self.dimensions())?)?;
        let data = by_channels!(P, padded(plan, samples(self)))?;
        picture(size, data)
    }

    fn pad_by_into<C>(&self, plan: &PadPlan, output: &mut ImageBuffer<P, C>) -> Result<(), PadImageError>
    where
        C: DerefMut<Target = [P::Subpixel]>,
    {
        let output = room(plan, self.dimensions(), output)?;
        by_channels!(P, pad_to(plan, samples(self), output))
    }

    #[cfg(feature = "rayon")]
    fn par_pad_by(&self, plan: &PadPlan) -> Result<Padded<P>, PadImageError>
    where
        P::Subpixel: Send + Sync,
    {
        let size = side_lengths(sizes(plan, self.dimensions())?)?;
        let data = by_channels!(P, par_padded(plan, samples(self)))?;
        picture(size, data)
    }

    #[cfg(feature = "rayon")]
    fn par_pad_by_into<C>(&self, plan: &PadPlan, output: &mut ImageBuffer<P, C>) -> Result<(), PadImageError>
    where
        C: DerefMut<Target = [P::Subpixel]>,
        P::Subpixel: Send + Sync,
    {
        let output = room(plan, self.dimensions(), output)?;
        by_channels!(P, par_pad_to(plan, samples(self), output))
    }
}

/// The picture's own samples: its container may be longer.
fn samples<P, C>(image: &ImageBuffer<P, C>) -> &[P::Subpixel]
where
    P: Pixel,
    C: Deref<Target = [P::Subpixel]>,
{
    let (width, height) = image.dimensions();
    // Not longer than a slice, so no overflow.
    let len = width as usize * height as usize * usize::from(P::CHANNEL_COUNT);
    &image.as_raw()[..len]
}

fn plan<P, const N: usize>(
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

/// The columns and rows of the result, if the plan is one for pictures of this size.
fn sizes(plan: &PadPlan, got: (u32, u32)) -> Result<(usize, usize), PadImageError> {
    let (&[height, width], &[rows, columns]) = (plan.input_shape(), plan.output_shape()) else {
        return Err(PadImageError::NotOfPictures);
    };
    if (width, height) != (got.0 as usize, got.1 as usize) {
        return Err(PadImageError::InputSize { expected: (width, height), got });
    }
    Ok((columns, rows))
}

/// The samples of an output of the right size.
fn room<'a, P, C>(
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

/// The columns and rows of a picture, if one can have so many.
fn side_lengths((width, height): (usize, usize)) -> Result<(u32, u32), PadImageError> {
    let lengths = u32::try_from(width).ok().zip(u32::try_from(height).ok());
    lengths.ok_or(PadImageError::TooLarge { width, height })
}

fn picture<P: Pixel>(
    (columns, rows): (u32, u32),
    data: Vec<P::Subpixel>,
) -> Result<Padded<P>, PadImageError> {
    let too_large = PadImageError::TooLarge { width: columns as usize, height: rows as usize };
    ImageBuffer::from_raw(columns, rows, data).ok_or(too_large)
}

type Samples<P> = [<P as Pixel>::Subpixel];

fn padded<P, const N: usize>(plan: &PadPlan, data: &Samples<P>) -> Result<Vec<P::Subpixel>, PadImageError>
where
    P: Pixel<Subpixel: Element>,
{
    Ok(plan.to_vec(data.as_chunks::<N>().0)?.into_flattened())
}

fn pad_to<P, const N: usize>(
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
fn par_padded<P, const N: usize>(plan: &PadPlan, data: &Samples<P>) -> Result<Vec<P::Subpixel>, PadImageError>
where
    P: Pixel<Subpixel: Element + Send + Sync>,
{
    Ok(plan.par_to_vec(data.as_chunks::<N>().0)?.into_flattened())
}

#[cfg(feature = "rayon")]
fn par_pad_to<P, const N: usize>(
    plan: &PadPlan,
    data: &Samples<P>,
    output: &mut Samples<P>,
) -> Result<(), PadImageError>
where
    P: Pixel<Subpixel: Element + Send + Sync>,
{
    Ok(plan.par_run(data.as_chunks::<N>().0, output.as_chunks_mut::<N>().0)?)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use ::image::{GrayAlphaImage, ImageBuffer, Luma, LumaA, Pixel, Primitive, Rgb, Rgba};

    use super::*;

    /// A picture of pixels that all differ.
    fn picture<P: Pixel>(
        width: u32,
        height: u32,
        sample: impl Fn(usize) -> P::Subpixel,
    ) -> ImageBuffer<P, Vec<P::Subpixel>>
    where
        P::Subpixel: Primitive,
    {
        let len = width as usize * height as usize * usize::from(P::CHANNEL_COUNT);
        ImageBuffer::from_raw(width, height, (0..len).map(sample).collect()).unwrap()
    }

    /// Where OpenCV's borderInterpolate looks.
    fn interpolate<P>(p: i64, len: i64, border: &Border<P>) -> Option<i64> {
        let mut p = p;
        match border {
            Border::Constant(_) => (0..len).contains(&p).then_some(p),
            Border::Replicate => Some(p.clamp(0, len - 1)),
            Border::Wrap => Some(p.rem_euclid(len)),
            Border::Reflect | Border::Reflect101 => {
                let delta = i64::from(matches!(border, Border::Reflect101));
                if len == 1 {
                    return Some(0);
                }
                while !(0..len).contains(&p) {
                    p = if p < 0 { -p - 1 + delta } else { 2 * len - 1 - p - delta };
                }
                Some(p)
            }
        }
    }

    fn check<P: Pixel<Subpixel: Element + Send + Sync> + PartialEq + fmt::Debug>(
        sample: impl Fn(usize) -> P::Subpixel,
        fill: P,
    ) {
        let borders =
            [Border::Constant(fill), Border::Replicate, Border::Reflect, Border::Reflect101, Border::Wrap];
        for (width, height) in [(5, 3), (1, 4), (70, 2)] {
            let image = picture::<P>(width, height, &sample);
            for border in borders {
                for sides in [
                    Sides::from(0),
                    Sides::from(2),
                    Sides { top: 7, bottom: 0, left: 11, right: 3 },
                    Sides { top: -1, bottom: 9, left: 0, right: 1 },
                ] {
                    let padded = image.pad(sides, border).unwrap();
                    let size = (
                        (i64::from(width) + sides.left + sides.right) as u32,
                        (i64::from(height) + sides.top + sides.bottom) as u32,
                    );
                    assert_eq!(padded.dimensions(), size);
                    // In wrap mode rows that are removed are gone; that is tested where the modes are.
                    if sides.top < 0 && border.mode() == PadMode::Wrap {
                        continue;
                    }
                    for (x, y, pixel) in padded.enumerate_pixels() {
                        let x = interpolate(i64::from(x) - sides.left, width.into(), &border);
                        let y = interpolate(i64::from(y) - sides.top, height.into(), &border);
                        let wanted = x.zip(y).map_or(fill, |(x, y)| *image.get_pixel(x as u32, y as u32));
                        assert_eq!(*pixel, wanted, "{border:?} {sides:?}");
                    }
                    let mut output = ImageBuffer::new(size.0, size.1);
                    image.pad_into(sides, border, &mut output).unwrap();
                    assert!(output == padded, "{border:?} {sides:?}");
                    let plan = image.plan(sides, border).unwrap();
                    assert!(image.pad_by(&plan).unwrap() == padded, "{border:?} {sides:?}");
                    #[cfg(feature = "rayon")]
                    {
                        let mut output = ImageBuffer::new(size.0, size.1);
                        image.par_pad_by_into(&plan, &mut output).unwrap();
                        assert!(output == padded, "{border:?} {sides:?}");
                        assert!(image.par_pad_by(&plan).unwrap() == padded, "{border:?} {sides:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn borders_are_opencvs() {
        check::<Luma<u8>>(|i| i as u8, Luma([200]));
        check::<Rgb<u8>>(|i| i as u8, Rgb([1, 2, 3]));
        check::<Rgba<u16>>(|i| (i * 257) as u16, Rgba([1, 2, 3, 4]));
        check::<Rgb<f32>>(|i| i as f32 * 0.5, Rgb([-0.5, 1e9, f32::MIN_POSITIVE]));
    }

    #[test]
    fn containers_may_be_slices_and_longer_than_the_picture() {
        let raw = [1u8, 2, 3, 4, 99];
        let image: ImageBuffer<Luma<u8>, &[u8]> = ImageBuffer::from_raw(2, 2, &raw[..]).unwrap();
        assert_eq!(
            image.pad(Sides { left: 1, ..Sides::default() }, Border::Replicate).unwrap().into_raw(),
            [1, 1, 2, 3, 3, 4]
        );
        let mut raw = [0u8; 8];
        let mut output: ImageBuffer<Luma<u8>, &mut [u8]> = ImageBuffer::from_raw(3, 2, &mut raw[..]).unwrap();
        image.pad_into(Sides { right: 1, ..Sides::default() }, Border::Wrap, &mut output).unwrap();
        assert_eq!(raw, [1, 2, 1, 3, 4, 3, 0, 0]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let image = GrayAlphaImage::new(2, 3);
        let mut small = GrayAlphaImage::new(2, 2);
        let refused = image.pad_into(1, Border::Wrap, &mut small).unwrap_err();
        assert_eq!(refused.to_string(), "the result has 4 x 5 pixels, but the output has 2 x 2");
        let plan = GrayAlphaImage::new(3, 3).plan(1, Border::Wrap).unwrap();
        let refused = image.pad_by(&plan).unwrap_err();
        assert_eq!(refused.to_string(), "the plan was made for 3 x 3 pixels, but the picture has 2 x 3");
        let of_three_axes =
            PadPlan::new::<[u8; 2]>(&PadSpec::new(PadMode::Wrap, [(0, 0); 3]), &[1, 3, 2]).unwrap();
        assert_eq!(image.pad_by(&of_three_axes), Err(PadImageError::NotOfPictures));
        let of_colours = ::image::RgbImage::new(2, 3).plan(1, Border::Wrap).unwrap();
        assert!(matches!(image.pad_by(&of_colours), Err(PadImageError::Pad(PadError::ElementType { .. }))));
        assert!(matches!(
            image.pad(-2, Border::Wrap),
            Err(PadImageError::Pad(PadError::NegativeOutput { axis: 0, .. }))
        ));
        assert!(matches!(GrayAlphaImage::new(0, 3).pad(1, Border::Wrap), Err(PadImageError::Pad(_))));
        let two = Borders { top: Border::Constant(LumaA([1, 2])), ..Border::Constant(LumaA([1, 3])).into() };
        assert_eq!(image.pad(1, two), Err(PadImageError::Constants));
        let wide = Sides { left: 1 << 33, top: -3, ..Sides::default() };
        let refused = image.pad(wide, Border::Wrap).unwrap_err();
        // Where sizes have 32 bits they end before those of images do.
        match usize::BITS {
            32 => assert!(matches!(refused, PadImageError::Pad(PadError::AxisOverflow { .. })), "{refused}"),
            _ => assert!(matches!(refused, PadImageError::TooLarge { height: 0, .. }), "{refused}"),
        }
        assert_eq!(
            image.pad(Sides { top: -3, ..Sides::default() }, Border::Wrap).unwrap().into_raw(),
            vec![0u8; 0]
        );
    }
}
