//! Pads from one file to another, one region of the output at a time.

use std::io::{BufReader, Read, Seek, Write};
use std::ops::Range;

use pad_kernels::{AxisMode, AxisPad, DType, Fill, Modes, PadMode, PadPlan, PadSpec};

use crate::npy::{Header, NpyError};
use crate::value;

/// The request of the user.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// One mode per axis, one mode for all axes, or none.
    pub(crate) modes: Vec<AxisMode>,
    /// One pair per axis, or one pair for all axes.
    pub(crate) pads: Vec<(i64, i64)>,
    /// One number per axis, one number for all axes, or none.
    pub(crate) interior: Vec<u64>,
    pub(crate) value: Option<String>,
}

/// A request that was checked for a file.
pub(crate) struct Job {
    pub(crate) output: Header,
    plan: PadPlan,
    item: usize,
    /// The number of axes of the plan that belong to the array. There may be one more axis, for the bytes of an element.
    rank: usize,
    /// The bits that are flipped in each element, so that the fill is zero for the plan. Reading flips them, and writing flips them back.
    mask: Option<Vec<u8>>,
}

type Box = Vec<Range<usize>>;

impl Job {
    /// Checks a request for a file.
    pub(crate) fn new(header: &Header, request: &Request) -> Result<Job, String> {
        let rank = header.shape.len();
        let pads = per_axis("--pad", &request.pads, rank, (0, 0))?;
        let gaps = per_axis("--interior", &request.interior, rank, 0)?;
        let mut modes = per_axis("--mode", &request.modes, rank, AxisMode::default())?;
        let takes_value =
            Modes::from(&modes[..]).contains(PadMode::Constant) || gaps.iter().any(|&gap| gap > 0);
        if request.value.is_some() && !takes_value {
            return Err("--value has an effect only with mode constant or --interior".into());
        }
        let fill = value::fill(header, request.value.as_deref())?;
        let mut axes: Vec<AxisPad> =
            pads.iter().zip(gaps).map(|(&pad, gap)| AxisPad::from(pad).with_interior(gap)).collect();
        let mut shape = header.shape.clone();
        // Elements are copied as bytes, so any type of their width is right. If there is no such type, the bytes become an axis.
        let dtype = match header.item {
            2 => DType::U16,
            4 => DType::U32,
            8 => DType::U64,
            16 => DType::C128,
            _ => DType::U8,
        };
        let (element, mask) = match header.item {
            1 | 2 | 4 | 8 | 16 => (Some(Fill::from_bytes(dtype, &fill)), None),
            item => {
                axes.push(AxisPad::default());
                modes.push(AxisMode::default());
                shape.push(item);
                (None, fill.iter().any(|&byte| byte != 0).then_some(fill))
            }
        };
        let plan_of = |axes: &[AxisPad], modes: &[AxisMode], shape: &[usize]| {
            let mut spec = PadSpec::new(modes, axes);
            spec.fill = element.clone();
            PadPlan::for_dtype(&spec, shape, dtype).map_err(|error| error.to_string())
        };
        let mut plan = plan_of(&axes, &modes, &shape)?;
        // An array in Fortran order is row-major if its axes are reversed. The first plan returns the errors, with the user's axes.
        if header.fortran {
            axes[..rank].reverse();
            modes[..rank].reverse();
            shape[..rank].reverse();
            plan = plan_of(&axes, &modes, &shape)?;
        }
        let mut shape = plan.output_shape()[..rank].to_vec();
        if header.fortran {
            shape.reverse();
        }
        Ok(Job { output: Header { shape, ..header.clone() }, plan, item: header.item, rank, mask })
    }

    /// Returns the number of bytes that the input must have after its header.
    pub(crate) fn input_bytes(&self) -> u64 {
        self.plan.input_bytes() as u64
    }

    /// Returns the number of bytes to write after the header.
    pub(crate) fn output_bytes(&self) -> u64 {
        self.plan.output_bytes() as u64
    }

    /// Pads the data, which begins at position `start` of the input. Each buffer has up to `room` bytes. After each region, the
    /// function reports how many bytes it has written.
    pub(crate) fn run(
        &self,
        input: impl Read + Seek,
        start: u64,
        output: &mut impl Write,
        room: usize,
        written: &mut dyn FnMut(u64),
    ) -> Result<(), NpyError> {
        let mut source = Source::new(input, start, self.plan.input_shape(), self.plan_item())?;
        let (mut src, mut dst) = (Vec::new(), Vec::new());
        // The outermost axis that can be divided is divided first, so that regions are contiguous in the output.
        let mut boxes: Vec<Box> = Vec::new();
        if !self.plan.is_empty() {
            boxes.push(self.plan.output_shape().iter().map(|&length| 0..length).collect());
        }
        let mut done = 0;
        while let Some(mut window) = boxes.pop() {
            let part =
                self.plan.input_region(&window).map_err(|error| NpyError::Format(error.to_string()))?;
            let axis = window[..self.rank].iter().position(|range| range.len() > 1);
            if let Some(axis) = axis.filter(|_| self.bytes(&window) > room || self.bytes(&part) > room) {
                let Range { start, end } = window[axis];
                let middle = start + (end - start) / 2;
                let mut second = window.clone();
                window[axis] = start..middle;
                second[axis] = middle..end;
                boxes.extend([second, window]);
                continue;
            }
            let plan =
                self.plan.window_from_region(&window).map_err(|error| NpyError::Format(error.to_string()))?;
            source.read(&part, &mut src)?;
            resize(&mut dst, plan.output_bytes())?;
            self.combine(&mut src);
            plan.run_bytes(&src, &mut dst).map_err(|error| NpyError::Format(error.to_string()))?;
            self.combine(&mut dst);
            output.write_all(&dst)?;
            done += dst.len() as u64;
            written(done);
        }
        Ok(())
    }

    /// Returns the size of one element of the plan in bytes.
    fn plan_item(&self) -> usize {
        if self.plan.output_shape().len() > self.rank { 1 } else { self.item }
    }

    fn bytes(&self, window: &[Range<usize>]) -> usize {
        // The product does not overflow, because the region is a part of a tensor whose size was checked.
        window.iter().map(Range::len).product::<usize>() * self.plan_item()
    }

    fn combine(&self, data: &mut [u8]) {
        if let Some(mask) = &self.mask {
            for item in data.chunks_mut(mask.len()) {
                item.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
            }
        }
    }
}

fn per_axis<T: Copy>(name: &str, given: &[T], rank: usize, none: T) -> Result<Vec<T>, String> {
    match *given {
        [] => Ok(vec![none; rank]),
        [all] => Ok(vec![all; rank]),
        _ if given.len() == rank => Ok(given.to_vec()),
        _ => Err(format!(
            "{name} is given {} times, but the array has {rank} axes: give it once per axis, or once for all",
            given.len()
        )),
    }
}

/// Allocates a buffer of this length, or returns an error.
fn resize(buffer: &mut Vec<u8>, bytes: usize) -> Result<(), NpyError> {
    let missing = bytes.saturating_sub(buffer.len());
    let no_memory = |_| NpyError::Format(format!("there is no memory for {bytes} bytes"));
    buffer.try_reserve_exact(missing).map_err(no_memory)?;
    buffer.resize(bytes, 0);
    Ok(())
}

/// The data of the input, which is read in regions.
struct Source<R> {
    input: BufReader<R>,
    start: u64,
    /// The current position in the input.
    at: u64,
    /// The size of an element in bytes.
    item: usize,
    shape: Vec<usize>,
    /// The distance in bytes between consecutive elements, for each axis.
    strides: Vec<u64>,
}

impl<R: Read + Seek> Source<R> {
    fn new(input: R, start: u64, shape: &[usize], item: usize) -> Result<Self, NpyError> {
        let mut stride = item as u64;
        let mut strides: Vec<u64> = (shape.iter().rev())
            .map(|&length| {
                let this = stride;
                stride *= length.max(1) as u64;
                this
            })
            .collect();
        strides.reverse();
        let mut input = BufReader::with_capacity(1 << 18, input);
        let at = input.stream_position()?;
        Ok(Source { input, start, at, item, shape: shape.to_vec(), strides })
    }

    /// Reads a region in row-major order.
    fn read(&mut self, part: &[Range<usize>], to: &mut Vec<u8>) -> Result<(), NpyError> {
        if part.iter().any(Range::is_empty) {
            to.clear();
            return Ok(());
        }
        // The innermost axes that are read completely, and the range of the next outer axis, form one contiguous piece of the
        // input.
        let whole = |axis: usize| part[axis] == (0..self.shape[axis]);
        let inner = (1..part.len()).rev().find(|&axis| !whole(axis)).unwrap_or(0);
        let piece = part.get(inner).map_or(self.item, |range| range.len() * self.strides[inner] as usize);
        let outer = &part[..inner];
        let pieces: usize = outer.iter().map(Range::len).product();
        resize(to, pieces * piece)?;
        let mut index: Vec<usize> = part.iter().map(|range| range.start).collect();
        for piece in to.chunks_exact_mut(piece) {
            let offset: u64 = index.iter().zip(&self.strides).map(|(&i, &stride)| i as u64 * stride).sum();
            let target = self.start + offset;
            self.input.seek_relative(target.wrapping_sub(self.at) as i64)?;
            self.input.read_exact(piece).map_err(NpyError::Io)?;
            self.at = target + piece.len() as u64;
            for axis in (0..outer.len()).rev() {
                index[axis] += 1;
                if index[axis] < outer[axis].end {
                    break;
                }
                index[axis] = outer[axis].start;
            }
        }
        Ok(())
    }
}
