//! Tests of the adjoints of linear computed borders. The adjoint of `i64` must satisfy the definition `<P x, g> = <x, P' g>`. The
//! adjoints of other types must give the results of `i64`.

use arbitrary::{Result, Unstructured};
use pad_kernels::computed::{ComputedAdjoint, ComputedMode, ComputedPlan};
use pad_kernels::{DType, PadError};

use super::cases::{Case, encode};
use crate::adjoint::SUMMABLE;
use crate::reach;
use crate::views::placed;

/// Checks the adjoint of a case, or checks that the library refuses to make one.
///
/// # Errors
///
/// The outer result fails if `u` does. The inner result describes a mismatch.
pub fn check_adjoint(case: &Case, u: &mut Unstructured<'_>) -> Result<std::result::Result<(), String>> {
    let wrong = |what: String| {
        Ok(Err(format!("adjoint: {what}: {:?} of {:?}, {}", case.spec, case.shape, case.dtype)))
    };
    let Ok(plan) = ComputedPlan::for_dtype(&case.spec, &case.shape, case.dtype) else { return Ok(Ok(())) };
    let mode = &case.spec.mode;
    let is_linear =
        matches!(mode, ComputedMode::OddReflect | ComputedMode::OddSymmetric | ComputedMode::Smooth);
    let adjoint = match plan.adjoint() {
        Ok(adjoint) if is_linear && SUMMABLE.contains(&case.dtype) => adjoint,
        Err(error @ PadError::NotLinear { .. }) if !is_linear => {
            reach::met(&error);
            return Ok(Ok(()));
        }
        Err(PadError::NotSummable { .. }) if is_linear && case.dtype == DType::Bool => return Ok(Ok(())),
        other => return wrong(format!("{other:?}")),
    };
    let mut draw = |count: usize| -> Result<Vec<i64>> {
        let cycle: Vec<i64> = (0..count.min(61)).map(|_| u.int_in_range(-3..=3)).collect::<Result<_>>()?;
        Ok((0..count).map(|index| cycle[index % cycle.len()]).collect())
    };
    let (x, g) = (draw(plan.input_len())?, draw(plan.output_len())?);
    let integers = ComputedPlan::new::<i64>(&case.spec, &case.shape).expect("the shape was accepted");
    let mut back = vec![0; x.len()];
    let ran = integers.adjoint().and_then(|adjoint| adjoint.run(&g, &mut back));
    let padded = integers.to_vec(&x).expect("a vector");
    let (there, here) = (dot(&padded, &g), dot(&x, &back));
    if ran.is_err() || there != here {
        return wrong(format!("{there} and {here} of {x:?} and {g:?}, {ran:?}"));
    }
    // The numbers are small, so sums are exact and are rounded to the type only once.
    let encode =
        |values: &[i64]| values.iter().flat_map(|&value| element(case.dtype, value)).collect::<Vec<u8>>();
    let mut got = encode(&x);
    let run = |adjoint: &ComputedAdjoint, g: &[u8], got: &mut [u8], adds: bool| match adds {
        true => adjoint.run_add_bytes(g, got),
        false => adjoint.run_bytes(g, got),
    };
    for adds in [false, true] {
        let before: Vec<i64> = if adds { x.clone() } else { vec![0; x.len()] };
        got.copy_from_slice(&encode(&x));
        let ran = run(&adjoint, &encode(&g), &mut got, adds);
        let sums: Vec<i64> =
            before.iter().zip(&back).map(|(before, sum)| before.wrapping_add(*sum)).collect();
        if ran.is_err() || got != encode(&sums) {
            return wrong(format!("adds {adds}: {got:?} instead of {sums:?}, {ran:?}"));
        }
    }
    // Use random strides for both gradients.
    let (input, output) = (placed(&case.shape, false, u)?, placed(plan.output_shape(), false, u)?);
    let strided = plan.with_strides(&input.strides(), &output.strides()).and_then(|plan| plan.adjoint());
    let width = element(case.dtype, 0).len();
    let mut got = input.spread(&case.shape, width, &encode(&x), 0x77);
    let spread = output.spread(plan.output_shape(), width, &encode(&g), 0x77);
    let ran = strided.and_then(|adjoint| adjoint.run_bytes(&spread, &mut got));
    if ran.is_err() || got != input.spread(&case.shape, width, &encode(&back), 0x77) {
        return wrong(format!("at {input:?} and {output:?}: {got:?} instead of {back:?}, {ran:?}"));
    }
    Ok(Ok(()))
}

/// Returns the dot product in wrapping integers.
fn dot(a: &[i64], b: &[i64]) -> i64 {
    a.iter().zip(b).fold(0, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)))
}

/// Converts an integer to an element of the type. The imaginary part of a complex element is the negated integer.
fn element(dtype: DType, value: i64) -> Vec<u8> {
    let part = |value: i64| encode(dtype, value as f64);
    match dtype {
        DType::C64 | DType::C128 => [part(value), part(-value)].concat(),
        _ => part(value),
    }
}
