//! Shapes that take special paths in the loops, in memory that ends with the data, and small enough for Miri.

use itertools::iproduct;
use pad_kernels::{AxisPad, DType, Frame, PadMode};
use spec_tests::case::{Case, Kind};
use spec_tests::oracles;
use spec_tests::views;

mod common;

/// Returns `all`, or `few` under Miri.
fn least<T>(all: &'static [T], few: &'static [T]) -> &'static [T] {
    if cfg!(miri) { few } else { all }
}

fn axis(low: i64, high: i64, interior: u64) -> AxisPad {
    AxisPad { low, high, interior }
}

fn check<const N: usize>(dtype: DType, mode: PadMode, shape: [usize; N], axes: [AxisPad; N], frame: Frame) {
    let fill = Some(vec![0xf9; Kind::Tagged(dtype).bytes(1)]);
    let case = Case { frame: Some(frame), fill, ..Case::new(Kind::Tagged(dtype), mode, shape, axes) };
    oracles::check(&case).unwrap_or_else(|mismatch| panic!("{mismatch}"));
}

/// Rows with a border on each side are right for short and long borders and rows.
#[test]
fn rows_with_borders() {
    let units = [(DType::U8, 1), (DType::F16, 2), (DType::F32, 4), (DType::C64, 8), (DType::C128, 16)];
    let sides = least(&[0, 1, 7, 18], &[0, 3]);
    for (&(dtype, bytes), &row, mode, &low, &high) in iproduct!(
        if cfg!(miri) { &units[3..4] } else { &units[..] },
        least(&[64, 250, 300, 1100], &[64]),
        &PadMode::ALL[1..],
        sides,
        sides
    ) {
        check(dtype, *mode, [4, row / bytes], [axis(3, 3, 0), axis(low, high, 0)], Frame::Cropped);
    }
}

/// Rows that are mostly fill at their beginning are right, whole and in a region of the output that ends before the source does.
#[test]
fn rows_that_begin_with_fill() {
    let (rows, of_box) = if cfg!(miri) { (5, 3) } else { (60, 40) };
    for low in if cfg!(miri) { 65..=65 } else { 60..=76 } {
        let axes = [axis(0, 0, 0), axis(low, 0, 1)];
        let case = Case::new(Kind::Tagged(DType::F32), PadMode::Constant, [rows, 2], axes);
        oracles::check(&case).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        for rows in [0..of_box, of_box..rows] {
            let window = [rows, 0..low as usize + 3];
            views::check_window(&case, &window).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        }
    }
}

/// Rows of a few elements with long fill around them are right if the source continues after the last row.
#[test]
fn short_rows_of_a_longer_source() {
    let (rows, cropped) = if cfg!(miri) { (8, -3) } else { (70, -40) };
    let pads = least(&[(7, 40), (0, 70), (40, 64), (300, 33)], &[(7, 40)]);
    for (&dtype, &(low, high)) in iproduct!(least(&[DType::U16, DType::F32], &[DType::U16]), pads) {
        let axes = [axis(0, cropped, 0), axis(low, high, 0)];
        check(dtype, PadMode::Constant, [rows, 3], axes, Frame::Cropped);
    }
}

/// Planes with interior padding between rows, between elements, or both are right, with and without a border.
#[test]
fn planes_of_rows_apart() {
    const CONSTANT: (DType, PadMode) = (DType::F32, PadMode::Constant);
    for (&(dtype, mode), &[rows, columns], &(low, high), &[of_rows, of_columns]) in iproduct!(
        least(&[CONSTANT, (DType::F64, PadMode::Constant), (DType::I32, PadMode::Reflect)], &[CONSTANT]),
        least(&[[6, 7], [24, 5], [40, 2]], &[[6, 7]]),
        least(&[(0, 0), (1, 3), (33, 0), (3, 17)], &[(1, 3)]),
        least(&[[1, 1], [2, 0], [0, 3]], &[[1, 1]])
    ) {
        let axes = [axis(0, 0, 0), axis(low.min(3), high.min(3), of_rows), axis(low, high, of_columns)];
        check(dtype, mode, [5, rows, columns], axes, Frame::Cropped);
    }
}

/// Borders with widths at the limits of `i64` are right if little of them is left.
#[test]
#[cfg_attr(miri, ignore = "many cases")]
fn borders_from_far_away() {
    const FAR: [(i64, i64); 4] =
        [(i64::MIN, i64::MAX), (i64::MAX, i64::MIN), (i64::MIN + 1, i64::MAX), (i64::MAX, -i64::MAX)];
    for (mode, (low, high), (length, interior)) in iproduct!(PadMode::ALL, FAR, [(2, 0), (5, 0), (7, 1)]) {
        check(DType::U8, mode, [length], [axis(low, high, interior)], Frame::Uncropped);
    }
}

/// Checks all requests of one short axis with interior padding, for every region of the output that reaches one of its ends. The
/// longest border is three periods of some axes.
fn boxes_of_short_axes(mode: PadMode) {
    let (mut runs, sides) = (0, (-4..=9).chain([17]));
    for (length, interior, low, high, frame) in
        iproduct!(1..=3, 1..=3, sides.clone(), sides, [Frame::Uncropped, Frame::Cropped])
    {
        if frame == Frame::Uncropped && low >= 0 && high >= 0 {
            continue;
        }
        let case = Case {
            frame: Some(frame),
            fill: Some(vec![0xf9]),
            ..Case::new(Kind::Tagged(DType::U8), mode, [length], [axis(low, high, interior)])
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
    assert!(runs > 30_000, "{runs}");
}

#[test]
#[cfg_attr(miri, ignore = "many cases")]
fn boxes_of_short_axes_in_every_mode() {
    common::in_every_mode(boxes_of_short_axes);
}
