//! One axis of an adjoint: for every element of the input, the positions of the output that were taken from it.

use smallvec::SmallVec;

use super::axis::Axis;
use super::form::{Segment, Source, Term, is_again, sources};

/// The most whole periods of an axis that are listed, and not repeated.
const MOST_PERIODS: usize = if cfg!(debug_assertions) { 2 } else { 6 };

/// The most terms of an axis that are listed, without its core.
const MOST_TERMS: usize = if cfg!(debug_assertions) { 64 } else { 4096 };

/// An axis: `inputs` elements of the input, and the positions of the output that are added to each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fold {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// Distances of neighbours in the output's gradient and in the input's.
    pub(crate) read: isize,
    pub(crate) write: isize,
    /// All elements of the input, in ascending order.
    pub(crate) groups: SmallVec<[Group; 3]>,
    /// The terms of all groups.
    pub(crate) terms: SmallVec<[Term; 3]>,
    pub(crate) again: Option<Again>,
}

/// Neighbouring elements of the input that the same segments of the output take from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Its terms among those of the axis, from and to, in ascending order of their positions.
    pub(crate) terms: (usize, usize),
    pub(crate) kind: Kind,
}

/// How many positions are added to the elements of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// None: they were removed.
    Empty,
    /// One to each.
    Single,
    /// More than one to some.
    Sum,
}

/// Terms at `from` and behind it are there again every `period` positions, up to the end of the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Again {
    pub(crate) from: usize,
    pub(crate) period: usize,
}

impl Fold {
    pub(super) fn new(axis: &Axis, inputs: usize, (read, write): (isize, isize)) -> Fold {
        let segments = axis.segments();
        let again = match segments.split_last() {
            // What is made again in the middle of an axis, before another mode's border, is listed.
            Some((&Segment::Again { from, step: 1, count }, made)) if !made.iter().any(is_again) => {
                let at = made.iter().map(|segment| segment.positions()).sum::<usize>();
                // What begins at the end of the axis is not repeated at all.
                debug_assert!(at + count == axis.out);
                Some(Again { from, period: at - from })
            }
            _ => None,
        };
        // A few periods are taken one by one.
        let again = again.filter(|again| axis.out / again.period > MOST_PERIODS);
        let sources = sources(&segments, again.is_some());
        let mut ends: SmallVec<[usize; 8]> = SmallVec::from_slice(&[inputs]);
        for source in &sources {
            ends.extend([source.start, source.end]);
        }
        ends.sort_unstable();
        ends.dedup();
        let mut fold = Fold {
            inputs,
            outputs: axis.out,
            read,
            write,
            groups: SmallVec::new(),
            terms: SmallVec::new(),
            again,
        };
        let mut start = 0;
        for end in ends {
            if end > start {
                fold.push(start, end, &sources);
                start = end;
            }
        }
        fold
    }

    /// Adds the group of the elements from `start` to `end`, which every source has all of or none.
    fn push(&mut self, start: usize, end: usize, sources: &[Source]) {
        let first = self.terms.len();
        for source in sources.iter().filter(|source| source.start <= start && end <= source.end) {
            let Source { term: Term { at, step, hold }, start: of_first, .. } = *source;
            self.terms.push(Term { at: at + step * (start - of_first) as isize, step, hold });
        }
        let terms = &self.terms[first..];
        let last = (end - start - 1) as isize;
        let repeated = |term: &Term| {
            self.again.is_some_and(|Again { from, period }| {
                let lowest = term.at.min(term.at + term.step * last) as usize;
                lowest >= from && lowest.saturating_add(period) < self.outputs
            })
        };
        let kind = match terms {
            [] => Kind::Empty,
            [term] if term.hold == 1 && !repeated(term) => Kind::Single,
            _ => Kind::Sum,
        };
        self.groups.push(Group { start, end, terms: (first, self.terms.len()), kind });
    }

    /// An axis of one position.
    pub(super) fn single(unit: usize) -> Fold {
        Fold {
            inputs: 1,
            outputs: 1,
            read: unit as isize,
            write: unit as isize,
            groups: SmallVec::from_slice(&[Group { start: 0, end: 1, terms: (0, 1), kind: Kind::Single }]),
            terms: SmallVec::from_slice(&[Term { at: 0, step: 1, hold: 1 }]),
            again: None,
        }
    }

    /// The terms of a group.
    #[inline(always)]
    pub(crate) fn terms_of(&self, group: &Group) -> &[Term] {
        &self.terms[group.terms.0..group.terms.1]
    }

    /// Calls `f` with the positions that are added to element `i`, which lies in `group`, in ascending order.
    #[inline(always)]
    pub(crate) fn positions(&self, group: &Group, i: usize, mut f: impl FnMut(isize)) {
        let terms = self.terms_of(group);
        let at = |term: &Term| term.at + term.step * (i - group.start) as isize;
        for term in terms {
            for held in 0..term.hold {
                f(at(term) + held as isize);
            }
        }
        let Some(Again { from, period }) = self.again else { return };
        let mut further = period;
        while further < self.outputs {
            for term in terms {
                for held in 0..term.hold {
                    let position = at(term) as usize + held;
                    if position >= from && position + further < self.outputs {
                        f((position + further) as isize);
                    }
                }
            }
            further += period;
        }
    }

    /// The position that is added to the only element, if there is one element and one position.
    pub(super) fn only(&self) -> Option<isize> {
        match self.groups[..] {
            [Group { kind: Kind::Single, .. }] if self.inputs == 1 => Some(self.terms[0].at),
            _ => None,
        }
    }

    /// Whether to every element the position of the same number is added, and no other position is left.
    pub(crate) fn is_identity(&self) -> bool {
        let forward = |term: &Term| term.at == 0 && (term.step == 1 || self.inputs == 1);
        let all = matches!(self.groups[..], [Group { kind: Kind::Single, .. }]);
        all && self.inputs == self.outputs && forward(&self.terms[0])
    }

    /// Whether positions are neighbours in both gradients, where each takes `unit` numbers.
    pub(super) fn is_dense(&self, unit: usize) -> bool {
        [self.read, self.write] == [unit as isize; 2]
    }

    /// Whether this axis and one inside of it are one axis.
    pub(super) fn takes_in(&self, inner: &Fold) -> bool {
        let far = |stride: isize, positions: usize| stride.checked_mul(positions as isize);
        self.is_identity()
            && inner.is_identity()
            && far(inner.read, inner.outputs) == Some(self.read)
            && far(inner.write, inner.inputs) == Some(self.write)
    }

    pub(super) fn take_in(&mut self, inner: &Fold) {
        self.inputs *= inner.inputs;
        self.outputs *= inner.outputs;
        (self.read, self.write) = (inner.read, inner.write);
        self.terms[0].step = 1;
        self.groups[0].end = self.inputs;
    }

    pub(super) fn sums(&self) -> bool {
        self.groups.iter().any(|group| group.kind == Kind::Sum)
    }

    /// The most elements of a group to which more than one position is added, or of any group.
    pub(super) fn longest(&self, any: bool) -> usize {
        let groups = self.groups.iter().filter(|group| any || group.kind == Kind::Sum);
        groups.map(|group| group.end - group.start).max().unwrap_or(1)
    }

    /// The longest group whose elements are one run of the output.
    pub(crate) fn core(&self) -> Option<Group> {
        let run = |group: &&Group| {
            group.kind == Kind::Single && (group.end - group.start == 1 || self.terms_of(group)[0].step == 1)
        };
        self.groups.iter().filter(run).max_by_key(|group| group.end - group.start).copied()
    }

    /// The terms of all elements.
    pub(crate) fn count_terms(&self) -> usize {
        let periods = match self.again {
            Some(Again { from, period }) => (self.outputs - from) / period + 1,
            None => 1,
        };
        let terms = self.groups.iter().map(|group| {
            let of_each: usize = self.terms_of(group).iter().map(|term| term.hold).sum();
            of_each.max(1).saturating_mul(group.end - group.start).saturating_mul(periods)
        });
        terms.fold(0, usize::saturating_add)
    }

    /// Whether the terms of all elements but the core's are few.
    pub(super) fn is_listed(&self) -> bool {
        let core = self.core().map_or(0, |core| core.end - core.start);
        self.count_terms() - core <= MOST_TERMS
    }
}
