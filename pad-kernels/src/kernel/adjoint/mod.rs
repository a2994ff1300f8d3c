//! The adjoint: gradients of outputs added up to gradients of inputs.
//!
//! The walk goes through the blocks of the input's gradient and says which blocks of the output's belong to each; what is done
//! to a block is a kernel, a row of its own [registry](sums): loops for a type of numbers, compiled for an instruction set. How
//! a block is summed is listed once, as a [program](program): registers of permuted numbers, added in order. Rows whose terms are
//! too many to be listed are summed by plain loops.

mod fill;
mod generated;
mod lanes;
pub(super) mod number;
mod program;
mod rows;
mod run;
mod walk;

use core::ops::Range;

use crate::dtype::DType;
use crate::error::PadError;
use crate::isa::Isa;
use crate::plan::adjoint::Adjoint;

pub(crate) use fill::fill_gradient;
pub(crate) use generated::find;
pub(crate) use program::Program;
use program::Registers;

/// Every kernel that sums, one row each, in order of instruction set and element type.
pub fn sums() -> &'static [SumRow] {
    generated::SUMS
}

/// One kernel that sums.
#[derive(Clone, Copy, Debug)]
pub struct SumRow {
    name: &'static str,
    dtype: DType,
    isa: Isa,
    /// Bytes of its registers, and those that its permutations move together.
    registers: (usize, usize),
    kernel: unsafe fn(&mut Task<'_>, Work, Lanes),
}

impl SumRow {
    /// The kernel's name: `sum_bf16_avx2`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The element type.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The instruction set it needs.
    pub const fn isa(&self) -> Isa {
        self.isa
    }
}

impl SumRow {
    /// How this kernel sums a block, if the terms are listed.
    pub(crate) fn program(&self, adjoint: &Adjoint) -> Option<Program> {
        let (register, grain) = self.registers;
        let registers = Registers { register, grain, sum: adjoint.numbers.sum };
        adjoint.listed.then(|| Program::new(adjoint, registers))
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

/// What a kernel is to do to blocks. Offsets count numbers, from the first of each buffer on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Blocks of which each is summed from one block of the output.
    Blocks { read: isize, write: isize },
    /// Blocks that nothing is added to.
    Zero { write: isize },
    /// Sums blocks of the output along their own axes, into a slot.
    Sum { read: isize, slot: usize },
    /// Adds the next slot to a slot.
    Add { slot: usize },
    /// Writes the first slot to the input's gradient.
    Write { write: isize },
}

/// How many blocks it is done to, and how far each is from the last one: in the output's gradient and in the input's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    pub(crate) count: usize,
    pub(crate) step: (isize, isize),
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
pub(crate) fn run(row: &SumRow, blocks: Range<usize>, mut task: Task<'_>) -> Result<(), PadError> {
    if !row.isa.available() {
        return Err(PadError::IsaUnavailable { isa: row.isa });
    }
    let adjoint = task.adjoint;
    assert!(crate::plan::adjoint::Numbers::of(row.dtype) == Some(adjoint.numbers));
    walk::walk(adjoint, blocks, &mut |work, lanes| {
        // SAFETY: the machine has the instruction set, as was asked above.
        unsafe { (row.kernel)(&mut task, work, lanes) }
    });
    Ok(())
}
