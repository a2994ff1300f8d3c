//! Functions for shapes known when compiling, against the reference.

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
fn batches_of_other_lengths_are_refused() {
    assert!(fixed::all().iter().filter(|function| function.batch).count() > 20);
    each(Fixed::refuses_other_lengths);
}

/// What is drawn is of every sort.
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
    for mode in pad_kernels::PadMode::ALL {
        assert!(count(&|case| case.mode == mode) >= 40, "{mode}");
    }
}
