//! Iterates over the lines of a pass in groups. A line is all positions along the padded axis, for one index of the other axes.

use smallvec::SmallVec;

use super::Pass;

/// The maximum number of lines per group, so that their states fit the first-level cache.
pub(super) const MOST_LINES: usize = 1024;

/// The maximum length, in bytes, of a row of contiguous lines. The hardware prefetcher does not follow the lines of a longer row.
const ROW_BYTES: usize = 4096;

/// Lines that are `step` bytes apart. The first one is at offset `at`.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub(super) at: isize,
    pub(super) lines: usize,
    pub(super) step: isize,
}

/// Iterates over all lines of a pass, in groups along the axis with the shortest stride.
///
/// Kernels call `next` in a loop. A closure might be compiled without the kernel's instruction set.
pub(super) struct Groups<'a> {
    walk: Walk<'a>,
    /// The number of lines along the shortest stride, and their distance in bytes.
    count: usize,
    step: isize,
    /// The maximum number of lines per group.
    most: usize,
    /// The number of these lines that follow, and the offset of the next one.
    left: usize,
    at: isize,
}

impl<'a> Groups<'a> {
    #[inline(never)]
    pub(super) fn of(pass: &'a Pass, size: usize) -> Groups<'a> {
        let (count, step, axes) = match pass.lines.split_last() {
            Some((&(count, step), axes)) => (count, step, axes),
            None => (1, 0, &[][..]),
        };
        let most = if step == size as isize { MOST_LINES.min(ROW_BYTES / size) } else { MOST_LINES };
        Groups { walk: Walk::new(pass.start, axes), count, step, most, left: 0, at: 0 }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<Group> {
        if self.left == 0 {
            (self.at, self.left) = (self.walk.next()?, self.count);
        }
        let group = Group { at: self.at, lines: self.left.min(self.most), step: self.step };
        self.at = self.at.wrapping_add(self.step.wrapping_mul(group.lines as isize));
        self.left -= group.lines;
        Some(group)
    }
}

/// Tells whether consecutive positions of a line are at least as close in memory as consecutive lines.
pub(super) fn innermost(pass: &Pass) -> bool {
    let closer = |&(_, stride): &(usize, isize)| stride.unsigned_abs() < pass.stride.unsigned_abs();
    !pass.lines.last().is_some_and(closer)
}

/// Iterates over the offsets of all positions of some axes, in order.
pub(crate) struct Walk<'a> {
    axes: &'a [(usize, isize)],
    index: SmallVec<[usize; 8]>,
    at: isize,
    left: usize,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(start: isize, axes: &'a [(usize, isize)]) -> Walk<'a> {
        let left = axes.iter().map(|(count, _)| count).product();
        Walk { axes, index: SmallVec::from_elem(0, axes.len()), at: start, left }
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Option<isize> {
        self.left = self.left.checked_sub(1)?;
        let at = self.at;
        for (index, &(count, stride)) in self.index.iter_mut().zip(self.axes).rev() {
            *index += 1;
            // The last step may leave the memory, so the arithmetic wraps.
            self.at = self.at.wrapping_add(stride);
            if *index < count {
                break;
            }
            self.at = self.at.wrapping_sub(stride.wrapping_mul(count as isize));
            *index = 0;
        }
        Some(at)
    }
}
