//! Padding the arrays and pictures of other crates, and requests as data, each behind a feature of its own.

#[cfg(feature = "image")]
pub mod image;
#[cfg(feature = "ndarray")]
pub mod ndarray;
#[cfg(feature = "serde")]
pub mod serde;
