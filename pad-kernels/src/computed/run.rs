//! Runs plans for computed borders.

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use super::plan::ComputedPlan;
use super::spec::ComputedMode;
use crate::element::Element;
use crate::error::{Operand, PadError};
use crate::kernel::places::{RawInput, RawOutput, Source, Target};
use crate::kernel::slices::{self, as_bytes, as_uninit, as_uninit_bytes, written, zeroed, zeros};
use crate::kernel::{Written, computed};

impl ComputedPlan {
    /// Pads `src`, and writes the result to `dst`.
    ///
    /// # Errors
    ///
    /// Returns [`PadError::ElementType`] if the plan is for another type, and [`PadError::Length`] if a slice has another length
    /// than the plan needs. Returns [`PadError::OutOfMemory`] if the scratch memory cannot be allocated.
    pub fn run<T: Element>(&self, src: &[T], dst: &mut [T]) -> Result<(), PadError> {
        self.geometry.check_element::<T>()?;
        self.geometry.check_len(Operand::Input, src.len())?;
        self.geometry.check_len(Operand::Output, dst.len())?;
        let dst = as_uninit_bytes(as_uninit(dst));
        self.run_in(Source::slice(as_bytes(src)), Target::slice(dst)).map(drop)
    }

    /// Pads the bytes of a tensor. The slices may have any alignment.
    ///
    /// ```
    /// use pad_kernels::{DType, computed::{ComputedPlan, ComputedSpec}};
    /// let plan = ComputedPlan::for_dtype(&ComputedSpec::maximum([(1, 1)]), &[3], DType::I8)?;
    /// let mut dst = [0; 5];
    /// plan.run_bytes(&[1, 0xff, 2], &mut dst)?;
    /// assert_eq!(dst, [2, 1, 0xff, 2, 2]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](ComputedPlan::run), with lengths in bytes.
    pub fn run_bytes(&self, src: &[u8], dst: &mut [u8]) -> Result<(), PadError> {
        self.geometry.check_bytes(src.len(), dst.len())?;
        self.run_in(Source::slice(src), Target::slice(as_uninit(dst))).map(drop)
    }

    /// Pads the tensor behind one pointer into the tensor behind another pointer, as
    /// [`PadPlan::run_raw`](crate::PadPlan::run_raw) does. The output may be uninitialised.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`PadPlan::run_raw`](crate::PadPlan::run_raw), and [`PadError::OutOfMemory`] if the scratch memory
    /// cannot be allocated.
    pub fn run_raw(&self, input: &RawInput<'_>, output: RawOutput<'_>) -> Result<(), PadError> {
        self.geometry.check_raw(Operand::Input, input.tensor())?;
        self.geometry.check_raw(Operand::Output, output.tensor())?;
        self.run_in(input.memory, output.memory).map(drop)
    }

    /// Pads `src`, writes the result to uninitialised memory, and returns the initialised slice.
    ///
    /// In mode [`Empty`](crate::computed::ComputedMode::Empty), the border is zero.
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use pad_kernels::computed::{ComputedPlan, ComputedSpec};
    /// let plan = ComputedPlan::new::<i32>(&ComputedSpec::maximum([(1, 2)]), &[3])?;
    /// let mut memory = [MaybeUninit::uninit(); 6];
    /// assert_eq!(plan.run_uninit(&[1, 7, 3], &mut memory)?, [7, 1, 7, 3, 7, 7]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](ComputedPlan::run) and [`PadError::OutputHasHoles`]. In mode
    /// [`Empty`](crate::computed::ComputedMode::Empty), it returns [`PadError::FillRequired`] for a type without a zero.
    pub fn run_uninit<'a, T: Element>(
        &self,
        src: &[T],
        dst: &'a mut [MaybeUninit<T>],
    ) -> Result<&'a mut [T], PadError> {
        self.geometry.check_element::<T>()?;
        self.geometry.check_len(Operand::Input, src.len())?;
        self.geometry.check_len(Operand::Output, dst.len())?;
        self.geometry.check_dense()?;
        // A buffer may be longer than the output.
        let dst = &mut dst[..self.output_len()];
        let src = Source::slice(as_bytes(src));
        if self.writes_all() {
            let bytes = self.run_in(src, Target::slice(as_uninit_bytes(dst)))?;
            return Ok(written(dst, bytes));
        }
        let dst = zeroed(dst)?;
        self.run_in(src, Target::slice(as_uninit_bytes(as_uninit(&mut *dst))))?;
        Ok(dst)
    }

    /// Pads `src`, and returns the result in a new vector. In mode [`Empty`](crate::computed::ComputedMode::Empty), the border
    /// is zero.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](ComputedPlan::run), [`PadError::OutputHasHoles`] and [`PadError::OutOfMemory`]. In mode
    /// [`Empty`](crate::computed::ComputedMode::Empty), it returns [`PadError::FillRequired`] for a type without a zero.
    pub fn to_vec<T: Element>(&self, src: &[T]) -> Result<Vec<T>, PadError> {
        self.geometry.check_element::<T>()?;
        self.geometry.check_len(Operand::Input, src.len())?;
        self.new_vec(Source::slice(as_bytes(src)))
    }

    /// Pads memory that is already checked into a new vector.
    pub(super) fn new_vec<T: Element>(&self, src: Source<'_>) -> Result<Vec<T>, PadError> {
        self.geometry.check_dense()?;
        if self.writes_all() {
            let write = |dst: &mut [_]| self.run_in(src, Target::slice(as_uninit_bytes(dst)));
            return slices::new_vec(self.output_len(), false, write);
        }
        let mut dst = zeros::<T>(self.output_len())?;
        self.run_in(src, Target::slice(as_uninit_bytes(as_uninit(&mut dst))))?;
        Ok(dst)
    }

    /// Tells whether the first copy writes the whole output.
    fn writes_all(&self) -> bool {
        matches!(self.spec.mode, ComputedMode::Constants(_))
    }

    /// Runs on memory that is already checked. Returns what the copy of the input has written.
    pub(super) fn run_in(&self, src: Source<'_>, mut dst: Target<'_>) -> Result<Written, PadError> {
        // The scratch memory is allocated before anything is written.
        let scratch = computed::Scratch::new(&self.passes)?;
        let mut written = Written::default();
        for copy in &self.copies {
            if copy.of_input {
                written = copy.plan.run_in(src, dst.again(), false)?;
            } else {
                copy.plan.run_in(Source::slice(&[]), dst.again(), false)?;
            }
        }
        computed::run(&self.passes, dst, scratch);
        Ok(written)
    }
}
