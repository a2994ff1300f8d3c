//! Packs programs: the packer turns the segments of a block's axes into moves.
//!
//! The packer collects units for an output register,
//! from at most two windows. If the next unit does not fit the register or its two windows, the register is complete (`flush`),
//! and the next one begins. Mirrored bytes `[c b a]` and the bytes `[a b c]` after them fit one window, so one permutation
//! writes `[c b a a b c]`.

use smallvec::SmallVec;

use super::merge::Merge;
use super::piece::Piece;
use super::{Bodies, Draft, Lanes, Move, Packing, Permutation, Table, Window, row_of_copy};
use crate::kernel::memory::SHORT;
use crate::plan::axis::Axis;
use crate::plan::form::{Segment, Segments};
use crate::plan::pattern::BLOCK;

/// The minimum length in bytes of a repetition that is copied from the output. A shorter repetition reads the source again,
/// because a load from the output would wait for the store before it.
const REPEATED_OFTEN_FROM: usize = 1024;

/// This minimum in a program that runs once. It is lower, because such a program has space for few tables.
pub(crate) const REPEATED_FROM: usize = 128;

/// Packs consecutive output bytes into as few moves as possible.
pub(super) struct Packer<'a> {
    pub(super) draft: &'a mut Draft,
    pub(super) lanes: Lanes,
    pub(super) unit: usize,
    /// True if the plan runs once.
    pub(super) once: bool,
    /// The number of units in a register. If it is less than 2, the units are not permuted.
    pub(super) most: usize,
    /// The output offset of the current register, and the number of units in it.
    pub(super) dst: usize,
    pub(super) units: usize,
    /// The source offsets of the start and the end of each window of the current register.
    pub(super) windows: [(isize, isize); 2],
    /// The units that the current register takes from its windows. All of its other units are fill.
    pub(super) pieces: SmallVec<[Piece; BLOCK]>,
}

impl<'a> Packer<'a> {
    #[inline(always)]
    pub(super) fn new(draft: &'a mut Draft, Packing { lanes, once }: Packing, unit: usize) -> Self {
        Packer {
            lanes,
            unit,
            once,
            most: lanes.window / unit,
            dst: 0,
            units: 0,
            windows: [(0, 0); 2],
            pieces: SmallVec::new(),
            draft,
        }
    }

    /// Adds moves for the whole output of `axes`. The source of this output begins at offset `src`.
    pub(super) fn axes(&mut self, axes: &[Axis], segments: &[&Segments], src: isize) {
        let ([axis, inner @ ..], [of_axis, of_inner @ ..]) = (axes, segments) else { return };
        if inner.is_empty() {
            return self.row(axis, of_axis, src);
        }
        let inner_units: usize = inner.iter().map(|axis| axis.out).product();
        for segment in of_axis.expanded() {
            match segment {
                Segment::Fill { count } => self.fill(count * inner_units),
                Segment::Source { from, step, count, gap } => {
                    let (first, step) = (src + from * axis.src_stride, step * axis.src_stride);
                    if let ([row], [of_row]) = (inner, of_inner)
                        && let Some(border) = row_of_copy(self.lanes, row, of_row, self.unit)
                    {
                        self.rows(row, border, (first, step, count), gap * inner_units);
                        continue;
                    }
                    if let ([row], 0) = (inner, gap)
                        && let Some(merge) = Merge::of_rows(self.lanes, self.unit, step, row)
                        && count >= merge.along()
                    {
                        self.merge(merge, first, count);
                        continue;
                    }
                    for i in 0..count as isize {
                        if i > 0 {
                            self.fill(gap * inner_units);
                        }
                        self.axes(inner, of_inner, first + i * step);
                    }
                }
                Segment::Again { .. } => unreachable!("expanded"),
            }
        }
    }

    /// Adds `count` rows. Each row consists of `low` units of fill, a copy of `copied` units, and fill. The sources of the rows
    /// are `step` bytes apart, and `gap` more units of fill lie between two rows.
    fn rows(
        &mut self,
        row: &Axis,
        (low, from, copied): (usize, isize, usize),
        (src, step, count): (isize, isize, usize),
        gap: usize,
    ) {
        let high = row.out - copied - low;
        let (src, body) = (src + from * row.src_stride, copied * self.unit);
        self.fill(low);
        if count == 1 {
            self.flush();
            self.push_copy(src, body);
        } else {
            self.interleave((src, step, count), body, low + high + gap);
        }
        self.fill(high);
    }

    /// Adds a move for `count` bodies of `body` bytes. They are `step` bytes apart in the source. In the output, `gap` units of fill
    /// lie between two bodies.
    fn interleave(&mut self, (src, step, count): (isize, isize, usize), body: usize, gap: usize) {
        self.flush();
        for end in [src, src + (body - self.unit) as isize] {
            self.reads(end, step, count);
        }
        let (dst, gap) = (self.dst, gap * self.unit);
        let bodies = Bodies { src, step, body, dst, gap, count };
        self.push(Move::Interleave(bodies), count * (body + gap) - gap);
    }

    fn row(&mut self, axis: &Axis, segments: &Segments, src: isize) {
        let begin = self.dst + self.units * self.unit;
        let mut made = 0;
        for (number, &segment) in segments.iter().enumerate() {
            match segment {
                Segment::Again { from, count, .. } => {
                    let gathered = self.gathered(made - from, count);
                    if gathered > 0 {
                        segments
                            .repeated(number, gathered)
                            .for_each(|segment| self.segment(axis, segment, src));
                    }
                    if gathered < count {
                        self.flush();
                        let (from, bytes) = (begin + from * self.unit, (count - gathered) * self.unit);
                        self.push(Move::Again { from, dst: self.dst, bytes }, bytes);
                    }
                }
                segment => self.segment(axis, segment, src),
            }
            made += segment.positions();
        }
    }

    /// Returns how many of `count` repeated positions read the source. The number is `count` or a multiple of the period.
    fn gathered(&self, period: usize, count: usize) -> usize {
        let least = if self.once { REPEATED_FROM } else { REPEATED_OFTEN_FROM };
        if count * self.unit < least {
            return count;
        }
        // The output is copied only after `periods` periods, so each load of the copy reads bytes that were stored long before.
        let periods = if self.once { 1 } else { SHORT.div_ceil(period * self.unit) };
        count.min((periods - 1) * period)
    }

    /// Adds a segment that is not a repetition.
    fn segment(&mut self, axis: &Axis, segment: Segment, src: isize) {
        match segment {
            Segment::Fill { count } => self.fill(count),
            Segment::Source { from, step, count, gap } => {
                self.elements(src + from * axis.src_stride, step * axis.src_stride, count, gap);
            }
            Segment::Again { .. } => unreachable!("expanded"),
        }
    }

    /// Adds `count` elements that are `stride` bytes apart in the source, with `gap` units of fill between two elements.
    fn elements(&mut self, src: isize, stride: isize, count: usize, gap: usize) {
        if gap == 0 || count == 1 {
            return self.run(src, stride, count);
        }
        // `window` is the number of elements that fit a window, and `together` the number that fit a register and its two
        // windows. In the register, each element counts with the gap after it.
        let window = match stride.unsigned_abs() {
            _ if self.most < 2 || stride % self.lanes.grain as isize != 0 => 0,
            0 => count,
            stride => (self.lanes.window - self.unit) / stride + 1,
        };
        let together = (self.most / (gap + 1)).min(2 * window);
        // A permutation of one or two instructions replaces two stores, so it is worth it even for a single element. Zen 3,
        // complex numbers with gaps of 3: this takes 0.8 times as long as single copies.
        let fewest = if self.lanes.are_cheap() { 1 } else { 2 };
        if together < fewest {
            return self.interleave((src, stride, count), self.unit, gap);
        }
        let mut done = 0;
        while done < count {
            // Consecutive registers with equal permutations become one move. If the current register already has units, it
            // takes some of the elements first.
            let is_long = count - done > 2 * together;
            if is_long && (done > 0 || self.most - self.units <= gap) {
                self.flush();
            }
            let many = is_long && self.units == 0;
            let most = ((self.most - self.units) / (gap + 1)).min(together);
            let end = if is_long { done + most } else { count };
            let first = done;
            while done < end {
                let taken = self.place(src + done as isize * stride, (stride, gap + 1), end - done);
                done += taken;
                if taken == 0 {
                    debug_assert!(!many, "they fit");
                    self.flush();
                } else if done < count {
                    self.fill(gap);
                }
            }
            if many {
                let times = (count - first - 1) / together;
                self.flush_times(times, together as isize * stride);
                done = first + together * times;
            }
        }
    }

    /// Adds `count` units that are `stride` bytes apart in the source and adjacent in the output.
    fn run(&mut self, mut src: isize, stride: isize, mut count: usize) {
        let unit = self.unit;
        if stride == unit as isize || count == 1 {
            return self.copy(src, count);
        }
        if let Some(merge) = Merge::of_run(self.lanes, unit, stride)
            && count >= merge.along()
        {
            return self.merge(merge, src, count);
        }
        if self.most < 2 {
            return self.interleave((src, stride, count), unit, 0);
        }
        while count > 0 {
            let fresh = self.units == 0;
            let mut taken = self.place(src, (stride, 1), count);
            // After the last unit, the next offset may be outside of the memory, so the arithmetic wraps.
            let next = |src: isize, taken: usize| src.wrapping_add(stride.wrapping_mul(taken as isize));
            taken += self.place(next(src, taken), (stride, 1), count - taken);
            src = next(src, taken);
            count -= taken;
            if count == 0 {
                break;
            }
            // If the register began with this run, the following registers have the same permutation. All of them become one
            // move.
            let more = if fresh { count / taken } else { 0 };
            self.flush_times(1 + more, taken as isize * stride);
            src = next(src, more * taken);
            count -= more * taken;
        }
    }

    /// Adds `count` units that are contiguous in the source.
    fn copy(&mut self, mut src: isize, mut count: usize) {
        let unit = self.unit;
        if self.most < 2 || count * unit >= self.lanes.copied {
            self.flush();
            return self.push_copy(src, count * unit);
        }
        while count > 0 {
            let taken = self.place(src, (unit as isize, 1), count);
            src += (taken * unit) as isize;
            count -= taken;
            if count > 0 {
                self.flush();
            }
        }
    }

    fn push_copy(&mut self, src: isize, bytes: usize) {
        self.reads(src, 0, 1);
        self.reads(src + (bytes - self.unit) as isize, 0, 1);
        let at = self.dst;
        if let Some(Move::Copy { src: before, dst, bytes: so_far }) = self.draft.moves.last_mut()
            && *before + *so_far as isize == src
            && *dst + *so_far == at
        {
            *so_far += bytes;
            self.dst += bytes;
            return;
        }
        self.push(Move::Copy { src, dst: at, bytes }, bytes);
    }

    /// Adds `count` units of fill.
    pub(super) fn fill(&mut self, mut count: usize) {
        if self.units > 0 {
            let taken = count.min(self.most - self.units);
            self.units += taken;
            count -= taken;
        }
        if count == 0 {
            return;
        }
        self.flush();
        let whole =
            if self.most < 2 || count * self.unit > SHORT { count } else { count / self.most * self.most };
        self.push_fill(whole * self.unit);
        self.units = count - whole;
    }

    fn push_fill(&mut self, bytes: usize) {
        let at = self.dst;
        match self.draft.moves.last_mut() {
            _ if bytes == 0 => {}
            Some(Move::Fill { dst, bytes: so_far }) if *dst + *so_far == at => {
                *so_far += bytes;
                self.dst += bytes;
            }
            _ => self.push(Move::Fill { dst: at, bytes }, bytes),
        }
    }

    /// Adds as many of `count` units to the register as fit, and returns their number. The units are `stride` bytes apart in the
    /// source and `pitch` units apart in the register.
    fn place(&mut self, src: isize, (stride, pitch): (isize, usize), count: usize) -> usize {
        let space = count.min((self.most - self.units).div_ceil(pitch));
        if space == 0 {
            return 0;
        }
        for window in 0..2 {
            // The register does not use an empty window yet.
            let (low, end) = self.windows[window];
            let used = (low < end).then_some((low, end));
            let count = self.fitting(used, src, stride, space);
            if count > 0 {
                let last = src + (count - 1) as isize * stride;
                let (low, end) = used.unwrap_or((src, src));
                self.windows[window] = (low.min(src.min(last)), end.max(src.max(last) + self.unit as isize));
                self.pieces.push(Piece { window, at: self.units, pitch, count, src, stride });
                self.units += (count - 1) * pitch + 1;
                return count;
            }
        }
        0
    }

    /// Returns how many of `count` units fit a window.
    fn fitting(&self, window: Option<(isize, isize)>, src: isize, stride: isize, count: usize) -> usize {
        let (unit, room) = (self.unit as isize, self.lanes.window as isize);
        let grain = self.lanes.grain as isize;
        let (low, end) = window.unwrap_or((src, src + unit));
        let (first, behind) = (low.min(src), end.max(src + unit));
        if behind - first > room || (src - low) % grain != 0 || stride % grain != 0 {
            // A window may begin at any byte. The units in it must lie at multiples of a grain from its start. If they do not,
            // a new window takes a single unit.
            return usize::from(window.is_none());
        }
        let most = match stride {
            0 => count,
            1.. => ((room - unit - (src - first)) / stride) as usize + 1,
            _ => ((room - (behind - src)) / -stride) as usize + 1,
        };
        most.min(count)
    }

    /// Completes the current register, and adds the move that writes it.
    pub(super) fn flush(&mut self) {
        self.flush_times(1, 0);
    }

    /// Completes the current register, and adds it `times` times in total. The sources of these registers are `step` bytes apart.
    fn flush_times(&mut self, times: usize, step: isize) {
        if self.units == 0 {
            return;
        }
        // The source offset of the register's units, if all of them are contiguous in the source.
        let copied = match self.pieces[..] {
            [Piece { count, src, stride, .. }] if count == self.units => {
                (stride == self.unit as isize || count == 1).then_some(src)
            }
            _ => None,
        };
        let (units, unit, dst) = (core::mem::take(&mut self.units), self.unit, self.dst);
        let bytes = units * unit;
        let windows = core::mem::take(&mut self.windows);
        if windows[0].0 == windows[0].1 {
            return self.push_fill(bytes);
        }
        if let (Some(src), 1) = (copied, times) {
            self.pieces.clear();
            return self.push_copy(src, bytes);
        }
        let table = self.draft.tables.len();
        let windows = windows.map(|(low, end)| Window { src: low, bytes: (end - low) as usize });
        for (number, window) in windows.iter().enumerate().filter(|(_, window)| window.bytes > 0) {
            let mut indices = Table::NOTHING;
            for piece in self.pieces.iter().filter(|piece| piece.window == number) {
                piece.index(&mut indices, window.src, unit, self.lanes.grain);
            }
            self.draft.tables.push(indices);
            let far = (times - 1) as isize * step;
            self.draft.src_start = self.draft.src_start.min(window.src + far.min(0));
            self.draft.src_end = self.draft.src_end.max(window.src + window.bytes as isize + far.max(0));
        }
        self.pieces.clear();
        let now = Permutation { windows, step, table, dst, bytes, count: times };
        if times == 1 && self.extend_last(&now) {
            self.draft.tables.truncate(table);
            self.dst += bytes;
        } else {
            self.push(Move::Permute(now), bytes * times);
        }
    }

    /// Extends the last move by `now`, if both have equal tables, equal sizes and equally spaced windows. Otherwise, changes nothing and
    /// returns false.
    fn extend_last(&mut self, now: &Permutation) -> bool {
        let Draft { moves, tables, .. } = &mut *self.draft;
        let Permutation { windows: here, table: of_here, bytes: bytes_here, .. } = *now;
        let Some(Move::Permute(Permutation { windows, step, table, bytes, count, .. })) = moves.last_mut()
        else {
            return false;
        };
        let two = usize::from(here[1].bytes > 0);
        let far = here[0].src - windows[0].src;
        let alike = *bytes == bytes_here
            && (0..2).all(|i| here[i].bytes == windows[i].bytes)
            && (two == 0 || here[1].src - windows[1].src == far)
            && (*count == 1 || step.checked_mul(*count as isize) == Some(far))
            && (0..=two).all(|i| tables[*table + i] == tables[of_here + i]);
        if alike {
            if *count == 1 {
                *step = far;
            }
            *count += 1;
        }
        alike
    }

    /// Adds a move that writes `bytes` bytes.
    #[inline(always)]
    pub(super) fn push(&mut self, next: Move, bytes: usize) {
        self.draft.moves.push(next);
        self.dst += bytes;
    }

    /// Records that the program reads `count` units that are `stride` bytes apart.
    pub(super) fn reads(&mut self, src: isize, stride: isize, count: usize) {
        let last = src + (count - 1) as isize * stride;
        self.draft.src_start = self.draft.src_start.min(src.min(last));
        self.draft.src_end = self.draft.src_end.max(src.max(last) + self.unit as isize);
    }
}
