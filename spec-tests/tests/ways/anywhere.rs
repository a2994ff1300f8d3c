//! Tests of outputs and inputs with any strides, of parts and regions of outputs, and of the limits of strides.

use itertools::iproduct;
use pad_kernels::{
    AxisPad, BorderPlan, DType, Fill, PadMode, PadPlan, PadSpec, Strides, kernels::Streaming, pad_bytes,
    pad_bytes_into,
};

use super::common::{JUNK, bytes, padded, same_on_every_set, sets};

/// Runs with threads give the output of runs without threads, for outputs in every layout.
#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn threads_and_outputs_anywhere() {
    let (height, width) = (1000, 1100);
    let spec = PadSpec::new(PadMode::Symmetric, [(3, 2), (5, 4)]);
    let plan = PadPlan::new::<u8>(&spec, &[height - 5, width - 9]).expect("valid");
    let src = bytes(plan.input_len());
    let right = plan.to_vec(&src).expect("room");
    assert!(right.len() >= 1 << 20);
    let input = Strides::row_major(plan.input_shape());
    let (rows, columns) = (height as isize, width as isize);
    for (name, offset, strides) in [
        ("row by row", 0, [columns, 1]),
        ("an offset", 9, [columns, 1]),
        ("a gap between rows", 0, [columns + 1, 1]),
        ("columns", 0, [1, rows]),
    ] {
        let plan = plan.with_strides(&input, &Strides::new(offset, strides)).expect("room");
        let room = offset + right.len() + if strides == [columns + 1, 1] { height - 1 } else { 0 };
        let (mut one, mut many) = (vec![JUNK; room], vec![JUNK; room]);
        plan.run(&src, &mut one).expect("lengths are right");
        plan.par_run(&src, &mut many).expect("lengths are right");
        assert!(one == many, "{name}");
        let at = |i: usize| {
            offset as isize + (i / width) as isize * strides[0] + (i % width) as isize * strides[1]
        };
        assert!((0..right.len()).step_by(97).all(|i| many[at(i) as usize] == right[i]), "{name}");
    }
}

/// Nothing is written behind an output that ends with a row, for short rows with little fill between them, and for source rows of
/// any length.
#[test]
fn outputs_end_with_a_short_row() {
    const BEHIND: usize = 128;
    for (row, fill, cut, count) in iproduct!(1..=70, 0..20, [0, 50], [2, 3, 9, 40]) {
        let spec = PadSpec::constant([(0, 0), (fill as i64, -(cut as i64))], 9u8);
        let plan = PadPlan::new::<u8>(&spec, &[count, row + cut]).expect("valid");
        let src: Vec<u8> = (0..plan.input_len()).map(|i| i as u8).collect();
        let mut want = Vec::new();
        for source in src.chunks(row + cut) {
            want.extend(std::iter::repeat_n(9, fill).chain(source[..row].iter().copied()));
        }
        want.extend([JUNK; BEHIND]);
        for isa in sets() {
            let plan = plan.with_isa(isa).expect("available");
            let mut got = vec![JUNK; want.len()];
            plan.run(&src, &mut got[..plan.output_len()]).expect("lengths are right");
            assert!(got == want, "{isa}: {count} rows of {row} with {fill}, {cut} cut off");
        }
    }
}

/// A region of the output, and a plan with strides, keep the instruction set of the plan that they are made from.
#[test]
fn boxes_are_run_as_the_whole() {
    let spec = PadSpec::new(PadMode::Edge, [(1, 1), (2, 2)]);
    let plan = PadPlan::new::<u8>(&spec, &[6, 9]).expect("valid");
    let views = |plan: &PadPlan| {
        let rows = [Strides::row_major(plan.input_shape()), Strides::row_major(plan.output_shape())];
        let window = [1..7, 1..12];
        [plan.window(&window), plan.window_from_region(&window), plan.with_strides(&rows[0], &rows[1])]
            .map(|plan| plan.expect("valid"))
    };
    for isa in sets() {
        let is_of_set = |view: &PadPlan| view.kernel().map(|row| row.isa()) == Some(isa);
        assert!(views(&plan.with_isa(isa).expect("available")).iter().all(is_of_set), "{isa}");
    }
    let streaming = plan.with_streaming(Streaming::Always);
    for (view, streaming) in views(&plan).iter().zip(views(&streaming)) {
        assert!(!view.streams());
        assert_eq!(streaming.streams(), view.with_streaming(Streaming::Always).streams());
    }
    // Non-temporal stores would overwrite the bytes between the elements of this output.
    let holes =
        streaming.with_strides(&Strides::row_major(&[6, 9]), &Strides::new(0, [26, 2])).expect("room");
    assert!(!holes.streams());
}

/// Rows with interior padding are right if their elements are further apart in the input than in the output.
#[test]
fn gaps_between_elements_of_columns() {
    let types = [(DType::U8, 1), (DType::U8, 2), (DType::U16, 1), (DType::F32, 1)];
    for ((dtype, interior), columns) in iproduct!(types, [3, 5, 8, 11]) {
        let spec = PadSpec::new(PadMode::Constant, [(0, 0, 0), (2, 1, interior)]);
        let plan = PadPlan::for_dtype(&spec, &[columns, 100], dtype).expect("valid");
        let input = Strides::new(0, [1, columns as isize]);
        let plan = plan.with_strides(&input, &Strides::row_major(plan.output_shape())).expect("room");
        let src = bytes(plan.input_bytes());
        let right = padded(&plan.with_generic_kernel(), &src);
        same_on_every_set(
            &plan,
            &src,
            &right,
            format_args!("{dtype}, {columns} columns, {interior} between"),
        );
    }
}

/// The stride of an axis of one element does not matter, and may be longer than memory.
#[test]
fn strides_of_single_elements_do_not_matter() {
    let far = [1, 3, 65536, isize::MAX / 8, 1 << (isize::BITS - 2), isize::MAX - 1, isize::MAX, isize::MIN];
    let far: Vec<isize> = far.into_iter().flat_map(|stride: isize| [stride, stride.wrapping_neg()]).collect();
    let types = [(DType::U2, 2usize), (DType::U4, 4), (DType::U8, 8), (DType::U16, 16), (DType::C128, 128)];
    let requests = [
        ([1, 4], [(0, 0), (1, 1)], 0),
        ([1, 4], [(2, 2), (1, 1)], 0),
        ([4, 1], [(1, 1), (0, 0)], 1),
        ([4, 1], [(1, 1), (2, 3)], 1),
    ];
    for ((dtype, bits), (shape, pads, single), mode, &stride) in
        iproduct!(types, requests, PadMode::ALL, &far)
    {
        let zero = vec![0; bits.div_ceil(8)];
        let spec = PadSpec::new(mode, pads).with_fill(Fill::from_bytes(dtype, &zero));
        let Ok(plan) = PadPlan::for_dtype(&spec, &shape, dtype) else { continue };
        let src = bytes(plan.input_bytes());
        let want = plan.to_vec_bytes(&src).expect("room");
        let out = plan.output_shape().to_vec();
        let (mut from, mut to) = ([shape[1] as isize, 1], [out[1] as isize, 1]);
        from[single] = stride;
        if out[single] == 1 {
            to[single] = stride;
        }
        let plan = plan.with_strides(&Strides::new(0, from), &Strides::new(0, to)).expect("one element");
        for plan in [plan.clone(), plan.with_generic_kernel()] {
            let mut got = vec![0; want.len()];
            plan.run_bytes(&src, &mut got).expect("lengths are right");
            assert_eq!(got, want, "{mode} of {shape:?} {dtype}, {from:?} to {to:?}");
        }
    }
    for &stride in &far {
        let plan =
            BorderPlan::new::<u8>(&PadSpec::new(PadMode::Edge, [(0, 0), (1, 1)]), &[1, 4]).expect("valid");
        let plan = plan.with_strides(&Strides::new(0, [stride, 1])).expect("one element");
        let mut dst = [0u8, 1, 2, 3, 4, 0];
        plan.run(&mut dst).expect("lengths are right");
        assert_eq!(dst, [1, 1, 2, 3, 4, 4]);
    }
}

/// Calls that plan and run at once give the output of a plan, for long and short rows, all modes, and zero and other fills.
#[test]
fn rows_of_any_length_at_once() {
    let mut calls = 0;
    let rows = [(100, DType::U8, 1), (511, DType::U8, 1), (128, DType::F32, 4), (600, DType::C128, 16)];
    let requests = [
        [AxisPad::new(1, 2), AxisPad::default(), AxisPad::new(0, 3)],
        [AxisPad::default(), AxisPad::new(3, 0), AxisPad::default()],
        [AxisPad::new(-1, 1), AxisPad::new(2, 2).with_interior(1), AxisPad::new(5, 0)],
        [AxisPad::new(2, -1), AxisPad::new(-1, 4), AxisPad::new(-2, 7)],
    ];
    for (outer, inner, (row, dtype, size), pads, zero) in
        iproduct!(PadMode::ALL, PadMode::ALL, rows, requests, [true, false])
    {
        let fill: Vec<u8> = if zero { vec![0; size] } else { (1..=size as u8).collect() };
        let spec = PadSpec::new([outer, inner, inner], pads).with_fill(Fill::from_bytes(dtype, &fill));
        let shape = [3, 4, row];
        let plan = PadPlan::for_dtype(&spec, &shape, dtype).expect("valid");
        let src = bytes(plan.input_bytes());
        let (want, mut got) = (padded(&plan, &src), vec![JUNK; plan.output_bytes()]);
        pad_bytes_into(&src, &shape, dtype, &spec, &mut got).expect("valid");
        assert!(got == want, "{spec:?} of {shape:?} {dtype}");
        assert!(pad_bytes(&src, &shape, dtype, &spec).expect("valid") == want, "{spec:?}");
        calls += 1;
    }
    assert_eq!(calls, 25 * 4 * 4 * 2);
}
