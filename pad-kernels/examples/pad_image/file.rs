//! Reads and writes image files with their colour type, depth, alpha, orientation and colour profile.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io::{BufReader, Cursor, Error as IoError, Write as _};
use std::path::Path;

use image::codecs::{bmp, gif, jpeg, png, tiff, webp};
use image::error::{ImageError, ImageFormatHint};
use image::{DynamicImage, ImageDecoder, ImageEncoder, ImageFormat, ImageReader, ImageResult};

use crate::unfinished::{Unfinished, check_file};

/// The quality of JPEG files, from 1 to 100. The default of the crate `image` is 75, which visibly degrades an image that was a
/// JPEG before.
const QUALITY: u8 = 95;

/// An image, and the ICC profile that describes its colours.
pub(crate) struct Picture {
    pub(crate) image: DynamicImage,
    pub(crate) profile: Option<Vec<u8>>,
}

/// Reads an image. It is turned upright, as its EXIF orientation says.
pub(crate) fn open(path: &Path) -> Result<Picture, Box<dyn Error>> {
    let read = || -> ImageResult<Picture> {
        check_file(path)?;
        let reader = ImageReader::open(path)?.with_guessed_format()?;
        let is_tiff = reader.format() == Some(ImageFormat::Tiff);
        // The decoder makes the missing part of a JPEG grey.
        if reader.format() == Some(ImageFormat::Jpeg) && !is_complete(&fs::read(path)?) {
            return Err(IoError::other("the file ends before the image does").into());
        }
        let mut decoder = reader.into_decoder()?;
        let (orientation, mut profile) = (decoder.orientation()?, decoder.icc_profile()?);
        if is_tiff {
            // The other decoder leaves out a profile that is long relative to the pixels.
            profile = tiff::TiffDecoder::new(BufReader::new(fs::File::open(path)?))?.icc_profile()?;
        }
        // `from_decoder` aborts if there is not enough memory. Without `black_box`, the compiler may remove the trial.
        let (bytes, mut trial) = (decoder.total_bytes(), Vec::<u8>::new());
        // The program holds the image and a changed copy.
        let size = usize::try_from(bytes.saturating_mul(2)).unwrap_or(usize::MAX);
        black_box(&mut trial).try_reserve_exact(size).map_err(|_| {
            let (width, height) = decoder.dimensions();
            IoError::other(format!(
                "there is no memory for {width} x {height} pixels, which have {bytes} bytes"
            ))
        })?;
        drop(black_box(trial));
        let mut image = DynamicImage::from_decoder(decoder)?;
        image.apply_orientation(orientation);
        Ok(Picture { image, profile })
    };
    let picture = read().map_err(|error| format!("{}: {error}", path.display()))?;
    let empty = picture.image.as_bytes().is_empty();
    if empty { Err(format!("{}: it has no pixels", path.display()).into()) } else { Ok(picture) }
}

/// Tells whether the last image data of a JPEG is followed by the marker that ends an image.
fn is_complete(file: &[u8]) -> bool {
    let [data, end] = [0xda, 0xd9].map(|marker| file.windows(2).rposition(|pair| *pair == [0xff, marker]));
    end > data
}

/// Writes the image in the format of the file's name. If the format does not support the colour type, returns an error and writes no file.
pub(crate) fn write(path: &Path, picture: Picture) -> Result<(), Box<dyn Error>> {
    let failed = |error: &dyn Error| format!("{}: {error}", path.display());
    check_file(path).map_err(|error| failed(&error))?;
    let format = ImageFormat::from_path(path)
        .map_err(|error| format!("{}: use .png, .tif, .webp, .jpg, .bmp or .gif", failed(&error)))?;
    let wanted = picture.image.color();
    let other = "write another format, or convert the picture with --as";
    let file = encode(format, picture).map_err(|error| format!("{}: {other}", failed(&error)))?;
    let written = ImageReader::with_format(Cursor::new(&file), format).into_decoder()?.color_type();
    // An encoder may drop data that its format does not support.
    if (wanted.has_alpha() && !written.has_alpha()) || (wanted.has_color() && !written.has_color()) {
        return Err(format!("{}: {format:?} cannot hold {wanted:?}: {other}", path.display()).into());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    }
    // The output may be the input, so it is replaced only by a complete file.
    let replace = || {
        let mut unfinished = Unfinished::new(path)?;
        unfinished.file.write_all(&file)?;
        unfinished.finish()
    };
    Ok(replace().map_err(|error| failed(&error))?)
}

fn encode(format: ImageFormat, picture: Picture) -> ImageResult<Vec<u8>> {
    let mut file = Cursor::new(Vec::new());
    match format {
        ImageFormat::Bmp => encode_by(bmp::BmpEncoder::new(&mut file), picture),
        ImageFormat::Gif => encode_by(gif::GifEncoder::new(&mut file), picture),
        ImageFormat::Jpeg => encode_by(jpeg::JpegEncoder::new_with_quality(&mut file, QUALITY), picture),
        ImageFormat::Png => encode_by(png::PngEncoder::new(&mut file), picture),
        ImageFormat::Tiff => encode_by(tiff::TiffEncoder::new(&mut file), picture),
        ImageFormat::WebP => encode_by(webp::WebPEncoder::new_lossless(&mut file), picture),
        other => Err(ImageError::Unsupported(ImageFormatHint::from(other).into())),
    }?;
    Ok(file.into_inner())
}

pub(crate) fn encode_by(
    mut encoder: impl ImageEncoder,
    Picture { image, profile }: Picture,
) -> ImageResult<()> {
    // If the colours were converted, for example from CMYK, the profile does not describe them any more.
    let space = if image.color().has_color() { b"RGB " } else { b"GRAY" };
    if let Some(profile) = profile
        && (profile.get(16..20) != Some(space) || encoder.set_icc_profile(profile).is_err())
    {
        eprintln!("note: the colour profile is left out");
    }
    // Unlike the methods of `DynamicImage`, this call never converts colours.
    encoder.write_image(image.as_bytes(), image.width(), image.height(), image.color().into())
}

/// Converts the image to the colour type of this name.
pub(crate) fn convert(image: DynamicImage, name: &str) -> Result<DynamicImage, String> {
    Ok(match name {
        "l8" => image.into_luma8().into(),
        "la8" => image.into_luma_alpha8().into(),
        "rgb8" => image.into_rgb8().into(),
        "rgba8" => image.into_rgba8().into(),
        "l16" => image.into_luma16().into(),
        "la16" => image.into_luma_alpha16().into(),
        "rgb16" => image.into_rgb16().into(),
        "rgba16" => image.into_rgba16().into(),
        "rgb32f" => image.into_rgb32f().into(),
        "rgba32f" => image.into_rgba32f().into(),
        _ => {
            return Err(format!(
                "--as {name}: use l8, la8, rgb8, rgba8, l16, la16, rgb16, rgba16, rgb32f or rgba32f"
            ));
        }
    })
}
