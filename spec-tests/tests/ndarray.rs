//! Arrays and views of ndarray in every layout give the recorded results of `numpy.pad` bit for bit.

use ndarray::{Array2, ArrayD, ArrayViewD, ArrayViewMutD, Axis, IxDyn, ShapeBuilder, Slice, s};
use pad_kernels::dialect::{Dialect, numpy};
use pad_kernels::interop::ndarray::{PadArrayError, PadExt, PadWidth};
use pad_kernels::{
    DType, Element, PadError, PadMode, PadPlan, PadSpec, Strides, computed::ComputedSpec, kernels::Streaming,
};
use spec_tests::conform::numpy_width;
use spec_tests::rules::Type;
use spec_tests::vectors::{Case, Elements, Expect};

mod common;

fn mode(case: &Case) -> Option<PadMode> {
    PadMode::ALL.into_iter().find(|mode| mode.name() == case.mode)
}

/// Narrows the view to `shape` elements, with the given step on each axis.
fn cut<T>(view: &mut ArrayViewMutD<'_, T>, shape: &[usize], step: isize) {
    for (axis, &length) in shape.iter().enumerate() {
        let end = 1 + (length * step.unsigned_abs()) as isize;
        view.slice_axis_inplace(Axis(axis), Slice::new(1, Some(end), step));
    }
}

/// Calls `check` with the given elements in every layout of an array.
fn layouts<T: Clone>(data: &[T], shape: &[usize], check: &mut dyn FnMut(&str, ArrayViewD<T>)) {
    let c = ArrayD::from_shape_vec(IxDyn(shape), data.to_vec()).expect("a shape");
    // Each layout has an order of the axes in memory, and axes that are stored backwards.
    let rank = shape.len();
    let order = |first: usize| (first..rank).chain(0..first).collect::<Vec<usize>>();
    let (forwards, backwards) = (order(0), (0..rank).rev().collect());
    for (name, order, reversed) in [
        ("row-major", &forwards, 0..0),
        ("Fortran", &backwards, 0..0),
        ("reversed Fortran", &backwards, 0..rank),
        ("one axis reversed", &forwards, rank.saturating_sub(1)..rank),
        ("permuted", &order(rank.min(1)), 0..0),
    ] {
        let mut view = c.view();
        reversed.clone().for_each(|axis| view.invert_axis(Axis(axis)));
        let stored = view.permuted_axes(IxDyn(order)).as_standard_layout().into_owned();
        let mut back = vec![0; rank];
        order.iter().enumerate().for_each(|(to, &from)| back[from] = to);
        let mut view = stored.view().permuted_axes(IxDyn(&back));
        reversed.for_each(|axis| view.invert_axis(Axis(axis)));
        check(name, view);
    }
    for (name, step) in [("strided", 2isize), ("sliced", 1), ("strided backwards", -2)] {
        let Some(junk) = data.last() else { continue };
        let room: Vec<usize> = shape.iter().map(|&length| length * step.unsigned_abs() + 3).collect();
        let mut large = ArrayD::from_elem(IxDyn(&room), junk.clone());
        let mut hole = large.view_mut();
        cut(&mut hole, shape, step);
        hole.assign(&c);
        check(name, hole.view());
    }
}

/// Returns the recorded result for elements of one type.
fn wanted<T>(case: &Case, elements: impl Fn(Elements) -> Vec<T>) -> Option<ArrayD<T>> {
    let Expect::Tensor { shape, data } = &case.expect else { return None };
    let data = elements(Elements::from_json(data, case.dtype).expect("data"));
    Some(ArrayD::from_shape_vec(IxDyn(shape), data).expect("a shape"))
}

/// Returns the widths of each axis, broadcast as numpy does.
fn pads(case: &Case, width: &PadWidth) -> Vec<(i64, i64)> {
    let spec = numpy::Pad::new(width.clone()).spec(&case.shape, DType::U8).expect("widths");
    spec.axes().iter().map(|pad| (pad.low, pad.high)).collect()
}

fn check<const N: usize>(case: &Case)
where
    [u8; N]: Element,
{
    let units = |elements: Elements| match elements {
        Elements::Bytes(bytes) => bytes.as_chunks::<N>().0.to_vec(),
        Elements::Text(_) => unreachable!("text is checked as such"),
    };
    let data = units(case.input().expect("data"));
    let unit = |value| units(Elements::from_json([value], case.dtype).expect("a value"))[0];
    let value = case.value.as_ref().map(unit);
    let wanted = wanted(case, units);
    let (Some(mode), Some(width)) = (mode(case), numpy_width(case).ok()) else {
        return assert!(wanted.is_none(), "{}", case.id);
    };
    // The trait cannot express a fill value in another mode than constant, or a one-byte type without a zero.
    if value.is_some() && mode != PadMode::Constant || value.is_none() && case.dtype == Type::Float8e8m0 {
        return;
    }
    layouts(&data, &case.shape, &mut |layout, view| {
        let what = format!("{} {layout}", case.id);
        let got = match value {
            Some(value) => view.pad_constant(width.clone(), value),
            None => view.pad(width.clone(), mode),
        };
        assert_eq!(got.as_ref().ok(), wanted.as_ref(), "{what}");
        let (Ok(got), Some(wanted)) = (got, &wanted) else { return };
        // numpy counts an array as Fortran-ordered only if it is not row-major too.
        let fortran = !view.is_standard_layout() && view.t().is_standard_layout();
        assert!(if fortran { got.t().is_standard_layout() } else { got.is_standard_layout() }, "{what}");
        // A plan gives the same array, also into outputs of every layout. Elements around such an output stay as they are.
        let spec = PadSpec::new(mode, pads(case, &width));
        let spec = match value {
            Some(value) => spec.with_fill(value),
            None => spec,
        };
        let plan = PadPlan::new::<[u8; N]>(&spec, view.shape()).expect("a valid request");
        let plan = plan.with_streaming(Streaming::Always);
        assert_eq!(view.pad_with_plan(&plan).as_ref(), Ok(wanted), "{what}");
        assert_eq!(view.par_pad_with_plan(&plan).as_ref(), Ok(wanted), "{what}");
        type Into<'a, T> = &'a dyn Fn(&mut ArrayViewMutD<'_, T>) -> Result<(), PadArrayError>;
        let ways: [Into<'_, _>; 4] = [
            &|output| view.pad_with_spec_into(&spec, output),
            &|output| view.pad_with_plan_into(&plan, output),
            &|output| view.par_pad_with_plan_into(&plan, output),
            &|output| view.pad_into(width.clone(), mode, output),
        ];
        const JUNK: u8 = 0x5a;
        let room: Vec<usize> = wanted.shape().iter().map(|&length| 2 * length + 1).collect();
        let mut large = ArrayD::from_elem(IxDyn(&room), [JUNK; N]);
        let without_value = value.is_none_or(|value| value == [0; N]);
        for pad_into in &ways[..if without_value { 4 } else { 3 }] {
            for fortran in [false, true] {
                let mut output = ArrayD::from_elem(IxDyn(wanted.shape()).set_f(fortran), [JUNK; N]);
                pad_into(&mut output.view_mut()).expect("a result");
                assert_eq!(output, wanted, "{what}: into");
            }
            let mut part = large.view_mut();
            cut(&mut part, wanted.shape(), -2);
            pad_into(&mut part).expect("a result");
            assert_eq!(part, wanted, "{what}: into a part");
            part.fill([JUNK; N]);
            assert!(large.iter().all(|unit| *unit == [JUNK; N]), "{what}: beside the output");
        }
    });
}

fn check_text(case: &Case) {
    let text = |elements: Elements| match elements {
        Elements::Text(text) => text,
        Elements::Bytes(_) => unreachable!("bytes are checked as such"),
    };
    let data = text(case.input().expect("data"));
    // The fill is always explicit. If the case has none, the test passes numpy's own.
    let fill = case.value.as_ref().and_then(|value| value.as_str()).unwrap_or("0").to_owned();
    let Some(wanted) = wanted(case, text) else { return };
    let spec = PadSpec::new(mode(case).expect("a mode"), pads(case, &numpy_width(case).expect("widths")));
    layouts(&data, &case.shape, &mut |layout, view| {
        assert_eq!(view.pad_cloned(&spec, &fill).as_ref(), Ok(&wanted), "{} {layout}", case.id);
    });
}

#[test]
fn every_layout_gives_what_numpy_recorded() {
    let mut seen = [0; 5];
    for case in common::recorded().remove("numpy").expect("a file of cases") {
        let case = case.spread(false).expect("axes");
        if let (Some(mode), Expect::Tensor { .. }) = (mode(&case), &case.expect) {
            seen[mode as usize] += 1;
        }
        match case.dtype.bits() {
            _ if case.dtype == Type::String => check_text(&case),
            8 => check::<1>(&case),
            16 => check::<2>(&case),
            32 => check::<4>(&case),
            64 => check::<8>(&case),
            128 => check::<16>(&case),
            // Packed elements have no Rust type.
            _ => assert!(case.dtype.bits() < 8, "{}", case.id),
        }
    }
    assert!(seen.iter().all(|&cases| cases > 20), "{seen:?}");
}

#[test]
fn broadcast_views_are_padded_as_what_they_show() {
    let row = ndarray::array![1, 2, 3];
    let view = row.broadcast((2, 4, 3)).expect("a shape");
    for mode in PadMode::ALL {
        let width = [(1, 2), (0, 1), (2, 4)];
        assert_eq!(view.pad(width, mode), view.to_owned().pad(width, mode));
        assert_eq!(view.t().pad(width, mode), view.t().to_owned().pad(width, mode));
    }
    let one = ndarray::arr0(7);
    let view = one.broadcast((2, 0)).expect("a shape");
    assert_eq!(view.pad_constant((0, 1), 5), Ok(ndarray::array![[5], [5], [5]]));
    // A view that `windows` returns is padded like any other view.
    let windows = row.windows(2);
    let first = windows.into_iter().next().expect("a window");
    assert_eq!(first.pad((0, 1), PadMode::Edge), Ok(ndarray::array![1, 2, 2]));
}

/// A plan accepts arrays in every layout, whatever its own strides are.
#[test]
fn a_plan_for_other_strides_pads_arrays_too() {
    let plan = PadPlan::new::<f32>(&PadSpec::new(PadMode::Wrap, [(1, 1), (0, 2)]), &[2, 3]).expect("valid");
    let array = Array2::from_shape_fn((2, 3), |(i, j)| (3 * i + j) as f32);
    let expected = array.pad_with_plan(&plan).expect("valid");
    let [input, output] = [[2, 3], [4, 5]].map(|shape| Strides::row_major(&shape));
    let columns = |rows: isize| Strides::new(0, [1, rows]);
    for (input, output) in [(input.clone(), columns(4)), (columns(2), output), (columns(2), columns(4))] {
        let strided = plan.with_strides(&input, &output).expect("valid");
        assert_eq!(array.pad_with_plan(&strided), Ok(expected.clone()), "{input:?} {output:?}");
        let mut padded = Array2::zeros((4, 5));
        assert_eq!(array.pad_with_plan_into(&strided, &mut padded), Ok(()));
        assert_eq!(padded, expected, "{input:?} {output:?}");
    }
}

/// Every mode of numpy gives the same result from every layout and from a slice of the same elements.
#[test]
fn computed_borders_from_every_layout() {
    let shape = [3, 4, 2];
    let data: Vec<f32> = (0..24).map(|i| ((i * 7) % 11) as f32 - 3.0).collect();
    let modes = "linear_ramp maximum mean median minimum odd_reflect odd_symmetric empty wrap";
    for mode in modes.split(' ') {
        let call = numpy::Pad::new([(1, 2), (0, 3), (2, 1)]).mode(mode.trim_start_matches("odd_"));
        let call = if mode.starts_with("odd_") { call.reflect_type("odd") } else { call };
        let expected = call.pad(&data, &shape).expect("a result");
        let expected = ArrayD::from_shape_vec(IxDyn(&[6, 7, 5]), expected).expect("a shape");
        layouts(&data, &shape, &mut |layout, view| {
            assert_eq!(view.pad_numpy(&call).expect("an array"), expected, "{mode} of {layout}");
            let Some(spec) = call.computed_spec(&shape).expect("a request") else { return };
            if mode == "empty" {
                return;
            }
            // The output is every second column of a larger array, whose other columns stay as they are.
            let mut output = ArrayD::from_elem(IxDyn(&[6, 7, 10]), -99.0f32);
            let mut columns = output.view_mut();
            columns.slice_axis_inplace(Axis(2), Slice::new(0, None, 2));
            view.pad_computed_into(&spec, &mut columns).expect("an output");
            assert_eq!(columns, expected, "{mode} of {layout}");
            output.slice_axis_inplace(Axis(2), Slice::new(1, None, 2));
            assert!(output.iter().all(|&element| element == -99.0), "{mode} of {layout}");
        });
    }
    let a = ArrayD::from_shape_vec(IxDyn(&[2]), vec![1i128, 2]).expect("a shape");
    assert!(matches!(a.pad_numpy(&numpy::Pad::new(1)), Err(PadArrayError::Call(_))));
    let mut other = ArrayD::from_elem(IxDyn(&[3]), 0i128);
    let empty = ComputedSpec::empty([(1, 1)]);
    assert!(matches!(a.pad_computed_into(&empty, &mut other), Err(PadArrayError::OutputShape { .. })));
    let padded = a.pad_computed(&empty).expect("zeros around it");
    assert_eq!(padded.as_slice(), Some(&[0, 1, 2, 0][..]));
}

/// A view without elements may have negative strides.
#[test]
fn views_of_nothing_go_any_way() {
    let whole = Array2::<f32>::zeros((4, 3));
    let nothing = whole.slice(s![2..2, ..;-1]);
    let widths = [(1, 0), (0, 1)];
    assert_eq!(nothing.pad(widths, PadMode::Constant).expect("an array"), Array2::<f32>::zeros((1, 4)));
    let mut output = Array2::<f32>::ones((6, 4));
    let mut row = output.slice_mut(s![3..4;-1, ..;-1]);
    nothing.pad_into(widths, PadMode::Constant, &mut row).expect("an output");
    assert_eq!(output.sum(), 5.0 * 4.0);
}

/// A plan for another element type is refused, also if the result is empty.
#[test]
fn empty_arrays_of_another_type_are_refused() {
    let plan = PadPlan::new::<f32>(&PadSpec::new(PadMode::Edge, [(0, 0), (1, 0)]), &[0, 3]).expect("valid");
    let refused = Array2::<u8>::zeros((0, 3)).pad_with_plan_into(&plan, &mut Array2::zeros((0, 4)));
    assert!(matches!(refused, Err(PadArrayError::Pad(PadError::ElementType { .. }))), "{refused:?}");
}
