//! Stepping along an axis: the mode as runs of window coordinates.

use core::marker::PhantomData;
use core::ops::Range;

pub(crate) use crate::plan::axis::Run;

use crate::plan::axis::Axis;
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
        let (run, behind) = Run::at(M::MODE, self.t, self.start, self.len, most);
        self.t = behind;
        run
    }

    /// The positions from here on, of at most `most >= 1`, that go through the source evenly; goes past them. Gaps
    /// between them are only left to the caller if it `takes_gaps`, and only of constant mode.
    #[inline(always)]
    pub(crate) fn stretch(&mut self, most: usize, takes_gaps: bool) -> Stretch {
        if self.step == 1 {
            let (from, step, count) = self.even(most);
            return Stretch { from: from.map(|from| from as isize * self.stride), step, count, gap: 0 };
        }
        self.dilated_stretch(most, takes_gaps)
    }

    /// The next run: its first coordinate, from one to the next in the source, and how many.
    #[inline(always)]
    fn even(&mut self, most: usize) -> (Option<i64>, isize, usize) {
        match self.take(most) {
            Run::Outside { count } => (None, 0, count),
            Run::Forward { from, count } => (Some(from), self.stride, count),
            Run::Backward { from, count } => {
                (Some(from), planted!("mirrored-rows-forward", -self.stride, self.stride), count)
            }
            Run::Hold { from, count } => (Some(from), 0, count),
        }
    }

    /// The stretch of an axis with gaps.
    #[inline(never)]
    fn dilated_stretch(&mut self, most: usize, takes_gaps: bool) -> Stretch {
        if M::MODE != PadMode::Constant || !takes_gaps {
            let (from, step, count) = self.even(1);
            let from = from.and_then(|from| source(from, self.step)).map(|index| index * self.stride);
            return Stretch { from, step, count, gap: 0 };
        }
        let fill = |count| Stretch { from: None, step: 0, count, gap: 0 };
        let before = self.t;
        let (from, count) = match self.take(most) {
            Run::Forward { from, count } => (from, count),
            outside => return fill(outside.count()),
        };
        let (index, past) = div_rem(from, self.step);
        if past > 0 {
            let lead = usize::try_from(self.step - past).map_or(count, |lead| lead.min(count));
            self.t = before + lead as i64;
            return fill(lead);
        }
        let elements = div_rem(count as i64 - 1, self.step).0 + 1;
        let gap =
            if elements == 1 { 0 } else { planted!("gap-of-dilated-rows", self.step - 1, self.step - 2) };
        self.t = before + (elements - 1) * self.step + 1;
        Stretch {
            from: Some(index as isize * self.stride),
            step: self.stride,
            count: elements as usize,
            gap: gap as usize,
        }
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
    /// Positions of fill between each two.
    pub(crate) gap: usize,
}

impl Stretch {
    /// The positions it takes, gaps included.
    #[inline(always)]
    pub(crate) fn positions(&self) -> usize {
        self.count + (self.count - 1) * self.gap
    }
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
