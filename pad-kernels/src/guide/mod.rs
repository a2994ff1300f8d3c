//! # Guides to pad-kernels
//!
//! | guide | read it if you |
//! |---|---|
//! | [`tasks`] | want to bring images or lists to one size, fill with a colour, or filter an image row by row |
//! | [`modes`] | choose what the border should contain |
//! | [`computed`] | need ramps, statistics or odd reflections in the border |
//! | [`names`] | want to translate a call of numpy, torch, ONNX, XLA, OpenCV or TensorFlow into a call of this crate |
//! | [`systems`] | need to know what each framework and version accepts and refuses |
//! | [`plans`] | pad repeatedly, pad strided tensors, update the border of a grid in place, or compute a part of the output |
//! | [`chunks`] | have arrays in files, zarr stores or on several machines |
//! | [`engines`] | want to call this crate from candle, burn or another tensor library |
//! | [`gradients`] | train a model that contains a pad |
//! | [`features`] | choose cargo features, build without `std`, or support an old compiler |
//! | [`performance`] | want to know which calls are fast and why |
//! | [`safety`] | need to know how the crate is tested before you depend on it |
//! | [`extending`] | need an element type, a mode or a framework that the crate does not have |
//!
//! The tests run every Rust example of the guides.

#[doc = include_str!("tasks.md")]
pub mod tasks {}

#[doc = include_str!("modes.md")]
pub mod modes {}

#[doc = include_str!("computed.md")]
pub mod computed {}

#[doc = include_str!("names.md")]
pub mod names {}

#[doc = include_str!("systems.md")]
pub mod systems {}

#[doc = include_str!("plans.md")]
pub mod plans {}

#[doc = include_str!("chunks.md")]
pub mod chunks {}

#[doc = include_str!("engines.md")]
pub mod engines {}

#[doc = include_str!("gradients.md")]
pub mod gradients {}

#[doc = include_str!("features.md")]
pub mod features {}

#[doc = include_str!("performance.md")]
pub mod performance {}

#[doc = include_str!("safety.md")]
pub mod safety {}

#[doc = include_str!("extending.md")]
pub mod extending {}
