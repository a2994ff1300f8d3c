//! Shapes, and boxes of a result, as Python writes them.

use std::ops::Range;

use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::request::Axes;

/// A shape: one length, or one for each axis.
pub(crate) fn lengths(shape: &Bound<'_, PyAny>) -> PyResult<Axes<usize>> {
    let length = |axis: usize, length: &Bound<'_, PyAny>| -> PyResult<usize> {
        let number: i64 = length.extract().map_err(|_| {
            PyTypeError::new_err(format!("shape: axis {axis} has length {length}: lengths are integers"))
        })?;
        usize::try_from(number).map_err(|_| {
            PyValueError::new_err(format!("shape: axis {axis} has length {number}: lengths are 0 or more"))
        })
    };
    match shape.try_iter() {
        Ok(each) => each.enumerate().map(|(axis, each)| length(axis, &each?)).collect(),
        Err(_) => Ok([length(0, shape)?].into_iter().collect()),
    }
}

/// A box in the words of Python: a slice or a pair of numbers an axis, of an output of this shape.
pub(crate) fn ranges(window: &Bound<'_, PyAny>, shape: &[usize]) -> PyResult<Axes<Range<usize>>> {
    let mut ranges = Axes::new();
    for (axis, side) in window.try_iter()?.enumerate() {
        let (side, length) = (side?, *shape.get(axis).unwrap_or(&0));
        let (start, stop) = match side.cast::<PySlice>() {
            Ok(slice) => {
                let number = |name, absent| -> PyResult<usize> {
                    let end = slice.getattr(name)?;
                    if end.is_none() {
                        return Ok(absent);
                    }
                    end.extract().map_err(|_| {
                        PyTypeError::new_err(format!(
                            "axis {axis}: the {name} of {slice} is an integer from 0 on"
                        ))
                    })
                };
                if number("step", 1)? != 1 {
                    return Err(PyValueError::new_err("the slices of a box have no steps"));
                }
                (number("start", 0)?, number("stop", length)?)
            }
            Err(_) => side.extract().map_err(|_| {
                PyTypeError::new_err(format!(
                    "axis {axis}: the box has {side}: give a slice, or start and stop from 0 on"
                ))
            })?,
        };
        if start > stop || stop > length {
            let what = format!("axis {axis}: the box {start}..{stop} is not inside the output's 0..{length}");
            return Err(PyIndexError::new_err(what));
        }
        ranges.push(start..stop);
    }
    if ranges.len() != shape.len() {
        let (of, axes) = (ranges.len(), shape.len());
        return Err(PyIndexError::new_err(format!("a box of {of} axes in an output of {axes}")));
    }
    Ok(ranges)
}
