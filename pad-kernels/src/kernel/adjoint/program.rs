//! Programs: how a block is summed, listed once and run for every block. A stage for each axis of the block, the innermost
//! first; a stage writes its sums in registers, in ascending order.

use alloc::vec::Vec;

use smallvec::SmallVec;

use crate::plan::pattern::BLOCK;

/// The stages of a block. Places count numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Program {
    pub(super) stages: SmallVec<[Stage; 4]>,
    /// The indices of permutations.
    pub(super) tables: Vec<Table>,
    /// The sums of two buffers that stages read and write in turn. The first one takes blocks that do not lie in one piece.
    pub(super) buffers: [usize; 2],
    /// Sums that the last stage writes behind those of a slot: of rows that complete a group.
    pub(super) over: usize,
    /// The blocks whose rows are whole groups of the last stage.
    pub(super) whole: usize,
}

/// Indices of a permutation, in a line of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Table(pub(super) [u8; BLOCK]);

/// In the last byte of an index of a permutation of two registers: there is one.
pub(super) const NAMED: u8 = 0x80;

/// One axis summed. Its rows are taken in groups.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stage {
    /// The rows of a block, and those of a group.
    pub(super) rows: usize,
    pub(super) group: usize,
    /// How far groups are apart in the source and in the sums.
    pub(super) steps: (usize, usize),
    /// Behind the last number of a group that is read.
    pub(super) reach: usize,
    /// In ascending order of the places that they write: what one writes behind its sums is written again by later ones.
    pub(super) moves: Vec<Sum>,
    /// Where terms begin that are read as they lie.
    pub(super) terms: Vec<u32>,
    pub(super) picks: Vec<Pick>,
}

/// What sums are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    /// `count` sums of neighbours: terms from and to. Whole registers are written unless it is `exact`.
    Run { dst: u32, count: u32, exact: bool, terms: (u32, u32) },
    /// The sums of a register, of numbers from anywhere, and the table of those that nothing is added to. Its first lanes are
    /// written to one place, and further ones to another. Each term is so many picks, if not 0. It is `filled` if all of these
    /// lanes have all terms, those of each part from one pick. All picks are of the same registers if those are `shared`.
    Gather {
        parts: [Part; 2],
        picks: (u32, u32),
        each: u32,
        filled: bool,
        shared: bool,
        removed: Option<u32>,
    },
}

/// Where lanes of a register are written, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) dst: u32,
    pub(super) count: u32,
}

/// Some numbers of the registers at `src`, by a table: of both if permutations choose from two, otherwise of the first. The `last`
/// one of a term completes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pick {
    pub(super) src: [u32; 2],
    pub(super) table: u32,
    pub(super) last: bool,
}

/// What a program is packed for: sums of `sum` bytes in registers of `register` bytes, whose indices count `grain` bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Registers {
    pub(super) register: usize,
    pub(super) grain: usize,
    pub(super) sum: usize,
    /// Bytes of a number of the output's gradient when it is permuted: the upper ones of a sum, or all of them.
    pub(super) number: usize,
    /// Whether permutations of sums choose from two registers. Their indices count sums.
    pub(super) pairs: bool,
    /// Whether sums are the same in any order.
    pub(super) any_order: bool,
}

impl Registers {
    pub(super) fn lanes(self) -> usize {
        self.register / self.sum
    }

    /// The numbers that a permutation chooses from.
    pub(super) fn numbers(self) -> usize {
        self.register / self.number
    }
}

impl Program {
    /// The bytes of scratch memory beside the blocks of sums.
    pub(crate) fn bytes(&self, sum: usize) -> usize {
        (self.buffers[0] + self.buffers[1] + self.over) * sum
    }
}

impl Stage {
    /// The groups of so many blocks.
    #[inline(always)]
    pub(super) fn groups(&self, blocks: usize) -> usize {
        (self.rows * blocks).div_ceil(self.group)
    }

    /// The numbers that are read and written for so many blocks.
    #[inline(always)]
    pub(super) fn extent(&self, blocks: usize) -> (usize, usize) {
        let before = self.groups(blocks) - 1;
        (before * self.steps.0 + self.reach, (before + 1) * self.steps.1)
    }
}
