//! Runs an ONNX model of one Pad node, and of Constants for it, on tensors from files. See `--help`.

mod node;
mod output;
mod proto;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use lexopt::{Arg, ValueExt};
use node::{Error, Model, Tensor};
use pad_kernels::dialect::onnx::Flavour;

const HELP: &str = "\
Runs the Pad of an ONNX model that holds no other operator but Constant, and prints the output or compares it.

Usage: onnx_node MODEL.onnx INPUT.pb... [--expect OUTPUT.pb]

MODEL.onnx is a ModelProto of opset 1 to 28 with one Pad node; its other inputs may be Constants, initializers or inputs
of the graph. The INPUTs are TensorProtos for the graph's inputs in their order; those with an initializer may be left
out. An INPUT of another type or shape than the model declares is refused. Elements are compared bit by bit.

The output is printed or compared as it is made, and never held as a whole.

Exit code: 0 if all is well, 1 if the output is not the expected one, 2 if there is no output.

Options:
      --expect OUTPUT.pb  compare with this TensorProto instead of printing
      --onnxruntime       follow onnxruntime where it differs from the specification
  -h, --help              this text
";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("onnx_node: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, Error> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut expect: Option<PathBuf> = None;
    let mut flavour = Flavour::Spec;
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => {
                io::stdout().write_all(HELP.as_bytes())?;
                return Ok(ExitCode::SUCCESS);
            }
            Arg::Long("expect") => expect = Some(arguments.value()?.parse()?),
            Arg::Long("onnxruntime") => flavour = Flavour::OnnxRuntime,
            Arg::Value(path) => paths.push(path.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let [model, inputs @ ..] = &paths[..] else {
        return Err("no model; try --help".into());
    };
    let model = Model::read(model)?;
    let inputs = inputs.iter().map(|path| Tensor::read(path)).collect::<Result<Vec<_>, _>>()?;
    let expected = expect.map(|path| Tensor::read(&path)).transpose()?;

    let output = model.run(&inputs, flavour)?;
    let Some(expected) = expected else {
        output.print(&mut BufWriter::new(io::stdout().lock()))?;
        return Ok(ExitCode::SUCCESS);
    };
    match output.difference(&expected)? {
        None => {
            writeln!(io::stdout(), "as expected: {} {:?}", output.dtype.long_name(), output.shape())?;
            Ok(ExitCode::SUCCESS)
        }
        Some(difference) => {
            writeln!(io::stdout(), "{difference}")?;
            Ok(ExitCode::FAILURE)
        }
    }
}
