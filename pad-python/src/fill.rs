//! `constant_values` as one element of the array's type.

use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};
use smallvec::SmallVec;

use crate::widths::Sequence;

/// The element's bytes.
pub(crate) type Element = SmallVec<[u8; 16]>;

/// The element that `values` is for arrays of `dtype` with `rank` axes, as numpy casts it; or as many as there are sides, if they
/// differ; `None` if numpy is to say what is wrong.
pub(crate) fn elements(
    values: Option<&Bound<'_, PyAny>>,
    dtype: &Bound<'_, PyArrayDescr>,
    rank: usize,
) -> PyResult<Option<Element>> {
    let (kind, item) = (dtype.kind(), dtype.itemsize());
    if matches!(kind, b'b' | b'i' | b'u' | b'f' | b'c') {
        match values {
            None => return Ok(Some(SmallVec::from_elem(0, item))),
            Some(value) if dtype.is_native_byteorder() != Some(false) => {
                if let Some(element) = number(value, kind, item) {
                    return Ok(Some(element));
                }
                if let Some([low, high]) = pair(value, kind, item) {
                    return Ok(Some(match low == high {
                        true => low,
                        false => (0..rank).flat_map(|_| low.iter().chain(&high).copied()).collect(),
                    }));
                }
            }
            _ => {}
        }
    }
    let numpy = dtype.py().import("pad_kernels._numpy")?;
    let zero = 0i64.into_pyobject(dtype.py())?;
    let values = values.unwrap_or(zero.as_any());
    let bytes: Option<Vec<u8>> = numpy.call_method1("fills", (values, dtype, rank))?.extract()?;
    Ok(bytes.map(SmallVec::from_vec))
}

/// Two numbers of one type, for the low and for the high sides of all axes.
fn pair(value: &Bound<'_, PyAny>, kind: u8, item: usize) -> Option<[Element; 2]> {
    let values = Sequence::of(value).filter(|values| values.len() == 2)?;
    let (low, high) = (values.get(0)?, values.get(1)?);
    // Of two types numpy first makes one.
    low.get_type().is(high.get_type()).then_some([number(&low, kind, item)?, number(&high, kind, item)?])
}

/// A Python number as an element of a numeric type, where that takes no more than a conversion in C.
fn number(value: &Bound<'_, PyAny>, kind: u8, item: usize) -> Option<Element> {
    if let Ok(value) = value.cast_exact::<PyInt>() {
        let value: i64 = value.extract().ok()?;
        // What does not fit is cast or refused by numpy, as it has it.
        macro_rules! fitting {
            ($type:ty) => {
                <$type>::try_from(value).ok().map(|value| SmallVec::from_slice(&value.to_ne_bytes()))
            };
        }
        return match (kind, item) {
            (b'b', 1) => Some(SmallVec::from_slice(&[u8::from(value != 0)])),
            (b'i', 1) => fitting!(i8),
            (b'i', 2) => fitting!(i16),
            (b'i', 4) => fitting!(i32),
            (b'i', 8) => fitting!(i64),
            (b'u', 1) => fitting!(u8),
            (b'u', 2) => fitting!(u16),
            (b'u', 4) => fitting!(u32),
            (b'u', 8) => fitting!(u64),
            (b'f', 4) => Some(SmallVec::from_slice(&(value as f32).to_ne_bytes())),
            (b'f', 8) => Some(SmallVec::from_slice(&(value as f64).to_ne_bytes())),
            _ => None,
        };
    }
    let value: f64 = value.cast_exact::<PyFloat>().ok()?.extract().ok()?;
    match (kind, item) {
        (b'f', 8) => Some(SmallVec::from_slice(&value.to_ne_bytes())),
        // numpy warns of a number that becomes infinite.
        (b'f', 4) if (value as f32).is_finite() || !value.is_finite() => {
            Some(SmallVec::from_slice(&(value as f32).to_ne_bytes()))
        }
        (b'c', 16) => {
            let mut element = Element::from_slice(&value.to_ne_bytes());
            element.extend_from_slice(&[0; 8]);
            Some(element)
        }
        _ => None,
    }
}
