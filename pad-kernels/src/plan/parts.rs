//! Finds the intervals of the input that a region of the output reads on each axis.

use alloc::vec::Vec;
use core::ops::Range;

use smallvec::SmallVec;

use super::axis::Axis;
use super::form::Segment;

/// Intervals of one axis of the input, in its order, with at least one element between each two.
///
/// Only an axis that wraps can have two intervals. Every other mode reads neighbouring elements, with or without
/// interior padding.
pub(crate) type AxisParts = SmallVec<[Range<usize>; 2]>;

/// The parts of the input that a box of the output takes, from
/// [`PadPlan::input_regions`](crate::PadPlan::input_regions).
///
/// Each axis has one interval, or none if the box holds only fill there. It has two where the box crosses the end of an
/// axis that wraps. The intervals are in input order, and no two overlap or touch. The box reads every element in them,
/// so they need no steps. Interior padding does not change this.
///
/// All combinations of the intervals of all axes are [`boxes`](InputRegions::boxes) of the input. Side by side they form one
/// tensor of the shape [`shape`](InputRegions::shape). The plan
/// [`PadPlan::window_from_regions`](crate::PadPlan::window_from_regions) pads that tensor. There is nearly always one box.
/// The caller can then read it straight into the tensor that the plan pads.
///
/// ```
/// use pad_kernels::{PadMode, PadPlan, PadSpec};
/// let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Wrap, [(0, 0), (2, 2)]), &[3, 100])?;
/// let parts = plan.input_regions(&[1..3, 0..5])?;
/// assert_eq!(parts.axes().collect::<Vec<_>>(), [&[1..3][..], &[0..3, 98..100]]);
/// assert_eq!(parts.shape(), [2, 5]);
/// // What of the input goes where in the tensor of the parts.
/// let boxes = [(vec![1..3, 0..3], vec![0..2, 0..3]), (vec![1..3, 98..100], vec![0..2, 3..5])];
/// assert!(parts.boxes().eq(boxes));
/// # Ok::<(), pad_kernels::PadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputRegions {
    axes: SmallVec<[AxisParts; 6]>,
    slice: bool,
}

impl InputRegions {
    /// Finds the intervals for a region of the output with these axes.
    pub(crate) fn of(axes: &[Axis]) -> InputRegions {
        InputRegions { axes: axes.iter().map(input_regions).collect(), slice: axes.iter().all(is_slice) }
    }

    /// The intervals of each axis, in the order of the input.
    pub fn axes(&self) -> impl ExactSizeIterator<Item = &[Range<usize>]> {
        self.axes.iter().map(|parts| &parts[..])
    }

    /// The shape of the parts side by side, in elements: an axis is as long as its intervals together.
    pub fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(|parts| parts.iter().map(Range::len).sum()).collect()
    }

    /// Whether nothing is taken: the box is fill alone, or has no elements.
    pub fn is_empty(&self) -> bool {
        self.axes.iter().any(|parts| parts.is_empty())
    }

    /// Returns whether the box equals one box of the input, so that the caller can slice instead of pad.
    ///
    /// This holds inside the borders. It also holds where a border repeats neighbours in order, as on an axis that wraps.
    pub fn is_slice(&self) -> bool {
        self.slice
    }

    /// The boxes of the input, each with its place in the tensor of the parts; none if nothing is taken.
    pub fn boxes(&self) -> impl Iterator<Item = (Vec<Range<usize>>, Vec<Range<usize>>)> + '_ {
        // The index of an interval per axis. The index of the last axis changes fastest.
        let first = SmallVec::<[usize; 6]>::from_elem(0, self.axes.len());
        let mut next = (!self.is_empty()).then_some(first);
        core::iter::from_fn(move || {
            let mut numbers = next.take()?;
            let of_axis = |(parts, &number): (&AxisParts, &usize)| {
                let before = parts[..number].iter().map(Range::len).sum();
                (parts[number].clone(), before..before + parts[number].len())
            };
            let found = self.axes.iter().zip(&numbers).map(of_axis).unzip();
            for axis in (0..numbers.len()).rev() {
                numbers[axis] += 1;
                if numbers[axis] < self.axes[axis].len() {
                    next = Some(numbers);
                    break;
                }
                numbers[axis] = 0;
            }
            Some(found)
        })
    }
}

/// Returns the source indices that a segment reads.
fn interval(segment: &Segment) -> Option<Range<usize>> {
    let Segment::Source { from, step, count, .. } = *segment else { return None };
    let last = from + step * (count as isize - 1);
    Some(from.min(last) as usize..from.max(last) as usize + 1)
}

/// Returns the smallest range that contains all source indices of an axis.
pub(crate) fn source_range(axis: &Axis) -> Range<usize> {
    let both = |taken: Range<usize>, next: Range<usize>| taken.start.min(next.start)..taken.end.max(next.end);
    axis.segments().iter().filter_map(interval).reduce(both).unwrap_or(0..0)
}

/// Returns the source indices that an axis reads, as separate intervals.
pub(crate) fn input_regions(axis: &Axis) -> AxisParts {
    let segments = axis.segments();
    let mut intervals: SmallVec<[Range<usize>; 4]> = segments.iter().filter_map(interval).collect();
    intervals.sort_unstable_by_key(|interval| interval.start);
    let mut parts = AxisParts::new();
    for interval in intervals {
        match parts.last_mut() {
            Some(last) if interval.start <= last.end => last.end = last.end.max(interval.end),
            _ => parts.push(interval),
        }
    }
    parts
}

/// Tells whether the output of an axis is a range of the source.
fn is_slice(axis: &Axis) -> bool {
    match axis.segments()[..] {
        [Segment::Source { step, count, gap, .. }] => gap == 0 && (step == 1 || count == 1),
        _ => false,
    }
}
