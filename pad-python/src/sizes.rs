//! The compiled part of `pad_to` and `pad_batch`. It computes widths from sizes, and stacks arrays of different lengths.

use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray};
use pad_kernels::pad_to::{AxisTo, Longer, Position, Size};
use pad_kernels::{PadError, PadMode, PadSpec, PadTo};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::array;
use crate::request::Axes;

/// The stacked array, and the bytes of the original lengths.
type Batch<'py> = (Bound<'py, PyUntypedArray>, Option<Bound<'py, PyBytes>>);

/// The sizes that a call requests. Each axis has a length, a multiple and a position. The last entry says what to do with longer axes.
type Asked = (Vec<(Option<usize>, Option<usize>, String)>, String);

fn request((axes, longer): &Asked) -> PyResult<PadTo> {
    let longer = match &longer[..] {
        "crop" => Longer::Crop,
        "keep" => Longer::Keep,
        _ => Longer::Error,
    };
    let mut each = Axes::new();
    for (axis, (length, multiple, position)) in axes.iter().enumerate() {
        let size = match (length, multiple) {
            // The length is rounded up to the next multiple. Both numbers are positive and below 2**62.
            (Some(length), Some(multiple)) => Size::Length(length.next_multiple_of(*multiple)),
            (Some(length), None) => Size::Length(*length),
            (None, Some(multiple)) => Size::Multiple(*multiple),
            (None, None) => Size::Keep,
        };
        let position = match &position[..] {
            "start" => Position::Start,
            "center" => Position::Center,
            "center_odd_before" => Position::CenterOddBefore,
            "end" => Position::End,
            other => {
                return Err(PyValueError::new_err(format!(
                    "position of axis {axis} is '{other}': give 'start', 'center', 'center_odd_before' or 'end'"
                )));
            }
        };
        each.push(AxisTo { size, position, longer });
    }
    Ok(PadTo::new(PadMode::Constant, each))
}

fn resolve(to: &PadTo, shape: &[usize], crops: &str) -> PyResult<PadSpec> {
    to.resolve(shape).map_err(|error| match error {
        PadError::LongerAxis { axis, length, target } => PyValueError::new_err(format!(
            "axis {axis} has length {length}, which is more than the {target} asked for: {crops}"
        )),
        error => array::refused(error),
    })
}

/// Returns how many elements to add before and after each axis. Negative numbers crop.
#[pyfunction]
pub(crate) fn widths_to(shape: Vec<usize>, asked: Asked) -> PyResult<Vec<(i64, i64)>> {
    let spec = resolve(&request(&asked)?, &shape, "give crop=True, or keep_longer=True to leave it")?;
    Ok(spec.axes().iter().map(|pad| (pad.low, pad.high)).collect())
}

/// Stacks arrays of one dtype and rank along a new axis. On request, it also returns the length of each array, as bytes of `i64`.
///
/// Returns `None` if an item is not a row-major array of the dtype.
#[pyfunction]
pub(crate) fn batch<'py>(
    arrays: &Bound<'py, PyList>,
    dtype: &Bound<'py, PyArrayDescr>,
    asked: Asked,
    fill: &[u8],
    wants_lengths: bool,
) -> PyResult<Option<Batch<'py>>> {
    let (py, rank, item) = (dtype.py(), asked.0.len(), dtype.itemsize());
    if dtype.has_object() || item == 0 || fill.len() != item {
        return Err(PyTypeError::new_err(format!(
            "pad_batch: dtype {dtype} has no elements of a fixed size"
        )));
    }
    let objects: Vec<_> = arrays.iter().collect();
    let (mut found, mut longest) = (Vec::with_capacity(arrays.len()), Axes::from_elem(0, rank));
    for (i, object) in objects.iter().enumerate() {
        let Some((shape, bytes)) = array::rows(object, dtype) else { return Ok(None) };
        if shape.len() != rank {
            let axes = shape.len();
            return Err(PyValueError::new_err(format!(
                "arrays[{i}] has {axes} axes, and arrays[0] has {rank}"
            )));
        }
        longest.iter_mut().zip(shape).for_each(|(longest, &length)| *longest = length.max(*longest));
        found.push((shape, bytes));
    }
    let to = request(&asked)?;
    let spec = resolve(&to, &longest, "give crop=True, or a greater length")?;
    // The lengths come from existing arrays or from the request. If the result is too large, its allocation fails.
    let lengthened = longest.iter().zip(spec.axes());
    let target: Axes<usize> = lengthened
        .map(|(&length, pad)| length.saturating_add_signed((pad.low + pad.high) as isize))
        .collect();
    let shape: Axes<usize> = [arrays.len()].into_iter().chain(target.iter().copied()).collect();
    let mut output = array::zeros(dtype, &shape)?;
    let bytes = array::bytes_mut(&mut output);
    if fill.iter().any(|&byte| byte != 0) {
        repeat(bytes, fill);
    }
    let positions: Axes<Position> = to.axes().iter().map(|axis| axis.position).collect();
    let stride = item * target.iter().product::<usize>();
    if stride > 0 {
        for (row, (shape, src)) in bytes.chunks_exact_mut(stride).zip(&found) {
            write(row, src, shape, &target, &positions, item);
        }
    }
    let lengths = wants_lengths.then(|| {
        let each = found.iter().flat_map(|(shape, _)| shape.iter());
        PyBytes::new(py, &each.flat_map(|&length| (length as i64).to_ne_bytes()).collect::<Vec<u8>>())
    });
    Ok(Some((output, lengths)))
}

/// Fills memory with repeated elements.
fn repeat(bytes: &mut [u8], element: &[u8]) {
    // The loop copies a block of many elements. This block stays in the cache.
    let block = element.repeat(4096usize.div_ceil(element.len()));
    for part in bytes.chunks_mut(block.len()) {
        part.copy_from_slice(&block[..part.len()]);
    }
}

/// Copies an array to its position in the output.
fn write(dst: &mut [u8], src: &[u8], from: &[usize], to: &[usize], positions: &[Position], item: usize) {
    let ([length, from @ ..], [target, to @ ..], [position, positions @ ..]) = (from, to, positions) else {
        return dst.copy_from_slice(src);
    };
    let (inner_from, inner_to) = (item * from.iter().product::<usize>(), item * to.iter().product::<usize>());
    let missing = length.abs_diff(*target);
    let before = match position {
        Position::Start => 0,
        Position::Center => missing / 2,
        Position::CenterOddBefore => missing.div_ceil(2),
        Position::End => missing,
    };
    // An axis is either extended or cropped.
    let (before, skipped) = if target > length { (before, 0) } else { (0, before) };
    let kept = *length.min(target);
    let (dst, src) =
        (&mut dst[before * inner_to..][..kept * inner_to], &src[skipped * inner_from..][..kept * inner_from]);
    if from == to {
        dst.copy_from_slice(src);
    } else if inner_to > 0 && inner_from > 0 {
        for (dst, src) in dst.chunks_exact_mut(inner_to).zip(src.chunks_exact(inner_from)) {
            write(dst, src, from, to, positions, item);
        }
    }
}
