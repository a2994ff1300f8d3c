//! The one normal form of an axis, and the one operation on it: [`Axis::clip`].

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
    /// Checks one axis of a request and brings it to normal form; strides are left at 0.
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

    /// The axis without its strides.
    #[inline(always)]
    pub(crate) const fn form(&self) -> Form {
        let Axis { out, origin, start, len, interior, low, high, .. } = *self;
        Form { out, origin, start, len, interior, low, high }
    }

    /// What its output is made of, in order.
    #[inline(always)]
    pub(crate) fn segments(&self) -> Segments {
        let mut segments = Segments::new();
        self.list(&mut segments);
        segments
    }

    /// Lists the segments where there are none yet.
    #[inline(never)]
    pub(crate) fn list(&self, segments: &mut Segments) {
        self.form().list(segments);
    }

    /// Only the output positions in `range`, which must lie in `0..out`.
    #[must_use]
    pub(crate) fn clip(&self, range: Range<usize>) -> Axis {
        debug_assert!(range.start <= range.end && range.end <= self.out);
        let out = range.end - range.start;
        let first = range.start;
        let origin = i128::from(self.origin) + first as i128;
        let (origin, (low, high)) = canonical(origin, out, self.len, (self.low, self.high));
        Axis { out, origin, low, high, ..*self }
    }

    /// Turns the axis round, from an output stride below zero to one above: the last position becomes the first.
    /// Takes and returns the offsets of position 0 in source and destination.
    pub(crate) fn flip(&mut self, src: isize, dst: isize) -> (isize, isize) {
        // The modes are symmetric about the window, and elements stand at multiples of the step: coordinate u becomes that of the
        // last element that is taken, less u. What lies behind that one in the window may be no part of the buffer.
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

    /// Distance of two elements in dilated coordinates.
    #[inline(always)]
    pub(crate) const fn step(&self) -> i64 {
        self.form().step()
    }

    /// The output positions that lie inside the window.
    #[inline(always)]
    pub(crate) fn inside(&self) -> Range<usize> {
        self.form().inside()
    }

    /// Whether some output position lies outside the window, so that the mode matters.
    pub(crate) fn has_border(&self) -> bool {
        self.form().has_border()
    }

    /// Whether position `t` equals window position `t`, element by element.
    pub(crate) fn is_identity(&self) -> bool {
        self.form().is_identity()
    }

    /// The mode of its first border, if it has one.
    pub(crate) fn mode(&self) -> Option<PadMode> {
        let first = if self.origin < 0 { self.low } else { self.high };
        self.has_border().then_some(first)
    }

    /// Whether all borders are fill.
    #[inline(always)]
    pub(crate) fn is_constant(&self) -> bool {
        self.low == PadMode::Constant && self.high == PadMode::Constant
    }

    /// Whether the output consists of fill alone.
    pub(crate) fn is_fill(&self) -> bool {
        self.is_constant() && self.inside().is_empty()
    }
}
