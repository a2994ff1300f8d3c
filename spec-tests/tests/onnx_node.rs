//! ONNX's own backend cases of Pad, models with Constants, and models that are refused, in `vectors/onnx_node/`, through the
//! code of the example `onnx_node`.

#[path = "../../pad-kernels/examples/onnx_node/node.rs"]
mod node;
#[path = "../../pad-kernels/examples/onnx_node/output.rs"]
mod output;
#[path = "../../pad-kernels/examples/onnx_node/proto.rs"]
mod proto;

use std::fs;
use std::path::{Path, PathBuf};

use arbitrary::Unstructured;
use libtest_mimic::{Arguments, Failed, Trial};
use node::{Data, Error, Model, Tensor};
use output::Output;
use pad_kernels::dialect::onnx::Flavour;
use pad_kernels::{DType, PadMode, PadPlan, PadSpec, tensor::ElementSize};
use spec_tests::generators::Source;

fn main() {
    let folder = vectors();
    let mut trials = Vec::new();
    for case in inside(&folder, |path| path.join("model.onnx").is_file()) {
        let name = case.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        trials.push(Trial::test(name, move || run(&case).map_err(|error| error.to_string().into())));
    }
    trials.sort_by(|a, b| a.name().cmp(b.name()));
    let found = trials.len();
    trials.push(Trial::test("all_thirteen_cases_are_here", move || match found {
        13 => Ok(()),
        _ => Err(format!("{found} cases").into()),
    }));
    trials.push(Trial::test("what_a_model_holds_is_named", what_a_model_holds_is_named));
    trials.push(Trial::test("inputs_are_what_the_model_declares", inputs_are_what_the_model_declares));
    trials.push(Trial::test("inputs_are_counted", inputs_are_counted));
    trials.push(Trial::test("a_difference_is_seen", a_difference_is_seen));
    trials.push(Trial::test("outputs_are_printed_in_pieces", outputs_are_printed_in_pieces));
    trials.push(Trial::test("corrupted_files_are_refused", corrupted_files_are_refused));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Whatever of this kind is in a folder, by name.
fn inside(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder that can be read");
    let mut paths: Vec<_> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| wanted(path)).collect();
    paths.sort();
    paths
}

/// The tensors of a data set whose files begin with this.
fn tensors(set: &Path, kind: &str) -> Result<Vec<Tensor>, Error> {
    let mut tensors = Vec::new();
    // As many as there are: no case has ten, so their order is that of their names.
    for path in
        inside(set, |path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(kind)))
    {
        tensors.push(Tensor::read(&path)?);
    }
    Ok(tensors)
}

/// A case is right as specified and, for none of them is where the two differ, as onnxruntime runs it, which pads no text.
fn run(case: &Path) -> Result<(), Error> {
    let model = Model::read(&case.join("model.onnx"))?;
    let sets = inside(case, |path| path.is_dir());
    assert!(!sets.is_empty(), "a case has data");
    for set in sets {
        let (inputs, outputs) = (tensors(&set, "input_")?, tensors(&set, "output_")?);
        let [expected] = &outputs[..] else { return Err("Pad has one output".into()) };
        for flavour in [Flavour::Spec, Flavour::OnnxRuntime] {
            if flavour == Flavour::OnnxRuntime && expected.dtype == DType::String {
                continue;
            }
            if let Some(difference) = model.run(&inputs, flavour)?.difference(expected)? {
                return Err(format!("{}: {flavour:?}: {difference}", set.display()).into());
            }
        }
    }
    Ok(())
}

/// A folder of the repository.
fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/onnx_node")
}

/// One changed bit, a shape and a type are differences; the same tensor is none.
fn a_difference_is_seen() -> Result<(), Failed> {
    let case = vectors().join("test_constant_pad");
    let told = |error: Error| error.to_string();
    let model = Model::read(&case.join("model.onnx")).map_err(told)?;
    let inputs = tensors(&case.join("test_data_set_0"), "input_").map_err(told)?;
    let tensor = Tensor::read(&case.join("test_data_set_0/output_0.pb")).map_err(told)?;
    let output = model.run(&inputs, Flavour::Spec).map_err(told)?;
    assert_eq!(output.difference(&tensor).map_err(told)?, None);
    let Data::Bytes(bytes) = &tensor.data else { unreachable!("floats are bytes") };
    let mut changed = bytes.clone();
    changed[bytes.len() / 2] ^= 1;
    let mut turned = tensor.shape.clone();
    turned.reverse();
    for other in [
        Tensor { data: Data::Bytes(changed), ..tensor.clone() },
        Tensor { shape: turned, ..tensor.clone() },
        Tensor { dtype: DType::I32, ..tensor.clone() },
    ] {
        assert!(output.difference(&other).map_err(told)?.is_some());
    }
    Ok(())
}

/// The models of `refused/`, and what each error says.
const REFUSED: &[(&str, &str)] = &[
    (
        "another_operator",
        "one Pad runs here, with Constants for it; the model holds 1 Constant, 1 Pad, 1 Relu",
    ),
    ("another_domain", "the model holds 1 Constant, 1 own::Pad"),
    ("two_pads", "the model holds 1 Constant, 2 Pad"),
    ("no_pad", "the model holds 1 Constant"),
    ("subgraph", "the model holds 1 Constant, 1 If with subgraphs"),
    ("function", "the model has a function Pad of its own"),
    ("unknown_opset", "ONNX has no Pad of version 99: use opset 1 to 28"),
    ("negative_opset", "there is no opset -1 of ONNX"),
    ("another_output", "the outputs of the model are [\"y\", \"p\"], and of the Pad [\"y\"]"),
    ("unknown_attribute", "attribute depth of Pad is not taken in opset 21"),
    ("old_attribute", "attribute pads of Pad is not taken in opset 21"),
    ("attribute_of_another_type", "attribute value of Pad is of type 2, not 1"),
    ("external_initializer", "initializer p: the elements are in another file, \"weights.bin\""),
    ("external_constant", "constant p: the elements are in another file, \"weights.bin\""),
    ("sparse_initializer", "initializer p is sparse"),
    ("sparse_constant", "constant p: attribute sparse_value of Constant is not taken in opset 21"),
    ("constant_of_a_later_opset", "constant p: attribute value_ints of Constant is not taken in opset 11"),
    ("constant_of_two", "constant p: a Constant has one attribute, not 2"),
    ("constant_is_an_input", "p is an input and a Constant"),
    ("two_values", "p has two values"),
    ("default_of_another_shape", "input p is int64 [4], but the model declares int64 [8]"),
    ("sequence", "input x is a sequence: only tensors are padded"),
    ("optional", "input x is optional: only tensors are padded"),
    ("unknown_element", "input x: element type 99 is not known"),
    ("five_inputs", "a Pad has at most 4 inputs, not 5"),
    ("missing_input", "no tensor is given for input p"),
    ("missing_pads", "the Pad has no input pads"),
    ("unmade_pads", "the Pad takes q, which nothing makes"),
    ("float_pads", "pads of the Pad are f32: use one of [I64]"),
    ("fill_of_another_type", "the fill is i64 (8 bytes) and not a value of f32 (4 bytes)"),
    ("old_input", "ONNX Pad has input pads from opset 11; the node is opset "),
];

/// Each refused model, run with an input as most of them declare it, says what is wrong with it.
fn what_a_model_holds_is_named() -> Result<(), Failed> {
    let data = zeros(DType::F32, &[2, 3]);
    let mut wrong = Vec::new();
    for (name, expected) in REFUSED {
        let path = vectors().join("refused").join(name).with_extension("onnx");
        let result = Model::read(&path).and_then(|model| {
            model.run(std::slice::from_ref(&data), Flavour::Spec).map(|output| format!("{output:?}"))
        });
        match result {
            Err(error) if error.to_string().contains(expected) => {}
            other => wrong.push(format!("{name}: {other:?}")),
        }
    }
    let models = inside(&vectors().join("refused"), |_| true).len();
    if wrong.is_empty() && models == REFUSED.len() {
        return Ok(());
    }
    Err(format!("{models} models; {}", wrong.join("\n")).into())
}

fn zeros(dtype: DType, shape: &[usize]) -> Tensor {
    let ElementSize::Bytes(size) = dtype.element_size() else { unreachable!("not asked for") };
    let bytes = vec![0; shape.iter().product::<usize>() * size];
    Tensor { dtype, shape: shape.to_vec(), data: Data::Bytes(bytes) }
}

/// Types, ranks and fixed axes have to be those that are declared; axes with a name or without anything are free.
fn inputs_are_what_the_model_declares() -> Result<(), Failed> {
    for (case, dtype, shape, expected) in [
        ("constants_value", DType::F32, &[5, 3][..], None),
        ("constants_value", DType::F32, &[0, 3], None),
        (
            "constants_value",
            DType::F32,
            &[2, 4],
            Some("x is float32 [2, 4], but the model declares float32 [N, 3]"),
        ),
        (
            "constants_value",
            DType::F32,
            &[6],
            Some("x is float32 [6], but the model declares float32 [N, 3]"),
        ),
        ("constants_value", DType::F32, &[1, 2, 3], Some("x is float32 [1, 2, 3], but the model declares")),
        (
            "constants_value",
            DType::F64,
            &[2, 3],
            Some("x is float64 [2, 3], but the model declares float32 [N, 3]"),
        ),
        ("constants_and_initializers", DType::F32, &[1, 7], None),
        ("constants_and_initializers", DType::I32, &[1, 7], Some("but the model declares float32 [N, ?]")),
        ("constants_string", DType::F32, &[1, 7], Some("but the model declares str of any shape")),
        (
            "torch_constant_pad",
            DType::F32,
            &[1, 2, 4, 6],
            Some("but the model declares float32 [1, 2, 4, 5]"),
        ),
    ] {
        let model =
            Model::read(&vectors().join(case).join("model.onnx")).map_err(|error| error.to_string())?;
        let inputs = [zeros(dtype, shape)];
        for flavour in [Flavour::Spec, Flavour::OnnxRuntime] {
            let error = model.run(&inputs, flavour).err().map(|error| error.to_string());
            let right = match (&error, expected) {
                (None, None) => true,
                (Some(error), Some(expected)) => error.contains(expected),
                _ => false,
            };
            assert!(right, "{case} {dtype} {shape:?}: {error:?}");
        }
    }
    Ok(())
}

/// Inputs with an initializer may be left out or given, and are checked as the others are, which may not be left out.
fn inputs_are_counted() -> Result<(), Failed> {
    let told = |error: Error| error.to_string();
    let model = |case: &str| Model::read(&vectors().join(case).join("model.onnx")).map_err(told);
    let error = |model: &Model, inputs: &[Tensor]| {
        model.run(inputs, Flavour::Spec).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let (data, value) = (zeros(DType::F32, &[2, 3]), zeros(DType::F32, &[]));
    let default = model("constants_and_initializers")?;
    assert_eq!(error(&default, std::slice::from_ref(&data)), "");
    assert_eq!(error(&default, &[data.clone(), value.clone()]), "");
    assert_eq!(error(&default, &[]), "no tensor is given for input x");
    assert_eq!(
        error(&default, &[data.clone(), data.clone()]),
        "input v is float32 [2, 3], but the model declares float32 []"
    );
    // The value that is given is the one that is taken.
    let output = |inputs: &[Tensor]| {
        let mut text = Vec::new();
        default.run(inputs, Flavour::Spec).and_then(|output| output.print(&mut text)).map_err(told)?;
        Ok::<_, String>(String::from_utf8(text).expect("text").contains("1.5"))
    };
    assert!(output(std::slice::from_ref(&data))? && !output(&[data.clone(), value.clone()])?);

    let open = model("test_constant_pad")?;
    let inputs = tensors(&vectors().join("test_constant_pad/test_data_set_0"), "input_").map_err(told)?;
    assert_eq!(error(&open, &inputs[..1]), "no tensor is given for input pads");
    let many = [&inputs[..], &inputs[..1]].concat();
    assert_eq!(error(&open, &many), "4 tensors are given for inputs [\"x\", \"pads\", \"value\"]");
    Ok(())
}

/// Elements as text, and rows that are longer than a piece.
fn outputs_are_printed_in_pieces() -> Result<(), Failed> {
    let print = |dtype, shape: &[usize], pads: [(i64, i64); 2], data: &Data| {
        let spec = PadSpec::new(PadMode::Edge, pads);
        let plan = PadPlan::for_dtype(&spec, shape, dtype).expect("valid");
        let output = Output { dtype, plan, data, fill: Vec::new() };
        let mut text = Vec::new();
        output.print(&mut text).map(|()| String::from_utf8(text).expect("text")).map_err(|e| e.to_string())
    };
    let bytes = |bytes: &[u8]| Data::Bytes(bytes.to_vec());
    let floats = [1.5f32, f32::from_bits(0x7fc0_0001)].map(f32::to_ne_bytes).concat();
    assert_eq!(
        print(DType::F32, &[1, 2], [(1, 0), (0, 1)], &bytes(&floats))?,
        "float32 [2, 3]\n1.5 nan:0x7fc00001 nan:0x7fc00001\n1.5 nan:0x7fc00001 nan:0x7fc00001\n"
    );
    assert_eq!(
        print(DType::U4, &[1, 3], [(0, 0), (1, 0)], &bytes(&[0x21, 0xf3]))?,
        "uint4 [1, 4]\n0x1 0x1 0x2 0x3\n"
    );
    assert_eq!(
        print(DType::C64, &[1, 1], [(0, 0), (0, 0)], &bytes(&floats))?,
        "complex64 [1, 1]\n1.5+nan:0x7fc00001i\n"
    );
    assert_eq!(
        print(DType::String, &[1, 1], [(0, 0), (1, 0)], &Data::Text(vec![b"a\n".to_vec()]))?,
        "str [1, 2]\n\"a\\n\" \"a\\n\"\n"
    );
    let long = print(DType::U8, &[1, 1], [(1, 1), (99_999, 70_000)], &bytes(&[7]))?;
    let mut lines = long.lines();
    assert_eq!(lines.next(), Some("uint8 [3, 170000]"));
    assert!(
        lines.by_ref().count() == 3 && long.lines().skip(1).all(|line| line.split(' ').count() == 170_000)
    );
    Ok(())
}

/// Files in which a few bytes are others are padded or refused: no panic, and no more memory than the files ask for. An
/// output of the wrong shape is never made.
fn corrupted_files_are_refused() -> Result<(), Failed> {
    let mut source = Source::of_seed(17, 900);
    let folder = std::env::temp_dir().join(format!("onnx_node-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let cases = inside(&vectors(), |path| path.join("model.onnx").is_file());
    let (mut refused, mut ran) = (0, 0);
    for _ in 0..source.cases() {
        source.draw(|u| {
            let case = u.choose(&cases)?;
            let set = case.join("test_data_set_0");
            let files: Vec<PathBuf> =
                [case.join("model.onnx")].into_iter().chain(inside(&set, |_| true)).collect();
            let damaged = u.choose_index(files.len())?;
            let mut copies = Vec::new();
            for (i, file) in files.iter().enumerate() {
                let mut bytes = fs::read(file).expect("a file");
                if i == damaged {
                    corrupt(&mut bytes, u)?;
                }
                let copy = folder.join(file.file_name().expect("a name"));
                fs::write(&copy, bytes).expect("room");
                copies.push(copy);
            }
            let result = || -> Result<(), Error> {
                let model = Model::read(&copies[0])?;
                let inputs = copies.iter().filter(|path| path.display().to_string().contains("input_"));
                let inputs = inputs.map(|path| Tensor::read(path)).collect::<Result<Vec<_>, _>>()?;
                let expected = Tensor::read(copies.last().expect("an output"))?;
                for flavour in [Flavour::Spec, Flavour::OnnxRuntime] {
                    let output = model.run(&inputs, flavour)?;
                    output.difference(&expected)?;
                    if output.shape().iter().product::<usize>() < 10_000 {
                        output.print(&mut std::io::sink())?;
                    }
                }
                Ok(())
            };
            match result() {
                Ok(()) => ran += 1,
                Err(error) => refused += usize::from(!error.to_string().is_empty()),
            }
            Ok(())
        });
    }
    fs::remove_dir_all(&folder)?;
    println!("{ran} ran, {refused} were refused");
    assert!(ran > 100 && refused > 100 && ran + refused == source.cases());
    Ok(())
}

/// Changes, cuts or repeats some bytes.
fn corrupt(bytes: &mut Vec<u8>, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    for _ in 0..u.int_in_range(1..=4)? {
        let at = u.choose_index(bytes.len().max(1))?;
        match (u.int_in_range(0..=5u8)?, bytes.get_mut(at)) {
            (0, _) => bytes.truncate(at),
            (1, Some(byte)) => *byte ^= 1 << u.int_in_range(0..=7)?,
            (2, Some(byte)) => *byte = 0xff,
            (3, Some(_)) => drop(bytes.splice(at..at, [0xff; 9])),
            (_, Some(byte)) => *byte = u.arbitrary()?,
            (_, None) => {}
        }
    }
    Ok(())
}
