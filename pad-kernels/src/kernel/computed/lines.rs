//! Iterates over the lines of a pass in groups.

use smallvec::SmallVec;

use super::Pass;

/// The limit on a group's number of lines lies between these two. The states of `MOST_LINES` lines fit the first-level cache.
const LEAST_LINES: usize = 64;
pub(super) const MOST_LINES: usize = 1024;

/// The maximum distance in bytes from the first to the last line of a group that has more than `LEAST_LINES` lines. The hardware
/// prefetcher does not follow lines that are spread over a longer distance.
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
/// Kernels call `next` in a loop and pass no closure, because a closure might be compiled without their instruction set.
pub(super) struct Groups<'a> {
    walk: Walk<'a>,
    /// The number of lines along the shortest stride.
    count: usize,
    /// The maximum number of lines per group.
    most: usize,
    /// The lines along the shortest stride that `next` has not returned yet.
    rest: Group,
}

impl<'a> Groups<'a> {
    #[inline(never)]
    pub(super) fn of(pass: &'a Pass, size: usize) -> Groups<'a> {
        let (&(count, step), axes) = pass.lines.split_last().unwrap_or((&(1, 0), &[]));
        let most = (ROW_BYTES / step.unsigned_abs().max(size)).clamp(LEAST_LINES, MOST_LINES);
        Groups { walk: Walk::new(pass.start, axes), count, most, rest: Group { at: 0, lines: 0, step } }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<Group> {
        let rest = &mut self.rest;
        if rest.lines == 0 {
            (rest.at, rest.lines) = (self.walk.next()?, self.count);
        }
        let group = Group { lines: rest.lines.min(self.most), ..*rest };
        rest.at = rest.at.wrapping_add(rest.step.wrapping_mul(group.lines as isize));
        rest.lines -= group.lines;
        Some(group)
    }
}

/// Iterates over the offsets of all positions of some axes. The index of the last axis changes fastest.
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
