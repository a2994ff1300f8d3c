//! Functions for shapes known at compile time agree with the reference.

use spec_tests::fixed::{self, Fixed};
use spec_tests::generators::Source;

fn each(check: impl Fn(&Fixed) -> anyhow::Result<()>) {
    let wrong: Vec<_> = fixed::all().iter().filter_map(|function| check(function).err()).collect();
    assert!(wrong.is_empty(), "{} of {} functions: {wrong:#?}", wrong.len(), fixed::all().len());
}

#[test]
fn drawn_functions_are_right() {
    assert!(fixed::all().len() >= 200);
    each(|function| function.check(None));
}

#[test]
fn drawn_functions_are_right_on_any_bytes() {
    let functions = fixed::all();
    Source::check("any bytes", 600, |i, u| functions[i % functions.len()].check(Some(u)));
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
