//! The adjoint of a pad: it sums the gradient of the output into the gradient of the input.
//!
//! Reflect turns `[a b c]` into `[b a b c b]`. The gradient of `b` is then the sum of the output's gradient at 0, 2 and 4. These
//! positions are the terms of `b`.
//!
//! - A block is the part of a gradient along the innermost axes. `walk.rs` iterates over the blocks of the input's gradient, and
//!   finds the terms of each, which are blocks of the output's gradient.
//! - A kernel executes a [`Step`] on some blocks. There is one kernel per number type and instruction set, in a [list](kernels).
//! - A [program](program) lists how one block is summed along its own axes: which registers to load, permute and add. Rows with
//!   too many terms for a list are summed by plain loops.
//! - A slot is scratch memory for the sums of all blocks that are summed at once.

mod fill;
mod generated;
mod lanes;
pub(super) mod number;
mod pack;
mod program;
mod rows;
mod run;
mod walk;

use core::ops::Range;

use crate::dtype::DType;
use crate::error::PadError;
use crate::isa::Isa;
use crate::plan::adjoint::{Adjoint, Numbers};

pub(crate) use fill::fill_gradient;
use number::Number;
pub(crate) use program::Program;
use program::Registers;

/// Returns all kernels that sum gradients, in order of instruction set and element type.
pub fn kernels() -> &'static [AdjointKernel] {
    generated::SUMS
}

/// Returns the index of the kernel for an element type and `isa`, if there is one.
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
    /// Executes a step on this number of blocks.
    kernel: unsafe fn(&mut Task<'_>, Step, usize),
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

    /// Makes the program for a block, if its terms can be listed.
    pub(crate) fn program(&self, adjoint: &Adjoint) -> Option<Program> {
        adjoint.listed.then(|| Program::new(adjoint, self.registers))
    }
}

/// The memory that a kernel works on.
pub(crate) struct Task<'a> {
    pub(crate) adjoint: &'a Adjoint,
    /// The program of this kernel for this adjoint.
    pub(crate) program: Option<&'a Program>,
    pub(crate) grad_out: &'a [u8],
    /// The input's gradient, or a part of it. The first number of `grad_in` has the index `from` in the whole gradient.
    pub(crate) grad_in: &'a mut [u8],
    pub(crate) from: usize,
    /// Scratch memory: first the slots, each with sums for `adjoint.lanes` blocks, then the buffers of the program.
    pub(crate) scratch: &'a mut [u8],
    /// Whether the kernel adds to the input's gradient instead of overwriting it.
    pub(crate) adds: bool,
}

impl Task<'_> {
    /// The sum of an element without terms: zero, or the neutral value if the kernel adds to the gradient.
    #[inline(always)]
    fn removed<N: Number>(&self) -> N::Sum {
        if self.adds { N::NEUTRAL } else { N::widen(N::ZERO) }
    }

    /// The index, in sums, of a slot in the scratch memory.
    #[inline(always)]
    fn slot(&self, slot: usize) -> usize {
        slot * self.adjoint.width() * self.adjoint.lanes
    }

    /// The byte offset of the program's buffers in the scratch memory. Before the buffers are the slots, and the sums that a
    /// program may write past the slots.
    #[inline(always)]
    fn buffers(&self) -> usize {
        let over = self.program.map_or(0, |program| program.over);
        self.adjoint.sums_bytes() + over * self.adjoint.numbers.sum
    }
}

/// One call of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Sum blocks along their own axes. The sums go to a slot, or directly `to` the input's gradient.
    ///
    /// Blocks are near if the kernel can read them in place. Otherwise they were copied to the program's first buffer.
    Sum { read: Spread, is_near: bool, slot: usize, to: Option<Spread> },
    /// Add slot `slot + 1` to slot `slot`.
    Add { slot: usize },
    /// Write slot 0 to the input's gradient, or add it.
    Write { to: Spread },
}

/// The offsets of equally spaced blocks in a buffer, in numbers: the first one, and the distance between two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) first: usize,
    pub(crate) step: isize,
}

impl Spread {
    /// The offset of one block.
    #[inline(always)]
    fn at(self, block: usize) -> usize {
        self.first.wrapping_add_signed(block as isize * self.step)
    }

    /// Tells whether `count` blocks of `length` numbers each lie within `numbers` numbers.
    #[inline(always)]
    fn is_within(self, count: usize, length: usize, numbers: usize) -> bool {
        let across = (count as isize - 1) * self.step;
        let lowest = self.first as isize + across.min(0);
        lowest >= 0 && self.first + across.max(0) as usize + length <= numbers
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
/// The call panics if the kernel is for numbers of other sizes, or if memory is too short.
pub(crate) fn run(row: &AdjointKernel, blocks: Range<usize>, task: Task<'_>) -> Result<(), PadError> {
    if !row.isa.available() {
        return Err(PadError::IsaUnavailable { isa: row.isa });
    }
    assert!(Numbers::of(row.dtype) == Some(task.adjoint.numbers));
    // SAFETY: the machine has the instruction set.
    unsafe { walk::walk(row, task, blocks) };
    Ok(())
}
