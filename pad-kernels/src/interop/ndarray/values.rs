//! Presents an array of cloned values as one slice with strides.

use alloc::vec::Vec;

use ::ndarray::{ArrayView, Axis, Dimension, Slice};
use smallvec::SmallVec;

use crate::error::PadError;
use crate::view::Strides;

/// The values of an array as one slice, and their strides in it.
pub(super) struct Values<'a, A> {
    data: Data<'a, A>,
    pub(super) strides: Strides,
}

enum Data<'a, A> {
    Borrowed(&'a [A]),
    Copied(Vec<A>),
}

impl<'a, A: Clone> Values<'a, A> {
    pub(super) fn of<D: Dimension>(array: ArrayView<'a, A, D>) -> Result<Self, PadError> {
        // On a broadcast axis, all indices have the same value, so one index is enough.
        let mut places = array.clone();
        for axis in (0..array.ndim()).map(Axis) {
            if array.stride_of(axis) == 0 && array.len_of(axis) > 1 {
                places.slice_axis_inplace(axis, Slice::from(..1));
            }
        }
        let (data, mut strides) = match places.to_slice_memory_order() {
            Some(slice) => (Data::Borrowed(slice), strides_of(&places)),
            None => (Data::Copied(copy(&places)?), Strides::row_major(places.shape())),
        };
        for (axis, stride) in strides.strides.iter_mut().enumerate() {
            if places.len_of(Axis(axis)) != array.len_of(Axis(axis)) {
                *stride = 0;
            }
        }
        Ok(Values { data, strides })
    }

    pub(super) fn data(&self) -> &[A] {
        match &self.data {
            Data::Borrowed(slice) => slice,
            Data::Copied(copy) => copy,
        }
    }
}

/// Returns the strides of an array, relative to its slice in memory order.
fn strides_of<A, D: Dimension>(array: &ArrayView<'_, A, D>) -> Strides {
    let strides: SmallVec<[isize; 6]> = array.strides().iter().copied().collect();
    // The slice begins at the lowest address. On axes with a negative stride, this is the last element.
    let backwards = array.shape().iter().zip(&strides).filter(|(_, stride)| **stride < 0);
    let offset = backwards.map(|(length, stride)| length.saturating_sub(1) * stride.unsigned_abs()).sum();
    Strides { offset, strides }
}

/// Returns the elements in row-major order.
fn copy<A: Clone, D: Dimension>(array: &ArrayView<'_, A, D>) -> Result<Vec<A>, PadError> {
    let mut copy = Vec::new();
    let bytes = array.len().saturating_mul(size_of::<A>());
    copy.try_reserve_exact(array.len()).map_err(|_| PadError::OutOfMemory { bytes })?;
    for row in array.rows() {
        match row.to_slice() {
            Some(row) => copy.extend_from_slice(row),
            None => copy.extend(row.iter().cloned()),
        }
    }
    Ok(copy)
}
