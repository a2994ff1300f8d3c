//! Lists the reasons why numpy must pad a call, and makes the errors of calls that numpy cannot pad either.

use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::modes::{Computation, Mode};
use crate::pad::Given;

/// Says why a call has no request. [`pad`](crate::pad::pad) passes such calls to numpy. All other functions refuse them.
#[derive(Clone, Debug)]
pub(crate) enum Unfit<'py> {
    NoAxes,
    Elements,
    PadWidth,
    /// The mode has no argument of this name.
    Argument(String),
    /// The value of this argument does not fit the mode and the array.
    Value(&'static str, Bound<'py, PyAny>),
    /// The argument has a value for one mode, but there are several modes.
    Each(&'static str, Bound<'py, PyAny>),
    /// The fill differs by side, and the call has interior padding.
    Interior,
    /// The mode computes borders, and the named argument is only for modes that copy.
    Computed(Mode, &'static str),
    /// The mode cannot compute with numbers of this type.
    Numbers(Mode),
}

/// The arguments that an error names.
pub(crate) struct Call<'a, 'py> {
    /// The name of the function that was called.
    pub(crate) name: &'static str,
    pub(crate) rank: usize,
    pub(crate) dtype: &'a Bound<'py, PyArrayDescr>,
    pub(crate) pad_width: &'a Bound<'py, PyAny>,
}

impl Unfit<'_> {
    pub(crate) fn error(self, call: &Call<'_, '_>, mode: &Mode) -> PyErr {
        let Call { name, rank, dtype, pad_width } = call;
        match self {
            Unfit::NoAxes => {
                PyValueError::new_err(format!("{name}: the array has no axes, so that nothing can be padded"))
            }
            Unfit::Elements => PyTypeError::new_err(format!(
                "{name}: dtype {dtype} has no elements of a fixed size; only pad() takes such arrays, with the arguments of numpy"
            )),
            Unfit::PadWidth => PyValueError::new_err(format!(
                "pad_width is {}, and the array has {rank} axes: give an integer, a pair of integers, one pair for each axis, or a \
                 dict {{axis: pair}}",
                repr(pad_width)
            )),
            Unfit::Argument(argument) => {
                PyTypeError::new_err(format!("{} has no argument '{argument}'", named(mode, mode)))
            }
            Unfit::Value(argument, value) => {
                let value = repr(&value);
                PyValueError::new_err(match argument {
                    "reflect_type" => format!("reflect_type is {value}: give 'even' or 'odd'"),
                    "stat_length" => format!(
                        "stat_length is {value}: give a positive integer, a pair of them, or a pair for each of {rank} axes"
                    ),
                    argument => format!(
                        "{argument} is {value}: give one value that dtype {dtype} holds, a pair of them, or a pair for each of \
                         {rank} axes"
                    ),
                })
            }
            Unfit::Each(argument, value) => {
                let wanted =
                    if argument == "reflect_type" { "'even' reflections" } else { "one value for all sides" };
                PyValueError::new_err(format!(
                    "{argument} is {}, and mode is {mode}: modes of single axes take {wanted}",
                    repr(&value)
                ))
            }
            Unfit::Interior => PyValueError::new_err(
                "constant_values gives one value for each side, and interior takes one value for all: give one value",
            ),
            Unfit::Computed(computed, what) => {
                let mode = match &computed {
                    Mode::Computed(Computation::Constants) => {
                        "constant_values gives one value for each side".to_owned()
                    }
                    Mode::Computed(Computation::Antisymmetric) => {
                        format!("mode {computed} changes the signs of its borders")
                    }
                    computed => format!("{} computes its borders", named(computed, mode)),
                };
                PyValueError::new_err(match what {
                    // The text begins with the words of numpy, because programs may recognise the error by them.
                    "pad_width" => format!(
                        "index can't contain negative values: pad_width is {}, and {mode}; crop the array by a slice",
                        repr(pad_width)
                    ),
                    what => format!("{mode}, and takes no {what}: leave {what} away"),
                })
            }
            Unfit::Numbers(computed) => no_numbers(dtype, &computed, &named(&computed, mode)),
        }
    }
}

/// Returns the text of a value for a message, cut after 200 characters.
#[pyfunction(name = "shown")]
pub(crate) fn repr(value: &Bound<'_, PyAny>) -> String {
    // Python refuses to print an integer of more than 4300 digits.
    let unprintable = |_| format!("<unprintable value of {}>", value.get_type());
    let text = value.repr().map_or_else(unprintable, |text| text.to_string());
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// The modes that this package implements.
pub(crate) const MODES: &str = "constant, edge, reflect, symmetric, wrap, empty, linear_ramp, maximum, mean, median, minimum, nanmax, nanmean, nanmedian, \
     nanmin, antisymmetric, antireflect, smooth";

/// Returns the error for a mode that the function does not support.
pub(crate) fn no_mode(call: &str, modes: &str, mode: &Given<'_, '_>) -> PyErr {
    let Some(mode) = mode.value() else { return PyValueError::new_err("mode is missing") };
    if mode.is_callable() {
        return PyTypeError::new_err(format!(
            "{call}: mode is the function {}, which only pad() takes",
            repr(mode)
        ));
    }
    match mode.cast::<PyString>() {
        Ok(_) => PyValueError::new_err(format!("mode {} is none of {modes}", repr(mode))),
        Err(_) => PyTypeError::new_err(format!(
            "{call}: mode is a string, not {}, or has one for each axis in a sequence or a dict",
            repr(mode)
        )),
    }
}

pub(crate) fn no_numbers(dtype: &Bound<'_, PyArrayDescr>, mode: &Mode, name: &str) -> PyErr {
    let numbers = match (dtype.is_native_byteorder(), mode) {
        (Some(false), _) => "numbers in the byte order of this machine",
        (_, Mode::Computed(Computation::Antisymmetric)) => {
            "signed integers, floats of 16 to 64 bits and complex numbers"
        }
        (_, Mode::Computed(computation)) if computation.is_extreme() => {
            "bool, integers, floats of 16 to 64 bits and complex numbers"
        }
        _ => "integers and floats of 16 to 64 bits and complex numbers",
    };
    let advice = "convert the array by astype first";
    PyTypeError::new_err(format!("{name} computes with {numbers}, not with {dtype}: {advice}"))
}

/// Returns the name of a mode in an error. The odd reflection has two names, and `given` is the mode as the caller names it.
pub(crate) fn named(mode: &Mode, given: &Mode) -> String {
    match given {
        Mode::Computed(Computation::OddReflect) => "mode 'antireflect'".to_owned(),
        _ => format!("{}mode {mode}", odd(mode)),
    }
}

/// Returns the word before the name of an odd reflection.
pub(crate) fn odd(mode: &Mode) -> &'static str {
    match mode {
        Mode::Computed(Computation::OddReflect | Computation::OddSymmetric) => "odd ",
        _ => "",
    }
}
