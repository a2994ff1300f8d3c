//! The Python class `pad_kernels.InputRegions`.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};

/// The parts of an array that a region of a plan's result reads.
///
/// Each axis has a few intervals, in the order of the array. Each combination of
/// intervals, one from every axis, is a region of the array. Put side by side,
/// these regions form one array of the shape `shape`, which the plan
/// ``plan.window_from_regions(box)`` pads. There are several regions only if the
/// result wraps across the end of an axis in mode ``"wrap"``.
///
/// The object cannot be pickled or copied. Pickle the plan and the box instead.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from pad_kernels import Plan
/// >>> plan = Plan((3, 100), int, ((0, 0), (2, 2)), "wrap")
/// >>> parts = plan.input_regions([(1, 3), (0, 5)])
/// >>> parts.axes
/// ((slice(1, 3, None),), (slice(0, 3, None), slice(98, 100, None)))
/// >>> array = np.arange(300).reshape(3, 100)
/// >>> found = np.empty(parts.shape, int)
/// >>> for source, place in parts.boxes():
/// ...     found[place] = array[source]
/// >>> plan.window_from_regions([(1, 3), (0, 5)])(found)
/// array([[198, 199, 100, 101, 102],
///        [298, 299, 200, 201, 202]])
#[pyclass(frozen, eq, hash, module = "pad_kernels")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct InputRegions(pub(crate) pad_kernels::tensor::InputRegions);

type Tuple<'py> = Bound<'py, PyTuple>;

/// Returns slices without steps.
fn slices<'py>(py: Python<'py>, ranges: &[Range<usize>]) -> PyResult<Tuple<'py>> {
    // Only the Python constructor makes a slice without a step.
    let made = py.get_type::<PySlice>();
    let slices: PyResult<Vec<_>> = ranges.iter().map(|range| made.call1((range.start, range.end))).collect();
    PyTuple::new(py, slices?)
}

#[pymethods]
impl InputRegions {
    /// The intervals of each axis, as a tuple of slices. The tuple is empty if the axis contains only fill.
    #[getter]
    fn axes<'py>(&self, py: Python<'py>) -> PyResult<Tuple<'py>> {
        let axes: PyResult<Vec<_>> = self.0.axes().map(|parts| slices(py, parts)).collect();
        PyTuple::new(py, axes?)
    }

    /// The shape of the array that holds all parts side by side.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Tuple<'py>> {
        PyTuple::new(py, self.0.shape())
    }

    /// Whether the region reads no element of the array, because it contains only fill or no elements.
    #[getter]
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the region is a plain copy of one region of the array, so that you need not pad.
    #[getter]
    fn is_slice(&self) -> bool {
        self.0.is_slice()
    }

    /// An iterator over the regions of the array, each with its position in the array of all parts.
    fn boxes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let places: PyResult<Vec<_>> = (self.0.axes())
            .map(|parts| {
                let mut end = 0;
                let after = |part: &Range<usize>| {
                    end += part.len();
                    end - part.len()..end
                };
                slices(py, &parts.iter().map(after).collect::<Vec<_>>())
            })
            .collect();
        // Many wrapped axes have millions of regions, so Python makes one after the other.
        let product = py.import("itertools")?.getattr("product")?;
        let pairs = (product.call1(self.axes(py)?)?, product.call1(PyTuple::new(py, places?)?)?);
        py.import("builtins")?.call_method1("zip", pairs)
    }

    fn __repr__(&self) -> String {
        let axes: Vec<String> = self.0.axes().map(|parts| format!("{parts:?}")).collect();
        format!("InputRegions({})", axes.join(", "))
    }
}
