//! The extension module `pad_kernels._pad_kernels`. It translates Python calls into plans of the library, and contains no
//! algorithms of its own.
//!
//! A call becomes a `Request`, which is plain data. `cache.rs` keeps one plan per request. `array.rs`, the only file with
//! `unsafe` code, runs plans on the memory of arrays. The Python file `_numpy.py` passes all other calls to numpy.

mod array;
mod borders;
mod cache;
mod fill;
mod modes;
mod pad;
mod parts;
mod plan;
mod refusal;
mod request;
mod shape;
mod sides;
mod sizes;
mod torch;
mod widths;

use pyo3::prelude::*;

/// All state is thread-local or behind a lock, so this module does not need the GIL.
#[pymodule(gil_used = false)]
fn _pad_kernels(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(pad::pad, module)?)?;
    module.add_function(wrap_pyfunction!(modes::modes, module)?)?;
    module.add_function(wrap_pyfunction!(refusal::repr, module)?)?;
    module.add_function(wrap_pyfunction!(sizes::widths_to, module)?)?;
    module.add_function(wrap_pyfunction!(sizes::batch, module)?)?;
    module.add_function(wrap_pyfunction!(borders::fill_borders, module)?)?;
    module.add_class::<parts::InputRegions>()?;
    module.add_class::<torch::TensorPad>()?;
    module.add_class::<plan::Plan>()
}
