//! Makes programs, which `program.rs` explains. Chooses the registers to load, and the permutations that turn numbers into sums.
//!
//! The gradient `[b1 a b2 c]` of a reflected output sums to `[a, b1 + b2, c]`, one sum per lane. One permutation takes the first
//! terms `[a b1 c]` of all lanes, and a second one takes `[- b2 -]`. Both results are added. A pick is one permutation.

use alloc::vec::Vec;
use smallvec::SmallVec;

use super::program::{Kind, Pass, Pick, Program, Registers, Sum, Table};
use crate::plan::adjoint::Adjoint;
use crate::plan::fold::Fold;
use crate::plan::form::Term;
use crate::plan::pattern::BLOCK;

/// The maximum number of terms in a group of short rows.
const MOST_GROUPED: usize = 1024;

impl Program {
    /// Makes the program of an adjoint with listed terms.
    pub(super) fn new(adjoint: &Adjoint, registers: Registers) -> Program {
        let mut program =
            Program { passes: SmallVec::new(), tables: Vec::new(), buffers: [0; 2], over: 0, whole: 1 };
        let block = &adjoint.block;
        let mut run = adjoint.unit;
        for (depth, fold) in block.iter().enumerate().rev() {
            let rows = block[..depth].iter().map(|fold| fold.outputs).product();
            // The program needs at least one pass, even if this pass only copies.
            if !fold.is_identity() || depth + 1 == block.len() {
                program.add_pass(fold, run, rows, adjoint.lanes, registers);
            }
            run *= fold.inputs;
        }
        let (lanes, last) = (adjoint.lanes, program.passes.len() - 1);
        for (number, pass) in program.passes.iter().enumerate() {
            let (from, to) = pass.extent(lanes);
            program.buffers[number % 2] = from.max(program.buffers[number % 2]);
            if number < last {
                program.buffers[(number + 1) % 2] = to.max(program.buffers[(number + 1) % 2]);
            } else {
                program.over = to - lanes * adjoint.width();
                let is_whole = |blocks: &usize| (pass.rows * blocks).is_multiple_of(pass.group);
                program.whole = (1..=lanes).find(is_whole).unwrap_or(1);
            }
        }
        program
    }

    /// Adds a pass. It tries several group sizes and keeps the cheapest.
    fn add_pass(&mut self, fold: &Fold, run: usize, rows: usize, lanes: usize, registers: Registers) {
        // Only the first pass reads numbers. The others read sums.
        let number = if self.passes.is_empty() { registers.number } else { registers.sum };
        let registers = Registers { number, ..registers };
        let all = rows.saturating_mul(lanes);
        let mut best: Option<(usize, Packer)> = None;
        let (row, terms) = (fold.inputs * run, fold.count_terms());
        // The group sizes to try: one row, or as many rows as fill one or two registers.
        for group in (0..=2).map(|filled| (filled * registers.lanes() / row).max(1)) {
            let tried = best.as_ref().is_some_and(|(_, packer)| packer.pass.group >= group);
            if tried || group > 1 && (group > all || group * terms * run > MOST_GROUPED) {
                continue;
            }
            let packer = Packer::pack(fold, run, group, registers, &self.tables);
            // If the rows do not fill the last group, the cost includes a copy of all rows to a buffer.
            let copied =
                if all.is_multiple_of(group) { 0 } else { all * fold.outputs * run / registers.lanes() };
            let cost = packer.cost() * all.div_ceil(group) + copied;
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, packer));
            }
        }
        if let Some((_, mut packer)) = best {
            packer.pass.rows = rows;
            self.tables = packer.tables;
            self.passes.push(packer.pass);
        }
    }
}

/// The numbers that a permutation takes from the register at `src`: pairs of a lane and the index of the number that goes to it.
struct Taken {
    src: usize,
    numbers: Vec<(usize, usize)>,
}

/// Builds one pass.
struct Packer<'a> {
    fold: &'a Fold,
    run: usize,
    registers: Registers,
    tables: Vec<Table>,
    pass: Pass,
}

impl Packer<'_> {
    /// Builds the pass that computes all sums of a group of `group` rows. Each position has `run` numbers.
    fn pack<'a>(
        fold: &'a Fold,
        run: usize,
        group: usize,
        registers: Registers,
        tables: &[Table],
    ) -> Packer<'a> {
        let steps = (group * fold.outputs * run, group * fold.inputs * run);
        let pass = Pass { rows: 0, group, steps, reach: steps.0, moves: Vec::new(), picks: Vec::new() };
        let mut packer = Packer { fold, run, registers, tables: tables.to_vec(), pass };
        let mut packed = 0;
        for row in 0..group {
            for part in &fold.groups {
                // If neighbouring elements have neighbouring terms, one move can sum all of `part`. Otherwise a move sums one
                // element. Parts that are shorter than a register are gathered.
                let along = |term: &Term| (term.step, term.hold) == (1, 1);
                let elements = part.end - part.start;
                let each = if fold.terms_of(part).iter().all(along) { elements } else { 1 };
                for i in (part.start..part.end).step_by(each) {
                    let (at, count) = ((row * fold.inputs + i) * run, each * run);
                    if count >= registers.lanes() {
                        packer.gather(packed, at);
                        packer.push_run(at, count);
                        packed = at + count;
                    }
                }
            }
        }
        packer.gather(packed, steps.1);
        packer
    }

    /// Returns the source offsets of the terms of a sum, in ascending order.
    fn terms(&self, sum: usize) -> SmallVec<[usize; 4]> {
        let Packer { fold, run, .. } = *self;
        let (row, i, part) = (sum / run / fold.inputs, sum / run % fold.inputs, sum % run);
        let group = &fold.groups[fold.groups.partition_point(|group| group.end <= i)];
        let mut terms = SmallVec::new();
        fold.positions(group, i, |position, _| {
            terms.push((row * fold.outputs + position as usize) * run + part);
        });
        terms
    }

    fn push_run(&mut self, dst: usize, count: usize) {
        let whole = count.next_multiple_of(self.registers.lanes());
        let first = self.pass.picks.len();
        for term in self.terms(dst) {
            self.pass.picks.push(Pick { src: term as u32, table: 0 });
            self.pass.reach = self.pass.reach.max(term + whole);
        }
        let exact = dst + whole > self.pass.steps.1;
        self.push(first, dst, count, Kind::Run { exact });
    }

    /// Adds a move that uses all picks from number `first` on.
    fn push(&mut self, first: usize, dst: usize, count: usize, kind: Kind) {
        let picks = (first as u32, self.pass.picks.len() as u32);
        self.pass.moves.push(Sum { dst: dst as u32, count: count as u32, picks, kind });
    }

    /// Adds moves for the sums `start..end`. Each move computes at most one register of sums.
    fn gather(&mut self, start: usize, end: usize) {
        let lanes = self.registers.lanes();
        for at in (start..end).step_by(lanes) {
            let terms: Vec<_> = (at..end.min(at + lanes)).map(|sum| self.terms(sum)).collect();
            self.push_gather(at, &terms);
        }
    }

    fn push_gather(&mut self, dst: usize, terms: &[SmallVec<[usize; 4]>]) {
        let first = self.pass.picks.len();
        for Taken { src, numbers } in self.picks(terms) {
            let table = self.table(&numbers, self.registers.number);
            self.pass.picks.push(Pick { src: src as u32, table });
            self.pass.reach = self.pass.reach.max(src + self.registers.numbers());
        }
        let empty = terms.iter().enumerate().filter(|(_, terms)| terms.is_empty());
        let removed: Vec<(usize, usize)> = empty.map(|(lane, _)| (lane, 0)).collect();
        let removed = (!removed.is_empty()).then(|| self.table(&removed, self.registers.sum));
        // Later moves overwrite the lanes that this move writes after its sums.
        let count = self.registers.lanes().min(self.pass.steps.1 - dst);
        self.push(first, dst, count, Kind::Gather { removed });
    }

    /// Returns permutations that collect the first term of all lanes, then the second term of all lanes, and so on. For each of
    /// these steps, they load as few registers as possible.
    fn picks(&self, terms: &[SmallVec<[usize; 4]>]) -> Vec<Taken> {
        let numbers = self.registers.numbers();
        let mut picks = Vec::new();
        for number in 0..terms.iter().map(SmallVec::len).max().unwrap_or(0) {
            let term = |(lane, terms): (usize, &SmallVec<[usize; 4]>)| Some((*terms.get(number)?, lane));
            let mut terms: Vec<(usize, usize)> = terms.iter().enumerate().filter_map(term).collect();
            terms.sort_unstable();
            let mut rest = &terms[..];
            while let [(first, _), ..] = *rest {
                // The register does not reach past the group's source, unless the whole source is shorter than a register.
                let src = self.pass.steps.0.checked_sub(numbers).map_or(first, |last| first.min(last));
                let (now, later) = rest.split_at(rest.partition_point(|&(at, _)| at < src + numbers));
                picks.push(Taken { src, numbers: now.iter().map(|&(at, lane)| (lane, at - src)).collect() });
                rest = later;
            }
        }
        picks
    }

    /// Returns the index of the table that moves numbers of `bytes` bytes to the upper bytes of their lanes. Adds it if it is
    /// new.
    fn table(&mut self, of_lanes: &[(usize, usize)], bytes: usize) -> u32 {
        let Registers { grain, sum, .. } = self.registers;
        // An index whose top bit is set leaves its bytes unchanged.
        let mut table = Table([0x80; BLOCK]);
        for &(lane, number) in of_lanes {
            let start = lane * sum + if cfg!(target_endian = "little") { sum - bytes } else { 0 };
            for part in 0..bytes / grain {
                let index = number * (bytes / grain) + part;
                let to = &mut table.0[start + part * grain..][..grain];
                to.fill(0);
                to[0] = index as u8;
            }
        }
        let at = self.tables.iter().position(|other| *other == table);
        let at = at.unwrap_or_else(|| {
            self.tables.push(table);
            self.tables.len() - 1
        });
        at as u32
    }

    /// Estimates the time for a group, in arbitrary units.
    fn cost(&self) -> usize {
        let lanes = self.registers.lanes();
        let of_move = |&Sum { count, picks, kind, .. }: &Sum| {
            let picks = (picks.1 - picks.0) as usize;
            match kind {
                Kind::Run { .. } => 3 + (count as usize).div_ceil(lanes) * (1 + picks),
                Kind::Gather { .. } => 4 + 2 * picks,
            }
        };
        4 + self.pass.moves.iter().map(of_move).sum::<usize>()
    }
}
