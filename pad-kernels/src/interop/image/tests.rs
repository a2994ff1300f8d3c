//! Compares every border with OpenCV's formula, and tests refused calls.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use ::image::{GrayAlphaImage, ImageBuffer, Luma, LumaA, Pixel, Primitive, Rgb, Rgba};

use super::*;
use crate::error::PadError;
use crate::spec::{PadMode, PadSpec};
use crate::view::Strides;

/// Returns an image whose pixels all differ.
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

/// OpenCV's function `borderInterpolate`. Returns the source index of position `p`, or `None` for a constant border.
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
                // In wrap mode, a border cannot contain cropped rows. The tests of modes cover this case.
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
                assert!(image.pad_with_plan(&plan).unwrap() == padded, "{border:?} {sides:?}");
                #[cfg(feature = "rayon")]
                {
                    let mut output = ImageBuffer::new(size.0, size.1);
                    image.par_pad_with_plan_into(&plan, &mut output).unwrap();
                    assert!(output == padded, "{border:?} {sides:?}");
                    assert!(image.par_pad_with_plan(&plan).unwrap() == padded, "{border:?} {sides:?}");
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
    let refused = image.pad_with_plan(&plan).unwrap_err();
    assert_eq!(refused.to_string(), "the plan was made for 3 x 3 pixels, but the picture has 2 x 3");
    let of_three_axes =
        PadPlan::new::<[u8; 2]>(&PadSpec::new(PadMode::Wrap, [(0, 0); 3]), &[1, 3, 2]).unwrap();
    assert_eq!(image.pad_with_plan(&of_three_axes), Err(PadImageError::NotOfPictures));
    let plan = image.plan(1, Border::Wrap).unwrap();
    let strides = Strides::column_major(plan.output_shape());
    let of_columns = plan.with_strides(&Strides::row_major(plan.input_shape()), &strides).unwrap();
    assert_eq!(image.pad_with_plan(&of_columns), Err(PadImageError::NotOfPictures));
    let of_colours = ::image::RgbImage::new(2, 3).plan(1, Border::Wrap).unwrap();
    let refused = image.pad_with_plan(&of_colours).unwrap_err();
    assert!(matches!(refused, PadImageError::Pad(PadError::ElementType { .. })));
    assert_eq!(refused.to_string(), "the plan is for other pixels: make it with PadImageExt::plan");
    assert!(matches!(
        image.pad(-2, Border::Wrap),
        Err(PadImageError::Pad(PadError::NegativeOutput { axis: 0, .. }))
    ));
    let empty = GrayAlphaImage::new(0, 3).pad(1, Border::Wrap).unwrap_err();
    assert!(matches!(empty, PadImageError::Pad(_)) && core::error::Error::source(&empty).is_some());
    assert!(core::error::Error::source(&PadImageError::Constants).is_none());
    let two = Borders { top: Border::Constant(LumaA([1, 2])), ..Border::Constant(LumaA([1, 3])).into() };
    assert_eq!(image.pad(1, two), Err(PadImageError::Constants));
    let wide = Sides { left: 1 << 33, top: -3, ..Sides::default() };
    let refused = image.pad(wide, Border::Wrap).unwrap_err();
    // With 32-bit sizes, an axis overflows before an image does.
    match usize::BITS {
        32 => assert!(matches!(refused, PadImageError::Pad(PadError::AxisOverflow { .. })), "{refused}"),
        _ => assert!(matches!(refused, PadImageError::TooLarge { height: 0, .. }), "{refused}"),
    }
    assert_eq!(
        image.pad(Sides { top: -3, ..Sides::default() }, Border::Wrap).unwrap().into_raw(),
        vec![0u8; 0]
    );
}

#[test]
fn dynamic_images_keep_their_colour_type() {
    use ::image::{ColorType, DynamicImage};

    use super::PadDynamicImageExt;

    let borders = |fill| Borders {
        top: Border::Constant(Rgba(fill)),
        bottom: Border::Wrap,
        left: Border::Replicate,
        right: Border::Reflect,
    };
    let sides = Sides { top: 1, bottom: 2, left: 3, right: 4 };
    let pixel = |x: u32, y: u32| Rgba([x * 999, y * 777, x * y * 99, 60000].map(|sample| sample as u16));
    let picture: ImageBuffer<Rgba<u16>, Vec<u16>> = ImageBuffer::from_fn(5, 4, pixel);
    let wanted = |fill| DynamicImage::from(PadImageExt::pad(&picture, sides, borders(fill)).unwrap());
    let [coloured, grey] = [[65535, 0, 0x8080, 65535], [0x8080, 0x8080, 0x8080, 65535]];
    let wanted = [wanted(coloured), wanted(grey)];
    let picture = DynamicImage::from(picture);
    type Convert = fn(&DynamicImage) -> DynamicImage;
    let conversions: [(ColorType, Convert); 10] = [
        (ColorType::L8, |image| image.to_luma8().into()),
        (ColorType::La8, |image| image.to_luma_alpha8().into()),
        (ColorType::Rgb8, |image| image.to_rgb8().into()),
        (ColorType::Rgba8, |image| image.to_rgba8().into()),
        (ColorType::L16, |image| image.to_luma16().into()),
        (ColorType::La16, |image| image.to_luma_alpha16().into()),
        (ColorType::Rgb16, |image| image.to_rgb16().into()),
        (ColorType::Rgba16, |image| image.to_rgba16().into()),
        (ColorType::Rgb32F, |image| image.to_rgb32f().into()),
        (ColorType::Rgba32F, |image| image.to_rgba32f().into()),
    ];
    for (colour, convert) in conversions {
        for (fill, wanted) in [coloured, grey].into_iter().zip(&wanted) {
            let padded = convert(&picture).pad(sides, borders(fill));
            if fill == coloured && !colour.has_color() {
                assert_eq!(
                    padded.err(),
                    Some(PadImageError::Color { fill: [65535, 0, 0x8080] }),
                    "{colour:?}"
                );
                continue;
            }
            let padded = padded.unwrap();
            assert_eq!(padded.color(), colour);
            // The image that is converted and then padded must equal the image that is padded and then converted.
            assert!(padded == convert(wanted), "{colour:?}");
        }
        let clear = Border::Constant(Rgba([0, 0, 0, 65534]));
        let refused = convert(&picture).pad(1, clear).err();
        assert_eq!(refused, (!colour.has_alpha()).then_some(PadImageError::Alpha), "{colour:?}");
    }
}

#[test]
fn pixels_of_nan_are_one_pixel() {
    let pixel = Rgb([f32::NAN, 0.0, 1.0]);
    let padded = picture::<Rgb<f32>>(2, 2, |i| i as f32).pad(1, Border::Constant(pixel)).unwrap();
    assert!(padded.get_pixel(3, 3)[0].is_nan() && padded.get_pixel(3, 3)[2] == 1.0);
}

#[test]
fn padded_images_keep_their_colour_space() {
    let mut image = picture::<Rgb<u8>>(2, 2, |i| i as u8);
    image.set_color_space(::image::metadata::Cicp::DISPLAY_P3).unwrap();
    let padded = image.pad(1, Border::Replicate).unwrap();
    let mut into = ::image::RgbImage::new(4, 4);
    image.pad_into(1, Border::Replicate, &mut into).unwrap();
    assert_eq!([padded.color_space(), into.color_space()], [::image::metadata::Cicp::DISPLAY_P3; 2]);
}
