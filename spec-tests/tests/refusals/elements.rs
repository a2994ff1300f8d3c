//! Fills that are missing or no element, elements of no size, and names of no type.

use pad_kernels::{AxisPad, DType, Fill, PadError, PadMode, PadPlan, PadSpec, pad, pad_cloned, pad_into};

use super::{interior, refused, spec};

#[test]
fn fill_required() {
    let error = PadError::FillRequired { dtype: Some(DType::F8E8M0) };
    for spec in [spec(PadMode::Constant, [interior(0)]), spec(PadMode::Edge, [interior(1)])] {
        refused(PadPlan::for_dtype(&spec, &[3], DType::F8E8M0), error, &["f8e8m0", "fill"]);
    }
    let without = spec(PadMode::Edge, [(1, 1)]);
    assert!(PadPlan::for_dtype(&without, &[3], DType::F8E8M0).is_ok(), "no fill is needed");
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Marker;

/// A type of the user's that says nothing of a zero. This crate forbids what an own implementation of `Element` needs,
/// so it is an array of elements of no length that stands for those of no size.
type Nothing = [u16; 0];

#[test]
fn zero_sized_elements() {
    let spec = spec(PadMode::Edge, [(1, 1)]);
    refused(PadPlan::new::<Nothing>(&spec, &[3]), PadError::ZeroSized, &["size 0"]);
    refused(pad(&[[0u16; 0]; 3], &[3], &spec), PadError::ZeroSized, &[]);
    refused(pad_into(&[[0u16; 0]; 3], &[3], &spec, &mut [[0; 0]; 5]), PadError::ZeroSized, &[]);
    // Cloned elements may be of no size.
    assert_eq!(pad_cloned(&[Marker; 3], &[3], &spec, &Marker), Ok(vec![Marker; 5]));
}

#[test]
fn fill_of_another_type() {
    let error = |fill: DType, fill_bytes| PadError::FillType {
        dtype: Some(DType::F32),
        bytes: 4,
        fill_dtype: Some(fill),
        fill_bytes,
    };
    let axes = [(1, 1)];
    refused(
        PadPlan::new::<f32>(&PadSpec::constant(axes, 0.1f64), &[3]),
        error(DType::F64, 8),
        &["f64", "8", "f32", "4"],
    );
    // As wide, and still another type.
    refused(
        PadPlan::new::<f32>(&PadSpec::constant(axes, i32::MAX), &[3]),
        error(DType::I32, 4),
        &["i32", "f32"],
    );
    // Values that the type of the data holds are converted.
    for spec in [PadSpec::constant(axes, 1.0f64), PadSpec::constant(axes, 1i32), PadSpec::constant(axes, 1u8)]
    {
        assert_eq!(pad(&[2.0f32], &[1], &spec), Ok(vec![1.0, 2.0, 1.0]), "{spec}");
        assert_eq!(
            PadPlan::new::<f32>(&spec, &[3]),
            PadPlan::new::<f32>(&PadSpec::constant(axes, 1.0f32), &[3])
        );
    }
    // The right type, but not one element of it. Needed or not: edge mode does not excuse it.
    for mode in [PadMode::Constant, PadMode::Edge] {
        let spec = spec(mode, axes).with_fill(Fill::from_bytes(DType::F32, &[1, 2, 3]));
        refused(PadPlan::for_dtype(&spec, &[3], DType::F32), error(DType::F32, 3), &["3 bytes"]);
    }
    // Untagged types are told apart by what they are.
    let spec = PadSpec::constant(axes, [1u8; 3]);
    let untagged = PadError::FillType { dtype: None, bytes: 3, fill_dtype: None, fill_bytes: 3 };
    refused(PadPlan::new::<[i8; 3]>(&spec, &[3]), untagged, &["without a DType"]);
    assert!(PadPlan::new::<[u8; 3]>(&spec, &[3]).is_ok());
}

#[test]
fn packed_fill_is_one_byte() {
    let spec = spec(PadMode::Constant, [(1, 1)]).with_fill(Fill::from_bytes(DType::I4, &[1, 2]));
    let error =
        PadError::FillType { dtype: Some(DType::I4), bytes: 1, fill_dtype: Some(DType::I4), fill_bytes: 2 };
    refused(PadPlan::for_dtype(&spec, &[3], DType::I4), error, &["i4", "2 bytes"]);
}

#[test]
fn bool_fill_is_0_or_1() {
    for value in [2, 255] {
        let mut spec = spec(PadMode::Constant, [(1, 1)]);
        spec.fill = Some(Fill::from_bytes(DType::Bool, &[value]));
        let error = PadError::FillBool { value };
        refused(PadPlan::for_dtype(&spec, &[3], DType::Bool), error, &["bool", &value.to_string()]);
        refused(pad(&[true; 3], &[3], &spec), error, &[]);
    }
}

#[test]
fn names_of_no_type() {
    for name in ["", "F32", "float", "f32 ", "int3", "float8"] {
        match name.parse::<DType>() {
            Ok(dtype) => assert_eq!((name, dtype), ("float", DType::F32)),
            Err(error) => {
                let text = error.to_string();
                assert!(DType::ALL.iter().all(|dtype| text.contains(dtype.long_name())), "{text}");
            }
        }
    }
}

#[test]
fn fills_along_an_axis() {
    let along =
        |axis, values: &[u8]| PadSpec::new(PadMode::Constant, [(1, 0), (0, 0)]).with_fill_along(axis, values);
    let refuse = |axis, values: &[u8], error, words: &[&str]| {
        refused(PadPlan::new::<u8>(&along(axis, values), &[2, 3]), error, words);
        refused(pad(&[1u8; 6], &[2, 3], &along(axis, values)), error, words);
    };
    refuse(2, &[1, 2, 3], PadError::FillAxis { axis: 2, shape: 2 }, &["axis 2", "2 axes"]);
    refuse(
        1,
        &[1, 2],
        PadError::FillCount { axis: 1, length: 3, fills: 2 },
        &["2 elements", "axis 1", "length 3"],
    );
    let pad_of = AxisPad::new(1, 0);
    refuse(
        0,
        &[1, 2],
        PadError::FillPadded { axis: 0, pad: pad_of },
        &["axis 0", "low 1, high 0", "call of its own"],
    );
    let other = PadSpec::new(PadMode::Constant, [(1, 0), (0, 0)]).with_fill_along(1, &[1u16, 2, 3]);
    let error =
        PadError::FillType { dtype: Some(DType::U8), bytes: 1, fill_dtype: Some(DType::U16), fill_bytes: 6 };
    refused(PadPlan::new::<u8>(&other, &[2, 3]), error, &["u16 (6 bytes)"]);
    let flags = Fill::from_bytes(DType::Bool, &[0, 1, 2]).along_axis(1);
    let mut spec = PadSpec::new(PadMode::Constant, [(1, 0), (0, 0)]);
    spec.fill = Some(flags);
    refused(PadPlan::new::<bool>(&spec, &[2, 3]), PadError::FillBool { value: 2 }, &["not 2"]);
    refused(pad(&[true; 6], &[2, 3], &spec), PadError::FillBool { value: 2 }, &[]);
    // Types that take one fill only.
    spec.fill = Some(Fill::from_bytes(DType::U4, &[1, 2, 3]).along_axis(1));
    let error = PadError::FillAlong { axis: 1 };
    refused(PadPlan::for_dtype(&spec, &[2, 3], DType::U4), error, &["axis 1", "whole bytes"]);
    refused(pad_cloned(&["a"; 6], &[2, 3], &spec, &"b"), error, &["one fill"]);
}
