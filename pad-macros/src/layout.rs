//! The plan of a shape that is known while the macro expands: every axis as a few moves between arrays.

use crate::axis::{Form, Run, period};
use crate::model::PadMode;

/// An axis that is left after merging.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// Length in the input.
    pub(crate) src: usize,
    /// Length in the output.
    pub(crate) dst: usize,
    /// What makes the output, in this order.
    pub(crate) moves: Vec<Move>,
}

/// Positions of the output that are made in one way, `count` of them from `at` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// Fill.
    Fill { at: usize, count: usize },
    /// The input from `from` on, at every `step`-th position, with fill between.
    Data { at: usize, step: usize, from: usize, direction: Direction, count: usize },
    /// The output from `from` on, which was made before. Going up it may reach into what it makes itself.
    Again { at: usize, from: usize, direction: Direction, count: usize },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
    Still,
}

/// Periods that are short of an axis are written out; of longer axes only the first is, and then repeated.
const MOST_RUNS: usize = 4;

/// The fewest axes that say the same as these, which have `(input length, form)` each, and the elements that the
/// innermost of them moves at a time. Of an output without elements there is nothing to say.
pub(crate) fn levels(axes: &[(usize, Form)], mode: PadMode) -> (Vec<Level>, usize) {
    let mut merged: Vec<(usize, Form)> = Vec::new();
    for &(length, form) in axes.iter().filter(|(length, form)| *length != 1 || !form.is_identity()) {
        match merged.last_mut() {
            Some((outer_length, outer)) if outer.takes_in(form, mode) && is_whole(length, form) => {
                (*outer_length, *outer) = (*outer_length * length, outer.times(length));
            }
            _ => merged.push((length, form)),
        }
    }
    // An innermost axis that is not padded is part of what the axis outside of it moves.
    let mut unit = 1;
    while let [.., _, (length, form)] = merged[..]
        && form.is_identity()
        && is_whole(length, form)
    {
        unit *= length;
        merged.pop();
    }
    if merged.is_empty() {
        merged.push((1, Form { out: 1, origin: 0, start: 0, len: 1, interior: 0 }));
    }
    let innermost = merged.len() - 1;
    let level = |(depth, &(length, form)): (usize, &(usize, Form))| Level {
        src: length,
        dst: form.out,
        moves: moves(form, mode, depth == innermost),
    };
    (merged.iter().enumerate().map(level).collect(), unit)
}

/// Whether an axis that is the same in and out has anything, and not only a part of the input.
fn is_whole(length: usize, form: Form) -> bool {
    length == form.out && length > 0
}

/// The moves along an axis. Only those of the innermost one read the input's borders: others have a body that the
/// borders are made from again.
fn moves(form: Form, mode: PadMode, innermost: bool) -> Vec<Move> {
    let (runs, repeated) = runs(form, mode);
    let body = runs.iter().copied().filter_map(forward).max_by_key(|body| body.count);
    let mut early = Vec::new();
    let mut late = Vec::new();
    for (at, run) in runs {
        let (from, direction, count) = match run {
            Run::Outside { count } => {
                early.push(Move::Fill { at, count });
                continue;
            }
            Run::Forward { from, count } => (from, Direction::Up, count),
            Run::Backward { from, count } => (from, Direction::Down, count),
            Run::Hold { from, count } => (from, Direction::Still, count),
        };
        match body {
            Some(body) if at != body.at && (!innermost || form.interior > 0) => {
                if let Some(from) = body.position_of(from, direction, count) {
                    late.push(Move::Again { at, from, direction, count });
                    continue;
                }
            }
            _ => {}
        }
        dilated(form.step(), at, (from, direction, count), &mut early);
    }
    join_fill(&mut early);
    early.extend(late);
    early.extend(repeated);
    early
}

/// Runs and where they are in the output, and what repeats them.
fn runs(form: Form, mode: PadMode) -> (Vec<(usize, Run)>, Option<Move>) {
    let until = |end: usize| {
        let (mut runs, mut at, mut t) = (Vec::new(), 0, form.origin);
        while at < end && runs.len() <= MOST_RUNS {
            let (run, behind) = Run::at(mode, t, form.start, form.len, end - at);
            runs.push((at, run));
            at += run.count();
            t = behind;
        }
        runs
    };
    let all = until(form.out);
    let period = period(mode, form.len).and_then(|period| usize::try_from(period).ok());
    match period {
        Some(at) if all.len() > MOST_RUNS && at < form.out => {
            let repeated = Move::Again { at, from: 0, direction: Direction::Up, count: form.out - at };
            (until(at), Some(repeated))
        }
        _ => (all, None),
    }
}

/// Neighbours of the dilated data, where they are in the output.
#[derive(Clone, Copy)]
struct Body {
    at: usize,
    from: i64,
    count: usize,
}

fn forward((at, run): (usize, Run)) -> Option<Body> {
    match run {
        Run::Forward { from, count } => Some(Body { at, from, count }),
        _ => None,
    }
}

impl Body {
    /// Where the run of coordinates from `from` on begins in the output, if all of it is there.
    fn position_of(self, from: i64, direction: Direction, count: usize) -> Option<usize> {
        let last = match direction {
            Direction::Up => from + (count as i64 - 1),
            Direction::Down => from - (count as i64 - 1),
            Direction::Still => from,
        };
        let here = self.from..self.from + self.count as i64;
        (here.contains(&from) && here.contains(&last)).then(|| self.at + (from - self.from) as usize)
    }
}

/// A run of coordinates, of which every multiple of `step` is an element and all others are fill.
fn dilated(step: i64, at: usize, (from, direction, count): (i64, Direction, usize), moves: &mut Vec<Move>) {
    let past = from.rem_euclid(step);
    let (lead, first) = match direction {
        Direction::Up if past > 0 => (step - past, from + step - past),
        // A border that holds one coordinate holds the first element or the last.
        _ => (past, from - past),
    };
    let lead = usize::try_from(lead).map_or(count, |lead| lead.min(count));
    moves.push(Move::Fill { at, count: lead });
    let Some(gaps) = (count - lead).checked_sub(1) else { return };
    let step_here =
        if direction == Direction::Still { 1 } else { usize::try_from(step).unwrap_or(usize::MAX) };
    let elements = gaps / step_here + 1;
    // A step that no element follows may be longer than anything.
    let step_here = if elements == 1 { 1 } else { step_here };
    let end = at + lead + (elements - 1) * step_here + 1;
    let from = (first / step) as usize;
    moves.push(Move::Data { at: at + lead, step: step_here, from, direction, count: elements });
    moves.push(Move::Fill { at: end, count: at + count - end });
}

/// Makes one of neighbouring fills, and none of those that are empty.
fn join_fill(moves: &mut Vec<Move>) {
    let mut joined: Vec<Move> = Vec::new();
    for next in moves.drain(..) {
        match (joined.last_mut(), next) {
            (_, Move::Fill { count: 0, .. }) => {}
            (Some(Move::Fill { at, count }), Move::Fill { at: behind, count: more })
                if *at + *count == behind =>
            {
                *count += more;
            }
            _ => joined.push(next),
        }
    }
    *moves = joined;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Frame;

    type Pad = (i64, i64, u64);

    /// What stands at every position of an axis, by the definition: an element of the input, or fill.
    fn defined(length: usize, (low, high, interior): Pad, mode: PadMode, frame: Frame) -> Vec<Option<usize>> {
        let step = interior as i64 + 1;
        let dilated = if length == 0 { 0 } else { (length as i64 - 1) * step + 1 };
        let window = match frame {
            Frame::Uncropped => 0..dilated,
            Frame::Cropped => (-low).max(0)..dilated - (-high).max(0),
        };
        let n = window.end - window.start;
        let position = |t: i64| match mode {
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

    /// What the moves make of it: every position once more, each as the input's element or fill.
    fn made(levels: &[Level], unit: usize) -> Vec<Option<usize>> {
        let [level, inside @ ..] = levels else { return (0..unit).map(Some).collect() };
        let row = made(inside, unit);
        let stride = inside.iter().map(|level| level.src).product::<usize>() * unit;
        let fill = Some(vec![None; row.len()]);
        let mut rows = vec![None; level.dst];
        let index = |from: usize, direction, i| match direction {
            Direction::Up => from + i,
            Direction::Down => from - i,
            Direction::Still => from,
        };
        let mut filled = None;
        for &step in &level.moves {
            match step {
                Move::Fill { at, count } => {
                    assert!(count > 0 && filled != Some(at), "fill is one move");
                    filled = Some(at + count);
                    rows[at..at + count].fill(fill.clone());
                }
                Move::Data { at, step, from, direction, count } => {
                    rows[at..at + (count - 1) * step + 1].fill(fill.clone());
                    for i in 0..count {
                        let index = index(from, direction, i);
                        assert!(index < level.src);
                        let of_row = row.iter().map(|element| element.map(|at| at + index * stride));
                        rows[at + i * step] = Some(of_row.collect());
                    }
                }
                Move::Again { at, from, direction, count } => {
                    for i in 0..count {
                        rows[at + i] = rows[index(from, direction, i)].clone();
                    }
                }
            }
        }
        rows.into_iter()
            .flat_map(|row| row.expect("every position is made, from what was made before"))
            .collect()
    }

    /// Whether the axes can be padded so, after checking that their levels make what is defined.
    fn check(axes: &[(usize, Pad)], mode: PadMode, frame: Frame) -> bool {
        let forms =
            axes.iter().map(|&(length, pad)| Some((length, Form::new(length, pad, mode, frame).ok()?)));
        let Some(forms) = forms.collect::<Option<Vec<_>>>() else { return false };
        let mut expected = vec![Some(0)];
        for &(length, pad) in axes {
            let axis = defined(length, pad, mode, frame);
            expected = (expected.iter())
                .flat_map(|outer| axis.iter().map(move |inner| Some((*outer)? * length + (*inner)?)))
                .collect();
        }
        if expected.is_empty() {
            return true;
        }
        let (levels, unit) = levels(&forms, mode);
        assert_eq!(made(&levels, unit), expected, "{axes:?} {mode:?} {frame:?}: {levels:?} of {unit}");
        true
    }

    const FRAMES: [Frame; 2] = [Frame::Cropped, Frame::Uncropped];

    /// As the innermost axis, whose borders are made from the input, and outside of one, where they are copies.
    #[test]
    fn an_axis_is_as_defined() {
        let mut checked = 0;
        for (length, interior) in (0..5).flat_map(|length| [0, 1, 2, 4].map(|interior| (length, interior))) {
            for (low, high) in (-4..=9).flat_map(|low| (-4..=9).map(move |high| (low, high))) {
                for (mode, frame) in
                    PadMode::ALL.into_iter().flat_map(|mode| FRAMES.map(|frame| (mode, frame)))
                {
                    let axis = (length, (low, high, interior));
                    checked += usize::from(check(&[axis], mode, frame));
                    check(&[axis, (2, (1, 0, 0))], mode, frame);
                }
            }
        }
        assert!(checked > 20_000, "{checked}");
    }

    /// Axes of one element, without any, unpadded, cropped to a part, with borders and with gaps, next to each other.
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
        for (mode, frame) in PadMode::ALL.into_iter().flat_map(|mode| FRAMES.map(|frame| (mode, frame))) {
            for outer in axes {
                for (middle, inner) in axes.iter().flat_map(|middle| axes.map(|inner| (*middle, inner))) {
                    check(&[outer, middle, inner], mode, frame);
                }
            }
        }
    }

    /// The lengths of the levels, in and out, and the unit.
    fn shape(axes: &[(usize, Pad)], mode: PadMode) -> (Vec<(usize, usize)>, usize) {
        let form = |&(length, pad)| {
            (length, Form::new(length, pad, mode, Frame::Cropped).expect("it can be padded"))
        };
        let (levels, unit) = levels(&axes.iter().map(form).collect::<Vec<_>>(), mode);
        (levels.iter().map(|level| (level.src, level.dst)).collect(), unit)
    }

    #[test]
    fn axes_are_as_few_as_they_can_be() {
        const WHOLE: Pad = (0, 0, 0);
        let image = [(1, WHOLE), (4, (1, 1, 0)), (6, WHOLE)];
        assert_eq!(shape(&image, PadMode::Constant), (vec![(24, 36)], 1));
        assert_eq!(shape(&image, PadMode::Reflect), (vec![(4, 6)], 6));
        // What is cropped is not moved whole, and what has no elements is no unit.
        assert_eq!(shape(&[(4, (1, 1, 0)), (6, (-1, 0, 0))], PadMode::Reflect), (vec![(4, 6), (6, 5)], 1));
        assert_eq!(shape(&[(4, (1, 1, 0)), (0, WHOLE)], PadMode::Reflect), (vec![(4, 6), (0, 0)], 1));
        assert_eq!(shape(&[(1, WHOLE), (1, WHOLE)], PadMode::Wrap), (vec![(1, 1)], 1));
    }

    /// Rows are read once where the output has them already, and long borders are few moves.
    #[test]
    fn borders_of_outer_axes_are_copies() {
        for mode in PadMode::ALL {
            for (low, high) in (0..=2).flat_map(|low| (0..=2).map(move |high| (low, high))) {
                let form = Form::new(3, (low, high, 0), mode, Frame::Cropped).expect("it can be padded");
                let read = moves(form, mode, false).into_iter().map(|step| match step {
                    Move::Data { count, .. } => count,
                    _ => 0,
                });
                assert_eq!(read.sum::<usize>(), 3, "{mode:?} {low} {high}");
            }
            let form = Form::new(3, (100, 100, 0), mode, Frame::Cropped).expect("it can be padded");
            assert!(moves(form, mode, true).len() <= MOST_RUNS, "{mode:?}");
        }
    }
}
