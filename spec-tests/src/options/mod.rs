//! Tests of random combinations of all options of a run, and a table that counts the pairs of options that were run.
//!
//! Other tests vary one option at a time. These tests find bugs that need two options at once. Examples are streaming to an
//! output with holes, and several threads on a column-major output.
#![forbid(unsafe_code)]

mod table;

use std::ops::Range;

use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{
    DType, PadError, PadPlan,
    kernels::{self, Isa, Streaming},
    tensor::ElementSize,
};

use crate::case::{Case, Kind};
use crate::generators;
use crate::oracles::{self, Call, Entry, Mismatch, Outcome, Run, Subject, Threads};
use crate::views::{self, Layout, Part, Window, lengths, whole};
use table::{Feature, Lies, SORTS, Sort, note};

pub use table::{Pairs, pairs};

/// The way in which elements are passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// A Rust type that has a `DType`.
    Typed,
    /// A Rust type that has no `DType`.
    Untagged,
    /// Bytes of a type that has a `DType`.
    Bytes,
    Packed,
    Cloned,
}

/// The kernel that runs the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// The kernel that the library chooses.
    Chosen,
    /// A kernel of this instruction set.
    Pinned(Isa),
    /// The loop for any number of axes.
    AnyRank,
}

/// All options of one run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function of the library, the element type and the threads.
    pub entry: Entry,
    /// Whether the output is written with non-temporal stores, which bypass the cache.
    pub streaming: Streaming,
    pub kernel: Kernel,
    /// Whether streaming and kernel are set before strides and region. Otherwise, they are set after them.
    pub options_first: bool,
    /// The region of the output that is written, and the memory layout of the tensors.
    pub layout: Layout,
}

const ELEMENTS: [Elements; 5] =
    [Elements::Typed, Elements::Untagged, Elements::Bytes, Elements::Packed, Elements::Cloned];

const CALLS: [Call; 5] = [Call::PadInto, Call::Pad, Call::Run, Call::RunUninit, Call::ToVec];

const STREAMING: [Streaming; 3] = [Streaming::Auto, Streaming::Always, Streaming::Never];

const PARTS: [Part; 6] =
    [Part::Whole, Part::Box, Part::BoxOfView, Part::FromPart, Part::FromParts, Part::InPlace];

impl Elements {
    fn of(case: &Case, typed: bool) -> Elements {
        match (case.kind.element_size(), case.kind) {
            (ElementSize::Cloned, _) => Elements::Cloned,
            (ElementSize::Bits(_), _) => Elements::Packed,
            (ElementSize::Bytes(_), Kind::Tagged(_)) if typed => Elements::Typed,
            (ElementSize::Bytes(_), Kind::Raw(_)) if typed => Elements::Untagged,
            (ElementSize::Bytes(_), _) => Elements::Bytes,
        }
    }

    fn are_typed(self) -> bool {
        matches!(self, Elements::Typed | Elements::Untagged)
    }

    /// Generates a kind of element that can be passed in this way.
    fn kind(self, u: &mut Unstructured<'_>) -> Draw<Kind> {
        // Every bit pattern is a valid value of these types.
        const TYPED: [DType; 10] = {
            use DType::*;
            [F64, F32, I8, I16, I32, I64, U8, U16, U32, U64]
        };
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

/// Returns the kernels that this machine can run.
fn kernels() -> Vec<Kernel> {
    let pinned = Isa::ALL.into_iter().filter(|isa| isa.available()).map(Kernel::Pinned);
    [Kernel::Chosen, Kernel::AnyRank].into_iter().chain(pinned).collect()
}

/// Returns whether a kernel of this instruction set clones elements.
fn clones(isa: Isa) -> bool {
    kernels::pad().iter().any(|row| row.isa() == isa && row.dtype() == Some(DType::String))
}

/// The features that were chosen so far.
#[derive(Default)]
struct Chosen(Vec<Feature>);

impl Chosen {
    /// Chooses one of `from` that no earlier choice excludes, and records it.
    fn choose<T: Copy>(&mut self, from: &[T], of: fn(T) -> Feature, u: &mut Unstructured<'_>) -> Draw<T> {
        let fits = |&&choice: &&T| self.0.iter().all(|chosen| of(choice).excludes(*chosen).is_none());
        let possible: Vec<_> = from.iter().filter(fits).copied().collect();
        let choice = *u.choose(&possible)?;
        self.0.push(of(choice));
        Ok(choice)
    }
}

/// Generates a case and its options at random. `choices` selects the options, and `u` gives all sizes and numbers.
pub fn draw(choices: &mut Unstructured<'_>, u: &mut Unstructured<'_>) -> Draw<(Case, Options)> {
    let mut chosen = Chosen::default();
    let elements = chosen.choose(&ELEMENTS, Feature::Elements, choices)?;
    let call = chosen.choose(&CALLS, Feature::Call, choices)?;
    // Few plans can stream, so ask for streaming more often.
    let streaming =
        chosen.choose(&[STREAMING, [Streaming::Always; 3]].concat(), Feature::Streaming, choices)?;
    let kernel = chosen.choose(&kernels(), Feature::Kernel, choices)?;
    let sort = chosen.choose(&SORTS, Feature::Threads, choices)?;
    let part = chosen.choose(&PARTS, Feature::Part, choices)?;
    let options_first = chosen.choose(&[false, true], Feature::OptionsFirst, choices)?;
    let threads = match sort {
        Sort::One => Threads::One,
        Sort::Pool => Threads::Pool(u.int_in_range(2..=3)?),
        Sort::Crumbs => Threads::Pieces(u.int_in_range(0..=63)?),
        Sort::Pieces => Threads::Pieces(u.int_in_range(64..=1000)?),
    };
    let case = generators::case_of(elements.kind(u)?, u)?;
    let mut layout = Layout { part, window: Vec::new(), places: None };
    if let (Ok(shape), Ok(plan)) = (case.output_shape(), case.plan()) {
        layout.window = if part == Part::Whole { whole(&shape) } else { part_of(&shape, u)? };
        if part == Part::InPlace && layout.window.iter().any(Range::is_empty) {
            // An empty region has no first element, so it has no position in the whole output.
            layout.part = Part::Box;
        }
        let is_one_call = matches!(call, Call::PadInto | Call::Pad);
        if !is_one_call && (layout.part == Part::InPlace || u.ratio(2, 3)?) {
            let [input, output] = layout.shapes(&plan).unwrap_or_default();
            // Use an output without holes in half of the cases. Streaming and new memory need one.
            let output =
                if u.arbitrary()? { views::solid(&output, u)? } else { views::placed(&output, false, u)? };
            layout.places = Some((views::placed(&input, true, u)?, output));
        }
    }
    let entry = Entry { call, typed: elements.are_typed(), threads, ..Entry::RUN };
    Ok((case, Options { entry, streaming, kernel, options_first, layout }))
}

/// Generates a region of the output that covers about half of the axes completely.
fn part_of(shape: &[usize], u: &mut Unstructured<'_>) -> Draw<Window> {
    let mut range = |&length: &usize| {
        if u.arbitrary()? {
            return Ok(0..length);
        }
        let start = u.int_in_range(0..=length)?;
        // One of eight ranges may be empty.
        let least = if u.ratio(1, 8)? { start } else { (start + 1).min(length) };
        Ok(start.min(length.saturating_sub(1))..u.int_in_range(least..=length)?)
    };
    shape.iter().map(&mut range).collect()
}

/// Runs `case` with `options`, counts the features of the run in the table, and checks the result.
pub fn check(case: &Case, options: &Options) -> Result<Outcome, Mismatch> {
    let subject = match Subject::new(case)? {
        Ok(subject) => subject,
        Err(error) => return Ok(Outcome::Refused(error)),
    };
    let found = run(&subject, options);
    found.map(|()| Outcome::Ran).map_err(|what| Mismatch::new(case, format_args!("{what}\n{options:?}")))
}

fn run(subject: &Subject<'_>, options: &Options) -> Result<(), String> {
    let Options { entry, kernel, options_first, layout, .. } = options;
    let (mut plan, mut chosen) = (subject.plan.clone(), *kernel);
    if *options_first {
        (plan, chosen) = choose(subject.case, plan, options)?;
    }
    let mut run = Run::of_plan(subject, &plan, layout)?;
    if !options_first {
        (run.plan, chosen) = choose(subject.case, run.plan, options)?;
    }
    if *kernel == Kernel::AnyRank {
        run.plan = run.plan.with_generic_kernel();
    }
    note(&features(subject.case, options, &run, chosen)?)?;
    run.through(entry)
}

/// Sets streaming and kernel of the plan. Also returns the kernel that was set: [`Kernel::Chosen`] if no kernel of the
/// instruction set fits, or if the output is empty and its plan therefore has no kernel.
fn choose(case: &Case, plan: PadPlan, options: &Options) -> Result<(PadPlan, Kernel), String> {
    let plan = plan.with_streaming(options.streaming);
    let Kernel::Pinned(isa) = options.kernel else { return Ok((plan, options.kernel)) };
    let exists = case.turns_signs() || oracles::fitting(&plan).any(|row| row.isa() == isa);
    match plan.with_isa(isa) {
        Ok(plan) if exists => Ok((plan, options.kernel)),
        Err(PadError::IsaUnavailable { .. }) if !exists || plan.is_empty() => Ok((plan, Kernel::Chosen)),
        other => Err(format!("{isa}: {other:?}")),
    }
}

/// Returns the features of a run.
fn features(case: &Case, options: &Options, run: &Run<'_>, kernel: Kernel) -> Result<Vec<Feature>, String> {
    let Options { entry, streaming, options_first, layout, .. } = options;
    let [input_shape, _] = layout.shapes(&case.plan().map_err(told)?).map_err(told)?;
    let mut features = vec![
        Feature::Mode(case.mode.single()),
        Feature::Elements(Elements::of(case, entry.typed)),
        Feature::Call(entry.call),
        Feature::Streaming(*streaming),
        Feature::Streams(run.plan.streams()),
        Feature::Kernel(kernel),
        Feature::Threads(Sort::of(entry.threads)),
        Feature::Part(layout.part),
        Feature::OptionsFirst(*options_first),
        Feature::Colours(case.coloured().map(|axis| axis + 1 == case.shape.len())),
        Feature::Signs(case.turns_signs()),
    ];
    // If a region is written in place, its layout starts at its own first element, not at that of the whole output.
    let first = run.to.first().copied().filter(|_| layout.part == Part::InPlace);
    let output = views::Placed { offset: first.unwrap_or(run.output.offset), ..run.output.clone() };
    features.extend(Lies::of(&run.input, &input_shape).into_iter().map(Feature::Input));
    features.extend(Lies::of(&output, &lengths(&layout.window)).into_iter().map(Feature::Output));
    Ok(features)
}

fn told(error: PadError) -> String {
    error.to_string()
}
