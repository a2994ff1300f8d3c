//! Computed borders: what numpy answered, and drawn cases on every row against the reference.

use std::collections::BTreeMap;
use std::path::Path;

use pad_kernels::{
    computed::{ComputedSpec, pad_computed},
    kernels,
};
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
    let mut source = Source::of_seed(18, if cfg!(miri) { 20 } else { 6 * kernels::computed().len() });
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

/// numpy 2.4 gives these bits for the mean of `1 / (k + 1)`, k = 0 to 999, along a row and along a column.
#[test]
fn means_add_in_the_order_of_numpy() {
    let data: Vec<f32> = (0..1000u16).map(|k| 1.0 / (f32::from(k) + 1.0)).collect();
    let along_row = pad_computed(&data, &[1000], &ComputedSpec::mean([(1, 0)])).expect("a result");
    assert_eq!(along_row[0].to_bits(), 0x3bf5_48b0);
    let twice: Vec<f32> = data.iter().flat_map(|&value| [value; 2]).collect();
    let spec = ComputedSpec::mean([(1, 0), (0, 0)]);
    let along_column = pad_computed(&twice, &[1000, 2], &spec).expect("a result");
    assert_eq!(along_column[0].to_bits(), 0x3bf5_48be);
}
