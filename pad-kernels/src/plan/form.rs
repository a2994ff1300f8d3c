//! The arithmetic of one axis: its normal form, and its segments.
//!
//! The macro `axis_arithmetic` inserts the items of `pad-macros/src/form.rs`. The package `pad-macros` itself plans shapes with
//! these items at compile time.

use smallvec::SmallVec;

use crate::spec::{Frame, PadMode};

type List<T, const MOST: usize> = SmallVec<[T; MOST]>;

pad_macros::axis_arithmetic! {}
