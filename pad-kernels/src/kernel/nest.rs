//! Defines the interface between a generated loop nest and the code that writes output.
//!
//! A nest iterates over the outer axes. At each step it calls a method of [`Output`], which writes fill, repeats earlier output,
//! or writes blocks. A block is the innermost part of the output, such as one row.

use crate::plan::axis::Axis;
use crate::plan::form::{Expanded, Segment, Segments};

/// Writes the output of a nest. Offsets and lengths count atoms: bytes, or bits for packed types.
///
/// The contract of the unsafe methods:
/// - The machine has the instruction set of the output.
/// - Reads lie within the source, and writes within the destination.
/// - `rank` is the number of an axis, counted from the innermost one, which is number 1. `count` is at least 1.
/// - A repetition is not empty, and the `distance` atoms before it are already written.
/// - If the nest is sequential, the calls write the whole output in ascending order.
pub(super) trait Output {
    /// Tells whether the output has no holes and is already in memory, so that parts of it can be copied.
    fn is_dense(&self) -> bool;

    /// Writes fill for `count` positions of the axis number `rank`, from offset `at`.
    unsafe fn fill(&mut self, rank: usize, at: isize, count: usize);

    /// Writes `atoms` atoms from offset `at`, each equal to the atom `distance` before it. The output must be dense.
    unsafe fn again(&mut self, distance: isize, at: isize, atoms: isize);

    /// Writes `count` blocks along the axis number `rank`, with `gap` positions of fill between two blocks.
    ///
    /// The first block reads from `src` and goes to `dst`. The source of each next block lies `step` further.
    unsafe fn blocks(&mut self, rank: usize, src: isize, step: isize, dst: isize, count: usize, gap: usize);

    /// Writes the whole output as one block.
    unsafe fn all(&mut self, src: isize, dst: isize);

    /// Stores the output that is still in a buffer.
    unsafe fn finish(&mut self);
}

/// Returns the segments of an axis. If the output is not dense, a segment that repeats output is replaced by segments that read the source.
#[inline(always)]
pub(super) fn pieces(segments: &Segments, is_dense: bool) -> Pieces<'_> {
    if is_dense { Pieces::Listed(segments.iter()) } else { Pieces::Expanded(segments.expanded()) }
}

/// The iterator that [`pieces`] returns.
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

/// Returns the axes of a nest of rank `R` as an array.
///
/// # Panics
///
/// The call panics if the number of axes is not `R`.
#[inline(always)]
pub(super) fn axes_of<const R: usize>(axes: &[Axis]) -> &[Axis; R] {
    #[cold]
    #[inline(never)]
    fn refuse(axes: usize, rank: usize) -> ! {
        panic!("a kernel for {rank} axes was called with {axes}");
    }
    axes.try_into().unwrap_or_else(|_| refuse(axes.len(), R))
}
