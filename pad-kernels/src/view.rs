//! Strides, which describe the positions of a tensor's elements in memory.

use smallvec::SmallVec;

use crate::error::{Operand, PadError};

/// Describes where the elements of a tensor lie in a slice. It holds the offset of the first element and, for each axis, the
/// distance between neighbours (stride).
///
/// Offsets and strides count elements. An input may have any strides. A stride of zero repeats an element (broadcast), and a
/// negative stride goes backwards. Two elements of an output must not have the same position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Strides {
    pub(crate) offset: usize,
    pub(crate) strides: SmallVec<[isize; 6]>,
}

impl Strides {
    /// Makes strides from the offset of the first element and one stride per axis, the outermost axis first.
    pub fn new(offset: usize, strides: impl IntoIterator<Item = isize>) -> Strides {
        Strides { offset, strides: strides.into_iter().collect() }
    }

    /// Makes the strides of a contiguous tensor in row-major order, in which neighbours on the last axis are adjacent.
    pub fn row_major(shape: &[usize]) -> Strides {
        let mut strides = Strides::column_major_of(shape.iter().rev());
        strides.strides.reverse();
        strides
    }

    /// Makes the strides of a contiguous tensor in column-major order (Fortran order), in which neighbours on the first axis
    /// are adjacent.
    pub fn column_major(shape: &[usize]) -> Strides {
        Strides::column_major_of(shape.iter())
    }

    fn column_major_of<'a>(shape: impl Iterator<Item = &'a usize>) -> Strides {
        let mut stride = 1isize;
        let strides = shape.map(|&length| {
            let this = stride;
            // If the shape is too large for memory, the plan reports an error later.
            stride = stride.wrapping_mul(length.max(1) as isize);
            this
        });
        Strides { offset: 0, strides: strides.collect() }
    }

    /// Makes strides for a slice that begins with the element at the lowest address. If a stride is negative, the element at
    /// index 0 lies further back in the slice. The call computes its offset.
    ///
    /// ```
    /// use pad_kernels::Strides;
    /// assert_eq!(Strides::spanning(&[2, 3], &[10, -2]), Strides::new(4, [10, -2]));
    /// ```
    pub fn spanning(shape: &[usize], strides: &[isize]) -> Strides {
        let mut offset = 0usize;
        if !shape.contains(&0) {
            for (&length, &stride) in shape.iter().zip(strides).filter(|(_, stride)| **stride < 0) {
                // If the offset is too large for memory, the plan reports an error later.
                offset = offset.saturating_add((length - 1).saturating_mul(stride.unsigned_abs()));
            }
        }
        Strides { offset, strides: SmallVec::from_slice(strides) }
    }

    /// Returns the strides of a region of the tensor that begins with the element at `index`. The call does not check that the tensor has
    /// this element.
    ///
    /// ```
    /// use pad_kernels::Strides;
    /// assert_eq!(Strides::row_major(&[4, 5]).at(&[1, 2])?, Strides::new(7, [5, 1]));
    /// assert!(Strides::row_major(&[4, 5]).at(&[1]).is_err());
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`PadError::IndexCount`] for a wrong number of indices, and [`PadError::IndexRange`] if the element would lie
    /// before the slice or beyond the largest address.
    pub fn at(&self, index: &[usize]) -> Result<Strides, PadError> {
        if index.len() != self.strides.len() {
            return Err(PadError::IndexCount { index: index.len(), strides: self.strides.len() });
        }
        // Both factors are below 2^64, so the product fits 128 bits. The sum of several products may not.
        let mut steps =
            index.iter().zip(&self.strides).map(|(&index, &stride)| index as i128 * stride as i128);
        let offset = steps.try_fold(self.offset as i128, i128::checked_add);
        let offset = offset.and_then(|offset| isize::try_from(offset).ok()?.try_into().ok());
        Ok(Strides { offset: offset.ok_or(PadError::IndexRange { offset: self.offset })?, ..self.clone() })
    }

    /// Returns the offset in atoms (bytes, bits or cloned values), and the number of elements that the buffer must hold. An
    /// element has `atoms` atoms.
    pub(crate) fn place(
        &self,
        shape: &[usize],
        atoms: usize,
        operand: Operand,
    ) -> Result<(isize, usize), PadError> {
        if self.strides.len() != shape.len() {
            return Err(PadError::StrideCount { operand, strides: self.strides.len(), shape: shape.len() });
        }
        // The first and the last position of an element.
        let (mut first, mut last) = (self.offset as i128, self.offset as i128);
        let limit = (isize::MAX as usize / atoms) as i128;
        if first >= limit {
            return Err(PadError::IndexRange { offset: self.offset });
        }
        let empty = shape.contains(&0);
        // An empty tensor has no elements, so its strides do not matter.
        let strides = if empty { &[][..] } else { &self.strides };
        for (axis, (&length, &stride)) in shape.iter().zip(strides).enumerate() {
            // Both factors are below 2^64, so the product fits 128 bits.
            let reach = stride as i128 * length.saturating_sub(1) as i128;
            first = first.saturating_add(reach.min(0));
            last = last.saturating_add(reach.max(0));
            if first < 0 || last >= limit {
                return Err(PadError::StrideRange { operand, axis, stride, length });
            }
        }
        let buffer = if empty { 0 } else { last as usize + 1 };
        Ok(((self.offset * atoms) as isize, buffer))
    }

    /// Returns an error if two elements might have the same position. After the strides are sorted by size, each one must exceed the extent
    /// of the axes with smaller strides.
    pub(crate) fn check_disjoint(&self, shape: &[usize]) -> Result<(), PadError> {
        if shape.contains(&0) {
            return Ok(());
        }
        let mut axes: SmallVec<[(usize, usize, usize); 6]> = (shape.iter().zip(&self.strides).enumerate())
            .filter(|(_, (length, _))| **length > 1)
            .map(|(axis, (&length, &stride))| (stride.unsigned_abs(), length, axis))
            .collect();
        axes.sort_unstable();
        let mut reach = 0;
        for (stride, length, axis) in axes {
            if stride <= reach {
                return Err(PadError::Overlap { axis, stride: self.strides[axis], length });
            }
            // `place` has checked that this sum lies within the buffer.
            reach += stride * (length - 1);
        }
        Ok(())
    }
}
