//! Plans made from plans: strided tensors, and boxes of the output.

use alloc::vec::Vec;
use core::ops::Range;

use smallvec::SmallVec;

use super::axis::Axis;
use super::normalise::Nest;
use super::{Atom, PadPlan, Tensor};
use crate::error::{PadError, Side};
use crate::kernel::Isa;
use crate::kernel::cursor::source_range;
use crate::view::Strides;

impl PadPlan {
    /// The same padding for an input and an output that lie in their buffers with these strides.
    ///
    /// The buffers may be longer than the tensors. What lies between the elements of the output, and behind them, is
    /// left alone, to the bit.
    /// The kernels follow the output's order in memory, so a Fortran-ordered pair runs like a row-major one.
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadPlan, PadSpec, Strides};
    /// // The transpose of a 2 x 3 tensor, padded by a column on the left.
    /// let spec = PadSpec::new(PadMode::Edge, [(0, 0), (1, 0)]);
    /// let plan = PadPlan::new::<u8>(&spec, &[3, 2])?
    ///     .with_strides(&Strides::new(0, [1, 3]), &Strides::row_major(&[3, 3]))?;
    /// let mut dst = [0; 9];
    /// plan.run(&[1u8, 2, 3, 4, 5, 6], &mut dst)?;
    /// assert_eq!(dst, [1, 1, 4, 2, 2, 5, 3, 3, 6]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PadError::StrideCount`], [`PadError::StrideRange`] if an element would lie before the buffer or beyond
    /// what memory can hold, [`PadError::Overlap`] if two elements of the output could be one.
    pub fn with_strides(&self, input: &Strides, output: &Strides) -> Result<PadPlan, PadError> {
        let atoms = self.layout.atoms();
        let source = input.place(&self.input.shape, atoms, Side::Input)?;
        let destination = output.place(&self.output.shape, atoms, Side::Output)?;
        output.check_disjoint(&self.output.shape)?;
        let mut axes = self.axes.clone();
        for (axis, (src, dst)) in axes.iter_mut().zip(input.strides.iter().zip(&output.strides)) {
            // Checked by `place`, but for axes of one element or none, whose stride does not matter.
            axis.src_stride = src.wrapping_mul(atoms as isize);
            axis.dst_stride = dst.wrapping_mul(atoms as isize);
        }
        let lies = |tensor: &Tensor, (offset, buffer)| Tensor {
            offset,
            buffer,
            contiguous: false,
            ..tensor.clone()
        };
        let mut plan = self.remade(lies(&self.input, source), lies(&self.output, destination), axes);
        if plan.atom == Atom::Bit
            && planted!("shared-byte-overwritten", !(atoms * plan.output.len).is_multiple_of(8), false)
        {
            // What ends within a byte may share it with the next tile.
            plan.nest.sequential = false;
        }
        Ok(plan)
    }

    /// The plan of one box of the output alone: it writes the box, contiguous in row-major order.
    ///
    /// Boxes that tile the output give the same as the whole, in any order. To write a box to its place in the
    /// whole output, give [`with_strides`](PadPlan::with_strides) the whole output's strides from the box's start.
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadPlan, PadSpec};
    /// let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Wrap, [(2, 2)]), &[4])?;
    /// assert_eq!(plan.to_vec(&[1u8, 2, 3, 4])?, [3, 4, 1, 2, 3, 4, 1, 2]);
    /// assert_eq!(plan.window(&[1..5])?.to_vec(&[1u8, 2, 3, 4])?, [4, 1, 2, 3]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PadError::WindowCount`], [`PadError::WindowRange`] if the box is not inside the output.
    pub fn window(&self, window: &[Range<usize>]) -> Result<PadPlan, PadError> {
        let mut axes = self.clipped(window)?;
        let output = Tensor::new(axes.iter().map(|axis| axis.out).collect(), self.layout, Side::Output)?;
        for (axis, stride) in axes.iter_mut().zip(output.row_major(self.layout)) {
            axis.dst_stride = stride;
        }
        Ok(self.remade(self.input.clone(), output, axes))
    }

    /// The part of the input that a box of the output needs: a range per axis, empty where the box is fill alone.
    ///
    /// # Errors
    ///
    /// As for [`window`](PadPlan::window).
    pub fn source_window(&self, window: &[Range<usize>]) -> Result<Vec<Range<usize>>, PadError> {
        let axes = self.clipped(window)?;
        Ok(axes.iter().map(|axis| source_range(self.mode, axis)).collect())
    }

    /// The plan of one box of the output from the part of the input that it needs: the input is
    /// [`source_window`](PadPlan::source_window) of the box alone, contiguous in row-major order.
    ///
    /// ```
    /// use pad_kernels::{PadMode, PadPlan, PadSpec};
    /// let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Reflect, [(3, 3)]), &[100])?;
    /// assert_eq!(plan.source_window(&[0..4])?, [0..4]);
    /// assert_eq!(plan.window_of_part(&[0..4])?.to_vec(&[7u8, 8, 9, 10])?, [10, 9, 8, 7]);
    /// # Ok::<(), pad_kernels::PadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`window`](PadPlan::window).
    pub fn window_of_part(&self, window: &[Range<usize>]) -> Result<PadPlan, PadError> {
        let whole = self.window(window)?;
        let part = self.source_window(window)?;
        let input = Tensor::new(part.iter().map(Range::len).collect(), self.layout, Side::Input)?;
        let mut axes = whole.axes.clone();
        for ((axis, part), stride) in axes.iter_mut().zip(&part).zip(input.row_major(self.layout)) {
            // Coordinates then count from the part's first element; those that are taken stay at or above zero.
            axis.start -= part.start as i64 * planted!("part-counts-no-gaps", axis.step(), 1);
            axis.src_stride = stride;
        }
        Ok(self.remade(input, whole.output, axes))
    }

    /// The logical axes, clipped to a box of the output.
    fn clipped(&self, window: &[Range<usize>]) -> Result<SmallVec<[Axis; 6]>, PadError> {
        if window.len() != self.axes.len() {
            return Err(PadError::WindowCount { window: window.len(), shape: self.axes.len() });
        }
        let clip = |(axis, (of_plan, range)): (usize, (&Axis, &Range<usize>))| {
            if range.start <= range.end
                && range.end <= planted!("window-beyond-the-output", of_plan.out, of_plan.out + 1)
            {
                Ok(of_plan.clip(range.clone(), self.mode))
            } else {
                let (start, end, length) = (range.start, range.end, of_plan.out);
                Err(PadError::WindowRange { axis, start, end, length })
            }
        };
        self.axes.iter().zip(window).enumerate().map(clip).collect()
    }

    /// The same plan with other tensors and axes, and a kernel for the same instruction set.
    fn remade(&self, input: Tensor, output: Tensor, axes: SmallVec<[Axis; 6]>) -> PadPlan {
        let isa = self.kernel().map_or_else(Isa::best, |row| row.isa());
        let (fill, nest) = (self.fill.clone(), Nest::blank());
        let mut plan = PadPlan { input, output, axes, nest, fill, script: None, ..*self };
        plan.finish(isa);
        plan
    }
}
