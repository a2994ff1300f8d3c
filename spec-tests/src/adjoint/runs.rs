//! An adjoint run in every way, and compared with the definition.

use half::{bf16, f16};
use pad_kernels::{AdjointPlan, DType, PadError, PadPlan, kernels::Isa, tensor::Operand};

use super::numbers::{Sum, step};
use super::questions::{Question, SUMMABLE};
use crate::case::Kind;
use crate::oracles::Mismatch;
use crate::pools::on_threads;
use crate::reference::{adjoint, sum_along};
use crate::views::{self, Placed};
use crate::{convert, reach, typed};

/// Calls a method for the numbers that elements of a type consist of.
macro_rules! by_number {
    ($dtype:expr, $question:ident.$method:ident($($argument:expr),*)) => {
        match $dtype {
            DType::I8 | DType::U8 => $question.$method::<u8>($($argument),*),
            DType::I16 | DType::U16 => $question.$method::<u16>($($argument),*),
            DType::I32 | DType::U32 => $question.$method::<u32>($($argument),*),
            DType::I64 | DType::U64 => $question.$method::<u64>($($argument),*),
            DType::F16 => $question.$method::<f16>($($argument),*),
            DType::BF16 => $question.$method::<bf16>($($argument),*),
            DType::F32 | DType::C64 => $question.$method::<f32>($($argument),*),
            _ => $question.$method::<f64>($($argument),*),
        }
    };
}

/// Runs the adjoint of a case in every way, and compares with the definition.
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
    by_number!(dtype, question.compare(&plan, &adjoint)).map_err(told)
}

/// A gradient of the output of a case that can be summed, drawn from the question's seed, and that of the input by the definition.
pub fn gradients(question: &Question) -> (Vec<u8>, Vec<u8>) {
    by_number!(question.dtype(), question.drawn())
}

/// Makes each number that is not one, and is to be none, the one that is expected: which NaN a sum is, is open.
pub fn settle(question: &Question, got: &mut [u8], expected: &[u8]) {
    by_number!(question.dtype(), question.settle_as(got, expected));
}

/// A call that writes the input's gradient, as bytes.
type Call<'a> = &'a dyn Fn(&mut [u8]) -> Result<(), PadError>;

/// The definition's answers as bytes of numbers.
struct Expected {
    /// Sums as they are, none where nothing is added.
    sums: Vec<Option<Vec<u8>>>,
    /// The gradients added to what was there before.
    added: Vec<Vec<u8>>,
    fill: Vec<u8>,
}

impl Question {
    fn dtype(&self) -> DType {
        match self.case.kind {
            Kind::Tagged(dtype) => dtype,
            Kind::Raw(bytes) => panic!("{bytes} bytes without a type cannot be summed"),
        }
    }

    fn drawn<S: Sum>(&self) -> (Vec<u8>, Vec<u8>) {
        let parts = self.case.kind.bytes(1) / S::BYTES;
        let whole = self.case.output_shape().expect("a case that has a plan");
        let (outputs, inputs) = (whole.iter().product::<usize>(), self.case.shape.iter().product::<usize>());
        let mut state = self.seed | 1;
        let grad: Vec<_> = (0..outputs * parts).map(|_| S::draw(step(&mut state) >> 29)).collect();
        let sums: Vec<_> = (0..parts)
            .map(|part| {
                let values =
                    grad.iter().skip(part).step_by(parts).map(|number| Some(S::widen(number))).collect();
                self.expect::<S>(&whole, values, |_| vec![0; S::BYTES]).sums
            })
            .collect();
        let zero = vec![0; S::BYTES];
        let numbers = (0..inputs).flat_map(|i| sums.iter().map(move |sums| sums[i].clone()));
        (grad.concat(), numbers.flat_map(|sum| sum.unwrap_or_else(|| zero.clone())).collect())
    }

    fn settle_as<S: Sum>(&self, got: &mut [u8], expected: &[u8]) {
        for (got, expected) in got.chunks_exact_mut(S::BYTES).zip(expected.chunks_exact(S::BYTES)) {
            if S::is_nan(got) && S::is_nan(expected) {
                got.copy_from_slice(expected);
            }
        }
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

        let has = |isa: &Isa| {
            let mut rows =
                pad_kernels::kernels::adjoint().iter().filter(|row| row.dtype() == adjoint.dtype());
            isa.available() && rows.any(|row| row.isa() == *isa)
        };
        for isa in Isa::ALL.into_iter().filter(has) {
            let adjoint = adjoint.with_isa(isa).map_err(|error| error.to_string())?;
            reach::summed(adjoint.kernel());
            run(isa.name(), false, &|got| adjoint.run_bytes(&grad, got))?;
            run(isa.name(), true, &|got| adjoint.run_add_bytes(&grad, got))?;
        }
        for threads in [2, 3] {
            let way = format!("{threads} threads");
            run(&way, false, &|got| on_threads(threads, || adjoint.par_run_bytes(&grad, got)))?;
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
                run("run", false, &|got| through(got, &|got| adjoint.run(&grad, got)))?;
                run("run_add", true, &|got| through(got, &|got| adjoint.run_add(&grad, got)))?;
                run("run_with_scratch", false, &|got| {
                    through(got, &|got| adjoint.run_with_scratch(&grad, got, &mut memory()[1..]))
                })?;
                run("run_add_with_scratch", true, &|got| {
                    through(got, &|got| adjoint.run_add_with_scratch(&grad, got, &mut memory()[1..]))
                })?;
                run("par_run", false, &|got| {
                    on_threads(2, || through(got, &|got| adjoint.par_run(&grad, got)))
                })?;
                run("par_run_add", true, &|got| {
                    on_threads(2, || through(got, &|got| adjoint.par_run_add(&grad, got)))
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
            let error = PadError::GradientLength { operand: Operand::Output, expected, got: got_len };
            calls.push((error, adjoint.run_bytes(&grad[..got_len], &mut got)));
            let mut fill = vec![0; element];
            calls.push((error, adjoint.fill_gradient_bytes(&grad[..got_len], &mut fill)));
        }
        if exact && !before.is_empty() {
            let (expected, got_len) = (before.len(), short(before));
            let error = PadError::GradientLength { operand: Operand::Input, expected, got: got_len };
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
