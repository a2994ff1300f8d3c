//! Refused tensors that are larger than memory, and sizes at the limits of integers. Many limits depend on the width of `usize`.

use itertools::iproduct;
use pad_kernels::{
    AxisPad, BorderPlan, DType, PadError, PadMode,
    PadMode::{Constant, Edge, Reflect, Wrap},
    PadPlan, PadSpec,
    computed::{ComputedPlan, ComputedSpec},
    pad, pad_bytes_into,
    pad_to::{AxisTo, PadTo},
    tensor::{ElementSize, Operand},
};

use super::{Errors, plan, plan_u8, spec};
use crate::common;

/// Half of the bits of `usize`. Sizes computed from it reach the limits both with 32 and with 64 bits.
const HALF: u32 = usize::BITS / 2;

pub(super) fn errors(e: &mut Errors) {
    e.about("modes for another number of axes, after the axes themselves are counted");
    for modes in [0, 1, 3] {
        let spec = PadSpec::new(vec![Edge; modes], [(1, 1), (2, 2)]);
        refused! { e, PadError;
            ModeCount: plan_u8(&spec, &[3, 3]),
            AxisCount: plan_u8(&spec, &[3, 3, 3]),
        }
    }
    e.about("an empty axis that the mode of one side cannot extend");
    let side = |low, high, pad: (i64, i64)| plan_u8(&PadSpec::new([(low, high)], [pad]), &[0]);
    refused! { e, PadError;
        EmptyWindow: side(Constant, Wrap, (-1, 2)),
        EmptyWindow: side(Reflect, Constant, (1, 1)),
    }
    e.about("sizes that no widths give");
    let resolve = |to: [AxisTo; 2], shape: &[usize]| PadTo::new(Edge, to).resolve(shape);
    refused! { e, PadError;
        LongerAxis: resolve([AxisTo::KEEP, 640.into()], &[3, 700]),
        ZeroMultiple: resolve([AxisTo::multiple(0), AxisTo::KEEP], &[3, 700]),
        ArgumentCount: resolve([3.into(), 3.into()], &[3]),
    }
    let overflow = PadError::MultipleOverflow { axis: 1, length: usize::MAX, number: 2 };
    assert_eq!(resolve([3.into(), AxisTo::multiple(2)], &[3, usize::MAX]), Err(overflow));
}

/// Checks that each error has the operand, the first axis that is too large, and the element size. Its text must name the axis
/// and the length.
#[test]
fn tensors_larger_than_memory() {
    let (long, row) = (1 << (HALF - 1), 1 << (usize::BITS - 3));
    let (one, two) = (spec(Constant, [(0, 0)]), spec(Constant, [(0, 0), (0, 0)]));
    let three = |mode, first: (i64, i64), last: (i64, i64)| spec(mode, [first, (0, 0), last]);
    let check = |result, (operand, axis, length), element_size, words: &str| {
        let error = PadError::SizeOverflow { operand, axis, length, element_size };
        assert_eq!(result, Err(error));
        let text = error.to_string();
        for words in [words, &format!("axis {axis}"), &length.to_string()] {
            assert!(text.contains(words), "{text}");
        }
    };
    // The input is just small enough. The output with one more row is too large.
    let higher = three(Edge, (0, 1), (0, 0));
    let bytes = ElementSize::Bytes;
    let plan = PadPlan::new::<u32>(&higher, &[(1 << (HALF - 4)) - 1, long, 4]);
    check(plan, (Operand::Output, 2, 4), bytes(4), "bytes");
    assert!(PadPlan::new::<u16>(&higher, &[(1 << (HALF - 3)) - 1, long, 2]).is_ok());
    let plan = plan_u8(&three(Constant, (0, 0), (0, -5)), &[1 << HALF, long, 5]);
    check(plan, (Operand::Input, 1, long), bytes(1), "input");
    // The other axes are checked even if one axis is empty.
    let plan = plan_u8(&three(Constant, (0, 0), (0, 0)), &[0, 1 << HALF, long]);
    check(plan, (Operand::Input, 2, long), bytes(1), "input");
    // The limits for packed and cloned elements differ from those for bytes.
    let plan = PadPlan::for_dtype(&one, &[row], DType::U4);
    check(plan, (Operand::Input, 0, row), ElementSize::Bits(4), "4 per element");
    assert!(PadPlan::for_dtype(&one, &[row], DType::U2).is_ok());
    let plan = PadPlan::for_dtype(&two, &[row, 4], DType::String);
    check(plan, (Operand::Input, 1, 4), ElementSize::Cloned, "elements");
}

/// Checks that planning computes no number that overflows, for rows as long as memory and for equally many rows.
#[test]
fn largest_outputs_have_plans_for_every_instruction_set() {
    let most = isize::MAX as usize;
    let wide = [(1 << (HALF - 3)) - 1, 1 << (HALF - 1), 4];
    let shapes = [[1, 1, most - 1], [1, most - 1, 1], [most - 1, 1, 1], wide];
    let pads = [[(0, 0), (0, 0), (0, 1)], [(0, 0), (1, 0), (0, 0)], [(0, 0), (0, 1), (0, 1)]];
    let plans =
        iproduct!(PadMode::ALL, shapes, pads).filter_map(|(mode, shape, pads)| plan(mode, pads, &shape).ok());
    let plans: Vec<_> = plans.collect();
    for (plan, isa) in iproduct!(&plans, common::sets()) {
        assert!(plan.with_isa(isa).is_ok() || plan.kernel().is_none(), "{plan:?}, {isa}");
    }
    assert!(plans.len() > 20, "{} plans", plans.len());
}

#[test]
fn memory_that_cannot_be_had() {
    // The size is valid, but larger than the memory of any 64-bit machine. With 32 bits, `taken` uses up the memory first.
    let spec = spec(Constant, [(0, isize::MAX as i64 / 16)]);
    let plan = PadPlan::new::<f64>(&spec, &[1]).expect("a size that memory could have");
    let bytes = plan.output_bytes();
    let take = || {
        let mut taken: Vec<u8> = Vec::new();
        taken.try_reserve_exact(bytes).ok().map(|()| taken)
    };
    let taken: Vec<_> = std::iter::from_fn(take).collect();
    assert!(taken.len() < 8);
    let error = PadError::OutOfMemory { bytes };
    assert_eq!(plan.to_vec(&[1.0]), Err(error));
    assert_eq!(pad(&[1.0], &[1], &spec), Err(error));
    assert!(
        error.to_string().contains(&format!("{bytes}")) && error.to_string().contains("memory"),
        "{error}"
    );
}

/// Checks that planning is fast for borders that are longer than memory. Only a run needs time for them.
#[test]
fn a_border_is_longer_than_memory() {
    const LONG: i64 = if usize::BITS < 64 { 1 << 24 } else { 1 << 40 };
    let dtypes = [DType::U8, DType::F16, DType::F32, DType::C64, DType::C128];
    let pads = [[(0, 0), (1, LONG)], [(2, 0), (LONG, 0)], [(LONG, 1), (0, 1)]];
    for mode in PadMode::ALL {
        let requests = iproduct!([[40, 5], [40, 1], [1, 9]], pads, dtypes);
        let plans =
            requests.flat_map(|(shape, pads, dtype)| PadPlan::for_dtype(&spec(mode, pads), &shape, dtype));
        let lengths: Vec<usize> = plans.map(|plan| plan.output_len()).collect();
        assert!(!lengths.is_empty() && lengths.iter().all(|&length| length > LONG as usize), "{mode:?}");
    }
}

/// Checks that `pad_bytes_into` returns an error and does not panic if products of sizes are just below or above a limit of
/// integers. Some of the limits are those of 32 bits.
#[test]
fn sizes_at_the_limits_of_numbers() {
    let of = |low, high, interior| AxisPad { low, high, interior };
    let none = AxisPad::default();
    let cases: [(DType, &[usize], &[AxisPad]); 5] = [
        (DType::U8, &[2, 65537], &[of(65536, 0, 0), none]),
        (DType::C128, &[65537], &[of(0, 0, 65537)]),
        (DType::U8, &[65536, 1], &[of(65536, 0, 65536), none]),
        (DType::U16, &[1, 8], &[of(0, 32768, 0), of(0, 0, 65537)]),
        (DType::U8, &[22, 131_072, 31, 4096], &[none, of(-65536, 0, 0), none, none]),
    ];
    for (dtype, shape, pads) in cases {
        let spec = PadSpec::new(Edge, pads.to_vec());
        assert!(pad_bytes_into(&[1, 2], shape, dtype, &spec, &mut [0; 3]).is_err(), "{spec:?} of {shape:?}");
    }
}

/// Checks that elements longer than memory are refused, even if the tensor is empty, and that a plan does not hold a long zero.
#[test]
fn elements_are_longer_than_memory() {
    for (shape, pads) in [(&[][..], &[][..]), (&[0], &[(0, 0)]), (&[1], &[(0, 0)])] {
        let spec = PadSpec::new(Edge, pads);
        for bytes in [usize::MAX, isize::MAX as usize + 1] {
            let refused = PadPlan::for_bytes(&spec, shape, bytes);
            assert!(matches!(refused, Err(PadError::SizeOverflow { .. })), "{shape:?}: {refused:?}");
            assert!(BorderPlan::for_bytes(&spec, shape, bytes).is_err());
            let empty = ComputedSpec::empty(pads.iter().map(|_| (0usize, 0usize)));
            assert!(ComputedPlan::for_bytes(&empty, shape, bytes).is_err());
        }
    }
    #[cfg(target_pointer_width = "64")]
    {
        let plan = PadPlan::new::<[u8; 1 << 60]>(&spec(Constant, [(1, 1)]), &[0]);
        assert_eq!(plan.map(|plan| plan.output_bytes()), Ok(1 << 61));
    }
}
