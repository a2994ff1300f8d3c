// The arithmetic of one axis: its normal form, its segments, and what segments read from the input.
//
// For example, mode reflect with one element on each side turns `[a b c]` into `[b a b c b]`. The first segment of this output is
// `[b]`, which reads the input backwards. The second one is `[a b c]`, which reads it forwards. The third one repeats the first
// output position.
//
// Dilated coordinates count interior padding. For example, with one fill element between two elements, `[a b c]` becomes
// `[a . b . c]`, and `c` has the dilated coordinate 4. The window is the range of dilated coordinates that the modes can repeat.
//
// This file is compiled twice. In `pad-macros`, `fixed_pad!` uses it to plan during the build. In `pad-kernels`, `plan/form.rs`
// inserts it to plan at run time. The file contains only items. The surrounding module defines `PadMode`, `Frame`, and `List`, a
// vector with a fixed capacity.

/// The reason why an axis cannot be padded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A length exceeds the maximum length of an axis.
    Overflow,
    /// The length of the output would be this negative number.
    NegativeOutput(i128),
    /// The output has this length, but the axis has no element that this mode could repeat.
    EmptyWindow(usize, PadMode),
}

/// An axis in normal form, without strides.
///
/// Output position `o` has the window coordinate `t = o + origin`. If `0 <= t < len`, the output reads the dilated coordinate
/// `start + t`. For smaller `t`, the mode `low` applies, and for larger `t`, the mode `high`. If the output has border positions
/// on one side only, both modes are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) out: usize,
    pub(crate) origin: i64,
    pub(crate) start: i64,
    pub(crate) len: i64,
    pub(crate) interior: i64,
    pub(crate) low: PadMode,
    pub(crate) high: PadMode,
}

impl Form {
    /// Checks an axis of `length` elements with a mode per side, and converts it to normal form.
    pub(crate) fn new(
        length: usize,
        (low, high, interior): (i64, i64, u64),
        modes: (PadMode, PadMode),
        frame: Frame,
    ) -> Result<Form, Fault> {
        let d = i128::try_from(length).map_err(|_| Fault::Overflow)?;
        let step = i128::from(interior) + 1;
        let dilated = match d {
            0 => 0,
            // The general formula below also gives `d`, but it takes longer.
            _ if interior == 0 => d,
            _ => (d - 1).checked_mul(step).and_then(|gaps| gaps.checked_add(1)).ok_or(Fault::Overflow)?,
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
        let origin = -low - start;
        if len == 0 && out > 0 {
            if origin < 0 && modes.0 != PadMode::Constant {
                return Err(Fault::EmptyWindow(out, modes.0));
            }
            if origin + output > 0 && modes.1 != PadMode::Constant {
                return Err(Fault::EmptyWindow(out, modes.1));
            }
        }
        // All of these values are at most `dilated`, which fits an `i64`.
        let (start, len) = (narrow(start), narrow(len));
        let mirrors = |mode| matches!(mode, PadMode::Reflect | PadMode::Symmetric);
        if (mirrors(modes.0) || mirrors(modes.1)) && len > i64::MAX / 2 {
            return Err(Fault::Overflow);
        }
        let interior = if d > 1 { narrow(step - 1) } else { 0 };
        let (origin, (low, high)) = canonical(origin, out, len, modes);
        Ok(Form { out, origin, start, len, interior, low, high })
    }

    /// Returns the distance of neighbouring elements in dilated coordinates.
    #[inline(always)]
    pub(crate) const fn step(self) -> i64 {
        self.interior.wrapping_add(1)
    }

    /// Returns the output positions inside the window.
    #[inline(always)]
    pub(crate) fn inside(self) -> core::ops::Range<usize> {
        // A value that saturates lies outside of the output, and `clamp` then returns the correct bound.
        let out = self.out as i64;
        let first = self.origin.saturating_neg().clamp(0, out);
        let end = self.len.saturating_sub(self.origin);
        let end = end.clamp(first, out);
        first as usize..end as usize
    }

    /// Tells whether some output positions lie outside of the window. If there are none, the modes do not matter.
    #[inline]
    pub(crate) fn has_border(self) -> bool {
        self.inside() != (0..self.out)
    }

    /// Tells whether each output position reads the input element of the same index.
    #[inline]
    pub(crate) fn is_identity(self) -> bool {
        self.interior == 0 && self.origin == 0 && self.start == 0 && !self.has_border()
    }

    /// Tells whether an inner axis can merge into this one, if both are contiguous in memory. This axis must read forwards. A
    /// merge multiplies the coordinates of this axis by the inner length, so a backward copy would also reverse the inner axis.
    #[inline]
    pub(crate) fn takes_in(self, inner: Form) -> bool {
        inner.is_identity() && self.goes_forward()
    }

    /// Tells whether consecutive output positions read consecutive elements of the source, or are fill. The position after the last element
    /// may read the first one.
    #[inline]
    pub(crate) fn goes_forward(self) -> bool {
        let forward = |mode| matches!(mode, PadMode::Constant | PadMode::Wrap);
        self.interior == 0 && (forward(self.low) && forward(self.high) || !self.has_border())
    }

    /// Returns the axis in smaller units. One unit of this axis contains `n` of them.
    #[inline]
    pub(crate) fn times(self, n: usize) -> Form {
        let by = n as i64;
        Form {
            out: self.out * n,
            origin: self.origin * by,
            start: self.start * by,
            len: self.len * by,
            ..self
        }
    }
}

/// Returns the period of a mode for a window of `len >= 1`, or `None` for modes without a period. [`Form::new`] refuses windows
/// whose period would overflow.
#[inline(always)]
pub(crate) fn period(mode: PadMode, len: i64) -> Option<i64> {
    match mode {
        PadMode::Constant | PadMode::Edge => None,
        PadMode::Wrap => Some(len),
        PadMode::Symmetric => Some(2 * len),
        PadMode::Reflect => Some(if len == 1 { 1 } else { 2 * (len - 1) }),
    }
}

/// Reduces the origin in a way that does not change the output.
///
/// If one periodic mode covers both sides, the origin becomes less than one period. Otherwise, the origin is clamped to the range
/// from `-out` to `len`. If one side has no positions, it gets the mode of the other side.
pub(crate) fn canonical(
    origin: i128,
    out: usize,
    len: i64,
    (low, high): (PadMode, PadMode),
) -> (i64, (PadMode, PadMode)) {
    let (low, high) = if low == high || origin < 0 && origin + out as i128 > i128::from(len) {
        (low, high)
    } else if origin < 0 {
        (low, low)
    } else {
        (high, high)
    };
    if len == 0 {
        return (0, (low, high));
    }
    let period = if low == high { period(low, len) } else { None };
    let origin = narrow(match period {
        // The remainder of a 128-bit number takes as long as the rest of the function, so 64 bits are used if possible.
        Some(period) => match i64::try_from(origin) {
            Ok(origin) => i128::from(origin.rem_euclid(period)),
            Err(_) => origin.rem_euclid(i128::from(period)),
        },
        None => {
            let lowest = -(out as i128);
            origin.clamp(lowest, i128::from(len))
        }
    });
    (origin, (low, high))
}

/// Converts a value that fits an `i64`.
fn narrow(value: i128) -> i64 {
    debug_assert!(i64::try_from(value).is_ok());
    value as i64
}

/// Consecutive output positions of an axis that are computed in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// Positions that are fill.
    Fill { count: usize },
    /// Input elements `from`, `from + step`, and so on. `step` is 1, -1 or 0, and `gap` positions of fill lie between two elements.
    Source { from: isize, step: isize, count: usize, gap: usize },
    /// Copies of earlier output positions `from`, `from + step`, and so on. `step` is 1, -1 or 0. With step 1, the copy may overlap its
    /// source. For example, `[a b c]` with `from` 0 and `count` 5 becomes `[a b c a b c a b]`.
    Again { from: usize, step: isize, count: usize },
}

impl Segment {
    /// Returns the number of positions.
    #[inline(always)]
    pub(crate) const fn positions(self) -> usize {
        match self {
            Segment::Fill { count } | Segment::Again { count, .. } => count,
            Segment::Source { count, gap, .. } => count + (count - 1) * gap,
        }
    }
}

/// The segments of an axis in output order. Their number does not grow with the border.
#[derive(Clone)]
pub(crate) struct Segments {
    list: List<Segment, { Segments::MOST }>,
}

impl core::ops::Deref for Segments {
    type Target = [Segment];

    #[inline(always)]
    fn deref(&self) -> &[Segment] {
        &self.list
    }
}

impl Segments {
    /// The maximum number of segments. A run is a part of a period that reads in one direction. A reflected side has up to three
    /// runs, because its period can begin within a run. With fill before, between and after the runs, and one repetition, it has
    /// up to 8 segments. If the sides have different modes, the positions from the window on begin with a whole run. These
    /// positions have up to two runs, and 6 segments.
    pub(crate) const MOST: usize = 8 + 6;

    /// Returns an empty list.
    #[inline(always)]
    pub(crate) fn new() -> Segments {
        Segments { list: List::new() }
    }

    /// Iterates over the segments, and replaces each repetition by the segments that it repeats.
    #[inline(always)]
    pub(crate) fn expanded(&self) -> Expanded<'_> {
        Expanded { segments: self, next: 0, skip: 0, period: None, end: 0, left: 0, behind: 0 }
    }

    /// Iterates over the segments that segment `number`, a repetition, repeats in its first `count` positions.
    #[inline(always)]
    pub(crate) fn repeated(&self, number: usize, count: usize) -> Expanded<'_> {
        let mut repeated = Expanded { segments: &self.list[..number], ..self.expanded() };
        if let Segment::Again { from, .. } = self.list[number] {
            repeated.end = number;
            repeated.repeat(from, count);
        }
        repeated
    }

    /// Adds fill. If the list ends with fill, the function extends that fill.
    #[inline(always)]
    fn fill(&mut self, count: usize) {
        match self.list.last_mut() {
            _ if count == 0 => {}
            Some(Segment::Fill { count: before }) => *before += count,
            _ => self.list.push(Segment::Fill { count }),
        }
    }

    /// Adds `count` coordinates: `first`, `first + direction`, and so on. Multiples of `step` are elements, and all others are fill.
    #[inline(always)]
    fn coordinates(&mut self, first: i64, direction: isize, count: usize, step: i64) {
        if step == 1 {
            return self.list.push(Segment::Source { from: first as isize, step: direction, count, gap: 0 });
        }
        self.dilated(first, direction, count, step);
    }

    #[inline(never)]
    fn dilated(&mut self, first: i64, direction: isize, count: usize, step: i64) {
        let past = first.rem_euclid(step);
        if direction == 0 {
            return match past {
                0 => {
                    self.list.push(Segment::Source { from: (first / step) as isize, step: 0, count, gap: 0 })
                }
                _ => self.fill(count),
            };
        }
        // The number of fill positions before the first element in this direction.
        let lead = if direction < 0 || past == 0 { past } else { step - past };
        let short = usize::try_from(lead).map_or(count, |lead| lead.min(count));
        self.fill(short);
        let Some(rest) = (count - short).checked_sub(1) else { return };
        // If the step exceeds `usize`, there is no second element.
        let (gaps, behind) = match usize::try_from(step) {
            Ok(step) => (rest / step, rest % step),
            Err(_) => (0, rest),
        };
        let gap = if gaps == 0 { 0 } else { (step - 1) as usize };
        let from = (first + lead * direction as i64).div_euclid(step) as isize;
        self.list.push(Segment::Source { from, step: direction, count: gaps + 1, gap });
        self.fill(behind);
    }
}

/// Iterates over segments, and replaces each repetition by the segments that it repeats.
#[derive(Clone)]
pub(crate) struct Expanded<'a> {
    segments: &'a [Segment],
    next: usize,
    /// The number of positions of the next segment that are skipped. Only fill is skipped, because a period begins with an element or
    /// within fill.
    skip: usize,
    /// The index of the repeated period's first segment, and the number of positions that are skipped in this segment. It is
    /// `None` outside of a repetition.
    period: Option<(usize, usize)>,
    /// The index of the repetition, which is the end of the period.
    end: usize,
    /// The number of positions of the repetition that are left.
    left: usize,
    /// The number of fill positions that are left, if a repetition ends between two elements.
    behind: usize,
}

impl Iterator for Expanded<'_> {
    type Item = Segment;

    #[inline(never)]
    fn next(&mut self) -> Option<Segment> {
        if self.period.is_none() {
            match *self.segments.get(self.next)? {
                Segment::Again { from, count, .. } => {
                    self.end = self.next;
                    self.repeat(from, count);
                }
                segment => {
                    self.next += 1;
                    return Some(segment);
                }
            }
        }
        if self.behind > 0 {
            self.finish();
            return Some(Segment::Fill { count: core::mem::take(&mut self.behind) });
        }
        if let (Some((first, skip)), true) = (self.period, self.next == self.end) {
            (self.next, self.skip) = (first, skip);
        }
        let segment = match self.segments[self.next] {
            Segment::Fill { count } => Segment::Fill { count: count - core::mem::take(&mut self.skip) },
            source => source,
        };
        self.next += 1;
        let positions = segment.positions();
        if positions < self.left {
            self.left -= positions;
            return Some(segment);
        }
        let left = self.left;
        Some(match segment {
            Segment::Source { from, step, gap, .. } => {
                // The positions after the last element are fill, which the next call returns.
                let elements = (left - 1) / (gap + 1) + 1;
                self.behind = (left - 1) % (gap + 1);
                if self.behind == 0 {
                    self.finish();
                }
                Segment::Source { from, step, count: elements, gap: if elements == 1 { 0 } else { gap } }
            }
            _ => {
                self.finish();
                Segment::Fill { count: left }
            }
        })
    }
}

impl Expanded<'_> {
    /// Starts to repeat `count` positions from position `from`.
    fn repeat(&mut self, from: usize, count: usize) {
        let (mut first, mut at) = (0, 0);
        while at + self.segments[first].positions() <= from {
            at += self.segments[first].positions();
            first += 1;
        }
        (self.next, self.skip, self.left) = (first, from - at, count);
        self.period = Some((first, from - at));
    }

    /// Continues after the repetition.
    fn finish(&mut self) {
        (self.next, self.skip, self.period) = (self.end + 1, 0, None);
    }
}

impl Form {
    /// Returns the segments of this axis. The first period reads the input, and the rest repeats that period.
    #[inline]
    pub(crate) fn segments(self) -> Segments {
        let mut segments = Segments::new();
        self.list(&mut segments);
        segments
    }

    /// Writes the segments to an empty list. It returns no list, because moving one takes as long as computing a few segments.
    #[inline]
    pub(crate) fn list(self, segments: &mut Segments) {
        if self.low == self.high {
            self.add_to(segments, 0);
        } else {
            self.add_sides_to(segments);
        }
    }

    /// Adds the segments of an axis with two modes: first for the positions before the window, then for all others.
    #[inline(never)]
    fn add_sides_to(self, segments: &mut Segments) {
        let before = self.inside().start;
        let side = |origin: i64, out: usize, mode: PadMode| {
            let (origin, (low, high)) = canonical(i128::from(origin), out, self.len, (mode, mode));
            Form { out, origin, low, high, ..self }
        };
        let sides =
            [(side(self.origin, before, self.low), 0), (side(0, self.out - before, self.high), before)];
        for (side, begin) in sides {
            side.add_to(segments, begin);
        }
    }

    /// Adds the segments of an axis with one mode. Its first position is position `begin` of the whole axis.
    #[inline]
    fn add_to(self, segments: &mut Segments, begin: usize) {
        let mode = self.low;
        let (out, w, step) = (self.out, self.len, self.step());
        if matches!(mode, PadMode::Constant | PadMode::Edge) {
            let inside = self.inside();
            let (low, high) = (inside.start, out - inside.end);
            let border = |segments: &mut Segments, coordinate: i64, count: usize| match mode {
                _ if count == 0 => {}
                PadMode::Constant => segments.fill(count),
                _ => segments.coordinates(self.start + coordinate, 0, count, step),
            };
            border(segments, 0, low);
            if inside.start < inside.end {
                let first = self.start + self.origin + low as i64;
                segments.coordinates(first, 1, inside.end - inside.start, step);
            }
            border(segments, w - 1, high);
            return;
        }
        // A period that exceeds `usize` is longer than the output, so it never repeats.
        let period = period(mode, w).and_then(|period| usize::try_from(period).ok()).unwrap_or(usize::MAX);
        let (mut at, mut t) = (0, self.origin);
        while at < out.min(period) {
            // A period goes up through the window. In reflected modes, it then goes down again.
            let (coordinate, direction, left) = match mode {
                PadMode::Reflect if t >= w => (2 * (w - 1) - t, -1, 2 * (w - 1) - t),
                PadMode::Symmetric if t >= w => (2 * w - 1 - t, -1, 2 * w - t),
                PadMode::Reflect | PadMode::Symmetric | PadMode::Wrap => (t, 1, w - t),
                PadMode::Constant | PadMode::Edge => unreachable!("these modes have no period"),
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
            segments.list.push(Segment::Again { from: begin + at - period, step: 1, count: out - at });
        }
    }
}

/// The output positions that read some consecutive input elements. Element `i` has position `at + i * step` and the `hold - 1` positions
/// after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) at: isize,
    pub(crate) step: isize,
    pub(crate) hold: usize,
}

/// The input elements `start..end` that one segment reads, and their output positions.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) term: Term,
}

pub(crate) fn is_again(segment: &Segment) -> bool {
    matches!(segment, Segment::Again { .. })
}

/// Returns what the segments read from the input, in output order. Unless `repeats` is true, repetitions are left out.
pub(crate) fn sources(segments: &Segments, repeats: bool) -> List<Source, 8> {
    let mut sources: List<Source, 8> = List::new();
    let mut position = 0isize;
    let left_out = !repeats && segments.iter().any(is_again);
    let mut push = |segment: Segment| {
        if let Some(source) = Source::of(segment, position) {
            match sources.last_mut() {
                // If the same element is read again, the previous entry becomes longer. If repetitions are left out, both entries
                // stay separate, because a repetition may repeat only one of them.
                Some(last) if !left_out && last.is_held_by(&source) => {
                    last.term = Term { step: 0, hold: last.term.hold + source.term.hold, ..last.term };
                }
                _ => sources.push(source),
            }
        }
        position += segment.positions() as isize;
    };
    for (number, &segment) in segments.iter().enumerate() {
        match segment {
            Segment::Again { count, .. } if repeats => {
                segments.repeated(number, count).for_each(&mut push);
            }
            _ => push(segment),
        }
    }
    sources
}

impl Source {
    /// Returns what a segment reads from the input, if anything. Its first output position is `position`.
    pub(crate) fn of(segment: Segment, position: isize) -> Option<Source> {
        let Segment::Source { from, step, count, gap } = segment else { return None };
        let (apart, reach) = ((gap + 1) as isize, (count - 1) as isize);
        let (start, end, term) = match step {
            0 => (from, from, Term { at: position, step: 0, hold: count }),
            1 => (from, from + reach, Term { at: position, step: apart, hold: 1 }),
            // In a run that goes down, the last element is the lowest.
            _ => (from - reach, from, Term { at: position + reach * apart, step: -apart, hold: 1 }),
        };
        Some(Source { start: start as usize, end: end as usize + 1, term })
    }

    /// Tells whether `next` reads the same single element for the next position.
    fn is_held_by(&self, next: &Source) -> bool {
        let one = self.end - self.start == 1 && (next.start, next.end) == (self.start, self.end);
        one && self.term.at + self.term.hold as isize == next.term.at
    }
}
