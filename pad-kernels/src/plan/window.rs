//! Derives a geometry from another one: for strided tensors, and for regions of the output.

use alloc::boxed::Box;
use core::ops::Range;

use smallvec::SmallVec;

use super::axis::Axis;
use super::colours::Colours;
use super::nest::Nest;
use super::parts::{AxisParts, InputRegions, input_regions};
use super::{Geometry, Tensor};
use crate::error::{Operand, PadError};
use crate::spec::PadMode;
use crate::view::Strides;

impl Geometry {
    /// Returns the geometry for an input and an output with these strides.
    pub(crate) fn with_strides(&self, input: &Strides, output: &Strides) -> Result<Geometry, PadError> {
        let atoms = self.layout.atoms();
        let source = input.place(&self.input.shape, atoms, Operand::Input)?;
        let destination = output.place(&self.output.shape, atoms, Operand::Output)?;
        output.check_disjoint(&self.output.shape)?;
        // `place` has checked the strides, except for axes of one element and for empty tensors. Their strides do not matter, and may
        // exceed the memory.
        let in_atoms = |stride: isize, length: usize, (_, buffer): (isize, usize)| {
            let matters = length > 1 && buffer > 0 || stride.unsigned_abs() <= buffer;
            if matters { stride * atoms as isize } else { 0 }
        };
        let mut axes = self.axes.clone();
        for (number, axis) in axes.iter_mut().enumerate() {
            axis.src_stride = in_atoms(input.strides[number], self.input.shape[number], source);
            axis.dst_stride = in_atoms(output.strides[number], self.output.shape[number], destination);
        }
        let lies = |of: &Tensor, (offset, buffer)| Tensor { offset, buffer, contiguous: false, ..of.clone() };
        let colours = self.colours.clone();
        Ok(self.remade(lies(&self.input, source), lies(&self.output, destination), axes, colours))
    }

    /// Returns the geometry that writes only the region `window` of the output, to a contiguous row-major tensor.
    pub(crate) fn window(&self, window: &[Range<usize>]) -> Result<Geometry, PadError> {
        let mut axes = self.clipped(window)?;
        let output = Tensor::new(axes.iter().map(|axis| axis.out), self.layout, Operand::Output)?;
        for (axis, stride) in axes.iter_mut().zip(output.row_major(self.layout)) {
            axis.dst_stride = stride;
        }
        let mut colours = self.colours.clone();
        if let Some(colours) = &mut colours {
            colours.clip(window, self.layout.atoms());
        }
        let mut remade = self.remade(self.input.clone(), output, axes, colours);
        for (signs, range) in remade.signs.iter_mut().zip(window) {
            *signs = signs.from(range.start);
        }
        Ok(remade)
    }

    /// Returns the range of the input that a region of the output reads, for each axis. If an axis gets only fill, its range is
    /// empty.
    pub(crate) fn input_region(
        &self,
        window: &[Range<usize>],
    ) -> Result<SmallVec<[Range<usize>; 6]>, PadError> {
        Ok(self.clipped(window)?.iter().map(Axis::source_range).collect())
    }

    /// Returns the intervals of the input that a region of the output reads.
    pub(crate) fn input_regions(&self, window: &[Range<usize>]) -> Result<InputRegions, PadError> {
        let axes = self.clipped(window)?;
        let negates = !self.signs.is_empty() && !self.window(window)?.negated(|_| (true, true)).is_empty();
        Ok(InputRegions::of(&axes, negates))
    }

    /// Returns the geometry that computes a region of the output from only the input range that this region reads.
    pub(crate) fn window_from_region(&self, window: &[Range<usize>]) -> Result<Geometry, PadError> {
        self.window_from(window, |axis| AxisParts::from_elem(axis.source_range(), 1))
    }

    /// Returns the geometry that computes a region of the output from its input intervals, which the caller joins to one tensor.
    pub(crate) fn window_from_regions(&self, window: &[Range<usize>]) -> Result<Geometry, PadError> {
        self.window_from(window, input_regions)
    }

    /// Returns the geometry that computes a region of the output from parts of the input, which the caller joins to one tensor.
    /// `parts` returns the parts of an axis.
    fn window_from(
        &self,
        window: &[Range<usize>],
        parts: impl Fn(&Axis) -> AxisParts,
    ) -> Result<Geometry, PadError> {
        let whole = self.window(window)?;
        let parts: SmallVec<[AxisParts; 6]> = whole.axes.iter().map(parts).collect();
        let lengths = parts.iter().map(|parts| parts.iter().map(Range::len).sum());
        let input = Tensor::new(lengths, self.layout, Operand::Input)?;
        let mut axes = whole.axes.clone();
        for ((axis, parts), stride) in axes.iter_mut().zip(&parts).zip(input.row_major(self.layout)) {
            // Coordinates now count from the first element of the first part. Coordinates that are read are never negative.
            let first = parts.first().map_or(0, |part| part.start);
            axis.start -= first as i64 * axis.step();
            // `len` is the number of positions that borders repeat. It shrinks by the elements between the two input parts, which
            // the joined tensor lacks. The region begins in the upper input part, wraps at the end of the axis, and ends in the
            // lower input part. The upper part moves down by `between`. The origin of the region moves down by the same number.
            if let [low, high] = &parts[..] {
                debug_assert!(
                    axis.low == PadMode::Wrap && axis.high == PadMode::Wrap,
                    "only mode wrap reads two parts: extend plan/parts.rs and this function for other modes"
                );
                let between = (high.start - low.end) as i64 * axis.step();
                axis.len -= between;
                axis.origin -= between;
            }
            axis.src_stride = stride;
        }
        let (output, colours) = (whole.output.clone(), whole.colours.clone());
        Ok(whole.remade(input, output, axes, colours))
    }

    /// Returns the geometry of the inner axes, from axis `around` on, for contiguous tensors. The returned geometry negates no
    /// borders.
    pub(crate) fn row(&self, around: usize) -> Result<Geometry, PadError> {
        let mut axes = SmallVec::from_slice(&self.axes[around..]);
        let input = Tensor::new(self.input.shape[around..].iter().copied(), self.layout, Operand::Input)?;
        let output = Tensor::new(axes.iter().map(|axis: &Axis| axis.out), self.layout, Operand::Output)?;
        for ((axis, src), dst) in
            axes.iter_mut().zip(input.row_major(self.layout)).zip(output.row_major(self.layout))
        {
            (axis.src_stride, axis.dst_stride) = (src, dst);
        }
        let colours = self.colours.as_ref().and_then(|colours| colours.within(around)).map(Box::new);
        let mut row = self.remade(input, output, axes, colours);
        row.signs.clear();
        Ok(row)
    }

    /// Returns the axes, each cut to a region of the output.
    fn clipped(&self, window: &[Range<usize>]) -> Result<SmallVec<[Axis; 6]>, PadError> {
        if window.len() != self.axes.len() {
            return Err(PadError::WindowCount { window: window.len(), shape: self.axes.len() });
        }
        let clip = |(axis, (of_plan, range)): (usize, (&Axis, &Range<usize>))| {
            if range.start <= range.end && range.end <= of_plan.out {
                Ok(of_plan.clip(range.clone()))
            } else {
                let (start, end, length) = (range.start, range.end, of_plan.out);
                Err(PadError::WindowRange { axis, start, end, length })
            }
        };
        self.axes.iter().zip(window).enumerate().map(clip).collect()
    }

    /// Returns the geometry with other tensors and axes.
    fn remade(
        &self,
        input: Tensor,
        output: Tensor,
        axes: SmallVec<[Axis; 6]>,
        colours: Option<Box<Colours>>,
    ) -> Geometry {
        let (fill, nest, signs) = (self.fill.clone(), Nest::blank(), self.signs.clone());
        let mut remade = Geometry { input, output, axes, nest, fill, signs, colours, ..*self };
        remade.set_nest();
        remade
    }
}
