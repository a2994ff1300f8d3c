use alloc::format;
use alloc::string::{String, ToString};

use super::*;
use crate::error::PadError;

const DATA: [f32; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
const BOTH: [Flavour; 2] = [Flavour::Spec, Flavour::OnnxRuntime];

fn pad1(flavour: Flavour, mode: &str, pads: [i64; 2], d: usize) -> Result<Vec<f32>, DialectError> {
    Pad::new(25, &pads).flavour(flavour).mode(mode).pad(&DATA[..d], &[d])
}

#[test]
fn the_evaluator_crops_and_reflects_once() {
    let pad = |mode, pads, d| pad1(Flavour::Evaluator, mode, pads, d);
    assert_eq!(pad("reflect", [-2, 3], 6).unwrap(), [3.0, 4.0, 5.0, 6.0, 5.0, 4.0, 3.0]);
    assert!(matches!(pad("reflect", [-2, 4], 6), Err(DialectError::PadTooLong { length: 4, max: 3, .. })));
    assert!(matches!(pad("reflect", [-3, -3], 6), Err(DialectError::PadTooLong { max: -1, .. })));
    for pads in [[-7, 1], [-3, -4]] {
        assert!(matches!(pad("edge", pads, 6), Err(DialectError::OverCrop { .. })));
    }
    assert_eq!(pad("edge", [-2, -3], 6).unwrap(), [3.0]);
    assert_eq!(pad("constant", [-7, 3], 6).unwrap(), [0.0, 0.0]);
    assert_eq!(pad("wrap", [-2, 5], 6).unwrap(), [3.0, 4.0, 5.0, 6.0, 3.0, 4.0, 5.0, 6.0, 3.0]);
    let crop = |flavour| Pad::new(1, &[-1, 0]).flavour(flavour).pad(&DATA, &[6]);
    assert!(crop(Flavour::Evaluator).is_ok() && crop(Flavour::Spec).is_err());
}

#[test]
fn the_newest_pad_that_is_not_newer_applies() {
    for (opset, version) in [
        (0, None),
        (1, Some(1)),
        (2, Some(2)),
        (10, Some(2)),
        (11, Some(11)),
        (12, Some(11)),
        (13, Some(13)),
        (17, Some(13)),
        (18, Some(18)),
        (19, Some(19)),
        (20, Some(19)),
        (22, Some(21)),
        (23, Some(23)),
        (24, Some(24)),
        (26, Some(25)),
        (27, Some(25)),
        (28, Some(25)),
        (29, None),
    ] {
        let node = Pad::new(opset, &[0, 1]);
        assert_eq!(node.since_version(), version, "{opset}");
        assert_eq!(node.spec(&[3], DType::F32).is_ok(), version.is_some(), "{opset}");
        let node = node.flavour(Flavour::OnnxRuntime);
        assert_eq!(node.spec(&[3], DType::F32).is_ok(), (2..=26).contains(&opset), "{opset}");
    }
}

#[test]
fn arguments_belong_to_their_versions() {
    let ok = |node: &Pad| match node.spec(&[3], DType::F32) {
        Ok(_) => true,
        Err(DialectError::NotInVersion { .. }) => false,
        Err(other) => panic!("{other}"),
    };
    for opset in 1..=28 {
        let node = || Pad::new(opset, &[0, 1]);
        assert_eq!(ok(&node().value(1.0)), opset < 11, "{opset}");
        assert_eq!(ok(&node().constant_value(Fill::of(1.0f32))), opset >= 11, "{opset}");
        assert_eq!(ok(&node().constant_value_shape(&[])), opset >= 11, "{opset}");
        assert_eq!(ok(&node().pads_shape(&[2])), opset >= 11, "{opset}");
        assert_eq!(ok(&node().axes(&[0])), opset >= 18, "{opset}");
    }
    for (opset, pads) in [(1, "paddings"), (2, "pads")] {
        let says = |node: Pad, advice: String| {
            assert!(node.spec(&[3], DType::F32).unwrap_err().to_string().ends_with(&advice), "{advice}");
        };
        says(Pad::new(opset, &[0, 1]).axes(&[0]), format!("give {pads} for all axes"));
        says(Pad::new(opset, &[0, 1]).pads_shape(&[2]), format!("give the attribute {pads}"));
    }
}

#[test]
fn types_grow_with_versions() {
    let count = |flavour, opset| {
        let node = Pad::new(opset, &[1, 0]).mode("edge").flavour(flavour);
        DType::ALL.iter().filter(|&&dtype| node.spec(&[2], dtype).is_ok()).count()
    };
    let opsets = [1, 2, 11, 13, 18, 19, 21, 23, 24, 25];
    assert_eq!(opsets.map(|opset| count(Flavour::Spec, opset)), [3, 3, 11, 16, 16, 16, 22, 23, 24, 26]);
    assert_eq!(opsets.map(|opset| count(Flavour::OnnxRuntime, opset)), [0, 2, 9, 10, 10, 10, 10, 10, 10, 10]);
    let early = Pad::new(12, &[1, 0]).spec(&[2], DType::BF16).unwrap_err();
    assert_eq!(early.to_string(), "ONNX has bf16 from opset 13; the node is opset 12: convert the data");
}

#[test]
fn wrap_came_with_19_but_programs_do_not_ask() {
    for opset in 2..=26 {
        let node = Pad::new(opset, &[1, 0]).mode("wrap");
        assert_eq!(node.spec(&[3], DType::F32).is_ok(), opset >= 19, "{opset}");
        for flavour in [Flavour::OnnxRuntime, Flavour::Evaluator] {
            assert!(node.clone().flavour(flavour).spec(&[3], DType::F32).is_ok(), "{opset}");
        }
    }
    for flavour in BOTH {
        for mode in ["symmetric", "Constant", ""] {
            assert!(matches!(pad1(flavour, mode, [0, 0], 1), Err(DialectError::Word { .. })));
        }
    }
}

#[test]
fn begins_stand_before_ends() {
    for opset in [1, 2, 13] {
        let shape = Pad::new(opset, &[0, 0, 2, 0]).output_shape(&[3, 2], DType::F32);
        assert_eq!(shape.unwrap(), [5, 2], "{opset}");
    }
    let count = |name, got| Err(DialectError::Count { name, expected: 4, got });
    assert_eq!(Pad::new(1, &[0; 2]).spec(&[3, 2], DType::F32), count("paddings", 2));
    assert_eq!(Pad::new(2, &[0; 3]).spec(&[3, 2], DType::F32), count("pads", 3));
    assert_eq!(Pad::new(13, &[0; 5]).spec(&[3, 2], DType::F32), count("pads", 5));
    let negative = DialectError::NegativePad { name: "paddings", axis: 0, value: -1 };
    assert_eq!(Pad::new(1, &[0, -1]).spec(&[3], DType::F32), Err(negative));
    assert!(Pad::new(2, &[0, -1]).spec(&[3], DType::F32).is_ok());
}

#[test]
fn axes() {
    let node = |axes: &'static [i64], pads: &'static [i64]| Pad::new(18, pads).axes(axes);
    let shape = |node: Pad| node.output_shape(&[1, 2, 3], DType::F32);
    assert_eq!(shape(node(&[], &[])).unwrap(), [1, 2, 3]);
    assert_eq!(shape(node(&[-1, 0], &[1, 0, 2, 5])).unwrap(), [6, 2, 6]);
    assert_eq!(shape(node(&[-3, 2], &[1, 0, 0, 0])).unwrap(), [2, 2, 3]);
    for axis in [&[3], &[-4]] {
        let error = DialectError::AxisOutOfRange { axis: axis[0], rank: 3 };
        assert_eq!(shape(node(axis, &[0, 0])), Err(error));
    }
    let count = DialectError::ListedCount { name: "pads", expected: 2, got: 6 };
    assert_eq!(shape(node(&[1], &[0; 6])), Err(count));
    let repeated = DialectError::RepeatedAxis { axis: 2, position: 1 };
    for flavour in BOTH {
        let twice = node(&[2, -1], &[1, 2, 0, 0]).flavour(flavour);
        assert_eq!(shape(twice.clone()), Err(repeated.clone()));
        assert_eq!(shape(twice.last_axis_wins(true)).unwrap(), [1, 2, 5]);
    }
}

#[test]
fn values() {
    let half = |value, bits: u16| {
        let spec = Pad::new(10, &[1, 0]).value(value).spec(&[1], DType::F16).unwrap();
        assert_eq!(spec.fill, Some(Fill::from_bytes(DType::F16, &bits.to_ne_bytes())), "{value}");
    };
    half(0.1, 0x2e66);
    half(-0.0, 0x8000);
    half(65519.0, 0x7bff);
    half(65520.0, 0x7c00);
    let node = Pad::new(2, &[1, 0]).value(0.1);
    assert_eq!(node.pad(&[1.0f64], &[1]).unwrap(), [0.10000000149011612, 1.0]);
    let node = Pad::new(13, &[1, 0]);
    assert_eq!(node.pad(&[true], &[1]).unwrap(), [false, true]);
    let other = node.clone().constant_value(Fill::of(1u8));
    for mode in ["constant", "edge"] {
        let refused = other.clone().mode(mode).pad(&[1.0f32], &[1]);
        assert!(matches!(refused, Err(DialectError::Pad(PadError::FillType { .. }))), "{mode}");
    }
    let words = ["a".to_string()];
    assert_eq!(node.pad_cloned(&words, &[1], &String::new()).unwrap(), ["", "a"]);
    let scale = Pad::new(24, &[1, 0]);
    let required = DialectError::Pad(PadError::FillRequired { dtype: Some(DType::F8E8M0) });
    assert_eq!(scale.pad_bytes(&[3], &[1], DType::F8E8M0), Err(required));
    assert_eq!(scale.mode("edge").pad_bytes(&[3], &[1], DType::F8E8M0).unwrap(), [3, 3]);
}

#[test]
fn shapes_of_inputs() {
    let shape = |flavour, node: Pad| match node.flavour(flavour).spec(&[3], DType::F32) {
        Ok(_) => true,
        Err(DialectError::Shape { .. }) => false,
        Err(other) => panic!("{other}"),
    };
    let node = || Pad::new(13, &[0, 1]);
    for flavour in BOTH {
        let lenient = flavour == Flavour::OnnxRuntime;
        assert!(shape(flavour, node().pads_shape(&[2])));
        assert_eq!(shape(flavour, node().pads_shape(&[1, 2])), lenient);
        for pads in [&[][..], &[1], &[2, 1], &[1, 1, 2]] {
            assert!(!shape(flavour, node().pads_shape(pads)), "{pads:?}");
        }
        assert!(shape(flavour, node().constant_value_shape(&[])));
        assert_eq!(shape(flavour, node().constant_value_shape(&[1])), lenient);
        assert_eq!(shape(flavour, node().constant_value_shape(&[1, 1])), lenient);
        assert!(!shape(flavour, node().constant_value_shape(&[2])));
        assert!(!shape(flavour, node().constant_value_shape(&[0])));
    }
}

#[test]
fn negative_pads_crop_first() {
    for flavour in BOTH {
        assert_eq!(pad1(flavour, "constant", [-2, 3], 6).unwrap(), [3., 4., 5., 6., 0., 0., 0.]);
        assert_eq!(pad1(flavour, "constant", [-7, 3], 6).unwrap(), [0., 0.]);
        assert_eq!(pad1(flavour, "reflect", [-2, 3], 6).unwrap(), [3., 4., 5., 6., 5., 4., 3.]);
        assert_eq!(pad1(flavour, "wrap", [-2, 5], 6).unwrap(), [3., 4., 5., 6., 3., 4., 5., 6., 3.]);
        let negative = pad1(flavour, "constant", [-4, -3], 6);
        assert!(matches!(negative, Err(DialectError::Pad(PadError::NegativeOutput { .. }))));
    }
}

#[test]
fn as_specified_numpy_decides() {
    let pad = |mode, pads, d| pad1(Flavour::Spec, mode, pads, d);
    assert_eq!(pad("reflect", [-2, 5], 6).unwrap(), [3., 4., 5., 6., 5., 4., 3., 4., 5.]);
    assert_eq!(pad("reflect", [2, 0], 2).unwrap(), [1., 2., 1., 2.]);
    assert_eq!(pad("reflect", [1, 1], 1).unwrap(), [1.; 3]);
    for mode in ["reflect", "edge", "wrap"] {
        assert!(pad(mode, [-3, -3], 6).unwrap().is_empty());
        assert!(pad(mode, [0, 0], 0).unwrap().is_empty());
        for (pads, d) in [([0, 1], 0), ([-7, 3], 6)] {
            let refused = pad(mode, pads, d);
            assert!(matches!(refused, Err(DialectError::Pad(PadError::EmptyWindow { .. }))));
        }
    }
    assert_eq!(Pad::new(13, &[]).pad(&[7.0f32], &[]).unwrap(), [7.0]);
}

#[test]
fn onnxruntime_has_limits() {
    let pad = |mode, pads, d| pad1(Flavour::OnnxRuntime, mode, pads, d);
    let short = |length, min, mode: PadMode| {
        Err(DialectError::AxisTooShort { axis: 0, length, min, mode: mode.name() })
    };
    let long = |length, low, high, max| {
        let (pad, mode) = (AxisPad::new(low, high), PadMode::Reflect);
        Err(DialectError::PadTooLong { axis: 0, length, pad, max, mode: mode.name() })
    };
    // The oldest Pad of onnxruntime has version 2.
    let oldest =
        |opset| Pad::new(opset, &[1, 1]).flavour(Flavour::OnnxRuntime).output_shape(&[3], DType::F32);
    assert!(matches!(oldest(1), Err(DialectError::Version { system: "onnxruntime", version: 1, .. })));
    assert_eq!(oldest(2).unwrap(), [5]);
    assert_eq!(pad("reflect", [5, 0], 6).unwrap().len(), 11);
    assert_eq!(pad("reflect", [6, 0], 6), long(6, 6, 0, 5));
    assert_eq!(pad("reflect", [-2, 5], 6), long(4, -2, 5, 3));
    assert_eq!(pad("reflect", [0, 0], 1).unwrap(), [1.]);
    assert_eq!(pad("reflect", [0, 1], 1), short(1, 2, PadMode::Reflect));
    assert_eq!(pad("wrap", [2, 0], 1).unwrap(), [1.; 3]);
    for (name, mode) in [("edge", PadMode::Edge), ("reflect", PadMode::Reflect), ("wrap", PadMode::Wrap)] {
        assert_eq!(pad(name, [-3, -3], 6), short(0, 1, mode));
        assert_eq!(pad(name, [-7, 3], 6), short(0, 1, mode));
        assert!(pad(name, [0, 1], 0).is_err());
        let node = |pads| Pad::new(19, pads).flavour(Flavour::OnnxRuntime).mode(name);
        let empty = |pads| node(pads).output_shape(&[0, 3], DType::F32);
        if mode == PadMode::Wrap {
            assert_eq!(empty(&[0, 0, 0, 0]), short(0, 1, mode).map(|_: Vec<f32>| Vec::new()));
        } else {
            assert_eq!(empty(&[0, 1, 0, 1]).unwrap(), [0, 5]);
            assert_eq!(empty(&[0, 9, 0, 0]).unwrap(), [0, 12]);
            // onnxruntime returns [0, 2]. This library does not extend an axis after it was cropped to nothing.
            let window = |result| matches!(result, Err(DialectError::Pad(PadError::EmptyWindow { .. })));
            assert!(window(empty(&[0, -3, 0, 2])));
            assert!(window(empty(&[1, 0, 0, 0])));
        }
    }
    assert_eq!(pad("constant", [1, 0], 0).unwrap(), [0.]);
    for flavour in [Flavour::OnnxRuntime, Flavour::Evaluator] {
        let rank = Pad::new(13, &[]).flavour(flavour).pad(&[7.0f32], &[]);
        assert!(matches!(rank, Err(DialectError::Rank { rank: 0, min: 1, .. })));
    }
}
