//! Runs a recorded case in two ways and compares both results with the recorded one.
//!
//! The first way uses a dialect of `pad-kernels`, its plan and its kernels. The second uses the rules and the reference.

mod dialects;

use std::path::PathBuf;
use std::{fmt, io};

use pad_c::types::Status;
use pad_kernels::{DType, PadPlan, PadSpec, kernels::Isa, pad_bytes};
use serde_json::Value;
use walkdir::WalkDir;

use crate::c::Arguments;
use crate::case::Kind;
use crate::rules::{self, Refused, Type};
use crate::vectors::{Case, Elements, Expect, tensor};
use dialects::{Asked, with_dialect};
pub use dialects::{numpy_width, own_mode};

/// The shape and the elements of a tensor, or the reason why there is none.
type Answer = Result<(Vec<usize>, Elements), Refused>;

/// Compares the results of both ways with the recorded result. Returns an error with the wrong results.
pub fn check(case: &Case) -> Result<(), String> {
    let expected: Answer = match &case.expect {
        Expect::Error => Err(Refused::Rule("an error".into())),
        Expect::Tensor { shape, data } => Ok(tensor(shape, data, case.dtype)?),
    };
    let wrong = ways(case).into_iter().filter(|(_, answer)| !same(&expected, answer));
    let wrong: Vec<_> = wrong.map(|(way, answer)| format!("{way}: {}", show(&answer, case.dtype))).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("expected {}, got {}", show(&expected, case.dtype), wrong.join("; ")))
}

/// Runs one case in both ways and ignores its recorded result.
///
/// Returns true if both ways give the same tensor, false if both refuse, and otherwise an error with the difference.
pub fn agree(case: &Case) -> Result<bool, String> {
    let [(_, reference), (_, kernel)] = ways(case);
    let shown = |answer| show(answer, case.dtype);
    match same(&reference, &kernel) {
        true => Ok(reference.is_ok()),
        false => Err(format!("reference: {}; kernel: {}", shown(&reference), shown(&kernel))),
    }
}

/// Returns the tensor or the refusal that the rules and the reference give for a case, or an error if they do not support it.
pub fn reference_answer(case: &Case) -> Result<Expect, String> {
    match spread(case).and_then(|case| by_reference(&case)) {
        Ok((shape, elements)) => {
            let data = elements.to_json(case.dtype, shape.iter().product());
            Ok(Expect::Tensor { shape, data })
        }
        Err(Refused::Rule(_)) => Ok(Expect::Error),
        Err(Refused::Broken(what)) => Err(what),
    }
}

/// Returns why the dialect of a case refuses its call, or `None` if it accepts the call.
pub fn refusal(case: &Case) -> Option<String> {
    match spread(case).and_then(|case| with_dialect(&case)?.plan) {
        Ok(_) => None,
        Err(Refused::Rule(why) | Refused::Broken(why)) => Some(why),
    }
}

fn ways(case: &Case) -> [(&'static str, Answer); 2] {
    let along = |way: fn(&Case) -> Answer| spread(case).and_then(|case| way(&case));
    [("reference", along(by_reference)), ("kernel", along(by_kernel))]
}

/// Returns the case with a width for every axis. Cases of ONNX and TensorRT keep their list of axes, as their calls have one.
fn spread(case: &Case) -> Result<Case, Refused> {
    match &case.dialect[..] {
        "onnx" | "tensorrt" => Ok(case.clone()),
        _ => case.clone().spread(false).map_err(Refused::Rule),
    }
}

/// Returns whether two answers are the same tensor, or both refuse. The reasons of the refusals may differ.
fn same(one: &Answer, other: &Answer) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one == other,
        (Err(Refused::Rule(_)), Err(Refused::Rule(_))) => true,
        _ => false,
    }
}

fn show(answer: &Answer, element: Type) -> String {
    match answer {
        Ok((shape, elements)) => format!("{shape:?} {}", elements.show(element)),
        Err(Refused::Rule(why)) => format!("refused ({why})"),
        Err(Refused::Broken(what)) => what.clone(),
    }
}

/// Runs a case with the rules and the reference.
fn by_reference(case: &Case) -> Answer {
    let input = case.input().map_err(Refused::Broken)?;
    let (meaning, shape) = rules::output_shape(case)?;
    fits(&shape)?;
    let map = rules::map(case, &meaning)?;
    let fill = match meaning.fill {
        Some(fill) => Elements::from_json(&fill, case.dtype).map_err(Refused::Broken)?,
        None => Elements::zero(case.dtype),
    };
    let bits = case.dtype.bits();
    let output = match (input, fill) {
        (Elements::Text(input), Elements::Text(fill)) => Elements::Text(map.apply(&input, &fill[0])),
        (Elements::Bytes(input), Elements::Bytes(fill)) => {
            // Several fill elements belong to the positions of the last axis.
            let axis = map.shape.len().checked_sub(1).filter(|_| 8 * fill.len() > bits.max(8) as usize);
            Elements::Bytes(map.apply_bits(&input, &fill, axis, bits))
        }
        _ => unreachable!("the fill is of the type of the data"),
    };
    Ok((map.shape, output))
}

/// Runs a case with its dialect, its plan and every kernel that this CPU can run, and with the C interface.
fn by_kernel(case: &Case) -> Answer {
    let input = case.input().map_err(Refused::Broken)?;
    let Asked { spec, plan, text_fill } = with_dialect(case)?;
    let plan = plan?;
    let shape = plan.output_shape().to_vec();
    fits(&shape)?;
    let output = match input {
        Elements::Text(input) => {
            let fill = case.value.as_ref().and_then(Value::as_str).unwrap_or(text_fill).to_owned();
            Elements::Text(plan.to_vec_cloned(&input, &fill).map_err(broken)?)
        }
        Elements::Bytes(input) => {
            let output = run(&plan, &input)?;
            check_c(case, &spec, &input, &output)?;
            Elements::Bytes(output)
        }
    };
    Ok((shape, output))
}

/// Returns an error if a tensor is too large to compare all its elements.
fn fits(shape: &[usize]) -> Result<(), Refused> {
    let count = shape.iter().fold(1usize, |count, &length| count.saturating_mul(length));
    if shape.contains(&0) || count < 1 << 26 {
        return Ok(());
    }
    Err(Refused::Broken(format!("accepted, and {shape:?} is too large to run")))
}

/// Creates the error for a plan that failed to run, which no plan should do.
fn broken(error: impl fmt::Display) -> Refused {
    Refused::Broken(format!("failed to run: {error}"))
}

/// Returns the output of the kernel that the plan chose.
///
/// The kernels for other instruction sets and the generic kernel must give an equal output, whatever the buffer contained before.
fn run(plan: &PadPlan, input: &[u8]) -> Result<Vec<u8>, Refused> {
    let mut output = vec![0xa5; plan.output_bytes()];
    plan.run_bytes(input, &mut output).map_err(broken)?;
    let narrower = Isa::ALL.into_iter().filter_map(|isa| plan.with_isa(isa).ok());
    for other in narrower.chain([plan.with_generic_kernel()]) {
        let mut again = vec![0x5a; output.len()];
        other.run_bytes(input, &mut again).map_err(broken)?;
        if again != output {
            let names = [plan, &other]
                .map(|plan| plan.kernel().map_or("generic".into(), |row| row.name().to_string()));
            return Err(Refused::Broken(format!("kernels {} and {} disagree", names[0], names[1])));
        }
    }
    Ok(output)
}

/// Returns the type of the library for the elements of a case.
pub fn dtype(case: &Case) -> DType {
    case.dtype.name().parse().expect("a type of the library")
}

/// Checks that the C interface gives the same output, with a plan and without one. C cannot express a fill for each position of
/// an axis, or another number of paddings than of axes. The function accepts such requests without a check.
fn check_c(case: &Case, spec: &PadSpec, input: &[u8], output: &[u8]) -> Result<(), Refused> {
    // To get the bytes of the fill, pad an empty tensor to a length of one element.
    let border = spec.fill.clone().map(|fill| PadSpec::constant([(1, 0)], fill));
    let fill = border.map(|border| pad_bytes(&[], &[0], dtype(case), &border)).transpose();
    let (Ok(fill), true) = (fill, spec.axes().len() == case.shape.len()) else { return Ok(()) };
    let arguments = Arguments::new(spec, &case.shape, Kind::Tagged(dtype(case)), fill);
    let plan = arguments.plan().map_err(|status| Refused::Broken(format!("C refuses it: {status:?}")))?;
    for plan in [Some(&*plan), None] {
        let mut memory = [input, &vec![0xa5; output.len()]].concat();
        let buffers = [(Some(0), input.len()), (Some(input.len()), output.len())];
        let status = arguments.call(plan, &mut memory, buffers)();
        if status != Status::Ok || memory[input.len()..] != *output {
            return Err(Refused::Broken(format!("C gives {:?} ({status:?})", &memory[input.len()..])));
        }
    }
    Ok(())
}

/// Lists files. A path of a file is listed itself, and a directory is replaced by its files with the given ending.
pub fn files(paths: &[PathBuf], ending: &str) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in paths.iter().flat_map(|path| WalkDir::new(path).max_depth(1).sort_by_file_name()) {
        let entry = entry?;
        let has_ending = entry.path().extension().is_some_and(|extension| extension == ending);
        if !entry.file_type().is_dir() && (entry.depth() == 0 || has_ending) {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}
