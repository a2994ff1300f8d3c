//! Finds the intervals of the input that a region of the output reads on each axis.

use alloc::vec::Vec;
use core::ops::Range;

use smallvec::SmallVec;

use super::axis::Axis;
use super::form::Segment;

/// The intervals of one axis of the input, in ascending order. There is at least one element between two intervals.
///
/// Only an axis in mode wrap can have two intervals. In every other mode, the elements that are read are consecutive.
pub(crate) type AxisParts = SmallVec<[Range<usize>; 2]>;

/// Lists the parts of the input that a region of the output reads. [`PadPlan::input_regions`](crate::PadPlan::input_regions) returns this
/// type.
///
/// Each axis has one interval, or none if all its positions in the region are fill. In mode wrap, an axis has two intervals if
/// the region crosses the end of this axis. The intervals are in ascending order, and no two of them overlap or touch. The region
/// reads every element in them.
///
/// Each combination of intervals, one from every axis, is a region of the input ([`boxes`](InputRegions::boxes)). Side by side, these
/// regions form one tensor of the shape [`shape`](InputRegions::shape). To pad this tensor, make a plan with
/// [`PadPlan::window_from_regions`](crate::PadPlan::window_from_regions). In most cases, there is only one region.
///
/// ```
/// use pad_kernels::{PadMode, PadPlan, PadSpec};
/// let plan = PadPlan::new::<u8>(&PadSpec::new(PadMode::Wrap, [(0, 0), (2, 2)]), &[3, 100])?;
/// let parts = plan.input_regions(&[1..3, 0..5])?;
/// assert_eq!(parts.axes().collect::<Vec<_>>(), [&[1..3][..], &[0..3, 98..100]]);
/// assert_eq!(parts.shape(), [2, 5]);
/// // Each pair holds a region of the input, and its place in the tensor of the parts.
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
    /// Finds the intervals for a region of the output with these axes, some of whose elements `are_negated`.
    pub(crate) fn of(axes: &[Axis], are_negated: bool) -> InputRegions {
        let slice = !are_negated && axes.iter().all(is_slice);
        InputRegions { axes: axes.iter().map(input_regions).collect(), slice }
    }

    /// Returns the intervals of each axis, in ascending order.
    pub fn axes(&self) -> impl ExactSizeIterator<Item = &[Range<usize>]> {
        self.axes.iter().map(|parts| &parts[..])
    }

    /// Returns the shape of the tensor that holds all parts side by side.
    pub fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(|parts| parts.iter().map(Range::len).sum()).collect()
    }

    /// Returns whether the region reads no elements, because it contains only fill or is empty.
    pub fn is_empty(&self) -> bool {
        self.axes.iter().any(|parts| parts.is_empty())
    }

    /// Returns whether the region is a copy of one region of the input, so that you can copy instead of pad.
    ///
    /// This is true for regions inside the border. In mode wrap, it can also be true for regions in the border.
    pub fn is_slice(&self) -> bool {
        self.slice
    }

    /// Returns the regions of the input, each with its place in the tensor of all parts. There are none if the region reads no elements.
    pub fn boxes(&self) -> impl Iterator<Item = (Vec<Range<usize>>, Vec<Range<usize>>)> + '_ {
        // The current interval of each axis. The last axis changes fastest.
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

/// Returns the source indices that an axis reads, as separate intervals.
pub(crate) fn input_regions(axis: &Axis) -> AxisParts {
    let mut intervals = axis.reads();
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
    matches!(axis.segments()[..], [Segment::Source { step, count, gap: 0, .. }] if step == 1 || count == 1)
}
