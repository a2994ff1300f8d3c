//! Refused fills that are missing or do not fit the type, elements without size, and unknown names of types.

use pad_kernels::PadMode::{Constant, Edge};
use pad_kernels::dialect::{Dialect, DialectError, onnx};
use pad_kernels::{
    AxisPad, BorderPlan, DType, Fill, PadError, PadMode, PadPlan, PadSpec, computed::PerSide, pad,
    pad_cloned, pad_into,
};

use super::{Errors, spec};

/// A type without size. It replaces a user-defined element type, which would need `unsafe` code.
type Nothing = [u16; 0];

#[derive(Clone, Copy, Debug, PartialEq)]
struct Marker;

pub(super) fn errors(e: &mut Errors) {
    e.about("a fill is required");
    let with_gaps = spec(Edge, [AxisPad::default().with_interior(1)]);
    refused! { e, PadError;
        FillRequired: PadPlan::for_dtype(&spec(Constant, [(0, 0)]), &[3], DType::F8E8M0),
        FillRequired: PadPlan::for_dtype(&with_gaps, &[3], DType::F8E8M0),
        FillRequired: PadPlan::for_dtype(&spec(Constant, [(1, 1)]), &[1], DType::F8E8M0),
        FillRequired: pad_cloned(&["a"], &[1], &spec(Constant, [(1, 1)]), None),
    }
    assert!(PadPlan::for_dtype(&spec(Edge, [(1, 1)]), &[3], DType::F8E8M0).is_ok());

    e.about("elements of no size; only cloned ones may be so");
    let edge = spec(Edge, [(1, 1)]);
    refused! { e, PadError;
        ZeroSized: PadPlan::new::<Nothing>(&edge, &[3]),
        ZeroSized: pad(&[[0u16; 0]; 3], &[3], &edge),
        ZeroSized: pad_into(&[[0u16; 0]; 3], &[3], &edge, &mut [[0; 0]; 5]),
    }
    assert_eq!(pad_cloned(&[Marker; 3], &[3], &edge, &Marker), Ok(vec![Marker; 5]));

    e.about("a fill of another type or size");
    let of = |fill: Fill| spec(Constant, [(1, 1)]).with_fill(fill);
    let bytes = |mode: PadMode| spec(mode, [(1, 1)]).with_fill(Fill::from_bytes(DType::F32, &[1, 2, 3]));
    refused! { e, PadError;
        FillType: PadPlan::new::<f32>(&of(Fill::of(0.1f64)), &[3]),
        FillType: pad(&[1.0f32], &[1], &PadSpec::constant(1, 0.1)),
        FillType: pad(&[1u8], &[1], &PadSpec::new(Constant, 1).with_fill(-1)),
        // The size is right, but the type is wrong.
        FillType: PadPlan::new::<f32>(&of(Fill::of(i32::MAX)), &[3]),
        // Edge mode needs no fill, but refuses a wrong one.
        FillType: PadPlan::for_dtype(&bytes(Constant), &[3], DType::F32),
        FillType: PadPlan::for_dtype(&bytes(Edge), &[3], DType::F32),
        // Types without a `DType` are distinguished by their Rust type.
        FillType: PadPlan::new::<[i8; 3]>(&of(Fill::of([1u8; 3])), &[3]),
        FillType: pad(&[1u128], &[1], &PadSpec::constant(1, 7)),
        FillType: pad(&[true], &[1], &PadSpec::constant(1, 1)),
        FillType: pad_cloned(&["a"], &[1], &PadSpec::constant(1, 3), &"b"),
        FillType: PadPlan::for_dtype(&of(Fill::from_bytes(DType::I4, &[1, 2])), &[3], DType::I4),
        FillBool: PadPlan::for_dtype(&of(Fill::from_bytes(DType::Bool, &[2])), &[3], DType::Bool),
        FillBool: pad(&[true; 3], &[3], &of(Fill::from_bytes(DType::Bool, &[255]))),
    }
    // A value is converted if the type of the data can represent it.
    for fill in [Fill::of(1.0f64), Fill::of(1i32), Fill::of(1u8)] {
        assert_eq!(pad(&[2.0f32], &[1], &of(fill.clone())), Ok(vec![1.0, 2.0, 1.0]), "{fill:?}");
        assert_eq!(PadPlan::new::<f32>(&of(fill), &[3]), PadPlan::new::<f32>(&of(Fill::of(1.0f32)), &[3]));
    }
    assert_eq!(pad(&[1.0f32], &[1], &PadSpec::constant(1, 0.5)), Ok(vec![0.5, 1.0, 0.5]));
    assert!(PadPlan::new::<[u8; 3]>(&of(Fill::of([1u8; 3])), &[3]).is_ok());

    e.about("elements of which only the size is known need a fill of that size");
    let sized = |fill, bytes| {
        let mut spec = spec(Constant, [(1, 1)]);
        spec.fill = fill;
        PadPlan::for_bytes(&spec, &[3], bytes)
    };
    let plan = PadPlan::for_bytes(&spec(Edge, [(1, 1)]), &[3], 4).expect("valid");
    refused! { e, PadError;
        FillRequired: sized(None, 4),
        ZeroSized: sized(Some(Fill::untyped(&[])), 0),
        FillType: sized(Some(Fill::untyped(&[1, 2])), 3),
        FillType: sized(Some(Fill::of([1u8, 2, 3])), 3),
        FillType: sized(Some(Fill::from_bytes(DType::U8, &[1, 2, 3])), 3),
        ElementType: plan.run(&[1f32; 3], &mut [0f32; 5]),
        FillRequired: BorderPlan::for_bytes(&spec(Constant, [(1, 1)]), &[2], 3),
    }
    assert!(sized(Some(Fill::untyped(&[1, 2, 3])), 3).is_ok());

    e.about("elements without a sign");
    let antisymmetric = PadSpec::antisymmetric([(1, 1)]);
    let sides = spec(Edge, [(1, 1)]).with_negated(PerSide::axes([(true, true); 2]));
    refused! { e, PadError;
        NotNegatable: PadPlan::new::<u8>(&antisymmetric, &[3]),
        NotNegatable: PadPlan::new::<u16>(&antisymmetric, &[3]),
        NotNegatable: PadPlan::new::<bool>(&antisymmetric, &[3]),
        NotNegatable: PadPlan::for_bytes(&antisymmetric, &[3], 4),
        NotNegatable: PadPlan::for_cloned(&antisymmetric, &[3]),
        NegatedInterior: PadPlan::new::<f32>(&PadSpec::antisymmetric([(0, 1, 2)]), &[3]),
        ArgumentCount: PadPlan::new::<f32>(&sides, &[3]),
    }

    e.about("fills along an axis");
    let rows = |fill: Fill| spec(Constant, [(1, 0), (0, 0)]).with_fill(fill);
    let along = |axis, values: &[u8]| rows(Fill::along(axis, values));
    let flags = rows(Fill::from_bytes(DType::Bool, &[0, 1, 2]).along_axis(1));
    // Packed types accept a single fill only.
    let packed = rows(Fill::from_bytes(DType::U4, &[1, 2, 3]).along_axis(1));
    refused! { e, PadError;
        FillAxis: PadPlan::new::<u8>(&along(2, &[1, 2, 3]), &[2, 3]),
        FillAxis: pad(&[1u8; 6], &[2, 3], &along(2, &[1, 2, 3])),
        FillCount: PadPlan::new::<u8>(&along(1, &[1, 2]), &[2, 3]),
        FillCount: pad(&[1u8; 6], &[2, 3], &along(1, &[1, 2])),
        FillPadded: PadPlan::new::<u8>(&along(0, &[1, 2]), &[2, 3]),
        FillPadded: pad(&[1u8; 6], &[2, 3], &along(0, &[1, 2])),
        FillType: PadPlan::new::<u8>(&rows(Fill::along(1, &[1u16, 2, 300])), &[2, 3]),
        FillBool: PadPlan::new::<bool>(&flags, &[2, 3]),
        FillBool: pad(&[true; 6], &[2, 3], &flags),
        FillAlong: PadPlan::for_dtype(&packed, &[2, 3], DType::U4),
        FillAlong: pad_cloned(&["a"; 6], &[2, 3], &packed, &"b"),
    }

    assert_eq!(format!("{:?}", Fill::along(0, &[7u8, 8])), "Fill(u8 0x0708 along axis 0)");
    assert_ne!(Fill::along(0, &[7u8, 8]), Fill::along(1, &[7u8, 8]));

    e.about("a fill of another type in a call of a framework");
    let call = onnx::Pad::new(18, &[1, 1]).constant_value(Fill::of(0.0));
    refused! { e, DialectError; Pad: call.pad(&[1.0f32], &[1]) }

    e.about("names of no type and of no mode");
    refused! { e;
        "reflekt".parse::<PadMode>(),
        "".parse::<DType>(),
        "F32".parse::<DType>(),
        "f32 ".parse::<DType>(),
        "int3".parse::<DType>(),
        "float8".parse::<DType>(),
    }
    assert_eq!("float".parse::<DType>(), Ok(DType::F32));
    let known = "int3".parse::<DType>().expect_err("no type").to_string();
    assert!(DType::ALL.iter().all(|dtype| known.contains(dtype.long_name())), "{known}");
}
