//! Reads the arguments of modes that compute: `stat_length`, `end_values`, and the number type.

use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pad_kernels::DType;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};

use crate::modes::Computation;
use crate::request::Sides;
use crate::widths;

/// Returns the number of elements per statistic. Returns `None` if numpy must report an error or a warning.
pub(crate) fn lengths(value: &Bound<'_, PyAny>, rank: usize) -> PyResult<Option<Sides>> {
    if value.is_none() {
        return Ok(Some(Sides::None));
    }
    let Some(pairs) = widths::pads(value, rank)? else { return Ok(None) };
    let length = |length: i64| usize::try_from(length).ok().filter(|&length| length > 0);
    let pairs = pairs.iter().map(|pair| Some([length(pair.low)?, length(pair.high)?]));
    Ok(pairs.collect::<Option<_>>().map(Sides::Lengths))
}

/// Returns the end values of ramps. Returns `None` if numpy must compute the ramps.
pub(crate) fn ends(
    value: &Bound<'_, PyAny>,
    dtype: &Bound<'_, PyArrayDescr>,
    rank: usize,
) -> PyResult<Option<Sides>> {
    let (pairs, data): (Vec<[f64; 2]>, bool) = if let Ok(value) = value.cast_exact::<PyFloat>() {
        (vec![[value.extract()?; 2]; rank], false)
    } else if let Ok(value) = value.cast_exact::<PyInt>()
        && let Ok(value) = value.extract::<i32>()
    {
        (vec![[value.into(); 2]; rank], false)
    } else {
        match value.py().import("pad_kernels._numpy")?.call_method1("ends", (value, rank))?.extract()? {
            Some(ends) => ends,
            None => return Ok(None),
        }
    };
    // numpy warns if an end value does not fit the array's integer type.
    let (kind, bits) = (dtype.kind(), 8 * dtype.itemsize() as i32);
    let fits = |end: f64| match kind {
        b'i' => end.abs() < 2f64.powi((bits - 1).min(53)),
        b'u' => end >= 0.0 && end < 2f64.powi(bits.min(53)),
        _ => true,
    };
    if !pairs.iter().flatten().copied().all(fits) {
        return Ok(None);
    }
    Ok(Some(Sides::Ends(pairs.into_iter().map(|pair| pair.map(f64::to_bits)).collect(), data)))
}

/// Returns the number type of an array, if the library computes with this type as numpy does.
pub(crate) fn number(dtype: &Bound<'_, PyArrayDescr>, computation: Computation) -> Option<DType> {
    // A user-defined dtype may use the letter of one of numpy's kinds, but have other arithmetic.
    if dtype.is_native_byteorder() == Some(false) || !(0..24).contains(&dtype.num()) {
        return None;
    }
    Some(match (dtype.kind(), dtype.itemsize()) {
        (b'f', 2) => DType::F16,
        (b'f', 4) => DType::F32,
        (b'f', 8) => DType::F64,
        (b'i', 1) => DType::I8,
        (b'i', 2) => DType::I16,
        (b'i', 4) => DType::I32,
        (b'i', 8) => DType::I64,
        // Signs turn only for numbers that have one.
        (b'u', _) if computation == Computation::Antisymmetric => return None,
        (b'u', 1) => DType::U8,
        (b'u', 2) => DType::U16,
        (b'u', 4) => DType::U32,
        (b'u', 8) => DType::U64,
        (b'c', 8) => DType::C64,
        (b'c', 16) => DType::C128,
        (b'b', 1) if computation.is_extreme() => DType::Bool,
        _ => return None,
    })
}
