//! Borders in place: against the reference, against padding, in arrays, and refused.

use ndarray::{Array2, Array3, ArrayD, Axis, IxDyn, ShapeBuilder, s};
use pad_kernels::interop::ndarray::{PadArrayError, PadExt};
use pad_kernels::{
    AxisPad, BorderPlan, PadError, PadMode, PadSpec, Plain, Strides, fill_borders, pad, tensor::Operand,
};
use spec_tests::borders::{self, Request};
use spec_tests::case::{Case, Kind, SIGNED};
use spec_tests::generators::Source;

/// Elements of every size, or with signs, in arrays that lie anyhow, on all sides and on some.
#[test]
fn drawn_requests() {
    let (mut ran, mut some, mut placed) = (0, 0, 0);
    let sizes = Kind::RAW_SIZES.iter().map(|&size| Kind::Raw(size));
    let kinds: Vec<Kind> = sizes.chain(SIGNED.map(Kind::Tagged)).collect();
    let cases = Source::check("borders", 2_500, |i, u| {
        let Some(request) = borders::request(kinds[i % kinds.len()], u)? else { return Ok(Ok(())) };
        ran += usize::from(borders::made(&request) > 0);
        some += usize::from(request.sides.iter().any(|&(low, high)| low != high));
        placed += usize::from(request.placed.is_some());
        Ok(borders::check(&request))
    });
    assert!([ran, some, placed].iter().all(|&count| count * 4 >= cases.len()), "{ran} {some} {placed}");
}

/// Every two modes, every small width and every choice of sides, in one axis and in two.
#[test]
fn small_scope() {
    let sides = [(true, true), (true, false), (false, true), (false, false)];
    let mut checked = 0;
    for length in 1..=4usize {
        for (low, high) in (0..=5).flat_map(|low| (0..=5).map(move |high| (low, high))) {
            for modes in PadMode::ALL.into_iter().flat_map(|low| PadMode::ALL.map(|high| (low, high))) {
                for sides in sides {
                    let case = |shape: Vec<usize>, axes: Vec<AxisPad>, modes: Vec<(PadMode, PadMode)>| Case {
                        fill: Some(vec![255]),
                        ..Case::new(Kind::Raw(1), modes, shape, axes)
                    };
                    let one = case(vec![length], vec![AxisPad::new(low, high)], vec![modes]);
                    let request = Request { case: one, sides: vec![sides], placed: None };
                    borders::check(&request).unwrap_or_else(|mismatch| panic!("{mismatch}"));
                    let axes = vec![AxisPad::new(1, 2), AxisPad::new(low, high)];
                    let two = case(vec![2, length], axes, vec![(modes.1, modes.0), modes]);
                    let request = Request { case: two, sides: vec![(true, sides.0), sides], placed: None };
                    borders::check(&request).unwrap_or_else(|mismatch| panic!("{mismatch}"));
                    checked += 2;
                }
            }
        }
    }
    assert!(checked > 25_000, "{checked}");
}

/// What is written is what padding writes.
#[test]
fn borders_of_what_was_padded_are_the_same() {
    let data: Vec<f32> = (0..60).map(|i| i as f32 - 7.5).collect();
    for mode in PadMode::ALL {
        let spec = PadSpec::new(mode, [(2, 1), (0, 3), (4, 4)]).with_fill(f32::NAN);
        let padded = pad(&data, &[3, 4, 5], &spec).expect("valid");
        let plan = BorderPlan::new::<f32>(&spec, &[3, 4, 5]).expect("valid");
        let mut array = padded.clone();
        for (at, value) in array.iter_mut().enumerate() {
            let (i, j, k) = (at / 91, at / 13 % 7, at % 13);
            if !((2..5).contains(&i) && j < 4 && (4..9).contains(&k)) {
                *value = -1.0;
            }
        }
        plan.run(&mut array).expect("as long");
        assert!(array.iter().map(|x| x.to_bits()).eq(padded.iter().map(|x| x.to_bits())), "{mode}");
    }
}

/// Arrays and views of every layout; what lies around a view is left alone.
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
    // A plan for the same shape, on some sides.
    let spec = PadSpec::new(modes.to_vec(), width);
    let plan = BorderPlan::new::<i32>(&spec, &[3, 4, 5]).expect("valid");
    let low = plan.with_sides([(true, false); 3]).expect("three axes");
    blank(fortran.view_mut());
    fortran.fill_borders_with_plan(&low).expect("valid");
    assert_eq!(fortran.slice(s![..4, ..4, ..7]), expected.slice(s![..4, ..4, ..7]));
    assert!(fortran.slice(s![1..4, 4.., 2..7]).iter().all(|&value| value == -1));
}

/// Of rows in which every second byte is an element, the others are not copied along.
#[test]
fn gaps_between_bytes_are_left_alone() {
    let mut array = Array2::from_shape_fn((4, 6), |(i, j)| (10 * i + j) as u8);
    let mut expected = array.clone();
    for (to, from) in [(0, 1), (3, 2)] {
        let row = array.slice(s![from, ..;2]).to_owned();
        expected.slice_mut(s![to, ..;2]).assign(&row);
    }
    array.slice_mut(s![.., ..;2]).fill_borders([(1, 1), (0, 0)], PadMode::Edge).expect("valid");
    assert_eq!(array, expected);
}

#[test]
fn arrays_of_other_shapes_are_refused() {
    let mut array = Array2::<u8>::zeros((3, 2));
    let narrow = PadArrayError::Narrow { axis: 1, length: 2, borders: 4 };
    assert_eq!(array.fill_borders([(0, 0), (1, 3)], PadMode::Constant), Err(narrow.clone()));
    assert_eq!(narrow.to_string(), "axis 1 has length 2, which leaves no room for borders of 4");
    let empty = array.fill_borders(1, PadMode::Edge);
    assert!(matches!(empty, Err(PadArrayError::Pad(PadError::EmptyWindow { axis: 1, .. }))), "{empty:?}");
    let plan = BorderPlan::new::<u8>(&PadSpec::new(PadMode::Edge, [(1, 1), (0, 0)]), &[2, 2]).expect("valid");
    let other = PadArrayError::OutputShape { expected: vec![4, 2], got: vec![3, 2] };
    assert_eq!(array.fill_borders_with_plan(&plan), Err(other));
    let mut words = Array2::<u16>::zeros((4, 2));
    let refused = words.fill_borders_with_plan(&plan);
    assert!(matches!(refused, Err(PadArrayError::Pad(PadError::ElementType { .. }))), "{refused:?}");
    // Nothing to write is nothing to refuse.
    ArrayD::<u8>::zeros(IxDyn(&[]))
        .fill_borders_with_plan(
            &BorderPlan::new::<u8>(&PadSpec::new(PadMode::Wrap, [(0, 0); 0]), &[]).expect("valid"),
        )
        .expect("no axes");
    Array2::<u8>::zeros((0, 5)).fill_borders([(0, 0), (1, 1)], PadMode::Wrap).expect("no elements");
}

/// Around an inside without elements there is nothing to go through, however far apart its positions were.
#[test]
fn borders_around_nothing_may_be_far_apart() {
    let plan = BorderPlan::new::<u8>(&PadSpec::constant([(2, 0), (1, 1)], 7u8), &[0, 2]).expect("valid");
    let apart = isize::MAX / 2 + 1;
    plan.with_strides(&Strides::new(0, [apart, 1])).expect("it would fit");
}

#[test]
fn what_is_no_border_is_refused() {
    let edge = |pads: [(i64, i64, u64); 2]| PadSpec::new(PadMode::Edge, pads);
    for (pads, axis) in
        [([(1, 1, 0), (-1, 1, 0)], 1), ([(0, -1, 0), (0, 0, 0)], 0), ([(0, 0, 0), (1, 1, 2)], 1)]
    {
        let refused = BorderPlan::new::<u8>(&edge(pads), &[3, 3]).expect_err("no border");
        assert_eq!(refused, PadError::BorderInside { axis, pad: pads[axis].into() });
        assert!(refused.to_string().contains(&format!("axis {axis}")), "{refused}");
    }
    let plan = BorderPlan::new::<u16>(&edge([(1, 1, 0), (0, 0, 0)]), &[3, 3]).expect("valid");
    let refused = plan.with_sides([(true, true)]).expect_err("two axes");
    assert_eq!(refused, PadError::SideCount { sides: 1, shape: 2 });
    assert_eq!(
        refused.to_string(),
        "sides of 1 axes are chosen of an array that has 2: give (low, high) for each, outermost first"
    );
    assert_eq!(
        plan.with_strides(&Strides::new(0, [3, 0])),
        Err(PadError::Overlap { axis: 1, stride: 0, length: 3 })
    );
    let mut short = [7u16; 14];
    let length = PadError::Length { operand: Operand::Output, expected: 15, got: 14 };
    assert_eq!(plan.run(&mut short), Err(length));
    assert!(matches!(plan.run(&mut [7u32; 15]), Err(PadError::ElementType { .. })));
    assert_eq!(short, [7; 14]);
    let modes = PadSpec::new([PadMode::Edge; 3], [(1, 1), (1, 1)]);
    assert_eq!(BorderPlan::new::<u8>(&modes, &[3, 3]), Err(PadError::ModeCount { modes: 3, shape: 2 }));
}

/// A type without a zero has borders of every mode that needs no fill, and constant ones of a fill that is given.
#[test]
fn a_fill_is_made_where_one_is_needed() {
    #[derive(Clone, Copy, Debug, PartialEq, bytemuck::NoUninit)]
    #[repr(u8)]
    enum Colour {
        Red = 1,
        Green = 2,
        Blue = 3,
    }
    use Colour::{Blue, Green, Red};
    let mut array = [Red, Green, Blue, Red].map(Plain);
    fill_borders(&mut array, &[2], &PadSpec::new(PadMode::Wrap, [(1, 1)])).expect("valid");
    assert_eq!(array, [Blue, Green, Blue, Green].map(Plain));
    let constant = PadSpec::new([(PadMode::Constant, PadMode::Edge)], [(1, 1)]);
    let refused = fill_borders(&mut array, &[2], &constant);
    assert_eq!(refused, Err(PadError::FillRequired { dtype: None }));
    fill_borders(&mut array, &[2], &constant.with_fill(Plain(Red))).expect("valid");
    assert_eq!(array, [Red, Green, Blue, Blue].map(Plain));
}

/// A halo is exchanged axis by axis: what a neighbour sent is there, and what goes along it is made of it.
#[test]
fn halos_of_a_grid_in_parts_are_those_of_the_whole() {
    let whole = Array2::from_shape_fn((8, 6), |(i, j)| (10 * i + j) as u32);
    let halo = |pads: [(i64, i64); 2]| PadSpec::new([PadMode::Edge, PadMode::Wrap], pads);
    let expected = whole.pad_with_spec(&halo([(2, 2), (1, 1)])).expect("valid");
    // Two ranks with four rows each. The first has a neighbour below, the second above.
    for (rows, sides) in [(0..4, (true, false)), (4..8, (false, true))] {
        let mut part = Array2::from_elem((8, 8), 999);
        part.slice_mut(s![2..6, 1..7]).assign(&whole.slice(s![rows.clone(), ..]));
        match sides {
            (true, _) => part.slice_mut(s![6..8, 1..7]).assign(&whole.slice(s![4..6, ..])),
            _ => part.slice_mut(s![0..2, 1..7]).assign(&whole.slice(s![2..4, ..])),
        }
        let plan = BorderPlan::new::<u32>(&halo([(2, 2), (1, 1)]), &[4, 6]).expect("valid");
        let plan = plan.with_sides([sides, (true, true)]).expect("two axes");
        part.fill_borders_with_plan(&plan).expect("valid");
        assert_eq!(part, expected.slice(s![rows.start..rows.end + 4, ..]), "{sides:?}");
    }
}
