//! The table of pairs of features: which pairs exclude each other, and how many runs had each of the remaining pairs.

use std::collections::HashMap;
use std::mem::discriminant;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, Result};
use pad_kernels::{PadMode, kernels::Streaming};
use strum::{EnumIter, IntoEnumIterator as _};

use super::{Elements, Kernel, STREAMING, clones, kernels};
use crate::oracles::{Call, Threads};
use crate::views::{Part, Placed, whole};

/// A choice, or a property of the run that follows from choices. Each feature is a row and a column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Feature {
    /// The mode of all sides, or `None` if several modes are used.
    Mode(Option<PadMode>),
    Elements(Elements),
    Call(Call),
    Streaming(Streaming),
    /// Whether the plan really streams.
    Streams(bool),
    Kernel(Kernel),
    Threads(Threads),
    Part(Part),
    Input(Lies),
    Output(Lies),
    /// `None` if there is one fill. If each position of an axis has a fill, whether this axis is the innermost.
    Colours(Option<bool>),
    Signs(bool),
}

/// A property of a tensor's memory layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter)]
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

/// The ways to use threads. The numbers are placeholders, which [`draw`](super::draw) replaces by random ones. Pieces are shorter
/// than a cache line of 64 bytes, or longer.
pub(super) const THREADS: [Threads; 4] =
    [Threads::One, Threads::Pool(2), Threads::Pieces(0), Threads::Pieces(CACHE_LINE)];

pub(super) const CACHE_LINE: usize = 64;

/// The ways to pass elements that can be negated.
const SIGNED: [Elements; 2] = [Elements::Typed, Elements::Bytes];

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
        all.extend(Elements::iter().map(Feature::Elements));
        all.extend(Call::iter().map(Feature::Call));
        all.extend(STREAMING.map(Feature::Streaming));
        all.extend([false, true].map(Feature::Streams));
        all.extend(kernels().into_iter().map(Feature::Kernel));
        all.extend(THREADS.map(Feature::Threads));
        all.extend(Part::iter().map(Feature::Part));
        all.extend([None, Some(false), Some(true)].map(Feature::Colours));
        all.extend([false, true].map(Feature::Signs));
        all.extend(Lies::iter().map(Feature::Input));
        all.extend(Lies::iter().filter(|&lies| lies != Lies::Broadcast).map(Feature::Output));
        all
    }

    /// Returns the reason why no run can have both features, or `None` if a run can.
    pub(super) fn excludes(self, other: Feature) -> Option<&'static str> {
        self.excludes_in_order(other).or_else(|| other.excludes_in_order(self))
    }

    fn excludes_in_order(self, other: Feature) -> Option<&'static str> {
        use Feature as F;
        let pieces = matches!(self, F::Threads(Threads::Pieces(_)));
        let several = pieces || matches!(self, F::Threads(Threads::Pool(_)));
        Some(match (self, other) {
            (F::Call(Call::PadInto | Call::Pad), _) if !other.is_default() => "such calls take no options",
            (F::Call(Call::PadInto), F::Elements(Elements::Cloned)) => "pad_cloned makes a vector",
            (F::Call(Call::PadInto | Call::Pad), F::Elements(Elements::Sized)) => "such calls take a type",
            (F::Call(Call::RunUninit), F::Elements(Elements::Cloned)) => "clones replace values",
            (F::Call(Call::Rows(_)), F::Elements(elements)) if !elements.are_typed() => "rows are typed",
            (F::Call(Call::Raw), F::Elements(elements))
                if !matches!(elements, Elements::Bytes | Elements::Sized) =>
            {
                "a pointer leads to elements of whole bytes"
            }
            (
                F::Call(Call::Raw),
                F::Part(Part::InPlace) | F::Input(Lies::Offset) | F::Output(Lies::Offset),
            ) => "a tensor behind a pointer begins with its first element",
            (_, F::Call(Call::Rows(_) | Call::Raw)) if several => "these calls use one thread",
            (_, F::Call(Call::ToVec | Call::RunUninit)) if pieces => "pieces need initialised memory",
            (_, F::Elements(elements)) if pieces && elements.are_typed() => "pieces are of bytes",
            (_, F::Elements(Elements::Cloned)) if several => "elements are cloned by one thread",
            (F::Kernel(Kernel::Pinned(isa)), F::Elements(Elements::Cloned)) if !clones(isa) => {
                "no kernel of this instruction set clones"
            }
            (F::Streams(true), F::Streaming(Streaming::Never)) => "it must not",
            (F::Streams(true), F::Streaming(Streaming::Auto)) => "no output that is drawn is so large",
            (F::Streams(true), F::Kernel(Kernel::AnyRank)) => "only kernels stream",
            (F::Streams(true), F::Elements(Elements::Cloned)) => "only bytes are streamed",
            (F::Streams(true), F::Output(Lies::Holes | Lies::Offset)) => "streams fill their whole memory",
            (F::Streams(true), _) if !cfg!(target_arch = "x86_64") => "only x86-64 has streaming stores",
            (F::Part(Part::BoxOfView), F::Output(lies)) if lies != Lies::RowMajor => "a box has own memory",
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
            Feature::Threads(threads) => threads == Threads::One,
            Feature::Part(part) => part == Part::Whole,
            Feature::Input(lies) | Feature::Output(lies) => lies == Lies::RowMajor,
        }
    }
}

/// The pairs of features that a run on this machine can have, with the number of runs that had both. The features of a pair are
/// in the order of [`Feature::all`].
static TABLE: LazyLock<HashMap<[Feature; 2], AtomicU64>> = LazyLock::new(|| {
    let features = Feature::all();
    let pairs =
        features.iter().enumerate().flat_map(|(i, one)| features[i..].iter().map(|other| [*one, *other]));
    let possible = pairs
        .filter(|[one, other]| discriminant(one) != discriminant(other) && one.excludes(*other).is_none());
    possible.map(|pair| (pair, AtomicU64::new(0))).collect()
});

/// Counts all pairs of features of a run, in the order of [`Feature::all`]. Fails if two of them exclude each other.
pub(super) fn note(run: &[Feature]) -> Result<()> {
    for (at, one) in run.iter().enumerate() {
        for other in run[at + 1..].iter().filter(|other| discriminant(*other) != discriminant(one)) {
            let counter = TABLE.get(&[*one, *other]).with_context(|| {
                let why = one.excludes(*other).unwrap_or("one of them is not in the table");
                format!("{one:?} was run with {other:?}, though {why}")
            })?;
            counter.fetch_add(1, Ordering::Relaxed);
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
    let runs = || TABLE.iter().map(|(pair, runs)| (pair, runs.load(Ordering::Relaxed)));
    let missed =
        runs().filter(|(_, runs)| *runs == 0).map(|([one, other], _)| format!("{one:?} with {other:?}"));
    let fewest = runs().map(|(_, runs)| runs).min().unwrap_or(0);
    Pairs { possible: TABLE.len(), missed: missed.collect(), fewest }
}
