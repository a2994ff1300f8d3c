//! A program lists how a block is summed along its own axes. The plan makes it once, and it runs for every block.
//!
//! A program has one stage per axis, the innermost axis first. A stage writes its sums in ascending order, register by register. A lane is
//! one sum of a register. A group consists of rows that a stage processes together, so that short rows fill a register.

use alloc::vec::Vec;

use smallvec::SmallVec;

use crate::plan::pattern::BLOCK;

/// The stages of a block. Offsets count numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Program {
    pub(super) stages: SmallVec<[Stage; 4]>,
    /// The indices of the permutations.
    pub(super) tables: Vec<Table>,
    /// The lengths, in sums, of two buffers. Each stage reads one of them and writes the other. Blocks that cannot be read in place are
    /// first copied to the first buffer.
    pub(super) buffers: [usize; 2],
    /// The number of sums that the last stage may write past a slot. It does so if the last group of rows is incomplete.
    pub(super) over: usize,
    /// The smallest number of blocks whose rows fill whole groups of the last stage.
    pub(super) whole: usize,
}

/// The indices of one permutation, in one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Table(pub(super) [u8; BLOCK]);

/// A bit in the last byte of an index. It says that the index names a number. Permutations of two registers use it.
pub(super) const NAMED: u8 = 0x80;

/// Sums one axis. It processes the rows in groups.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stage {
    /// The number of rows in a block, and the number of rows in a group.
    pub(super) rows: usize,
    pub(super) group: usize,
    /// The distance of two groups in the source, and in the sums.
    pub(super) steps: (usize, usize),
    /// The end of the numbers that a group reads, from its start.
    pub(super) reach: usize,
    /// The moves, sorted by output offset. A move may write past its sums, because later moves overwrite the excess.
    pub(super) moves: Vec<Sum>,
    /// The source offsets of the terms that are read without permutation.
    pub(super) terms: Vec<u32>,
    pub(super) picks: Vec<Pick>,
}

/// How a stage computes some of its sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    /// Computes `count` consecutive sums whose terms are consecutive, too. Unless `exact`, it writes whole registers. `terms` is a range of
    /// the stage's list.
    Run { dst: u32, count: u32, exact: bool, terms: (u32, u32) },
    /// Computes one register of sums from numbers at any offsets.
    ///
    /// - The first lanes are written to `parts[0]`, and the others to `parts[1]`.
    /// - `each` is the number of picks per term, or 0 if it varies.
    /// - `filled` says that every lane has all terms, and that one pick provides each term of a part.
    /// - `shared` says that all picks load the same registers.
    /// - `removed` is the table of the lanes to which nothing is added.
    Gather {
        parts: [Part; 2],
        picks: (u32, u32),
        each: u32,
        filled: bool,
        shared: bool,
        removed: Option<u32>,
    },
}

/// The output offset of some lanes of a register, and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) dst: u32,
    pub(super) count: u32,
}

/// A permutation of numbers. They come from the register at `src[0]`, and also from the one at `src[1]` if permutations can choose from two
/// registers. The `last` pick of a term completes the term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pick {
    pub(super) src: [u32; 2],
    pub(super) table: u32,
    pub(super) last: bool,
}

/// The registers that a program is made for: sums of `sum` bytes in registers of `register` bytes. Indices count `grain` bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Registers {
    pub(super) register: usize,
    pub(super) grain: usize,
    pub(super) sum: usize,
    /// The number of bytes that a permutation moves for a number of the output's gradient. They are the upper bytes of a sum, or all of
    /// them.
    pub(super) number: usize,
    /// True if a permutation chooses sums from two registers. Then each of its indices is the number of a sum.
    pub(super) pairs: bool,
    /// True if the order of additions does not matter, as for integers.
    pub(super) any_order: bool,
}

impl Registers {
    pub(super) fn lanes(self) -> usize {
        self.register / self.sum
    }

    /// Returns how many numbers a permutation can choose from.
    pub(super) fn numbers(self) -> usize {
        self.register / self.number
    }
}

impl Program {
    /// Returns the size of the scratch memory besides the slots, in bytes.
    pub(crate) fn bytes(&self, sum: usize) -> usize {
        (self.buffers[0] + self.buffers[1] + self.over) * sum
    }
}

impl Stage {
    /// Returns the number of groups in `blocks` blocks.
    #[inline(always)]
    pub(super) fn groups(&self, blocks: usize) -> usize {
        (self.rows * blocks).div_ceil(self.group)
    }

    /// Returns how many numbers the program reads and how many it writes, for `blocks` blocks.
    #[inline(always)]
    pub(super) fn extent(&self, blocks: usize) -> (usize, usize) {
        let before = self.groups(blocks) - 1;
        (before * self.steps.0 + self.reach, (before + 1) * self.steps.1)
    }
}
