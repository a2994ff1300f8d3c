//! Writes rows with permuted borders. A row consists of a permutation, at most one copy, and another permutation. A fill of at most
//! one register may replace a permutation. A block is one row, or a plane of such rows.
//!
//! Dilated rows have interior padding. They consist of several permutations and fills, and no copy. They are always in planes.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::moves::{Batch, Run};
use super::permute::Picked;
use super::{Draft, Lanes, Move, Permutation, Program, Table, Window};
use crate::kernel::memory::{Fetch, fill_exact, get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::Permute;
use crate::plan::axis::Axis;
use crate::plan::form::{Segment, Segments};

/// The maximum number of registers in a copy that is unrolled. A longer copy is a loop.
const REGISTERS: usize = 8;

/// The number of registers in one iteration of that loop.
const MANY: usize = 4;

/// The maximum length of a copy in bytes. Rows with a longer copy are written move by move, with aligned stores. The calls for the
/// moves take little time beside so long a copy. Zen 3, one row of 360 KB: a loop over registers takes 1.3 times as long.
const MOST_COPIED: usize = 4096;

/// The number that stands for more than [`REGISTERS`].
const MORE: usize = REGISTERS + 1;

/// The number that stands for dilated rows.
const DILATED: usize = REGISTERS + 2;

/// The maximum number of moves in a dilated row. Their operands are on the stack while the rows are written.
const MOST_MOVES: usize = 8;

/// Rows with permuted borders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bordered {
    /// The permutations of a row: one at each end, or all of a dilated row.
    moves: SmallVec<[Permutation; 2]>,
    is_dilated: bool,
    /// The offset of the copy in the source, its offset in the output, and its length. Without a copy, the length is 0.
    copy: (isize, usize, usize),
    /// The rows of a plane, or nothing if a block is one row.
    plane: Vec<Rows>,
    /// The number of bytes of fill at the end of a plane.
    after: usize,
}

/// Equally spaced rows. Before each, there are `before` bytes of fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rows {
    before: usize,
    run: Run,
}

impl Bordered {
    /// Returns the rows of a complete draft, or `None` if its blocks are not such rows.
    ///
    /// If one side of a row has no border, a permutation copies the register at this end of the copy. The draft then gets a table
    /// for it.
    #[inline(always)]
    pub(super) fn of(draft: &mut Draft, Lanes { window, grain, .. }: Lanes) -> Option<Bordered> {
        let (first, copy, last) = match draft.moves[..] {
            [first @ Move::Copy { src, dst, bytes }, last] => (first, (src, dst, bytes), last),
            [first, last @ Move::Copy { src, dst, bytes }] => (first, (src, dst, bytes), last),
            [first, Move::Copy { src, dst, bytes }, last] => (first, (src, dst, bytes), last),
            [first, last] => (first, (0, 0, 0), last),
            _ => return None,
        };
        if window == 0 || (1..window).contains(&copy.2) || copy.2 > MOST_COPIED {
            return None;
        }
        let (len, start, same) = (draft.len, draft.src_start, draft.tables.len());
        let end = |next: Move, at: usize| match next {
            Move::Copy { src, dst, bytes } if (src, dst, bytes) == copy => {
                let windows = [window, 0].map(|bytes| Window { src: src + at as isize, bytes });
                Some(Permutation { windows, step: 0, table: same, dst: dst + at, bytes: window, count: 1 })
            }
            next => next.registers(start, window, len).filter(|next| next.count == 1),
        };
        let moves = SmallVec::from([end(first, 0)?, end(last, copy.2.saturating_sub(window))?]);
        if moves.iter().any(|next| next.table == same) {
            let mut table = Table::NOTHING;
            table.set(0, 0, window, grain);
            draft.tables.push(table);
        }
        Some(Bordered { moves, is_dilated: false, copy, plane: Vec::new(), after: 0 })
    }

    /// Returns the dilated rows of a program, or `None` if it has other moves than a few permutations and fills.
    pub(super) fn dilated(program: &Program) -> Option<Bordered> {
        let Program { moves: ref all, window, src_start, len, .. } = *program;
        if window == 0 || !(2..=MOST_MOVES).contains(&all.len()) {
            return None;
        }
        let moves = all.iter().map(|next| next.registers(src_start, window, len)).collect::<Option<_>>()?;
        Some(Bordered { moves, is_dilated: true, copy: (0, 0, 0), plane: Vec::new(), after: 0 })
    }

    /// Joins the rows to planes. A plane has the rows of the axis `around` them, whose segments are few. Returns the source offsets of
    /// the first and the last row that a plane reads. Returns `None` and changes nothing if fill lies around or between bordered rows.
    pub(super) fn set_planes(&mut self, around: &Axis, segments: &Segments) -> Option<[isize; 2]> {
        let (mut dst, mut ends, mut plane, mut before) = (0, [isize::MAX, isize::MIN], Vec::new(), 0);
        let stride = around.dst_stride as usize;
        for segment in segments.expanded() {
            let (from, step, count, gap) = match segment {
                Segment::Source { from, step, count, gap } => (from, step, count, gap * stride),
                Segment::Fill { count } | Segment::Again { count, .. } => {
                    before += count * stride;
                    continue;
                }
            };
            let (src, step) = (from * around.src_stride, step * around.src_stride);
            let far = |rows: usize| src + rows as isize * step;
            // The fill before the first row of a segment differs from the fill before the other rows.
            let first = if before == gap { count } else { 1 };
            for (src, count, before) in [(src, first, before), (far(first), count - first, gap)] {
                let pitch = (before + stride) as isize;
                let run = Run { src, step, dst: dst + before as isize, pitch, count };
                plane.push(Rows { before, run });
                dst += count as isize * pitch;
            }
            before = 0;
            ends = [ends[0].min(src).min(far(count - 1)), ends[1].max(src).max(far(count - 1))];
        }
        plane.retain(|rows| rows.run.count > 0);
        let has_fill = before > 0 || plane.iter().any(|rows| rows.before > 0);
        if plane.is_empty() || has_fill && !self.is_dilated {
            return None;
        }
        (self.plane, self.after) = (plane, before);
        Some(ends)
    }

    /// Tells whether a block is a plane.
    #[inline(always)]
    pub(super) fn are_planes(&self) -> bool {
        !self.plane.is_empty()
    }

    /// Writes blocks row by row. The addresses of all stores then ascend. If each move ran for all blocks, they would ascend once for
    /// each move.
    ///
    /// Zen 4, 192 stacks of planes with mirrored, repeated or wrapped borders: rows in order take 0.87 times as long with AVX2, and
    /// 0.9 times with AVX-512. Zen 3, 24 planes of 26 by 26 floats with borders of 3: planes take 0.5 times as long as runs of
    /// rows, and 0.3 times as long as programs of whole planes, whose pitch of 4 KiB puts all blocks into one set of the cache.
    ///
    /// # Safety
    ///
    /// - The contract of [`run_batch`](super::run_batch) holds for the program of these rows. Whole registers are readable at its
    ///   windows. `P` is the type of its permutations.
    #[inline(always)]
    pub(super) unsafe fn run<P: Permute>(&self, sheet: &Sheet<'_>, program: &Program, blocks: &Batch) {
        let two = self.moves.iter().any(|next| next.windows[1].bytes > 0);
        // SAFETY: the caller keeps the contract. The `match` takes the arm with the number of registers of the copy.
        unsafe {
            let of = |next: &Permutation| (Picked::new(sheet, program, &next.windows, next.table), *next);
            if self.is_dilated {
                let mut moves = SmallVec::<[_; MOST_MOVES]>::new();
                for next in &self.moves {
                    moves.push(of(next));
                }
                return if two {
                    self.rows::<P, DILATED, true>(sheet, &moves, blocks)
                } else {
                    self.rows::<P, DILATED, false>(sheet, &moves, blocks)
                };
            }
            let [first, last] = &self.moves[..] else { return };
            let ends = [of(first), of(last)];
            seq_macro::seq!(N in 0..=8 {
                const { assert!(REGISTERS == 8) };
                match (self.copy.2.div_ceil(P::BYTES), two) {
                    #((N, false) => self.rows::<P, N, false>(sheet, &ends, blocks),)*
                    #((N, true) => self.rows::<P, N, true>(sheet, &ends, blocks),)*
                    (_, false) => self.rows::<P, MORE, false>(sheet, &ends, blocks),
                    (_, true) => self.rows::<P, MORE, true>(sheet, &ends, blocks),
                }
            });
        }
    }

    /// Writes rows whose copy has `N` registers, or [`MORE`]. The last of these registers ends with the copy. If `N` is [`DILATED`], the
    /// rows are dilated. `moves` are the permutations of a row.
    ///
    /// # Safety
    ///
    /// - The contract of [`run`](Self::run) holds. Without `TWO`, no permutation has a second window.
    #[inline(always)]
    unsafe fn rows<P: Permute, const N: usize, const TWO: bool>(
        &self,
        sheet: &Sheet<'_>,
        moves: &[(Picked<P>, Permutation)],
        blocks: &Batch,
    ) {
        let [(first, low), .., (last, high)] = moves else { return };
        let Bordered { copy: (from, to, bytes), ref plane, after, .. } = *self;
        let fetch = sheet.fetch::<P::Register>();
        let Batch { step, pitch, count, .. } = *blocks;
        // If a block is one row, all blocks are one run.
        let all = [Rows { before: 0, run: Run { src: 0, step, dst: 0, pitch, count } }];
        let (planes, plane) = match plane[..] {
            [] => (Batch { count: 1, ..*blocks }, &all[..]),
            ref plane => (*blocks, plane),
        };
        // SAFETY: the caller keeps the contract. A row is at least as long as a register. The stores of a row ascend, so each
        // overwrites the bytes by which the one before it exceeds its end. A row also overwrites those of the fill before it.
        unsafe {
            let fill = get::<P::Register>(sheet.fill.block().as_ptr());
            for (src, dst) in planes.places(0, 0) {
                let mut end = dst;
                for &Rows { before, run } in plane {
                    let (rows, filled) = (run.at(src, dst), if sheet.filled { 0 } else { before });
                    end = rows.end().wrapping_sub(before);
                    for (src, dst) in rows.places(0, 0) {
                        if N == DILATED {
                            // If the output contains the fill already, this loop ends at once.
                            let (fill_start, mut at) = (dst.wrapping_sub(before), before - filled);
                            while at < before {
                                fetch.output(fill_start.add(at));
                                put(fill_start.add(at), fill);
                                at += P::BYTES;
                            }
                            for (picked, next) in moves {
                                let (mut src, mut dst) =
                                    (src.wrapping_offset(next.windows[0].src), dst.add(next.dst));
                                // Most moves have one register, so the count is tested after the store.
                                let mut left = next.count;
                                loop {
                                    fetch.output(dst);
                                    put(dst, picked.of::<true, TWO>(src));
                                    left -= 1;
                                    if left == 0 {
                                        break;
                                    }
                                    (src, dst) =
                                        (src.wrapping_offset(next.step), dst.wrapping_add(next.bytes));
                                }
                            }
                            continue;
                        }
                        fetch.output(dst.add(low.dst));
                        put(dst.add(low.dst), first.of::<true, TWO>(src.wrapping_offset(low.windows[0].src)));
                        let (from, to) = (src.wrapping_offset(from), dst.add(to));
                        let mut at = 0;
                        if N == MORE {
                            let last = bytes - MANY * P::BYTES;
                            while at < last {
                                for i in 0..MANY {
                                    let at = at + i * P::BYTES;
                                    copy_register::<P>(fetch, from.add(at), to.add(at));
                                }
                                at += MANY * P::BYTES;
                            }
                            // The last registers may overlap those before them.
                            at = last;
                        }
                        for i in 1..if N == MORE { MANY } else { N } {
                            let at = at + (i - 1) * P::BYTES;
                            copy_register::<P>(fetch, from.add(at), to.add(at));
                        }
                        if N > 0 {
                            let at = bytes - P::BYTES;
                            copy_register::<P>(fetch, from.add(at), to.add(at));
                        }
                        fetch.output(dst.add(high.dst));
                        put(
                            dst.add(high.dst),
                            last.of::<true, TWO>(src.wrapping_offset(high.windows[0].src)),
                        );
                    }
                }
                if after > 0 && !sheet.filled {
                    fill_exact(sheet.fill, end, after);
                }
            }
        }
    }
}

impl Move {
    /// Returns the permutation that writes this move in a row of `len` bytes. Fill becomes a permutation whose windows, at source
    /// offset `start`, have no bytes. Returns `None` for other moves, and if a store of `window` bytes would exceed the row.
    fn registers(&self, start: isize, window: usize, len: usize) -> Option<Permutation> {
        let next = match *self {
            Move::Permute(next) => next,
            Move::Fill { dst, bytes } => {
                let (windows, count) = ([Window { src: start, bytes: 0 }; 2], bytes.div_ceil(window));
                Permutation { windows, step: 0, table: 0, dst, bytes: window, count }
            }
            _ => return None,
        };
        (next.dst + (next.count - 1) * next.bytes + window <= len).then_some(next)
    }
}

/// Copies one register.
///
/// # Safety
///
/// - The machine has the instruction set. A register is readable at `src` and writable at `dst`.
#[inline(always)]
unsafe fn copy_register<P: Permute>(fetch: Fetch, src: *const u8, dst: *mut u8) {
    fetch.output(dst);
    // SAFETY: the caller keeps the contract.
    unsafe { put(dst, get::<P::Register>(src)) }
}
