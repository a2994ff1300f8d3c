//! Reads the arguments `pad_width` and `interior`.

use numpy::{PyArrayDescrMethods, PyUntypedArrayMethods};
use pad_kernels::AxisPad;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyRange, PyTuple};

use crate::array;
use crate::fill::Number;
use crate::refusal::repr;
use crate::request::Axes;

/// Returns one pad per axis, or `None` if numpy must report an error.
pub(crate) fn pads(width: &Bound<'_, PyAny>, rank: usize) -> PyResult<Option<Axes<AxisPad>>> {
    if let Ok(dict) = width.cast_exact::<PyDict>() {
        return Ok(of_dict(dict, rank));
    }
    if let Some(pads) = plain(width, rank) {
        return Ok(Some(pads));
    }
    if let Some(array) = array::exact(width)
        && array.dtype().kind() == b'i'
    {
        return Ok(plain(&array.call_method0("tolist")?, rank));
    }
    // Any other value must convert to an array of integers.
    let written = width.py().import("pad_kernels._numpy")?.call_method1("widths", (width,))?;
    Ok(plain(&written, rank))
}

/// Reads integers in tuples and lists.
fn plain(width: &Bound<'_, PyAny>, rank: usize) -> Option<Axes<AxisPad>> {
    let all = |low, high| Some(std::iter::repeat_n(AxisPad::new(low, high), rank).collect());
    if let Some(both) = integer(width) {
        return all(both, both);
    }
    let rows = Sequence::of(width)?;
    if let Some(first) = rows.get(0).as_ref().and_then(integer) {
        return match rows.len() {
            1 => all(first, first),
            2 => all(first, integer(&rows.get(1)?)?),
            _ => None,
        };
    }
    let mut pads = Axes::new();
    let mut columns = None;
    for i in 0..rows.len() {
        let row = rows.get(i)?;
        let row = Sequence::of(&row)?;
        if columns.is_some_and(|columns| columns != row.len()) {
            return None;
        }
        columns = Some(row.len());
        let low = integer(&row.get(0)?)?;
        let high = match row.len() {
            1 => low,
            2 => integer(&row.get(1)?)?,
            _ => return None,
        };
        pads.push(AxisPad::new(low, high));
    }
    match pads[..] {
        [pad] => all(pad.low, pad.high),
        _ if !pads.is_empty() && pads.len() == rank => Some(pads),
        _ => None,
    }
}

/// Reads a dict of pads by axis. If two keys name one axis, the later key counts.
fn of_dict(dict: &Bound<'_, PyDict>, rank: usize) -> Option<Axes<AxisPad>> {
    let mut pads = Axes::from_elem(AxisPad::default(), rank);
    // Reading a number may run Python code, which may change the dict.
    for (axis, width) in dict.iter().collect::<Vec<_>>() {
        let axis = integer(&axis)?;
        let axis = usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).ok()?;
        let (low, high) = match integer(&width) {
            Some(both) => (both, both),
            None => {
                let pair = width.cast_exact::<PyTuple>().ok().filter(|pair| pair.len() == 2)?;
                (integer(&pair.get_item(0).ok()?)?, integer(&pair.get_item(1).ok()?)?)
            }
        };
        *pads.get_mut(axis)? = AxisPad::new(low, high);
    }
    Some(pads)
}

/// Reads a Python integer, but not a `bool`, or a signed numpy integer.
fn integer(value: &Bound<'_, PyAny>) -> Option<i64> {
    if let Ok(value) = value.cast_exact::<PyInt>() {
        return value.extract().ok();
    }
    let (dtype, bytes) = array::scalar(value).filter(|(dtype, _)| dtype.kind() == b'i')?;
    match Number::of_scalar(b'i', dtype.itemsize(), bytes)? {
        Number::Integer(value) => i64::try_from(value).ok(),
        Number::Float(_) => None,
    }
}

/// Reads an integer. If there is none, `wrong` makes the message from the values to give instead.
///
/// # Errors
///
/// Returns `TypeError` for a value that is no integer, and `ValueError` for an integer beyond 64 bits. Other exceptions of the
/// value's own `__index__` stay as they are.
pub(crate) fn index(
    value: &Bound<'_, PyAny>,
    wanted: &str,
    wrong: impl FnOnce(&str) -> String,
) -> PyResult<i64> {
    let py = value.py();
    value.extract().map_err(|error: PyErr| {
        let refused = if error.is_instance_of::<PyOverflowError>(py) {
            let is_negative = value.lt(0).unwrap_or(false);
            PyValueError::new_err(wrong(if is_negative { wanted } else { "a number below 2**63" }))
        } else if error.is_instance_of::<PyTypeError>(py) {
            PyTypeError::new_err(wrong(wanted))
        } else {
            return error;
        };
        refused.set_cause(py, Some(error));
        refused
    })
}

/// A tuple or a list.
pub(crate) enum Sequence<'a, 'py> {
    Tuple(&'a Bound<'py, PyTuple>),
    List(&'a Bound<'py, PyList>),
}

impl<'a, 'py> Sequence<'a, 'py> {
    pub(crate) fn of(value: &'a Bound<'py, PyAny>) -> Option<Self> {
        match value.cast_exact::<PyTuple>() {
            Ok(tuple) => Some(Sequence::Tuple(tuple)),
            Err(_) => value.cast_exact::<PyList>().ok().map(Sequence::List),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Sequence::Tuple(tuple) => tuple.len(),
            Sequence::List(list) => list.len(),
        }
    }

    /// Returns both items, if there are two.
    pub(crate) fn pair(&self) -> Option<[Bound<'py, PyAny>; 2]> {
        if self.len() == 2 { Some([self.get(0)?, self.get(1)?]) } else { None }
    }

    pub(crate) fn get(&self, i: usize) -> Option<Bound<'py, PyAny>> {
        match self {
            Sequence::Tuple(tuple) => tuple.get_item(i).ok(),
            Sequence::List(list) => list.get_item(i).ok(),
        }
    }
}

/// Sets the interior padding of each axis. The argument is one number for all axes, or one number per axis.
///
/// # Errors
///
/// Returns `TypeError` for values that are not integers. Returns `ValueError` for negative numbers and for a wrong number of entries.
pub(crate) fn open_gaps(pads: &mut Axes<AxisPad>, interior: &Bound<'_, PyAny>) -> PyResult<()> {
    let wrong = |what: &str| format!("interior is {}: give {what}, or one for each axis", repr(interior));
    let gap = |value: &Bound<'_, PyAny>| -> PyResult<u64> {
        let gap = index(value, "an integer from 0 on", wrong)?;
        u64::try_from(gap)
            .map_err(|_| PyValueError::new_err(format!("interior cannot be negative, and is {gap}")))
    };
    match items(interior) {
        None => {
            let interior = gap(interior)?;
            pads.iter_mut().for_each(|pad| pad.interior = interior);
        }
        Some(each) => {
            let gaps = each.iter().map(gap).collect::<PyResult<Axes<u64>>>()?;
            if gaps.len() != pads.len() {
                let (gaps, axes) = (gaps.len(), pads.len());
                return Err(PyValueError::new_err(format!(
                    "interior has {gaps} entries for an array of {axes} axes"
                )));
            }
            pads.iter_mut().zip(gaps).for_each(|(pad, interior)| pad.interior = interior);
        }
    }
    Ok(())
}

/// Returns the items of a tuple, a list, a range or an array, in their order.
pub(crate) fn items<'py>(value: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    let list = match array::exact(value) {
        Some(array) => array.call_method0("tolist").ok()?,
        None => value.clone(),
    };
    let is_sequence = list.is_instance_of::<PyTuple>()
        || list.is_instance_of::<PyList>()
        || list.is_instance_of::<PyRange>();
    if !is_sequence {
        return None;
    }
    list.try_iter().ok()?.collect::<PyResult<_>>().ok()
}
