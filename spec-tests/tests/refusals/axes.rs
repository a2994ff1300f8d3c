//! Refused pads and modes of an axis.

use pad_kernels::PadMode::{Constant, Edge, Reflect, Symmetric, Wrap};
use pad_kernels::{AxisPad, DType, Frame, PadError, PadMode, PadPlan, PadSpec, pad};

use super::{Errors, plan, plan_u8, spec};

pub(super) fn errors(e: &mut Errors) {
    e.about("another number of axes");
    let two = spec(Edge, [(1, 1), (2, 2)]);
    for shape in [&[][..], &[3], &[3, 3, 3]] {
        e.with(format!("{shape:?}"));
        refused! { e, PadError; AxisCount: plan_u8(&two, shape) }
        assert_eq!(PadPlan::for_dtype(&two, shape, DType::String), plan_u8(&two, shape));
    }
    refused! { e, PadError;
        AxisCount: plan(Edge, [(0, 0); 0], &[1]),
    }

    e.about("modes for another number of axes, after the axes themselves are counted");
    for modes in [0, 1, 3] {
        let spec = PadSpec::new(vec![Edge; modes], [(1, 1), (2, 2)]);
        refused! { e, PadError;
            ModeCount: plan_u8(&spec, &[3, 3]),
            AxisCount: plan_u8(&spec, &[3, 3, 3]),
        }
    }

    e.about("an empty axis that a mode cannot extend");
    let side = |low, high, pad: (i64, i64)| plan_u8(&PadSpec::new([(low, high)], [pad]), &[0]);
    refused! { e, PadError;
        EmptyWindow: side(Constant, Wrap, (0, 1)),
        EmptyWindow: side(Constant, Wrap, (1, 1)),
        EmptyWindow: side(Constant, Wrap, (-1, 2)),
        EmptyWindow: side(Reflect, Constant, (1, 1)),
    }
    for mode in [Edge, Reflect, Symmetric, Wrap] {
        let spec = spec(mode, [(0, 0), (2, 1)]);
        e.with(mode);
        refused! { e, PadError; EmptyWindow: plan_u8(&spec, &[4, 0]) }
        // The result stays the same if the first axis is empty, too.
        assert_eq!(plan_u8(&spec, &[0, 0]), plan_u8(&spec, &[4, 0]));
    }

    e.about("nothing is left of an axis that a mode extends");
    for (mode, frame) in [
        (Wrap, None),
        (Wrap, Some(Frame::Cropped)),
        (Reflect, Some(Frame::Cropped)),
        (Edge, Some(Frame::Cropped)),
        (Symmetric, Some(Frame::Cropped)),
    ] {
        for pad in [(-6, 3), (-7, 3), (4, -6), (4, -9)] {
            let mut spec = spec(mode, [pad]);
            spec.frame = frame;
            e.with(format!("{mode} {frame:?} {pad:?}"));
            refused! { e, PadError; EmptyWindow: plan_u8(&spec, &[6]) }
        }
    }

    e.about("a negative length");
    for (mode, frame) in PadMode::ALL
        .into_iter()
        .flat_map(|mode| [Frame::Uncropped, Frame::Cropped].map(|frame| (mode, frame)))
    {
        let spec = spec(mode, [(1, 1), (-3, -4)]).with_frame(frame);
        e.with(format!("{mode} {frame:?}"));
        refused! { e, PadError; NegativeOutput: plan_u8(&spec, &[2, 6]) }
    }
    refused! { e, PadError;
        NegativeOutput: plan(Constant, [(0, -1)], &[0]),
        NegativeOutput: plan(Constant, [AxisPad::new(-4, -4).with_interior(2)], &[3]),
        NegativeOutput: plan(Wrap, [(i64::MIN, i64::MIN)], &[5]),
        // The error names the first of several wrong axes.
        NegativeOutput: plan(Reflect, [(0, 0), (-9, 0), (1, 0)], &[3, 3, 0]),
    }

    e.about("a length of more than 63 bits");
    let third = |length: usize, low, high| plan(Constant, [(0, 0), (0, 0), (low, high)], &[1, 1, length]);
    let interior = |length: usize, interior: u64, high: i64| {
        plan(Constant, [AxisPad { low: 0, high, interior }], &[length])
    };
    refused! { e, PadError;
        AxisOverflow: third(1, i64::MAX, 0),
        AxisOverflow: third(1, 0, i64::MAX),
        AxisOverflow: third(1, i64::MAX, i64::MAX),
        AxisOverflow: third(2, 1 << 62, 1 << 62),
        AxisOverflow: interior(3, 1 << 63, 0),
        AxisOverflow: interior(3, u64::MAX, 0),
        AxisOverflow: interior(2, u64::MAX, 0),
        AxisOverflow: interior(2, i64::MAX as u64, 0),
        // A crop of the whole axis does not help.
        AxisOverflow: interior(3, 1 << 63, i64::MIN),
        AxisOverflow: interior(2, u64::MAX, i64::MIN),
        AxisOverflow: interior(9, 1 << 61, i64::MIN),
    }
}

/// Checks accepted requests that are close to refused ones.
#[test]
fn axes_that_are_accepted() {
    // A single entry applies to every axis.
    for shape in [&[][..], &[3], &[3, 2], &[4, 3, 2]] {
        let each = PadSpec::new(Wrap, vec![(2, 1); shape.len()]);
        for one in [PadSpec::new(Wrap, [(2, 1)]), PadSpec::new(Wrap, (2, 1))] {
            assert_eq!(plan_u8(&one, shape), plan_u8(&each, shape), "{shape:?}");
            let output = plan_u8(&each, shape).map(|plan| plan.output_shape().to_vec());
            assert_eq!(one.output_shape(shape), output);
        }
    }
    // A side with constant mode can extend an empty axis.
    let of_nothing =
        |modes: (PadMode, PadMode), pads| pad(&[], &[0], &PadSpec::new([modes], [pads]).with_fill(7u8));
    assert_eq!(of_nothing((Constant, Wrap), (2, 0)), Ok(vec![7, 7]));
    assert_eq!(of_nothing((Reflect, Constant), (-1, 2)), Ok(vec![7]));
    // With the default frame, the border can read the whole axis.
    assert_eq!(plan(Reflect, [(-6, 3)], &[6]).map(|plan| plan.output_len()), Ok(3));
}

/// Checks lengths that only 64-bit machines have. For reflect and symmetric, twice the length of the input interval must fit into
/// 63 bits, too.
#[test]
#[cfg(target_pointer_width = "64")]
fn axes_of_half_of_the_memory() {
    use pad_kernels::PadError::AxisOverflow;

    let whole = plan(Constant, [(i64::MIN, 0)], &[usize::MAX]);
    assert_eq!(whole, Err(AxisOverflow { axis: 0, length: usize::MAX, pad: AxisPad::new(i64::MIN, 0) }));
    let length = 1 << 62;
    let pad = AxisPad::new(0, 5 - length as i64);
    for mode in [Reflect, Symmetric] {
        let of = |frame| plan_u8(&spec(mode, [pad]).with_frame(frame), &[length]);
        assert_eq!(of(Frame::Uncropped), Err(AxisOverflow { axis: 0, length, pad }));
        assert_eq!(of(Frame::Cropped).map(|plan| plan.output_len()), Ok(5));
    }
}
