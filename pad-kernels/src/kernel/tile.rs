//! Writes outputs whose rows are columns of the source, such as a transposed matrix, in tiles. A sheet holds the memory of source
//! and output, and the fill.
//!
//! If the units of a row are far apart in the source, each of them is in another cache line. The cache evicts a line before the
//! other units in it are read. If the units of another axis are contiguous in the source, this file reads whole cache lines
//! instead. It transposes a tile of both axes into a buffer, and writes the rows of the output from the buffer.
//!
//! If the row is short, a tile can be joined: the tiled axis and the row form one long row of the output.

use core::ops::Range;

use smallvec::SmallVec;

use crate::isa::Isa;
use crate::kernel::memory::{OVERSHOOT, get, put};
use crate::kernel::program::{Draft, Lanes, Packing, Program, Run, Shells};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{BASELINE_ZERO, Baseline, LINE, PAIRS, pair_units, prefetch};
use crate::kernel::strided::{StridedShells, Width, copy_unit};
use crate::kernel::threshold;
use crate::plan::axis::Axis;
use crate::plan::form::{Segment, Segments};
use crate::plan::nest::Nest;

/// Rows are tiled only if their units are more than this many units apart. Otherwise permutations or single copies collect the units.
const FAR: usize = 8;

/// The maximum size of a unit in bytes. A longer unit uses enough of a cache line by itself.
const MOST_UNIT: usize = LINE / 2;

/// The minimum length, in positions, of both axes of a tile.
const FEWEST: usize = 4;

/// The minimum size of an output in bytes. The source of a smaller output is in the first-level cache anyway.
const TILED_FROM: usize = threshold(4 << 10, 256);

/// The size of the buffer for a tile. The cache must also hold the lines that the tile reads and writes.
///
/// Zen 4: a transposed matrix of 4 MiB takes 270 us in tiles of 16 KiB, 287 us in 8 KiB and 358 us in 32 KiB. Only AMD CPUs with
/// AVX-512 use the whole buffer, and all other machines use half of it. Xeon with AMX: such a matrix takes 0.78 ms in tiles of
/// 8 KiB, 1.1 ms in 16 or 32 KiB, and 9 ms unit by unit.
const ROOM: usize = threshold(16 << 10, 8 << 10);

// Half of the buffer must have room for `GROUP` rows, each of which begins at a cache line. A group of one-byte units has so many
// rows.
const _: () = assert!(ROOM / 2 >= GROUP * LINE);

/// The width of a tile in the source, in bytes. It is a cache line, so that each line is read once.
const GROUP: usize = LINE;

/// The maximum size of a row that is joined with the axis around it, in bytes.
const JOINED: usize = 32;

/// The way in which a nest is divided into tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tiles {
    /// The index of the axis whose units are contiguous in the source.
    axis: usize,
    /// True if this axis and the row form one long row, in the output and in the buffer.
    joined: bool,
}

impl Tiles {
    /// Returns the tiles of a nest, or `None` if another way is faster.
    pub(super) fn of(nest: &Nest) -> Option<Tiles> {
        let unit = nest.unit;
        let (row, outer) = nest.axes.split_last()?;
        if unit > MOST_UNIT || row.src_stride.unsigned_abs() <= FAR * unit {
            return None;
        }
        let bytes = nest.axes.iter().fold(unit, |bytes, axis| bytes * axis.out);
        let close = |(_, axis): &(usize, &Axis)| axis.src_stride.unsigned_abs() == unit && axis.out >= FEWEST;
        let (axis, _) = outer.iter().enumerate().filter(close).max_by_key(|(_, axis)| axis.out)?;
        let joined =
            axis + 1 == outer.len() && row.out * unit <= JOINED && is_joined(nest, &outer[axis], row);
        (bytes >= TILED_FROM && (joined || row.out >= FEWEST)).then_some(Tiles { axis, joined })
    }

    /// Returns the index of the axis that is cut into parts, so that a tile fits the buffer.
    fn cut(self, nest: &Nest) -> usize {
        if self.joined { self.axis } else { nest.axes.len() - 1 }
    }
}

/// Tells whether an axis and its row can merge into one axis after both are contiguous in the buffer.
fn is_joined(nest: &Nest, axis: &Axis, row: &Axis) -> bool {
    axis.src_stride > 0 && row.is_identity() && joined(nest, *axis, row).axes.len() == 1
}

/// Returns a nest of an axis and its row, with the strides of the buffer.
fn joined(nest: &Nest, axis: Axis, row: &Axis) -> Nest {
    let mut joined = Nest::blank();
    (joined.unit, joined.element) = (nest.unit, nest.element);
    let unit = nest.unit as isize;
    let axes = [Axis { src_stride: row.out as isize * unit, ..axis }, Axis { src_stride: unit, ..*row }];
    joined.set(&axes, 0, 0, false);
    joined
}

/// The buffer for a tile. It has room for loads and stores that overshoot.
#[repr(align(64))]
struct Buffer([u8; ROOM + OVERSHOOT]);

/// Consecutive positions of the tiled axis that are written together.
#[derive(Clone, Copy)]
struct Group {
    count: usize,
    /// The source distance of two positions: one unit forwards or backwards, or 0.
    step: isize,
    /// The output distance of two positions.
    pitch: isize,
}

impl Group {
    /// One position of an axis that is not tiled.
    const ONE: Group = Group { count: 1, step: 0, pitch: 0 };
}

/// The type of the function [`transpose`], compiled for an instruction set.
type Transpose = unsafe fn(*const u8, isize, (*mut u8, usize), (usize, usize), usize);

/// Function pointers for an instruction set. The functions for strided output and transposition also depend on the width of a
/// unit.
///
/// The loops that call these functions are not generic, so they are compiled once.
pub(super) struct Calls {
    lanes: fn(usize) -> Lanes,
    run_program: unsafe fn(&Sheet<'_>, &Program, Run),
    write_fill: unsafe fn(&mut Sheet<'_>, usize, isize, usize),
    pub(super) write_strided: unsafe fn(&Sheet<'_>, Run, usize),
    transpose: Transpose,
}

impl Calls {
    pub(super) const fn of<W: Width, S: Shells + StridedShells<W>>() -> Calls {
        Calls {
            lanes: Lanes::of::<S>,
            run_program: S::run_program,
            write_fill: S::write_fill,
            write_strided: S::write_strided,
            transpose: S::transpose,
        }
    }
}

/// The state while a nest is written in tiles.
struct Tiler<'a> {
    calls: &'static Calls,
    tiles: Tiles,
    /// The range of source elements that the current part reads, along the divided axis.
    part: Range<usize>,
    /// The output offset of the current part, from the start of the divided axis.
    begin: isize,
    /// True for the first part. Only this part writes the fill of the outer axes.
    first: bool,
    /// The nest of the current part, with the strides of the buffer. If the units of its row are contiguous in the output, the
    /// row has a program.
    nest: &'a Nest,
    program: Option<&'a Program<'a>>,
    buffer: *mut u8,
    /// The distance in bytes between two rows of the buffer.
    pitch: usize,
}

/// Writes a whole nest in tiles. Its source begins at `src`, and its output at `dst`.
///
/// # Safety
///
/// - The machine has the instruction set of `calls`. The width of `calls` is the size of the unit, or `Any`. The sheet has no stream.
/// - All offsets of the nest, counted from `src` and `dst`, lie within source and destination.
/// - `tiles` was made for this nest.
pub(super) unsafe fn write_tiled(
    calls: &'static Calls,
    sheet: &mut Sheet<'_>,
    tiles: Tiles,
    (src, dst): (isize, isize),
) {
    debug_assert!(sheet.stream.is_none());
    let whole = sheet.nest;
    let unit = whole.unit;
    let segments: SmallVec<[Segments; 6]> = whole.axes.iter().map(Axis::segments).collect();
    let mut buffer = Buffer([0; ROOM + OVERSHOOT]);
    let (cut, row) = (&whole.axes[tiles.cut(whole)], &whole.axes[whole.axes.len() - 1]);
    // Each row of a tile begins at a cache line. The rows of a joined tile are contiguous.
    let room = if Isa::prefetches() { ROOM / 2 } else { ROOM };
    let line = if tiles.joined { row.out * unit } else { room / (GROUP / unit) / LINE * LINE };
    let most = if tiles.joined { room / line } else { line / unit };
    debug_assert!(most > 0);
    let mut begin = 0;
    while begin < cut.out {
        let (axis, part) = part(cut, begin, most);
        // The source positions of the new axis count from the first element of the part.
        let axis = Axis { start: axis.start - part.start as i64 * axis.step(), ..axis };
        let nest = if tiles.joined {
            joined(whole, axis, row)
        } else {
            let mut nest = whole.clone();
            let last = nest.axes.len() - 1;
            nest.axes[last] = Axis { src_stride: unit as isize, ..axis };
            Nest { src: 0, ..nest }
        };
        let last = &nest.axes[nest.axes.len() - 1..];
        let mut draft = Draft::new();
        let mut program = Program::default();
        let neighbours = last[0].dst_stride == nest.unit as isize;
        if neighbours {
            let segments = last[0].segments();
            let packing = Packing { lanes: (calls.lanes)(nest.unit), once: true };
            program = Program::packed(&mut draft, packing, nest.unit, last, &[&segments], (0, 1), 0);
        }
        let pitch = if tiles.joined { line } else { (part.len() * unit).next_multiple_of(LINE) };
        let tiler = Tiler {
            calls,
            tiles,
            begin: begin as isize * cut.dst_stride,
            first: begin == 0,
            nest: &nest,
            program: neighbours.then_some(&program),
            buffer: buffer.0.as_mut_ptr(),
            pitch,
            part,
        };
        // SAFETY: the caller keeps the contract.
        unsafe { tiler.walk(sheet, &segments, 0, (src, dst), Group::ONE) };
        begin += axis.out;
    }
}

/// Returns the part of an axis that begins at position `begin` and reads at most `most` source elements, and the range of these elements.
fn part(axis: &Axis, begin: usize, most: usize) -> (Axis, Range<usize>) {
    let mut count = axis.out - begin;
    loop {
        let clipped = axis.clip(begin..begin + count);
        let part = clipped.source_range();
        if part.len() <= most {
            return (clipped, part);
        }
        // The loop ends, because one position reads at most one element, and `most` is at least 1.
        count = if count > most { most } else { count.div_ceil(2) };
    }
}

impl Tiler<'_> {
    /// Writes the axes from `depth` inwards, from these offsets.
    ///
    /// # Safety
    ///
    /// - The contract of [`write_tiled`] holds.
    unsafe fn walk(
        &self,
        sheet: &mut Sheet<'_>,
        segments: &[Segments],
        depth: usize,
        (src, dst): (isize, isize),
        group: Group,
    ) {
        if depth == self.tiles.cut(sheet.nest) {
            // SAFETY: the caller keeps the contract.
            return unsafe { self.tile(sheet, (src, dst), group) };
        }
        let axis = sheet.nest.axes[depth];
        let stride = axis.dst_stride;
        let mut at = dst;
        for segment in segments[depth].expanded() {
            // SAFETY: the caller keeps the contract. The segments are those of the axis, in the order of the output.
            unsafe {
                match segment {
                    Segment::Fill { count } | Segment::Again { count, .. } => {
                        self.fill(sheet, depth, at, count, group);
                    }
                    Segment::Source { from, step, count, gap } => {
                        let (from, step) = (src + from * axis.src_stride, step * axis.src_stride);
                        let pitch = (gap as isize + 1) * stride;
                        let mut done = 0;
                        while done < count {
                            let (src, dst) = (from + done as isize * step, at + done as isize * pitch);
                            if done > 0 && gap > 0 {
                                self.fill(sheet, depth, dst - gap as isize * stride, gap, group);
                            }
                            if depth != self.tiles.axis {
                                self.walk(sheet, segments, depth + 1, (src, dst), group);
                                done += 1;
                                continue;
                            }
                            let now = together(sheet, src, step, count - done);
                            for i in 1..if gap > 0 { now as isize } else { 1 } {
                                let dst = dst + i * pitch - gap as isize * stride;
                                self.fill(sheet, depth, dst, gap, Group::ONE);
                            }
                            let group = Group { count: now, step, pitch };
                            self.walk(sheet, segments, depth + 1, (src, dst), group);
                            done += now;
                        }
                    }
                }
            }
            at += segment.positions() as isize * stride;
        }
    }

    /// Writes fill for `count` positions of the axis at `depth`, once for every position of the group. The first fill begins at
    /// offset `at`.
    ///
    /// # Safety
    ///
    /// - The contract of [`write_tiled`] holds.
    unsafe fn fill(&self, sheet: &mut Sheet<'_>, depth: usize, at: isize, count: usize, group: Group) {
        for i in 0..if self.first { group.count as isize } else { 0 } {
            // SAFETY: the caller keeps the contract.
            unsafe { (self.calls.write_fill)(sheet, depth, at + i * group.pitch, count) };
        }
    }

    /// Transposes one tile into the buffer and writes its rows.
    ///
    /// # Safety
    ///
    /// - The contract of [`write_tiled`] holds.
    unsafe fn tile(&self, sheet: &Sheet<'_>, (src, dst): (isize, isize), group: Group) {
        let unit = sheet.nest.unit;
        let row = &sheet.nest.axes[sheet.nest.axes.len() - 1];
        // The tile reads `units` contiguous units on each of `lines` lines of the source.
        let (low, units, lines) = if self.tiles.joined {
            (src + (self.part.start * unit) as isize, self.part.len(), row.out)
        } else {
            let units = if group.step == 0 { 1 } else { group.count };
            let back = group.step.min(0) * (units as isize - 1);
            (src + back + self.part.start as isize * row.src_stride, units, self.part.len())
        };
        if units * lines > 0 {
            let reach = (lines as isize - 1) * row.src_stride;
            debug_assert!(low + reach.min(0) >= 0);
            debug_assert!(low + reach.max(0) + (units * unit) as isize <= sheet.src_len as isize);
            debug_assert!((units - 1) * self.pitch + lines * unit <= ROOM);
            // SAFETY: the caller keeps the contract, and the tile fits the buffer.
            unsafe {
                let src = sheet.src.offset(low);
                (self.calls.transpose)(src, row.src_stride, (self.buffer, self.pitch), (units, lines), unit);
            }
        }
        // All bytes between the rows of the buffer are readable.
        let tile = Sheet {
            src: self.buffer,
            src_len: ROOM + OVERSHOOT,
            exact: false,
            nest: self.nest,
            stream: None,
            ..*sheet
        };
        let step = group.step.signum() * self.pitch as isize;
        let first = if step < 0 { (units as isize - 1) * -step } else { 0 };
        let (src, dst) = (self.nest.src + first, dst + self.begin);
        let run = Run { src, step, dst, pitch: group.pitch, count: group.count };
        // SAFETY: the caller keeps the contract. The source is the buffer, which holds the whole tile.
        unsafe {
            match self.program {
                Some(program) => (self.calls.run_program)(&tile, program, run),
                None => (self.calls.write_strided)(&tile, run, 0),
            }
        }
    }
}

/// Returns how many of `count` positions form a tile. Their units are `step` bytes apart in the source, from `src`. The first
/// tile ends at a boundary of a cache line, so that later tiles read whole lines.
fn together(sheet: &Sheet<'_>, src: isize, step: isize, count: usize) -> usize {
    let unit = sheet.nest.unit;
    let place = sheet.src.wrapping_offset(src).addr();
    let here = match step {
        0 => 0,
        1.. => (LINE - place % LINE) / unit,
        _ => (place + unit - 1) % LINE / unit + 1,
    };
    let most = GROUP / unit;
    count.min(if here == 0 { most } else { here.min(most) })
}

/// Transposes a tile. The source has `lines` lines of `units` units each, and the lines are `across` bytes apart. In the buffer, each unit
/// becomes a row of `lines` units. Rows are one pitch apart.
///
/// For example, the lines `[a b c]` and `[d e f]` become the rows `[a d]`, `[b e]` and `[c f]`.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - All of these units are readable at `src`. They have the size of the width, unless the width is `Any`.
/// - The buffer has room for `units` rows, one pitch apart, and for one [`Baseline`] more. A row holds `lines` units.
#[inline(always)]
pub(super) unsafe fn transpose<W: Width>(
    src: *const u8,
    across: isize,
    (dst, pitch): (*mut u8, usize),
    (units, lines): (usize, usize),
    unit: usize,
) {
    debug_assert!(lines * unit <= pitch);
    let side = const { side::<W>() };
    let whole = if side > 1 { units / side * side } else { 0 };
    let mut line = lines.next_multiple_of(side);
    // The loops go from the last line to the first, and from the first unit to the last. A store may write past a row, because later stores
    // overwrite the excess.
    while line > 0 {
        line -= side;
        let here = side.min(lines - line);
        let src = src.wrapping_offset(line as isize * across);
        let dst = dst.wrapping_add(line * unit);
        for i in 0..here {
            // The next tile begins where this one ends.
            prefetch(src.wrapping_offset(i as isize * across).wrapping_add(units * unit));
        }
        // SAFETY: the caller keeps the contract.
        unsafe {
            if here == side {
                squares::<W, true>(src, across, (dst, pitch), whole, here);
            } else {
                squares::<W, false>(src, across, (dst, pitch), whole, here);
            }
            for i in 0..here {
                let src = src.wrapping_offset(i as isize * across);
                let dst = dst.wrapping_add(i * unit);
                for at in whole..units {
                    copy_unit::<W>(src.wrapping_add(at * unit), dst.wrapping_add(at * pitch), unit);
                }
            }
        }
    }
}

/// Transposes `units` units of `here` lines, square by square. With `FULL`, every square has all of its lines.
///
/// # Safety
///
/// - The contract of [`transpose`] holds.
#[inline(always)]
unsafe fn squares<W: Width, const FULL: bool>(
    src: *const u8,
    across: isize,
    (dst, pitch): (*mut u8, usize),
    units: usize,
    here: usize,
) {
    let side = const { side::<W>() };
    let mut at = 0;
    while at < units {
        let mut rows = [BASELINE_ZERO; size_of::<Baseline>()];
        // SAFETY: the caller keeps the contract. A register holds as many units as a square has lines.
        unsafe {
            for (i, row) in rows[..side].iter_mut().enumerate() {
                if FULL || i < here {
                    let line = src.wrapping_offset(i as isize * across);
                    *row = get(line.wrapping_add(at * W::BYTES));
                }
            }
            square::<W>(&mut rows);
            for (i, row) in rows[..side].iter().enumerate() {
                put(dst.wrapping_add((at + i) * pitch), *row);
            }
        }
        at += side;
    }
}

/// Returns the number of units per register, which is the side of a square. It is 1 if units are copied one by one.
const fn side<W: Width>() -> usize {
    if PAIRS && matches!(W::BYTES, 1 | 2 | 4 | 8) { size_of::<Baseline>() / W::BYTES } else { 1 }
}

/// Transposes a square whose rows are registers. Each step interleaves the rows of the first half with the rows of the second
/// half.
#[inline(always)]
fn square<W: Width>(rows: &mut [Baseline; size_of::<Baseline>()]) {
    let side = const { side::<W>() };
    let mut stages = side;
    while stages > 1 {
        let before = *rows;
        for i in 0..side / 2 {
            [rows[2 * i], rows[2 * i + 1]] = pair_units(W::BYTES, before[i], before[i + side / 2]);
        }
        stages /= 2;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;
    use crate::kernel::strided::{Any, W1, W2, W4, W8, W16};

    fn check<W: Width>(unit: usize) {
        // Miri is slow, so it runs only four sizes: two that are less than a register, one register, and one that is more.
        let sizes = || (1..20).filter(|size| !cfg!(miri) || [1, 3, 16, 19].contains(size));
        for (units, lines) in sizes().flat_map(|units| sizes().map(move |lines| (units, lines))) {
            let pitch = lines * unit;
            let src: Vec<u8> = (0..units * pitch).map(|i| (i * 7 + i / 256) as u8).collect();
            let mut dst = vec![0; src.len() + size_of::<Baseline>()];
            let across = units * unit;
            // SAFETY: both buffers hold this many units.
            unsafe {
                let to = (dst.as_mut_ptr(), pitch);
                transpose::<W>(src.as_ptr(), across as isize, to, (units, lines), unit);
            }
            for (at, line) in (0..units).flat_map(|at| (0..lines).map(move |line| (at, line))) {
                let want = &src[line * across + at * unit..][..unit];
                assert_eq!(&dst[at * pitch + line * unit..][..unit], want, "{units} {lines} {unit}");
            }
        }
    }

    #[test]
    fn tiles_are_transposed() {
        check::<W1>(1);
        check::<W2>(2);
        check::<W4>(4);
        check::<W8>(8);
        check::<W16>(16);
        check::<Any>(3);
        check::<Any>(12);
    }
}
