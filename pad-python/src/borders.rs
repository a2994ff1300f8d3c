//! `pad_kernels.fill_borders`.

use numpy::PyUntypedArrayMethods;
use pad_kernels::AxisPad;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::pad::{Given, Options, request};
use crate::request::{Axes, Mode};
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
/// sides : sequence of (bool, bool), optional
///     One pair an axis: whether to write the borders before and after it.
///     A side that is left out stays as it is, and counts as there: the
///     borders of other axes go along it, and are made of it. So a halo that
///     a neighbour sends is received first, and the other sides are made
///     then.
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
/// >>> grid[0] = 9
/// >>> fill_borders(grid, 1, "edge", sides=[(False, True), (True, True)])
/// >>> grid
/// array([[9, 9, 9, 9, 9],
///        [1, 1, 2, 3, 3],
///        [1, 1, 2, 3, 3]])
#[pyfunction]
#[pyo3(
    signature = (array, width, mode = Given::default(), *, sides = None, **kwargs),
    text_signature = "(array, width, mode='constant', *, sides=None, **kwargs)"
)]
pub(crate) fn fill_borders(
    array: &Bound<'_, PyAny>,
    width: &Bound<'_, PyAny>,
    mode: Given<'_, '_>,
    sides: Option<Vec<(bool, bool)>>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let array =
        array::exact(array).ok_or_else(|| PyTypeError::new_err("array is an array of numpy itself"))?;
    if !array::writeable(array) {
        return Err(PyValueError::new_err("the array is read-only"));
    }
    let (dtype, shape) = (array.dtype(), array.shape());
    let options = Options { interior: None, frame: None, kwargs };
    let mut request = match mode.mode() {
        Some(mode) => request(shape, &dtype, width, mode, &options)?,
        None => None,
    }
    .filter(|request| matches!(request.mode, Mode::Copying(_)))
    .ok_or_else(|| {
        PyValueError::new_err(
            "borders are filled in modes that copy, with one constant, in arrays with axes and elements of a fixed size",
        )
    })?;
    for (axis, ((&length, inside), pad)) in
        shape.iter().zip(&mut request.shape).zip(&request.pads).enumerate()
    {
        let inner = i128::from(length as u64) - i128::from(pad.low) - i128::from(pad.high);
        match usize::try_from(inner) {
            Ok(inner) if pad.low >= 0 && pad.high >= 0 => *inside = inner,
            _ => {
                let AxisPad { low, high, .. } = pad;
                let what =
                    format!("axis {axis}: length {length} has no inside between borders of {low} and {high}");
                return Err(PyValueError::new_err(what));
            }
        }
    }
    let Some(lies) = array::lies(array, request.item) else {
        return Err(PyValueError::new_err("the elements of the array are not whole elements apart"));
    };
    let sides = match sides {
        Some(sides) => Axes::from_vec(sides),
        None => Axes::from_elem((true, true), shape.len()),
    };
    let key = cache::BorderKey { request, array: lies, sides };
    let plan = cache::borders(&key).map_err(array::refused)?;
    array::run_borders(&plan, array, key.request.item, &key.array)
}
