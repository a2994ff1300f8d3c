//! Describes the memory that kernels read and write: a slice, or a strided tensor.
//!
//! The bytes between the elements of a strided tensor may belong to other tensors. For example, one tensor may consist of some columns of
//! an array, and another tensor of the columns between them.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::{ptr, slice};

use smallvec::SmallVec;

use crate::view::Strides;

/// The memory of an input, borrowed for `'a`.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(super) start: *const u8,
    pub(super) len: usize,
    /// If the stride of an axis is at most this number of bytes, no bytes of other tensors lie between its elements. For a slice, the
    /// number is `usize::MAX`.
    pub(super) solid: usize,
    borrow: PhantomData<&'a [u8]>,
}

// SAFETY: nobody writes the elements during `'a`: a slice is borrowed, and `RawInput::new` demands it. Threads only read them.
unsafe impl Sync for Source<'_> {}

impl<'a> Source<'a> {
    /// Makes a source from a slice. All of its bytes may be read.
    pub(crate) fn slice(bytes: &'a [u8]) -> Source<'a> {
        Source { start: bytes.as_ptr(), len: bytes.len(), solid: usize::MAX, borrow: PhantomData }
    }

    /// Tells whether all bytes may be read.
    pub(crate) fn is_slice(self) -> bool {
        self.solid == usize::MAX
    }

    /// Returns the part of the source with `len` bytes from offset `at`.
    ///
    /// # Panics
    ///
    /// The call panics if fewer than `len` bytes follow `at`.
    pub(super) fn part(self, at: usize, len: usize) -> Source<'a> {
        assert!(at <= self.len && len <= self.len - at);
        Source { start: self.start.wrapping_add(at), len, ..self }
    }

    /// Returns the slice, if the source is one.
    pub(super) fn as_slice(self) -> Option<&'a [u8]> {
        // SAFETY: the source was made from a slice, or from elements without gaps. Both are borrowed for `'a`.
        self.is_slice().then(|| unsafe { slice::from_raw_parts(self.start, self.len) })
    }
}

/// The memory of an output, borrowed exclusively for `'a`.
pub(crate) struct Target<'a> {
    pub(super) start: *mut u8,
    pub(super) len: usize,
    /// True if all bytes of the memory belong to the target.
    whole: bool,
    borrow: PhantomData<&'a mut [MaybeUninit<u8>]>,
}

impl<'a> Target<'a> {
    /// Makes a target from a slice.
    pub(crate) fn slice(bytes: &'a mut [MaybeUninit<u8>]) -> Target<'a> {
        Target { start: bytes.as_mut_ptr().cast(), len: bytes.len(), whole: true, borrow: PhantomData }
    }

    /// Reborrows the memory.
    pub(crate) fn again(&mut self) -> Target<'_> {
        Target { borrow: PhantomData, ..*self }
    }

    /// Borrows `len` bytes from offset `at`.
    ///
    /// # Panics
    ///
    /// The call panics if fewer than `len` bytes follow `at`.
    pub(super) fn part(&mut self, at: usize, len: usize) -> Target<'_> {
        assert!(at <= self.len && len <= self.len - at);
        Target { start: self.start.wrapping_add(at), len, borrow: PhantomData, ..*self }
    }

    /// Returns the slice, if the target is one.
    pub(super) fn into_slice(self) -> Option<&'a mut [MaybeUninit<u8>]> {
        // SAFETY: the target was made from a slice, or from elements without gaps. It borrows them exclusively for `'a`.
        self.whole.then(|| unsafe { slice::from_raw_parts_mut(self.start.cast(), self.len) })
    }
}

/// Describes an input behind a pointer, for [`PadPlan::run_raw`](crate::PadPlan::run_raw). Other threads may write to the
/// memory between its elements.
pub struct RawInput<'a> {
    pub(crate) memory: Source<'a>,
    pub(crate) shape: &'a [usize],
    pub(crate) strides: Strides,
    element_bytes: usize,
}

impl<'a> RawInput<'a> {
    /// Describes a tensor with strides in elements. The element with index 0 on every axis lies at `first`. If the tensor has no elements,
    /// `first` may be null.
    ///
    /// # Safety
    ///
    /// - All elements lie in one allocation. Their bytes are initialised, and may be read through `first`.
    /// - Nobody writes them during the lifetime of the result.
    pub unsafe fn new(
        first: *const u8,
        element_bytes: usize,
        shape: &'a [usize],
        strides: &[isize],
    ) -> RawInput<'a> {
        let (solid, whole) = solid(shape, strides);
        let (strides, len) = span(shape, strides);
        // The address of a slice is never null.
        let first = if len > 0 { first } else { ptr::dangling() };
        // A negative stride puts elements at addresses below `first`. They are in the same allocation.
        let start = first.wrapping_sub(strides.offset * element_bytes);
        let solid = if whole { usize::MAX } else { solid * element_bytes };
        let memory = Source { start, len: len * element_bytes, solid, borrow: PhantomData };
        RawInput { memory, shape, strides, element_bytes }
    }

    /// Returns the size of an element in bytes, the shape, and the strides.
    pub(crate) fn tensor(&self) -> (usize, &[usize], &Strides) {
        (self.element_bytes, self.shape, &self.strides)
    }
}

/// Describes an output behind a pointer, for [`PadPlan::run_raw`](crate::PadPlan::run_raw). A run does not write to the memory
/// between its elements.
pub struct RawOutput<'a> {
    pub(crate) memory: Target<'a>,
    pub(crate) shape: &'a [usize],
    pub(crate) strides: Strides,
    element_bytes: usize,
}

impl<'a> RawOutput<'a> {
    /// Describes a tensor with strides in elements. The element with index 0 on every axis lies at `first`. If the tensor has no elements,
    /// `first` may be null.
    ///
    /// # Safety
    ///
    /// - All elements lie in one allocation, and may be written through `first`. They need not be initialised.
    /// - Nobody else reads or writes them during the lifetime of the result.
    pub unsafe fn new(
        first: *mut u8,
        element_bytes: usize,
        shape: &'a [usize],
        strides: &[isize],
    ) -> RawOutput<'a> {
        let (_, whole) = solid(shape, strides);
        let (strides, len) = span(shape, strides);
        let first = if len > 0 { first } else { ptr::dangling_mut() };
        let start = first.wrapping_sub(strides.offset * element_bytes);
        let memory = Target { start, len: len * element_bytes, whole, borrow: PhantomData };
        RawOutput { memory, shape, strides, element_bytes }
    }

    /// Returns the size of an element in bytes, the shape, and the strides.
    pub(crate) fn tensor(&self) -> (usize, &[usize], &Strides) {
        (self.element_bytes, self.shape, &self.strides)
    }
}

/// Returns the strides relative to the lowest address, and the number of elements from the lowest address to the highest.
fn span(shape: &[usize], strides: &[isize]) -> (Strides, usize) {
    let spanning = Strides::spanning(shape, strides);
    if shape.contains(&0) {
        return (spanning, 0);
    }
    let reach = |(&length, stride): (&usize, &isize)| (length - 1) * stride.unsigned_abs();
    let last: usize = shape.iter().zip(strides).map(reach).sum();
    (spanning, last + 1)
}

/// Returns the longest stride of an axis without gaps between its elements, and whether there are no gaps at all.
fn solid(shape: &[usize], strides: &[isize]) -> (usize, bool) {
    // A tensor without elements has no gaps. Its other lengths may exceed the memory.
    if shape.contains(&0) {
        return (0, true);
    }
    let mut axes: SmallVec<[(usize, usize); 6]> = (shape.iter().zip(strides))
        .filter(|(length, _)| **length != 1)
        .map(|(&length, stride)| (stride.unsigned_abs(), length))
        .collect();
    axes.sort_unstable();
    // The axes with shorter strides together cover every position up to `reach`.
    let (mut reach, mut solid) = (0, 0);
    for (stride, length) in axes {
        if stride > reach + 1 {
            return (solid, false);
        }
        reach += stride * (length - 1);
        solid = stride;
    }
    (solid, true)
}

#[cfg(feature = "ndarray")]
pub(crate) mod array {
    //! Arrays of the crate `ndarray`, which are read and written in place.

    use ndarray::{ArrayRef, Dimension};

    use super::{RawInput, RawOutput};
    use crate::element::Element;

    /// Describes an array that is read.
    pub(crate) fn input<A: Element, D: Dimension>(array: &ArrayRef<A, D>) -> RawInput<'_> {
        // SAFETY:
        // - The elements of an array are initialised and in one allocation. Each has the bytes of `A`.
        // - The array is borrowed as long as the result.
        unsafe { RawInput::new(array.as_ptr().cast(), size_of::<A>(), array.shape(), array.strides()) }
    }

    /// Describes an array of this shape that is written.
    pub(crate) fn output<'a, A: Element, D: Dimension>(
        array: &'a mut ArrayRef<A, D>,
        shape: &'a [usize],
    ) -> RawOutput<'a> {
        assert_eq!(array.shape(), shape);
        let first = array.as_mut_ptr().cast();
        // SAFETY: the elements are in one allocation, and the array is borrowed exclusively as long as the result.
        unsafe { RawOutput::new(first, size_of::<A>(), shape, array.strides()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_seen() {
        // No gaps: row-major, transposed, reversed, broadcast, and overlapping windows.
        assert_eq!(solid(&[2, 3], &[3, 1]), (3, true));
        assert_eq!(solid(&[3, 2], &[1, -3]), (3, true));
        assert_eq!(solid(&[4, 3], &[0, 1]), (1, true));
        assert_eq!(solid(&[4, 3], &[1, 1]), (1, true));
        assert_eq!(solid(&[], &[]), (0, true));
        assert_eq!(solid(&[1], &[7]), (0, true));
        assert_eq!(solid(&[0, usize::MAX, 9], &[0, isize::MAX, 1]), (0, true));
        // Gaps: rows of a larger array, every second element, and a column.
        assert_eq!(solid(&[5, 2, 3], &[20, 3, 1]), (3, false));
        assert_eq!(solid(&[2, 3], &[3, 2]), (0, false));
        assert_eq!(solid(&[3, 1], &[3, 1]), (0, false));
    }

    #[test]
    fn spans_begin_with_the_lowest_address() {
        assert_eq!(span(&[2, 3], &[10, -2]), (Strides::new(4, [10, -2]), 15));
        assert_eq!(span(&[2, 0], &[10, -2]), (Strides::new(0, [10, -2]), 0));
        assert_eq!(span(&[], &[]), (Strides::new(0, []), 1));
    }
}
