//! The normal form of an axis. [`Axis::clip`] cuts it to a range of the output.

use core::ops::Range;

use smallvec::SmallVec;

use crate::error::PadError;
use crate::plan::form::{Fault, Form, Segment, Segments, Source, canonical};
use crate::spec::{AxisMode, AxisPad, Frame, PadMode};

/// Describes one axis of a plan.
///
/// In this type, the *dilated* axis is the input axis with its interior padding. The *window* is the part of the dilated axis
/// that borders can repeat. It has `len` positions and begins at `start`.
///
/// The output position `o` has the coordinate `t = o + origin`, counted from the start of the window. If `t` lies before the
/// window, the mode `low` decides: the output is fill, or a coordinate in the window replaces `t`. If `t` lies after the window,
/// the mode `high` decides in the same way. An output that is not fill reads position `p = start + t` of the dilated axis. If `p`
/// is a multiple of `n = interior + 1`, the output is the input element `p / n`. Otherwise it is fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Axis {
    /// The length of the axis in the output.
    pub out: usize,
    /// The coordinate of output position 0, counted from the start of the window. If both sides have the same periodic mode, it
    /// is at least 0 and less than one period.
    pub origin: i64,
    /// The first position of the window on the dilated axis.
    pub start: i64,
    /// The number of positions of the window.
    pub len: i64,
    /// The number of fill elements between two consecutive input elements.
    pub interior: i64,
    /// The mode before the window. If there is no border on this side, it is the mode of the other side.
    pub low: PadMode,
    /// The mode after the window. If there is no border on this side, it is the mode of the other side.
    pub high: PadMode,
    /// The distance between consecutive elements in the input. It is in bytes, in bits for elements of less than a byte, or in cloned
    /// values.
    pub src_stride: isize,
    /// The distance between consecutive elements in the output, in the unit of `src_stride`.
    pub dst_stride: isize,
}

impl Axis {
    /// Checks one axis of a request and converts it to normal form. The strides stay 0.
    pub(crate) fn new(
        axis: usize,
        length: usize,
        pad: AxisPad,
        mode: AxisMode,
        frame: Frame,
    ) -> Result<Axis, PadError> {
        let form = Form::new(length, (pad.low, pad.high, pad.interior), (mode.low, mode.high), frame);
        let Form { out, origin, start, len, interior, low, high } = form.map_err(|fault| match fault {
            Fault::Overflow => PadError::AxisOverflow { axis, length, pad },
            Fault::NegativeOutput(output) => PadError::NegativeOutput { axis, length, pad, output },
            Fault::EmptyWindow(output, mode) => PadError::EmptyWindow { axis, length, pad, mode, output },
        })?;
        Ok(Axis { out, origin, start, len, interior, low, high, src_stride: 0, dst_stride: 0 })
    }

    /// Returns the axis without its strides.
    #[inline(always)]
    pub(crate) const fn form(&self) -> Form {
        let Axis { out, origin, start, len, interior, low, high, .. } = *self;
        Form { out, origin, start, len, interior, low, high }
    }

    /// Returns the segments of the output, in order.
    #[inline(always)]
    pub(crate) fn segments(&self) -> Segments {
        let mut segments = Segments::new();
        self.list(&mut segments);
        segments
    }

    /// Writes the segments to an empty list.
    #[inline(never)]
    pub(crate) fn list(&self, segments: &mut Segments) {
        self.form().list(segments);
    }

    /// Returns the axis for only the output positions in `range`, which must lie in `0..out`.
    #[must_use]
    pub(crate) fn clip(&self, range: Range<usize>) -> Axis {
        debug_assert!(range.start <= range.end && range.end <= self.out);
        let out = range.len();
        let origin = i128::from(self.origin) + range.start as i128;
        let (origin, (low, high)) = canonical(origin, out, self.len, (self.low, self.high));
        Axis { out, origin, low, high, ..*self }
    }

    /// Returns the ranges of source indices that the segments read.
    pub(crate) fn reads(&self) -> SmallVec<[Range<usize>; 4]> {
        let segments = self.segments();
        segments.iter().filter_map(|&next| Source::of(next, 0)).map(|read| read.start..read.end).collect()
    }

    /// Returns the smallest range that contains all source indices that the axis reads.
    pub(crate) fn source_range(&self) -> Range<usize> {
        let both = |a: Range<usize>, b: Range<usize>| a.start.min(b.start)..a.end.max(b.end);
        self.reads().into_iter().reduce(both).unwrap_or(0..0)
    }

    /// Reverses an axis with a negative output stride, so that the stride becomes positive. The last position becomes the first.
    ///
    /// The arguments and the results are the offsets of position 0 in source and destination.
    pub(crate) fn flip(&mut self, src: isize, dst: isize) -> (isize, isize) {
        // `behind` is the index of the last element that is read. The dilated coordinate `u` becomes `behind * step - u`. This is
        // correct, because modes are symmetric about the window, and elements lie at multiples of the step. Elements of the
        // window after `behind` get negative indices, but the axis does not read them.
        let behind = self.source_range().end.saturating_sub(1) as i64;
        let origin = i128::from(self.len) - self.out as i128 - i128::from(self.origin);
        let last = self.out.saturating_sub(1) as isize * self.dst_stride;
        let src = src + behind as isize * self.src_stride;
        let (origin, (low, high)) = canonical(origin, self.out, self.len, (self.high, self.low));
        *self = Axis {
            origin,
            low,
            high,
            start: behind * self.step() - (self.start + self.len - 1),
            src_stride: -self.src_stride,
            dst_stride: -self.dst_stride,
            ..*self
        };
        (src, dst + last)
    }

    /// Returns the distance of two elements in dilated coordinates.
    #[inline(always)]
    pub(crate) const fn step(&self) -> i64 {
        self.form().step()
    }

    /// Returns the output positions inside the window.
    #[inline(always)]
    pub(crate) fn inside(&self) -> Range<usize> {
        self.form().inside()
    }

    /// Tells whether some output positions lie outside of the window. If there are none, the modes do not matter.
    pub(crate) fn has_border(&self) -> bool {
        self.form().has_border()
    }

    /// Tells whether each output position reads the input element of the same index.
    pub(crate) fn is_identity(&self) -> bool {
        self.form().is_identity()
    }

    /// Returns the mode of the first border, if the axis has a border.
    pub(crate) fn mode(&self) -> Option<PadMode> {
        let first = if self.origin < 0 { self.low } else { self.high };
        self.has_border().then_some(first)
    }

    /// Tells whether all borders are fill.
    #[inline(always)]
    pub(crate) fn is_constant(&self) -> bool {
        self.low == PadMode::Constant && self.high == PadMode::Constant
    }

    /// Tells whether the whole output is fill.
    pub(crate) fn is_fill(&self) -> bool {
        self.is_constant() && self.inside().is_empty()
    }

    /// Tells whether some output positions are fill.
    pub(crate) fn has_fill(&self) -> bool {
        let is_fill =
            |next: &Segment| matches!(next, Segment::Fill { .. } | Segment::Source { gap: 1.., .. });
        self.segments().iter().any(is_fill)
    }

    /// Returns the input offset that output position 0 reads, or `None` if this position is fill.
    pub(crate) fn first(&self) -> Option<isize> {
        match self.segments().first() {
            Some(Segment::Source { from, .. }) => Some(from * self.src_stride),
            _ => None,
        }
    }
}
