//! Calls the C interface with right and with wrong arguments.

use std::ops::Range;
use std::{ptr, slice};

use anyhow::{bail, ensure};
use arbitrary::{Result as Draw, Unstructured};
use pad_c::types::{Axis, PAD_MAX_RANK, Request, Status};
use pad_c::{Plan, pad_once, pad_plan_new, pad_plan_sizes, pad_run};
use pad_kernels::{AxisPad, DType, Frame, Modes, PadMode, PadPlan, PadSpec, tensor::ElementSize};

use crate::adjoint::{Question, SUMMABLE};
use crate::case::{Case, Kind, paint};
use crate::oracles::{Run, with_subject};
use crate::reach;
use crate::views::{self, Layout, Part, Placed};

/// The offset of a buffer in the memory of a call, or `None` for NULL, and the number of bytes that the call passes.
pub type Buffer = (Option<usize>, usize);

/// A request and its arrays. Each array has one entry per axis, or is empty for NULL.
#[derive(Debug, Default)]
pub struct Arguments {
    /// The numbers of the request. All its pointers are null.
    request: Request,
    shape: Vec<usize>,
    axes: Vec<Axis>,
    /// The bytes of one element and 32 more bytes, so that the library can read an element of any other type.
    fill: Vec<u8>,
    strides: [Vec<isize>; 2],
    region: [Vec<usize>; 2],
    /// The number of threads of `pad_run`.
    threads: usize,
}

impl Arguments {
    /// Creates the arguments for a request with the fill `fill`.
    pub fn new(spec: &PadSpec, shape: &[usize], kind: Kind, fill: Option<Vec<u8>>) -> Arguments {
        assert_eq!(spec.axes().len(), shape.len(), "C has one rank for a request");
        let number = |mode| PadMode::ALL.iter().position(|&known| known == mode).unwrap_or(0) as i32;
        let axis = |(axis, &AxisPad { low, high, interior }): (usize, &AxisPad)| {
            let modes = spec.mode.of(axis).unwrap_or_default();
            Axis { low, high, interior, low_mode: number(modes.low), high_mode: number(modes.high) }
        };
        let (dtype, element_bytes) = match kind {
            Kind::Tagged(dtype) => (DType::ALL.iter().position(|&known| known == dtype).unwrap_or(99) + 1, 0),
            Kind::Raw(size) | Kind::Array(size) => (0, size),
        };
        let frame = spec.frame.map_or(0, |frame| if frame == Frame::Uncropped { 1 } else { 2 });
        let (dtype, rank) = (dtype as i32, shape.len());
        Arguments {
            request: Request { dtype, frame, element_bytes, rank, ..Request::default() },
            shape: shape.to_vec(),
            axes: spec.axes().iter().enumerate().map(axis).collect(),
            fill: fill.map_or_else(Vec::new, |fill| [fill, vec![0; 32]].concat()),
            ..Arguments::default()
        }
    }

    fn request(&self) -> Request {
        fn start<T>(array: &[T]) -> *const T {
            if array.is_empty() { ptr::null() } else { array.as_ptr() }
        }
        Request {
            shape: start(&self.shape),
            axes: start(&self.axes),
            fill: start(&self.fill).cast(),
            input_strides: start(&self.strides[0]),
            output_strides: start(&self.strides[1]),
            region_start: start(&self.region[0]),
            region_end: start(&self.region[1]),
            ..self.request
        }
    }

    /// Calls `pad_plan_new`. Returns the status as an error if it is not `PAD_STATUS_OK`.
    pub fn plan(&self) -> Result<Box<Plan>, Status> {
        let mut plan = None;
        // SAFETY: each array is NULL or has `rank` entries, or the rank is refused first.
        match unsafe { pad_plan_new(&self.request(), &mut plan) } {
            Status::Ok => Ok(plan.expect("a plan")),
            status => Err(status),
        }
    }

    /// Returns a closure that calls `pad_run` with a plan, or `pad_once` without one, on buffers in `memory`.
    /// Panics if a buffer is outside `memory`, because this is a bug of the test.
    pub fn call<'a>(
        &'a self,
        plan: Option<&'a Plan>,
        memory: &'a mut [u8],
        [src, dst]: [Buffer; 2],
    ) -> impl Fn() -> Status + 'a {
        let [from, to] = [src, dst].map(|(at, bytes)| {
            // A size above `isize::MAX` is refused before anything is read.
            let fits = |at| bytes > isize::MAX as usize || at + bytes <= memory.len();
            assert!(at.is_none_or(fits), "as long as it claims");
            at.map_or(ptr::null_mut(), |at| memory.as_mut_ptr().wrapping_add(at).cast())
        });
        let request = self.request();
        // SAFETY: each array is NULL or has `rank` entries, or the rank is refused first. The assertion checked the buffers.
        move || unsafe {
            match plan {
                Some(_) => pad_run(plan, self.threads, from, src.1, to, dst.1),
                None => pad_once(&request, from, src.1, to, dst.1),
            }
        }
    }

    /// Generates a region and strides for a plan of the request, each in half of the calls. Borders in place have no region.
    fn place(&mut self, plan: &PadPlan, u: &mut Unstructured<'_>) -> Draw<Layout> {
        let part = if self.request.task == 0 { *u.choose(&[Part::Whole, Part::Box])? } else { Part::Whole };
        let mut layout = views::layout(plan, part, u.arbitrary()?, u)?;
        if part == Part::Box {
            let ends = |range: &Range<usize>| (range.start, range.end);
            let (starts, ends) = layout.window.iter().map(ends).unzip();
            self.region = [starts, ends];
        }
        let shapes = layout.shapes(plan).unwrap_or_default();
        if let Some((input, output)) = &mut layout.places {
            // Pointers point to the element at the lowest address.
            input.begin(&shapes[0]);
            output.begin(&shapes[1]);
            self.strides = [input.strides.clone(), output.strides.clone()];
        }
        Ok(layout)
    }

    /// Changes one argument, in most cases to a wrong one. Returns the status that the call must then return, if it is known.
    fn spoil(&mut self, u: &mut Unstructured<'_>) -> Draw<Option<Status>> {
        let (rank, side) = (self.request.rank, u.choose_index(2)?);
        let axis = &mut self.axes[u.choose_index(rank)?];
        // Returns a number that is not in an enum of `known` values.
        let (negative, past): (bool, _) = (u.arbitrary()?, u.int_in_range(0..=i32::MAX - 26)?);
        let wrong = |known: i32| if negative { -1 - past } else { known + past };
        let which = u.choose_index(11)?;
        let told = [[Status::Pointer; 3].as_slice(), &[Status::Size; 2], &[Status::UnknownValue; 5]].concat();
        let told = told.get(which).copied().filter(|_| which != 4 || self.request.dtype != 0);
        match which {
            0 => self.shape.clear(),
            1 => self.axes.clear(),
            2 => self.region[side] = vec![0; rank],
            3 => self.request.rank = u.int_in_range(PAD_MAX_RANK + 1..=usize::MAX)?,
            4 => self.request.element_bytes = u.int_in_range(1..=17)?,
            5 => self.request.dtype = wrong(26),
            6 => self.request.frame = wrong(3),
            7 => self.request.task = wrong(3),
            8 => axis.low_mode = wrong(5),
            9 => axis.high_mode = wrong(5),
            _ => {
                // Any numbers are possible. Many of them are too large.
                let mut lengths = || (0..rank).map(|_| u.arbitrary()).collect::<Draw<Vec<usize>>>();
                (self.shape, self.region) = (lengths()?, [lengths()?, lengths()?]);
                self.strides[side] = lengths()?.into_iter().map(usize::cast_signed).collect();
            }
        }
        Ok(told)
    }
}

/// Returns the numbers of bytes of the source and the destination, and the shape of the output.
fn sizes(plan: &Plan) -> ([usize; 2], &[usize]) {
    let sizes = pad_plan_sizes(Some(plan));
    // SAFETY: `output_shape` points to `rank` lengths, which belong to the plan.
    ([sizes.src_bytes, sizes.dst_bytes], unsafe { slice::from_raw_parts(sizes.output_shape, sizes.rank) })
}

/// Generates a random call and compares its status and output with the reference. In half of the inputs, the call is made wrong.
pub fn check(u: &mut Unstructured<'_>) -> anyhow::Result<()> {
    let mut case = u.arbitrary::<Case>()?.plain();
    // In C, a request has one rank for its shape, its axes and its modes.
    case.axes.resize(case.shape.len(), Default::default());
    if let Modes::Each(modes) = &mut case.mode {
        modes.resize(case.shape.len(), Default::default());
    }
    let task = *u.choose(&[0, 0, 0, 0, 1, 2])?;
    if task == 1 && u.ratio(3, 4)? {
        case.axes.iter_mut().for_each(|pad| *pad = AxisPad::new(pad.low.max(0), pad.high.max(0)));
    }
    // Elements without a type have no default fill.
    let fill = if case.kind.dtype().is_none() { Some(case.fill_bytes()) } else { case.fill.clone() };
    let mut arguments = Arguments::new(&case.spec(), &case.shape, case.kind, fill);
    let threads = if cfg!(any(miri, target_family = "wasm")) { 0 } else { u.int_in_range(0..=3)? };
    (arguments.request.task, arguments.threads) = (task, threads);
    let text = case.kind == Kind::Tagged(DType::String);
    let spoilt = !text && !case.shape.is_empty() && u.ratio(1, 2)?;
    let told = if spoilt { arguments.spoil(u)? } else { text.then_some(Status::UnknownValue) };
    let is_bytes = matches!(case.kind.element_size(), ElementSize::Bytes(_));
    let layout = match case.plan() {
        Ok(plan) if is_bytes && task < 2 && !spoilt => arguments.place(&plan, u)?,
        _ => Layout::whole(&case.output_shape().unwrap_or_default()),
    };
    let question = Question { case, layout, seed: u.arbitrary()? };
    let Question { case, layout, .. } = &question;
    let fails = match task {
        1 => !is_bytes || case.axes.iter().any(|pad| pad.low < 0 || pad.high < 0 || pad.interior > 0),
        2 => case.kind.dtype().is_none_or(|dtype| !SUMMABLE.contains(&dtype)),
        _ => false,
    };
    let fails = fails || case.map().is_err() || case.lacks_fill();
    let plan = match arguments.plan() {
        Ok(plan) if told.is_none() && (spoilt || !fails) => plan,
        Err(status) if told.map_or(status == Status::Refused && (spoilt || fails), |told| told == status) => {
            reach::count(reach::Class::Refusal, format!("{status:?}"));
            return Ok(());
        }
        other => bail!("{:?}, not {told:?}, for {arguments:?}", other.err()),
    };
    reach::accepted();
    let ([read, written], shape) = sizes(&plan);
    // Larger outputs are skipped.
    if read.max(written) > 1 << 20 {
        return Ok(());
    }
    // The bytes of the source, and those of the destination before and after the call, if they are known.
    let (mut src, mut dst, mut after) = (vec![0xa5; read], vec![0xa5; written], Vec::new());
    match task {
        _ if spoilt => {}
        1 => {
            let before = paint(case.kind, shape.iter().product(), case.paint);
            let padded = case.output(&case.request().borders(&vec![(true, true); shape.len()]), &before);
            let row_major = || Placed::row_major(shape);
            let placed = layout.places.as_ref().map_or_else(row_major, |(_, output)| output.clone());
            [dst, after] =
                [before, padded].map(|bytes| placed.spread(shape, case.kind.bytes(1), &bytes, &[0xa5]));
        }
        2 => (src, after) = question.gradients(),
        _ => {
            with_subject(case, |subject| {
                (src, dst, after) = Run::new(subject, layout)?.memory();
                Ok(())
            })?;
        }
    }
    // Behind a strided tensor, the buffer of the layout may have unused elements.
    let memory = [&src[..read], &dst[..written], &[0xa5]].concat();
    let mut buffers = [(Some(0), read), (Some(read), written)];
    let (wrong, overlaps) = (u.int_in_range(0..=7u8)?, read > 0 && written > 0);
    let side = &mut buffers[usize::from(u.arbitrary::<bool>()?)];
    let (at, bytes) = *side;
    let told;
    (told, *side) = match wrong {
        0 if bytes > 0 => (Status::Pointer, (None, bytes)),
        1 => (Status::Size, (at, bytes.wrapping_sub(1))),
        2 => (Status::Size, (at, u.int_in_range(isize::MAX as usize + 1..=usize::MAX)?)),
        // The source begins at byte 1, or the destination begins one byte earlier.
        3 if overlaps => (Status::Overlap, (at.map(|at| at.abs_diff(1)), bytes)),
        _ => (Status::Ok, (at, bytes)),
    };
    let [mut ran, mut once] = [memory.clone(), memory.clone()];
    let found = [(Some(&*plan), &mut ran), (None, &mut once)]
        .map(|(plan, memory)| arguments.call(plan, memory, buffers)());
    let untouched = if told == Status::Ok { 0..read } else { 0..memory.len() };
    let kept = ran[untouched.clone()] == memory[untouched] && ran.last() == memory.last();
    let right = found == [told; 2] && ran == once && kept;
    ensure!(right, "{found:?}, not {told:?}, of {buffers:?} for {arguments:?}");
    if !spoilt && told == Status::Ok {
        let got = &ran[read..read + written];
        let same = if task == 2 { question.same(got, &after) } else { *got == after[..written] };
        ensure!(same && shape == views::lengths(&layout.window), "{got:?}, not {after:?}, for {arguments:?}");
    }
    Ok(())
}
