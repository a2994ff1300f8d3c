//! Computed borders.

use std::mem::MaybeUninit;

use pad_kernels::{
    AxisPad, DType, Fill, PadError, Strides,
    computed::{ComputedPlan, ComputedSpec, EndValue, PerSide},
    tensor::Operand,
};

use super::refused;

#[test]
fn arguments_for_other_axes() {
    let lengths = PerSide::axes([(Some(1), Some(1)), (Some(2), Some(2))]);
    let spec = ComputedSpec::mean([(1, 1); 3]).with_stat_length(lengths);
    let error = PadError::ArgumentCount { name: "statistic lengths", given: 2, shape: 3 };
    refused(ComputedPlan::new::<f32>(&spec, &[2, 2, 2]), error, &["statistic lengths", "2", "3"]);
    let spec = ComputedSpec::mean([(1, 1); 2]);
    refused(ComputedPlan::new::<f32>(&spec, &[2]), PadError::AxisCount { spec: 2, shape: 1 }, &["2", "1"]);
    let spec = ComputedSpec::mean([(usize::MAX, usize::MAX)]);
    let refusal = ComputedPlan::new::<u8>(&spec, &[2]);
    assert!(matches!(refusal, Err(PadError::AxisOverflow { axis: 0, .. })), "{refusal:?}");
    // Each axis fits into memory, both do not.
    let border = 1 << (usize::BITS / 2 + 8);
    let spec = ComputedSpec::mean([(border, 0), (border, 0)]);
    let refusal = ComputedPlan::new::<f64>(&spec, &[2, 2]);
    assert!(matches!(refusal, Err(PadError::SizeOverflow { operand: Operand::Output, .. })), "{refusal:?}");
}

#[test]
fn types_without_arithmetic() {
    let spec = ComputedSpec::mean([(1, 1)]);
    for dtype in [DType::F8E4M3FN, DType::I4, DType::String] {
        let error = PadError::NotComputed { dtype: Some(dtype) };
        refused(ComputedPlan::for_dtype(&spec, &[2], dtype), error, &[dtype.name()]);
    }
    let error = PadError::NotComputed { dtype: None };
    refused(ComputedPlan::new::<[u8; 3]>(&spec, &[2]), error, &["without a DType"]);
    // What is moved may be of any type of whole bytes.
    let spec = ComputedSpec::constants([(1, 1)], PerSide::sides(Fill::of([1u8; 3]), Fill::of([2u8; 3])));
    let plan = ComputedPlan::new::<[u8; 3]>(&spec, &[1]).expect("constants of any type");
    assert_eq!(plan.to_vec(&[[7u8; 3]]), Ok(vec![[1; 3], [7; 3], [2; 3]]));
    let spec = ComputedSpec::empty([(1, 0)]);
    assert!(ComputedPlan::for_dtype(&spec, &[2], DType::F8E8M0).is_ok());
    refused(
        ComputedPlan::for_dtype(&spec, &[2], DType::U4),
        PadError::NotComputed { dtype: Some(DType::U4) },
        &["u4"],
    );
}

#[test]
fn nothing_to_compute_from() {
    let spec = ComputedSpec::maximum([(0, 0), (2, 1)]);
    let error = PadError::EmptyAxis { axis: 1, pad: AxisPad::new(2, 1) };
    refused(ComputedPlan::new::<f32>(&spec, &[3, 0]), error, &["axis 1", "low 2", "high 1"]);
    for spec in [ComputedSpec::maximum([(0, 1)]), ComputedSpec::minimum([(1, 0)])] {
        // Even if it is the statistic of a border that is not there.
        for lengths in [PerSide::sides(0, 3), PerSide::sides(3, 0)] {
            let spec = spec.clone().with_stat_length(lengths);
            refused(ComputedPlan::new::<f32>(&spec, &[3]), PadError::EmptyStatistic { axis: 0 }, &["axis 0"]);
        }
    }
    let spec = ComputedSpec::mean([(0, 1)]).with_stat_length(PerSide::sides(0, 3));
    assert!(ComputedPlan::new::<i32>(&spec, &[3]).is_ok());
    let spec = spec.with_stat_length(PerSide::sides(3, 0));
    refused(ComputedPlan::new::<i32>(&spec, &[3]), PadError::EmptyStatistic { axis: 0 }, &["axis 0"]);
    let plan = ComputedPlan::new::<f32>(&spec, &[1]).expect("a NaN says it");
    assert!(plan.to_vec(&[1.0f32]).expect("a result")[1].is_nan());
}

#[test]
fn complex_ends_of_real_data() {
    let ends = PerSide::sides(EndValue::from(1.0), EndValue::from((1.0, 2.0)));
    let spec = ComputedSpec::linear_ramp([(1, 1)], ends);
    let error = PadError::EndValue { axis: 0, dtype: DType::F32 };
    refused(ComputedPlan::new::<f32>(&spec, &[3]), error, &["axis 0", "f32"]);
    assert!(ComputedPlan::for_dtype(&spec, &[3], DType::C64).is_ok());
}

#[test]
fn computed_runs_of_other_memory() {
    let plan = ComputedPlan::new::<f32>(&ComputedSpec::median([(1, 1)]), &[3]).expect("a plan");
    let mut dst = [7.0f32; 5];
    let error = PadError::Length { operand: Operand::Input, expected: 3, got: 2 };
    refused(plan.run(&[1.0f32; 2], &mut dst), error, &["2", "3"]);
    let error = PadError::Length { operand: Operand::Output, expected: 5, got: 4 };
    refused(plan.run(&[1.0f32; 3], &mut dst[..4]), error, &["4", "5"]);
    let error = PadError::Length { operand: Operand::Output, expected: 20, got: 19 };
    refused(plan.run_bytes(&[0; 12], &mut [0; 19]), error, &["19", "20"]);
    assert!(matches!(plan.run(&[1i32; 3], &mut [0; 5]), Err(PadError::ElementType { .. })));
    assert_eq!(dst, [7.0; 5]);
    let mut memory = [const { MaybeUninit::<f32>::uninit() }; 5];
    assert_eq!(plan.run_uninit(&[1.0f32, 2.0, 4.0], &mut memory), Ok(&mut [2.0, 1.0, 2.0, 4.0, 2.0][..]));
    let error = PadError::Length { operand: Operand::Output, expected: 5, got: 4 };
    refused(plan.run_uninit(&[1.0f32; 3], &mut memory[1..]), error, &["4", "5"]);
    let plan = ComputedPlan::new::<f32>(&ComputedSpec::empty([(1, 1)]), &[3]).expect("a plan");
    assert_eq!(plan.run_uninit(&[1.0f32, 2.0, 3.0], &mut memory), Ok(&mut [0.0, 1.0, 2.0, 3.0, 0.0][..]));
    let plan = ComputedPlan::new::<[u8; 2]>(&ComputedSpec::empty([(1, 1)]), &[3]).expect("a plan");
    assert_eq!(plan.to_vec(&[[1u8; 2]; 3]).map(|made| made.len()), Ok(5));
    let holes = plan.with_strides(&Strides::row_major(&[3]), &Strides::new(0, [2])).expect("a plan");
    refused(holes.to_vec(&[[1u8; 2]; 3]), PadError::OutputHasHoles, &["holes"]);
    let mut memory = [const { MaybeUninit::<[u8; 2]>::uninit() }; 9];
    refused(holes.run_uninit(&[[1u8; 2]; 3], &mut memory), PadError::OutputHasHoles, &["holes"]);
}
