//! Padded rows in one buffer: all small requests, rows along any number of axes, and what is refused.
#![cfg(not(miri))]

use pad_kernels::{AxisPad, DType, PadError, PadMode, PadPlan, PadSpec, Strides};
use spec_tests::oracles::rows;

const PADS: [AxisPad; 5] = [
    AxisPad::new(0, 0),
    AxisPad::new(2, 1),
    AxisPad::new(-1, 3),
    AxisPad::new(1, 0).with_interior(1),
    AxisPad::new(4, 5),
];

/// Rows of whole plans, of boxes and of strided plans are the output, one after the other.
#[test]
fn rows_are_the_output() {
    let mut runs = 0;
    for shape in [&[5][..], &[3, 4], &[2, 3, 4], &[2, 1, 3, 2], &[0, 3], &[3, 0]] {
        for (first, step) in (0..PADS.len()).flat_map(|first| (0..3).map(move |step| (first, step))) {
            let pads: Vec<_> =
                (0..shape.len()).map(|axis| PADS[(first + axis * step) % PADS.len()]).collect();
            for mode in PadMode::ALL {
                let mut spec = PadSpec::new(mode, &pads[..]).with_fill(9u16);
                // The first axis that can have one has a fill for each position.
                if let Some(axis) = pads.iter().position(|pad| *pad == AxisPad::default()) {
                    spec = spec.with_fill_along(axis, &(7..).take(shape[axis]).collect::<Vec<u16>>());
                }
                let Ok(plan) = PadPlan::new::<u16>(&spec, shape) else { continue };
                let src: Vec<u16> = (100..).take(plan.input_len()).collect();
                let window: Vec<_> =
                    plan.output_shape().iter().map(|&length| length.min(1)..length).collect();
                let strides = [shape, plan.output_shape()].map(Strides::row_major);
                let plans = [
                    plan.window(&window).expect("inside"),
                    plan.with_strides(&strides[0], &strides[1]).expect("valid"),
                    plan,
                ];
                for (plan, axes) in
                    plans.iter().flat_map(|plan| (0..=shape.len()).map(move |axes| (plan, axes)))
                {
                    let output = plan.to_vec(&src).expect("lengths are right");
                    assert_eq!(rows(plan, axes, &src).as_ref(), Ok(&output), "{spec:?} {shape:?} {axes}");
                    runs += 1;
                }
            }
        }
    }
    assert!(runs > 3000, "{runs}");
}

#[test]
fn rows_that_there_are_not() {
    let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Edge, [(1, 1), (1, 1)]), &[2, 3]).expect("valid");
    let refused = |axes, src: &[u8], length| plan.rows(axes, src, &mut vec![0; length]).err();
    assert_eq!(refused(1, &[1; 6], 5), None);
    assert_eq!(refused(2, &[1; 6], 20), None);
    let error = PadError::RowAxes { axes: 3, shape: 2 };
    assert_eq!(refused(3, &[1; 6], 20), Some(error));
    assert!(error.to_string().contains("last 3 axes of an output that has 2"));
    let error = PadError::RowLength { axes: 1, expected: 5, got: 4 };
    assert_eq!(refused(1, &[1; 6], 4), Some(error));
    assert!(error.to_string().contains("length 4, but a row along the last 1 axes has 5"));
    assert!(matches!(refused(1, &[1; 5], 5), Some(PadError::Length { expected: 6, got: 5, .. })));
    assert!(matches!(plan.rows(1, &[1i8; 6], &mut [0; 5]).err(), Some(PadError::ElementType { .. })));
    let packed = PadPlan::for_dtype(&PadSpec::new(PadMode::Edge, [(1, 1)]), &[2], DType::U4).expect("valid");
    assert!(matches!(packed.rows(1, &[1u8; 2], &mut [0; 4]).err(), Some(PadError::ElementType { .. })));
}
