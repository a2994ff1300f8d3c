//! Tests the texts that requests, plans and errors print, and the functions that make requests for computed borders.

use pad_kernels::computed::{
    ComputedPlan, ComputedSpec, EndValue, PerSide, RampPrecision, pad_computed, pad_computed_into,
};
use pad_kernels::dialect::DialectError;
use pad_kernels::kernels::Isa;
use pad_kernels::tensor::{ElementSize, Operand};
use pad_kernels::{
    AxisMode, AxisPad, BorderPlan, DType, Fill, Frame, Modes, PadError, PadMode, PadPlan, PadSpec, PadTo,
};

/// Checks that an error displays `text`, and that its debug form is the same text.
#[track_caller]
fn says(error: &(impl std::error::Error + ?Sized), text: &str) {
    assert_eq!(error.to_string(), text);
    assert_eq!(format!("{error:?}"), text);
}

#[test]
fn requests_print_their_modes_pads_and_fill() {
    let modes = Modes::from([AxisMode::from(PadMode::Edge), (PadMode::Wrap, PadMode::Constant).into()]);
    assert_eq!(modes.to_string(), "[edge, wrap|constant]");
    assert!(Modes::default() == PadMode::Constant && modes != PadMode::Edge);
    let spec = PadSpec::new(modes, [(0, 0), (1, 2)]).with_fill(7u8);
    assert_eq!(spec.to_string(), "[edge, wrap|constant] [(0, 0), (1, 2)] with Fill(u8 0x07)");
    assert_eq!(format!("{:?}", Fill::untyped(&[1, 2, 3])), "Fill(0x010203)");
    let spec = PadSpec::new(PadMode::Reflect, (3, -1)).with_frame(Frame::Cropped);
    assert_eq!(format!("{spec:?}"), "PadSpec(reflect (3, -1), cropped)");
    let spec = PadSpec::new(PadMode::Edge, (3, -1, 2)).with_frame(Frame::Uncropped);
    assert_eq!(spec.to_string(), "edge (3, -1, 2), uncropped");
    assert_eq!(PadSpec::antisymmetric([(1, 2)]).to_string(), "symmetric (1, 2), negated [(true, true)]");
}

#[test]
fn plans_print_what_runs() {
    let plan = |pad: (i64, i64), shape: &[usize]| {
        PadPlan::new::<f32>(&PadSpec::new(PadMode::Edge, pad), shape).unwrap()
    };
    assert_eq!(plan((-1, -2), &[3]).to_string(), "f32 [3] -> [0], nothing to write");
    assert_eq!(plan((0, 0), &[3]).to_string(), "f32 [3] -> [3], one copy");
    let nest = plan((1, 1), &[400, 30]).with_isa(Isa::Portable).unwrap();
    assert_eq!(format!("{nest:?}"), "PadPlan(f32 [400, 30] -> [402, 32], edge, r2_edge_f32_portable)");
    let spec = PadSpec::new(PadMode::Edge, (1, 0));
    let bytes = PadPlan::for_bytes(&spec, &[2, 3], 5).unwrap();
    assert!(bytes.to_string().starts_with("elements of 5 bytes [2, 3] -> [3, 4], "), "{bytes}");
    let adjoint = nest.adjoint().unwrap();
    assert!(format!("{adjoint:?}").starts_with("AdjointPlan(f32 [400, 30] -> [402, 32], "), "{adjoint:?}");
    let borders = BorderPlan::new::<f32>(&spec, &[4]).unwrap();
    assert_eq!(borders.dtype(), Some(DType::F32));
    assert!(format!("{borders:?}").contains("edge (1, 0)"), "{borders:?}");
}

/// Makes a request with each function, and checks the first and the last value of the padded array.
#[test]
fn short_ways_ask_for_computed_borders() {
    let src = [3.0, f64::NAN, 1.0, 2.0];
    let both = |spec: ComputedSpec| {
        let mut padded = [0.0; 6];
        pad_computed_into(&src, &[4], &spec, &mut padded).unwrap();
        let plan = ComputedPlan::new::<f64>(&spec, &[4]).unwrap();
        assert_eq!((plan.dtype(), plan.output_shape()), (Some(DType::F64), &[6][..]));
        (padded[0], padded[5])
    };
    assert_eq!(both(ComputedSpec::constant([(1, 1)], 9.0)), (9.0, 9.0));
    assert_eq!(both(ComputedSpec::nan_maximum([(1, 1)])), (3.0, 3.0));
    assert_eq!(both(ComputedSpec::nan_mean([(1, 1)])), (2.0, 2.0));
    assert_eq!(both(ComputedSpec::nan_median([(1, 1)])), (2.0, 2.0));
    assert_eq!(both(ComputedSpec::nan_minimum([(1, 1)])), (1.0, 1.0));
    assert_eq!(both(ComputedSpec::odd_symmetric([(1, 1)])), (3.0, 2.0));
    assert_eq!(
        pad_computed(&[3, 1, 2], &[3], &ComputedSpec::odd_reflect([(1, 1)])).unwrap(),
        [5, 3, 1, 2, 3]
    );
    let ramp = ComputedSpec::linear_ramp([(2, 0)], PerSide::all(EndValue::from(0.0)));
    let ramp = ramp.with_precision(RampPrecision::Data);
    assert_eq!(pad_computed(&[4.0f32], &[1], &ramp).unwrap(), [0.0, 2.0, 4.0]);
    for (mode, name) in
        [(ComputedSpec::odd_symmetric([(1, 1)]), "odd_symmetric"), (ComputedSpec::smooth([(1, 1)]), "smooth")]
    {
        assert_eq!(mode.mode.name(), name);
    }
}

#[test]
fn gradients_of_computed_borders_add() {
    // The border continues the line through the first two elements: it is twice the first minus the second.
    let plan = ComputedPlan::new::<f64>(&ComputedSpec::smooth([(1, 0)]), &[2]).unwrap();
    let adjoint = plan.adjoint().unwrap();
    let mut grad = [10.0, 20.0];
    adjoint.run_add(&[2.0, 3.0, 4.0], &mut grad).unwrap();
    assert_eq!(grad, [17.0, 22.0]);
    let short = plan.run(&[1.0, 2.0], &mut [0.0]).unwrap_err();
    assert!(matches!(short, PadError::Length { operand: Operand::Output, expected: 3, got: 1 }), "{short}");
    let short = adjoint.run_add(&[2.0], &mut grad).unwrap_err();
    assert!(
        matches!(short, PadError::GradientLength { operand: Operand::Output, expected: 3, got: 1 }),
        "{short}"
    );
    let pads =
        PadPlan::new::<f32>(&PadSpec::new(PadMode::Constant, (1, 1)), &[2]).unwrap().adjoint().unwrap();
    let wrong = pads.fill_gradient_bytes(&[0; 16], &mut [0; 3]).unwrap_err();
    assert_eq!(wrong.to_string(), "the gradient of the fill has length 3, but an element has 4 bytes");
}

#[test]
fn errors_name_the_axis_and_the_values() {
    let pad = AxisPad::new(-1, -2);
    let (axis, length) = (1, 5);
    for (error, text) in [
        (
            PadError::MultipleOverflow { axis, length, number: 7 },
            "axis 1: the next multiple of 7 from length 5 on is more than an axis can hold",
        ),
        (
            PadError::BatchLength { name: "src", item: 72, got: 73 },
            "`src` has length 73, but an item of the batch has 72 elements: give a multiple of 72",
        ),
        (
            PadError::EmptyWindow { axis, length, pad, mode: PadMode::Wrap, output: 2 },
            "axis 1: the pads remove all 5 elements (low -1, high -2), and mode wrap has none left to make 2 from: remove less, or use constant mode",
        ),
        (
            PadError::OtherTensor { operand: Operand::Input, axis },
            "axis 1 of the input has another length or stride than the plan was made for: make one with the tensors' shape \
             and Strides::spanning",
        ),
        (
            PadError::WindowRange { axis, start: 4, end: 3, length },
            "axis 1: the window 4..3 starts after its end: give the start first",
        ),
        (
            PadError::SizeOverflow {
                operand: Operand::Output,
                axis,
                length,
                element_size: ElementSize::Cloned,
            },
            "the output is larger than memory can be: with axis 1 of length 5 it passes 9223372036854775807 elements",
        ),
    ] {
        if size_of::<usize>() == 8 {
            says(&error, text);
        }
    }
    let untagged = "no framework has this element type: use a PadSpec, or a type of DType";
    says(&DialectError::Untagged, untagged);
    let computes = DialectError::Computes { name: "mode", given: "mean".into() };
    says(&computes, "mode \"mean\" makes new values, which no PadSpec does: ask for its computed_spec");
    let inner = DialectError::Pad(PadError::ZeroMultiple { axis });
    assert!(std::error::Error::source(&inner).is_some() && std::error::Error::source(&computes).is_none());
    let unknown = "mirror".parse::<PadMode>().unwrap_err();
    let strange = "xyzzy".parse::<PadMode>().unwrap_err().to_string();
    assert!(strange.starts_with("mode \"xyzzy\" is unknown: The modes are "), "{strange}");
    let isa = Isa::Portable;
    says(
        &PadError::IsaUnavailable { isa },
        &format!("there is no kernel for {isa} that runs this plan: use another instruction set"),
    );
    for (name, each) in [("pads", "a begin and an end"), ("axes", "an entry")] {
        let count = DialectError::Count { name, expected: 4, got: 3 }.to_string();
        assert!(
            count.starts_with(&format!("{name} has 3 entries, but 4 are needed: give {each} for ")),
            "{count}"
        );
    }
    assert!(format!("{unknown:?}").starts_with("mode \"mirror\" is unknown: did you mean "), "{unknown:?}");
    let to =
        PadTo::new(PadMode::Constant, [pad_kernels::pad_to::AxisTo::default(); 2]).with_fill(Fill::of(3));
    assert_eq!((to.axes().len(), to.resolve(&[2, 2]).unwrap().fill), (2, Some(Fill::of(3))));
}

#[cfg(feature = "image")]
#[test]
fn errors_about_images_speak_of_pixels() {
    use pad_kernels::interop::image::PadImageError;
    let (pad, length) = (AxisPad::new(-1, 3), 1);
    for (error, text) in [
        (PadImageError::NotOfPictures, "the plan is for a tensor with strides, or of other than two axes"),
        (PadImageError::Constants, "the constant sides differ in their pixels: give them one"),
        (PadImageError::Channels { count: 9 }, "pixels have 1 to 8 channels, not 9"),
        #[cfg(target_pointer_width = "64")]
        (
            PadImageError::TooLarge { width: 5_000_000_000, height: 2 },
            "the result has 5000000000 x 2 pixels, more than 4294967295 a side",
        ),
        (
            PadError::EmptyWindow { axis: 0, length, pad, mode: PadMode::Edge, output: 3 }.into(),
            "height 1 with top -1 and bottom 3 has no pixel to make 3 from: remove less, or use a constant border",
        ),
        (
            PadError::AxisOverflow { axis: 1, length, pad }.into(),
            "width 1 with left -1 and right 3 is more than an image can have: add less",
        ),
        (
            PadImageError::ColorType { color: image::ColorType::Rgb8 },
            "images of colour type Rgb8 are not padded: convert the image first",
        ),
    ] {
        says(&error, text);
    }
    let other = PadError::ZeroMultiple { axis: 0 };
    assert_eq!(PadImageError::from(other).to_string(), other.to_string());
}
