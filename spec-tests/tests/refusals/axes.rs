//! Refused pads and modes of an axis. The tests against the reference compare the refusals of all other requests.

use pad_kernels::PadMode::{Constant, Edge, Reflect, Symmetric, Wrap};
use pad_kernels::{AxisPad, DType, Frame, PadError, PadPlan, PadSpec};

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
        EmptyWindow: side(Constant, Wrap, (-1, 2)),
        EmptyWindow: side(Reflect, Constant, (1, 1)),
        EmptyWindow: plan(Edge, [(0, 0), (2, 1)], &[4, 0]),
    }

    e.about("nothing is left of an axis that a mode extends");
    let cropped = |mode, pad: (i64, i64)| plan_u8(&spec(mode, [pad]).with_frame(Frame::Cropped), &[6]);
    refused! { e, PadError;
        EmptyWindow: plan(Wrap, [(-6, 3)], &[6]),
        EmptyWindow: cropped(Reflect, (-7, 3)),
        EmptyWindow: cropped(Edge, (4, -6)),
        EmptyWindow: cropped(Symmetric, (4, -9)),
    }

    e.about("a negative length");
    refused! { e, PadError;
        NegativeOutput: plan(Edge, [(1, 1), (-3, -4)], &[2, 6]),
        NegativeOutput: plan(Constant, [(0, -1)], &[0]),
        NegativeOutput: plan(Constant, [AxisPad::new(-4, -4).with_interior(2)], &[3]),
        NegativeOutput: plan(Wrap, [(i64::MIN, i64::MIN)], &[5]),
        // The error names the first of several wrong axes.
        NegativeOutput: plan(Reflect, [(0, 0), (-9, 0), (1, 0)], &[3, 3, 0]),
    }

    e.about("a length of more than 63 bits");
    let interior = |length: usize, interior: u64, high: i64| {
        plan(Constant, [AxisPad { low: 0, high, interior }], &[length])
    };
    refused! { e, PadError;
        AxisOverflow: plan(Constant, [(0, 0), (i64::MAX, 0)], &[1, 1]),
        AxisOverflow: plan(Constant, [(0, 0), (1 << 62, 1 << 62)], &[1, 2]),
        AxisOverflow: interior(3, 1 << 63, 0),
        AxisOverflow: interior(2, i64::MAX as u64, 0),
        // A crop of the whole axis does not help.
        AxisOverflow: interior(9, 1 << 61, i64::MIN),
    }
}
