//! Adjoints, held against the definition: sums one element at a time, in the order that it says.
#![forbid(unsafe_code)]

use std::ops::Range;

use arbitrary::{Result as Draw, Unstructured};
use half::{bf16, f16};
use pad_kernels::{AdjointPlan, DType, Isa, PadError, PadPlan, Side};

use crate::case::{Case, Kind};
use crate::generators;
use crate::oracles::Mismatch;
use crate::pools::pool;
use crate::reference::{adjoint, sum_along};
use crate::views::{self, Placed, View, Window};
use crate::{convert, reach, typed};

/// The types that can be summed.
pub const SUMMABLE: [DType; 14] = [
    DType::F64,
    DType::F32,
    DType::F16,
    DType::BF16,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::C64,
    DType::C128,
];

/// A case whose adjoint is run, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The padding.
    pub case: Case,
    /// Where the tensors lie.
    pub view: Option<View>,
    /// A box of the output, whose adjoint it is.
    pub window: Option<Window>,
    /// The seed of the gradients.
    pub seed: u64,
}

/// Draws a question, of a type that cannot be summed in one of some twenty.
///
/// # Errors
///
/// None, as for [`generators::case`].
pub fn question(u: &mut Unstructured<'_>) -> Draw<Question> {
    let kind = if u.ratio(1, 20)? { generators::kind(u)? } else { Kind::Tagged(*u.choose(&SUMMABLE)?) };
    question_of(kind, u)
}

/// The same of a kind.
///
/// # Errors
///
/// None, as for [`generators::case`].
pub fn question_of(kind: Kind, u: &mut Unstructured<'_>) -> Draw<Question> {
    let case = generators::case_of(kind, u)?;
    let seed = u.arbitrary()?;
    let (mut view, mut window) = (None, None);
    let way = u.int_in_range(0..=5u8)?;
    if way > 2 {
        view = views::view(&case, u)?;
        window = view.as_ref().filter(|_| way > 3).and_then(|view| view.tiles.first().cloned());
        view = view.filter(|_| way != 4);
    }
    Ok(Question { case, view, window, seed })
}

/// A number that can be summed as the definition says.
trait Sum: Copy {
    /// Bytes of a number.
    const BYTES: usize;
    /// What it is summed as.
    type Of: Copy + PartialEq;
    fn widen(bytes: &[u8]) -> Self::Of;
    fn narrow(sum: Self::Of) -> Vec<u8>;
    fn add(a: Self::Of, b: Self::Of) -> Self::Of;
    /// A number drawn from 64 bits: mostly small integers, of which sums are exact.
    fn draw(bits: u64) -> Vec<u8>;
    fn is_nan(_: &[u8]) -> bool {
        false
    }
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Sum for $type {
            const BYTES: usize = size_of::<$type>();
            type Of = $type;

            fn widen(bytes: &[u8]) -> $type {
                <$type>::from_ne_bytes(bytes.try_into().expect("a number"))
            }

            fn narrow(sum: $type) -> Vec<u8> {
                sum.to_ne_bytes().to_vec()
            }

            fn add(a: $type, b: $type) -> $type {
                a.wrapping_add(b)
            }

            fn draw(bits: u64) -> Vec<u8> {
                (bits as $type).to_ne_bytes().to_vec()
            }
        }
    )*};
}
integers!(u8 u16 u32 u64);

macro_rules! floats {
    ($($type:ty: $of:ty, $widen:expr, $narrow:expr;)*) => {$(
        impl Sum for $type {
            const BYTES: usize = size_of::<$type>();
            type Of = $of;

            fn widen(bytes: &[u8]) -> $of {
                $widen(<$type>::from_ne_bytes(bytes.try_into().expect("a number")))
            }

            fn narrow(sum: $of) -> Vec<u8> {
                <$type>::to_ne_bytes($narrow(sum)).to_vec()
            }

            fn add(a: $of, b: $of) -> $of {
                a + b
            }

            fn draw(bits: u64) -> Vec<u8> {
                let small = (bits >> 8) as i8;
                let value = match bits % 16 {
                    0 => -0.0,
                    1 => <$of>::INFINITY * <$of>::from(small),
                    2 => <$of>::MIN_POSITIVE * <$of>::from(small) / 7.0,
                    // Below the normal numbers of f16.
                    7 => <$of>::from(small) * <$of>::powi(2.0, -24),
                    3..=5 => <$of>::from(small) / 3.0 * <$of>::powi(2.0, (bits >> 16) as i32 % 24),
                    6 => 60000.0,
                    _ => <$of>::from(small),
                };
                Self::narrow(value)
            }

            fn is_nan(bytes: &[u8]) -> bool {
                Self::widen(bytes).is_nan()
            }
        }
    )*};
}
floats! {
    f32: f32, |value| value, |sum| sum;
    f64: f64, |value| value, |sum| sum;
    f16: f32, f16::to_f32, f16::from_f32;
    bf16: f32, bf16::to_f32, bf16::from_f32;
}

/// Runs the adjoint of a case in every way, and compares with the definition.
///
/// # Errors
///
/// The first difference.
pub fn check(question: &Question) -> Result<(), Mismatch> {
    let told = |what: String| {
        let Question { case, view, window, seed } = question;
        Mismatch::new(case, format!("adjoint: {what}\nview {view:?}, window {window:?}, seed {seed}"))
    };
    let plan = match question.case.plan() {
        Ok(plan) => plan,
        Err(error) => {
            reach::refused(&error);
            return Ok(());
        }
    };
    let plan = question.placed(plan).map_err(told)?;
    let adjoint = plan.adjoint();
    let dtype = match question.case.kind {
        Kind::Tagged(dtype) if SUMMABLE.contains(&dtype) => dtype,
        kind => {
            let dtype = match kind {
                Kind::Tagged(dtype) => Some(dtype),
                Kind::Raw(_) => None,
            };
            return match adjoint {
                Err(error) if error == (PadError::NotSummable { dtype }) => {
                    reach::refused(&error);
                    Ok(())
                }
                other => Err(told(format!("{kind} cannot be summed, but: {other:?}"))),
            };
        }
    };
    if question.shares_places() {
        return match adjoint {
            Err(error @ PadError::SharedInput { .. }) => {
                reach::refused(&error);
                Ok(())
            }
            other => Err(told(format!("elements of the input share a place, but: {other:?}"))),
        };
    }
    let adjoint = adjoint.map_err(|error| told(format!("refused: {error}")))?;
    reach::accepted();
    match dtype {
        DType::I8 | DType::U8 => question.compare::<u8>(&plan, &adjoint),
        DType::I16 | DType::U16 => question.compare::<u16>(&plan, &adjoint),
        DType::I32 | DType::U32 => question.compare::<u32>(&plan, &adjoint),
        DType::I64 | DType::U64 => question.compare::<u64>(&plan, &adjoint),
        DType::F16 => question.compare::<f16>(&plan, &adjoint),
        DType::BF16 => question.compare::<bf16>(&plan, &adjoint),
        DType::F32 | DType::C64 => question.compare::<f32>(&plan, &adjoint),
        _ => question.compare::<f64>(&plan, &adjoint),
    }
    .map_err(told)
}

/// A call that writes the input's gradient, as bytes.
type Call<'a> = &'a dyn Fn(&mut [u8]) -> Result<(), PadError>;

/// The definition's answers as bytes of numbers.
struct Expected {
    /// Sums as they are, none where nothing is added.
    sums: Vec<Option<Vec<u8>>>,
    /// The same added to what was there before.
    added: Vec<Vec<u8>>,
    fill: Vec<u8>,
}

impl Question {
    /// The plan with the strides of the view, or of the box.
    fn placed(&self, plan: PadPlan) -> Result<PadPlan, String> {
        let plan = match &self.view {
            Some(view) => plan.with_strides(&view.input.strides(), &view.output.strides()),
            None => Ok(plan),
        };
        let plan = plan.map_err(|error| error.to_string())?;
        match &self.window {
            Some(window) => plan.window(window).map_err(|error| error.to_string()),
            None => Ok(plan),
        }
    }

    /// Where the elements of the input's gradient lie.
    fn inputs(&self) -> Placed {
        self.view.as_ref().map_or_else(|| Placed::row_major(&self.case.shape), |view| view.input.clone())
    }

    /// Whether strides let two elements of the input share a place, or could.
    fn shares_places(&self) -> bool {
        let mut strides: Vec<(usize, usize)> = (self.inputs().strides.iter().zip(&self.case.shape))
            .filter(|(_, length)| **length > 1)
            .map(|(stride, &length)| (stride.unsigned_abs(), length))
            .collect();
        strides.sort_unstable();
        let mut reach = 0;
        strides.iter().any(|&(stride, length)| {
            let shares = stride <= reach;
            reach += stride * (length - 1);
            shares
        })
    }

    /// The box of the output whose gradient is given, in the whole output.
    fn range(&self, outputs: &[usize]) -> Vec<Range<usize>> {
        self.window.clone().unwrap_or_else(|| views::whole(outputs))
    }

    fn compare<S: Sum>(&self, plan: &PadPlan, adjoint: &AdjointPlan) -> Result<(), String> {
        let element = self.case.kind.bytes(1);
        let parts = element / S::BYTES;
        let whole = self.case.output_shape().expect("a case that has a plan");
        let window = self.range(&whole);
        let inputs = self.inputs().slots(&views::whole(&self.case.shape));
        let outputs = match &self.view {
            Some(view) if self.window.is_none() => view.output.clone(),
            _ => Placed::row_major(plan.output_shape()),
        };
        let slots = outputs.slots(&views::whole(plan.output_shape()));

        // Gradients of all slots of the buffers, so that what lies between elements is noticed if it is read.
        let mut state = self.seed | 1;
        let mut numbers = |elements: usize| -> Vec<u8> {
            let mut draw = || S::draw(step(&mut state) >> 29);
            (0..elements * parts).flat_map(|_| draw()).collect()
        };
        let grad = numbers(outputs.room);
        let before = numbers(self.inputs().room);
        let parts_of = |bytes: &[u8], slot: usize, part: usize| {
            bytes[(slot * parts + part) * S::BYTES..][..S::BYTES].to_vec()
        };

        let mut expected = Vec::new();
        for part in 0..parts {
            let mut values = vec![None; whole.iter().product()];
            for (at, &slot) in Placed::row_major(&whole).slots(&window).iter().zip(&slots) {
                values[*at] = Some(S::widen(&parts_of(&grad, slot, part)));
            }
            expected.push(self.expect::<S>(&whole, values, |i| parts_of(&before, inputs[i], part)));
        }

        let same = |got: &[u8], expected: &[u8]| got == expected || S::is_nan(got) && S::is_nan(expected);
        let verify = |got: &[u8], adds: bool, way: &str| {
            let mut rest = got.to_vec();
            for (i, &slot) in inputs.iter().enumerate() {
                for (part, expected) in expected.iter().enumerate() {
                    let zero = vec![0; S::BYTES];
                    let value = match &expected.sums[i] {
                        _ if adds => &expected.added[i],
                        Some(sum) => sum,
                        None => &zero,
                    };
                    let got = parts_of(got, slot, part);
                    if !same(&got, value) {
                        return Err(format!("{way}: element {i}, part {part} is {got:?}, not {value:?}"));
                    }
                    let at = (slot * parts + part) * S::BYTES;
                    rest[at..at + S::BYTES].copy_from_slice(&before[at..at + S::BYTES]);
                }
            }
            if rest == before {
                Ok(())
            } else {
                Err(format!("{way}: something between elements was written"))
            }
        };
        let run = |way: &str, adds: bool, run: Call<'_>| {
            let mut got = before.clone();
            run(&mut got).map_err(|error| format!("{way}: {error}"))?;
            verify(&got, adds, way)
        };

        let has = |isa: &Isa| pad_kernels::sums().iter().any(|row| row.isa() == *isa && isa.available());
        for isa in Isa::ALL.into_iter().filter(has) {
            let adjoint = adjoint.clone().with_isa(isa).map_err(|error| error.to_string())?;
            reach::summed(adjoint.kernel());
            run(isa.name(), false, &|got| adjoint.run_bytes(&grad, got))?;
            run(isa.name(), true, &|got| adjoint.run_add_bytes(&grad, got))?;
        }
        for threads in [2, 3] {
            let way = format!("{threads} threads");
            run(&way, false, &|got| pool(threads).install(|| adjoint.par_run_bytes(&grad, got)))?;
        }
        self.run_typed(adjoint, &grad, &run)?;

        let mut fill = vec![0xa5; element];
        adjoint.fill_gradient_bytes(&grad, &mut fill).map_err(|error| error.to_string())?;
        for (part, expected) in expected.iter().enumerate() {
            let got = parts_of(&fill, 0, part);
            if !same(&got, &expected.fill) {
                return Err(format!("fill, part {part}: {got:?}, not {:?}", expected.fill));
            }
        }
        self.refusals(adjoint, &grad, &before)
    }

    /// The typed entries, where there is a Rust type.
    fn run_typed(
        &self,
        adjoint: &AdjointPlan,
        grad: &[u8],
        run: &dyn Fn(&str, bool, Call<'_>) -> Result<(), String>,
    ) -> Result<(), String> {
        macro_rules! as_type {
            ($type:ty) => {{
                let grad = typed::elements::<$type>(grad);
                let through = |got: &mut [u8], call: &dyn Fn(&mut [$type]) -> Result<(), PadError>| {
                    let mut elements = typed::elements::<$type>(got);
                    call(&mut elements)?;
                    got.copy_from_slice(&typed::bytes(&elements));
                    Ok(())
                };
                // As long as it must be, and of an odd address.
                let memory = || vec![0xee; adjoint.scratch_bytes() + 1];
                let threads = pool(2);
                run("run", false, &|got| through(got, &|got| adjoint.run(&grad, got)))?;
                run("run_add", true, &|got| through(got, &|got| adjoint.run_add(&grad, got)))?;
                run("run_with_scratch", false, &|got| {
                    through(got, &|got| adjoint.run_with_scratch(&grad, got, &mut memory()[1..]))
                })?;
                run("run_add_with_scratch", true, &|got| {
                    through(got, &|got| adjoint.run_add_with_scratch(&grad, got, &mut memory()[1..]))
                })?;
                run("par_run", false, &|got| {
                    threads.install(|| through(got, &|got| adjoint.par_run(&grad, got)))
                })?;
                run("par_run_add", true, &|got| {
                    threads.install(|| through(got, &|got| adjoint.par_run_add(&grad, got)))
                })?;
                let fill = adjoint.fill_gradient(&grad).map_err(|error| error.to_string())?;
                let mut bytes = vec![0; size_of::<$type>()];
                let in_bytes = adjoint.fill_gradient_bytes(&typed::bytes(&grad), &mut bytes);
                in_bytes.map_err(|error| error.to_string())?;
                if typed::bytes(&[fill]) != bytes {
                    return Err(format!("fill_gradient is {fill:?}, and in bytes {bytes:?}"));
                }
            }};
        }
        match self.case.kind {
            Kind::Tagged(DType::F32) => as_type!(f32),
            Kind::Tagged(DType::F64) => as_type!(f64),
            Kind::Tagged(DType::I8) => as_type!(i8),
            Kind::Tagged(DType::U16) => as_type!(u16),
            Kind::Tagged(DType::I64) => as_type!(i64),
            _ => {}
        }
        Ok(())
    }

    /// What is wrong is refused, and nothing is written.
    fn refusals(&self, adjoint: &AdjointPlan, grad: &[u8], before: &[u8]) -> Result<(), String> {
        let element = self.case.kind.bytes(1);
        let mut got = before.to_vec();
        let exact = self.view.is_none();
        let short = |bytes: &[u8]| bytes.len().saturating_sub(element);
        let mut calls = vec![];
        if exact && !grad.is_empty() {
            let (expected, got_len) = (grad.len(), short(grad));
            let error = PadError::GradientLength { side: Side::Output, expected, got: got_len };
            calls.push((error, adjoint.run_bytes(&grad[..got_len], &mut got)));
            let mut fill = vec![0; element];
            calls.push((error, adjoint.fill_gradient_bytes(&grad[..got_len], &mut fill)));
        }
        if exact && !before.is_empty() {
            let (expected, got_len) = (before.len(), short(before));
            let error = PadError::GradientLength { side: Side::Input, expected, got: got_len };
            calls.push((error, adjoint.run_add_bytes(grad, &mut got[..got_len])));
        }
        if let (Kind::Tagged(DType::I64), true) = (self.case.kind, adjoint.scratch_bytes() > 0) {
            let grad = typed::elements::<i64>(grad);
            let mut elements = typed::elements::<i64>(&got);
            let needed = adjoint.scratch_bytes();
            let error = PadError::Scratch { needed, got: needed - 1 };
            let call = adjoint.run_with_scratch(&grad, &mut elements, &mut vec![0; needed - 1]);
            calls.push((error, call));
            let (plan, given) = (Some(adjoint.dtype()), Some(DType::U64));
            let error = PadError::ElementType { plan, plan_bytes: 8, given, given_bytes: 8 };
            calls.push((error, adjoint.run(&[0u64; 0], &mut [])));
            got = typed::bytes(&elements);
        }
        for (error, result) in calls {
            if result != Err(error) {
                return Err(format!("{result:?}, not {error:?}"));
            }
        }
        if got == before { Ok(()) } else { Err("a call that was refused has written".to_string()) }
    }

    /// The definition's answers for the gradient of the output, of which only the box is given.
    fn expect<S: Sum>(
        &self,
        whole: &[usize],
        values: Vec<Option<S::Of>>,
        before: impl Fn(usize) -> Vec<u8>,
    ) -> Expected {
        let (shape, axes) = (&self.case.shape, convert::axes(&self.case.axes));
        let (modes, frame) = self.case.modes();
        let map = self.case.map().expect("a case that has a plan");
        let fills = values.iter().zip(&map.source).map(|(value, source)| value.filter(|_| source.is_none()));
        let fill = sum_along(fills.collect(), whole, S::add);
        let sums = adjoint(values, whole, shape, &axes, (&modes, frame), S::add);
        let with_before = |(i, sum): (usize, &Option<S::Of>)| match sum {
            Some(sum) => S::narrow(S::add(S::widen(&before(i)), *sum)),
            None => before(i),
        };
        Expected {
            added: sums.iter().enumerate().map(with_before).collect(),
            sums: sums.iter().map(|sum| sum.map(S::narrow)).collect(),
            fill: fill.map_or_else(|| vec![0; S::BYTES], S::narrow),
        }
    }
}

/// The next state of a linear congruential generator: its upper bits are the most random ones.
fn step(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
    *state
}

/// `<P x, g> = <x, P' g>` for a fill of zero, exactly, in wrapping integers of 64 bits.
///
/// # Errors
///
/// The two sides, if they differ.
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
