//! Pads a picture in every mode and shows the results on one sheet.
//!
//! ```sh
//! cargo run --release --example pad_image
//! cargo run --release --example pad_image -- photo.jpg --mode reflect --pad 200,100
//! ```

mod picture;
mod sheet;

use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use image::{RgbImage, imageops};
use pad_kernels::{PadError, PadMode, PadPlan, PadSpec};
use sheet::Panel;

const HELP: &str = "\
Pads an image in every mode and draws the results side by side.

Usage: pad_image [IMAGE] [OPTIONS]

  IMAGE           a PNG or JPEG file (default: a small drawing)

  --mode MODE     use only this mode: constant, edge, reflect, symmetric or wrap
  --pad WIDTHS    the pixels to add: one number for all sides, VERTICAL,HORIZONTAL,
                  or TOP,BOTTOM,LEFT,RIGHT; a negative number removes pixels
                  (default: a share of the size of the image)
  --interior N    the fill pixels between each two neighbours (default: 1 in the
                  panel that shows it, and 0 with --mode)
  --value COLOUR  the fill: RRGGBB in hexadecimal, or R,G,B (default 1f2540)
  --bare          with --mode: write only the padded image
  --out PATH      the PNG file to write (default target/pad_image.png)
  -h, --help      print this text

A border can be larger than the image, which is then mirrored or repeated several times.
For each mode, the program prints the shapes, the chosen kernel and the times.
";

/// The width that the picture is reduced to where each pixel is to be seen.
const FEW_PIXELS: u32 = 48;

/// What is timed is repeated for about this long, and the shortest time counts.
const PATIENCE: Duration = Duration::from_millis(20);

type Pixel = [u8; 3];

struct Arguments {
    picture: Option<PathBuf>,
    mode: Option<PadMode>,
    /// Top, bottom, left, right.
    pads: Option<[i64; 4]>,
    interior: Option<u64>,
    value: Pixel,
    bare: bool,
    out: PathBuf,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let Some(arguments) = arguments()? else {
        print!("{HELP}");
        return Ok(());
    };
    let (name, picture) = match &arguments.picture {
        Some(path) => (path.file_name().unwrap_or_default().display().to_string(), open(path)?),
        None => ("a drawing".to_string(), picture::draw()),
    };
    let (width, height) = picture.dimensions();
    println!("{name}: {height} rows of {width} pixels, 3 bytes each\n");

    let pads = arguments.pads.unwrap_or_else(|| {
        let share = |length: u32, percent: u32| i64::from(length * percent / 100);
        [share(height, 30), share(height, 45), share(width, 30), share(width, 50)]
    });
    let panels = match arguments.mode {
        Some(mode) => {
            vec![panel(&picture, mode, pads, arguments.interior.unwrap_or(0), arguments.value)?]
        }
        None => {
            let mut panels = Vec::new();
            for mode in PadMode::ALL {
                panels.push(panel(&picture, mode, pads, 0, arguments.value)?);
            }
            panels.push(interior_panel(&picture, pads, arguments.interior.unwrap_or(1), arguments.value)?);
            panels
        }
    };
    let image = match &panels[..] {
        [only] if arguments.bare => only.picture.clone(),
        panels => sheet::sheet(&format!("Pad: {name}"), panels),
    };
    write(&arguments.out, &image)?;
    println!("\nwritten to {}", arguments.out.display());
    Ok(())
}

/// Pads `picture`, and tells how.
fn panel(
    picture: &RgbImage,
    mode: PadMode,
    pads @ [top, bottom, left, right]: [i64; 4],
    interior: u64,
    value: Pixel,
) -> Result<Panel, Box<dyn Error>> {
    let (width, height) = picture.dimensions();
    let shape = [height as usize, width as usize];
    let axes = [(top, bottom, interior), (left, right, interior)];
    let spec = PadSpec::new(mode, axes).with_fill(value);

    let (planned, plan) = shortest(|| PadPlan::new::<Pixel>(black_box(&spec), black_box(&shape)))?;
    let &[rows, columns] = plan.output_shape() else { return Err("a picture has two axes".into()) };
    if plan.is_empty() {
        return Err(format!("nothing is left: {rows} rows of {columns} pixels").into());
    }
    let (Ok(out_width), Ok(out_height)) = (u32::try_from(columns), u32::try_from(rows)) else {
        return Err(format!("{rows} rows of {columns} pixels are more than a PNG can hold").into());
    };

    let src: &[Pixel] = picture.as_raw().as_chunks().0;
    let mut dst = plan.to_vec(src)?;
    let (time, ()) = shortest(|| plan.run(black_box(src), black_box(&mut dst)))?;

    let kernel = plan.kernel().map_or("any-rank", |kernel| kernel.name());
    let title = if interior == 0 { mode.to_string() } else { format!("{mode} + interior {interior}") };
    let speed = plan.output_bytes() as f64 / time.as_secs_f64() / 1e9;
    let shapes = format!("[{height}, {width}] to [{rows}, {columns}]");
    println!(
        "{title:21} {shapes:27} {kernel:26} plan {:>9}  run {:>9}  {speed:5.1} GB/s",
        format!("{planned:.1?}"),
        format!("{time:.1?}"),
    );
    let dilated = |length: u32| (i64::from(length) - 1) * (interior as i64 + 1) + 1;
    Ok(Panel {
        title,
        pads: said(pads),
        shapes,
        kernel: kernel.to_string(),
        picture: RgbImage::from_raw(out_width, out_height, dst.into_flattened())
            .ok_or("the padded picture has another size than planned")?,
        frame: [left, top, dilated(width), dilated(height)],
    })
}

/// The panel of interior padding: on few pixels, each large enough to be seen.
fn interior_panel(
    picture: &RgbImage,
    pads: [i64; 4],
    interior: u64,
    value: Pixel,
) -> Result<Panel, Box<dyn Error>> {
    let (width, height) = picture.dimensions();
    let part = width.div_ceil(FEW_PIXELS).max(1);
    let small = imageops::thumbnail(picture, (width / part).max(1), (height / part).max(1));
    panel(&small, PadMode::Constant, pads.map(|pad| pad / i64::from(part)), interior, value)
}

/// The shortest time that `call` takes, once all it needs is in the caches, and what it returned last.
fn shortest<T>(mut call: impl FnMut() -> Result<T, PadError>) -> Result<(Duration, T), PadError> {
    let start = Instant::now();
    let mut shortest = Duration::MAX;
    loop {
        let start_of_call = Instant::now();
        let result = black_box(call()?);
        shortest = shortest.min(start_of_call.elapsed());
        if start.elapsed() > PATIENCE {
            return Ok((shortest.max(Duration::from_nanos(1)), result));
        }
    }
}

fn said([top, bottom, left, right]: [i64; 4]) -> String {
    format!("top {top}, bottom {bottom}, left {left}, right {right}")
}

fn open(path: &Path) -> Result<RgbImage, Box<dyn Error>> {
    let image = image::ImageReader::open(path)
        .map_err(|error| format!("{}: {error}", path.display()))?
        .with_guessed_format()
        .and_then(|reader| reader.decode().map_err(std::io::Error::other))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let image = image.into_rgb8();
    if image.is_empty() { Err(format!("{}: it has no pixels", path.display()).into()) } else { Ok(image) }
}

fn write(path: &Path, image: &RgbImage) -> Result<(), Box<dyn Error>> {
    let failed = |error: &dyn Error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    }
    image.save_with_format(path, image::ImageFormat::Png).map_err(|error| failed(&error))?;
    Ok(())
}

/// The arguments, or `None` if help was asked for.
fn arguments() -> Result<Option<Arguments>, lexopt::Error> {
    use lexopt::prelude::*;

    let mut arguments = Arguments {
        picture: None,
        mode: None,
        pads: None,
        interior: None,
        value: [0x1f, 0x25, 0x40],
        bare: false,
        out: PathBuf::from("target/pad_image.png"),
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("mode") => arguments.mode = Some(parser.value()?.parse_with(mode)?),
            Long("pad") => arguments.pads = Some(parser.value()?.parse_with(pads)?),
            Long("interior") => arguments.interior = Some(parser.value()?.parse()?),
            Long("value") => arguments.value = parser.value()?.parse_with(colour)?,
            Long("bare") => arguments.bare = true,
            Long("out") => arguments.out = parser.value()?.into(),
            Short('h') | Long("help") => return Ok(None),
            Value(path) if arguments.picture.is_none() => arguments.picture = Some(path.into()),
            _ => return Err(argument.unexpected()),
        }
    }
    if arguments.bare && arguments.mode.is_none() {
        return Err("--bare writes one picture: say which with --mode".into());
    }
    Ok(Some(arguments))
}

fn mode(name: &str) -> Result<PadMode, String> {
    let found = PadMode::ALL.into_iter().find(|mode| mode.name() == name);
    found.ok_or_else(|| format!("the modes are {}", PadMode::ALL.map(PadMode::name).join(", ")))
}

fn pads(text: &str) -> Result<[i64; 4], String> {
    let numbers: Result<Vec<i64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[all]) => Ok([all; 4]),
        Ok(&[vertical, horizontal]) => Ok([vertical, vertical, horizontal, horizontal]),
        Ok(&[top, bottom, left, right]) => Ok([top, bottom, left, right]),
        _ => Err("widths are one, two or four whole numbers with commas between them".into()),
    }
}

fn colour(text: &str) -> Result<Pixel, String> {
    let parts: Option<Vec<u8>> = if text.contains(',') {
        text.split(',').map(|part| part.trim().parse().ok()).collect()
    } else {
        let digits = text.trim_start_matches('#');
        let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        if digits.len() == 6 { [0, 2, 4].into_iter().map(byte).collect() } else { None }
    };
    parts.and_then(|parts| parts.try_into().ok()).ok_or_else(|| "a colour is RRGGBB or R,G,B".into())
}
