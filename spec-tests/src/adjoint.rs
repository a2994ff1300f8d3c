//! Compares adjoints, which compute gradients, with the reference, which sums one element at a time in the defined order.

use anyhow::{Context as _, Result, bail, ensure};
use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{AdjointPlan, DType, PadError, PadPlan, kernels::Isa};

use crate::case::{Case, Kind, Typed, elements, with_type};
use crate::computed::{element, kind, little, same};
use crate::generators::{self, add_bytes};
use crate::oracles;
use crate::pools::on_threads;
use crate::reach::{self, Class};
use crate::reference::computed::{self as reals, Format, Number};
use crate::reference::sum_along;
use crate::views::{self, Layout, Part, Placed};

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

/// Generates a question about elements of the given kind.
pub fn question_of(kind: Kind, u: &mut Unstructured<'_>) -> Draw<Question> {
    let case = generators::case_of(kind, u)?;
    let seed = u.arbitrary()?;
    let part = *u.choose(&[Part::Whole, Part::Whole, Part::Box, Part::BoxOfView])?;
    let layout = match case.plan() {
        Ok(plan) => views::layout(&plan, part, true, u)?,
        Err(_) => Layout::whole(&[]),
    };
    Ok(Question { case, layout, seed })
}

/// Runs the adjoint of a case in every way, and compares the results with the reference.
pub fn check(question: &Question) -> Result<()> {
    let Question { case, layout, .. } = question;
    let about = || format!("{question:?}");
    let plan = match case.plan() {
        Ok(plan) => layout.plan(&plan).with_context(about)?,
        Err(_) => return oracles::check_plan(case).map(drop),
    };
    let dtype = case.kind.dtype();
    let summable = dtype.is_some_and(|dtype| SUMMABLE.contains(&dtype));
    let expected = if summable { question.shared() } else { Some(PadError::NotSummable { dtype }) };
    match plan.adjoint() {
        Err(error) if Some(error) == expected => {
            reach::refused(&error);
            Ok(())
        }
        Ok(adjoint) if expected.is_none() => {
            reach::accepted();
            question.compare(&plan, &adjoint).with_context(about)
        }
        other => bail!("{}\nthe adjoint is not right: {other:?}", about()),
    }
}

/// Returns the bytes of `count` random elements.
fn numbers(dtype: DType, count: usize, state: &mut u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < 20 * count {
        add_bytes(&mut bytes, state);
    }
    let u = &mut Unstructured::new(&bytes);
    (0..count).flat_map(|_| element(dtype, u).expect("draws do without bytes")).collect()
}

/// The expected elements, as bytes.
struct Expected {
    /// The gradients of the input. A gradient is zero if no output element is a copy of its input element.
    sums: Vec<u8>,
    /// The sums of the gradients and the previous content of the buffer.
    added: Vec<u8>,
    fill: Vec<u8>,
}

impl Question {
    fn dtype(&self) -> DType {
        self.case.kind.dtype().unwrap_or_else(|| panic!("{} cannot be summed", self.case.kind))
    }

    fn read(&self, bytes: &[u8]) -> Number {
        kind(self.dtype()).read(&little(self.dtype(), bytes))
    }

    fn write(&self, sum: Number) -> Vec<u8> {
        let kind = kind(self.dtype());
        let rounded = if let Number::Integer(_) = sum { sum } else { kind.of_float(sum, false) };
        little(self.dtype(), &kind.write(rounded))
    }

    /// Returns the memory layout of the input's gradient.
    fn inputs(&self) -> Placed {
        let row_major = || Placed::row_major(&self.case.shape);
        self.layout.places.as_ref().map_or_else(row_major, |(input, _)| input.clone())
    }

    /// Returns the error if elements of the input may share a position. The check looks only at strides, so it also returns an
    /// error for some layouts without shared positions.
    fn shared(&self) -> Option<PadError> {
        if self.case.shape.contains(&0) {
            return None;
        }
        let mut strides: Vec<_> = (self.case.shape.iter().zip(self.inputs().strides).enumerate())
            .filter(|(_, (length, _))| **length > 1)
            .map(|(axis, (&length, stride))| (stride.unsigned_abs(), length, axis, stride))
            .collect();
        strides.sort_unstable();
        let mut reach = 0;
        strides.into_iter().find_map(|(step, length, axis, stride)| {
            let shares = step <= reach;
            reach += step * (length - 1);
            shares.then_some(PadError::SharedInput { axis, stride, length })
        })
    }

    /// Returns a random gradient of the output, made from the seed, and the expected gradient of the input. It needs an adjoint.
    pub fn gradients(&self) -> (Vec<u8>, Vec<u8>) {
        let whole = self.case.output_shape().expect("a case that has a plan");
        let grad = numbers(self.dtype(), whole.iter().product(), &mut self.seed.clone());
        let values = grad.chunks_exact(self.case.kind.bytes(1)).map(|number| Some(self.read(number)));
        let expected =
            self.expect(&whole, values.collect(), |_| self.read(&vec![0; self.case.kind.bytes(1)]));
        (grad, expected.sums)
    }

    /// Returns whether buffers of elements are equal. All NaNs are equal.
    pub fn same(&self, got: &[u8], expected: &[u8]) -> bool {
        same(self.dtype(), got, expected, |a, b| a.is_nan() && b.is_nan())
    }

    fn compare(&self, plan: &PadPlan, adjoint: &AdjointPlan) -> Result<()> {
        let element = self.case.kind.bytes(1);
        let whole = self.case.output_shape().expect("a case that has a plan");
        let inputs = self.inputs().slots(&views::whole(&self.case.shape));
        let outputs = match &self.layout.places {
            Some((_, output)) if self.layout.part != Part::BoxOfView => output.clone(),
            _ => Placed::row_major(plan.output_shape()),
        };
        let slots = outputs.slots(&views::whole(plan.output_shape()));

        // Fill whole buffers with gradients, so that a read between the elements changes a sum.
        let mut state = self.seed;
        let mut numbers = |room| numbers(self.dtype(), room, &mut state);
        let (grad, before) = (numbers(outputs.room), numbers(self.inputs().room));
        let at = |slot: usize| slot * element..(slot + 1) * element;
        let mut values = vec![None; whole.iter().product()];
        for (number, &slot) in Placed::row_major(&whole).slots(&self.layout.window).into_iter().zip(&slots) {
            values[number] = Some(self.read(&grad[at(slot)]));
        }
        let expected = self.expect(&whole, values, |i| self.read(&before[at(inputs[i])]));

        // Make the expected buffers, without and with addition to the previous content. Bytes between the elements stay.
        let [sums, added] = [&expected.sums, &expected.added]
            .map(|values| self.inputs().spread(&self.case.shape, element, values, &before));
        let run = |way: &str, adds: bool, run: Call<'_>| {
            let (mut got, right) = (before.clone(), if adds { &added } else { &sums });
            run(&mut got).with_context(|| way.to_owned())?;
            ensure!(self.same(&got, right), "{way}: {got:?}, not {right:?}");
            Ok(())
        };
        let has = |isa: &Isa| {
            let mut rows =
                pad_kernels::kernels::adjoint().iter().filter(|row| row.dtype() == adjoint.dtype());
            isa.available() && rows.any(|row| row.isa() == *isa)
        };
        for isa in Isa::ALL.into_iter().filter(has) {
            let adjoint = adjoint.with_isa(isa)?;
            reach::count(Class::Numeric, adjoint.kernel().name());
            run(isa.name(), false, &|got| adjoint.run_bytes(&grad, got))?;
            run(isa.name(), true, &|got| adjoint.run_add_bytes(&grad, got))?;
        }
        for threads in [2, 3] {
            let way = format!("{threads} threads");
            run(&way, false, &|got| on_threads(threads, || adjoint.par_run_bytes(&grad, got)))?;
        }
        let mut fill = vec![0xa5; element];
        adjoint.fill_gradient_bytes(&grad, &mut fill)?;
        ensure!(self.same(&fill, &expected.fill), "fill: {fill:?}, not {:?}", expected.fill);
        with_type!(self.case.kind, T => run_typed::<T>(adjoint, &grad, &fill, &run)).unwrap_or(Ok(()))
    }

    /// Returns the expected results. `values` is the gradient of the output, with `None` outside of the region. `before(i)` is
    /// the previous content of element `i` of the input's gradient.
    fn expect(
        &self,
        whole: &[usize],
        mut values: Vec<Option<Number>>,
        before: impl Fn(usize) -> Number,
    ) -> Expected {
        let map = self.case.map().expect("a case that has a plan");
        // Floats of two bytes are summed in `f32`.
        let working = match kind(self.dtype()) {
            reals::Kind::Float(Format::F16 | Format::BF16) => reals::Kind::Float(Format::F32),
            own => own,
        };
        let add = |a, b| working.plus(a, b);
        let fills = values.iter().zip(&map.source).map(|(value, source)| value.filter(|_| source.is_none()));
        let fill = sum_along(fills.collect(), whole, add);
        for (value, turns) in values.iter_mut().zip(self.case.turned(&map, |_, _| true)) {
            *value = value.map(|value| if turns { value.negated() } else { value });
        }
        let sums = self.case.request().adjoint(values, whole, add);
        let zeroed =
            |sum: Option<Number>| sum.map_or_else(|| vec![0; self.case.kind.bytes(1)], |sum| self.write(sum));
        let with_before = |(i, sum): (usize, &Option<Number>)| {
            self.write(sum.map_or_else(|| before(i), |sum| add(before(i), sum)))
        };
        Expected {
            added: sums.iter().enumerate().flat_map(with_before).collect(),
            sums: sums.iter().copied().flat_map(zeroed).collect(),
            fill: zeroed(fill),
        }
    }
}

/// A call that writes the bytes of the input's gradient.
type Call<'a> = &'a dyn Fn(&mut [u8]) -> Result<(), PadError>;

/// A call that writes the elements of the input's gradient.
type TypedCall<'a, T> = &'a (dyn Fn(&mut [T]) -> Result<(), PadError> + Sync);

/// Runs all functions of the adjoint that take elements of a Rust type, and checks their results.
fn run_typed<T: Typed>(
    adjoint: &AdjointPlan,
    grad: &[u8],
    fill: &[u8],
    run: &dyn Fn(&str, bool, Call<'_>) -> Result<()>,
) -> Result<()> {
    let g = elements::<T>(grad);
    // The calls below skip the first byte of this memory. The rest has exactly the required length and an odd address.
    let memory = || vec![0xee; adjoint.scratch_bytes() + 1];
    let calls: [(&str, bool, TypedCall<'_, T>); 6] = [
        ("run", false, &|got| adjoint.run(&g, got)),
        ("run_add", true, &|got| adjoint.run_add(&g, got)),
        ("run_with_scratch", false, &|got| adjoint.run_with_scratch(&g, got, &mut memory()[1..])),
        ("run_add_with_scratch", true, &|got| adjoint.run_add_with_scratch(&g, got, &mut memory()[1..])),
        ("par_run", false, &|got| on_threads(2, || adjoint.par_run(&g, got))),
        ("par_run_add", true, &|got| on_threads(2, || adjoint.par_run_add(&g, got))),
    ];
    for (way, adds, call) in calls {
        run(way, adds, &|got| {
            let mut numbers = elements::<T>(got);
            call(&mut numbers)?;
            got.copy_from_slice(bytemuck::cast_slice(&numbers));
            Ok(())
        })?;
    }
    let got = adjoint.fill_gradient(&g)?;
    let got = bytemuck::bytes_of(&got);
    ensure!(got == fill, "fill_gradient is {got:?}, and in bytes {fill:?}");
    Ok(())
}
