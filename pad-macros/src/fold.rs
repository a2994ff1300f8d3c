//! Plans the adjoint of an axis. For every input element, the plan lists the output positions that are copies of this element.
//!
//! For example, edge mode with two elements on the left turns `[a b]` into `[a a a b]`. Then `a` has the positions 0, 1 and 2, and `b` has
//! position 3.

use crate::form::{Form, Segment, Term, sources};

/// An axis that maps `outputs` output positions to `inputs` input elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fold {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// The groups cover all input elements in ascending order.
    pub(crate) groups: Vec<Group>,
}

/// `count` consecutive input elements, which the same segments of the output copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) start: usize,
    pub(crate) count: usize,
    /// The output positions to add (terms), each with the number of its repetitions. Repetitions are `period` positions apart. A
    /// sum adds all terms of one repetition before it adds the next repetition.
    pub(crate) terms: Vec<(Term, usize)>,
    pub(crate) period: usize,
}

impl Fold {
    /// Returns the fold of an axis with `inputs` elements.
    pub(crate) fn new(inputs: usize, form: Form) -> Fold {
        let segments = form.segments();
        // If the axis ends with a repetition, the positions from `from` on repeat every `period` positions.
        let again = match segments.last() {
            Some(&Segment::Again { from, count, .. }) => Some((from, form.out - count - from)),
            _ => None,
        };
        let times = |position: isize| match again {
            Some((from, period)) if position as usize >= from => {
                (form.out - 1 - position as usize) / period + 1
            }
            _ => 1,
        };
        let sources = sources(&segments, false);
        let mut ends = vec![inputs];
        for source in &sources {
            ends.extend([source.start, source.end]);
            let Some((from, period)) = again else { continue };
            // At two bounds, the number of repetitions changes. The repeated part starts at the first bound. From the second
            // bound on, a position has one repetition fewer.
            for bound in [from, form.out - (form.out - 1 - from) / period * period] {
                let (Term { at, step, .. }, bound) = (source.term, bound as isize);
                // The distance from the first element's position to the last position on the same side of the bound.
                let distance = if step > 0 { bound - 1 - at } else { at - bound };
                if let Some(steps) = distance.checked_div_euclid(step.abs())
                    && (0..(source.end - source.start) as isize - 1).contains(&steps)
                {
                    ends.push(source.start + 1 + steps as usize);
                }
            }
        }
        ends.sort_unstable();
        ends.dedup();
        let mut fold = Fold { inputs, outputs: form.out, groups: Vec::new() };
        let mut start = 0;
        for end in ends.into_iter().filter(|&end| end > 0) {
            let terms =
                (sources.iter()).filter(|source| source.start <= start && end <= source.end).map(|source| {
                    let Term { at, step, hold } = source.term;
                    let at = at + step * (start - source.start) as isize;
                    (Term { at, step, hold }, times(at))
                });
            let (count, terms) = (end - start, terms.collect());
            fold.groups.push(Group { start, count, terms, period: again.map_or(0, |(_, period)| period) });
            start = end;
        }
        fold
    }
}

impl Group {
    /// Returns the first position and the step of a group with one position per element.
    pub(crate) fn single(&self) -> Option<(usize, isize)> {
        match self.terms[..] {
            [(Term { at, step, hold: 1 }, 1)] => Some((at.unsigned_abs(), step)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::tests::{axes, defined, form};
    use crate::model::PadMode;

    /// Returns the positions of every element in the order of addition.
    fn summed(fold: &Fold) -> Vec<Vec<usize>> {
        let mut elements = Vec::new();
        for group in &fold.groups {
            assert_eq!(group.start, elements.len());
            for i in 0..group.count as isize {
                let most = group.terms.iter().map(|&(_, times)| times).max().unwrap_or(0);
                let mut positions = Vec::new();
                for time in 0..most {
                    for (term, _) in group.terms.iter().filter(|&&(_, times)| time < times) {
                        let at = (term.at + term.step * i) as usize + time * group.period;
                        positions.extend(at..at + term.hold);
                    }
                }
                elements.push(positions);
            }
        }
        assert_eq!(elements.len(), fold.inputs);
        elements
    }

    /// Checks that every element has all of its positions, in ascending order.
    #[test]
    fn a_fold_is_as_defined() {
        let mut checked = 0;
        for (length, pad, (mode, other), frame, form) in axes(0..6, 13) {
            if mode != other {
                continue;
            }
            let positions = defined(length, pad, (mode, mode), frame);
            let expected: Vec<Vec<_>> =
                (0..length).map(|i| (0..form.out).filter(|&o| positions[o] == Some(i)).collect()).collect();
            let fold = Fold::new(length, form);
            assert_eq!(summed(&fold), expected, "{length} {pad:?} {mode:?} {frame:?}: {fold:?}");
            checked += 1;
        }
        assert!(checked > 20_000, "{checked}");
    }

    /// Checks that the number of groups and terms does not grow with the border.
    #[test]
    fn folds_of_long_borders_are_short() {
        for mode in PadMode::ALL {
            let fold = Fold::new(5, form(5, (1_000_003, 1_000_001, 1), mode));
            assert!(fold.groups.len() <= 5, "{mode:?}");
            assert!(fold.groups.iter().all(|group| group.terms.len() <= 4), "{mode:?}");
        }
    }
}
