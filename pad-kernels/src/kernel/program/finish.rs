//! What is left to be done when all of a program is packed: the tables of its permutations, and which of them are frequent moves.

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
            // Fill alone.
            (program.src_start, program.src_end) = (0, 0);
        }
        program.src_over = program.src_end;
        program.permute_ends(self.lanes);
        for i in 0..program.moves.len() {
            program.complete(i, self.lanes);
        }
        program.src_rows = program.read_by_rows();
    }

    /// Makes the last register of the block a whole one, of what the move before it ends with too: it is written at once, and not
    /// in parts.
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
            // Of several only the last one ends before. It has tables of its own, as those of a move are shifted with its windows.
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
    /// Makes copies of less than a register on either side of a longer one permutations, and single units next to each other where these are
    /// an instruction or two, if all there is can be: such rows are written in one go. Of registers of 32 bytes borders of several moves are,
    /// too: 10 planes of 11 rows of 16 pixels of three floats, of which an odd number is mirrored, took half of the time so (Zen 3, AVX2).
    pub(super) fn permute_ends(&mut self, Lanes { window, grain, .. }: Lanes) {
        let copied = |next: &Move| if let Move::Copy { bytes, .. } = *next { bytes } else { 0 };
        let Some(body) = (0..self.moves.len()).max_by_key(|&i| copied(&self.moves[i])) else { return };
        // What is copied, from one to the next, and how many.
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

impl Table {
    /// Moves the indices to a window that begins `by` bytes before.
    pub(super) fn shift(&mut self, by: usize, grain: usize) {
        for index in self.0.chunks_exact_mut(grain) {
            // The top bit of the last byte says that there is none.
            if index[grain - 1] & 0x80 == 0 {
                index[0] += (by / grain) as u8;
            }
        }
    }
}
