//! What generated loop nests are made of: positions of outer axes, and where they go.

use crate::plan::axis::Axis;
use crate::plan::form::{Expanded, Segment, Segments};

/// The output of a nest. Offsets and lengths count atoms: bytes, or bits of packed types.
///
/// The contract of the unsafe methods:
/// - The machine has the instruction set of the output.
/// - What is read lies within the source, and what is written within the destination.
/// - If the nest is sequential, all of the output is written from front to back.
pub(super) trait Output {
    /// Whether what was written can be copied in blocks: there is nothing between the positions of any axis.
    fn is_dense(&self) -> bool;

    /// Fill for `count` positions of the outermost of the last `rank` axes, from `at` on.
    unsafe fn fill(&mut self, rank: usize, at: isize, count: usize);

    /// What was written `distance` atoms before, up to there, for `atoms` atoms from `at` on: of a dense output.
    unsafe fn again(&mut self, distance: isize, at: isize, atoms: isize);

    /// `count` blocks along the outermost of the last `rank` axes, with `gap` positions of fill between each two. Their sources are
    /// `step` apart.
    unsafe fn blocks(&mut self, rank: usize, src: isize, step: isize, dst: isize, count: usize, gap: usize);

    /// All there is, where one block is.
    unsafe fn all(&mut self, src: isize, dst: isize);

    /// Completes the output.
    unsafe fn finish(&mut self);
}

/// The segments of an axis as an output takes them: with repetitions if it can copy what was written.
#[inline(always)]
pub(super) fn pieces(segments: &Segments, is_dense: bool) -> Pieces<'_> {
    if is_dense { Pieces::Listed(segments.iter()) } else { Pieces::Expanded(segments.expanded()) }
}

/// See [`pieces`].
pub(super) enum Pieces<'a> {
    Listed(core::slice::Iter<'a, Segment>),
    Expanded(Expanded<'a>),
}

impl Iterator for Pieces<'_> {
    type Item = Segment;

    #[inline(always)]
    fn next(&mut self) -> Option<Segment> {
        match self {
            Pieces::Listed(listed) => listed.next().copied(),
            Pieces::Expanded(expanded) => expanded.next(),
        }
    }
}

/// The elements of an axis that a segment took from the input, and where they were written.
#[derive(Clone, Copy)]
pub(super) struct Made {
    from: isize,
    step: isize,
    count: isize,
    dst: isize,
    pitch: isize,
}

impl Made {
    /// No element.
    pub(super) const NONE: Made = Made { from: 0, step: 0, count: 0, dst: 0, pitch: 0 };

    /// `count` elements from `from` on, each `step` (1, -1 or 0) after the last; the first at `dst`, the others `pitch` further each.
    #[inline(always)]
    pub(super) fn new((from, step, count): (isize, isize, usize), dst: isize, pitch: isize) -> Made {
        Made { from, step, count: count as isize, dst, pitch }
    }

    /// Where an element was written, if it is one of them.
    #[inline(never)]
    pub(super) fn place(&self, element: isize) -> Option<isize> {
        let number = (element - self.from) * self.step;
        let is_made = (0..self.count).contains(&number) && self.from + number * self.step == element;
        is_made.then_some(self.dst + number * self.pitch)
    }
}

/// The axes of a nest of rank `R`.
///
/// # Panics
///
/// If there are as many axes as another kernel is for.
#[inline(always)]
pub(super) fn axes_of<const R: usize>(axes: &[Axis]) -> &[Axis; R] {
    #[cold]
    #[inline(never)]
    fn refuse(axes: usize, rank: usize) -> ! {
        panic!("a kernel for {rank} axes was called with {axes}");
    }
    axes.try_into().unwrap_or_else(|_| refuse(axes.len(), R))
}
