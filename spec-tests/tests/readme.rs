//! Numbers in the documentation are right: the table of frameworks matches the recorded cases, and counts match the code.

use std::collections::{BTreeMap, BTreeSet};

use pad_kernels::PadMode;
use pad_kernels::dialect::onnx;
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;
use spec_tests::conform::own_mode;
use spec_tests::vectors::{Case, Expect};

mod common;

use common::{read, root};

/// The words of the table of frameworks.
#[derive(Deserialize)]
struct Words {
    /// The framework's name in the table, by dialect, or by dialect and flavour. It is empty if the table has no line for the
    /// framework.
    systems: BTreeMap<String, String>,
}

impl Words {
    /// Returns the name in the table for the framework and version of a case, or `None` if the table has no line for it.
    fn system(&self, case: &Case) -> Option<String> {
        let (dialect, flavour) = (&case.dialect, case.flavour.as_deref().unwrap_or_default());
        let name = self.systems.get(&format!("{dialect}/{flavour}")).or_else(|| self.systems.get(dialect));
        let name = name
            .unwrap_or_else(|| panic!("{}: {dialect} has no line in spec-tests/tests/readme.toml", case.id));
        let version = case.version.as_deref().unwrap_or_default();
        let since = || {
            let opset = version.parse().expect("a number");
            onnx::Pad::new(opset, &[]).since_version().expect("a version").to_string()
        };
        let version = if name.contains("{since}") { since() } else { version.to_owned() };
        let name =
            name.replace("{version}", &version).replace("{since}", &version).replace("{flavour}", flavour);
        Some(name).filter(|name| !name.is_empty())
    }
}

/// Returns what the accepted cases of each framework use: modes, and the names of columns of the table.
fn shown() -> BTreeMap<String, BTreeSet<String>> {
    let words: Words = toml::from_str(include_str!("readme.toml")).expect("words");
    let mut shown: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for case in common::recorded().values().flatten() {
        let Some(system) = words.system(case) else { continue };
        let system = shown.entry(system).or_default();
        if matches!(case.expect, Expect::Error) {
            continue;
        }
        let clamped = case.args.contains_key("clamp");
        let negative = !clamped && case.low.iter().chain(&case.high).any(|&pad| pad < 0);
        let interior = case.interior.iter().flatten().any(|&gap| gap > 0);
        system.insert(own_mode(case).to_owned());
        let columns = [("negative pads", negative), ("interior", interior), ("axes", case.axes.is_some())];
        system.extend(columns.iter().filter(|column| column.1).map(|column| column.0.to_owned()));
    }
    // An odd reflection counts as its plain mode.
    let computed = read("spec-tests/vectors/computed/numpy.jsonl");
    let computed = computed.lines().map(|line| serde_json::from_str::<Value>(line).expect("a case"));
    let accepted = computed.filter(|case| case["expect"]["data"].is_string());
    let mode = |case: Value| case["mode"].as_str().expect("a mode").trim_start_matches("odd_").to_owned();
    shown.entry("NumPy".into()).or_default().extend(accepted.map(mode));
    shown
}

#[test]
fn table_of_systems_is_what_is_recorded() {
    let page = read("pad-kernels/src/guide/systems.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let mut rows = rows.map(|row| row.split(" | ").map(str::trim).collect::<Vec<_>>());
    let head = rows.next().expect("the table's head");
    let columns = ["framework", "modes", "negative pads", "interior", "element types", "axes", "refuses"];
    assert_eq!(head, columns);

    let link = Regex::new(r"\[`?([^`\]]*)`?\]\(crate::dialect::").expect("a pattern");
    let mut shown = shown();
    for row in rows {
        let &[system, modes, negative, interior, _, axes, _] = &row[..] else {
            panic!("not a cell for each column: {row:?}");
        };
        let name = link.captures(system).expect("a link to the module")[1].to_owned();
        let mut told: BTreeSet<String> =
            modes.split(", ").map(|mode| mode.trim_matches('`').into()).collect();
        let axes = axes.contains("listed") || axes.contains("as in ONNX");
        let [negative, interior] = [negative, interior].map(|cell| cell.starts_with("yes"));
        let columns = [("negative pads", negative), ("interior", interior), ("axes", axes)];
        told.extend(columns.iter().filter(|column| column.1).map(|column| column.0.to_owned()));
        assert_eq!(Some(told), shown.remove(&name), "{name}");
    }
    assert!(shown.is_empty(), "without a row: {:?}", shown.keys().collect::<Vec<_>>());
}

/// The guide has the framework's own word for every mode that a recorded call uses with success, and none for other modes.
#[test]
fn table_of_names_is_what_is_recorded() {
    let dialects = ["numpy", "torch", "onnx", "tensorflow", "openvino", "opencv", "scipy"];
    let recorded = common::recorded();
    let cases = || recorded.values().flatten().filter(|case| case.expect != Expect::Error);
    let page = read("pad-kernels/src/guide/names.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| [`")?.strip_suffix(" |"));
    let rows: Vec<&str> = rows.collect();
    assert_eq!(rows.len(), PadMode::ALL.len(), "guide/names.md must have one row per mode");
    for (row, mode) in rows.into_iter().zip(PadMode::ALL) {
        let cells: Vec<&str> = row.split(" | ").collect();
        assert!(cells.len() == 1 + dialects.len() && cells[0].starts_with(&format!("{mode:?}`")), "{row}");
        for (cell, dialect) in cells[1..].iter().zip(dialects) {
            let of_mode = cases().filter(|case| case.dialect == dialect && case.mode == mode.name());
            let words: BTreeSet<String> = of_mode.map(|case| own_mode(case).to_lowercase()).collect();
            let word = cell.trim_matches(['*', '`']).trim_start_matches("BORDER_").to_lowercase();
            let is_right = if word == "none" { words.is_empty() } else { words.contains(&word) };
            assert!(is_right, "{cell} for {mode} of {dialect}: {words:?}");
        }
    }
}

/// The guide to features lists every feature, and no other page repeats the table.
#[test]
fn every_feature_is_in_the_one_table() {
    let manifest: toml::Table = read("pad-kernels/Cargo.toml").parse().expect("a manifest");
    let features = manifest["features"].as_table().expect("features");
    let names: Vec<&String> = features.keys().filter(|name| *name != "default").collect();
    assert!(names.len() >= 7, "{names:?}");
    let pages = [("README.md", 0), ("pad-kernels/src/lib.rs", 0), ("pad-kernels/src/guide/features.md", 1)];
    for (file, expected) in pages {
        let text = read(file);
        for name in &names {
            let row = format!("| `{name}`");
            let rows = text.lines().filter(|line| line.trim_start_matches("//! ").starts_with(&row));
            assert_eq!(rows.count(), expected, "rows of the feature {name} in {file}");
        }
    }
}

/// Every text that names the range of supported opsets of ONNX's Pad names the newest one.
#[test]
fn opsets_in_the_texts_are_those_of_the_dialect() {
    let known = |opset: &u32| onnx::Pad::new(*opset, &[]).since_version().is_some();
    let range = Regex::new(r"opsets 1 to (\d*)").expect("a pattern");
    let newest = (1..100).take_while(known).last().expect("an opset");
    let mut met = 0;
    for folder in
        ["", "pad-kernels/src", "pad-kernels/src/dialect", "pad-kernels/src/guide", "spec-tests/src/rules"]
    {
        for entry in std::fs::read_dir(root().join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            // The range of opsets with attributes instead of inputs ends earlier.
            for found in range.captures_iter(&text).filter(|found| &found[1] != "10") {
                assert_eq!(&found[1], newest.to_string(), "{}", path.display());
                met += 1;
            }
        }
    }
    assert!(met >= 3, "{met}");
}

/// The guide to features states how many packages the default features add.
#[test]
fn packages_are_counted() {
    let cargo = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--package", "pad-kernels", "--edges", "normal", "--prefix", "none"])
        .args(["--no-dedupe", "--format", "{p}"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    let tree = String::from_utf8(cargo.stdout).expect("names in UTF-8");
    let packages: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    let numbers = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    // The library itself does not count.
    let stated = format!("The default features add {} packages", numbers[packages.len() - 1]);
    let guide = read("pad-kernels/src/guide/features.md");
    let guide = guide.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(guide.contains(&stated), "{stated}: {packages:?}");
}

/// ARCHITECTURE.md states the right number of kernels for x86-64.
#[test]
#[cfg(target_arch = "x86_64")]
fn kernels_are_counted() {
    let text = read("ARCHITECTURE.md");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let kernels = pad_kernels::kernels::pad().len();
    let stated = format!("{},{:03} kernels on x86-64", kernels / 1000, kernels % 1000);
    assert!(text.contains(&stated), "ARCHITECTURE.md must state: {stated}");
}
