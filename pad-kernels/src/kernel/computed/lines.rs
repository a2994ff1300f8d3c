//! The lines of a pass, taken together in groups: neighbours in memory, or wherever they lie.

use smallvec::SmallVec;

use super::Pass;

/// The most lines of a group whose elements are neighbours: long runs of memory, whose state stays in the first cache.
pub(super) const NEIGHBOURS: usize = 1024;

/// The longest run of them, in bytes. Maxima of 1024 columns of f32 took a third longer in two groups than in one: each row was
/// left before the processor had fetched ahead.
const RUN: usize = 4096;

/// The fewest of them for which loops over neighbours pay.
const FEWEST: usize = 8;

/// The most lines of a group that lie anywhere.
pub(super) const APART: usize = 32;

/// Lines that are worked on together.
pub(super) enum Group {
    /// So many, each one element behind the other, the first at this offset.
    Neighbours(isize, usize),
    /// So few of the same, whose positions follow one another: one run of memory, in which the lines take turns. There are so many
    /// of these runs, so far apart.
    Bundles(isize, usize, Repeated),
    /// So many, at the offsets of [`Groups`].
    Apart(usize),
}

/// So many times, so many bytes apart.
pub(super) struct Repeated {
    pub(super) count: usize,
    pub(super) step: isize,
}

#[derive(Clone, Copy)]
enum Kind {
    Neighbours,
    Bundle(usize),
    Apart,
}

/// All lines of a pass, in groups.
///
/// No closure is called with them: it would be a function without the instruction set of its caller.
pub(super) struct Groups<'a> {
    kind: Kind,
    size: usize,
    /// The axes around the innermost one, and how often and how far apart that has lines or bundles.
    walk: Walk<'a>,
    count: usize,
    step: isize,
    /// What is left of the innermost axis, and the offset of the first.
    left: usize,
    at: isize,
    /// Of lines that are apart. Those behind the last are of lines that are there, too.
    pub(super) offsets: [isize; APART],
}

/// How many lines are one run of memory with all of their positions, if that is so.
pub(super) fn bundled(pass: &Pass, size: usize) -> Option<usize> {
    let lines = match pass.lines.last() {
        Some(&(count, stride)) if stride == size as isize => count,
        _ => 1,
    };
    (lines < FEWEST && pass.stride == (lines * size) as isize).then_some(lines)
}

impl<'a> Groups<'a> {
    /// Bundles are made of lines that can be, if they are wanted.
    #[inline]
    pub(super) fn of(pass: &'a Pass, size: usize, bundles: bool) -> Groups<'a> {
        let mut axes = &pass.lines[..];
        let mut kind = Kind::Apart;
        if let Some(lines) = bundled(pass, size).filter(|_| bundles) {
            kind = Kind::Bundle(lines);
            axes = &axes[..axes.len() - usize::from(lines > 1)];
        }
        let (count, step) = match axes.split_last() {
            Some((&(count, step), outer)) => {
                if step == size as isize && count >= FEWEST {
                    kind = Kind::Neighbours;
                }
                axes = outer;
                (count, step)
            }
            None => (1, 0),
        };
        let walk = Walk::new(pass.start, axes);
        Groups { kind, size, walk, count, step, left: 0, at: 0, offsets: [pass.start; APART] }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<Group> {
        if let Kind::Apart = self.kind {
            let mut count = 0;
            while count < APART && self.is_more() {
                let now = self.left.min(APART - count);
                for (slot, line) in self.offsets[count..count + now].iter_mut().zip(0..) {
                    *slot = self.at + line * self.step;
                }
                self.skip(now);
                count += now;
            }
            return (count > 0).then_some(Group::Apart(count));
        }
        if !self.is_more() {
            return None;
        }
        let at = self.at;
        if let Kind::Bundle(lines) = self.kind {
            let Groups { left: count, step, .. } = *self;
            self.left = 0;
            return Some(Group::Bundles(at, lines, Repeated { count, step }));
        }
        let now = self.left.min(NEIGHBOURS).min(RUN / self.size);
        self.skip(now);
        Some(Group::Neighbours(at, now))
    }

    /// Goes on to the next place of the axes around the innermost one, where nothing is left of that.
    #[inline]
    fn is_more(&mut self) -> bool {
        if self.left == 0 {
            let Some(at) = self.walk.next() else { return false };
            (self.at, self.left) = (at, self.count);
        }
        true
    }

    #[inline]
    fn skip(&mut self, lines: usize) {
        self.at = self.at.wrapping_add((lines as isize).wrapping_mul(self.step));
        self.left -= lines;
    }
}

/// The offsets of all positions of some axes, in order.
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
            // Behind the last position memory may end.
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
