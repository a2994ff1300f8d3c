//! The compiled part of `pad_to` and `pad_batch`. It computes widths from sizes, and stacks arrays of different lengths.

use std::mem::MaybeUninit;

use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray};
use pad_kernels::pad_to::{AxisTo, Longer, Position, Size};
use pad_kernels::{PadError, PadMode, PadSpec, PadTo};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::array;
use crate::request::Axes;

/// The stacked array, and the length of each original array as bytes of `i64`.
type Batch<'py> = (Bound<'py, PyUntypedArray>, Option<Bound<'py, PyBytes>>);

/// The sizes that a call requests. Each axis has a length, a multiple and a position. The last entry says what to do with longer axes.
type Asked = (Vec<(Option<usize>, Option<usize>, String)>, String);

/// Returns the request for arrays of this shape.
fn request((axes, longer): &Asked, shape: &[usize]) -> PyResult<PadTo> {
    let longer = match &longer[..] {
        "crop" => Longer::Crop,
        "keep" => Longer::Keep,
        _ => Longer::Error,
    };
    let mut each = Axes::new();
    for (axis, ((length, multiple, position), &own)) in axes.iter().zip(shape).enumerate() {
        let size = match (length, multiple) {
            // The length is rounded up to the next multiple, and so is that of a longer axis that is kept. The numbers are positive
            // and below 2**63.
            (Some(length), Some(multiple)) => {
                let least = if longer == Longer::Keep { own.max(*length) } else { *length };
                Size::Length(least.next_multiple_of(*multiple))
            }
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
    let spec = resolve(&request(&asked, &shape)?, &shape, "give crop=True, or keep_longer=True to leave it")?;
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
    // The tuple keeps the arrays alive. To copy a list to a tuple takes less time than to take each reference in its own call.
    let held = arrays.to_tuple();
    let objects: Vec<_> = held.iter_borrowed().collect();
    let (mut found, mut longest) = (Vec::with_capacity(arrays.len()), Axes::from_elem(0, rank));
    for (i, object) in objects.iter().enumerate() {
        let Some((shape, bytes)) = array::rows(object, dtype, item) else { return Ok(None) };
        if shape.len() != rank {
            let axes = shape.len();
            return Err(PyValueError::new_err(format!(
                "arrays[{i}] has {axes} axes, and arrays[0] has {rank}"
            )));
        }
        longest.iter_mut().zip(shape).for_each(|(longest, &length)| *longest = length.max(*longest));
        found.push((shape, bytes));
    }
    let to = request(&asked, &longest)?;
    let spec = resolve(&to, &longest, "give crop=True, or a greater length")?;
    // The lengths come from existing arrays or from the request. If the result is too large, its allocation fails.
    let lengthened = longest.iter().zip(spec.axes());
    let target: Axes<usize> = lengthened
        .map(|(&length, pad)| length.saturating_add_signed((pad.low + pad.high) as isize))
        .collect();
    let shape: Axes<usize> = [arrays.len()].into_iter().chain(target.iter().copied()).collect();
    let mut output = array::new(dtype, &shape, false)?;
    let bytes = array::bytes_mut(&mut output);
    // The fill is a single byte if possible, and otherwise a block of many elements, which stays in the cache.
    let is_byte = fill.iter().all(|&byte| byte == fill[0]);
    let block = if is_byte { fill[..1].to_vec() } else { fill.repeat(4096usize.div_ceil(item)) };
    let positions: Axes<Position> = to.axes().iter().map(|axis| axis.position).collect();
    let stride = item * target.iter().product::<usize>();
    if stride > 0 {
        for (row, (shape, src)) in bytes.chunks_exact_mut(stride).zip(&found) {
            write(row, src, shape, (&target, &positions), (item, &block));
        }
    }
    let lengths = wants_lengths.then(|| {
        let each = found.iter().flat_map(|(shape, _)| shape.iter());
        PyBytes::new(py, &each.flat_map(|&length| (length as i64).to_ne_bytes()).collect::<Vec<u8>>())
    });
    Ok(Some((output, lengths)))
}

/// Fills `dst` with a byte, if `block` has one byte. Otherwise, repeats the block of fill elements until `dst` is full.
fn write_fill(dst: &mut [MaybeUninit<u8>], block: &[u8]) {
    match block {
        [byte] => dst.fill(MaybeUninit::new(*byte)),
        _ => dst.chunks_mut(block.len()).for_each(|part| array::copy_bytes(part, block)),
    }
}

/// Copies an array to its position in the output, and writes the fill around it.
fn write(
    dst: &mut [MaybeUninit<u8>],
    src: &[u8],
    from: &[usize],
    (to, positions): (&[usize], &[Position]),
    (item, block): (usize, &[u8]),
) {
    let ([length, from @ ..], [target, to @ ..], [position, positions @ ..]) = (from, to, positions) else {
        return array::copy_bytes(dst, src);
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
    let (low, dst) = dst.split_at_mut(before * inner_to);
    let (dst, high) = dst.split_at_mut(kept * inner_to);
    write_fill(low, block);
    write_fill(high, block);
    let src = &src[skipped * inner_from..];
    if from.iter().eq(to) {
        array::copy_bytes(dst, src);
    } else if inner_to > 0 {
        // If an inner axis of the array is empty, its rows consist of fill.
        for (row, dst) in dst.chunks_exact_mut(inner_to).enumerate() {
            write(dst, &src[row * inner_from..][..inner_from], from, (to, positions), (item, block));
        }
    }
}
