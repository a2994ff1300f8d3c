//! Kernels that make new values of those of the output: one a computation, element type and instruction set.
//!
//! A kernel gets an output whose inside is written, and writes the borders of one axis. It knows the type of its elements,
//! unlike the kernels that move.

pub(crate) mod back;
mod fold;
mod generated;
mod lines;
mod mean;
mod median;
mod number;
mod odd;
mod present;
mod ramp;
mod smooth;

use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ptr;

use smallvec::SmallVec;

pub(super) use self::lines::Walk;
use crate::dtype::{DType, ElementSize};
use crate::error::PadError;
use crate::isa::Isa;
use crate::kernel::places::Target;
use crate::kernel::raw;
use crate::plan::signs::Loops;

/// Names a computation of borders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Computation {
    /// A straight line from the end value to the edge of the data.
    LinearRamp,
    /// The maximum of the elements next to the border.
    Maximum,
    /// The mean of the elements next to the border.
    Mean,
    /// The median of the elements next to the border.
    Median,
    /// The minimum of the elements next to the border.
    Minimum,
    /// The maximum of the elements next to the border, without NaN.
    NanMaximum,
    /// The mean of the elements next to the border, without NaN.
    NanMean,
    /// The median of the elements next to the border, without NaN.
    NanMedian,
    /// The minimum of the elements next to the border, without NaN.
    NanMinimum,
    /// Odd reflections: twice the edge element minus the mirrored element.
    Odd,
    /// The straight line through the two outermost elements of the data.
    Smooth,
}

impl Computation {
    /// Holds all computations.
    pub const ALL: [Computation; 11] = [
        Computation::LinearRamp,
        Computation::Maximum,
        Computation::Mean,
        Computation::Median,
        Computation::Minimum,
        Computation::NanMaximum,
        Computation::NanMean,
        Computation::NanMedian,
        Computation::NanMinimum,
        Computation::Odd,
        Computation::Smooth,
    ];
}

/// Returns all kernels that compute borders.
pub fn kernels() -> &'static [ComputedKernel] {
    generated::REGISTRY
}

/// A kernel that computes borders, for one computation, element type and instruction set.
#[derive(Clone, Copy, Debug)]
pub struct ComputedKernel {
    name: &'static str,
    computation: Computation,
    dtype: DType,
    isa: Isa,
    entry: unsafe fn(&mut Job<'_>),
}

impl ComputedKernel {
    /// Returns the name of the kernel, such as `mean_f32_avx2`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the computation.
    pub const fn computation(&self) -> Computation {
        self.computation
    }

    /// Returns the element type.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the instruction set that the kernel needs.
    pub const fn isa(&self) -> Isa {
        self.isa
    }
}

/// The row of a computation for elements of `dtype`, with the widest instruction set up to `isa` that has one.
pub(crate) fn find(computation: Computation, dtype: DType, isa: Isa) -> Option<usize> {
    let row = |isa: Isa| {
        let is = |row: &ComputedKernel| (row.computation, row.dtype, row.isa) == (computation, dtype, isa);
        generated::REGISTRY.iter().position(is)
    };
    isa.up_to().find_map(row)
}

/// The borders of one axis: lines along it, of which the middle is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pass {
    /// The row of the kernel.
    pub(crate) row: usize,
    /// The offset of the first line's first position, in bytes, as all offsets and strides are.
    pub(crate) start: isize,
    /// From a position to the next.
    pub(crate) stride: isize,
    /// Positions before the middle, in it and after it.
    pub(crate) low: usize,
    pub(crate) len: usize,
    pub(crate) high: usize,
    /// The axes that lines are apart on: how many, and how far. The last has the shortest stride.
    pub(crate) lines: Loops,
    pub(crate) borders: Borders,
}

/// What a pass writes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Borders {
    /// Ramps to these end values, each real and imaginary part.
    Ramp { ends: [[f64; 2]; 2], double: bool },
    /// A statistic of so many elements next to each side.
    Statistic { low: usize, high: usize },
    /// Mirror images, in this order.
    Odd { images: SmallVec<[Image; 4]> },
    /// Straight lines on from the middle, which has two elements or more.
    Smooth,
}

/// Positions that are images of others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Image {
    /// The first that is written; the others follow.
    pub(crate) to: usize,
    /// What it is the image of; those of the others go before.
    pub(crate) from: usize,
    /// The position about which they are turned.
    pub(crate) about: usize,
    pub(crate) count: usize,
}

/// What a kernel is called with.
///
/// The contract of every entry:
/// - Offsets of the pass from `dst` on, each with one element of the row's type, lie within memory that is exclusively borrowed.
/// - The middles of all lines are written.
/// - Elements that are apart in the pass do not share a place.
/// - The counts and positions of the borders are within those of a line; counts of elements that a statistic is made of are not 0 for
///   maxima and minima.
/// - `scratch` is as long as [`scratch_bytes`] says.
/// - The machine has the row's instruction set.
pub(crate) struct Job<'a> {
    pass: &'a Pass,
    dst: *mut u8,
    scratch: &'a mut [MaybeUninit<u64>],
}

impl Job<'_> {
    /// The sides whose borders are a statistic. If both sides have the same statistic, one entry stands for both.
    #[inline(always)]
    fn sides(&self) -> [Option<Side>; 2] {
        let pass = self.pass;
        let &Borders::Statistic { low, high } = &pass.borders else { unreachable!("a statistic's borders") };
        let (after, total) = (pass.low + pass.len, pass.low + pass.len + pass.high);
        let (first, last) = ((0, pass.low), (after, total));
        let side = |from, count, ranges: [(usize, usize); 2]| {
            ranges.iter().any(|(begin, end)| begin < end).then_some(Side { from, count, ranges })
        };
        if low == high && low == pass.len {
            return [side(pass.low, low, [first, last]), None];
        }
        [side(pass.low, low, [first, (0, 0)]), side(after - high, high, [(0, 0), last])]
    }
}

/// The positions that a statistic is made of, and those that it is written to.
struct Side {
    from: usize,
    count: usize,
    ranges: [(usize, usize); 2],
}

impl Side {
    /// Writes the values of lines that lie `step` bytes apart.
    ///
    /// # Safety
    ///
    /// - The values are written.
    /// - The positions of a line lie `stride` bytes apart, the first line's first one at `start`, in memory that may be written.
    #[inline(always)]
    unsafe fn write<T: Copy>(&self, start: *mut u8, stride: isize, step: isize, values: &[MaybeUninit<T>]) {
        if step == size_of::<T>() as isize && values.len() > 1 {
            for index in self.ranges.iter().flat_map(|&(begin, end)| begin..end) {
                // SAFETY: the caller's: the lines have neighbouring elements at the position.
                unsafe {
                    let row = start.offset(index as isize * stride);
                    ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), row, size_of_val(values));
                }
            }
            return;
        }
        for (line, value) in values.iter().enumerate() {
            for &(begin, end) in &self.ranges {
                // SAFETY: the caller's.
                unsafe {
                    let first = start.offset(line as isize * step + begin as isize * stride);
                    fill(first, stride, end - begin, value.assume_init());
                }
            }
        }
    }
}

/// Writes a value to so many positions.
///
/// # Safety
///
/// - Each of `count` elements, the first at `to` and each `stride` bytes after the one before, lies in memory that may be written.
#[inline(always)]
unsafe fn fill<T: Copy>(to: *mut u8, stride: isize, count: usize, value: T) {
    const CHUNK: usize = 16;
    let bytes = count * size_of::<T>();
    if stride == size_of::<T>() as isize && bytes >= CHUNK && CHUNK.is_multiple_of(size_of::<T>()) {
        let values = [value; CHUNK];
        let chunk = |at: usize| {
            // SAFETY: within the positions, which are neighbours. A chunk is whole elements.
            unsafe { ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), to.add(at), CHUNK) }
        };
        for at in (0..bytes - CHUNK).step_by(CHUNK) {
            chunk(at);
        }
        chunk(bytes - CHUNK);
    } else {
        for index in 0..count {
            // SAFETY: the caller's.
            unsafe { raw::put(to.offset(index as isize * stride), value) };
        }
    }
}

/// Bytes that the kernel of a pass needs beside the stack: medians of many elements are selected in copies of them.
pub(crate) fn scratch_bytes(pass: &Pass) -> usize {
    let row = pass.row();
    match (row.computation, &pass.borders) {
        (Computation::Median | Computation::NanMedian, Borders::Statistic { low, high }) => {
            median::scratch_bytes(row.dtype, *low.max(high))
        }
        _ => 0,
    }
}

/// Memory for the passes of a run.
pub(crate) struct Scratch(Vec<u64>);

impl Scratch {
    /// As much as the passes need.
    ///
    /// # Errors
    ///
    /// [`PadError::IsaUnavailable`] if the machine lacks what a pass needs, [`PadError::OutOfMemory`].
    pub(crate) fn new(passes: &[Pass]) -> Result<Scratch, PadError> {
        let mut scratch = Vec::new();
        for pass in passes {
            let (row, bytes) = (pass.row(), scratch_bytes(pass));
            if !row.isa.available() {
                return Err(PadError::IsaUnavailable { isa: row.isa });
            }
            scratch.try_reserve_exact(bytes.div_ceil(8)).map_err(|_| PadError::OutOfMemory { bytes })?;
        }
        Ok(Scratch(scratch))
    }
}

/// Writes the borders of the passes, in order, into memory whose inside is written.
///
/// # Panics
///
/// If a pass reaches beyond the memory, or the scratch is that of other passes.
pub(crate) fn run(passes: &[Pass], dst: Target<'_>, mut scratch: Scratch) {
    for pass in passes {
        let row = pass.row();
        let ElementSize::Bytes(size) = row.dtype.element_size() else {
            unreachable!("rows are of whole bytes")
        };
        let (first, last) = pass.reach();
        assert!(first >= 0 && last as usize + size <= dst.len && row.isa.available());
        assert!(scratch_bytes(pass) <= scratch.0.capacity() * 8);
        let mut job = Job { pass, dst: dst.start, scratch: scratch.0.spare_capacity_mut() };
        // SAFETY:
        // - Offsets: asserted for the ends of every axis, between which all others lie; of a target that is no slice, they are those
        //   of the tensor that the passes were made for.
        // - Middles, places, counts: as the plan has made the pass.
        // - Scratch and instruction set: asserted.
        unsafe { (row.entry)(&mut job) };
    }
}

impl Pass {
    fn row(&self) -> &'static ComputedKernel {
        &generated::REGISTRY[self.row]
    }

    /// The lowest and the highest offset of an element.
    fn reach(&self) -> (isize, isize) {
        let line = (self.low + self.len + self.high, self.stride);
        let (mut first, mut last) = (self.start, self.start);
        for (count, stride) in self.lines.iter().copied().chain([line]) {
            let reach = stride * (count as isize - 1);
            first += reach.min(0);
            last += reach.max(0);
        }
        (first, last)
    }
}
