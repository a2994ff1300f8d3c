//! All small requests run on all kernels and agree with the reference bit for bit.
//!
//! Rank 1 covers lengths 0 to 6, widths from -8 to 14 on both sides, and interior padding of 0 to 3. Rank 2 covers all pairs of a
//! smaller set of axes. Both run in all modes and frames, with elements of all sizes, on every available instruction set and on
//! the any-rank kernel. The reference is computed once for all element sizes, because they do not change where an element comes
//! from.
//!
//! Each kernel fills the output twice, over different initial bytes. Source and destination lie in turn at the end of their
//! pages, at the start of them, or at odd addresses. In debug builds each request of rank 1 runs with three of the element sizes
//! in turn. Every border still runs with every size.
#![cfg(not(miri))]

use itertools::iproduct;
use pad_kernels::{AxisPad, DType, Frame, PadMode, PadPlan, kernels::PadKernel};
use spec_tests::case::{Case, Kind};
use spec_tests::oracles::{Arena, Junk, Place};
use spec_tests::{convert, reach};

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

/// Runs requests in reused memory, and counts the requests and their runs.
struct Run {
    arena: Arena,
    requests: usize,
    refused: usize,
    runs: usize,
}

impl Run {
    /// Runs one request in both frames.
    fn request(&mut self, mode: PadMode, shape: &[usize], axes: &[AxisPad], kinds: &[Kind]) {
        let removes = axes.iter().any(|pad| pad.low < 0 || pad.high < 0);
        let mut plans = Vec::new();
        for frame in [Frame::Uncropped, Frame::Cropped] {
            self.requests += 1;
            let mut case = Case { frame: Some(frame), paint: 100, ..Case::new(kinds[0], mode, shape, axes) };
            let map = case.map();
            for (i, &kind) in kinds.iter().enumerate() {
                case.kind = kind;
                case.fill = Some((0..kind.bytes(1)).map(|i| 0xf9 - i as u8).collect());
                match (&map, case.plan()) {
                    (Err(refusal), Err(error)) => {
                        assert_eq!(convert::refusal(&error), Some(*refusal), "{case}");
                        self.refused += 1;
                    }
                    // If nothing is removed, both frames give one plan, which does not run again.
                    (Ok(_), Ok(plan)) if frame == Frame::Cropped && !removes => {
                        assert_eq!(plan, plans[i], "{case}: the frame makes a difference");
                    }
                    (Ok(map), Ok(plan)) => {
                        assert_eq!(plan.output_shape(), map.shape, "{case}");
                        let data = case.data();
                        self.run(&case, &plan, &data, &case.output(map, &data));
                        plans.push(plan);
                    }
                    (map, plan) => panic!("{case}: the reference says {map:?}, the library {plan:?}"),
                }
            }
        }
    }

    fn run(&mut self, case: &Case, plan: &PadPlan, data: &[u8], output: &[u8]) {
        // Packed types have kernels for the first instruction set only.
        let own = common::sets().filter(|&isa| plan.with_isa(isa).is_ok()).count();
        assert!(
            own == common::sets().count() || case.kind.bytes(4) < 4 && own == 1 || plan.is_empty(),
            "{case}"
        );
        for (plan, junk) in iproduct!(&common::on_every_kernel(plan), &Junk::twice(output)) {
            self.runs += 1;
            reach::ran(reach::Way::Contiguous, plan.kernel());
            let place = Place::ALL[self.runs % Place::ALL.len()];
            let run = |src: &[u8], dst: &mut [u8]| plan.run_bytes(src, dst);
            if let Err(what) = self.arena.observe(place, junk, data, run) {
                let kernel = plan.kernel().map_or("any-rank kernel", PadKernel::name);
                panic!("{case}\n{kernel}: {what}\n  {plan:?}\n\n{case:?}");
            }
        }
    }
}

/// Returns `count` element sizes, which change with every turn.
fn kinds(count: usize, turn: usize) -> Vec<Kind> {
    (0..count).map(|k| KINDS[(turn + k * KINDS.len() / count) % KINDS.len()]).collect()
}

/// Runs all requests of one mode, and checks the number of requests and the least number of runs.
fn all(mode: PadMode, requests: usize, runs: usize, each: impl FnOnce(&mut Run)) {
    let mut run = Run { arena: Arena::new(), requests: 0, refused: 0, runs: 0 };
    each(&mut run);
    println!("{mode}: {} requests, {} refused by width, {} runs", run.requests, run.refused, run.runs);
    assert_eq!(run.requests, requests);
    assert!(run.runs > runs);
}

fn rank_1(mode: PadMode) {
    let (widths, runs) = if cfg!(debug_assertions) { (3, 180_000) } else { (9, 600_000) };
    all(mode, 7 * 4 * 23 * 23 * 2, runs, |run| {
        for (length, interior, low, high) in iproduct!(0..=6, 0..=3, -8..=14, -8..=14) {
            let kinds = kinds(widths, (low + high + 16) as usize);
            run.request(mode, &[length], &[AxisPad { low, high, interior }], &kinds);
        }
    });
}

fn rank_2(mode: PadMode) {
    let lengths = [(0, 0), (1, 0), (2, 0), (2, 1), (3, 0), (3, 2)];
    let widths = [(0, 0), (1, 0), (0, 2), (4, 5), (-1, 3), (2, -2), (-1, -1), (-4, 5)];
    let axis = |((length, interior), (low, high))| (length, AxisPad { low, high, interior });
    let axes: Vec<_> = iproduct!(lengths, widths).map(axis).collect();
    all(mode, axes.len() * axes.len() * 2, 10_000, |run| {
        for ((i, outer), (j, inner)) in iproduct!(axes.iter().enumerate(), axes.iter().enumerate()) {
            // Each axis runs with all element sizes, but not each pair of axes.
            run.request(mode, &[outer.0, inner.0], &[outer.1, inner.1], &kinds(3, i + j));
        }
    });
}

#[test]
fn rank_1_in_every_mode() {
    common::in_every_mode(rank_1);
}

#[test]
fn rank_2_in_every_mode() {
    common::in_every_mode(rank_2);
}
