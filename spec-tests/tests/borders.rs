//! Tests of borders in place: against the reference, against padding, in arrays, and with requests that must be refused.

use itertools::iproduct;
use ndarray::{Array3, Axis, ShapeBuilder, s};
use pad_kernels::interop::ndarray::PadExt;
use pad_kernels::{AxisPad, BorderPlan, PadMode, PadSpec};
use spec_tests::borders::{self, Request};
use spec_tests::case::{Case, Kind, SIGNED};
use spec_tests::generators::Source;

/// Random borders agree with the reference: elements of every size and with signs, in any memory layout, on all or some sides.
#[test]
fn drawn_requests() {
    let kinds: Vec<Kind> = Kind::untagged().chain(SIGNED.map(Kind::Tagged)).collect();
    Source::check("borders", 2_500, |i, u| {
        let request = borders::request(kinds[i % kinds.len()], u)?;
        request.as_ref().map_or(Ok(()), borders::check)
    });
}

/// All pairs of modes, small widths and choices of sides agree with the reference, in one axis and in two.
#[test]
fn small_scope() {
    let sides = [(true, true), (true, false), (false, true), (false, false)];
    let mut checked = 0;
    for (length, low, high, before, behind, sides) in
        iproduct!(1..=4, 0..=5, 0..=5, PadMode::ALL, PadMode::ALL, sides)
    {
        let modes = (before, behind);
        let axis = AxisPad::new(low, high);
        let one = Case::new(Kind::Raw(1), vec![modes], [length], [axis]);
        let axes = [AxisPad::new(1, 2), axis];
        let two = Case::new(Kind::Raw(1), vec![(behind, before), modes], [2, length], axes);
        for (case, sides) in [(one, vec![sides]), (two, vec![(true, sides.0), sides])] {
            let case = Case { fill: Some(vec![255]), ..case };
            borders::check(&Request { case, sides, placed: None })
                .unwrap_or_else(|mismatch| panic!("{mismatch:#}"));
            checked += 1;
        }
    }
    assert!(checked > 25_000, "{checked}");
}

/// Borders are right in arrays and views of every layout, and elements outside of a view stay as they are.
#[test]
fn arrays_of_any_layout() {
    let inside = Array3::from_shape_fn((3, 4, 5), |(i, j, k)| (100 * i + 10 * j + k) as i32);
    let modes = [
        (PadMode::Wrap, PadMode::Edge),
        (PadMode::Reflect, PadMode::Reflect),
        (PadMode::Constant, PadMode::Symmetric),
    ];
    let width = [(1, 2), (0, 1), (2, 2)];
    let expected = inside.pad(width, modes).expect("valid");
    let blank = |mut array: ndarray::ArrayViewMut3<'_, i32>| {
        array.fill(-1);
        array.slice_mut(s![1..4, 0..4, 2..7]).assign(&inside);
    };
    let dim = expected.raw_dim();
    let mut rows = Array3::zeros(dim);
    let mut fortran = Array3::zeros(dim.f());
    let mut large = Array3::from_elem((14, 12, 30), -7);
    for array in [&mut rows, &mut fortran] {
        blank(array.view_mut());
        array.fill_borders(width, modes).expect("valid");
        assert_eq!(array, &expected);
    }
    for backwards in 0..3 {
        let mut view = large.slice_mut(s![1..13;2, 3..8, 2..20;2]);
        view.invert_axis(Axis(backwards));
        blank(view.view_mut());
        view.fill_borders(width, modes).expect("valid");
        assert_eq!(view, expected);
        view.fill(-7);
        assert!(large.iter().all(|&value| value == -7));
    }
    // A plan for the same shape can write only some sides.
    let spec = PadSpec::new(modes.to_vec(), width);
    let plan = BorderPlan::new::<i32>(&spec, &[3, 4, 5]).expect("valid");
    let low = plan.with_sides([(true, false); 3]).expect("three axes");
    blank(fortran.view_mut());
    fortran.fill_borders_with_plan(&low).expect("valid");
    assert_eq!(fortran.slice(s![..4, ..4, ..7]), expected.slice(s![..4, ..4, ..7]));
    assert!(fortran.slice(s![1..4, 4.., 2..7]).iter().all(|&value| value == -1));
}
