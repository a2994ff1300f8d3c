//! Draws the contact sheet. It has rows of panels, each with its title above and its shapes below.

use image::imageops::{self, FilterType};
use image::{Rgb, RgbImage};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

const PAPER: Rgb<u8> = Rgb([0xf7, 0xf4, 0xee]);
const INK: Rgb<u8> = Rgb([0x22, 0x26, 0x33]);
const FAINT: Rgb<u8> = Rgb([0x6d, 0x70, 0x7c]);
const SHADOW: Rgb<u8> = Rgb([0xd9, 0xd4, 0xc9]);
const FRAME: Rgb<u8> = Rgb([0xff, 0xff, 0xff]);
const FRAME_EDGE: Rgb<u8> = Rgb([0x10, 0x14, 0x20]);

const MARGIN: u32 = 36;
const GAP: u32 = 32;
/// The heights of the lines of text around a panel, and of the spaces between them.
const TITLE: u32 = 28;
const LINE: u32 = 22;
const SPACE: u32 = 8;
const AROUND: u32 = TITLE + 3 * LINE + 2 * SPACE;
/// The height of the heading and its legend.
const HEAD: u32 = 72;
/// The number of panels in a row.
const COLUMNS: usize = 3;
/// The maximum width and height of a panel: `MOST` if there are several panels, and `MOST_ALONE` if there is one.
const MOST: (u32, u32) = (432, 360);
const MOST_ALONE: (u32, u32) = (1440, 1000);

/// A padded image, and the text around it.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) pads: String,
    pub(crate) shapes: String,
    pub(crate) kernel: String,
    pub(crate) picture: RgbImage,
    /// The rectangle of the original image in the padded one: left, top, width, height.
    pub(crate) frame: [i64; 4],
}

/// Draws the panels on one sheet.
pub(crate) fn sheet(heading: &str, panels: &[Panel]) -> RgbImage {
    let most = if panels.len() == 1 { MOST_ALONE } else { MOST };
    let cells: Vec<Cell<'_>> = panels.iter().map(|panel| Cell::new(panel, most)).collect();
    let columns = cells.len().clamp(1, COLUMNS);
    let width = cells.iter().map(Cell::width).max().unwrap_or(0);
    let rows: Vec<&[Cell<'_>]> = cells.chunks(columns).collect();
    let heights: Vec<u32> =
        rows.iter().map(|row| row.iter().map(|cell| cell.picture.height()).max().unwrap_or(0)).collect();

    let legend = "white frame: the original";
    let head = [Text::HEADING.width(heading), Text::SMALL.width(legend)];
    let width_of_all = (columns as u32 * (width + GAP) - GAP).max(head[0]).max(head[1]);
    let height_of_all = HEAD + heights.iter().map(|height| height + AROUND + GAP).sum::<u32>() - GAP;
    let mut sheet = RgbImage::from_pixel(2 * MARGIN + width_of_all, 2 * MARGIN + height_of_all, PAPER);
    Text::HEADING.write(&mut sheet, heading, (MARGIN, MARGIN - 12), INK);
    Text::SMALL.write(&mut sheet, legend, (MARGIN, MARGIN + 26), FAINT);

    let mut y = MARGIN + HEAD;
    for (row, height) in rows.into_iter().zip(heights) {
        for (cell, x) in row.iter().zip((MARGIN..).step_by((width + GAP) as usize)) {
            cell.draw(&mut sheet, (x, y));
        }
        y += height + AROUND + GAP;
    }
    sheet
}

/// A panel in the form in which it is drawn.
struct Cell<'a> {
    title: &'a str,
    pads: &'a str,
    caption: [String; 2],
    picture: RgbImage,
}

impl<'a> Cell<'a> {
    fn new(panel: &'a Panel, (most_width, most_height): (u32, u32)) -> Self {
        let (width, height) = panel.picture.dimensions();
        let fits = (f64::from(most_width) / f64::from(width)).min(f64::from(most_height) / f64::from(height));
        // An enlarged image is scaled by a whole number, so that each pixel can be seen.
        let scale = if fits >= 1.0 { fits.floor() } else { fits };
        let scaled = |length: f64| (length * scale).round();
        let [width, height] = [width, height].map(|length| scaled(length.into()).max(1.0) as u32);
        let filter = if scale < 1.0 { FilterType::Triangle } else { FilterType::Nearest };
        let mut picture = imageops::resize(&panel.picture, width, height, filter);

        let [left, top, width, height] = panel.frame.map(|length| length as f64);
        let [left, top, right, bottom] = [left, top, left + width, top + height].map(|at| scaled(at) as i64);
        for (grow, colour) in [(2, FRAME_EDGE), (1, FRAME), (0, FRAME_EDGE)] {
            let size = [right - left + 2 * grow, bottom - top + 2 * grow];
            outline(&mut picture, [left - grow, top - grow, size[0], size[1]], colour);
        }
        let note = match scale {
            1.0 => String::new(),
            _ if scale > 1.0 => format!(", shown {scale:.0} times as large"),
            _ => format!(", shown at {:.0} %", scale * 100.0),
        };
        let caption = [format!("{}{note}", panel.shapes), panel.kernel.clone()];
        Cell { title: &panel.title, pads: &panel.pads, caption, picture }
    }

    fn width(&self) -> u32 {
        let lines = [self.pads, &self.caption[0], &self.caption[1]].map(|line| Text::SMALL.width(line));
        lines.into_iter().fold(self.picture.width().max(Text::TITLE.width(self.title)), u32::max)
    }

    fn draw(&self, sheet: &mut RgbImage, (x, y): (u32, u32)) {
        Text::TITLE.write(sheet, self.title, (x, y), INK);
        Text::SMALL.write(sheet, self.pads, (x, y + TITLE), FAINT);
        let top = y + TITLE + LINE + SPACE;
        let (width, height) = self.picture.dimensions();
        outline(sheet, [x - 1, top - 1, width + 2, height + 2].map(i64::from), SHADOW);
        imageops::replace(sheet, &self.picture, x.into(), top.into());
        for (text, y) in self.caption.iter().zip((top + height + SPACE..).step_by(LINE as usize)) {
            Text::SMALL.write(sheet, text, (x, y), FAINT);
        }
    }
}

/// Draws the outermost pixels of a rectangle: left, top, width, height. Pixels outside of the canvas are left out.
fn outline(canvas: &mut RgbImage, [left, top, width, height]: [i64; 4], colour: Rgb<u8>) {
    let mut put = |x: i64, y: i64| {
        if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
            && let Some(pixel) = canvas.get_pixel_mut_checked(x, y)
        {
            *pixel = colour;
        }
    };
    for x in left..left + width {
        put(x, top);
        put(x, top + height - 1);
    }
    for y in top..top + height {
        put(left, y);
        put(left + width - 1, y);
    }
}

/// The size and the weight of letters.
struct Text {
    weight: FontWeight,
    height: RasterHeight,
}

impl Text {
    const HEADING: Text = Text { weight: FontWeight::Bold, height: RasterHeight::Size32 };
    const TITLE: Text = Text { weight: FontWeight::Bold, height: RasterHeight::Size24 };
    const SMALL: Text = Text { weight: FontWeight::Regular, height: RasterHeight::Size20 };

    fn width(&self, text: &str) -> u32 {
        (text.chars().count() * get_raster_width(self.weight, self.height)) as u32
    }

    fn write(&self, canvas: &mut RgbImage, text: &str, (x, y): (u32, u32), ink: Rgb<u8>) {
        let step = get_raster_width(self.weight, self.height) as u32;
        for (letter, left) in text.chars().zip((x..).step_by(step as usize)) {
            let raster = |letter| get_raster(letter, self.weight, self.height);
            let Some(raster) = raster(letter).or_else(|| raster('?')) else { continue };
            for (y, line) in (y..).zip(raster.rows()) {
                for (x, &cover) in (left..).zip(line) {
                    if let Some(Rgb(pixel)) = canvas.get_pixel_mut_checked(x, y) {
                        let mix = |paper: u8, ink: u8| {
                            let cover = u32::from(cover);
                            ((u32::from(paper) * (255 - cover) + u32::from(ink) * cover) / 255) as u8
                        };
                        *pixel = std::array::from_fn(|i| mix(pixel[i], ink.0[i]));
                    }
                }
            }
        }
    }
}
