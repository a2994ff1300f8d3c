//! What can be chosen.

use std::fmt;

use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{
    DType,
    kernels::{self, Isa, Streaming},
    tensor::ElementSize,
};

use crate::case::{Case, Kind};
use crate::views::{Placed, Window};

/// How the library is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Plan and run in one call, into memory that is there.
    PadInto,
    /// Plan and run in one call, into a new vector.
    Pad,
    /// A plan, into memory that is there.
    Run,
    /// A plan, into memory that is not initialised.
    RunUninit,
    /// A plan, into a new vector.
    ToVec,
}

/// What elements are given as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// A Rust type with a tag.
    Typed,
    /// A Rust type without one.
    Untagged,
    /// Bytes of a type with a tag.
    Bytes,
    /// Bytes of packed elements.
    Packed,
    /// Values to clone.
    Cloned,
}

/// What runs the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// What the library chooses.
    Chosen,
    /// A kernel of this instruction set.
    Pinned(Isa),
    /// The walk that takes any number of axes.
    AnyRank,
}

/// Who runs the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// The calling thread.
    One,
    /// A pool of so many threads.
    Pool(usize),
    /// A pool of two, in pieces of at most so many bytes.
    Pieces(usize),
}

/// What of the output is written where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// A box, to memory of its own.
    Box,
    /// A box of a plan that was given strides before.
    BoxOfView,
    /// A box, from the part of the input that it needs.
    FromPart,
    /// A box, to its place in the whole.
    InPlace,
}

/// How a run is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How the library is called.
    pub call: Call,
    /// Whether elements of bytes are given as their Rust type.
    pub typed: bool,
    /// Whether the output is written past the cache.
    pub streaming: Streaming,
    /// What runs.
    pub kernel: Kernel,
    /// Who runs it.
    pub threads: Threads,
    /// Whether streaming and kernel are chosen before strides and box, or after them.
    pub options_first: bool,
    /// What of the output is written.
    pub part: Part,
    /// The box, unless it is the whole.
    pub window: Window,
    /// Where the input, or the part of it that is needed, and the output lie. None if the plan is given no strides.
    pub places: Option<(Placed, Placed)>,
}

/// The expression that makes it.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options { call, typed, streaming, kernel, threads, options_first, part, window, places } = self;
        let kernel = match kernel {
            Kernel::Pinned(isa) => format!("Pinned(pad_kernels::Isa::{isa:?})"),
            kernel => format!("{kernel:?}"),
        };
        let places = match places {
            Some((input, output)) => format!("Some(({}, {}))", input.as_source(), output.as_source()),
            None => "None".to_string(),
        };
        write!(
            f,
            "Options {{ call: Call::{call:?}, typed: {typed}, streaming: pad_kernels::Streaming::{streaming:?}, \
             kernel: Kernel::{kernel}, threads: Threads::{threads:?}, options_first: {options_first}, \
             part: Part::{part:?}, window: vec!{window:?}, places: {places} }}"
        )
    }
}

pub(super) const ELEMENTS: [Elements; 5] =
    [Elements::Typed, Elements::Untagged, Elements::Bytes, Elements::Packed, Elements::Cloned];

pub(super) const CALLS: [Call; 5] = [Call::PadInto, Call::Pad, Call::Run, Call::RunUninit, Call::ToVec];

pub(super) const STREAMING: [Streaming; 3] = [Streaming::Auto, Streaming::Always, Streaming::Never];

pub(super) const PARTS: [Part; 5] = [Part::Whole, Part::Box, Part::BoxOfView, Part::FromPart, Part::InPlace];

impl Elements {
    pub(super) fn of(case: &Case, typed: bool) -> Elements {
        match (case.kind.element_size(), case.kind) {
            (ElementSize::Cloned, _) => Elements::Cloned,
            (ElementSize::Bits(_), _) => Elements::Packed,
            (ElementSize::Bytes(_), Kind::Tagged(_)) if typed => Elements::Typed,
            (ElementSize::Bytes(_), Kind::Raw(_)) if typed => Elements::Untagged,
            (ElementSize::Bytes(_), _) => Elements::Bytes,
        }
    }

    pub(super) fn are_typed(self) -> bool {
        matches!(self, Elements::Typed | Elements::Untagged)
    }

    /// A kind of element that is given so.
    pub(super) fn kind(self, u: &mut Unstructured<'_>) -> Draw<Kind> {
        // Any bits are a value of these.
        const TYPED: [DType; 10] = [
            DType::F64,
            DType::F32,
            DType::I8,
            DType::I16,
            DType::I32,
            DType::I64,
            DType::U8,
            DType::U16,
            DType::U32,
            DType::U64,
        ];
        let of_layout = |wanted: fn(ElementSize) -> bool, u: &mut Unstructured<'_>| {
            let dtypes: Vec<_> = DType::ALL.iter().filter(|dtype| wanted(dtype.element_size())).collect();
            u.choose(&dtypes).map(|&&dtype| Kind::Tagged(dtype))
        };
        match self {
            Elements::Typed => u.choose(&TYPED).map(|&dtype| Kind::Tagged(dtype)),
            Elements::Untagged => u.choose(&[1, 3, 12, 16, 33]).map(|&size| Kind::Raw(size)),
            Elements::Bytes => of_layout(|layout| matches!(layout, ElementSize::Bytes(_)), u),
            Elements::Packed => of_layout(|layout| matches!(layout, ElementSize::Bits(_)), u),
            Elements::Cloned => Ok(Kind::Tagged(DType::String)),
        }
    }
}

/// Those of this machine.
pub(super) fn kernels() -> Vec<Kernel> {
    let pinned = Isa::ALL.into_iter().filter(|isa| isa.available()).map(Kernel::Pinned);
    [Kernel::Chosen, Kernel::AnyRank].into_iter().chain(pinned).collect()
}

/// Whether a kernel of this instruction set clones elements.
pub(super) fn clones(isa: Isa) -> bool {
    kernels::pad().iter().any(|row| row.isa() == isa && row.dtype() == Some(DType::String))
}
