//! Programs: the innermost axes of a plan as a list of moves, worked out once and run for every block of the output.
//!
//! A block is one row, a few rows, whole planes, or of a small plan all there is. Its moves are in the order of the output,
//! and few, whatever the mode: what is next to each other in the output is gathered by permutations of registers.

mod pack;
mod run;

use smallvec::SmallVec;

use crate::kernel::simd::{Permute, Simd};
use crate::plan::axis::Axis;
use crate::plan::form::Segments;
use crate::plan::pattern::BLOCK;

pub(super) use run::{Run, run_exactly, run_move, run_program, stream_program};

/// The moves of a block. Places are bytes from the block's beginning in the source and in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    moves: SmallVec<[Move; 16]>,
    /// The indices of permutations.
    tables: SmallVec<[[u8; BLOCK]; 16]>,
    /// Bytes of the registers that are permuted, or 0 if none are.
    window: usize,
    /// The lowest place that is read, and behind the last one.
    src_start: isize,
    src_end: isize,
    /// Bytes of the output.
    len: usize,
}

/// Neighbours in the output that are made in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Neighbours of the source.
    Copy { src: isize, dst: usize, bytes: usize },
    /// Fill.
    Fill { dst: usize, bytes: usize },
    /// Bytes of one or two windows of the source, and fill, by tables from `table` on; `count` times, with windows `step` apart.
    Permute { windows: [Window; 2], step: isize, table: usize, dst: usize, bytes: usize, count: usize },
    /// `count` bodies of `body` bytes, `step` apart in the source, with `gap` bytes of fill between each two.
    Interleave { src: isize, step: isize, body: usize, dst: usize, gap: usize, count: usize },
    /// What was written from `from` on, repeated.
    Again { from: usize, dst: usize, bytes: usize },
}

/// Bytes of the source that a permutation takes from one register. A window of no bytes is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    src: isize,
    bytes: usize,
}

/// The permutations to pack programs for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes {
    /// Bytes of a register, or 0 if there are no permutations.
    pub(crate) window: usize,
    /// Bytes that move together.
    pub(crate) grain: usize,
}

impl Lanes {
    /// No permutations: units that are no neighbours move one by one.
    pub(super) const NONE: Lanes = Lanes { window: 0, grain: 1 };

    /// The widest permutations of an instruction set that move units of `unit` bytes.
    pub(super) const fn of<S: Simd>(unit: usize) -> Lanes {
        if unit.is_multiple_of(S::Wide::GRAIN) {
            Lanes { window: S::Wide::BYTES, grain: S::Wide::GRAIN }
        } else {
            Lanes { window: S::Narrow::BYTES, grain: 1 }
        }
    }
}

impl Program {
    /// An empty program.
    #[inline(always)]
    pub(super) fn new(lanes: Lanes) -> Program {
        Program {
            moves: SmallVec::new(),
            tables: SmallVec::new(),
            window: lanes.window,
            src_start: isize::MAX,
            src_end: isize::MIN,
            len: 0,
        }
    }

    /// How many moves.
    pub(crate) fn moves(&self) -> usize {
        self.moves.len()
    }

    /// Adds `count` positions of the output, each all of `axes`, whose sources are `step` apart. A program that runs `once`, or a
    /// few times, is packed the faster.
    pub(super) fn add(
        &mut self,
        (lanes, once): (Lanes, bool),
        unit: usize,
        axes: &[Axis],
        segments: &[Segments],
        step: isize,
        count: usize,
    ) {
        let mut packer = pack::Packer::new(self, lanes, unit, once);
        for i in 0..count as isize {
            packer.axes(axes, segments, i * step);
        }
        packer.finish();
    }
}
