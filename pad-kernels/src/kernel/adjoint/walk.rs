//! The rows of the input's gradient, and the rows of the output's gradient that each is the sum of.

use core::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::rows::SHORT;
use super::{Lanes, Work};
use crate::plan::adjoint::{Adjoint, Fold, Group, Kind};

/// Calls `work` with what is to be done for the rows in `rows`, counted in row-major order.
pub(super) fn walk(adjoint: &Adjoint, rows: Range<usize>, adds: bool, work: &mut dyn FnMut(Work, Lanes)) {
    let place = smallvec![(0, 0); adjoint.outer.len()];
    // Rows with long sums come by way of a row of sums, as all do that are added or do not lie in one piece.
    let long = |&patch: &usize| {
        let group = &adjoint.row.groups[patch];
        group.kind == Kind::Sum && (group.end - group.start) * adjoint.unit >= SHORT
    };
    let direct = adjoint.dense && !adds && !adjoint.patches.iter().any(long);
    let mut walk = Walk { adjoint, rows, place, lanes: Lanes { count: 1, step: (0, 0) }, direct, work };
    if adjoint.nothing {
        walk.zero(0, 0, adjoint.write);
    } else if adjoint.batch > 1 {
        walk.batches();
    } else {
        walk.level(0, 0, (adjoint.read, adjoint.write), false);
    }
}

struct Walk<'a> {
    adjoint: &'a Adjoint,
    rows: Range<usize>,
    /// The group and the index on each of the outer axes.
    place: SmallVec<[(usize, usize); 8]>,
    /// The rows that are worked on at a time.
    lanes: Lanes,
    /// Whether a row of one row is made in its place.
    direct: bool,
    work: &'a mut dyn FnMut(Work, Lanes),
}

impl Walk<'_> {
    /// The part of `indices` of an axis whose rows are among those that are wanted.
    fn clip(&self, level: usize, first: usize, indices: Range<usize>) -> (Range<usize>, usize) {
        let below: usize = self.adjoint.outer[level + 1..].iter().map(|fold| fold.inputs).product();
        let start = self.rows.start.saturating_sub(first) / below.max(1);
        let end = self.rows.end.saturating_sub(first).div_ceil(below.max(1));
        (indices.start.max(start)..indices.end.min(end), below)
    }

    /// Positions of the outermost axis as lanes. Where rows begin or end between them, one after the other.
    fn batches(&mut self) {
        let adjoint = self.adjoint;
        let batch = &adjoint.outer[0];
        let below: usize = adjoint.outer[1..].iter().map(|fold| fold.inputs).product();
        let Range { start, end } = self.rows;
        let whole = start.div_ceil(below)..(end / below).max(start.div_ceil(below));
        let all = (adjoint.read, adjoint.write);
        if start / below < whole.start {
            self.rows = start..end.min(whole.start * below);
            self.level(0, 0, all, false);
        }
        let mut i = whole.start;
        while i < whole.end {
            let count = adjoint.batch.min(whole.end - i);
            self.lanes = Lanes { count, step: (batch.read, batch.write) };
            self.rows = i * below..(i + 1) * below;
            self.level(0, 0, all, false);
            i += count;
        }
        self.lanes = Lanes { count: 1, step: (0, 0) };
        if whole.end * below < end && whole.end * below >= start {
            self.rows = whole.end * below..end;
            self.level(0, 0, all, false);
        }
    }

    /// Rows of which each has one row of the output.
    fn rows(&mut self, read: isize, write: isize, lanes: Lanes) {
        if self.direct {
            return (self.work)(Work::Rows { read, write }, lanes);
        }
        let mut done = 0;
        while done < lanes.count {
            let some = Lanes { count: (lanes.count - done).min(self.adjoint.lanes), ..lanes };
            let far = |step: isize| done as isize * step;
            (self.work)(Work::Fold { read: read + far(lanes.step.0), slot: 0 }, some);
            (self.work)(Work::Write { write: write + far(lanes.step.1) }, some);
            done += some.count;
        }
    }

    fn work(&mut self, work: Work) {
        (self.work)(work, self.lanes);
    }

    /// All positions of the axes from `level` on. The rows begin with number `first`; `read` is right for the axes outside, unless
    /// one of them has `sums` here.
    fn level(&mut self, level: usize, first: usize, (read, write): (isize, isize), sums: bool) {
        let adjoint = self.adjoint;
        let Some(fold) = adjoint.outer.get(level) else {
            if !sums {
                return self.rows(read, write, self.lanes);
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
                (Kind::Single, Some(term))
                    if !sums && level + 1 == adjoint.outer.len() && self.lanes.count == 1 =>
                {
                    let (read, write) = (read(indices.start), write(indices.start));
                    let step = (term.step * fold.read, fold.write);
                    self.rows(read, write, Lanes { count: indices.len(), step });
                }
                (Kind::Sum, Some(_))
                    if !sums
                        && level + 1 == adjoint.outer.len()
                        && self.lanes.count == 1
                        && fold.is_simple(group) =>
                {
                    let (read, write) = (read(indices.start), write(indices.start));
                    self.sum_rows(fold, group, indices, (read, write));
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

    /// Rows of a border, some at a time: of each the sum of the group's terms.
    fn sum_rows(&mut self, fold: &Fold, group: &Group, rows: Range<usize>, (read, write): (isize, isize)) {
        let mut i = rows.start;
        while i < rows.end {
            let count = self.adjoint.lanes.min(rows.end - i);
            for (number, term) in fold.terms_of(group).iter().enumerate() {
                let at = term.at + term.step * (i - group.start) as isize;
                let lanes = Lanes { count, step: (term.step * fold.read, fold.write) };
                (self.work)(Work::Fold { read: read + at * fold.read, slot: number.min(1) }, lanes);
                if number > 0 {
                    (self.work)(Work::Add { slot: 0 }, lanes);
                }
            }
            let write = write + (i - rows.start) as isize * fold.write;
            (self.work)(Work::Write { write }, Lanes { count, step: (0, fold.write) });
            i += count;
        }
    }

    /// Nothing is added to the rows of the axes from `level` on.
    fn zero(&mut self, level: usize, first: usize, write: isize) {
        let Some(fold) = self.adjoint.outer.get(level) else {
            return self.work(Work::Zero { write });
        };
        let (indices, below) = self.clip(level, first, 0..fold.inputs);
        for i in indices {
            self.zero(level + 1, first + i * below, write + i as isize * fold.write);
        }
    }

    /// Sums the rows at the place into `slot`: of each position of an axis, the sum along the axes inside of it.
    fn sum(&mut self, level: usize, read: isize, slot: usize) {
        let adjoint = self.adjoint;
        let Some(fold) = adjoint.outer.get(level) else {
            return self.work(Work::Fold { read, slot });
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
