//! Plans how a function of `fixed_pad!` pads its shape: with a few copies between arrays for each axis.
//!
//! For example, mode reflect adds one column on each side of `[[a b] [c d]]`. The row `[a b]` is copied to the middle of
//! `[b a b a]`. On the innermost axis, borders are read from the input. On outer axes, borders are copies of output rows.

use crate::form::{Form, Segment, is_again};
use crate::model::PadMode;

/// The maximum number of elements in a copy unit. In debug builds, several units lie on the stack.
const MOST_UNIT: usize = 1024;

/// A merged axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// The length in the input.
    pub(crate) src: usize,
    /// The length in the output.
    pub(crate) dst: usize,
    /// The segments of the output with their positions, in the order in which the function writes them.
    pub(crate) segments: Vec<(usize, Segment)>,
}

/// Merges axes, given as `(input length, form)`, into as few axes as possible. Also returns the number of elements in the copy
/// unit of the innermost axis.
pub(crate) fn merged(axes: &[(usize, Form)]) -> (Vec<(usize, Form)>, usize) {
    let mut merged: Vec<(usize, Form)> = Vec::new();
    let is_one = |&&(length, form): &&(usize, Form)| length == 1 && form.out == 1 && form.is_identity();
    for &(length, form) in axes.iter().filter(|axis| !is_one(axis)) {
        match merged.last_mut() {
            Some((outer_length, outer)) if outer.takes_in(form) && is_whole(length, form) => {
                (*outer_length, *outer) = (*outer_length * length, outer.times(length));
            }
            _ => merged.push((length, form)),
        }
    }
    // A short innermost axis without padding becomes part of the copy unit.
    let mut unit = 1;
    while let [.., _, (length, form)] = merged[..]
        && form.is_identity()
        && is_whole(length, form)
        && unit * length <= MOST_UNIT
    {
        unit *= length;
        merged.pop();
    }
    if merged.is_empty() {
        let (low, high) = (PadMode::Constant, PadMode::Constant);
        merged.push((1, Form { out: 1, origin: 0, start: 0, len: 1, interior: 0, low, high }));
    }
    (merged, unit)
}

/// Returns the segments of each merged axis.
pub(crate) fn levels(merged: &[(usize, Form)]) -> Vec<Level> {
    let innermost = merged.len() - 1;
    let level = |(depth, &(length, form)): (usize, &(usize, Form))| Level {
        src: length,
        dst: form.out,
        segments: segments(form, depth == innermost),
    };
    merged.iter().enumerate().map(level).collect()
}

/// Tells whether an axis without padding has elements and uses its whole input.
fn is_whole(length: usize, form: Form) -> bool {
    length == form.out && length > 0
}

/// Returns the segments of an axis. Segments that copy earlier output come last.
///
/// On outer axes and with interior padding, a segment copies the output of the body if the body contains its elements. The body
/// is the longest forward copy. On other axes, such a segment reads the input.
fn segments(form: Form, innermost: bool) -> Vec<(usize, Segment)> {
    let placed = placed(form.segments().iter().copied());
    let forward = placed.iter().filter_map(|&(at, segment)| match segment {
        Segment::Source { from, step: 1, count, gap } => Some((at, from..from + count as isize, gap)),
        _ => None,
    });
    let body = forward.max_by_key(|(_, elements, _)| elements.len());
    let body = body.filter(|_| !innermost || form.interior > 0);
    // Changes a segment that reads the input into one that reads the output of the body, if the body contains the elements.
    let again = |at: usize, segment: Segment| {
        let (body_at, elements, body_gap) = body.clone().filter(|body| at != body.0)?;
        let Segment::Source { from, step, count, gap } = segment else { return None };
        let last = from + step * (count as isize - 1);
        let alike = step == 0 || count == 1 || gap == body_gap;
        let first = body_at + usize::try_from(from - elements.start).ok()? * (body_gap + 1);
        (elements.contains(&from) && elements.contains(&last) && alike).then_some(Segment::Again {
            from: first,
            step,
            count: segment.positions(),
        })
    };
    let segments = placed.iter().map(|&(at, segment)| (at, again(at, segment).unwrap_or(segment)));
    let (late, early): (Vec<_>, Vec<_>) = segments.partition(|(_, segment)| is_again(segment));
    [early, late].concat()
}

/// Returns each segment with its position in the output.
fn placed(segments: impl Iterator<Item = Segment>) -> Vec<(usize, Segment)> {
    let mut end = 0;
    let place = |segment: Segment| {
        end += segment.positions();
        (end - segment.positions(), segment)
    };
    segments.map(place).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::ops::Range;

    use super::*;
    use crate::model::Frame;

    pub(crate) type Pad = (i64, i64, u64);
    /// The modes of the low side and of the high side.
    pub(crate) type Modes = (PadMode, PadMode);

    /// Every pair of modes, in every frame.
    pub(crate) fn modes_and_frames() -> impl Iterator<Item = (Modes, Frame)> {
        let modes = PadMode::ALL.into_iter().flat_map(|low| PadMode::ALL.map(|high| (low, high)));
        modes.flat_map(|modes| [Frame::Cropped, Frame::Uncropped].map(|frame| (modes, frame)))
    }

    /// Every axis that can be padded, with one of these lengths and up to `most` elements per border, in every pair of modes and
    /// in every frame.
    pub(crate) fn axes(
        lengths: Range<usize>,
        most: i64,
    ) -> impl Iterator<Item = (usize, Pad, Modes, Frame, Form)> {
        let borders = (-4..=most).flat_map(move |low| (-4..=most).map(move |high| (low, high)));
        let pads = borders.flat_map(|(low, high)| [0, 1, 2, 4].map(|interior| (low, high, interior)));
        let axes = lengths.flat_map(move |length| pads.clone().map(move |pad| (length, pad)));
        axes.flat_map(|(length, pad)| {
            modes_and_frames().filter_map(move |(modes, frame)| {
                Some((length, pad, modes, frame, Form::new(length, pad, modes, frame).ok()?))
            })
        })
    }

    /// Returns an axis of `length` elements with one mode.
    pub(crate) fn form(length: usize, pad: Pad, mode: PadMode) -> Form {
        Form::new(length, pad, (mode, mode), Frame::Cropped).expect("it can be padded")
    }

    /// Returns the input element at every position of an axis by the definition of the modes, or `None` for fill.
    pub(crate) fn defined(
        length: usize,
        (low, high, interior): Pad,
        modes: Modes,
        frame: Frame,
    ) -> Vec<Option<usize>> {
        let step = interior as i64 + 1;
        let dilated = if length == 0 { 0 } else { (length as i64 - 1) * step + 1 };
        let window = match frame {
            Frame::Uncropped => 0..dilated,
            Frame::Cropped => (-low).max(0)..dilated - (-high).max(0),
        };
        let n = window.end - window.start;
        let position = |t: i64| match if t < 0 { modes.0 } else { modes.1 } {
            _ if (0..n).contains(&t) => Some(t),
            PadMode::Constant => None,
            PadMode::Edge => Some(t.clamp(0, n - 1)),
            PadMode::Wrap => Some(t.rem_euclid(n)),
            PadMode::Reflect if n == 1 => Some(0),
            PadMode::Reflect => Some((n - 1) - ((n - 1) - t.rem_euclid(2 * (n - 1))).abs()),
            PadMode::Symmetric => Some(t.rem_euclid(2 * n)).map(|t| t.min(2 * n - 1 - t)),
        };
        (-low..dilated + high)
            .map(|coordinate| position(coordinate - window.start).map(|t| t + window.start))
            .map(|coordinate| {
                coordinate.filter(|coordinate| coordinate % step == 0).map(|at| (at / step) as usize)
            })
            .collect()
    }

    /// Executes the segments. Returns the input element at every position, or `None` for fill.
    fn made(levels: &[Level], unit: usize) -> Vec<Option<usize>> {
        let [level, inside @ ..] = levels else { return (0..unit).map(Some).collect() };
        let row = made(inside, unit);
        let stride = inside.iter().map(|level| level.src).product::<usize>() * unit;
        let fill = Some(vec![None; row.len()]);
        let mut rows = vec![None; level.dst];
        let index =
            |from: isize, step: isize, i: usize| usize::try_from(from + step * i as isize).expect("within");
        for &(at, segment) in &level.segments {
            match segment {
                Segment::Fill { count } => rows[at..at + count].fill(fill.clone()),
                Segment::Source { from, step, count, gap } => {
                    rows[at..at + segment.positions()].fill(fill.clone());
                    for i in 0..count {
                        let index = index(from, step, i);
                        assert!(index < level.src);
                        let of_row = row.iter().map(|element| element.map(|at| at + index * stride));
                        rows[at + i * (gap + 1)] = Some(of_row.collect());
                    }
                }
                Segment::Again { from, step, count } => {
                    for i in 0..count {
                        rows[at + i] = rows[index(from as isize, step, i)].clone();
                    }
                }
            }
        }
        rows.into_iter()
            .flat_map(|row| row.expect("every position is made, from what was made before"))
            .collect()
    }

    /// Checks that the levels give the defined output if the axes can be padded, and that no two segments of fill are adjacent.
    fn check(axes: &[(usize, Pad)], modes: Modes, frame: Frame) {
        let forms =
            axes.iter().map(|&(length, pad)| Some((length, Form::new(length, pad, modes, frame).ok()?)));
        let Some(forms) = forms.collect::<Option<Vec<_>>>() else { return };
        let mut expected = vec![Some(0)];
        for &(length, pad) in axes {
            let axis = defined(length, pad, modes, frame);
            expected = (expected.iter())
                .flat_map(|outer| axis.iter().map(move |inner| Some((*outer)? * length + (*inner)?)))
                .collect();
        }
        let (merged, unit) = merged(&forms);
        let levels = levels(&merged);
        assert_eq!(made(&levels, unit), expected, "{axes:?} {modes:?} {frame:?}: {levels:?} of {unit}");
        for level in levels {
            let is_fill = |(_, segment): &&(usize, Segment)| matches!(segment, Segment::Fill { .. });
            let fills: Vec<_> = level.segments.iter().filter(is_fill).collect();
            let is_one = |pair: &[&(usize, Segment)]| pair[0].0 + pair[0].1.positions() < pair[1].0;
            assert!(fills.windows(2).all(is_one) && fills.iter().all(|fill| fill.1.positions() > 0));
        }
    }

    /// Tests each axis as the innermost one, and as an outer one.
    #[test]
    fn an_axis_is_as_defined() {
        let mut checked = 0;
        for (length, pad, modes, frame, _) in axes(0..5, 9) {
            check(&[(length, pad)], modes, frame);
            check(&[(length, pad), (2, (1, 0, 0))], modes, frame);
            checked += 1;
        }
        assert!(checked > 100_000, "{checked}");
    }

    /// Tests axes with no, one or more elements, without padding, with a crop, with borders and with interior padding, in every
    /// combination.
    #[test]
    fn three_axes_are_as_defined() {
        let axes: [(usize, Pad); 9] = [
            (1, (0, 0, 0)),
            (0, (0, 0, 0)),
            (3, (0, 0, 0)),
            (3, (-1, 0, 0)),
            (3, (0, -1, 0)),
            (2, (1, 0, 0)),
            (2, (0, 3, 0)),
            (2, (0, 0, 1)),
            (1, (0, 2, 0)),
        ];
        for (modes, frame) in modes_and_frames() {
            for outer in axes {
                for (middle, inner) in axes.iter().flat_map(|middle| axes.map(|inner| (*middle, inner))) {
                    check(&[outer, middle, inner], modes, frame);
                }
            }
        }
    }

    /// Returns the input and output lengths of the levels, and the copy unit.
    fn shape(axes: &[(usize, Pad)], mode: PadMode) -> (Vec<(usize, usize)>, usize) {
        let forms: Vec<_> = axes.iter().map(|&(length, pad)| (length, form(length, pad, mode))).collect();
        let (merged, unit) = merged(&forms);
        (merged.iter().map(|(length, form)| (*length, form.out)).collect(), unit)
    }

    #[test]
    fn axes_are_as_few_as_they_can_be() {
        const WHOLE: Pad = (0, 0, 0);
        let image = [(1, WHOLE), (4, (1, 1, 0)), (6, WHOLE)];
        assert_eq!(shape(&image, PadMode::Constant), (vec![(24, 36)], 1));
        assert_eq!(shape(&image, PadMode::Reflect), (vec![(4, 6)], 6));
        // The unit contains neither a cropped axis nor an empty one, and no more elements than a unit may have.
        assert_eq!(shape(&[(4, (1, 1, 0)), (1024, WHOLE)], PadMode::Edge), (vec![(4, 6)], 1024));
        assert_eq!(shape(&[(4, (1, 1, 0)), (1025, WHOLE)], PadMode::Edge), (vec![(4, 6), (1025, 1025)], 1));
        assert_eq!(shape(&[(4, (1, 1, 0)), (6, (-1, 0, 0))], PadMode::Reflect), (vec![(4, 6), (6, 5)], 1));
        assert_eq!(shape(&[(4, (1, 1, 0)), (0, WHOLE)], PadMode::Reflect), (vec![(4, 6), (0, 0)], 1));
        assert_eq!(shape(&[(1, WHOLE), (1, WHOLE)], PadMode::Wrap), (vec![(1, 1)], 1));
    }

    /// Checks that borders copy output rows instead of reading the input again, and that long borders have few segments.
    #[test]
    fn borders_of_outer_axes_are_copies() {
        for mode in PadMode::ALL {
            for (low, high) in (0..=2).flat_map(|low| (0..=2).map(move |high| (low, high))) {
                let read = segments(form(3, (low, high, 0), mode), false).into_iter().map(|(_, segment)| {
                    match segment {
                        Segment::Source { count, .. } => count,
                        _ => 0,
                    }
                });
                assert_eq!(read.sum::<usize>(), 3, "{mode:?} {low} {high}");
            }
            assert!(segments(form(3, (100, 100, 0), mode), true).len() <= 4, "{mode:?}");
        }
    }

    /// Checks that a repetition expands to the segments that it repeats.
    #[test]
    fn expanded_segments_are_as_defined() {
        let mut repeated = [0; 3];
        for (length, pad, modes, frame, form) in axes(1..6, 13) {
            let segments = form.segments();
            repeated[segments.iter().filter(|segment| is_again(segment)).count()] += 1;
            let level = Level { src: length, dst: form.out, segments: placed(segments.expanded()) };
            assert!(!level.segments.iter().any(|(_, segment)| is_again(segment)), "{level:?}");
            let expected = defined(length, pad, modes, frame);
            assert_eq!(made(&[level], 1), expected, "{length} {pad:?} {modes:?} {frame:?}");
        }
        assert!(repeated.iter().all(|&of_so_many| of_so_many > 1_000), "{repeated:?}");
    }
}
