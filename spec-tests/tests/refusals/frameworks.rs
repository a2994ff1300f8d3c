//! Calls that the dialects refuse, as their frameworks do.

use pad_kernels::dialect::onnx::{self, Flavour};
use pad_kernels::dialect::{Dialect, DialectError, numpy, torch};
use pad_kernels::{DType::F32, Fill, PadMode};

use super::Errors;

pub(super) fn errors(e: &mut Errors) {
    e.about("the number of widths");
    refused! { e, DialectError;
        Count: onnx::Pad::new(13, &[1, 1, 1, 1]).plan(&[8, 3, 32, 32], F32),
        Count: numpy::Pad::new([(1, 1), (1, 1)]).plan(&[3, 32, 32], F32),
        Pairs: torch::Pad::new(&[1, 1, 1]).plan(&[2, 3], F32),
    }
    e.about("PyTorch returns memory that it has not written where circular adds more than is left");
    refused! { e, DialectError;
        PadTooLong: torch::Pad::new(&[-2, 2]).mode("circular").spec(&[1, 3], F32),
        PadTooLong: torch::Pad::new(&[4, 0]).mode("circular").plan(&[1, 3], F32),
        PadTooLong: torch::Pad::new(&[3, 0]).mode("reflect").plan(&[1, 3], F32),
    }
    assert!(torch::Pad::new(&[-2, 1]).mode("circular").spec(&[1, 3], F32).is_ok());
    e.about("axes, inputs and modes that a version of ONNX lacks, or that it has twice");
    let wrap = |opset| onnx::Pad::new(opset, &[1, 1]).mode("wrap").spec(&[3], F32);
    refused! { e, DialectError;
        RepeatedAxis: onnx::Pad::new(18, &[1, 1, 0, 0]).axes(&[0, -2]).spec(&[3, 3], F32),
        AxisOutOfRange: onnx::Pad::new(18, &[1, 1]).axes(&[2]).plan(&[2, 3], F32),
        NotInVersion: onnx::Pad::new(11, &[1, 1]).axes(&[0]).plan(&[3, 3], F32),
        NotInVersion: wrap(18),
    }
    assert!(wrap(19).is_ok());
    e.about("onnxruntime reflects at least two elements");
    let runtime = |mode| onnx::Pad::new(18, &[0, 1]).flavour(Flavour::OnnxRuntime).mode(mode).spec(&[1], F32);
    refused! { e, DialectError;
        AxisTooShort: runtime("reflect"),
    }
    assert!(runtime("edge").is_ok());
    e.about("words, orders and types of another framework");
    refused! { e; "reflekt".parse::<PadMode>() }
    refused! { e, DialectError;
        Word: torch::Pad::new(&[1, 1]).mode("edge").plan(&[1, 3], F32),
        // The list has one pair per axis, but ONNX expects all begins and then all ends.
        Pad: onnx::Pad::new(13, &[-1, -2, 0, 0]).plan(&[2, 1], F32),
        Pad: onnx::Pad::new(18, &[1, 1]).constant_value(Fill::of(0.0)).pad(&[1.0f32], &[1]),
    }
}
