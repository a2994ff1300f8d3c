//! Tests of the recorded cases in `vectors/` and of the documentation of these files.

use std::collections::BTreeSet;

use itertools::Itertools;
use rayon::prelude::*;
use spec_tests::conform::{check, files};
use spec_tests::rules::Type;
use spec_tests::vectors::{Case, load};

mod common;

/// Every case passes. The program `conform` shows more details of a file that fails.
#[test]
fn every_case_passes() {
    let cases: Vec<_> = common::recorded().into_values().flatten().collect();
    let failed = |case: &Case| check(case).err().map(|difference| format!("{}: {difference}", case.id));
    let failures: Vec<String> = cases.par_iter().filter_map(failed).collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.iter().take(20).join("\n"));
}

/// No two cases have equal names, and every type of the library is in some case. The flags in the cases are exactly the flags in
/// the documentation's tables.
#[test]
fn cases_are_the_documented_ones() {
    let files = files(&[common::root().join("spec-tests/vectors")], "jsonl").expect("a folder of cases");
    let cases = load(&files).unwrap_or_else(|error| panic!("{error}"));
    assert!(cases.len() >= 2000);
    let documented: BTreeSet<String> = common::flags().into_keys().collect();
    let used: BTreeSet<String> = cases.iter().flat_map(|case| case.flags.clone()).collect();
    assert_eq!(used, documented);
    for element in Type::all() {
        assert!(cases.iter().any(|case| case.dtype == element), "no case of {}", element.name());
    }
}
