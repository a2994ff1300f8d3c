//! `pad_kernels.Plan`.
use pyo3::prelude::*;

/// x
#[pyclass(frozen, module = "pad_kernels")]
pub(crate) struct Plan {}
