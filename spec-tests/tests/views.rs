//! Strided tensors and regions of the output agree with the reference.

use pad_kernels::DType;
use spec_tests::case::{Kind, SIGNED};
use spec_tests::generators::{self, Source};
use spec_tests::oracles::Outcome;
use spec_tests::views;

const PACKED: [DType; 5] = [DType::I4, DType::U4, DType::F4E2M1, DType::I2, DType::U2];

/// Checks random layouts of random cases.
fn look(name: &str, cases: usize, kinds: impl IntoIterator<Item = Kind>) {
    let kinds: Vec<Kind> = kinds.into_iter().collect();
    let outcomes =
        Source::check(name, cases, |i, u| views::check(&generators::case_of(kinds[i % kinds.len()], u)?, u));
    Outcome::most_ran(&outcomes, 95);
}

#[test]
fn layouts_of_all_types() {
    look("every type", 1300, Kind::all());
    look("packed", 500, PACKED.map(Kind::Tagged));
    look("strings", 300, [Kind::Tagged(DType::String)]);
}

/// Sides that negate elements are right in every layout.
#[test]
fn signs() {
    let outcomes = Source::check("signs", if cfg!(miri) { 30 } else { 400 }, |_, u| {
        let mut case = generators::case_of(Kind::Tagged(*u.choose(&SIGNED)?), u)?;
        case.axes.iter_mut().for_each(|pad| pad.interior = 0);
        let sides = case.shape.iter().map(|_| Ok((u.arbitrary()?, u.arbitrary()?)));
        case.negated = sides.collect::<arbitrary::Result<_>>()?;
        views::check(&case, u)
    });
    Outcome::most_ran(&outcomes, 90);
}
