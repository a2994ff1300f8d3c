//! Packs and runs moves that merge several windows into one register. The loads of these windows are masked, so they read only the
//! bytes that the output needs.
//!
//! Merges serve two kinds of inputs: units with a constant stride, such as every second column, and pixels whose channels are far
//! apart in memory.

use super::moves::Batch;
use super::pack::Packer;
use super::piece::Piece;
use super::{Lanes, Merging, Move, Program, Shells, Table};
use crate::kernel::memory::{get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::Permute;
use crate::plan::axis::Axis;
use crate::plan::form::Segment;

/// The maximum number of windows that one register is merged from.
const MOST_WINDOWS: usize = 8;

/// A run whose registers need at most this number of windows is not merged, if all bytes of the windows are readable. Each
/// register is permuted from up to two windows instead. Zen 4, rows of 64 bytes: with three channels, merging takes 1.4 times as
/// long as permuting. With four channels, it takes 0.7 times as long.
const PERMUTED: usize = 3;

/// The maximum number of rows in a segment that repeats one row, or that has fill between its rows. Rows with a longer such
/// segment are not merged, because packing them one by one would need too many moves.
const MOST_ONE_BY_ONE: usize = 8;

/// Describes how one register is merged from its windows.
#[derive(Clone, Copy)]
pub(super) struct Merge {
    /// The number of units in the register.
    units: usize,
    windows: usize,
    /// The distance in bytes from one window to the next in the source.
    across: isize,
    /// The distance in units between the first units of consecutive windows, in the register.
    ahead: usize,
    /// The maximum number of units in a window. Two such units are `stride` bytes apart in the source and `pitch` units apart in
    /// the register.
    each: usize,
    stride: isize,
    pitch: usize,
    /// The distance in bytes from one register to the next in the source.
    step: isize,
}

impl Merge {
    /// Returns the merge of units that are `stride` bytes apart in the source and adjacent in the output. Returns `None` if
    /// merging is not worth it.
    pub(super) fn of_run(lanes: Lanes, unit: usize, stride: isize) -> Option<Merge> {
        let units = lanes.merged / unit;
        if stride.unsigned_abs() <= unit || stride % lanes.grain as isize != 0 {
            return None;
        }
        let each = (lanes.merged.checked_sub(unit)? / stride.unsigned_abs() + 1).min(units);
        let windows = units.div_ceil(each);
        let permuted = if lanes.window > 0 { PERMUTED } else { 0 };
        // With more windows, single copies of units need fewer instructions.
        let is_worth = (permuted + 1..=MOST_WINDOWS).contains(&windows) && 2 * windows <= units;
        // With a stride that is not worth merging, these products could overflow, so they are computed last.
        is_worth.then(|| {
            let (across, step) = (each as isize * stride, units as isize * stride);
            Merge { units, windows, across, ahead: each, each, stride, pitch: 1, step }
        })
    }

    /// Returns the merge of rows of a few units. The units of a row are far apart in the source, but consecutive rows are only
    /// `stride` bytes apart. Each window holds the units of one column. Returns `None` if merging is not worth it.
    pub(super) fn of_rows(lanes: Lanes, unit: usize, stride: isize, row: &Axis) -> Option<Merge> {
        let windows = row.out;
        let near = lanes.merged.checked_sub(unit)?.checked_div(stride.unsigned_abs())? + 1;
        let each = (lanes.merged / unit).checked_div(windows)?.min(near);
        let is_far = lanes.window == 0 || row.src_stride.unsigned_abs() > lanes.merged;
        let is_worth = is_far && (2..=MOST_WINDOWS).contains(&windows) && each > 1;
        if !is_worth || !row.is_identity() || stride % lanes.grain as isize != 0 {
            return None;
        }
        let (across, step) = (row.src_stride, each as isize * stride);
        Some(Merge { units: each * windows, windows, across, ahead: 1, each, stride, pitch: windows, step })
    }

    /// Returns the number of units in a register, or the number of rows if rows are merged.
    pub(super) fn along(&self) -> usize {
        self.units / self.pitch
    }

    /// Returns the merge for a shorter register, of `along` units or rows.
    fn first(self, along: usize) -> Merge {
        if self.pitch > 1 {
            return Merge { units: along * self.pitch, each: along, ..self };
        }
        Merge { units: along, windows: along.div_ceil(self.each), ..self }
    }

    /// Returns the number of units in a window.
    fn count(&self, window: usize) -> usize {
        if self.pitch > 1 { self.each } else { self.each.min(self.units - window * self.each) }
    }

    /// Returns the offset of the lowest unit of a window from its first unit. It is negative if the stride is negative.
    fn low(&self) -> isize {
        (self.each as isize - 1) * self.stride.min(0)
    }

    /// Returns a mask with one bit per byte of a window. A bit is set if the output needs the byte.
    fn mask(&self, window: usize, unit: usize) -> u64 {
        let bytes = u64::MAX >> (64 - unit);
        let place = |i: usize| i as isize * self.stride - self.low();
        (0..self.count(window)).fold(0, |mask, i| mask | bytes << place(i))
    }
}

/// Tells whether rows are merged when they are packed together with the axis around them.
pub(in crate::kernel) fn is_merged(lanes: Lanes, unit: usize, axis: &Axis, row: &Axis) -> bool {
    let is_one_by_one = |segment: &Segment| match *segment {
        Segment::Source { step, count, gap, .. } => count > MOST_ONE_BY_ONE && (step == 0 || gap > 0),
        _ => false,
    };
    let merge = Merge::of_rows(lanes, unit, axis.src_stride, row);
    merge.is_some_and(|merge| axis.out > merge.each) && !axis.segments().iter().any(is_one_by_one)
}

impl Packer<'_> {
    /// Adds moves for `count` units or rows that begin at `src`: one move for all whole registers, and one for the shorter
    /// register at the end.
    pub(super) fn merge(&mut self, merge: Merge, src: isize, count: usize) {
        self.flush();
        let (whole, rest) = (count / merge.along(), count % merge.along());
        self.push_merge(merge, src, whole);
        self.push_merge(merge.first(rest), src + whole as isize * merge.step, usize::from(rest > 0));
    }

    fn push_merge(&mut self, merge: Merge, src: isize, count: usize) {
        if count == 0 {
            return;
        }
        let Merge { windows, across, step, each, stride, pitch, ahead, units } = merge;
        let (unit, grain, dst) = (self.unit, self.lanes.grain, self.dst);
        let table = self.draft.tables.len();
        for window in 0..windows {
            let mut indices = Table::NOTHING;
            let count = merge.count(window);
            let piece = Piece { window, at: window * ahead, pitch, count, src: 0, stride };
            piece.index(&mut indices, merge.low(), unit, grain);
            self.draft.tables.push(indices);
        }
        for window in [0, windows - 1] {
            let first = src + window as isize * across;
            let far = first + (count - 1) as isize * step;
            let units = merge.count(window);
            self.reads(first, stride, units);
            self.reads(far, stride, units);
        }
        debug_assert!(units * unit <= self.lanes.merged && each > 0);
        let masks = [0, windows - 1].map(|window| merge.mask(window, unit));
        let (src, windows, bytes) = (src + merge.low(), windows as u8, units * unit);
        let next = Move::Merge(Merging { src, windows, across, step, table, masks, dst, bytes, count });
        self.push(next, count * bytes);
    }
}

/// Runs a [`Move::Merge`] for every block of a batch.
///
/// # Safety
///
/// - The contract of [`run_batch`](super::run_batch) holds for this batch, and the merge belongs to the program.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_merge<S: Shells>(
    sheet: &Sheet<'_>,
    program: &Program,
    next: &Merging,
    batch: &Batch,
) {
    // SAFETY: the caller keeps the contract, and the `match` takes the arm with the number of windows.
    unsafe {
        seq_macro::seq!(N in 1..=8 {
            const { assert!(MOST_WINDOWS == 8) };
            match next.windows {
                #(N => merge_of::<S::Wide, N>(sheet, program, next, batch),)*
                _ => unreachable!("a merge has at most {MOST_WINDOWS} windows"),
            }
        });
    }
}

/// Runs a merge of `N` windows.
///
/// # Safety
///
/// - The contract of [`run_merge`] holds.
#[inline(always)]
unsafe fn merge_of<P: Permute, const N: usize>(
    sheet: &Sheet<'_>,
    program: &Program,
    next: &Merging,
    batch: &Batch,
) {
    let Merging { src, across, step, table, masks, dst, bytes, count, .. } = *next;
    // If the fill is already written, a store must not exceed the move, because it would overwrite this fill.
    let room = if sheet.filled { count * bytes } else { program.len - dst };
    let whole = room.checked_sub(P::BYTES).map_or(0, |room| count.min(room / bytes + 1));
    let fetch = sheet.fetch::<P::Register>();
    // SAFETY: the caller keeps the contract. The program has one table per window. A whole register is stored only if it ends
    // within the room, where later stores overwrite the excess.
    unsafe {
        let tables = program.tables.as_ptr().add(table);
        let mut indices = [get::<P::Register>(tables.cast()); N];
        for (i, index) in indices.iter_mut().enumerate() {
            *index = get(tables.add(i).cast());
        }
        let merged = Merged::<P, N> { indices, across, masks };
        for (mut src, mut dst) in batch.places(src, dst) {
            for _ in 0..whole {
                fetch.output(dst);
                put(dst, merged.at(src));
                (src, dst) = (src.wrapping_offset(step), dst.wrapping_add(bytes));
            }
            for _ in whole..count {
                P::store_part(dst, merged.at(src), bytes);
                (src, dst) = (src.wrapping_offset(step), dst.wrapping_add(bytes));
            }
        }
    }
}

/// The loaded tables of a merge of `N` windows.
struct Merged<P: Permute, const N: usize> {
    indices: [P::Register; N],
    across: isize,
    /// The masks of the bytes that are read: for all windows but the last, and for the last.
    masks: [u64; 2],
}

impl<P: Permute, const N: usize> Merged<P, N> {
    /// Returns the register whose first window is at `src`.
    ///
    /// # Safety
    ///
    /// - The contract of [`run_merge`] holds.
    #[inline(always)]
    unsafe fn at(&self, mut src: *const u8) -> P::Register {
        // SAFETY: the caller keeps the contract. The masked loads read only needed bytes.
        unsafe {
            let from = P::load_taken(src, self.masks[usize::from(N == 1)]);
            let mut register = P::permute(from, from, self.indices[0]);
            for i in 1..N {
                src = src.wrapping_offset(self.across);
                let from = P::load_taken(src, self.masks[usize::from(i + 1 == N)]);
                register = P::permute(register, from, self.indices[i]);
            }
            register
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    use super::*;
    use crate::kernel::program::{Draft, Packing};
    use crate::kernel::simd::LINE;
    use crate::spec::{AxisPad, PadMode};

    /// Registers of one cache line, with masked loads.
    const LANES: Lanes = Lanes { merged: LINE, ..Lanes::NONE };

    /// Returns an axis of `length` elements without a border.
    fn axis(length: usize, stride: isize) -> Axis {
        let mode = PadMode::Constant;
        let axis = Axis::new(0, length, AxisPad::default(), mode.into(), mode.default_frame());
        Axis { src_stride: stride, ..axis.unwrap() }
    }

    /// Returns the offsets of the bytes that the merges of a program read, and the number of merges.
    fn taken(axes: &[Axis], unit: usize) -> (BTreeSet<isize>, usize) {
        let segments: Vec<_> = axes.iter().map(Axis::segments).collect();
        let mut draft = Draft::new();
        let packing = Packing { lanes: LANES, once: false };
        let segments = segments.iter().collect::<Vec<_>>();
        let program = Program::packed(&mut draft, packing, unit, axes, &segments, (0, 1), 0);
        let mut taken = BTreeSet::new();
        for next in program.moves.iter() {
            let Move::Merge(Merging { src, windows, across, step, masks, count, .. }) = *next else {
                continue;
            };
            for (register, window) in (0..count).flat_map(|i| (0..windows).map(move |window| (i, window))) {
                let src = src + register as isize * step + isize::from(window) * across;
                let mask = masks[usize::from(window + 1 == windows)];
                taken.extend((0..64).filter(|byte| mask >> byte & 1 == 1).map(|byte| src + byte));
            }
        }
        (taken, program.moves.iter().filter(|next| matches!(next, Move::Merge(_))).count())
    }

    #[test]
    #[cfg_attr(miri, ignore = "it moves nothing: it lists millions of places")]
    fn nothing_is_read_but_elements() {
        let mut merges = 0;
        for unit in [1, 2, 3, 4, 8, 12] {
            for stride in (-9..10).map(|stride| stride * unit as isize) {
                let (taken, met) = taken(&[axis(200, stride)], unit);
                let elements = (0..200).flat_map(|i| (0..unit as isize).map(move |byte| i * stride + byte));
                assert!(met == 0 || taken == elements.collect(), "{unit} bytes, {stride} apart");
                merges += met;
            }
            for (row, stride) in
                (2..9).flat_map(|row| [-2, -1, 1, 3].map(|stride| (row, stride * unit as isize)))
            {
                let far = 1000 * unit as isize;
                let (taken, met) = taken(&[axis(200, stride), axis(row, far)], unit);
                let rows = (0..200).flat_map(|i| (0..row as isize).map(move |at| i * stride + at * far));
                let elements = rows.flat_map(|place| (0..unit as isize).map(move |byte| place + byte));
                assert!(
                    met == 0 || taken == elements.collect(),
                    "{unit} bytes, {row} in a row, {stride} apart"
                );
                merges += met;
            }
        }
        assert!(merges > 100, "{merges}");
    }
}
