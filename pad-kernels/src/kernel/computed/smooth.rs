//! Straight lines through the two outermost elements: `[1 3 4]` with one position on each side becomes `[-1 1 3 4 5]`.

use super::lines::{Group, Groups};
use super::number::Number;
use super::{Borders, Job};
use crate::kernel::raw::{get, put};

/// Writes the lines to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Number>(job: &mut Job<'_>) {
    let (pass, dst) = (job.pass, job.dst);
    assert!(pass.borders == Borders::Smooth && pass.len > 1);
    // For each side: the outermost element, the direction away from the interior, and the number of positions.
    let sides = [(pass.low, -1, pass.low), (pass.low + pass.len - 1, 1, pass.high)];
    let mut groups = Groups::of(pass, size_of::<T>());
    while let Some(Group { at, lines, step }) = groups.next() {
        for (edge, away, count) in sides {
            let (edge, stride) = (at + edge as isize * pass.stride, away * pass.stride);
            let write = |line: usize, k: usize| {
                // SAFETY: the contract of `Job` says that the elements lie within the memory, and that the interior is written.
                unsafe {
                    let edge = dst.offset(edge + line as isize * step);
                    let (last, before) = (get::<T>(edge), get::<T>(edge.offset(-stride)));
                    put(edge.offset(k as isize * stride), last.extended(before, k));
                }
            };
            // The inner loop follows the shorter stride.
            if stride.unsigned_abs() <= step.unsigned_abs() || lines == 1 {
                (0..lines).for_each(|line| (1..=count).for_each(|k| write(line, k)));
            } else {
                (1..=count).for_each(|k| (0..lines).for_each(|line| write(line, k)));
            }
        }
    }
}
