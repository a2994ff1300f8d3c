//! Runs an ONNX model on tensors from files. The model has one Pad node, and Constant nodes for its inputs. See `--help`.

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
Runs an ONNX model with one Pad node, and prints the output or compares it.

Usage: onnx_node MODEL.onnx INPUT.pb... [--expect OUTPUT.pb]

MODEL.onnx is a ModelProto of opset 1 to 28. All its nodes except the Pad node must be Constant nodes.
The INPUTs are TensorProtos for the inputs of the graph, in their order. You may leave out inputs that have an
initializer. An INPUT must have the type and shape that the model declares.

The program prints or compares the output piece by piece, and never holds all of it in memory. It compares elements
bit by bit.

Exit code: 0 on success, 1 if the output is not the expected one, 2 if there is no output.

Options:
      --expect OUTPUT.pb  compare the output with this TensorProto instead of printing it
      --onnxruntime       follow onnxruntime where it differs from the specification
  -h, --help              print this text
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
