//! Strided tensors, regions of the output, and tilings of the output agree with the reference.

use pad_kernels::DType;
use spec_tests::case::{Case, Kind};
use spec_tests::generators::{self, Source};
use spec_tests::oracles::{self, Outcome};
use spec_tests::views;

const PACKED: [DType; 5] = [DType::I4, DType::U4, DType::F4E2M1, DType::I2, DType::U2];

/// Checks random views of random cases.
fn look(name: &str, cases: usize, kind: impl Fn(usize) -> Kind) {
    // Without optimisation these cases take longer than all other tests, so only half of them run.
    let cases = if cfg!(debug_assertions) { cases / 2 } else { cases };
    let outcomes = Source::check(name, cases, |i, u| {
        let case = generators::case_of(kind(i), u)?;
        let view = views::view(&case, u)?;
        Ok(view.map_or_else(|| oracles::check_plan(&case), |view| views::check(&case, &view)))
    });
    Outcome::most_ran(&outcomes, 95);
}

#[test]
fn views_of_all_types() {
    look("every_dtype", 1300, |i| Kind::Tagged(DType::ALL[i % DType::ALL.len()]));
    look("elements_without_a_tag", 500, |i| Kind::Raw(Kind::RAW_SIZES[i % Kind::RAW_SIZES.len()]));
    look("packed views", 700, |i| Kind::Tagged(PACKED[i % PACKED.len()]));
    look("string views", 400, |_| Kind::Tagged(DType::String));
}

/// Rows that are columns of their input are right in tiles and at the remaining edges.
#[test]
fn columns() {
    let kinds = [DType::U8, DType::F16, DType::F32, DType::F64, DType::C128].map(Kind::Tagged);
    let outcomes = Source::check("columns", 150, |i, u| {
        let (case, view) = views::columns(kinds[i % kinds.len()], u)?;
        Ok(views::check(&case, &view))
    });
    Outcome::most_ran(&outcomes, 80);
}

/// An empty tensor may have any offset and strides, and a tensor without axes has one element.
#[test]
fn least_of_all() {
    for shape in [vec![], vec![0], vec![2, 0]] {
        let axes = vec![Default::default(); shape.len()];
        let case = Case::new(Kind::Tagged(DType::F32), pad_kernels::PadMode::Constant, shape, axes);
        let view = Source::of_seed(7, 1).draw(|u| views::view(&case, u)).expect("valid");
        views::check(&case, &view).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    }
}
