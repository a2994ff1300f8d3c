//! Pads arrays: copies an array (tensor) into a larger one, and fills the border around the copy.
//!
//! The library has the border modes of `numpy.pad`. It supports any number of axes, any strides and every element type. The
//! border can have any length. A negative width crops the array, and interior padding inserts elements between neighbours.
//!
//! # First steps
//!
//! A [`PadSpec`] describes a pad. It has a mode and, for each axis, the number of elements to add before the first one (`low`)
//! and after the last one (`high`). The outermost axis comes first. The function [`pad`] reads a slice, its shape and a spec,
//! and returns the padded array:
//!
//! ```
//! use pad_kernels::{PadMode, PadSpec, pad};
//!
//! // Two rows of three elements. The spec adds a row at the end and two columns at the start.
//! let spec = PadSpec::new(PadMode::Edge, [(0, 1), (2, 0)]);
//! let data = [
//!     1.0f32, 2.0, 3.0, //
//!     4.0, 5.0, 6.0,
//! ];
//! assert_eq!(
//!     pad(&data, &[2, 3], &spec)?,
//!     [
//!         1.0, 1.0, 1.0, 2.0, 3.0, //
//!         4.0, 4.0, 4.0, 5.0, 6.0, //
//!         4.0, 4.0, 4.0, 5.0, 6.0,
//!     ]
//! );
//! # Ok::<(), pad_kernels::PadError>(())
//! ```
//!
//! If you pad many arrays of one shape and element type, make a [`PadPlan`]. The library then checks the spec only once. A run
//! of the plan allocates no memory:
//!
//! ```
//! use pad_kernels::{PadPlan, PadSpec};
//!
//! // 16 images with 3 channels of 32 x 32, for a 3 x 3 convolution.
//! let spec = PadSpec::constant([(0, 0), (0, 0), (1, 1), (1, 1)], 0.0f32);
//! let plan = PadPlan::new::<f32>(&spec, &[16, 3, 32, 32])?;
//! assert_eq!(plan.output_shape(), [16, 3, 34, 34]);
//! let (src, mut dst) = (vec![1.0f32; plan.input_len()], vec![0.0; plan.output_len()]);
//! plan.run(&src, &mut dst)?;
//! # Ok::<(), pad_kernels::PadError>(())
//! ```
//!
//! # Choose a call
//!
//! | you have or want | use |
//! |---|---|
//! | slices of numbers, pixels or other [`Element`]s | [`pad`], [`pad_into`], [`PadPlan::run`] |
//! | uninitialised memory for the output | [`PadPlan::run_uninit`] |
//! | bytes and a [`DType`], which may have 4 or 2 bits | [`pad_bytes`], [`PadPlan::run_bytes`] |
//! | values that can only be cloned, such as `String` | [`pad_cloned`], [`PadPlan::for_cloned`] |
//! | strided tensors | [`PadPlan::with_strides`] |
//! | arrays of `ndarray`, or images of the crate `image` | the module `interop`, with the feature of that name |
//! | an array in which only the border must be written | [`fill_borders`], [`BorderPlan`] |
//! | a shape that is fixed in the source code | [`fixed_pad!`] |
//! | a region of the output, or an input in chunks | [`PadPlan::window`], [`PadPlan::input_regions`] |
//! | a pad call of ONNX, PyTorch, OpenCV or another framework | the module [`dialect`] |
//! | the gradient of the input from that of the output | [`PadPlan::adjoint`] |
//! | a given size of the output | [`PadTo`] |
//! | computed borders, such as ramps, means and odd reflections | [`ComputedSpec`](computed::ComputedSpec), [`pad_computed`](computed::pad_computed) |
//!
//! [`PadMode`] lists the modes that copy elements, and the guide to [modes](guide::modes) shows each of them. The fill is the
//! zero of the element type, unless the spec has another fill. The library copies elements bit for bit, so NaN payloads and the
//! sign of zero do not change.
//!
//! # Errors
//!
//! An impossible request returns a [`PadError`]. Its message names the axis and the values. A call that returns an error has
//! written nothing. No request makes the library panic, unless the `Clone` of your own type panics.
//!
//! ```
//! use pad_kernels::{PadMode, PadSpec, pad};
//! let error = pad(&[1, 2, 3], &[3], &PadSpec::new(PadMode::Edge, [(-4, 0)])).unwrap_err();
//! assert!(error.to_string().starts_with("axis 0: length 3 with low -4, high 0, interior 0 would become -1"));
//! ```
//!
//! # Guides
//!
//! - [Common tasks](guide::tasks), each in Rust and in Python
//! - [Choosing a mode](guide::modes) and [computed borders](guide::computed)
//! - [Names in other frameworks](guide::names), and [what each framework accepts](guide::systems)
//! - [Plans, strided tensors, halos and windows](guide::plans), [arrays in chunks](guide::chunks) and [gradients](guide::gradients)
//! - [candle, burn and other engines](guide::engines)
//! - [Cargo features, compilers and machines](guide::features)
//! - [Performance](guide::performance), [safety and testing](guide::safety) and [extending the library](guide::extending)
#![no_std]
#![deny(unsafe_code)]
// On docs.rs, each item says which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

use alloc::vec::Vec;
use core::mem::MaybeUninit;

#[forbid(unsafe_code)]
pub mod computed;
#[forbid(unsafe_code)]
pub mod dialect;
#[forbid(unsafe_code)]
mod dtype;
#[allow(unsafe_code, reason = "the trait that says what may be moved as bytes")]
mod element;
#[forbid(unsafe_code)]
mod error;
#[forbid(unsafe_code)]
mod exact;
#[cfg(any(doc, doctest))]
#[forbid(unsafe_code)]
pub mod guide;
#[cfg(any(feature = "ndarray", feature = "image", feature = "serde"))]
#[forbid(unsafe_code)]
pub mod interop;
#[forbid(unsafe_code)]
mod isa;
#[allow(unsafe_code, reason = "the one folder that writes through pointers")]
mod kernel;
#[forbid(unsafe_code)]
mod names;
#[forbid(unsafe_code)]
pub mod pad_to;
#[forbid(unsafe_code)]
mod plan;
#[forbid(unsafe_code)]
mod run;
#[forbid(unsafe_code)]
mod spec;
#[forbid(unsafe_code)]
mod view;

pub use dtype::DType;
pub use element::Element;
#[cfg(feature = "bytemuck")]
pub use element::Plain;
pub use error::PadError;
pub use pad_to::PadTo;
pub use run::{AdjointPlan, BorderPlan, PadPlan};
pub use spec::{AxisMode, AxisPad, Fill, Frame, Modes, PadMode, PadSpec, Pads};
pub use view::Strides;

/// Lists the kernels, which are the functions that run plans, and their instruction sets.
///
/// Most programs do not need this module. Use it in tests and benchmarks, or to choose an instruction set
/// ([`Isa`](kernels::Isa)) or non-temporal stores ([`Streaming`](kernels::Streaming)) yourself.
///
/// ```
/// use pad_kernels::{PadMode, PadPlan, PadSpec, kernels};
/// let plan = PadPlan::new::<f32>(&PadSpec::new(PadMode::Edge, [(1, 1)]), &[1000])?;
/// let kernel = plan.kernel().expect("a kernel for one axis");
/// assert!(kernels::pad().iter().any(|listed| listed.name() == kernel.name()));
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
pub mod kernels {
    pub use crate::isa::Isa;
    pub use crate::kernel::adjoint::{AdjointKernel, kernels as adjoint};
    pub use crate::kernel::computed::{Computation, ComputedKernel, kernels as computed};
    pub use crate::kernel::{PadKernel, Unit, pad};
    pub use crate::plan::axis::Axis;
    pub use crate::run::{Executor, STREAMING_THRESHOLD_BYTES, Streaming};
}

/// Describes tensors in memory: the operand that an error names, element sizes, regions, rows, and tensors behind pointers.
pub mod tensor {
    pub use crate::dtype::ElementSize;
    pub use crate::error::Operand;
    pub use crate::kernel::places::{RawInput, RawOutput};
    pub use crate::plan::parts::InputRegions;
    pub use crate::run::Rows;
}

/// Holds the errors for text that does not name a [`DType`] or a [`PadMode`].
pub mod parse {
    pub use crate::dtype::UnknownDType;
    pub use crate::names::UnknownMode;
}

/// Declares functions that pad tensors of a shape and an element type that are fixed in the source code.
///
/// The macro makes the plan during the build. If the request is impossible, the compiler reports an error at the wrong number.
/// At run time, the function only runs loops with constant bounds. For small tensors and short rows, it is several times as
/// fast as [`PadPlan::run`](crate::PadPlan::run).
///
/// ```
/// #![forbid(unsafe_code)]
/// use pad_kernels::{PadError, fixed_pad};
///
/// fixed_pad! {
///     /// Pads 64 channels for a 3x3 convolution.
///     pub fn pad_conv3x3(f32; [64, 56, 56]) = constant(0.0) { [0, 0], [1, 1], [1, 1] }
///
///     // Mode reflect needs no fill.
///     fn pad_frame(f32; [400]) = reflect { [200, 200] }
///
///     // `signal_gradient` computes gradients, with sums in the order of `AdjointPlan`.
///     fn pad_signal(f32; [6]) = reflect { [2, 1] } adjoint signal_gradient
///
///     // `..` stands for any number of images. The images have the shape [32, 32].
///     fn pad_images([u8; 3]; [.., 32, 32]) = edge { [2, 2], [2, 2] }
/// }
///
/// fn main() -> Result<(), PadError> {
///     // The module with the name of the function has the lengths of the arrays.
///     let src = vec![1.5; pad_conv3x3::INPUT_LEN];
///     let mut dst = vec![0.0; pad_conv3x3::OUTPUT_LEN];
///     assert_eq!(pad_conv3x3::OUTPUT_SHAPE, [64, 58, 58]);
///     pad_conv3x3(src.as_slice().try_into().unwrap(), dst.as_mut_slice().try_into().unwrap());
///     assert_eq!((dst[58], dst[59]), (0.0, 1.5));
///
///     let mut frame = [0.0; pad_frame::OUTPUT_LEN];
///     pad_frame(&std::array::from_fn(|i| i as f32), &mut frame);
///     assert_eq!(frame[198..203], [2.0, 1.0, 0.0, 1.0, 2.0]);
///
///     // The pad makes c b a b c d e f e from a b c d e f.
///     let mut gradient = [0.0; pad_signal::INPUT_LEN];
///     signal_gradient(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0], &mut gradient);
///     assert_eq!(gradient, [4.0, 2.0 + 8.0, 1.0 + 16.0, 32.0, 64.0 + 256.0, 128.0]);
///
///     // For a batch, the function reads and writes slices, and checks their lengths.
///     let images = vec![[1, 2, 3]; 5 * pad_images::INPUT_LEN];
///     let mut padded = vec![[0; 3]; 5 * pad_images::OUTPUT_LEN];
///     pad_images(&images, &mut padded)?;
///     assert_eq!(padded[0], [1, 2, 3]);
///     assert!(pad_images(&images[1..], &mut padded).is_err());
///     Ok(())
/// }
/// ```
///
/// # Syntax
///
/// ```text
/// #[attributes] pub fn name(ELEMENT; [LENGTHS]) = MODE(FILL) FRAME { [LOW, HIGH, INTERIOR], .. } adjoint OTHER_NAME
/// ```
///
/// - `ELEMENT` is any type that implements [`Element`](crate::Element), such as `f32`, `bool`, `[u8; 3]`, `half::f16` or a type
///   of your own. If your type has the name of a type of another language, such as `float` or `u4`, write `self::float`.
/// - `LENGTHS` is the shape in literals, the outermost axis first. If it begins with `..`, the function pads a batch of any
///   number of tensors.
/// - `MODE` is `constant`, `edge`, `reflect`, `symmetric` or `wrap`, as in [`PadMode`](crate::PadMode).
/// - `FILL` is the fill, a constant expression of the element type. You may leave out `(FILL)`. The default is zero.
/// - `FRAME` is `cropped` or `uncropped`, as in [`Frame`](crate::Frame). You may leave it out. The default is that of a
///   [`PadSpec`](crate::PadSpec).
/// - Each axis has an entry `[LOW, HIGH]` or `[LOW, HIGH, INTERIOR]`, as in [`AxisPad`](crate::AxisPad).
/// - `adjoint OTHER_NAME` also declares a function for gradients. `ELEMENT` must then be an integer of 8 to 64 bits, `f32`,
///   `f64`, `half::f16`, `half::bf16` or a complex number.
///
/// The function gets the attributes and the documentation that you write before it. The macro adds the shapes and the mode to
/// the documentation. The function for gradients gets the same attributes. The module gets `allow(..)`, `cfg(..)` and `doc(..)`.
/// One call of the macro can declare several functions. A semicolon may follow each of them.
///
/// # Declared items
///
/// - `fn name(src: &[ELEMENT; IN], dst: &mut [ELEMENT; OUT])` pads a tensor. For a batch, the function is
///   `fn name(src: &[ELEMENT], dst: &mut [ELEMENT]) -> Result<(), PadError>`. It returns
///   [`PadError::BatchLength`](crate::PadError::BatchLength) if the input is not a whole number of tensors, and
///   [`PadError::Length`](crate::PadError::Length) if the output has another number of tensors.
/// - `fn other_name(grad_out: &[ELEMENT; OUT], grad_in: &mut [ELEMENT; IN])` exists if you write `adjoint other_name`. It
///   computes the gradient of the input from that of the output, with the same bits as
///   [`AdjointPlan::run`](crate::AdjointPlan::run). It needs no scratch memory. On the stack, it keeps the sums of up to 16
///   neighbours per axis. For a batch, its arguments are slices, and it can return
///   [`PadError::BatchLength`](crate::PadError::BatchLength) or [`PadError::GradientLength`](crate::PadError::GradientLength).
/// - `mod name` has the constants `INPUT_SHAPE`, `OUTPUT_SHAPE`, `INPUT_LEN` and `OUTPUT_LEN`. For a batch, they describe one
///   tensor.
///
/// The declared items contain no `unsafe` code, and you may rename the crate in your `Cargo.toml`. If the output has more than 128 bytes,
/// the function is compiled twice: for the instruction set of the target, and for AVX2. Each call then chooses one of the two versions.
#[macro_export]
macro_rules! fixed_pad {
    ($($functions:tt)*) => {
        $crate::__fixed::fixed_pad! { [$crate] $($functions)* }
    };
}

/// The items that the code of [`fixed_pad!`] uses.
#[doc(hidden)]
pub mod __fixed {
    pub use pad_macros::fixed_pad;

    pub use crate::kernel::fixed::adjoint::{Places, Term, Terms, gather, run_adjoint_batch};
    pub use crate::kernel::fixed::{
        again, again_held, again_reverse, cells, copy, fill, fill_rows, part, part_mut, reverse, rows,
        rows_mut, run, run_batch, spread, zero,
    };
}

/// Pads `src`, a contiguous tensor of shape `shape`, and returns the result in a new vector.
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
/// Returns the errors of [`PadPlan::new`] and [`PadPlan::to_vec`].
pub fn pad<T: Element>(src: &[T], shape: &[usize], spec: &PadSpec) -> Result<Vec<T>, PadError> {
    run::once::pad(src, shape, spec)
}

/// Pads `src`, a contiguous tensor of shape `shape`, and writes the result to `dst`.
///
/// The call allocates no memory for up to six axes, unless the spec negates borders, or has a fill along an axis or of more than
/// 16 bytes.
///
/// # Errors
///
/// Returns the errors of [`PadPlan::new`] and [`PadPlan::run`].
pub fn pad_into<T: Element>(
    src: &[T],
    shape: &[usize],
    spec: &PadSpec,
    dst: &mut [T],
) -> Result<(), PadError> {
    run::once::pad_into(src, shape, spec, dst)
}

/// Pads the bytes of a contiguous tensor of shape `shape` and type `dtype`, and writes the bytes of the result to `dst`.
///
/// The call allocates memory only if [`pad_into`] does.
///
/// ```
/// use pad_kernels::{DType, PadMode, PadSpec, pad_bytes_into};
/// // Three elements of 4 bits become four. The first one is in the low half of the first byte.
/// let spec = PadSpec::new(PadMode::Edge, [(1, 0)]);
/// let mut dst = [0; 2];
/// pad_bytes_into(&[0x21, 0x03], &[3], DType::U4, &spec, &mut dst)?;
/// assert_eq!(dst, [0x11, 0x32]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
///
/// # Errors
///
/// Returns the errors of [`PadPlan::for_dtype`] and [`PadPlan::run_bytes`].
pub fn pad_bytes_into(
    src: &[u8],
    shape: &[usize],
    dtype: DType,
    spec: &PadSpec,
    dst: &mut [u8],
) -> Result<(), PadError> {
    run::once::pad_bytes_into(src, shape, dtype, spec, dst)
}

/// Pads `src` as [`pad_bytes_into`] does, writes the result to uninitialised memory, and returns the initialised slice.
///
/// # Errors
///
/// Returns the errors of [`PadPlan::for_dtype`] and [`PadPlan::run_bytes_uninit`].
pub fn pad_bytes_into_uninit<'a>(
    src: &[u8],
    shape: &[usize],
    dtype: DType,
    spec: &PadSpec,
    dst: &'a mut [MaybeUninit<u8>],
) -> Result<&'a mut [u8], PadError> {
    run::once::pad_bytes_into_uninit(src, shape, dtype, spec, dst)
}

/// Pads the bytes of a contiguous tensor of shape `shape` and type `dtype`, and returns the bytes of the result in a new
/// vector.
///
/// # Errors
///
/// Returns the errors of [`PadPlan::for_dtype`] and [`PadPlan::to_vec_bytes`].
pub fn pad_bytes(src: &[u8], shape: &[usize], dtype: DType, spec: &PadSpec) -> Result<Vec<u8>, PadError> {
    run::once::pad_bytes(src, shape, dtype, spec)
}

/// Writes the border of `dst`. The interior of `dst` has shape `shape` and is already filled.
///
/// To update the border many times, make a [`BorderPlan`].
///
/// ```
/// use pad_kernels::{PadMode, PadSpec, fill_borders};
/// let mut signal = [0, 0, 5, 6, 7, 0, 0];
/// fill_borders(&mut signal, &[3], &PadSpec::new(PadMode::Reflect, [(2, 2)]))?;
/// assert_eq!(signal, [7, 6, 5, 6, 7, 6, 5]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
///
/// # Errors
///
/// Returns the errors of [`BorderPlan::new`] and [`BorderPlan::run`].
pub fn fill_borders<T: Element>(dst: &mut [T], shape: &[usize], spec: &PadSpec) -> Result<(), PadError> {
    BorderPlan::new::<T>(spec, shape)?.run(dst)
}

/// Pads elements of any type that can be cloned, such as `String`, into a new vector.
///
/// ```
/// use pad_kernels::{PadMode, PadSpec, pad_cloned};
/// let words = ["b".to_string(), "c".to_string()];
/// let spec = PadSpec::new(PadMode::Constant, [(1, 0)]);
/// assert_eq!(pad_cloned(&words, &[2], &spec, &String::new())?, ["", "b", "c"]);
/// // Modes that only repeat elements need no fill.
/// assert_eq!(pad_cloned(&words, &[2], &PadSpec::new(PadMode::Wrap, 1), None)?, ["c", "b", "c", "b"]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
///
/// # Errors
///
/// Returns the errors of [`PadPlan::for_cloned`] and [`PadPlan::to_vec_cloned`].
pub fn pad_cloned<'a, T: Clone + 'a>(
    src: &[T],
    shape: &[usize],
    spec: &PadSpec,
    fill: impl Into<Option<&'a T>>,
) -> Result<Vec<T>, PadError> {
    PadPlan::blank().once(spec, shape, element::Elements::CLONED)?.to_vec_cloned(src, fill)
}
