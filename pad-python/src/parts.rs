//! The Python class `pad_kernels.InputRegions`.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};

/// The parts of an array that a box of a plan's result takes.
///
/// They are a few intervals along each axis, in the order of the array. All
/// combinations of the intervals of all axes are boxes of the array; put side
/// by side they are one array of `shape`, which ``plan.window_from_regions``
/// takes. There are several boxes only where an axis goes round in mode
/// ``"wrap"``.
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
    // The Python constructor leaves out the step.
    let made = py.get_type::<PySlice>();
    let slices: PyResult<Vec<_>> = ranges.iter().map(|range| made.call1((range.start, range.end))).collect();
    PyTuple::new(py, slices?)
}

#[pymethods]
impl InputRegions {
    /// The intervals of each axis, as tuples of slices without steps; none where the axis is fill alone.
    #[getter]
    fn axes<'py>(&self, py: Python<'py>) -> PyResult<Tuple<'py>> {
        let axes: PyResult<Vec<_>> = self.0.axes().map(|parts| slices(py, parts)).collect();
        PyTuple::new(py, axes?)
    }

    /// The shape of the parts side by side.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Tuple<'py>> {
        PyTuple::new(py, self.0.shape())
    }

    /// Whether nothing of the array is taken: the box is fill alone, or has no elements.
    #[getter]
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the box is one box of the array, element by element, so that nothing has to be padded.
    #[getter]
    fn is_slice(&self) -> bool {
        self.0.is_slice()
    }

    /// The boxes of the array, each with its place among the parts.
    fn boxes<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Tuple<'py>, Tuple<'py>)>> {
        self.0.boxes().map(|(source, place)| Ok((slices(py, &source)?, slices(py, &place)?))).collect()
    }

    fn __repr__(&self) -> String {
        let axes: Vec<String> = self.0.axes().map(|parts| format!("{parts:?}")).collect();
        format!("InputRegions({})", axes.join(", "))
    }
}
