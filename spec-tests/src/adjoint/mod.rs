//! Tests of adjoints. The reference sums one element at a time, in the defined order.
#![forbid(unsafe_code)]

mod numbers;

use std::fmt;

use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{AdjointPlan, DType, PadError, PadPlan, kernels::Isa, tensor::Operand};

use crate::case::{Case, Kind};
use crate::oracles::{Mismatch, Typed, elements};
use crate::pools::on_threads;
use crate::reference::{adjoint, sum_along};
use crate::views::{self, Layout, Part, Placed};
use crate::{convert, generators, reach};
use numbers::{Sum, add, draw, is_nan, narrow, negate, step, widen};

/// The element types that have an adjoint.
pub const SUMMABLE: [DType; 14] = {
    use DType::*;
    [F64, F32, F16, BF16, I8, I16, I32, I64, U8, U16, U32, U64, C64, C128]
};

/// A case, and the way to run its adjoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub case: Case,
    /// The memory layout of the tensors, and the region of the output that the adjoint reads.
    pub layout: Layout,
    pub seed: u64,
}

/// Generates a question. About 5 % of the questions may have a type that has no adjoint.
pub fn question(u: &mut Unstructured<'_>) -> Draw<Question> {
    let kind = if u.ratio(1, 20)? { generators::kind(u)? } else { Kind::Tagged(*u.choose(&SUMMABLE)?) };
    question_of(kind, u)
}

/// Generates a question about elements of the given kind.
pub fn question_of(kind: Kind, u: &mut Unstructured<'_>) -> Draw<Question> {
    let case = generators::case_of(kind, u)?;
    let seed = u.arbitrary()?;
    let mut layout = Layout::whole(&case.output_shape().unwrap_or_default());
    let way = u.int_in_range(0..=5u8)?;
    if way > 2
        && let Some(view) = views::view(&case, u)?
    {
        if way > 3 {
            layout = Layout { part: Part::BoxOfView, window: view.tiles[0].clone(), places: None };
        }
        layout.places = Some((view.input, view.output)).filter(|_| way != 4);
    }
    Ok(Question { case, layout, seed })
}

/// Returns the dot product in wrapping integers.
pub fn dot(a: &[i64], b: &[i64]) -> i64 {
    a.iter().zip(b).fold(0, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)))
}

/// Checks `<P x, g> = <x, P' g>` for a fill of zero, exactly, in wrapping 64-bit integers. `P` pads, and `P'` is its adjoint.
pub fn check_dot_product(case: &Case, seed: u64) -> Result<(), Mismatch> {
    let case = Case { kind: Kind::Tagged(DType::I64), fill: Some(vec![0; 8]), ..case.clone() };
    let told =
        |what: &dyn fmt::Display| Mismatch::new(&case, format_args!("dot product, seed {seed}: {what}"));
    let Ok(plan) = case.plan() else { return Ok(()) };
    let mut state = seed | 1;
    let mut draw =
        |count: usize| -> Vec<i64> { (0..count).map(|_| (step(&mut state) >> 5) as i64).collect() };
    let (x, g) = (draw(plan.input_len()), draw(plan.output_len()));
    let mut back = vec![0; x.len()];
    let adjoint = plan.adjoint().and_then(|adjoint| adjoint.run(&g, &mut back).map(|()| adjoint));
    let adjoint = adjoint.map_err(|error| told(&error))?;
    let padded = plan.to_vec(&x).map_err(|error| told(&error))?;
    let (there, here) = (dot(&padded, &g), dot(&x, &back));
    if there != here {
        return Err(told(&format!("{there} and {here}")));
    }
    // The gradients of input and fill together have the sum of the output's gradient, unless signs change.
    let fill = adjoint.fill_gradient(&g).map_err(|error| told(&error))?;
    let sum = |values: &[i64]| values.iter().fold(0i64, |sum, value| sum.wrapping_add(*value));
    let (given, back) = (sum(&g), sum(&back).wrapping_add(fill));
    if given == back || case.turns_signs() {
        Ok(())
    } else {
        Err(told(&format!("{given} was given, {back} came back")))
    }
}

/// Runs the adjoint of a case in every way, and compares the results with the reference.
pub fn check(question: &Question) -> Result<(), Mismatch> {
    let Question { case, layout, .. } = question;
    let told = |what: String| Mismatch::new(case, format_args!("adjoint: {what}\n{question:?}"));
    let refused = |error: &PadError| {
        reach::refused(error);
        Ok(())
    };
    let plan = match case.plan() {
        Ok(plan) => plan,
        Err(error) => return refused(&error),
    };
    let plan = layout.plan(&plan).map_err(|error| told(error.to_string()))?;
    let dtype = if let Kind::Tagged(dtype) = case.kind { Some(dtype) } else { None };
    let summable = dtype.is_some_and(|dtype| SUMMABLE.contains(&dtype));
    match plan.adjoint() {
        Err(error) if !summable && error == (PadError::NotSummable { dtype }) => refused(&error),
        Err(error @ PadError::SharedInput { .. }) if summable && question.shares_places() => refused(&error),
        Ok(adjoint) if summable && !question.shares_places() => {
            reach::accepted();
            question.compare(&plan, &adjoint).map_err(told)
        }
        other => Err(told(format!("{} is not right: {other:?}", case.kind))),
    }
}

/// The expected results, as the bytes of numbers.
struct Expected {
    /// The gradients. A gradient is zero if no output reads its element.
    sums: Vec<Vec<u8>>,
    /// The sums of the gradients and the previous content of the buffer.
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

    /// Returns the size of a number in bytes. A complex element has two numbers.
    fn number(&self) -> usize {
        numbers::bytes(self.dtype(), self.case.kind.bytes(1))
    }

    /// Returns the memory layout of the input's gradient.
    fn inputs(&self) -> Placed {
        let row_major = || Placed::row_major(&self.case.shape);
        self.layout.places.as_ref().map_or_else(row_major, |(input, _)| input.clone())
    }

    /// Returns whether elements of the input may share a position. The check looks only at strides, so it also returns true for
    /// some layouts without shared positions.
    fn shares_places(&self) -> bool {
        if self.case.shape.contains(&0) {
            return false;
        }
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

    /// Returns a random gradient of the output, made from the seed, and the expected gradient of the input. The type must have an
    /// adjoint.
    pub fn gradients(&self) -> (Vec<u8>, Vec<u8>) {
        let parts = self.case.kind.bytes(1) / self.number();
        let whole = self.case.output_shape().expect("a case that has a plan");
        let (outputs, inputs) = (whole.iter().product::<usize>(), self.case.shape.iter().product::<usize>());
        let mut state = self.seed | 1;
        let grad: Vec<_> =
            (0..outputs * parts).map(|_| draw(self.dtype(), self.number(), step(&mut state) >> 29)).collect();
        let sums: Vec<_> = (0..parts)
            .map(|part| {
                let values = grad
                    .iter()
                    .skip(part)
                    .step_by(parts)
                    .map(|number| Some(widen(self.dtype(), number)))
                    .collect();
                self.expect(&whole, values, |_| vec![0; self.number()]).sums
            })
            .collect();
        let numbers = (0..inputs).flat_map(|i| sums.iter().flat_map(move |sums| sums[i].clone()));
        (grad.concat(), numbers.collect())
    }

    /// Replaces each NaN in `got` by the expected NaN at its position, because any NaN is a correct result.
    pub fn settle(&self, got: &mut [u8], expected: &[u8]) {
        for (got, expected) in got.chunks_exact_mut(self.number()).zip(expected.chunks_exact(self.number())) {
            if is_nan(widen(self.dtype(), got)) && is_nan(widen(self.dtype(), expected)) {
                got.copy_from_slice(expected);
            }
        }
    }

    fn compare(&self, plan: &PadPlan, adjoint: &AdjointPlan) -> Result<(), String> {
        let element = self.case.kind.bytes(1);
        let (size, parts) = (self.number(), element / self.number());
        let whole = self.case.output_shape().expect("a case that has a plan");
        let inputs = self.inputs().slots(&views::whole(&self.case.shape));
        let outputs = match &self.layout.places {
            Some((_, output)) if self.layout.part == Part::Whole => output.clone(),
            _ => Placed::row_major(plan.output_shape()),
        };
        let slots = outputs.slots(&views::whole(plan.output_shape()));

        // Fill whole buffers with gradients, so that a read between the elements changes a sum.
        let mut state = self.seed | 1;
        let mut numbers = |elements: usize| -> Vec<u8> {
            let mut draw = || draw(self.dtype(), self.number(), step(&mut state) >> 29);
            (0..elements * parts).flat_map(|_| draw()).collect()
        };
        let (grad, before) = (numbers(outputs.room), numbers(self.inputs().room));
        let at = |slot: usize, part: usize| (slot * parts + part) * size..(slot * parts + part + 1) * size;
        let mut expected = Vec::new();
        for part in 0..parts {
            let mut values = vec![None; whole.iter().product()];
            for (number, &slot) in
                Placed::row_major(&whole).slots(&self.layout.window).into_iter().zip(&slots)
            {
                values[number] = Some(widen(self.dtype(), &grad[at(slot, part)]));
            }
            expected.push(self.expect(&whole, values, |i| before[at(inputs[i], part)].to_vec()));
        }

        // The expected buffers, without and with addition. Bytes between the elements keep their values.
        let [sums, added] = [false, true].map(|adds| {
            let mut right = before.clone();
            for (part, expected) in expected.iter().enumerate() {
                let values = if adds { &expected.added } else { &expected.sums };
                for (&slot, value) in inputs.iter().zip(values) {
                    right[at(slot, part)].copy_from_slice(value);
                }
            }
            right
        });
        let run = |way: &str, adds: bool, run: Call<'_>| {
            let (mut got, right) = (before.clone(), if adds { &added } else { &sums });
            run(&mut got).map_err(|error| format!("{way}: {error}"))?;
            self.settle(&mut got, right);
            if got == *right { Ok(()) } else { Err(format!("{way}: {got:?}, not {right:?}")) }
        };
        let has = |isa: &Isa| {
            let mut rows =
                pad_kernels::kernels::adjoint().iter().filter(|row| row.dtype() == adjoint.dtype());
            isa.available() && rows.any(|row| row.isa() == *isa)
        };
        for isa in Isa::ALL.into_iter().filter(has) {
            let adjoint = adjoint.with_isa(isa).map_err(told)?;
            reach::summed(adjoint.kernel());
            run(isa.name(), false, &|got| adjoint.run_bytes(&grad, got))?;
            run(isa.name(), true, &|got| adjoint.run_add_bytes(&grad, got))?;
        }
        for threads in [2, 3] {
            let way = format!("{threads} threads");
            run(&way, false, &|got| on_threads(threads, || adjoint.par_run_bytes(&grad, got)))?;
        }
        match self.dtype() {
            DType::F32 => run_typed::<f32>(adjoint, &grad, &run)?,
            DType::F64 => run_typed::<f64>(adjoint, &grad, &run)?,
            DType::I8 => run_typed::<i8>(adjoint, &grad, &run)?,
            DType::U16 => run_typed::<u16>(adjoint, &grad, &run)?,
            DType::I64 => run_typed::<i64>(adjoint, &grad, &run)?,
            _ => {}
        }
        let mut fill = vec![0xa5; element];
        adjoint.fill_gradient_bytes(&grad, &mut fill).map_err(told)?;
        let right: Vec<u8> = expected.into_iter().flat_map(|expected| expected.fill).collect();
        self.settle(&mut fill, &right);
        if fill != right {
            return Err(format!("fill: {fill:?}, not {right:?}"));
        }
        self.refusals(adjoint, &grad, &before)
    }

    /// Checks that wrong arguments are refused, and that refused calls write nothing.
    fn refusals(&self, adjoint: &AdjointPlan, grad: &[u8], before: &[u8]) -> Result<(), String> {
        let element = self.case.kind.bytes(1);
        let mut got = before.to_vec();
        let exact = self.layout.places.is_none();
        let mut calls = vec![];
        if exact && !grad.is_empty() {
            let (expected, short) = (grad.len(), grad.len() - element);
            let error = PadError::GradientLength { operand: Operand::Output, expected, got: short };
            calls.push((error, adjoint.run_bytes(&grad[..short], &mut got)));
            calls.push((error, adjoint.fill_gradient_bytes(&grad[..short], &mut vec![0; element])));
        }
        if exact && !before.is_empty() {
            let (expected, short) = (before.len(), before.len() - element);
            let error = PadError::GradientLength { operand: Operand::Input, expected, got: short };
            calls.push((error, adjoint.run_add_bytes(grad, &mut got[..short])));
        }
        if let (DType::I64, needed @ 1..) = (self.dtype(), adjoint.scratch_bytes()) {
            let grad = elements::<i64>(grad);
            let mut numbers = elements::<i64>(&got);
            let error = PadError::Scratch { needed, got: needed - 1 };
            let call = adjoint.run_with_scratch(&grad, &mut numbers, &mut vec![0; needed - 1]);
            calls.push((error, call));
            let (plan, given) = (Some(adjoint.dtype()), Some(DType::U64));
            let error = PadError::ElementType { plan, plan_bytes: 8, given, given_bytes: 8 };
            calls.push((error, adjoint.run(&[0u64; 0], &mut [])));
            got.copy_from_slice(bytemuck::cast_slice(&numbers));
        }
        for (error, result) in calls {
            if result != Err(error) {
                return Err(format!("{result:?}, not {error:?}"));
            }
        }
        if got == before { Ok(()) } else { Err("a call that was refused has written".to_string()) }
    }

    /// Returns the expected results. `values` is the gradient of the output, with `None` outside of the region.
    fn expect(
        &self,
        whole: &[usize],
        mut values: Vec<Option<Sum>>,
        before: impl Fn(usize) -> Vec<u8>,
    ) -> Expected {
        let (shape, axes) = (&self.case.shape, convert::axes(&self.case.axes));
        let (modes, frame) = self.case.modes();
        let map = self.case.map().expect("a case that has a plan");
        let fills = values.iter().zip(&map.source).map(|(value, source)| value.filter(|_| source.is_none()));
        let fill = sum_along(fills.collect(), whole, add);
        for (value, turns) in values.iter_mut().zip(self.case.turned(&map, |_, _| true)) {
            *value = value.map(|value| if turns { negate(value) } else { value });
        }
        let sums = adjoint(values, whole, shape, &axes, (&modes, frame), add);
        let zeroed = |sum: Option<Sum>| match sum {
            Some(sum) => narrow(self.dtype(), self.number(), sum),
            None => vec![0; self.number()],
        };
        let with_before = |(i, sum): (usize, &Option<Sum>)| match sum {
            Some(sum) => narrow(self.dtype(), self.number(), add(widen(self.dtype(), &before(i)), *sum)),
            None => before(i),
        };
        Expected {
            added: sums.iter().enumerate().map(with_before).collect(),
            sums: sums.iter().copied().map(zeroed).collect(),
            fill: zeroed(fill),
        }
    }
}

/// A call that writes the bytes of the input's gradient.
type Call<'a> = &'a dyn Fn(&mut [u8]) -> Result<(), PadError>;

/// Runs all functions that take elements of a Rust type, and checks their results.
fn run_typed<T: Typed + PartialEq + fmt::Debug>(
    adjoint: &AdjointPlan,
    grad: &[u8],
    run: &dyn Fn(&str, bool, Call<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let g = elements::<T>(grad);
    // The callers skip the first byte, so the scratch memory has exactly the required length and no alignment.
    let memory = || vec![0xee; adjoint.scratch_bytes() + 1];
    let through = |way: &str, adds: bool, call: &(dyn Fn(&mut [T]) -> Result<(), PadError> + Sync)| {
        run(way, adds, &|got| {
            let mut numbers = elements::<T>(got);
            call(&mut numbers)?;
            got.copy_from_slice(bytemuck::cast_slice(&numbers));
            Ok(())
        })
    };
    through("run", false, &|got| adjoint.run(&g, got))?;
    through("run_add", true, &|got| adjoint.run_add(&g, got))?;
    through("run_with_scratch", false, &|got| adjoint.run_with_scratch(&g, got, &mut memory()[1..]))?;
    through("run_add_with_scratch", true, &|got| adjoint.run_add_with_scratch(&g, got, &mut memory()[1..]))?;
    through("par_run", false, &|got| on_threads(2, || adjoint.par_run(&g, got)))?;
    through("par_run_add", true, &|got| on_threads(2, || adjoint.par_run_add(&g, got)))?;
    let fill = adjoint.fill_gradient(&g).map_err(told)?;
    let mut bytes = vec![0; size_of::<T>()];
    adjoint.fill_gradient_bytes(grad, &mut bytes).map_err(told)?;
    if bytemuck::bytes_of(&fill) == bytes {
        return Ok(());
    }
    Err(format!("fill_gradient is {fill:?}, and in bytes {bytes:?}"))
}

fn told(error: PadError) -> String {
    error.to_string()
}
