//! Reads shapes, and regions of a result.

use std::ops::Range;

use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::refusal::repr;
use crate::request::Axes;
use crate::widths;

/// Reads a shape: one length, or one per axis.
pub(crate) fn lengths(shape: &Bound<'_, PyAny>) -> PyResult<Axes<usize>> {
    let length = |axis: usize, length: &Bound<'_, PyAny>| -> PyResult<usize> {
        let wrong = |what: &str| format!("shape: axis {axis} has length {}: give {what}", repr(length));
        let number = widths::index(length, "an integer from 0 on", wrong)?;
        usize::try_from(number).map_err(|_| {
            PyValueError::new_err(format!("shape: axis {axis} has length {number}: lengths are 0 or more"))
        })
    };
    match widths::items(shape) {
        Some(each) => each.iter().enumerate().map(|(axis, each)| length(axis, each)).collect(),
        None => Ok([length(0, shape)?].into_iter().collect()),
    }
}

/// Reads a region of an output of this shape. For each axis, it is a slice or a pair of start and stop.
pub(crate) fn ranges(window: &Bound<'_, PyAny>, shape: &[usize]) -> PyResult<Axes<Range<usize>>> {
    let sides = widths::items(window).ok_or_else(|| {
        let window = repr(window);
        PyTypeError::new_err(format!("box is {window}: give a slice or (start, stop) for each axis"))
    })?;
    if sides.len() != shape.len() {
        let (of, axes) = (sides.len(), shape.len());
        return Err(PyIndexError::new_err(format!("a box of {of} axes in an output of {axes}")));
    }
    let mut ranges = Axes::new();
    for (axis, (side, &length)) in sides.iter().zip(shape).enumerate() {
        let wanted = "a slice, or start and stop, in integers from 0 on";
        let wrong = |what: &str| format!("axis {axis}: the box has {}: give {what}", repr(side));
        let integer = |end: &Bound<'_, PyAny>| {
            let end = widths::index(end, wanted, wrong)?;
            usize::try_from(end).map_err(|_| PyTypeError::new_err(wrong(wanted)))
        };
        let (start, stop) = match (side.cast::<PySlice>(), widths::items(side).as_deref()) {
            (Ok(slice), _) => {
                let end = |name, absent| -> PyResult<usize> {
                    let end = slice.getattr(name)?;
                    if end.is_none() { Ok(absent) } else { integer(&end) }
                };
                if end("step", 1)? != 1 {
                    let side = repr(side);
                    let what = format!("axis {axis}: the slices of a box have no steps, and {side} has one");
                    return Err(PyValueError::new_err(what));
                }
                (end("start", 0)?, end("stop", length)?)
            }
            (_, Some([start, stop])) => (integer(start)?, integer(stop)?),
            _ => return Err(PyTypeError::new_err(wrong(wanted))),
        };
        if start > stop || stop > length {
            let what = format!("axis {axis}: the box {start}..{stop} is not inside the output's 0..{length}");
            return Err(PyIndexError::new_err(what));
        }
        ranges.push(start..stop);
    }
    Ok(ranges)
}
