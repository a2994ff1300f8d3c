//! Tests of the program on files of each colour type and format.

use std::env::temp_dir;
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use image::codecs::jpeg::JpegEncoder;
use image::{ColorType, DynamicImage, GenericImageView, ImageBuffer, ImageEncoder, Rgba};

use super::file::{self, Picture};

/// The colour types that each format supports.
const HOLD: [(&str, &[&str]); 6] = [
    ("png", &["l8", "la8", "rgb8", "rgba8", "l16", "la16", "rgb16", "rgba16"]),
    ("tif", &["l8", "rgb8", "rgba8", "l16", "rgb16", "rgba16", "rgb32f", "rgba32f"]),
    ("webp", &["l8", "la8", "rgb8", "rgba8"]),
    ("bmp", &["l8", "rgb8", "rgba8"]),
    ("gif", &["rgb8", "rgba8"]),
    ("jpg", &["l8", "rgb8"]),
];
const TYPES: [&str; 10] =
    ["l8", "la8", "rgb8", "rgba8", "l16", "la16", "rgb16", "rgba16", "rgb32f", "rgba32f"];

fn folder(test: &str) -> PathBuf {
    let folder = temp_dir().join(format!("pad_image-{}-{test}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns an image of three columns and two rows whose pixels all differ.
fn small(colour: &str) -> DynamicImage {
    let pixel =
        |x, y| Rgba([x * 20011, y * 30011, 40009, 65535 - 20011 * x].map(|sample: u32| sample as u16));
    file::convert(ImageBuffer::from_fn(3, 2, pixel).into(), colour).unwrap()
}

/// A pipe whose reader has closed its end.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn run(arguments: &str, paths: [&Path; 2]) -> Result<DynamicImage, Box<dyn Error>> {
    let all = arguments.split(' ').map(Path::new).chain([paths[0], Path::new("--out"), paths[1]]);
    super::run(lexopt::Parser::from_args(all), &mut Closed)?;
    Ok(file::open(paths[1])?.image)
}

/// Returns the bytes of each pixel of the padded image. The border is `fill`, or the nearest pixel.
fn padded(image: &DynamicImage, [top, bottom, left, right]: [i64; 4], fill: Option<&[u8]>) -> Vec<u8> {
    let (size, [width, height]) =
        (usize::from(image.color().bytes_per_pixel()), [image.width(), image.height()].map(i64::from));
    let mut bytes = Vec::new();
    for (y, x) in (-top..height + bottom).flat_map(|y| (-left..width + right).map(move |x| (y, x))) {
        let at = (y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize * size;
        let inside = (0..height).contains(&y) && (0..width).contains(&x);
        bytes.extend(fill.filter(|_| !inside).unwrap_or(&image.as_bytes()[at..at + size]));
    }
    bytes
}

#[test]
fn each_format_keeps_the_colour_types_that_it_holds() {
    let folder = folder("types");
    for (extension, held) in HOLD {
        for colour in TYPES {
            let [input, output] =
                ["in", "out"].map(|name| folder.join(format!("{name}-{colour}.{extension}")));
            let image = small(colour);
            let written = file::write(&input, Picture { image: image.clone(), profile: None });
            if !held.contains(&colour) {
                let refused = written.unwrap_err().to_string();
                assert!(refused.contains(&format!("{:?}", image.color())), "{refused}");
                assert!(refused.contains("--as") && !input.exists(), "{refused}");
                continue;
            }
            written.unwrap();
            let grey = if colour.contains('a') { "40,0" } else { "40" };
            let fill = if colour.contains('a') { 0 } else { u16::MAX };
            let fill = ImageBuffer::from_pixel(1, 1, Rgba([40 * 257, 40 * 257, 40 * 257, fill]));
            let fill = file::convert(fill.into(), colour).unwrap();
            let value = format!("constant --value {grey}");
            for (mode, fill) in [(&*value, Some(fill.as_bytes())), ("edge", None)] {
                let arguments = format!("--bare --pad 1,0,2,3 --mode {mode}");
                let found = run(&arguments, [&input, &output]).unwrap();
                assert_eq!(found.dimensions(), (8, 3), "{colour} {extension}");
                if ["png", "tif"].contains(&extension) {
                    assert_eq!(found.color(), image.color(), "{extension}");
                }
                // The alpha of GIF has one bit, and the pixels of JPEG are approximate.
                if extension != "jpg" && (extension, colour) != ("gif", "rgba8") {
                    let found = file::convert(found, colour).unwrap();
                    assert_eq!(
                        found.as_bytes(),
                        padded(&image, [1, 0, 2, 3], fill),
                        "{mode} {colour} {extension}"
                    );
                }
            }
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn orientation_is_applied_and_profiles_are_kept() {
    let folder = folder("metadata");
    // The EXIF data has one entry, which says that the image must be turned by a quarter.
    let exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0".to_vec();
    let [input, output] = ["in", "out.png"].map(|name| folder.join(name));
    let [plain, turned] = [None, Some(exif)].map(|exif| {
        let mut file = Vec::new();
        let mut encoder = JpegEncoder::new(&mut file);
        if let Some(exif) = exif {
            encoder.set_exif_metadata(exif).unwrap();
        }
        file::encode_by(encoder, Picture { image: small("rgb8"), profile: None }).unwrap();
        fs::write(&input, file).unwrap();
        run("--bare --pad 0", [&input, &output]).unwrap()
    });
    assert_eq!(turned, plain.rotate90());

    let image = small("rgb8");
    let profile = [&[0; 16], &b"RGB "[..], &[7; 200]].concat();
    for extension in ["png", "tif", "webp", "jpg"] {
        let [input, output] = ["in", "out"].map(|name| folder.join(format!("{name}.{extension}")));
        file::write(&input, Picture { image: image.clone(), profile: Some(profile.clone()) }).unwrap();
        run("--bare --pad 1", [&input, &output]).unwrap();
        assert_eq!(file::open(&output).unwrap().profile.as_ref(), Some(&profile), "{extension}");
        // The profile is for colours, and the image is now grey.
        run("--bare --pad 1 --as l8", [&input, &output]).unwrap();
        assert_eq!(file::open(&output).unwrap().profile, None, "{extension}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn half_a_file_is_refused() {
    let folder = folder("half");
    for (extension, _) in HOLD {
        let [input, output] = ["in", "out"].map(|name| folder.join(format!("{name}.{extension}")));
        file::write(&input, Picture { image: small("rgb8"), profile: None }).unwrap();
        let file = fs::read(&input).unwrap();
        fs::write(&input, &file[..file.len() - file.len().min(40) / 4]).unwrap();
        assert!(run("--bare --pad 1", [&input, &output]).is_err() && !output.exists(), "{extension}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn sizes_sides_and_mistakes() {
    let folder = folder("requests");
    let [input, output] = ["in.png", "out.png"].map(|name| folder.join(name));
    let image = small("rgb16");
    file::write(&input, Picture { image: image.clone(), profile: None }).unwrap();
    let black: &[u8] = &[0; 6];
    let fill = [0x12, 0x12, 0x56, 0x56, 0x9a, 0x9a];
    for (arguments, pads, fill) in [
        ("--to 8x5 --position end", [3, 0, 5, 0], Some(black)),
        ("--to 5 --value 12569a", [1, 2, 1, 1], Some(&fill)),
        ("--multiple 2x4 --mode edge", [1, 1, 0, 1], None),
        ("--to 9x1 --longer keep --mode edge,edge,edge,edge", [0, 0, 3, 3], None),
    ] {
        let found = run(&format!("--bare {arguments}"), [&input, &output]).unwrap();
        assert_eq!(found.as_bytes(), padded(&image, pads, fill), "{arguments}");
    }
    let error = file::open(Path::new("-")).err().unwrap().to_string();
    assert!(error.contains("it is no file"), "{error}");
    // The header of this PNG file claims 2^22 x 2^22 pixels of 8 bytes.
    let huge =
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x40\0\0\0\x40\0\0\x10\x06\0\0\0r\xe5\xd5L\0\0\0\0IDAT5\xaf\x06\x1e";
    fs::write(&output, huge).unwrap();
    let error = file::open(&output).err().unwrap().to_string();
    assert!(error.contains("out.png: there is no memory for 4194304 x 4194304 pixels"), "{error}");
    #[cfg(unix)]
    {
        let link = folder.join("link.png");
        std::os::unix::fs::symlink(&output, &link).unwrap();
        run("--bare --pad 1", [&input, &link]).unwrap();
        assert!(link.is_symlink());
    }
    let cropped = run("--bare --to 2x1 --longer crop --position end", [&input, &output]).unwrap();
    assert_eq!(cropped, image.crop_imm(1, 1, 2, 1));
    for (arguments, message) in [
        ("--to 5 --interior 1", "--interior changes the size"),
        ("--pad 1 --value 1,2", "the sheet has none"),
        ("--pad -2", "height 2 with top -2 and bottom -2 would become -2"),
    ] {
        let error = run(arguments, [&input, &output]).unwrap_err().to_string();
        assert!(error.contains(message), "{arguments}: {error}");
    }
    // The sheet has 8 bits per channel.
    assert_eq!(run("--mode wrap,edge", [&input, &output]).unwrap().color(), ColorType::Rgb8);

    for (arguments, name, message) in [
        ("--to 2", "out.png", "width 3 is more than the 2 asked for"),
        ("--to 5 --pad 1", "out.png", "exclude each other"),
        ("--mode edge --mode wrap", "out.png", "--mode is given twice"),
        ("--value 1 --value 2", "out.png", "--value is given twice"),
        ("--pad 1,2,3", "out.png", "one, two or four"),
        ("--pad -2", "out.png", "height 2 with top -2 and bottom -2 would become -2"),
        ("--pad -1,0", "out.png", "nothing is left"),
        ("--pad 1 --value 00000080", "out.png", "the fill is transparent"),
        ("--pad 1 --value ff0000 --as l8", "out.png", "the image is grey: give a grey fill"),
        ("--pad 1 --value 1,2,3,4,5", "out.png", "a colour is"),
        ("--pad 1 --value +1234f", "out.png", "a colour is"),
        ("--pad 1 --mode mirror", "out.png", "did you mean reflect"),
        ("--pad 1 --position left", "out.png", "the positions are"),
        ("--pad 1 --interior 1", "out.png", "--interior"),
        ("--pad 1 --position end", "out.png", "--position has an effect only with --to"),
        ("--multiple 2 --longer crop", "out.png", "--longer has an effect only with --to"),
        ("--pad 1 --mode edge --value 1", "out.png", "--value has an effect only with mode constant"),
        ("--multiple 0", "out.png", "--multiple is 0 pixels"),
        ("--to 4294967296x4", "out.png", "a size is 0 to 4294967295 pixels"),
        ("--pad 0,9999999999", "out.png", "the result has 20000000001 x 2 pixels"),
        ("--to 4294967295", "out.png", "the output is larger than memory"),
        ("--pad 1", "..", "it is no file"),
        ("--pad 1 --as grey", "out.png", "use l8, la8"),
        ("--pad 1", "out.xyz", ".png, .tif"),
        ("--pad 1", "out.qoi", "Qoi"),
        ("--pad 1 --as rgba16", "out.jpg", "Rgba16"),
    ] {
        let error =
            run(&format!("--bare {arguments}"), [&input, &folder.join(name)]).unwrap_err().to_string();
        assert!(error.contains(message), "{arguments}: {error}");
    }
    fs::remove_dir_all(folder).unwrap();
}
