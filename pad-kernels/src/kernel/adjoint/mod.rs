//! The adjoint: gradients of outputs added up to gradients of inputs.
//!
//! The walk goes through the rows of the input's gradient and says which rows of the output's belong to each; what is done to a
//! row is a kernel, a row of its own [registry](sums): loops for a type of numbers, compiled for an instruction set. All of
//! it is safe code but for the call of what is compiled for an instruction set.

mod fill;
mod generated;
mod number;
mod rows;
mod walk;

use core::ops::Range;

use crate::dtype::DType;
use crate::error::PadError;
use crate::isa::Isa;
use crate::plan::adjoint::Adjoint;

pub(crate) use fill::fill_gradient;
pub(crate) use generated::find;

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

/// What a kernel works on.
pub(crate) struct Task<'a> {
    pub(crate) adjoint: &'a Adjoint,
    pub(crate) grad_out: &'a [u8],
    /// The input's gradient from some number on.
    pub(crate) grad_in: &'a mut [u8],
    pub(crate) from: usize,
    /// Rows of sums: slots of as many as there are lanes.
    pub(crate) scratch: &'a mut [u8],
    /// Whether the input's gradient is added to, and not overwritten.
    pub(crate) adds: bool,
}

/// What a kernel is to do to rows. Offsets count numbers, from the first of each buffer on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Rows of which each has one row of the output.
    Rows { read: isize, write: isize },
    /// Rows that nothing is added to.
    Zero { write: isize },
    /// Sums rows of the output along themselves, into a slot.
    Fold { read: isize, slot: usize },
    /// Adds the next slot to a slot.
    Add { slot: usize },
    /// Writes the first slot to the input's gradient.
    Write { write: isize },
}

/// How many rows it is done to, and how far each is from the last one: in the output's gradient and in the input's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    pub(crate) count: usize,
    pub(crate) step: (isize, isize),
}

/// Runs a kernel on some rows of the input's gradient.
///
/// # Errors
///
/// [`PadError::IsaUnavailable`].
///
/// # Panics
///
/// If the kernel is none for these numbers, or memory is shorter than the adjoint needs.
pub(crate) fn run(row: &SumRow, rows: Range<usize>, mut task: Task<'_>) -> Result<(), PadError> {
    if !row.isa.available() {
        return Err(PadError::IsaUnavailable { isa: row.isa });
    }
    let adjoint = task.adjoint;
    assert!(crate::plan::adjoint::Numbers::of(row.dtype) == Some(adjoint.numbers));
    walk::walk(adjoint, rows, task.adds, &mut |work, lanes| {
        // SAFETY: the machine has the instruction set, as was asked above.
        unsafe { (row.kernel)(&mut task, work, lanes) }
    });
    Ok(())
}
