//! The adjoint: gradients of outputs added up to gradients of inputs.
//!
//! The walk goes through the blocks of the input's gradient and says which blocks of the output's belong to each; what is done
//! to a block is a kernel, a row of its own [list](kernels): loops for a type of numbers, compiled for an instruction set. How
//! a block is summed is listed once, as a [program](program): registers of permuted numbers, added in order. Rows whose terms are
//! too many to be listed are summed by plain loops.

mod blocks;
mod fill;
mod generated;
mod lanes;
pub(super) mod number;
mod pack;
mod place;
mod program;
mod rows;
mod run;
mod walk;

use core::ops::Range;

use crate::dtype::DType;
use crate::error::PadError;
use crate::isa::Isa;
use crate::plan::adjoint::Adjoint;
use crate::plan::form::Term;

pub(crate) use fill::fill_gradient;
pub(crate) use program::Program;
use program::Registers;

/// Returns all kernels that sum gradients, in order of instruction set and element type.
pub fn kernels() -> &'static [AdjointKernel] {
    generated::SUMS
}

/// The row of an element type, if it can be summed and `isa` has one.
pub(crate) fn find(dtype: DType, isa: Isa) -> Option<usize> {
    generated::SUMS.iter().position(|kernel| (kernel.dtype, kernel.isa) == (dtype, isa))
}

/// A kernel that sums gradients, for one element type and instruction set.
#[derive(Clone, Copy, Debug)]
pub struct AdjointKernel {
    name: &'static str,
    dtype: DType,
    isa: Isa,
    registers: Registers,
    /// Does a step to so many blocks.
    kernel: unsafe fn(&mut Task<'_>, Step<'_>, usize),
}

impl AdjointKernel {
    /// Returns the name of the kernel, such as `sum_bf16_avx2`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the element type.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the instruction set that the kernel needs.
    pub const fn isa(&self) -> Isa {
        self.isa
    }
}

impl AdjointKernel {
    /// How this kernel sums a block, if the terms are listed.
    pub(crate) fn program(&self, adjoint: &Adjoint) -> Option<Program> {
        adjoint.listed.then(|| Program::new(adjoint, self.registers))
    }
}

/// What a kernel works on.
pub(crate) struct Task<'a> {
    pub(crate) adjoint: &'a Adjoint,
    /// The kernel's for this adjoint.
    pub(crate) program: Option<&'a Program>,
    pub(crate) grad_out: &'a [u8],
    /// The input's gradient from some number on.
    pub(crate) grad_in: &'a mut [u8],
    pub(crate) from: usize,
    /// Blocks of sums: slots of as many as there are lanes. Behind them what the program needs.
    pub(crate) scratch: &'a mut [u8],
    /// Whether the input's gradient is added to, and not overwritten.
    pub(crate) adds: bool,
}

impl Task<'_> {
    /// Which number of the scratch memory is the first sum of a slot.
    #[inline(always)]
    fn slot(&self, slot: usize) -> usize {
        slot * self.adjoint.width() * self.adjoint.lanes
    }

    /// Where the program's buffers begin in the scratch memory: behind the slots, and what is written behind those.
    #[inline(always)]
    fn buffers(&self) -> usize {
        let over = self.program.map_or(0, |program| program.over);
        self.adjoint.sums_bytes() + over * self.adjoint.numbers.sum
    }
}

/// What is to be done to blocks. Offsets count numbers, from the first of each buffer on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work<'a> {
    /// Blocks that are sums of blocks of the output, each of which is summed along its own axes first.
    Blocks { terms: Terms<'a>, write: isize },
    /// Blocks that nothing is added to.
    Zero { write: isize },
    /// Sums blocks of the output along their own axes, into a slot.
    Sum { read: isize, slot: usize },
    /// Adds the next slot to a slot.
    Add { slot: usize },
    /// Writes the first slot to the input's gradient.
    Write { write: isize },
}

/// What a kernel does to some blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    /// Sums them along their own axes, and those of several places together if they are near: `to` the input's gradient, or into a
    /// slot. Those that are not near were copied to the program's first buffer.
    Sum { reads: &'a [Spread], is_near: bool, slot: usize, to: Option<Spread> },
    /// Adds the next slot to a slot, or `folds` all of its blocks into the first one there, which it `sets` if that is nothing yet.
    Add { slot: usize, folds: bool, sets: bool },
    /// Writes the first slot to the input's gradient, or adds it.
    Write { to: Spread },
}

/// Where blocks lie in a buffer, in numbers: the first of them, and how far each is from the last one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) first: usize,
    pub(crate) step: isize,
}

impl Spread {
    /// Where one of the blocks lies.
    #[inline(always)]
    fn at(self, block: usize) -> usize {
        self.first.wrapping_add_signed(block as isize * self.step)
    }

    /// Whether all of these blocks, of `length` numbers each, lie within `numbers` numbers.
    #[inline(always)]
    fn is_within(self, count: usize, length: usize, numbers: usize) -> bool {
        let across = (count as isize - 1) * self.step;
        let lowest = self.first as isize + across.min(0);
        lowest >= 0 && self.first + across.max(0) as usize + length <= numbers
    }
}

/// How many blocks it is done to, and how far each is from the last one in the input's gradient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    pub(crate) count: usize,
    pub(crate) step: isize,
}

/// Which blocks of the output's gradient are added up to a block: terms of an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a> {
    pub(crate) list: &'a [Term],
    /// How far the block's element of the axis is from the first one that these are the terms of.
    pub(crate) index: isize,
    /// Where the axis begins, and how far its positions are apart.
    pub(crate) read: isize,
    pub(crate) stride: isize,
    /// How far the terms of each block are from those of the last one, if that is the next element of another axis.
    pub(crate) across: Option<isize>,
}

impl Terms<'_> {
    /// Those of one block.
    pub(crate) const fn one(read: isize) -> Self {
        Terms { list: &[Term { at: 0, step: 0, hold: 1 }], index: 0, read, stride: 0, across: None }
    }

    /// Where the first one of a term lies for the first block, and how far it is for each block from that of the last one.
    #[inline(always)]
    pub(crate) fn place(&self, term: &Term) -> (isize, isize) {
        let read = self.read + (term.at + term.step * self.index) * self.stride;
        (read, self.across.unwrap_or(term.step * self.stride))
    }
}

/// Runs a kernel on some blocks of the input's gradient.
///
/// # Errors
///
/// [`PadError::IsaUnavailable`].
///
/// # Panics
///
/// If the kernel is none for these numbers, or memory is shorter than the adjoint needs.
pub(crate) fn run(row: &AdjointKernel, blocks: Range<usize>, mut task: Task<'_>) -> Result<(), PadError> {
    if !row.isa.available() {
        return Err(PadError::IsaUnavailable { isa: row.isa });
    }
    let adjoint = task.adjoint;
    assert!(crate::plan::adjoint::Numbers::of(row.dtype) == Some(adjoint.numbers));
    walk::walk(adjoint, blocks, &mut |work, lanes| {
        // SAFETY: the machine has the instruction set, as was asked above.
        unsafe { blocks::run_work(row, &mut task, work, lanes) }
    });
    Ok(())
}
