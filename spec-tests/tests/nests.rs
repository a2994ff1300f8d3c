//! Runs shapes for which the loops have special paths. The memory ends with the data. Miri runs half of the tests on few shapes.

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

fn check(case: &Case) {
    oracles::check(case).unwrap_or_else(|mismatch| panic!("{mismatch}"));
}

fn run_in<const N: usize>(frame: Frame, dtype: DType, mode: PadMode, shape: [usize; N], axes: [AxisPad; N]) {
    // The bytes of the fill differ.
    let fill = Some((0x71..).take(Kind::Tagged(dtype).bytes(1)).collect());
    check(&Case { frame: Some(frame), fill, ..Case::new(Kind::Tagged(dtype), mode, shape, axes) });
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
        run_in(Frame::Cropped, dtype, *mode, [4, row / bytes], [axis(3, 3, 0), axis(low, high, 0)]);
    }
}

/// Rows that begin with much fill are right, in the whole output and in regions. One region ends before the source does.
#[test]
fn rows_that_begin_with_fill() {
    let (rows, of_box) = if cfg!(miri) { (5, 3) } else { (60, 40) };
    for low in if cfg!(miri) { 65..=65 } else { 60..=76 } {
        let axes = [axis(0, 0, 0), axis(low, 0, 1)];
        let case = Case::new(Kind::Tagged(DType::F32), PadMode::Constant, [rows, 2], axes);
        check(&case);
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
        run_in(Frame::Cropped, dtype, PadMode::Constant, [rows, 3], axes);
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
        run_in(Frame::Cropped, dtype, mode, [5, rows, columns], axes);
    }
}

/// Borders with widths at the limits of `i64` are right if the output is short.
#[test]
#[cfg_attr(miri, ignore = "many cases")]
fn borders_from_far_away() {
    const FAR: [(i64, i64); 4] =
        [(i64::MIN, i64::MAX), (i64::MAX, i64::MIN), (i64::MIN + 1, i64::MAX), (i64::MAX, -i64::MAX)];
    for (mode, (low, high), (length, interior)) in iproduct!(PadMode::ALL, FAR, [(2, 0), (5, 0), (7, 1)]) {
        run_in(Frame::Uncropped, DType::U8, mode, [length], [axis(low, high, interior)]);
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
    common::each(PadMode::ALL, boxes_of_short_axes);
}

/// Short rows with little fill between them are right, for source rows of any length and in memory that ends with a row.
#[test]
#[cfg_attr(miri, ignore = "many cases")]
fn outputs_end_with_a_short_row() {
    for (row, fill, cut, count) in iproduct!(1..=70, [1, 7, 19], [0, 50], [9]) {
        let axes = [AxisPad::default(), AxisPad::new(fill, -cut)];
        check(&Case::new(Kind::Tagged(DType::U8), PadMode::Constant, [count, row + cut as usize], axes));
    }
}

/// Calls that plan and run at once give the output of a plan, for long and short rows, all modes, and zero and other fills.
#[test]
#[cfg_attr(miri, ignore = "many cases")]
fn rows_of_any_length_at_once() {
    let rows = [(100, DType::U8, 1), (511, DType::U8, 1), (128, DType::F32, 4), (600, DType::C128, 16)];
    let requests = [
        [AxisPad::new(1, 2), AxisPad::default(), AxisPad::new(0, 3)],
        [AxisPad::default(), AxisPad::new(3, 0), AxisPad::default()],
        [AxisPad::new(-1, 1), AxisPad::new(2, 2).with_interior(1), AxisPad::new(5, 0)],
        [AxisPad::new(2, -1), AxisPad::new(-1, 4), AxisPad::new(-2, 7)],
    ];
    for ((i, (outer, inner)), (j, (row, dtype, size)), axes) in
        iproduct!(iproduct!(PadMode::ALL, PadMode::ALL).enumerate(), rows.into_iter().enumerate(), requests)
    {
        let fill = ((i + j) % 2 == 0).then(|| (1..=size).collect());
        let modes = [outer, inner, inner];
        check(&Case { fill, ..Case::new(Kind::Tagged(dtype), modes, [3, 4, row], axes) });
    }
}
