//! Tests of computed borders: against results of numpy, and with random requests on every kernel against the reference.

use std::collections::BTreeMap;

use pad_kernels::{
    PadError,
    computed::{ComputedPlan, ComputedSpec, PerSide, pad_computed, pad_statistic},
    kernels,
};
use spec_tests::computed::{check, draw, load, row};
use spec_tests::generators::Source;
use spec_tests::reach;

mod common;

#[test]
fn recorded_calls_of_numpy() {
    let path = common::root().join("spec-tests/vectors/computed/numpy.jsonl");
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
        source.draw(|u| Ok(check(&draw(row(index), u)?, u))).unwrap_or_else(|what| panic!("{what:#}"));
    }
    if !cfg!(miri) {
        assert_eq!(reach::computed_missed(), [""; 0]);
    }
}

/// The means of 1000 fractions along a row and along a column have the bits that numpy 2.4 gives.
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

/// An adjoint of `f16` is summed in `f32` and rounded once. A sum in `f16` would stay at 2048.
#[test]
fn adjoints_of_halves_are_rounded_once() {
    let plan = ComputedPlan::new::<half::f16>(&ComputedSpec::smooth([(0, 3000)]), &[1]).unwrap();
    let mut sum = [half::f16::ZERO];
    plan.adjoint().unwrap().run(&vec![half::f16::ONE; 3001], &mut sum).unwrap();
    assert_eq!(sum[0], half::f16::from_f32(3001.0));
}

/// A median needs memory for the elements that existing borders read.
#[test]
fn medians_reserve_what_they_read() {
    let lengths = PerSide::sides(Some(3), None);
    let plan = |widths| {
        ComputedPlan::new::<u8>(&ComputedSpec::median([widths]).with_stat_length(lengths.clone()), &[9999])
    };
    assert!(plan((1, 0)).unwrap().scratch_bytes() < 99);
    assert!(plan((1, 1)).unwrap().scratch_bytes() >= 9999);
}

/// A border that stays unwritten needs no zero of the type, even if the input is empty.
#[test]
fn unwritten_borders_need_no_zero() {
    for shape in [[0, 3], [2, 3]] {
        let plan = ComputedPlan::for_bytes(&ComputedSpec::empty([(1, 1), (0, 0)]), &shape, 3).unwrap();
        assert_eq!(plan.output_shape(), [shape[0] + 2, 3]);
    }
}

/// A caller's own statistic gives the result of the library's statistic if both compute the same value.
#[test]
fn own_statistics() {
    let data: Vec<i32> = (0..24).map(|i| i * 37 % 23).collect();
    let (shape, widths) = ([2, 3, 4], [(1, 2), (0, 3), (2, 1)]);
    let lengths = PerSide::axes([(None, Some(1)), (Some(2), Some(9)), (Some(3), Some(2))]);
    let most = |line: &[i32]| *line.iter().max().expect("elements");
    let own = pad_statistic(&data, &shape, &widths, &lengths, most).unwrap();
    assert_eq!(
        own,
        pad_computed(&data, &shape, &ComputedSpec::maximum(widths).with_stat_length(lengths)).unwrap()
    );
    let none = pad_statistic(&data, &shape, &widths, &PerSide::all(Some(0)), most);
    assert_eq!(none, Err(PadError::EmptyStatistic { axis: 0 }));
    assert_eq!(pad_statistic(&[0; 0], &[0], &[(0, 0)], &PerSide::default(), most), Ok(vec![]));
    assert!(pad_statistic(&[0; 0], &[0], &[(1, 0)], &PerSide::default(), most).is_err());
}
