//! Tests of long outputs, which are written by several threads, past the cache, or to memory that the system zeroes.

use std::hint::black_box;
use std::mem::MaybeUninit;

use itertools::iproduct;
use pad_kernels::{AxisPad, Fill, PadMode, PadPlan, PadSpec, Strides, kernels::Streaming, pad};
use spec_tests::case::{Typed, elements};

use super::common::{JUNK, bytes, padded, sets};

/// The least number of output bytes. Builds with debug assertions have lower thresholds.
const LONG: usize = if cfg!(debug_assertions) { 1 << 20 } else { 34 << 20 };

/// Runs a request through all calls that treat long outputs in a special way. The expected output comes from the any-rank kernel,
/// which other tests compare with the reference.
fn check<T: Typed>(row: &[usize], mode: PadMode, interior: u64, fill: &[u8]) {
    let of_row: usize = row.iter().product::<usize>() * (1 + interior as usize) * size_of::<T>();
    let shape = [&[LONG / of_row + 1], row].concat();
    let mut axes = vec![AxisPad::new(3, 2); shape.len()];
    axes[shape.len() - 1] = AxisPad { interior, ..AxisPad::new(5, 3) };
    let spec = PadSpec::new(mode, axes).with_fill(elements::<T>(fill)[0]);
    let plan = PadPlan::new::<T>(&spec, &shape).expect("valid");
    assert!(plan.output_bytes() >= LONG);
    let src = bytes(plan.input_bytes());
    let right = padded(&plan.with_generic_kernel(), &src);
    let same = |call: &str, got: &[u8]| assert!(got == right, "{call} of {shape:?}, {spec:?}");
    for streaming in [Streaming::Never, Streaming::Always] {
        let plan = plan.with_streaming(streaming);
        same("run", &padded(&plan, &src));
        // The allocator probably gives this memory to the next output. Bytes that the next call skips would then be junk.
        drop(black_box(vec![JUNK; right.len()]));
        same("to_vec", &plan.to_vec_bytes(&src).expect("room"));
        same("par_to_vec", &plan.par_to_vec_bytes(&src).expect("room"));
        let mut memory = vec![MaybeUninit::new(JUNK); right.len()];
        same("par_run_uninit", plan.par_run_bytes_uninit(&src, &mut memory).expect("lengths are right"));
    }
    same("pad", bytemuck::cast_slice(&pad(&elements::<T>(&src), &shape, &spec).expect("room")));
}

#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn long_outputs() {
    let rows: &[&[usize]] = &[&[700], &[20_000], &[15, 24]];
    for ((i, row), mode, interior) in iproduct!(rows.iter().enumerate(), PadMode::ALL, [0, 1]) {
        // Minus zero equals zero, but has other bits. Zeroed memory would therefore be wrong.
        check::<f32>(row, mode, interior, &(-0.0f32).to_ne_bytes());
        match i {
            0 => check::<u8>(row, mode, interior, &[0]),
            1 => check::<[u8; 12]>(row, mode, interior, &[0; 12]),
            _ => check::<[u8; 16]>(row, mode, interior, &[0; 16]),
        }
    }
}

/// Runs with threads give the output of runs without threads, for outputs in every layout.
#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn threads_and_outputs_anywhere() {
    let (height, width) = (1000, 1100);
    let spec = PadSpec::new(PadMode::Symmetric, [(3, 2), (5, 4)]);
    let plan = PadPlan::new::<u8>(&spec, &[height - 5, width - 9]).expect("valid");
    let src = bytes(plan.input_len());
    let right = plan.to_vec(&src).expect("room");
    let input = Strides::row_major(plan.input_shape());
    let (rows, columns) = (height as isize, width as isize);
    for (offset, strides) in [(0, [columns, 1]), (9, [columns, 1]), (0, [columns + 1, 1]), (0, [1, rows])] {
        let plan = plan.with_strides(&input, &Strides::new(offset, strides)).expect("room");
        let room = offset + right.len() + if strides == [columns + 1, 1] { height - 1 } else { 0 };
        let (mut one, mut many) = (vec![JUNK; room], vec![JUNK; room]);
        plan.run(&src, &mut one).expect("lengths are right");
        plan.par_run(&src, &mut many).expect("lengths are right");
        assert!(one == many, "{offset} {strides:?}");
    }
}

/// A long new output with zero fill is right, although only its data is written. The system zeroes its pages.
#[test]
fn new_outputs_of_zeroed_pages() {
    let spec = PadSpec::new(PadMode::Constant, [(1 << 20, 3, 1)]);
    let plan = PadPlan::new::<[u8; 2]>(&spec, &[5]).expect("valid");
    let src = bytes(10);
    // The bytes are compared as one slice, because Miri would take minutes to compare them one by one.
    assert!(plan.to_vec_bytes(&src).expect("room") == padded(&plan, &src));
}

/// A new output with zero fill is right, although copies may read more bytes than they need. The input has gaps between its
/// elements, and positive or negative strides. Fill follows each row.
#[test]
fn new_outputs_of_elements_that_are_apart() {
    let steps = [-5isize, -2, -1, 2, 3, 5, 7];
    for (item, step, fill, columns) in iproduct!(1..=16, steps, [3, 100], [1, 2, 5, 13, 69]) {
        let rows = 1 + (1 << 12) / ((columns + fill) * item);
        let mut spec = PadSpec::new(PadMode::Constant, [(0, 0), (0, fill as i64)]);
        spec.fill = Some(Fill::untyped(&[0; 16][..item]));
        let plan = PadPlan::for_bytes(&spec, &[rows, columns], item).expect("valid");
        let strides = [columns as isize * step.abs(), step];
        let input = Strides::spanning(&[rows, columns], &strides);
        let plan = plan.with_strides(&input, &Strides::row_major(plan.output_shape())).expect("room");
        let room = (rows - 1) * strides[0] as usize + (columns - 1) * step.unsigned_abs() + 1;
        let src: Vec<u8> = (0..room * item).map(|i| (i % 250 + 1) as u8).collect();
        let want = padded(&plan.with_generic_kernel(), &src);
        for isa in sets() {
            let got = plan.with_isa(isa).expect("available").to_vec_bytes(&src).expect("room");
            let what = format_args!("{rows} by {columns} of {item} bytes, {step} apart, {fill} of fill");
            assert!(got == want, "{isa}: {what}");
        }
    }
}
