//! Runs a recorded case twice, through a dialect of `pad-kernels`, its plan and its kernels, and through the rules and
//! the reference, and compares both with what is right.

#![forbid(unsafe_code)]

mod request;
mod systems;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use pad_kernels::dialect::{Dialect, ngraph, numpy, onnx, openvino, tensorflow, torch, xla};
use pad_kernels::{AxisPad, DType, Fill, Frame, PadMode, PadPlan, PadSpec, kernels::Isa};
use serde_json::Value;

use crate::reach;
use crate::rules::{self, Refused, Type};
use crate::vectors::{Case, Elements, Expect, check_count, load};
use request::Asked;

pub use request::request;

/// How a case went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Both ways gave what is right.
    Passed,
    /// One did not: what is right, and what came out where.
    Failed {
        /// What is right.
        expected: String,
        /// What came out, of both ways if both are wrong.
        got: String,
    },
    /// The dialect or type is not known.
    Skipped(String),
}

/// A tensor, or why there is none.
type Answer = Result<(Vec<usize>, Elements), String>;

/// What one way comes to.
type Outright = Result<(Vec<usize>, Elements), Fault>;

/// Why one way has no answer.
enum Fault {
    /// The case is of something that is not known.
    Unknown(String),
    /// The case is refused.
    Refused(String),
    /// The case is malformed, or something happened that never should.
    Broken(String),
}

impl From<Refused> for Fault {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Unknown(what) => Fault::Unknown(what),
            Refused::Rule(rule) => Fault::Refused(rule),
        }
    }
}

/// Runs one case.
pub fn check(case: &Case) -> Outcome {
    let Some(element) = Type::from_name(&case.dtype) else {
        return Outcome::Skipped(format!("type {}", case.dtype));
    };
    let expected: Answer = match &case.expect {
        Expect::Error => Err("an error".into()),
        Expect::Tensor { shape, data } => match Elements::from_json(data, element)
            .and_then(|elements| check_count(shape, data.len()).map(|()| elements))
        {
            Ok(elements) => Ok((shape.clone(), elements)),
            Err(malformed) => return Outcome::Failed { expected: "a case".into(), got: malformed },
        },
    };
    let mut wrong = Vec::new();
    for (way, answer) in ways(case, element) {
        let answer = match answer {
            Ok(answer) => Ok(answer),
            Err(Fault::Refused(rule)) => Err(rule),
            Err(Fault::Unknown(what)) => return Outcome::Skipped(what),
            Err(Fault::Broken(what)) => {
                wrong.push(format!("{way}: {what}"));
                continue;
            }
        };
        if !same(&expected, &answer) {
            wrong.push(format!("{way}: {}", show(&answer, element)));
        }
    }
    if wrong.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Failed { expected: show(&expected, element), got: wrong.join("; ") }
    }
}

/// Runs one case without a look at what it expects: whether both ways give a tensor (true) or both refuse (false), or
/// in what they differ.
pub fn agree(case: &Case) -> Result<bool, String> {
    let element = Type::from_name(&case.dtype).ok_or("the type is not known")?;
    let answer = |(way, answer): (&str, _)| match answer {
        Ok(answer) => Ok(Ok(answer)),
        Err(Fault::Refused(rule)) => Ok(Err(rule)),
        Err(Fault::Unknown(what) | Fault::Broken(what)) => Err(format!("{way}: {what}")),
    };
    let [reference, kernel] = ways(case, element).map(answer);
    let (reference, kernel) = (reference?, kernel?);
    match same(&reference, &kernel) {
        true => Ok(reference.is_ok()),
        false => Err(format!("reference: {}; kernel: {}", show(&reference, element), show(&kernel, element))),
    }
}

/// What the rules and the reference answer to a case of which only the call is told, as an engine is: a tensor in the form of
/// `expect`, or `None` if they refuse. An error if they do not know it.
pub fn reference_answer(call: &Value) -> Result<Option<Value>, String> {
    let case = Case::of_call(call)?;
    let element = Type::from_name(&case.dtype).ok_or("the type is not known")?;
    match spread(&case).and_then(|case| by_reference(&case, element)) {
        Ok((shape, elements)) => {
            let data = elements.to_json(element, shape.iter().product())?;
            Ok(Some(serde_json::json!({"shape": shape, "data": data})))
        }
        Err(Fault::Refused(_)) => Ok(None),
        Err(Fault::Unknown(what) | Fault::Broken(what)) => Err(what),
    }
}

/// Both ways.
fn ways(case: &Case, element: Type) -> [(&'static str, Outright); 2] {
    let along = |way: fn(&Case, Type) -> Outright| spread(case).and_then(|case| way(&case, element));
    [("reference", along(by_reference)), ("kernel", along(by_kernel))]
}

/// The case with a width for every axis. The calls of ONNX and TensorRT have a list of axes; elsewhere it is a way to write the widths.
fn spread(case: &Case) -> Result<Cow<'_, Case>, Fault> {
    match case.axes {
        Some(_) if !["onnx", "tensorrt"].contains(&&case.dialect[..]) => {
            case.clone().spread().map(Cow::Owned).map_err(Fault::Refused)
        }
        _ => Ok(Cow::Borrowed(case)),
    }
}

/// Whether two answers are the same tensor, or both refuse. Why they do is told in each one's own words.
fn same(one: &Answer, other: &Answer) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one == other,
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

fn show(answer: &Answer, element: Type) -> String {
    match answer {
        Ok((shape, elements)) => format!("{shape:?} {}", elements.show(element)),
        Err(why) => format!("refused ({why})"),
    }
}

/// The rules and the reference.
fn by_reference(case: &Case, element: Type) -> Outright {
    let input = case.input(element).map_err(Fault::Broken)?;
    let (meaning, shape) = rules::output_shape(&case.call(element))?;
    if !fits(&shape) {
        return Err(Fault::Broken(format!("accepted, and {shape:?} is too large to run")));
    }
    let map = rules::map(&case.call(element), &meaning)?;
    let fill = case.fill(meaning.fill, element).map_err(Fault::Broken)?;
    let output = match (input, fill) {
        (Elements::Text(input), Elements::Text(fill)) => Elements::Text(map.apply(&input, &fill[0])),
        (Elements::Bytes(input), Elements::Bytes(fill)) if element.is_packed() => {
            Elements::Bytes(map.apply_packed(&input, element.bits(), fill[0]))
        }
        (Elements::Bytes(input), Elements::Bytes(fill)) if fill.len() > element.bits() as usize / 8 => {
            let last = map.shape.len() - 1;
            Elements::Bytes(map.apply_bytes_along(&input, &fill, last, element.bits() as usize / 8))
        }
        (Elements::Bytes(input), Elements::Bytes(fill)) => Elements::Bytes(map.apply_bytes(&input, &fill)),
        _ => unreachable!("the fill is of the type of the data"),
    };
    Ok((map.shape, output))
}

/// The dialect, the plan and every kernel that can run here.
fn by_kernel(case: &Case, element: Type) -> Outright {
    let input = case.input(element).map_err(Fault::Broken)?;
    let dtype: DType = element.name().parse().expect("a type of the library");
    let Asked { plan, text_fill, .. } = with_dialect(case, element, dtype)?;
    let plan = plan?;
    let shape = plan.output_shape().to_vec();
    if !fits(&shape) {
        return Err(Fault::Broken(format!("accepted, and {shape:?} is too large to run")));
    }
    let output = match input {
        Elements::Text(input) => {
            let fill = match &case.value {
                Some(Value::String(text)) => text.clone(),
                _ => text_fill.to_owned(),
            };
            Elements::Text(plan.to_vec_cloned(&input, &fill).map_err(broken)?)
        }
        Elements::Bytes(input) => Elements::Bytes(run(&plan, &input)?),
    };
    Ok((shape, output))
}

/// Whether a tensor is one to look at element by element, as those of recorded cases are.
fn fits(shape: &[usize]) -> bool {
    shape.contains(&0) || shape.iter().fold(1usize, |count, &length| count.saturating_mul(length)) < 1 << 26
}

/// What should not happen after a plan was made.
fn broken(error: impl fmt::Display) -> Fault {
    Fault::Broken(format!("failed to run: {error}"))
}

/// The output of the kernel that was chosen. Those for other instruction sets and the generic one must agree, whatever
/// was in the output before.
fn run(plan: &PadPlan, input: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut output = vec![0xa5; plan.output_bytes()];
    plan.run_bytes(input, &mut output).map_err(broken)?;
    let narrower = Isa::ALL.into_iter().filter_map(|isa| plan.with_isa(isa).ok());
    for other in narrower.chain([plan.with_generic_kernel()]) {
        let mut again = vec![0x5a; output.len()];
        other.run_bytes(input, &mut again).map_err(broken)?;
        if again != output {
            let names = [plan, &other]
                .map(|plan| plan.kernel().map_or("generic".into(), |row| row.name().to_string()));
            return Err(Fault::Broken(format!("kernels {} and {} disagree", names[0], names[1])));
        }
    }
    Ok(output)
}

fn with_dialect(case: &Case, element: Type, dtype: DType) -> Result<Asked, Fault> {
    let unknown = |what: &str| Err(Fault::Unknown(format!("{} {what}", case.dialect)));
    let interior = case.interior.as_deref().filter(|widths| case.dialect != "core" && !widths.is_empty());
    match case.dialect.as_str() {
        "core" => {
            let spec = core(case, element, dtype)?;
            let plan = PadPlan::for_dtype(&spec, &case.shape, dtype).map_err(refused);
            Ok(Asked { spec, plan, text_fill: "" })
        }
        "ngraph" => {
            let zeros = vec![0; case.low.len()];
            let value = fill(case, element, dtype)?;
            match case.version.as_deref() {
                Some("v0-interior") => {
                    if case.mode != "constant" {
                        return Err(Fault::Refused("the operator has no modes".into()));
                    }
                    let any = Fill::from_bytes(dtype, &[]);
                    let interior = case.interior.as_deref().unwrap_or(&zeros);
                    let mut pad = ngraph::PadV0Interior::new(any, &case.low, &case.high, interior);
                    pad.arg_pad_value = value;
                    plan(case, dtype, &pad)
                }
                Some("v0") => {
                    let any = Fill::from_bytes(dtype, &[]);
                    let mut pad = ngraph::PadV0::new(any, &case.low, &case.high).pad_mode(mode(case)?);
                    pad.arg_pad_value = value;
                    pad.padding_interior = interior;
                    plan(case, dtype, &pad)
                }
                Some("v1") => {
                    no_interior(case)?;
                    let mut pad = ngraph::PadV1::new(mode(case)?, &case.low, &case.high);
                    pad.arg_pad_value = value;
                    plan(case, dtype, &pad)
                }
                other => unknown(&format!("{other:?}")),
            }
        }
        "openvino" => {
            let version = match case.version.as_deref() {
                Some("1") => 1,
                Some("12") => 12,
                other => return unknown(&format!("{other:?}")),
            };
            no_interior(case)?;
            let flavour = match case.flavour.as_deref() {
                None | Some("spec") => openvino::Flavour::Spec,
                Some("engine") => openvino::Flavour::Engine,
                other => return unknown(&format!("{other:?}")),
            };
            let flag = |name: &str| case.args.get(name) == Some(&Value::Bool(true));
            let mut pad = openvino::Pad::new(version, &case.mode, &case.low, &case.high)
                .flavour(flavour)
                .clamp_output(flag("clamp"));
            pad.pad_value = fill(case, element, dtype)?;
            plan(case, dtype, &pad)
        }
        "onnx" => onnx_plan(case, element, dtype),
        "xla" => {
            if case.mode != "constant" {
                return Err(Fault::Refused("the operator has no modes".into()));
            }
            let any = Fill::from_bytes(dtype, &[]);
            let mut pad = xla::Pad::new(any, &case.low, &case.high);
            pad.padding_value = fill(case, element, dtype)?;
            pad.interior_padding = interior;
            plan(case, dtype, &pad)
        }
        "numpy" => {
            no_interior(case)?;
            let mut pad = numpy::Pad::new(numpy_width(case)?).mode(&case.mode);
            pad.constant_values = fill(case, element, dtype)?.map(Into::into);
            plan(case, dtype, &pad)
        }
        "torch" => {
            no_interior(case)?;
            let list = torch_list(case)?;
            let mut pad = torch::Pad::new(&list).mode(match case.mode.as_str() {
                "edge" => "replicate",
                "wrap" => "circular",
                mode => mode,
            });
            // Python gives a number, which is a double there.
            let double = case.value.as_ref().and_then(|value| {
                value.as_f64().filter(|double| {
                    value.is_f64() || value.as_i64().map(i128::from) == Some(*double as i128)
                })
            });
            pad.value = match double {
                Some(number) => Some(torch::Value::Number(number)),
                None => fill(case, element, dtype)?.map(torch::Value::Element),
            };
            plan(case, dtype, &pad)
        }
        "tensorflow" => {
            no_interior(case)?;
            let paddings = pairs(case)?.into_iter().map(|(low, high)| [low, high]).collect::<Vec<_>>();
            let mut pad = tensorflow::Pad::new(&paddings).mode(&case.mode);
            pad.constant_values = fill(case, element, dtype)?;
            plan(case, dtype, &pad)
        }
        "litert" => systems::litert(case, element, dtype),
        "opencv" => systems::opencv(case, dtype),
        "scipy" => systems::scipy(case, dtype),
        "webnn" => systems::webnn(case, dtype),
        "coreml" => systems::coreml(case, element, dtype),
        "tensorrt" => systems::tensorrt(case, element, dtype),
        _ => unknown(""),
    }
}

fn onnx_plan(case: &Case, element: Type, dtype: DType) -> Result<Asked, Fault> {
    let Some(Ok(opset @ 1..=28)) = case.version.as_deref().map(str::parse) else {
        return Err(Fault::Unknown(format!("onnx {:?}", case.version)));
    };
    let flavour = match case.flavour.as_deref() {
        None | Some("spec") => onnx::Flavour::Spec,
        Some("onnxruntime") => onnx::Flavour::OnnxRuntime,
        Some("evaluator") => onnx::Flavour::Evaluator,
        Some(other) => return Err(Fault::Unknown(format!("onnx {other}"))),
    };
    no_interior(case)?;
    // One list holds both, so it cannot say that one is longer.
    pairs(case)?;
    let pads = [&case.low[..], &case.high].concat();
    let pads_shape = shape_argument(case, "pads_shape")?;
    let value_shape = shape_argument(case, "value_shape")?;
    // onnxruntime takes the last of two entries for an axis.
    let last_wins = flavour == onnx::Flavour::OnnxRuntime;
    let mut pad = onnx::Pad::new(opset, &pads).flavour(flavour).mode(&case.mode).last_axis_wins(last_wins);
    pad.axes = case.axes.as_deref();
    pad.pads_shape = pads_shape.as_deref();
    pad.constant_value_shape = value_shape.as_deref().filter(|_| case.value.is_some());
    if opset < 11 {
        pad.value = case.float32().map_err(Fault::Broken)?;
    } else {
        pad.constant_value = fill(case, element, dtype)?;
    }
    plan(case, dtype, &pad)
}

/// The operation itself.
fn core(case: &Case, element: Type, dtype: DType) -> Result<PadSpec, Fault> {
    let zeros = vec![0; case.low.len()];
    let interior = case.interior.as_deref().unwrap_or(&zeros);
    if interior.len() != case.low.len() {
        return Err(Fault::Refused("not one width per axis".into()));
    }
    let mut axes = Vec::new();
    for ((low, high), &interior) in pairs(case)?.into_iter().zip(interior) {
        let Ok(interior) = u64::try_from(interior) else {
            return Err(Fault::Refused("negative interior width".into()));
        };
        axes.push(AxisPad::new(low, high).with_interior(interior));
    }
    let mut spec = PadSpec::new(mode(case)?, axes);
    spec.fill = fill(case, element, dtype)?;
    spec.frame = match case.frame.as_deref() {
        None => None,
        Some("uncropped") => Some(Frame::Uncropped),
        Some("cropped") => Some(Frame::Cropped),
        Some(other) => return Err(Fault::Unknown(format!("frame {other}"))),
    };
    Ok(spec)
}

/// Refuses interior widths where the system's call has no words for them.
fn no_interior(case: &Case) -> Result<(), Fault> {
    match case.interior.iter().flatten().any(|&width| width != 0) {
        true => Err(Fault::Refused(format!("{} has no interior widths", case.dialect))),
        false => Ok(()),
    }
}

/// The plan, after the shape was inferred without one.
fn plan<D: Dialect>(case: &Case, dtype: DType, pad: &D) -> Result<Asked, Fault> {
    let inferred = pad.output_shape(&case.shape, dtype);
    let plan = pad.plan(&case.shape, dtype);
    match (&inferred, &plan) {
        (Ok(shape), Ok(plan)) if shape[..] == *plan.output_shape() => {}
        (Err(_), Err(_)) => {}
        _ => return Err(Fault::Broken("shape inference and plan disagree".into())),
    }
    let spec = pad.spec(&case.shape, dtype).map_err(refused)?;
    Ok(Asked { spec, plan: plan.map_err(refused), text_fill: pad.text_fill() })
}

fn refused(error: impl fmt::Display + reach::Refuses) -> Fault {
    reach::met(&error);
    Fault::Refused(error.to_string())
}

fn mode(case: &Case) -> Result<PadMode, Fault> {
    let mode = PadMode::ALL.into_iter().find(|mode| mode.name() == case.mode);
    mode.ok_or_else(|| Fault::Refused(format!("no mode {}", case.mode)))
}

/// The value as one element of the tensor's type. Text travels beside the plan.
fn fill(case: &Case, element: Type, dtype: DType) -> Result<Option<Fill>, Fault> {
    match Elements::from_json(&case.value, element) {
        _ if case.value.is_none() => Ok(None),
        Ok(Elements::Bytes(bytes)) => Ok(Some(Fill::from_bytes(dtype, &bytes))),
        Ok(Elements::Text(_)) => Ok(Some(Fill::from_bytes(dtype, &[]))),
        Err(malformed) => Err(Fault::Broken(malformed)),
    }
}

/// Low and high widths, paired.
fn pairs(case: &Case) -> Result<Vec<(i64, i64)>, Fault> {
    if case.low.len() != case.high.len() {
        return Err(Fault::Refused("not one pair per axis".into()));
    }
    Ok(case.low.iter().copied().zip(case.high.iter().copied()).collect())
}

/// torch's list: pairs of the trailing axes that are named, the last axis first.
fn torch_list(case: &Case) -> Result<Vec<i64>, Fault> {
    if let Some(list) = pad_list(case)? {
        return Ok(list);
    }
    Ok(trailing(case)?.iter().rev().flat_map(|&(low, high)| [low, high]).collect())
}

/// The list that a call of torch or Core ML was given, if the case has it.
fn pad_list(case: &Case) -> Result<Option<Vec<i64>>, Fault> {
    let Some(list) = case.args.get("pad") else { return Ok(None) };
    let list = list.as_array().into_iter().flatten().map(Value::as_i64).collect::<Option<Vec<_>>>();
    list.map(Some).ok_or_else(|| Fault::Refused("the list is not of integers".into()))
}

/// The pairs of the trailing axes that the call names.
fn trailing(case: &Case) -> Result<Vec<(i64, i64)>, Fault> {
    let pairs = pairs(case)?;
    let named = case.npad.unwrap_or(pairs.len());
    let (silent, named) = match pairs.len().checked_sub(named) {
        Some(first) => pairs.split_at(first),
        None => return Err(Fault::Refused("more pairs than axes".into())),
    };
    if pairs.len() != case.shape.len() || silent.iter().any(|&pair| pair != (0, 0)) {
        return Err(Fault::Refused("the list does not reach this axis".into()));
    }
    Ok(named.to_vec())
}

/// `pad_width` as it was written, else from the widths; `None` if it is no width.
pub fn pad_width(case: &Case) -> Option<numpy::PadWidth> {
    numpy_width(case).ok()
}

fn numpy_width(case: &Case) -> Result<numpy::PadWidth, Fault> {
    let wrong =
        || Fault::Refused("pad_width is no number, list, list of lists or dictionary of integers".into());
    let list = |value: &Value| {
        let numbers = value.as_array()?.iter().map(Value::as_i64);
        numbers.collect::<Option<Vec<_>>>()
    };
    let entry = |(axis, width): (&String, &Value)| {
        let pair = match (width.as_i64(), list(width).as_deref()) {
            (Some(both), _) => (both, both),
            (None, Some(&[low, high])) => (low, high),
            _ => return None,
        };
        Some((axis.parse().ok()?, pair))
    };
    match case.args.get("pad_width") {
        // A tensor without axes has no rows to write, and any pair does.
        None if case.shape.is_empty() && case.low.is_empty() => Ok((0, 0).into()),
        None => Ok(pairs(case)?[..].into()),
        Some(Value::Number(number)) => number.as_i64().map(numpy::PadWidth::Scalar).ok_or_else(wrong),
        Some(Value::Array(rows)) if rows.iter().any(Value::is_array) => {
            rows.iter().map(list).collect::<Option<_>>().map(numpy::PadWidth::Rows).ok_or_else(wrong)
        }
        Some(width @ Value::Array(_)) => list(width).map(numpy::PadWidth::List).ok_or_else(wrong),
        Some(Value::Object(widths)) => {
            widths.iter().map(entry).collect::<Option<_>>().map(numpy::PadWidth::Dict).ok_or_else(wrong)
        }
        Some(_) => Err(wrong()),
    }
}

/// A tensor's shape among the arguments.
fn shape_argument(case: &Case, name: &str) -> Result<Option<Vec<usize>>, Fault> {
    let parse = |value: &Value| serde_json::from_value(value.clone());
    case.args.get(name).map(parse).transpose().map_err(|_| Fault::Broken(format!("args.{name} is no shape")))
}

/// The files with recorded cases among these paths: a file itself, and of a directory all `.jsonl` files in it.
pub fn files(paths: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        let at = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        if !fs::metadata(path).map_err(at)?.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut inside = Vec::new();
        for entry in fs::read_dir(path).map_err(at)? {
            inside.push(entry.map_err(at)?.path());
        }
        inside.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

/// How the cases of a run went.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Cases that gave what is right, both ways.
    pub passed: usize,
    /// Cases that did not, and lines that are no case.
    pub failed: usize,
    /// Cases of something not known, with what that is.
    pub skipped: BTreeMap<String, usize>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skipped: usize = self.skipped.values().sum();
        write!(f, "{} passed, {} failed, {skipped} skipped", self.passed, self.failed)
    }
}

/// Runs the cases of a file, or of those only that are `wanted`, and hands each line about a failure to `report`.
/// An id that another case of the file has is a failure.
pub fn check_file(
    path: &Path,
    tally: &mut Tally,
    wanted: impl Fn(&Case) -> bool,
    mut report: impl FnMut(String),
) -> io::Result<()> {
    let mut ids = BTreeSet::new();
    for (place, line) in load(path)? {
        let case = match line {
            Ok(case) if wanted(&case) => case,
            Ok(_) => continue,
            Err(malformed) => {
                tally.failed += 1;
                report(format!("{place}: expected a case, got {malformed}"));
                continue;
            }
        };
        let outcome = match ids.insert(case.id.clone()) {
            true => check(&case),
            false => Outcome::Failed { expected: "an id of its own".into(), got: place },
        };
        match outcome {
            Outcome::Passed => tally.passed += 1,
            Outcome::Skipped(what) => *tally.skipped.entry(what).or_default() += 1,
            Outcome::Failed { expected, got } => {
                tally.failed += 1;
                report(format!("{}: expected {expected}, got {got}", case.id));
            }
        }
    }
    Ok(())
}
