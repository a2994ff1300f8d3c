//! Adjoints of every padding agree with the definition of the gradient.

use itertools::iproduct;
use pad_kernels::{AxisPad, DType, PadMode, PadPlan, PadSpec};
use spec_tests::adjoint::{self, Question, SUMMABLE};
use spec_tests::case::{Case, Kind};
use spec_tests::generators::Source;
use spec_tests::reach;
use spec_tests::views::Layout;

#[path = "../common/mod.rs"]
mod common;
mod recorded;

#[test]
fn sums_are_those_of_the_definition() {
    for dtype in SUMMABLE {
        Source::check(&format!("adjoint {dtype}"), 150, |_, u| {
            adjoint::check(&adjoint::question_of(Kind::Tagged(dtype), u)?)
        });
    }
    assert_eq!(reach::sums_missed(), [""; 0]);
}

#[test]
fn every_kind_is_summed_or_refused() {
    for kind in Kind::all() {
        Source::check(&format!("adjoint of {kind}"), 5, |_, u| {
            adjoint::check(&adjoint::question_of(kind, u)?)
        });
    }
}

/// The adjoint is right wherever a border of many periods ends in its last period, on either side, in any two modes.
#[test]
fn periods_end_anywhere() {
    let one_side = iproduct!([4], 30..60, [9]);
    let both_sides = (0..18).map(|more| (3 + 2 * more, 60 - 3 * more, 5));
    let requests: Vec<(i64, i64, usize)> = one_side.chain(both_sides).collect();
    for (before, behind, &(low, high, length)) in iproduct!(PadMode::ALL, PadMode::ALL, &requests) {
        let axis = AxisPad::new(low, high);
        let case = Case::new(Kind::Tagged(DType::I64), [(before, behind)], [length], [axis]);
        let layout = Layout::whole(&case.output_shape().expect("valid"));
        let question = Question { case, layout, seed: 1 };
        adjoint::check(&question).unwrap_or_else(|mismatch| panic!("{mismatch:#}"));
    }
}

/// If an adjoint adds nothing, it moves bits, so a NaN keeps its payload.
#[test]
fn constant_borders_are_cropped() {
    let spec = PadSpec::constant([(1, 1, 2)], 9.0f32);
    let adjoint = PadPlan::new::<f32>(&spec, &[3]).unwrap().adjoint().unwrap();
    assert!(adjoint.is_move());
    let signalling = f32::from_bits(0x7f80_0001);
    let gradient = [1.0, signalling, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    let mut back = [0.0; 3];
    adjoint.run(&gradient, &mut back).unwrap();
    assert_eq!(back.map(f32::to_bits), [signalling, 5.0, 8.0].map(f32::to_bits));
    assert_eq!(adjoint.fill_gradient(&gradient).unwrap(), 1.0 + 3.0 + 4.0 + 6.0 + 7.0 + 9.0);
    // Many axes of one position need no stack.
    let (mut widths, mut shape) = (vec![(0i64, 0i64); 30_000], vec![1; 30_000]);
    (widths[7], shape[8]) = ((1, 0), 0);
    (widths[8], widths[9]) = ((1, 0), (1, 0));
    let adjoint = PadPlan::new::<f32>(&PadSpec::constant(widths, 0.0f32), &shape).unwrap().adjoint().unwrap();
    assert_eq!(adjoint.fill_gradient(&[1.0f32, 2.0, 3.0, 4.0]).unwrap(), 10.0);
}

/// Dialects give the gradient if their framework defines one, and refuse otherwise.
#[test]
fn dialects_have_the_gradients_that_their_systems_have() {
    use pad_kernels::Fill;
    use pad_kernels::dialect::{Dialect, DialectError, numpy, onnx, tensorflow, torch, xla};
    let refused = |result: Result<pad_kernels::AdjointPlan, DialectError>| {
        matches!(result, Err(DialectError::NoGradient { .. }))
    };
    let mut gradient = [0.0f32; 3];
    let reflect = torch::Pad::new(&[1, 0]).mode("reflect");
    reflect.adjoint(&[1, 3], DType::F32).unwrap().run(&[1.0, 2.0, 3.0, 4.0], &mut gradient).unwrap();
    assert_eq!(gradient, [2.0, 4.0, 4.0]);
    assert!(refused(reflect.adjoint(&[1, 3], DType::I64)));
    let mirror = tensorflow::MirrorPad::new("REFLECT", &[[0, 1]]);
    mirror.adjoint(&[3], DType::F32).unwrap().run(&[1.0, 2.0, 3.0, 4.0], &mut gradient).unwrap();
    assert_eq!(gradient, [1.0, 6.0, 3.0]);
    assert!(refused(mirror.adjoint(&[3], DType::I32)));
    assert!(refused(tensorflow::Pad::new(&[[0, 1]]).adjoint(&[3], DType::U8)));
    let (low, high) = ([-1], [2]);
    assert!(refused(xla::Pad::new(Fill::of(0i32), &low, &high).adjoint(&[3], DType::I32)));
    let gaps = xla::Pad::new(Fill::of(0.0f32), &low, &high).interior_padding(&[1]);
    let adjoint = gaps.adjoint(&[3], DType::F32).unwrap();
    adjoint.run(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut gradient).unwrap();
    assert_eq!(gradient, [0.0, 2.0, 4.0]);
    assert_eq!(adjoint.fill_gradient(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap(), 1.0 + 3.0 + 5.0 + 6.0);
    assert!(refused(numpy::Pad::new(1).adjoint(&[3], DType::F32)));
    let node = onnx::Pad::new(19, &[1, 0]);
    assert!(refused(node.adjoint(&[3], DType::F32)));
    let run = node.clone().flavour(onnx::Flavour::OnnxRuntime);
    assert!(run.adjoint(&[3], DType::F32).is_ok());
    assert!(refused(run.mode("edge").adjoint(&[3], DType::F32)));
}
