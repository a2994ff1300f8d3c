//! The Python function `pad_kernels.pad`.

use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pad_kernels::{Frame, PadMode};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use smallvec::SmallVec;

use crate::modes::{Computation, Mode, is_each};
use crate::refusal::{self, Call, Unfit};
use crate::request::{Axes, Lies, Request, Sides};
use crate::{array, cache, fill, sides, widths};

/// An optional argument that may also be the Python value `None`.
#[derive(Default)]
pub(crate) struct Given<'a, 'py>(Option<Borrowed<'a, 'py, PyAny>>);

impl<'a, 'py> FromPyObject<'a, 'py> for Given<'a, 'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Given(Some(object)))
    }
}

impl<'a, 'py> From<&'a Bound<'py, PyAny>> for Given<'a, 'py> {
    fn from(object: &'a Bound<'py, PyAny>) -> Self {
        Given(Some(object.as_borrowed()))
    }
}

impl Given<'_, '_> {
    /// Returns the modes of an array of `rank` axes, or `None` for modes that this package does not implement.
    ///
    /// # Errors
    ///
    /// Returns an error if the mode of one axis is invalid.
    pub(crate) fn mode(&self, rank: usize) -> PyResult<Option<Mode>> {
        let Some(mode) = &self.0 else { return Ok(Some(Mode::Copying(PadMode::Constant.into()))) };
        match mode.cast::<PyString>() {
            Ok(name) => Ok(name.to_str().ok().and_then(Mode::named)),
            Err(_) if is_each(mode) => Mode::of(mode, rank).map(Some),
            Err(_) => Ok(None),
        }
    }

    pub(crate) fn value(&self) -> Option<&Bound<'_, PyAny>> {
        self.0.as_deref()
    }

    fn is_each(&self) -> bool {
        self.0.as_deref().is_some_and(is_each)
    }
}

/// Pad an array, as :func:`numpy.pad` does.
///
/// The function accepts all modes and arguments of :func:`numpy.pad` and
/// returns the same result, faster. It also has modes and arguments that numpy
/// lacks.
///
/// Parameters
/// ----------
/// array : array_like
///     The array to pad. It may have any strides.
/// pad_width : int, sequence or dict
///     The number of elements to add. ``n`` adds ``n`` elements on every side.
///     ``(before, after)`` holds for every axis, and
///     ``((before_0, after_0), ...)`` has one pair for each axis.
///     ``{axis: n}`` and ``{axis: (before, after)}`` name some axes.
///     A negative number removes elements. Only the first six modes accept it,
///     with even reflections and one constant for all sides.
/// mode : str, sequence, dict or function, optional
///     ``"constant"`` (default), ``"edge"``, ``"reflect"``,
///     ``"symmetric"``, ``"wrap"``, ``"empty"``, ``"linear_ramp"``,
///     ``"maximum"``, ``"mean"``, ``"median"``, ``"minimum"`` or a function,
///     as in numpy. These modes are additions:
///     ``"nanmax"``, ``"nanmean"``, ``"nanmedian"`` and ``"nanmin"`` ignore NaN.
///     ``"antisymmetric"``, ``"antireflect"`` and ``"smooth"`` are modes of
///     PyWavelets. The first changes the sign at each mirror, the second is an
///     odd reflection, and the third continues the line through the two
///     outermost elements.
///     ``[mode_0, mode_1, ...]`` has one mode for each axis, which must be one
///     of the first five modes. ``{axis: mode}`` names some axes, and the others
///     have mode ``"constant"``. A pair of modes ``(before, after)`` for an axis
///     has one mode for each of its sides.
/// out : ndarray, optional
///     The array to which the result is written. It must have the shape and
///     dtype of the result. It may have any strides, and it may share memory
///     with `array`.
/// interior : int or sequence of int, optional
///     The number of elements to insert between each two neighbours, for all
///     axes or for each axis. They have the value of `constant_values`, in
///     every mode.
/// frame : {"uncropped", "cropped"}, optional
///     The elements from which a border is made, if a negative width removes
///     elements on the other side. With ``"uncropped"``, the border can repeat
///     removed elements. With ``"cropped"``, it cannot. The default is
///     ``"cropped"`` for ``"wrap"``, and ``"uncropped"`` for other modes.
/// dtype : dtype, optional
///     The dtype of the result. `array` is converted to it before it is padded.
///     For example, you can convert integers to floats and pad them with NaN.
///     The conversion must be one that numpy calls ``"same_kind"``.
/// threads : int, optional
///     The number of threads that write the result. The default is 1, and -1
///     means one thread for each processor. A call never uses more threads than
///     there are processors. Several threads are faster only for results of
///     some megabytes and more.
/// constant_values : scalar, sequence or Along, optional
///     The fill in mode ``"constant"``. The default is 0.
///     :class:`Along` has one value for each position of an axis.
/// reflect_type : {"even", "odd"}, optional
///     The kind of reflection in modes ``"reflect"`` and ``"symmetric"``.
/// stat_length, end_values : optional
///     Arguments of the modes that compute. See :func:`numpy.pad`.
///
/// Returns
/// -------
/// ndarray
///     The padded array, in the memory order of `array`. If you give `out`,
///     this is `out`.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from pad_kernels import pad
/// >>> a = np.array([1, 2, 3])
/// >>> pad(a, (1, 2))
/// array([0, 1, 2, 3, 0, 0])
/// >>> pad(a, 2, "reflect")
/// array([3, 2, 1, 2, 3, 2, 1])
/// >>> pad(a, (-1, 2), "edge")
/// array([2, 3, 3, 3])
/// >>> pad(a, 2, "antisymmetric")
/// array([-2, -1,  1,  2,  3, -3, -2])
/// >>> pad(a, 0, interior=1)
/// array([1, 0, 2, 0, 3])
/// >>> pad([[1, 2, 3], [4, 5, 6]], 1, ["edge", "wrap"])
/// array([[3, 1, 2, 3, 1],
///        [3, 1, 2, 3, 1],
///        [6, 4, 5, 6, 4],
///        [6, 4, 5, 6, 4]])
/// >>> pad(a, 2, [("constant", "edge")])
/// array([0, 0, 1, 2, 3, 3, 3])
/// >>> pad(a, 1, dtype=float, constant_values=np.nan)
/// array([nan,  1.,  2.,  3., nan])
/// >>> out = np.empty(5, dtype=a.dtype)
/// >>> pad(a, {0: (0, 2)}, "wrap", out=out) is out
/// True
/// >>> out
/// array([1, 2, 3, 1, 2])
#[pyfunction]
#[pyo3(
    signature = (array, pad_width, mode = Given::default(), *, out = None, interior = None, frame = None, threads = None, dtype = None, **kwargs),
    text_signature = "(array, pad_width, mode='constant', *, out=None, interior=None, frame=None, threads=None, dtype=None, **kwargs)"
)]
#[expect(clippy::too_many_arguments, reason = "they are those of the call")]
pub(crate) fn pad<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    pad_width: &Bound<'py, PyAny>,
    mode: Given<'_, 'py>,
    out: Option<&Bound<'py, PyAny>>,
    interior: Option<&Bound<'py, PyAny>>,
    frame: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let converted;
    let array = match dtype {
        None => array,
        Some(dtype) => {
            let numpy = py.import(intern!(py, "pad_kernels._numpy"))?;
            converted = numpy.call_method1(intern!(py, "converted"), (array, dtype))?;
            &converted
        }
    };
    let options = Options { interior, frame: frame.map(frame_of).transpose()?, kwargs };
    let along = options.is_along()?;
    let plain;
    let array = if along {
        let numpy = py.import(intern!(py, "pad_kernels._numpy"))?;
        plain = numpy.call_method1(intern!(py, "plain_or_own"), (array,))?;
        &plain
    } else {
        array
    };
    let count = threads_of(threads)?;
    if let Some(padded) = pad_native(py, array, pad_width, &mode, out, &options, count)? {
        return Ok(padded);
    }
    // numpy pads all other calls, and reports their errors.
    let beyond = beyond_numpy(&mode, &options)?;
    let constant = intern!(py, "constant").as_any();
    let mode = mode.0.as_deref().unwrap_or(constant);
    let given = (array, pad_width, mode, out, threads, beyond);
    py.import(intern!(py, "pad_kernels._numpy"))?.call_method(intern!(py, "pad"), given, kwargs)
}

/// The arguments of a request besides array, widths and mode.
pub(crate) struct Options<'a, 'py> {
    pub(crate) interior: Option<&'a Bound<'py, PyAny>>,
    pub(crate) frame: Option<Frame>,
    pub(crate) kwargs: Option<&'a Bound<'py, PyDict>>,
}

impl Options<'_, '_> {
    /// Tells whether the fill has a value for each position of an axis, which numpy cannot do.
    fn is_along(&self) -> PyResult<bool> {
        let Some(kwargs) = self.kwargs else { return Ok(false) };
        let values = kwargs.get_item(intern!(kwargs.py(), "constant_values"))?;
        values.map_or(Ok(false), |values| fill::is_along(&values))
    }
}

/// Returns how many threads run a call. There are at most as many threads as processors.
pub(crate) fn threads_of(threads: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let Some(given) = threads else { return Ok(1) };
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let wrong = |what: &str| {
        format!("threads is {}: give {what}, or -1 for one thread on each processor", refusal::repr(given))
    };
    match widths::index(given, "an integer from 1 on", wrong)? {
        -1 => Ok(all()),
        1 => Ok(1),
        threads @ 2.. => Ok(usize::try_from(threads).unwrap_or(usize::MAX).min(all())),
        _ => Err(PyValueError::new_err(wrong("1 or more"))),
    }
}

pub(crate) fn frame_of(name: &Bound<'_, PyAny>) -> PyResult<Frame> {
    match name.cast::<PyString>().ok().and_then(|name| name.to_str().ok()) {
        Some("uncropped") => Ok(Frame::Uncropped),
        Some("cropped") => Ok(Frame::Cropped),
        _ => {
            let name = refusal::repr(name);
            Err(PyValueError::new_err(format!("frame is 'uncropped' or 'cropped', not {name}")))
        }
    }
}

/// Returns the name of an argument that numpy lacks. Its error would not name the argument.
fn beyond_numpy(mode: &Given<'_, '_>, options: &Options<'_, '_>) -> PyResult<Option<&'static str>> {
    let beyond = [
        ("interior", options.interior.is_some()),
        ("frame", options.frame.is_some()),
        ("a mode for each axis", mode.is_each()),
        ("a value for each position of an axis", options.is_along()?),
    ];
    Ok(beyond.into_iter().find_map(|(name, given)| given.then_some(name)))
}

/// Tells whether numpy would name only a negative width, although another argument or the form of the widths is wrong.
fn crops(mode: &Mode, unfit: &Unfit<'_>, pad_width: &Bound<'_, PyAny>) -> PyResult<bool> {
    let of_width = matches!(unfit, Unfit::PadWidth);
    if !of_width && (matches!(mode, Mode::Computed(_)) || matches!(unfit, Unfit::NoAxes | Unfit::Elements)) {
        return Ok(false);
    }
    let numpy = pad_width.py().import(intern!(pad_width.py(), "pad_kernels._numpy"))?;
    numpy.call_method1(intern!(pad_width.py(), "negative"), (pad_width,))?.is_truthy()
}

/// Pads with a plan. Returns `None` if numpy must pad or refuse the call.
fn pad_native<'py>(
    py: Python<'py>,
    object: &Bound<'py, PyAny>,
    pad_width: &Bound<'py, PyAny>,
    given: &Given<'_, 'py>,
    out: Option<&Bound<'py, PyAny>>,
    options: &Options<'_, 'py>,
    threads: usize,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let made;
    let array = match array::exact(object) {
        Some(array) => array,
        None => {
            let numpy = py.import(intern!(py, "pad_kernels._numpy"))?;
            made = numpy.call_method1(intern!(py, "as_array"), (object,))?;
            match array::exact(&made) {
                Some(array) => array,
                None => return Ok(None),
            }
        }
    };
    let Some(mode) = given.mode(array.ndim())? else { return Ok(None) };
    let dtype = array.dtype();
    // Reading an argument may run Python code, which may change the array.
    let shape: Axes<usize> = SmallVec::from_slice(array.shape());
    let request = match request(&shape, &dtype, pad_width, &mode, options)? {
        Ok(request) => request,
        Err(Unfit::Elements) => {
            let mode = mode.is_beyond_numpy().then(|| refusal::named(&mode, &mode));
            let Some(what) = beyond_numpy(given, options)?.map(str::to_owned).or(mode) else {
                return Ok(None);
            };
            return Err(PyTypeError::new_err(format!(
                "{what} is for elements of a fixed size, and the array has dtype {dtype}"
            )));
        }
        Err(unfit)
            if matches!(unfit, Unfit::Computed(..) | Unfit::Interior)
                || mode.is_beyond_numpy()
                || beyond_numpy(given, options)?.is_some()
                || crops(&mode, &unfit, pad_width)? =>
        {
            let call = Call { name: "pad", rank: array.ndim(), dtype: &dtype, pad_width };
            return Err(unfit.error(&call, &mode));
        }
        Err(_) => return Ok(None),
    };
    let target = out.map(|out| target(out, &dtype)).transpose()?;
    array::check_unchanged(array, &shape, &dtype)?;
    let item = request.item;
    let more = request.pads.iter().any(|pad| pad.low < 0 || pad.high < 0 || pad.interior > 0);
    let copied;
    let (mut array, mut input) = match array::lies(array, item) {
        Some(lies) => (array, lies),
        None => {
            copied = array::copy(array)?;
            (&copied, Lies::Rows)
        }
    };
    let (Some(out), Some(target)) = (out, target) else {
        // If numpy refuses this call, too, then numpy reports the error.
        let output = if input == Lies::Columns { Lies::Columns } else { Lies::Rows };
        let columns = output == Lies::Columns;
        let prepared = match cache::prepared(&cache::Key { request, input, output, untouched: true }) {
            Ok(prepared) => prepared,
            Err(_) if !more && !mode.is_beyond_numpy() && beyond_numpy(given, options)?.is_none() => {
                return Ok(None);
            }
            Err(error) => return Err(array::refused(error)),
        };
        let output = array::new(&dtype, &prepared.output, columns)?;
        array::run(&prepared, array, &output, threads)?;
        return Ok(Some(output.into_any()));
    };
    let separate;
    if array::may_overlap(array, target, item) {
        separate = array::copy(array)?;
        (array, input) = (&separate, Lies::Rows);
    }
    run_into(request, array, input, target, threads)?;
    Ok(Some(out.clone()))
}

/// Returns the error for an argument that is written to and is no plain array.
pub(crate) fn not_an_array(name: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let numpy = value.py().import("pad_kernels._numpy");
    numpy
        .and_then(|numpy| numpy.call_method1("not_an_array", (name, value)))
        .map_or_else(|e| e, PyErr::from_value)
}

/// Returns `out` as an array, if it has this dtype. Check other arrays after this call, because it may run Python code.
pub(crate) fn target<'a, 'py>(
    out: &'a Bound<'py, PyAny>,
    dtype: &Bound<'_, numpy::PyArrayDescr>,
) -> PyResult<&'a Bound<'py, PyUntypedArray>> {
    let target = array::exact(out).ok_or_else(|| not_an_array("out", out))?;
    if !array::has_dtype(target, dtype) {
        let of = target.dtype();
        return Err(PyTypeError::new_err(format!("out has dtype {of}, and the result {dtype}")));
    }
    Ok(target)
}

/// Pads into an array that [`target`] returned.
pub(crate) fn run_into(
    request: Request,
    array: &Bound<'_, PyUntypedArray>,
    input: Lies,
    out: &Bound<'_, PyUntypedArray>,
    threads: usize,
) -> PyResult<()> {
    if !array::writeable(out) {
        return Err(PyValueError::new_err("out is read-only"));
    }
    let Some(output) = array::lies(out, request.item) else {
        return Err(PyValueError::new_err(
            "the strides of out are no multiples of its item size, as in a field of records: pad into a new array, and assign it",
        ));
    };
    let key = cache::Key { request, input, output, untouched: false };
    match cache::prepared(&key) {
        Ok(prepared) if prepared.output[..] == *out.shape() => array::run(&prepared, array, out, threads),
        // An output of another shape may also have other strides. The error about its shape is clearer.
        other => {
            let plan = key.request.plan().map_err(array::refused)?;
            let (of, wanted) = (out.shape(), plan.output_shape());
            if of != wanted {
                return Err(PyValueError::new_err(format!(
                    "out has shape {of:?}, and the result {wanted:?}"
                )));
            }
            other.map(drop).map_err(array::refused)
        }
    }
}

/// Returns the request of a call, or the reason why numpy must pad or refuse it.
pub(crate) fn request<'py>(
    shape: &[usize],
    dtype: &Bound<'py, numpy::PyArrayDescr>,
    pad_width: &Bound<'py, PyAny>,
    mode: &Mode,
    options: &Options<'_, 'py>,
) -> PyResult<Result<Request, Unfit<'py>>> {
    let (rank, item) = (shape.len(), dtype.itemsize());
    if rank == 0 {
        return Ok(Err(Unfit::NoAxes));
    }
    // Python objects have reference counts, so they cannot be copied as bytes. Elements without a size have no memory.
    if item == 0 || dtype.has_object() {
        return Ok(Err(Unfit::Elements));
    }
    let Some(mut pads) = widths::pads(pad_width, rank)? else { return Ok(Err(Unfit::PadWidth)) };
    if let Some(interior) = options.interior {
        widths::open_gaps(&mut pads, interior)?;
    }
    let gaps = pads.iter().any(|pad| pad.interior > 0);
    if gaps && *mode == Mode::Empty {
        return Err(PyValueError::new_err("mode 'empty' has no interior: nothing would be written there"));
    }
    let has = |wanted| matches!(mode, Mode::Copying(modes) if modes.contains(wanted));
    let filled = gaps || has(PadMode::Constant);
    let (mut mode, mut values, mut sides) = (mode.clone(), None, Sides::None);
    for (key, value) in options.kwargs.into_iter().flatten() {
        match (key.cast::<PyString>()?.to_str()?, &mode) {
            ("constant_values", _) if filled => values = Some(value),
            ("reflect_type", Mode::Copying(_)) if has(PadMode::Reflect) || has(PadMode::Symmetric) => {
                match value.cast::<PyString>().ok().map(|kind| kind.to_str()).transpose()? {
                    Some("even") => {}
                    Some("odd") => match mode.computed() {
                        Some(odd) => mode = odd,
                        None => return Ok(Err(Unfit::Each("reflect_type", value))),
                    },
                    _ => return Ok(Err(Unfit::Value("reflect_type", value))),
                }
            }
            ("end_values", Mode::Computed(Computation::LinearRamp)) => {
                match sides::ends(&value, dtype, rank)? {
                    Some(ends) => sides = ends,
                    None => return Ok(Err(Unfit::Value("end_values", value))),
                }
            }
            (
                "stat_length",
                Mode::Computed(
                    Computation::Maximum
                    | Computation::Mean
                    | Computation::Median
                    | Computation::Minimum
                    | Computation::NanMaximum
                    | Computation::NanMean
                    | Computation::NanMedian
                    | Computation::NanMinimum,
                ),
            ) => match sides::lengths(&value, rank)? {
                Some(lengths) => sides = lengths,
                None => return Ok(Err(Unfit::Value("stat_length", value))),
            },
            (argument, _) => return Ok(Err(Unfit::Argument(argument.to_owned()))),
        }
    }
    let (mut fill, mut along) = (None, None);
    if let Some(values) = &values
        && fill::is_along(values)?
    {
        let (axis, elements) = fill::along(values, dtype, shape)?;
        // An axis with less than two elements has no interior padding.
        if pads[axis].low != 0 || pads[axis].high != 0 || (pads[axis].interior > 0 && shape[axis] > 1) {
            return Err(PyValueError::new_err(format!(
                "constant_values has a value for each position of axis {axis}: the axis is not padded, and has no interior"
            )));
        }
        pads[axis].interior = 0;
        (fill, along) = (Some(elements), Some(axis));
    } else if filled {
        match fill::elements(values.as_ref(), dtype, rank)? {
            Some(elements) if elements.len() == item => fill = Some(elements),
            // The fill differs by side, and interior padding needs one fill.
            Some(_) if gaps => return Ok(Err(Unfit::Interior)),
            Some(elements) => match (mode.computed(), values) {
                (Some(constants), _) => {
                    mode = constants;
                    sides = Sides::Constants(elements.into_vec());
                }
                (None, values) => {
                    return Ok(Err(
                        values.map_or(Unfit::Elements, |value| Unfit::Each("constant_values", value))
                    ));
                }
            },
            // If the call has no fill, numbers have the fill zero, and text has the digit "0".
            None => {
                return Ok(Err(
                    values.map_or(Unfit::Elements, |value| Unfit::Value("constant_values", value))
                ));
            }
        }
    }
    let mut tag = None;
    if let Mode::Computed(computation) = &mode {
        // Negative widths, interior padding and frames are only for modes that copy.
        let negative = pads.iter().any(|pad| pad.low < 0 || pad.high < 0);
        let given = [
            ("pad_width", negative),
            ("interior", options.interior.is_some()),
            ("frame", options.frame.is_some()),
        ];
        if let Some((what, _)) = given.into_iter().find(|(_, given)| *given) {
            return Ok(Err(Unfit::Computed(mode, what)));
        }
        if *computation != Computation::Constants {
            match sides::number(dtype, *computation) {
                Some(dtype) => tag = Some(dtype),
                None => return Ok(Err(Unfit::Numbers(mode))),
            }
        }
    }
    let (shape, frame) = (SmallVec::from_slice(shape), options.frame);
    Ok(Ok(Request { shape, item, dtype: tag, pads, mode, frame, fill, along, sides, window: None }))
}
