//! Tensor padding: constant, edge, reflect, symmetric and wrap borders of any length, interior gaps, negative pads that
//! remove, any rank, any element type, contiguous or strided.
//!
//! A [`PadSpec`] says what is wanted, one [`AxisPad`] per axis. With a shape it becomes a [`PadPlan`], in which
//! everything is checked and worked out, and which runs as often as you like without allocating:
//!
//! ```
//! use pad_kernels::{PadMode, PadPlan, PadSpec, pad};
//!
//! // Two rows of three, one row added at the end, two columns at the start.
//! let spec = PadSpec::new(PadMode::Edge, [(0, 1), (2, 0)]);
//! let data = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
//! let padded = pad(&data, &[2, 3], &spec)?;
//! assert_eq!(padded[..5], [1.0, 1.0, 1.0, 2.0, 3.0]);
//! assert_eq!(padded[10..], [4.0, 4.0, 4.0, 5.0, 6.0]);
//!
//! let plan = PadPlan::new::<f32>(&spec, &[2, 3])?;
//! let mut dst = vec![0.0; plan.output_len()];
//! plan.run(&data, &mut dst)?;
//! assert_eq!(dst, padded);
//! # Ok::<(), pad_kernels::PadError>(())
//! ```
//!
//! # What is padded how
//!
//! [`PadMode`] shows the five modes. An axis is dilated first: `interior` fill elements go between each two
//! neighbours. Then `low` and `high` extend the result by the mode, as far as they like, or if negative cut it.
//! [`Frame`] says what a border sees of what was cut. The arithmetic of an axis is that of [`Axis`].
//!
//! The semantics are those on which nGraph, OpenVINO, ONNX, XLA, NumPy, PyTorch and TensorFlow agree. Where they do not,
//! [`dialect`] has each of them to the letter.
//!
//! # What is padded
//!
//! - Slices of any [`Element`]: numbers, `bool`, arrays of elements such as `[u8; 3]`, types of your own; with features
//!   those of `half`, `num-complex` and `bytemuck`. See [`pad`], [`pad_into`], [`PadPlan::run`], [`PadPlan::to_vec`],
//!   and [`PadPlan::run_uninit`] for memory that is not initialised.
//! - Bytes of any alignment with a [`DType`], packed 4- and 2-bit types included: [`PadPlan::run_bytes`].
//! - Anything that can be cloned, such as `String`: [`pad_cloned`], [`PadPlan::run_cloned`].
//! - Tensors with any [`Strides`]: [`PadPlan::with_strides`].
//! - A box of the output alone, from the part of the input that it needs: [`PadPlan::window`],
//!   [`PadPlan::source_window`], [`PadPlan::window_of_part`].
//!
//! Elements are moved as bits. NaN payloads and the sign of zero survive, in the data and in the fill. The fill is the
//! type's zero unless the spec names one; a type without a zero must be given one.
//!
//! # Errors
//!
//! What cannot be done is refused by a [`PadError`] that names the axis and the values. Nothing panics, and nothing has
//! been written when an error is returned.
//!
//! # Kernels
//!
//! A plan merges what it can and then picks a kernel from the [`registry`] by rank, mode, unit and instruction set
//! ([`Isa`]): [`PadPlan::axes`], [`PadPlan::unit`] and [`PadPlan::kernel`] tell what became of it.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `std` (default) | the instruction set is detected at run time; without it it is the one compiled for |
//! | `ndarray` | `interop::ndarray`: `pad` on arrays and views of ndarray 0.17, of any dimension and layout |
//! | `image` | `interop::image`: `pad` on the buffers of image 0.25, with borders by OpenCV's names |
//! | `serde` | requests can be written and read back; plans are written as descriptions |
//! | `half` | `half::f16` and `half::bf16` as elements |
//! | `num-complex` | `num_complex::Complex` as an element |
//! | `bytemuck` | `Plain`, which makes an element of any `bytemuck::NoUninit` |
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

use alloc::vec::Vec;

#[forbid(unsafe_code)]
#[macro_use]
mod planted;

#[forbid(unsafe_code)]
pub mod dialect;
#[forbid(unsafe_code)]
mod dtype;
#[allow(unsafe_code, reason = "the trait that says what may be moved as bytes")]
mod element;
#[forbid(unsafe_code)]
mod error;
#[cfg(any(feature = "ndarray", feature = "image", feature = "serde"))]
#[forbid(unsafe_code)]
pub mod interop;
#[allow(unsafe_code, reason = "the one folder that writes through pointers")]
mod kernel;
#[forbid(unsafe_code)]
mod plan;
#[forbid(unsafe_code)]
mod spec;
#[forbid(unsafe_code)]
mod view;

pub use dtype::{DType, Layout, UnknownDType};
pub use element::Element;
#[cfg(feature = "bytemuck")]
pub use element::Plain;
pub use error::{PadError, Side};
pub use kernel::{Isa, Row, Unit, registry};
pub use plan::PadPlan;
pub use plan::axis::Axis;
#[cfg(pad_planted)]
#[doc(hidden)]
pub use planted::PLANTED;
pub use spec::{AxisPad, Fill, Frame, PadMode, PadSpec};
pub use view::Strides;

/// Pads `src`, a contiguous tensor of `shape`, into a new vector: plan and run in one call.
///
/// ```
/// use pad_kernels::{PadMode, PadSpec, pad};
/// let spec = PadSpec::new(PadMode::Reflect, [(2, 2)]);
/// assert_eq!(pad(&[1.0f32, 2.0, 3.0], &[3], &spec)?, [3.0, 2.0, 1.0, 2.0, 3.0, 2.0, 1.0]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
///
/// # Errors
///
/// As for [`PadPlan::new`] and [`PadPlan::to_vec`].
pub fn pad<T: Element>(src: &[T], shape: &[usize], spec: &PadSpec) -> Result<Vec<T>, PadError> {
    PadPlan::new::<T>(spec, shape)?.to_vec(src)
}

/// Pads `src`, a contiguous tensor of `shape`, into `dst` without allocating: plan and run in one call.
///
/// # Errors
///
/// As for [`PadPlan::new`] and [`PadPlan::run`].
pub fn pad_into<T: Element>(
    src: &[T],
    shape: &[usize],
    spec: &PadSpec,
    dst: &mut [T],
) -> Result<(), PadError> {
    PadPlan::new::<T>(spec, shape)?.run(src, dst)
}

/// Pads elements of any type that can be cloned, such as `String`, into a new vector.
///
/// ```
/// use pad_kernels::{PadMode, PadSpec, pad_cloned};
/// let words = ["b".to_string(), "c".to_string()];
/// let spec = PadSpec::new(PadMode::Constant, [(1, 0)]);
/// assert_eq!(pad_cloned(&words, &[2], &spec, &String::new())?, ["", "b", "c"]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
///
/// # Errors
///
/// As for [`PadPlan::for_dtype`] and [`PadPlan::to_vec_cloned`].
pub fn pad_cloned<T: Clone>(
    src: &[T],
    shape: &[usize],
    spec: &PadSpec,
    fill: &T,
) -> Result<Vec<T>, PadError> {
    PadPlan::for_dtype(spec, shape, DType::String)?.to_vec_cloned(src, fill)
}
