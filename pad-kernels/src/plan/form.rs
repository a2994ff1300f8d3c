//! The arithmetic of one axis: its normal form, and its segments.
//!
//! The items are those of `pad-macros/src/form.rs`: that crate plans shapes known at compile time with the same text.

use smallvec::SmallVec;

use crate::spec::{Frame, PadMode};

type List<T, const MOST: usize> = SmallVec<[T; MOST]>;

pad_macros::axis_arithmetic! {}
