//! Cases generated at random agree with the reference on every kernel that can run them.
//!
//! The test prints its seed. The environment variable `PAD_SEED` sets the seed, and `PAD_CASES` sets the number of cases, or the
//! fraction to run (`1/20`).

use std::rc::Rc;

use arbitrary::{Result, Unstructured};
use pad_kernels::{AxisPad, DType, PadMode, pad_cloned, tensor::ElementSize};
use spec_tests::case::{Case, Kind};
use spec_tests::generators::{self, Source};
use spec_tests::oracles::{self, Outcome};
use spec_tests::reach::{self, Class};

/// Checks cases that `draw` generates.
fn run(name: &str, cases: usize, draw: impl Fn(&mut Unstructured<'_>) -> Result<Case> + Sync) {
    Outcome::most_ran(&Source::check(name, cases, |_, u| oracles::check(&draw(u)?)), 99);
}

#[test]
fn ranks() {
    for (ranks, cases) in [(0..=2, 1500), (3..=5, 700), (6..=8, 500)] {
        run(&format!("ranks {ranks:?}"), cases, |u| {
            let rank = u.int_in_range(ranks.clone())?;
            generators::case_of_rank(generators::kind(u)?, rank, u)
        });
    }
}

#[test]
fn every_kind() {
    for kind in Kind::all() {
        let is_bytes = matches!(kind.element_size(), ElementSize::Bytes(_));
        run(&format!("every_kind {kind}"), if is_bytes { 24 } else { 200 }, |u| generators::case_of(kind, u));
    }
}

/// Plans with more axes than any kernel has, or than inline storage holds, run on the any-rank kernel. Under Miri there is only
/// the smallest such rank.
#[test]
fn high_ranks_run_on_the_any_rank_kernel() {
    let before = reach::counts().of(Class::Event, "any-rank kernel");
    run("high_ranks", 40, |u| {
        let kind = if cfg!(miri) { Kind::Raw(3) } else { generators::kind(u)? };
        let rank = if cfg!(miri) { 7 } else { u.int_in_range(7..=9)? };
        let fill = Some(vec![1; kind.bytes(1)]).filter(|_| kind != Kind::Tagged(DType::String));
        // These axes cannot be merged.
        let pad = *u.choose(&[AxisPad::new(1, 0), AxisPad::new(1, -1)])?;
        let case = Case { fill, ..Case::new(kind, PadMode::Symmetric, vec![2; rank], vec![pad; rank]) };
        let plan = case.plan().expect("valid");
        assert_eq!((plan.axes().len(), plan.kernel().is_none()), (rank, true));
        Ok(case)
    });
    assert!(reach::counts().of(Class::Event, "any-rank kernel") > before);
}

/// Requests with arbitrary numbers are planned or refused like in the reference, without a panic or excessive memory.
#[test]
fn wild_requests() {
    let outcomes = Source::check("wild_requests", 20_000, |_, u| oracles::check_plan(&generators::wild(u)?));
    let refused = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Refused(_))).count();
    println!("{refused} refused; {}", reach::counts());
    assert!((outcomes.len() / 4..outcomes.len()).contains(&refused));
}

/// The reference gives equal results per axis and per element.
#[test]
fn reference_is_the_same_element_by_element() {
    let mut source = Source::new("reference_is_the_same_element_by_element", 300);
    for _ in 0..source.cases() {
        let case = source.draw(generators::case);
        let Ok(map) = case.map() else { continue };
        let mut position = vec![0; map.shape.len()];
        for (flat, &source) in map.source.iter().enumerate() {
            let mut rest = flat;
            for (at, length) in position.iter_mut().zip(&map.shape).rev() {
                (*at, rest) = (rest % length, rest / length);
            }
            let one = case.request().source_of(&position);
            let one =
                one.map(|one| one.iter().zip(&case.shape).fold(0, |flat, (at, length)| flat * length + at));
            assert_eq!(source, one, "{case} at {position:?}");
        }
        assert_eq!(map.source.len(), map.shape.iter().product::<usize>(), "{case}");
    }
}

/// Every cloned value, and every old value of the destination, is dropped exactly once.
#[test]
fn clones_are_balanced() {
    let mut source = Source::new("clones_are_balanced", 100);
    for _ in 0..source.cases() {
        let case = source.draw(|u| generators::case_of(Kind::Tagged(DType::String), u));
        let Ok(map) = case.map() else { continue };
        let src: Vec<_> = (0..case.shape.iter().product()).map(Rc::<usize>::new).collect();
        let (fill, junk) = (Rc::new(usize::MAX), Rc::new(usize::MAX - 1));
        let plan = case.plan().expect("the reference has one");
        let mut dst = vec![junk.clone(); plan.output_len()];
        plan.run_cloned(&src, &fill, &mut dst).expect("lengths are right");
        assert_eq!(dst, map.apply(&src, &fill), "{case}");
        assert_eq!(Rc::strong_count(&junk), 1, "{case}");
        let new = pad_cloned(&src, &case.shape, &case.spec(), &fill).expect("valid");
        assert_eq!(dst, new, "{case}");
        let fills = map.source.iter().filter(|source| source.is_none()).count();
        assert_eq!(Rc::strong_count(&fill), 1 + 2 * fills, "{case}");
        drop((dst, new));
        assert!(src.iter().chain([&fill]).all(|value| Rc::strong_count(value) == 1), "{case}");
    }
}
