//! Reads `constant_values` as one element of the array's type, or as one element for each position of an axis.
//!
//! If the array's type can hold a number, this file converts the number. numpy converts all other numbers by its own rules: it
//! wraps, warns or refuses.

use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyType};
use smallvec::SmallVec;

use crate::array;
use crate::refusal::repr;
use crate::widths::Sequence;

/// The bytes of an element.
pub(crate) type Element = SmallVec<[u8; 16]>;

/// All integers up to this value are exact in both `i64` and `f64`, so conversions do not round them.
const EXACT: i128 = 1 << 53;

/// Tells whether `values` is an `Along`, which has a value for each position of an axis.
pub(crate) fn is_along(values: &Bound<'_, PyAny>) -> PyResult<bool> {
    static ALONG: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    Ok(values.get_type().is(ALONG.import(values.py(), "pad_kernels._along", "Along")?))
}

/// Returns an error if the argument `constant_values` has a mask or a unit, which would be lost.
pub(crate) fn refuse_carried(kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    let Some(kwargs) = kwargs else { return Ok(()) };
    match kwargs.get_item("constant_values")? {
        Some(values)
            if !values.is_exact_instance_of::<PyInt>() && !values.is_exact_instance_of::<PyFloat>() =>
        {
            let module = kwargs.py().import("pad_kernels._along")?;
            module.call_method1("refuse_carried", (values, "constant_values")).map(drop)
        }
        _ => Ok(()),
    }
}

/// Returns elements as an array.
pub(crate) fn array_of<'py>(bytes: &[u8], dtype: &Bound<'py, PyArrayDescr>) -> PyResult<Bound<'py, PyAny>> {
    let py = dtype.py();
    py.import("numpy")?.call_method1("frombuffer", (PyBytes::new(py, bytes), dtype))
}

/// Returns the argument for a fill as text, or nothing for zero.
pub(crate) fn shown(
    fill: Option<&[u8]>,
    along: Option<usize>,
    dtype: &Bound<'_, PyArrayDescr>,
) -> PyResult<String> {
    let Some(fill) = fill.filter(|fill| fill.iter().any(|&byte| byte != 0)) else {
        return Ok(String::new());
    };
    let values = array_of(fill, dtype)?.call_method0("tolist")?;
    Ok(match along {
        Some(axis) => format!(", constant_values=Along({axis}, {})", values.repr()?),
        None => format!(", constant_values={}", values.get_item(0)?.repr()?),
    })
}

/// Returns the axis of an `Along` in arrays of this shape, and one element for each position of the axis.
pub(crate) fn along(
    values: &Bound<'_, PyAny>,
    dtype: &Bound<'_, PyArrayDescr>,
    shape: &[usize],
) -> PyResult<(usize, Element)> {
    let (rank, given) = (shape.len(), values.getattr("axis")?);
    let from_the_end = |axis: i64| if axis < 0 { axis.checked_add(rank as i64) } else { Some(axis) };
    let axis = given.extract().ok().and_then(from_the_end).and_then(|axis| usize::try_from(axis).ok());
    let Some((axis, &length)) = axis.and_then(|axis| Some((axis, shape.get(axis)?))) else {
        return Err(PyValueError::new_err(format!(
            "constant_values names axis {given}, and the array has {rank} axes"
        )));
    };
    let each: Option<Vec<Bound<'_, PyAny>>> = values.getattr("each")?.extract()?;
    let Some(each) = each.filter(|each| each.len() == length) else {
        return Err(PyValueError::new_err(format!(
            "constant_values is {}, and axis {axis} has length {length}: give one value for each position",
            repr(values)
        )));
    };
    let mut all = Element::new();
    for value in &each {
        // numpy would wrap an integer, and drop a fraction or an imaginary part. This function returns an error instead.
        let element = match dtype.kind() {
            b'b' | b'i' | b'u' => {
                one(value, dtype).filter(|_| value.extract::<f64>().is_ok_and(|number| number.fract() == 0.0))
            }
            b'f' if is_complex(value) => None,
            _ => elements(Some(value), dtype, 1)?,
        };
        match element {
            Some(element) if element.len() == dtype.itemsize() => all.extend_from_slice(&element),
            _ => {
                return Err(PyValueError::new_err(format!(
                    "constant_values is {}: {} is no element of dtype {dtype}",
                    repr(values),
                    repr(value)
                )));
            }
        }
    }
    Ok((axis, all))
}

/// Returns the element that numpy makes of `values`, for arrays of `dtype` with `rank` axes. If the sides have different values, returns
/// one element per side. Returns `None` if numpy must convert the values or report an error.
pub(crate) fn elements(
    values: Option<&Bound<'_, PyAny>>,
    dtype: &Bound<'_, PyArrayDescr>,
    rank: usize,
) -> PyResult<Option<Element>> {
    if matches!(dtype.kind(), b'b' | b'i' | b'u' | b'f' | b'c') && values.is_none() {
        return Ok(Some(SmallVec::from_elem(0, dtype.itemsize())));
    }
    // A user-defined dtype may use the letter of one of numpy's kinds, but store other bytes.
    if (0..24).contains(&dtype.num())
        && let Some(values) = values
    {
        if let Some(element) = one(values, dtype) {
            return Ok(Some(element));
        }
        if let Some(sides) = sides(values, dtype, rank) {
            return Ok(Some(sides));
        }
    }
    let numpy = dtype.py().import("pad_kernels._numpy")?;
    let zero = 0i64.into_pyobject(dtype.py())?;
    let values = values.unwrap_or(zero.as_any());
    let bytes: Option<Vec<u8>> = numpy.call_method1("fills", (values, dtype, rank))?.extract()?;
    Ok(bytes.map(SmallVec::from_vec))
}

/// Reads one pair of numbers for all axes, or one pair per axis. If all numbers are equal, it returns one element.
fn sides(values: &Bound<'_, PyAny>, dtype: &Bound<'_, PyArrayDescr>, rank: usize) -> Option<Element> {
    let rows = Sequence::of(values)?;
    let numbers: SmallVec<[_; 4]> = match Sequence::of(&rows.get(0)?) {
        None => rows.pair()?.into_iter().collect(),
        Some(_) if rows.len() != rank => return None,
        Some(_) => {
            let pairs: Option<SmallVec<[_; 4]>> =
                (0..rank).map(|axis| Sequence::of(&rows.get(axis)?)?.pair()).collect();
            pairs?.into_iter().flatten().collect()
        }
    };
    // numpy first converts numbers of different types to a common one.
    let of = numbers[0].get_type();
    if !numbers.iter().all(|number| number.get_type().is(&of)) {
        return None;
    }
    let elements: Vec<Element> = numbers.iter().map(|number| one(number, dtype)).collect::<Option<_>>()?;
    if elements.iter().all(|element| *element == elements[0]) {
        return elements.into_iter().next();
    }
    Some(elements.iter().flatten().copied().cycle().take(2 * rank * dtype.itemsize()).collect())
}

/// Converts one number to an element, if the type can hold it.
fn one(value: &Bound<'_, PyAny>, dtype: &Bound<'_, PyArrayDescr>) -> Option<Element> {
    let (kind, item) = (dtype.kind(), dtype.itemsize());
    let mut element = match Number::of(value) {
        Some(number) => number.element(kind, item)?,
        None => {
            let (of, bytes) = array::scalar(value)?;
            if of.num() == dtype.num()
                && (of.is_equiv_to(dtype) || matches!(kind, b'b' | b'i' | b'u' | b'f' | b'c'))
            {
                Element::from_slice(&bytes[..item])
            } else {
                Number::of_scalar(of.kind(), of.itemsize(), bytes)?.element(kind, item)?
            }
        }
    };
    if dtype.is_native_byteorder() == Some(false) {
        let part = if kind == b'c' { item / 2 } else { item };
        element.chunks_mut(part).for_each(<[u8]>::reverse);
    }
    Some(element)
}

fn is_complex(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyComplex>() || array::scalar(value).is_some_and(|(of, _)| of.kind() == b'c')
}

/// A number, separate from its Python type.
#[derive(Clone, Copy)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    /// Reads a Python number.
    fn of(value: &Bound<'_, PyAny>) -> Option<Number> {
        if let Ok(value) = value.cast_exact::<PyFloat>() {
            return Some(Number::Float(value.value()));
        }
        if let Ok(value) = value.cast_exact::<PyBool>() {
            return Some(Number::Integer(value.is_true().into()));
        }
        let value = value.cast_exact::<PyInt>().ok()?;
        let signed = value.extract::<i64>().map(i128::from);
        Some(Number::Integer(signed.or_else(|_| value.extract::<u64>().map(i128::from)).ok()?))
    }

    /// Reads the number of a numpy scalar of this kind and size.
    pub(crate) fn of_scalar(kind: u8, item: usize, bytes: [u8; 16]) -> Option<Number> {
        macro_rules! read {
            ($type:ty) => {
                <$type>::from_ne_bytes(*bytes.first_chunk().expect("at most 16 bytes")).into()
            };
        }
        Some(match (kind, item) {
            (b'b', 1) => Number::Integer(bytes[0].into()),
            (b'i', 1) => Number::Integer(read!(i8)),
            (b'i', 2) => Number::Integer(read!(i16)),
            (b'i', 4) => Number::Integer(read!(i32)),
            (b'i', 8) => Number::Integer(read!(i64)),
            (b'u', 1) => Number::Integer(read!(u8)),
            (b'u', 2) => Number::Integer(read!(u16)),
            (b'u', 4) => Number::Integer(read!(u32)),
            (b'u', 8) => Number::Integer(read!(u64)),
            (b'f', 4) => Number::Float(read!(f32)),
            (b'f', 8) => Number::Float(read!(f64)),
            _ => return None,
        })
    }

    /// Returns the bytes of an element in native order, if the type can hold the number.
    fn element(self, kind: u8, item: usize) -> Option<Element> {
        match (self, kind) {
            // Zero consists of zero bits in all of these types, but the negative zero of floats does not.
            (Number::Integer(0), b'b' | b'i' | b'u' | b'f' | b'c') => Some(SmallVec::from_elem(0, item)),
            (Number::Float(value), b'b' | b'i' | b'u' | b'f' | b'c') if value.to_bits() == 0 => {
                Some(SmallVec::from_elem(0, item))
            }
            (Number::Integer(value), b'b') => Some(SmallVec::from_slice(&[u8::from(value != 0)])),
            (Number::Float(value), b'b') => Some(SmallVec::from_slice(&[u8::from(value != 0.0)])),
            (Number::Integer(value), b'i' | b'u') => integer(value, kind, item),
            // numpy drops the fraction.
            (Number::Float(value), b'i' | b'u') if !value.is_nan() => integer(value as i128, kind, item),
            (Number::Integer(value), b'f' | b'c') if value.abs() <= EXACT => float(value as f64, kind, item),
            (Number::Float(value), b'f' | b'c') => float(value, kind, item),
            _ => None,
        }
    }
}

fn integer(value: i128, kind: u8, item: usize) -> Option<Element> {
    macro_rules! fitting {
        ($type:ty) => {
            <$type>::try_from(value).ok().map(|value| SmallVec::from_slice(&value.to_ne_bytes()))
        };
    }
    match (kind, item) {
        (b'i', 1) => fitting!(i8),
        (b'i', 2) => fitting!(i16),
        (b'i', 4) => fitting!(i32),
        (b'i', 8) => fitting!(i64),
        (b'u', 1) => fitting!(u8),
        (b'u', 2) => fitting!(u16),
        (b'u', 4) => fitting!(u32),
        (b'u', 8) => fitting!(u64),
        _ => None,
    }
}

/// Converts to a float, or to a complex number without imaginary part.
fn float(value: f64, kind: u8, item: usize) -> Option<Element> {
    let part = if kind == b'c' { item / 2 } else { item };
    let mut element = match part {
        8 => Element::from_slice(&value.to_ne_bytes()),
        // numpy warns if a number becomes infinite.
        4 if (value as f32).is_finite() || !value.is_finite() => {
            Element::from_slice(&(value as f32).to_ne_bytes())
        }
        _ => return None,
    };
    element.resize(item, 0);
    Some(element)
}
