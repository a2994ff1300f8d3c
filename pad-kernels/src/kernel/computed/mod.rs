//! Kernels that make new values of those of the output: one a computation, element type and instruction set.
//!
//! A kernel gets an output whose inside is written, and writes the borders of one axis. It knows the type of its elements,
//! unlike the kernels that move.

mod exact;
mod fold;
mod generated;
mod lines;
mod mean;
mod median;
mod number;
mod odd;
mod ramp;

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use smallvec::SmallVec;

use crate::dtype::{DType, ElementSize};
use crate::error::PadError;
use crate::isa::Isa;
use crate::kernel::places::Target;

/// What the borders of an axis are computed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Computation {
    /// A straight line from the end value to the outermost element.
    LinearRamp,
    /// The largest of the elements next to the border.
    Maximum,
    /// Their mean.
    Mean,
    /// Their median.
    Median,
    /// The smallest of them.
    Minimum,
    /// The mirrored elements, turned about the outermost one: twice that less the mirrored one.
    Odd,
}

impl Computation {
    /// All of them.
    pub const ALL: [Computation; 6] = [
        Computation::LinearRamp,
        Computation::Maximum,
        Computation::Mean,
        Computation::Median,
        Computation::Minimum,
        Computation::Odd,
    ];
}

/// Every kernel that computes borders, one row each; what selection, tests, fuzzing and benchmarks iterate.
pub fn kernels() -> &'static [ComputedKernel] {
    generated::REGISTRY
}

/// One kernel that computes borders.
#[derive(Clone, Copy, Debug)]
pub struct ComputedKernel {
    name: &'static str,
    computation: Computation,
    dtype: DType,
    isa: Isa,
    entry: unsafe fn(&mut Job<'_>),
}

impl ComputedKernel {
    /// The kernel's name: `mean_f32_avx2`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What it computes.
    pub const fn computation(&self) -> Computation {
        self.computation
    }

    /// The element type.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The instruction set it needs.
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
    pub(crate) lines: SmallVec<[(usize, isize); 5]>,
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

/// Bytes that the kernel of a pass needs beside the stack: medians of many elements are selected in copies of them.
pub(crate) fn scratch_bytes(pass: &Pass) -> usize {
    let row = pass.row();
    match (row.computation, &pass.borders) {
        (Computation::Median, Borders::Statistic { low, high }) => {
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
