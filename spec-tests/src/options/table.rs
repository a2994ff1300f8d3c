//! The table of features: which of them exclude each other, and how many runs had each other pair.

use std::mem::discriminant;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use pad_kernels::{PadMode, kernels::Streaming};

use super::{CALLS, ELEMENTS, Elements, Kernel, STREAMING, clones, kernels};
use crate::oracles::{Call, Threads};
use crate::views::{Part, Placed, whole};

/// A choice, or a property of the run that follows from choices. Each feature is a row and a column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// The mode of all sides, or `None` if several modes are used.
    Mode(Option<PadMode>),
    Elements(Elements),
    Call(Call),
    Streaming(Streaming),
    /// Whether the plan really streams.
    Streams(bool),
    Kernel(Kernel),
    Threads(Sort),
    Part(Part),
    Input(Lies),
    Output(Lies),
    /// `None` if there is one fill. If each position of an axis has a fill, whether this axis is the innermost.
    Colours(Option<bool>),
    Signs(bool),
}

/// The variants of [`Threads`], with two variants for short and long pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    One,
    Pool,
    /// Pieces that are shorter than a cache line of 64 bytes.
    Crumbs,
    Pieces,
}

/// A property of a tensor's memory layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lies {
    /// The tensor is in row-major order and fills its buffer.
    RowMajor,
    /// The tensor does not use the first element of the buffer.
    Offset,
    /// The tensor does not use the last element of the buffer.
    Longer,
    /// An axis has a negative stride.
    Backward,
    /// The strides do not decrease from axis to axis.
    Permuted,
    /// The buffer has unused elements between those of the tensor.
    Holes,
    /// Several elements share one position, because a stride is 0.
    Broadcast,
}

pub(super) const SORTS: [Sort; 4] = [Sort::One, Sort::Pool, Sort::Crumbs, Sort::Pieces];

/// The ways to pass elements that can be negated.
const SIGNED: [Elements; 2] = [Elements::Typed, Elements::Bytes];

const LIES: [Lies; 7] = [
    Lies::RowMajor,
    Lies::Offset,
    Lies::Longer,
    Lies::Backward,
    Lies::Permuted,
    Lies::Holes,
    Lies::Broadcast,
];

impl Sort {
    pub(super) fn of(threads: Threads) -> Sort {
        match threads {
            Threads::One => Sort::One,
            Threads::Pool(_) => Sort::Pool,
            Threads::Pieces(..64) => Sort::Crumbs,
            Threads::Pieces(_) => Sort::Pieces,
        }
    }
}

impl Lies {
    /// Returns all properties of the layout `placed` for a tensor of this shape.
    pub(super) fn of(placed: &Placed, shape: &[usize]) -> Vec<Lies> {
        if *placed == Placed::row_major(shape) {
            return vec![Lies::RowMajor];
        }
        // The strides of short axes and of empty tensors do not matter.
        let is_long = |(_, length): &(&isize, &usize)| **length > 1 && !shape.contains(&0);
        let long: Vec<_> = placed.strides.iter().zip(shape).filter(is_long).collect();
        let mut slots = placed.slots(&whole(shape));
        slots.sort_unstable();
        slots.dedup();
        let (first, last) = (slots.first().copied().unwrap_or(0), slots.last().copied().unwrap_or(0));
        let is = [
            (Lies::Offset, first > 0),
            (Lies::Longer, last + 1 < placed.room),
            (Lies::Backward, long.iter().any(|(stride, _)| **stride < 0)),
            (Lies::Permuted, long.windows(2).any(|pair| pair[0].0.unsigned_abs() < pair[1].0.unsigned_abs())),
            (Lies::Holes, last - first + 1 > slots.len().max(1)),
            (Lies::Broadcast, long.iter().any(|(stride, _)| **stride == 0)),
        ];
        is.into_iter().filter(|(_, is)| *is).map(|(lies, _)| lies).collect()
    }
}

impl Feature {
    /// Returns all features that runs on this machine can have.
    fn all() -> Vec<Feature> {
        let mut all = Vec::new();
        all.extend(PadMode::ALL.map(|mode| Feature::Mode(Some(mode))));
        all.push(Feature::Mode(None));
        all.extend(ELEMENTS.map(Feature::Elements));
        all.extend(CALLS.map(Feature::Call));
        all.extend(STREAMING.map(Feature::Streaming));
        all.extend([false, true].map(Feature::Streams));
        all.extend(kernels().into_iter().map(Feature::Kernel));
        all.extend(SORTS.map(Feature::Threads));
        all.extend(Part::ALL.map(Feature::Part));
        all.extend(LIES.map(Feature::Input));
        all.extend(LIES.into_iter().filter(|&lies| lies != Lies::Broadcast).map(Feature::Output));
        all.extend([None, Some(false), Some(true)].map(Feature::Colours));
        all.extend([false, true].map(Feature::Signs));
        all
    }

    /// Returns the reason why no run can have both features, or `None` if a run can.
    pub(super) fn excludes(self, other: Feature) -> Option<&'static str> {
        self.excludes_in_order(other).or_else(|| other.excludes_in_order(self))
    }

    fn excludes_in_order(self, other: Feature) -> Option<&'static str> {
        use Feature as F;
        let pieces = matches!(self, F::Threads(Sort::Crumbs | Sort::Pieces));
        Some(match (self, other) {
            (F::Call(Call::PadInto | Call::Pad), _) if !other.is_default() => {
                "a call that plans and runs takes no options"
            }
            (F::Call(Call::PadInto), F::Elements(Elements::Cloned)) => "pad_cloned makes a vector",
            (F::Call(Call::PadInto | Call::Pad), F::Elements(Elements::Sized)) => "such calls take a type",
            (F::Call(Call::RunUninit), F::Elements(Elements::Cloned)) => "clones replace values",
            (F::Call(Call::Rows(_)), F::Elements(elements)) if !elements.are_typed() => {
                "rows are of elements of a Rust type"
            }
            (F::Call(Call::Raw), F::Elements(elements))
                if !matches!(elements, Elements::Bytes | Elements::Sized) =>
            {
                "a pointer leads to elements of whole bytes"
            }
            (
                F::Call(Call::Raw),
                F::Part(Part::InPlace) | F::Input(Lies::Offset) | F::Output(Lies::Offset),
            ) => "a tensor behind a pointer begins with its first element",
            (F::Call(Call::RunUninit | Call::Rows(_) | Call::Raw), F::Threads(threads))
                if threads != Sort::One =>
            {
                "these calls use one thread"
            }
            (_, F::Call(Call::ToVec)) if pieces => "pieces are written to memory that is there",
            (_, F::Elements(elements)) if pieces && elements.are_typed() => "pieces are of bytes",
            (F::Threads(threads), F::Elements(Elements::Cloned)) if threads != Sort::One => {
                "elements are cloned by one thread"
            }
            (F::Kernel(Kernel::Pinned(isa)), F::Elements(Elements::Cloned)) if !clones(isa) => {
                "no kernel of this instruction set clones"
            }
            (F::Streams(true), F::Streaming(Streaming::Never)) => "it must not",
            (F::Streams(true), F::Streaming(Streaming::Auto)) => "no output that is drawn is so large",
            (F::Streams(true), F::Kernel(Kernel::AnyRank)) => "only kernels stream",
            (F::Streams(true), F::Elements(Elements::Cloned)) => "only bytes are streamed",
            (F::Streams(true), F::Output(Lies::Holes | Lies::Offset)) => {
                "only outputs that fill their memory from its beginning are streamed"
            }
            (F::Streams(true), _) if !cfg!(target_arch = "x86_64") => "only x86-64 has streaming stores",
            (F::Part(Part::BoxOfView), F::Output(lies)) if lies != Lies::RowMajor => {
                "a box has memory of its own, however the view lies"
            }
            (F::Colours(Some(_)), F::Elements(Elements::Packed | Elements::Cloned)) => "such have one fill",
            (F::Signs(true), F::Elements(elements)) if !SIGNED.contains(&elements) => "such have no signs",
            _ => return None,
        })
    }

    /// Returns whether a call without options can have this feature.
    fn is_default(self) -> bool {
        match self {
            Feature::Mode(_)
            | Feature::Elements(_)
            | Feature::Call(_)
            | Feature::Colours(_)
            | Feature::Signs(_) => true,
            Feature::Streaming(streaming) => streaming == Streaming::Auto,
            Feature::Streams(is) => !is,
            Feature::Kernel(kernel) => kernel == Kernel::Chosen,
            Feature::Threads(threads) => threads == Sort::One,
            Feature::Part(part) => part == Part::Whole,
            Feature::Input(lies) | Feature::Output(lies) => lies == Lies::RowMajor,
        }
    }
}

/// All features, and for every two of them the number of runs that had both.
static TABLE: LazyLock<(Vec<Feature>, Vec<AtomicU64>)> = LazyLock::new(|| {
    let features = Feature::all();
    let pairs = features.len() * features.len();
    (features, (0..pairs).map(|_| AtomicU64::new(0)).collect())
});

/// Counts all pairs of features of a run. Fails if two of them exclude each other.
pub(super) fn note(run: &[Feature]) -> Result<(), String> {
    let (features, counters) = &*TABLE;
    let index = |feature: &Feature| features.iter().position(|listed| listed == feature);
    for (at, one) in run.iter().enumerate() {
        for other in &run[at + 1..] {
            if discriminant(one) == discriminant(other) {
                continue;
            }
            if let Some(why) = one.excludes(*other) {
                return Err(format!("{one:?} was run with {other:?}, though {why}"));
            }
            let (Some(i), Some(j)) = (index(one), index(other)) else {
                return Err(format!("{one:?} or {other:?} is not in the table"));
            };
            counters[i.min(j) * features.len() + i.max(j)].fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// The counts of pairs of features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// The number of pairs that a run on this machine can have.
    pub possible: usize,
    /// The possible pairs that no run had.
    pub missed: Vec<String>,
    /// The number of runs of the rarest possible pair.
    pub fewest: u64,
}

/// Returns the counts of all runs so far.
pub fn pairs() -> Pairs {
    let (features, counters) = &*TABLE;
    let mut pairs = Pairs { possible: 0, missed: Vec::new(), fewest: u64::MAX };
    for (i, one) in features.iter().enumerate() {
        for (j, other) in features.iter().enumerate().skip(i + 1) {
            if discriminant(one) == discriminant(other) || one.excludes(*other).is_some() {
                continue;
            }
            let runs = counters[i * features.len() + j].load(Ordering::Relaxed);
            pairs.possible += 1;
            pairs.fewest = pairs.fewest.min(runs);
            if runs == 0 {
                pairs.missed.push(format!("{one:?} with {other:?}"));
            }
        }
    }
    pairs
}
