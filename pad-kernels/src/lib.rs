//! Tensor padding.
//!
//! # Features
//!
//! | feature | default | |
//! |---|---|---|
//! | `std` | yes | detects the instruction set at run time; without it the one chosen at compile time is used |
//! | `ndarray` |  | `interop::ndarray`: `pad` on arrays and views of ndarray 0.17, of any dimension and layout |
//! | `image` |  | `interop::image`: `pad` on the buffers of image 0.25, with borders by OpenCV's names |
//! | `serde` |  | requests can be written and read back; plans are written as descriptions |
//! | `half` |  | `f16` and `bf16` as elements |
//! | `num-complex` |  | `Complex<f32>` and `Complex<f64>` as elements |
//! | `bytemuck` |  | `Plain`, which makes an element of any type that is `NoUninit` |
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

use alloc::vec::Vec;

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
