//! Tests of the example `onnx_node`. It runs ONNX's own backend cases of Pad, and models with `Constant` nodes. It refuses
//! invalid models. The files are in `vectors/onnx_node/`.

#[path = "../../pad-kernels/examples/onnx_node/node.rs"]
mod node;
#[path = "../../pad-kernels/examples/onnx_node/output.rs"]
mod output;
#[path = "../../pad-kernels/examples/onnx_node/proto.rs"]
mod proto;

use std::fs;
use std::path::{Path, PathBuf};

use itertools::Itertools;
use node::{Data, Error, Model, Tensor};
use output::Output;
use pad_kernels::dialect::onnx::Flavour;
use pad_kernels::{DType, PadMode, PadPlan, PadSpec, tensor::ElementSize};
use walkdir::WalkDir;

mod common;

const FLAVOURS: [Flavour; 2] = [Flavour::Spec, Flavour::OnnxRuntime];

/// Returns the path of a file or folder in `vectors/onnx_node`.
fn vectors(name: &str) -> PathBuf {
    common::root().join("spec-tests/vectors/onnx_node").join(name)
}

fn model(case: &str) -> Model {
    Model::read(&vectors(case).join("model.onnx")).unwrap_or_else(|error| panic!("{case}: {error}"))
}

/// Returns the wanted paths in a folder, sorted by name.
fn inside(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let entries = WalkDir::new(folder).min_depth(1).max_depth(1).sort_by_file_name().into_iter();
    entries.map(|entry| entry.expect("an entry").into_path()).filter(|path| wanted(path)).collect()
}

/// Reads the tensors of a data set whose file names begin with `kind`, by name. No case has ten, so this is the order by number.
fn tensors(set: &Path, kind: &str) -> Vec<Tensor> {
    let wanted = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(kind));
    inside(set, wanted).iter().map(|path| Tensor::read(path).expect("a tensor")).collect()
}

fn zeros(dtype: DType, shape: &[usize]) -> Tensor {
    let ElementSize::Bytes(size) = dtype.element_size() else { unreachable!("not asked for") };
    let bytes = vec![0; shape.iter().product::<usize>() * size];
    Tensor { dtype, shape: shape.to_vec(), data: Data::Bytes(bytes) }
}

/// Every case gives the output of ONNX's data set, in both flavours. Only text is not run in the flavour of onnxruntime, which
/// does not pad text.
#[test]
fn cases_of_onnx() {
    let cases = inside(&vectors(""), |path| path.join("model.onnx").is_file());
    assert_eq!(cases.len(), 13);
    for case in cases {
        let model = Model::read(&case.join("model.onnx")).expect("a model");
        let sets = inside(&case, |path| path.is_dir());
        assert!(!sets.is_empty(), "a case has data");
        for set in sets {
            let (inputs, outputs) = (tensors(&set, "input_"), tensors(&set, "output_"));
            let [expected] = &outputs[..] else { panic!("Pad has one output") };
            for flavour in FLAVOURS {
                if flavour == Flavour::Spec || expected.dtype != DType::String {
                    let output = model.run(&inputs, flavour).expect("an output");
                    let difference = output.difference(expected).expect("of a known type");
                    assert_eq!(difference, None, "{}: {flavour:?}", set.display());
                }
            }
        }
    }
}

/// Tensors differ if one bit, the shape or the type differs. Equal tensors have no difference.
#[test]
fn a_difference_is_seen() {
    let set = vectors("test_constant_pad/test_data_set_0");
    let (model, inputs) = (model("test_constant_pad"), tensors(&set, "input_"));
    let tensor = Tensor::read(&set.join("output_0.pb")).expect("a tensor");
    let output = model.run(&inputs, Flavour::Spec).expect("an output");
    assert_eq!(output.difference(&tensor).expect("floats"), None);
    let Data::Bytes(bytes) = &tensor.data else { unreachable!("floats are bytes") };
    let mut changed = bytes.clone();
    changed[bytes.len() / 2] ^= 1;
    let turned = tensor.shape.iter().rev().copied().collect();
    for other in [
        Tensor { data: Data::Bytes(changed), ..tensor.clone() },
        Tensor { shape: turned, ..tensor.clone() },
        Tensor { dtype: DType::I32, ..tensor.clone() },
    ] {
        assert!(output.difference(&other).expect("a known type").is_some());
    }
}

/// Each model of `refused/` gives an error that names its fault. Every model gets the input that most of them declare.
#[test]
fn what_a_model_holds_is_named() {
    let (data, mut errors) = (zeros(DType::F32, &[2, 3]), String::new());
    for path in inside(&vectors("refused"), |_| true) {
        let result = Model::read(&path)
            .and_then(|model| model.run(std::slice::from_ref(&data), Flavour::Spec).map(drop));
        let error = result.expect_err("it is refused").to_string();
        let error = error.replace(&path.display().to_string(), "FILE");
        errors += &format!("{}: {error}\n", path.file_stem().expect("a name").display());
    }
    common::snapshot("spec-tests/tests/snapshots/onnx_node.txt", &errors, "onnx_node");
}

/// Inputs must have the declared types, ranks and fixed axes. Axes with a name or without a length are free. An input with an
/// initializer may be omitted; if it is given, it is checked like the others. No other input may be omitted.
#[test]
fn inputs_are_what_the_model_declares() {
    let of = |dtype, shape: &[usize]| zeros(dtype, shape);
    let (data, value) = (of(DType::F32, &[2, 3]), of(DType::F32, &[]));
    let recorded = tensors(&vectors("test_constant_pad/test_data_set_0"), "input_");
    let mut text = String::new();
    for (case, inputs) in [
        ("constants_value", vec![of(DType::F32, &[5, 3])]),
        ("constants_value", vec![of(DType::F32, &[0, 3])]),
        ("constants_value", vec![of(DType::F32, &[2, 4])]),
        ("constants_value", vec![of(DType::F32, &[6])]),
        ("constants_value", vec![of(DType::F32, &[1, 2, 3])]),
        ("constants_value", vec![of(DType::F64, &[2, 3])]),
        ("constants_and_initializers", vec![of(DType::F32, &[1, 7])]),
        ("constants_and_initializers", vec![of(DType::I32, &[1, 7])]),
        ("constants_string", vec![of(DType::F32, &[1, 7])]),
        ("torch_constant_pad", vec![of(DType::F32, &[1, 2, 4, 6])]),
        ("constants_and_initializers", vec![data.clone()]),
        ("constants_and_initializers", vec![data.clone(), value.clone()]),
        ("constants_and_initializers", vec![]),
        ("constants_and_initializers", vec![data.clone(), data.clone()]),
        ("test_constant_pad", recorded[..1].to_vec()),
        ("test_constant_pad", [&recorded[..], &recorded[..1]].concat()),
    ] {
        let errors =
            FLAVOURS.map(|flavour| model(case).run(&inputs, flavour).err().map(|error| error.to_string()));
        assert_eq!(errors[0], errors[1], "{case}");
        let declared = inputs.iter().map(|input| format!("{} {:?}", input.dtype, input.shape)).join(", ");
        text += &format!("{case} with {declared}: {}\n", errors[0].as_deref().unwrap_or("ok"));
    }
    common::snapshot("spec-tests/tests/snapshots/onnx_node_inputs.txt", &text, "onnx_node");
    // A given value replaces the initializer.
    let has_default = |inputs: &[Tensor]| {
        let mut text = Vec::new();
        model("constants_and_initializers")
            .run(inputs, Flavour::Spec)
            .and_then(|output| output.print(&mut text))
            .expect("an output");
        String::from_utf8(text).expect("text").contains("1.5")
    };
    assert!(has_default(std::slice::from_ref(&data)) && !has_default(&[data, value]));
}

/// Elements are printed as text. A row that is longer than a piece of the output stays on one line.
#[test]
fn outputs_are_printed_in_pieces() {
    let print = |dtype, shape: &[usize], pads: [(i64, i64); 2], data: Data| {
        let spec = PadSpec::new(PadMode::Edge, pads);
        let plan = PadPlan::for_dtype(&spec, shape, dtype).expect("valid");
        let mut text = Vec::new();
        Output { dtype, plan, data: &data, fill: Vec::new() }.print(&mut text).expect("room");
        String::from_utf8(text).expect("text")
    };
    let floats = [1.5f32, f32::from_bits(0x7fc0_0001)].map(f32::to_ne_bytes).concat();
    let text = [
        print(DType::F32, &[1, 2], [(1, 0), (0, 1)], Data::Bytes(floats.clone())),
        print(DType::U4, &[1, 3], [(0, 0), (1, 0)], Data::Bytes(vec![0x21, 0xf3])),
        print(DType::C64, &[1, 1], [(0, 0), (0, 0)], Data::Bytes(floats)),
        print(DType::String, &[1, 1], [(0, 0), (1, 0)], Data::Text(vec![b"a\n".to_vec()])),
    ];
    common::snapshot("spec-tests/tests/snapshots/onnx_node_outputs.txt", &text.concat(), "onnx_node");
    let long = print(DType::U8, &[1, 1], [(1, 1), (99_999, 70_000)], Data::Bytes(vec![7]));
    let lines: Vec<&str> = long.lines().collect();
    assert_eq!((lines[0], lines.len()), ("uint8 [3, 170000]", 4));
    assert!(lines[1..].iter().all(|line| line.split(' ').count() == 170_000));
}

/// If one file of a case has a few changed bytes, the model runs or is refused, without a panic.
#[test]
fn corrupted_files_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = inside(&vectors(""), |path| path.join("model.onnx").is_file());
    common::some_refused(17, 900, |u| {
        let case = u.choose(&cases)?;
        let set = case.join("test_data_set_0");
        let files: Vec<PathBuf> =
            [case.join("model.onnx")].into_iter().chain(inside(&set, |_| true)).collect();
        let damaged = u.choose_index(files.len())?;
        let mut copies = Vec::new();
        for (i, file) in files.iter().enumerate() {
            let mut bytes = fs::read(file).expect("a file");
            if i == damaged {
                common::corrupt(&mut bytes, u, &[0xff])?;
            }
            let copy = folder.path().join(file.file_name().expect("a name"));
            fs::write(&copy, bytes).expect("room");
            copies.push(copy);
        }
        let result = || -> Result<(), Error> {
            let model = Model::read(&copies[0])?;
            let inputs = copies.iter().filter(|path| path.display().to_string().contains("input_"));
            let inputs = inputs.map(|path| Tensor::read(path)).collect::<Result<Vec<_>, _>>()?;
            let expected = Tensor::read(copies.last().expect("an output"))?;
            for flavour in FLAVOURS {
                let output = model.run(&inputs, flavour)?;
                output.difference(&expected)?;
                if output.shape().iter().product::<usize>() < 10_000 {
                    output.print(&mut std::io::sink())?;
                }
            }
            Ok(())
        };
        Ok(result())
    });
}
