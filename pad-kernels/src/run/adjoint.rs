//! Implements adjoints of plans. An adjoint computes the gradient of the input from the gradient of the output.

use alloc::vec::Vec;
use core::ops::Range;

use super::PadPlan;
use crate::dtype::DType;
use crate::element::Element;
use crate::error::{Operand, PadError};
use crate::isa::Isa;
use crate::kernel::adjoint::{self as sums, AdjointKernel, Program, Task};
use crate::kernel::negate::Negation;
use crate::kernel::places::Target;
use crate::kernel::slices;
use crate::plan::Geometry;
use crate::plan::adjoint::Adjoint;

/// The adjoint of a [`PadPlan`], also called its backward pass. It computes the gradient of the input from that of the output.
///
/// Each element of the output is a copy of one input element, or it is fill. The gradient of an input element is the sum of the
/// gradients of all its copies. If the fill is zero, the dot products `<pad(x), g>` and `<x, adjoint(g)>` are equal.
///
/// - The adjoint sums along one axis after the other, the innermost axis first. Along an axis, it adds in ascending order of the output
///   positions. The bits of a sum do not depend on threads, instruction sets or strides. The payload of a NaN is an exception.
/// - The adjoint sums `f16` and `bf16` in `f32`, and rounds once after all axes, to the nearest even number. It sums other
///   types in their own precision. Integers wrap on overflow.
/// - Cropped elements have gradient zero. If each element has at most one copy, as in mode constant, the adjoint copies bits.
///
/// ```
/// use pad_kernels::{PadMode, PadPlan, PadSpec};
/// // x y z becomes y x y z y.
/// let plan = PadPlan::new::<f32>(&PadSpec::new(PadMode::Reflect, [(1, 1)]), &[3])?;
/// let mut gradient = [0.0; 3];
/// plan.adjoint()?.run(&[1.0, 2.0, 3.0, 4.0, 5.0f32], &mut gradient)?;
/// assert_eq!(gradient, [2.0, 1.0 + 3.0 + 5.0, 4.0]);
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct AdjointPlan {
    dtype: DType,
    pub(super) geometry: Geometry,
    adjoint: Adjoint,
    /// The index of the kernel in the list `sums::kernels()`.
    row: usize,
    isa: Isa,
    /// The operations that sum a block of the gradient.
    program: Option<Program>,
    /// The plan that copies elements, if no sums are needed.
    moves: Option<PadPlan>,
    /// The regions of the output's gradient that are negated before the sums.
    negation: Option<Negation>,
}

impl PadPlan {
    /// Returns the adjoint of this plan, which computes gradients. The gradient of the output has the strides of the output, and
    /// the gradient of the input has the strides of the input.
    ///
    /// The adjoint of a [`window`](PadPlan::window) reads the gradient of the region. Its method
    /// [`run_add`](AdjointPlan::run_add) adds to the gradient of those input elements that the region reads.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::NotSummable`] for `bool`, 8-bit floats, types of less than a byte, text, and types without a
    /// [`DType`]. Returns [`PadError::SharedInput`] if [strides](PadPlan::with_strides) give two elements of the input the same
    /// position. Returns [`PadError::SizeOverflow`] if the scratch memory would be too large.
    pub fn adjoint(&self) -> Result<AdjointPlan, PadError> {
        let geometry = self.geometry.clone();
        let dtype = geometry.dtype();
        let adjoint = Adjoint::new(&geometry)?;
        let found = dtype.and_then(|dtype| Some((dtype, find(dtype, self.isa)?)));
        let (dtype, row) = found.ok_or(PadError::NotSummable { dtype })?;
        let moves = geometry.moved_back().map(|geometry| {
            let mut moves = self.of(geometry);
            moves.prepare();
            moves
        });
        let program = sums::kernels()[row].program(&adjoint);
        let negation = Negation::new(&geometry, |_| (true, true));
        Ok(AdjointPlan { dtype, geometry, adjoint, row, isa: self.isa, program, moves, negation })
    }
}

/// Returns the kernel that sums elements of `dtype`, with the widest instruction set up to `isa`.
fn find(dtype: DType, isa: Isa) -> Option<usize> {
    isa.up_to().find_map(|isa| sums::find(dtype, isa))
}

impl AdjointPlan {
    /// Computes the gradient of the input, and writes it to `grad_in`.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::ElementType`] if the plan is for another type, [`PadError::GradientLength`] if a slice has another
    /// length than its tensor, and [`PadError::OutOfMemory`] if the scratch memory cannot be allocated.
    pub fn run<T: Element>(&self, grad_out: &[T], grad_in: &mut [T]) -> Result<(), PadError> {
        self.check::<T>(grad_out, grad_in)?;
        self.run_own(slices::as_bytes(grad_out), slices::numbers_as_bytes(grad_in), false)
    }

    /// Computes the gradient of the input, and adds it to `grad_in`. The sums are not rounded before they are added. The
    /// gradients of cropped elements do not change.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](AdjointPlan::run).
    pub fn run_add<T: Element>(&self, grad_out: &[T], grad_in: &mut [T]) -> Result<(), PadError> {
        self.check::<T>(grad_out, grad_in)?;
        self.run_own(slices::as_bytes(grad_out), slices::numbers_as_bytes(grad_in), true)
    }

    /// Computes the gradient as [`run`](AdjointPlan::run) does, with scratch memory of the caller. With up to six axes, the call
    /// allocates nothing.
    ///
    /// The scratch memory needs at least [`scratch_bytes`](AdjointPlan::scratch_bytes) bytes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](AdjointPlan::run), and [`PadError::Scratch`] if the scratch memory is too small.
    pub fn run_with_scratch<T: Element>(
        &self,
        grad_out: &[T],
        grad_in: &mut [T],
        scratch: &mut [u8],
    ) -> Result<(), PadError> {
        self.check::<T>(grad_out, grad_in)?;
        self.run_in(slices::as_bytes(grad_out), slices::numbers_as_bytes(grad_in), scratch, false)
    }

    /// Adds the gradient as [`run_add`](AdjointPlan::run_add) does, with scratch memory of the caller.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_with_scratch`](AdjointPlan::run_with_scratch).
    pub fn run_add_with_scratch<T: Element>(
        &self,
        grad_out: &[T],
        grad_in: &mut [T],
        scratch: &mut [u8],
    ) -> Result<(), PadError> {
        self.check::<T>(grad_out, grad_in)?;
        self.run_in(slices::as_bytes(grad_out), slices::numbers_as_bytes(grad_in), scratch, true)
    }

    /// Computes the gradient as [`run`](AdjointPlan::run) does, in slices of bytes with any alignment.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](AdjointPlan::run), with lengths in bytes.
    pub fn run_bytes(&self, grad_out: &[u8], grad_in: &mut [u8]) -> Result<(), PadError> {
        self.check_bytes(grad_out.len(), grad_in.len())?;
        self.run_own(grad_out, grad_in, false)
    }

    /// Adds the gradient as [`run_add`](AdjointPlan::run_add) does, in slices of bytes with any alignment.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_bytes`](AdjointPlan::run_bytes).
    pub fn run_add_bytes(&self, grad_out: &[u8], grad_in: &mut [u8]) -> Result<(), PadError> {
        self.check_bytes(grad_out.len(), grad_in.len())?;
        self.run_own(grad_out, grad_in, true)
    }

    /// Computes the gradient of the fill. This is the sum of the gradients of all output elements that are fill.
    ///
    /// ```
    /// use pad_kernels::{PadPlan, PadSpec};
    /// let plan = PadPlan::new::<i32>(&PadSpec::constant([(2, 1)], 7), &[2])?;
    /// assert_eq!(plan.adjoint()?.fill_gradient(&[1, 2, 10, 10, 4])?, 7);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](AdjointPlan::run) for `grad_out`.
    pub fn fill_gradient<T: Element>(&self, grad_out: &[T]) -> Result<T, PadError> {
        self.geometry.check_element::<T>()?;
        self.check_len(Operand::Output, grad_out.len())?;
        let mut fill = [slices::zero_number()];
        self.fill_in(slices::as_bytes(grad_out), slices::numbers_as_bytes(&mut fill));
        Ok(fill[0])
    }

    /// Computes the gradient of the fill as [`fill_gradient`](AdjointPlan::fill_gradient) does, and writes the bytes of one
    /// element to `fill`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_bytes`](AdjointPlan::run_bytes). If the length of `fill` is wrong, the error is [`PadError::FillLength`].
    pub fn fill_gradient_bytes(&self, grad_out: &[u8], fill: &mut [u8]) -> Result<(), PadError> {
        let (expected, got) = (self.geometry.layout.bytes(1), fill.len());
        if got != expected {
            return Err(PadError::FillLength { expected, got });
        }
        self.check_bytes(grad_out.len(), self.geometry.layout.bytes(self.geometry.input.buffer))?;
        self.fill_in(grad_out, fill);
        Ok(())
    }

    /// Returns the number of bytes of scratch memory that a run needs.
    pub fn scratch_bytes(&self) -> usize {
        let program = self.program.as_ref().map_or(0, |program| program.bytes(self.adjoint.numbers.sum));
        self.adjoint.sums_bytes() + program + self.copy_bytes()
    }

    /// Returns the element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns whether each input element has at most one copy in the output, so that no sum is needed.
    pub fn is_move(&self) -> bool {
        self.moves.is_some()
    }

    /// Returns the kernel that sums.
    pub fn kernel(&self) -> &'static AdjointKernel {
        &sums::kernels()[self.row]
    }

    /// Returns an adjoint that uses the kernel for the instruction set `isa`, or for a smaller set if there is no special
    /// kernel for `isa`.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::IsaUnavailable`] if this machine does not have `isa`.
    pub fn with_isa(&self, isa: Isa) -> Result<AdjointPlan, PadError> {
        match find(self.dtype, isa) {
            Some(row) if isa.available() => {
                let mut plan = self.clone();
                (plan.row, plan.isa) = (row, isa);
                plan.program = plan.kernel().program(&plan.adjoint);
                if let Some(moves) = &mut plan.moves {
                    moves.limit_isa(isa);
                }
                Ok(plan)
            }
            _ => Err(PadError::IsaUnavailable { isa }),
        }
    }
}

tensor_sizes!(
    AdjointPlan,
    "input of the padding, whose gradient a run writes",
    "output of the padding, whose gradient a run reads",
    "."
);

#[cfg(feature = "rayon")]
impl AdjointPlan {
    /// Computes the gradient as [`run`](AdjointPlan::run) does, on the threads of the current rayon pool. The result has the
    /// same bits.
    ///
    /// The threads divide the rows of the input's gradient, and each thread allocates scratch memory. If the gradient is smaller
    /// than 1 MiB, if there are few rows, or if the rows are not in row-major order, only the calling thread runs.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](AdjointPlan::run).
    pub fn par_run<T: Element>(&self, grad_out: &[T], grad_in: &mut [T]) -> Result<(), PadError> {
        self.check::<T>(grad_out, grad_in)?;
        self.par(slices::as_bytes(grad_out), slices::numbers_as_bytes(grad_in), false)
    }

    /// Adds the gradient as [`run_add`](AdjointPlan::run_add) does, on the threads of the current rayon pool.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](AdjointPlan::run).
    pub fn par_run_add<T: Element>(&self, grad_out: &[T], grad_in: &mut [T]) -> Result<(), PadError> {
        self.check::<T>(grad_out, grad_in)?;
        self.par(slices::as_bytes(grad_out), slices::numbers_as_bytes(grad_in), true)
    }

    /// Computes the gradient as [`run_bytes`](AdjointPlan::run_bytes) does, on the threads of the current rayon pool.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_bytes`](AdjointPlan::run_bytes).
    pub fn par_run_bytes(&self, grad_out: &[u8], grad_in: &mut [u8]) -> Result<(), PadError> {
        self.check_bytes(grad_out.len(), grad_in.len())?;
        self.par(grad_out, grad_in, false)
    }
}

impl AdjointPlan {
    fn check<T: Element>(&self, grad_out: &[T], grad_in: &[T]) -> Result<(), PadError> {
        self.geometry.check_element::<T>()?;
        self.check_len(Operand::Output, grad_out.len())?;
        self.check_len(Operand::Input, grad_in.len())
    }

    fn check_len(&self, operand: Operand, got: usize) -> Result<(), PadError> {
        self.geometry.check_len(operand, got).map_err(of_gradient)
    }

    fn check_bytes(&self, grad_out: usize, grad_in: usize) -> Result<(), PadError> {
        self.geometry.check_bytes(grad_in, grad_out).map_err(of_gradient)
    }

    /// Runs the adjoint, with scratch memory that it allocates for this call.
    fn run_own(&self, grad_out: &[u8], grad_in: &mut [u8], adds: bool) -> Result<(), PadError> {
        let bytes = if self.moves.is_some() && !adds { self.copy_bytes() } else { self.scratch_bytes() };
        let mut scratch = memory(bytes)?;
        let (grad_out, scratch) = self.signed(grad_out, &mut scratch);
        self.run_blocks(0..self.adjoint.blocks(), grad_out, (grad_in, 0), scratch, adds)
    }

    fn run_in(
        &self,
        grad_out: &[u8],
        grad_in: &mut [u8],
        scratch: &mut [u8],
        adds: bool,
    ) -> Result<(), PadError> {
        let (needed, got) = (self.scratch_bytes(), scratch.len());
        if got < needed {
            return Err(PadError::Scratch { needed, got });
        }
        let (grad_out, scratch) = self.signed(grad_out, scratch);
        self.run_blocks(0..self.adjoint.blocks(), grad_out, (grad_in, 0), scratch, adds)
    }

    /// Returns the size of a negated copy of the output's gradient, or 0 if no sign changes.
    fn copy_bytes(&self) -> usize {
        if self.negation.is_none() { 0 } else { self.geometry.layout.bytes(self.geometry.output.buffer) }
    }

    /// Returns the output's gradient and the rest of the scratch memory. If signs change, the returned gradient is a negated copy in the
    /// scratch memory.
    fn signed<'a>(&self, grad_out: &'a [u8], scratch: &'a mut [u8]) -> (&'a [u8], &'a mut [u8]) {
        let (copy, scratch) = scratch.split_at_mut(self.copy_bytes());
        let Some(negation) = &self.negation else { return (grad_out, scratch) };
        copy.copy_from_slice(&grad_out[..copy.len()]);
        negation.run(&mut Target::slice(slices::as_uninit(copy)));
        (copy, scratch)
    }

    /// Computes the blocks with the numbers `blocks`. `grad_in` begins with element `from` of the input's gradient.
    fn run_blocks(
        &self,
        blocks: Range<usize>,
        grad_out: &[u8],
        (grad_in, from): (&mut [u8], usize),
        scratch: &mut [u8],
        adds: bool,
    ) -> Result<(), PadError> {
        if self.geometry.input.len == 0 {
            return Ok(());
        }
        match &self.moves {
            Some(moves) if !adds => moves.run_bytes(grad_out, grad_in),
            _ => {
                let (adjoint, program) = (&self.adjoint, self.program.as_ref());
                let task = Task { adjoint, program, grad_out, grad_in, from, scratch, adds };
                sums::run(self.kernel(), blocks, task)
            }
        }
    }

    fn fill_in(&self, grad_out: &[u8], fill: &mut [u8]) {
        let Geometry { axes, output, .. } = &self.geometry;
        fill.fill(0);
        if output.len > 0 {
            sums::fill_gradient(self.dtype, axes, output.offset, grad_out, fill);
        }
    }
}

/// Turns an error about the length of an input or output into an error about the length of a gradient.
pub(crate) fn of_gradient(error: PadError) -> PadError {
    match error {
        PadError::Length { operand, expected, got } => PadError::GradientLength { operand, expected, got },
        other => other,
    }
}

/// Allocates zeroed memory of this size.
fn memory(bytes: usize) -> Result<Vec<u8>, PadError> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(bytes).map_err(|_| PadError::OutOfMemory { bytes })?;
    memory.resize(bytes, 0);
    Ok(memory)
}

#[cfg(feature = "rayon")]
mod parallel {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    /// The minimum size of a gradient, in bytes, that several threads compute. The calling thread computes smaller ones.
    const PARALLEL_FROM: usize = crate::kernel::threshold(1 << 20, 1 << 9);

    /// The blocks that no thread has taken yet (`rows`), and the part of the gradient that these blocks write.
    struct Rest<'a> {
        rows: Range<usize>,
        grad_in: &'a mut [u8],
        outcome: Result<(), PadError>,
    }

    impl AdjointPlan {
        pub(super) fn par(&self, grad_out: &[u8], grad_in: &mut [u8], adds: bool) -> Result<(), PadError> {
            let mut copy = memory(self.copy_bytes())?;
            let (grad_out, _) = self.signed(grad_out, &mut copy);
            if let (Some(moves), false) = (&self.moves, adds) {
                return moves.par_run_bytes(grad_out, grad_in);
            }
            let (rows, threads) = (self.adjoint.blocks(), rayon::current_num_threads());
            let bytes = self.geometry.layout.bytes(self.geometry.input.len);
            if bytes < PARALLEL_FROM || threads.min(rows) < 2 || !self.adjoint.sequential {
                let mut scratch = memory(self.scratch_bytes() - self.copy_bytes())?;
                return self.run_blocks(0..rows, grad_out, (grad_in, 0), &mut scratch, adds);
            }
            // There are several pieces per thread, because threads may differ in speed.
            let (in_piece, in_row) = (rows.div_ceil(4 * threads), bytes / rows);
            let numbers = in_row / self.adjoint.numbers.bytes;
            let mut scratches = Vec::new();
            for _ in 0..threads.min(rows.div_ceil(in_piece)) {
                scratches.push(memory(self.scratch_bytes() - self.copy_bytes())?);
            }
            // A buffer may be longer than the gradient.
            let rest = Rest { rows: 0..rows, grad_in: &mut grad_in[..bytes], outcome: Ok(()) };
            let rest = Mutex::new(rest);
            // No code panics while it holds the lock. If a thread panics elsewhere, the scope passes the panic on.
            let locked = || rest.lock().unwrap_or_else(PoisonError::into_inner);
            let take = || {
                let mut rest = locked();
                let start = rest.rows.start;
                let end = rest.rows.end.min(start + in_piece);
                let whole = core::mem::take(&mut rest.grad_in);
                let (now, later) = whole.split_at_mut((end - start) * in_row);
                (rest.rows.start, rest.grad_in) = (end, later);
                (start < end).then_some((start..end, now))
            };
            let work = |mut scratch: Vec<u8>| {
                while let Some((rows, grad_in)) = take() {
                    let from = rows.start * numbers;
                    let outcome = self.run_blocks(rows, grad_out, (grad_in, from), &mut scratch, adds);
                    if outcome.is_err() {
                        locked().outcome = outcome;
                    }
                }
            };
            let own = scratches.pop().unwrap_or_default();
            rayon::in_place_scope(|scope| {
                for scratch in scratches {
                    scope.spawn(|_| work(scratch));
                }
                work(own);
            });
            rest.into_inner().unwrap_or_else(PoisonError::into_inner).outcome
        }
    }
}
