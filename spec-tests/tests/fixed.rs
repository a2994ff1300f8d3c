//! The random functions that `fixed_pad!` generated for one shape each agree with the reference.

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
