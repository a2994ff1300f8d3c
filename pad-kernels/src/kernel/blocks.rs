//! Cuts the output of a nest into blocks, and makes the programs that write them.
//!
//! A block is the innermost part of the output that one program writes. A program is a list of operations (moves) such as
//! copies and fills. For an output of shape `[100, 3, 10]`, a block can be one row of 10 elements, or a plane of 3 rows.
//!
//! A group is several short blocks that one program writes, so that they can share registers. A plan that runs often is prepared.
//!
//! Rows whose units are not contiguous in the output have no program. `strided.rs` writes them unit by unit.
//!
//! The limits in this file were found by measurements. Many comments name a machine and one result.

use alloc::boxed::Box;

use crate::isa::Isa;
use crate::kernel::program::{Draft, LARGE, Lanes, Packing, Program, is_merged, row_of_copy};
use crate::kernel::threshold;
use crate::kernel::tile::Tiles;
use crate::plan::axis::Axis;
use crate::plan::form::{Segment, Segments};
use crate::plan::nest::Nest;

/// The maximum size of a group in bytes. In a plan that runs once, it also limits a block, and a sixteenth of the output is another
/// limit.
const MOST_BYTES_OF_GROUP: usize = 2048;

/// The maximum size of a block in bytes, in a prepared plan. Zen 3 with AVX2, mirrored volumes: with blocks of half this size,
/// they take 1.4 times as long. With larger blocks, they take up to 2.7 times as long.
const MOST_BYTES_OF_BLOCK: usize = 4096;

/// The maximum size in bytes of a dilated plane that is a block of moves. Longer planes are written row by row. Zen 3, 167 outputs
/// with dilated planes: rows take 0.95 times as long as moves, and half as long in outputs of 4 to 9 MB. In outputs of one to three
/// planes, they take 1.12 times as long.
const SHORT_PLANE: usize = threshold(MOST_BYTES_OF_BLOCK, 256);

/// The maximum size in bytes of an output that one program of a prepared plan writes as a whole.
///
/// Zen 3: volumes of 4 to 8 KiB take 0.54 times as long in one program. Volumes of 8 to 16 KiB take up to 2.4 times as long.
const MOST_BYTES_OF_ALL: usize = threshold(8 << 10, 512);

/// The maximum number of consecutive blocks that are written from lists of registers instead of in batches.
const FEW_BLOCKS: usize = 8;

/// The size in bytes up to which a block of a plan that runs once may have any number of registers.
const MOST_BYTES_ONCE: usize = 512;

/// The maximum number of registers in a longer block of such a plan, or of moves without permutations. Its program is on the stack,
/// which has room for so many moves ([`Draft`]).
const MOST_REGISTERS_ONCE: usize = 32;

/// The number of moves that a row needs at most without permutations: two for each border, and one for its interior.
const MOVES_OF_A_ROW: usize = 5;

/// The maximum rank of a kernel.
const RANK: usize = 6;

/// The maximum number of segments of the axis around the rows, if each segment becomes one move or one run of rows. A repeated
/// segment counts once for each time that it occurs.
///
/// Xeon with AMX: planes with borders of copied rows take 0.75 to 0.95 times as long with such moves. A row that wraps sixteen
/// times takes 1.6 times as long.
const MOST_SEGMENTS: usize = 8;

/// The blocks of a nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blocks<'a> {
    /// The instruction set of prepared programs. The function `prepared` has checked that the machine has it.
    pub(super) isa: Isa,
    /// The number of axes outside a block.
    pub(super) depth: usize,
    /// True if the rows have no program. Their units are written one by one, or in `tiles`.
    pub(super) strided: bool,
    /// The tiles, if the rows of the output are columns of the source.
    pub(super) tiles: Option<Tiles>,
    /// The program of one block.
    pub(super) single: Program<'a>,
    /// The number of blocks in `group`, or 0 if there is no group. Consecutive blocks are one outer stride apart in the source.
    /// In the output, `gap` positions of fill follow each block.
    pub(super) grouped: usize,
    pub(super) gap: usize,
    pub(super) group: Program<'a>,
}

/// The programs of a `Blocks` while they are packed, on the stack. A `Blocks` borrows their lists.
pub(super) type Drafts = [Draft; 2];

impl<'a> Blocks<'a> {
    /// Returns an empty value. The caller then calls [`set`](Self::set).
    #[inline(always)]
    pub(super) fn empty() -> Blocks<'a> {
        let (single, group) = (Program::default(), Program::default());
        Blocks { isa: Isa::Portable, depth: 0, strided: true, tiles: None, single, grouped: 0, gap: 0, group }
    }

    /// Returns the programs of a plan that runs often, with kernels of `isa`. `lanes` describes the permutations of `isa`.
    ///
    /// # Panics
    ///
    /// The call panics if the machine does not have `isa`.
    pub(crate) fn prepared(nest: &Nest, isa: Isa, lanes: Lanes) -> Box<Blocks<'static>> {
        assert!(isa.available());
        let mut drafts = [Draft::new(), Draft::new()];
        let mut blocks = Blocks { isa, ..Blocks::empty() };
        blocks.set(nest, lanes, (false, false), usize::MAX, &mut drafts);
        Box::new(Blocks { single: blocks.single.kept(), group: blocks.group.kept(), ..blocks })
    }

    /// Tells whether one program writes the whole output and lists all of its moves. A program of planes lists only those of one row.
    #[inline(always)]
    pub(crate) fn are_all(&self) -> bool {
        self.depth == 0 && !self.strided && !self.single.are_planes()
    }

    /// Tells whether a program reads what it has written. The output of such a program must stay in the cache.
    pub(crate) fn repeats(&self) -> bool {
        self.single.repeats() || self.group.repeats()
    }

    /// Returns the number of moves of a block.
    pub(crate) fn moves(&self) -> usize {
        self.single.moves()
    }

    /// Makes the programs of `nest`. Before the call, the value must be empty.
    ///
    /// `once` says that the programs run only once, and `streams` that their output goes to a stream. `solid` is the maximum
    /// stride, in bytes, of an axis without bytes of other tensors between its elements. It comes from the
    /// [`Source`](super::places::Source).
    pub(super) fn set(
        &mut self,
        nest: &Nest,
        lanes: Lanes,
        (once, streams): (bool, bool),
        solid: usize,
        drafts: &'a mut Drafts,
    ) {
        let axes = &nest.axes[..];
        let Some((row, outer)) = axes.split_last() else { return };
        // Permutations load whole registers, so the bytes between elements must be readable.
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
        let mut bytes = row.out * nest.unit;
        let all = outer.iter().fold(bytes, |bytes, axis| bytes * axis.out);
        let mut packing = Packing { lanes, once };
        if nest.sequential && !once && all > MOST_BYTES_OF_ALL && self.set_planes(nest, packing) {
            return;
        }
        let mut budget = 0;
        if nest.sequential {
            // Packing a byte takes 16 times as long as writing it. With a sixteenth of the output as the limit, packing takes at most
            // as long as writing the output.
            budget = if once { (all / 16).min(MOST_BYTES_OF_GROUP) } else { MOST_BYTES_OF_GROUP };
            let room = room_once(row, nest.unit, lanes);
            while let Some(outer) = self.depth.checked_sub(1) {
                let most = if once {
                    budget.min(room)
                } else if all <= MOST_BYTES_OF_ALL {
                    all
                } else {
                    MOST_BYTES_OF_BLOCK
                };
                if bytes * axes[outer].out > most || !is_solid(row) || !is_solid(&axes[outer]) {
                    break;
                }
                self.depth = outer;
                bytes *= axes[outer].out;
            }
        }
        // The lists stay in these variables, because moving a list takes as long as computing it.
        seq_macro::seq!(N in 0..6 {
            const { assert!(RANK == 6) };
            #(let mut segments~N = Segments::new();)*
            let segments: [&mut Segments; RANK] = [#(&mut segments~N,)*];
        });
        for axis in self.depth..axes.len() {
            axes[axis].list(segments[axis]);
        }
        // One move can write all rows of a segment, even long ones, if units are merged or if a row is one copy with fill around it.
        // The number of moves then depends only on the axis around the rows. A stream does not use this, because its blocks are short.
        if nest.sequential
            && !streams
            && self.depth == outer.len()
            && let Some(around) = self.depth.checked_sub(1)
            && (merged || row_of_copy(packing.lanes, row, segments[self.depth], nest.unit).is_some())
        {
            axes[around].list(segments[around]);
            if expands_within(segments[around], MOST_SEGMENTS) {
                self.depth = around;
                budget = 0;
                // If bytes of other tensors lie between the rows, loads must not read past the elements of a row.
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
        self.pack(nest, packing, (around, inside), segments, (bytes, budget), drafts);
        if !once && self.are_all() {
            // `-src` does not overflow, because the block begins less than `isize::MAX` bytes before the source, or inside of it.
            let readable = (-nest.src, (nest.src_len as isize).saturating_sub(nest.src));
            self.single.list_registers(packing.lanes, nest.element, Some(readable));
        } else if !once && (nest.dst_len >= LARGE || around.last().is_some_and(has_short_runs)) {
            self.single.list_registers(packing.lanes, nest.element, None);
            self.group.list_registers(packing.lanes, nest.element, None);
        }
    }

    /// Makes the blocks planes of bordered or dilated rows. Returns false and changes nothing if the rows are of another kind.
    fn set_planes(&mut self, nest: &Nest, packing: Packing) -> bool {
        let [.., around, row] = &nest.axes[..] else { return false };
        let is_dilated = row.interior > 0;
        let is_slower = match is_dilated {
            true => around.out * row.out * nest.unit <= SHORT_PLANE,
            // If only the rows have fill, one move copies all rows of a segment.
            false => around.is_constant() || row.is_constant(),
        };
        if is_slower {
            return false;
        }
        let (mut draft, mut of_around, mut of_row) = (Draft::new(), Segments::new(), Segments::new());
        around.list(&mut of_around);
        row.list(&mut of_row);
        let (inside, segments) = (core::slice::from_ref(row), [&of_row]);
        let mut program = Program::packed(&mut draft, packing, nest.unit, inside, &segments, (0, 1), 0);
        let are_planes = expands_within(&of_around, MOST_SEGMENTS)
            && program.set_planes(around, &of_around, nest.element, is_dilated);
        if are_planes {
            self.depth = nest.axes.len() - 2;
            self.single = program.kept();
        }
        are_planes
    }

    /// Packs the axes `inside` into one program. Their output has `bytes` bytes. If the `budget` allows it, a group is packed,
    /// too.
    fn pack(
        &mut self,
        nest: &Nest,
        packing: Packing,
        (around, inside): (&[Axis], &[Axis]),
        segments: &[&Segments],
        (bytes, budget): (usize, usize),
        [single, group]: &'a mut Drafts,
    ) {
        let lanes = packing.lanes;
        self.single = Program::packed(single, packing, nest.unit, inside, segments, (0, 1), 0);
        if let Some(axis) = around.last()
            && lanes.window > 0
        {
            let gap = gap(axis);
            let bytes = bytes.saturating_mul(gap.saturating_add(1));
            let grouped = blocks_in_group(axis, bytes, lanes.window).min(budget / bytes.max(1));
            if grouped > usize::from(gap == 0) {
                (self.grouped, self.gap) = (grouped, gap);
                let step = (axis.src_stride, grouped);
                self.group = Program::packed(group, packing, nest.unit, inside, segments, step, gap);
            }
        }
    }
}

/// Returns the maximum size of a block in a plan that runs once, in bytes. It depends on the number of registers or moves in a
/// row.
///
/// A window is the source bytes that a permutation loads as one register. If all elements of a row are in one window, rows
/// share registers, and a block has several rows. Zen 4, planes of 8 by 8 floats with gaps: such blocks take 0.36 times as long
/// as blocks of one row. If a row is longer than a window, each border may need one more register.
fn room_once(row: &Axis, unit: usize, lanes: Lanes) -> usize {
    let (bytes, elements) = (row.out * unit, usize::try_from(row.len).unwrap_or(usize::MAX));
    let registers = match lanes.window {
        0 => return bytes.saturating_mul(MOST_REGISTERS_ONCE / MOVES_OF_A_ROW),
        window if elements.saturating_mul(unit) <= window => {
            return (MOST_REGISTERS_ONCE * bytes.min(window)).max(MOST_BYTES_ONCE);
        }
        window => bytes.div_ceil(window) + if row.is_constant() { 0 } else { 2 },
    };
    (MOST_REGISTERS_ONCE / registers).saturating_mul(bytes).max(MOST_BYTES_ONCE)
}

/// Returns how many blocks along `axis` become a group. `bytes` is the size of a block with the fill after it. Several blocks become
/// a group if they fit one register, which takes bytes from up to two windows. With fill after it, a single block of any size is a
/// group, too.
fn blocks_in_group(axis: &Axis, bytes: usize, window: usize) -> usize {
    let apart = (window.saturating_sub(bytes)).checked_div(axis.src_stride.unsigned_abs());
    let fit = apart.map_or(usize::MAX, |apart| 2 * (apart + 1));
    let inside = axis.inside().len() / gap(axis).saturating_add(1);
    let least = usize::from(gap(axis) > 0);
    (window / bytes.max(1)).min(fit).min(inside).max(least)
}

/// Tells whether few consecutive blocks have equally spaced sources. Their batches would be too short.
///
/// Zen 3 with AVX2, 50 outputs with short axes: lists of registers take 0.93 times as long as such batches, and up to 0.33 times.
fn has_short_runs(around: &Axis) -> bool {
    let is_short = |segment: &Segment| match segment {
        Segment::Source { count, .. } => *count <= FEW_BLOCKS,
        _ => true,
    };
    around.segments().iter().all(is_short)
}

/// Returns the number of fill positions between two elements of an axis, or `usize::MAX` if that number is larger.
fn gap(axis: &Axis) -> usize {
    usize::try_from(axis.interior).unwrap_or(usize::MAX)
}

/// Tells whether there are at most `most` segments after repetitions are expanded. The function counts no further, because a
/// border may have a huge number of repetitions.
fn expands_within(segments: &Segments, most: usize) -> bool {
    segments.expanded().nth(most).is_none()
}
