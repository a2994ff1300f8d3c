//! Tests of padded rows in one buffer: all small requests, rows along any number of axes, and refused requests.

use itertools::iproduct;
use pad_kernels::{AxisPad, PadMode, PadPlan, PadSpec, Strides};
use spec_tests::oracles::rows;

const PADS: [AxisPad; 5] = [
    AxisPad::new(0, 0),
    AxisPad::new(2, 1),
    AxisPad::new(-1, 3),
    AxisPad::new(1, 0).with_interior(1),
    AxisPad::new(4, 5),
];

/// The rows of whole plans, regions of the output and strided plans form the output, one after the other.
#[test]
fn rows_are_the_output() {
    let mut runs = 0;
    let shapes = [&[5][..], &[3, 4], &[2, 3, 4], &[2, 1, 3, 2], &[0, 3], &[3, 0]];
    for (shape, first, step, mode) in iproduct!(shapes, 0..PADS.len(), 0..3, PadMode::ALL) {
        let pads: Vec<_> = (0..shape.len()).map(|axis| PADS[(first + axis * step) % PADS.len()]).collect();
        let mut spec = PadSpec::new(mode, &pads[..]).with_fill(9u16);
        // The first axis without padding has a fill for each position.
        if let Some(axis) = pads.iter().position(|pad| *pad == AxisPad::default()) {
            spec = spec.with_fill_along(axis, &(7..).take(shape[axis]).collect::<Vec<u16>>());
        }
        let Ok(plan) = PadPlan::new::<u16>(&spec, shape) else { continue };
        let src: Vec<u16> = (100..).take(plan.input_len()).collect();
        let window: Vec<_> = plan.output_shape().iter().map(|&length| length.min(1)..length).collect();
        let strides = [shape, plan.output_shape()].map(Strides::row_major);
        let strided = plan.with_strides(&strides[0], &strides[1]).expect("valid");
        let plans = [plan.window(&window).expect("inside"), strided, plan];
        for (plan, axes) in iproduct!(&plans, 0..=shape.len()) {
            let output = plan.to_vec(&src).expect("lengths are right");
            assert_eq!(rows(plan, axes, &src).as_ref(), Ok(&output), "{spec:?} {shape:?} {axes}");
            runs += 1;
        }
    }
    assert!(runs > 3000, "{runs}");
}
