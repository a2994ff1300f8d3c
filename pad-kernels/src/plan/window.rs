//! Geometries made from geometries: strided tensors, and boxes of the output.

use alloc::boxed::Box;
use core::ops::Range;

use smallvec::SmallVec;

use super::axis::Axis;
use super::colours::Colours;
use super::nest::Nest;
use super::parts::{AxisParts, InputRegions, input_regions, source_range};
use super::{Geometry, Tensor};
use crate::error::{Operand, PadError};
use crate::spec::PadMode;
use crate::view::Strides;

impl Geometry {
    /// The geometry for an input and an output that lie in their buffers with these strides.
    pub(crate) fn with_strides(&self, input: &Strides, output: &Strides) -> Result<Geometry, PadError> {
        let atoms = self.layout.atoms();
        let source = input.place(&self.input.shape, atoms, Operand::Input)?;
        let destination = output.place(&self.output.shape, atoms, Operand::Output)?;
        output.check_disjoint(&self.output.shape)?;
        // Checked by `place`, but for axes of one element and tensors of none, whose strides do not matter: they may be longer than
        // memory.
        let in_atoms = |stride: isize, length: usize, (_, buffer): (isize, usize)| {
            let matters = length > 1 && buffer > 0 || stride.unsigned_abs() <= buffer;
            if matters { stride * atoms as isize } else { 0 }
        };
        let mut axes = self.axes.clone();
        for (number, axis) in axes.iter_mut().enumerate() {
            axis.src_stride = in_atoms(input.strides[number], self.input.shape[number], source);
            axis.dst_stride = in_atoms(output.strides[number], self.output.shape[number], destination);
        }
        let lies = |tensor: &Tensor, (offset, buffer)| Tensor {
            offset,
            buffer,
            contiguous: false,
            ..tensor.clone()
        };
        let colours = self.colours.clone();
        Ok(self.remade(lies(&self.input, source), lies(&self.output, destination), axes, colours))
    }

    /// That of one box of the output alone, contiguous in row-major order.
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

    /// The part of the input that a box of the output needs: a range per axis, empty where the box is fill alone.
    pub(crate) fn input_region(
        &self,
        window: &[Range<usize>],
    ) -> Result<SmallVec<[Range<usize>; 6]>, PadError> {
        Ok(self.clipped(window)?.iter().map(source_range).collect())
    }

    /// The parts of the input that a box of the output takes.
    pub(crate) fn input_regions(&self, window: &[Range<usize>]) -> Result<InputRegions, PadError> {
        Ok(InputRegions::of(&self.clipped(window)?))
    }

    /// That of one box of the output from the part of the input that it needs alone.
    pub(crate) fn window_from_region(&self, window: &[Range<usize>]) -> Result<Geometry, PadError> {
        self.window_from(window, |axis| AxisParts::from_elem(source_range(axis), 1))
    }

    /// That of one box of the output from the parts of the input that it takes alone, side by side.
    pub(crate) fn window_from_regions(&self, window: &[Range<usize>]) -> Result<Geometry, PadError> {
        self.window_from(window, input_regions)
    }

    /// That of one box of the output from a tensor of these parts of the input.
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
            // Coordinates then count from the first part's first element; those that are taken stay at or above zero.
            let first = parts.first().map_or(0, |part| part.start);
            axis.start -= first as i64 * axis.step();
            // The elements between two parts are cut out of the window. The box begins in the upper part, goes round the end of
            // the window and ends in the lower part, so its origin moves down with the upper part.
            if let [low, high] = &parts[..] {
                debug_assert!(axis.low == PadMode::Wrap && axis.high == PadMode::Wrap);
                let between = (high.start - low.end) as i64 * axis.step();
                axis.len -= between;
                axis.origin -= between;
            }
            axis.src_stride = stride;
        }
        let (output, colours) = (whole.output.clone(), whole.colours.clone());
        Ok(whole.remade(input, output, axes, colours))
    }

    /// That of what lies along the axes from `around` on, at one position of the others, between contiguous tensors. No sign turns.
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

    /// The logical axes, clipped to a box of the output.
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

    /// The geometry of other tensors and axes.
    fn remade(
        &self,
        input: Tensor,
        output: Tensor,
        axes: SmallVec<[Axis; 6]>,
        colours: Option<Box<Colours>>,
    ) -> Geometry {
        let (fill, nest, signs) = (self.fill.clone(), Nest::blank(), self.signs.clone());
        let mut remade = Geometry { input, output, axes, nest, fill, signs, colours, ..*self };
        remade.normalise();
        remade
    }
}
