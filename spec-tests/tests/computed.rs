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

/// What a sum in double precision loses, and what lies just beside the middle of two numbers.
#[test]
fn means_are_the_exact_ones() {
    let mean = |data: &[f32]| {
        let padded = pad_computed(data, &[data.len()], &ComputedSpec::mean([(1, 0)])).expect("a result");
        padded[0]
    };
    assert_eq!(mean(&[1e30, 1.0, -1e30]), 1.0 / 3.0);
    assert_eq!(mean(&[-1e38, 2e-40, 1e38, 1e-40]), 7.5e-41);
    // Sums that are about zero, of which the mean is rounded to it.
    let mut few = [0.0; 16];
    few[..3].copy_from_slice(&[5e-31, -5e-31, -f32::from_bits(1)]);
    assert_eq!(mean(&few).to_bits(), (-0.0f32).to_bits());
    let long = |data: &[f64]| {
        let padded = pad_computed(data, &[data.len()], &ComputedSpec::mean([(1, 0)])).expect("a result");
        padded[0]
    };
    assert_eq!(long(&[1e300, 1.0, -1e300]), 1.0 / 3.0);
    assert_eq!(long(&[f64::MAX; 5]), f64::MAX);
    // A hair above the middle of 1 and the next number: to even it would be 1.
    let next = 1.0 + f64::EPSILON;
    assert_eq!(long(&[1.0, next, 1.0, next]), 1.0);
    assert_eq!(long(&[1.0, next, 1.0, next + f64::EPSILON]), next);
    let tiny = f64::from_bits(1);
    assert_eq!(long(&[1e300, 4.0, 4.0 * next, -1e300, 2f64.powi(-300), 0.0, 0.0, 0.0]), next);
    assert_eq!(long(&[tiny, tiny, 0.0]), tiny);
}
