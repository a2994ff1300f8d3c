//! The extension module `pad_kernels._pad_kernels`: what Python calls are made of, and nothing that knows how to pad.
//!
//! A call becomes a [`request::Request`], which is plain data; requests are planned once and kept ([`cache`]); a plan meets
//! the memory of arrays in [`mod@array`], the only file with `unsafe` code. What is not done here is handed to numpy by the
//! Python file `_numpy.py`.

mod array;
mod cache;
mod fill;
mod pad;
mod plan;
mod request;
mod widths;

use pyo3::prelude::*;

/// All state is a thread's own or behind a lock, so nothing here needs the GIL.
#[pymodule(gil_used = false)]
fn _pad_kernels(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(pad::pad, module)?)?;
    module.add_class::<plan::Plan>()
}
