//! The lines of a pass, taken together in groups: neighbours in memory, or wherever they lie.

use smallvec::SmallVec;

use super::Pass;

/// The most lines of a group whose elements are neighbours: long runs of memory, whose state stays in the first cache.
pub(super) const NEIGHBOURS: usize = 512;

/// The fewest of them for which loops over neighbours pay.
const FEWEST: usize = 8;

/// The most lines of a group that lie anywhere.
pub(super) const APART: usize = 32;

/// Lines that are worked on together.
pub(super) enum Group {
    /// So many, each one element behind the other, the first at this offset.
    Neighbours(isize, usize),
    /// So many, at the offsets of [`Groups`].
    Apart(usize),
}

/// All lines of a pass, in groups.
///
/// No closure is called with them: it would be a function without the instruction set of its caller.
pub(super) struct Groups<'a> {
    walk: Walk<'a>,
    size: usize,
    /// Lines of a run of neighbours, or 0 if they are apart.
    run: usize,
    /// Lines that are left of a run, and the offset of the first.
    left: usize,
    at: isize,
    /// Of lines that are apart. Those behind the last are of lines that are there, too.
    pub(super) offsets: [isize; APART],
}

impl<'a> Groups<'a> {
    pub(super) fn of(pass: &'a Pass, size: usize) -> Groups<'a> {
        let (run, axes) = match pass.lines.split_last() {
            Some((&(count, stride), outer)) if stride == size as isize && count >= FEWEST => (count, outer),
            _ => (0, &pass.lines[..]),
        };
        Groups { walk: Walk::new(pass.start, axes), size, run, left: 0, at: 0, offsets: [pass.start; APART] }
    }

    pub(super) fn next(&mut self) -> Option<Group> {
        if self.run == 0 {
            let mut count = 0;
            while count < APART
                && let Some(at) = self.walk.next()
            {
                self.offsets[count] = at;
                count += 1;
            }
            return (count > 0).then_some(Group::Apart(count));
        }
        if self.left == 0 {
            (self.at, self.left) = (self.walk.next()?, self.run);
        }
        let (at, now) = (self.at, self.left.min(NEIGHBOURS));
        self.at += (now * self.size) as isize;
        self.left -= now;
        Some(Group::Neighbours(at, now))
    }
}

/// The offsets of all positions of some axes, in order.
pub(super) struct Walk<'a> {
    axes: &'a [(usize, isize)],
    index: SmallVec<[usize; 8]>,
    at: isize,
    left: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(start: isize, axes: &'a [(usize, isize)]) -> Walk<'a> {
        let left = axes.iter().map(|(count, _)| count).product();
        Walk { axes, index: SmallVec::from_elem(0, axes.len()), at: start, left }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<isize> {
        self.left = self.left.checked_sub(1)?;
        let at = self.at;
        for (index, &(count, stride)) in self.index.iter_mut().zip(self.axes).rev() {
            *index += 1;
            self.at += stride;
            if *index < count {
                break;
            }
            self.at -= stride * count as isize;
            *index = 0;
        }
        Some(at)
    }
}
