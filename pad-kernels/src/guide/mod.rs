//! Guides: how to choose, how to say it, and what to expect.
//!
//! | page | for those who |
//! |---|---|
//! | [`modes`] | ask what belongs beyond the edge of their data, and want to see it |
//! | [`computed`] | want borders that are new values: ramps, statistics, odd reflections, or none |
//! | [`names`] | know how to say it in numpy, torch, ONNX, XLA, OpenCV or TensorFlow |
//! | [`systems`] | have calls of numpy, torch, ONNX and others, and ask what each takes and refuses |
//! | [`plans`] | pad more than once, tensors that are not contiguous, or a part of the output at a time |
//! | [`chunks`] | have arrays larger than memory or in chunks: files, zarr stores, several machines |
//! | [`engines`] | plug it into candle, burn or an engine of their own |
//! | [`gradients`] | train through padding, or invert what contains it |
//! | [`features`] | want fewer dependencies, no `std`, or an older compiler |
//! | [`performance`] | want it fast, and want to know why it is or is not |
//! | [`safety`] | have to answer for what they depend on |
//! | [`extending`] | miss an element type, a mode, a system or an instruction set |
//!
//! They are pages and no code: nothing here is compiled into a program. Every example on them is a test.

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
