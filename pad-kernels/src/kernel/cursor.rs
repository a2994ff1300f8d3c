//! Stepping along an axis: the mode as runs of window coordinates.

use core::marker::PhantomData;
use core::ops::Range;

use crate::plan::axis::{Axis, period};
use crate::spec::PadMode;

/// A mode as a type, so that the code for it is compiled on its own.
pub(crate) trait Border: Copy {
    const MODE: PadMode;
}

macro_rules! borders {
    ($($mode:ident)*) => {$(
        #[derive(Clone, Copy)]
        pub(crate) struct $mode;

        impl Border for $mode {
            const MODE: PadMode = PadMode::$mode;
        }
    )*};
}
borders! { Constant Edge Reflect Symmetric Wrap }

/// Neighbouring output positions that take neighbouring, or equal, coordinates of the dilated data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// Fill.
    Outside { count: usize },
    /// Coordinates going up from `from`.
    Forward { from: i64, count: usize },
    /// Coordinates going down from `from`.
    Backward { from: i64, count: usize },
    /// The one coordinate `from`.
    Hold { from: i64, count: usize },
}

/// A position on an axis of mode `M`.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<M> {
    t: i64,
    start: i64,
    len: i64,
    step: i64,
    stride: isize,
    mode: PhantomData<M>,
}

impl<M: Border> Cursor<M> {
    #[inline(always)]
    pub(crate) fn new(axis: &Axis) -> Self {
        Cursor {
            t: axis.origin,
            start: axis.start,
            len: axis.len,
            step: axis.step(),
            stride: axis.src_stride,
            mode: PhantomData,
        }
    }

    /// The run at this position, of at most `most >= 1` positions; goes past it.
    #[inline(always)]
    pub(crate) fn take(&mut self, most: usize) -> Run {
        let (t, w) = (self.t, self.len);
        // Up to the end of a stretch of `left` positions. A stretch longer than a usize has no end here.
        let up_to = |left: i64| usize::try_from(left).map_or(most, |left| left.min(most));
        let forward = |from: i64, left: i64| Run::Forward { from: self.start + from, count: up_to(left) };
        let backward = |from: i64, left: i64| Run::Backward { from: self.start + from, count: up_to(left) };
        let hold = |from: i64, count: usize| Run::Hold { from: self.start + from, count };
        let run = match M::MODE {
            PadMode::Constant if t < 0 => Run::Outside { count: up_to(-t) },
            PadMode::Constant if t >= w => Run::Outside { count: most },
            PadMode::Edge if t < 0 => hold(planted!("edge-low", 0, (w - 1).min(1)), up_to(-t)),
            PadMode::Edge if t >= w => hold(planted!("edge-high", w - 1, (w - 2).max(0)), most),
            PadMode::Reflect if w == 1 => hold(0, most),
            PadMode::Reflect if t >= w => backward(
                planted!("reflect-repeats-the-edge", 2 * (w - 1) - t, 2 * w - 1 - t),
                2 * (w - 1) - t,
            ),
            PadMode::Symmetric if t >= w => backward(
                planted!("symmetric-skips-the-edge", 2 * w - 1 - t, (2 * w - 2 - t).max(0)),
                2 * w - t,
            ),
            _ => forward(t, w - t),
        };
        // Past the window the end may lie beyond every coordinate; there it is only compared.
        self.t = t.saturating_add(run.count() as i64);
        if period(M::MODE, w)
            .is_some_and(|period| planted!("period-reached", self.t >= period, self.t > period))
        {
            // A run ends within its period, but for the endless run of a reflected single element.
            self.t = 0;
        }
        run
    }

    /// The positions from here on, of at most `most >= 1`, that go through the source evenly; goes past them.
    #[inline(always)]
    pub(crate) fn stretch(&mut self, most: usize) -> Stretch {
        let run = self.take(if self.step == 1 { most } else { 1 });
        let count = run.count();
        let (from, step) = match run {
            Run::Outside { .. } => return Stretch { from: None, step: 0, count },
            Run::Forward { from, .. } => (from, self.stride),
            Run::Backward { from, .. } => {
                (from, planted!("mirrored-rows-forward", -self.stride, self.stride))
            }
            Run::Hold { from, .. } => (from, 0),
        };
        Stretch { from: source(from, self.step).map(|index| index * self.stride), step, count }
    }

    /// The source offset of this position, in atoms, or `None` for fill; goes one position on.
    #[inline(never)]
    pub(crate) fn next(&mut self) -> Option<isize> {
        let u = match self.take(1) {
            Run::Outside { .. } => return None,
            Run::Forward { from, .. } | Run::Backward { from, .. } | Run::Hold { from, .. } => from,
        };
        source(u, self.step).map(|index| index * self.stride)
    }
}

/// Positions of an outer axis next to each other.
#[derive(Clone, Copy)]
pub(crate) struct Stretch {
    /// The source offset of the first, in atoms, or `None` if all are fill.
    pub(crate) from: Option<isize>,
    /// From one to the next in the source, in atoms.
    pub(crate) step: isize,
    /// How many.
    pub(crate) count: usize,
}

/// The source index of dilated coordinate `u`, or `None` in a gap.
#[inline(always)]
pub(crate) fn source(u: i64, step: i64) -> Option<isize> {
    if step == 1 {
        return Some(u as isize);
    }
    let (index, rest) = div_rem(u, step);
    (planted!("gap-phase", rest == 0, rest == step - 1)).then_some(index as isize)
}

/// Quotient and remainder, which is never below zero, of coordinate `u` and a step: in 32 bits where they fit,
/// because a division of 64 takes three times as long. In a window of its part of the input a gap may lie before
/// the first element, below zero.
#[inline(always)]
pub(crate) fn div_rem(u: i64, step: i64) -> (i64, i64) {
    if (u | step) as u64 >> 32 == 0 {
        let (u, step) = (u as u32, step as u32);
        (i64::from(u / step), i64::from(u % step))
    } else {
        planted!("modulus-in-a-part", (u.div_euclid(step), u.rem_euclid(step)), (u / step, (u % step).abs()))
    }
}

/// The source indices that an axis takes, as the smallest range that holds them.
pub(crate) fn source_range(mode: PadMode, axis: &Axis) -> Range<usize> {
    match mode {
        PadMode::Constant => range_of::<Constant>(axis),
        PadMode::Edge => range_of::<Edge>(axis),
        PadMode::Reflect => range_of::<Reflect>(axis),
        PadMode::Symmetric => range_of::<Symmetric>(axis),
        PadMode::Wrap => range_of::<Wrap>(axis),
    }
}

fn range_of<M: Border>(axis: &Axis) -> Range<usize> {
    // The elements among coordinates `first..=last`.
    let elements = |first: i64, last: i64| {
        let start = -(-first).div_euclid(axis.step());
        start..last.div_euclid(axis.step()) + planted!("source-window-short", 1, 0)
    };
    let all = elements(axis.start, axis.start + axis.len - 1);
    let mut cursor = Cursor::<M>::new(axis);
    let mut left = axis.out;
    let mut taken: Option<Range<i64>> = None;
    // A period is over before `left` is, or the whole window was seen.
    while left > 0 && taken.as_ref() != Some(&all) {
        let run = cursor.take(left);
        left -= run.count();
        let last = run.count() as i64 - 1;
        let range = match run {
            Run::Outside { .. } => continue,
            Run::Forward { from, .. } => elements(from, from + last),
            Run::Backward { from, .. } => planted!(
                "source-window-of-a-mirror",
                elements(from - last, from),
                elements(from, (from + last).min(axis.start + axis.len - 1))
            ),
            Run::Hold { from, .. } => elements(from, from),
        };
        if range.start < range.end {
            taken = Some(match taken {
                Some(taken) => taken.start.min(range.start)..taken.end.max(range.end),
                None => range,
            });
        }
    }
    taken.map_or(0..0, |taken| taken.start as usize..taken.end as usize)
}

impl Run {
    #[inline(always)]
    pub(crate) fn count(self) -> usize {
        match self {
            Run::Outside { count }
            | Run::Forward { count, .. }
            | Run::Backward { count, .. }
            | Run::Hold { count, .. } => count,
        }
    }
}
