//! Registers that are merged from several windows of the source, of which nothing is read but what is taken.
//!
//! Units that are a few units apart, like every second column, and pixels whose channels are far apart.

use super::moves::Batch;
use super::pack::Packer;
use super::piece::Piece;
use super::{Lanes, Move, Program, Shells, Table};
use crate::kernel::memory::{get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::Permute;
use crate::plan::axis::Axis;
use crate::plan::form::Segment;

/// The most windows of a register.
const MOST_WINDOWS: usize = 8;

/// Registers of up to so many windows are permuted, two windows at a time, if all of these may be read: bytes of three channels took
/// as long either way in long rows, and 1.4 times as long merged in rows of 64, of four channels 106 us permuted and 74 merged (Zen 4).
const PERMUTED: usize = 3;

/// Of rows that are merged the most that are packed one by one: those of a border that holds one, and those that are apart.
const MOST_ONE_BY_ONE: usize = 8;

/// What registers are merged from.
#[derive(Clone, Copy)]
pub(super) struct Merge {
    /// Units of a register.
    units: usize,
    windows: usize,
    /// From one window to the next in the source.
    across: isize,
    /// From the first unit of a window to that of the next in the register, in units.
    ahead: usize,
    /// The most units of a window, and from one to the next in the source and in the register, in units.
    each: usize,
    stride: isize,
    pitch: usize,
    /// From one register to the next in the source.
    step: isize,
}

impl Merge {
    /// Of units that are `stride` apart, which follow each other in the output.
    pub(super) fn of_run(lanes: Lanes, unit: usize, stride: isize) -> Option<Merge> {
        let units = lanes.merged / unit;
        if stride.unsigned_abs() <= unit || stride % lanes.grain as isize != 0 {
            return None;
        }
        let each = (lanes.merged.checked_sub(unit)? / stride.unsigned_abs() + 1).min(units);
        let windows = units.div_ceil(each);
        let permuted = if lanes.window > 0 { PERMUTED } else { 0 };
        // Else they are moved one by one in fewer instructions.
        let is_worth = (permuted + 1..=MOST_WINDOWS).contains(&windows) && 2 * windows <= units;
        // Strides that reach further than memory are not.
        is_worth.then(|| {
            let (across, step) = (each as isize * stride, units as isize * stride);
            Merge { units, windows, across, ahead: each, each, stride, pitch: 1, step }
        })
    }

    /// Of rows of a few units that are far apart, if neighbouring rows are near each other, `stride` apart: all their first units are a
    /// window, and so on.
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

    /// What a register is along the axis that it goes along: units, or rows.
    pub(super) fn along(&self) -> usize {
        self.units / self.pitch
    }

    /// That of so many of them, fewer than a register's.
    fn first(self, along: usize) -> Merge {
        if self.pitch > 1 {
            return Merge { units: along * self.pitch, each: along, ..self };
        }
        Merge { units: along, windows: along.div_ceil(self.each), ..self }
    }

    /// Units of a window.
    fn count(&self, window: usize) -> usize {
        if self.pitch > 1 { self.each } else { self.each.min(self.units - window * self.each) }
    }

    /// From the first unit of a window to its lowest place.
    fn low(&self) -> isize {
        (self.each as isize - 1) * self.stride.min(0)
    }

    /// The bytes of a window that are taken.
    fn mask(&self, window: usize, unit: usize) -> u64 {
        let bytes = u64::MAX >> (64 - unit);
        let place = |i: usize| i as isize * self.stride - self.low();
        (0..self.count(window)).fold(0, |mask, i| mask | bytes << place(i))
    }
}

/// Whether rows are merged if they are packed with the axis around them.
pub(in crate::kernel) fn is_merged(lanes: Lanes, unit: usize, axis: &Axis, row: &Axis) -> bool {
    let is_one_by_one = |segment: &Segment| match *segment {
        Segment::Source { step, count, gap, .. } => count > MOST_ONE_BY_ONE && (step == 0 || gap > 0),
        _ => false,
    };
    let merge = Merge::of_rows(lanes, unit, axis.src_stride, row);
    merge.is_some_and(|merge| axis.out > merge.each) && !axis.segments().iter().any(is_one_by_one)
}

impl Packer<'_, '_> {
    /// What begins at `src`, `count` along the axis: as many registers as are whole, and one of the rest.
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
        let table = self.program.tables.len();
        for window in 0..windows {
            let mut indices = Table::NOTHING;
            let count = merge.count(window);
            let piece = Piece { window, at: window * ahead, pitch, count, src: 0, stride };
            piece.index(&mut indices.0, merge.low(), unit, grain);
            self.program.tables.push(indices);
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
        let next = Move::Merge { src, windows, across, step, table, masks, dst, bytes, count };
        self.push(next, count * bytes);
    }
}

/// Registers that are merged, for every block of a batch.
///
/// # Safety
///
/// - As for [`run_move`](super::run_move), for a [`Move::Merge`].
#[inline(always)]
pub(in crate::kernel) unsafe fn run_merge<S: Shells>(
    sheet: &Sheet<'_>,
    program: &Program,
    next: &Move,
    batch: &Batch,
) {
    let Move::Merge { windows, .. } = *next else { return };
    // SAFETY: the caller's, and each arm is for as many windows as there are.
    unsafe {
        seq_macro::seq!(N in 1..=8 {
            const { assert!(MOST_WINDOWS == 8) };
            match windows {
                #(N => merge_of::<S::Wide, N>(sheet, program, next, batch),)*
                _ => debug_assert!(false, "more windows"),
            }
        });
    }
}

/// # Safety
///
/// - As for [`run_merge`], of `N` windows.
#[inline(always)]
unsafe fn merge_of<P: Permute, const N: usize>(
    sheet: &Sheet<'_>,
    program: &Program,
    next: &Move,
    batch: &Batch,
) {
    let Move::Merge { src, dst, step, bytes, count, .. } = *next else { return };
    // Fill that is there already is not written behind them.
    let room = if sheet.filled { count * bytes } else { program.len - dst };
    let whole = room.checked_sub(P::BYTES).map_or(0, |room| count.min(room / bytes + 1));
    let fetch = sheet.fetch::<P::Register>();
    // SAFETY: the caller's. A register is written whole where what follows it is written later.
    unsafe {
        let merged = Merged::<P, N>::new(program, next);
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

/// What registers of `N` windows are merged by.
struct Merged<P: Permute, const N: usize> {
    indices: [P::Register; N],
    across: isize,
    /// The bytes that are taken of all windows but the last, and of the last.
    masks: [u64; 2],
}

impl<P: Permute, const N: usize> Merged<P, N> {
    /// # Safety
    ///
    /// - As for [`run_merge`], of `N` windows.
    #[inline(always)]
    unsafe fn new(program: &Program, next: &Move) -> Self {
        let Move::Merge { across, table, masks, .. } = *next else { unreachable!("a merge") };
        // SAFETY: the caller's; there are as many tables.
        unsafe {
            let tables = program.tables.as_ptr().add(table);
            let mut indices = [get::<P::Register>(tables.cast()); N];
            for (i, index) in indices.iter_mut().enumerate() {
                *index = get(tables.add(i).cast());
            }
            Merged { indices, across, masks }
        }
    }

    /// The register whose first window is at `src`.
    ///
    /// # Safety
    ///
    /// - As for [`run_merge`].
    #[inline(always)]
    unsafe fn at(&self, mut src: *const u8) -> P::Register {
        // SAFETY: the caller's; nothing is read that is not taken.
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
    use crate::kernel::program::Lanes;
    use crate::kernel::program::{Packing, Space};
    use crate::kernel::simd::LINE;
    use crate::spec::{AxisPad, PadMode};

    /// Registers of a line, of which nothing else may be read.
    const LANES: Lanes = Lanes { merged: LINE, ..Lanes::NONE };

    /// An axis of so many elements, without a border.
    fn axis(length: usize, stride: isize) -> Axis {
        let mode = PadMode::Constant;
        let axis = Axis::new(0, length, AxisPad::default(), mode.into(), mode.default_frame());
        Axis { src_stride: stride, ..axis.unwrap() }
    }

    /// The bytes that the merges of a program read, and how many these are.
    fn taken(axes: &[Axis], unit: usize) -> (BTreeSet<isize>, usize) {
        let segments: Vec<_> = axes.iter().map(Axis::segments).collect();
        let mut space = Space::new();
        let mut program = Program::within(&mut space);
        let packing = Packing { lanes: LANES, once: false };
        program.add(packing, unit, axes, &segments.iter().collect::<Vec<_>>(), (0, 1), 0);
        let mut taken = BTreeSet::new();
        for next in program.moves.iter() {
            let Move::Merge { src, windows, across, step, masks, count, .. } = *next else { continue };
            for (register, window) in (0..count).flat_map(|i| (0..windows).map(move |window| (i, window))) {
                let src = src + register as isize * step + isize::from(window) * across;
                let mask = masks[usize::from(window + 1 == windows)];
                taken.extend((0..64).filter(|byte| mask >> byte & 1 == 1).map(|byte| src + byte));
            }
        }
        (taken, program.moves.iter().filter(|next| matches!(next, Move::Merge { .. })).count())
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
