//! The adjoint of a plan: for every element of the input, the elements of the output that were taken from it.

use smallvec::SmallVec;

use super::axis::Axis;
use super::form::{Segment, Segments};
use super::nest::Nest;
use super::pattern::Pattern;
use super::{Geometry, Tensor};
use crate::dtype::DType;
use crate::error::{PadError, Side};
use crate::spec::PadMode;
use crate::view::Strides;

/// What is added to what. Offsets and strides count numbers: a complex element is two of them, any other is one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Adjoint {
    /// The axes outside of the blocks, outermost first.
    pub(crate) outer: SmallVec<[Fold; 4]>,
    /// The axes of a block, outermost first. The last one is the row: the innermost axis, or the innermost one that is padded.
    pub(crate) block: SmallVec<[Fold; 4]>,
    /// The numbers that a position of a row consists of.
    pub(crate) unit: usize,
    /// Where the first elements lie: of the output's gradient, which is read, and of the input's, which is written.
    pub(crate) read: isize,
    pub(crate) write: isize,
    /// Whether a block lies in one piece in the output's gradient, and in the input's.
    pub(crate) packed: (bool, bool),
    /// Whether the blocks of the input's gradient lie one behind the other from the start of its buffer.
    pub(crate) sequential: bool,
    /// How many blocks of sums are kept at a time, for each lane.
    pub(crate) slots: usize,
    /// The most blocks that are summed at a time.
    pub(crate) lanes: usize,
    /// Whether the terms of a block are few enough to be listed.
    pub(crate) listed: bool,
    /// Whether no position is added to any element.
    pub(crate) nothing: bool,
    pub(crate) numbers: Numbers,
}

/// The most whole periods of an axis that are listed, and not repeated.
const MOST_PERIODS: usize = if cfg!(debug_assertions) { 2 } else { 6 };

/// The most terms of an axis that are listed, without its core.
const MOST_TERMS: usize = if cfg!(debug_assertions) { 64 } else { 4096 };

/// The most lanes.
const LANES: usize = 256;

/// The most rows of one border that are summed at a time where terms are not listed.
const MOST_SUMS: usize = 8;

/// The bytes of sums that a block is made of at most if it has several axes, and those of all lanes together: all of them
/// stay in the nearest cache.
const BLOCK_BYTES: usize = if cfg!(debug_assertions) { 1 << 10 } else { 16 << 10 };

/// Rows of this many bytes of sums are blocks of their own: two of the longest registers.
const LONG_ROW: usize = if cfg!(debug_assertions) { 48 } else { 128 };

/// What a type is summed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// Bytes of a number.
    pub(crate) bytes: usize,
    /// Bytes of a sum of numbers.
    pub(crate) sum: usize,
    /// Numbers of an element.
    pub(crate) parts: usize,
}

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

/// Positions of the output: `at` for the first element of a group, `step` further for each later one, and for each `hold` of
/// them one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) at: isize,
    pub(crate) step: isize,
    pub(crate) hold: usize,
}

/// Terms at `from` and behind it are there again every `period` positions, up to the end of the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Again {
    pub(crate) from: usize,
    pub(crate) period: usize,
}

impl Numbers {
    /// Those of a type, or `None` if it cannot be summed.
    pub(crate) fn of(dtype: DType) -> Option<Numbers> {
        let (bytes, sum, parts) = match dtype {
            DType::I8 | DType::U8 => (1, 1, 1),
            DType::I16 | DType::U16 => (2, 2, 1),
            DType::F16 | DType::BF16 => (2, 4, 1),
            DType::F32 | DType::I32 | DType::U32 => (4, 4, 1),
            DType::F64 | DType::I64 | DType::U64 => (8, 8, 1),
            DType::C64 => (4, 4, 2),
            DType::C128 => (8, 8, 2),
            _ => return None,
        };
        Some(Numbers { bytes, sum, parts })
    }
}

impl Adjoint {
    /// That of a geometry.
    ///
    /// # Errors
    ///
    /// [`PadError::NotSummable`], [`PadError::SharedInput`] if elements of the input share a place,
    /// [`PadError::SizeOverflow`] if the sums of a row are more than memory can hold.
    pub(crate) fn new(geometry: &Geometry) -> Result<Adjoint, PadError> {
        let dtype = geometry.dtype();
        let numbers = dtype.and_then(Numbers::of).ok_or(PadError::NotSummable { dtype })?;
        geometry.check_input_disjoint()?;
        // Strides are whole elements.
        let scale = |atoms: isize| atoms / numbers.bytes as isize;
        let (mut read, write) = (scale(geometry.output.offset), scale(geometry.input.offset));
        let mut folds: SmallVec<[Fold; 6]> = SmallVec::new();
        for (axis, &inputs) in geometry.axes.iter().zip(&geometry.input.shape) {
            let (from, to) = (scale(axis.dst_stride), scale(axis.src_stride));
            let fold = Fold::new(axis, inputs, (from, to));
            match (fold.only(), folds.last_mut()) {
                (Some(position), _) => read += position * fold.read,
                (None, Some(outer)) if outer.takes_in(&fold) => outer.take_in(&fold),
                _ => folds.push(fold),
            }
        }
        let mut unit = numbers.parts;
        if let [.., outer, inner] = &folds[..]
            && inner.is_identity()
            && inner.is_dense(unit)
            && outer.is_dense(unit * inner.inputs)
        {
            unit *= inner.inputs;
            folds.pop();
        }
        if folds.is_empty() {
            folds.push(Fold::single(unit));
        }
        let removed = |fold: &Fold| fold.groups.iter().all(|group| group.kind == Kind::Empty);
        let empty = geometry.output.len == 0 || geometry.input.len == 0;
        let nothing = empty || folds.iter().any(removed);
        let sequential = write == 0 && is_packed(&folds, unit, |fold| (fold.write, fold.inputs));
        let (listed, first) = block(&folds, unit * numbers.sum);
        let listed = listed && !nothing;
        let block: SmallVec<[Fold; 4]> = folds.drain(first..).collect();
        let outer: SmallVec<[Fold; 4]> = folds.into_iter().collect();
        let packed = (
            is_packed(&block, unit, |fold| (fold.read, fold.outputs)),
            is_packed(&block, unit, |fold| (fold.write, fold.inputs)),
        );
        let slots = 1 + outer.iter().filter(|fold| fold.sums()).count();
        let most = if listed {
            let bytes = bytes_of(&block, unit * numbers.sum, |fold| fold.outputs);
            (BLOCK_BYTES / bytes.max(1)).clamp(1, LANES)
        } else {
            MOST_SUMS
        };
        let lanes = outer.last().map_or(1, |fold| fold.longest(listed)).min(most);
        let adjoint = Adjoint {
            outer,
            block,
            unit,
            read,
            write,
            packed,
            sequential,
            slots,
            lanes,
            listed,
            nothing,
            numbers,
        };
        match adjoint.scratch() {
            Some(_) => Ok(adjoint),
            None => Err(PadError::SizeOverflow {
                side: Side::Input,
                axis: geometry.axes.len().saturating_sub(1),
                length: adjoint.row().inputs,
                layout: geometry.layout,
            }),
        }
    }

    /// The innermost axis.
    #[inline(always)]
    pub(crate) fn row(&self) -> &Fold {
        let last = self.block.last();
        last.unwrap_or_else(|| unreachable!("a block has a row"))
    }

    /// The numbers of a block's sums.
    pub(crate) fn width(&self) -> usize {
        self.block.iter().map(|fold| fold.inputs).product::<usize>() * self.unit
    }

    /// The numbers of the output's gradient that a block is summed from.
    pub(crate) fn outputs(&self) -> usize {
        self.block.iter().map(|fold| fold.outputs).product::<usize>() * self.unit
    }

    /// The bytes of the blocks of sums, if memory can have so many.
    fn scratch(&self) -> Option<usize> {
        let sums = self.block.iter().try_fold(self.unit, |sums, fold| sums.checked_mul(fold.inputs))?;
        let bytes = sums.checked_mul(self.numbers.sum)?.checked_mul(self.slots * self.lanes)?;
        Some(bytes).filter(|&bytes| bytes <= isize::MAX as usize / 8)
    }

    /// The bytes of the blocks of sums.
    pub(crate) fn sums_bytes(&self) -> usize {
        self.scratch().unwrap_or_else(|| unreachable!("`new` has asked"))
    }

    /// The blocks of the input's gradient, each of which is written on its own.
    pub(crate) fn blocks(&self) -> usize {
        // An input that is not empty has more elements; of an empty one nothing is written.
        self.outer.iter().fold(1, |rows: usize, fold| rows.saturating_mul(fold.inputs))
    }
}

/// The number of the first axis of a block, and whether its terms are listed, for units whose sums are so long.
fn block(folds: &[Fold], unit: usize) -> (bool, usize) {
    let last = folds.len() - 1;
    if !folds[last].is_listed() {
        return (false, last);
    }
    let mut first = last;
    if folds[last].inputs.saturating_mul(unit) < LONG_ROW {
        let fits = |first: usize| {
            folds[first].is_listed() && bytes_of(&folds[first..], unit, |fold| fold.outputs) <= BLOCK_BYTES
        };
        while first > 0 && fits(first - 1) {
            first -= 1;
        }
    }
    // Axes that are not padded are lanes.
    while first < last && folds[first].is_identity() {
        first += 1;
    }
    (true, first)
}

/// The bytes of all positions of some axes.
fn bytes_of(folds: &[Fold], unit: usize, length: impl Fn(&Fold) -> usize) -> usize {
    folds.iter().fold(unit, |bytes, fold| bytes.saturating_mul(length(fold)))
}

/// Whether positions of axes of these strides and lengths lie one behind the other.
fn is_packed(folds: &[Fold], unit: usize, of: impl Fn(&Fold) -> (isize, usize)) -> bool {
    let mut next = unit as isize;
    folds.iter().rev().all(|fold| {
        let (stride, length) = of(fold);
        let packed = stride == next || length == 1;
        next = next.wrapping_mul(length as isize);
        packed
    })
}

impl Fold {
    fn new(axis: &Axis, inputs: usize, (read, write): (isize, isize)) -> Fold {
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
    fn single(unit: usize) -> Fold {
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

    /// Whether each term of a group is one position for every element.
    #[inline(always)]
    pub(crate) fn is_simple(&self, group: &Group) -> bool {
        self.again.is_none() && self.terms_of(group).iter().all(|term| term.hold == 1)
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
    fn only(&self) -> Option<isize> {
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
    fn is_dense(&self, unit: usize) -> bool {
        [self.read, self.write] == [unit as isize; 2]
    }

    /// Whether this axis and one inside of it are one axis.
    fn takes_in(&self, inner: &Fold) -> bool {
        let far = |stride: isize, positions: usize| stride.checked_mul(positions as isize);
        self.is_identity()
            && inner.is_identity()
            && far(inner.read, inner.outputs) == Some(self.read)
            && far(inner.write, inner.inputs) == Some(self.write)
    }

    fn take_in(&mut self, inner: &Fold) {
        self.inputs *= inner.inputs;
        self.outputs *= inner.outputs;
        (self.read, self.write) = (inner.read, inner.write);
        self.terms[0].step = 1;
        self.groups[0].end = self.inputs;
    }

    fn sums(&self) -> bool {
        self.groups.iter().any(|group| group.kind == Kind::Sum)
    }

    /// The most elements of a group to which more than one position is added, or of any group.
    fn longest(&self, any: bool) -> usize {
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
    fn is_listed(&self) -> bool {
        let core = self.core().map_or(0, |core| core.end - core.start);
        self.count_terms() - core <= MOST_TERMS
    }
}

/// Elements of the input from `start` to `end` that one segment takes, and the position of the first of them.
#[derive(Clone, Copy)]
struct Source {
    start: usize,
    end: usize,
    term: Term,
}

fn is_again(segment: &Segment) -> bool {
    matches!(segment, Segment::Again { .. })
}

/// What segments take from the input, in the order of the output. The last segment is left out if it is `repeated`.
fn sources(segments: &Segments, repeated: bool) -> SmallVec<[Source; 8]> {
    let mut sources: SmallVec<[Source; 8]> = SmallVec::new();
    let mut position = 0isize;
    let mut push = |segment: Segment| {
        if let Segment::Source { from, step, count, gap } = segment {
            let (apart, reach) = ((gap + 1) as isize, (count - 1) as isize);
            let (start, end, term) = match step {
                0 => (from, from, Term { at: position, step: 0, hold: count }),
                1 => (from, from + reach, Term { at: position, step: apart, hold: 1 }),
                // Of a run that goes down, the lowest element is the last.
                _ => (from - reach, from, Term { at: position + reach * apart, step: -apart, hold: 1 }),
            };
            let source = Source { start: start as usize, end: end as usize + 1, term };
            match sources.last_mut() {
                // One element time and again. Of what is repeated only a part may be so.
                Some(last) if !repeated && last.is_held_by(&source) => {
                    last.term = Term { step: 0, hold: last.term.hold + source.term.hold, ..last.term };
                }
                _ => sources.push(source),
            }
        }
        position += segment.positions() as isize;
    };
    if repeated {
        segments[..segments.len() - 1].iter().copied().for_each(&mut push);
    } else {
        segments.expanded().for_each(&mut push);
    }
    sources
}

impl Source {
    /// Whether the next source is the same single element, at the next position.
    fn is_held_by(&self, next: &Source) -> bool {
        let one = self.end - self.start == 1 && (next.start, next.end) == (self.start, self.end);
        one && self.term.at + self.term.hold as isize == next.term.at
    }
}

impl Geometry {
    /// Two elements of the input that share a place, in whose gradient they are to be written.
    fn check_input_disjoint(&self) -> Result<(), PadError> {
        if self.input.contiguous {
            return Ok(());
        }
        let element = self.layout.atoms() as isize;
        let strides = Strides::new(0, self.axes.iter().map(|axis| axis.src_stride / element));
        strides.check_disjoint(&self.input.shape).map_err(|error| match error {
            PadError::Overlap { axis, stride, length } => PadError::SharedInput { axis, stride, length },
            other => other,
        })
    }
}

impl Geometry {
    /// Where every element of the input goes to one position of the output at most, the adjoint moves elements and adds
    /// nothing: the geometry of that, which pads what is left of the output's gradient with zeros for what was removed.
    pub(crate) fn moved_back(&self) -> Option<Geometry> {
        let mut offset = self.output.offset;
        let mut axes: SmallVec<[Axis; 6]> = SmallVec::new();
        for (axis, &inputs) in self.axes.iter().zip(&self.input.shape) {
            let segments = axis.segments();
            if segments.iter().any(is_again) {
                return None;
            }
            let mut sources = sources(&segments, false).into_iter();
            let (start, end, term) = match (sources.next(), sources.next()) {
                (Some(Source { start, end, term }), None) if term.hold == 1 => (start, end, term),
                (None, _) => (0, 0, Term { at: 0, step: 1, hold: 1 }),
                _ => return None,
            };
            // Within the output's gradient, where all these positions are.
            offset += term.at * axis.dst_stride;
            axes.push(Axis {
                out: inputs,
                origin: -(start as i64),
                start: 0,
                len: (end - start) as i64,
                interior: 0,
                src_stride: if end - start > 1 { term.step * axis.dst_stride } else { axis.dst_stride },
                dst_stride: axis.src_stride,
                low: PadMode::Constant,
                high: PadMode::Constant,
            });
        }
        let input = Tensor { offset, ..self.output.clone() };
        let mut back = Geometry {
            input,
            output: self.input.clone(),
            axes,
            nest: Nest::blank(),
            // No element that can be summed is longer.
            fill: Pattern::of_bytes(&[0; 16][..self.layout.atoms()]),
            ..*self
        };
        back.normalise();
        Some(back)
    }
}
