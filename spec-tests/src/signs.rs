//! Paddings with sides that turn signs, run in every way. What is expected is what the same padding gives without them, which
//! other tests hold against the reference, with the signs of the reference turned.
#![forbid(unsafe_code)]

use std::ops::Range;

use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::computed::PerSide;
use pad_kernels::kernels::{Isa, Streaming};
use pad_kernels::{BorderPlan, DType, PadError, PadPlan, PadSpec};

use crate::adjoint::SUMMABLE;
use crate::case::{Case, Kind};
use crate::generators::{self, MOST_ELEMENTS};
use crate::pools::on_threads;
use crate::views::{self, Placed, Window};
use crate::{convert, reach, reference};

/// The types that have negative numbers.
pub const SIGNED: [DType; 10] = [
    DType::F64,
    DType::F32,
    DType::F16,
    DType::BF16,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::C64,
    DType::C128,
];

/// Draws a padding with sides that turn signs, runs it in every way, and compares.
///
/// # Errors
///
/// None of a draw, as for [`generators::case`], and inside of it the first difference.
pub fn check(u: &mut Unstructured<'_>) -> Draw<Result<(), String>> {
    let types = if u.ratio(1, 20)? { &SUMMABLE[..] } else { &SIGNED };
    let dtype = *u.choose(types)?;
    let mut case = generators::case_of(Kind::Tagged(dtype), u)?;
    if !u.ratio(1, 20)? {
        case.axes.iter_mut().for_each(|pad| pad.interior = 0);
    }
    let mut negated = Vec::new();
    for _ in &case.shape {
        negated.push((u.arbitrary()?, u.arbitrary()?));
    }
    let Ok(shape) = case.output_shape() else { return Ok(Ok(())) };
    if shape.iter().product::<usize>() > 2 * MOST_ELEMENTS {
        reach::redrawn();
        return Ok(Ok(()));
    }
    let spec = case.spec().with_negated(PerSide::axes(negated.iter().copied()));
    let turns = negated.iter().any(|&sides| sides != (false, false));
    let (plain, signed) = match (case.plan(), case.plan_of(&spec)) {
        (Ok(plain), Ok(signed)) => (plain, signed),
        (_, Err(error)) if turns && !SIGNED.contains(&dtype) => {
            let is_right = error == PadError::NotNegatable { dtype: Some(dtype) };
            return Ok(if is_right { refused(&error) } else { Err(format!("{case}: {error}")) });
        }
        (_, Err(error @ PadError::NegatedInterior { axis, pad })) if turns => {
            let is_right =
                pad.interior > 0 && case.axes.iter().position(|pad| pad.interior > 0) == Some(axis);
            return Ok(if is_right { refused(&error) } else { Err(format!("{case}: {error}")) });
        }
        (Err(plain), Err(signed)) if plain == signed => return Ok(refused(&plain)),
        (plain, signed) => return Ok(Err(format!("{case}: {plain:?} without signs, {signed:?} with them"))),
    };
    reach::accepted();
    let (modes, frame) = case.modes();
    let along = reference::signs(&case.shape, &convert::axes(&case.axes), &modes, frame, &negated);
    let map = case.map().expect("a case that has a plan");
    let subject = Subject { case: &case, spec: &spec, dtype, along, fills: fills(&map), shape: map.shape };
    let window = subject.shape.iter().map(|&length| {
        let start = u.int_in_range(0..=length)?;
        Ok(start..u.int_in_range(start..=length)?)
    });
    let window: Window = window.collect::<Draw<_>>()?;
    let (input, output) = (views::placed(&case.shape, false, u)?, views::placed(&subject.shape, false, u)?);
    let seed = u.arbitrary()?;
    let sides: Vec<(bool, bool)> =
        case.shape.iter().map(|_| Ok((u.ratio(3, 4)?, u.ratio(3, 4)?))).collect::<Draw<_>>()?;
    let judged = subject
        .forward(&plain, &signed, &window, (&input, &output))
        .and_then(|()| subject.backward(&plain, &signed, &window, seed))
        .and_then(|()| subject.in_place(&sides, &output));
    Ok(judged
        .map_err(|what| format!("{case}\nnegated {negated:?}, window {window:?}, sides {sides:?}: {what}")))
}

fn refused(error: &PadError) -> Result<(), String> {
    reach::refused(error);
    Ok(())
}

fn fills(map: &reference::Map) -> Vec<bool> {
    map.source.iter().map(Option::is_none).collect()
}

struct Subject<'a> {
    case: &'a Case,
    spec: &'a PadSpec,
    dtype: DType,
    /// Whether signs turn at the positions of each axis.
    along: Vec<Vec<bool>>,
    /// Whether an element of the output is fill.
    fills: Vec<bool>,
    shape: Vec<usize>,
}

impl Subject<'_> {
    fn size(&self) -> usize {
        self.case.kind.bytes(1)
    }

    /// Turns the signs of elements of a box of the output, which lie one behind the other.
    fn turn(&self, window: &[Range<usize>], fills: &[bool], bytes: &mut [u8]) {
        let slots = Placed::row_major(&self.shape).slots(window);
        for (slot, element) in slots.into_iter().zip(bytes.chunks_exact_mut(self.size())) {
            let mut rest = slot;
            let mut turns = !fills[slot];
            let mut odd = false;
            for (along, &length) in self.along.iter().zip(&self.shape).rev() {
                odd ^= along[rest % length];
                rest /= length;
            }
            turns &= odd;
            if turns {
                negate(self.dtype, element);
            }
        }
    }

    fn forward(
        &self,
        plain: &PadPlan,
        signed: &PadPlan,
        window: &Window,
        (input, output): (&Placed, &Placed),
    ) -> Result<(), String> {
        let size = self.size();
        let (whole, data) = (views::whole(&self.shape), self.case.data());
        let mut expected = plain.to_vec_bytes(&data).map_err(told)?;
        self.turn(&whole, &self.fills, &mut expected);
        let same = |what: &str, got: &[u8], expected: &[u8]| {
            if got == expected { Ok(()) } else { Err(format!("{what}: {got:?} instead of {expected:?}")) }
        };
        same("a new vector", &signed.to_vec_bytes(&data).map_err(told)?, &expected)?;
        let mut dst = vec![0x5a; expected.len()];
        for isa in Isa::ALL {
            if let Ok(plan) = signed.clone().with_isa(isa) {
                dst.fill(0x5a);
                plan.run_bytes(&data, &mut dst).map_err(told)?;
                same(isa.name(), &dst, &expected)?;
            }
        }
        for (what, plan) in [
            ("the plan", signed.clone()),
            ("the walk", signed.clone().with_generic_kernel()),
            ("a stream", signed.clone().with_streaming(Streaming::Always)),
        ] {
            dst.fill(0x5a);
            plan.run_bytes(&data, &mut dst).map_err(told)?;
            same(what, &dst, &expected)?;
        }
        dst.fill(0x5a);
        on_threads(2, || signed.par_run_pieces(&data, &mut dst, 3 * size)).map_err(told)?;
        same("threads", &dst, &expected)?;
        if let Ok(made) = pad_kernels::pad_bytes(&data, &self.case.shape, self.dtype, self.spec) {
            same("one call", &made, &expected)?;
        }
        let mut part = plain.window(window).and_then(|plan| plan.to_vec_bytes(&data)).map_err(told)?;
        self.turn(window, &self.fills, &mut part);
        let ours = signed.window(window).and_then(|plan| plan.to_vec_bytes(&data)).map_err(told)?;
        same("a window", &ours, &part)?;
        // Tensors that lie otherwise.
        let placed = signed.with_strides(&input.strides(), &output.strides()).map_err(told)?;
        let mut src = vec![0xee; input.room * size];
        let slots = input.slots(&views::whole(&self.case.shape));
        for (slot, element) in slots.into_iter().zip(data.chunks_exact(size)) {
            src[slot * size..][..size].copy_from_slice(element);
        }
        let mut dst = vec![0x77; output.room * size];
        placed.run_bytes(&src, &mut dst).map_err(told)?;
        let mut got = Vec::new();
        for slot in output.slots(&whole) {
            got.extend_from_slice(&dst[slot * size..][..size]);
            dst[slot * size..][..size].fill(0x77);
        }
        same("strides", &got, &expected)?;
        if dst.iter().all(|&byte| byte == 0x77) { Ok(()) } else { Err("beside the output".to_owned()) }
    }

    /// The adjoint is that of the same padding without signs, of a gradient with signs turned.
    fn backward(&self, plain: &PadPlan, signed: &PadPlan, window: &Window, seed: u8) -> Result<(), String> {
        let whole = views::whole(&self.shape);
        for window in [&whole, window] {
            let plans = [plain, signed].map(|plan| plan.window(window).and_then(|plan| plan.adjoint()));
            let [plain, signed] = match plans {
                [Ok(plain), Ok(signed)] => [plain, signed],
                [plain, signed] => return Err(format!("adjoints {plain:?} and {signed:?}")),
            };
            let elements: usize = window.iter().map(Range::len).product();
            let mut grad = crate::case::paint(self.case.kind, elements, seed);
            let grad_out = grad.clone();
            self.turn(window, &self.fills, &mut grad);
            let before = crate::case::paint(self.case.kind, self.case.shape.iter().product(), !seed);
            let (mut expected, mut got) = (before.clone(), before.clone());
            plain.run_bytes(&grad, &mut expected).map_err(told)?;
            signed.run_bytes(&grad_out, &mut got).map_err(told)?;
            let same = |what: &str, got: &[u8], expected: &[u8]| {
                if self.are_same(got, expected) {
                    Ok(())
                } else {
                    Err(format!("{what} of {window:?}: {got:?}, {expected:?}"))
                }
            };
            same("the adjoint", &got, &expected)?;
            on_threads(2, || signed.par_run_bytes(&grad_out, &mut got)).map_err(told)?;
            same("the adjoint on threads", &got, &expected)?;
            let (mut expected, mut got) = (before.clone(), before);
            plain.run_add_bytes(&grad, &mut expected).map_err(told)?;
            signed.run_add_bytes(&grad_out, &mut got).map_err(told)?;
            same("the adjoint, added", &got, &expected)?;
            let mut fills = [vec![0; self.size()], vec![0; self.size()]];
            plain.fill_gradient_bytes(&grad_out, &mut fills[0]).map_err(told)?;
            signed.fill_gradient_bytes(&grad_out, &mut fills[1]).map_err(told)?;
            same("the gradient of the fill", &fills[1], &fills[0])?;
        }
        Ok(())
    }

    /// Whether numbers are the same bit by bit. Any NaN is as good as another.
    fn are_same(&self, a: &[u8], b: &[u8]) -> bool {
        let part = match self.dtype {
            DType::C64 | DType::C128 => self.size() / 2,
            _ => self.size(),
        };
        let is_nan = |bytes: &[u8]| match (self.dtype, part) {
            (DType::F16, _) => half::f16::from_ne_bytes(bytes.try_into().expect("two bytes")).is_nan(),
            (DType::BF16, _) => half::bf16::from_ne_bytes(bytes.try_into().expect("two bytes")).is_nan(),
            (DType::F32 | DType::C64, _) => {
                f32::from_ne_bytes(bytes.try_into().expect("four bytes")).is_nan()
            }
            (DType::F64 | DType::C128, _) => {
                f64::from_ne_bytes(bytes.try_into().expect("eight bytes")).is_nan()
            }
            _ => false,
        };
        a.chunks_exact(part).zip(b.chunks_exact(part)).all(|(a, b)| a == b || is_nan(a) && is_nan(b))
    }

    /// Borders in place, on some sides.
    fn in_place(&self, sides: &[(bool, bool)], output: &Placed) -> Result<(), String> {
        let case = self.case;
        // Without signs they are tested elsewhere.
        let is_border = SIGNED.contains(&self.dtype);
        if !is_border || case.axes.iter().any(|pad| pad.low < 0 || pad.high < 0 || pad.interior > 0) {
            return Ok(());
        }
        let size = self.size();
        let (modes, _) = case.modes();
        let map = reference::borders(&case.shape, &convert::axes(&case.axes), &modes, sides);
        let before = crate::case::paint(case.kind, self.fills.len(), case.paint);
        let fill = case.fill_bytes();
        let mut expected = Vec::new();
        for (number, source) in map.source.iter().enumerate() {
            let of_position = case.coloured().map_or(0, |axis| map.filler_along(number, axis));
            let filler = &fill[of_position * size..][..size];
            expected.extend_from_slice(source.map_or(filler, |at| &before[at * size..][..size]));
        }
        // Sides that are not made turn no signs.
        let mut along = self.along.clone();
        for (axis, along) in along.iter_mut().enumerate() {
            let (low, len) = (case.axes[axis].low as usize, case.shape[axis]);
            for (position, turns) in along.iter_mut().enumerate() {
                *turns &= if position < low { sides[axis].0 } else { position < low + len || sides[axis].1 };
            }
        }
        let made = Subject { along, fills: fills(&map), shape: self.shape.clone(), ..*self };
        made.turn(&views::whole(&self.shape), &made.fills, &mut expected);
        let plan = typed_borders(self.dtype, self.spec, &case.shape)
            .and_then(|plan| plan.with_sides(sides.iter().copied())?.with_strides(&output.strides()))
            .map_err(told)?;
        let mut dst = vec![0x77; output.room * size];
        let slots = output.slots(&views::whole(&self.shape));
        for (&slot, element) in slots.iter().zip(before.chunks_exact(size)) {
            dst[slot * size..][..size].copy_from_slice(element);
        }
        plan.run_bytes(&mut dst).map_err(told)?;
        let got: Vec<u8> = slots.iter().flat_map(|&slot| dst[slot * size..][..size].to_vec()).collect();
        if got == expected { Ok(()) } else { Err(format!("in place: {got:?} instead of {expected:?}")) }
    }
}

/// A plan of borders of a type that has negative numbers.
fn typed_borders(dtype: DType, spec: &PadSpec, shape: &[usize]) -> Result<BorderPlan, PadError> {
    macro_rules! of {
        ($($dtype:ident: $type:ty),*) => {
            match dtype {
                $(DType::$dtype => BorderPlan::new::<$type>(spec, shape),)*
                other => panic!("{other} has no negative numbers"),
            }
        };
    }
    of! {
        F64: f64, F32: f32, F16: half::f16, BF16: half::bf16, I8: i8, I16: i16, I32: i32, I64: i64,
        C64: num_complex::Complex<f32>, C128: num_complex::Complex<f64>
    }
}

fn told(error: PadError) -> String {
    error.to_string()
}

/// Negates an element: the sign bit of floats, the two's complement of integers.
fn negate(dtype: DType, element: &mut [u8]) {
    macro_rules! integer {
        ($type:ty) => {{
            let value = <$type>::from_ne_bytes((&*element).try_into().expect("an element"));
            element.copy_from_slice(&value.wrapping_neg().to_ne_bytes());
        }};
    }
    let part = match dtype {
        DType::I8 => return integer!(i8),
        DType::I16 => return integer!(i16),
        DType::I32 => return integer!(i32),
        DType::I64 => return integer!(i64),
        DType::C64 | DType::C128 => element.len() / 2,
        _ => element.len(),
    };
    let first = if cfg!(target_endian = "little") { part - 1 } else { 0 };
    element.chunks_exact_mut(part).for_each(|number| number[first] ^= 0x80);
}
