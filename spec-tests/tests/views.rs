//! Strided tensors, boxes of the output and tilings of it, against the reference.

use pad_kernels::DType;
use spec_tests::case::{Case, Kind};
use spec_tests::generators::{self, Source};
use spec_tests::oracles::Outcome;
use spec_tests::views;

/// Looks at what `draw` draws, and returns how many cases of it ran.
fn look(name: &str, cases: usize, kind: impl Fn(usize) -> Kind) {
    let mut source = Source::new(name, cases);
    let mut ran = 0;
    for i in 0..source.cases() {
        let (case, view) = source.draw(|u| {
            let case = generators::case_of(kind(i), u)?;
            let view = views::view(&case, u)?;
            Ok((case, view))
        });
        let Some(view) = view else { continue };
        match views::check(&case, &view) {
            Ok(Outcome::Ran) => ran += 1,
            Ok(Outcome::Refused(_)) => {}
            Err(mismatch) => panic!("{name}, case {i} of PAD_SEED={:#x}:\n{mismatch}", source.seed()),
        }
    }
    assert!(ran * 100 >= source.cases() * 95, "only {ran} cases ran");
}

#[test]
fn every_dtype() {
    look("every_dtype", 700, |i| Kind::Tagged(DType::ALL[i % DType::ALL.len()]));
}

#[test]
fn elements_without_a_tag() {
    look("elements_without_a_tag", 300, |i| Kind::Raw(Kind::RAW_SIZES[i % Kind::RAW_SIZES.len()]));
}

/// Rows that are columns of their input, in tiles and what is left of them.
#[test]
fn columns() {
    let kinds = [DType::U8, DType::F16, DType::F32, DType::F64, DType::C128].map(Kind::Tagged);
    let mut source = Source::new("columns", 150);
    let mut ran = 0;
    for i in 0..source.cases() {
        let (case, view) = source.draw(|u| views::columns(kinds[i % kinds.len()], u));
        match views::check(&case, &view) {
            Ok(Outcome::Ran) => ran += 1,
            Ok(Outcome::Refused(_)) => {}
            Err(mismatch) => panic!("columns, case {i} of PAD_SEED={:#x}:\n{mismatch}", source.seed()),
        }
    }
    assert!(ran * 100 >= source.cases() * 80, "only {ran} cases ran");
}

#[test]
fn packed() {
    let packed = [DType::I4, DType::U4, DType::F4E2M1, DType::I2, DType::U2];
    look("packed views", 400, |i| Kind::Tagged(packed[i % packed.len()]));
}

#[test]
fn strings() {
    look("string views", 250, |_| Kind::Tagged(DType::String));
}

/// An empty tensor lies anywhere, and one without axes is one element.
#[test]
fn least_of_all() {
    for shape in [vec![], vec![0], vec![2, 0]] {
        let case = Case {
            axes: shape.iter().map(|_| Default::default()).collect(),
            shape,
            mode: pad_kernels::PadMode::Constant.into(),
            frame: None,
            kind: Kind::Tagged(DType::F32),
            fill: None,
            paint: 1,
        };
        let view = Source::of_seed(7, 1).draw(|u| views::view(&case, u)).expect("valid");
        views::check(&case, &view).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    }
}
