//! Plans and their threads, in safe code.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard};
use std::{process, thread};

use pad_kernels::{
    AdjointPlan, AxisMode, AxisPad, BorderPlan, DType, Fill, Frame, Modes, PadMode, PadPlan, PadSpec,
    Strides, tensor::ElementSize,
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use smallvec::SmallVec;

use crate::types::{Axis, Failure, Outcome, Request, Status, Task, ensure};

/// Converts the number of a field to a value of an enum of the header.
#[inline(always)]
fn known<T>(field: impl Display, of: &str, value: i32, get: impl FnOnce(usize) -> Option<T>) -> Outcome<T> {
    let known = usize::try_from(value).ok().and_then(get);
    let text = || format!("{field} is {value}, which is no value of {of}");
    known.ok_or_else(|| Failure::new(Status::UnknownValue, text()))
}

/// Returns the element type, if it is known, and the size of an element in bytes, unless the type is packed.
#[inline(always)]
pub(crate) fn element(request: &Request) -> Outcome<(Option<DType>, Option<usize>)> {
    let typed = |at: usize| DType::ALL.get(at.wrapping_sub(1)).filter(|&&dtype| dtype != DType::String);
    let bytes = request.element_bytes;
    if request.dtype == 0 {
        let is_size = (1..=isize::MAX as usize).contains(&bytes);
        ensure!(is_size, Size, "element_bytes is {bytes}, and PAD_DTYPE_BYTES needs 1 to {}", isize::MAX);
        return Ok((None, Some(bytes)));
    }
    let &dtype = known("dtype", "pad_dtype", request.dtype, typed)?;
    ensure!(bytes == 0, Size, "element_bytes is {bytes}, and only PAD_DTYPE_BYTES has it");
    Ok((Some(dtype), if let ElementSize::Bytes(bytes) = dtype.element_size() { Some(bytes) } else { None }))
}

/// A request whose pointers have been read.
pub(crate) struct Asked<'a> {
    pub(crate) request: &'a Request,
    pub(crate) dtype: Option<DType>,
    pub(crate) bytes: Option<usize>,
    pub(crate) shape: &'a [usize],
    pub(crate) axes: &'a [Axis],
    pub(crate) fill: Option<&'a [u8]>,
    /// The strides of the input and of the output.
    pub(crate) strides: [Option<&'a [isize]>; 2],
    /// The start and the end of the region.
    pub(crate) region: [Option<&'a [usize]>; 2],
}

impl Asked<'_> {
    /// Calls `run` with the padding. A returned `Result` would have to copy the padding.
    #[inline(always)]
    pub(crate) fn with_spec<R>(&self, run: impl FnOnce(PadSpec) -> Outcome<R>) -> Outcome<R> {
        let mode = |axis: usize, side: &str, value| {
            let field = format_args!("axes[{axis}].{side}_mode");
            known(field, "pad_mode", value, |at| PadMode::ALL.get(at).copied())
        };
        let both = |(at, axis): (usize, &Axis)| {
            Ok(AxisMode { low: mode(at, "low", axis.low_mode)?, high: mode(at, "high", axis.high_mode)? })
        };
        // Without axes there is no border, so any mode without a fill is right.
        let first = self.axes.first().map_or(1, |axis| axis.low_mode);
        let modes = if self.axes.iter().all(|axis| [axis.low_mode, axis.high_mode] == [first; 2]) {
            Modes::All(mode(0, "low", first)?)
        } else {
            Modes::Each(self.axes.iter().enumerate().map(both).collect::<Result<_, Failure>>()?)
        };
        let frames = [None, Some(Frame::Uncropped), Some(Frame::Cropped)];
        let frame = known("frame", "pad_frame", self.request.frame, |at| frames.get(at).copied())?;
        let pad = |axis: &Axis| AxisPad { low: axis.low, high: axis.high, interior: axis.interior };
        let mut spec = PadSpec::new(modes, self.axes.iter().map(pad).collect::<pad_kernels::Pads>());
        spec.frame = frame;
        spec.fill = self.fill.map(|fill| match self.dtype {
            None => Fill::untyped(fill),
            Some(dtype) => Fill::from_bytes(dtype, fill),
        });
        run(spec)
    }

    /// Returns the element type, if there is a one-shot call for the request.
    #[inline(always)]
    pub(crate) fn once(&self) -> Option<DType> {
        let is_plain = self.request.task == 0 && self.strides == [None; 2] && self.region == [None; 2];
        self.dtype.filter(|_| is_plain)
    }
}

/// The plan of a `Plan`, for one kind of task.
#[expect(clippy::large_enum_variant, reason = "a plan lies in a box of its own")]
pub(crate) enum Job {
    /// A plan without strides.
    Pad(PadPlan),
    Strided(PadPlan),
    Borders(BorderPlan),
    Adjoint(AdjointPlan),
}

/// A plan for tensors of one shape. Threads may share it.
pub struct Plan {
    pub(crate) job: Job,
    pub(crate) output_shape: SmallVec<[usize; 6]>,
    /// The sizes of the source and of the destination in bytes.
    pub(crate) bytes: [usize; 2],
    /// Whether the source and the destination have strides, and may be larger.
    is_strided: [bool; 2],
}

impl Plan {
    /// Returns an error unless the buffers have the sizes that the plan needs.
    pub(crate) fn check(&self, bytes: [usize; 2]) -> Outcome {
        for (at, name) in ["src_bytes", "dst_bytes"].into_iter().enumerate() {
            let (got, needed) = (bytes[at], self.bytes[at]);
            let fits = got == needed || self.is_strided[at] && (needed..=isize::MAX as usize).contains(&got);
            ensure!(fits, Size, "{name} is {got}, and the plan needs {needed}");
        }
        Ok(())
    }

    pub(crate) fn new(asked: &Asked<'_>, spec: PadSpec) -> Outcome<Plan> {
        let Asked { request, dtype, bytes: element_bytes, shape, strides, region, .. } = *asked;
        let tasks = [Task::Pad, Task::Borders, Task::Adjoint];
        let task = known("task", "pad_task", request.task, |at| tasks.get(at).copied())?;
        let size = element_bytes.unwrap_or(1);
        let mut plan = match dtype {
            Some(dtype) => PadPlan::for_dtype(&spec, shape, dtype)?,
            None => PadPlan::for_bytes(&spec, shape, size)?,
        };
        if let [Some(start), Some(end)] = region {
            let ranges = start.iter().zip(end).map(|(&start, &end)| start..end);
            plan = plan.window(&ranges.collect::<SmallVec<[_; 6]>>())?;
        }
        let output_shape = SmallVec::from_slice(plan.output_shape());
        let mut bytes = [plan.input_bytes(), plan.output_bytes()];
        let shapes = [shape, &output_shape];
        let [input, output] = [0, 1].map(|at| match strides[at] {
            Some(strides) => Strides::spanning(shapes[at], strides),
            None => Strides::row_major(shapes[at]),
        });
        let mut is_strided = strides.map(|strides| strides.is_some());
        let is_any_strided = strides != [None; 2];
        if is_any_strided {
            ensure!(element_bytes.is_some(), Refused, "packed types have no strides");
            plan = plan.with_strides(&input, &output)?;
            for ((bytes, strides), shape) in bytes.iter_mut().zip(strides).zip(shapes) {
                let Some(strides) = strides.filter(|_| *bytes > 0) else { continue };
                // The plan has checked that sums stay below `isize::MAX`.
                let reach = strides.iter().zip(shape).map(|(by, length)| by.unsigned_abs() * (length - 1));
                *bytes = (reach.sum::<usize>() + 1) * size;
            }
        }
        let job = match task {
            Task::Pad if is_any_strided => Job::Strided(plan),
            Task::Pad => Job::Pad(plan),
            Task::Borders => {
                ensure!(region == [None; 2], Refused, "a region has no borders in place");
                (bytes[0], is_strided[0]) = (0, false);
                let plan = match dtype {
                    Some(dtype) => BorderPlan::for_dtype(&spec, shape, dtype)?,
                    None => BorderPlan::for_bytes(&spec, shape, size)?,
                };
                Job::Borders(if strides[1].is_some() { plan.with_strides(&output)? } else { plan })
            }
            Task::Adjoint => {
                ensure!(!is_any_strided, Refused, "a request with strides has no adjoint");
                bytes.reverse();
                Job::Adjoint(plan.adjoint()?)
            }
        };
        Ok(Plan { job, output_shape, bytes, is_strided })
    }
}

/// Threads may share a plan.
const _: fn(&Plan) -> &dyn Sync = |plan| plan;

/// The pool of each process and number of threads.
type Pools = BTreeMap<(u32, usize), Arc<ThreadPool>>;

static POOLS: Mutex<Pools> = Mutex::new(BTreeMap::new());

/// Returns the pools, or `None` if they stay locked. If a thread held the lock during a `fork`, the lock stays locked in the child
/// process.
fn pools() -> Option<MutexGuard<'static, Pools>> {
    (0..1000).find_map(|_| POOLS.try_lock().map_err(|_| thread::yield_now()).ok())
}

/// Runs `work` on `threads` threads. All runs with this number share one pool. After a `fork`, the child process starts its own threads.
pub(crate) fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Outcome<R> {
    let key = (process::id(), threads);
    let pool = match pools().and_then(|pools| pools.get(&key).cloned()) {
        Some(pool) => pool,
        None => {
            let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(|_| "pad".into()).build();
            let why =
                |why| Failure::new(Status::OutOfResources, format!("cannot start {threads} threads: {why}"));
            let pool = Arc::new(pool.map_err(why)?);
            pools().map_or(pool.clone(), |mut pools| pools.entry(key).or_insert(pool).clone())
        }
    };
    Ok(pool.install(work))
}

#[test]
fn runs_need_no_lock_that_a_fork_left() {
    let held = POOLS.lock();
    assert_eq!(on_threads(2, rayon::current_num_threads).ok(), Some(2));
    drop(held);
}

#[test]
fn numbers_of_the_header_are_those_of_the_library() {
    let types = DType::ALL.iter().map(|dtype| dtype.name()).filter(|name| *name != "string");
    let names = ["bytes"].into_iter().chain(types).chain(PadMode::ALL.iter().map(|mode| mode.name()));
    let words = include_str!("../include/pad_kernels.h").split([' ', ',']);
    let declared = words.filter_map(|w| w.strip_prefix("PAD_DTYPE_").or(w.strip_prefix("PAD_MODE_")));
    assert!(declared.map(str::to_lowercase).eq(names));
}
