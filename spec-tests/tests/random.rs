//! Cases drawn at random, on every kernel that can run them, against the reference.
//!
//! The seed is printed; `PAD_SEED` and `PAD_CASES` in the environment change it and the number of cases (or, as
//! `1/20`, which part of them is drawn).

use std::rc::Rc;

use arbitrary::{Result, Unstructured};
use pad_kernels::{AxisPad, DType, PadMode, PadPlan, PadSpec, kernels::Streaming, pad, pad_cloned};
use spec_tests::case::{self, Case, Kind};
use spec_tests::generators::{self, Source};
use spec_tests::oracles::{self, Outcome};
use spec_tests::{convert, reach, reference};

/// Checks what `draw` draws.
fn run(name: &str, cases: usize, draw: impl Fn(&mut Unstructured<'_>) -> Result<Case>) {
    Outcome::most_ran(&Source::check(name, cases, |_, u| Ok(oracles::check(&draw(u)?))), 99);
}

#[test]
fn low_ranks() {
    run("low_ranks", 1500, |u| {
        let rank = u.int_in_range(0..=2)?;
        generators::case_of_rank(generators::kind(u)?, rank, u)
    });
}

#[test]
fn ranks_3_to_5() {
    run("ranks_3_to_5", 700, |u| {
        let rank = u.int_in_range(3..=5)?;
        generators::case_of_rank(generators::kind(u)?, rank, u)
    });
}

#[test]
fn ranks_6_to_8() {
    run("ranks_6_to_8", 500, |u| {
        let rank = u.int_in_range(6..=8)?;
        generators::case_of_rank(generators::kind(u)?, rank, u)
    });
}

#[test]
fn every_kind() {
    for kind in Kind::all() {
        run(&format!("every_kind {kind}"), 24, |u| generators::case_of(kind, u));
    }
}

#[test]
fn strings() {
    run("strings", 400, |u| generators::case_of(Kind::Tagged(DType::String), u));
}

#[test]
fn packed() {
    let kinds = [DType::I4, DType::U4, DType::F4E2M1, DType::I2, DType::U2];
    run("packed", 800, |u| {
        let kind = Kind::Tagged(*u.choose(&kinds)?);
        generators::case_of(kind, u)
    });
}

/// More axes than any kernel has, or inline storage holds.
#[test]
fn high_ranks_run_on_the_any_rank_kernel() {
    let before = reach::generic();
    let mut unspecialised = 0;
    // Under Miri the least of them.
    let (rank, more) = if cfg!(miri) { (7, 7) } else { (8, 9) };
    let kind = |u: &mut Unstructured<'_>| if cfg!(miri) { Ok(Kind::Raw(3)) } else { generators::kind(u) };
    run("high_ranks", 60, |u| {
        // Axes that stay apart.
        let mut case = generators::case_of_rank(kind(u)?, rank, u)?.plain();
        case.mode = PadMode::Edge.into();
        case.frame = None;
        for (length, pad) in case.shape.iter_mut().zip(&mut case.axes) {
            (*length, *pad) = (1 + usize::from(u.arbitrary()? && !cfg!(miri)), AxisPad::new(1, 0));
        }
        Ok(case)
    });
    let mut source = Source::new("high_ranks plans", 20);
    for _ in 0..source.cases() {
        let kind = source.draw(kind);
        let (shape, axes) = (vec![2; more], vec![AxisPad::new(1, -1); more]);
        let case = Case {
            fill: Some(vec![1; kind.bytes(1)]).filter(|_| kind != Kind::Tagged(DType::String)),
            ..Case::new(kind, PadMode::Symmetric, shape, axes)
        };
        let plan = case.plan().expect("valid");
        assert_eq!(plan.axes().len(), more);
        unspecialised += usize::from(plan.kernel().is_none());
        oracles::check(&case).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    }
    assert_eq!(unspecialised, source.cases());
    assert!(reach::generic() > before);
}

/// Requests of any numbers: planned or refused as by the reference, and nothing panics or takes the memory.
#[test]
fn wild_requests() {
    let outcomes =
        Source::check("wild_requests", 20_000, |_, u| Ok(oracles::check_plan(&generators::wild(u)?)));
    let refused = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Refused(_))).count();
    println!("{refused} refused; {}", reach::summary());
    assert!((outcomes.len() / 4..outcomes.len()).contains(&refused));
}

/// The reference works out each position of an axis once; asked for every element it says the same.
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

/// A new vector of zeroed pages, which with debug assertions one of a MiB is, is written differently: nothing is written
/// where zero fill stays. Held against the bytes entry, which other tests hold against the reference.
#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn long_outputs_with_zero_fill() {
    fn check<const N: usize>() {
        for shape in [&[1 << 14][..], &[24, 25, 26]] {
            for mode in PadMode::ALL {
                for interior in [0, 1, 2] {
                    let mut axes = vec![AxisPad::new(3, 2); shape.len()];
                    axes[shape.len() - 1].interior = interior;
                    let mut shape = shape.to_vec();
                    let len: usize = shape.iter().product();
                    // The output is longer still.
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
                    if zeroed.as_flattened() != written {
                        let at = zeroed.as_flattened().iter().zip(&written).position(|(a, b)| a != b);
                        panic!(
                            "to_vec of {shape:?}, {spec:?}, {N} bytes, differs from run_bytes at byte {at:?}"
                        );
                    }
                }
            }
        }
    }
    check::<1>();
    check::<4>();
    check::<12>();
    check::<16>();
}

/// Outputs beyond every threshold, which the others are too small for in a build without debug assertions. The any-rank
/// kernel, which other tests hold against the reference, says what is right.
#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "megabytes: made for `cargo test --release`, where thresholds are as measured"
)]
fn large_outputs() {
    let megabytes = |bytes: usize, shape: &[usize]| {
        // As many outermost rows as make an output of so many bytes.
        let row: usize = shape.iter().product();
        [&[bytes / row + 1], shape].concat()
    };
    for row in [&[300][..], &[3000], &[20_000], &[150, 24], &[5_000_000]] {
        for mode in PadMode::ALL {
            for interior in [0, 1] {
                for dtype in [DType::U8, DType::F32] {
                    let longest = row.len() > 1 && interior == 0 && dtype == DType::U8;
                    let shape = megabytes(if longest { 34 << 20 } else { 5 << 20 }, row);
                    let mut axes = vec![AxisPad::new(1, 2); shape.len()];
                    axes[shape.len() - 1] = AxisPad { interior, ..AxisPad::new(5, 3) };
                    let spec = PadSpec::new(mode, axes);
                    let plan = PadPlan::for_dtype(&spec, &shape, dtype).expect("valid");
                    let src: Vec<u8> = (0..plan.input_bytes()).map(|i| (i * 7 + i / 251) as u8).collect();
                    let (mut got, mut right) =
                        (vec![0xa5; plan.output_bytes()], vec![0; plan.output_bytes()]);
                    plan.clone()
                        .with_generic_kernel()
                        .run_bytes(&src, &mut right)
                        .expect("lengths are right");
                    for streaming in [Streaming::Never, Streaming::Always] {
                        got.fill(0xa5);
                        let plan = plan.with_streaming(streaming);
                        plan.run_bytes(&src, &mut got).expect("lengths are right");
                        assert!(got == right, "{shape:?} {dtype} {mode} {interior} {streaming:?}");
                    }
                    if dtype == DType::U8 {
                        assert!(
                            pad(&src, &shape, &spec).expect("room") == right,
                            "a new tensor of {shape:?} {mode}"
                        );
                    }
                }
            }
        }
    }
}

/// Values that are cloned are dropped once each, what was in the destination too.
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
