//! Reads the argument `mode`, which is one mode, or one mode per axis or side.

use std::fmt;

use pad_kernels::{AxisMode, Modes, PadMode};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::refusal::repr;
use crate::request::Axes;
use crate::widths;

/// The source of border elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    /// The data or the fill. If all sides have the same mode, the value is a [`Modes::All`], so that equal requests compare as equal.
    Copying(Modes),
    /// No source, because border elements keep their values.
    Empty,
    /// A computation, or one constant for each side.
    Computed(Computation),
}

/// The computation of borders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Computation {
    Constants,
    LinearRamp,
    Maximum,
    Mean,
    Median,
    Minimum,
    NanMaximum,
    NanMean,
    NanMedian,
    NanMinimum,
    OddReflect,
    OddSymmetric,
    Smooth,
    /// A reflection with a change of sign. The borders are copied and then negated.
    Antisymmetric,
}

impl Computation {
    /// Tells whether borders are maxima or minima. These only compare elements, so `bool` has them, too.
    pub(crate) fn is_extreme(self) -> bool {
        use Computation::{Maximum, Minimum, NanMaximum, NanMinimum};
        matches!(self, Maximum | Minimum | NanMaximum | NanMinimum)
    }
}

/// The modes that each axis or side can have separately.
pub(crate) const OF_AXES: &str = "constant, edge, reflect, symmetric and wrap";

impl Mode {
    /// Returns the mode of this name, if this package implements it.
    pub(crate) fn named(name: &str) -> Option<Mode> {
        Some(match name {
            "empty" => Mode::Empty,
            "linear_ramp" => Mode::Computed(Computation::LinearRamp),
            "maximum" => Mode::Computed(Computation::Maximum),
            "mean" => Mode::Computed(Computation::Mean),
            "median" => Mode::Computed(Computation::Median),
            "minimum" => Mode::Computed(Computation::Minimum),
            "nanmax" => Mode::Computed(Computation::NanMaximum),
            "nanmean" => Mode::Computed(Computation::NanMean),
            "nanmedian" => Mode::Computed(Computation::NanMedian),
            "nanmin" => Mode::Computed(Computation::NanMinimum),
            "smooth" => Mode::Computed(Computation::Smooth),
            "antisymmetric" => Mode::Computed(Computation::Antisymmetric),
            "antireflect" => Mode::Computed(Computation::OddReflect),
            _ => Mode::Copying(PadMode::ALL.into_iter().find(|mode| mode.name() == name)?.into()),
        })
    }

    /// Tells whether numpy lacks this mode.
    pub(crate) fn is_beyond_numpy(&self) -> bool {
        use Computation::{Antisymmetric, NanMaximum, NanMean, NanMedian, NanMinimum, OddReflect, Smooth};
        let Mode::Computed(computation) = self else { return false };
        matches!(
            computation,
            NanMaximum | NanMean | NanMedian | NanMinimum | Smooth | Antisymmetric | OddReflect
        )
    }

    /// Returns the computed mode with the name of this mode, such as the odd reflection for mode reflect. Returns `None` if no
    /// computed mode has this name.
    pub(crate) fn computed(&self) -> Option<Mode> {
        match self {
            Mode::Copying(modes) => match modes.single()? {
                PadMode::Constant => Some(Mode::Computed(Computation::Constants)),
                PadMode::Reflect => Some(Mode::Computed(Computation::OddReflect)),
                PadMode::Symmetric => Some(Mode::Computed(Computation::OddSymmetric)),
                _ => None,
            },
            Mode::Empty => None,
            Mode::Computed(_) => Some(self.clone()),
        }
    }

    /// Returns the modes for an array with its axes in reverse order.
    pub(crate) fn transposed(&self) -> Mode {
        match self {
            Mode::Copying(Modes::Each(modes)) => Mode::Copying(modes.iter().rev().copied().collect()),
            mode => mode.clone(),
        }
    }

    /// Reads the modes of an array of `rank` axes from a name, a sequence or a dict.
    ///
    /// # Errors
    ///
    /// Returns `TypeError` or `ValueError`. The message names the axis and the value.
    pub(crate) fn of(mode: &Bound<'_, PyAny>, rank: usize) -> PyResult<Mode> {
        let each = match mode.cast::<PyDict>() {
            Ok(dict) => of_dict(dict, rank)?,
            Err(_) => {
                let each = widths::items(mode).unwrap_or_default();
                each.iter().enumerate().map(|(axis, each)| of_axis(axis, each)).collect::<PyResult<_>>()?
            }
        };
        if each.len() != rank {
            return Err(PyValueError::new_err(format!(
                "mode is {}, of {} entries, and the array has {rank} axes: give one entry for each axis; two modes for the sides \
                 of one axis are a pair in its entry, as in [('constant', 'edge')]",
                repr(mode),
                each.len()
            )));
        }
        Mode::joined(each)
    }

    /// Joins one entry per axis to one mode.
    fn joined(each: Axes<[Mode; 2]>) -> PyResult<Mode> {
        let mut all = each.iter().flatten();
        if let Some(first) = all.next()
            && all.all(|mode| mode == first)
        {
            return Ok(first.clone());
        }
        let copying = |axis: usize, mode: &Mode| match mode {
            Mode::Copying(Modes::All(mode)) => Ok(*mode),
            mode => Err(PyValueError::new_err(format!(
                "mode: axis {axis} has {mode}, which is for all axes together; modes of single axes are {OF_AXES}"
            ))),
        };
        let modes: PyResult<Modes> = (each.iter().enumerate())
            .map(|(axis, [low, high])| Ok((copying(axis, low)?, copying(axis, high)?)))
            .collect::<PyResult<Vec<_>>>()
            .map(Modes::from);
        Ok(Mode::Copying(modes?))
    }

    /// Returns the mode in Python's form: a name, or a tuple of names and of pairs of names.
    pub(crate) fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let name = |name: &str| PyString::new(py, name).into_any();
        let Mode::Copying(Modes::Each(modes)) = self else { return Ok(name(self.name())) };
        let each = modes.iter().map(|AxisMode { low, high }| match low == high {
            true => Ok(name(low.name())),
            false => PyTuple::new(py, [low.name(), high.name()]).map(Bound::into_any),
        });
        PyTuple::new(py, each.collect::<PyResult<Vec<_>>>()?).map(Bound::into_any)
    }

    /// Returns the name of the mode, if there is one mode for all sides.
    fn name(&self) -> &'static str {
        match self {
            Mode::Copying(modes) => modes.single().map_or("", PadMode::name),
            Mode::Empty => "empty",
            Mode::Computed(Computation::Constants) => "constant",
            Mode::Computed(Computation::LinearRamp) => "linear_ramp",
            Mode::Computed(Computation::Maximum) => "maximum",
            Mode::Computed(Computation::Mean) => "mean",
            Mode::Computed(Computation::Median) => "median",
            Mode::Computed(Computation::Minimum) => "minimum",
            Mode::Computed(Computation::NanMaximum) => "nanmax",
            Mode::Computed(Computation::NanMean) => "nanmean",
            Mode::Computed(Computation::NanMedian) => "nanmedian",
            Mode::Computed(Computation::NanMinimum) => "nanmin",
            Mode::Computed(Computation::Smooth) => "smooth",
            Mode::Computed(Computation::Antisymmetric) => "antisymmetric",
            Mode::Computed(Computation::OddReflect) => "reflect",
            Mode::Computed(Computation::OddSymmetric) => "symmetric",
        }
    }
}

/// Writes the mode in Python's form.
impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mode::Copying(Modes::Each(modes)) = self else { return write!(f, "'{}'", self.name()) };
        f.write_str("[")?;
        for (axis, AxisMode { low, high }) in modes.iter().enumerate() {
            f.write_str(if axis > 0 { ", " } else { "" })?;
            if low == high { write!(f, "'{low}'")? } else { write!(f, "('{low}', '{high}')")? }
        }
        f.write_str("]")
    }
}

/// Reads the entry of an axis: a name, or a pair of names.
fn of_axis(axis: usize, entry: &Bound<'_, PyAny>) -> PyResult<[Mode; 2]> {
    let one = |name: &Bound<'_, PyAny>| -> PyResult<Mode> {
        let Ok(text) = name.cast::<PyString>() else {
            return Err(PyTypeError::new_err(format!(
                "mode: axis {axis} has {}: give the name of a mode, or a pair of names for before and after",
                repr(entry)
            )));
        };
        Mode::named(text.to_str()?).ok_or_else(|| {
            PyValueError::new_err(format!(
                "mode: axis {axis} has {}: modes of single axes are {OF_AXES}",
                repr(name)
            ))
        })
    };
    match widths::items(entry).as_deref() {
        Some([low, high]) => Ok([one(low)?, one(high)?]),
        _ => one(entry).map(|mode| [mode.clone(), mode]),
    }
}

/// Reads a dict of modes by axis. Axes without a key have mode `constant`, the default of a call.
fn of_dict(dict: &Bound<'_, PyDict>, rank: usize) -> PyResult<Axes<[Mode; 2]>> {
    let mut modes: Axes<Option<[Mode; 2]>> = std::iter::repeat_n(None, rank).collect();
    // The `__index__` of a key may change the dict.
    for (key, entry) in dict.iter().collect::<Vec<_>>() {
        let wrong = |what: &str| format!("mode: key {} is no axis: give {what}", repr(&key));
        let axis = widths::index(&key, "the number of an axis", wrong)?;
        let counted = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
        let Some(place) = usize::try_from(counted).ok().and_then(|axis| modes.get_mut(axis)) else {
            return Err(PyValueError::new_err(format!(
                "mode names axis {axis}, and the array has {rank} axes"
            )));
        };
        if place.replace(of_axis(counted as usize, &entry)?).is_some() {
            return Err(PyValueError::new_err(format!("mode names axis {counted} twice")));
        }
    }
    let constant = || std::array::from_fn(|_| Mode::Copying(PadMode::Constant.into()));
    Ok(modes.into_iter().map(|modes| modes.unwrap_or_else(constant)).collect())
}

/// Tells whether a mode argument has entries per axis.
pub(crate) fn is_each(mode: &Bound<'_, PyAny>) -> bool {
    mode.is_instance_of::<PyDict>() || mode.is_instance_of::<PyList>() || mode.is_instance_of::<PyTuple>()
}

/// Returns a mode of `rank` axes as one name, or as a tuple with a name or a pair of names per axis.
#[pyfunction]
pub(crate) fn modes<'py>(mode: &Bound<'py, PyAny>, rank: usize) -> PyResult<Bound<'py, PyAny>> {
    if is_each(mode) { Mode::of(mode, rank)?.to_python(mode.py()) } else { Ok(mode.clone()) }
}
