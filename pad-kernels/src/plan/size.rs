//! Computes the sizes of whole tensors. Only plans for small tensors compute them elsewhere, in `small.rs`.

use crate::dtype::ElementSize;
use crate::error::{Operand, PadError};

impl ElementSize {
    /// Returns the number of atoms in an element. Atoms are bytes, bits, or one cloned value.
    pub(crate) const fn atoms(self) -> usize {
        match self {
            ElementSize::Bytes(bytes) => bytes,
            ElementSize::Bits(bits) => bits,
            ElementSize::Cloned => 1,
        }
    }

    /// Returns the size of `elements` elements in bytes, or 0 for cloned elements. The caller has checked the number with [`elements`].
    pub(crate) fn bytes(self, elements: usize) -> usize {
        match self {
            ElementSize::Bytes(bytes) => elements * bytes,
            ElementSize::Bits(bits) => (elements * bits).div_ceil(8),
            ElementSize::Cloned => 0,
        }
    }
}

/// Returns the number of elements of a tensor, or an error if some offset does not fit `isize`. Offsets count bytes, bits of packed types,
/// or cloned values.
///
/// As in NumPy and ndarray, an axis of length 0 makes the tensor empty. Even then, the product of the other lengths must fit, so that
/// strides and merged axes cannot overflow.
pub(crate) fn elements(
    shape: &[usize],
    element_size: ElementSize,
    operand: Operand,
) -> Result<usize, PadError> {
    let mut size = element_size.atoms();
    if size > isize::MAX as usize {
        return Err(PadError::SizeOverflow {
            operand,
            axis: 0,
            length: shape.first().copied().unwrap_or(1),
            element_size,
        });
    }
    let mut empty = false;
    for (axis, &length) in shape.iter().enumerate() {
        if length == 0 {
            empty = true;
            continue;
        }
        size = match size.checked_mul(length) {
            Some(size) if size <= isize::MAX as usize => size,
            _ => return Err(PadError::SizeOverflow { operand, axis, length, element_size }),
        };
    }
    Ok(if empty { 0 } else { size / element_size.atoms() })
}
