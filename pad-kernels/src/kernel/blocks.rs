//! What the innermost axes of a plan come to: a program for each block, or rows whose units are apart in the output.

use alloc::boxed::Box;

use smallvec::SmallVec;

use crate::isa::Isa;
use crate::kernel::program::{self, FAR, Lanes, MOST_RUNS, Packing, Program, Run, copied, is_merged};
use crate::kernel::simd::LINE;
use crate::kernel::threshold;
use crate::kernel::tile::Tiles;
use crate::plan::axis::Axis;
use crate::plan::form::{Segment, Segments};
use crate::plan::nest::Nest;

/// The most bytes of a block of a prepared plan: more axes than the innermost are packed where they are so small.
const MOST_BYTES: usize = 2048;

/// The most bytes of a block that is a volume, a plane of short rows, or all of a short axis with borders. 40 mirrored volumes took 0.7 of the
/// time that they take in smaller blocks, and volumes of more bytes up to 2.7 times as long (Zen 3, AVX2).
const MOST_BYTES_OF_SHORT_AXES: usize = 4096;
const SHORT_RUNS: usize = 12;

/// Rows of at most so many bytes are short, unless permutations are slow. Planes of 2 to 4 KiB took 0.5 to 0.9 of the time as one block with
/// such rows, and up to 1.6 times as long with longer ones (Zen 3, AVX2).
const SHORT_ROWS: usize = 40;

/// The most bytes of a prepared plan that is one block. 100 volumes of 4 to 8 KiB took 0.54 of the time as one, and of 8 to 16 KiB up to 2.4
/// times as long (Zen 3, AVX2).
const MOST_BYTES_OF_ALL: usize = 8192;

/// The most bytes, if they are permuted, or registers of a block of a plan that is run once, whose programs have room for the moves of
/// so many without an allocation.
const MOST_BYTES_ONCE: usize = 512;
const MOST_REGISTERS_ONCE: usize = 32;

/// The most axes that kernels are for.
const RANK: usize = 6;

/// The least bytes of the output of a plan that is run once for which the registers of its blocks are listed. 62 KiB of planes took as long
/// with and without, and 0.9 MiB 0.43 of the time (Zen 4).
const LISTED_FROM: usize = threshold(1 << 16, 1 << 9);

/// The most segments of the axis around rows that are one move each, repetitions counted. Planes with borders of copied rows took 0.75 to
/// 0.95 of the time, and a row that is wrapped sixteen times 1.6 times as long (Xeon with AMX).
const MOST_SEGMENTS: usize = 8;

/// Bytes that are packed together where blocks are shorter: the moves of several rows then share registers.
const GROUPED: usize = 256;

/// Rows of at least so many bytes that are written in one go are not grouped. 61,000 mirrored rows of 62 bytes took 162 us in one go and 267 in
/// groups, 910 rows of 9 floats 1.7 times as long in one go (EPYC with AVX2).
const IN_ONE_GO_FROM: usize = 56;

/// The fewest bytes where permutations are slow, of rows that are copied in part, and of those that are one move. Longer rows took 0.4 to 0.95 of
/// the time in one go, and shorter ones 1.1 to 1.7 times as long (Zen 3, AVX2).
const COPIED_IN_ONE_GO_FROM: usize = 33;
const MOVED_IN_ONE_GO_FROM: usize = 18;

/// The most bytes of an output whose blocks are copied in part from themselves, which cannot be streamed. 0.8 MB of mirrored volumes took 0.8 of
/// the time so (Zen 3, AVX2). Longer outputs were not measured.
const MOST_BYTES_REPEATED: usize = threshold(1 << 20, 1 << 12);

/// Planes of fewer rows with borders are packed as one. 512 planes of 7 rows of 64 bytes took 0.87 of the time row by row, and of 6 rows 1.5
/// times as long (Zen 3, AVX2).
const FEWEST_ROWS: usize = 7;

/// Fewer planes whose elements are apart are packed as one each, and such of fewer bytes, or of a single row. 800 planes of 324 bytes took twice
/// as long row by row, and of 676 bytes 0.8 times (Zen 3, AVX2).
const FEWEST_PLANES: i64 = 4;
const LEAST_BYTES_OF_PLANE: usize = 512;

/// Registers of rows that are apart spill less than this part of a row, or are wasteful. Planes of floats with gaps took 0.55 to 0.85 of the time
/// as rows of 92 to 250 bytes, and 1.4 to 1.8 times as long as rows of 68 to 84 (Xeon with AMX).
const MOST_SPILLED: usize = 2;

/// The blocks of a nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blocks<'a> {
    /// The instruction set of prepared ones, which the machine has.
    pub(super) isa: Isa,
    /// Axes around the blocks.
    pub(super) depth: usize,
    /// Units are no neighbours in the output, and written one by one: there is no program.
    pub(super) strided: bool,
    /// All of the nest is written by tiles: its rows are columns of the source.
    pub(super) tiles: Option<Tiles>,
    /// A block, or a row of one.
    pub(super) single: Program<'a>,
    /// The rows of a block, with places within it, if it is a plane of such.
    pub(super) rows: SmallVec<[Run; MOST_RUNS]>,
    /// Several of them, if it is more than none, whose sources are a stride of the axis around them apart, and each of which is
    /// followed by the axis's gap.
    pub(super) together: usize,
    pub(super) gap: usize,
    pub(super) group: Program<'a>,
}

/// Room for the programs of blocks.
pub(super) struct Space([program::Space; 2]);

impl Space {
    #[inline(always)]
    pub(super) const fn new() -> Space {
        Space([program::Space::new(), program::Space::new()])
    }
}

impl<'a> Blocks<'a> {
    /// Of nothing, to be made those of a nest where they are.
    #[inline(always)]
    pub(super) fn within(Space([single, group]): &'a mut Space) -> Blocks<'a> {
        Blocks {
            isa: Isa::Portable,
            depth: 0,
            strided: true,
            tiles: None,
            single: Program::within(single),
            rows: SmallVec::new(),
            together: 0,
            gap: 0,
            group: Program::within(group),
        }
    }

    /// Of a plan that is run often by kernels of `isa`, whose permutations these are.
    ///
    /// # Panics
    ///
    /// If the machine does not have it.
    pub(crate) fn prepared(nest: &Nest, isa: Isa, lanes: Lanes) -> Box<Blocks<'static>> {
        assert!(isa.available());
        let mut space = Space::new();
        let mut blocks = Blocks::within(&mut space);
        blocks.isa = isa;
        blocks.set(nest, lanes, (false, usize::MAX));
        let Blocks { ref rows, ref single, ref group, .. } = blocks;
        Box::new(Blocks { rows: rows.clone(), single: single.kept(), group: group.kept(), ..blocks })
    }

    /// Whether one program is all there is.
    #[inline(always)]
    pub(crate) fn are_all(&self) -> bool {
        self.depth == 0 && !self.strided && self.rows.is_empty()
    }

    /// Whether programs read what they wrote, which is not to be streamed.
    pub(crate) fn repeats(&self) -> bool {
        self.single.repeats() || self.group.repeats()
    }

    /// The moves of a block, or of a row of one.
    pub(crate) fn moves(&self) -> usize {
        self.single.moves()
    }

    /// Makes blank ones those of a plan that is run `once`, or often, from a [`Source`](super::places::Source) that is this
    /// `solid`.
    pub(super) fn set(&mut self, nest: &Nest, lanes: Lanes, (once, solid): (bool, usize)) {
        let axes = &nest.axes[..];
        let Some((row, outer)) = axes.split_last() else { return };
        // Only what lies between elements may be read together.
        let is_solid = |axis: &Axis| axis.src_stride.unsigned_abs() <= solid;
        let lanes = if is_solid(row) { lanes } else { lanes.apart() };
        let merged = row.dst_stride == nest.unit as isize
            && outer.last().is_some_and(|axis| nest.sequential && is_merged(lanes, nest.unit, axis, row));
        self.tiles = if merged { None } else { Tiles::of(nest) };
        if self.tiles.is_some() {
            return;
        }
        self.depth = outer.len();
        if row.dst_stride != nest.unit as isize {
            return;
        }
        self.strided = false;
        let bytes_of_row = row.out * nest.unit;
        let mut bytes = bytes_of_row;
        let all = outer.iter().fold(bytes, |bytes, axis| bytes * axis.out);
        let mut packing = Packing { lanes, once, repeats: !once && all <= MOST_BYTES_REPEATED };
        let mut budget = 0;
        if nest.sequential {
            // To pack a byte takes as long as to write sixteen.
            budget = if once { (all / 16).min(MOST_BYTES) } else { MOST_BYTES };
            let room = room_once(row, nest.unit, lanes);
            while let Some(outer) = self.depth.checked_sub(1) {
                let is_volume = self.depth + 1 < axes.len();
                let most = if once {
                    budget.min(room)
                } else if all <= MOST_BYTES_OF_ALL {
                    all
                } else if is_volume
                    || are_short_rows(bytes_of_row, lanes)
                    || bytes_of_row < in_one_go_from(lanes, nest) && has_short_runs(&axes[outer])
                {
                    MOST_BYTES_OF_SHORT_AXES
                } else {
                    budget
                };
                if bytes * axes[outer].out > most || !is_solid(row) || !is_solid(&axes[outer]) {
                    break;
                }
                self.depth = outer;
                bytes *= axes[outer].out;
            }
        }
        if self.take_planes(nest, packing, solid, all) {
            return;
        }
        // Where they stay: to move them takes as long as to work them out.
        seq_macro::seq!(N in 0..6 {
            const { assert!(RANK == 6) };
            #(let mut segments~N = Segments::new();)*
            let segments: [&mut Segments; RANK] = [#(&mut segments~N,)*];
        });
        for axis in self.depth..axes.len() {
            axes[axis].list(segments[axis]);
        }
        // Rows that are copied are one move a segment, however many.
        if let (true, Some(around)) =
            (nest.sequential && self.depth == outer.len(), self.depth.checked_sub(1))
            && (merged || copied(packing.lanes, row, segments[self.depth], nest.unit).is_some())
        {
            axes[around].list(segments[around]);
            if expands_within(segments[around], MOST_SEGMENTS) {
                self.depth = around;
                budget = 0;
                // Windows of such rows may not be moved to where others' memory is.
                if !is_solid(&axes[around]) {
                    packing.lanes = packing.lanes.apart();
                }
            }
        }
        let segments = &segments.map(|segments| &*segments)[self.depth..axes.len()];
        let (around, inside) = axes.split_at(self.depth);
        if !around.last().is_some_and(is_solid) {
            budget = 0;
        }
        self.pack(nest, packing, around, inside, segments, (bytes, budget));
        let are_rows = nest.sequential && self.depth == outer.len() && self.together == 0;
        if are_rows && self.depth > 1 && self.take_rows(&axes[self.depth - 1]) {
            self.depth -= 1;
            return;
        }
        if !once && self.are_all() {
            self.single.list_registers(lanes, nest.element, (nest.src, nest.src_len));
        } else if nest.sequential && (!once || solid == usize::MAX && all >= LISTED_FROM) {
            // Of a plan that is run once what is left over by groups is not worth it.
            if !once || self.together == 0 {
                self.single.list_rows(lanes, nest.element, once);
            }
            self.group.list_rows(lanes, nest.element, once);
        }
    }

    /// Takes planes of rows for blocks where they are fast, and tells whether it did: tables are needed of a row only. 512 planes of 14 by
    /// 14 floats, mirrored by 1, took 25 us as blocks of a program and 18 so, 600 of 20 by 4 complex numbers 64 and 34 (Zen 3, AVX2). Of longer
    /// registers rows that share none are wasteful.
    fn take_planes(&mut self, nest: &Nest, packing: Packing, solid: usize, all: usize) -> bool {
        let Packing { lanes, once, .. } = packing;
        let [.., planes, around, row] = &nest.axes[..] else { return false };
        let (rank, bytes) = (nest.axes.len(), row.out * nest.unit);
        let (is_apart, are_packed) = (row.interior > 0 || around.interior > 0, self.depth + 2 == rank);
        let are_fast = if is_apart {
            // Planes that are apart themselves are run one by one.
            let many = planes.interior == 0 && planes.len >= FEWEST_PLANES;
            let is_single = row.is_constant() && row.interior == 0;
            many && !is_single && around.len > 1 && bytes * around.out > LEAST_BYTES_OF_PLANE
        } else {
            are_packed
                && !row.is_constant()
                && bytes >= in_one_go_from(lanes, nest)
                && around.out >= FEWEST_ROWS
        };
        let spilled = bytes.wrapping_neg() % LINE;
        let is_much = if is_apart { spilled >= bytes / MOST_SPILLED } else { spilled > 0 };
        let are_wasteful = lanes.window == LINE && is_much;
        if !nest.sequential || self.depth + 2 < rank || !are_fast || are_wasteful {
            return false;
        }
        let mut segments = Segments::new();
        row.list(&mut segments);
        self.single.add(packing, nest.unit, core::slice::from_ref(row), &[&segments], (0, 1), 0);
        let may_list = !once || solid == usize::MAX && all >= LISTED_FROM;
        if is_apart && may_list && lanes.window.is_multiple_of(nest.unit) {
            self.single.list_rows(lanes, nest.element, once);
        }
        let is_fast = is_apart || self.is_in_one_go(lanes, nest);
        if is_fast && self.take_rows(around) {
            self.depth = rank - 2;
            return true;
        }
        self.single.clear();
        false
    }

    /// Takes planes for blocks, if these are a few runs of rows with borders along the axis `around` them, or of rows that are listed, and
    /// nothing else but fill around the latter.
    fn take_rows(&mut self, around: &Axis) -> bool {
        let are_listed = self.single.is_rows();
        if !(are_listed || self.single.is_bordered()) {
            return false;
        }
        let mut segments = Segments::new();
        around.list(&mut segments);
        if !expands_within(&segments, 2 * MOST_RUNS + 1) {
            return false;
        }
        // Of single rows the gap says nothing, and may be longer than memory.
        let mut gaps = segments.expanded().filter_map(|segment| match segment {
            Segment::Source { count: 2.., gap, .. } => Some(gap),
            _ => None,
        });
        let gap = gaps.next().unwrap_or(0);
        if gaps.any(|other| other != gap) {
            return false;
        }
        let gap = gap as isize;
        let (stride, mut dst) = (around.dst_stride, 0);
        for segment in segments.expanded() {
            match segment {
                Segment::Source { from, step, count, .. }
                    if self.rows.len() < MOST_RUNS && (gap == 0 || are_listed) =>
                {
                    let (src, step) = (from * around.src_stride, step * around.src_stride);
                    let pitch = (1 + gap) * stride;
                    self.rows.push(Run { src, step, dst, pitch, count });
                    dst += count as isize * pitch - gap * stride;
                }
                Segment::Fill { count } if are_listed => dst += count as isize * stride,
                _ => {
                    self.rows.clear();
                    return false;
                }
            }
        }
        !self.rows.is_empty()
    }

    /// Whether single blocks that follow each other are written in one go, and as fast as any.
    fn is_in_one_go(&self, lanes: Lanes, nest: &Nest) -> bool {
        let from = match lanes.are_slow() {
            true if self.single.copies() => COPIED_IN_ONE_GO_FROM,
            true if self.single.moves() == 1 => MOVED_IN_ONE_GO_FROM,
            true => IN_ONE_GO_FROM,
            false => in_one_go_from(lanes, nest),
        };
        self.single.bytes() >= from && self.single.is_bordered()
    }

    /// Packs all of `inside`, whose output is `bytes` bytes: one of it, and if the `budget` allows several.
    fn pack(
        &mut self,
        nest: &Nest,
        packing: Packing,
        around: &[Axis],
        inside: &[Axis],
        segments: &[&Segments],
        (bytes, budget): (usize, usize),
    ) {
        let Packing { lanes, once, .. } = packing;
        self.single.add(packing, nest.unit, inside, segments, (0, 1), 0);
        if let Some(axis) = around.last()
            && lanes.window > 0
        {
            let gap = gap(axis);
            let bytes = bytes.saturating_mul(gap.saturating_add(1));
            let mut together = together(axis, bytes).min(budget / bytes.max(1));
            if once && gap == 0 {
                together = together.min(ending_with(lanes.window, bytes));
            }
            // Blocks that end with a register share none, and those that have loops of their own need not: 90 drawn shapes of planes of 100
            // to 255 bytes with fill took 0.7 of the time on average that they took in groups (0.26 to 1.23; Zen 3, AVX2).
            let have_loops = nest.sequential && (self.single.is_plane() || self.is_in_one_go(lanes, nest));
            let alone = gap == 0 && (bytes.is_multiple_of(lanes.window) || have_loops);
            let together = if alone { 0 } else { together };
            if together > usize::from(gap == 0) {
                (self.together, self.gap) = (together, gap);
                let step = (axis.src_stride, together);
                self.group.add(packing, nest.unit, inside, segments, step, gap);
            }
        }
    }
}

/// The fewest bytes of rows that may be written in one go; of those of slow registers that are not copied in part more are needed.
fn in_one_go_from(lanes: Lanes, nest: &Nest) -> usize {
    let is_far = lanes.window < LINE && nest.dst_len >= FAR;
    if lanes.are_slow() || is_far { COPIED_IN_ONE_GO_FROM } else { IN_ONE_GO_FROM }
}

/// Whether many rows of so many bytes are fast as one block.
fn are_short_rows(bytes: usize, lanes: Lanes) -> bool {
    if lanes.are_slow() { bytes < MOVED_IN_ONE_GO_FROM } else { bytes <= SHORT_ROWS }
}

/// Whether an axis is a few positions from the source forward, and others backward or held.
fn has_short_runs(axis: &Axis) -> bool {
    !axis.is_constant() && axis.out <= SHORT_RUNS && axis.inside().len() < axis.out
}

/// The most bytes of a block of such rows in a plan that is run once: so many rows, or registers. Rows whose elements are in one window
/// share these: 512 planes of 8 by 8 floats with gaps, 21 rows of 84 bytes each, took 21 us so, and 58 row by row (Zen 4). Borders of
/// elements that are far from others take one more each. Where nothing is permuted a row takes two moves for each border, and one.
fn room_once(row: &Axis, unit: usize, lanes: Lanes) -> usize {
    let (bytes, elements) = (row.out * unit, usize::try_from(row.len).unwrap_or(usize::MAX));
    let registers = match lanes.window {
        0 => return bytes.saturating_mul(MOST_REGISTERS_ONCE / 5),
        window if elements.saturating_mul(unit) <= window => {
            return (MOST_REGISTERS_ONCE * bytes.min(window)).max(MOST_BYTES_ONCE);
        }
        window => bytes.div_ceil(window) + if row.is_constant() { 0 } else { 2 },
    };
    (MOST_REGISTERS_ONCE / registers).saturating_mul(bytes).max(MOST_BYTES_ONCE)
}

/// How many blocks of `bytes` along `axis` are packed together.
fn together(axis: &Axis, bytes: usize) -> usize {
    let inside = axis.inside().len() / gap(axis).saturating_add(1);
    if bytes >= GROUPED { 1 } else { GROUPED.div_ceil(bytes.max(1)).min(inside) }
}

/// The fewest blocks of `bytes` that end with a register of `window` bytes, a power of two. Where a plan is run once no more are
/// packed, as each takes 30 ns: 15,000 pixels of one byte and three of fill took 1.9 us so, and 3.3 with as many as otherwise (Zen 4).
fn ending_with(window: usize, bytes: usize) -> usize {
    window >> bytes.trailing_zeros().min(window.trailing_zeros())
}

/// Positions of fill between two of an axis; of a gap that is longer than memory as many as there can be.
fn gap(axis: &Axis) -> usize {
    usize::try_from(axis.interior).unwrap_or(usize::MAX)
}

/// Whether `segments` are at most `most` with all repetitions made. They are not counted to their end: a border that repeats
/// itself may be as long as memory.
fn expands_within(segments: &Segments, most: usize) -> bool {
    segments.expanded().nth(most).is_none()
}
