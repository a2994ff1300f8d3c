//! Iterates over the blocks of the input's gradient, and sums the blocks of the output's gradient that are added to each.
//!
//! This code runs once per step of a kernel, so it is not compiled for instruction sets.

use core::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::rows::{Runs, Side};
use super::{AdjointKernel, Spread, Step, Task};
use crate::plan::adjoint::Adjoint;
use crate::plan::fold::Kind;

/// Runs a kernel on all blocks in `blocks`, which are counted in row-major order.
///
/// # Safety
///
/// - The machine has the kernel's instruction set.
pub(super) unsafe fn walk(row: &AdjointKernel, task: Task<'_>, blocks: Range<usize>) {
    let adjoint = task.adjoint;
    let place = smallvec![(0, 0); adjoint.outer.len()];
    Walk { row, task, adjoint, blocks, place }.level(0, 0, adjoint.write, adjoint.nothing);
}

/// Some blocks that are summed together: neighbours on the last outer axis, or blocks of several planes.
#[derive(Clone, Copy)]
struct Lanes {
    count: usize,
    /// The distance between the blocks that are added to neighbours, or `None` if `Fold::positions` gives one per position.
    read: Option<isize>,
    /// Their distance in the input's gradient.
    write: isize,
}

const ONE: Lanes = Lanes { count: 1, read: Some(0), write: 0 };

struct Walk<'a, 'b> {
    row: &'a AdjointKernel,
    task: Task<'b>,
    adjoint: &'b Adjoint,
    blocks: Range<usize>,
    /// The group and the index on each outer axis.
    place: SmallVec<[(usize, usize); 8]>,
}

impl Walk<'_, '_> {
    /// Returns the part of `indices` whose blocks are in `self.blocks`, and the number of blocks per index.
    fn clip(&self, level: usize, first: usize, indices: Range<usize>) -> (Range<usize>, usize) {
        let below: usize = self.adjoint.outer[level + 1..].iter().map(|fold| fold.inputs).product();
        let start = self.blocks.start.saturating_sub(first) / below.max(1);
        let end = self.blocks.end.saturating_sub(first).div_ceil(below.max(1));
        (indices.start.max(start)..indices.end.min(end), below)
    }

    /// Visits the axes from `level` inwards. `first` is the number of the first block, and `write` its offset in the input's
    /// gradient. If `empty` is true, nothing is added to these blocks.
    fn level(&mut self, level: usize, first: usize, write: isize, empty: bool) {
        let adjoint = self.adjoint;
        let [fold, inner @ ..] = &adjoint.outer[level..] else {
            return self.lanes(adjoint.read, write, ONE, empty);
        };
        if inner.is_empty() {
            return self.last(first, write, ONE, empty);
        }
        for (number, group) in fold.groups.iter().enumerate() {
            let empty = empty || group.kind == Kind::Empty;
            let (indices, below) = self.clip(level, first, group.start..group.end);
            let mut i = indices.start;
            while i < indices.end {
                self.place[level] = (number, i);
                let (first, write) = (first + i * below, write + i as isize * fold.write);
                let mut count = 1;
                if inner.len() == 1 && group.kind == Kind::Single {
                    count = self.planes(first, below).min(indices.end - i);
                    let read = Some(fold.terms_of(group)[0].step * fold.read);
                    self.last(first, write, Lanes { count, read, write: fold.write }, empty);
                } else {
                    self.level(level + 1, first, write, empty);
                }
                i += count;
            }
        }
    }

    /// Returns how many planes of `rows` blocks are processed together, from the plane that begins with block `first`. There is
    /// more than one only if all of their blocks are requested.
    fn planes(&self, first: usize, rows: usize) -> usize {
        if first < self.blocks.start {
            return 1;
        }
        let wanted = (self.blocks.end - first) / rows.max(1);
        self.adjoint.planes.min(wanted).max(1)
    }

    /// Visits the last outer axis for each of the `planes`. If there is one plane, it visits only the requested blocks.
    fn last(&mut self, first: usize, write: isize, planes: Lanes, empty: bool) {
        let (adjoint, level) = (self.adjoint, self.adjoint.outer.len() - 1);
        let fold = &adjoint.outer[level];
        for (number, group) in fold.groups.iter().enumerate() {
            let all = group.start..group.end;
            let indices = if planes.count == 1 { self.clip(level, first, all).0 } else { all };
            if indices.is_empty() {
                continue;
            }
            let empty = empty || group.kind == Kind::Empty;
            // The blocks of one plane are processed together, or the blocks with the same index in all planes, whichever are
            // more. If terms are not listed, the positions of neighbours in a plane are not equally spaced.
            let across = planes.count > indices.len() || !empty && fold.repeats();
            let lanes = Lanes { count: indices.len(), read: None, write: fold.write };
            let (times, lanes) = if across { (indices.len(), planes) } else { (planes.count, lanes) };
            for time in 0..times {
                let (i, plane) =
                    if across { (indices.start + time, 0) } else { (indices.start, time as isize) };
                self.place[level] = (number, i);
                let read = adjoint.read + plane * planes.read.unwrap_or(0);
                self.lanes(read, write + plane * planes.write + i as isize * fold.write, lanes, empty);
            }
        }
    }

    /// Computes the blocks at the current place.
    fn lanes(&mut self, read: isize, write: isize, lanes: Lanes, empty: bool) {
        let whole = self.task.program.map_or(1, |program| program.whole);
        let outer = self.adjoint.outer.iter().zip(&self.place);
        let is_single = outer.clone().all(|(fold, &(group, _))| fold.groups[group].kind == Kind::Single);
        let mut done = 0;
        while done < lanes.count {
            let count = (lanes.count - done).min(self.adjoint.lanes);
            // A program may process rows in groups. Blocks that do not fill whole groups are summed separately.
            let count = if count > whole { count - count % whole } else { count };
            let first = write + done as isize * lanes.write - self.task.from as isize;
            let to = Spread { first: first as usize, step: lanes.write };
            if !empty {
                let direct = Some(to).filter(|&to| is_single && self.is_written(to, count));
                self.sum(0, (read, 0), lanes.read, (done, count), 0, direct);
                if direct.is_none() {
                    self.step(Step::Write { to }, count);
                }
            } else if !self.task.adds {
                self.zero(to, count);
            }
            done += count;
        }
    }

    /// Sums `count` blocks from number `done` into `slot`, or directly `to` the input's gradient. For each position of an outer
    /// axis, the axes further inside are summed first.
    ///
    /// `read` is the offset of the first block, and the distance to the next one on the last axis. If `across` is given, it
    /// replaces this distance.
    fn sum(
        &mut self,
        level: usize,
        read: (isize, isize),
        across: Option<isize>,
        (done, count): (usize, usize),
        slot: usize,
        to: Option<Spread>,
    ) {
        let adjoint = self.adjoint;
        let Some(fold) = adjoint.outer.get(level) else {
            let step = across.unwrap_or(read.1);
            let read = Spread { first: (read.0 + done as isize * step) as usize, step };
            let is_near = self.is_near(read, count);
            if !is_near {
                self.copy(read, count);
            }
            return self.step(Step::Sum { read, is_near, slot, to }, count);
        };
        let (group, i) = self.place[level];
        let mut into = slot;
        fold.positions(&fold.groups[group], i, |position, step| {
            let read = (read.0 + position * fold.read, step * fold.read);
            self.sum(level + 1, read, across, (done, count), into, to);
            if into > slot {
                self.step(Step::Add { slot }, count);
            }
            into = slot + 1;
        });
    }

    fn step(&mut self, step: Step, count: usize) {
        // SAFETY: the caller of `walk` says that the machine has the instruction set.
        unsafe { (self.row.kernel)(&mut self.task, step, count) }
    }

    /// Tells whether the kernel can read the blocks in place. Plain loops always can.
    ///
    /// A program can read them in place if they are contiguous or single rows. The bytes that it reads past the blocks must
    /// exist, too.
    fn is_near(&self, blocks: Spread, count: usize) -> bool {
        let adjoint = self.adjoint;
        let Some(program) = self.task.program else { return true };
        let numbers = self.task.grad_out.len() / adjoint.numbers.bytes;
        adjoint.packed.0
            && match program.row_reach() {
                Some(reach) => blocks.is_within(count, reach, numbers),
                None => {
                    let beside = count == 1 || blocks.step == adjoint.outputs() as isize;
                    beside && blocks.first + program.extents(count).0 <= numbers
                }
            }
    }

    /// Tells whether the kernel can write the sums directly to the input's gradient.
    ///
    /// A program that processes rows in groups may write more rows than the blocks have. The sums then go to a slot.
    fn is_written(&self, to: Spread, count: usize) -> bool {
        let (adjoint, width) = (self.adjoint, self.adjoint.width());
        let Some(program) = self.task.program else { return false };
        let beside = count == 1 || to.step == width as isize;
        let fits = program.row_reach().is_some() || beside && program.extents(count).1 == count * width;
        !self.task.adds && adjoint.packed.1 && fits
    }

    /// Copies blocks of the output's gradient, one after another, into the program's first buffer.
    fn copy(&mut self, blocks: Spread, count: usize) {
        let (adjoint, bytes) = (self.adjoint, self.adjoint.numbers.bytes);
        let (start, outputs) = (self.task.buffers(), adjoint.outputs());
        let buffer = &mut self.task.scratch[start..];
        for lane in 0..count {
            for (to, from) in Runs::of(adjoint, Side::Output, blocks.at(lane)) {
                let to = (lane * outputs + to.start) * bytes..(lane * outputs + to.end) * bytes;
                buffer[to].copy_from_slice(&self.task.grad_out[from.start * bytes..from.end * bytes]);
            }
        }
    }

    /// Writes zeros to blocks.
    fn zero(&mut self, blocks: Spread, count: usize) {
        let bytes = self.adjoint.numbers.bytes;
        for lane in 0..count {
            for (_, to) in Runs::of(self.adjoint, Side::Input, blocks.at(lane)) {
                self.task.grad_in[to.start * bytes..to.end * bytes].fill(0);
            }
        }
    }
}
