//! The normal form of an axis, and how it is cut to a range of the output ([`Axis::clip`]).

use core::ops::Range;

use crate::error::PadError;
use crate::plan::form::{Fault, Form, Segment, Segments, canonical};
use crate::spec::{AxisMode, AxisPad, Frame, PadMode};

/// One axis of a plan.
///
/// Output position `o` stands at window coordinate `t = o + origin`. Inside the window, `0 <= t < len`,
/// it takes coordinate `start + t` of the dilated data; before it the mode `low`, and behind it the mode `high`,
/// maps `t` into the window or says fill. A dilated coordinate that is no multiple of `interior + 1` is a gap, the others stand for
/// source element `coordinate / (interior + 1)`.
///
/// Crops, windows of the output, tiles and threads differ only in `out` and `origin`; the two readings
/// of negative pads only in `start` and `len`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Axis {
    /// Output length.
    pub out: usize,
    /// Window coordinate of output position 0: within one period if both modes are one that has a period, and otherwise
    /// never further from the window than the output is long.
    pub origin: i64,
    /// Dilated coordinate of the window's first position.
    pub start: i64,
    /// Window length in dilated coordinates.
    pub len: i64,
    /// Fill elements between neighbours.
    pub interior: i64,
    /// The mode before the window. A side that has no positions takes the mode of the other one.
    pub low: PadMode,
    /// The mode behind the window.
    pub high: PadMode,
    /// Distance of neighbours in the input, in the plan's atoms.
    pub src_stride: isize,
    /// Distance of neighbours in the output, in the plan's atoms.
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
        let out = range.end - range.start;
        let first = range.start;
        let origin = i128::from(self.origin) + first as i128;
        let (origin, (low, high)) = canonical(origin, out, self.len, (self.low, self.high));
        Axis { out, origin, low, high, ..*self }
    }

    /// Reverses an axis with a negative output stride, so that the stride becomes positive. The last position becomes the first.
    ///
    /// Takes and returns the offsets of position 0 in source and destination.
    pub(crate) fn flip(&mut self, src: isize, dst: isize) -> (isize, isize) {
        // A coordinate `u` becomes `last - u`, where `last` is the coordinate of the last element that is read. This works
        // because modes are symmetric about the window, and elements lie at multiples of the step. Elements after `last` may lie
        // outside of the buffer.
        let of_segment = |segment: &Segment| match *segment {
            Segment::Source { from, step, count, .. } => from.max(from + step * (count as isize - 1)),
            _ => 0,
        };
        let behind = self.segments().iter().map(of_segment).max().unwrap_or(0) as i64;
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

    /// Tells whether some output positions lie outside of the window. If not, the modes do not matter.
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
}
