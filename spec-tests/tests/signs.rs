//! Sides that turn signs: antisymmetric borders, walls and what comes round with its sign turned.

use pad_kernels::computed::PerSide;
use pad_kernels::{AdjointPlan, PadError, PadMode, PadPlan, PadSpec, pad};
use spec_tests::case::{Kind, SIGNED};
use spec_tests::generators::{self, Source};
use spec_tests::oracles::{self, Outcome};
use spec_tests::views;

#[test]
fn signs_are_those_of_the_reference() {
    let outcomes = Source::check("signs", if cfg!(miri) { 30 } else { 800 }, |_, u| {
        let mut case = generators::case_of(Kind::Tagged(*u.choose(&SIGNED)?), u)?;
        case.axes.iter_mut().for_each(|pad| pad.interior = 0);
        let sides = case.shape.iter().map(|_| Ok((u.arbitrary()?, u.arbitrary()?)));
        case.negated = sides.collect::<arbitrary::Result<_>>()?;
        let view = views::view(&case, u)?;
        Ok(view.map_or_else(|| oracles::check(&case), |view| views::check(&case, &view)))
    });
    Outcome::most_ran(&outcomes, 90);
}

/// As the definition says it, in words of one line.
#[test]
fn signs_turn_at_every_passing() {
    let padded = |mode: PadMode, widths, negated| {
        let spec = PadSpec::new(mode, [widths]).with_negated(PerSide::axes([negated]));
        pad(&[1, 2, 3], &[3], &spec).expect("a padding")
    };
    let both = (true, true);
    assert_eq!(padded(PadMode::Symmetric, (4, 0), both), [3, -3, -2, -1, 1, 2, 3]);
    assert_eq!(padded(PadMode::Reflect, (5, 3), both), [-2, 1, 2, -3, -2, 1, 2, 3, -2, -1, 2]);
    assert_eq!(padded(PadMode::Wrap, (4, 4), both), [3, -1, -2, -3, 1, 2, 3, -1, -2, -3, 1]);
    assert_eq!(padded(PadMode::Edge, (2, 1), both), [-1, -1, 1, 2, 3, -3]);
    assert_eq!(padded(PadMode::Constant, (1, 1), both), [0, 1, 2, 3, 0]);
    // One wall: what the other one mirrors keeps its sign.
    assert_eq!(padded(PadMode::Symmetric, (3, 6), (true, false)), [-3, -2, -1, 1, 2, 3, 3, 2, 1, -1, -2, -3]);
    let single = PadSpec::new(PadMode::Reflect, [(2, 1)]).with_negated(PerSide::all(true));
    assert_eq!(pad(&[5], &[1], &single), Ok(vec![5, 5, 5, 5]));
    assert_eq!(pad(&[i8::MIN], &[1], &PadSpec::antisymmetric([(0, 1)])), Ok(vec![i8::MIN; 2]));
}

#[test]
fn fill_keeps_its_sign() {
    let spec = PadSpec::new([PadMode::Constant, PadMode::Symmetric], [(1, 0), (1, 1)]).with_fill(7);
    let spec = spec.with_negated(PerSide::all(true));
    assert_eq!(pad(&[1, 2], &[1, 2], &spec), Ok(vec![7, 7, 7, 7, -1, 1, 2, -2]));
}

#[test]
fn what_has_no_sign_is_refused() {
    let spec = PadSpec::antisymmetric([(1, 1)]);
    let none = |result: Result<PadPlan, PadError>| matches!(result, Err(PadError::NotNegatable { .. }));
    assert!(none(PadPlan::new::<u8>(&spec, &[3])));
    assert!(none(PadPlan::new::<bool>(&spec, &[3])));
    assert!(none(PadPlan::for_bytes(&spec, &[3], 4)));
    assert!(none(PadPlan::for_cloned(&spec, &[3])));
    let error = PadPlan::new::<u16>(&spec, &[3]).unwrap_err().to_string();
    assert!(error.contains("u16 elements cannot be negated"), "{error}");
    let gaps = PadSpec::antisymmetric([(0, 1, 2)]);
    assert!(matches!(PadPlan::new::<f32>(&gaps, &[3]), Err(PadError::NegatedInterior { axis: 0, .. })));
    let sides = PadSpec::new(PadMode::Edge, [(1, 1)]).with_negated(PerSide::axes([(true, true); 2]));
    let error = PadPlan::new::<f32>(&sides, &[3]).unwrap_err();
    assert_eq!(error, PadError::ArgumentCount { name: "negated sides", given: 2, shape: 1 });
}

/// `<P x, g> = <x, P' g>`, in wrapping integers.
#[test]
fn dot_products_are_equal() {
    for (mode, high) in PadMode::ALL.into_iter().flat_map(|mode| (0..40).map(move |high| (mode, high))) {
        let spec = PadSpec::new(mode, [(7, high), (3, 2)])
            .with_negated(PerSide::axes([(true, false), (true, true)]));
        let plan = PadPlan::new::<i64>(&spec, &[5, 2]).unwrap();
        let adjoint: AdjointPlan = plan.adjoint().unwrap();
        let numbers = |count: usize| (0..count as i64).map(|i| i * i * 7919 % 1009 - 500).collect::<Vec<_>>();
        let (x, g) = (numbers(plan.input_len()), numbers(plan.output_len()));
        let mut back = vec![0; x.len()];
        let mut scratch = vec![0; adjoint.scratch_bytes()];
        adjoint.run_with_scratch(&g, &mut back, &mut scratch).unwrap();
        let dot = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<i64>();
        assert_eq!(dot(&plan.to_vec(&x).unwrap(), &g), dot(&x, &back), "{mode} {high}");
    }
}
