//! Iterates over the blocks of the input's gradient. For each of them, it finds the blocks of the output's gradient to add.

use core::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::{Lanes, Terms, Work};
use crate::plan::adjoint::Adjoint;
use crate::plan::fold::Kind;

/// Calls `work` for each block in the range `blocks`. Blocks are numbered in row-major order.
pub(super) fn walk(adjoint: &Adjoint, blocks: Range<usize>, work: &mut dyn FnMut(Work<'_>, Lanes)) {
    let place = smallvec![(0, 0); adjoint.outer.len()];
    let mut walk = Walk { adjoint, blocks, place, work };
    if adjoint.nothing {
        walk.zero(0, 0, adjoint.write);
    } else {
        walk.level(0, 0, (adjoint.read, adjoint.write), false);
    }
}

/// One block.
const ONE: Lanes = Lanes { count: 1, step: 0 };

/// Several planes that are processed together, and the distance of two planes in both gradients.
#[derive(Clone, Copy)]
struct Planes {
    count: usize,
    step: (isize, isize),
}

const ONE_PLANE: Planes = Planes { count: 1, step: (0, 0) };

struct Walk<'a> {
    adjoint: &'a Adjoint,
    blocks: Range<usize>,
    /// The current group, and the index within the group, for each outer axis.
    place: SmallVec<[(usize, usize); 8]>,
    work: &'a mut dyn FnMut(Work<'_>, Lanes),
}

impl Walk<'_> {
    /// Returns those of `indices` whose blocks are in the requested range, and the number of blocks per index.
    fn clip(&self, level: usize, first: usize, indices: Range<usize>) -> (Range<usize>, usize) {
        let below: usize = self.adjoint.outer[level + 1..].iter().map(|fold| fold.inputs).product();
        let start = self.blocks.start.saturating_sub(first) / below.max(1);
        let end = self.blocks.end.saturating_sub(first).div_ceil(below.max(1));
        (indices.start.max(start)..indices.end.min(end), below)
    }

    fn work(&mut self, work: Work<'_>) {
        (self.work)(work, ONE);
    }

    /// Visits the axes from `level` inwards. `first` is the number of the first block. `read` and `write` are offsets in the two gradients.
    ///
    /// `sums` says that an outer axis has several terms here. Then `read` is not used.
    fn level(&mut self, level: usize, first: usize, (read, write): (isize, isize), sums: bool) {
        let adjoint = self.adjoint;
        let Some(fold) = adjoint.outer.get(level) else {
            if !sums {
                return self.work(Work::Blocks { terms: Terms::one(read), write });
            }
            self.sum(0, adjoint.read, 0);
            return self.work(Work::Write { write });
        };
        let left = adjoint.outer.len() - level;
        if left == 1 && !sums {
            return self.last(first, (read, write), ONE_PLANE);
        }
        for (number, group) in fold.groups.iter().enumerate() {
            let (indices, below) = self.clip(level, first, group.start..group.end);
            let (start, step) = match fold.terms_of(group) {
                [term, ..] if group.kind == Kind::Single => (term.at * fold.read, term.step * fold.read),
                _ => (0, 0),
            };
            let mut i = indices.start;
            while i < indices.end {
                self.place[level] = (number, i);
                let first = first + i * below;
                let read = read + start + (i - group.start) as isize * step;
                let write = write + i as isize * fold.write;
                let mut count = 1;
                match group.kind {
                    Kind::Empty => self.zero(level + 1, first, write),
                    Kind::Single if left == 2 && !sums => {
                        count = self.planes(first, below).min(indices.end - i);
                        self.last(first, (read, write), Planes { count, step: (step, fold.write) });
                    }
                    kind => self.level(level + 1, first, (read, write), sums || kind == Kind::Sum),
                }
                i += count;
            }
        }
    }

    /// Returns how many planes of `rows` blocks are processed together, from the plane that begins with block `first`. It returns more than
    /// one only if all blocks of these planes are requested.
    fn planes(&self, first: usize, rows: usize) -> usize {
        if first < self.blocks.start {
            return 1;
        }
        let wanted = (self.blocks.end - first) / rows.max(1);
        self.adjoint.planes.min(wanted).max(1)
    }

    /// Visits the last axis in each of the `planes`. If there is only one plane, it visits only the requested blocks.
    fn last(&mut self, first: usize, place: (isize, isize), planes: Planes) {
        let level = self.adjoint.outer.len() - 1;
        // Consecutive blocks come first, because the CPU prefetches their cache lines in order. This also loads most lines of the borders.
        for neighbours in [true, false] {
            for (number, group) in self.adjoint.outer[level].groups.iter().enumerate() {
                let all = group.start..group.end;
                let indices = if planes.count == 1 { self.clip(level, first, all).0 } else { all };
                let is_first = group.kind == Kind::Single && indices.len() >= planes.count;
                if is_first == neighbours && !indices.is_empty() {
                    self.group(number, indices, place, planes);
                }
            }
        }
    }

    /// Visits some indices of a group of the last axis, in each of the planes.
    fn group(&mut self, number: usize, indices: Range<usize>, (read, write): (isize, isize), planes: Planes) {
        let adjoint = self.adjoint;
        let level = adjoint.outer.len() - 1;
        let fold = &adjoint.outer[level];
        let group = &fold.groups[number];
        if fold.repeats() && group.kind == Kind::Sum {
            debug_assert!(planes.count == 1);
            for i in indices {
                self.place[level] = (number, i);
                self.sum(0, adjoint.read, 0);
                self.work(Work::Write { write: write + i as isize * fold.write });
            }
            return;
        }
        // Processes together the blocks of one plane, or the corresponding blocks of all planes, whichever are more.
        let of_all = planes.count > indices.len();
        let across = if of_all { indices.len() } else { planes.count };
        for i in 0..across {
            let (index, plane) = if of_all { (indices.start + i, 0) } else { (indices.start, i as isize) };
            let write = write + plane * planes.step.1 + index as isize * fold.write;
            let lanes = match of_all {
                true => Lanes { count: planes.count, step: planes.step.1 },
                false => Lanes { count: indices.len(), step: fold.write },
            };
            if group.kind == Kind::Empty {
                (self.work)(Work::Zero { write }, lanes);
                continue;
            }
            let terms = Terms {
                list: fold.terms_of(group),
                index: (index - group.start) as isize,
                read: read + plane * planes.step.0,
                stride: fold.read,
                across: of_all.then_some(planes.step.0),
            };
            (self.work)(Work::Blocks { terms, write }, lanes);
        }
    }

    /// Visits the axes from `level` inwards, for blocks to which nothing is added.
    fn zero(&mut self, level: usize, first: usize, write: isize) {
        let Some(fold) = self.adjoint.outer.get(level) else {
            return self.work(Work::Zero { write });
        };
        let (indices, below) = self.clip(level, first, 0..fold.inputs);
        if level + 1 == self.adjoint.outer.len() {
            let write = write + indices.start as isize * fold.write;
            return (self.work)(Work::Zero { write }, Lanes { count: indices.len(), step: fold.write });
        }
        for i in indices {
            self.zero(level + 1, first + i * below, write + i as isize * fold.write);
        }
    }

    /// Sums the blocks at the current place into `slot`. For each position of an axis, it first sums the axes inside of it.
    fn sum(&mut self, level: usize, read: isize, slot: usize) {
        let adjoint = self.adjoint;
        let Some(fold) = adjoint.outer.get(level) else {
            return self.work(Work::Sum { read, slot });
        };
        let (group, i) = self.place[level];
        let mut first = true;
        fold.positions(&fold.groups[group], i, |position| {
            let read = read + position * fold.read;
            if core::mem::take(&mut first) {
                self.sum(level + 1, read, slot);
            } else {
                self.sum(level + 1, read, slot + 1);
                self.work(Work::Add { slot });
            }
        });
    }
}
