//! Pads and modes that an axis cannot have.

use pad_kernels::{AxisPad, DType, Frame, PadError, PadMode, PadPlan, PadSpec, pad};

use super::{interior, plan_u8, refused, spec};

#[test]
fn another_number_of_axes() {
    let two = spec(PadMode::Edge, [(1, 1), (2, 2)]);
    for (shape, rank) in [(&[][..], "0"), (&[3], "1"), (&[3, 3, 3], "3")] {
        let error = PadError::AxisCount { spec: 2, shape: shape.len() };
        refused(plan_u8(&two, shape), error, &["2 axes", rank]);
        refused(PadPlan::for_dtype(&two, shape, DType::String), error, &["2"]);
    }
    // One entry stands for every axis.
    for shape in [&[][..], &[3], &[3, 2], &[4, 3, 2]] {
        let each = PadSpec::new(PadMode::Wrap, vec![(2, 1); shape.len()]);
        assert_eq!(
            plan_u8(&PadSpec::new(PadMode::Wrap, [(2, 1)]), shape),
            plan_u8(&each, shape),
            "{shape:?}"
        );
        assert_eq!(plan_u8(&PadSpec::new(PadMode::Wrap, (2, 1)), shape), plan_u8(&each, shape), "{shape:?}");
        let output = plan_u8(&each, shape).map(|plan| plan.output_shape().to_vec());
        assert_eq!(PadSpec::new(PadMode::Wrap, (2, 1)).output_shape(shape), output);
    }
    let error = PadError::AxisCount { spec: 0, shape: 1 };
    refused(plan_u8(&PadSpec::new(PadMode::Edge, [(0, 0); 0]), &[1]), error, &["0 axes", "1"]);
}

#[test]
fn modes_of_another_number_of_axes() {
    let pads = [(1, 1), (2, 2)];
    for modes in [0, 1, 3] {
        let spec = PadSpec::new(vec![PadMode::Edge; modes], pads);
        let error = PadError::ModeCount { modes, shape: 2 };
        refused(plan_u8(&spec, &[3, 3]), error, &[&format!("{modes} axes"), "2"]);
        // The axes themselves are counted first.
        let error = PadError::AxisCount { spec: 2, shape: 3 };
        refused(plan_u8(&spec, &[3, 3, 3]), error, &["2 axes"]);
    }
}

/// An empty axis is extended by a side of constant mode, and by no other.
#[test]
fn one_side_of_an_empty_axis() {
    let modes = [(PadMode::Constant, PadMode::Wrap)];
    let padded = pad(&[0u8; 0], &[0], &PadSpec::new(modes, [(2, 0)]).with_fill(7u8));
    assert_eq!(padded.as_deref(), Ok(&[7u8, 7][..]));
    for (low, high, output) in [(0, 1, 1), (1, 1, 2), (-1, 2, 1)] {
        let pad = AxisPad::new(low, high);
        let error = PadError::EmptyWindow { axis: 0, length: 0, pad, mode: PadMode::Wrap, output };
        refused(plan_u8(&PadSpec::new(modes, [pad]), &[0]), error, &["axis 0", "wrap"]);
    }
    let turned = PadSpec::new([(PadMode::Reflect, PadMode::Constant)], [(1, 1)]);
    let pad = AxisPad::new(1, 1);
    let error = PadError::EmptyWindow { axis: 0, length: 0, pad, mode: PadMode::Reflect, output: 2 };
    refused(plan_u8(&turned, &[0]), error, &["reflect"]);
    let kept = PadSpec::new([(PadMode::Reflect, PadMode::Constant)], [(-1, 2)]).with_fill(9u8);
    assert_eq!(pad_kernels::pad(&[], &[0], &kept), Ok(vec![9u8]));
}

#[test]
fn negative_output() {
    let mut wanted = Vec::new();
    for mode in PadMode::ALL {
        for frame in [Frame::Uncropped, Frame::Cropped] {
            let pad = AxisPad::new(-3, -4);
            let spec = spec(mode, [AxisPad::new(1, 1), pad]).with_frame(frame);
            let error = PadError::NegativeOutput { axis: 1, length: 6, pad, output: -1 };
            refused(plan_u8(&spec, &[2, 6]), error, &["axis 1", "6", "-3", "-4", "-1"]);
            wanted.push(error);
        }
    }
    assert_eq!(wanted.len(), 10);
    // An axis of nothing has nothing to remove, and gaps count as length.
    let pad = AxisPad::new(0, -1);
    let error = PadError::NegativeOutput { axis: 0, length: 0, pad, output: -1 };
    refused(plan_u8(&spec(PadMode::Constant, [pad]), &[0]), error, &["axis 0"]);
    let pad = AxisPad { low: -4, high: -4, interior: 2 };
    let error = PadError::NegativeOutput { axis: 0, length: 3, pad, output: -1 };
    refused(plan_u8(&spec(PadMode::Constant, [pad]), &[3]), error, &["interior 2", "-1"]);
}

#[test]
fn negative_output_further_than_64_bits() {
    let pad = AxisPad::new(i64::MIN, i64::MIN);
    let output = 5 + 2 * i128::from(i64::MIN);
    let error = PadError::NegativeOutput { axis: 0, length: 5, pad, output };
    refused(plan_u8(&spec(PadMode::Wrap, [pad]), &[5]), error, &["axis 0", &output.to_string()]);
}

#[test]
fn output_length_passes_2_to_the_63() {
    for (length, low, high) in
        [(1, i64::MAX, 0), (1, 0, i64::MAX), (1, i64::MAX, i64::MAX), (2, 1 << 62, 1 << 62)]
    {
        let pad = AxisPad::new(low, high);
        let error = PadError::AxisOverflow { axis: 2, length, pad };
        let spec = spec(PadMode::Constant, [AxisPad::new(0, 0), AxisPad::new(0, 0), pad]);
        refused(plan_u8(&spec, &[1, 1, length]), error, &["axis 2", &low.to_string(), &high.to_string()]);
    }
}

#[test]
fn dilated_length_overflows() {
    for (length, gap) in [(3, 1 << 63), (3, u64::MAX), (2, u64::MAX), (2, i64::MAX as u64), (9, 1 << 61)] {
        let pad = interior(gap);
        let error = PadError::AxisOverflow { axis: 0, length, pad };
        refused(plan_u8(&spec(PadMode::Constant, [pad]), &[length]), error, &["axis 0", &gap.to_string()]);
        // Removing it all again does not help.
        let pad = AxisPad { high: i64::MIN, ..pad };
        let error = PadError::AxisOverflow { axis: 0, length, pad };
        refused(plan_u8(&spec(PadMode::Constant, [pad]), &[length]), error, &[&length.to_string()]);
    }
}

#[test]
#[cfg(target_pointer_width = "64")]
fn input_axis_longer_than_64_bits_of_sign() {
    let pad = AxisPad::new(i64::MIN, 0);
    let error = PadError::AxisOverflow { axis: 0, length: usize::MAX, pad };
    refused(plan_u8(&spec(PadMode::Constant, [pad]), &[usize::MAX]), error, &["axis 0"]);
}

/// Twice the window must fit, or coordinates of a mirror would not.
#[test]
#[cfg(target_pointer_width = "64")]
fn mirror_period_overflows() {
    let length = 1 << 62;
    let pad = AxisPad::new(0, 5 - length as i64);
    for mode in [PadMode::Reflect, PadMode::Symmetric] {
        let error = PadError::AxisOverflow { axis: 0, length, pad };
        refused(plan_u8(&spec(mode, [pad]).with_frame(Frame::Uncropped), &[length]), error, &["axis 0"]);
        let cropped = spec(mode, [pad]).with_frame(Frame::Cropped);
        assert_eq!(plan_u8(&cropped, &[length]).map(|plan| plan.output_len()), Ok(5));
    }
}

#[test]
fn empty_window_of_an_empty_axis() {
    for mode in [PadMode::Edge, PadMode::Reflect, PadMode::Symmetric, PadMode::Wrap] {
        let pad = AxisPad::new(2, 1);
        let error = PadError::EmptyWindow { axis: 1, length: 0, pad, mode, output: 3 };
        let spec = spec(mode, [AxisPad::new(0, 0), pad]);
        refused(plan_u8(&spec, &[4, 0]), error, &["axis 1", mode.name(), "3", "length 0"]);
        // Even if there is no output for another reason.
        refused(plan_u8(&spec, &[0, 0]), error, &["axis 1"]);
    }
}

#[test]
fn empty_window_after_cropping() {
    for (mode, frame) in [
        (PadMode::Wrap, None),
        (PadMode::Wrap, Some(Frame::Cropped)),
        (PadMode::Reflect, Some(Frame::Cropped)),
        (PadMode::Edge, Some(Frame::Cropped)),
        (PadMode::Symmetric, Some(Frame::Cropped)),
    ] {
        for (low, high, output) in [(-6, 3, 3), (-7, 3, 2), (4, -6, 4), (4, -9, 1)] {
            let pad = AxisPad::new(low, high);
            let mut spec = spec(mode, [pad]);
            spec.frame = frame;
            let error = PadError::EmptyWindow { axis: 0, length: 6, pad, mode, output };
            refused(
                plan_u8(&spec, &[6]),
                error,
                &["axis 0", mode.name(), &low.to_string(), "all 6 elements"],
            );
        }
    }
    // The other reading has the whole axis to take from.
    let uncropped = spec(PadMode::Reflect, [(-6, 3)]);
    assert_eq!(plan_u8(&uncropped, &[6]).map(|plan| plan.output_len()), Ok(3));
}

#[test]
fn axes_are_told_in_order() {
    let spec = spec(PadMode::Reflect, [(0, 0), (-9, 0), (1, 0)]);
    let pad = AxisPad::new(-9, 0);
    let error = PadError::NegativeOutput { axis: 1, length: 3, pad, output: -6 };
    refused(plan_u8(&spec, &[3, 3, 0]), error, &["axis 1"]);
}
