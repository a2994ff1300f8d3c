//! Checks laws about two paddings, without a reference. The tests of the reference check further laws.
#![forbid(unsafe_code)]

use arbitrary::{Result, Unstructured};
use pad_kernels::{AxisMode, AxisPad, DType, Frame, Modes, PadMode, tensor::ElementSize};

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
    frames_are_what_they_say
    mirrored_requests_give_mirrored_outputs
    sides_are_as_they_are_alone
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

    fn crop(&self, axes: impl Iterator<Item = (i64, i64)>) -> Tensor {
        let axes: Vec<_> = axes.map(|(low, high)| AxisPad::new(-low, -high)).collect();
        self.pad(&PadMode::Constant.into(), None, &axes)
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

fn axes(case: &Case, change: impl Fn(AxisPad) -> AxisPad) -> Vec<AxisPad> {
    case.axes.iter().map(|&pad| change(pad)).collect()
}

/// Returns whether the output of `axes` could be too large for a fast test. A law may drop a negative width that made it small.
fn long(case: &Case, axes: &[AxisPad]) -> bool {
    let length = |(&length, pad): (&usize, &AxisPad)| {
        length * (1 + pad.interior as usize) + (pad.low.max(0) + pad.high.max(0)) as usize
    };
    case.shape.iter().zip(axes).map(length).product::<usize>() > 10_000
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

/// In the frame `Uncropped`, negative widths crop a wider output. In the frame `Cropped`, they crop the input before padding.
fn frames_are_what_they_say(case: &Case, u: &mut Unstructured<'_>) -> Result<Equals> {
    let input = Tensor::of(case);
    if case.mode != PadMode::Constant && case.shape.contains(&0) {
        return Ok(None);
    }
    // If there are several modes, their default frames may differ, so one frame is chosen.
    let frame = case.frame.or(case.mode.single().map(PadMode::default_frame)).unwrap_or(Frame::Uncropped);
    let want = input.pad(&case.mode, Some(frame), &case.axes);
    match frame {
        Frame::Uncropped => {
            let more = u.int_in_range(0..=3)?;
            let wider =
                axes(case, |pad| AxisPad { low: pad.low.max(0) + more, high: pad.high.max(0) + more, ..pad });
            if long(case, &wider) {
                return Ok(None);
            }
            let cut: Vec<_> = wider
                .iter()
                .zip(&case.axes)
                .map(|(wide, pad)| (wide.low - pad.low, wide.high - pad.high))
                .collect();
            let wide = input.pad(&case.mode, Some(frame), &wider);
            Ok(Some((wide.crop(cut.into_iter()), want)))
        }
        Frame::Cropped => {
            let gaps = axes(case, |pad| AxisPad { low: 0, high: 0, ..pad });
            let cut = axes(case, |pad| AxisPad::new(pad.low.min(0), pad.high.min(0)));
            let borders = axes(case, |pad| AxisPad::new(pad.low.max(0), pad.high.max(0)));
            let open = input.pad(&case.mode, Some(frame), &gaps);
            let possible =
                cut.iter().zip(&open.shape).all(|(pad, &length)| -pad.low - pad.high <= length as i64);
            if !possible {
                return Ok(None);
            }
            let kept = open.pad(&case.mode, Some(frame), &cut);
            Ok(Some((kept.pad(&case.mode, Some(frame), &borders), want)))
        }
    }
}

/// Padding a reversed input with swapped sides gives the reversed output.
fn mirrored_requests_give_mirrored_outputs(case: &Case, _: &mut Unstructured<'_>) -> Result<Equals> {
    if !matches!(case.kind.element_size(), ElementSize::Bytes(_)) {
        return Ok(None);
    }
    let swapped = axes(case, |pad| AxisPad { low: pad.high, high: pad.low, ..pad });
    let input = Tensor::of(case);
    let want = input.pad(&case.mode, case.frame, &case.axes).reversed();
    let modes = match &case.mode {
        Modes::All(mode) => Modes::All(*mode),
        Modes::Each(modes) => modes.iter().map(|&AxisMode { low, high }| (high, low)).collect(),
    };
    let got = input.reversed().pad(&modes, case.frame, &swapped);
    Ok(Some((got, want)))
}

/// The output without the high border does not depend on the mode of the high side. The law also holds with swapped sides.
fn sides_are_as_they_are_alone(case: &Case, u: &mut Unstructured<'_>) -> Result<Equals> {
    if case.shape.is_empty() || case.shape.contains(&0) {
        return Ok(None);
    }
    let axis = u.choose_index(case.shape.len())?;
    let low_side = u.arbitrary()?;
    let of = |i| case.mode.of(i).unwrap_or_default();
    let side = if low_side { of(axis).low } else { of(axis).high };
    let alone = (0..case.shape.len()).map(|i| if i == axis { side.into() } else { of(i) }).collect();
    let cut = (0..case.shape.len()).map(|i| match case.axes[i] {
        pad if i == axis && low_side => (0, pad.high.max(0)),
        pad if i == axis => (pad.low.max(0), 0),
        _ => (0, 0),
    });
    let pad = |modes: &Modes| Tensor::of(case).pad(modes, Some(Frame::Uncropped), &case.axes);
    let both = pad(&case.mode);
    // If one side removes the whole input and a part of the other border, the output is shorter than that border.
    if both.shape.iter().zip(cut.clone()).any(|(&out, (low, high))| low + high > out as i64) {
        return Ok(None);
    }
    Ok(Some((both.crop(cut.clone()), pad(&alone).crop(cut))))
}
