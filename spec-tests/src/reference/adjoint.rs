//! The adjoint of a pad, one element at a time.
//!
//! `y = P(x)` reads every output element from an input element or from the fill (formula 7). The adjoint adds the gradient of
//! each output element to the input element that this output element reads:
//!
//! 9. **Sum.** One axis after another, the innermost first. Along an axis, input element `i` becomes the sum over all output
//!    positions `o` that read it, in ascending order of `o`. If no position reads the element, it has no sum (`None`).
//! 10. **Fill.** The gradient of the fill is the sum over all output elements that are the fill. It is computed along one
//!     axis after another, the innermost first, in ascending order.

use super::Request;

impl Request {
    /// Formula 9: returns the gradient of the input. `grad` holds the output's gradient in row-major order. `None` marks an
    /// element that must not be counted.
    ///
    /// [`output_shape`](Self::output_shape) must accept the request, and return the shape `outputs`.
    pub fn adjoint<S: Copy>(
        &self,
        grad: Vec<Option<S>>,
        outputs: &[usize],
        add: impl Fn(S, S) -> S,
    ) -> Vec<Option<S>> {
        let mut lengths = outputs.to_vec();
        let mut values = grad;
        for (axis, &d) in self.shape.iter().enumerate().rev() {
            let before: usize = lengths[..axis].iter().product();
            let behind: usize = lengths[axis + 1..].iter().product();
            let mut sums = vec![None; before * d * behind];
            for outer in 0..before {
                for o in 0..lengths[axis] {
                    let Some(i) = self.source_along(axis, o) else { continue };
                    for inner in 0..behind {
                        let value = values[(outer * lengths[axis] + o) * behind + inner];
                        let sum = &mut sums[(outer * d + i) * behind + inner];
                        *sum = added(*sum, value, &add);
                    }
                }
            }
            lengths[axis] = d;
            values = sums;
        }
        values
    }
}

/// Formula 10: returns the gradient of the fill. In `values`, all elements that are not the fill are `None`.
pub fn sum_along<S: Copy>(values: Vec<Option<S>>, shape: &[usize], add: impl Fn(S, S) -> S) -> Option<S> {
    let mut values = values;
    for &length in shape.iter().rev() {
        let along = |row: &[Option<S>]| row.iter().fold(None, |sum, &value| added(sum, value, &add));
        values = values.chunks(length.max(1)).map(along).collect();
    }
    values.first().copied().flatten()
}

fn added<S>(sum: Option<S>, value: Option<S>, add: &impl Fn(S, S) -> S) -> Option<S> {
    match (sum, value) {
        (Some(sum), Some(value)) => Some(add(sum, value)),
        (sum, value) => sum.or(value),
    }
}
