//! The arithmetic of one axis: its normal form, and its segments.
//!
//! The items come from `pad-macros/src/form.rs`, which the macro inserts here. At compile time, `pad-macros` plans shapes with this code.

use smallvec::SmallVec;

use crate::spec::{Frame, PadMode};

type List<T, const MOST: usize> = SmallVec<[T; MOST]>;

pad_macros::axis_arithmetic! {}
