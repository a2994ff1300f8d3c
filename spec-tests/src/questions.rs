//! Generates random calls of every dialect, and compares the dialects of `pad-kernels` with the rules of the reference.
//!
//! Dialects and rules were written independently, so the comparison finds special cases that only one of them handles. No
//! framework runs in this comparison. The recorded cases find the mistakes that dialects and rules share.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

use crate::conform::agree;
use crate::reach;
use crate::rules::{Type, output_shape};
use crate::vectors::Case;

/// Makes random numbers from bytes.
struct Numbers<'a, 'b>(&'a mut Unstructured<'b>);

impl Numbers<'_, '_> {
    /// Returns a number from 0 to `end - 1`, or 0 if no bytes are left.
    fn below(&mut self, end: usize) -> usize {
        self.0.choose_index(end).unwrap_or(0)
    }

    /// Returns true with the probability 1 / `times`.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// Returns one element of `of`.
    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Returns one of the words, or `None` if there are none.
    fn word(&mut self, words: &'static str) -> Option<&'static str> {
        let words: Vec<_> = words.split_whitespace().collect();
        (!words.is_empty()).then(|| self.one(&words))
    }

    /// Returns a number from `least` to `most`, both included.
    fn between(&mut self, least: i64, most: i64) -> i64 {
        least + self.below((most - least + 1) as usize) as i64
    }

    /// Returns a width for an axis of length `d`. Most widths are 0 or small, with either sign. Some are larger than the axis,
    /// and a few are too large for any memory.
    fn width(&mut self, d: usize) -> i64 {
        let d = d as i64;
        match self.below(40) {
            0..14 => 0,
            14..24 => self.between(1, 2),
            24..30 => self.between(0, 2 * d + 1),
            30..38 => self.between(-d - 1, 0),
            38 => -self.between(0, 2 * d + 2),
            _ => self.one(&[i64::MAX, i64::MIN, i64::MAX / 2, 1 << 40, -(1 << 40)]),
        }
    }
}

/// Returns the JSON of an element of type `of`, with a value that depends on `i`.
fn element(i: usize, of: Type) -> Value {
    let pattern = |bits: u32| {
        let spread = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let field = if bits == 64 { spread } else { spread >> (64 - bits) };
        json!({"bits": format!("{field:#x}")})
    };
    match of {
        Type::String => json!(format!("text {i}")),
        Type::Bool => json!(i % 3 / 2),
        Type::Complex64 => json!([pattern(32), pattern(32)]),
        Type::Complex128 => json!([pattern(64), pattern(64)]),
        other => pattern(other.bits()),
    }
}

/// The versions, flavours (variants of the rules), modes and types of the calls of one framework. Words are separated by spaces,
/// and a word that is listed twice is chosen twice as often.
#[derive(Clone, Copy, Debug)]
pub struct System {
    pub dialect: &'static str,
    versions: &'static str,
    flavours: &'static str,
    modes: &'static str,
    /// The types that most calls use.
    types: &'static str,
}

const fn system(
    dialect: &'static str,
    versions: &'static str,
    flavours: &'static str,
    modes: &'static str,
    types: &'static str,
) -> System {
    System { dialect, versions, flavours, modes, types }
}

const TYPES: &str = "float32 float64 int32 uint8 int64";
const ALL: &str = "constant edge reflect symmetric wrap";
const ONNX: &str = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28";

/// All frameworks.
pub const SYSTEMS: [System; 14] = [
    system("core", "", "", ALL, TYPES),
    system("ngraph", "v0-interior v0 v0 v1", "", ALL, TYPES),
    system("openvino", "1 12 12", "spec engine", ALL, TYPES),
    system("onnx", ONNX, "spec onnxruntime evaluator", "constant edge reflect wrap", TYPES),
    system("xla", "", "", "constant", TYPES),
    system("numpy", "", "", ALL, TYPES),
    system("torch", "", "", "constant edge reflect wrap", TYPES),
    system("tensorflow", "", "", "constant CONSTANT reflect Symmetric", TYPES),
    system("litert", "PAD PADV2 MIRROR_PAD DILATE", "", "constant reflect symmetric", TYPES),
    system("opencv", "", "", ALL, TYPES),
    system("scipy", "", "filter interpolation", ALL, TYPES),
    system("webnn", "", "", "constant edge reflect", TYPES),
    system("coreml", "", "", "constant edge reflect", "float16 float32"),
    system("tensorrt", "", "", "constant edge reflect wrap", "float32 float16 int32 int8 int64"),
];

/// Arguments that do not depend on the rest of the call. An entry has the framework, the name of the argument, a number `n`, and
/// the possible values. One of `n` calls has the argument.
const ARGUMENTS: [(&str, &str, usize, &str); 6] = [
    ("openvino", "clamp", 4, "true"),
    ("litert", "zero_point", 2, "0 0 5 -3 127 200 -200"),
    ("litert", "value_zero_point", 6, "0 0 5 -3 127 200 -200"),
    ("opencv", "isolated", 4, "true"),
    ("scipy", "mode", 2, "reflect grid-mirror constant grid-constant nearest mirror grid-wrap wrap edge"),
    (
        "tensorrt",
        "mode",
        4,
        "STRICT_BOUNDS STRICT_BOUNDS STRICT_BOUNDS STRICT_BOUNDS WRAP CLAMP FILL REFLECT EDGE",
    ),
];

/// Generates a random call of the framework. Most calls follow its rules, and some break one of them.
pub fn draw(system: &System, u: &mut Unstructured<'_>) -> Result<Case> {
    let numbers = &mut Numbers(u);
    let any = numbers.once_in(3).then(|| numbers.one(&Type::all().collect::<Vec<_>>()));
    let usual = |word| Type::all().find(|of| Some(of.name()) == word).expect("a type");
    let of = any.unwrap_or_else(|| usual(numbers.word(system.types)));
    let modes = if numbers.once_in(30) { "none" } else { system.modes };
    let mut mode = numbers.word(modes).expect("a mode");
    let image = system.dialect == "opencv" && !numbers.once_in(20);
    let rank = match image {
        true => numbers.one(&[2, 2, 3]),
        false => numbers.one(&[0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8, 9]),
    };
    let longest = [9, 9, 6, 4, 3, 2, 2, 2, 2, 1][rank];
    let mut shape = Vec::new();
    for _ in 0..rank {
        shape.push(if numbers.once_in(12) { 0 } else { 1 + numbers.below(longest) });
    }
    if image && rank == 3 && numbers.once_in(3) {
        // Make more channels than OpenCV's `Scalar` has numbers, which are four.
        shape[2] = 5;
    }
    let [version, flavour] = [system.versions, system.flavours].map(|words| numbers.word(words));

    // Each operator of LiteRT has only some of the modes.
    if system.dialect == "litert" && mode != "none" && !numbers.once_in(12) {
        let mirrors = version == Some("MIRROR_PAD");
        mode = numbers.one(if mirrors { &["reflect", "symmetric"] } else { &["constant", "constant"] });
    }

    let mut axes = None;
    let opset = version.and_then(|version| version.parse().ok()).unwrap_or(0);
    if system.dialect == "onnx" && numbers.once_in(2) && opset >= 18
        || system.dialect == "tensorrt" && numbers.once_in(3)
        || numbers.once_in(60)
    {
        let mut list: Vec<i64> = Vec::new();
        for axis in 0..rank as i64 {
            if numbers.once_in(2) {
                list.push(if numbers.once_in(3) { axis - rank as i64 } else { axis });
            }
        }
        if numbers.once_in(12) {
            list.push(numbers.between(-(rank as i64) - 1, rank as i64));
        }
        let turn = numbers.below(list.len() + 1).min(list.len());
        list.rotate_left(turn);
        axes = Some(list);
    }
    let length = |axis: i64| {
        let axis = if axis < 0 { axis + rank as i64 } else { axis };
        usize::try_from(axis).ok().and_then(|axis| shape.get(axis)).copied().unwrap_or(1)
    };
    let named = axes.clone().unwrap_or_else(|| (0..rank as i64).collect());
    let unsigned = numbers.once_in(2);
    let mut side = |sparse: bool| -> Vec<i64> {
        let mut widths = Vec::new();
        for &axis in &named {
            let width = if sparse && numbers.once_in(2) { 0 } else { numbers.width(length(axis)) };
            widths.push(if unsigned { width.max(0) } else { width });
        }
        widths
    };
    let (mut low, mut high) = (side(rank > 2), side(rank > 2));
    let dilates = version == Some("DILATE");
    if dilates && !numbers.once_in(12) {
        low.fill(0);
        high.fill(0);
    }
    if image && rank == 3 && axes.is_none() && !numbers.once_in(12) {
        (low[2], high[2]) = (0, 0);
    }
    let takes_interior = ["core", "ngraph", "xla"].contains(&system.dialect) || dilates;
    let interior = numbers.once_in(if takes_interior { 2 } else { 60 }).then(|| {
        named
            .iter()
            .map(|_| if numbers.once_in(50) { -1 } else { numbers.below(3) as i64 })
            .collect::<Vec<_>>()
    });

    // In ONNX up to opset 10, the pads and the value are attributes.
    let attribute = system.dialect == "onnx" && opset < 11;
    let mut args = Map::new();
    let mut npad = None;
    match system.dialect {
        "torch" | "coreml" => {
            let count = rank.saturating_sub(numbers.one(&[0, 1, 1, 1, 2, 2, 3]));
            npad = (!numbers.once_in(8)).then_some(count);
            if axes.is_none() && !numbers.once_in(20) {
                for axis in 0..rank - npad.unwrap_or(rank) {
                    (low[axis], high[axis]) = (0, 0);
                }
            }
            if numbers.once_in(10) {
                let list: Vec<i64> =
                    (0..numbers.below(2 * rank + 3)).map(|_| numbers.between(-2, 3)).collect();
                args.insert("pad".into(), json!(list));
            }
        }
        "numpy" if numbers.once_in(3) => {
            let n = numbers.between(0, 3);
            let row = json!([n, numbers.between(0, 3)]);
            let width = match numbers.below(9) {
                0 => json!(n),
                1 => json!([n]),
                2 => row,
                3 => json!([row]),
                4 => (0..rank).map(|i| json!([i as i64 % 3])).collect(),
                5 => (0..numbers.below(rank + 2)).map(|i| json!([i as i64 % 3, n])).collect(),
                6 => json!({"0": n, "-1": row}),
                7 => json!({"-1": row, (rank as i64 - 1).to_string(): [n, 0]}),
                _ => json!([[n, 1, 2], [1, 2]]),
            };
            args.insert("pad_width".into(), width);
        }
        "onnx" => {
            let entries = low.len() + high.len();
            for (name, shapes) in [
                (
                    "pads_shape",
                    [json!([entries]), json!([1, entries]), json!([2, entries / 2]), json!([1, 1, entries])],
                ),
                ("value_shape", [json!([]), json!([1]), json!([1, 1]), json!([2])]),
            ] {
                if !attribute && numbers.once_in(12) {
                    args.insert(name.into(), shapes[numbers.below(4)].clone());
                }
            }
        }
        "opencv" if rank > 1 && numbers.once_in(3) => {
            let mut roi = Vec::new();
            for &length in &shape[..2] {
                let start = numbers.below(length + 1);
                let end = start + numbers.below(length + 1 - start.min(length));
                roi.push([start, if numbers.once_in(12) { end + 1 } else { end }]);
            }
            args.insert("roi".into(), json!(roi));
        }
        "tensorrt" if numbers.once_in(6) => {
            let strides: Vec<i64> = low.iter().map(|_| if numbers.once_in(8) { 2 } else { 1 }).collect();
            args.insert("stride".into(), json!(strides));
        }
        _ => {}
    }
    for (_, name, times, values) in ARGUMENTS.into_iter().filter(|row| row.0 == system.dialect) {
        if numbers.once_in(times) {
            let value = numbers.word(values).expect("a value");
            args.insert(name.into(), serde_json::from_str(value).unwrap_or_else(|_| json!(value)));
        }
    }
    if numbers.once_in(60) {
        low.push(0);
    }
    if numbers.once_in(60) {
        high.pop();
    }
    let value = match system.dialect {
        "torch" if holds_zero(of) && (mode != "constant" || numbers.once_in(2)) => {
            (mode == "constant" || numbers.once_in(8)).then(|| json!(numbers.below(2)))
        }
        "opencv" | "scipy" | "webnn" => {
            let all = [0.0, 1.0, 2.0, 7.0, 2.5, -1.5, 0.5, 300.0, -300.0, 3e9, 1e19, -1e19, 1e300];
            let one = |numbers: &mut Numbers<'_, '_>| match numbers.once_in(12) {
                true => json!({"bits": "0x7ff8000000000000"}),
                false => json!(numbers.one(&all)),
            };
            let integers = [0, 7, -7, 300, (1 << 53) + 1, i64::MAX, i64::MIN];
            Some(match system.dialect == "opencv" && numbers.once_in(4) {
                _ if system.dialect == "webnn" && numbers.once_in(2) => json!(numbers.one(&integers)),
                true => (0..numbers.below(6)).map(|_| one(numbers)).collect(),
                false => one(numbers),
            })
        }
        "tensorrt" if args.contains_key("mode") => numbers.once_in(4).then(|| element(1000, of)),
        "torch" | "numpy" | "tensorrt" => {
            (mode == "constant" || numbers.once_in(20)).then(|| element(1000, of))
        }
        _ => (!numbers.once_in(4)).then(|| if attribute { json!(2.5) } else { element(1000, of) }),
    };
    let value = value.filter(|_| numbers.below(5) < 4);
    let frames = [None, Some("uncropped"), Some("cropped")];
    let count = shape.iter().product();
    let data: Vec<Value> = (0..count).map(|i| element(i, of)).collect();
    let frame = numbers.one(&frames).filter(|_| system.dialect == "core");
    let call = json!({
        "id": "", "dialect": system.dialect, "version": version, "flavour": flavour, "frame": frame,
        "dtype": of.name(), "shape": shape, "data": data, "low": low, "high": high, "interior": interior,
        "axes": axes, "npad": npad, "mode": mode, "value": value, "args": args,
    });
    Ok(Case::of_call(call).expect("a call"))
}

/// Returns whether the type has the numbers 0 and 1.
fn holds_zero(of: Type) -> bool {
    !matches!(of, Type::String | Type::Float8e8m0 | Type::Complex64 | Type::Complex128)
}

/// Returns whether the output has few enough elements to compare them all, or whether the rules refuse the case.
fn small(case: &Case) -> bool {
    output_shape(case).map_or(true, |(_, shape)| {
        shape.contains(&0) || shape.iter().fold(1usize, |count, &length| count.saturating_mul(length)) < 3000
    })
}

/// Compares the results of the dialect and of the rules for `case`.
///
/// Returns true if both give the same tensor, false if both refuse, and `None` if the tensor would be too large.
pub fn ask(case: &Case) -> std::result::Result<Option<bool>, String> {
    if !small(case) {
        reach::redrawn();
        return Ok(None);
    }
    let accepted = agree(case).map_err(|difference| format!("{}: {difference}", json!(case)))?;
    if accepted {
        reach::accepted();
    } else {
        reach::count(reach::Class::Refusal, case.dialect.clone());
    }
    Ok(Some(accepted))
}
