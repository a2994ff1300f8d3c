//! Strides, indices and boxes that lead out of their tensors, and outputs with holes.

use std::mem::MaybeUninit;

use pad_kernels::{DType, PadError, PadMode, PadPlan, PadSpec, Strides, tensor::Operand};

use super::{JUNK, plan_u8, refused, spec};

/// A row above two rows of three.
fn one_row_more() -> PadPlan {
    let spec = PadSpec::new(PadMode::Edge, [(1, 0), (0, 0)]);
    PadPlan::new::<u8>(&spec, &[2, 3]).expect("a valid request")
}

#[test]
fn strides_that_lead_out_or_meet() {
    let plan = one_row_more();
    let (input, output) = (Strides::row_major(&[2, 3]), Strides::row_major(&[3, 3]));
    let short = Strides::new(0, [1]);
    let error = |operand| PadError::StrideCount { operand, strides: 1, shape: 2 };
    refused(plan.with_strides(&short, &output), error(Operand::Input), &["1", "2"]);
    refused(plan.with_strides(&input, &short), error(Operand::Output), &["1", "2"]);

    // Backwards from the first element there is nothing, from the fourth there is.
    let error = PadError::StrideRange { operand: Operand::Input, axis: 0, stride: -3, length: 2 };
    refused(plan.with_strides(&Strides::new(2, [-3, 1]), &output), error, &["-3"]);
    assert!(plan.with_strides(&Strides::new(3, [-3, 1]), &output).is_ok());

    // The third element of a row would be the first of the next.
    let error = PadError::Overlap { axis: 0, stride: 2, length: 3 };
    refused(plan.with_strides(&input, &Strides::new(0, [2, 1])), error, &["2"]);
    assert!(plan.with_strides(&input, &Strides::new(0, [3, 1])).is_ok());
}

#[test]
fn indices_of_other_tensors() {
    let strides = Strides::new(5, [-3, 1]);
    assert_eq!(strides.at(&[1, 2]), Ok(Strides::new(4, [-3, 1])));
    let error = PadError::IndexCount { index: 3, strides: 2 };
    refused(strides.at(&[0, 0, 0]), error, &["3", "2"]);
    let error = PadError::IndexRange { offset: 5 };
    refused(strides.at(&[2, 0]), error, &["5"]);
    for index in [[0, usize::MAX], [usize::MAX, 0], [usize::MAX; 2], [0, isize::MAX as usize]] {
        refused(strides.at(&index), error, &[]);
    }
    let widest = Strides::new(usize::MAX, [isize::MIN, isize::MIN, isize::MAX]);
    refused(widest.at(&[usize::MAX, usize::MAX, 0]), PadError::IndexRange { offset: usize::MAX }, &[]);
}

#[test]
fn new_bytes_are_refused_as_others_are() {
    let plan = plan_u8(&spec(PadMode::Edge, [(1, 2)]), &[3]).expect("valid");
    refused(
        plan.to_vec_bytes(&[1, 2]),
        PadError::Length { operand: Operand::Input, expected: 3, got: 2 },
        &["2", "3"],
    );
    let text = PadPlan::for_dtype(&spec(PadMode::Edge, [(1, 2)]), &[3], DType::String).expect("valid");
    refused(text.to_vec_bytes(&[]), PadError::Cloned { plan: Some(DType::String) }, &[]);
    let values = PadPlan::for_cloned(&spec(PadMode::Edge, [(1, 2)]), &[3]).expect("valid");
    refused(values.to_vec_bytes(&[]), PadError::Cloned { plan: None }, &["clones"]);
    assert_eq!(values.to_vec_cloned(&["a", "b", "c"], &""), Ok(vec!["a", "a", "b", "c", "c", "c"]));
    let strides = [Strides::row_major(&[3]), Strides::new(0, [2])];
    let holes = plan.with_strides(&strides[0], &strides[1]).expect("room");
    refused(holes.to_vec_bytes(&[1, 2, 3]), PadError::OutputHasHoles, &[]);
    refused(holes.par_to_vec_bytes(&[1, 2, 3]), PadError::OutputHasHoles, &[]);
}

#[test]
fn holes_are_not_for_new_memory() {
    let output = Strides::new(0, [4, 1]);
    let plan = one_row_more().with_strides(&Strides::row_major(&[2, 3]), &output).expect("room for a hole");
    let src = [1u8, 2, 3, 4, 5, 6];
    refused(plan.to_vec(&src), PadError::OutputHasHoles, &[]);
    refused(plan.run_uninit(&src, &mut [MaybeUninit::new(0); 11]).map(drop), PadError::OutputHasHoles, &[]);
    // Two rows of four, and three elements: one less is too little, one more is left alone.
    let error = PadError::Length { operand: Operand::Output, expected: 11, got: 10 };
    refused(plan.run(&src, &mut [JUNK; 10]), error, &["11", "10"]);
    let mut dst = [JUNK; 12];
    assert_eq!(plan.run(&src, &mut dst), Ok(()));
    assert_eq!(dst, [1, 2, 3, JUNK, 1, 2, 3, JUNK, 4, 5, 6, JUNK]);
}

#[test]
fn boxes_that_are_not_in_the_output() {
    let plan = one_row_more();
    let one = 0..1;
    let error = || PadError::WindowCount { window: 1, shape: 2 };
    refused(plan.window(std::slice::from_ref(&one)), error(), &["1", "2"]);
    refused(plan.input_region(std::slice::from_ref(&one)), error(), &["1", "2"]);
    let error = || PadError::WindowRange { axis: 1, start: 1, end: 4, length: 3 };
    refused(plan.window(&[0..3, 1..4]), error(), &["4", "3"]);
    refused(plan.window_from_region(&[0..3, 1..4]), error(), &["4", "3"]);
    assert!(plan.window(&[0..3, 1..3]).is_ok());
}
