//! The C interface, called with right and with wrong arguments.

use std::mem::MaybeUninit;
use std::{ptr, slice};

use arbitrary::{Result as Draw, Unstructured};
use pad_c::Plan;
use pad_c::raw::{pad_once, pad_plan_new, pad_plan_sizes, pad_run};
use pad_c::types::{Axis, PAD_MAX_RANK, Request, Status};
use pad_kernels::{AxisPad, DType, Frame, Modes, PadMode, PadSpec};

use crate::case::{Case, Kind};
use crate::reach;

/// Outputs of more bytes are not made.
const MOST_BYTES: usize = 1 << 20;

/// The start of a buffer in the memory of a call, or `None` for NULL, and the bytes that it claims to have.
pub type Buffer = (Option<usize>, usize);

/// A request, in which each array may be missing.
#[derive(Debug, Default)]
pub struct Arguments {
    /// The numbers; all pointers are null.
    request: Request,
    shape: Option<Vec<usize>>,
    axes: Option<Vec<Axis>>,
    fill: Option<Vec<u8>>,
    strides: [Option<Vec<isize>>; 2],
    region: [Option<Vec<usize>>; 2],
}

impl Arguments {
    /// The arguments for a request, whose fill is `fill`.
    pub fn new(spec: &PadSpec, shape: &[usize], kind: Kind, fill: Option<Vec<u8>>) -> Arguments {
        let number = |mode: PadMode| PadMode::ALL.iter().position(|&known| known == mode).unwrap_or(0) as i32;
        let axis = |(axis, &AxisPad { low, high, interior }): (usize, &AxisPad)| {
            let modes = spec.mode.of(axis).unwrap_or_default();
            Axis { low, high, interior, low_mode: number(modes.low), high_mode: number(modes.high) }
        };
        let (dtype, element_bytes) = match kind {
            Kind::Tagged(dtype) => (DType::ALL.iter().position(|&known| known == dtype).unwrap_or(99) + 1, 0),
            Kind::Raw(size) => (0, size),
        };
        let frame = spec.frame.map_or(0, |frame| if frame == Frame::Uncropped { 1 } else { 2 });
        let longest = |fill: Vec<u8>| [fill, vec![0; 32]].concat();
        Arguments {
            request: Request {
                dtype: dtype as i32,
                frame,
                element_bytes,
                rank: shape.len(),
                ..Request::default()
            },
            shape: Some(shape.to_vec()),
            axes: Some(spec.axes().iter().enumerate().map(axis).collect()),
            fill: fill.map(longest),
            ..Arguments::default()
        }
    }

    /// The request for C. An array that is shorter than the rank is a bug of the test, and panics.
    fn request(&self) -> Request {
        fn start<T>(array: &Option<Vec<T>>, len: usize) -> *const T {
            let Some(array) = array else { return ptr::null() };
            assert!(array.len() >= len, "as long as it claims");
            array.as_ptr()
        }
        let Request { element_bytes, rank, .. } = self.request;
        // A rank out of bounds is refused before any array is read.
        let rank = if rank > PAD_MAX_RANK { 0 } else { rank };
        Request {
            shape: start(&self.shape, rank),
            axes: start(&self.axes, rank),
            fill: start(&self.fill, element_bytes.max(16)).cast(),
            input_strides: start(&self.strides[0], rank),
            output_strides: start(&self.strides[1], rank),
            region_start: start(&self.region[0], rank),
            region_end: start(&self.region[1], rank),
            ..self.request
        }
    }

    /// Calls `pad_plan_new`.
    ///
    /// # Errors
    ///
    /// The status, if it is not `PAD_STATUS_OK`.
    pub fn plan(&self) -> Result<Box<Plan>, Status> {
        let mut plan = MaybeUninit::new(None);
        // SAFETY: arrays are as long as they claim, and there is a plan or none.
        match unsafe { (pad_plan_new(Some(&self.request()), Some(&mut plan)), plan.assume_init()) } {
            (Status::Ok, Some(plan)) => Ok(plan),
            (status, _) => Err(status),
        }
    }

    /// Calls `pad_run` with a plan, or `pad_once` without one, on buffers in `memory`, and repeats that `times` times.
    /// A buffer that is not in the memory is a bug of the test, and panics.
    pub fn run(
        &self,
        plan: Option<&Plan>,
        memory: &mut [u8],
        src: Buffer,
        dst: Buffer,
        times: u32,
    ) -> Status {
        let (start, len) = (memory.as_mut_ptr(), memory.len());
        let [from, to] = [src, dst].map(|(at, bytes)| {
            let Some(at) = at else { return ptr::null_mut() };
            // A size beyond all memory is refused before anything is read.
            assert!(bytes > isize::MAX as usize || at + bytes <= len, "as long as it claims");
            start.wrapping_add(at).cast()
        });
        let request = self.request();
        // SAFETY: arrays and buffers are as long as they claim.
        let call = || unsafe {
            match plan {
                Some(_) => pad_run(plan, None, from, src.1, to, dst.1),
                None => pad_once(Some(&request), from, src.1, to, dst.1),
            }
        };
        (0..times).for_each(|_| _ = call());
        call()
    }

    /// Makes one argument wrong, or at least another one, and returns the status that must tell of it, if one must.
    fn spoil(&mut self, u: &mut Unstructured<'_>) -> Draw<Option<Status>> {
        let (rank, side) = (self.request.rank, u.choose_index(2)?);
        let axis = &mut self.axes.as_mut().expect("not spoilt yet")[u.choose_index(rank)?];
        // A number that is not in an enum of `known` values.
        let (negative, past): (bool, _) = (u.arbitrary()?, u.int_in_range(0..=i32::MAX - 26)?);
        let wrong = |known: i32| if negative { -1 - past } else { known + past };
        let which = u.int_in_range(0..=10u8)?;
        match which {
            0 => self.shape = None,
            1 => self.axes = None,
            2 => self.region[side] = Some(vec![0; rank]),
            3 => self.request.rank = u.int_in_range(PAD_MAX_RANK + 1..=usize::MAX)?,
            4 => self.request.element_bytes = u.int_in_range(1..=17)?,
            5 => self.request.dtype = wrong(26),
            6 => self.request.frame = wrong(3),
            7 => self.request.task = wrong(3),
            8 => axis.low_mode = wrong(5),
            9 => axis.high_mode = wrong(5),
            _ => {
                // Any numbers, of which many are too large.
                let mut lengths = || (0..rank).map(|_| u.arbitrary()).collect::<Draw<_>>().map(Some);
                (self.shape, self.region) = (lengths()?, [lengths()?, lengths()?]);
                self.strides[side] = Some((0..rank).map(|_| u.arbitrary()).collect::<Draw<_>>()?);
            }
        }
        Ok(match which {
            0..=2 => Some(Status::Pointer),
            3 => Some(Status::Size),
            4 => (self.request.dtype != 0).then_some(Status::Size),
            5..=9 => Some(Status::UnknownValue),
            _ => None,
        })
    }
}

/// The bytes of the source and of the destination, and the lengths of the output.
pub fn sizes(plan: &Plan) -> ([usize; 2], &[usize]) {
    let sizes = pad_plan_sizes(Some(plan));
    // SAFETY: the plan has so many lengths.
    ([sizes.src_bytes, sizes.dst_bytes], unsafe { slice::from_raw_parts(sizes.output_shape, sizes.rank) })
}

/// Draws a call, spoils it in half of the inputs, and compares what it returns and writes with the reference.
pub fn check(u: &mut Unstructured<'_>) -> Draw<Result<(), String>> {
    let mut case = u.arbitrary::<Case>()?.with_one_fill();
    // A request has one rank for its shape, its axes and its modes.
    case.axes.resize(case.shape.len(), Default::default());
    if let Modes::Each(modes) = &mut case.mode {
        modes.resize(case.shape.len(), Default::default());
    }
    // Without a type there is no zero.
    let fill = if let Kind::Raw(_) = case.kind { Some(case.fill_bytes()) } else { case.fill.clone() };
    let mut arguments = Arguments::new(&case.spec(), &case.shape, case.kind, fill);
    arguments.request.task = *u.choose(&[0, 0, 0, 0, 1, 2])?;
    let text = case.kind == Kind::Tagged(DType::String);
    let spoilt = !text && !case.shape.is_empty() && u.ratio(1, 2)?;
    let told = if spoilt { arguments.spoil(u)? } else { text.then_some(Status::UnknownValue) };
    let is_known = !spoilt && arguments.request.task == 0;
    // Other tests know which borders and adjoints are refused.
    let may_fail = || told.is_none() && (!is_known || case.map().is_err() || case.lacks_fill());
    let plan = match arguments.plan() {
        Ok(plan) if told.is_none() => plan,
        Err(status) if told == Some(status) || status == Status::Refused && may_fail() => {
            reach::refused_by(format!("{status:?}"));
            return Ok(Ok(()));
        }
        other => return Ok(Err(format!("{:?}, not {told:?}, for {arguments:?}", other.err()))),
    };
    reach::accepted();
    let ([read, written], shape) = sizes(&plan);
    if read.max(written) > MOST_BYTES {
        return Ok(Ok(()));
    }
    let mut memory = vec![0xa5; read + written + 1];
    if is_known {
        memory[..read].copy_from_slice(&case.data());
    }
    let [mut src, mut dst] = [(Some(0), read), (Some(read), written)];
    let (wrong, overlaps) = (u.int_in_range(0..=7u8)?, read > 0 && written > 0);
    let side = if u.arbitrary()? { &mut src } else { &mut dst };
    let told = match wrong {
        0 if side.1 > 0 => Status::Pointer,
        1 | 2 => Status::Size,
        3 if overlaps => Status::Overlap,
        _ => Status::Ok,
    };
    match wrong {
        0 => side.0 = None,
        1 => side.1 = side.1.wrapping_sub(1),
        2 => side.1 = u.int_in_range(isize::MAX as usize + 1..=usize::MAX)?,
        3 if overlaps => dst.0 = Some(read - 1),
        _ => {}
    }
    let [mut ran, mut once] = [memory.clone(), memory.clone()];
    let found =
        [arguments.run(Some(&plan), &mut ran, src, dst, 0), arguments.run(None, &mut once, src, dst, 0)];
    let untouched = if told == Status::Ok { 0..read } else { 0..memory.len() };
    let kept = ran[untouched.clone()] == memory[untouched] && ran.last() == memory.last();
    if found != [told; 2] || ran != once || !kept {
        return Ok(Err(format!("{found:?}, not {told:?}, of {src:?} and {dst:?} for {arguments:?}")));
    }
    if let (true, Status::Ok, Ok(map)) = (is_known, told, case.map())
        && (shape != map.shape || ran[read..read + written] != case.output(&map, &memory[..read]))
    {
        return Ok(Err(format!("another output than the reference's for {arguments:?}")));
    }
    Ok(Ok(()))
}
