//! The arithmetic of one axis: its normal form, and its segments.
//!
//! The macro inserts the items of `pad-macros/src/form.rs`. At compile time, `pad-macros` plans shapes with the same code.

use smallvec::SmallVec;

use crate::spec::{Frame, PadMode};

type List<T, const MOST: usize> = SmallVec<[T; MOST]>;

pad_macros::axis_arithmetic! {}
