//! What padding arrays of ndarray allocates: results and nothing else, however their elements lie. And what plans of columns do: little,
//! however many rows they are for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use ndarray::{Array, Array2, Array3, ArrayView, ArrayViewMut, Dimension, Slice, s};
use pad_kernels::interop::ndarray::PadExt;
use pad_kernels::{
    AxisMode, AxisPad, BorderPlan, Element, PadMode, PadPlan, PadSpec, Strides, kernels::Isa, pad_into,
};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
    static LARGEST: Cell<usize> = const { Cell::new(0) };
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

/// Counts the allocations of each thread and the bytes that are allocated, and notes the largest.
struct Counting;

fn count(bytes: usize) {
    // A thread that ends counts no more.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(bytes)));
    live(bytes as isize);
}

fn live(more: isize) {
    let _ = LIVE.try_with(|live| live.set(live.get() + more));
}

// SAFETY: the system's allocator, which is asked for the same.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        live(-(layout.size() as isize));
        // SAFETY: the caller's.
        unsafe { System.realloc(start, layout, size) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        live(-(layout.size() as isize));
        // SAFETY: the caller's.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `run` returns, and how often it allocated.
fn counted<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = COUNT.get();
    let result = run();
    (result, COUNT.get() - before)
}

/// Plans keep no more memory than their lists need.
#[test]
fn usual_plans_are_small() {
    const MOST: isize = 4096;
    let image = [(0, 0), (0, 0), (1, 1), (1, 1)];
    for (spec, shape) in [
        (PadSpec::new(PadMode::Constant, [(1, 1), (1, 1)]), &[3, 3][..]),
        (PadSpec::new(PadMode::Constant, image), &[1, 64, 56, 56]),
        (PadSpec::new(PadMode::Reflect, image), &[1, 64, 56, 56]),
        (PadSpec::new(PadMode::Edge, [(1, 1)]), &[1000]),
    ] {
        for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
            let before = LIVE.get();
            let plan = PadPlan::new::<f32>(&spec, shape).expect("valid").with_isa(isa).expect("available");
            let bytes = LIVE.get() - before + size_of_val(&plan) as isize;
            assert!(bytes <= MOST, "{isa}: {spec:?} of {shape:?} takes {bytes} bytes");
        }
    }
}

/// Plans of rows that are columns of their source are small, even if a border or gaps make many rows.
#[test]
fn plans_of_many_rows_that_are_far_apart() {
    const MANY: usize = 1 << 20;
    let (long, apart) = (AxisPad::new(0, 1 << 20), AxisPad::default().with_interior(1));
    for (rows, pad) in [(67, long), (MANY, apart), (MANY, AxisPad::new(9, 9))] {
        for (mode, columns) in
            PadMode::ALL.into_iter().flat_map(|mode| (2..=8).map(move |columns| (mode, columns)))
        {
            let spec = PadSpec::new(mode, [pad, AxisPad::default()]);
            let plan = PadPlan::new::<u16>(&spec, &[rows, columns]).expect("valid");
            let input = Strides::column_major(&[rows, columns]);
            for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
                let plan = plan.with_isa(isa).expect("available");
                LARGEST.set(0);
                plan.with_strides(&input, &Strides::row_major(plan.output_shape())).expect("valid");
                let largest = LARGEST.get();
                assert!(largest < 1 << 16, "{isa}: {spec:?} of {rows} by {columns} takes {largest} bytes");
            }
        }
    }
}

/// So are adjoints of borders of millions of positions, in one mode or two, of inputs of which little is left, and of long rows that are
/// added whole.
#[test]
fn adjoints_of_long_axes() {
    let long = |mode: AxisMode, pad: (i64, i64)| {
        PadPlan::new::<f32>(&PadSpec::new([mode], [pad]), &[5]).expect("valid")
    };
    let (more, less) = (1 << 26, 3);
    let both = PadMode::ALL.into_iter().flat_map(|low| PadMode::ALL.map(|high| AxisMode { low, high }));
    // With the most scratch memory that they may need: of one axis two rows.
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
        for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
            let plan = plan.with_isa(isa).expect("available");
            LARGEST.set(0);
            let scratch = plan.adjoint().expect("an adjoint").scratch_bytes();
            assert!(LARGEST.get() < 1 << 16, "{isa}: {plan:?} takes {} bytes", LARGEST.get());
            assert!(scratch <= most, "{isa}: {plan:?} needs {scratch} bytes");
        }
    }
}

/// Pads a view in every mode, into a new array, into one that is there, and into a slice of a larger one.
fn check<A: Element + PartialEq + std::fmt::Debug + Default, D: Dimension>(
    what: &str,
    view: &ArrayView<'_, A, D>,
) {
    for mode in PadMode::ALL {
        let pads: Vec<AxisPad> = (0..view.ndim()).map(|axis| AxisPad::new(1 + axis as i64, 2)).collect();
        let spec = PadSpec::new(mode, pads);
        // What a copy of the view, row by row, gives.
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
            let cut = |large: &mut Array<A, D>, write: &mut dyn FnMut(&mut ArrayViewMut<'_, A, D>)| {
                let shape = expected.shape();
                write(&mut large.slice_each_axis_mut(|axis| {
                    let end = 2 + shape[axis.axis.index()] * step.unsigned_abs();
                    Slice::new(2, Some(end as isize), step)
                }));
            };
            cut(&mut large, &mut |output| {
                let (result, allocations) = counted(|| view.pad_with_spec_into(&spec, output));
                assert_eq!((result, allocations), (Ok(()), 0), "{what} {mode} into every {step}.");
                assert_eq!(*output, expected, "{what} {mode} into every {step}.");
                output.fill(A::default());
            });
            assert!(large.iter().all(|element| *element == A::default()), "{what} {mode}: beside the output");
        }
    }
}

/// Views of all kinds of matrices of these lengths.
fn matrices<A: Element + PartialEq + std::fmt::Debug + Default>(
    rows: usize,
    columns: usize,
    element: impl Fn(usize) -> A,
) {
    let whole = Array2::from_shape_fn((rows, columns), |(i, j)| element(i * columns + j));
    let what = format!("{rows} x {columns} of {}", std::any::type_name::<A>());
    check(&what, &whole.view());
    check(&format!("{what}, transposed"), &whole.t());
    check(&format!("{what}, transposed and reversed"), &whole.t().slice(s![..;-1, ..;-1]));
    check(&format!("{what}, a crop"), &whole.slice(s![3..rows - 4, 5..columns - 2]));
    check(&format!("{what}, a crop transposed"), &whole.slice(s![3..rows - 4, 5..columns - 2]).t());
    check(&format!("{what}, every second column"), &whole.slice(s![.., ..;2]));
    check(&format!("{what}, every third row backwards"), &whole.slice(s![..;-3, ..;-1]));
    check(&format!("{what}, every second column transposed"), &whole.slice(s![..;3, ..;2]).t());
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
}

#[test]
fn large_matrices_allocate_results_alone() {
    matrices(520, 515, |i| i as f32);
}

/// Rows that are packed several at a time may have more moves than there is room for without an allocation: these are not.
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

/// Pads planes of short and long rows, with gaps and without: no call may allocate. Those of more than 128 KiB are planned.
fn planes<A: Element + PartialEq + std::fmt::Debug + Default>(element: impl Fn(usize) -> A) {
    for columns in [1, 2, 3, 5, 7, 8, 13, 17, 24, 31, 40] {
        let shape = [32, 21, columns];
        let src: Vec<A> = (0..shape.iter().product()).map(&element).collect();
        for mode in PadMode::ALL {
            for (pad, gaps) in [(1, [0, 0]), (1, [1, 1]), (2, [2, 1]), (3, [0, 3]), (1, [3, 0])] {
                let pads = [AxisPad::new(0, 0), AxisPad::new(pad, pad), AxisPad::new(pad, 1)];
                let gaps = [0, gaps[0], gaps[1]];
                let pads = pads.into_iter().zip(gaps).map(|(pad, gap)| pad.with_interior(gap));
                let spec = PadSpec::new(mode, pads.collect::<Vec<_>>());
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
    }
}

/// Plans that are run once find room for moves and registers on the stack.
#[test]
fn calls_allocate_nothing() {
    planes(|i| (i * 7 + i / 256) as u8);
    planes(|i| i as u16);
    planes(|i| [i as u8, (i / 256) as u8, 7]);
    planes(|i| i as f32);
    planes(|i| i as f64);
    planes(|i| i as u128);
}

/// Borders in place are planned on the stack, and made without allocating.
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

/// An adjoint with scratch memory of its own allocates nothing, and one without allocates that.
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
        assert_eq!((result, allocations), (Ok(()), usize::from(!adjoint.is_move())), "{mode}");
        assert_eq!(one, other, "{mode}");
    }
}
