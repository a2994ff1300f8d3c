//! A program lists how a block is summed along its own axes. It is made once and runs for every block.
//!
//! A program consists of passes, which run one after the other. Each pass sums one axis, the innermost axis first. It writes its
//! sums in ascending order, register by register. A lane is one sum of a register. A group is some rows that a pass processes
//! together to fill registers.

use alloc::vec::Vec;

use smallvec::SmallVec;

use crate::plan::pattern::BLOCK;

/// The passes of a block. Offsets count numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Program {
    pub(super) passes: SmallVec<[Pass; 4]>,
    /// The indices of the permutations.
    pub(super) tables: Vec<Table>,
    /// The lengths, in sums, of two buffers that passes read and write alternately. The first buffer also holds copies of blocks
    /// that cannot be read in place.
    pub(super) buffers: [usize; 2],
    /// The number of sums that the last pass may write past a slot, if the last group of rows is incomplete.
    pub(super) over: usize,
    /// The least number of blocks whose rows fill whole groups of the last pass, or 1 if there is no such number.
    pub(super) whole: usize,
}

/// The indices of one permutation, in one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Table(pub(super) [u8; BLOCK]);

/// Sums one axis of a block. A pass processes rows in groups.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pass {
    /// The number of rows of a block, and of a group.
    pub(super) rows: usize,
    pub(super) group: usize,
    /// The distance of two groups in the source, and in the sums.
    pub(super) steps: (usize, usize),
    /// The end of the numbers that a group reads, counted from the start of the group.
    pub(super) reach: usize,
    /// The moves by ascending output offset. A move may write past its sums, because later moves overwrite these lanes.
    pub(super) moves: Vec<Sum>,
    pub(super) picks: Vec<Pick>,
}

/// Computes `count` consecutive sums from sum number `dst`. The range `picks` lists where their terms are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) dst: u32,
    pub(super) count: u32,
    pub(super) picks: (u32, u32),
    pub(super) kind: Kind,
}

/// How sums are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Neighbouring sums have neighbouring terms. Registers are written whole, except the last one if `exact` is true.
    Run { exact: bool },
    /// Permutations collect the terms of at most one register of sums. `removed` is the table that sets the lanes without terms.
    Gather { removed: Option<u32> },
}

/// A source offset and a permutation. For [`Kind::Gather`], the register at `src` is permuted with the table and added. For
/// [`Kind::Run`], consecutive numbers from `src` on are added without a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pick {
    pub(super) src: u32,
    pub(super) table: u32,
}

/// The registers that a program is made for: sums of `sum` bytes in registers of `register` bytes. Indices count `grain` bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Registers {
    pub(super) register: usize,
    pub(super) grain: usize,
    pub(super) sum: usize,
    /// The size in bytes of a number that a permutation moves. If numbers are the upper bytes of sums, it may be less than `sum`.
    pub(super) number: usize,
}

impl Registers {
    pub(super) fn lanes(self) -> usize {
        self.register / self.sum
    }

    /// How many numbers a permutation chooses from.
    pub(super) fn numbers(self) -> usize {
        self.register / self.number
    }
}

impl Program {
    /// The bytes of scratch memory besides the slots.
    pub(crate) fn bytes(&self, sum: usize) -> usize {
        (self.buffers[0] + self.buffers[1] + self.over) * sum
    }

    /// Returns how many numbers the program reads and writes for some blocks, including numbers past the end of the blocks.
    #[inline(always)]
    pub(super) fn extents(&self, blocks: usize) -> (usize, usize) {
        let last = self.passes.len() - 1;
        (self.passes[0].extent(blocks).0, self.passes[last].extent(blocks).1)
    }

    /// Returns the end of the numbers that a row reads, if each block is one row and rows are summed one by one. Rows that are
    /// summed one by one need not be contiguous.
    #[inline(always)]
    pub(super) fn row_reach(&self) -> Option<usize> {
        match self.passes[..] {
            [Pass { rows: 1, group: 1, reach, .. }] => Some(reach),
            _ => None,
        }
    }
}

impl Pass {
    /// The number of groups in this number of blocks.
    #[inline(always)]
    pub(super) fn groups(&self, blocks: usize) -> usize {
        (self.rows * blocks).div_ceil(self.group)
    }

    /// Returns how many numbers are read, and how many are written, for this number of blocks.
    #[inline(always)]
    pub(super) fn extent(&self, blocks: usize) -> (usize, usize) {
        let before = self.groups(blocks) - 1;
        (before * self.steps.0 + self.reach, (before + 1) * self.steps.1)
    }
}
