//! Pads an image in every mode and shows the results on one sheet, or pads it in one mode and writes the result.
//!
//! ```sh
//! cargo run --release --example pad_image
//! cargo run --release --example pad_image -- photo.jpg --mode reflect --pad 200,100
//! cargo run --release --example pad_image -- photo.jpg --bare --to 640x640 --value 114 --out boxed.png
//! ```

mod file;
mod picture;
mod sheet;
#[cfg(test)]
mod tests;
#[path = "../pad_npy/unfinished.rs"]
mod unfinished;

use std::collections::HashSet;
use std::error::Error;
use std::fmt::Display;
use std::hint::black_box;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

use file::Picture;
use image::{RgbImage, Rgba, imageops};
use pad_kernels::interop::image::{Border, Borders, PadDynamicImageExt, PadImageError, PadImageExt, Sides};
use pad_kernels::pad_to::{AxisTo, Longer, PadTo, Position, Size};
use pad_kernels::{PadError, PadMode, PadPlan, PadSpec};
use sheet::Panel;

const HELP: &str = "\
Pads a picture in every mode and draws the results on one sheet. With --bare it
pads the picture itself, and keeps colour type, depth, alpha and colour profile.
Other metadata, such as resolution and gamma, is left out.

Usage: pad_image [PICTURE] [OPTIONS]

  PICTURE         a PNG, JPEG, WebP, TIFF, GIF or BMP file, turned upright as its
                  EXIF orientation tells; of an animation or several pages the
                  first image; without PICTURE a small drawing is padded

  --mode MODE     this mode only: constant, edge, reflect, symmetric or wrap;
                  VERTICAL,HORIZONTAL or TOP,BOTTOM,LEFT,RIGHT are modes of sides
  --pad WIDTHS    pixels to add: one number for all sides, VERTICAL,HORIZONTAL,
                  or TOP,BOTTOM,LEFT,RIGHT; negative numbers remove; by default
                  a share of the picture
  --to WxH        instead of --pad: the size to get, WIDTHxHEIGHT or one number
  --multiple N    instead of --pad: the next multiple of N, or of WxH
  --position P    where the picture lies in that size: start (top and left),
                  center (default) or end
  --longer HOW    a picture that is larger than --to: error (default), keep or
                  crop
  --interior N    fill pixels between each two neighbours, on the sheet: by
                  default 1 in the panel that shows it, and 0 with --mode
  --value COLOUR  the fill: RRGGBB or RRGGBBAA in hexadecimal, or GREY, GREY,A,
                  R,G,B or R,G,B,A of 0 to 255 whatever the depth is; by default
                  1f2540 on the sheet, and with --bare black, clear if there is
                  alpha
  --bare          write the padded picture itself, not a sheet; the mode is
                  constant unless --mode is given
  --as TYPE       convert the picture first: l8, la8, rgb8, rgba8, l16, la16,
                  rgb16, rgba16, rgb32f or rgba32f
  --out PATH      the file to write, in the format of its name (default
                  target/pad_image.png); GIF has 256 colours and no half alpha
  -h, --help      this text

A border can be larger than the image, which is then mirrored or repeated several times.
For each mode, the program prints the shapes, the chosen kernel and the times.
";

/// The width to which the image is reduced if each pixel must be visible.
const FEW_PIXELS: u32 = 48;

/// The minimum time for which a timed call is repeated. The shortest time of a call counts.
const PATIENCE: Duration = Duration::from_millis(20);

type Pixel = [u8; 3];

/// The widths, or the height and width of the output, from which the widths are computed.
enum Request {
    Pads([i64; 4]),
    To([Size; 2]),
}

struct Arguments {
    picture: Option<PathBuf>,
    /// The modes of the top, the bottom, the left and the right side.
    modes: Option<[PadMode; 4]>,
    request: Option<Request>,
    position: Option<Position>,
    longer: Option<Longer>,
    interior: Option<u64>,
    value: Option<Rgba<u16>>,
    bare: bool,
    convert: Option<String>,
    out: PathBuf,
}

impl Arguments {
    /// Returns an error if an option has no effect, or contradicts another one.
    fn check(&self) -> Result<(), &'static str> {
        let is_to = matches!(self.request, Some(Request::To(_)));
        let can_crop = matches!(self.request, Some(Request::To([Size::Length(_), _])));
        let has_interior = self.interior.is_some_and(|number| number > 0);
        let has_fill = has_interior || self.modes.is_none_or(|modes| modes.contains(&PadMode::Constant));
        let has_alpha = self.value.is_some_and(|Rgba([.., alpha])| alpha < u16::MAX);
        let rules = [
            (
                self.bare && self.interior.is_some(),
                "--interior is of the sheet, and --bare writes none: give one of them",
            ),
            (
                has_interior && is_to,
                "--interior changes the size that --to and --multiple ask for: give --pad",
            ),
            (self.position.is_some() && !is_to, "--position has an effect only with --to or --multiple"),
            (self.longer.is_some() && !can_crop, "--longer has an effect only with --to"),
            (
                self.value.is_some() && !has_fill,
                "--value has an effect only with mode constant or --interior",
            ),
            (
                has_alpha && !self.bare,
                "--value has an alpha, and the sheet has none: leave it out, or give --bare",
            ),
        ];
        rules.into_iter().find_map(|(is_wrong, text)| is_wrong.then_some(text)).map_or(Ok(()), Err)
    }

    /// Returns the widths for an image of this size.
    fn pads(&self, width: u32, height: u32) -> Result<[i64; 4], String> {
        let share = |length: u32, percent: i64| i64::from(length) * percent / 100;
        let sizes = match self.request {
            Some(Request::Pads(pads)) => return Ok(pads),
            Some(Request::To(sizes)) => sizes,
            None => return Ok([share(height, 30), share(height, 45), share(width, 30), share(width, 50)]),
        };
        let (position, longer) = (self.position.unwrap_or_default(), self.longer.unwrap_or_default());
        let axes = sizes.map(|size| AxisTo { size, position, longer });
        let to = PadTo::new(PadMode::Constant, axes);
        let spec = to.resolve(&[height as usize, width as usize]).map_err(|error| match error {
            PadError::LongerAxis { axis, length, target } => format!(
                "{} {length} is more than the {target} asked for: ask for more, or give --longer keep or crop",
                ["height", "width"][axis],
            ),
            PadError::ZeroMultiple { .. } => "--multiple is 0 pixels: give 1 or more".into(),
            error => PadImageError::from(error).to_string(),
        })?;
        let [rows, columns] = [spec.axes()[0], spec.axes()[1]];
        Ok([rows.low, rows.high, columns.low, columns.high])
    }
}

fn main() -> ExitCode {
    match run(lexopt::Parser::from_env(), &mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the program. It ignores errors of `out`, because the reader of a pipe may close its end.
fn run(parser: lexopt::Parser, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let Some(arguments) = arguments(parser)? else {
        let _ = out.write_all(HELP.as_bytes());
        return Ok(());
    };
    let (name, mut picture) = match &arguments.picture {
        Some(path) => (path.file_name().unwrap_or_default().display().to_string(), file::open(path)?),
        None => ("a drawing".to_string(), Picture { image: picture::draw().into(), profile: None }),
    };
    if let Some(name) = &arguments.convert {
        picture.image = file::convert(picture.image, name)?;
    }
    let (width, height) = (picture.image.width(), picture.image.height());
    let _ = writeln!(out, "{name}: {height} rows of {width} pixels, {:?}\n", picture.image.color());

    let pads = arguments.pads(width, height)?;
    picture = if arguments.bare {
        pad_bare(picture, pads, &arguments)?
    } else {
        let image = draw(&name, &picture.image.into_rgb8(), pads, &arguments, out)?.into();
        Picture { image, profile: None }
    };
    file::write(&arguments.out, picture)?;
    let _ = writeln!(out, "\nwritten to {}", arguments.out.display());
    Ok(())
}

/// Pads the image, and writes only the result.
fn pad_bare(
    Picture { image, profile }: Picture,
    [top, bottom, left, right]: [i64; 4],
    arguments: &Arguments,
) -> Result<Picture, Box<dyn Error>> {
    let alpha = if image.color().has_alpha() { 0 } else { u16::MAX };
    let fill = arguments.value.unwrap_or(Rgba([0, 0, 0, alpha]));
    let borders = arguments.modes.unwrap_or([PadMode::Constant; 4]).map(|mode| match mode {
        PadMode::Constant => Border::Constant(fill),
        PadMode::Edge => Border::Replicate,
        PadMode::Reflect => Border::Reflect101,
        PadMode::Symmetric => Border::Reflect,
        PadMode::Wrap => Border::Wrap,
    });
    let borders = Borders { top: borders[0], bottom: borders[1], left: borders[2], right: borders[3] };
    let image = image.pad(Sides { top, bottom, left, right }, borders)?;
    if image.as_bytes().is_empty() {
        return Err(format!("nothing is left: {} rows of {} pixels", image.height(), image.width()).into());
    }
    Ok(Picture { image, profile })
}

/// Draws a sheet with one panel per mode, or only the panel of the requested modes.
fn draw(
    name: &str,
    picture: &RgbImage,
    pads: [i64; 4],
    arguments: &Arguments,
    out: &mut dyn Write,
) -> Result<RgbImage, Box<dyn Error>> {
    let value =
        arguments.value.map_or([0x1f, 0x25, 0x40], |Rgba([r, g, b, _])| [r, g, b].map(|x| (x >> 8) as u8));
    let mut panels = Vec::new();
    if let Some(modes) = arguments.modes {
        panels.push(panel(picture, modes, pads, arguments.interior.unwrap_or(0), value, out)?);
    } else {
        for mode in PadMode::ALL {
            panels.push(panel(picture, [mode; 4], pads, 0, value, out)?);
        }
        panels.push(interior_panel(picture, pads, arguments.interior.unwrap_or(1), value, out)?);
    }
    Ok(sheet::sheet(&format!("Pad: {name}"), &panels))
}

/// Pads `picture`, and returns its panel.
fn panel(
    picture: &RgbImage,
    modes: [PadMode; 4],
    pads @ [top, bottom, left, right]: [i64; 4],
    interior: u64,
    value: Pixel,
    out: &mut dyn Write,
) -> Result<Panel, Box<dyn Error>> {
    let (width, height) = picture.dimensions();
    let shape = [height as usize, width as usize];
    let axes = [(top, bottom, interior), (left, right, interior)];
    let spec = PadSpec::new([(modes[0], modes[1]), (modes[2], modes[3])], axes).with_fill(value);

    let (planned, plan) = shortest(|| PadPlan::new::<Pixel>(black_box(&spec), black_box(&shape)))
        .map_err(PadImageError::from)?;
    let mut padded = picture.pad_with_plan(&plan)?;
    let (columns, rows) = padded.dimensions();
    if plan.is_empty() {
        return Err(format!("nothing is left: {rows} rows of {columns} pixels").into());
    }
    let (time, ()) = shortest(|| picture.pad_with_plan_into(black_box(&plan), black_box(&mut padded)))?;

    let kernel = plan.kernel().map_or("any-rank", |kernel| kernel.name());
    let mode =
        if modes == [modes[0]; 4] { modes[0].to_string() } else { modes.map(PadMode::name).join(", ") };
    let title = if interior == 0 { mode } else { format!("{mode} + interior {interior}") };
    let speed = plan.output_bytes() as f64 / time.as_secs_f64() / 1e9;
    let shapes = format!("[{height}, {width}] to [{rows}, {columns}]");
    let _ = writeln!(
        out,
        "{title:21} {shapes:27} {kernel:26} plan {:>9}  run {:>9}  {speed:5.1} GB/s",
        format!("{planned:.1?}"),
        format!("{time:.1?}"),
    );
    let step = (interior as i64).saturating_add(1);
    let dilated = |length: u32| (i64::from(length) - 1).saturating_mul(step).saturating_add(1);
    Ok(Panel {
        title,
        pads: said(pads),
        shapes,
        kernel: kernel.to_string(),
        picture: padded,
        frame: [left, top, dilated(width), dilated(height)],
    })
}

/// Returns the panel for interior padding. The panel shows few pixels, which are large enough to be seen.
fn interior_panel(
    picture: &RgbImage,
    pads: [i64; 4],
    interior: u64,
    value: Pixel,
    out: &mut dyn Write,
) -> Result<Panel, Box<dyn Error>> {
    let (width, height) = picture.dimensions();
    let part = width.div_ceil(FEW_PIXELS).max(1);
    let small = imageops::thumbnail(picture, (width / part).max(1), (height / part).max(1));
    let pads = pads.map(|pad| (pad / i64::from(part)).max(0));
    panel(&small, [PadMode::Constant; 4], pads, interior, value, out)
}

/// Returns the shortest time that `call` takes with warm caches, and its last result.
fn shortest<T, E>(mut call: impl FnMut() -> Result<T, E>) -> Result<(Duration, T), E> {
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

/// Returns the arguments, or `None` if the user requested help.
fn arguments(mut parser: lexopt::Parser) -> Result<Option<Arguments>, lexopt::Error> {
    use lexopt::prelude::*;

    let mut arguments = Arguments {
        picture: None,
        modes: None,
        request: None,
        position: None,
        longer: None,
        interior: None,
        value: None,
        bare: false,
        convert: None,
        out: PathBuf::from("target/pad_image.png"),
    };
    let mut requests = Vec::new();
    let mut given = HashSet::new();
    while let Some(argument) = parser.next()? {
        if let Long(name) = argument
            && !["pad", "to", "multiple"].contains(&name)
            && !given.insert(name.to_owned())
        {
            return Err(format!("--{name} is given twice: give it once, with commas between values").into());
        }
        match argument {
            Long("mode") => arguments.modes = Some(parser.value()?.parse_with(sides)?),
            Long("pad") => requests.push(Request::Pads(parser.value()?.parse_with(sides)?)),
            Long("to") => requests.push(Request::To(parser.value()?.parse_with(size)?.map(Size::Length))),
            Long("multiple") => {
                requests.push(Request::To(parser.value()?.parse_with(size)?.map(Size::Multiple)))
            }
            Long("position") => arguments.position = Some(parser.value()?.parse_with(position)?),
            Long("longer") => arguments.longer = Some(parser.value()?.parse_with(longer)?),
            Long("interior") => arguments.interior = Some(parser.value()?.parse()?),
            Long("value") => arguments.value = Some(parser.value()?.parse_with(colour)?),
            Long("bare") => arguments.bare = true,
            Long("as") => arguments.convert = Some(parser.value()?.string()?),
            Long("out") => arguments.out = parser.value()?.into(),
            Short('h') | Long("help") => return Ok(None),
            Value(path) if arguments.picture.is_none() => arguments.picture = Some(path.into()),
            _ => return Err(argument.unexpected()),
        }
    }
    arguments.request = requests.pop();
    if !requests.is_empty() {
        return Err("--pad, --to and --multiple exclude each other: give one, and once".into());
    }
    arguments.check()?;
    Ok(Some(arguments))
}

fn list<T: FromStr<Err: Display>>(text: &str, separator: char) -> Result<Vec<T>, String> {
    let parts = text.split(separator);
    parts.map(|part| part.trim().parse().map_err(|error| format!("{part:?}: {error}"))).collect()
}

/// Returns the values for the top, the bottom, the left and the right side.
fn sides<T: FromStr<Err: Display> + Copy>(text: &str) -> Result<[T; 4], String> {
    match list(text, ',')?[..] {
        [all] => Ok([all; 4]),
        [vertical, horizontal] => Ok([vertical, vertical, horizontal, horizontal]),
        [top, bottom, left, right] => Ok([top, bottom, left, right]),
        _ => Err("give one, two or four, with commas between them".into()),
    }
}

/// Returns the values for rows and columns, from a width and a height.
fn size(text: &str) -> Result<[usize; 2], String> {
    let pixels = |error| format!("{error} (a size is 0 to {} pixels)", u32::MAX);
    match list::<u32>(text, 'x').map_err(pixels)?[..] {
        [all] => Ok([all as usize; 2]),
        [width, height] => Ok([height as usize, width as usize]),
        _ => Err("a size is WIDTHxHEIGHT, or one number".into()),
    }
}

fn position(text: &str) -> Result<Position, String> {
    match text {
        "start" => Ok(Position::Start),
        "center" => Ok(Position::Center),
        "end" => Ok(Position::End),
        _ => Err("the positions are start, center and end".into()),
    }
}

fn longer(text: &str) -> Result<Longer, String> {
    match text {
        "error" => Ok(Longer::Error),
        "keep" => Ok(Longer::Keep),
        "crop" => Ok(Longer::Crop),
        _ => Err("a larger picture is an error, or to keep or crop".into()),
    }
}

fn colour(text: &str) -> Result<Rgba<u16>, String> {
    let digits = text.trim_start_matches('#');
    let part = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let parts: Vec<u8> = match digits.len() {
        6 | 8 if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
            (0..digits.len()).step_by(2).filter_map(part).collect()
        }
        _ => list(text, ',').unwrap_or_default(),
    };
    let parts: Vec<u16> = parts.into_iter().map(|part| u16::from(part) * 257).collect();
    match parts[..] {
        [grey] => Ok(Rgba([grey, grey, grey, u16::MAX])),
        [grey, alpha] => Ok(Rgba([grey, grey, grey, alpha])),
        [r, g, b] => Ok(Rgba([r, g, b, u16::MAX])),
        [r, g, b, alpha] => Ok(Rgba([r, g, b, alpha])),
        _ => Err("a colour is RRGGBB, RRGGBBAA, GREY, GREY,A, R,G,B or R,G,B,A".into()),
    }
}
