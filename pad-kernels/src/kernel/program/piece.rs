//! Describes a piece: units of a permuted register that come from one window. A window is a register of the source.

use crate::plan::pattern::BLOCK;

/// Equally spaced units of a register that come from one window. For example, the register `[a . b .]` of units and fill has a
/// piece of two units with pitch 2.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) window: usize,
    /// The position of the first unit in the register, the distance of two units in the register, and the number of units. All
    /// three count units.
    pub(super) at: usize,
    pub(super) pitch: usize,
    pub(super) count: usize,
    /// The source offset of the first unit, and the distance of two units in the source. Both count bytes.
    pub(super) src: isize,
    pub(super) stride: isize,
}

impl Piece {
    /// Returns a piece of `count` consecutive units of `unit` bytes, from `src` in the first window. It begins at the start of the
    /// register.
    pub(super) fn run(src: isize, unit: usize, count: usize) -> Piece {
        Piece { window: 0, at: 0, pitch: 1, count, src, stride: unit as isize }
    }

    /// Writes the indices of the piece's units to a table. The window starts at source offset `low`. There is one index for each
    /// grain, which is the number of bytes that the permutation moves together.
    #[inline(always)]
    pub(super) fn index(&self, index: &mut [u8; BLOCK], low: isize, unit: usize, grain: usize) {
        let mut write = |at: usize, from: usize, bytes: usize| {
            if grain == 1 {
                for (i, index) in index[at..at + bytes].iter_mut().enumerate() {
                    *index = (from + i) as u8;
                }
            } else if grain == 2 {
                for (i, index) in index[at..at + bytes].chunks_exact_mut(2).enumerate() {
                    index.copy_from_slice(&((from / 2 + i) as u16).to_le_bytes());
                }
            } else {
                for (i, index) in index[at..at + bytes].chunks_exact_mut(4).enumerate() {
                    index.copy_from_slice(&((from / 4 + i) as u32).to_le_bytes());
                }
            }
        };
        if self.stride == unit as isize && self.pitch == 1 {
            return write(self.at * unit, (self.src - low) as usize, self.count * unit);
        }
        for i in 0..self.count {
            write(
                (self.at + i * self.pitch) * unit,
                (self.src + i as isize * self.stride - low) as usize,
                unit,
            );
        }
    }
}
