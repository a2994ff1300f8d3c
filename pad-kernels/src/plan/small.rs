//! Small tensors that are padded once: what of the output is filled, what is copied, and which borders are made from the output.

use smallvec::SmallVec;

use crate::plan::form::period;
use crate::spec::{AxisMode, AxisPad, Frame, Modes, PadMode, PadSpec};

/// The most bytes of input and output. Of shapes drawn at random calls took 0.2 to 0.5 times as long as by a plan from 17 to 26 KB, 0.5
/// to 1.1 times up to 48 KB, and then more, but for planes of a few elements (Xeon with AMX).
const MOST_BYTES: usize = 48 << 10;

/// The most bytes if there are gaps between elements, or runs are long. 66 to 111 KB with gaps took 0.5 to 0.95 of the time of a plan, 178 to
/// 350 KB 1.0 to 2.3 times. Rows of 0.5 to 8 KiB with a border took 0.65 to 0.95 of it up to 128 KiB, and into new tensors of 208 to
/// 500 KiB 1.05 to 1.28 times (Zen 4).
const MOST_BYTES_APART: usize = 1 << 17;

/// From so many bytes on runs are long: fill is written between them, and not below them. Rows of 256 to 416 bytes took 1.1 times as
/// long so, of 512 bytes 0.8 times (Zen 4).
pub(crate) const LONG: usize = 1 << 9;

/// The most runs that are copied. More are as long as all copies, those of the borders too, are not more than so many. With 1,000 runs of three floats a call took 0.46
/// us so and 1.08 us by a plan (Rocket Lake, busy), with 2704 floats between gaps 1.4 and 2.2 us, and with 1536 runs of 8 mirrored
/// bytes, about 5000 copies, 3.1 and 2.0 us (Zen 4).
const MOST_RUNS: usize = 1024;
const MOST_COPIES: usize = 4800;

/// The most axes, those counted as one that are not padded and stand side by side. 21 KiB of five took 0.3 us so and 1.3 by a plan (Zen 4).
const MOST_AXES: usize = 6;

/// Up to so many mirrored units are copied one by one, more in registers.
pub(crate) const FEW: usize = 4;

/// What is to be written where, in bytes.
pub(crate) struct Small {
    /// Innermost first.
    pub(crate) axes: SmallVec<[SmallAxis; MOST_AXES]>,
    /// Bytes that move together: those of an element, or of the innermost axes if they are not padded.
    pub(crate) unit: usize,
    /// Where the first unit that is taken stands in the input and in the output.
    pub(crate) src: usize,
    pub(crate) dst: usize,
    /// Bytes of the input and of the output.
    pub(crate) src_len: usize,
    pub(crate) dst_len: usize,
    /// Whether some of the output is fill.
    pub(crate) has_fill: bool,
}

/// An axis of contiguous tensors.
pub(crate) struct SmallAxis {
    /// The elements that are taken, at least one, and bytes from one to the next in the input and in the output.
    pub(crate) count: usize,
    pub(crate) src_step: usize,
    pub(crate) dst_step: usize,
    /// Positions of the output from the first of them to the last, those before, and bytes from one to the next.
    pub(crate) window: usize,
    pub(crate) before: usize,
    pub(crate) stride: usize,
    /// The modes before and behind the window, and to how many positions they give elements.
    pub(crate) low: (PadMode, usize),
    pub(crate) high: (PadMode, usize),
}

/// A border that is made from the window and from itself.
pub(crate) struct Border {
    /// So many positions next to the window mirror it, without so many at its edge.
    pub(crate) mirrored: usize,
    pub(crate) skip: usize,
    /// So many beyond are what stands a period nearer to the window.
    pub(crate) repeated: usize,
    pub(crate) period: usize,
}

impl Border {
    /// `count` positions next to a window.
    #[inline(always)]
    pub(crate) fn new(mode: PadMode, window: usize, count: usize) -> Border {
        let period = period(mode, window as i64).map_or(1, |period| period as usize);
        let mirrored = period.saturating_sub(window).min(count);
        Border { mirrored, skip: usize::from(mode == PadMode::Reflect), repeated: count - mirrored, period }
    }
}

impl Small {
    /// Nothing yet, of elements of so many bytes.
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

    /// Takes in `spec` and `shape`, in place: to move the axes costs as much as to plan them. `None` if it is not small or breaks
    /// a rule, which a plan tells.
    #[inline]
    pub(crate) fn plan(&mut self, spec: &PadSpec, shape: &[usize]) -> Option<()> {
        let other_count = matches!(&spec.mode, Modes::Each(modes) if modes.len() != shape.len());
        let negates = !spec.negated.0.is_empty();
        if !spec.is_for_rank(shape.len())
            || other_count
            || negates
            || !(1..=MOST_BYTES_APART).contains(&self.unit)
        {
            return None;
        }
        // Positions of the axes inside that are not padded, and no axis yet.
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

    /// How many copies the borders are about, the longest ones but a few.
    fn borders(&self) -> usize {
        let border = |axis: &SmallAxis| axis.low.1.min(FEW) + axis.high.1.min(FEW);
        self.axes
            .iter()
            .enumerate()
            .map(|(inside, axis)| border(axis) * elements(&self.axes[inside + 1..]))
            .sum()
    }

    /// Bytes that are copied at once, and the axes around them: the innermost one belongs to them if its elements are neighbours in
    /// the output, too.
    #[inline]
    pub(crate) fn runs(&self) -> (usize, &[SmallAxis]) {
        match self.axes.split_first() {
            Some((row, outer)) if row.dst_step == self.unit => (row.count * self.unit, outer),
            _ => (self.unit, &self.axes),
        }
    }

    /// Adds `count` positions that are not padded: to the unit if there is no axis inside.
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

    /// Adds an axis of `length` positions of the input.
    #[inline]
    fn padded(&mut self, length: usize, pad: AxisPad, mode: AxisMode, frame: Option<Frame>) -> Option<()> {
        let AxisPad { low, high, interior } = pad;
        let most = MOST_BYTES_APART as u64;
        let large = low.unsigned_abs() > most || high.unsigned_abs() > most || interior > most;
        if large || length > MOST_BYTES_APART || self.axes.len() == MOST_AXES {
            return None;
        }
        // Elements that are removed and positions that are added, on either side.
        let (cut_low, cut_high) = ((-low).max(0) as usize, (-high).max(0) as usize);
        let (low, high, gap) = (low.max(0) as usize, high.max(0) as usize, interior as usize);
        let border = |mode, added| (mode, if mode == PadMode::Constant { 0 } else { added });
        let (low_border, high_border) = (border(mode.low, low), border(mode.high, high));
        let count = length.checked_sub(cut_low + cut_high).filter(|&count| count > 0)?;
        if count < length {
            // Whether what a border mirrors or repeats is still there.
            let is_there = |(mode, added)| match mode {
                PadMode::Edge => true,
                PadMode::Wrap => added == 0,
                _ => added < count,
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

/// The elements of these axes.
#[inline(always)]
fn elements(axes: &[SmallAxis]) -> usize {
    axes.iter().fold(1, |elements, axis| elements * axis.count)
}

/// The product of two numbers, if it is small and not 0.
#[inline(always)]
fn within(a: usize, b: usize) -> Option<usize> {
    a.checked_mul(b).filter(|product| (1..=MOST_BYTES_APART).contains(product))
}
