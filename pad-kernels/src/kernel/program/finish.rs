//! Completes a packed program. A window is the source bytes that a permutation loads as one register. This file moves windows so
//! that they end within the needed source bytes, and replaces permutations by simpler moves where possible.

use smallvec::{SmallVec, smallvec};

use super::bordered::REGISTERS as BORDER_REGISTERS;
use super::pack::Packer;
use super::piece::Piece;
use super::{Bodies, Lanes, Move, Program, Table, Window};
use crate::kernel::simd::LINE;

impl Packer<'_, '_> {
    /// Completes the program.
    pub(super) fn finish(&mut self) {
        if !self.once {
            self.widen_last();
        }
        self.flush();
        let program = &mut *self.program;
        program.len = self.dst;
        if program.src_start > program.src_end {
            // The program only writes fill.
            (program.src_start, program.src_end) = (0, 0);
        }
        program.src_over = program.src_end;
        program.permute_ends(self.lanes);
        for i in 0..program.moves.len() {
            program.complete(i, self.lanes);
        }
        program.src_rows = program.read_by_rows();
    }

    /// Extends the last register of the block to a whole one, with units from the end of the move before it. A whole register is
    /// written by one store, a shorter one by several.
    ///
    /// For example, the last two moves write 30 and 2 units, and a register has 8 units. Then the last register takes 6 units from the move
    /// before it. That move keeps 24 units.
    fn widen_last(&mut self) {
        let missing = self.most.saturating_sub(self.units);
        let bytes = missing * self.unit;
        let Some(&last) = self.program.moves.last() else { return };
        if self.units == 0 || missing == 0 || self.most * self.unit < self.lanes.window {
            return;
        }
        let before: SmallVec<[Piece; 8]> = match last {
            Move::Copy { src, bytes: copied, .. } if copied > bytes => {
                let src = src + (copied - bytes) as isize;
                smallvec![Piece::run(src, self.unit, missing)]
            }
            Move::Fill { bytes: filled, .. } if filled > bytes && !self.pieces.is_empty() => SmallVec::new(),
            Move::Permute { bytes: so_far, .. } if so_far > bytes => {
                let skipped = so_far / self.unit - missing;
                self.before.iter().filter_map(|piece| piece.after(skipped)).collect()
            }
            _ => return,
        };
        let (windows, pieces) = (self.windows, self.pieces.len());
        for piece in &mut self.pieces {
            piece.at += missing;
        }
        let fits = before.iter().all(|piece| self.add(piece));
        if !fits {
            self.windows = windows;
            self.pieces.truncate(pieces);
            for piece in &mut self.pieces {
                piece.at -= missing;
            }
            return;
        }
        self.units = self.most;
        self.dst -= bytes;
        let Program { moves, tables, .. } = &mut *self.program;
        if let Some(Move::Permute { windows, step, table, dst, bytes, count: count @ 2.. }) = moves.last_mut()
        {
            // If the move before has several registers, only its last register becomes shorter. That register therefore becomes a
            // move of its own. The new move needs its own tables, because later steps change the tables of a move.
            *count -= 1;
            let far = *count as isize * *step;
            let windows = windows.map(|window| Window { src: window.src + far, ..window });
            let (of_all, own) = (*table, tables.len());
            let dst = *dst + *count * *bytes;
            let one = Move::Permute { windows, step: 0, table: own, dst, bytes: *bytes, count: 1 };
            for number in 0..1 + usize::from(windows[1].bytes > 0) {
                tables.push(tables[of_all + number]);
            }
            moves.push(one);
        }
        if let Some(
            Move::Copy { bytes: last, .. }
            | Move::Fill { bytes: last, .. }
            | Move::Permute { bytes: last, .. },
        ) = moves.last_mut()
        {
            *last -= bytes;
        }
    }
}

impl Program<'_> {
    /// Replaces short copies at both ends of a row by permutations. An end is everything before or after the longest copy. The
    /// function does so only if each end then has few enough registers for [`run_bordered`](super::run_bordered), which writes
    /// such rows faster.
    ///
    /// If registers are shorter than a cache line, the function also replaces units that are copied one by one without a gap. Zen
    /// 3, mirrored rows of 16 pixels: with permutations, they take half as long.
    pub(super) fn permute_ends(&mut self, Lanes { window, grain, .. }: Lanes) {
        let copied = |next: &Move| if let Move::Copy { bytes, .. } = *next { bytes } else { 0 };
        let Some(body) = (0..self.moves.len()).max_by_key(|&i| copied(&self.moves[i])) else { return };
        // For a move that can become a permutation: the source of its first register, the step between registers, the output
        // offset, the bytes per register, and the number of registers.
        let end = |next: &Move| match *next {
            Move::Copy { src, dst, bytes } if bytes < window && bytes % grain == 0 => {
                Some((src, 0, dst, bytes, 1))
            }
            Move::Interleave(Bodies { src, step, body, dst, gap: 0, count })
                if window < LINE && grain > 1 && body <= window && body % grain == 0 =>
            {
                Some((src, step, dst, body, count))
            }
            _ => None,
        };
        let registers = |next: &Move| {
            let permuted = next.permutation().map(|(.., count)| count);
            permuted.or_else(|| end(next).map(|(.., count)| count))
        };
        let is_border = |border: &[Move]| {
            let all =
                border.iter().try_fold(0, |all: usize, next| Some(all.saturating_add(registers(next)?)));
            all.is_some_and(|all| if window == LINE { border.len() <= 1 } else { all <= BORDER_REGISTERS })
        };
        if !is_border(&self.moves[..body]) || !is_border(&self.moves[body + 1..]) {
            return;
        }
        for (i, next) in self.moves.iter_mut().enumerate() {
            let Some((src, step, dst, bytes, count)) = end(next).filter(|_| i != body) else { continue };
            let mut indices = Table::NOTHING;
            let piece = Piece::run(src, grain, bytes / grain);
            piece.index(&mut indices.0, src, grain, grain);
            let (table, none) = (self.tables.len(), Window { src, bytes: 0 });
            self.tables.push(indices);
            let windows = [Window { src, bytes }, none];
            *next = Move::Permute { windows, step, table, dst, bytes, count };
        }
    }

    /// Moves the windows of a permutation to lower addresses, so that they end within the source bytes that the program needs. Then it
    /// replaces the permutation by a simpler move, if the permutation writes one whole register.
    pub(super) fn complete(&mut self, number: usize, lanes: Lanes) {
        let Move::Permute { mut windows, step, table, dst, bytes, count } = self.moves[number] else {
            return;
        };
        let far = (count - 1) as isize * step;
        let two = windows[1].bytes > 0;
        for (which, window) in windows.iter_mut().enumerate().take(1 + usize::from(two)) {
            // The offset fits an `isize`, but the end of the register may not.
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

impl Table {
    /// Changes the indices so that they fit a window that begins `by` bytes earlier.
    pub(super) fn shift(&mut self, by: usize, grain: usize) {
        for index in self.0.chunks_exact_mut(grain) {
            // An index whose top bit is set takes fill, so it does not change.
            if index[grain - 1] & 0x80 == 0 {
                index[0] += (by / grain) as u8;
            }
        }
    }
}
