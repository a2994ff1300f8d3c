//! What is left to be done when all of a program is packed: the tables of its permutations, and which of them are frequent moves.

use super::{Lanes, Move, Program, Table, Window};
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

impl Program {
    /// Makes copies of less than a register on either side of a longer one permutations, if all there is can be: such rows are
    /// written in one go.
    pub(super) fn permute_ends(&mut self, Lanes { window, grain, .. }: Lanes) {
        let copied = |next: &Move| if let Move::Copy { bytes, .. } = *next { bytes } else { 0 };
        let Some(body) = (0..self.moves.len()).max_by_key(|&i| copied(&self.moves[i])) else { return };
        let is_end = |next: &Move| match *next {
            Move::Copy { bytes, .. } => bytes < window && bytes % grain == 0,
            _ => next.permutation().is_some(),
        };
        let (low, high) = (&self.moves[..body], &self.moves[body + 1..]);
        if low.len() > 1 || high.len() > 1 || !low.iter().chain(high).all(is_end) {
            return;
        }
        for (i, next) in self.moves.iter_mut().enumerate() {
            let Move::Copy { src, dst, bytes } = *next else { continue };
            if i == body {
                continue;
            }
            let mut indices = Table::NOTHING;
            let piece = Piece::run(src, grain, bytes / grain);
            piece.index(&mut indices.0, src, grain, grain);
            let (table, none) = (self.tables.len(), Window { src, bytes: 0 });
            self.tables.push(indices);
            let windows = [Window { src, bytes }, none];
            *next = Move::Permute { windows, step: 0, table, dst, bytes, count: 1 };
        }
    }

    /// Makes fill of one or two registers permutations that take nothing: three planes of 8 by 8 floats took 73 ns with moves of
    /// two kinds and 59 with one (EPYC with AVX2).
    pub(super) fn gather_fill(&mut self) {
        // Any window that is readable.
        let readable = self.moves.iter().find_map(|next| match *next {
            Move::Gather { window, .. } => Some(window),
            _ => None,
        });
        let Some(window) = readable else { return };
        let table = self.tables.len();
        self.tables.push(Table::NOTHING);
        for i in (0..self.moves.len()).rev() {
            let Move::Fill { dst, bytes } = self.moves[i] else { continue };
            let whole = bytes.next_multiple_of(self.window);
            if whole > 2 * self.window || dst + whole > self.len {
                continue;
            }
            let first = bytes.min(self.window);
            self.moves[i] = Move::Gather { window, dst, table, bytes: first };
            if first < bytes {
                let second = Move::Gather { window, dst: dst + first, table, bytes: bytes - first };
                self.moves.insert(i + 1, second);
            }
        }
    }

    /// Moves the windows of a permutation so that they do not reach beyond what is needed of the source, and makes it one of
    /// the frequent moves if it is.
    pub(super) fn complete(&mut self, number: usize, lanes: Lanes) {
        let Move::Permute { mut windows, step, table, dst, bytes, count } = self.moves[number] else {
            return;
        };
        let far = (count - 1) as isize * step;
        let two = windows[1].bytes > 0;
        for (which, window) in windows.iter_mut().enumerate().take(1 + usize::from(two)) {
            // Places are less than isize::MAX, and what is read up to a register behind them.
            let end = (window.src + far.max(0)).saturating_add(lanes.window as isize);
            let over = (end - self.src_end).max(0);
            if over > 0
                && window.src + far.min(0) - over >= self.src_start
                && over % lanes.grain as isize == 0
            {
                window.src -= over;
                window.bytes += over as usize;
                self.tables[table + which].shift(over as usize, lanes.grain);
            }
            let end = (window.src + far.max(0)).saturating_add(lanes.window as isize);
            self.src_over = self.src_over.max(end);
        }
        let whole = count == 1 && dst + lanes.window <= self.len;
        self.moves[number] = match two {
            false if whole => Move::Gather { window: windows[0], dst, table, bytes },
            true if whole => Move::GatherTwo { windows, dst, table, bytes },
            _ => Move::Permute { windows, step, table, dst, bytes, count },
        };
    }
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

impl Table {
    /// The same indices of a window that begins `by` bytes before.
    fn shift(&mut self, by: usize, grain: usize) {
        for index in self.0.chunks_exact_mut(grain) {
            // The top bit of the last byte says that there is none.
            if index[grain - 1] & 0x80 == 0 {
                index[0] += (by / grain) as u8;
            }
        }
    }
}
