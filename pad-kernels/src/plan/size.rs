//! Sizes of whole tensors, the only place where they are computed.

use crate::dtype::Layout;
use crate::error::{PadError, Side};

impl Layout {
    /// The atoms in which offsets of this layout are counted: bytes, bits, or whole values.
    pub(crate) const fn atoms(self) -> usize {
        match self {
            Layout::Bytes(bytes) => bytes,
            Layout::Bits(bits) => bits,
            Layout::Cloned => 1,
        }
    }

    /// The bytes of `elements` elements, whose number [`elements`] has checked; none for cloned ones.
    pub(crate) fn bytes(self, elements: usize) -> usize {
        match self {
            Layout::Bytes(bytes) => elements * bytes,
            Layout::Bits(bits) => (elements * bits).div_ceil(8),
            Layout::Cloned => 0,
        }
    }
}

/// Elements of a tensor of `shape`, once every offset in it is known to fit `isize`: its bytes, the bits of
/// packed elements, the number of cloned ones.
///
/// As in NumPy and ndarray an axis of length 0 makes the tensor empty, but the others must fit all the same,
/// so that strides and merged axes cannot overflow either.
pub(crate) fn elements(shape: &[usize], layout: Layout, side: Side) -> Result<usize, PadError> {
    let mut size = layout.atoms();
    if size > isize::MAX as usize {
        return Err(PadError::SizeOverflow {
            side,
            axis: 0,
            length: shape.first().copied().unwrap_or(1),
            layout,
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
            _ => return Err(PadError::SizeOverflow { side, axis, length, layout }),
        };
    }
    Ok(if empty { 0 } else { size / layout.atoms() })
}
