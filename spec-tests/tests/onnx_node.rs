//! ONNX's own backend cases of Pad, in `vectors/onnx_node/`, through the code of the example `onnx_node`.

#[path = "../../pad-kernels/examples/onnx_node/node.rs"]
mod node;

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use node::{Data, Error, Model, Tensor};
use pad_kernels::dialect::onnx::Flavour;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/onnx_node");
    let mut trials = Vec::new();
    for case in inside(&folder, |path| path.join("model.onnx").is_file()) {
        let name = case.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        trials.push(Trial::test(name, move || run(&case).map_err(|error| error.to_string().into())));
    }
    trials.sort_by(|a, b| a.name().cmp(b.name()));
    let found = trials.len();
    trials.push(Trial::test("all_six_cases_are_here", move || match found {
        6 => Ok(()),
        _ => Err(format!("{found} cases").into()),
    }));
    trials.push(Trial::test("a_difference_is_seen", a_difference_is_seen));
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

/// A case is right as specified and, for none of them is where the two differ, as onnxruntime runs it.
fn run(case: &Path) -> Result<(), Error> {
    let model = Model::read(&case.join("model.onnx"))?;
    let sets = inside(case, |path| path.is_dir());
    assert!(!sets.is_empty(), "a case has data");
    for set in sets {
        let (inputs, outputs) = (tensors(&set, "input_")?, tensors(&set, "output_")?);
        let [expected] = &outputs[..] else { return Err("Pad has one output".into()) };
        for flavour in [Flavour::Spec, Flavour::OnnxRuntime] {
            if let Some(difference) = expected.difference(&model.run(&inputs, flavour)?) {
                return Err(format!("{}: {flavour:?}: {difference}", set.display()).into());
            }
        }
    }
    Ok(())
}

/// One changed bit, a shape and a type are differences; the same tensor is none.
fn a_difference_is_seen() -> Result<(), Failed> {
    let path = "vectors/onnx_node/test_constant_pad/test_data_set_0/output_0.pb";
    let tensor =
        Tensor::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).map_err(|error| error.to_string())?;
    assert_eq!(tensor.difference(&tensor), None);
    let Data::Bytes(bytes) = &tensor.data else { unreachable!("floats are bytes") };
    let mut changed = bytes.clone();
    changed[bytes.len() / 2] ^= 1;
    let mut turned = tensor.shape.clone();
    turned.reverse();
    for other in [
        Tensor { data: Data::Bytes(changed), ..tensor.clone() },
        Tensor { shape: turned, ..tensor.clone() },
        Tensor { dtype: pad_kernels::DType::I32, ..tensor.clone() },
    ] {
        assert!(tensor.difference(&other).is_some());
    }
    Ok(())
}
