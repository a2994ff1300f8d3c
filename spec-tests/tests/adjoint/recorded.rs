//! Adjoints of the library agree with gradients recorded from torch, jax and TensorFlow.

use std::collections::BTreeMap;

use pad_kernels::{AdjointPlan, AxisPad, DType, Element, Frame, PadMode, PadPlan, PadSpec, Pads};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    id: String,
    engine: String,
    dtype: String,
    shape: Vec<usize>,
    low: Vec<i64>,
    high: Vec<i64>,
    interior: Vec<u64>,
    mode: String,
    /// Whether all numbers are small integers, so that the order of summation does not matter.
    exact: bool,
    grad: Vec<f64>,
    expect: Vec<f64>,
    /// The gradient of the fill, if it was recorded.
    fill: Option<f64>,
    #[expect(dead_code, reason = "for people")]
    source: String,
}

impl Recorded {
    fn plan(&self) -> AdjointPlan {
        let sides = self.low.iter().zip(&self.high).zip(&self.interior);
        let axes = sides.map(|((&low, &high), &interior)| AxisPad { low, high, interior });
        let mode = PadMode::ALL.into_iter().find(|mode| mode.name() == self.mode).expect("a mode");
        // The recorded cases crop no element that a border reads.
        let spec = PadSpec::new(mode, axes.collect::<Pads>()).with_frame(Frame::Uncropped);
        let dtype: DType = self.dtype.parse().expect("a type");
        let plan = PadPlan::for_dtype(&spec, &self.shape, dtype)
            .unwrap_or_else(|error| panic!("{}: {error}", self.id));
        assert_eq!(plan.output_len(), self.grad.len(), "{}", self.id);
        plan.adjoint().expect("floats can be summed")
    }

    /// Returns the library's gradients of the input and of the fill.
    fn answer<T: Element + Default>(&self, of: impl Fn(f64) -> T, to: impl Fn(T) -> f64) -> (Vec<f64>, f64) {
        let adjoint = self.plan();
        let grad: Vec<T> = self.grad.iter().map(|&value| of(value)).collect();
        let mut gradient = vec![T::default(); self.expect.len()];
        adjoint.run(&grad, &mut gradient).expect("it fits");
        let fill = adjoint.fill_gradient(&grad).expect("it fits");
        (gradient.into_iter().map(&to).collect(), to(fill))
    }
}

#[test]
fn gradients_are_those_of_other_systems() {
    let lines = super::common::read("spec-tests/vectors/gradients/gradients.jsonl");
    let mut compared: BTreeMap<(String, bool), usize> = BTreeMap::new();
    for line in lines.lines() {
        let recorded: Recorded = serde_json::from_str(line).expect("a line as the README says");
        let ((gradient, fill), epsilon) = match &recorded.dtype[..] {
            "float32" => (recorded.answer(|value| value as f32, f64::from), f64::from(f32::EPSILON)),
            _ => (recorded.answer(|value| value, |value| value), f64::EPSILON),
        };
        let same = |got: f64, expected: f64| match recorded.exact {
            true => got == expected,
            // Each of the n additions loses at most one epsilon of a sum whose magnitude is at most about 4 n.
            false => (got - expected).abs() <= 4.0 * recorded.grad.len().pow(2) as f64 * epsilon,
        };
        assert_eq!(gradient.len(), recorded.expect.len());
        for (i, (&got, &expected)) in gradient.iter().zip(&recorded.expect).enumerate() {
            assert!(same(got, expected), "{}: element {i} is {got}, not {expected}", recorded.id);
        }
        if let Some(expected) = recorded.fill {
            assert!(same(fill, expected), "{}: the fill's is {fill}, not {expected}", recorded.id);
        }
        *compared.entry((recorded.engine, recorded.exact)).or_default() += 1;
    }
    println!("{compared:?}");
    assert!(compared.len() == 8 && compared.values().sum::<usize>() >= 600, "{compared:?}");
}
