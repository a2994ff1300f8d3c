//! Where runs read and write: slices, or the elements of tensors between which others' memory may lie.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::slice;

/// The memory of an input, borrowed for as long.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(super) start: *const u8,
    pub(super) len: usize,
    /// Only elements lie between neighbours on an axis if they are at most so many bytes apart. What lies between others, and
    /// around all of them, may be anyone's. Of a slice, all is its own.
    pub(super) solid: usize,
    borrow: PhantomData<&'a [u8]>,
}

// SAFETY: elements are plain bytes that can be copied, so that nothing of them changes while they are borrowed shared; threads
// only read them.
unsafe impl Sync for Source<'_> {}

impl<'a> Source<'a> {
    /// A slice, which may be read anywhere.
    pub(crate) fn slice(bytes: &'a [u8]) -> Source<'a> {
        Source { start: bytes.as_ptr(), len: bytes.len(), solid: usize::MAX, borrow: PhantomData }
    }

    /// Whether all of it may be read.
    pub(super) fn is_slice(self) -> bool {
        self.solid == usize::MAX
    }

    /// The slice, if it is one.
    pub(super) fn as_slice(self) -> Option<&'a [u8]> {
        // SAFETY: the bytes of the slice that it was made of, or elements without anything between them; both are borrowed for as
        // long.
        self.is_slice().then(|| unsafe { slice::from_raw_parts(self.start, self.len) })
    }
}

/// The memory of an output, borrowed exclusively for as long.
pub(crate) struct Target<'a> {
    pub(super) start: *mut u8,
    pub(super) len: usize,
    /// Whether all of it is this one's.
    whole: bool,
    borrow: PhantomData<&'a mut [MaybeUninit<u8>]>,
}

impl<'a> Target<'a> {
    /// A slice.
    pub(crate) fn slice(bytes: &'a mut [MaybeUninit<u8>]) -> Target<'a> {
        Target { start: bytes.as_mut_ptr().cast(), len: bytes.len(), whole: true, borrow: PhantomData }
    }

    /// The same memory, borrowed from this one.
    pub(crate) fn again(&mut self) -> Target<'_> {
        Target { borrow: PhantomData, ..*self }
    }

    /// The slice, if it is one.
    pub(super) fn into_slice(self) -> Option<&'a mut [MaybeUninit<u8>]> {
        // SAFETY: the bytes of the slice that it was made of, or elements without anything between them; both are borrowed
        // exclusively for as long.
        self.whole.then(|| unsafe { slice::from_raw_parts_mut(self.start.cast(), self.len) })
    }
}

#[cfg(feature = "ndarray")]
pub(crate) mod array {
    //! Arrays of the crate `ndarray`, which are read and written in place.

    use core::marker::PhantomData;

    use ndarray::{ArrayRef, Dimension};
    use smallvec::SmallVec;

    use super::{Source, Target};
    use crate::element::Element;
    use crate::view::Strides;

    /// A tensor's memory, and where its elements lie in it.
    pub(crate) struct Placed<'s, M> {
        pub(crate) memory: M,
        pub(crate) shape: &'s [usize],
        pub(crate) strides: Strides,
    }

    /// The elements of an input.
    pub(crate) fn input<A: Element, D: Dimension>(array: &ArrayRef<A, D>) -> Placed<'_, Source<'_>> {
        let (strides, len) = span(array.shape(), array.strides());
        // The elements are in one allocation, and those that go backwards from the first are still in it.
        let start = array.as_ptr().wrapping_sub(strides.offset).cast();
        let (solid, whole) = solid(array.shape(), array.strides());
        let solid = if whole { usize::MAX } else { solid * size_of::<A>() };
        let memory = Source { start, len: len * size_of::<A>(), solid, borrow: PhantomData };
        Placed { memory, shape: array.shape(), strides }
    }

    /// The elements of an output of this shape.
    pub(crate) fn output<'a, 's, A: Element, D: Dimension>(
        array: &'a mut ArrayRef<A, D>,
        shape: &'s [usize],
    ) -> Placed<'s, Target<'a>> {
        assert_eq!(array.shape(), shape);
        let (strides, len) = span(array.shape(), array.strides());
        let (_, whole) = solid(array.shape(), array.strides());
        let start = array.as_mut_ptr().wrapping_sub(strides.offset).cast();
        let memory = Target { start, len: len * size_of::<A>(), whole, borrow: PhantomData };
        Placed { memory, shape, strides }
    }

    /// The strides from the lowest address on, and the elements from there to the highest.
    fn span(shape: &[usize], strides: &[isize]) -> (Strides, usize) {
        let strides = Strides { offset: 0, strides: strides.iter().copied().collect() };
        if shape.contains(&0) {
            return (strides, 0);
        }
        let (mut offset, mut last) = (0, 0);
        for (&length, &stride) in shape.iter().zip(&strides.strides) {
            let reach = (length - 1) * stride.unsigned_abs();
            offset += if stride < 0 { reach } else { 0 };
            last += reach;
        }
        (Strides { offset, ..strides }, last + 1)
    }

    /// The longest stride of those up to which there are only elements between elements, and whether those are all.
    fn solid(shape: &[usize], strides: &[isize]) -> (usize, bool) {
        let mut axes: SmallVec<[(usize, usize); 6]> = (shape.iter().zip(strides))
            .filter(|(length, _)| **length != 1)
            .map(|(&length, stride)| (stride.unsigned_abs(), length))
            .collect();
        axes.sort_unstable();
        // The shorter axes alone take every place up to here.
        let (mut reach, mut solid) = (0, 0);
        for (stride, length) in axes {
            if stride > reach + 1 {
                return (solid, false);
            }
            reach += stride * length.saturating_sub(1);
            solid = stride;
        }
        (solid, true)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn gaps_are_seen() {
            // Row by row, transposed, reversed, broadcast; and windows that overlap.
            assert_eq!(solid(&[2, 3], &[3, 1]), (3, true));
            assert_eq!(solid(&[3, 2], &[1, -3]), (3, true));
            assert_eq!(solid(&[4, 3], &[0, 1]), (1, true));
            assert_eq!(solid(&[4, 3], &[1, 1]), (1, true));
            assert_eq!(solid(&[], &[]), (0, true));
            assert_eq!(solid(&[1], &[7]), (0, true));
            // Rows of a larger array, every second element, and a column.
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
}
