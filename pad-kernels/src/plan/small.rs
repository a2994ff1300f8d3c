//! Plans one-shot calls for small tensors. `kernel/small.rs` runs such a plan: it writes fill, copies the input, and then copies the
//! borders from the output.
//!
//! The part of the output that holds the input is called the window. A run is a contiguous copy: one unit, or the innermost axis if its
//! elements are contiguous in the output.

use smallvec::SmallVec;

use crate::plan::form::period;
use crate::spec::{AxisMode, AxisPad, Frame, Modes, PadMode, PadSpec};

/// The maximum size of the input and of the output. Larger calls use a normal plan.
///
/// Xeon with AMX, random shapes: up to 26 KB, small plans take 0.2 to 0.5 times as long as normal plans. Up to 48 KB, they take 0.5 to 1.1
/// times as long.
const MOST_BYTES: usize = 48 << 10;

/// The maximum size for tensors with interior padding or long runs.
///
/// Zen 4, interior padding: up to 111 KB, small plans take 0.5 to 0.95 times as long as normal plans. From 178 KB, they take up to 2.3
/// times as long.
const MOST_BYTES_APART: usize = 1 << 17;

/// The minimum length of a long run in bytes. If runs are long, fill is written only between them. Otherwise the whole output is
/// filled first, and the runs are copied over the fill.
///
/// Zen 4: for rows of up to 416 bytes, fill between the runs takes 1.1 times as long as a fill of the whole output. For rows of
/// 512 bytes, it takes 0.8 times as long.
pub(crate) const LONG: usize = 1 << 9;

/// A small call has at most `MOST_RUNS` runs, or at most `MOST_COPIES` runs and copies in its borders.
///
/// Zen 4: 2704 floats with interior padding take 0.64 times as long as with a normal plan. 1536 runs with 5000 copies take 1.5 times as
/// long.
const MOST_RUNS: usize = 1024;
const MOST_COPIES: usize = 4800;

/// The maximum number of axes. Neighbouring axes without padding count as one. Zen 4, five axes with 21 KiB: small plans take 0.25 times as
/// long as normal plans.
const MOST_AXES: usize = 6;

/// The maximum number of reflected units that are copied one by one. More units are reversed in registers.
pub(crate) const FEW: usize = 4;

/// A plan for a small tensor. All sizes are bytes.
pub(crate) struct Small {
    /// The axes, the innermost one first.
    pub(crate) axes: SmallVec<[SmallAxis; MOST_AXES]>,
    /// The copy unit: one element, or the innermost axes without padding inside a padded axis.
    pub(crate) unit: usize,
    /// The offsets of the first copied unit in the input and in the output.
    pub(crate) src: usize,
    pub(crate) dst: usize,
    /// The sizes of the input and of the output.
    pub(crate) src_len: usize,
    pub(crate) dst_len: usize,
    /// True if the output contains fill.
    pub(crate) has_fill: bool,
}

/// An axis of a small plan. Input and output are contiguous.
pub(crate) struct SmallAxis {
    /// The number of copied elements, at least one. `src_step` and `dst_step` are their distances in the input and in the output.
    pub(crate) count: usize,
    pub(crate) src_step: usize,
    pub(crate) dst_step: usize,
    /// The length of the window in output positions, the number of positions before it, and the distance of two positions in bytes.
    pub(crate) window: usize,
    pub(crate) before: usize,
    pub(crate) stride: usize,
    /// For each side: the mode, and the number of border positions that are not fill.
    pub(crate) low: (PadMode, usize),
    pub(crate) high: (PadMode, usize),
}

/// A border whose positions are copied from the output. The positions next to the window mirror it, and the positions after these repeat
/// earlier ones.
pub(crate) struct Border {
    /// The number of mirrored positions, and the number of window positions that the mirror skips at the edge: 1 for reflect, else 0.
    pub(crate) mirrored: usize,
    pub(crate) skip: usize,
    /// The number of repeated positions, and the period of the repetition.
    pub(crate) repeated: usize,
    pub(crate) period: usize,
}

impl Border {
    /// Returns the border of `count` positions next to a window.
    #[inline(always)]
    pub(crate) fn new(mode: PadMode, window: usize, count: usize) -> Border {
        let period = match mode {
            // The border repeats one element.
            PadMode::Constant | PadMode::Edge => 1,
            PadMode::Reflect | PadMode::Symmetric | PadMode::Wrap => {
                period(mode, window as i64).map_or(1, |period| period as usize)
            }
        };
        let mirrored = period.saturating_sub(window).min(count);
        Border { mirrored, skip: usize::from(mode == PadMode::Reflect), repeated: count - mirrored, period }
    }
}

impl Small {
    /// Returns a plan without axes, for elements of `element` bytes.
    #[inline(always)]
    pub(crate) fn new(element: usize) -> Small {
        Small {
            axes: SmallVec::new(),
            unit: element,
            src: 0,
            dst: 0,
            src_len: element,
            dst_len: element,
            has_fill: false,
        }
    }

    /// Adds all axes of `spec` and `shape`. The method fills the plan in place, because moving the axes costs as much as planning them.
    ///
    /// Returns `None` if the tensor is not small, or if the request is invalid. Then the caller makes a normal plan, which
    /// reports the error.
    #[inline]
    pub(crate) fn plan(&mut self, spec: &PadSpec, shape: &[usize]) -> Option<()> {
        let other_count = !spec.is_for_rank(shape.len())
            || matches!(&spec.mode, Modes::Each(modes) if modes.len() != shape.len());
        if other_count || !spec.negated.0.is_empty() || !(1..=MOST_BYTES_APART).contains(&self.unit) {
            return None;
        }
        // The product of the lengths of consecutive axes without padding. The next axis with padding ends the product.
        let mut run = 1;
        for (axis, &length) in shape.iter().enumerate().rev() {
            let pad = spec.pad(axis);
            if pad.low | pad.high == 0 && pad.interior == 0 {
                run = within(run, length)?;
                continue;
            }
            self.identical(run)?;
            run = 1;
            self.padded(length, pad, spec.mode.of(axis)?, spec.frame)?;
        }
        self.identical(run)?;
        let (run, around) = self.runs();
        let runs = elements(around);
        let few = runs <= MOST_RUNS || runs + self.borders() <= MOST_COPIES;
        let apart = run >= LONG || self.axes.iter().any(|axis| axis.dst_step > axis.stride);
        let most = if apart { MOST_BYTES_APART } else { MOST_BYTES };
        (few && self.src_len.max(self.dst_len) <= most).then_some(())
    }

    /// Estimates how many copies the borders need.
    fn borders(&self) -> usize {
        let border = |axis: &SmallAxis| axis.low.1.min(FEW) + axis.high.1.min(FEW);
        self.axes
            .iter()
            .enumerate()
            .map(|(inside, axis)| border(axis) * elements(&self.axes[inside + 1..]))
            .sum()
    }

    /// Returns the length of a run and the axes around it. If the elements of the innermost axis are contiguous in the output,
    /// the whole axis is part of the run.
    #[inline]
    pub(crate) fn runs(&self) -> (usize, &[SmallAxis]) {
        match self.axes.split_first() {
            Some((row, outer)) if row.dst_step == self.unit => (row.count * self.unit, outer),
            _ => (self.unit, &self.axes),
        }
    }

    /// Adds `count` positions without padding. If there is no axis yet, they become part of the unit.
    #[inline(always)]
    fn identical(&mut self, count: usize) -> Option<()> {
        if count == 1 {
            return Some(());
        }
        if !self.axes.is_empty() {
            return self.padded(count, AxisPad::default(), AxisMode::default(), None);
        }
        self.unit = within(self.unit, count)?;
        (self.src_len, self.dst_len) = (self.unit, self.unit);
        Some(())
    }

    /// Adds an axis of `length` input positions.
    #[inline]
    fn padded(&mut self, length: usize, pad: AxisPad, mode: AxisMode, frame: Option<Frame>) -> Option<()> {
        let AxisPad { low, high, interior } = pad;
        let most = MOST_BYTES_APART as u64;
        let large = low.unsigned_abs() > most || high.unsigned_abs() > most || interior > most;
        if large || length > MOST_BYTES_APART || self.axes.len() == MOST_AXES {
            return None;
        }
        // The number of cropped elements of each side, and the number of added positions.
        let (cut_low, cut_high) = ((-low).max(0) as usize, (-high).max(0) as usize);
        let (low, high, gap) = (low.max(0) as usize, high.max(0) as usize, interior as usize);
        let border = |mode, added| (mode, if mode == PadMode::Constant { 0 } else { added });
        let (low_border, high_border) = (border(mode.low, low), border(mode.high, high));
        let count = length.checked_sub(cut_low + cut_high).filter(|&count| count > 0)?;
        if count < length {
            // Tells whether a border reads only elements that are not cropped.
            let is_there = |(mode, added)| match mode {
                PadMode::Edge => true,
                PadMode::Wrap => added == 0,
                PadMode::Constant | PadMode::Reflect | PadMode::Symmetric => added < count,
            };
            let sees_cut = frame.unwrap_or_else(|| mode.default_frame(pad)) == Frame::Uncropped;
            if gap > 0 || sees_cut && !(is_there(low_border) && is_there(high_border)) {
                return None;
            }
        }
        let window = (count - 1).checked_mul(gap + 1)?.checked_add(1)?;
        let (src_step, stride) = (self.src_len, self.dst_len);
        let out = window.checked_add(low + high)?;
        (self.src_len, self.dst_len) = (within(src_step, length)?, within(stride, out)?);
        self.axes.push(SmallAxis {
            count,
            src_step,
            dst_step: stride.checked_mul(gap + 1)?,
            window,
            before: low,
            stride,
            low: low_border,
            high: high_border,
        });
        self.has_fill |= gap > 0 || low + high > low_border.1 + high_border.1;
        self.src += cut_low * src_step;
        self.dst += low * stride;
        Some(())
    }
}

/// Returns the number of elements of these axes.
#[inline(always)]
fn elements(axes: &[SmallAxis]) -> usize {
    axes.iter().fold(1, |elements, axis| elements * axis.count)
}

/// Returns the product of two numbers, if it is small and not 0.
#[inline(always)]
fn within(a: usize, b: usize) -> Option<usize> {
    a.checked_mul(b).filter(|product| (1..=MOST_BYTES_APART).contains(product))
}
