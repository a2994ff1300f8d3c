//! Tensor padding.
