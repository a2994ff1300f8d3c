//! Draws the pictures of the guides from results of the library, and compares them with the pages.

use std::fmt::Write;

use pad_kernels::dialect::{Dialect, numpy};
use pad_kernels::{AxisPad, Fill, Frame, PadMode, PadSpec, computed::EndValue, pad};

mod common;

/// The guide pages with pictures.
const PAGES: [&str; 2] = ["pad-kernels/src/guide/modes.md", "pad-kernels/src/guide/computed.md"];

/// The letter of a fill element.
const FILL: char = '.';

const INK: &str = "#2f6fb3";
const PAPER: &str = "#e8d9a8";
const GREY: &str = "#9aa0a6";

/// Background colours of elements, on which their letters are readable.
const COLOURS: [&str; 6] = ["#f2b8a0", "#f6dc8c", "#b9dfa6", "#a6d5ea", "#c3bdf0", "#eab6dd"];

fn svg(width: usize, height: usize, title: &str, inside: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{title}\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" style=\"max-width:100%\">\n{inside}</svg>"
    )
}

/// Draws a rectangle with its upper left corner at `x` and `y`.
fn rect(x: usize, y: usize, width: usize, height: usize, style: &str) -> String {
    format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {style}/>")
}

/// Writes text whose middle is at `x`.
fn label(x: usize, y: usize, style: &str, text: impl std::fmt::Display) -> String {
    format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" {style}>{text}</text>")
}

/// Draws one axis as a row of cells. Each cell has the colour of its source element, and a frame surrounds the data.
fn strip(letters: &str, settings: &[(&str, &str)]) -> String {
    const CELL: usize = 26;
    let mut axis = AxisPad::default();
    let (mut mode, mut frame) = (pad_kernels::Modes::from(PadMode::Constant), None);
    for &(name, value) in settings {
        match name {
            "mode" => {
                let of = |name| PadMode::ALL.into_iter().find(|mode| mode.name() == name).expect("a mode");
                let (low, high) = value.split_once(',').unwrap_or((value, value));
                mode = [(of(low), of(high))].into();
            }
            "pad" => {
                let (low, high) = value.split_once(',').expect("two numbers");
                (axis.low, axis.high) = (low.parse().expect("a number"), high.parse().expect("a number"));
            }
            "interior" => axis.interior = value.parse().expect("a number"),
            "frame" if value == "cropped" => frame = Some(Frame::Cropped),
            "frame" if value == "uncropped" => frame = Some(Frame::Uncropped),
            _ => panic!("{name}={value}"),
        }
    }
    let mut spec = PadSpec::new(mode, [axis]);
    spec.frame = frame;
    let data: Vec<char> = letters.chars().collect();
    let cells = pad(&data, &[data.len()], &spec.clone().with_fill(FILL)).expect("a result");
    let title: String = cells.iter().flat_map(|&cell| [cell, ' ']).collect();

    let mut inside = String::new();
    for (at, &cell) in cells.iter().enumerate() {
        let x = 2 + at * CELL;
        let index = data.iter().position(|&letter| letter == cell);
        let fill = index.map_or("none", |index| COLOURS[index % COLOURS.len()]);
        let dashes = if index.is_none() { " stroke-dasharray=\"3 3\"" } else { "" };
        inside += &rect(x, 4, CELL, CELL, &format!("fill=\"{fill}\" stroke=\"{GREY}\"{dashes}"));
        if index.is_some() {
            let style = "font-family=\"monospace\" font-size=\"15\" fill=\"#222\"";
            inside += &label(x + CELL / 2, 22, style, cell);
        }
        inside.push('\n');
    }
    // The remaining data begins after the low border and ends before the high border.
    let (start, end) = (axis.low.max(0) as usize, cells.len() - axis.high.max(0) as usize);
    let style = format!("fill=\"none\" stroke=\"{INK}\" stroke-width=\"3\"");
    inside += &rect(2 + start * CELL, 3, (end - start) * CELL, CELL + 2, &style);
    inside.push('\n');
    svg(cells.len() * CELL + 4, CELL + 8, title.trim_end(), &inside)
}

/// Draws a letter in two colours, padded in every mode, side by side.
fn letter() -> String {
    const CELL: usize = 6;
    const ROWS: [&str; 5] = ["#####", "#....", "####.", "#....", "#...."];
    let border = [8i64, 8, 9, 9];
    let [top, bottom, left, right] = border;
    let shape = [ROWS.len(), ROWS[0].len()];
    let data: Vec<u8> = ROWS.iter().flat_map(|row| row.bytes()).collect();
    let (height, width) = (shape[0] + (top + bottom) as usize, shape[1] + (left + right) as usize);
    let step = width * CELL + 12;
    let mut inside = String::new();
    for (panel, mode) in PadMode::ALL.into_iter().enumerate() {
        let spec = PadSpec::new(mode, [(top, bottom), (left, right)]).with_fill(b' ');
        let padded = pad(&data, &shape, &spec).expect("a result");
        let x = panel * step + 2;
        for (element, colour) in [(b'.', PAPER), (b'#', INK), (b' ', GREY)] {
            let mut path = String::new();
            for (y, row) in padded.chunks(width).enumerate() {
                let mut at = 0;
                for run in row.chunk_by(|a, b| a == b) {
                    if run[0] == element {
                        let _ = write!(path, "M{at} {y}h{}v1h-{0}z", run.len());
                    }
                    at += run.len();
                }
            }
            if !path.is_empty() {
                let _ = writeln!(
                    inside,
                    "<path transform=\"translate({x} 2) scale({CELL})\" fill=\"{colour}\" d=\"{path}\"/>"
                );
            }
        }
        let [left, top, columns, rows] =
            [left as usize, top as usize, shape[1], shape[0]].map(|at| at * CELL);
        let style = "fill=\"none\" stroke=\"#c0392b\" stroke-width=\"2\"";
        inside += &rect(x + left, 2 + top, columns, rows, style);
        let style = "font-family=\"sans-serif\" font-size=\"14\" fill=\"currentColor\"";
        inside += &label(x + width * CELL / 2, height * CELL + 20, style, mode);
        inside.push('\n');
    }
    svg(step * PadMode::ALL.len(), height * CELL + 28, "a letter padded in every mode", &inside)
}

/// Draws a signal with the borders of `numpy.pad`, as one dot per element. The dots of the data are filled.
fn plot(words: &[&str]) -> String {
    const STEP: f64 = 18.0;
    const SIGNAL: [f64; 8] = [3.0, 5.0, 4.0, 7.0, 6.0, 8.0, 5.0, 6.0];
    const PAD: usize = 7;
    let mut call = numpy::Pad::new(PAD as i64).mode(words[0]);
    for word in &words[1..] {
        let (name, value) = word.split_once('=').expect("name=value");
        let number = || value.parse::<f64>().expect("a number");
        call = match name {
            "end_values" => call.end_values(EndValue::from(number())),
            "stat_length" => call.stat_length(number() as i64),
            "reflect_type" => call.reflect_type(value),
            "constant_values" => {
                let sides = value.split(',').map(|side| Fill::of(side.parse::<f64>().expect("a number")));
                call.constant_values(numpy::Values::List(sides.collect()))
            }
            _ => panic!("{name}={value}"),
        };
    }
    let padded = call.pad(&SIGNAL, &[SIGNAL.len()]).expect("a result");
    let is_data = |index: usize| (PAD..PAD + SIGNAL.len()).contains(&index);
    let place = |(index, value): (usize, f64)| (14.0 + STEP * index as f64, 108.0 - 7.0 * (value + 3.0));
    let unwritten = words[0] == "empty";
    let mut inside = String::new();
    let (left, right) = (place((PAD, 0.0)).0 - STEP / 2.0, place((PAD + SIGNAL.len(), 0.0)).0 - STEP / 2.0);
    let zero = place((0, 0.0)).1;
    let _ = writeln!(
        inside,
        "<path d=\"M{left} 4V112M{right} 4V112\" stroke=\"{GREY}\" stroke-dasharray=\"3 3\"/>\
         <path d=\"M4 {zero}H{}\" stroke=\"{GREY}\"/>",
        place((padded.len(), 0.0)).0 - STEP + 10.0
    );
    let (mut line, mut dots) = (String::new(), String::new());
    for (index, &value) in padded.iter().enumerate().filter(|(index, _)| is_data(*index) || !unwritten) {
        let (x, y) = place((index, value));
        line += &format!("{}{x} {y:.1}", if line.is_empty() { 'M' } else { 'L' });
        let fill = if is_data(index) { INK } else { "#c0392b" };
        dots += &format!("<circle cx=\"{x}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{fill}\"/>");
    }
    let _ = writeln!(inside, "<path d=\"{line}\" fill=\"none\" stroke=\"{INK}\" stroke-opacity=\"0.5\"/>");
    inside += &dots;
    inside.push('\n');
    let told: Vec<String> = padded.iter().map(|value| format!("{value:.1}")).collect();
    let title = if unwritten { "the inside alone".to_owned() } else { told.join(" ") };
    svg(20 + (STEP as usize) * padded.len(), 116, &title, &inside)
}

/// Draws the picture that a line `<!-- picture: ... -->` requests.
fn picture(request: &str) -> String {
    let words: Vec<&str> = request.split_whitespace().collect();
    match words[..] {
        ["letter"] => letter(),
        ["plot", ref words @ ..] => plot(words),
        ["strip", letters, ref settings @ ..] => {
            let settings: Vec<(&str, &str)> =
                settings.iter().map(|word| word.split_once('=').expect("name=value")).collect();
            strip(letters, &settings)
        }
        _ => panic!("no picture is called {request:?}"),
    }
}

/// Returns the page with every picture redrawn. A picture begins after its request and ends with the line `</svg>`.
fn drawn(page: &str) -> String {
    let mut drawn = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        drawn.push_str(line);
        drawn.push('\n');
        let request = line.strip_prefix("<!-- picture: ").and_then(|line| line.strip_suffix(" -->"));
        let Some(request) = request else { continue };
        drawn.push_str(&picture(request));
        drawn.push('\n');
        if lines.next_if(|line| line.starts_with("<svg ")).is_some() {
            while lines.next().is_some_and(|line| line != "</svg>") {}
        }
    }
    drawn
}

#[test]
fn pictures_show_what_the_library_makes() {
    for page in PAGES {
        let drawn = drawn(&common::read(page));
        assert!(drawn.matches("<svg ").count() >= 9, "the pictures are found");
        common::snapshot(page, &drawn, "guides");
    }
}
