//! Finds the output elements whose sign changes.

use alloc::vec::Vec;

use super::Geometry;
use super::axis::Axis;
use super::signs::{Loops, Sign, Signs};
use crate::error::PadError;
use crate::spec::{PadMode, PadSpec};

impl Geometry {
    /// Sets the signs of each axis, if `spec` negates the borders of some sides.
    ///
    /// # Errors
    ///
    /// - [`PadError::ArgumentCount`] if the number of pairs differs from the number of axes.
    /// - [`PadError::NotNegatable`] if the element type has no negative numbers.
    /// - [`PadError::NegatedInterior`] if an axis has interior padding.
    pub(super) fn set_signs(&mut self, spec: &PadSpec) -> Result<(), PadError> {
        let (given, shape) = (spec.negated.0.len(), self.axes.len());
        if given > 1 && given != shape {
            return Err(PadError::ArgumentCount { name: "negated sides", given, shape });
        }
        if spec.negated.0.iter().all(|sides| *sides == (false, false)) {
            return Ok(());
        }
        let dtype = self.dtype();
        if dtype.and_then(Sign::of).is_none() {
            return Err(PadError::NotNegatable { dtype });
        }
        if let Some((axis, &pad)) = spec.axes.iter().enumerate().find(|(_, pad)| pad.interior > 0) {
            return Err(PadError::NegatedInterior { axis, pad });
        }
        let signs = |(axis, of_plan): (usize, &Axis)| {
            let mode = spec.mode.of(axis).unwrap_or_default();
            let sides = spec.negated.get(axis).copied().unwrap_or_default();
            Signs::new(of_plan, spec.pad(axis), mode, sides)
        };
        self.signs = self.axes.iter().enumerate().map(signs).collect();
        Ok(())
    }

    /// Returns the output regions whose sign changes. `sides` tells which sides of an axis are written. A region consists of an
    /// offset and of loops over its elements. Offsets and strides count atoms. A region contains no fill.
    pub(crate) fn negated(&self, sides: impl Fn(usize) -> (bool, bool)) -> Vec<(isize, Loops)> {
        let is_fill = |mode| mode == PadMode::Constant;
        let copied = |number: usize, axis: &Axis| {
            let (inside, (low, high)) = (self.signs[number].inside(axis.out), sides(number));
            let start = if low && is_fill(axis.low) { inside.start } else { 0 };
            start..if high && is_fill(axis.high) { inside.end } else { axis.out }
        };
        let mut boxes = Vec::new();
        for (number, (signs, axis)) in self.signs.iter().zip(&self.axes).enumerate() {
            let (low, high) = sides(number);
            let runs = [(low, true), (high, false)].into_iter().filter(|(is_written, _)| *is_written);
            for (run, count, step) in runs.flat_map(|(_, is_low)| signs.negated(is_low, axis.out)) {
                let mut loops = Loops::from_slice(&[(count, step * axis.dst_stride)]);
                let mut at = self.output.offset;
                for (other, axis) in self.axes.iter().enumerate() {
                    let range = if other == number { run.clone() } else { copied(other, axis) };
                    at += range.start as isize * axis.dst_stride;
                    loops.push((range.len(), axis.dst_stride));
                }
                if loops.iter().all(|&(count, _)| count > 0) {
                    boxes.push((at, loops));
                }
            }
        }
        boxes
    }
}
