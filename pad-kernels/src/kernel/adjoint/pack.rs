//! Makes programs. It chooses which registers to load, and which permutations turn their numbers into sums.
//!
//! For example, the gradient `[b1 a b2 c]` of a reflected output sums to `[a, b1 + b2, c]`, with one sum per lane. One permutation puts the
//! first term of each sum into its lane: `[a b1 c]`. A second one puts the second terms: `[- b2 -]`. Then both registers are added. Such a
//! permutation is called a pick.

use alloc::vec::Vec;
use core::ops::Range;

use smallvec::SmallVec;

use super::program::{NAMED, Part, Pick, Program, Registers, Stage, Sum, Table};
use crate::plan::adjoint::Adjoint;
use crate::plan::fold::Fold;
use crate::plan::pattern::BLOCK;

/// The maximum number of terms in a group of short rows.
const MOST_GROUPED: usize = 1024;

/// The maximum number of permutations of a group of short rows.
const MOST_PICKS: usize = 96;

/// The lengths of partial sums to try: one register, and a quarter of one.
///
/// Xeon with AMX: with 151 terms per border, a quarter takes 0.9 times as long as a whole register. With rows that repeat 34 times, it
/// takes 0.75 times as long.
const PARTS: [usize; 2] = [1, 4];

impl Program {
    /// Makes the program of an adjoint with listed terms.
    pub(super) fn new(adjoint: &Adjoint, registers: Registers) -> Program {
        let mut program =
            Program { stages: SmallVec::new(), tables: Vec::new(), buffers: [0; 2], over: 0, whole: 1 };
        let block = &adjoint.block;
        let mut run = adjoint.unit;
        for (depth, fold) in block.iter().enumerate().rev() {
            let rows = block[..depth].iter().map(|fold| fold.outputs).product();
            // There must be at least one stage, even if it only copies.
            if !fold.is_identity() || depth + 1 == block.len() {
                program.add(fold, run, rows, adjoint.lanes, registers);
            }
            run *= fold.inputs;
        }
        let lanes = adjoint.lanes;
        let last = program.stages.len() - 1;
        let mut buffers = [0; 2];
        for (number, stage) in program.stages.iter().enumerate() {
            let (from, to) = stage.extent(lanes);
            buffers[number % 2] = from.max(buffers[number % 2]);
            if number < last {
                buffers[(number + 1) % 2] = to.max(buffers[(number + 1) % 2]);
            } else {
                program.over = to - lanes * adjoint.width();
                let is_whole = |blocks: &usize| (stage.rows * blocks).is_multiple_of(stage.group);
                program.whole = (1..=lanes).find(is_whole).unwrap_or(1);
            }
        }
        program.buffers = buffers;
        program
    }

    /// Adds the stages of an axis whose positions have `run` numbers.
    fn add(&mut self, fold: &Fold, run: usize, rows: usize, lanes: usize, registers: Registers) {
        let register = registers.lanes() / run;
        let in_parts = || PARTS.into_iter().find_map(|part| fold.in_parts(register / part, register));
        match registers.any_order.then(in_parts).flatten() {
            Some((first, second)) => {
                self.add_stage(&first, run, rows, lanes, registers);
                self.add(&second, run, rows, lanes, registers);
            }
            None => self.add_stage(fold, run, rows, lanes, registers),
        }
    }

    /// Adds a stage. It tries several group sizes and keeps the cheapest one.
    fn add_stage(&mut self, fold: &Fold, run: usize, rows: usize, lanes: usize, registers: Registers) {
        // Only the first stage reads numbers. The others read sums.
        let number = if self.stages.is_empty() { registers.number } else { registers.sum };
        let registers = Registers { number, pairs: registers.pairs && number == registers.sum, ..registers };
        let long = fold.inputs * run >= 2 * registers.lanes();
        let all = rows.saturating_mul(lanes);
        let mut best: Option<(usize, Packer)> = None;
        let row = fold.inputs * run;
        let terms = fold.count_terms();
        // Tries groups that fill no register, one register or two registers.
        for group in (0..=2).map(|filled| (filled * registers.lanes() / row).max(1)) {
            let tried = best.as_ref().is_some_and(|(_, packer)| packer.stage.group >= group);
            if tried || group > 1 && (long || group > all || group * terms * run > MOST_GROUPED) {
                continue;
            }
            let mut packer = Packer::new(fold, run, group, registers, &self.tables);
            packer.pack();
            // Rows that do not fill a group are copied first.
            let copied =
                if all.is_multiple_of(group) { 0 } else { all * fold.outputs * run / registers.lanes() };
            let cost = packer.cost() * all.div_ceil(group) + copied;
            let few = group == 1 || packer.stage.picks.len() <= MOST_PICKS;
            if few && best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, packer));
            }
        }
        if let Some((_, mut packer)) = best {
            packer.stage.rows = rows;
            self.tables = packer.tables;
            self.stages.push(packer.stage);
        }
    }
}

/// A permutation of the registers at `src`. `numbers` holds pairs of a lane and the number that goes to this lane. The `last` permutation
/// of a term completes the term.
struct Taken {
    src: [usize; 2],
    numbers: Vec<(usize, usize)>,
    last: bool,
}

/// Tells whether every one of `lanes` lanes has all terms.
fn all_filled(picks: &[Taken], lanes: usize) -> bool {
    let of = |term: &[Taken]| term.iter().map(|pick| pick.numbers.len()).sum::<usize>();
    picks.split_inclusive(|pick| pick.last).all(|term| of(term) == lanes)
}

/// Tells whether all permutations load the same registers.
fn are_shared(picks: &[Taken]) -> bool {
    picks.iter().all(|pick| pick.src == picks[0].src)
}

/// Builds one stage.
struct Packer {
    run: usize,
    registers: Registers,
    tables: Vec<Table>,
    stage: Stage,
    /// For each listed element, the source offsets of its terms.
    elements: Vec<Vec<usize>>,
    /// The longest run of sums that are plain copies: its start, its end, and its source offset. Its elements are not listed one by one.
    core: Option<(usize, usize, usize)>,
}

impl Packer {
    fn new(fold: &Fold, run: usize, group: usize, registers: Registers, tables: &[Table]) -> Packer {
        let steps = (group * fold.outputs * run, group * fold.inputs * run);
        let core =
            fold.core().filter(|core| group == 1 && (core.end - core.start) * run >= registers.lanes());
        let mut elements = Vec::new();
        for row in 0..group {
            for part in &fold.groups {
                for i in part.start..part.end {
                    let mut positions = Vec::new();
                    if core != Some(*part) {
                        fold.positions(part, i, |position| {
                            positions.push((row * fold.outputs + position as usize) * run);
                        });
                    }
                    elements.push(positions);
                    if core == Some(*part) {
                        break;
                    }
                }
            }
        }
        let core = core.map(|core| {
            let from = fold.terms_of(&core)[0].at as usize;
            (core.start * run, core.end * run, from * run)
        });
        let stage = Stage {
            rows: 0,
            group,
            steps,
            reach: steps.0,
            moves: Vec::new(),
            terms: Vec::new(),
            picks: Vec::new(),
        };
        Packer { run, registers, tables: tables.to_vec(), stage, elements, core }
    }

    /// Returns the terms of a sum in ascending order.
    fn terms(&self, sum: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let (element, part) = (sum / self.run, sum % self.run);
        // The list has one entry for the whole core.
        let element = match self.core {
            Some((start, end, _)) if element * self.run >= end => element + 1 - (end - start) / self.run,
            _ => element,
        };
        self.elements[element].iter().map(move |position| position + part)
    }

    /// Packs all sums of a group.
    fn pack(&mut self) {
        let all = self.stage.steps.1;
        match self.core {
            // Both borders fit one register.
            Some((start, end, from)) if start + all - end <= self.registers.lanes() => {
                // Border sums that continue the copy of the core are copied, too. The register of the borders then holds only the other
                // sums.
                let goes_on = |&sum: &usize| match (sum + from).checked_sub(start) {
                    Some(at) => self.terms(sum).eq([at]),
                    None => false,
                };
                let first = (0..start).find(goes_on).unwrap_or(start);
                let last = (end..all).rfind(goes_on).map_or(end, |sum| sum + 1);
                let sums = |range: Range<usize>| range.filter(|sum| !goes_on(sum)).collect::<Vec<usize>>();
                let (left, right) = (sums(0..start), sums(end..all));
                let beside = |sums: &[usize]| sums.windows(2).all(|pair| pair[0] + 1 == pair[1]);
                let (first, last, left, right) = match beside(&left) && beside(&right) {
                    true => (first, last, left, right),
                    false => (start, end, (0..start).collect(), (end..all).collect()),
                };
                self.push_run(first, last - first, [first + from - start].into_iter());
                let part = |sums: &[usize]| Part {
                    dst: sums.first().map_or(0, |&sum| sum as u32),
                    count: sums.len() as u32,
                };
                let parts = match left.is_empty() {
                    true => [part(&right), part(&left)],
                    false => [part(&left), part(&right)],
                };
                let sums = [left, right].concat();
                if !sums.is_empty() {
                    let picks = self.picks(&sums);
                    self.push_gather(&sums, parts, &picks);
                }
            }
            Some((start, end, from)) => {
                self.between(0, start);
                self.push_run(start, end - start, [from].into_iter());
                self.between(end, all);
            }
            None => self.between(0, all),
        }
    }

    /// Packs the sums from `start` to `end`.
    fn between(&mut self, start: usize, end: usize) {
        let lanes = self.registers.lanes();
        if self.run >= lanes {
            return self.between_long(start, end);
        }
        // For each sum, counts the sums from there on that have consecutive terms.
        let mut runs = alloc::vec![1; end - start];
        for sum in (start..end.saturating_sub(1)).rev() {
            if self.terms(sum).map(|at| at + 1).eq(self.terms(sum + 1)) {
                runs[sum - start] = runs[sum + 1 - start] + 1;
            }
        }
        let mut at = start;
        while at < end {
            let run = runs[at - start];
            let long = |sum: usize| runs[sum - start] >= lanes && runs[sum - 1 - start] == 1;
            let stop = (at + 1..end.min(at + lanes)).find(|&sum| long(sum));
            let stop = stop.unwrap_or(end.min(at + lanes));
            let terms = self.terms(at).count();
            // The register gets fewer sums if one permutation can then provide all of their terms.
            let fits = |stop: &usize| self.picks_of_shared(&(at..*stop).collect::<Vec<usize>>()).is_some();
            let stop = (at + (stop - at).div_ceil(2)..=stop).rev().find(fits).unwrap_or(stop);
            let sums: Vec<usize> = (at..stop).collect();
            let picks = if run < lanes { self.picks(&sums) } else { Vec::new() };
            let cost = if are_shared(&picks) { picks.len() + 3 } else { 2 * picks.len() + 1 };
            // A permutation takes about twice as long as a load, unless its register is already loaded.
            if run >= lanes || (terms + 1) * (stop - at) <= cost * run {
                let terms: Vec<usize> = self.terms(at).collect();
                self.push_run(at, run, terms.into_iter());
                at += run;
            } else {
                // Later moves overwrite what this one writes past its sums.
                let count = lanes.min(self.stage.steps.1 - at) as u32;
                let parts = [Part { dst: at as u32, count }, Part { dst: 0, count: 0 }];
                self.push_gather(&sums, parts, &picks);
                at = stop;
            }
        }
    }

    /// Packs the sums from `start` to `end`, if each element fills a register. Elements with consecutive terms form one run.
    fn between_long(&mut self, start: usize, end: usize) {
        let run = self.run;
        let mut at = start;
        while at < end {
            let goes_on = |&next: &usize| self.terms(next - run).map(|term| term + run).eq(self.terms(next));
            let next = (at + run..end).step_by(run).find(|next| !goes_on(next)).unwrap_or(end);
            let terms: Vec<usize> = self.terms(at).collect();
            self.push_run(at, next - at, terms.into_iter());
            at = next;
        }
    }

    fn push_run(&mut self, dst: usize, count: usize, terms: impl Iterator<Item = usize>) {
        let lanes = self.registers.lanes();
        let whole = count.next_multiple_of(lanes);
        let first = self.stage.terms.len();
        for term in terms {
            self.stage.terms.push(term as u32);
            self.stage.reach = self.stage.reach.max(term + whole);
        }
        let exact = dst + whole > self.stage.steps.1;
        let terms = (first as u32, self.stage.terms.len() as u32);
        self.stage.moves.push(Sum::Run { dst: dst as u32, count: count as u32, exact, terms });
    }

    fn push_gather(&mut self, sums: &[usize], parts: [Part; 2], picks: &[Taken]) {
        let first = self.stage.picks.len() as u32;
        for &Taken { src, ref numbers, last } in picks {
            let table = if self.registers.pairs {
                self.table_of_pair(numbers)
            } else {
                self.table(numbers, self.registers.number)
            };
            self.stage.picks.push(Pick { src: src.map(|src| src as u32), table, last });
            self.stage.reach = self.stage.reach.max(src[0].max(src[1]) + self.registers.numbers());
        }
        let removed: Vec<(usize, usize)> = (sums.iter().enumerate())
            .filter(|&(_, &sum)| self.terms(sum).next().is_none())
            .map(|(lane, _)| (lane, 0))
            .collect();
        let removed = (!removed.is_empty()).then(|| self.table(&removed, self.registers.sum));
        let terms = picks.split_inclusive(|pick| pick.last);
        let each = terms.clone().next().map_or(0, <[Taken]>::len);
        let each = if terms.clone().all(|term| term.len() == each) { each as u32 } else { 0 };
        let is_of = |pick: &Taken, part: Part| pick.numbers.len() == part.count as usize;
        let filled = all_filled(picks, sums.len())
            && match each {
                1 => true,
                2 => terms.clone().all(|term| {
                    is_of(&term[0], parts[0])
                        && term[0].numbers.iter().all(|&(lane, _)| lane < term[0].numbers.len())
                }),
                _ => false,
            };
        let shared = are_shared(picks);
        let picks = (first, self.stage.picks.len() as u32);
        self.stage.moves.push(Sum::Gather { parts, picks, each, filled, shared, removed });
    }

    /// Returns the cheapest permutations for some sums.
    fn picks(&self, sums: &[usize]) -> Vec<Taken> {
        if let Some(picks) = self.picks_of_shared(sums) {
            return picks;
        }
        let (by_term, by_place) = (self.picks_by_term(sums), self.picks_by_place(sums));
        let additions = |picks: &[Taken]| picks.iter().filter(|pick| pick.last).count();
        // A merge must wait for another register, and lanes without a term need a mask.
        let cost = |taken: &[Taken]| {
            let merges = taken.len() - additions(taken);
            if all_filled(taken, sums.len()) { taken.len() } else { 2 * (taken.len() + merges) }
        };
        if cost(&by_term) < cost(&by_place) { by_term } else { by_place }
    }

    /// Returns one permutation for the first terms of all lanes, one for the second terms, and so on. Returns `None` unless all of these
    /// terms lie in the registers of one permutation.
    fn picks_of_shared(&self, sums: &[usize]) -> Option<Vec<Taken>> {
        let most = sums.iter().map(|&sum| self.terms(sum).count()).max().unwrap_or(0);
        if most == 0 || most > 2 * self.registers.numbers() {
            return None;
        }
        let mut all: Vec<(usize, usize)> =
            sums.iter().flat_map(|&sum| self.terms(sum)).map(|at| (at, 0)).collect();
        all.sort_unstable();
        let (src, within) = self.registers_of(&all);
        if within < all.len() {
            return None;
        }
        let of_term = |number: usize| {
            let of_lane = |(lane, &sum)| Some((lane, self.number(src, self.terms(sum).nth(number)?)));
            Taken { src, numbers: sums.iter().enumerate().filter_map(of_lane).collect(), last: true }
        };
        Some((0..most).map(of_term).collect())
    }

    /// Returns the offset from which to load a register with `number` in it. If possible, the register ends within the group.
    fn register_at(&self, number: usize) -> usize {
        let last = self.stage.steps.0.checked_sub(self.registers.numbers());
        last.map_or(number, |last| number.min(last))
    }

    /// Returns the registers for a permutation of the first of some sorted terms, and how many terms these registers contain.
    fn registers_of(&self, terms: &[(usize, usize)]) -> ([usize; 2], usize) {
        let one = |terms: &[(usize, usize)]| {
            let src = self.register_at(terms[0].0);
            (src, terms.partition_point(|&(at, _)| at < src + self.registers.numbers()))
        };
        let (first, within) = one(terms);
        match &terms[within..] {
            rest @ [_, ..] if self.registers.pairs => {
                let (second, further) = one(rest);
                ([first, second], within + further)
            }
            _ => ([first; 2], within),
        }
    }

    /// Returns the index of the number at offset `at`, counted within the two registers.
    fn number(&self, [first, second]: [usize; 2], at: usize) -> usize {
        let numbers = self.registers.numbers();
        if at < first + numbers { at - first } else { numbers + at - second }
    }

    /// Returns permutations for the first terms of all lanes, then for the second terms, and so on. It uses as few registers per term as
    /// possible.
    fn picks_by_term(&self, sums: &[usize]) -> Vec<Taken> {
        let mut picks = Vec::new();
        for number in 0.. {
            let term = |(lane, &sum): (usize, &usize)| Some((self.terms(sum).nth(number)?, lane));
            let mut terms: Vec<(usize, usize)> = sums.iter().enumerate().filter_map(term).collect();
            if terms.is_empty() {
                return picks;
            }
            terms.sort_unstable();
            let mut rest = &terms[..];
            while !rest.is_empty() {
                let (src, within) = self.registers_of(rest);
                let numbers = rest[..within].iter().map(|&(at, lane)| (lane, self.number(src, at))).collect();
                rest = &rest[within..];
                picks.push(Taken { src, numbers, last: rest.is_empty() });
            }
        }
        picks
    }

    /// Returns the permutations of one source register after another. The permutations of a register provide all terms that lie in it.
    fn picks_by_place(&self, sums: &[usize]) -> Vec<Taken> {
        let of_lanes =
            sums.iter().enumerate().flat_map(|(lane, &sum)| self.terms(sum).map(move |at| (at, lane)));
        let mut terms: Vec<(usize, usize)> = of_lanes.collect();
        terms.sort_unstable();
        let (mut picks, mut rest) = (Vec::new(), &terms[..]);
        while !rest.is_empty() {
            let (src, within) = self.registers_of(rest);
            let mut here: Vec<(usize, usize)> = rest[..within].to_vec();
            while !here.is_empty() {
                let mut taken: Vec<(usize, usize)> = Vec::new();
                here.retain(|&(at, lane)| {
                    let later = taken.iter().any(|&(other, _)| other == lane);
                    if !later {
                        taken.push((lane, self.number(src, at)));
                    }
                    later
                });
                picks.push(Taken { src, numbers: taken, last: true });
            }
            rest = &rest[within..];
        }
        picks
    }

    /// Returns the table that moves numbers of `bytes` bytes to the upper bytes of their lanes.
    fn table(&mut self, of_lanes: &[(usize, usize)], bytes: usize) -> u32 {
        let Registers { grain, sum, .. } = self.registers;
        // If the top bit of an index is set, the permutation keeps the byte.
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
        self.listed(table)
    }

    /// Returns the table that moves sums of two registers to lanes.
    fn table_of_pair(&mut self, of_lanes: &[(usize, usize)]) -> u32 {
        let sum = self.registers.sum;
        let mut table = Table([0; BLOCK]);
        for &(lane, number) in of_lanes {
            let index = &mut table.0[lane * sum..][..sum];
            (index[0], index[sum - 1]) = (number as u8, NAMED);
        }
        self.listed(table)
    }

    /// Returns the index of a table, which is added if it is new.
    fn listed(&mut self, table: Table) -> u32 {
        let at = self.tables.iter().position(|other| *other == table);
        let at = at.unwrap_or_else(|| {
            self.tables.push(table);
            self.tables.len() - 1
        });
        at as u32
    }

    /// Estimates the time of a group.
    fn cost(&self) -> usize {
        let lanes = self.registers.lanes();
        let of_move = |sum: &Sum| match *sum {
            Sum::Run { count, terms, .. } => {
                3 + (count as usize).div_ceil(lanes) * (1 + (terms.1 - terms.0) as usize)
            }
            Sum::Gather { picks, shared, .. } => {
                let picks = (picks.1 - picks.0) as usize;
                if shared { 6 + picks } else { 4 + 2 * picks }
            }
        };
        4 + self.stage.moves.iter().map(of_move).sum::<usize>()
    }
}
