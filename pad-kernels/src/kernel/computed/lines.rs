//! The lines of a pass, taken together in groups: neighbours in memory, or wherever they lie.

use smallvec::SmallVec;

use super::Pass;

/// The most lines of a group whose elements are neighbours: long runs of memory, whose state stays in the first cache.
pub(super) const NEIGHBOURS: usize = 256;

/// The fewest of them for which loops over neighbours pay.
const FEWEST: usize = 8;

/// The most lines of a group that lie anywhere.
pub(super) const APART: usize = 32;

/// Lines that are worked on together.
pub(super) enum Group {
    /// So many, each one element behind the other, the first at this offset.
    Neighbours(isize, usize),
    /// So many, at these offsets.
    Apart([isize; APART], usize),
}

/// Calls `each` for all lines of a pass, in groups; `most` lines that are neighbours in one.
#[inline(always)]
pub(super) fn groups(pass: &Pass, size: usize, most: usize, mut each: impl FnMut(&Group)) {
    match pass.lines.split_last() {
        Some((&(count, stride), outer)) if stride == size as isize && count >= FEWEST => {
            let mut walk = Walk::new(pass.start, outer);
            while let Some(at) = walk.next() {
                let mut done = 0;
                while done < count {
                    let now = most.min(count - done);
                    each(&Group::Neighbours(at + (done * size) as isize, now));
                    done += now;
                }
            }
        }
        _ => {
            let mut walk = Walk::new(pass.start, &pass.lines);
            loop {
                let (mut offsets, mut count) = ([0; APART], 0);
                while count < APART
                    && let Some(at) = walk.next()
                {
                    offsets[count] = at;
                    count += 1;
                }
                if count == 0 {
                    break;
                }
                each(&Group::Apart(offsets, count));
            }
        }
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
