//! Tests of the recorded cases in `vectors/` and of the documentation of these files.

use std::collections::BTreeSet;

use rayon::prelude::*;
use spec_tests::conform::{Tally, check_file, files};
use spec_tests::rules::Type;
use spec_tests::vectors::{Case, load};

mod common;

/// Every case passes, and none is skipped. The program `conform` shows more details of a file that fails.
#[test]
fn every_case_passes() {
    let files = files(&[common::root().join("spec-tests/vectors")]).expect("a folder of cases");
    let passed = files.par_iter().map(|file| {
        let (mut tally, mut lines) = (Tally::default(), Vec::new());
        check_file(file, &mut tally, |_| true, |line| lines.push(line)).expect("a file of cases");
        lines.truncate(20);
        assert!(
            tally.failed == 0 && tally.skipped.is_empty(),
            "{}:\n{}\n{tally}",
            file.display(),
            lines.join("\n")
        );
        assert_eq!(tally.passed, load(file).expect("a file of cases").len(), "{}", file.display());
        tally.passed
    });
    assert!(passed.sum::<usize>() >= 2000);
}

/// No two cases have equal names, and every type of the library is in some case. The flags in the cases are exactly the flags in
/// the documentation's tables.
#[test]
fn cases_are_the_documented_ones() {
    let files = files(&[common::root().join("spec-tests/vectors")]).expect("a folder of cases");
    let lines = files.iter().flat_map(|file| load(file).expect("a file of cases"));
    let cases: Vec<Case> =
        lines.map(|(at, case)| case.unwrap_or_else(|error| panic!("{at}: {error}"))).collect();
    let mut ids = BTreeSet::new();
    for case in &cases {
        assert!(ids.insert(&case.id), "{} is there twice", case.id);
    }
    let text = common::read("spec-tests/vectors/README.md");
    let (mut tables, mut flags) = (false, BTreeSet::new());
    for line in text.lines() {
        if line.starts_with('#') {
            tables = line.trim_start_matches('#').trim() == "Flags";
        }
        let cell = line.strip_prefix("| `").and_then(|line| line.split_once('`'));
        flags.extend(cell.filter(|_| tables).map(|(flag, _)| flag));
    }
    let used: BTreeSet<&str> = cases.iter().flat_map(|case| case.flags.iter().map(String::as_str)).collect();
    let [undocumented, unused] =
        [used.difference(&flags), flags.difference(&used)].map(Iterator::collect::<Vec<_>>);
    assert!(
        undocumented.is_empty() && unused.is_empty(),
        "not documented: {undocumented:?}; not used: {unused:?}"
    );
    let types: Vec<_> = cases.iter().filter_map(|case| Type::from_name(&case.dtype)).collect();
    for element in Type::all() {
        assert!(types.contains(&element), "no case of {}", element.name());
    }
}
