//! The Python class `pad_kernels.Plan`.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::OnceLock;

use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pad_kernels::{AdjointPlan, AxisPad, Frame, PadPlan};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use smallvec::SmallVec;

use crate::modes::{Computation, Mode, OF_AXES};
use crate::pad::{Given, Options, frame_of, not_an_array, request, run_into, target, threads_of};
use crate::parts::InputRegions;
use crate::refusal::{self, Call};
use crate::request::{Lies, Prepared, Request, Sides, Window};
use crate::{array, cache, fill, shape, sides};

/// A pad call that is prepared for one shape and dtype.
///
/// The constructor checks all arguments. A call of the plan then only checks
/// the shape and dtype of the array, and writes the result. You can compare,
/// hash and pickle plans, and several threads can use one plan.
///
/// Parameters
/// ----------
/// shape : int or sequence of int
///     The shape of the arrays to pad.
/// dtype : dtype
///     The dtype of the arrays. Its elements must have a fixed size.
/// pad_width, mode, interior, frame
///     These arguments are those of :func:`pad`. The mode cannot be a function.
/// constant_values, reflect_type, stat_length, end_values : optional
///     These arguments are those of :func:`pad`.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from pad_kernels import Plan
/// >>> plan = Plan((2, 3), np.int32, ((0, 0), (1, 2)), "edge")
/// >>> plan.output_shape
/// (2, 6)
/// >>> plan(np.array([[1, 2, 3], [4, 5, 6]], dtype=np.int32))
/// array([[1, 1, 2, 3, 3, 3],
///        [4, 4, 5, 6, 6, 6]], dtype=int32)
/// >>> Plan(4, float, 2, "linear_ramp", end_values=-1)([3, 4, 5, 7.0])
/// array([-1.,  1.,  3.,  4.,  5.,  7.,  3., -1.])
#[pyclass(frozen, weakref, module = "pad_kernels")]
pub(crate) struct Plan {
    request: Request,
    dtype: Py<PyArrayDescr>,
    /// The plan for row-major arrays and a new output.
    rows: Prepared,
    /// The adjoint, which is made on first use.
    adjoint: OnceLock<AdjointPlan>,
}

type Shape<'py> = Bound<'py, PyTuple>;

/// The name of a mode, and true if the mode computes. Some names belong to a mode that copies and to a mode that computes.
type ModeParts<T> = (T, bool);

/// The parameters of a computation: constants, end values, or lengths.
type SidesParts<B> = (Option<B>, Option<(Vec<[u64; 2]>, bool)>, Option<Vec<[usize; 2]>>);

/// The bytes of a fill, and the axis whose positions have different elements.
type FillParts<B> = Option<(B, Option<usize>)>;

/// The values of `__reduce__`, from which `_of` makes a plan.
type Parts = (
    Vec<usize>,
    Py<PyArrayDescr>,
    Vec<(i64, i64, u64)>,
    ModeParts<Py<PyAny>>,
    Option<&'static str>,
    FillParts<Py<PyBytes>>,
    SidesParts<Py<PyBytes>>,
    Option<(Vec<(usize, usize)>, bool)>,
);

impl Plan {
    fn make(request: Request, dtype: Bound<'_, PyArrayDescr>) -> PyResult<Plan> {
        let rows = request.prepare(&Lies::Rows, &Lies::Rows, true).map_err(array::refused)?;
        Ok(Plan { request, dtype: dtype.unbind(), rows, adjoint: OnceLock::new() })
    }

    /// Returns the plan of the whole output.
    fn whole(&self) -> PyResult<PadPlan> {
        let whole = Request { window: None, ..self.request.clone() };
        whole.plan().map_err(array::refused)
    }

    fn of_box(&self, py: Python<'_>, r#box: &Bound<'_, PyAny>, of_parts: bool) -> PyResult<Plan> {
        self.not_a_window()?;
        if self.request.mode == Mode::Empty {
            return Err(PyValueError::new_err("mode 'empty' has no windows"));
        }
        self.copies("windows")?;
        let ranges = shape::ranges(r#box, &self.rows.output)?;
        let window = Some(Window { ranges, of_parts });
        Plan::make(Request { window, ..self.request.clone() }, self.dtype.bind(py).clone())
    }

    /// Returns an error if the mode computes borders. The error names `what`, the feature that needs a mode that copies.
    fn copies(&self, what: &str) -> PyResult<()> {
        let name = match &self.request.mode {
            Mode::Copying(_) | Mode::Empty => return Ok(()),
            Mode::Computed(Computation::Constants) => "a constant for each side".into(),
            mode => format!("{}mode {mode}", refusal::odd(mode)),
        };
        Err(PyValueError::new_err(format!(
            "{name} has no {what} in pad_kernels for Python: the modes {OF_AXES} have"
        )))
    }

    /// Returns an error if the array has another dtype or shape. The plan does not convert the array, because a conversion could
    /// round numbers.
    fn check(
        &self,
        array: &Bound<'_, PyUntypedArray>,
        shape: &[usize],
        name: &str,
        of: &str,
    ) -> PyResult<()> {
        let dtype = self.dtype.bind(array.py());
        if !array::has_dtype(array, dtype) {
            let found = array.dtype();
            return Err(PyTypeError::new_err(format!(
                "{name} has dtype {found}, and the plan {dtype}: convert it first, as a plan rounds nothing"
            )));
        }
        if array.shape() != shape {
            let found = array.shape();
            return Err(PyValueError::new_err(format!("{name} has shape {found:?}, and {of} {shape:?}")));
        }
        Ok(())
    }

    fn not_a_window(&self) -> PyResult<()> {
        match self.request.window {
            None => Ok(()),
            Some(_) => {
                Err(PyValueError::new_err("this is the plan of a box already: take boxes of the whole"))
            }
        }
    }
}

#[pymethods]
impl Plan {
    #[new]
    #[pyo3(
        signature = (shape, dtype, pad_width, mode = Given::default(), *, interior = None, frame = None, **kwargs),
        text_signature = "(shape, dtype, pad_width, mode='constant', *, interior=None, frame=None, **kwargs)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are those of the call")]
    fn new(
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
        pad_width: &Bound<'_, PyAny>,
        mode: Given<'_, '_>,
        interior: Option<&Bound<'_, PyAny>>,
        frame: Option<&Bound<'_, PyAny>>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Plan> {
        let shape = shape::lengths(shape)?;
        if dtype.is_none() {
            return Err(PyTypeError::new_err("dtype is None: give a dtype, such as array.dtype"));
        }
        let numpy = py.import("pad_kernels._numpy")?;
        let dtype = numpy.call_method1("known_dtype", (dtype, "dtype"))?.cast_into::<PyArrayDescr>()?;
        let options = Options { interior, frame: frame.map(frame_of).transpose()?, kwargs };
        let native =
            mode.mode(shape.len())?.ok_or_else(|| refusal::no_mode("Plan", refusal::MODES, &mode))?;
        fill::refuse_carried(kwargs)?;
        let call = Call { name: "Plan", rank: shape.len(), dtype: &dtype, pad_width };
        let request = request(&shape, &dtype, pad_width, &native, &options)?;
        Plan::make(request.map_err(|unfit| unfit.error(&call, &native))?, dtype)
    }

    /// Pad an array of the plan's shape and dtype. If you give `out`, the result is written to it.
    #[pyo3(signature = (array, out = None, *, threads = None))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        array: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
        threads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let threads = threads_of(threads)?;
        let made;
        let mut array = match array::exact(array) {
            Some(array) => array,
            None => {
                made = plain_array(array, "the array")?;
                &made
            }
        };
        let (dtype, item) = (self.dtype.bind(py), self.request.item);
        let (shape, found) = (self.rows.plan.input_shape(), array.dtype());
        self.check(array, shape, "the array", "the plan")?;
        let target = out.map(|out| target(out, dtype)).transpose()?;
        array::check_unchanged(array, shape, &found)?;
        let copied;
        let mut input = match array::lies(array, item) {
            Some(lies) => lies,
            None => {
                copied = array::copy(array)?;
                array = &copied;
                Lies::Rows
            }
        };
        let (Some(out), Some(target)) = (out, target) else {
            if input == Lies::Rows {
                let output = array::new(dtype, &self.rows.output, false)?;
                array::run(&self.rows, array, &output, threads)?;
                return Ok(output.into_any());
            }
            let output = if input == Lies::Columns { Lies::Columns } else { Lies::Rows };
            let columns = output == Lies::Columns;
            let key = cache::Key { request: self.request.clone(), input, output, untouched: true };
            let prepared = cache::prepared(&key).map_err(array::refused)?;
            let output = array::new(dtype, &prepared.output, columns)?;
            array::run(&prepared, array, &output, threads)?;
            return Ok(output.into_any());
        };
        let separate;
        if array::may_overlap(array, target, item) {
            separate = array::copy(array)?;
            (array, input) = (&separate, Lies::Rows);
        }
        run_into(self.request.clone(), array, input, target, threads)?;
        Ok(out.clone())
    }

    /// The shape of the arrays to pad.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Shape<'py>> {
        PyTuple::new(py, self.rows.plan.input_shape())
    }

    /// The dtype of the arrays and of the result.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDescr> {
        self.dtype.bind(py).clone()
    }

    /// The shape of the result.
    #[getter]
    fn output_shape<'py>(&self, py: Python<'py>) -> PyResult<Shape<'py>> {
        PyTuple::new(py, &self.rows.output)
    }

    /// The mode, or a tuple with one entry for each axis. An entry is a mode, or a pair of modes for the two sides.
    #[getter]
    fn mode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.request.mode.to_python(py)
    }

    /// The number of elements added before and after each axis. A negative number removes elements.
    #[getter]
    fn pad_width<'py>(&self, py: Python<'py>) -> PyResult<Shape<'py>> {
        PyTuple::new(py, self.request.pads.iter().map(|pad| (pad.low, pad.high)))
    }

    /// The number of elements inserted between each two neighbours of each axis.
    #[getter]
    fn interior<'py>(&self, py: Python<'py>) -> PyResult<Shape<'py>> {
        PyTuple::new(py, self.request.pads.iter().map(|pad| pad.interior))
    }

    /// The name of the compiled function that runs. None if the result is empty or a plain copy.
    #[getter]
    fn kernel(&self) -> Option<&'static str> {
        self.rows.plan.kernel()
    }

    /// Return a plan that computes one region of the result. The new plan reads the whole array.
    ///
    /// Parameters
    /// ----------
    /// box : sequence of slice or of (start, stop)
    ///     The region: one entry for each axis, inside the result.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> from pad_kernels import Plan
    /// >>> plan = Plan(5, int, 2, "symmetric")
    /// >>> plan.window([(0, 4)])(np.arange(5))
    /// array([1, 0, 0, 1])
    #[pyo3(text_signature = "($self, box)")]
    fn window(&self, py: Python<'_>, r#box: &Bound<'_, PyAny>) -> PyResult<Plan> {
        self.of_box(py, r#box, false)
    }

    /// Return the parts of the array that a region of the result reads.
    ///
    /// Usually this is one region of the array. If the region of the result
    /// wraps across the end of an axis in mode ``"wrap"``, there are two. If it
    /// contains only fill, there is none.
    ///
    /// Examples
    /// --------
    /// >>> from pad_kernels import Plan
    /// >>> Plan(100, int, 5, "reflect").input_regions([(0, 7)]).axes
    /// ((slice(0, 6, None),),)
    /// >>> Plan(100, int, 5, "wrap").input_regions([(0, 7)]).axes
    /// ((slice(0, 2, None), slice(95, 100, None)),)
    /// >>> Plan(100, int, 5).input_regions([(0, 5)]).is_empty
    /// True
    /// >>> Plan(100, int, 5).input_regions([(5, 20)]).is_slice
    /// True
    #[pyo3(text_signature = "($self, box)")]
    fn input_regions(&self, r#box: &Bound<'_, PyAny>) -> PyResult<InputRegions> {
        self.not_a_window()?;
        self.copies("source parts")?;
        let plan = self.whole()?;
        let ranges = shape::ranges(r#box, plan.output_shape())?;
        plan.input_regions(&ranges).map(InputRegions).map_err(array::refused)
    }

    /// Return a plan that computes one region of the result from the parts of the array that the region reads.
    ///
    /// The plan pads an array that holds these parts side by side. This array has
    /// the shape ``input_regions(box).shape``.
    ///
    /// Parameters
    /// ----------
    /// box : sequence of slice or of (start, stop)
    ///     The region: one entry for each axis, inside the result.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> from pad_kernels import Plan
    /// >>> Plan(100, int, 5, "reflect").window_from_regions([(0, 7)])(np.arange(6))
    /// array([5, 4, 3, 2, 1, 0, 1])
    #[pyo3(text_signature = "($self, box)")]
    fn window_from_regions(&self, py: Python<'_>, r#box: &Bound<'_, PyAny>) -> PyResult<Plan> {
        self.of_box(py, r#box, true)
    }

    /// Compute the gradient of the array from the gradient of the result.
    ///
    /// Several elements of the result can be copies of one element of the
    /// array. The gradient of this element is the sum of their gradients. Sums
    /// of integers wrap on overflow, as in numpy. The method works in the five
    /// modes that copy, also with a constant for each side, and in ``"empty"``.
    ///
    /// Parameters
    /// ----------
    /// grad : array_like
    ///     The gradient of the result. It has the plan's dtype and the shape
    ///     ``output_shape``.
    /// out : ndarray, optional
    ///     The array to which the gradient of the array is written. It must
    ///     have the plan's shape and dtype. It may share memory with `grad`.
    /// threads : int, optional
    ///     The number of threads, as in :func:`pad`.
    ///
    /// Returns
    /// -------
    /// ndarray
    ///     The gradient of the array, or `out`.
    ///
    /// Raises
    /// ------
    /// TypeError
    ///     If `grad` or `out` has another dtype, or the dtype is not one of
    ///     integers, floats of 16 to 64 bits, or complex numbers of 64 or 128.
    /// ValueError
    ///     If `grad` or `out` has another shape, or for any other mode.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> from pad_kernels import Plan
    /// >>> Plan(3, float, 1, "edge").adjoint([1, 2, 3, 4, 5.0])
    /// array([3., 3., 9.])
    #[pyo3(signature = (grad, out = None, *, threads = None))]
    fn adjoint<'py>(
        &self,
        py: Python<'py>,
        grad: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
        threads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let threads = threads_of(threads)?;
        if self.request.mode != Mode::Computed(Computation::Constants) {
            self.copies("adjoint")?;
        }
        let (dtype, shape) = (self.dtype.bind(py), self.rows.plan.input_shape());
        // The sums use the byte order of this machine.
        let swapped = dtype.is_native_byteorder() == Some(false);
        let native = match swapped {
            true => dtype.call_method1("newbyteorder", ("=",))?.cast_into::<PyArrayDescr>()?,
            false => dtype.clone(),
        };
        let adjoint = match self.adjoint.get() {
            Some(adjoint) => adjoint,
            None => {
                let number = sides::number(&native, Computation::Mean).ok_or_else(|| {
                    PyTypeError::new_err(format!("elements of dtype {dtype} are not added up"))
                })?;
                let adjoint = self.request.adjoint(number).map_err(array::refused)?;
                self.adjoint.get_or_init(|| adjoint)
            }
        };
        let grad = plain_array(grad, "the gradient")?;
        self.check(&grad, &self.rows.output, "the gradient", "the result")?;
        let target = match out {
            None => None,
            Some(out) => {
                let target = array::exact(out).ok_or_else(|| not_an_array("out", out))?;
                self.check(target, shape, "out", "the plan")?;
                if !array::writeable(target) {
                    return Err(PyValueError::new_err("out is read-only"));
                }
                Some(target)
            }
        };
        let numpy = py.import("numpy")?;
        let grad = numpy.call_method1("ascontiguousarray", (grad, &native))?;
        let grad = array::exact(&grad).ok_or_else(|| PyTypeError::new_err("the gradient is no array"))?;
        let found = array::new(&native, shape, false)?;
        array::run_adjoint(adjoint, self.request.item, grad, &found, threads)?;
        match target {
            Some(target) => {
                numpy.call_method1("copyto", (target, found))?;
                Ok(target.clone().into_any())
            }
            None if swapped => found.call_method1("astype", (dtype,)),
            None => Ok(found.into_any()),
        }
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Plan>().is_ok_and(|other| {
            let other = other.get();
            self.request == other.request && self.dtype.bind(py).is_equiv_to(other.dtype.bind(py))
        })
    }

    fn __hash__(&self) -> u64 {
        BuildHasherDefault::<DefaultHasher>::default().hash_one(&self.request)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Request { pads, mode, frame, sides, .. } = &self.request;
        let shape = PyTuple::new(py, &self.request.shape)?.repr()?;
        let (dtype, widths) = (self.dtype.bind(py), self.pad_width(py)?.repr()?);
        let mut text = format!("Plan({shape}, '{dtype}', {widths}, {mode}");
        if pads.iter().any(|pad| pad.interior > 0) {
            text += &format!(", interior={}", self.interior(py)?.repr()?);
        }
        if let Some(frame) = frame {
            text += &format!(", frame='{}'", name_of(*frame));
        }
        if !refusal::odd(mode).is_empty() {
            text += ", reflect_type='odd'";
        }
        match sides {
            Sides::None => text += &fill::shown(self.request.fill.as_deref(), self.request.along, dtype)?,
            Sides::Constants(bytes) => {
                let pairs = fill::array_of(bytes, dtype)?.call_method1("reshape", (-1, 2))?;
                text += &format!(", constant_values={}", pairs.call_method0("tolist")?.repr()?);
            }
            Sides::Ends(pairs, _) => {
                let pairs = pairs.iter().map(|pair| {
                    let [low, high] = pair.map(f64::from_bits);
                    (low, high)
                });
                text += &format!(", end_values={}", PyTuple::new(py, pairs.collect::<Vec<_>>())?.repr()?);
            }
            Sides::Lengths(pairs) => {
                let pairs = pairs.iter().map(|&[low, high]| (low, high));
                text += &format!(", stat_length={}", PyTuple::new(py, pairs.collect::<Vec<_>>())?.repr()?);
            }
        }
        text.push(')');
        if let Some(window) = &self.request.window {
            let ranges: Vec<_> =
                window.ranges.iter().map(|range| format!("({}, {})", range.start, range.end)).collect();
            let name = if window.of_parts { "window_from_regions" } else { "window" };
            text += &format!(".{name}([{}])", ranges.join(", "));
        }
        Ok(text)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let (py, plan) = (slf.py(), slf.get());
        let Request { shape, pads, mode, frame, fill, along, sides, window, .. } = &plan.request;
        let sides = match sides.clone() {
            Sides::None => (None, None, None),
            Sides::Constants(bytes) => (Some(PyBytes::new(py, &bytes).unbind()), None, None),
            Sides::Ends(pairs, data) => (None, Some((pairs, data)), None),
            Sides::Lengths(pairs) => (None, None, Some(pairs)),
        };
        let parts: Parts = (
            shape.to_vec(),
            plan.dtype.clone_ref(py),
            pads.iter().map(|pad| (pad.low, pad.high, pad.interior)).collect(),
            (mode.to_python(py)?.unbind(), matches!(mode, Mode::Computed(_))),
            frame.map(name_of),
            fill.as_ref().map(|fill| (PyBytes::new(py, fill).unbind(), *along)),
            sides,
            window.as_ref().map(|window| {
                (window.ranges.iter().map(|range| (range.start, range.end)).collect(), window.of_parts)
            }),
        );
        Ok((slf.get_type().getattr("_of")?, parts))
    }

    /// Makes a plan from the values of `__reduce__`.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "they are those of `__reduce__`")]
    fn _of(
        shape: Vec<usize>,
        dtype: &Bound<'_, PyArrayDescr>,
        pads: Vec<(i64, i64, u64)>,
        mode: ModeParts<Bound<'_, PyAny>>,
        frame: Option<&Bound<'_, PyAny>>,
        fill: FillParts<Vec<u8>>,
        sides: SidesParts<Vec<u8>>,
        window: Option<(Vec<(usize, usize)>, bool)>,
    ) -> PyResult<Plan> {
        let (name, computes) = mode;
        let named = Given::from(&name).mode(shape.len())?;
        let named = named.and_then(|mode| if computes { mode.computed() } else { Some(mode) });
        let mode = named.ok_or_else(|| PyValueError::new_err(format!("no plan has mode {name}")))?;
        if dtype.has_object() || dtype.has_subarray() || dtype.itemsize() == 0 {
            return Err(PyTypeError::new_err("a plan is for elements of a fixed size"));
        }
        let tag = match &mode {
            Mode::Copying(_) | Mode::Empty | Mode::Computed(Computation::Constants) => None,
            Mode::Computed(computation) => Some(
                sides::number(dtype, *computation)
                    .ok_or_else(|| refusal::no_numbers(dtype, &mode, &format!("mode {mode}")))?,
            ),
        };
        if window.is_some() && !matches!(mode, Mode::Copying(_)) {
            return Err(PyValueError::new_err(format!("mode {name} has no windows")));
        }
        if mode == Mode::Computed(Computation::Constants) && sides.0.is_none() {
            return Err(PyValueError::new_err("there is no constant for each side"));
        }
        let request = Request {
            shape: SmallVec::from_vec(shape),
            item: dtype.itemsize(),
            dtype: tag,
            sides: match sides {
                (Some(bytes), ..) => Sides::Constants(bytes),
                (_, Some((pairs, data)), _) => Sides::Ends(pairs, data),
                (.., Some(pairs)) => Sides::Lengths(pairs),
                (None, None, None) => Sides::None,
            },
            pads: pads.into_iter().map(AxisPad::from).collect(),
            mode,
            frame: frame.map(frame_of).transpose()?,
            along: fill.as_ref().and_then(|(_, axis)| *axis),
            fill: fill.map(|(bytes, _)| SmallVec::from_vec(bytes)),
            window: window.map(|(ranges, of_parts)| {
                let ranges = ranges.into_iter().map(|(start, end)| start..end).collect();
                Window { ranges, of_parts }
            }),
        };
        Plan::make(request, dtype.clone())
    }
}

/// Converts an argument to an array of numbers. Returns an error for arrays with a mask or a unit.
fn plain_array<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    if let Some(array) = array::exact(object) {
        return Ok(array.clone());
    }
    let made = object.py().import("pad_kernels._numpy")?.call_method1("plain_array", (object, name))?;
    match array::exact(&made) {
        Some(array) => Ok(array.clone()),
        None => Err(PyTypeError::new_err(format!("{name} is a {}, and no array", object.get_type()))),
    }
}

fn name_of(frame: Frame) -> &'static str {
    match frame {
        Frame::Uncropped => "uncropped",
        Frame::Cropped => "cropped",
    }
}
