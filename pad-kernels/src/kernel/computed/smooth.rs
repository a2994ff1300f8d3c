//! Straight lines through the two outermost elements: `[1 3 4]` with one position on each side becomes `[-1 1 3 4 5]`.

use super::lines::Walk;
use super::number::{Brain, Complex, Flag, Float, Half, Number};
use super::{Borders, Job};

/// A number that can be extrapolated.
pub(super) trait Line: Number {
    /// Returns the number that is `k` steps after `self` on the line from `before` to `self`, as PyWavelets computes it. Integers wrap.
    fn extended(self, before: Self, k: usize) -> Self;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Line for $type {
            #[inline(always)]
            fn extended(self, before: Self, k: usize) -> Self {
                self.wrapping_add(self.wrapping_sub(before).wrapping_mul(k as Self))
            }
        }
    )*};
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Line for Flag {
    /// Computes with integers. The result is true unless it is 0.
    #[inline(always)]
    fn extended(self, before: Self, k: usize) -> Self {
        let (last, before) = (i64::from(self.get()), i64::from(before.get()));
        Flag::new(last.wrapping_add((last - before).wrapping_mul(k as i64)) != 0)
    }
}

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl Line for $type {
            /// The step is rounded to this type, and the rest is computed in double precision.
            #[inline(always)]
            fn extended(self, before: Self, k: usize) -> Self {
                let step = self.minus(before).double();
                Self::from_double(<Self as Number>::Double::index(k).times(step).plus(self.double()))
            }
        }
    )*};
}
floats!(f64, f32, Half, Brain, Complex<f64>, Complex<f32>);

/// Writes the lines to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Line>(job: &mut Job<'_>) {
    let (pass, dst) = (job.pass, job.dst);
    assert!(pass.borders == Borders::Smooth && pass.len > 1);
    // SAFETY: the contract of `Job` says that the elements lie within the memory, and that the interior is written.
    let read = |at: isize| unsafe { dst.offset(at).cast::<T>().read_unaligned() };
    // SAFETY: the contract of `Job` says that the elements lie within the memory.
    let write = |at: isize, value: T| unsafe { dst.offset(at).cast::<T>().write_unaligned(value) };
    // For each side: the outermost element, the direction away from the interior, and the number of positions.
    let sides = [(pass.low, -1, pass.low), (pass.low + pass.len - 1, 1, pass.high)];
    let (&(lines, apart), outer) = pass.lines.split_last().unwrap_or((&(1, 0), &[]));
    let mut walk = Walk::new(pass.start, outer);
    while let Some(at) = walk.next() {
        for (edge, away, count) in sides {
            let (edge, step) = (at + edge as isize * pass.stride, away * pass.stride);
            // The inner loop follows the shorter stride.
            if step.unsigned_abs() <= apart.unsigned_abs() || lines == 1 {
                for edge in (0..lines as isize).map(|line| edge + line * apart) {
                    let (last, before) = (read(edge), read(edge - step));
                    for k in 1..=count {
                        write(edge + k as isize * step, last.extended(before, k));
                    }
                }
            } else {
                for k in 1..=count {
                    for edge in (0..lines as isize).map(|line| edge + line * apart) {
                        write(edge + k as isize * step, read(edge).extended(read(edge - step), k));
                    }
                }
            }
        }
    }
}
