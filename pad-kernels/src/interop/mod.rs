//! Supports arrays and images of other crates, and serialisation. Each module needs the cargo feature with its name.

#[cfg(feature = "image")]
pub mod image;
#[cfg(feature = "ndarray")]
pub mod ndarray;
#[cfg(feature = "serde")]
pub mod serde;
