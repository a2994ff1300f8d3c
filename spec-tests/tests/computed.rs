//! Computed borders: what numpy answered, and drawn cases on every row against the reference.

use std::collections::BTreeMap;
use std::path::Path;

use pad_kernels::computed_registry;
use spec_tests::computed::{check, draw, load, row};
use spec_tests::generators::Source;
use spec_tests::reach;

#[test]
fn recorded_calls_of_numpy() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/computed/numpy.jsonl");
    let calls = load(&path).expect("recorded calls");
    let mut counts = BTreeMap::<&str, usize>::new();
    let mut wrong = Vec::new();
    for call in &calls {
        *counts.entry(&call.mode).or_default() += 1;
        wrong.extend(call.check().err());
    }
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), calls.len(), &wrong[..wrong.len().min(12)]);
    assert!(calls.len() >= 1200, "{counts:?}");
    let modes =
        ["constant", "linear_ramp", "maximum", "mean", "median", "minimum", "odd_reflect", "odd_symmetric"];
    assert!(modes.iter().all(|mode| counts[mode] >= 100), "{counts:?}");
}

#[test]
fn every_row_is_as_the_reference() {
    let mut source = Source::of_seed(18, if cfg!(miri) { 20 } else { 6 * computed_registry().len() });
    for index in 0..source.cases() {
        let found = source.draw(|u| {
            let case = draw(row(index), u)?;
            Ok(check(&case, u))
        });
        found.unwrap_or_else(|what| panic!("{what}"));
    }
    if !cfg!(miri) {
        assert_eq!(reach::computed_missed().iter().map(|row| row.name()).collect::<Vec<_>>(), [""; 0]);
    }
}
