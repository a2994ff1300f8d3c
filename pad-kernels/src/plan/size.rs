//! Sizes of whole tensors, the only place where they are computed.

use crate::dtype::ElementSize;
use crate::error::{Operand, PadError};

impl ElementSize {
    /// The atoms in which offsets of this layout are counted: bytes, bits, or whole values.
    pub(crate) const fn atoms(self) -> usize {
        match self {
            ElementSize::Bytes(bytes) => bytes,
            ElementSize::Bits(bits) => bits,
            ElementSize::Cloned => 1,
        }
    }

    /// The bytes of `elements` elements, whose number [`elements`] has checked; none for cloned ones.
    pub(crate) fn bytes(self, elements: usize) -> usize {
        match self {
            ElementSize::Bytes(bytes) => elements * bytes,
            ElementSize::Bits(bits) => (elements * bits).div_ceil(8),
            ElementSize::Cloned => 0,
        }
    }
}

/// Elements of a tensor of `shape`, once every offset in it is known to fit `isize`: its bytes, the bits of
/// packed elements, the number of cloned ones.
///
/// As in NumPy and ndarray an axis of length 0 makes the tensor empty, but the others must fit all the same,
/// so that strides and merged axes cannot overflow either.
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
