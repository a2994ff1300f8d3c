//! One axis of an adjoint: for every element of the input, the positions of the output that were taken from it.

use smallvec::SmallVec;

use super::axis::Axis;
use super::form::{Segment, Source, Term, sources};

/// The most whole periods of a side of an axis that are listed, and not repeated.
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
    /// What is repeated up to where, in ascending order: the last one ends with the axis.
    pub(crate) again: SmallVec<[Again; 2]>,
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

/// Of the terms before `end` those at `from` and behind it are there again every `period` positions, up to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Again {
    pub(crate) from: usize,
    pub(crate) period: usize,
    pub(crate) end: usize,
}

impl Again {
    /// Of the terms before `end` none is there again.
    pub(super) const fn never(end: usize) -> Again {
        Again { from: end, period: usize::MAX, end }
    }

    /// Whether a term of a group, whose last element is so far from its first one, is there again.
    fn repeats(&self, term: &Term, last: isize) -> bool {
        let lowest = term.at.min(term.at + term.step * last) as usize;
        lowest >= self.from && lowest.saturating_add(self.period) < self.end
    }
}

/// The terms of a group by what repeats them.
#[inline(always)]
fn by_again<'a>(again: &'a [Again], terms: &'a [Term]) -> impl Iterator<Item = (Again, &'a [Term])> {
    let mut rest = terms;
    again.iter().map(move |again| {
        let count = rest.iter().take_while(|term| (term.at as usize) < again.end).count();
        let (before, behind) = rest.split_at(count);
        rest = behind;
        (*again, before)
    })
}

impl Fold {
    pub(super) fn new(axis: &Axis, inputs: usize, (read, write): (isize, isize)) -> Fold {
        let segments = axis.segments();
        let (mut again, mut left_out) = (SmallVec::new(), SmallVec::<[usize; 2]>::new());
        let mut at = 0;
        for (number, segment) in segments.iter().enumerate() {
            let end = at + segment.positions();
            // A few periods are taken one by one.
            if let &Segment::Again { from, .. } = segment
                && (end - from) / (at - from) > MOST_PERIODS
            {
                again.push(Again { from, period: at - from, end });
                left_out.push(number);
            }
            at = end;
        }
        if again.last().is_none_or(|again: &Again| again.end < axis.out) {
            again.push(Again::never(axis.out));
        }
        let sources = sources(&segments, |number| left_out.contains(&number));
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
        let repeated = || {
            by_again(&self.again, terms).any(|(again, of)| of.iter().any(|term| again.repeats(term, last)))
        };
        let kind = match terms {
            [] => Kind::Empty,
            [term] if term.hold == 1 && !repeated() => Kind::Single,
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
            again: SmallVec::from_slice(&[Again::never(1)]),
        }
    }

    /// Whether something is repeated.
    pub(crate) fn repeats(&self) -> bool {
        self.again.iter().any(|again| again.period < again.end)
    }

    /// The terms of a group.
    #[inline(always)]
    pub(crate) fn terms_of(&self, group: &Group) -> &[Term] {
        &self.terms[group.terms.0..group.terms.1]
    }

    /// The terms of a group, by what repeats them.
    #[inline(always)]
    pub(crate) fn by_again<'a>(&'a self, group: &Group) -> impl Iterator<Item = (Again, &'a [Term])> {
        by_again(&self.again, self.terms_of(group))
    }

    /// Calls `f` with the positions that are added to element `i`, which lies in `group`, in ascending order.
    #[inline(always)]
    pub(crate) fn positions(&self, group: &Group, i: usize, mut f: impl FnMut(isize)) {
        for (Again { from, period, end }, terms) in self.by_again(group) {
            let at = |term: &Term| term.at + term.step * (i - group.start) as isize;
            for term in terms {
                for held in 0..term.hold {
                    f(at(term) + held as isize);
                }
            }
            let mut further = period;
            while further < end {
                for term in terms {
                    for held in 0..term.hold {
                        let position = at(term) as usize + held;
                        if position >= from && position + further < end {
                            f((position + further) as isize);
                        }
                    }
                }
                further += period;
            }
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
        self.again[0] = Again::never(self.outputs);
        (self.read, self.write) = (inner.read, inner.write);
        self.terms[0].step = 1;
        self.groups[0].end = self.inputs;
    }

    /// The positions of whichever gradient has more.
    pub(super) fn longer(&self) -> usize {
        self.inputs.max(self.outputs)
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
        let terms = self.groups.iter().map(|group| {
            let of_each = self.by_again(group).map(|(Again { from, period, end }, terms)| {
                let held: usize = terms.iter().map(|term| term.hold).sum();
                held.saturating_mul((end - from) / period + 1)
            });
            of_each.fold(0, usize::saturating_add).max(1).saturating_mul(group.end - group.start)
        });
        terms.fold(0, usize::saturating_add)
    }

    /// Whether the terms of all elements but the core's are few.
    pub(super) fn is_listed(&self) -> bool {
        let core = self.core().map_or(0, |core| core.end - core.start);
        self.count_terms() - core <= MOST_TERMS
    }
}
