//! Support for arrays and images of other crates, and for serialisation. Each module needs the feature of its name.

#[cfg(feature = "image")]
pub mod image;
#[cfg(feature = "ndarray")]
pub mod ndarray;
#[cfg(feature = "serde")]
pub mod serde;
