//! Computed borders: what numpy answered, and drawn cases on every row against the reference.

use std::collections::BTreeMap;

use itertools::iproduct;
use pad_kernels::{
    PadError, Strides,
    computed::{ComputedPlan, ComputedSpec, PerSide, pad_computed, pad_statistic},
    kernels,
};
use spec_tests::computed::{check, check_adjoint, draw, load, row};
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
        let found = source.draw(|u| {
            let case = draw(row(index), u)?;
            let judged = check(&case, u);
            if judged.is_err() { Ok(judged) } else { check_adjoint(&case, u) }
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

/// `<P x, g> = <x, P' g>` for borders that are linear, in wrapping integers, and sums of floats in their order.
#[test]
fn adjoints_of_linear_borders() {
    let specs = |widths: [(usize, usize); 3]| {
        [ComputedSpec::odd_reflect(widths), ComputedSpec::odd_symmetric(widths), ComputedSpec::smooth(widths)]
    };
    let numbers = |count: usize| (0..count as i64).map(|i| i * i * 7919 % 1009 - 500).collect::<Vec<_>>();
    let dot = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<i64>();
    let shapes = [[1, 2, 3], [4, 1, 5], [3, 3, 2], [2, 6, 4]];
    let widths = [[(1, 2), (0, 5), (7, 9)], [(3, 0), (2, 2), (0, 0)], [(0, 0), (1, 8), (1, 1)]];
    for (shape, spec) in iproduct!(shapes, widths.into_iter().flat_map(specs)) {
        let plan = ComputedPlan::new::<i64>(&spec, &shape).unwrap();
        let (x, g) = (numbers(plan.input_len()), numbers(plan.output_len()));
        let mut back = vec![0; x.len()];
        let adjoint = plan.adjoint().unwrap();
        adjoint.run(&g, &mut back).unwrap();
        let (there, here) = (dot(&plan.to_vec(&x).unwrap(), &g), dot(&x, &back));
        assert_eq!(there, here, "{spec:?} of {shape:?}");
        let mut twice = back.clone();
        adjoint.run_add(&g, &mut twice).unwrap();
        assert!(twice.iter().zip(&back).all(|(twice, once)| *twice == 2 * once), "{spec:?}");
    }
}

/// Tensors that lie otherwise, halves that are rounded once, and parts of complex numbers.
#[test]
fn adjoints_of_other_tensors() {
    let spec = ComputedSpec::smooth([(2, 0), (0, 1)]);
    let plan = ComputedPlan::new::<f32>(&spec, &[2, 3]).unwrap();
    let g: Vec<f32> = (0..16).map(|i| (i * i % 7) as f32).collect();
    let mut plain = [0.0; 6];
    plan.adjoint().unwrap().run(&g, &mut plain).unwrap();
    // Columns of both, with the rows of the output in reverse.
    let placed = plan.with_strides(&Strides::new(1, [1, 2]), &Strides::new(3, [-1, 4])).unwrap();
    let mut columns = [9.0; 16];
    for (index, &value) in g.iter().enumerate() {
        columns[3 - index / 4 + 4 * (index % 4)] = value;
    }
    let mut back = [7.0; 7];
    placed.adjoint().unwrap().run(&columns, &mut back).unwrap();
    assert_eq!(back, [7.0, plain[0], plain[3], plain[1], plain[4], plain[2], plain[5]]);
    let halves = ComputedPlan::new::<half::f16>(&ComputedSpec::smooth([(0, 3000)]), &[1]).unwrap();
    let mut sum = [half::f16::ZERO];
    halves.adjoint().unwrap().run(&vec![half::f16::ONE; 3001], &mut sum).unwrap();
    assert_eq!(sum[0], half::f16::from_f32(3001.0));
    let complex = ComputedPlan::new::<num_complex::Complex<f64>>(&ComputedSpec::odd_reflect([(1, 0)]), &[2]);
    let mut sums = [num_complex::Complex::default(); 2];
    let g = [1.0, 2.0, 3.0].map(|x| num_complex::Complex::new(x, 10.0 * x));
    complex.unwrap().adjoint().unwrap().run(&g, &mut sums).unwrap();
    assert_eq!(sums.map(|sum| (sum.re, sum.im)), [(4.0, 40.0), (2.0, 20.0)]);
}

/// A statistic of the caller's own is that of the library where it computes the same.
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
