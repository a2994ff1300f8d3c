//! Describes one axis of an adjoint. For every input element, the description lists the output positions that are copies of this element.
//! These positions are the terms of the element.
//!
//! For example, edge mode with two elements on the left turns `[a b c]` into `[a a a b c]`. This axis has two groups: `[a]` with the
//! positions 0, 1 and 2, and `[b c]` with the positions 3 and 4. The longest group whose elements have one position each, in order, is the
//! core.
//!
//! If a border is much longer than the input, the terms repeat periodically. Then only one period is listed, with the end of its
//! repetitions ([`Again`]).

use smallvec::SmallVec;

use super::axis::Axis;
use super::form::{Segment, Source, Term, sources};

/// The maximum number of whole periods per side that are listed without [`Again`].
const MOST_PERIODS: usize = if cfg!(debug_assertions) { 2 } else { 6 };

/// The maximum number of listed terms of an axis, except those of the core.
const MOST_TERMS: usize = if cfg!(debug_assertions) { 64 } else { 4096 };

/// An axis that maps `outputs` output positions to `inputs` input elements.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fold {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// The distance of consecutive positions in the output's gradient (`read`), and of elements in the input's gradient (`write`).
    pub(crate) read: isize,
    pub(crate) write: isize,
    /// The groups cover all input elements in ascending order.
    pub(crate) groups: SmallVec<[Group; 3]>,
    /// The terms of all groups.
    pub(crate) terms: SmallVec<[Term; 3]>,
    /// The repetitions, sorted by their end. The last one ends with the axis.
    pub(crate) again: SmallVec<[Again; 2]>,
}

/// Consecutive input elements that are copied by the same segments of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The range of the group's terms in the list of the axis. Terms are sorted by position.
    pub(crate) terms: (usize, usize),
    pub(crate) kind: Kind,
}

/// The number of positions that are added to the elements of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// None, because the elements are cropped.
    Empty,
    /// One position per element.
    Single,
    /// Several positions for some elements.
    Sum,
}

/// A repetition: the positions from `from` to `end` have a period of `period` positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Again {
    pub(crate) from: usize,
    pub(crate) period: usize,
    pub(crate) end: usize,
}

impl Again {
    /// Returns an entry without repetition, up to `end`.
    pub(super) const fn never(end: usize) -> Again {
        Again { from: end, period: usize::MAX, end }
    }

    /// Tells whether a term repeats. `last` is the index of the last element of its group.
    fn repeats(&self, term: &Term, last: isize) -> bool {
        let lowest = term.at.min(term.at + term.step * last) as usize;
        lowest >= self.from && lowest.saturating_add(self.period) < self.end
    }
}

/// Divides the terms of a group into parts, one for each repetition.
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
            // If there are few periods, every term is listed.
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

    /// Adds the group of the elements `start..end`. Each source must read all of these elements or none.
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

    /// Returns an axis of one position.
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

    /// Tells whether some positions repeat.
    pub(crate) fn repeats(&self) -> bool {
        self.again.iter().any(|again| again.period < again.end)
    }

    /// Returns the terms of a group.
    #[inline(always)]
    pub(crate) fn terms_of(&self, group: &Group) -> &[Term] {
        &self.terms[group.terms.0..group.terms.1]
    }

    /// Returns the terms of a group in parts, one for each repetition.
    #[inline(always)]
    pub(crate) fn by_again<'a>(&'a self, group: &Group) -> impl Iterator<Item = (Again, &'a [Term])> {
        by_again(&self.again, self.terms_of(group))
    }

    /// Calls `f` with the positions of element `i` of `group`, in ascending order.
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

    /// Returns the output position, if the axis has one element and this element has one position.
    pub(super) fn only(&self) -> Option<isize> {
        match self.groups[..] {
            [Group { kind: Kind::Single, .. }] if self.inputs == 1 => Some(self.terms[0].at),
            _ => None,
        }
    }

    /// Tells whether position `i` is the only position of element `i`, for all elements and positions.
    pub(crate) fn is_identity(&self) -> bool {
        let forward = |term: &Term| term.at == 0 && (term.step == 1 || self.inputs == 1);
        let all = matches!(self.groups[..], [Group { kind: Kind::Single, .. }]);
        all && self.inputs == self.outputs && forward(&self.terms[0])
    }

    /// Tells whether positions of `unit` numbers are contiguous in both gradients.
    pub(super) fn is_dense(&self, unit: usize) -> bool {
        [self.read, self.write] == [unit as isize; 2]
    }

    /// Tells whether `inner` can merge into this axis.
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

    /// Returns the number of input elements or of output positions, whichever is larger.
    pub(super) fn longer(&self) -> usize {
        self.inputs.max(self.outputs)
    }

    pub(super) fn sums(&self) -> bool {
        self.groups.iter().any(|group| group.kind == Kind::Sum)
    }

    /// Returns the size of the largest group. Unless `any`, only groups with several positions per element count.
    pub(super) fn longest(&self, any: bool) -> usize {
        let groups = self.groups.iter().filter(|group| any || group.kind == Kind::Sum);
        groups.map(|group| group.end - group.start).max().unwrap_or(1)
    }

    /// Returns the core: the longest group with one position per element, in order.
    pub(crate) fn core(&self) -> Option<Group> {
        let run = |group: &&Group| {
            group.kind == Kind::Single && (group.end - group.start == 1 || self.terms_of(group)[0].step == 1)
        };
        self.groups.iter().filter(run).max_by_key(|group| group.end - group.start).copied()
    }

    /// Returns the number of terms of all elements.
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

    /// Tells whether the elements outside of the core have few enough terms to list them.
    pub(super) fn is_listed(&self) -> bool {
        let core = self.core().map_or(0, |core| core.end - core.start);
        self.count_terms() - core <= MOST_TERMS
    }
}
