//! Continues the line through the two outermost elements: `[1 3 4]` with one position on each side becomes `[-1 1 3 4 5]`.

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
    let (pass, dst, stride) = (job.pass, job.dst, job.pass.stride);
    assert!(pass.borders == Borders::Smooth && pass.len > 1);
    // For each side: the outermost element, the direction away from the interior, and the number of positions.
    let sides = [(pass.low, -1, pass.low), (pass.low + pass.len - 1, 1, pass.high)];
    let mut groups = Groups::of(pass, size_of::<T>());
    while let Some(Group { at, lines, step }) = groups.next() {
        for (edge, away, count) in sides {
            each!(T, (line, lines, step), (k, 1..count + 1, stride) => {
                let edge = at + edge as isize * stride + line as isize * step;
                // SAFETY: the contract of `Job` says that the elements lie within the memory, and that the interior is written.
                unsafe {
                    let (last, before) = (get::<T>(dst.offset(edge)), get::<T>(dst.offset(edge - away * stride)));
                    put(dst.offset(edge + k as isize * away * stride), last.extended(before, k));
                }
            });
        }
    }
}
