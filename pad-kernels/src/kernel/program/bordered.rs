//! Writes rows with permuted borders. A row consists of a permutation, at most one copy, and another permutation. A fill of at most
//! one register may replace a permutation. A block is one row, or a plane of such rows.

use alloc::vec::Vec;

use super::moves::{Batch, Run};
use super::permute::Picked;
use super::{Draft, Lanes, Move, Permutation, Program, Table, Window};
use crate::kernel::memory::{Fetch, get, put};
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

/// Rows with permuted borders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bordered {
    /// The windows, the index of the table and the output offset of each permutation. For fill, both windows have 0 bytes, and the
    /// table is not used.
    ends: [([Window; 2], usize, usize); 2],
    /// The offset of the copy in the source, its offset in the output, and its length. Without a copy, the length is 0.
    copy: (isize, usize, usize),
    /// The rows of a plane, or nothing if a block is one row.
    runs: Vec<Run>,
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
            [first, last] => (first, (0, 0, 0), last),
            [first, Move::Copy { src, dst, bytes }, last] => (first, (src, dst, bytes), last),
            _ => return None,
        };
        if window == 0 || (1..window).contains(&copy.2) || copy.2 > MOST_COPIED {
            return None;
        }
        let (len, start, same) = (draft.len, draft.src_start, draft.tables.len());
        // The stores of whole registers must not exceed the row.
        let whole = |dst: usize| dst + window <= len;
        let nothing = Window { src: start, bytes: 0 };
        let end = |next, at: usize| match next {
            Move::Permute(Permutation { windows, table, dst, count: 1, .. }) if whole(dst) => {
                Some((windows, table, dst))
            }
            Move::Fill { dst, bytes } if whole(dst) && bytes <= window => Some(([nothing; 2], 0, dst)),
            Move::Copy { src, dst, bytes } if (src, dst, bytes) == copy => {
                Some(([Window { src: src + at as isize, bytes: window }, nothing], same, dst + at))
            }
            _ => None,
        };
        let ends = [end(first, 0)?, end(last, copy.2.saturating_sub(window))?];
        if ends.iter().any(|&(_, table, _)| table == same) {
            let mut table = Table::NOTHING;
            table.set(0, 0, window, grain);
            draft.tables.push(table);
        }
        Some(Bordered { ends, copy, runs: Vec::new() })
    }

    /// Joins the rows to planes. A plane has the rows of the axis `around` them, whose segments are few. Returns the source offsets of
    /// the first and the last row that a plane reads. Returns `None` and changes nothing if fill lies around or between its rows.
    pub(super) fn set_planes(&mut self, around: &Axis, segments: &Segments) -> Option<[isize; 2]> {
        let (mut dst, mut ends, mut runs) = (0, [isize::MAX, isize::MIN], Vec::new());
        for segment in segments.expanded() {
            let Segment::Source { from, step, count, gap } = segment else { return None };
            if gap > 0 && count > 1 {
                return None;
            }
            let (src, step, pitch) = (from * around.src_stride, step * around.src_stride, around.dst_stride);
            runs.push(Run { src, step, dst, pitch, count });
            dst += count as isize * pitch;
            let last = src + (count as isize - 1) * step;
            ends = [ends[0].min(src).min(last), ends[1].max(src).max(last)];
        }
        self.runs = runs;
        Some(ends)
    }

    /// Tells whether a block is a plane.
    #[inline(always)]
    pub(super) fn are_planes(&self) -> bool {
        !self.runs.is_empty()
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
        let two = self.ends.iter().any(|(windows, ..)| windows[1].bytes > 0);
        // SAFETY: the caller keeps the contract. The `match` takes the arm with the number of registers of the copy.
        unsafe {
            let [first, last] = &self.ends;
            let of = |(windows, table, _): &_| Picked::<P>::new(sheet, program, windows, *table);
            let picked = [of(first), of(last)];
            seq_macro::seq!(N in 0..=8 {
                const { assert!(REGISTERS == 8) };
                match (self.copy.2.div_ceil(P::BYTES), two) {
                    #((N, false) => self.rows::<P, N, false>(sheet, &picked, blocks),)*
                    #((N, true) => self.rows::<P, N, true>(sheet, &picked, blocks),)*
                    (_, false) => self.rows::<P, MORE, false>(sheet, &picked, blocks),
                    (_, true) => self.rows::<P, MORE, true>(sheet, &picked, blocks),
                }
            });
        }
    }

    /// Writes rows whose copy has `N` registers, or [`MORE`]. The last of these registers ends with the copy.
    ///
    /// # Safety
    ///
    /// - The contract of [`run`](Self::run) holds. Without `TWO`, no permutation has a second window.
    #[inline(always)]
    unsafe fn rows<P: Permute, const N: usize, const TWO: bool>(
        &self,
        sheet: &Sheet<'_>,
        [first, last]: &[Picked<P>; 2],
        blocks: &Batch,
    ) {
        let Bordered { ends: [(low, _, begin), (high, _, end)], copy: (from, to, bytes), ref runs } = *self;
        let fetch = sheet.fetch::<P::Register>();
        let Batch { step, pitch, count, .. } = *blocks;
        // If a block is one row, all blocks are one run.
        let all = [Run { src: 0, step, dst: 0, pitch, count }];
        let (planes, runs) = match runs[..] {
            [] => (Batch { count: 1, ..*blocks }, &all[..]),
            ref runs => (*blocks, runs),
        };
        // SAFETY: the caller keeps the contract. A copy is at least as long as a register. The stores of a row ascend, so each
        // overwrites the bytes by which the one before it exceeds its end.
        unsafe {
            for (src, dst) in planes.places(0, 0) {
                for run in runs {
                    for (src, dst) in run.at(src, dst).places(0, 0) {
                        fetch.output(dst.add(begin));
                        put(dst.add(begin), first.of::<true, TWO>(src.wrapping_offset(low[0].src)));
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
                        fetch.output(dst.add(end));
                        put(dst.add(end), last.of::<true, TWO>(src.wrapping_offset(high[0].src)));
                    }
                }
            }
        }
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
