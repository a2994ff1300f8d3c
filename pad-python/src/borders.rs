//! `pad_kernels.fill_borders`.

use numpy::PyUntypedArrayMethods;
use pad_kernels::AxisPad;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::pad::{Given, Options, request};
use crate::request::{Axes, Lies, Mode, Request, Window};
use crate::{array, cache};

/// Write the borders of an array whose inside is there.
///
/// The borders become what padding the inside would put there. Only they
/// are written, in place: halos of a grid that is computed step by step
/// need no other array.
///
/// Parameters
/// ----------
/// array : ndarray
///     The array with its borders, lying in memory in any way.
/// width : int, sequence or dict
///     How wide the borders are, as `pad_width` of :func:`pad`.
/// mode : str, optional
///     ``"constant"`` (default), ``"edge"``, ``"reflect"``, ``"symmetric"``
///     or ``"wrap"``.
/// constant_values : scalar, optional
///     For ``"constant"``: what borders are made of; 0 by default.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from pad_kernels import fill_borders
/// >>> grid = np.zeros((3, 5), dtype=int)
/// >>> grid[1:-1, 1:-1] = [[1, 2, 3]]
/// >>> fill_borders(grid, 1, "wrap")
/// >>> grid
/// array([[3, 1, 2, 3, 1],
///        [3, 1, 2, 3, 1],
///        [3, 1, 2, 3, 1]])
#[pyfunction]
#[pyo3(
    signature = (array, width, mode = Given::default(), **kwargs),
    text_signature = "(array, width, mode='constant', **kwargs)"
)]
pub(crate) fn fill_borders(
    array: &Bound<'_, PyAny>,
    width: &Bound<'_, PyAny>,
    mode: Given<'_, '_>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let array =
        array::exact(array).ok_or_else(|| PyTypeError::new_err("array is an array of numpy itself"))?;
    if !array::writeable(array) {
        return Err(PyValueError::new_err("the array is read-only"));
    }
    let (dtype, shape) = (array.dtype(), array.shape());
    let options = Options { interior: None, frame: None, kwargs };
    let whole = match mode.mode() {
        Some(mode) => request(shape, &dtype, width, mode, &options)?,
        None => None,
    };
    let whole = whole.filter(|whole| matches!(whole.mode, Mode::Copying(_))).ok_or_else(|| {
        PyValueError::new_err(
            "borders are filled in modes that copy, with one constant, in arrays with axes and elements of a fixed size",
        )
    })?;
    let mut inside = Axes::new();
    for (axis, (&length, pad)) in shape.iter().zip(&whole.pads).enumerate() {
        let inner = i128::from(length as u64) - i128::from(pad.low) - i128::from(pad.high);
        match usize::try_from(inner) {
            Ok(inner) if pad.low >= 0 && pad.high >= 0 => inside.push(inner),
            _ => {
                let AxisPad { low, high, .. } = pad;
                let what =
                    format!("axis {axis}: length {length} has no inside between borders of {low} and {high}");
                return Err(PyValueError::new_err(what));
            }
        }
    }
    let Some(lies) = array::lies(array, whole.item) else {
        return Err(PyValueError::new_err("the elements of the array are not whole elements apart"));
    };
    if !array::is_disjoint(array) {
        return Err(PyValueError::new_err("elements of the array share a place"));
    }
    let strides = lies.strides(shape);
    // Axis by axis: the borders of one go along those of the axes before it, and end with the inside of those behind it.
    let mut prepared = Vec::new();
    for (axis, pad) in whole.pads.iter().enumerate() {
        let low: Axes<usize> = whole.pads.iter().map(|pad| pad.low as usize).collect();
        let of = |at: usize| if at < axis { (0, shape[at]) } else { (low[at], inside[at]) };
        let mut pads = Axes::from_elem(AxisPad::default(), shape.len());
        pads[axis] = *pad;
        let start = |first: usize| -> isize {
            let of_axis = |at: usize| strides[at] * (if at == axis { first } else { of(at).0 }) as isize;
            (0..shape.len()).map(of_axis).sum()
        };
        for range in [0..low[axis], shape[axis] - pad.high as usize..shape[axis]] {
            if range.is_empty() {
                continue;
            }
            let first = range.start;
            let ranges =
                (0..shape.len()).map(|at| if at == axis { range.clone() } else { 0..of(at).1 }).collect();
            let side = Request {
                shape: (0..shape.len()).map(|at| of(at).1).collect(),
                pads: pads.clone(),
                window: Some(Window { ranges, of_parts: false }),
                ..whole.clone()
            };
            let places = Lies::Strides(strides.clone());
            let key = cache::Key { request: side, input: places.clone(), output: places, untouched: false };
            let plan = cache::prepared(&key).map_err(array::refused)?;
            prepared.push((plan, start(low[axis]), start(first)));
        }
    }
    // All of them can be made: now they are.
    prepared.iter().try_for_each(|(plan, from, to)| array::run_within(plan, array, *from, *to))
}
