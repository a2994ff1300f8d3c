//! Pieces, of which registers that are permuted are packed.

use crate::plan::pattern::BLOCK;

/// Units of a register that come from one window.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) window: usize,
    /// The first unit's place in the register, from one to the next, in units, and how many there are.
    pub(super) at: usize,
    pub(super) pitch: usize,
    pub(super) count: usize,
    /// The first one's place in the source, and from one to the next.
    pub(super) src: isize,
    pub(super) stride: isize,
}

impl Piece {
    /// `count` neighbours of `unit` bytes, at the beginning of a register and at `src` of the first window.
    pub(super) fn run(src: isize, unit: usize, count: usize) -> Piece {
        Piece { window: 0, at: 0, pitch: 1, count, src, stride: unit as isize }
    }

    /// What of it is after the first `skipped` units of the register, for a register that begins there.
    pub(super) fn after(&self, skipped: usize) -> Option<Piece> {
        let gone = skipped.saturating_sub(self.at).div_ceil(self.pitch);
        (gone < self.count).then(|| Piece {
            at: self.at + gone * self.pitch - skipped,
            count: self.count - gone,
            src: self.src + gone as isize * self.stride,
            ..*self
        })
    }

    /// Writes the indices of its grains in the window that begins at `low`.
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
