//! Calls that a system refuses.

use pad_kernels::DType;
use pad_kernels::dialect::{Dialect, DialectError, onnx, torch};

/// PyTorch returns memory it has not written where circular adds more than it has left.
#[test]
fn circular_adds_at_most_what_is_left() {
    let call = |pad| torch::Pad::new(pad).mode("circular").spec(&[1, 3], DType::F32);
    assert!(matches!(call(&[-2, 2]), Err(DialectError::PadTooLong { axis: 1, length: 1, max: 1, .. })));
    assert!(call(&[-2, 1]).is_ok());
}

#[test]
fn onnx_refuses_what_its_version_does_not_know() {
    let repeated = onnx::Pad::new(18, &[1, 1, 0, 0]).axes(&[0, -2]).spec(&[3, 3], DType::F32);
    assert!(matches!(repeated, Err(DialectError::RepeatedAxis { axis: 0, position: 1 })));
    let wrap = |opset| onnx::Pad::new(opset, &[1, 1]).mode("wrap").spec(&[3], DType::F32);
    assert!(matches!(wrap(18), Err(DialectError::NotInVersion { name: "mode wrap", version: 18, .. })));
    assert!(wrap(19).is_ok());
    // onnxruntime wants something to mirror.
    let runtime = |mode| {
        let pad = onnx::Pad::new(18, &[0, 1]).flavour(onnx::Flavour::OnnxRuntime);
        pad.mode(mode).spec(&[1], DType::F32)
    };
    assert!(matches!(runtime("reflect"), Err(DialectError::AxisTooShort { axis: 0, length: 1, min: 2, .. })));
    assert!(runtime("edge").is_ok());
}
