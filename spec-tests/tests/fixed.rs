//! Functions for shapes known at compile time agree with the reference.

use std::fmt::Debug;

use pad_kernels::{Element, Frame, PadMode, PadPlan, PadSpec};
use spec_tests::fixed::{self, Fixed};
use spec_tests::generators::Source;

fn each(check: impl Fn(&Fixed) -> Result<(), String>) {
    let wrong: Vec<_> = fixed::all().iter().filter_map(|function| check(function).err()).collect();
    assert!(wrong.is_empty(), "{} of {} functions:\n{}", wrong.len(), fixed::all().len(), wrong.join("\n"));
}

#[test]
fn drawn_functions_are_right() {
    assert!(fixed::all().len() >= 200);
    each(|function| function.check(None).expect("nothing is drawn"));
}

#[test]
fn drawn_functions_are_right_on_any_bytes() {
    let mut source = Source::new("drawn_functions_are_right_on_any_bytes", 600);
    for i in 0..source.cases() {
        let function = &fixed::all()[i % fixed::all().len()];
        source.draw(|u| function.check(Some(u))).unwrap_or_else(|what| panic!("{what}"));
    }
}

#[test]
fn adjoints_of_drawn_functions_are_right() {
    assert!(fixed::all().iter().filter(|function| function.has_adjoint()).count() >= 200);
    for seed in 0..4 {
        each(|function| function.check_adjoint(seed));
    }
}

#[test]
fn batches_of_other_lengths_are_refused() {
    assert!(fixed::all().iter().filter(|function| function.batch).count() > 20);
    each(Fixed::refuses_other_lengths);
}

/// The functions generated at random cover every kind of padding.
#[test]
fn draws_are_of_every_sort() {
    let cases: Vec<_> = fixed::all().iter().map(|function| (function.case)()).collect();
    let count =
        |sort: &dyn Fn(&spec_tests::case::Case) -> bool| cases.iter().filter(|case| sort(case)).count();
    assert!(count(&|case| case.axes.iter().any(|pad| pad.interior > 0)) > 40);
    assert!(count(&|case| case.axes.iter().any(|pad| pad.low < 0 || pad.high < 0)) > 40);
    assert!(count(&|case| case.frame.is_some()) > 60);
    assert!(count(&|case| case.shape.len() >= 3) > 60);
    assert!(count(&|case| case.shape.is_empty()) > 1);
    for mode in PadMode::ALL {
        assert!(count(&|case| case.mode == mode) >= 40, "{mode}");
    }
}

/// If cropping leaves one row of a dilated axis, the planes of such rows are right.
#[test]
fn one_of_two_dilated_rows() {
    pad_kernels::fixed_pad! {
        fn first(u8; [2, 2, 3]) = constant(99) { [0, 0], [1, -2, 1], [0, 0] }
        fn last(u8; [2, 2, 3]) = constant(99) { [0, 0], [-2, 1, 1], [0, 0] }
    }
    let (src, mut dst) = ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [0; 12]);
    first(&src, &mut dst);
    assert_eq!(dst, [99, 99, 99, 1, 2, 3, 99, 99, 99, 7, 8, 9]);
    last(&src, &mut dst);
    assert_eq!(dst, [4, 5, 6, 99, 99, 99, 10, 11, 12, 99, 99, 99]);
}

/// A row of 16-byte elements is right if one register holds both fill and data.
#[test]
fn elements_of_sixteen_bytes() {
    pad_kernels::fixed_pad! {
        fn padded(u128; [6, 5]) = constant(9) { [0, 0], [1, 1] }
    }
    let (src, mut dst): ([u128; 30], _) = (std::array::from_fn(|i| (i as u128 + 1) << 70), [7; 42]);
    padded(&src, &mut dst);
    for (row, source) in dst.chunks(7).zip(src.chunks(5)) {
        assert!(row[0] == 9 && row[6] == 9 && row[1..6] == *source, "{row:?}");
    }
}

/// A mirrored border that needs more data than cropping leaves is read from the input, including the interior padding.
#[test]
fn gaps_of_a_mirrored_border() {
    pad_kernels::fixed_pad! {
        fn mirrored(u8; [4]) = reflect(9) uncropped { [5, -3, 1] }
    }
    let mut dst = [0; 9];
    mirrored(&[1, 2, 3, 4], &mut dst);
    assert_eq!(dst, [9, 3, 9, 2, 9, 1, 9, 2, 9]);
}

/// A long output with a short period repeats that period.
#[test]
fn long_repetitions() {
    pad_kernels::fixed_pad! {
        fn wrapped(u8; [7]) = wrap { [3, 700] }
        fn reflected(f32; [5]) = reflect { [400, 390] }
        fn longer(u16; [310]) = wrap { [5, 700] }
        fn rows(u8; [3, 40]) = symmetric { [11, 20], [0, 0] }
        fn held(u64; [2]) = edge { [310, 5] }
    }
    fn of<T: Element + PartialEq + Debug, const IN: usize, const OUT: usize>(
        padded: fn(&[T; IN], &mut [T; OUT]),
        (mode, shape, pads): (PadMode, &[usize], &[(i64, i64)]),
        value: impl Fn(usize) -> T,
    ) {
        let (src, mut dst) = (std::array::from_fn(|i| value(i + 1)), [value(0); OUT]);
        padded(&src, &mut dst);
        assert_eq!(pad_kernels::pad(&src, shape, &PadSpec::new(mode, pads)).expect("valid"), dst);
    }
    of(wrapped, (PadMode::Wrap, &[7], &[(3, 700)]), |i| i as u8);
    of(reflected, (PadMode::Reflect, &[5], &[(400, 390)]), |i| i as f32);
    of(longer, (PadMode::Wrap, &[310], &[(5, 700)]), |i| i as u16);
    of(rows, (PadMode::Symmetric, &[3, 40], &[(11, 20), (0, 0)]), |i| i as u8);
    of(held, (PadMode::Edge, &[2], &[(310, 5)]), |i| i as u64);
}

/// Adjoints of fixed functions equal those of plans. The cases have long borders, up to four axes, and types that are summed in
/// another type.
#[test]
fn adjoints_are_those_of_plans() {
    pad_kernels::fixed_pad! {
        fn wrapped(u8; [7]) = wrap { [3, 700] } adjoint wrapped_back
        fn mirrored(f32; [5]) = reflect { [400, 390] } adjoint mirrored_back
        fn held(f64; [2]) = edge { [310, 5, 2] } adjoint held_back
        fn pixels(half::f16; [9, 40, 3]) = symmetric { [2, 30], [50, 7], [0, 0] } adjoint pixels_back
        fn four(half::bf16; [3, 4, 5, 33]) = wrap { [1, 2], [3, 9], [1, 1], [2, 70] } adjoint four_back
        fn cut(i64; [6, 6]) = reflect uncropped { [-2, 3], [4, -3] } adjoint cut_back
        fn turned(i32; [9]) = reflect uncropped { [16, -15, 1] } adjoint turned_back
        fn rows(u16; [9, 3]) = reflect uncropped { [16, -15, 1], [0, 0] } adjoint rows_back
        fn complex(num_complex::Complex<f32>; [4, 20]) = reflect { [2, 2], [5, 7] } adjoint complex_back
    }
    #[track_caller]
    fn of<T: Element + Debug + PartialEq, const OUT: usize, const IN: usize>(
        back: fn(&[T; OUT], &mut [T; IN]),
        (shape, spec): (&[usize], PadSpec),
        value: impl Fn(f32) -> T,
    ) {
        let grad: [T; OUT] = std::array::from_fn(|i| value((i % 61 * (i % 61) % 61) as f32 / 7.0 - 3.0));
        let (mut got, mut expected) = ([value(77.0); IN], [value(99.0); IN]);
        back(&grad, &mut got);
        let adjoint = PadPlan::new::<T>(&spec, shape).expect("valid").adjoint().expect("numbers");
        adjoint.run(&grad, &mut expected).expect("of these lengths");
        assert_eq!(got, expected);
    }
    of(wrapped_back, (&[7], PadSpec::new(PadMode::Wrap, [(3, 700)])), |x| (x * 7.0) as i8 as u8);
    of(mirrored_back, (&[5], PadSpec::new(PadMode::Reflect, [(400, 390)])), |x| x);
    of(held_back, (&[2], PadSpec::new(PadMode::Edge, [(310, 5, 2)])), f64::from);
    let spec = PadSpec::new(PadMode::Symmetric, [(2, 30), (50, 7), (0, 0)]);
    of(pixels_back, (&[9, 40, 3], spec), half::f16::from_f32);
    let spec = PadSpec::new(PadMode::Wrap, [(1, 2), (3, 9), (1, 1), (2, 70)]);
    of(four_back, (&[3, 4, 5, 33], spec), half::bf16::from_f32);
    let spec = PadSpec::new(PadMode::Reflect, [(-2, 3), (4, -3)]).with_frame(Frame::Uncropped);
    of(cut_back, (&[6, 6], spec), |x| (x * 7.0) as i64);
    // Only the mirrored border reads the elements after the first.
    let turned = [(16, -15, 1), (0, 0, 0)];
    let spec = |axes| PadSpec::new(PadMode::Reflect, &turned[..axes]).with_frame(Frame::Uncropped);
    of(turned_back, (&[9], spec(1)), |x| (x * 7.0) as i32);
    of(rows_back, (&[9, 3], spec(2)), |x| (x * 7.0) as i16 as u16);
    let spec = PadSpec::new(PadMode::Reflect, [(2, 2), (5, 7)]);
    of(complex_back, (&[4, 20], spec), |x| num_complex::Complex { re: x, im: 1.0 - x * x });
}

/// The output is right if planes of fill lie between the data and each row has two copies: its wrapped border and its data.
#[test]
fn wrapped_rows_between_planes_of_fill() {
    pad_kernels::fixed_pad! {
        fn wrapped(u8; [2, 2, 3]) = wrap(9) { [0, 0, 1], [0, 0], [1, 0] }
    }
    let mut dst = [0; 24];
    wrapped(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], &mut dst);
    let data = [[3, 1, 2, 3], [6, 4, 5, 6], [9; 4], [9; 4], [9, 7, 8, 9], [12, 10, 11, 12]];
    assert_eq!(dst, data.as_flattened());
}
