//! Stores the fill in the form that kernels read: one element, and a block of 64 bytes that repeats this element.

use core::fmt;

use smallvec::SmallVec;

/// The length of [`Pattern::block`] in bytes. It is the size of the widest store of any kernel.
pub(crate) const BLOCK: usize = 64;

/// A block of zeros.
pub(crate) const ZEROS: [u8; BLOCK] = [0; BLOCK];

/// The fill element, and a block that repeats it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Pattern {
    element: SmallVec<[u8; 16]>,
    block: [u8; BLOCK],
    step: usize,
    uniform: Option<u8>,
}

impl Pattern {
    /// Returns an empty pattern, which a plan sets later.
    #[inline]
    pub(crate) fn blank() -> Pattern {
        Pattern { element: SmallVec::new(), block: [0; BLOCK], step: 0, uniform: None }
    }

    /// Returns the pattern of an element of whole bytes.
    pub(crate) fn of_bytes(element: &[u8]) -> Pattern {
        let uniform = match *element {
            [byte] => Some(byte),
            [a, b] => (a == b).then_some(a),
            [a, b, c, d] => (a == b && a == c && a == d).then_some(a),
            _ => element.first().copied().filter(|first| element.iter().all(|byte| byte == first)),
        };
        let mut block = [uniform.unwrap_or(0); BLOCK];
        if uniform.is_none() {
            for (byte, of_element) in block.iter_mut().zip(element.iter().cycle()) {
                *byte = *of_element;
            }
        }
        let step = if element.len() <= BLOCK { BLOCK - BLOCK % element.len() } else { 0 };
        Pattern { element: SmallVec::from_slice(element), block, step, uniform }
    }

    /// Returns the pattern of a packed element of `bits` bits, which are the low bits of `element`.
    pub(crate) fn of_bits(element: u8, bits: usize) -> Pattern {
        let field = element & ((1 << bits) - 1);
        let byte = (0..8 / bits).fold(0, |byte, i| byte | field << (i * bits));
        Pattern::of_bytes(&[byte])
    }

    /// Returns one element. For packed types, and for a zero that is longer than a block, it returns one byte that repeats.
    #[inline(always)]
    pub(crate) fn element(&self) -> &[u8] {
        &self.element
    }

    /// Returns the block. It begins with a whole element, and its last element may be incomplete.
    #[inline(always)]
    pub(crate) fn block(&self) -> &[u8; BLOCK] {
        &self.block
    }

    /// Returns the size of all whole elements of the block in bytes, or 0 if an element is longer than the block.
    #[inline(always)]
    pub(crate) fn step(&self) -> usize {
        self.step
    }

    /// Returns the value of all bytes of the fill, or `None` if they differ.
    #[inline(always)]
    pub(crate) fn uniform(&self) -> Option<u8> {
        self.uniform
    }

    /// Tells whether every bit of the fill is zero.
    pub(crate) fn is_zero(&self) -> bool {
        self.uniform == Some(0)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.element).finish()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn fill_of_any_length() {
        for length in [1, 2, 3, 4, 8, 16, 63, 64, 65] {
            for byte in [0, 0x5a] {
                let same = Pattern::of_bytes(&vec![byte; length]);
                assert_eq!((same.uniform(), same.is_zero()), (Some(byte), byte == 0));
                assert_eq!(*same.block(), [byte; BLOCK]);
                for at in if length > 1 { 0..length } else { 0..0 } {
                    let mut element = vec![byte; length];
                    element[at] ^= 0x80;
                    let other = Pattern::of_bytes(&element);
                    assert_eq!(
                        (other.uniform(), other.is_zero(), other.element()),
                        (None, false, &element[..])
                    );
                    assert!((0..BLOCK).all(|i| other.block()[i] == element[i % length]));
                    assert_eq!(other.step(), BLOCK / length * length);
                }
            }
        }
        assert_eq!(Pattern::of_bits(0xfd, 2).uniform(), Some(0x55));
        assert_eq!(Pattern::of_bits(0x1a, 4).uniform(), Some(0xaa));
    }
}
