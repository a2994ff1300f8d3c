//! Changes the signs of some regions of an output that is already written.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::computed::Walk;
use super::places::Target;
use super::raw::{get, put};
use crate::plan::Geometry;
use crate::plan::signs::{Loops, Sign, merged};

/// The regions whose signs change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Negation {
    sign: Sign,
    /// The size of the output's buffer in bytes.
    bytes: usize,
    turns: Vec<Turn>,
}

/// Regions of one shape. `starts` holds the offset of each region, and `loops` the loops over the numbers of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Turn {
    starts: SmallVec<[isize; 2]>,
    loops: Loops,
}

impl Negation {
    /// Collects the regions whose signs change in a geometry. `sides` says for each axis whether its low and its high border is
    /// negated.
    ///
    /// Returns `None` if no sign changes.
    pub(crate) fn new(geometry: &Geometry, sides: impl Fn(usize) -> (bool, bool)) -> Option<Negation> {
        let sign = geometry.dtype().and_then(Sign::of).filter(|_| !geometry.signs.is_empty())?;
        let mut turns: Vec<Turn> = Vec::new();
        for (at, mut loops) in geometry.negated(sides) {
            loops.push((sign.parts, sign.bytes as isize));
            let loops = merged(loops);
            match turns.last_mut() {
                // Regions of equal shape share loops, so both ends of a row are negated while the row is in the cache.
                Some(last) if last.loops == loops => last.starts.push(at),
                _ => turns.push(Turn { starts: SmallVec::from_elem(at, 1), loops }),
            }
        }
        Some(Negation { sign, bytes: geometry.layout.bytes(geometry.output.buffer), turns })
    }

    /// Negates the regions of an output whose elements are all written. A strided target must be the tensor that the geometry describes.
    ///
    /// # Panics
    ///
    /// The call panics if the memory is shorter than the output.
    pub(crate) fn run(&self, dst: &mut Target<'_>) {
        assert!(dst.len >= self.bytes);
        let run = match (self.sign.bytes, self.sign.is_bit) {
            (2, true) => run::<u16, true>,
            (4, true) => run::<u32, true>,
            (8, true) => run::<u64, true>,
            (1, _) => run::<u8, false>,
            (2, _) => run::<u16, false>,
            (4, _) => run::<u32, false>,
            _ => run::<u64, false>,
        };
        // SAFETY:
        // - The regions lie within the output. The assertion checks its length, or the target is the tensor itself.
        // - All of the output is written, and the target borrows it exclusively.
        unsafe { run(dst.start, &self.turns) };
    }
}

/// The bits of a number. If `IS_BIT` is true, the sign is the top bit. Otherwise, the number is in two's complement.
trait Bits: Copy {
    fn negated<const IS_BIT: bool>(self) -> Self;
}

macro_rules! bits {
    ($($type:ty),*) => {$(
        impl Bits for $type {
            #[inline(always)]
            fn negated<const IS_BIT: bool>(self) -> Self {
                if IS_BIT { self ^ 1 << (<$type>::BITS - 1) } else { self.wrapping_neg() }
            }
        }
    )*};
}
bits!(u8, u16, u32, u64);

/// Negates every number of the regions.
///
/// # Safety
///
/// - Each number of the regions lies in initialised, writable memory.
unsafe fn run<T: Bits, const IS_BIT: bool>(start: *mut u8, turns: &[Turn]) {
    for Turn { starts, loops } in turns {
        // If the numbers along the innermost loop are contiguous, `count` numbers form a row. Otherwise, each number is a row.
        let neighbours = |one: &(usize, isize)| one.1 == size_of::<T>() as isize;
        let (count, outer) = match loops.split_last() {
            Some((one, outer)) if neighbours(one) => (one.0, outer),
            _ => (1, &loops[..]),
        };
        let (rows, outer) = outer.split_last().map_or(((1, 0), outer), |(&rows, outer)| (rows, outer));
        // If the length of a row is a short constant, the compiler keeps the row in registers.
        let negate = seq_macro::seq!(N in 1..=16 {
            match count {
                #(N => negate_rows::<T, IS_BIT, N>,)*
                _ => negate_rows::<T, IS_BIT, 0>,
            }
        });
        let mut walk = Walk::new(0, outer);
        while let Some(at) = walk.next() {
            // SAFETY: the caller promises that each number lies in initialised, writable memory.
            unsafe { negate(start.wrapping_offset(at), starts, rows, count) };
        }
    }
}

/// The number of rows of a region that are negated before the same rows of the next region. Rows at both ends of a line of the
/// output share cache lines. If rows are short, these lines stay in the first-level cache until all regions are done.
const TOGETHER: usize = 64;

/// Negates rows of numbers. Each row has `N` contiguous numbers, or `count` if `N` is 0.
///
/// # Safety
///
/// - Each number of the rows lies in initialised, writable memory.
unsafe fn negate_rows<T: Bits, const IS_BIT: bool, const N: usize>(
    start: *mut u8,
    starts: &[isize],
    (rows, apart): (usize, isize),
    count: usize,
) {
    for first in (0..rows).step_by(TOGETHER) {
        for &of_box in starts {
            let mut row = start.wrapping_offset(first as isize * apart + of_box);
            for _ in first..rows.min(first + TOGETHER) {
                // SAFETY: the caller promises that each number lies in initialised, writable memory.
                unsafe {
                    if N > 0 {
                        negate::<T, IS_BIT, N>(row);
                    } else {
                        let mut at = row;
                        for _ in 0..count / 16 {
                            negate::<T, IS_BIT, 16>(at);
                            at = at.add(16 * size_of::<T>());
                        }
                        for _ in 0..count % 16 {
                            negate::<T, IS_BIT, 1>(at);
                            at = at.add(size_of::<T>());
                        }
                    }
                }
                row = row.wrapping_offset(apart);
            }
        }
    }
}

/// Negates `N` contiguous numbers.
///
/// # Safety
///
/// - The numbers lie in initialised, writable memory.
#[inline(always)]
unsafe fn negate<T: Bits, const IS_BIT: bool, const N: usize>(at: *mut u8) {
    // SAFETY: the caller promises `N` numbers in initialised, writable memory.
    unsafe {
        let mut numbers = get::<[T; N]>(at);
        // Without link-time optimisation, `map` would be a call.
        for number in &mut numbers {
            *number = number.negated::<IS_BIT>();
        }
        put(at, numbers);
    }
}
