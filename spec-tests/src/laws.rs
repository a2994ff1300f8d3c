//! Checks laws about two paddings, without a reference. The tests of the reference check further laws.

use anyhow::{Result, ensure};
use arbitrary::Unstructured;
use pad_kernels::{AxisMode, AxisPad, DType, Modes, tensor::ElementSize};

use crate::case::{Case, Kind};
use crate::oracles::Outcome;
use crate::{generators, reach};

/// Runs the request of `case` on `data`. Returns the shape and the bytes of the output.
fn pad(case: &Case, data: &[u8]) -> (Vec<usize>, Vec<u8>) {
    let plan = case.plan().unwrap_or_else(|error| panic!("{case}: {error}"));
    let mut out = vec![0x99; plan.output_bytes()];
    plan.run_bytes(data, &mut out).expect("lengths are right");
    (plan.output_shape().to_vec(), out)
}

/// Generates a random case whose elements have bytes or bits, and checks all laws for it.
pub fn check(u: &mut Unstructured<'_>) -> Result<Outcome> {
    let mut case = generators::case(u)?.plain();
    if case.kind == Kind::Tagged(DType::String) {
        case.kind = Kind::Tagged(DType::U4);
    }
    case.fill = Some(case.fill_bytes());
    if let Err(error) = case.plan() {
        reach::refused(&error);
        return Ok(Outcome::Refused(error));
    }
    reach::accepted();
    let at_once = pad(&case, &case.data());
    let by_axis = axis_by_axis(&case, u)?;
    ensure!(by_axis == at_once, "{case}\naxis by axis:\n  {at_once:?}\n  {by_axis:?}");
    if let ElementSize::Bytes(size) = case.kind.element_size() {
        let reversed = reversed(&case, size);
        ensure!(reversed == at_once, "{case}\nreversed:\n  {at_once:?}\n  {reversed:?}");
    }
    Ok(Outcome::Ran)
}

/// Pads one axis after the other, in random order. The result should equal the output of one request that pads all axes.
fn axis_by_axis(case: &Case, u: &mut Unstructured<'_>) -> Result<(Vec<usize>, Vec<u8>)> {
    let mut left: Vec<usize> = (0..case.shape.len()).collect();
    let none = vec![AxisPad::default(); case.shape.len()];
    let (mut shape, mut data) = pad(&Case { axes: none.clone(), ..case.clone() }, &case.data());
    while !left.is_empty() {
        let axis = left.swap_remove(u.choose_index(left.len())?);
        let mut axes = none.clone();
        axes[axis] = case.axes[axis];
        (shape, data) = pad(&Case { shape, axes, ..case.clone() }, &data);
    }
    Ok((shape, data))
}

/// Reverses the input, pads it with swapped sides, and reverses the output. The result should equal that of the original request.
fn reversed(case: &Case, size: usize) -> (Vec<usize>, Vec<u8>) {
    let reverse = |data: &[u8]| data.rchunks_exact(size).flatten().copied().collect::<Vec<_>>();
    let swap = |pad: &AxisPad| AxisPad { low: pad.high, high: pad.low, ..*pad };
    let mode = match &case.mode {
        Modes::All(mode) => Modes::All(*mode),
        Modes::Each(modes) => modes.iter().map(|&AxisMode { low, high }| (high, low)).collect(),
    };
    let swapped = Case { mode, axes: case.axes.iter().map(swap).collect(), ..case.clone() };
    let (shape, data) = pad(&swapped, &reverse(&case.data()));
    (shape, reverse(&data))
}
