//! Cases generated at random agree with the reference on every kernel that can run them.
//!
//! The test prints its seed. The environment variable `PAD_SEED` sets the seed, and `PAD_CASES` sets the number of cases, or the
//! fraction to run (`1/20`).

use std::rc::Rc;

use arbitrary::{Result, Unstructured};
use itertools::iproduct;
use pad_kernels::{AxisPad, DType, PadMode, PadPlan, PadSpec, kernels::Streaming, pad, pad_cloned};
use spec_tests::case::{self, Case, Kind};
use spec_tests::generators::{self, Source};
use spec_tests::oracles::{self, Outcome};
use spec_tests::{convert, reach, reference};

mod common;

const PACKED: [DType; 5] = [DType::I4, DType::U4, DType::F4E2M1, DType::I2, DType::U2];

/// Checks cases that `draw` generates.
fn run(name: &str, cases: usize, draw: impl Fn(&mut Unstructured<'_>) -> Result<Case>) {
    Outcome::most_ran(&Source::check(name, cases, |_, u| Ok(oracles::check(&draw(u)?))), 99);
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
        run(&format!("every_kind {kind}"), 24, |u| generators::case_of(kind, u));
    }
}

#[test]
fn strings_and_packed() {
    for (name, cases, kinds) in [("strings", 400, &[DType::String][..]), ("packed", 800, &PACKED)] {
        run(name, cases, |u| generators::case_of(Kind::Tagged(*u.choose(kinds)?), u));
    }
}

/// Plans with more axes than any kernel has, or than inline storage holds, run on the any-rank kernel. Under Miri there is only
/// the smallest such rank.
#[test]
fn high_ranks_run_on_the_any_rank_kernel() {
    let before = reach::generic();
    let (rank, more) = if cfg!(miri) { (7, 7) } else { (8, 9) };
    let kind = |u: &mut Unstructured<'_>| if cfg!(miri) { Ok(Kind::Raw(3)) } else { generators::kind(u) };
    run("high_ranks", 60, |u| {
        // These axes cannot be merged.
        let mut case = generators::case_of_rank(kind(u)?, rank, u)?.plain();
        (case.mode, case.frame) = (PadMode::Edge.into(), None);
        for (length, pad) in case.shape.iter_mut().zip(&mut case.axes) {
            (*length, *pad) = (1 + usize::from(u.arbitrary()? && !cfg!(miri)), AxisPad::new(1, 0));
        }
        Ok(case)
    });
    run("high_ranks plans", 20, |u| {
        let kind = kind(u)?;
        let fill = Some(vec![1; kind.bytes(1)]).filter(|_| kind != Kind::Tagged(DType::String));
        let axes = vec![AxisPad::new(1, -1); more];
        let case = Case { fill, ..Case::new(kind, PadMode::Symmetric, vec![2; more], axes) };
        let plan = case.plan().expect("valid");
        assert_eq!((plan.axes().len(), plan.kernel().is_none()), (more, true));
        Ok(case)
    });
    assert!(reach::generic() > before);
}

/// Requests with arbitrary numbers are planned or refused like in the reference, without a panic or excessive memory.
#[test]
fn wild_requests() {
    let outcomes =
        Source::check("wild_requests", 20_000, |_, u| Ok(oracles::check_plan(&generators::wild(u)?)));
    let refused = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Refused(_))).count();
    println!("{refused} refused; {}", reach::summary());
    assert!((outcomes.len() / 4..outcomes.len()).contains(&refused));
}

/// The reference gives equal results per axis and per element.
#[test]
fn reference_is_the_same_element_by_element() {
    let mut source = Source::new("reference_is_the_same_element_by_element", 300);
    for _ in 0..source.cases() {
        let case = source.draw(generators::case);
        let (axes, modes) = (convert::axes(&case.axes), convert::modes(&case.mode, case.shape.len()));
        let frame = case.frame.map(convert::frame);
        let Ok(map) = case.map() else { continue };
        let mut position = vec![0; map.shape.len()];
        for (flat, &source) in map.source.iter().enumerate() {
            let mut rest = flat;
            for (at, length) in position.iter_mut().zip(&map.shape).rev() {
                (*at, rest) = (rest % length, rest / length);
            }
            let one = reference::source_of(&position, &case.shape, &axes, &modes, frame);
            let one =
                one.map(|one| one.iter().zip(&case.shape).fold(0, |flat, (at, length)| flat * length + at));
            assert_eq!(source, one, "{case} at {position:?}");
        }
        assert_eq!(map.source.len(), map.shape.iter().product::<usize>(), "{case}");
    }
}

/// For a long output, `to_vec` allocates zeroed memory and does not write fill that is zero. The result equals that of
/// `run_bytes`. Debug builds use zeroed pages from 1 MiB on. Other tests compare `run_bytes` with the reference.
#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn long_outputs_with_zero_fill() {
    fn check<const N: usize>() {
        for (shape, mode, interior) in iproduct!([&[1 << 14][..], &[24, 25, 26]], PadMode::ALL, [0, 1, 2]) {
            let mut axes = vec![AxisPad::new(3, 2); shape.len()];
            axes[shape.len() - 1].interior = interior;
            let mut shape = shape.to_vec();
            let len: usize = shape.iter().product();
            // The dilated input has about 1 MiB, and the borders make the output longer.
            shape[0] *= (1 << 20) / (N * len * (1 + interior as usize)) + 1;
            let spec = PadSpec::new(mode, axes);
            let plan = PadPlan::new::<[u8; N]>(&spec, &shape).expect("valid");
            assert!(plan.output_bytes() >= 1 << 20);
            let colours = oracles::elements::<[u8; N]>(&case::paint(Kind::Raw(N), 251, 7));
            let src = colours.repeat(plan.input_len() / 251 + 1);
            let src = &src[..plan.input_len()];
            let mut written = vec![0xee; plan.output_bytes()];
            plan.run_bytes(src.as_flattened(), &mut written).expect("lengths are right");
            let zeroed = plan.to_vec(src).expect("lengths are right");
            let at = zeroed.as_flattened().iter().zip(&written).position(|(a, b)| a != b);
            assert_eq!(at, None, "to_vec of {shape:?}, {spec:?}, {N} bytes, differs from run_bytes");
        }
    }
    check::<1>();
    check::<4>();
    check::<12>();
    check::<16>();
}

/// Outputs beyond all thresholds of release builds equal those of the any-rank kernel, which other tests compare with the
/// reference.
#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "megabytes: made for `cargo test --release`, where thresholds are as measured"
)]
fn large_outputs() {
    let megabytes = |bytes: usize, shape: &[usize]| {
        // Returns a shape with enough outermost rows for an output of `bytes` bytes.
        let row: usize = shape.iter().product();
        [&[bytes / row + 1], shape].concat()
    };
    let rows = [&[300][..], &[3000], &[20_000], &[150, 24], &[5_000_000]];
    for (row, mode, interior, dtype) in iproduct!(rows, PadMode::ALL, [0, 1], [DType::U8, DType::F32]) {
        let longest = row.len() > 1 && interior == 0 && dtype == DType::U8;
        let shape = megabytes(if longest { 34 << 20 } else { 5 << 20 }, row);
        let mut axes = vec![AxisPad::new(1, 2); shape.len()];
        axes[shape.len() - 1] = AxisPad { interior, ..AxisPad::new(5, 3) };
        let spec = PadSpec::new(mode, axes);
        let plan = PadPlan::for_dtype(&spec, &shape, dtype).expect("valid");
        let src = common::bytes(plan.input_bytes());
        let right = common::padded(&plan.with_generic_kernel(), &src);
        for streaming in [Streaming::Never, Streaming::Always] {
            let got = common::padded(&plan.with_streaming(streaming), &src);
            assert!(got == right, "{shape:?} {dtype} {mode} {interior} {streaming:?}");
        }
        if dtype == DType::U8 {
            assert!(pad(&src, &shape, &spec).expect("room") == right, "a new tensor of {shape:?} {mode}");
        }
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
