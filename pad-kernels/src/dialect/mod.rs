//! Padding in the words of the systems that define it: their attributes, defaults, order of pads, versions, element
//! types, limits and errors.
//!
//! A value of one of these types is a node or a call of its system, not yet applied to anything. Given a shape and an
//! element type it becomes a [`PadSpec`] by [`Dialect::spec`], or is refused where the system refuses it; the other
//! methods of [`Dialect`] go on from there to the output shape, a plan or the padded data.
//!
//! | system | requests |
//! |---|---|
//! | nGraph | [`ngraph::PadV0Interior`], [`ngraph::PadV0`], [`ngraph::PadV1`] |
//! | OpenVINO | [`openvino::Pad`] (Pad-1 and Pad-12) |
//! | ONNX | [`onnx::Pad`] (opsets 1 to 28, as specified or as onnxruntime runs it) |
//! | XLA, StableHLO, jax.lax | [`xla::Pad`] |
//! | NumPy | [`numpy::Pad`] |
//! | PyTorch | [`torch::Pad`] |
//! | TensorFlow | [`tensorflow::Pad`], [`tensorflow::MirrorPad`] |
//!
//! Pads, widths and gaps are counted in elements, axes from the outermost. Each documentation says which version of
//! the system it follows and what was chosen where its text is silent.

mod error;
pub mod ngraph;
pub mod numpy;
pub mod onnx;
pub mod openvino;
pub mod tensorflow;
pub mod torch;
pub mod xla;

use alloc::vec::Vec;

use crate::dtype::DType;
use crate::element::Element;
use crate::error::PadError;
use crate::plan::PadPlan;
use crate::spec::{AxisPad, PadSpec};

pub use error::DialectError;

/// A padding request in one system's terms.
///
/// ```
/// use pad_kernels::DType;
/// use pad_kernels::dialect::{Dialect, openvino};
/// let node = openvino::Pad::new(12, "reflect", &[0, 2], &[-1, 1]);
/// assert_eq!(node.output_shape(&[3, 4], DType::F32)?, [2, 7]);
/// assert_eq!(node.pad(&[1, 2, 3, 4, 5, 6], &[2, 3])?, [3, 2, 1, 2, 3, 2]);
/// # Ok::<(), pad_kernels::dialect::DialectError>(())
/// ```
pub trait Dialect {
    /// The request for a tensor of `shape` with elements of `dtype`, with every rule of the system checked.
    ///
    /// Rules that all systems share (lengths below 0 or beyond what memory holds, a fill of another type than the
    /// data, an empty axis to extend) are left to the plan, with which every other method ends.
    ///
    /// # Errors
    ///
    /// Whatever the system refuses, as a [`DialectError`].
    fn spec(&self, shape: &[usize], dtype: DType) -> Result<PadSpec, DialectError>;

    /// What this system fills text with where no value is given.
    fn text_fill(&self) -> &'static str {
        ""
    }

    /// The plan for a tensor of `shape` with elements of `dtype`, to run any number of times.
    ///
    /// # Errors
    ///
    /// As for [`spec`](Dialect::spec), and those of [`PadPlan::for_dtype`].
    fn plan(&self, shape: &[usize], dtype: DType) -> Result<PadPlan, DialectError> {
        Ok(PadPlan::for_dtype(&self.spec(shape, dtype)?, shape, dtype)?)
    }

    /// The shape of the result: shape inference, which needs no data.
    ///
    /// # Errors
    ///
    /// As for [`plan`](Dialect::plan).
    fn output_shape(&self, shape: &[usize], dtype: DType) -> Result<Vec<usize>, DialectError> {
        Ok(self.plan(shape, dtype)?.output_shape().to_vec())
    }

    /// Pads `src`, a contiguous tensor of `shape`, into a new vector.
    ///
    /// # Errors
    ///
    /// As for [`plan`](Dialect::plan) and [`PadPlan::to_vec`]; [`DialectError::Untagged`] if `T` is none of the types
    /// of [`DType`], for no system knows it.
    fn pad<T: Element>(&self, src: &[T], shape: &[usize]) -> Result<Vec<T>, DialectError>
    where
        Self: Sized,
    {
        Ok(self.plan(shape, T::DTYPE.ok_or(DialectError::Untagged)?)?.to_vec(src)?)
    }

    /// Pads a tensor held as bytes, packed types included, into a new vector.
    ///
    /// # Errors
    ///
    /// As for [`plan`](Dialect::plan) and [`PadPlan::run_bytes`]; [`PadError::OutOfMemory`].
    fn pad_bytes(&self, src: &[u8], shape: &[usize], dtype: DType) -> Result<Vec<u8>, DialectError> {
        let plan = self.plan(shape, dtype)?;
        let bytes = plan.output_bytes();
        let mut dst = Vec::new();
        dst.try_reserve_exact(bytes).map_err(|_| PadError::OutOfMemory { bytes })?;
        dst.resize(bytes, 0);
        plan.run_bytes(src, &mut dst)?;
        Ok(dst)
    }

    /// Pads text ([`DType::String`]) held as any type that can be cloned, into a new vector. `fill` is the value in
    /// constant mode: where the call names none, pass [`text_fill`](Dialect::text_fill).
    ///
    /// # Errors
    ///
    /// As for [`plan`](Dialect::plan) and [`PadPlan::to_vec_cloned`].
    fn pad_cloned<T: Clone>(&self, src: &[T], shape: &[usize], fill: &T) -> Result<Vec<T>, DialectError>
    where
        Self: Sized,
    {
        Ok(self.plan(shape, DType::String)?.to_vec_cloned(src, fill)?)
    }
}

/// A list of one entry per axis must be as long as the rank.
fn check_count(name: &'static str, got: usize, expected: usize) -> Result<(), DialectError> {
    if got == expected { Ok(()) } else { Err(DialectError::Count { name, expected, got }) }
}

/// Lists of one low and one high pad per axis, paired.
fn zip_pads(
    (low_name, low): (&'static str, &[i64]),
    (high_name, high): (&'static str, &[i64]),
    rank: usize,
) -> Result<Vec<AxisPad>, DialectError> {
    check_count(low_name, low.len(), rank)?;
    check_count(high_name, high.len(), rank)?;
    Ok(low.iter().zip(high).map(|(&low, &high)| AxisPad::new(low, high)).collect())
}

/// Refuses pads below 0.
fn check_unsigned(name: &'static str, pads: &[AxisPad]) -> Result<(), DialectError> {
    for (axis, pad) in pads.iter().enumerate() {
        if let Some(value) = [pad.low, pad.high].into_iter().find(|&value| value < 0) {
            return Err(DialectError::NegativePad { name, axis, value });
        }
    }
    Ok(())
}
