//! Finds the output elements whose sign changes.

use alloc::vec::Vec;
use core::ops::Range;

use smallvec::SmallVec;

use super::Geometry;
use super::axis::Axis;
use super::signs::{Loops, Sign, Signs};
use crate::error::PadError;
use crate::spec::{PadMode, PadSpec};

/// Describes one axis of a contiguous output, or neighbouring axes on which no sign changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SignedAxis {
    /// Ranges of positions without fill, in ascending order. The sign changes in ranges with `true`.
    pub(crate) runs: SmallVec<[(Range<usize>, bool); 3]>,
    /// The length of the axis, and the size of a position in bytes.
    pub(crate) out: usize,
    pub(crate) stride: usize,
}

impl SignedAxis {
    /// Returns the size of all positions in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.out * self.stride
    }
}

/// The maximum number of runs of an axis on which the sign changes. A long border has more.
const MOST_RUNS: usize = 256;

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

    /// Returns the axes of the output from the innermost on, if it is contiguous and no axis has too many runs. `sides` tells which
    /// sides of an axis are written. A number is negated if its sign changes on an odd number of axes.
    pub(crate) fn signed_axes(&self, sides: impl Fn(usize) -> (bool, bool)) -> Option<Vec<SignedAxis>> {
        let strides = self.output.row_major(self.layout);
        let row_major = (self.axes.iter().zip(strides)).all(|(axis, stride)| axis.dst_stride == stride);
        if self.output.offset != 0 || !row_major || self.output.len == 0 {
            return None;
        }
        let mut signed: Vec<SignedAxis> = Vec::new();
        for (number, (signs, axis)) in self.signs.iter().zip(&self.axes).enumerate().rev() {
            let (low, high) = sides(number);
            let negated = [(low, true), (high, false)].into_iter().filter(|(is_written, _)| *is_written);
            let mut turns: SmallVec<[Range<usize>; 6]> = SmallVec::new();
            for (run, count, step) in negated.flat_map(|(_, is_low)| signs.negated(is_low, axis.out)) {
                let moved = |to: usize, number| to.wrapping_add_signed(step * number as isize);
                turns.extend((0..count.min(MOST_RUNS + 1)).map(|i| moved(run.start, i)..moved(run.end, i)));
            }
            if turns.len() > MOST_RUNS {
                return None;
            }
            turns.sort_unstable_by_key(|run| run.start);
            let all = copied(axis, sides(number));
            let mut runs: SmallVec<[_; 3]> = SmallVec::new();
            let mut done = all.start;
            for run in turns {
                runs.push((done..run.start, false));
                done = run.end;
                runs.push((run, true));
            }
            runs.push((done..all.end, false));
            runs.retain(|entry: &mut (Range<usize>, bool)| !Range::is_empty(&entry.0));
            let is_plain = |axis: &SignedAxis| axis.runs[..] == [(0..axis.out, false)];
            let axis = SignedAxis { runs, out: axis.out, stride: axis.dst_stride as usize };
            match signed.last_mut() {
                Some(inner) if is_plain(inner) && is_plain(&axis) => {
                    inner.out *= axis.out;
                    inner.runs[0].0.end = inner.out;
                }
                // Elements of innermost axes on which no sign changes are negated together.
                None if is_plain(&axis) => {}
                _ => signed.push(axis),
            }
        }
        Some(signed)
    }

    /// Returns the output regions whose sign changes. `sides` tells which sides of an axis are written. A region consists of an
    /// offset and of loops over its elements. Offsets and strides count atoms. A region contains no fill.
    pub(crate) fn negated(&self, sides: impl Fn(usize) -> (bool, bool)) -> Vec<(isize, Loops)> {
        let mut boxes = Vec::new();
        for (number, (signs, axis)) in self.signs.iter().zip(&self.axes).enumerate() {
            let (low, high) = sides(number);
            let runs = [(low, true), (high, false)].into_iter().filter(|(is_written, _)| *is_written);
            for (run, count, step) in runs.flat_map(|(_, is_low)| signs.negated(is_low, axis.out)) {
                let mut loops = Loops::from_slice(&[(count, step * axis.dst_stride)]);
                let mut at = self.output.offset;
                for (other, axis) in self.axes.iter().enumerate() {
                    let range = if other == number { run.clone() } else { copied(axis, sides(other)) };
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

/// Returns the output positions of an axis that are not fill. `sides` tells which sides are written.
fn copied(axis: &Axis, (low, high): (bool, bool)) -> Range<usize> {
    let (inside, is_fill) = (axis.inside(), |mode| mode == PadMode::Constant);
    let start = if low && is_fill(axis.low) { inside.start } else { 0 };
    start..if high && is_fill(axis.high) { inside.end } else { axis.out }
}
