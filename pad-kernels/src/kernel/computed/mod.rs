//! Kernels that compute borders from elements of the output, for example as their mean. There is one kernel per computation,
//! element type and instruction set.
//!
//! A kernel receives an output whose interior is written, and writes the borders of one axis. Unlike kernels that copy, it
//! interprets the elements. A line consists of all positions along the padded axis that have the same index on every other axis.

/// Declares methods that are always inlined, because they have to be compiled for the instruction set of a kernel.
macro_rules! inline {
    ($($(#[$doc:meta])* $vis:vis fn $name:ident ($($args:tt)*) -> $result:ty { $($body:tt)* })*) => {$(
        $(#[$doc])*
        #[inline(always)]
        $vis fn $name($($args)*) -> $result { $($body)* }
    )*};
}

/// Runs a body for all lines and positions. Lines of at least 16 contiguous positions are processed one after another. Otherwise,
/// the inner loop visits all lines. If its elements are contiguous, their distance is a constant, so compilers can vectorise it.
macro_rules! each {
    ($type:ty, ($line:pat, $lines:expr, $step:ident), ($at:pat, $places:expr, $stride:ident) => $body:expr) => {
        let size = size_of::<$type>() as isize;
        if $stride == size && $places.len() >= 16 {
            let $stride = size;
            each!(@ ($line, 0..$lines), ($at, $places) => $body);
        } else if $step == size {
            let $step = size;
            each!(@ ($at, $places), ($line, 0..$lines) => $body);
        } else {
            each!(@ ($at, $places), ($line, 0..$lines) => $body);
        }
    };
    (@ ($outer:pat, $outers:expr), ($inner:pat, $inners:expr) => $body:expr) => {
        for $outer in $outers {
            for $inner in $inners {
                $body
            }
        }
    };
}

pub(crate) mod back;
mod fold;
mod generated;
mod lines;
mod median;
mod number;
mod odd;
mod ramp;
mod select;
mod smooth;

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use smallvec::SmallVec;

pub(super) use self::lines::Walk;
use crate::dtype::{DType, ElementSize};
use crate::error::PadError;
use crate::isa::Isa;
use crate::kernel::places::Target;
use crate::kernel::raw;
use crate::plan::signs::Loops;

macro_rules! computations {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Names a computation of borders.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
        pub enum Computation {
            $($(#[$doc])* $name,)*
        }

        impl Computation {
            /// Holds all computations.
            pub const ALL: [Computation; 11] = [$(Computation::$name),*];
        }
    };
}
computations! {
    /// A straight line from the end value, at the outermost position, to the edge element.
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

    /// Returns the bytes per element.
    fn size(&self) -> usize {
        let ElementSize::Bytes(size) = self.dtype.element_size() else {
            unreachable!("a number of whole bytes")
        };
        size
    }
}

/// Returns the index of the kernel for a computation and type, with the widest instruction set up to `isa`.
pub(crate) fn find(computation: Computation, dtype: DType, isa: Isa) -> Option<usize> {
    let row = |isa: Isa| {
        let is = |row: &ComputedKernel| (row.computation, row.dtype, row.isa) == (computation, dtype, isa);
        generated::REGISTRY.iter().position(is)
    };
    isa.up_to().find_map(row)
}

/// A pass, which writes the borders of one axis. Before it begins, the interior of every line along the axis has been written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pass {
    /// The index of the kernel in the list of [`kernels`].
    pub(crate) row: usize,
    /// The byte offset of the first position of the first line. All offsets and strides count bytes.
    pub(crate) start: isize,
    /// The distance between two positions of a line.
    pub(crate) stride: isize,
    /// The number of positions before the interior, in it and after it.
    pub(crate) low: usize,
    pub(crate) len: usize,
    pub(crate) high: usize,
    /// For each other axis: the number of lines along it, and their distance. The last axis has the shortest stride.
    pub(crate) lines: Loops,
    pub(crate) borders: Borders,
}

/// The parameters of a computation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Borders {
    /// Ramps to an end value per side, given as its real and imaginary part. `double` asks for computation in double precision.
    Ramp { ends: [[f64; 2]; 2], double: bool },
    /// A statistic of the first `low` elements of the interior before it, and of the last `high` elements after it.
    Statistic { low: usize, high: usize },
    /// Odd reflections: mirrored parts of the borders, in the order in which they are written.
    Odd { images: SmallVec<[Image; 4]> },
    /// Straight lines through the two outermost elements. The interior has at least two elements.
    Smooth,
}

/// A part of a border that mirrors other positions: for each `i` below `count`, position `to + i` mirrors position `from - i`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Image {
    pub(crate) to: usize,
    pub(crate) from: usize,
    /// The position of the edge element. The value written is twice this element minus the mirrored element.
    pub(crate) about: usize,
    pub(crate) count: usize,
}

/// The argument of a kernel.
///
/// [`run`] and the plan guarantee the contract of every kernel:
/// - At every offset of the pass, counted from `dst`, there is an element of the kernel's type. The memory is borrowed
///   exclusively.
/// - The interior of every line is written.
/// - Different positions of the pass have different addresses.
/// - Counts and positions of the borders lie within a line. A maximum or a minimum has at least one element.
/// - `scratch` has the length that [`scratch_bytes`] returns.
/// - The machine has the kernel's instruction set.
pub(crate) struct Job<'a> {
    pass: &'a Pass,
    dst: *mut u8,
    scratch: &'a mut [MaybeUninit<u128>],
}

impl Job<'_> {
    /// Returns the statistics to compute, one per side that has a border. If both cover the whole interior, one entry serves both
    /// sides.
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

/// The elements of a statistic (`from`, `count`), and the ranges of positions that receive it.
struct Side {
    from: usize,
    count: usize,
    ranges: [(usize, usize); 2],
}

impl Side {
    /// Writes one value per line to all positions of the ranges. Lines are `step` bytes apart.
    ///
    /// # Safety
    ///
    /// - All `values` are initialised.
    /// - The positions of a line are `stride` bytes apart in writable memory. `start` is the first position of the first line.
    #[inline(always)]
    unsafe fn write<T: Copy>(&self, start: *mut u8, stride: isize, step: isize, values: &[MaybeUninit<T>]) {
        for &(begin, end) in &self.ranges {
            each!(T, (line, values.len(), step), (index, begin..end, stride) => {
                // SAFETY: the caller promises that the values are initialised, and that the positions are writable.
                unsafe { raw::put(start.offset(line as isize * step + index as isize * stride), values[line]) }
            });
        }
    }
}

/// Returns the bytes of scratch memory that a pass needs. Only medians need some, for keys that represent the elements.
pub(crate) fn scratch_bytes(pass: &Pass) -> usize {
    let row = pass.row();
    match (row.computation, &pass.borders) {
        (Computation::Median | Computation::NanMedian, Borders::Statistic { low, high }) => {
            let bytes = |width, count| if width > 0 { median::scratch_bytes(pass, row, count) } else { 0 };
            bytes(pass.low, *low).max(bytes(pass.high, *high))
        }
        _ => 0,
    }
}

/// Scratch memory for the passes of a run.
pub(crate) struct Scratch(Vec<u128>);

impl Scratch {
    /// Allocates the memory for the pass that needs the most memory. All passes share it.
    ///
    /// # Errors
    ///
    /// [`PadError::IsaUnavailable`] if the machine lacks the instruction set of a pass, [`PadError::OutOfMemory`].
    pub(crate) fn new(passes: &[Pass]) -> Result<Scratch, PadError> {
        let mut scratch = Vec::new();
        for pass in passes {
            let (row, bytes) = (pass.row(), scratch_bytes(pass));
            if !row.isa.available() {
                return Err(PadError::IsaUnavailable { isa: row.isa });
            }
            scratch.try_reserve_exact(bytes.div_ceil(16)).map_err(|_| PadError::OutOfMemory { bytes })?;
        }
        Ok(Scratch(scratch))
    }
}

/// Runs the passes in order, which writes all borders. The interior must have been written.
///
/// # Panics
///
/// The call panics if a pass exceeds the memory, or if `scratch` was made for other passes.
pub(crate) fn run(passes: &[Pass], dst: Target<'_>, mut scratch: Scratch) {
    for pass in passes {
        let row = pass.row();
        let (first, last) = pass.reach();
        assert!(first >= 0 && last as usize + row.size() <= dst.len && row.isa.available());
        assert!(scratch_bytes(pass) <= scratch.0.capacity() * 16);
        let mut job = Job { pass, dst: dst.start, scratch: scratch.0.spare_capacity_mut() };
        // SAFETY:
        // - Offsets: the assertion checks the lowest and the highest offset. A strided target is the tensor that the passes were
        //   made for.
        // - Interior, addresses and counts: the plan has made the pass for this output.
        // - Scratch memory and instruction set: the assertions check them.
        unsafe { (row.entry)(&mut job) };
    }
}

impl Pass {
    fn row(&self) -> &'static ComputedKernel {
        &generated::REGISTRY[self.row]
    }

    /// Returns the lowest and the highest offset of an element.
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
