//! From a request to a plan, in safe code.
#![forbid(unsafe_code)]

use pad_kernels::{
    AdjointPlan, AxisMode, AxisPad, BorderPlan, DType, Fill, Frame, Modes, PadMode, PadPlan, PadSpec,
    Strides, tensor::ElementSize,
};
use smallvec::SmallVec;

use crate::pool::Pool;
use crate::status::Failure;
use crate::types::{Axis, Request, Status, Task};

/// Looks up a value of an enum of the header.
#[inline(always)]
fn known<T>(name: &str, value: i32, get: impl FnOnce(usize) -> Option<T>) -> Result<T, Failure> {
    let known = usize::try_from(value).ok().and_then(get);
    known.ok_or_else(|| Failure::new(Status::UnknownValue, format!("{name} has no value {value}")))
}

/// The elements of a request: their type, if it is known, and their size.
#[derive(Clone, Copy)]
pub(crate) struct Element(Option<DType>, ElementSize);

impl Element {
    #[inline(always)]
    pub(crate) fn new(dtype: i32, element_bytes: usize) -> Result<Element, Failure> {
        if dtype == 0 {
            return Ok(Element(None, ElementSize::Bytes(element_bytes)));
        }
        let typed = |at: usize| DType::ALL.get(at.wrapping_sub(1)).filter(|&&dtype| dtype != DType::String);
        let &dtype = known("pad_dtype", dtype, typed)?;
        if element_bytes != 0 {
            return Err(Failure::new(Status::Size, "element_bytes is for PAD_DTYPE_BYTES only"));
        }
        Ok(Element(Some(dtype), dtype.element_size()))
    }

    /// The bytes of a fill: an element of a packed type lies in one byte.
    pub(crate) fn fill_bytes(self) -> usize {
        if let ElementSize::Bytes(bytes) = self.1 { bytes } else { 1 }
    }
}

/// A request whose pointers were read.
pub(crate) struct Asked<'a> {
    pub(crate) request: &'a Request,
    pub(crate) element: Element,
    pub(crate) shape: &'a [usize],
    pub(crate) axes: &'a [Axis],
    pub(crate) fill: Option<&'a [u8]>,
    /// The strides of the input and of the output.
    pub(crate) strides: [Option<&'a [isize]>; 2],
    pub(crate) region: Option<(&'a [usize], &'a [usize])>,
}

impl Asked<'_> {
    #[inline(always)]
    pub(crate) fn modes(&self) -> Result<Modes, Failure> {
        let mode = |value| known("pad_mode", value, |at| PadMode::ALL.get(at).copied());
        // Without axes there is no border, and any mode that needs no fill will do.
        let Some(first) = self.axes.first() else { return Ok(Modes::All(PadMode::Edge)) };
        let all = mode(first.low_mode)?;
        if self.axes.iter().all(|axis| [axis.low_mode, axis.high_mode] == [first.low_mode; 2]) {
            return Ok(Modes::All(all));
        }
        let of = |axis: &Axis| Ok(AxisMode { low: mode(axis.low_mode)?, high: mode(axis.high_mode)? });
        Ok(Modes::Each(self.axes.iter().map(of).collect::<Result<_, Failure>>()?))
    }

    #[inline(always)]
    pub(crate) fn frame(&self) -> Result<Option<Frame>, Failure> {
        let frames = [None, Some(Frame::Uncropped), Some(Frame::Cropped)];
        known("pad_frame", self.request.frame, |at| frames.get(at).copied())
    }

    /// The request with modes and a frame that were read before: inside a `Result` it would be copied.
    #[inline(always)]
    pub(crate) fn spec(&self, modes: Modes, frame: Option<Frame>) -> PadSpec {
        let pad = |axis: &Axis| AxisPad { low: axis.low, high: axis.high, interior: axis.interior };
        let mut spec = PadSpec::new(modes, self.axes.iter().map(pad).collect::<pad_kernels::Pads>());
        spec.frame = frame;
        let Element(dtype, _) = self.element;
        spec.fill = self.fill.map(|fill| match dtype {
            None => Fill::untyped(fill),
            Some(dtype) => Fill::from_bytes(dtype, fill),
        });
        spec
    }

    /// The type of the elements, if there is a one-shot call for the request.
    #[inline(always)]
    pub(crate) fn once(&self) -> Option<DType> {
        let (Element(dtype, _), [input, output]) = (self.element, self.strides);
        let is_plain = input.is_none() && output.is_none() && self.region.is_none();
        dtype.filter(|_| self.request.task == 0 && is_plain)
    }
}

/// The plan of a task.
#[expect(clippy::large_enum_variant, reason = "a plan lies in a box of its own")]
pub(crate) enum Job {
    /// Without strides.
    Pad(PadPlan),
    Strided(PadPlan),
    Borders(BorderPlan),
    Adjoint(AdjointPlan),
}

/// A task for tensors of one shape. Threads may share it.
pub struct Plan {
    pub(crate) job: Job,
    pub(crate) output_shape: SmallVec<[usize; 6]>,
    /// The bytes of the source and of the destination.
    pub(crate) bytes: [usize; 2],
}

impl Plan {
    pub(crate) fn new(asked: &Asked<'_>) -> Result<Plan, Failure> {
        let Asked { request, element, shape, strides, region, .. } = *asked;
        let tasks = [Task::Pad, Task::Borders, Task::Adjoint];
        let task = known("pad_task", request.task, |at| tasks.get(at).copied())?;
        let mut spec = asked.spec(asked.modes()?, asked.frame()?);
        let mut plan = match element {
            Element(Some(dtype), _) => PadPlan::for_dtype(&spec, shape, dtype)?,
            _ => PadPlan::for_bytes(&spec, shape, element.fill_bytes())?,
        };
        if let Some((start, end)) = region {
            let ranges: SmallVec<[_; 6]> = start.iter().zip(end).map(|(&start, &end)| start..end).collect();
            plan = plan.window(&ranges)?;
        }
        let refused = |what| Err(Failure::new(Status::Refused, what));
        let output_shape = SmallVec::from_slice(plan.output_shape());
        let mut bytes = [plan.input_bytes(), plan.output_bytes()];
        let place = |shape: &[usize], strides: Option<&[isize]>| match strides {
            Some(strides) => Strides::spanning(shape, strides),
            None => Strides::row_major(shape),
        };
        let output = place(&output_shape, strides[1]);
        let is_strided = strides != [None; 2];
        if is_strided {
            let Element(_, ElementSize::Bytes(size)) = element else {
                return refused("packed types have no strides");
            };
            plan = plan.with_strides(&place(shape, strides[0]), &output)?;
            for ((bytes, strides), shape) in bytes.iter_mut().zip(strides).zip([shape, &output_shape]) {
                let Some(strides) = strides.filter(|_| *bytes > 0) else { continue };
                // The plan has checked that sums stay below `isize::MAX`.
                let reach =
                    strides.iter().zip(shape).map(|(stride, length)| stride.unsigned_abs() * (length - 1));
                *bytes = (reach.sum::<usize>() + 1) * size;
            }
        }
        let job = match (task, element) {
            (Task::Pad, _) if is_strided => Job::Strided(plan),
            (Task::Pad, _) => Job::Pad(plan),
            (Task::Borders, Element(_, ElementSize::Bytes(size))) if region.is_none() => {
                // A plan without a fill has checked that zero is the fill, or that there is none.
                let zero = || SmallVec::<[u8; 16]>::from_elem(0, size);
                spec.fill = Some(Fill::untyped(&asked.fill.map_or_else(zero, SmallVec::from_slice)));
                bytes[0] = 0;
                Job::Borders(BorderPlan::for_bytes(&spec, shape, size)?.with_strides(&output)?)
            }
            (Task::Borders, _) => return refused("packed types and regions have no borders in place"),
            (Task::Adjoint, _) if is_strided => return refused("a request with strides has no adjoint"),
            (Task::Adjoint, _) => {
                bytes.reverse();
                Job::Adjoint(plan.adjoint()?)
            }
        };
        Ok(Plan { job, output_shape, bytes })
    }

    /// Runs a plan, also one that needs an initialised destination.
    pub(crate) fn run(&self, pool: Option<&Pool>, src: &[u8], dst: &mut [u8]) -> Result<(), Failure> {
        match (&self.job, pool) {
            (Job::Pad(plan) | Job::Strided(plan), _) => plan.run_bytes(src, dst)?,
            (Job::Borders(plan), _) if src.is_empty() => plan.run_bytes(dst)?,
            (Job::Borders(_), _) => return Err(Failure::new(Status::Size, "borders have no source")),
            (Job::Adjoint(plan), None) => plan.run_bytes(src, dst)?,
            (Job::Adjoint(plan), Some(pool)) => pool.install(|| plan.par_run_bytes(src, dst))??,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_header_are_those_of_the_library() {
        let header = include_str!("../include/pad_kernels.h");
        let numbers = |prefix: &str, expected: Vec<&str>| {
            let words = header.split_whitespace().filter_map(|word| word.strip_prefix(prefix));
            assert!(words.map(|word| word.trim_end_matches(',').to_lowercase()).eq(expected), "{prefix}");
        };
        let types = DType::ALL.iter().map(|dtype| dtype.name()).filter(|name| *name != "string");
        numbers("PAD_DTYPE_", ["bytes"].into_iter().chain(types).collect());
        numbers("PAD_MODE_", PadMode::ALL.iter().map(|mode| mode.name()).collect());
    }
}
