//! Checks laws about two paddings, without a reference. The tests of the reference check further laws.
#![forbid(unsafe_code)]

use arbitrary::{Result, Unstructured};
use pad_kernels::{AxisMode, AxisPad, DType, Frame, Modes, tensor::ElementSize};

use crate::case::{Case, Kind};
use crate::oracles::Mismatch;
use crate::{generators, reach};

/// Two tensors that must be equal, or `None` if the law does not apply to a case.
type Equals = Option<(Tensor, Tensor)>;

/// A law about two paddings.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    pub name: &'static str,
    of: fn(&Case, &mut Unstructured<'_>) -> Result<Equals>,
}

macro_rules! laws {
    ($($name:ident)*) => {
        pub const LAWS: &[Law] = &[$(Law { name: stringify!($name), of: $name }),*];
    };
}
laws! {
    axis_by_axis_is_all_at_once
    mirrored_requests_give_mirrored_outputs
}

/// Generates a random case of bytes or bits and checks the law. Returns whether the law applies to the case.
pub fn check(law: Law, u: &mut Unstructured<'_>) -> Result<std::result::Result<bool, Mismatch>> {
    let mut kind = generators::kind(u)?;
    if kind == Kind::Tagged(DType::String) {
        kind = Kind::Tagged(DType::U4);
    }
    let case = generators::case_of(kind, u)?.plain();
    match case.plan() {
        Ok(plan) if plan.output_len() <= 2000 => reach::accepted(),
        Ok(_) => {
            reach::redrawn();
            return Ok(Ok(false));
        }
        Err(error) => {
            reach::refused(&error);
            return Ok(Ok(false));
        }
    }
    Ok(match (law.of)(&case, u)? {
        Some((one, other)) if one != other => {
            Err(Mismatch::new(&case, format_args!("{}:\n  {one:?}\n  {other:?}", law.name)))
        }
        said => Ok(said.is_some()),
    })
}

/// A tensor of bytes or bits, with the fill for its next padding.
#[derive(Clone, Debug, PartialEq)]
struct Tensor {
    kind: Kind,
    fill: Option<Vec<u8>>,
    shape: Vec<usize>,
    data: Vec<u8>,
}

impl Tensor {
    /// Creates the input of a case. Bits after the last element are zero, as in every output.
    fn of(case: &Case) -> Tensor {
        let mut data = case.data();
        let used = case.kind.bits() as usize * case.shape.iter().product::<usize>() % 8;
        if let (Some(last), 1..) = (data.last_mut(), used) {
            *last &= (1 << used) - 1;
        }
        Tensor { kind: case.kind, fill: Some(case.fill_bytes()), shape: case.shape.clone(), data }
    }

    /// Pads the tensor with the library and the tensor's own fill.
    fn pad(&self, mode: &Modes, frame: Option<Frame>, axes: &[AxisPad]) -> Tensor {
        let fill = self.fill.clone();
        let case = Case { frame, fill, ..Case::new(self.kind, mode.clone(), &self.shape[..], axes) };
        let plan = case.plan().unwrap_or_else(|error| panic!("{case}: {error}"));
        let mut data = vec![0x99; plan.output_bytes()];
        plan.run_bytes(&self.data, &mut data).expect("lengths are right");
        Tensor { shape: plan.output_shape().to_vec(), data, ..self.clone() }
    }

    /// Reverses every axis. The elements must be whole bytes.
    fn reversed(&self) -> Tensor {
        let mut data = self.data.clone();
        if !data.is_empty() {
            let size = self.kind.bytes(1);
            data.reverse();
            data.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        Tensor { data, ..self.clone() }
    }
}

/// Padding all axes at once is equal to padding one axis after the other, in any order.
fn axis_by_axis_is_all_at_once(case: &Case, u: &mut Unstructured<'_>) -> Result<Equals> {
    let want = Tensor::of(case).pad(&case.mode, case.frame, &case.axes);
    let mut left: Vec<usize> = (0..case.shape.len()).collect();
    let mut got = Tensor::of(case);
    while !left.is_empty() {
        let axis = left.swap_remove(u.choose_index(left.len())?);
        let mut one = vec![AxisPad::default(); case.shape.len()];
        one[axis] = case.axes[axis];
        got = got.pad(&case.mode, case.frame, &one);
    }
    Ok(Some((got, want)))
}

/// Padding a reversed input with swapped sides gives the reversed output.
fn mirrored_requests_give_mirrored_outputs(case: &Case, _: &mut Unstructured<'_>) -> Result<Equals> {
    if !matches!(case.kind.element_size(), ElementSize::Bytes(_)) {
        return Ok(None);
    }
    let swap = |pad: &AxisPad| AxisPad { low: pad.high, high: pad.low, ..*pad };
    let swapped: Vec<_> = case.axes.iter().map(swap).collect();
    let input = Tensor::of(case);
    let want = input.pad(&case.mode, case.frame, &case.axes).reversed();
    let modes = match &case.mode {
        Modes::All(mode) => Modes::All(*mode),
        Modes::Each(modes) => modes.iter().map(|&AxisMode { low, high }| (high, low)).collect(),
    };
    let got = input.reversed().pad(&modes, case.frame, &swapped);
    Ok(Some((got, want)))
}
