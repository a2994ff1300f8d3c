//! Describes a piece: units of a permuted register that come from one window.

use super::Table;

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
    /// Writes the indices of the piece's units to a table. The window starts at source offset `low`.
    #[inline(always)]
    pub(super) fn index(&self, table: &mut Table, low: isize, unit: usize, grain: usize) {
        if self.stride == unit as isize && self.pitch == 1 {
            return table.set(self.at * unit, (self.src - low) as usize, self.count * unit, grain);
        }
        for i in 0..self.count {
            let (at, src) = (self.at + i * self.pitch, self.src + i as isize * self.stride);
            table.set(at * unit, (src - low) as usize, unit, grain);
        }
    }
}

impl Table {
    /// Writes the indices of `bytes` output bytes from `at` on, which come from offset `from` of the window. There is one index
    /// for each grain of `grain` bytes.
    #[inline]
    pub(super) fn set(&mut self, at: usize, from: usize, bytes: usize, grain: usize) {
        let indices = &mut self.0[at..at + bytes];
        if grain == 1 {
            for (i, index) in indices.iter_mut().enumerate() {
                *index = (from + i) as u8;
            }
        } else if grain == 2 {
            for (i, index) in indices.chunks_exact_mut(2).enumerate() {
                index.copy_from_slice(&((from / 2 + i) as u16).to_le_bytes());
            }
        } else {
            for (i, index) in indices.chunks_exact_mut(4).enumerate() {
                index.copy_from_slice(&((from / 4 + i) as u32).to_le_bytes());
            }
        }
    }
}
