//! One axis of an adjoint. For every input element, the axis lists the terms: the output positions that are copies of it.
//!
//! Edge padding with two elements on the left turns `[a b c]` into `[a a a b c]`. The groups of this axis are `[a]` with the
//! positions 0, 1 and 2, and `[b c]` with the positions 3 and 4. The core is the longest group whose elements have one position
//! each, and whose positions are consecutive, such as `[b c]`.
//!
//! If a border is much longer than the input, no terms are listed. All positions are then computed from the segments of the axis.

use smallvec::SmallVec;

use super::axis::Axis;
use super::form::{Segment, Source, Term, sources};
use crate::spec::PadMode;

/// The maximum number of positions of one repetition. An axis with a longer repetition does not list its terms.
const MOST_REPEATED: usize = if cfg!(debug_assertions) { 16 } else { 2048 };

/// The maximum number of terms of an axis with listed terms. Terms of the core do not count.
const MOST_TERMS: usize = if cfg!(debug_assertions) { 64 } else { 4096 };

/// An axis with `inputs` input elements and `outputs` output positions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fold {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// The distance of neighbouring positions in the output's gradient (`read`) and in the input's gradient (`write`).
    pub(crate) read: isize,
    pub(crate) write: isize,
    /// The groups cover all input elements in ascending order.
    pub(crate) groups: SmallVec<[Group; 3]>,
    /// The terms of all groups. The list is empty if a border repeats too often.
    pub(crate) terms: SmallVec<[Term; 3]>,
    pub(crate) axis: Axis,
}

/// Consecutive input elements that the same output segments read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The range of the group's terms in the list of the axis. They are sorted by position.
    pub(crate) terms: (usize, usize),
    pub(crate) kind: Kind,
}

/// How many positions are added to each element of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// None, because the elements are cropped.
    Empty,
    /// One position per element.
    Single,
    /// Several positions for some elements.
    Sum,
}

/// Returns an axis without padding.
fn identity(length: usize) -> Axis {
    let (low, high) = (PadMode::Constant, PadMode::Constant);
    let len = length as i64;
    Axis { out: length, origin: 0, start: 0, len, interior: 0, low, high, src_stride: 0, dst_stride: 0 }
}

impl Fold {
    pub(super) fn new(axis: &Axis, inputs: usize, (read, write): (isize, isize)) -> Fold {
        let segments = axis.segments();
        let is_long =
            |segment: &Segment| matches!(*segment, Segment::Again { count, .. } if count > MOST_REPEATED);
        let repeats = segments.iter().any(is_long);
        // If terms are not listed, repetitions are left out. They read no other elements than the segments before them.
        let sources = sources(&segments, !repeats);
        let mut ends: SmallVec<[usize; 8]> = SmallVec::from_slice(&[inputs]);
        for source in &sources {
            ends.extend([source.start, source.end]);
        }
        ends.sort_unstable();
        ends.dedup();
        let (groups, terms) = (SmallVec::new(), SmallVec::new());
        let mut fold = Fold { inputs, outputs: axis.out, read, write, groups, terms, axis: *axis };
        let mut start = 0;
        for end in ends {
            if end > start {
                fold.push(start, end, &sources, repeats);
                start = end;
            }
        }
        fold
    }

    /// Adds the group of the elements `start..end`. Every source reads all of these elements or none.
    fn push(&mut self, start: usize, end: usize, sources: &[Source], repeats: bool) {
        let first = self.terms.len();
        for source in sources.iter().filter(|source| source.start <= start && end <= source.end) {
            let Source { term: Term { at, step, hold }, start: of_first, .. } = *source;
            self.terms.push(Term { at: at + step * (start - of_first) as isize, step, hold });
        }
        let kind = match self.terms[first..] {
            [] => Kind::Empty,
            [term] if term.hold == 1 && !repeats => Kind::Single,
            _ => Kind::Sum,
        };
        if repeats {
            self.terms.clear();
        }
        self.groups.push(Group { start, end, terms: (first, self.terms.len()), kind });
    }

    /// Returns an axis of one position.
    pub(super) fn single(unit: usize) -> Fold {
        Fold::new(&identity(1), 1, (unit as isize, unit as isize))
    }

    /// Tells whether a border repeats too often to list its terms.
    pub(crate) fn repeats(&self) -> bool {
        self.terms.is_empty() && self.sums()
    }

    /// Returns the terms of a group.
    #[inline(always)]
    pub(crate) fn terms_of(&self, group: &Group) -> &[Term] {
        &self.terms[group.terms.0..group.terms.1]
    }

    /// Calls `f` for each position of element `i` of `group`, in ascending order. The second argument is the distance to the same
    /// term's position of the next element, or 0 if terms are not listed.
    pub(crate) fn positions(&self, group: &Group, i: usize, mut f: impl FnMut(isize, isize)) {
        let mut each = |Term { at, step, hold }: Term, start: usize, next: isize| {
            let at = at + step * (i - start) as isize;
            (0..hold as isize).for_each(|held| f(at + held, next));
        };
        self.terms_of(group).iter().for_each(|term| each(*term, group.start, term.step));
        if self.repeats() {
            let mut position = 0;
            for segment in self.axis.segments().expanded() {
                if let Some(Source { start, end, term }) = Source::of(segment, position)
                    && (start..end).contains(&i)
                {
                    each(term, start, 0);
                }
                position += segment.positions() as isize;
            }
        }
    }

    /// Returns the position of the only element, if the axis has one element and this element has one position.
    pub(super) fn only(&self) -> Option<isize> {
        match self.groups[..] {
            [Group { kind: Kind::Single, .. }] if self.inputs == 1 => Some(self.terms[0].at),
            _ => None,
        }
    }

    /// Tells whether each element `i` has only the position `i`, and there are no other positions.
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
        self.axis = identity(self.inputs);
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

    /// Returns the number of elements of the largest group. Unless `any` is true, only groups of the kind `Sum` count.
    pub(super) fn longest(&self, any: bool) -> usize {
        let groups = self.groups.iter().filter(|group| any || group.kind == Kind::Sum);
        groups.map(|group| group.end - group.start).max().unwrap_or(1)
    }

    /// Returns the core: the longest group whose elements have one position each, and whose positions are consecutive.
    pub(crate) fn core(&self) -> Option<Group> {
        let run = |group: &&Group| {
            group.kind == Kind::Single && (group.end - group.start == 1 || self.terms_of(group)[0].step == 1)
        };
        self.groups.iter().filter(run).max_by_key(|group| group.end - group.start).copied()
    }

    /// Returns the number of terms of all elements. An element without terms counts as one term. Terms must be listed.
    pub(crate) fn count_terms(&self) -> usize {
        let terms = self.groups.iter().map(|group| {
            let of_each: usize = self.terms_of(group).iter().map(|term| term.hold).sum();
            of_each.max(1).saturating_mul(group.end - group.start)
        });
        terms.fold(0, usize::saturating_add)
    }

    /// Tells whether terms are listed, and whether the elements outside of the core have few of them.
    pub(super) fn is_listed(&self) -> bool {
        let core = self.core().map_or(0, |core| core.end - core.start);
        !self.repeats() && self.count_terms() - core <= MOST_TERMS
    }
}
