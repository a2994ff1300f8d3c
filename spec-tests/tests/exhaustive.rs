//! All small requests on all kernels, against the reference bit for bit.
//!
//! Rank 1: lengths 0 to 6, both sides from -8 to 14, interior 0 to 3. Rank 2: all pairs of a smaller set. Both in all
//! modes and frames, with elements of all widths, on every instruction set that the machine has and on the any-rank
//! kernel. The reference is asked once for all widths: where elements come from does not depend on them.
//!
//! Each kernel fills the output twice, over different junk. The places of source and destination (at the end or the
//! start of their pages, or at odd addresses) take turns. Without optimisation each request of rank 1 runs with three of the widths, by turns;
//! every border runs with every width all the same.
#![cfg(not(miri))]

use pad_kernels::{
    AxisPad, DType, Frame, PadError, PadMode, PadPlan,
    kernels::{Isa, PadKernel},
};
use spec_tests::case::{Case, Kind};
use spec_tests::oracles::{Arena, Junk, Place};
use spec_tests::{convert, reach};

/// One kind a width: 1, 2, 4, 8 and 16 bytes, other numbers of bytes, 2 and 4 bits.
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

/// What is run, and how much of it was.
struct Run {
    case: Case,
    arena: Arena,
    turn: usize,
    requests: usize,
    refused: usize,
    runs: usize,
}

impl Run {
    fn new(mode: PadMode) -> Run {
        let case = Case { paint: 100, ..Case::new(KINDS[0], mode, [], []) };
        Run { case, arena: Arena::new(), turn: 0, requests: 0, refused: 0, runs: 0 }
    }

    /// Runs `shape` with `axes`, in both frames.
    fn request(&mut self, shape: &[usize], axes: &[AxisPad], kinds: &[Kind]) {
        let removes = axes.iter().any(|pad| pad.low < 0 || pad.high < 0);
        let mut plans = Vec::new();
        for frame in [Frame::Uncropped, Frame::Cropped] {
            self.case.shape = shape.to_vec();
            self.case.axes = axes.to_vec();
            self.case.frame = Some(frame);
            self.case.kind = kinds[0];
            let case = &mut self.case;
            // Without anything removed the frames are one, which is not run again.
            let again = frame == Frame::Cropped && !removes;
            self.requests += 1;
            let map = case.map();
            for (i, &kind) in kinds.iter().enumerate() {
                case.kind = kind;
                case.fill = Some((0..kind.bytes(1)).map(|i| 0xf9 - i as u8).collect());
                let plan = case.plan();
                let (map, plan) = match (&map, plan) {
                    (Ok(map), Ok(plan)) => (map, plan),
                    (Err(refusal), Err(error)) => {
                        assert_eq!(convert::refusal(&error), Some(*refusal), "{case}");
                        self.refused += 1;
                        continue;
                    }
                    (map, plan) => panic!("{case}: the reference says {map:?}, the library {plan:?}"),
                };
                assert_eq!(plan.output_shape(), map.shape, "{case}");
                if again {
                    assert_eq!(
                        plan, plans[i],
                        "{case}: nothing is removed, so the frame makes no difference"
                    );
                    continue;
                }
                plans.push(plan.clone());
                let data = case.data();
                let output = case.output(map, &data);
                let junk = Junk::twice(&output);
                let mut run = |plan: &PadPlan| {
                    for junk in &junk {
                        self.turn += 1;
                        self.runs += 1;
                        reach::ran(reach::Way::Contiguous, plan.kernel());
                        let place = Place::ALL[self.turn % Place::ALL.len()];
                        let run = |src: &[u8], dst: &mut [u8]| plan.run_bytes(src, dst);
                        if let Err(what) = self.arena.observe(place, junk, &data, run) {
                            let kernel = plan.kernel().map_or("any-rank kernel", PadKernel::name);
                            panic!("{case}\n{kernel}: {what}\n  {plan:?}\n\n{case:?}");
                        }
                    }
                };
                for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
                    match plan.with_isa(isa) {
                        Ok(plan) => run(&plan),
                        // Packed types have kernels for the first only.
                        Err(PadError::IsaUnavailable { .. }) if isa != Isa::Portable || plan.is_empty() => {}
                        Err(error) => panic!("{case}: {error}"),
                    }
                }
                run(&plan.with_generic_kernel());
            }
        }
    }
}

/// So many widths, others in every turn.
fn kinds(count: usize, turn: usize) -> Vec<Kind> {
    (0..count).map(|k| KINDS[(turn + k * KINDS.len() / count) % KINDS.len()]).collect()
}

fn rank_1(mode: PadMode) {
    let mut run = Run::new(mode);
    for length in 0..=6 {
        for interior in 0..=3 {
            for low in -8..=14 {
                for high in -8..=14 {
                    let kinds = kinds(if cfg!(debug_assertions) { 3 } else { 9 }, (low + high + 16) as usize);
                    run.request(&[length], &[AxisPad { low, high, interior }], &kinds);
                }
            }
        }
    }
    println!("{mode}: {} requests, {} refused by width, {} runs", run.requests, run.refused, run.runs);
    assert_eq!(run.requests, 7 * 4 * 23 * 23 * 2);
    assert!(run.runs > if cfg!(debug_assertions) { 180_000 } else { 600_000 });
}

fn rank_2(mode: PadMode) {
    let mut axes = Vec::new();
    for (length, interior) in [(0, 0), (1, 0), (2, 0), (2, 1), (3, 0), (3, 2)] {
        for (low, high) in [(0, 0), (1, 0), (0, 2), (4, 5), (-1, 3), (2, -2), (-1, -1), (-4, 5)] {
            axes.push((length, AxisPad { low, high, interior }));
        }
    }
    let mut run = Run::new(mode);
    for (i, outer) in axes.iter().enumerate() {
        for (j, inner) in axes.iter().enumerate() {
            // All widths come with each axis, if not with each pair.
            run.request(&[outer.0, inner.0], &[outer.1, inner.1], &kinds(3, i + j));
        }
    }
    println!("{mode}: {} requests, {} refused by width, {} runs", run.requests, run.refused, run.runs);
    assert_eq!(run.requests, axes.len() * axes.len() * 2);
    assert!(run.runs > 10_000);
}

macro_rules! modes {
    ($($mode:ident: $rank_1:ident $rank_2:ident;)*) => {$(
        #[test]
        fn $rank_1() {
            rank_1(PadMode::$mode);
        }

        #[test]
        fn $rank_2() {
            rank_2(PadMode::$mode);
        }
    )*};
}
modes! {
    Constant: rank_1_constant rank_2_constant;
    Edge: rank_1_edge rank_2_edge;
    Reflect: rank_1_reflect rank_2_reflect;
    Symmetric: rank_1_symmetric rank_2_symmetric;
    Wrap: rank_1_wrap rank_2_wrap;
}
