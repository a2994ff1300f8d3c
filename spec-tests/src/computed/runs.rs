//! Runs a case in every way, and compares the results with the reference.

use anyhow::{Context as _, Result, bail, ensure};
use arbitrary::Unstructured;
use pad_kernels::{
    AxisPad, PadError,
    computed::{ComputedMode, ComputedPlan},
    kernels::Isa,
};

use super::adjoint::check_adjoint;
use super::cases::{Case, kind, little, size};
use crate::reach::{self, Class};
use crate::reference::computed::{Kind, Mode, Refusal, Request, pad};
use crate::views::placed;

/// Runs a case and its adjoint on every instruction set and with random strides, and compares the results with the reference.
pub fn check(case: &Case, u: &mut Unstructured<'_>) -> Result<()> {
    run(case, u).and_then(|()| check_adjoint(case, u)).with_context(|| format!("{case:?}"))
}

fn run(case: &Case, u: &mut Unstructured<'_>) -> Result<()> {
    let expected = pad(&case.request(), kind(case.dtype), &case.shape, &little(case.dtype, &case.data));
    let plan = ComputedPlan::for_dtype(&case.spec, &case.shape, case.dtype);
    let (plan, (shape, bytes)) = match (plan, expected) {
        (Ok(plan), Ok(expected)) => (plan, expected),
        (Err(error), Err((axis, reason))) => {
            reach::refused(&error);
            let (low, high) = case.spec.widths[axis];
            let right = match reason {
                Refusal::EmptyAxis => {
                    PadError::EmptyAxis { axis, pad: AxisPad::new(low as i64, high as i64) }
                }
                Refusal::EmptyStatistic => PadError::EmptyStatistic { axis },
                Refusal::ComplexEnd => PadError::EndValue { axis, dtype: case.dtype },
            };
            ensure!(error == right, "refused with {error}, not {right}");
            return Ok(());
        }
        (plan, reference) => bail!("{plan:?}, and the reference: {:?}", reference.map(|(shape, _)| shape)),
    };
    reach::accepted();
    let bytes = little(case.dtype, &bytes);
    ensure!(plan.output_shape() == shape, "another shape");
    let size = size(case.dtype);
    for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
        let plan = plan.with_isa(isa)?;
        plan.kernels().for_each(|row| reach::count(Class::Numeric, row.name()));
        for junk in [0x5a, 0xa5] {
            // Skip the first byte, so that the destination has an odd address and ends with its buffer.
            let mut memory = vec![junk; bytes.len() + 1];
            let dst = &mut memory[1..];
            plan.run_bytes(&case.data, dst)?;
            // In mode empty, the borders stay as they are.
            let is_empty = case.spec.mode == ComputedMode::Empty;
            let bytes = if is_empty { &pad_empty(case, junk) } else { &bytes };
            ensure!(case.same(dst, bytes, false), "with {isa} {dst:?} instead of {bytes:?}");
        }
    }
    // Also use random strides: axes in another order and direction, with unused elements between them.
    let (input, output) = (placed(&case.shape, false, u)?, placed(&shape, false, u)?);
    let plan = plan.with_strides(&input.strides(), &output.strides())?;
    let src = input.spread(&case.shape, size, &case.data, &[0xee]);
    let mut dst = vec![0x77; output.room * size];
    plan.run_bytes(&src, &mut dst)?;
    let strides = Some(output.strides.clone());
    let request = Request { strides, ..case.request() };
    let bytes = match case.spec.mode {
        ComputedMode::Empty => pad_empty(case, 0x77),
        _ => {
            let made = pad(&request, kind(case.dtype), &case.shape, &little(case.dtype, &case.data));
            little(case.dtype, &made.expect("as before").1)
        }
    };
    // The bytes between the elements stay as they are.
    let right = output.spread(&shape, size, &bytes, &[0x77]);
    let same = case.same(&dst, &right, false);
    ensure!(same, "placed as {input:?} and {output:?}, {dst:?} instead of {right:?}");
    Ok(())
}

/// Returns the expected memory after a run in mode empty, if every byte was `junk` before.
fn pad_empty(case: &Case, junk: u8) -> Vec<u8> {
    let fill = vec![junk; size(case.dtype)];
    let constants = case.shape.iter().map(|_| (fill.clone(), fill.clone())).collect();
    let request = Request { mode: Mode::Constant, constants, ..case.request() };
    // The data is only copied, so an integer type of the right size stands for every type.
    let bytes = Kind::Integer(8 * size(case.dtype) as u32, false);
    pad(&request, bytes, &case.shape, &case.data).expect("constants pad everything").1
}
