// The arithmetic of one axis: its normal form, and its segments.
//
// One file, compiled twice: here for `fixed_pad!`, which plans while it expands, and in `pad-kernels` as `plan/form.rs`,
// which plans at run time. It consists of items alone, and takes `PadMode` and `Frame` from the module around it.

/// Why an axis cannot be padded so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A length passes what an axis can have.
    Overflow,
    /// The output would have this length.
    NegativeOutput(i128),
    /// There is no element to make an output of this length from.
    EmptyWindow(usize),
}

/// An axis in normal form, but for its strides.
///
/// Output position `o` stands at window coordinate `t = o + origin`; inside the window, `0 <= t < len`, it takes
/// coordinate `start + t` of the dilated data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) out: usize,
    pub(crate) origin: i64,
    pub(crate) start: i64,
    pub(crate) len: i64,
    pub(crate) interior: i64,
}

impl Form {
    /// An axis of `length` elements as they are.
    pub(crate) const fn identity(length: usize) -> Form {
        Form { out: length, origin: 0, start: 0, len: length as i64, interior: 0 }
    }

    /// Checks an axis of `length` elements and brings it to normal form.
    pub(crate) fn new(
        length: usize,
        (low, high, interior): (i64, i64, u64),
        mode: PadMode,
        frame: Frame,
    ) -> Result<Form, Fault> {
        let d = i128::try_from(length).map_err(|_| Fault::Overflow)?;
        let step = i128::from(interior) + 1;
        let dilated = match d {
            0 => 0,
            // As it comes out below, which takes longer.
            _ if interior == 0 => d,
            _ => (d - 1)
                .checked_mul(step)
                .and_then(|gaps| gaps.checked_add(1))
                .ok_or(Fault::Overflow)?,
        };
        let dilated = i128::from(i64::try_from(dilated).map_err(|_| Fault::Overflow)?);
        let (low, high) = (i128::from(low), i128::from(high));
        let output = dilated + low + high;
        if output < 0 {
            return Err(Fault::NegativeOutput(output));
        }
        let out = isize::try_from(output).map_err(|_| Fault::Overflow)?.unsigned_abs();

        let (start, end) = match frame {
            Frame::Uncropped => (0, dilated),
            Frame::Cropped => {
                let start = dilated.min((-low).max(0));
                (start, start.max(dilated - (-high).max(0)))
            }
        };
        let len = end - start;
        if len == 0 && out > 0 && mode != PadMode::Constant {
            return Err(Fault::EmptyWindow(out));
        }
        // All of these are at most `dilated`, which fits.
        let (start, len) = (narrow(start), narrow(len));
        if matches!(mode, PadMode::Reflect | PadMode::Symmetric)
            && len > i64::MAX / 2
        {
            return Err(Fault::Overflow);
        }
        let interior = if d > 1 { narrow(step - 1) } else { 0 };
        let origin = canonical(-low - i128::from(start), out, len, mode);
        Ok(Form { out, origin, start, len, interior })
    }

    /// Distance of two elements in dilated coordinates.
    #[inline(always)]
    pub(crate) const fn step(self) -> i64 {
        self.interior.wrapping_add(1)
    }

    /// The output positions that lie inside the window.
    #[inline(always)]
    pub(crate) fn inside(self) -> core::ops::Range<usize> {
        // Lengths and the origin are far from the ends of i64, or saturate to what is beyond the output anyway.
        let out = self.out as i64;
        let first = self.origin.saturating_neg()
            .clamp(0, out);
        let end = self.len.saturating_sub(self.origin);
        let end = end.clamp(first, out);
        first as usize..end as usize
    }

    /// Whether some output position lies outside the window, so that the mode matters.
    #[inline]
    pub(crate) fn has_border(self) -> bool {
        self.inside() != (0..self.out)
    }

    /// Whether position `t` equals window position `t`, element by element.
    #[inline]
    pub(crate) fn is_identity(self) -> bool {
        self.interior == 0 && self.origin == 0 && self.start == 0 && !self.has_border()
    }

    /// Whether an axis inside of this one, both of them neighbours in memory, can become part of it: where this one
    /// only ever goes forward every coordinate is simply multiplied.
    #[inline]
    pub(crate) fn takes_in(self, inner: Form, mode: PadMode) -> bool {
        let repeats_runs =
            matches!(mode, PadMode::Constant | PadMode::Wrap);
        inner.is_identity()
            && self.interior == 0
            && (repeats_runs || !self.has_border())
    }

    /// The same axis in units of which `n` make one of its own.
    #[inline]
    pub(crate) fn times(self, n: usize) -> Form {
        let by = n as i64;
        Form {
            out: self.out * n,
            origin: self.origin * by,
            start: self.start * by,
            len: self.len * by,
            interior: 0,
        }
    }
}

/// The period of the modes that have one, for a window of `len >= 1`. [`Form::new`] refuses windows whose period would
/// overflow.
#[inline(always)]
pub(crate) fn period(mode: PadMode, len: i64) -> Option<i64> {
    match mode {
        PadMode::Constant | PadMode::Edge => None,
        PadMode::Wrap => Some(len),
        PadMode::Symmetric => Some(2 * len),
        PadMode::Reflect => Some(if len == 1 {
            1
        } else {
            2 * (len - 1)
        }),
    }
}

/// The origin within one period for the periodic modes, and for the others never further from the window than the
/// output is long: same output, no further away than needed.
pub(crate) fn canonical(origin: i128, out: usize, len: i64, mode: PadMode) -> i64 {
    if len == 0 {
        return 0;
    }
    narrow(match period(mode, len) {
        // A division of 128 bits takes as long as all the rest.
        Some(period) => match i64::try_from(origin) {
            Ok(origin) => i128::from(origin.rem_euclid(period)),
            Err(_) => origin.rem_euclid(i128::from(period)),
        },
        None => {
            let lowest = -(out as i128);
            origin.clamp(lowest, i128::from(len))
        }
    })
}

/// A value that is known to fit: it lies between two values that do.
fn narrow(value: i128) -> i64 {
    debug_assert!(i64::try_from(value).is_ok());
    value as i64
}

/// Neighbouring positions of an output axis that are made in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// `count` positions of fill.
    Fill { count: usize },
    /// `count` elements of the input from index `from` on, each `step` (1, -1 or 0) after the last, with `gap` positions of
    /// fill between each two.
    Source { from: isize, step: isize, count: usize, gap: usize },
    /// `count` positions of this axis once more, from `from` on, each `step` (1, -1 or 0) after the last. Going up, what is
    /// repeated may reach into what repeats it: the distance of the two is the period.
    Again { from: usize, step: isize, count: usize },
}

impl Segment {
    /// The positions it takes.
    #[inline(always)]
    pub(crate) const fn positions(self) -> usize {
        match self {
            Segment::Fill { count } | Segment::Again { count, .. } => count,
            Segment::Source { count, gap, .. } => count + (count - 1) * gap,
        }
    }
}

/// The segments of an axis, in the order of the output. There are a handful whatever the mode and the length of the border.
#[derive(Clone, Copy)]
pub(crate) struct Segments {
    list: [Segment; Segments::MOST],
    len: usize,
}

impl core::ops::Deref for Segments {
    type Target = [Segment];

    #[inline(always)]
    fn deref(&self) -> &[Segment] {
        &self.list[..self.len]
    }
}

impl Segments {
    /// A period of a mirrored axis begins within one of its two runs: three runs, fill before, between and behind their
    /// elements, and a repetition.
    pub(crate) const MOST: usize = 8;

    const NONE: Segments = Segments { list: [Segment::Fill { count: 0 }; Segments::MOST], len: 0 };

    #[inline(always)]
    fn push(&mut self, segment: Segment) {
        self.list[self.len] = segment;
        self.len += 1;
    }

    /// The same with nothing made again: fill and elements of the input alone.
    #[inline(always)]
    pub(crate) fn expanded(&self) -> Expanded<'_> {
        Expanded { segments: self, next: 0, skip: 0, period: None, left: usize::MAX }
    }

    /// Adds fill, to what is fill already if something is.
    #[inline(always)]
    fn fill(&mut self, count: usize) {
        match self.list[..self.len].last_mut() {
            _ if count == 0 => {}
            Some(Segment::Fill { count: before }) => *before += count,
            _ => self.push(Segment::Fill { count }),
        }
    }

    /// Adds `count` coordinates from `first` on, each `direction` after the last. Those that are multiples of `step` are
    /// elements, the others are fill.
    #[inline(always)]
    fn coordinates(&mut self, first: i64, direction: isize, count: usize, step: i64) {
        if step == 1 {
            return self.push(Segment::Source { from: first as isize, step: direction, count, gap: 0 });
        }
        self.dilated(first, direction, count, step);
    }

    #[inline(never)]
    fn dilated(&mut self, first: i64, direction: isize, count: usize, step: i64) {
        let past = first.rem_euclid(step);
        if direction == 0 {
            return match past {
                0 => self.push(Segment::Source { from: (first / step) as isize, step: 0, count, gap: 0 }),
                _ => self.fill(count),
            };
        }
        // Up to the first element in this direction.
        let lead = if direction < 0 || past == 0 { past } else { step - past };
        let short = usize::try_from(lead).map_or(count, |lead| lead.min(count));
        self.fill(short);
        let Some(rest) = (count - short).checked_sub(1) else { return };
        // A step that no element follows may be longer than memory.
        let (gaps, behind) = match usize::try_from(step) {
            Ok(step) => (rest / step, rest % step),
            Err(_) => (0, rest),
        };
        let gap = if gaps == 0 { 0 } else { (step - 1) as usize };
        let from = (first + lead * direction as i64).div_euclid(step) as isize;
        self.push(Segment::Source { from, step: direction, count: gaps + 1, gap });
        self.fill(behind);
    }
}

/// An iterator over segments in which a repetition is replaced by the segments that it repeats.
#[derive(Clone)]
pub(crate) struct Expanded<'a> {
    segments: &'a [Segment],
    next: usize,
    /// Positions of the next segment that are left out. It is fill: a period begins with an element or within fill.
    skip: usize,
    /// The first segment of the period that is repeated, and the positions of it that are left out.
    period: Option<(usize, usize)>,
    /// Positions of the repetition that are left.
    left: usize,
}

impl Iterator for Expanded<'_> {
    type Item = Segment;

    #[inline(never)]
    fn next(&mut self) -> Option<Segment> {
        if self.left == 0 {
            return None;
        }
        let segment = match (self.segments.get(self.next)?, self.period) {
            (&Segment::Again { from, count, .. }, None) => {
                self.repeat(from, count);
                self.segments[self.next]
            }
            (Segment::Again { .. }, Some((first, skip))) => {
                (self.next, self.skip) = (first, skip);
                self.segments[first]
            }
            (&segment, _) => segment,
        };
        self.next += 1;
        let segment = match segment {
            Segment::Fill { count } => Segment::Fill { count: count - core::mem::take(&mut self.skip) },
            source => source,
        };
        let positions = segment.positions();
        if positions <= self.left {
            self.left -= if self.period.is_some() { positions } else { 0 };
            return Some(segment);
        }
        Some(match segment {
            Segment::Source { from, step, gap, .. } => {
                // What is left behind the last element lies in a gap, which the next call returns.
                let elements = (self.left - 1) / (gap + 1) + 1;
                self.left = (self.left - 1) % (gap + 1);
                (self.segments, self.next) = (&[Segment::Fill { count: usize::MAX }], 0);
                Segment::Source { from, step, count: elements, gap: if elements == 1 { 0 } else { gap } }
            }
            _ => Segment::Fill { count: core::mem::take(&mut self.left) },
        })
    }
}

impl Expanded<'_> {
    /// Goes to the segment that position `from` lies in.
    fn repeat(&mut self, from: usize, count: usize) {
        let (mut first, mut at) = (0, 0);
        while at + self.segments[first].positions() <= from {
            at += self.segments[first].positions();
            first += 1;
        }
        (self.next, self.skip, self.left) = (first, from - at, count);
        self.period = Some((first, from - at));
    }
}

impl Form {
    /// The segments of this axis. A period is made of the input once; all that follows is that period again.
    #[inline]
    pub(crate) fn segments(self, mode: PadMode) -> Segments {
        let mut segments = Segments::NONE;
        let (out, w, step) = (self.out, self.len, self.step());
        if matches!(mode, PadMode::Constant | PadMode::Edge) {
            let inside = self.inside();
            let (low, high) = (inside.start, out - inside.end);
            let border = |segments: &mut Segments, coordinate: i64, count: usize| match mode {
                _ if count == 0 => {}
                PadMode::Constant => segments.fill(count),
                _ => segments.coordinates(self.start + coordinate, 0, count, step),
            };
            border(&mut segments, 0, low);
            if inside.start < inside.end {
                let first = self.start + self.origin + low as i64;
                segments.coordinates(first, 1, inside.end - inside.start, step);
            }
            border(&mut segments, w - 1, high);
            return segments;
        }
        // A period longer than memory is never over.
        let period = period(mode, w).and_then(|period| usize::try_from(period).ok()).unwrap_or(usize::MAX);
        let (mut at, mut t) = (0, self.origin);
        while at < out.min(period) {
            // The runs of a period: up, and for the mirrored modes down again.
            let (coordinate, direction, left) = match mode {
                PadMode::Reflect if t >= w => (2 * (w - 1) - t, -1, 2 * (w - 1) - t),
                PadMode::Symmetric if t >= w => (2 * w - 1 - t, -1, 2 * w - t),
                _ => (t, 1, w - t),
            };
            let count = usize::try_from(left).map_or(out - at, |left| left.min(out - at));
            segments.coordinates(self.start + coordinate, direction, count, step);
            at += count;
            t += count as i64;
            if usize::try_from(t).is_ok_and(|t| t >= period) {
                t = 0;
            }
        }
        if at < out {
            segments.push(Segment::Again { from: at - period, step: 1, count: out - at });
        }
        segments
    }
}
