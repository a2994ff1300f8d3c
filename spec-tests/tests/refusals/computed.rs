//! Refused requests for computed borders.

use std::mem::MaybeUninit;

use pad_kernels::{
    DType, PadError, Plain, Strides,
    computed::{ComputedPlan, ComputedSpec, EndValue, PerSide, pad_statistic},
    tensor::Operand,
};

use super::Errors;

pub(super) fn errors(e: &mut Errors) {
    e.about("arguments for another number of axes");
    let lengths = PerSide::axes([(Some(1), Some(1)), (Some(2), Some(2))]);
    refused! { e, PadError;
        ArgumentCount: pad_statistic(&[0.0; 4], &[2, 2], &[(1, 1); 3], &PerSide::default(), |line| line[0]),
        ArgumentCount: ComputedPlan::new::<f32>(&ComputedSpec::mean([(1, 1); 3]).with_stat_length(lengths), &[2, 2, 2]),
        AxisCount: ComputedPlan::new::<f32>(&ComputedSpec::mean([(1, 1); 2]), &[2]),
    }

    e.about("types without arithmetic");
    let mean = ComputedSpec::mean([(1, 1)]);
    refused! { e, PadError;
        NotComputed: ComputedPlan::for_dtype(&mean, &[2], DType::F8E4M3FN),
        NotComputed: ComputedPlan::for_dtype(&mean, &[2], DType::I4),
        NotComputed: ComputedPlan::for_dtype(&mean, &[2], DType::String),
        NotComputed: ComputedPlan::new::<[u8; 3]>(&mean, &[2]),
        NotComputed: ComputedPlan::for_dtype(&ComputedSpec::empty([(1, 0)]), &[2], DType::U4),
    }

    e.about("nothing to compute from, even if the border of a statistic is empty");
    let statistic =
        |spec: ComputedSpec, lengths| ComputedPlan::new::<f32>(&spec.with_stat_length(lengths), &[3]);
    let mean_of = |low, high| ComputedSpec::mean([(0, 1)]).with_stat_length(PerSide::sides(low, high));
    refused! { e, PadError;
        EmptyAxis: ComputedPlan::new::<f32>(&ComputedSpec::maximum([(0, 0), (2, 1)]), &[3, 0]),
        EmptyAxis: pad_statistic(&[0.0; 0], &[0], &[(1, 1)], &PerSide::default(), |line| line[0]),
        EmptyStatistic: statistic(ComputedSpec::maximum([(0, 1)]), PerSide::sides(0, 3)),
        EmptyStatistic: statistic(ComputedSpec::maximum([(0, 1)]), PerSide::sides(3, 0)),
        EmptyStatistic: statistic(ComputedSpec::minimum([(1, 0)]), PerSide::sides(0, 3)),
        EmptyStatistic: statistic(ComputedSpec::minimum([(1, 0)]), PerSide::sides(3, 0)),
        EmptyStatistic: ComputedPlan::new::<i32>(&mean_of(3, 0), &[3]),
    }
    assert!(ComputedPlan::new::<i32>(&mean_of(0, 3), &[3]).is_ok());
    let nan = ComputedPlan::new::<f32>(&mean_of(3, 0), &[1]).expect("floats have a NaN");
    assert!(nan.to_vec(&[1.0f32]).expect("a result")[1].is_nan());

    e.about("modes and types without an adjoint, and gradients of another length");
    let smooth = ComputedSpec::smooth([(1, 1)]);
    let flags = ComputedPlan::new::<bool>(&smooth, &[3]).expect("a plan");
    let adjoint = ComputedPlan::new::<f32>(&smooth, &[3]).expect("a plan").adjoint().expect("floats");
    refused! { e, PadError;
        NotLinear: ComputedPlan::new::<f32>(&mean, &[3]).expect("a plan").adjoint(),
        NotSummable: flags.adjoint(),
        GradientLength: adjoint.run(&[0.0f32; 4], &mut [0.0; 3]),
        ElementType: adjoint.run(&[0.0f64; 5], &mut [0.0; 3]),
    }

    e.about("complex ends of real data");
    let ends = PerSide::sides(EndValue::from(1.0), EndValue::from((1.0, 2.0)));
    let ramp = ComputedSpec::linear_ramp([(1, 1)], ends);
    refused! { e, PadError;
        EndValue: ComputedPlan::new::<f32>(&ramp, &[3]),
    }
    assert!(ComputedPlan::for_dtype(&ramp, &[3], DType::C64).is_ok());

    e.about("memory of another length, and outputs with holes");
    let plan = ComputedPlan::new::<f32>(&ComputedSpec::median([(1, 1)]), &[3]).expect("a plan");
    let mut dst = [7.0f32; 5];
    let mut memory = [const { MaybeUninit::<f32>::uninit() }; 5];
    refused! { e, PadError;
        Length: plan.run(&[1.0f32; 2], &mut dst),
        Length: plan.run(&[1.0f32; 3], &mut dst[..4]),
        Length: plan.run_bytes(&[0; 12], &mut [0; 19]),
        ElementType: plan.run(&[1i32; 3], &mut [0; 5]),
        Length: plan.run_uninit(&[1.0f32; 3], &mut memory[1..]),
    }
    assert_eq!(dst, [7.0; 5]);
    let plan = ComputedPlan::new::<[u8; 2]>(&ComputedSpec::empty([(1, 1)]), &[3]).expect("a plan");
    let holes = plan.with_strides(&Strides::row_major(&[3]), &Strides::new(0, [2])).expect("a plan");
    let mut memory = [const { MaybeUninit::<[u8; 2]>::uninit() }; 9];
    refused! { e, PadError;
        OutputHasHoles: holes.to_vec(&[[1u8; 2]; 3]),
        OutputHasHoles: holes.run_uninit(&[[1u8; 2]; 3], &mut memory),
    }
}

/// Checks errors whose numbers depend on the machine, so the snapshot does not contain them.
#[test]
fn computed_borders_that_are_longer_than_memory() {
    let long = ComputedPlan::new::<u8>(&ComputedSpec::mean([(usize::MAX, usize::MAX)]), &[2]);
    assert!(matches!(long, Err(PadError::AxisOverflow { axis: 0, .. })), "{long:?}");
    // Each axis fits into memory, but their product does not.
    let border = 1 << (usize::BITS / 2 + 8);
    let large = ComputedPlan::new::<f64>(&ComputedSpec::mean([(border, 0), (border, 0)]), &[2, 2]);
    assert!(matches!(large, Err(PadError::SizeOverflow { operand: Operand::Output, .. })), "{large:?}");
}

/// Checks that computed plans copy elements of any whole number of bytes, and write to uninitialised memory.
#[test]
fn computed_borders_that_are_accepted() {
    // The type has no zero.
    let pixel = |value: u8| Plain([value; 3]);
    let values = PerSide::axes([(pixel(1), pixel(2)), (pixel(1), pixel(3))]);
    let constants = ComputedSpec::constants([(1, 1), (0, 1)], values);
    let plan = ComputedPlan::new::<Plain<[u8; 3]>>(&constants, &[1, 1]).expect("constants of any type");
    let (padded, mut memory) = (plan.to_vec(&[pixel(7)]), [const { MaybeUninit::uninit() }; 6]);
    assert_eq!(padded.as_deref(), Ok(&[1, 3, 7, 3, 2, 3].map(pixel)[..]));
    assert_eq!(plan.run_uninit(&[pixel(7)], &mut memory).map(|written| written.to_vec()), padded);
    assert!(ComputedPlan::for_dtype(&ComputedSpec::empty([(1, 0)]), &[2], DType::F8E8M0).is_ok());
    let mut memory = [const { MaybeUninit::<f32>::uninit() }; 5];
    for (spec, border) in [(ComputedSpec::median([(1, 1)]), 2.0), (ComputedSpec::empty([(1, 1)]), 0.0)] {
        let plan = ComputedPlan::new::<f32>(&spec, &[3]).expect("a plan");
        let written = plan.run_uninit(&[1.0f32, 2.0, 4.0], &mut memory);
        assert_eq!(written, Ok(&mut [border, 1.0, 2.0, 4.0, border][..]));
    }
}
