//! Turns the signs of boxes of an output that is written.

use smallvec::SmallVec;

use super::computed::Walk;
use super::places::Target;
use super::raw::{get, put};
use crate::plan::Geometry;
use crate::plan::signs::Sign;

/// How often, and how many bytes apart.
pub(crate) type Loops = SmallVec<[(usize, isize); 6]>;

/// Negates the elements of `dst` whose signs turn, on these sides of each axis.
///
/// A target that is no slice is of the very tensor that the geometry is of.
///
/// # Panics
///
/// If the memory is shorter than the output.
pub(crate) fn negate(geometry: &Geometry, sides: impl Fn(usize) -> (bool, bool), dst: &mut Target<'_>) {
    let Some(sign) = geometry.dtype().and_then(Sign::of).filter(|_| geometry.output.len > 0) else { return };
    assert!(dst.len >= geometry.layout.bytes(geometry.output.buffer));
    let start = dst.start;
    geometry.negated(sides, |ranges| {
        let mut at = geometry.output.offset;
        let mut loops = Loops::new();
        for (range, stride) in ranges {
            at += range.start as isize * stride;
            loops.push((range.len(), stride));
        }
        if loops.iter().any(|&(count, _)| count == 0) {
            return;
        }
        loops.push((sign.parts, sign.bytes as isize));
        let loops = merged(loops);
        let run = match (sign.bytes, sign.is_bit) {
            (2, true) => run::<u16, true>,
            (4, true) => run::<u32, true>,
            (8, true) => run::<u64, true>,
            (1, _) => run::<u8, false>,
            (2, _) => run::<u16, false>,
            (4, _) => run::<u32, false>,
            _ => run::<u64, false>,
        };
        // SAFETY: the geometry's boxes lie within its output, whose length was asserted, or which the target is. All of it is
        // written, and exclusively borrowed.
        unsafe { run(start.wrapping_offset(at), &loops) };
    });
}

/// The loops, the one with the longest stride first. A loop that goes on where the next one ends is joined with it.
pub(crate) fn merged(mut loops: Loops) -> Loops {
    loops.retain(|&mut (count, _)| count > 1);
    loops.sort_by_key(|&(_, stride)| core::cmp::Reverse(stride.unsigned_abs()));
    let mut merged = Loops::new();
    for (count, stride) in loops {
        match merged.last_mut() {
            Some(last) if last.1 == stride * count as isize => *last = (last.0 * count, stride),
            _ => merged.push((count, stride)),
        }
    }
    merged
}

/// An integer as long as a number.
trait Bits: Copy + Default {
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

/// Negates every number of the loops.
///
/// # Safety
///
/// - Each is initialised memory that may be written.
unsafe fn run<T: Bits, const IS_BIT: bool>(start: *mut u8, loops: &[(usize, isize)]) {
    let (outer, inner) = loops.split_at(loops.len().saturating_sub(2));
    let ((rows, row), (count, step)) = match *inner {
        [] => ((1, 0), (1, 0)),
        [one] => ((1, 0), one),
        [rows, one, ..] => (rows, one),
    };
    let size = size_of::<T>() as isize;
    let mut walk = Walk::new(0, outer);
    while let Some(at) = walk.next() {
        for index in 0..rows as isize {
            // SAFETY: the caller's.
            unsafe {
                let at = start.offset(at + index * row);
                let one = |at: *mut u8| put(at, get::<T>(at).negated::<IS_BIT>());
                if step == size {
                    (0..count).for_each(|number| one(at.add(number * size_of::<T>())));
                } else {
                    (0..count as isize).for_each(|number| one(at.offset(number * step)));
                }
            }
        }
    }
}
