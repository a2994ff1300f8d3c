//! Tests of the adjoints of linear computed borders. The adjoint of `i64` must satisfy the definition `<P x, g> = <x, P' g>`. The
//! adjoints of other types must give the results of `i64`.

use anyhow::{Result, bail, ensure};
use arbitrary::Unstructured;
use pad_kernels::computed::{ComputedAdjoint, ComputedMode, ComputedPlan};
use pad_kernels::{DType, PadError};

use super::cases::{Case, encode};
use crate::adjoint::SUMMABLE;
use crate::reach;
use crate::views::placed;

/// Checks the adjoint of a case, or checks that the library refuses to make one.
pub(super) fn check_adjoint(case: &Case, u: &mut Unstructured<'_>) -> Result<()> {
    let Ok(plan) = ComputedPlan::for_dtype(&case.spec, &case.shape, case.dtype) else { return Ok(()) };
    let mode = &case.spec.mode;
    let is_linear =
        matches!(mode, ComputedMode::OddReflect | ComputedMode::OddSymmetric | ComputedMode::Smooth);
    let adjoint = match plan.adjoint() {
        Ok(adjoint) if is_linear && SUMMABLE.contains(&case.dtype) => adjoint,
        Err(error @ PadError::NotLinear { .. }) if !is_linear => {
            reach::met(&error);
            return Ok(());
        }
        Err(PadError::NotSummable { .. }) if is_linear && case.dtype == DType::Bool => return Ok(()),
        other => bail!("adjoint: {other:?}"),
    };
    let mut draw = |count: usize| -> arbitrary::Result<Vec<i64>> {
        let cycle: Vec<_> = (0..count.min(61)).map(|_| u.int_in_range(-3..=3)).collect::<Result<_, _>>()?;
        Ok((0..count).map(|index| cycle[index % cycle.len()]).collect())
    };
    let (x, g) = (draw(plan.input_len())?, draw(plan.output_len())?);
    let integers = ComputedPlan::new::<i64>(&case.spec, &case.shape).expect("the shape was accepted");
    let mut back = vec![0; x.len()];
    let ran = integers.adjoint().and_then(|adjoint| adjoint.run(&g, &mut back));
    let padded = integers.to_vec(&x).expect("a vector");
    let (there, here) = (dot(&padded, &g), dot(&x, &back));
    ensure!(ran.is_ok() && there == here, "adjoint: {there} and {here} of {x:?} and {g:?}, {ran:?}");
    // The numbers are small, so sums are exact and are rounded to the type only once.
    let encode =
        |values: &[i64]| values.iter().flat_map(|&value| element(case.dtype, value)).collect::<Vec<u8>>();
    for adds in [false, true] {
        let run = if adds { ComputedAdjoint::run_add_bytes } else { ComputedAdjoint::run_bytes };
        let mut got = encode(&x);
        let ran = run(&adjoint, &encode(&g), &mut got);
        let sums = x.iter().zip(&back).map(|(x, sum)| if adds { x.wrapping_add(*sum) } else { *sum });
        let right = encode(&sums.collect::<Vec<_>>());
        ensure!(ran.is_ok() && got == right, "adjoint: adds {adds}: {got:?} instead of {right:?}, {ran:?}");
    }
    // Use random strides for both gradients.
    let (input, output) = (placed(&case.shape, false, u)?, placed(plan.output_shape(), false, u)?);
    let strided = plan.with_strides(&input.strides(), &output.strides()).and_then(|plan| plan.adjoint());
    let width = element(case.dtype, 0).len();
    let mut got = input.spread(&case.shape, width, &encode(&x), &[0x77]);
    let spread = output.spread(plan.output_shape(), width, &encode(&g), &[0x77]);
    let ran = strided.and_then(|adjoint| adjoint.run_bytes(&spread, &mut got));
    let same = ran.is_ok() && got == input.spread(&case.shape, width, &encode(&back), &[0x77]);
    ensure!(same, "adjoint: at {input:?} and {output:?}: {got:?} instead of {back:?}, {ran:?}");
    Ok(())
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
