// The arithmetic of one axis: its normal form, and its runs.
//
// One file, compiled twice: for `fixed_pad!`, which plans while it expands, and in `pad-kernels`, which plans at run
// time, by way of `axis_arithmetic!`. So it is made of items alone, and `PadMode` and `Frame` are those of the module
// that it stands in.

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
                .and_then(|gaps| gaps.checked_add(planted!("gap-after-the-last", 1, step)))
                .ok_or(Fault::Overflow)?,
        };
        let dilated = i128::from(i64::try_from(dilated).map_err(|_| Fault::Overflow)?);
        let (low, high) = (i128::from(low), i128::from(high));
        let output = dilated + low + high;
        if output < planted!("negative-output", 0, -1) {
            return Err(Fault::NegativeOutput(output));
        }
        let out = isize::try_from(output).map_err(|_| Fault::Overflow)?.unsigned_abs();

        let (start, end) = match frame {
            Frame::Uncropped => (0, dilated),
            Frame::Cropped => {
                let start = dilated.min(planted!("cropped-frame-low", (-low).max(0), 0));
                (start, start.max(dilated - planted!("cropped-frame-high", (-high).max(0), 0)))
            }
        };
        let len = end - start;
        if len == 0 && out > planted!("empty-window", 0, 1) && mode != PadMode::Constant {
            return Err(Fault::EmptyWindow(out));
        }
        // All of these are at most `dilated`, which fits.
        let (start, len) = (narrow(start), narrow(len));
        if matches!(mode, PadMode::Reflect | PadMode::Symmetric)
            && len > planted!("mirror-overflow", i64::MAX / 2, i64::MAX - 1)
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
        let first = planted!("inside-low", self.origin.saturating_neg(), self.origin.saturating_neg() - 1)
            .clamp(0, out);
        let end = self.len.saturating_sub(self.origin);
        let end = planted!("inside-high", end, end + 1).clamp(first, out);
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
            planted!("axes-merged-in-any-mode", matches!(mode, PadMode::Constant | PadMode::Wrap), true);
        inner.is_identity()
            && planted!("axes-merged-with-gaps", self.interior == 0, true)
            && (repeats_runs || !self.has_border())
    }

    /// The same axis in units of which `n` make one of its own.
    #[inline]
    pub(crate) fn times(self, n: usize) -> Form {
        let by = n as i64;
        Form {
            out: self.out * n,
            origin: planted!("merged-origin", self.origin * by, self.origin),
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
        PadMode::Wrap => Some(planted!("wrap-period", len, (len - 1).max(1))),
        PadMode::Symmetric => Some(planted!("symmetric-period", 2 * len, 2 * len - 1)),
        PadMode::Reflect => Some(if len == 1 {
            planted!("reflect-of-one", 1, 0)
        } else {
            planted!("reflect-period", 2 * (len - 1), 2 * len)
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
        Some(period) => planted!(
            "modulus-of-negatives",
            origin.rem_euclid(i128::from(period)),
            (origin % i128::from(period)).abs()
        ),
        None => {
            let lowest = planted!("origin-clamped-short", -(out as i128), 1 - out.max(1) as i128);
            origin.clamp(lowest, i128::from(len))
        }
    })
}

/// A value that is known to fit: it lies between two values that do.
fn narrow(value: i128) -> i64 {
    debug_assert!(i64::try_from(value).is_ok());
    value as i64
}

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

impl Run {
    /// The run at window coordinate `t`, which is canonical, of at most `most >= 1` positions, in a window of `w`
    /// coordinates from `start` on; and the window coordinate behind it.
    #[inline(always)]
    pub(crate) fn at(mode: PadMode, t: i64, start: i64, w: i64, most: usize) -> (Run, i64) {
        // Up to the end of a stretch of `left` positions. A stretch longer than a usize has no end here.
        let up_to = |left: i64| usize::try_from(left).map_or(most, |left| left.min(most));
        let forward = |from: i64, left: i64| Run::Forward { from: start + from, count: up_to(left) };
        let backward = |from: i64, left: i64| Run::Backward { from: start + from, count: up_to(left) };
        let hold = |from: i64, count: usize| Run::Hold { from: start + from, count };
        let run = match mode {
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
        let behind = t.saturating_add(run.count() as i64);
        // A run ends within its period, but for the endless run of a reflected single element.
        let over = period(mode, w)
            .is_some_and(|period| planted!("period-reached", behind >= period, behind > period));
        (run, if over { 0 } else { behind })
    }

    /// How many positions.
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
