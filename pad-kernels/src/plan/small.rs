//! Plans of small tensors that are run once: the axes in normal form, and nothing that pays only for more.

use smallvec::SmallVec;

use crate::plan::form::Form;
use crate::spec::{AxisPad, Modes, PadMode, PadSpec};

/// The most bytes of input and output, and the most rows. With 60 rows of 240 bytes a call took 420 ns so and 660 ns by a plan
/// (Xeon with AMX).
const MOST_BYTES: usize = 16384;
const MOST_ROWS: usize = 64;

/// The most moves of single units, or of [`AT_ONCE`] bytes of units that are turned round: with 3,200 of them a call took
/// 3.5 us so and 1.1 us by a plan.
const MOST_SINGLES: usize = 512;
const AT_ONCE: usize = 16;

/// The most axes, those counted as one that are not padded and stand side by side.
const MOST_AXES: usize = 4;

/// What is to be written where, in bytes.
pub(crate) struct Small {
    /// At least one, innermost first.
    pub(crate) axes: SmallVec<[SmallAxis; MOST_AXES]>,
    /// Bytes that move together: those of an element, or of the innermost axes if they are not padded.
    pub(crate) unit: usize,
    /// Bytes of the input and of the output.
    pub(crate) src_len: usize,
    pub(crate) dst_len: usize,
}

/// An axis of contiguous tensors.
pub(crate) struct SmallAxis {
    pub(crate) form: Form,
    /// Bytes from one position to the next.
    pub(crate) src_stride: usize,
    pub(crate) dst_stride: usize,
}

impl Small {
    /// Nothing yet, of elements of so many bytes.
    #[inline(always)]
    pub(crate) fn new(element: usize) -> Small {
        Small { axes: SmallVec::new(), unit: element, src_len: element, dst_len: element }
    }

    /// Takes in `spec` and `shape`, in place: to move the axes costs as much as to plan them. `None` if it is not small or breaks
    /// a rule, which a plan tells.
    #[inline]
    pub(crate) fn plan(&mut self, spec: &PadSpec, shape: &[usize]) -> Option<()> {
        let other_count = matches!(&spec.mode, Modes::Each(modes) if modes.len() != shape.len());
        if spec.axes.len() != shape.len() || other_count || !(1..=MOST_BYTES).contains(&self.unit) {
            return None;
        }
        // Positions of the axes inside that are not padded, and no axis yet.
        let mut run = 1;
        for (axis, (&length, &pad)) in shape.iter().zip(&spec.axes).enumerate().rev() {
            let AxisPad { low, high, interior } = pad;
            if low | high == 0 && interior == 0 {
                run = within(run, length)?;
                continue;
            }
            self.identical(run)?;
            run = 1;
            let mode = spec.mode.of(axis)?;
            let frame = spec.frame.unwrap_or_else(|| mode.default_frame(pad));
            let form = Form::new(length, (low, high, interior), (mode.low, mode.high), frame).ok()?;
            self.push(length, form)?;
        }
        self.identical(run)?;
        let (row, outer) = self.axes.split_first()?;
        let rows = outer.iter().fold(1, |rows, axis| rows * axis.form.out);
        let singles = rows * singles(&row.form, self.unit);
        (rows <= MOST_ROWS && singles <= MOST_SINGLES).then_some(())
    }

    /// Adds `count` positions that are not padded: to the unit if there is no axis inside.
    #[inline(always)]
    fn identical(&mut self, count: usize) -> Option<()> {
        if count == 1 {
            return Some(());
        }
        if !self.axes.is_empty() {
            return self.push(count, Form::identity(count));
        }
        self.unit = within(self.unit, count)?;
        (self.src_len, self.dst_len) = (self.unit, self.unit);
        Some(())
    }

    /// Adds an axis of `length` positions of the input.
    #[inline(always)]
    fn push(&mut self, length: usize, form: Form) -> Option<()> {
        if self.axes.len() == MOST_AXES {
            return None;
        }
        self.axes.push(SmallAxis { form, src_stride: self.src_len, dst_stride: self.dst_len });
        (self.src_len, self.dst_len) = (within(self.src_len, length)?, within(self.dst_len, form.out)?);
        Some(())
    }
}

/// About how many moves of a row are those of single units.
fn singles(row: &Form, unit: usize) -> usize {
    let mirrors = |mode| matches!(mode, PadMode::Reflect | PadMode::Symmetric);
    let at_once = if unit.is_power_of_two() { (AT_ONCE / unit).max(1) } else { 1 };
    let border = row.out.saturating_sub(row.len as usize);
    match row.interior {
        0 if mirrors(row.low) || mirrors(row.high) => border / at_once,
        0 if row.low == PadMode::Edge || row.high == PadMode::Edge => border / (2 * at_once),
        0 => 0,
        _ => row.out,
    }
}

/// The product of two numbers, if it is small and not 0.
#[inline(always)]
fn within(a: usize, b: usize) -> Option<usize> {
    a.checked_mul(b).filter(|product| (1..=MOST_BYTES).contains(product))
}
