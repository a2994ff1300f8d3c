//! Tests of the recorded cases in `vectors/` and of the documentation of these files.

use std::collections::BTreeSet;

use itertools::Itertools;
use rayon::prelude::*;
use regex::Regex;
use spec_tests::conform::{Tally, check_file, files};
use spec_tests::rules::Type;

mod common;

/// Every case passes, and none is skipped. The program `conform` shows more details of a file that fails.
#[test]
fn every_case_passes() {
    let files = files(&[common::root().join("spec-tests/vectors")], "jsonl").expect("a folder of cases");
    let passed = files.par_iter().map(|file| {
        let mut tally = Tally::default();
        check_file(file, &mut tally).expect("a file of cases");
        let failures = tally.failures.iter().take(20).join("\n");
        assert!(failures.is_empty() && tally.skipped.is_empty(), "{}:\n{failures}\n{tally}", file.display());
        tally.passed
    });
    let all = common::recorded().values().map(Vec::len).sum::<usize>();
    assert_eq!(passed.sum::<usize>(), all);
}

/// No two cases have equal names, and every type of the library is in some case. The flags in the cases are exactly the flags in
/// the documentation's tables.
#[test]
fn cases_are_the_documented_ones() {
    let cases: Vec<_> = common::recorded().into_values().flatten().collect();
    assert!(cases.len() >= 2000);
    let mut ids = BTreeSet::new();
    for case in &cases {
        assert!(ids.insert(&case.id), "{} is there twice", case.id);
    }
    let text = common::read("spec-tests/vectors/README.md");
    let flags = Regex::new(r"(?s)\n## Flags\n(.*?)(\n## |$)").expect("a pattern");
    let flags = flags.captures(&text).expect("a section")[1].to_owned();
    let flag = Regex::new(r"(?m)^\| `([^`]*)`").expect("a pattern");
    let documented: BTreeSet<String> = flag.captures_iter(&flags).map(|found| found[1].to_owned()).collect();
    let used: BTreeSet<String> = cases.iter().flat_map(|case| case.flags.clone()).collect();
    assert_eq!(used, documented);
    for element in Type::all() {
        assert!(cases.iter().any(|case| case.dtype == element), "no case of {}", element.name());
    }
}
