//! Straight lines on through the two outermost elements.

use super::lines::Walk;
use super::number::Number;
use super::{Borders, Job};

/// Writes the lines to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Number>(job: &mut Job<'_>) {
    let (pass, dst) = (job.pass, job.dst);
    assert!(pass.borders == Borders::Smooth && pass.len > 1);
    // SAFETY: `Job`: elements of the pass are within the memory, and those of the middle written.
    let read = |at: isize| unsafe { dst.offset(at).cast::<T>().read_unaligned() };
    // SAFETY: as above, without being read.
    let write = |at: isize, value: T| unsafe { dst.offset(at).cast::<T>().write_unaligned(value) };
    // Of each side the outermost element, and the way from one position to the next, away from the middle.
    let sides = [(pass.low, -1, pass.low), (pass.low + pass.len - 1, 1, pass.high)];
    let (&(lines, apart), outer) = pass.lines.split_last().unwrap_or((&(1, 0), &[]));
    let mut walk = Walk::new(pass.start, outer);
    while let Some(at) = walk.next() {
        for (edge, away, count) in sides {
            let (edge, step) = (at + edge as isize * pass.stride, away * pass.stride);
            // The loop inside goes along the shorter stride.
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
