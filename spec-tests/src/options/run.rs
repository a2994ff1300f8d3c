//! A case run with options, and compared.

use std::mem::MaybeUninit;
use std::ops::Range;

use pad_kernels::{PadError, PadPlan, pad, pad_bytes, pad_bytes_into, pad_cloned, pad_into};

use super::choices::{Call, Elements, Kernel, Options, Part, Threads};
use super::table::{Feature, Lies, note};
use crate::case::{Case, Kind};
use crate::oracles::{self, Junk, Mismatch, Outcome, Place};
use crate::pools::on_threads;
use crate::reach::{self, Way};
use crate::typed::{self, Typed, with_type};
use crate::views::{Buffer, Placed, Subject, keep_tail, whole, written};

/// Runs `case` with these options.
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
        let needed = subject.plan.input_region(window).map_err(refused)?;
        let placed = places.as_ref().map(|(_, output)| output.strides());
        plan = match (part, placed) {
            (Part::Whole, None) => plan,
            (Part::Whole, Some(output)) => strided(plan, &output).map_err(refused)?,
            (Part::Box | Part::BoxOfView | Part::InPlace, None) => plan.window(window).map_err(refused)?,
            (Part::FromPart, None) => plan.window_from_region(window).map_err(refused)?,
            (Part::Box, Some(output)) => {
                strided(plan.window(window).map_err(refused)?, &output).map_err(refused)?
            }
            (Part::FromPart, Some(output)) => {
                strided(plan.window_from_region(window).map_err(refused)?, &output).map_err(refused)?
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
            Feature::Colours(
                self.subject.case.coloured().map(|axis| axis + 1 == self.subject.case.shape.len()),
            ),
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
                return on_threads(threads, || plan.par_run_bytes(src, dst));
            }
            (Call::Run, Threads::Pieces(bytes)) => {
                return on_threads(2, || plan.par_run_pieces(src, dst, bytes));
            }
            (Call::Pad, _) => pad_bytes(src, &case.shape, one_call(), &case.spec())?,
            (Call::ToVec, Threads::Pool(threads)) => on_threads(threads, || plan.par_to_vec_bytes(src))?,
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
            on_threads(threads, || plan.par_run(&src, &mut to)).map(|()| to)?
        }
        (Call::RunUninit, _) => {
            let mut memory: Vec<_> = to.into_iter().map(MaybeUninit::new).collect();
            plan.run_uninit(&src, &mut memory)?.to_vec()
        }
        (Call::Pad, _) => pad(&src, &case.shape, &case.spec())?,
        (Call::ToVec, Threads::Pool(threads)) => on_threads(threads, || plan.par_to_vec(&src))?,
        (Call::ToVec, _) => plan.to_vec(&src)?,
        (Call::Run, Threads::Pieces(_)) => unreachable!("of bytes alone"),
    };
    let new = typed::bytes(&new);
    dst[..new.len()].copy_from_slice(&new);
    Ok(())
}

/// The plan with its streaming and its kernel, and what of the latter there is: an output without elements has none.
fn choose(plan: PadPlan, options: &Options) -> Result<(PadPlan, Kernel), String> {
    let plan = plan.with_streaming(options.streaming);
    let Kernel::Pinned(isa) = options.kernel else { return Ok((plan, options.kernel)) };
    let exists = oracles::fitting(&plan).any(|row| row.isa() == isa);
    match plan.with_isa(isa) {
        Ok(plan) if exists => Ok((plan, options.kernel)),
        Err(PadError::IsaUnavailable { .. }) if !exists => Ok((plan, Kernel::Chosen)),
        other => Err(format!("{isa}: {other:?}")),
    }
}
