//! Everything that a caller can choose of a run, drawn together, and the table of which pairs of choices were run.
//!
//! The other oracles vary one option at a time. A bug that needs two of them at once, as streaming into an output
//! with holes or several threads on a column-major one, is found here.
#![forbid(unsafe_code)]

use std::fmt;
use std::mem::{MaybeUninit, discriminant};
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use arbitrary::{Result as Draw, Unstructured};
use pad_kernels::{
    DType, Isa, Layout, PadError, PadMode, PadPlan, Streaming, pad, pad_bytes, pad_bytes_into, pad_cloned,
    pad_into, registry,
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::case::{Case, Kind};
use crate::generators;
use crate::oracles::{self, Junk, Mismatch, Outcome, Place};
use crate::reach::{self, Way};
use crate::typed::{self, Typed, with_type};
use crate::views::{self, Buffer, Placed, Subject, Window, keep_tail, whole, written};

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

/// A choice, or what came of one: a row and a column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feature {
    /// One mode for all sides, or several.
    Mode(Option<PadMode>),
    Elements(Elements),
    Call(Call),
    Streaming(Streaming),
    /// Whether the plan then streams.
    Streams(bool),
    Kernel(Kernel),
    Threads(Sort),
    Part(Part),
    OptionsFirst(bool),
    Input(Lies),
    Output(Lies),
}

/// Sorts of [`Threads`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    One,
    Pool,
    /// Pieces shorter than a line of the cache.
    Crumbs,
    Pieces,
}

/// How a tensor lies in its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lies {
    /// Row by row, from the first element of the buffer to the last.
    RowMajor,
    /// Not from the first element on.
    Offset,
    /// Not to the last element.
    Longer,
    /// An axis runs backward.
    Backward,
    /// The strides do not fall from axis to axis.
    Permuted,
    /// Between its elements are others.
    Holes,
    /// Elements share a place.
    Broadcast,
}

const ELEMENTS: [Elements; 5] =
    [Elements::Typed, Elements::Untagged, Elements::Bytes, Elements::Packed, Elements::Cloned];
const CALLS: [Call; 5] = [Call::PadInto, Call::Pad, Call::Run, Call::RunUninit, Call::ToVec];
const STREAMING: [Streaming; 3] = [Streaming::Auto, Streaming::Always, Streaming::Never];
const SORTS: [Sort; 4] = [Sort::One, Sort::Pool, Sort::Crumbs, Sort::Pieces];
const PARTS: [Part; 5] = [Part::Whole, Part::Box, Part::BoxOfView, Part::FromPart, Part::InPlace];
const LIES: [Lies; 7] = [
    Lies::RowMajor,
    Lies::Offset,
    Lies::Longer,
    Lies::Backward,
    Lies::Permuted,
    Lies::Holes,
    Lies::Broadcast,
];

impl Elements {
    fn of(case: &Case, typed: bool) -> Elements {
        match (case.kind.layout(), case.kind) {
            (Layout::Cloned, _) => Elements::Cloned,
            (Layout::Bits(_), _) => Elements::Packed,
            (Layout::Bytes(_), Kind::Tagged(_)) if typed => Elements::Typed,
            (Layout::Bytes(_), Kind::Raw(_)) if typed => Elements::Untagged,
            (Layout::Bytes(_), _) => Elements::Bytes,
        }
    }

    fn are_typed(self) -> bool {
        matches!(self, Elements::Typed | Elements::Untagged)
    }

    /// A kind of element that is given so.
    fn kind(self, u: &mut Unstructured<'_>) -> Draw<Kind> {
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
        let of_layout = |wanted: fn(Layout) -> bool, u: &mut Unstructured<'_>| {
            let dtypes: Vec<_> = DType::ALL.iter().filter(|dtype| wanted(dtype.layout())).collect();
            u.choose(&dtypes).map(|&&dtype| Kind::Tagged(dtype))
        };
        match self {
            Elements::Typed => u.choose(&TYPED).map(|&dtype| Kind::Tagged(dtype)),
            Elements::Untagged => u.choose(&[1, 3, 12, 16, 33]).map(|&size| Kind::Raw(size)),
            Elements::Bytes => of_layout(|layout| matches!(layout, Layout::Bytes(_)), u),
            Elements::Packed => of_layout(|layout| matches!(layout, Layout::Bits(_)), u),
            Elements::Cloned => Ok(Kind::Tagged(DType::String)),
        }
    }
}

impl Threads {
    fn sort(self) -> Sort {
        match self {
            Threads::One => Sort::One,
            Threads::Pool(_) => Sort::Pool,
            Threads::Pieces(..64) => Sort::Crumbs,
            Threads::Pieces(_) => Sort::Pieces,
        }
    }
}

impl Lies {
    /// All that is so of a tensor of this shape.
    fn of(placed: &Placed, shape: &[usize]) -> Vec<Lies> {
        if *placed == Placed::row_major(shape) {
            return vec![Lies::RowMajor];
        }
        let long: Vec<_> = placed.strides.iter().zip(shape).filter(|(_, length)| **length > 1).collect();
        let mut slots = placed.slots(&whole(shape));
        slots.sort_unstable();
        slots.dedup();
        let (first, last) = (slots.first().copied().unwrap_or(0), slots.last().copied().unwrap_or(0));
        let is = [
            (Lies::Offset, first > 0),
            (Lies::Longer, last + 1 < placed.room),
            (Lies::Backward, long.iter().any(|(stride, _)| **stride < 0)),
            (Lies::Permuted, long.windows(2).any(|pair| pair[0].0.abs() < pair[1].0.abs())),
            (Lies::Holes, last - first + 1 > slots.len().max(1)),
            (Lies::Broadcast, long.iter().any(|(stride, _)| **stride == 0)),
        ];
        is.into_iter().filter(|(_, is)| *is).map(|(lies, _)| lies).collect()
    }
}

impl Feature {
    /// Every row of the table on this machine.
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
        all.extend(PARTS.map(Feature::Part));
        all.extend([false, true].map(Feature::OptionsFirst));
        all.extend(LIES.map(Feature::Input));
        all.extend(LIES.into_iter().filter(|&lies| lies != Lies::Broadcast).map(Feature::Output));
        all
    }

    /// Why no run has both, if none can.
    fn excludes(self, other: Feature) -> Option<&'static str> {
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
            (F::Call(Call::RunUninit), F::Elements(elements)) if !elements.are_typed() => {
                "memory that is not initialised is elements of a Rust type"
            }
            (F::Call(Call::RunUninit), F::Threads(threads)) if threads != Sort::One => {
                "memory that is not initialised is written by one thread"
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
            _ => return None,
        })
    }

    /// Whether a call that takes no options has it.
    fn is_default(self) -> bool {
        match self {
            Feature::Mode(_) | Feature::Elements(_) | Feature::Call(_) => true,
            Feature::Streaming(streaming) => streaming == Streaming::Auto,
            Feature::Streams(is) | Feature::OptionsFirst(is) => !is,
            Feature::Kernel(kernel) => kernel == Kernel::Chosen,
            Feature::Threads(threads) => threads == Sort::One,
            Feature::Part(part) => part == Part::Whole,
            Feature::Input(lies) | Feature::Output(lies) => lies == Lies::RowMajor,
        }
    }
}

/// What was chosen so far.
#[derive(Default)]
struct Chosen(Vec<Feature>);

impl Chosen {
    /// One of these that goes with what was chosen before.
    fn choose<T: Copy>(&mut self, from: &[T], of: fn(T) -> Feature, u: &mut Unstructured<'_>) -> Draw<T> {
        let fits = |&&choice: &&T| self.0.iter().all(|chosen| of(choice).excludes(*chosen).is_none());
        let possible: Vec<_> = from.iter().filter(fits).copied().collect();
        let choice = *u.choose(&possible)?;
        self.0.push(of(choice));
        Ok(choice)
    }
}

/// Those of this machine.
fn kernels() -> Vec<Kernel> {
    let pinned = Isa::ALL.into_iter().filter(|isa| isa.available()).map(Kernel::Pinned);
    [Kernel::Chosen, Kernel::AnyRank].into_iter().chain(pinned).collect()
}

/// Whether a kernel of this instruction set clones elements.
fn clones(isa: Isa) -> bool {
    registry().iter().any(|row| row.isa() == isa && row.dtype() == Some(DType::String))
}

/// Draws a case and options for it.
///
/// # Errors
///
/// None, as for [`generators::case`].
pub fn draw(u: &mut Unstructured<'_>) -> Draw<(Case, Options)> {
    let mut chosen = Chosen::default();
    let elements = chosen.choose(&ELEMENTS, Feature::Elements, u)?;
    let call = chosen.choose(&CALLS, Feature::Call, u)?;
    // Few that want to stream can.
    let streaming = chosen.choose(&[STREAMING, [Streaming::Always; 3]].concat(), Feature::Streaming, u)?;
    let kernel = chosen.choose(&kernels(), Feature::Kernel, u)?;
    let sort = chosen.choose(&SORTS, Feature::Threads, u)?;
    let mut part = chosen.choose(&PARTS, Feature::Part, u)?;
    let options_first = chosen.choose(&[false, true], Feature::OptionsFirst, u)?;
    let threads = match sort {
        Sort::One => Threads::One,
        Sort::Pool => Threads::Pool(u.int_in_range(2..=3)?),
        Sort::Crumbs => Threads::Pieces(u.int_in_range(0..=63)?),
        Sort::Pieces => Threads::Pieces(u.int_in_range(64..=1000)?),
    };
    let case = generators::case_of(elements.kind(u)?, u)?;
    let (mut window, mut places) = (Vec::new(), None);
    if let (Ok(shape), Ok(plan)) = (case.output_shape(), case.plan()) {
        window = if part == Part::Whole { whole(&shape) } else { part_of(&shape, u)? };
        if part == Part::InPlace && window.iter().any(Range::is_empty) {
            // It has no first element that could be anywhere.
            part = Part::Box;
        }
        let strided =
            !matches!(call, Call::PadInto | Call::Pad) && (part == Part::InPlace || u.ratio(2, 3)?);
        if strided {
            let lengths = |window: &[Range<usize>]| window.iter().map(Range::len).collect::<Vec<_>>();
            let input = match part {
                Part::FromPart => lengths(&plan.source_window(&window).unwrap_or_default()),
                _ => case.shape.clone(),
            };
            let output = match part {
                Part::Box | Part::FromPart => lengths(&window),
                Part::Whole | Part::BoxOfView | Part::InPlace => shape,
            };
            // What may be streamed, or new, has no gaps.
            let output =
                if u.arbitrary()? { views::solid(&output, u)? } else { views::placed(&output, false, u)? };
            places = Some((views::placed(&input, true, u)?, output));
        }
    }
    let typed = elements.are_typed();
    Ok((case, Options { call, typed, streaming, kernel, threads, options_first, part, window, places }))
}

/// A box, in half of the axes a part of them.
fn part_of(shape: &[usize], u: &mut Unstructured<'_>) -> Draw<Window> {
    let mut range = |&length: &usize| {
        if u.arbitrary()? {
            return Ok(0..length);
        }
        let start = u.int_in_range(0..=length)?;
        // One in eight may be empty.
        let least = if u.ratio(1, 8)? { start } else { (start + 1).min(length) };
        Ok(start.min(length.saturating_sub(1))..u.int_in_range(least..=length)?)
    };
    shape.iter().map(&mut range).collect()
}

/// Runs `case` with these options.
///
/// # Errors
///
/// A difference from the reference.
pub fn check(case: &Case, options: &Options) -> Result<Outcome, Mismatch> {
    let subject = match Subject::new(case)? {
        Ok(subject) => subject,
        Err(error) => return Ok(Outcome::Refused(error)),
    };
    let found = Run::new(&subject, options).and_then(|run| run.check());
    found.map(|()| Outcome::Ran).map_err(|what| {
        let imports = "options::{self, Call, Kernel, Options, Part, Threads}, views::Placed";
        Mismatch::of_call(
            case,
            what,
            &format!("{{{imports}}}"),
            &format!("options::check(&case, &{options})"),
        )
    })
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

/// What is run, and what it is to give.
struct Run<'a> {
    subject: &'a Subject<'a>,
    options: &'a Options,
    elements: Elements,
    plan: PadPlan,
    kernel: Kernel,
    /// Where the elements lie that are read and written.
    input: Placed,
    input_shape: Vec<usize>,
    output: Placed,
    /// For every element of the box its slot of the destination; for every element of the input its slot of the source.
    to: Vec<usize>,
    from: Vec<usize>,
    /// Whether the output is all that is in its memory, but for what comes behind it.
    dense: bool,
}

impl<'a> Run<'a> {
    fn new(subject: &'a Subject<'a>, options: &'a Options) -> Result<Run<'a>, String> {
        let refused = |error: PadError| format!("refused: {error}");
        let Options { part, window, places, .. } = options;
        let lengths = |window: &[Range<usize>]| window.iter().map(Range::len).collect::<Vec<_>>();
        let (mut plan, mut kernel) = (subject.plan.clone(), options.kernel);
        if options.options_first {
            (plan, kernel) = choose(plan, options)?;
        }
        // The box.
        let strided = |plan: PadPlan, output: &pad_kernels::Strides| match places {
            Some((input, _)) => plan.with_strides(&input.strides(), output),
            None => Ok(plan),
        };
        let needed = subject.plan.source_window(window).map_err(refused)?;
        let placed = places.as_ref().map(|(_, output)| output.strides());
        plan = match (part, placed) {
            (Part::Whole, None) => plan,
            (Part::Whole, Some(output)) => strided(plan, &output).map_err(refused)?,
            (Part::Box | Part::BoxOfView | Part::InPlace, None) => plan.window(window).map_err(refused)?,
            (Part::FromPart, None) => plan.window_of_part(window).map_err(refused)?,
            (Part::Box, Some(output)) => {
                strided(plan.window(window).map_err(refused)?, &output).map_err(refused)?
            }
            (Part::FromPart, Some(output)) => {
                strided(plan.window_of_part(window).map_err(refused)?, &output).map_err(refused)?
            }
            (Part::BoxOfView, Some(output)) => {
                strided(plan, &output).and_then(|plan| plan.window(window)).map_err(refused)?
            }
            (Part::InPlace, Some(output)) => {
                let start: Vec<_> = window.iter().map(|range| range.start).collect();
                let output = output.at(&start).map_err(refused)?;
                strided(plan.window(window).map_err(refused)?, &output).map_err(refused)?
            }
        };
        if !options.options_first {
            (plan, kernel) = choose(plan, options)?;
        }
        if options.kernel == Kernel::AnyRank {
            plan = plan.with_generic_kernel();
        }
        // Where all that lies.
        let case = subject.case;
        let input_shape = if *part == Part::FromPart { lengths(&needed) } else { case.shape.clone() };
        let input = places.as_ref().map_or(Placed::row_major(&input_shape), |(input, _)| input.clone());
        let mut from = vec![usize::MAX; case.shape.iter().product()];
        let numbers = match part {
            Part::FromPart => Placed::row_major(&case.shape).slots(&needed),
            _ => (0..from.len()).collect(),
        };
        for (number, slot) in numbers.into_iter().zip(input.slots(&whole(&input_shape))) {
            from[number] = slot;
        }
        let own = Placed::row_major(&lengths(window));
        let (output, to) = match (part, places) {
            (Part::InPlace, Some((_, output))) => (output.clone(), output.slots(window)),
            (Part::Whole | Part::Box | Part::FromPart, Some((_, output))) => {
                (output.clone(), output.slots(&whole(&lengths(window))))
            }
            _ => (own.clone(), own.slots(&whole(&lengths(window)))),
        };
        let mut sorted = to.clone();
        sorted.sort_unstable();
        // Memory that goes on behind a part of a byte shares that byte.
        let shares = places.is_some()
            && *part != Part::BoxOfView
            && !(case.kind.bits() as usize * to.len()).is_multiple_of(8);
        let dense = sorted.into_iter().eq(0..to.len()) && (!shares || to.is_empty());
        let elements = Elements::of(case, options.typed);
        Ok(Run { subject, options, elements, plan, kernel, input, input_shape, output, to, from, dense })
    }

    /// The rows of the table that this run belongs to.
    fn features(&self) -> Vec<Feature> {
        let Options { call, streaming, threads, options_first, part, window, .. } = self.options;
        let mut features = vec![
            Feature::Mode(self.subject.case.mode.single()),
            Feature::Elements(self.elements),
            Feature::Call(*call),
            Feature::Streaming(*streaming),
            Feature::Streams(self.plan.streams()),
            Feature::Kernel(self.kernel),
            Feature::Threads(threads.sort()),
            Feature::Part(*part),
            Feature::OptionsFirst(*options_first),
        ];
        let lengths: Vec<_> = window.iter().map(Range::len).collect();
        // A box is a tensor too: of the whole around it only the box counts.
        let first = self.to.first().copied().filter(|_| *part == Part::InPlace);
        let output = Placed { offset: first.unwrap_or(self.output.offset), ..self.output.clone() };
        features.extend(Lies::of(&self.input, &self.input_shape).into_iter().map(Feature::Input));
        features.extend(Lies::of(&output, &lengths).into_iter().map(Feature::Output));
        features
    }

    fn check(&self) -> Result<(), String> {
        let Run { subject, options, .. } = self;
        let case = subject.case;
        note(&self.features())?;
        reach::ran(Way::Contiguous, self.plan.kernel());
        let slots = subject.slots(&options.window, &self.to, &self.from, self.output.room);
        let source = Buffer::new(case, case.paint, self.input.room);
        let before = Buffer::new(case, !case.paint, self.output.room);
        let want = before.clone().drawn(&slots, &source, &subject.fill);
        let new = matches!(options.call, Call::Pad | Call::ToVec | Call::RunUninit);
        let told = |what: String| format!("{what}\n  {:?}", self.plan);
        match (&source, before, want) {
            (Buffer::Texts(source), Buffer::Texts(before), Buffer::Texts(want)) => {
                let mut got = before.clone();
                let result = self.clone_into(source, &mut got);
                self.expected(new, &result).map_err(told)?;
                let want = if result.is_ok() { want } else { before };
                if got == want { Ok(()) } else { Err(told(format!("{got:?}, not {want:?}"))) }
            }
            (Buffer::Bytes(kind, source), Buffer::Bytes(_, before), Buffer::Bytes(_, want)) => {
                let run = |src: &[u8], dst: &mut [u8]| match self.elements.are_typed() {
                    true => with_type!(*kind, run_typed(self, src, dst)).expect("a Rust type"),
                    false => self.run_bytes(src, dst),
                };
                if new && !self.dense {
                    return self.expected(new, &run(source, &mut before.clone())).map_err(told);
                }
                let keep = |dst: &mut [u8]| keep_tail(*kind, &slots, dst, &before);
                let junk = Junk::where_written(&want, &written(*kind, &slots));
                let [places, _] = Place::two_of(case);
                for (place, junk) in places.iter().chain([&Place::Odd]).zip(&junk) {
                    let run = |src: &[u8], dst: &mut [u8]| run(src, dst).map(|()| keep(dst));
                    oracles::observe(*place, junk, source, run).map_err(told)?;
                }
                Ok(())
            }
            _ => unreachable!("buffers of one kind"),
        }
    }

    /// Whether it is right that a run was refused, or was not.
    fn expected(&self, new: bool, result: &Result<(), PadError>) -> Result<(), String> {
        let right = if new && !self.dense { Err(PadError::OutputHasHoles) } else { Ok(()) };
        if *result == right { Ok(()) } else { Err(format!("{result:?}, not {right:?}")) }
    }

    fn run_bytes(&self, src: &[u8], dst: &mut [u8]) -> Result<(), PadError> {
        let (plan, case) = (&self.plan, self.subject.case);
        let one_call = || match case.kind {
            Kind::Tagged(dtype) => dtype,
            Kind::Raw(_) => unreachable!("one call takes a tag"),
        };
        let new = match (self.options.call, self.options.threads) {
            (Call::PadInto, _) => return pad_bytes_into(src, &case.shape, one_call(), &case.spec(), dst),
            (Call::Run, Threads::One) => return plan.run_bytes(src, dst),
            (Call::Run, Threads::Pool(threads)) => {
                return pool(threads).install(|| plan.par_run_bytes(src, dst));
            }
            (Call::Run, Threads::Pieces(bytes)) => {
                return pool(2).install(|| plan.par_run_pieces(src, dst, bytes));
            }
            (Call::Pad, _) => pad_bytes(src, &case.shape, one_call(), &case.spec())?,
            (Call::ToVec, Threads::Pool(threads)) => pool(threads).install(|| plan.par_to_vec_bytes(src))?,
            (Call::ToVec, _) => plan.to_vec_bytes(src)?,
            (Call::RunUninit, _) => unreachable!("of elements alone"),
        };
        dst[..new.len()].copy_from_slice(&new);
        Ok(())
    }

    fn clone_into(&self, src: &[String], dst: &mut [String]) -> Result<(), PadError> {
        let (plan, case, fill) = (&self.plan, self.subject.case, Case::TEXT_FILL.to_string());
        let new = match self.options.call {
            Call::Run => return plan.run_cloned(src, &fill, dst),
            Call::Pad => pad_cloned(src, &case.shape, &case.spec(), &fill)?,
            Call::ToVec => plan.to_vec_cloned(src, &fill)?,
            Call::PadInto | Call::RunUninit => unreachable!("no such calls"),
        };
        dst[..new.len()].clone_from_slice(&new);
        Ok(())
    }
}

fn run_typed<T: Typed>(run: &Run<'_>, src: &[u8], dst: &mut [u8]) -> Result<(), PadError> {
    let (plan, case) = (&run.plan, run.subject.case);
    let (src, mut to) = (typed::elements::<T>(src), typed::elements::<T>(dst));
    let new = match (run.options.call, run.options.threads) {
        (Call::PadInto, _) => pad_into(&src, &case.shape, &case.spec(), &mut to).map(|()| to)?,
        (Call::Run, Threads::One) => plan.run(&src, &mut to).map(|()| to)?,
        (Call::Run, Threads::Pool(threads)) => {
            pool(threads).install(|| plan.par_run(&src, &mut to)).map(|()| to)?
        }
        (Call::RunUninit, _) => {
            let mut memory: Vec<_> = to.into_iter().map(MaybeUninit::new).collect();
            plan.run_uninit(&src, &mut memory)?.to_vec()
        }
        (Call::Pad, _) => pad(&src, &case.shape, &case.spec())?,
        (Call::ToVec, Threads::Pool(threads)) => pool(threads).install(|| plan.par_to_vec(&src))?,
        (Call::ToVec, _) => plan.to_vec(&src)?,
        (Call::Run, Threads::Pieces(_)) => unreachable!("of bytes alone"),
    };
    let new = typed::bytes(&new);
    dst[..new.len()].copy_from_slice(&new);
    Ok(())
}

/// A pool of two or three threads.
fn pool(threads: usize) -> &'static ThreadPool {
    static POOLS: LazyLock<[ThreadPool; 2]> = LazyLock::new(|| {
        [2, 3].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"))
    });
    &POOLS[usize::from(threads > 2)]
}

/// The plan with its streaming and its kernel, and what of the latter there is: an output without elements has none.
fn choose(plan: PadPlan, options: &Options) -> Result<(PadPlan, Kernel), String> {
    let plan = plan.with_streaming(options.streaming);
    let Kernel::Pinned(isa) = options.kernel else { return Ok((plan, options.kernel)) };
    let exists = oracles::fitting(&plan).any(|row| row.isa() == isa);
    match plan.clone().with_isa(isa) {
        Ok(plan) if exists => Ok((plan, options.kernel)),
        Err(PadError::IsaUnavailable { .. }) if !exists => Ok((plan, Kernel::Chosen)),
        other => Err(format!("{isa}: {other:?}")),
    }
}

/// The rows, and for every two of them the runs that had both.
static TABLE: LazyLock<(Vec<Feature>, Vec<AtomicU64>)> = LazyLock::new(|| {
    let features = Feature::all();
    let pairs = features.len() * features.len();
    (features, (0..pairs).map(|_| AtomicU64::new(0)).collect())
});

/// Counts a run.
fn note(run: &[Feature]) -> Result<(), String> {
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

/// Which pairs of choices were run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// Those that this machine can run.
    pub possible: usize,
    /// Those of them that were not.
    pub missed: Vec<String>,
    /// The runs of the pair that was run least.
    pub fewest: u64,
}

/// The pairs so far.
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
