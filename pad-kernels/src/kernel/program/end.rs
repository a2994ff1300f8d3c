//! Completes a packed program. The last register of a block becomes a whole one, and windows move so that they end within the needed
//! source bytes.

use super::pack::Packer;
use super::{Bodies, Draft, Lanes, Merging, Move, Permutation, Table, Window};
use crate::kernel::simd::LINE;

impl Packer<'_> {
    /// Completes the program.
    pub(super) fn finish(&mut self) {
        self.flush();
        let draft = &mut *self.draft;
        draft.len = self.dst;
        if draft.src_start > draft.src_end {
            // The program only writes fill.
            (draft.src_start, draft.src_end) = (0, 0);
        }
        draft.src_over = draft.src_end;
        draft.end_whole(self.lanes, self.unit);
        for i in 0..draft.moves.len() {
            draft.move_windows(i, self.lanes);
        }
        draft.join(self.lanes);
    }
}

impl Draft {
    /// If the last register of the block has fewer bytes than a window, replaces it by a permutation that writes a whole register. The
    /// moves before it become shorter. One store writes a whole register, but a shorter one needs several stores.
    ///
    /// For example, the last two moves write 30 and 2 units, and a register has 8 units. Then the first move keeps 24 units,
    /// and the new register takes 8 units.
    fn end_whole(&mut self, lanes: Lanes, unit: usize) {
        let (window, grain) = (lanes.window, lanes.grain);
        // The new register consists of parts of equal size. A part is a unit if a whole number of units fills a register, or else a
        // grain.
        let part = if window.is_multiple_of(unit) { unit } else { grain };
        match self.moves.last() {
            Some(
                Move::Permute(Permutation { bytes, .. })
                | Move::Fill { bytes, .. }
                | Move::Copy { bytes, .. },
            ) if *bytes < window && self.len >= window => {}
            _ => return,
        }
        let start = self.len - window;
        let Some(first) = self.moves.iter().position(|next| next.end() > start) else { return };
        // The source offset of each part of the new register, or `None` for fill.
        let mut from = [None; LINE];
        let from = &mut from[..window / part];
        let mut number = first;
        for (i, from) in from.iter_mut().enumerate() {
            let at = start + i * part;
            while self.moves[number].end() <= at {
                number += 1;
            }
            let Some(origin) = self.origin(&self.moves[number], at, grain) else { return };
            *from = origin;
        }
        // Fill must begin with a whole element, and a unit consists of whole elements.
        if !window.is_multiple_of(unit) && from.contains(&None) {
            return;
        }
        let Some(windows) = windows(from, part, lanes) else { return };
        self.shorten(first, start);
        let table = self.tables.len();
        for window in windows.iter().filter(|window| window.bytes > 0) {
            let mut indices = Table::NOTHING;
            let ends = window.src..=window.src + (window.bytes - part) as isize;
            for (i, &from) in from.iter().enumerate() {
                if let Some(from) = from.filter(|from| ends.contains(from)) {
                    indices.set(i * part, (from - window.src) as usize, part, grain);
                }
            }
            self.tables.push(indices);
        }
        self.moves.push(Move::one_register(windows, table, start, window));
    }

    /// Returns the source offset of the grain that a move writes to output offset `at`, or `Some(None)` for fill. Returns
    /// `None` if the move is not a copy, a fill or a permutation.
    fn origin(&self, next: &Move, at: usize, grain: usize) -> Option<Option<isize>> {
        match *next {
            Move::Copy { src, dst, .. } => Some(Some(src + (at - dst) as isize)),
            Move::Fill { .. } => Some(None),
            Move::Permute(Permutation { windows, step, table, dst, bytes, .. }) => {
                let (register, at) = ((at - dst) / bytes, (at - dst) % bytes);
                let origin = windows.iter().enumerate().filter(|(_, window)| window.bytes > 0).find_map(
                    |(which, window)| {
                        let index = &self.tables[table + which].0[at..at + grain];
                        let inside = (usize::from(index[0]) * grain) as isize;
                        // An index that takes fill is no source offset, so the sum could overflow.
                        (index[grain - 1] & 0x80 == 0).then(|| window.src + register as isize * step + inside)
                    },
                );
                Some(origin)
            }
            _ => None,
        }
    }

    /// Removes all output from offset `end` on. This offset lies in move `number`, which is a copy, a fill or a permutation.
    fn shorten(&mut self, number: usize, end: usize) {
        let mut next = self.moves[number];
        let mut part = None;
        match &mut next {
            Move::Copy { dst, bytes, .. } | Move::Fill { dst, bytes } => *bytes = end.saturating_sub(*dst),
            &mut Move::Permute(Permutation { windows, step, table, dst, bytes, ref mut count }) => {
                let kept = end.saturating_sub(dst);
                *count = kept / bytes;
                if kept % bytes > 0 {
                    // The shortened register becomes a move of its own. It gets its own tables, because later steps change the
                    // tables of a move.
                    let far = *count as isize * step;
                    let windows = windows.map(|window| Window { src: window.src + far, ..window });
                    let own = self.tables.len();
                    let (dst, bytes) = (dst + kept / bytes * bytes, kept % bytes);
                    part = Some(Move::one_register(windows, own, dst, bytes));
                    for which in 0..1 + usize::from(windows[1].bytes > 0) {
                        self.tables.push(self.tables[table + which]);
                    }
                }
            }
            _ => {}
        }
        self.moves.truncate(number);
        for next in [Some(next), part].into_iter().flatten().filter(|next| next.end() > next.begin()) {
            self.moves.push(next);
        }
    }

    /// Replaces the two permutations before the last move by one, if their bytes fit one register and their sources fit one window.
    /// Usually the first one writes a border, and the second one the rest of a copy that [`end_whole`](Self::end_whole) shortened.
    fn join(&mut self, Lanes { window, grain, .. }: Lanes) {
        let [.., Move::Permute(Permutation { windows: [first, none], table, bytes, count: 1, .. }), other, _] =
            &mut self.moves[..]
        else {
            return;
        };
        let Move::Permute(Permutation { windows: [next, no], table: from, bytes: more, count: 1, .. }) =
            *other
        else {
            return;
        };
        let low = first.src.min(next.src);
        let end = (first.src + first.bytes as isize).max(next.src + next.bytes as isize);
        let by = [first.src - low, next.src - low].map(|by| by as usize);
        let is_one = end - low <= window as isize && by.iter().all(|by| by % grain == 0);
        if !is_one || *bytes + more > window || none.bytes + no.bytes > 0 {
            return;
        }
        let mut indices = self.tables[from];
        indices.shift(by[1], grain);
        self.tables[*table].shift(by[0], grain);
        self.tables[*table].0[*bytes..*bytes + more].copy_from_slice(&indices.0[..more]);
        *first = Window { src: low, bytes: (end - low) as usize };
        *bytes += more;
        self.moves.remove(self.moves.len() - 2);
    }

    /// Moves the windows of a permutation to lower addresses, so that they end within the source bytes that the program needs.
    /// A copy that is shorter than a register first becomes a permutation, because one store of a whole register is faster.
    fn move_windows(&mut self, number: usize, lanes: Lanes) {
        if let Move::Copy { src, dst, bytes } = self.moves[number]
            && bytes < lanes.window
            && bytes.is_multiple_of(lanes.grain)
            && dst + lanes.window <= self.len
        {
            let mut indices = Table::NOTHING;
            indices.set(0, 0, bytes, lanes.grain);
            let (table, windows) = (self.tables.len(), [bytes, 0].map(|bytes| Window { src, bytes }));
            self.tables.push(indices);
            self.moves[number] = Move::one_register(windows, table, dst, bytes);
        }
        let (src_start, src_end) = (self.src_start, self.src_end);
        let Move::Permute(Permutation { windows, step, table, count, .. }) = &mut self.moves[number] else {
            return;
        };
        let far = (*count - 1) as isize * *step;
        for (which, window) in windows.iter_mut().enumerate().filter(|(_, window)| window.bytes > 0) {
            // The offset fits an `isize`, but the end of the register may not.
            let end = (window.src + far.max(0)).saturating_add(lanes.window as isize);
            let over = (end - src_end).max(0);
            if over > 0 && window.src + far.min(0) - over >= src_start && over % lanes.grain as isize == 0 {
                window.src -= over;
                window.bytes += over as usize;
                self.tables[*table + which].shift(over as usize, lanes.grain);
            }
            let end = (window.src + far.max(0)).saturating_add(lanes.window as isize);
            self.src_over = self.src_over.max(end);
        }
    }
}

/// Returns one or two windows that contain all parts of a register. A part has `part` bytes. `from` holds the source offset of each
/// part, or `None` for fill. Returns `None` if there are no such windows, or if all parts are fill.
fn windows(from: &[Option<isize>], part: usize, Lanes { window, grain, .. }: Lanes) -> Option<[Window; 2]> {
    let (room, part) = (window as isize, part as isize);
    let mut windows = [Window { src: 0, bytes: 0 }; 2];
    // One more than the highest source offset of a part so far.
    let mut done = isize::MIN;
    for window in &mut windows {
        let left = || from.iter().flatten().copied().filter(|&from| from >= done);
        let Some(low) = left().min() else { break };
        let fits = |from: isize| from - low <= room - part;
        if left().any(|from| fits(from) && (from - low) % grain as isize != 0) {
            return None;
        }
        let end = left().filter(|&from| fits(from)).max()? + part;
        *window = Window { src: low, bytes: (end - low) as usize };
        done = end - part + 1;
    }
    let is_all = from.iter().flatten().all(|&from| from < done);
    (is_all && windows[0].bytes > 0).then_some(windows)
}

impl Move {
    /// Returns the output offset of the first byte of a move.
    fn begin(&self) -> usize {
        match *self {
            Move::Copy { dst, .. }
            | Move::Fill { dst, .. }
            | Move::Permute(Permutation { dst, .. })
            | Move::Interleave(Bodies { dst, .. })
            | Move::Merge(Merging { dst, .. })
            | Move::Again { dst, .. } => dst,
        }
    }

    /// Returns the output offset of the first byte after a move.
    fn end(&self) -> usize {
        self.begin()
            + match *self {
                Move::Copy { bytes, .. } | Move::Fill { bytes, .. } | Move::Again { bytes, .. } => bytes,
                Move::Permute(Permutation { bytes, count, .. })
                | Move::Merge(Merging { bytes, count, .. }) => bytes * count,
                Move::Interleave(Bodies { body, gap, count, .. }) => count * (body + gap) - gap,
            }
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
