//! The table of systems says what the recorded cases show, links of the README lead somewhere, and features are listed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pad_kernels::dialect::onnx;
use spec_tests::conform::files;
use spec_tests::vectors::{Case, Expect, load};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace").to_path_buf()
}

/// What the accepted cases of a system have in them.
#[derive(Default)]
struct Shown {
    modes: BTreeSet<String>,
    negative: bool,
    interior: bool,
    axes: bool,
    tests: BTreeSet<String>,
}

/// The name in the table of the system and version that a case is for; none if it is for none.
fn system(case: &Case) -> Option<String> {
    let version = case.version.as_deref().unwrap_or_default();
    Some(match (&case.dialect[..], case.flavour.as_deref()) {
        ("core", _) => return None,
        ("ngraph", _) => format!("nGraph {version}"),
        ("openvino", Some(_)) => format!("OpenVINO Pad-{version} in its engine"),
        ("openvino", _) => format!("OpenVINO Pad-{version}"),
        ("onnx", Some("onnxruntime")) => "ONNX in onnxruntime".into(),
        ("onnx", Some("evaluator")) => "ONNX's evaluator".into(),
        ("onnx", _) => {
            let opset = version.parse().expect("a number");
            format!("ONNX {}", onnx::Pad::new(opset, &[]).since_version().expect("a version"))
        }
        ("xla", _) => "XLA".into(),
        ("numpy", _) => "NumPy".into(),
        ("torch", _) => "PyTorch".into(),
        ("tensorflow", _) => "TensorFlow".into(),
        ("litert", _) => format!("LiteRT {version}"),
        ("opencv", _) => "OpenCV".into(),
        ("webnn", _) => "WebNN".into(),
        ("coreml", _) => "Core ML".into(),
        ("tensorrt", _) => "TensorRT".into(),
        ("scipy", Some(family)) => format!("scipy {family}"),
        other => panic!("{}: {other:?} has no row in the table", case.id),
    })
}

/// The mode in the words of the table.
fn mode(case: &Case) -> String {
    if let Some(word) = case.args.get("mode") {
        return word.as_str().expect("a word").into();
    }
    match (&case.dialect[..], &case.mode[..]) {
        ("torch" | "coreml", "edge") => "replicate".into(),
        ("torch", "wrap") => "circular".into(),
        ("opencv", "edge") => "REPLICATE".into(),
        ("opencv", "reflect") => "REFLECT_101".into(),
        ("opencv", "symmetric") => "REFLECT".into(),
        ("tensorrt", "constant") => "FILL".into(),
        ("tensorrt", "edge") => "CLAMP".into(),
        ("opencv" | "tensorrt", mode) => mode.to_uppercase(),
        ("webnn", "reflect") => "reflection".into(),
        ("scipy", "edge") => "nearest".into(),
        ("scipy", "reflect") => "mirror".into(),
        ("scipy", "symmetric") => "reflect".into(),
        ("scipy", "wrap") => "grid-wrap".into(),
        (_, mode) => mode.into(),
    }
}

fn shown() -> BTreeMap<String, Shown> {
    let mut shown: BTreeMap<String, Shown> = BTreeMap::new();
    for file in files(&[root().join("spec-tests/vectors")]).expect("a folder of cases") {
        let stem = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        for (at, case) in load(&file).expect("a file of cases") {
            let case = case.unwrap_or_else(|error| panic!("{at}: {error}"));
            let Some(system) = system(&case) else { continue };
            let system = shown.entry(system).or_default();
            if stem != "disagreements" {
                let flavour = case.flavour.iter().map(|flavour| format!("_{flavour}"));
                system.tests.insert(format!("{stem}::{}{}", case.dialect, flavour.collect::<String>()));
            }
            if matches!(case.expect, Expect::Error) {
                continue;
            }
            let clamped = case.args.contains_key("clamp");
            system.modes.insert(mode(&case));
            system.negative |= !clamped && case.low.iter().chain(&case.high).any(|&pad| pad < 0);
            system.interior |= case.interior.iter().flatten().any(|&gap| gap > 0);
            system.axes |= case.axes.is_some();
        }
    }
    let numpy = shown.entry("NumPy".into()).or_default();
    numpy.modes.extend(computed_modes());
    shown
}

/// The modes of numpy that compute, as they are recorded; odd reflections are a way to reflect.
fn computed_modes() -> BTreeSet<String> {
    let path = root().join("spec-tests/vectors/computed/numpy.jsonl");
    let text = fs::read_to_string(path).expect("recorded calls");
    let cases = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a case"));
    cases
        .filter(|case| case["expect"]["data"].is_string())
        .map(|case| case["mode"].as_str().expect("a mode").trim_start_matches("odd_").to_owned())
        .collect()
}

/// The links of a cell: what is shown, and where it leads.
fn links(cell: &str) -> Vec<(String, String)> {
    let link = |part: &str| {
        let (text, rest) = part.split_once("](")?;
        let (target, _) = rest.split_once(')')?;
        Some((text.trim_matches('`').to_owned(), target.to_owned()))
    };
    cell.split('[').skip(1).filter_map(link).collect()
}

#[test]
fn table_of_systems_is_what_is_recorded() {
    let page = root().join("pad-kernels/src/guide/systems.md");
    let page = fs::read_to_string(page).expect("the page about systems");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let mut rows = rows.map(|row| row.split(" | ").map(str::trim).collect::<Vec<_>>());
    let head = rows.next().expect("the table's head");
    let columns =
        ["system", "modes", "negative pads", "interior", "element types", "axes", "refuses", "tests"];
    assert_eq!(head, columns);

    let mut shown = shown();
    for row in rows {
        let &[system, modes, negative, interior, _, axes, _, tests] = &row[..] else {
            panic!("not a cell for each column: {row:?}");
        };
        let (name, module) = links(system).into_iter().next().expect("a link to the module");
        let found = shown.remove(&name).unwrap_or_else(|| panic!("no case of {name}, or two rows"));
        assert!(module.starts_with("crate::dialect::"), "{module}");
        let tests: BTreeSet<String> = tests.split(", ").map(|test| test.trim_matches('`').into()).collect();
        assert_eq!(tests, found.tests, "tests of {name}");

        let modes: BTreeSet<String> = modes.split(", ").map(|mode| mode.trim_matches('`').into()).collect();
        assert_eq!(modes, found.modes, "modes of {name}");
        assert_eq!(negative.starts_with("yes"), found.negative, "negative pads of {name}");
        assert_eq!(interior.starts_with("yes"), found.interior, "interior of {name}");
        assert_eq!(axes.contains("listed") || axes.contains("as in ONNX"), found.axes, "axes of {name}");
    }
    assert!(shown.is_empty(), "without a row: {:?}", shown.keys().collect::<Vec<_>>());
}

#[test]
fn links_lead_somewhere() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    for line in readme.lines() {
        for (text, target) in links(line) {
            let file = root().join(target.split('#').next().expect("a part"));
            assert!(target.contains("://") || file.exists(), "{text}: {target}");
        }
    }
}

/// What can be chosen is told where it is looked for.
#[test]
fn every_feature_is_in_every_table() {
    let read = |file: &str| fs::read_to_string(root().join(file)).expect("a file");
    let manifest = read("pad-kernels/Cargo.toml");
    let (_, features) = manifest.split_once("\n[features]\n").expect("features");
    let (features, _) = features.split_once("\n[").expect("a table after them");
    let names: Vec<&str> = (features.lines())
        .filter_map(|line| line.split_once(" = [").map(|(name, _)| name))
        .filter(|&name| name != "default")
        .collect();
    assert!(names.len() >= 7, "{names:?}");
    for file in ["README.md", "pad-kernels/src/lib.rs", "pad-kernels/src/guide/features.md"] {
        let text = read(file);
        for name in &names {
            let row = format!("| `{name}`");
            let rows = text.lines().filter(|line| line.trim_start_matches("//! ").starts_with(&row));
            assert_eq!(rows.count(), 1, "rows of the feature {name} in {file}");
        }
    }
}
