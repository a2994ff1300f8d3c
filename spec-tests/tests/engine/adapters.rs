//! Checks the adapters of engines in `engines/`, and the page about them.

use std::collections::BTreeMap;

use spec_tests::engine::{Known, Verdict};
use spec_tests::vectors::{Case, Expect};
use strum::IntoEnumIterator as _;

use crate::common::{self, read, root};

/// Returns the lines of a file without comments. If the file does not exist, returns no lines.
fn entries(file: &str) -> Vec<String> {
    let text = if root().join(file).is_file() { read(file) } else { String::new() };
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

/// An adapter: its name, the packages that it pins, the cases that it is tested with, and the known differences.
struct Adapter {
    name: String,
    pins: Vec<String>,
    cases: BTreeMap<String, Case>,
    known: BTreeMap<String, Verdict>,
}

fn adapters() -> impl Iterator<Item = Adapter> {
    let recorded = common::recorded();
    entries("spec-tests/engines/list.txt").into_iter().map(move |line| {
        let mut words = line.split_whitespace();
        let name = words.next().expect("a name").to_owned();
        let cases = words.flat_map(|file| recorded[file.trim_end_matches(".jsonl")].clone());
        let folder = format!("spec-tests/engines/{name}");
        let Known(known) = Known::read(&read(&format!("{folder}/known.txt"))).expect("a list");
        let pins = entries(&format!("{folder}/requirements.txt"));
        Adapter { name, pins, known, cases: cases.map(|case| (case.id.clone(), case)).collect() }
    })
}

/// Checks that adapters pin the releases from which the vectors were recorded. Also checks that the known differences of each
/// framework agree with its recorded answers.
#[test]
fn adapters_are_of_the_recorded_releases() {
    let recorded = entries("spec-tests/vectors/record/requirements.txt");
    let (mut pinned, mut differences) = (0, 0);
    for Adapter { name, pins, cases, known } in adapters() {
        let python = root().join("spec-tests/engines").join(&name).join("engine.py").is_file();
        for pin in pins.iter().filter(|_| python) {
            let (package, _) = pin.split_once("==").unwrap_or_else(|| panic!("{name}: {pin}"));
            let other = recorded.iter().find(|recorded| recorded.starts_with(&format!("{package}==")));
            assert!(other.is_none_or(|other| other == pin), "{name}: {pin}, recorded from {other:?}");
        }
        pinned += if python { pins.len() } else { 0 };
        differences += known.len();
        // Check only cases that were recorded from the adapter's own framework. The adapter `jax` runs cases of XLA.
        let recorder = if name == "jax" { "xla" } else { &name };
        for (id, verdict) in known {
            let case = cases.get(&id).unwrap_or_else(|| panic!("{name}: {id}"));
            if !id.starts_with(&format!("{recorder}/")) {
                continue;
            }
            let flagged = |class: &str| case.flags.iter().any(|flag| flag == class);
            let recorded = match case.answers.iter().find(|(engine, _)| engine.starts_with(recorder)) {
                Some((_, Expect::Tensor { .. })) => Verdict::Differs,
                Some((_, Expect::Error)) => Verdict::Refuses,
                // The vectors do not record OpenVINO's refusals to clamp, nor answers that cannot be recorded.
                None if flagged("ClampedSize") => Verdict::Refuses,
                None if ["UnwrittenMemory", "UncheckedAxis", "EmptyImage"].into_iter().any(flagged) => {
                    continue;
                }
                None => panic!("{id}: agrees in the vectors"),
            };
            assert_eq!(verdict, recorded, "{id}");
        }
    }
    assert!(pinned >= 20 && differences >= 100, "{pinned} {differences}");
}

/// Checks that the page has a line for each adapter, with the pinned release and the number of known differences.
#[test]
fn the_page_is_of_the_known_differences() {
    let page = read("spec-tests/ENGINES.md");
    let row_of = |start: &str| -> Vec<&str> {
        let row =
            page.lines().find(|line| line.contains(start)).unwrap_or_else(|| panic!("no row of {start}"));
        row.split('|').map(str::trim).collect()
    };
    let head = row_of("| engine |");
    for Adapter { name, pins, cases, known } in adapters() {
        let cells = row_of(&format!("](#{name}) |"));
        let count = |verdict: Verdict| {
            let column = head.iter().position(|cell| *cell == verdict.to_string()).expect("a column");
            cells[column].parse::<usize>().expect("a count")
        };
        // The version of OpenCV's package has a fourth number, which is not part of OpenCV's version.
        let version =
            |pin: &String| Some(pin.split("==").nth(1)?.splitn(4, '.').take(3).collect::<Vec<_>>().join("."));
        let is_shown = |version: String| cells[1].contains(&version);
        assert!(pins.is_empty() || pins.iter().filter_map(version).any(is_shown), "{name}: {}", cells[1]);
        let mut all = 0;
        for verdict in Verdict::iter().filter(|verdict| *verdict != Verdict::Unasked) {
            all += count(verdict);
            let known = known.values().filter(|known| **known == verdict).count();
            let is_fine = [Verdict::Passes, Verdict::Cannot].contains(&verdict);
            assert!(is_fine || count(verdict) == known, "{name} {verdict:?}");
        }
        assert_eq!(all, cases.len(), "{name}");
    }
}
