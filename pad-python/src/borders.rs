//! The Python function `pad_kernels.fill_borders`.

use numpy::PyUntypedArrayMethods;
use pad_kernels::AxisPad;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::modes::{Computation, Mode};
use crate::pad::{Given, Options, not_an_array, request};
use crate::refusal::{self, Call};
use crate::request::Axes;
use crate::{array, cache, fill, widths};

/// Write the border of an array whose interior is already filled.
///
/// The border gets the values that :func:`pad` would put around the interior.
/// The function writes only the border, in place. It updates the halo of a grid
/// without a second array.
///
/// Parameters
/// ----------
/// array : ndarray
///     The array with its border. It may have any strides.
/// pad_width : int, sequence or dict
///     The width of the border, as in :func:`pad`.
/// mode : str, sequence or dict, optional
///     ``"constant"`` (default), ``"edge"``, ``"reflect"``, ``"symmetric"``
///     or ``"wrap"``, or one of these modes for each axis or side, as in
///     :func:`pad`.
/// sides : sequence of (bool, bool), optional
///     One pair for each axis: whether to write the border before the axis,
///     and the border after it. The function does not change the other sides.
///     It makes each border from the interior of its axis, and corners also
///     from the other sides of other axes. If other processes send some sides
///     of a halo, receive those sides first, and then call the function for
///     the remaining sides.
/// constant_values : scalar or Along, optional
///     The fill in mode ``"constant"``. The default is 0.
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
/// >>> grid[0] = 9
/// >>> fill_borders(grid, 1, "edge", sides=[(False, True), (True, True)])
/// >>> grid
/// array([[9, 9, 9, 9, 9],
///        [1, 1, 2, 3, 3],
///        [1, 1, 2, 3, 3]])
#[pyfunction]
#[pyo3(
    signature = (array, pad_width, mode = Given::default(), *, sides = None, **kwargs),
    text_signature = "(array, pad_width, mode='constant', *, sides=None, **kwargs)"
)]
pub(crate) fn fill_borders(
    array: &Bound<'_, PyAny>,
    pad_width: &Bound<'_, PyAny>,
    mode: Given<'_, '_>,
    sides: Option<&Bound<'_, PyAny>>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let array = array::exact(array).ok_or_else(|| not_an_array("the array", array))?;
    fill::refuse_carried(kwargs)?;
    // Reading an argument may run Python code, which may change the array.
    let (dtype, shape) = (array.dtype(), Axes::from_slice(array.shape()));
    let options = Options { interior: None, frame: None, kwargs };
    let native = mode
        .mode(shape.len())?
        .ok_or_else(|| refusal::no_mode("fill_borders", "constant, edge, reflect, symmetric, wrap", &mode))?;
    let call = Call { name: "fill_borders", rank: shape.len(), dtype: &dtype, pad_width };
    let mut request = request(&shape, &dtype, pad_width, &native, &options)?
        .map_err(|unfit| unfit.error(&call, &native))?;
    let sides = match sides {
        Some(sides) => pairs(sides).ok_or_else(|| {
            PyTypeError::new_err(format!(
                "sides is {}: give a pair of booleans for each axis, as [(True, False)]",
                refusal::repr(sides)
            ))
        })?,
        None => Axes::from_elem((true, true), shape.len()),
    };
    // All arguments have been read, so no Python code runs after these checks.
    array::check_unchanged(array, &shape, &dtype)?;
    if !array::writeable(array) {
        return Err(PyValueError::new_err("the array is read-only"));
    }
    match &request.mode {
        Mode::Copying(_) => {}
        Mode::Computed(Computation::Constants) => {
            return Err(PyValueError::new_err(
                "constant_values gives one value for each side, and fill_borders takes one for all sides",
            ));
        }
        mode => {
            return Err(PyValueError::new_err(format!(
                "fill_borders has no {}: give constant, edge, reflect, symmetric or wrap",
                refusal::named(mode, &native)
            )));
        }
    }
    for (axis, ((&length, inside), pad)) in
        shape.iter().zip(&mut request.shape).zip(&request.pads).enumerate()
    {
        let inner = i128::from(length as u64) - i128::from(pad.low) - i128::from(pad.high);
        match usize::try_from(inner) {
            Ok(inner) if pad.low >= 0 && pad.high >= 0 => *inside = inner,
            _ => {
                let AxisPad { low, high, .. } = pad;
                let what = format!(
                    "axis {axis} of length {length} has no interior between borders of {low} and {high}: pad_width is 0 or more, \
                     and both borders fit into the axis"
                );
                return Err(PyValueError::new_err(what));
            }
        }
    }
    let Some(lies) = array::lies(array, request.item) else {
        return Err(PyValueError::new_err(
            "the strides of the array are no multiples of its item size, as in a field of records: fill the borders of a copy, and \
             assign it",
        ));
    };
    let key = cache::BorderKey { request, array: lies, sides };
    let plan = cache::borders(&key).map_err(array::refused)?;
    array::run_borders(&plan, array, key.request.item, &key.array)
}

/// Reads pairs of booleans.
fn pairs(sides: &Bound<'_, PyAny>) -> Option<Axes<(bool, bool)>> {
    let pair = |side: &Bound<'_, PyAny>| match widths::items(side)?.as_slice() {
        [low, high] => Some((low.extract().ok()?, high.extract().ok()?)),
        _ => None,
    };
    widths::items(sides)?.iter().map(pair).collect()
}
