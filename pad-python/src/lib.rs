//! The extension module `pad_kernels._pad_kernels`: what Python calls are made of, and nothing that knows how to pad.
//!
//! A call becomes a `Request`, which is plain data; requests are planned once and kept (`cache.rs`); a plan meets
//! the memory of arrays in `array.rs`, the only file with `unsafe` code. What is not done here is handed to numpy by the
//! Python file `_numpy.py`.

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

/// All state is a thread's own or behind a lock, so nothing here needs the GIL.
#[pymodule(gil_used = false)]
fn _pad_kernels(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(pad::pad, module)?)?;
    module.add_function(wrap_pyfunction!(modes::modes, module)?)?;
    module.add_function(wrap_pyfunction!(sizes::widths_to, module)?)?;
    module.add_function(wrap_pyfunction!(sizes::batch, module)?)?;
    module.add_function(wrap_pyfunction!(borders::fill_borders, module)?)?;
    module.add_class::<parts::InputRegions>()?;
    module.add_class::<torch::TensorPad>()?;
    module.add_class::<plan::Plan>()
}
