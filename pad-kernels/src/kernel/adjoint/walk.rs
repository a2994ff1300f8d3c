//! The blocks of the input's gradient, and those of the output's gradient that each is the sum of.

use core::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::{Lanes, Work};
use crate::plan::adjoint::Adjoint;
use crate::plan::fold::{Fold, Group, Kind};

/// Calls `work` with what is to be done for the blocks in `blocks`, counted in row-major order.
pub(super) fn walk(adjoint: &Adjoint, blocks: Range<usize>, work: &mut dyn FnMut(Work, Lanes)) {
    let place = smallvec![(0, 0); adjoint.outer.len()];
    let mut walk = Walk { adjoint, blocks, place, work };
    if adjoint.nothing {
        walk.zero(0, 0, adjoint.write);
    } else {
        walk.level(0, 0, (adjoint.read, adjoint.write), false);
    }
}

/// One block at a time.
const ONE: Lanes = Lanes { count: 1, step: (0, 0) };

struct Walk<'a> {
    adjoint: &'a Adjoint,
    blocks: Range<usize>,
    /// The group and the index on each of the outer axes.
    place: SmallVec<[(usize, usize); 8]>,
    work: &'a mut dyn FnMut(Work, Lanes),
}

impl Walk<'_> {
    /// The part of `indices` of an axis whose blocks are among those that are wanted.
    fn clip(&self, level: usize, first: usize, indices: Range<usize>) -> (Range<usize>, usize) {
        let below: usize = self.adjoint.outer[level + 1..].iter().map(|fold| fold.inputs).product();
        let start = self.blocks.start.saturating_sub(first) / below.max(1);
        let end = self.blocks.end.saturating_sub(first).div_ceil(below.max(1));
        (indices.start.max(start)..indices.end.min(end), below)
    }

    fn work(&mut self, work: Work) {
        (self.work)(work, ONE);
    }

    /// All positions of the axes from `level` on. The blocks begin with number `first`; `read` is right for the axes outside, unless
    /// one of them has `sums` here.
    fn level(&mut self, level: usize, first: usize, (read, write): (isize, isize), sums: bool) {
        let adjoint = self.adjoint;
        let Some(fold) = adjoint.outer.get(level) else {
            if !sums {
                return self.work(Work::Blocks { read, write });
            }
            self.sum(0, adjoint.read, 0);
            return self.work(Work::Write { write });
        };
        for (number, group) in fold.groups.iter().enumerate() {
            let (indices, below) = self.clip(level, first, group.start..group.end);
            if indices.is_empty() {
                continue;
            }
            let write = |i: usize| write + i as isize * fold.write;
            let term = fold.terms_of(group).first();
            let read = |i: usize| match term {
                Some(term) if group.kind == Kind::Single => {
                    read + (term.at + term.step * (i - group.start) as isize) * fold.read
                }
                _ => read,
            };
            match (group.kind, term) {
                (Kind::Empty, _) | (_, None) => {
                    indices.for_each(|i| self.zero(level + 1, first + i * below, write(i)));
                }
                (Kind::Single, Some(term)) if !sums && level + 1 == adjoint.outer.len() => {
                    let (read, write) = (read(indices.start), write(indices.start));
                    let step = (term.step * fold.read, fold.write);
                    (self.work)(Work::Blocks { read, write }, Lanes { count: indices.len(), step });
                }
                (Kind::Sum, Some(_))
                    if !sums && level + 1 == adjoint.outer.len() && fold.is_simple(group) =>
                {
                    let (read, write) = (read(indices.start), write(indices.start));
                    self.sum_blocks(fold, group, indices, (read, write));
                }
                (kind, _) => {
                    for i in indices {
                        self.place[level] = (number, i);
                        let sums = sums || kind == Kind::Sum;
                        self.level(level + 1, first + i * below, (read(i), write(i)), sums);
                    }
                }
            }
        }
    }

    /// Blocks of a border, some at a time: of each the sum of the group's terms.
    fn sum_blocks(
        &mut self,
        fold: &Fold,
        group: &Group,
        blocks: Range<usize>,
        (read, write): (isize, isize),
    ) {
        let mut i = blocks.start;
        while i < blocks.end {
            let count = self.adjoint.lanes.min(blocks.end - i);
            for (number, term) in fold.terms_of(group).iter().enumerate() {
                let at = term.at + term.step * (i - group.start) as isize;
                let lanes = Lanes { count, step: (term.step * fold.read, fold.write) };
                (self.work)(Work::Sum { read: read + at * fold.read, slot: number.min(1) }, lanes);
                if number > 0 {
                    (self.work)(Work::Add { slot: 0 }, lanes);
                }
            }
            let write = write + (i - blocks.start) as isize * fold.write;
            (self.work)(Work::Write { write }, Lanes { count, step: (0, fold.write) });
            i += count;
        }
    }

    /// Nothing is added to the blocks of the axes from `level` on.
    fn zero(&mut self, level: usize, first: usize, write: isize) {
        let Some(fold) = self.adjoint.outer.get(level) else {
            return self.work(Work::Zero { write });
        };
        let (indices, below) = self.clip(level, first, 0..fold.inputs);
        for i in indices {
            self.zero(level + 1, first + i * below, write + i as isize * fold.write);
        }
    }

    /// Sums the blocks at the place into `slot`: of each position of an axis, the sum along the axes inside of it.
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
