//! The law that makes an adjoint one.

use pad_kernels::DType;

use super::numbers::step;
use crate::case::{Case, Kind};
use crate::oracles::Mismatch;

/// `<P x, g> = <x, P' g>` for a fill of zero, exactly, in wrapping integers of 64 bits.
pub fn check_dot_product(case: &Case, seed: u64) -> Result<(), Mismatch> {
    let case = Case { kind: Kind::Tagged(DType::I64), fill: Some(vec![0; 8]), ..case.clone() };
    let told = |what: String| Mismatch::new(&case, format!("dot product, seed {seed}: {what}"));
    let Ok(plan) = case.plan() else { return Ok(()) };
    let mut state = seed | 1;
    let mut draw =
        |count: usize| -> Vec<i64> { (0..count).map(|_| (step(&mut state) >> 5) as i64).collect() };
    let (x, g) = (draw(plan.input_len()), draw(plan.output_len()));
    let mut back = vec![0; x.len()];
    let adjoint = plan.adjoint().and_then(|adjoint| adjoint.run(&g, &mut back).map(|()| adjoint));
    let adjoint = adjoint.map_err(|error| told(error.to_string()))?;
    let padded = plan.to_vec(&x).map_err(|error| told(error.to_string()))?;
    let dot =
        |a: &[i64], b: &[i64]| a.iter().zip(b).fold(0i64, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)));
    let (there, here) = (dot(&padded, &g), dot(&x, &back));
    if there != here {
        return Err(told(format!("{there} and {here}")));
    }
    // All that is given comes back: to the input, or to the fill.
    let fill = adjoint.fill_gradient(&g).map_err(|error| told(error.to_string()))?;
    let sum = |values: &[i64]| values.iter().fold(0i64, |sum, value| sum.wrapping_add(*value));
    let (given, back) = (sum(&g), sum(&back).wrapping_add(fill));
    if given == back { Ok(()) } else { Err(told(format!("{given} was given, {back} came back"))) }
}
