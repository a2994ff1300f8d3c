//! All requests of one short axis with gaps, whole and in every box that goes to an end of it.
#![cfg(not(miri))]

use pad_kernels::{AxisPad, DType, Frame, PadMode};
use spec_tests::case::{Case, Kind};
use spec_tests::oracles;

/// What is added to an end: the last is three periods of some axes.
fn sides() -> impl Iterator<Item = i64> {
    (-4..=9).chain([17])
}

fn all(mode: PadMode) {
    let mut runs = 0;
    for (length, interior) in (1..=3).flat_map(|length| [1, 2, 3].map(|interior| (length, interior))) {
        for (low, high) in sides().flat_map(|low| sides().map(move |high| (low, high))) {
            let removes = low < 0 || high < 0;
            let frames = [Frame::Uncropped, Frame::Cropped];
            for frame in frames.into_iter().filter(|frame| removes || *frame == Frame::Cropped) {
                let case = Case {
                    frame: Some(frame),
                    fill: Some(vec![0xf9]),
                    ..Case::new(Kind::Tagged(DType::U8), mode, [length], [AxisPad { low, high, interior }])
                };
                let Ok(map) = case.map() else { continue };
                let plan = case.plan().expect("the reference has one");
                let data = case.data();
                let output = case.output(&map, &data);
                let out = output.len();
                for range in (0..out).map(|at| at..out).chain((1..out).map(|at| 0..at)) {
                    let right = &output[range.clone()];
                    let mut got = vec![0xee; range.len()];
                    let part = plan.window(std::slice::from_ref(&range)).expect("a box");
                    part.run_bytes(&data, &mut got).expect("lengths are right");
                    assert!(got == right, "{case}, {range:?}: {got:02x?}, not {right:02x?}");
                    runs += 1;
                }
            }
        }
    }
    assert!(runs > 30_000, "{runs}");
}

/// Borders whose ends are as far away as a number can say, of which little is left.
#[test]
fn borders_from_far_away() {
    for mode in PadMode::ALL {
        for (low, high) in
            [(i64::MIN, i64::MAX), (i64::MAX, i64::MIN), (i64::MIN + 1, i64::MAX), (i64::MAX, -i64::MAX)]
        {
            for (length, interior) in [(2, 0), (5, 0), (7, 1)] {
                let case = Case {
                    frame: Some(Frame::Uncropped),
                    fill: Some(vec![0xf9]),
                    ..Case::new(Kind::Tagged(DType::U8), mode, [length], [AxisPad { low, high, interior }])
                };
                oracles::check(&case).unwrap_or_else(|mismatch| panic!("{mismatch}"));
            }
        }
    }
}

macro_rules! modes {
    ($($name:ident $mode:ident;)*) => {
        $(#[test] fn $name() { all(PadMode::$mode); })*
    };
}
modes! {
    constant_axes Constant;
    edge_axes Edge;
    reflect_axes Reflect;
    symmetric_axes Symmetric;
    wrap_axes Wrap;
}
