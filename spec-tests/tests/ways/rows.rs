//! Tests of short and long rows, through every call and on every kernel.

use itertools::iproduct;
use pad_kernels::{AxisPad, DType, PadMode};
use spec_tests::case::{Case, Kind};
use spec_tests::oracles;

fn check(case: &Case) {
    oracles::check(case).unwrap_or_else(|mismatch| panic!("{mismatch}"));
}

/// Short rows with little fill between them are right, for source rows of any length and in memory that ends with a row.
#[test]
fn outputs_end_with_a_short_row() {
    for (row, fill, cut, count) in iproduct!(1..=70, [1, 7, 19], [0, 50], [9]) {
        let axes = [AxisPad::default(), AxisPad::new(fill, -cut)];
        check(&Case::new(Kind::Tagged(DType::U8), PadMode::Constant, [count, row + cut as usize], axes));
    }
}

/// Calls that plan and run at once give the output of a plan, for long and short rows, all modes, and zero and other fills.
#[test]
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
