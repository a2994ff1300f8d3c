//! Tests of random combinations of all options of a run, and a table that counts the pairs of options that were run.
//!
//! Other tests vary one option at a time. These tests find bugs that need two options at once. Examples are non-temporal stores
//! to an output with holes (unused memory between its elements), and several threads on a column-major output.

mod table;

use anyhow::{Context as _, Result, bail, ensure};
use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{
    DType, PadError, PadPlan,
    kernels::{self, Isa, PadKernel, Streaming},
    tensor::ElementSize,
};
use strum::{EnumIter, IntoEnumIterator as _};

use crate::case::{Case, Kind, with_type};
use crate::generators;
use crate::oracles::{self, Call, Entry, Outcome, Run, Subject, Threads, with_subject};
use crate::views::{self, Layout, Part, lengths};
use table::{CACHE_LINE, Feature, Lies, THREADS, note};

pub use table::{Pairs, pairs};

/// The way in which elements are passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter)]
pub enum Elements {
    /// A Rust type that has a `DType`.
    Typed,
    /// A Rust type that has no `DType`.
    Untagged,
    /// Bytes of a type that has a `DType`.
    Bytes,
    /// Bytes of elements of which only the size is known.
    Sized,
    Packed,
    Cloned,
}

/// The kernel that runs the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// The region of the output that is written, and the memory layout of the tensors.
    pub layout: Layout,
}

const STREAMING: [Streaming; 3] = [Streaming::Auto, Streaming::Always, Streaming::Never];

impl Elements {
    fn of(kind: Kind, typed: bool) -> Elements {
        match (kind.element_size(), kind) {
            (ElementSize::Cloned, _) => Elements::Cloned,
            (ElementSize::Bits(_), _) => Elements::Packed,
            (_, Kind::Array(_)) => Elements::Untagged,
            (_, Kind::Raw(_)) => Elements::Sized,
            _ if typed => Elements::Typed,
            _ => Elements::Bytes,
        }
    }

    fn are_typed(self) -> bool {
        matches!(self, Elements::Typed | Elements::Untagged)
    }

    /// Generates a kind of element that can be passed in this way.
    fn kind(self, u: &mut Unstructured<'_>) -> Draw<Kind> {
        let fits = |&kind: &Kind| {
            let is_rust = with_type!(kind, T => size_of::<T>()).is_some();
            Elements::of(kind, self.are_typed()) == self && (is_rust || !self.are_typed())
        };
        u.choose(&Kind::all().filter(fits).collect::<Vec<_>>()).copied()
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

/// Chooses one of `from` whose feature no feature of `chosen` excludes. Adds its feature, which `of` returns, to `chosen`.
fn choose<T: Copy>(
    chosen: &mut Vec<Feature>,
    from: impl IntoIterator<Item = T>,
    of: fn(T) -> Feature,
    u: &mut Unstructured<'_>,
) -> Draw<T> {
    let fits = |&choice: &T| chosen.iter().all(|chosen| of(choice).excludes(*chosen).is_none());
    let possible: Vec<_> = from.into_iter().filter(fits).collect();
    let choice = *u.choose(&possible)?;
    chosen.push(of(choice));
    Ok(choice)
}

/// Generates a case and its options at random. `choices` selects the options, and `u` gives all sizes and numbers.
pub fn draw(choices: &mut Unstructured<'_>, u: &mut Unstructured<'_>) -> Draw<(Case, Options)> {
    let chosen = &mut Vec::new();
    let elements = choose(chosen, Elements::iter(), Feature::Elements, choices)?;
    let call = choose(chosen, Call::iter(), Feature::Call, choices)?;
    // Few plans can stream, so ask for streaming more often.
    let streaming = [STREAMING, [Streaming::Always; 3]].concat();
    let streaming = choose(chosen, streaming, Feature::Streaming, choices)?;
    let kernel = choose(chosen, kernels(), Feature::Kernel, choices)?;
    let threads = choose(chosen, THREADS, Feature::Threads, choices)?;
    let part = choose(chosen, Part::iter(), Feature::Part, choices)?;
    let threads = match threads {
        Threads::One => Threads::One,
        // With several threads, uninitialised memory is of bytes.
        Threads::Pool(_) if call == Call::RunUninit && elements.are_typed() => Threads::One,
        Threads::Pool(_) => Threads::Pool(u.int_in_range(2..=3)?),
        Threads::Pieces(..CACHE_LINE) => Threads::Pieces(u.int_in_range(0..=CACHE_LINE - 1)?),
        Threads::Pieces(_) => Threads::Pieces(u.int_in_range(CACHE_LINE..=1000)?),
    };
    let case = generators::case_of(elements.kind(u)?, u)?;
    let mut entry = Entry { call, typed: elements.are_typed(), threads, ..Entry::RUN };
    let mut layout = Layout { part, ..Layout::whole(&[]) };
    if let Ok(plan) = case.plan() {
        layout = views::layout(&plan, part, !matches!(call, Call::PadInto | Call::Pad), u)?;
        let shapes = layout.shapes(&plan).unwrap_or_default();
        if let (Call::Raw, Some((input, output))) = (call, &mut layout.places) {
            input.begin(&shapes[0]);
            output.begin(&shapes[1]);
        }
        // Replace the placeholder `Rows(0)`, now that the number of axes is known.
        if call == Call::Rows(0) {
            let least = usize::from(plan.output_len() > 200);
            entry.call = Call::Rows(u.int_in_range(least..=plan.output_shape().len().max(least))?);
        }
    }
    Ok((case, Options { entry, streaming, kernel, layout }))
}

/// Runs `case` with `options`, counts the features of the run in the table, and checks the result.
pub fn check(case: &Case, options: &Options) -> Result<Outcome> {
    with_subject(case, |subject| run(subject, options).with_context(|| format!("{options:?}")))
}

fn run(subject: &Subject<'_>, options: &Options) -> Result<()> {
    let mut run = Run::new(subject, &options.layout)?;
    // Make two plans. The first gets the options before its strides and region, and the last gets them afterwards.
    let (whole, of_whole) = set(subject.case, subject.plan.clone(), options)?;
    let (last, chosen) = set(subject.case, run.plan, options)?;
    let first = options.layout.plan(&whole)?;
    // A plan that copies its input in one piece has no kernel.
    let sets = [&first, &last].map(|plan| plan.kernel().map(|row| row.isa()));
    let streams = (first.streams(), last.streams());
    let differ = matches!(sets, [Some(one), Some(other)] if one != other || streams.0 != streams.1);
    let may_differ = options.kernel == Kernel::AnyRank || of_whole != chosen;
    ensure!(may_differ || !differ, "{first:?} does not have the options of {last:?}");
    for plan in [first, last] {
        run.plan = if options.kernel == Kernel::AnyRank { plan.with_generic_kernel() } else { plan };
        note(&features(subject.case, options, &run, chosen)?)?;
        run.through(&options.entry)?;
    }
    Ok(())
}

/// Sets streaming and kernel of the plan. Also returns the kernel that was set. It is [`Kernel::Chosen`] if no kernel of the
/// instruction set fits the plan, or if the output is empty and its plan therefore has no kernel.
fn set(case: &Case, plan: PadPlan, options: &Options) -> Result<(PadPlan, Kernel)> {
    let plan = plan.with_streaming(options.streaming);
    let Kernel::Pinned(isa) = options.kernel else { return Ok((plan, options.kernel)) };
    // Kernels that do not negate do not fit a plan that negates, but they still run it.
    let of_rank = |row: &PadKernel| row.rank() == plan.axes().len();
    let exists = match case.turns_signs() {
        true => kernels::pad().iter().any(|row| row.isa() == isa && of_rank(row)),
        false => oracles::fitting(&plan).any(|row| row.isa() == isa),
    };
    match plan.with_isa(isa) {
        Ok(plan) if exists || case.turns_signs() => Ok((plan, options.kernel)),
        Err(PadError::IsaUnavailable { .. }) if !exists || plan.is_empty() => Ok((plan, Kernel::Chosen)),
        other => bail!("{isa}: {other:?}"),
    }
}

/// Returns the features of a run.
fn features(case: &Case, options: &Options, run: &Run<'_>, kernel: Kernel) -> Result<Vec<Feature>> {
    let Options { entry, streaming, layout, .. } = options;
    let threads = match entry.threads {
        Threads::One => 0,
        Threads::Pool(_) => 1,
        Threads::Pieces(..CACHE_LINE) => 2,
        Threads::Pieces(_) => 3,
    };
    let [input_shape, _] = layout.shapes(&case.plan()?)?;
    let mut features = vec![
        Feature::Mode(case.mode.single()),
        Feature::Elements(Elements::of(case.kind, entry.typed)),
        Feature::Call(if let Call::Rows(_) = entry.call { Call::Rows(0) } else { entry.call }),
        Feature::Streaming(*streaming),
        Feature::Streams(run.plan.streams()),
        Feature::Kernel(kernel),
        Feature::Threads(THREADS[threads]),
        Feature::Part(layout.part),
        Feature::Colours(case.coloured().map(|axis| axis + 1 == case.shape.len())),
        Feature::Signs(case.turns_signs()),
    ];
    features.extend(Lies::of(&run.input, &input_shape).into_iter().map(Feature::Input));
    features.extend(Lies::of(&run.output, &lengths(&layout.window)).into_iter().map(Feature::Output));
    Ok(features)
}
