//! What the innermost axes of a plan come to: a program for each block, or rows whose units are apart in the output.

use alloc::boxed::Box;

use smallvec::SmallVec;

use crate::kernel::program::{Lanes, Program};
use crate::kernel::tile::Tiles;
use crate::plan::axis::Axis;
use crate::plan::form::Segments;
use crate::plan::nest::Nest;

/// The most bytes of a block of a prepared plan: more axes than the innermost are packed where they are so small.
const MOST_BYTES: usize = 2048;

/// The most bytes of a prepared plan that is one block.
const MOST_BYTES_OF_ALL: usize = 4096;

/// Bytes that are packed together where blocks are shorter: the moves of several rows then share registers.
const GROUPED: usize = 256;

/// The blocks of a nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blocks {
    /// Axes around the blocks.
    pub(super) depth: usize,
    pub(super) kind: Kind,
}

/// How a block is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// By a program; so many at a time, whose sources are a stride of the axis around them apart, by another one.
    Programs { single: Program, group: Option<(usize, Program)> },
    /// Unit by unit: they are no neighbours in the output.
    Strided,
    /// By tiles: rows are columns of the source. They are all of the nest.
    Tiled(Tiles),
}

impl Blocks {
    /// Of what has none: packed elements.
    pub(super) const NONE: Blocks = Blocks { depth: 0, kind: Kind::Strided };

    /// Of a plan that is run often.
    pub(crate) fn prepared(nest: &Nest, lanes: Lanes) -> Box<Blocks> {
        Box::new(Blocks::new(nest, lanes, (false, usize::MAX)))
    }

    /// Whether one block is all there is.
    pub(crate) fn are_all(&self) -> bool {
        self.depth == 0
    }

    /// The moves of a block, if they are listed.
    pub(crate) fn moves(&self) -> Option<usize> {
        match &self.kind {
            Kind::Programs { single, .. } => Some(single.moves()),
            Kind::Strided | Kind::Tiled(_) => None,
        }
    }

    /// Of a plan that is run `once`, or often, from a [`Source`](super::places::Source) that is this `solid`.
    pub(super) fn new(nest: &Nest, lanes: Lanes, (once, solid): (bool, usize)) -> Blocks {
        let axes = &nest.axes[..];
        let Some((row, outer)) = axes.split_last() else {
            return Blocks::NONE;
        };
        if let Some(tiles) = Tiles::of(nest) {
            return Blocks { depth: 0, kind: Kind::Tiled(tiles) };
        }
        if row.dst_stride != nest.unit as isize {
            return Blocks { depth: outer.len(), kind: Kind::Strided };
        }
        // Only what lies between elements may be read together.
        let is_solid = |axis: &Axis| axis.src_stride.unsigned_abs() <= solid;
        let lanes = if is_solid(row) { lanes } else { Lanes::NONE };
        let mut depth = outer.len();
        let mut bytes = row.out * nest.unit;
        let mut budget = 0;
        if nest.sequential {
            let all = outer.iter().fold(bytes, |bytes, axis| bytes * axis.out);
            // To pack a byte takes as long as to write sixteen.
            budget = if once { all / 16 } else { MOST_BYTES };
            let most =
                |depth: usize| if once || depth > 0 { budget.min(MOST_BYTES) } else { MOST_BYTES_OF_ALL };
            while depth > 0
                && is_solid(row)
                && is_solid(&axes[depth - 1])
                && bytes * axes[depth - 1].out <= most(depth - 1)
            {
                depth -= 1;
                bytes *= axes[depth].out;
            }
        }
        let (around, inside) = axes.split_at(depth);
        let mut segments: SmallVec<[Segments; 4]> = SmallVec::new();
        segments.extend(inside.iter().map(|axis| axis.form().segments(nest.mode)));
        let pack = |step: isize, count: usize| {
            let mut program = Program::new(lanes);
            program.add((lanes, once), nest.unit, inside, &segments, step, count);
            program
        };
        let group = around
            .last()
            .map(|axis| (axis, group(axis, bytes).min(budget / bytes.max(1))))
            .filter(|(axis, count)| lanes.window > 0 && *count > 1 && is_solid(axis))
            .map(|(axis, count)| (count, pack(axis.src_stride, count)));
        Blocks { depth, kind: Kind::Programs { single: pack(0, 1), group } }
    }
}

/// How many blocks of `bytes` along `axis` are packed together.
fn group(axis: &Axis, bytes: usize) -> usize {
    if bytes >= GROUPED { 1 } else { GROUPED.div_ceil(bytes.max(1)).min(axis.inside().len()) }
}
