//! Makes plans for outputs whose interior is already filled. Such a plan lists the moves that write only the borders.
//!
//! There is one pass per axis, from the axis with the shortest stride to the one with the longest. A pass writes the borders of
//! its axis as whole blocks. In this file, a block is the part of the output at one position of this axis and of each outer axis.
//! It contains the inner axes with their borders, which earlier passes have written. A pass visits only the interior positions of
//! the outer axes. Each border element is therefore written once, and the borders of outer axes are long runs.

use core::cmp::Reverse;

use smallvec::SmallVec;

use crate::error::PadError;
use crate::plan::Geometry;
use crate::plan::axis::Axis;
use crate::plan::form::Segment;
use crate::plan::signs::{Loops, merged};
use crate::spec::PadSpec;

/// An operation that writes the blocks at `count` consecutive positions of the axis. Offsets count bytes from the first position
/// of the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BorderMove {
    Fill {
        to: isize,
        count: usize,
    },
    /// Copies blocks in ascending order of their positions. The source blocks are `step` bytes apart. A copy may read blocks that
    /// it has written before.
    Copy {
        from: isize,
        step: isize,
        to: isize,
        count: usize,
    },
}

/// The borders of one axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pass {
    /// The loops over the interior of the outer axes.
    pub(crate) around: Loops,
    /// The byte offset of the first position.
    pub(crate) first: isize,
    /// The distance of two positions in bytes.
    pub(crate) stride: isize,
    pub(crate) moves: SmallVec<[BorderMove; 4]>,
    /// The contents of a block: loops around contiguous runs of `run` bytes.
    pub(crate) block: Loops,
    pub(crate) run: usize,
}

/// An axis, its border lengths, and the sides to write.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bordered {
    axis: Axis,
    low: usize,
    high: usize,
    sides: (bool, bool),
}

impl Bordered {
    /// Returns the start and the length of the part that is filled before the pass of this axis.
    fn there(&self) -> (usize, usize) {
        let low = if self.sides.0 { self.low } else { 0 };
        let high = if self.sides.1 { self.high } else { 0 };
        (low, self.axis.out - low - high)
    }

    /// Returns the moves that write the borders.
    fn moves(&self) -> SmallVec<[BorderMove; 4]> {
        let (stride, out) = (self.axis.dst_stride, self.axis.out);
        let place = |position: usize| position as isize * stride;
        let mut moves = SmallVec::new();
        let written = [(self.sides.0, 0..self.low), (self.sides.1, out - self.high..out)];
        for (_, range) in written.into_iter().filter(|(is_written, range)| *is_written && !range.is_empty()) {
            let begin = range.start;
            let mut at = begin;
            for &segment in self.axis.clip(range).segments().iter() {
                let to = place(at);
                moves.push(match segment {
                    Segment::Fill { count } => BorderMove::Fill { to, count },
                    Segment::Source { from, step, count, .. } => BorderMove::Copy {
                        from: place(self.low) + from * stride,
                        step: step * stride,
                        to,
                        count,
                    },
                    Segment::Again { from, step, count } => {
                        BorderMove::Copy { from: place(begin + from), step: step * stride, to, count }
                    }
                });
                at += segment.positions();
            }
        }
        moves
    }
}

/// Returns the passes that write the given sides of a checked request.
pub(crate) fn passes(
    geometry: &Geometry,
    spec: &PadSpec,
    sides: &[(bool, bool)],
) -> Result<SmallVec<[Pass; 4]>, PadError> {
    let mut axes: SmallVec<[Bordered; 6]> = SmallVec::new();
    // If the positions of an axis have different fills, this axis gets no pass. Either this axis is part of the unit, or it
    // separates planes that all have the same passes.
    let (coloured, size) = geometry.coloured();
    for (number, &axis) in geometry.axes.iter().enumerate() {
        let pad = spec.pad(number);
        let lengths = usize::try_from(pad.low).ok().zip(usize::try_from(pad.high).ok());
        match lengths {
            Some(_) if Some(number) == coloured => {}
            Some((low, high)) if pad.interior == 0 => {
                axes.push(Bordered { axis, low, high, sides: sides[number] });
            }
            _ => return Err(PadError::BorderInside { axis: number, pad }),
        }
    }
    let mut passes = SmallVec::new();
    if geometry.output.len == 0 {
        return Ok(passes);
    }
    axes.sort_by_key(|axis| Reverse(axis.axis.dst_stride.unsigned_abs()));
    for (number, of_pass) in axes.iter().enumerate().rev() {
        let moves = of_pass.moves();
        if moves.is_empty() || axes[..number].iter().any(|axis| axis.there().1 == 0) {
            continue;
        }
        let (mut around, mut first) = (Loops::new(), geometry.output.offset);
        for axis in &axes[..number] {
            let (begin, count) = axis.there();
            first += begin as isize * axis.axis.dst_stride;
            around.push((count, axis.axis.dst_stride));
        }
        let inner = axes[number + 1..].iter().map(|inner| (inner.axis.out, inner.axis.dst_stride));
        let mut block = merged(inner.chain([(size, 1)]).collect());
        let run = block.last().map_or(1, |&(run, stride)| if stride == 1 { run } else { 1 });
        block.retain(|&mut (_, stride)| stride != 1);
        passes.push(Pass { around, first, stride: of_pass.axis.dst_stride, moves, block, run });
    }
    Ok(passes)
}
