//! Pads torch tensors without torch's dispatcher.

use pad_kernels::{AxisMode, AxisPad, Modes, PadMode};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyList, PyTuple};
use smallvec::SmallVec;

use crate::array::{self, Tensor};
use crate::cache;
use crate::modes::Mode;
use crate::request::{Axes, Lies, Prepared, Request, Sides};

/// Pads tensors in memory, with plans that it keeps from earlier calls.
#[pyclass(frozen, module = "pad_kernels._pad_kernels")]
pub(crate) struct TensorPad {
    /// A Python function that converts a number to an element of a dtype, as `bytes`.
    element: Py<PyAny>,
}

#[pymethods]
impl TensorPad {
    #[new]
    fn new(element: Py<PyAny>) -> Self {
        TensorPad { element }
    }

    /// Tells whether the elements of a tensor can be read directly from memory.
    fn takes(&self, x: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(Tensor::of(x)?.is_some())
    }

    /// Returns the padded tensor, or `None` if Python must check the arguments.
    ///
    /// The value is a number, or an element as `bytes`.
    fn pad<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        pad: &Bound<'py, PyAny>,
        mode: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Ok(mode) = mode.extract() else { return Ok(None) };
        // Reading an argument may run Python code, which may change the tensor.
        let Some(sides) = sides(pad) else { return Ok(None) };
        let Some(mut input) = Tensor::of(x)? else { return Ok(None) };
        let Some((pads, modes)) = pads(&sides, mode, input.shape.len()) else { return Ok(None) };
        let fill = if !modes.contains(PadMode::Constant) {
            // In modes without fill, torch's own `pad` accepts only the value zero.
            if !is_zero(value) {
                return Ok(None);
            }
            None
        } else if let Ok(element) = value.cast_exact::<PyBytes>() {
            Some(SmallVec::from_slice(element.as_bytes()))
        } else if input.has_zero && is_zero(value) {
            Some(SmallVec::from_elem(0, input.item))
        } else {
            let element = self.element.bind(py).call1((value, x.getattr(intern!(py, "dtype"))?))?;
            match Tensor::of(x)? {
                Some(again) if again.shape == input.shape => input = again,
                _ => return Ok(None),
            }
            Some(SmallVec::from_slice(element.cast::<PyBytes>()?.as_bytes()))
        };
        let (shape, strides, item) = (input.shape.clone(), input.strides.clone(), input.item);
        let key = TensorKey { shape, strides, item, pads, modes, fill };
        let plan = cache::tensors(&key, || key.plan(py))?;
        array::run_tensor(&plan.prepared, &input, plan.layout.bind(py)).map(Some)
    }
}

/// The properties of a tensor that determine its plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TensorKey {
    shape: Axes<usize>,
    strides: Axes<isize>,
    item: usize,
    pads: Axes<AxisPad>,
    modes: Modes,
    fill: Option<SmallVec<[u8; 16]>>,
}

/// A plan, and the layout of the new tensor that it writes.
pub(crate) struct TensorPlan {
    prepared: Prepared,
    /// The shape and the strides.
    layout: Py<PyTuple>,
}

impl TensorKey {
    /// Returns the plan. The plan has the axes in the order of the result's memory, so that the result is row-major for the plan.
    fn plan(&self, py: Python<'_>) -> PyResult<TensorPlan> {
        let order = order(&self.shape, &self.strides);
        let request = self.request(&order);
        let strides: Axes<isize> = order.iter().map(|&axis| self.strides[axis]).collect();
        let input = lies(&request.shape, &strides);
        let prepared = request.prepare(&input, &Lies::Rows, true).map_err(|error| {
            // An error of the request in the order of memory would name the wrong axis.
            let axes: Axes<usize> = (0..order.len()).collect();
            array::refused(self.request(&axes).plan().err().unwrap_or(error))
        })?;
        let (mut shape, mut strides) = (self.shape.clone(), self.strides.clone());
        // For strides, torch counts an axis of length 0 as one of length 1, but not in the format `channels_last`.
        let least = usize::from(order.is_sorted());
        let mut step = 1;
        for (&axis, &length) in order.iter().zip(&prepared.output).rev() {
            (shape[axis], strides[axis]) = (length, step);
            step *= length.max(least) as isize;
        }
        let layout = PyTuple::new(py, [PyTuple::new(py, &shape)?, PyTuple::new(py, &strides)?])?;
        Ok(TensorPlan { prepared, layout: layout.unbind() })
    }

    /// Returns the request with its axes in this order.
    fn request(&self, order: &[usize]) -> Request {
        let modes = match &self.modes {
            Modes::Each(modes) => order.iter().map(|&axis| modes[axis]).collect(),
            all => all.clone(),
        };
        Request {
            shape: order.iter().map(|&axis| self.shape[axis]).collect(),
            item: self.item,
            dtype: None,
            pads: order.iter().map(|&axis| self.pads[axis]).collect(),
            mode: Mode::Copying(modes),
            frame: None,
            fill: self.fill.clone(),
            along: None,
            sides: Sides::None,
            window: None,
        }
    }
}

/// Returns the mode for a name of torch or numpy.
fn mode_named(name: &str) -> Option<PadMode> {
    Some(match name {
        "constant" => PadMode::Constant,
        "replicate" | "edge" => PadMode::Edge,
        "reflect" => PadMode::Reflect,
        "symmetric" => PadMode::Symmetric,
        "circular" | "wrap" => PadMode::Wrap,
        _ => return None,
    })
}

/// Reads the modes of `rank` axes. The text is one name, or the names for `axes` axes, separated by commas, the last axis first. A bar
/// separates the two modes of an axis, as in `edge|wrap,edge`.
fn modes_named(text: &str, axes: usize, rank: usize) -> Option<Modes> {
    if let Some(mode) = mode_named(text) {
        return Some(mode.into());
    }
    let each = text.split(',').map(|axis| {
        let (low, high) = axis.split_once('|').unwrap_or((axis, axis));
        Some(AxisMode::from((mode_named(low)?, mode_named(high)?)))
    });
    let each: Axes<AxisMode> = each.collect::<Option<_>>()?;
    // An axis without padding needs no mode, so it gets the mode of a padded axis.
    let mut modes = vec![*each.last()?; rank];
    modes.iter_mut().rev().zip(&each).for_each(|(mode, of_axis)| *mode = *of_axis);
    if each.len() == axes { Some(Modes::Each(modes)) } else { None }
}

/// Reads the widths before and after the last axis, then before and after the second-last axis, and so on.
fn sides(pad: &Bound<'_, PyAny>) -> Option<SmallVec<[i64; 12]>> {
    match pad.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().map(|side| side.extract().ok()).collect(),
        Err(_) => pad.cast::<PyList>().ok()?.iter().map(|side| side.extract().ok()).collect(),
    }
}

/// Returns one pad per axis, and the modes. The integers are those that [`sides`] returned.
fn pads(sides: &[i64], mode: &str, rank: usize) -> Option<(Axes<AxisPad>, Modes)> {
    if !sides.len().is_multiple_of(2) || sides.len() > 2 * rank {
        return None;
    }
    let mut pads = Axes::from_elem(AxisPad::default(), rank);
    for (pad, sides) in pads.iter_mut().rev().zip(sides.chunks(2)) {
        *pad = AxisPad::new(sides[0], sides[1]);
    }
    Some((pads, modes_named(mode, sides.len() / 2, rank)?))
}

/// Tells whether `value` is positive zero or left out.
fn is_zero(value: &Bound<'_, PyAny>) -> bool {
    if let Ok(number) = value.cast_exact::<PyFloat>() {
        return number.extract::<f64>().is_ok_and(|number| number.to_bits() == 0);
    }
    value.is_none()
        || value.cast_exact::<PyInt>().is_ok_and(|number| number.extract().is_ok_and(|n: i64| n == 0))
}

/// Returns the axes in the order of the result's memory. The last of them varies fastest.
///
/// torch's `pad` keeps the format `channels_last`, and makes all other results row-major. If strides are ambiguous, this function follows
/// torch's rule.
fn order(shape: &[usize], strides: &[isize]) -> Axes<usize> {
    let rank = shape.len();
    if !matches!(rank, 4 | 5) || strides[1] == 0 {
        return (0..rank).collect();
    }
    let mut order: Axes<usize> = (0..1).chain(2..rank).chain(1..2).collect();
    let mut least = 0;
    for &axis in order.iter().rev() {
        let (length, stride) = (shape[axis], strides[axis]);
        if length == 0 || stride < least || (axis == 0 && least == strides[1]) {
            order = (0..rank).collect();
            break;
        }
        least = stride * length as isize;
    }
    order
}

fn lies(shape: &[usize], strides: &[isize]) -> Lies {
    let rows = Lies::Rows.strides(shape);
    let mut each = rows.iter().zip(strides).zip(shape);
    if each.all(|((row, stride), &length)| length <= 1 || row == stride) {
        return Lies::Rows;
    }
    // The stride of an axis of one element does not matter.
    Lies::Strides(strides.iter().zip(shape).map(|(&stride, &n)| if n <= 1 { 0 } else { stride }).collect())
}
