//! Generates the random functions of `src/fixed.rs`. The macro `fixed_pad!` needs literals, so a build script writes them.
#![forbid(unsafe_code)]

use std::fmt::Write;
use std::{env, fs, path};

/// The number of functions.
const FUNCTIONS: usize = 300;

/// The maximum number of elements of an input or an output.
const MOST: i64 = 3000;

/// For each element type, its name in Rust, its `Kind` and its size in bytes.
const ELEMENTS: [(&str, &str, usize); 15] = [
    ("u8", "Tagged(DType::U8)", 1),
    ("f32", "Tagged(DType::F32)", 4),
    ("u16", "Tagged(DType::U16)", 2),
    ("f64", "Tagged(DType::F64)", 8),
    ("[u8; 3]", "Array(3)", 3),
    ("i32", "Tagged(DType::I32)", 4),
    ("[u8; 16]", "Array(16)", 16),
    ("f32", "Tagged(DType::F32)", 4),
    ("bool", "Tagged(DType::Bool)", 1),
    ("[u8; 5]", "Raw(5)", 5),
    ("u64", "Tagged(DType::U64)", 8),
    ("[u8; 33]", "Array(33)", 33),
    ("half::bf16", "Tagged(DType::BF16)", 2),
    ("Complex<f32>", "Tagged(DType::C64)", 8),
    ("half::f16", "Tagged(DType::F16)", 2),
];
const MODES: [&str; 5] = ["Constant", "Edge", "Reflect", "Symmetric", "Wrap"];

/// The random number generator xorshift64*. It gives equal numbers on every machine.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: i64) -> i64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end as u64) as i64
    }

    fn one_in(&mut self, n: i64) -> bool {
        self.below(n) == 0
    }

    fn of(&mut self, from: i64, to: i64) -> i64 {
        from + self.below(to - from + 1)
    }
}

#[derive(Clone)]
struct Axis {
    length: i64,
    low: i64,
    high: i64,
    interior: i64,
}

impl Axis {
    fn dilated(&self) -> i64 {
        if self.length == 0 { 0 } else { (self.length - 1) * (self.interior + 1) + 1 }
    }

    fn output(&self) -> i64 {
        self.dilated() + self.low + self.high
    }

    fn draw(draws: &mut Draws, innermost: bool) -> Axis {
        let length = match draws.below(12) {
            0 => draws.of(0, 1),
            1..=2 if innermost => draws.of(20, 70),
            _ => draws.of(2, 9),
        };
        let mut axis = Axis { length, low: 0, high: 0, interior: 0 };
        if draws.one_in(3) {
            return axis;
        }
        let mut side = || match draws.below(8) {
            0 if draws.one_in(3) => draws.of(100, 700),
            0 => -draws.of(1, 3),
            1..=2 => draws.of(0, 30),
            _ => draws.of(0, 3),
        };
        (axis.low, axis.high) = (side(), side());
        if draws.one_in(5) {
            axis.interior = draws.of(1, 3);
        }
        axis
    }

    /// Returns whether the mode can pad the axis. The tests of the macro check the axes that the macro refuses.
    fn is_valid(&self, mode: &str, cropped: bool) -> bool {
        let crop = |side: i64| if cropped { (-side).max(0) } else { 0 };
        let window = self.dilated() - crop(self.low) - crop(self.high);
        self.output() >= 0 && (mode == "Constant" || self.output() == 0 || window > 0)
    }
}

const fn axis(length: i64, low: i64, high: i64, interior: i64) -> Axis {
    Axis { length, low, high, interior }
}

/// Requests for which the macro once generated wrong code: mode, frame and axes. Their elements are bytes, and they have a fill.
const KNOWN: [(&str, Option<&str>, &[Axis]); 6] = [
    // Cropping leaves one row of a dilated axis.
    ("Constant", None, &[axis(2, 0, 0, 0), axis(2, 1, -2, 1), axis(3, 0, 0, 0)]),
    ("Constant", None, &[axis(2, 0, 0, 0), axis(2, -2, 1, 1), axis(3, 0, 0, 0)]),
    // A mirrored border needs more data than cropping leaves.
    ("Reflect", Some("Uncropped"), &[axis(4, 5, -3, 1)]),
    // Planes of fill lie between the data, and each row has two copies: its wrapped border and its data.
    ("Wrap", None, &[axis(2, 0, 0, 1), axis(2, 0, 0, 0), axis(3, 1, 0, 0)]),
    // The inner axis is longer than a copy unit may be.
    ("Edge", None, &[axis(1, 1, 0, 0), axis(1025, 0, 0, 0)]),
    // Cropping removes the only element of an axis.
    ("Wrap", None, &[axis(1, 1, -2, 0), axis(4, 0, 4, 0)]),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut draws = Draws(0x0005_eed0_f9ad);
    let mut functions = String::new();
    let mut table = String::new();
    let mut number = 0;
    while number < FUNCTIONS + KNOWN.len() {
        let mut mode = MODES[number % MODES.len()];
        let (mut element, mut kind, mut bytes) = ELEMENTS[number / MODES.len() % ELEMENTS.len()];
        let mut frame = [None, None, Some("Cropped"), Some("Uncropped")][draws.below(4) as usize];
        let rank = if draws.one_in(30) { 0 } else { draws.of(1, 4) };
        let mut axes: Vec<_> = (0..rank).map(|axis| Axis::draw(&mut draws, axis + 1 == rank)).collect();
        let mut fill = draws.one_in(2);
        let mut batch = draws.one_in(6);
        if let Some(known) = number.checked_sub(FUNCTIONS) {
            (mode, frame, axes) = (KNOWN[known].0, KNOWN[known].1, KNOWN[known].2.to_vec());
            (element, kind, bytes) = ELEMENTS[0];
            (fill, batch) = (true, false);
        }
        let cropped = frame.map_or(mode == "Wrap", |frame| frame == "Cropped");
        let outputs = axes.iter().map(|axis| axis.output().max(1)).product::<i64>();
        let inputs = axes.iter().map(|axis| axis.length.max(1)).product::<i64>();
        let is_valid = axes.iter().all(|axis| axis.is_valid(mode, cropped));
        if !is_valid || outputs.max(inputs) > MOST {
            continue;
        }

        let name = format!("fixed_{number}");
        let lengths: Vec<_> = axes.iter().map(|axis| axis.length.to_string()).collect();
        let lengths = lengths.join(", ");
        let shape = if !batch {
            lengths.clone()
        } else if lengths.is_empty() {
            "..".to_string()
        } else {
            format!(".., {lengths}")
        };
        let fill_bytes = if kind.contains("Bool") {
            "1".to_string()
        } else {
            (0..bytes).map(|byte| (255 - byte % 4).to_string()).collect::<Vec<_>>().join(", ")
        };
        let fill_expr = match element {
            "bool" => "(true)".to_string(),
            "Complex<f32>" => {
                let part = "f32::from_ne_bytes([255, 254, 253, 252])";
                format!("(Complex {{ re: {part}, im: {part} }})")
            }
            _ if element.starts_with('[') => format!("([{fill_bytes}])"),
            _ => format!("({element}::from_ne_bytes([{fill_bytes}]))"),
        };
        let pads: String = axes.iter().fold(String::new(), |pads, axis| {
            let Axis { low, high, interior, .. } = axis;
            match interior {
                0 => format!("{pads}[{low}, {high}], "),
                _ => format!("{pads}[{low}, {high}, {interior}], "),
            }
        });
        // Every function whose type can be summed gets an adjoint.
        let sums = kind.starts_with("Tagged") && !kind.contains("Bool");
        let adjoint = if sums { format!(" adjoint {name}_adjoint") } else { String::new() };
        writeln!(
            functions,
            "    fn {name}({element}; [{shape}]) = {}{} {} {{ {pads}}}{adjoint}",
            mode.to_lowercase(),
            if fill { &fill_expr } else { "" },
            frame.unwrap_or_default().to_lowercase(),
        )
        .expect("a string takes it");
        let axes: String = axes.iter().fold(String::new(), |axes, axis| {
            let Axis { low, high, interior, .. } = axis;
            format!("{axes}AxisPad {{ low: {low}, high: {high}, interior: {interior} }}, ")
        });
        let frame = frame.map_or("None".to_string(), |frame| format!("Some(Frame::{frame})"));
        let fill = if fill { format!("Some(vec![{fill_bytes}])") } else { "None".to_string() };
        let run = if element == "bool" { "typed" } else { "cast" };
        let [function, sum] = [name.clone(), format!("{name}_adjoint")]
            .map(|name| if batch { name } else { format!("once({name})") });
        let run_adjoint = match sums {
            false => "None".to_string(),
            true => format!("Some(|src, dst| cast({sum}, src, dst))"),
        };
        writeln!(
            table,
            "    Fixed {{
        case: || Case {{
            shape: vec![{lengths}],
            axes: vec![{axes}],
            mode: PadMode::{mode}.into(),
            frame: {frame},
            kind: Kind::{kind},
            fill: {fill},
            negated: vec![],
            paint: {paint},
        }},
        batch: {batch},
        align: align_of::<{element}>(),
        sizes: (&{name}::INPUT_SHAPE, {name}::INPUT_LEN, &{name}::OUTPUT_SHAPE, {name}::OUTPUT_LEN),
        run: |src, dst| {run}({function}, src, dst),
        adjoint: {run_adjoint},
    }},",
            paint = number % 251,
        )
        .expect("a string takes it");
        number += 1;
    }
    let text = format!(
        "pad_kernels::fixed_pad! {{\n{functions}}}\n\npub fn all() -> &'static [Fixed] {{\n    static ALL: &[Fixed] = &[\n{table}];\n    ALL\n}}\n"
    );
    let folder = env::var_os("OUT_DIR").expect("cargo says where");
    fs::write(path::Path::new(&folder).join("fixed.rs"), text).expect("the folder can be written");
}
