//! All small requests run on all kernels and agree with the reference bit for bit.
//!
//! Rank 1 covers lengths 0 to 6, widths from -8 to 14 on both sides, and interior padding of 0 to 3. Rank 2 covers all pairs of a
//! smaller set of axes. Both run in all modes and frames, with elements of all sizes, on every available instruction set and on
//! the any-rank kernel. The reference is computed once for all element sizes, because they do not change the sources.
//!
//! Each kernel fills the output twice, over different initial bytes. Source and destination lie in turn at the end of their
//! pages, at the start of them, or at odd addresses. In debug builds, each request of rank 1 runs with only three of the nine
//! element sizes, in turn. Every width still runs with every size.
#![cfg(not(miri))]

use itertools::iproduct;
use pad_kernels::{AxisPad, DType, Frame, PadMode, PadPlan};
use spec_tests::case::{Case, Kind};
use spec_tests::oracles::{self, Junk, Place};
use spec_tests::reach;

mod common;

/// One kind per element size: 1, 2, 4, 8 and 16 bytes, 3 and 12 bytes for kernels of any size, and 4 and 2 bits.
const KINDS: [Kind; 9] = [
    Kind::Tagged(DType::U8),
    Kind::Tagged(DType::I16),
    Kind::Tagged(DType::F32),
    Kind::Tagged(DType::F64),
    Kind::Tagged(DType::C128),
    Kind::Raw(3),
    Kind::Raw(12),
    Kind::Tagged(DType::I4),
    Kind::Tagged(DType::U2),
];

/// Runs one request in both frames. Returns the number of runs.
fn request(mode: PadMode, shape: &[usize], axes: &[AxisPad], kinds: &[Kind]) -> usize {
    let removes = axes.iter().any(|pad| pad.low < 0 || pad.high < 0);
    let (mut plans, mut runs) = (Vec::new(), 0);
    for frame in [Frame::Uncropped, Frame::Cropped] {
        let mut case = Case { frame: Some(frame), paint: 100, ..Case::new(kinds[0], mode, shape, axes) };
        let map = case.map();
        for (i, &kind) in kinds.iter().enumerate() {
            case.kind = kind;
            case.fill = Some((0..kind.bytes(1)).map(|i| 0xf9 - i as u8).collect());
            match (&map, case.plan()) {
                (Err(refusal), Err(error)) => {
                    assert_eq!(error, case.error(*refusal), "{case}");
                }
                // If nothing is removed, both frames give the same plan, which does not run again.
                (Ok(_), Ok(plan)) if frame == Frame::Cropped && !removes => {
                    assert_eq!(plan, plans[i], "{case}: the frame makes a difference");
                }
                (Ok(map), Ok(plan)) => {
                    assert_eq!(plan.output_shape(), map.shape, "{case}");
                    let data = case.data();
                    runs += run(&case, &plan, &data, &case.output(map, &data));
                    plans.push(plan);
                }
                (map, plan) => panic!("{case}: the reference says {map:?}, the library {plan:?}"),
            }
        }
    }
    runs
}

/// Runs a plan on every kernel, over two kinds of initial bytes. Returns the number of runs.
fn run(case: &Case, plan: &PadPlan, data: &[u8], output: &[u8]) -> usize {
    // Packed types have kernels for the first instruction set only.
    let own = common::sets().filter(|&isa| plan.with_isa(isa).is_ok()).count();
    let is_packed = case.kind.bytes(4) < 4 && own == 1;
    assert!(own == common::sets().count() || is_packed || plan.is_empty(), "{case}");
    let (plans, junk) = (common::on_every_kernel(plan), Junk::twice(output));
    let run = |(i, (plan, junk)): (usize, (&PadPlan, &Junk<'_>))| {
        reach::ran(reach::Way::Contiguous, plan.kernel());
        let place = Place::ALL[(i + output.len()) % Place::ALL.len()];
        let ran = oracles::observe(place, junk, data, |src, dst| plan.run_bytes(src, dst));
        ran.unwrap_or_else(|what| panic!("{case}\n{what:#}\n  {plan:?}"));
    };
    iproduct!(&plans, &junk).enumerate().map(run).count()
}

/// Returns `count` of the kinds. The selection depends on `turn`.
fn kinds(count: usize, turn: usize) -> Vec<Kind> {
    (0..count).map(|k| KINDS[(turn + k * KINDS.len() / count) % KINDS.len()]).collect()
}

fn rank_1(mode: PadMode) {
    let (widths, least) = if cfg!(debug_assertions) { (3, 180_000) } else { (9, 600_000) };
    let requests = iproduct!(0..=6, 0..=3, -8..=14, -8..=14).map(|(length, interior, low, high)| {
        let kinds = kinds(widths, (low + high + 16) as usize);
        request(mode, &[length], &[AxisPad { low, high, interior }], &kinds)
    });
    assert!(requests.sum::<usize>() > least);
}

fn rank_2(mode: PadMode) {
    let lengths = [(0, 0), (1, 0), (2, 0), (2, 1), (3, 0), (3, 2)];
    let widths = [(0, 0), (1, 0), (0, 2), (4, 5), (-1, 3), (2, -2), (-1, -1), (-4, 5)];
    let axis = |((length, interior), (low, high))| (length, AxisPad { low, high, interior });
    let axes: Vec<_> = iproduct!(lengths, widths).map(axis).collect();
    // Each axis runs with all element sizes, but not each pair of axes.
    let requests =
        iproduct!(axes.iter().enumerate(), axes.iter().enumerate()).map(|((i, outer), (j, inner))| {
            request(mode, &[outer.0, inner.0], &[outer.1, inner.1], &kinds(3, i + j))
        });
    assert!(requests.sum::<usize>() > 10_000);
}

#[test]
fn rank_1_in_every_mode() {
    common::each(PadMode::ALL, rank_1);
}

#[test]
fn rank_2_in_every_mode() {
    common::each(PadMode::ALL, rank_2);
}
