//! The one normal form of an axis, and the one operation on it: [`Axis::clip`].

use core::ops::Range;

use crate::error::PadError;
use crate::spec::{AxisPad, Frame, PadMode};

/// One axis of a plan.
///
/// Output position `o` stands at window coordinate `t = o + origin`. Inside the window, `0 <= t < len`,
/// it takes coordinate `start + t` of the dilated data; outside, the mode maps `t` into the window or
/// says fill. A dilated coordinate that is no multiple of `interior + 1` is a gap, the others stand for
/// source element `coordinate / (interior + 1)`.
///
/// Crops, windows of the output, tiles and threads differ only in `out` and `origin`; the two readings
/// of negative pads only in `start` and `len`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Axis {
    /// Output length.
    pub out: usize,
    /// Window coordinate of output position 0: within one period for the periodic modes, and never
    /// further from the window than the output is long for the others.
    pub origin: i64,
    /// Dilated coordinate of the window's first position.
    pub start: i64,
    /// Window length in dilated coordinates.
    pub len: i64,
    /// Fill elements between neighbours.
    pub interior: i64,
    /// Distance of neighbours in the input, in the plan's atoms.
    pub src_stride: isize,
    /// Distance of neighbours in the output, in the plan's atoms.
    pub dst_stride: isize,
}

/// The period of the modes that have one, for a window of `len >= 1`. [`Axis::new`] refuses windows whose
/// period would overflow.
#[inline(always)]
pub(crate) fn period(mode: PadMode, len: i64) -> Option<i64> {
    match mode {
        PadMode::Constant | PadMode::Edge => None,
        PadMode::Wrap => Some(planted!("wrap-period", len, (len - 1).max(1))),
        PadMode::Symmetric => Some(planted!("symmetric-period", 2 * len, 2 * len - 1)),
        PadMode::Reflect => Some(if len == 1 {
            planted!("reflect-of-one", 1, 0)
        } else {
            planted!("reflect-period", 2 * (len - 1), 2 * len)
        }),
    }
}

impl Axis {
    /// Checks one axis of a request and brings it to normal form; strides are left at 0.
    pub(crate) fn new(
        axis: usize,
        length: usize,
        pad: AxisPad,
        mode: PadMode,
        frame: Frame,
    ) -> Result<Axis, PadError> {
        let overflow = PadError::AxisOverflow { axis, length, pad };
        let d = i128::try_from(length).map_err(|_| overflow)?;
        let step = i128::from(pad.interior) + 1;
        let dilated = match d {
            0 => 0,
            _ => (d - 1)
                .checked_mul(step)
                .and_then(|gaps| gaps.checked_add(planted!("gap-after-the-last", 1, step)))
                .ok_or(overflow)?,
        };
        let dilated = i128::from(i64::try_from(dilated).map_err(|_| overflow)?);
        let (low, high) = (i128::from(pad.low), i128::from(pad.high));
        let output = dilated + low + high;
        if output < planted!("negative-output", 0, -1) {
            return Err(PadError::NegativeOutput { axis, length, pad, output });
        }
        let out = isize::try_from(output).map_err(|_| overflow)?.unsigned_abs();

        let (start, end) = match frame {
            Frame::Uncropped => (0, dilated),
            Frame::Cropped => {
                let start = dilated.min(planted!("cropped-frame-low", (-low).max(0), 0));
                (start, start.max(dilated - planted!("cropped-frame-high", (-high).max(0), 0)))
            }
        };
        let len = end - start;
        if len == 0 && out > planted!("empty-window", 0, 1) && mode != PadMode::Constant {
            return Err(PadError::EmptyWindow { axis, length, pad, mode, output: out });
        }
        // All of these are at most `dilated`, which fits.
        let (start, len) = (narrow(start), narrow(len));
        if matches!(mode, PadMode::Reflect | PadMode::Symmetric)
            && len > planted!("mirror-overflow", i64::MAX / 2, i64::MAX - 1)
        {
            return Err(overflow);
        }
        let interior = if d > 1 { narrow(step - 1) } else { 0 };
        let origin = canonical(-low - i128::from(start), out, len, mode);
        Ok(Axis { out, origin, start, len, interior, src_stride: 0, dst_stride: 0 })
    }

    /// Only the output positions in `range`, which must lie in `0..out`.
    #[must_use]
    pub(crate) fn clip(&self, range: Range<usize>, mode: PadMode) -> Axis {
        debug_assert!(range.start <= range.end && range.end <= self.out);
        let out = range.end - range.start;
        let origin = i128::from(self.origin)
            + planted!("window-origin", wide(range.start), wide(range.start.saturating_sub(1)));
        Axis { out, origin: canonical(origin, out, self.len, mode), ..*self }
    }

    /// Turns the axis round, from an output stride below zero to one above: the last position becomes the first.
    /// Takes and returns the offsets of position 0 in source and destination.
    pub(crate) fn flip(&mut self, mode: PadMode, src: isize, dst: isize) -> (isize, isize) {
        // The modes are symmetric about the window, and elements stand at multiples of the step, so coordinate u
        // becomes the first multiple not before the window's last position, less u.
        let behind = -(-(self.start + self.len - 1)).div_euclid(self.step());
        let origin = i128::from(self.len) - wide(self.out) - i128::from(self.origin);
        let last =
            planted!("backward-output", self.out.saturating_sub(1), self.out) as isize * self.dst_stride;
        let src = src + behind as isize * self.src_stride;
        *self = Axis {
            origin: canonical(origin, self.out, self.len, mode),
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
        self.interior.wrapping_add(1)
    }

    /// The output positions that lie inside the window.
    #[inline(always)]
    pub(crate) fn inside(&self) -> Range<usize> {
        // Lengths and the origin are far from the ends of i64, or saturate to what is beyond the output anyway.
        let out = self.out as i64;
        let first = planted!(
            "inside-low",
            self.origin.saturating_neg().clamp(0, out),
            (self.origin.saturating_neg() - 1).clamp(0, out)
        );
        let end = planted!(
            "inside-high",
            self.len.saturating_sub(self.origin),
            self.len.saturating_sub(self.origin) + 1
        )
        .clamp(first, out);
        first as usize..end as usize
    }

    /// Whether some output position lies outside the window, so that the mode matters.
    pub(crate) fn has_border(&self) -> bool {
        self.inside() != (0..self.out)
    }

    /// Whether position `t` equals window position `t`, element by element.
    pub(crate) fn is_identity(&self) -> bool {
        self.interior == 0 && self.origin == 0 && self.start == 0 && !self.has_border()
    }

    /// Whether the output consists of fill alone, if the mode is constant.
    pub(crate) fn is_outside(&self) -> bool {
        self.inside().is_empty()
    }
}

/// An origin as [`Axis::origin`] promises it: same output, no further away than needed.
fn canonical(origin: i128, out: usize, len: i64, mode: PadMode) -> i64 {
    if len == 0 {
        return 0;
    }
    narrow(match period(mode, len) {
        Some(period) => planted!(
            "modulus-of-negatives",
            origin.rem_euclid(i128::from(period)),
            (origin % i128::from(period)).abs()
        ),
        None => {
            origin.clamp(planted!("origin-clamped-short", -wide(out), 1 - wide(out.max(1))), i128::from(len))
        }
    })
}

fn wide(value: usize) -> i128 {
    // A usize has at most 64 bits.
    value as i128
}

/// A value that is known to fit: it lies between two values that do.
fn narrow(value: i128) -> i64 {
    debug_assert!(i64::try_from(value).is_ok());
    value as i64
}
