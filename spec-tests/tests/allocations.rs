//! Padding an ndarray array allocates only its result, in every memory layout. A plan whose rows are columns of its source needs
//! little memory, however many rows it has.

use allocation_counter::measure;
use itertools::iproduct;
use ndarray::{Array, Array2, Array3, ArrayView, Dimension, Slice, s};
use pad_kernels::interop::ndarray::PadExt;
use pad_kernels::{AxisMode, AxisPad, BorderPlan, Element, PadMode, PadPlan, PadSpec, Strides, pad_into};

mod common;

/// Runs `run` and returns its result and the number of allocations.
fn counted<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let mut result = None;
    let info = measure(|| result = Some(run()));
    (result.expect("it ran"), info.count_total)
}

/// A usual plan takes at most 4 KiB.
#[test]
fn usual_plans_are_small() {
    const MOST: i64 = 4096;
    let image = [(0, 0), (0, 0), (1, 1), (1, 1)];
    for (spec, shape) in [
        (PadSpec::new(PadMode::Constant, [(1, 1), (1, 1)]), &[3, 3][..]),
        (PadSpec::new(PadMode::Constant, image), &[1, 64, 56, 56]),
        (PadSpec::new(PadMode::Reflect, image), &[1, 64, 56, 56]),
        (PadSpec::new(PadMode::Edge, [(1, 1)]), &[1000]),
    ] {
        for isa in common::sets() {
            let mut plan = None;
            let make = || PadPlan::new::<f32>(&spec, shape).expect("valid").with_isa(isa).expect("available");
            let bytes = measure(|| plan = Some(make())).bytes_current + size_of_val(&plan) as i64;
            assert!(bytes <= MOST, "{isa}: {spec:?} of {shape:?} takes {bytes} bytes");
        }
    }
}

/// A plan whose rows are columns of its source is small, even if a border or interior padding makes many rows.
#[test]
fn plans_of_many_rows_that_are_far_apart() {
    const MANY: usize = 1 << 20;
    let (long, apart) = (AxisPad::new(0, 1 << 20), AxisPad::default().with_interior(1));
    let tensors = [(67, long), (MANY, apart), (MANY, AxisPad::new(9, 9))];
    for ((rows, pad), mode, columns, isa) in iproduct!(tensors, PadMode::ALL, 2..=8, common::sets()) {
        let spec = PadSpec::new(mode, [pad, AxisPad::default()]);
        let plan = PadPlan::new::<u16>(&spec, &[rows, columns]).expect("valid");
        let input = Strides::column_major(&[rows, columns]);
        let plan = plan.with_isa(isa).expect("available");
        let output = Strides::row_major(plan.output_shape());
        let most = measure(|| drop(plan.with_strides(&input, &output).expect("valid"))).bytes_max;
        assert!(most < 1 << 16, "{isa}: {spec:?} of {rows} by {columns} takes {most} bytes");
    }
}

/// Adjoints of very long axes are small too. The axes have borders of millions of positions, or keep little of their input, or
/// are long rows that are added whole.
#[test]
fn adjoints_of_long_axes() {
    let long = |mode: AxisMode, pad: (i64, i64)| {
        PadPlan::new::<f32>(&PadSpec::new([mode], [pad]), &[5]).expect("valid")
    };
    let (more, less) = (1 << 26, 3);
    let both = PadMode::ALL.into_iter().flat_map(|low| PadMode::ALL.map(|high| AxisMode { low, high }));
    // An adjoint of one axis needs scratch memory for at most two rows.
    let mut plans: Vec<(PadPlan, usize)> = both
        .flat_map(|mode| [(more, less), (less, more), (more, more)].map(|pad| long(mode, pad)))
        .map(|plan| (plan.clone(), 2 * plan.output_bytes()))
        .collect();
    let crop = |length: usize| AxisPad::new(1 - length as i64, 0);
    let shape = [60, 60, 60, 60, 16];
    let cropped = PadSpec::new(PadMode::Constant, shape.map(crop));
    plans.push((PadPlan::new::<u8>(&cropped, &shape).expect("valid"), 1 << 18));
    for mode in PadMode::ALL {
        let rows = PadSpec::new(mode, [(1, 1), (0, 0)]);
        plans.push((PadPlan::new::<u8>(&rows, &[40, 20_000_000]).expect("valid"), 4 * 20_000_000));
    }
    for (plan, most) in plans {
        for isa in common::sets() {
            let plan = plan.with_isa(isa).expect("available");
            let mut scratch = 0;
            let taken = measure(|| scratch = plan.adjoint().expect("an adjoint").scratch_bytes()).bytes_max;
            assert!(taken < 1 << 16, "{isa}: {plan:?} takes {taken} bytes");
            assert!(scratch <= most, "{isa}: {plan:?} needs {scratch} bytes");
        }
    }
}

/// Pads a view in every mode: into a new array, into an existing array, and into a slice of a larger array.
fn check<A: Element + PartialEq + std::fmt::Debug + Default, D: Dimension>(
    what: &str,
    view: &ArrayView<'_, A, D>,
) {
    for mode in PadMode::ALL {
        let pads: Vec<AxisPad> = (0..view.ndim()).map(|axis| AxisPad::new(1 + axis as i64, 2)).collect();
        let spec = PadSpec::new(mode, pads);
        // A row-major copy of the view gives the expected result.
        let expected = view.to_owned().pad_with_spec(&spec).expect("a result");
        let (result, allocations) = counted(|| view.pad_with_spec(&spec));
        assert_eq!(result.as_ref(), Ok(&expected), "{what} {mode}");
        assert_eq!(allocations, 1, "{what} {mode}");
        let mut output = Array::from_elem(expected.raw_dim(), A::default());
        let (result, allocations) = counted(|| view.pad_with_spec_into(&spec, &mut output));
        assert_eq!((result, allocations), (Ok(()), 0), "{what} {mode} into");
        assert_eq!(output, expected, "{what} {mode} into");
        for step in [1, -2isize] {
            let mut room = expected.raw_dim();
            room.slice_mut().iter_mut().for_each(|length| *length = *length * step.unsigned_abs() + 3);
            let mut large = Array::from_elem(room, A::default());
            let mut output = large.slice_each_axis_mut(|axis| {
                let end = 2 + expected.len_of(axis.axis) * step.unsigned_abs();
                Slice::new(2, Some(end as isize), step)
            });
            let (result, allocations) = counted(|| view.pad_with_spec_into(&spec, &mut output));
            assert_eq!((result, allocations), (Ok(()), 0), "{what} {mode} into every {step}.");
            assert_eq!(output, expected, "{what} {mode} into every {step}.");
            output.fill(A::default());
            assert!(large.iter().all(|element| *element == A::default()), "{what} {mode}: beside the output");
        }
    }
}

/// Checks views of every layout of a matrix with the given numbers of rows and columns.
fn matrices<A: Element + PartialEq + std::fmt::Debug + Default>(
    rows: usize,
    columns: usize,
    element: impl Fn(usize) -> A,
) {
    let whole = Array2::from_shape_fn((rows, columns), |(i, j)| element(i * columns + j));
    let crop = s![3..rows - 4, 5..columns - 2];
    for (layout, view) in [
        ("row-major", whole.view()),
        ("transposed", whole.t()),
        ("transposed and reversed", whole.t().slice_move(s![..;-1, ..;-1])),
        ("a crop", whole.slice(crop)),
        ("a crop transposed", whole.slice(crop).reversed_axes()),
        ("every second column", whole.slice(s![.., ..;2])),
        ("every third row backwards", whole.slice(s![..;-3, ..;-1])),
        ("every second column transposed", whole.slice(s![..;3, ..;2]).reversed_axes()),
    ] {
        check(&format!("{rows} x {columns} of {}, {layout}", std::any::type_name::<A>()), &view);
    }
}

#[test]
fn matrices_allocate_results_alone() {
    for (rows, columns) in [(17, 30), (40, 67), (130, 90)] {
        matrices(rows, columns, |i| (i * 7 + i / 256) as u8);
        matrices(rows, columns, |i| i as u16);
        matrices(rows, columns, |i| i as f32);
        matrices(rows, columns, |i| i as f64);
        matrices(rows, columns, |i| i as u128);
        matrices(rows, columns, |i| [i as u8, (i / 256) as u8, 7]);
    }
    matrices(520, 515, |i| i as f32);
}

/// Permuted cubes allocate only their results, because all moves of these cubes fit on the stack.
#[test]
#[allow(clippy::reversed_empty_ranges, reason = "an end below zero counts from the last")]
fn cubes_allocate_results_alone() {
    let whole = Array3::from_shape_fn((70, 61, 64), |(i, j, k)| (i * 10_000 + j * 100 + k) as u32);
    let bytes = whole.mapv(|element| (element % 251) as u8);
    for axes in [[1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        check(&format!("{axes:?}"), &whole.view().permuted_axes(axes));
        let crop = bytes.slice(s![1.., 2..-1, ..]);
        check(&format!("{axes:?} crop of bytes"), &crop.permuted_axes(axes));
    }
}

/// Pads planes of short and long rows, with and without interior padding. No call may allocate.
fn planes<A: Element + PartialEq + std::fmt::Debug + Default>(element: impl Fn(usize) -> A) {
    let widths = [1, 2, 3, 5, 7, 8, 13, 17, 24, 31, 40];
    let requests = [(1, [0, 0]), (1, [1, 1]), (2, [2, 1]), (3, [0, 3]), (1, [3, 0])];
    for (columns, mode, (pad, gaps)) in iproduct!(widths, PadMode::ALL, requests) {
        let shape = [32, 21, columns];
        let src: Vec<A> = (0..shape.iter().product()).map(&element).collect();
        let pads = [(0, 0, 0), (pad, pad, gaps[0]), (pad, 1, gaps[1])];
        let spec = PadSpec::new(mode, pads);
        let plan = PadPlan::new::<A>(&spec, &shape).expect("valid");
        let mut expected = vec![A::default(); plan.output_len()];
        plan.run(&src, &mut expected).expect("as long as planned");
        let mut dst = vec![A::default(); plan.output_len()];
        let (result, allocations) = counted(|| pad_into(&src, &shape, &spec, &mut dst));
        let what = format!("{shape:?} of {} {spec:?}", std::any::type_name::<A>());
        assert_eq!((result, allocations), (Ok(()), 0), "{what}");
        assert_eq!(dst, expected, "{what}");
    }
}

/// A plan that runs once keeps its moves and registers on the stack.
#[test]
fn calls_allocate_nothing() {
    planes(|i| (i * 7 + i / 256) as u8);
    planes(|i| i as u16);
    planes(|i| [i as u8, (i / 256) as u8, 7]);
    planes(|i| i as f32);
    planes(|i| i as f64);
    planes(|i| i as u128);
}

/// A border plan in place runs without an allocation.
#[test]
fn borders_in_place_allocate_nothing() {
    let mut grid = Array3::<f32>::zeros((8, 9, 10));
    for mode in PadMode::ALL {
        let spec = PadSpec::new(mode, [(1, 1); 3]);
        let plan = BorderPlan::new::<f32>(&spec, &[6, 7, 8]).expect("valid");
        let slice = grid.as_slice_mut().expect("contiguous");
        assert_eq!(counted(|| plan.run(slice)), (Ok(()), 0), "{mode}");
        assert_eq!(counted(|| grid.fill_borders_with_plan(&plan)), (Ok(()), 0), "{mode}");
    }
}

/// An adjoint allocates nothing if the caller gives scratch memory, and otherwise allocates only that memory.
#[test]
fn adjoints_allocate_scratch_alone() {
    for mode in PadMode::ALL {
        let spec = PadSpec::new(mode, [(1, 1), (0, 0), (2, 1), (0, 3), (1, 0), (1, 2)]);
        let plan = PadPlan::new::<f32>(&spec, &[3, 2, 4, 5, 3, 3]).expect("a plan");
        let adjoint = plan.adjoint().expect("an adjoint");
        let gradient = vec![1.0f32; plan.output_len()];
        let (mut one, mut other) = (vec![0.0; plan.input_len()], vec![0.0; plan.input_len()]);
        let mut scratch = vec![0; adjoint.scratch_bytes()];
        let (result, allocations) = counted(|| adjoint.run_with_scratch(&gradient, &mut one, &mut scratch));
        assert_eq!((result, allocations), (Ok(()), 0), "{mode}");
        let (result, allocations) = counted(|| adjoint.run(&gradient, &mut other));
        assert_eq!((result, allocations), (Ok(()), u64::from(!adjoint.is_move())), "{mode}");
        assert_eq!(one, other, "{mode}");
    }
}
