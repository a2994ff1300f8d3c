//! Locates groups of rows in memory, and runs the moves that write their sums.

use super::lanes::{Lanes, has_pairs};
use super::number::Number;
use super::program::{Part, Pick, Table};
use crate::kernel::memory::{Fetch, copy_lines};
use crate::kernel::raw::{copy_exact, get, put};
use crate::kernel::simd::{LINE, Simd, prefetch};

/// The number of groups for which a permutation loads its table once.
const TOGETHER: usize = 4;

/// The maximum length of rows that the permutations of their borders prefetch. The copies prefetch longer rows.
///
/// Xeon with AMX, rows of about 120 bytes: this takes 0.9 times as long as prefetches by the copies. Programs without a copy do not
/// prefetch, because short rows would take 1.4 times as long.
pub(super) const EARLY_ROW: usize = 2 * LINE;

/// The address of the first group to read, and the distance of two groups in bytes.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) src: *const u8,
    pub(super) step: isize,
}

impl Source {
    /// Returns the source that begins with group number `group`.
    #[inline(always)]
    pub(super) fn at(self, group: usize) -> Source {
        Source { src: self.src.wrapping_offset((group as isize).wrapping_mul(self.step)), ..self }
    }
}

/// The memory of a batch of groups. It holds numbers or sums, as `WIDENS` and `NARROWS` say. If there are several sources, their values are
/// added.
#[derive(Clone, Copy)]
pub(super) struct Place<'a, const WIDENS: bool, const NARROWS: bool> {
    pub(super) source: Source,
    pub(super) sources: &'a [Source],
    pub(super) dst: *mut u8,
    pub(super) step: isize,
    pub(super) groups: usize,
    /// The number of groups in a whole batch. It is also the prefetch distance in groups.
    pub(super) batch: usize,
    /// True if rows are prefetched (`fetched`), and if the permutations do it instead of the copies (`early`).
    pub(super) fetched: bool,
    pub(super) early: bool,
}

/// A copy of `length` bytes for each group. The copy prefetches `ahead` bytes in advance.
pub(super) struct Copied {
    source: Source,
    dst: *mut u8,
    step: isize,
    groups: usize,
    length: usize,
    ahead: Option<isize>,
}

/// Copies the bytes of all groups.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - For every group, the bytes are readable in the source and writable in the destination.
#[inline(always)]
pub(super) unsafe fn copy_rows<S: Simd>(rows: &Copied) {
    let Copied { source: Source { mut src, step: apart }, mut dst, step, groups, length, ahead } = *rows;
    let fetch = Fetch::of::<S::Register>(groups * length);
    // SAFETY: the caller keeps the contract.
    unsafe {
        seq_macro::seq!(LINES in 1..=8 {
            match length.div_ceil(LINE) {
                #(LINES if length >= LINE => for _ in 0..groups {
                    if let Some(ahead) = ahead {
                        for line in 0..LINES {
                            prefetch(src.wrapping_add(line * LINE).wrapping_offset(ahead));
                        }
                    }
                    copy_lines::<S, LINES>(fetch, src, dst, length);
                    (src, dst) = (src.wrapping_offset(apart), dst.wrapping_offset(step));
                },)*
                _ => for _ in 0..groups {
                    copy_exact(src, dst, length);
                    (src, dst) = (src.wrapping_offset(apart), dst.wrapping_offset(step));
                },
            }
        });
    }
}

/// The permutations that make one register of sums.
pub(super) struct Gather<'a, L: Lanes> {
    pub(super) picks: &'a [Pick],
    pub(super) tables: &'a [Table],
    pub(super) parts: [Part; 2],
    /// A register with the neutral sum in each lane.
    pub(super) neutral: L::Register,
}

impl<L: Lanes> Gather<'_, L> {
    /// Returns the picks and their tables in arrays.
    ///
    /// # Safety
    ///
    /// - There are `PICKS` picks, and each names an existing table.
    #[inline(always)]
    unsafe fn listed<const PICKS: usize>(&self) -> ([Pick; PICKS], [L::Register; PICKS]) {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let mut picks = [*self.picks.get_unchecked(0); PICKS];
            let mut index = [self.neutral; PICKS];
            for (number, (pick, index)) in picks.iter_mut().zip(&mut index).enumerate() {
                *pick = *self.picks.get_unchecked(number);
                *index = get(self.tables.get_unchecked(pick.table as usize).0.as_ptr());
            }
            (picks, index)
        }
    }
}

/// The size of a number, or of a sum.
pub(super) const fn bytes<N: Number>(number: bool) -> usize {
    if number { size_of::<N::Bytes>() } else { size_of::<N::Sum>() }
}

/// The contract of the methods:
/// - The machine has the instruction set.
/// - For every group, all registers lie within readable or writable memory.
/// - Tables name numbers of the loaded registers, or no number. Picks name existing tables.
/// - If the number of terms or picks is a constant, it is the length of their list.
impl<const WIDENS: bool, const NARROWS: bool> Place<'_, WIDENS, NARROWS> {
    #[inline(always)]
    pub(super) fn at<N: Number>(mut self, dst: u32) -> Self {
        self.dst = self.dst.wrapping_add(dst as usize * bytes::<N>(NARROWS));
        self
    }

    #[inline(always)]
    unsafe fn load<N: Number, L: Lanes>(self, number: u32) -> L::Register {
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            let src = self.source.src.add(number as usize * bytes::<N>(WIDENS));
            if WIDENS { L::widen::<N>(src) } else { get(src) }
        }
    }

    /// Loads the registers for a permutation. Numbers that are the upper bytes of sums are loaded without conversion.
    #[inline(always)]
    unsafe fn registers_at<N: Number, L: Lanes>(self, [first, second]: [u32; 2]) -> [L::Register; 2] {
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            if const { has_pairs::<N, L>(WIDENS) } {
                let from = self.load::<N, L>(first);
                return [from, if first == second { from } else { self.load::<N, L>(second) }];
            }
            let src = self.source.src.add(first as usize * bytes::<N>(WIDENS));
            let from = if WIDENS && !N::IS_UPPER { L::widen::<N>(src) } else { get(src) };
            [from, from]
        }
    }

    /// Moves the numbers that a table names to their lanes. The other lanes come from `base`.
    #[inline(always)]
    unsafe fn pick<N: Number, L: Lanes>(
        self,
        base: L::Register,
        from: [L::Register; 2],
        index: L::Register,
    ) -> L::Register {
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            if const { has_pairs::<N, L>(WIDENS) } {
                return L::pick_pair::<N>(base, from, index);
            }
            // The lower half of such a sum is zero, in `base` as well.
            L::permute(base, from[0], index)
        }
    }

    /// Adds the numbers that a table names.
    #[inline(always)]
    unsafe fn add<N: Number, L: Lanes>(
        self,
        sums: L::Register,
        from: [L::Register; 2],
        index: L::Register,
        neutral: L::Register,
    ) -> L::Register {
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            if const { has_pairs::<N, L>(WIDENS) } {
                return L::add_pair::<N>(sums, from, index);
            }
            L::add::<N>(sums, self.pick::<N, L>(neutral, from, index))
        }
    }

    /// Moves the numbers that a table names, without conversion to sums. Other lanes are unspecified.
    #[inline(always)]
    unsafe fn take<N: Number, L: Lanes>(self, from: [L::Register; 2], index: L::Register) -> L::Register {
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            if const { has_pairs::<N, L>(WIDENS) } {
                L::take_pair::<N>(from, index)
            } else {
                L::take(from[0], index)
            }
        }
    }

    /// Writes the first `count` sums of a register.
    #[inline(always)]
    unsafe fn store<N: Number, L: Lanes>(self, at: usize, sums: L::Register, count: usize) {
        let whole = count * size_of::<N::Sum>() >= L::BYTES;
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            let dst = self.dst.add(at * bytes::<N>(NARROWS));
            match (whole, NARROWS) {
                (true, true) => L::narrow::<N>(dst, sums),
                (true, false) => put(dst, sums),
                (false, true) => L::narrow_lanes::<N>(dst, sums, 0..count),
                (false, false) => L::store_bytes(dst, sums, 0..count * size_of::<N::Sum>()),
            }
        }
    }

    /// Writes the parts of a register.
    #[inline(always)]
    unsafe fn store_parts<N: Number, L: Lanes>(self, sums: L::Register, parts: [Part; 2]) {
        let [first, second] = parts;
        let (start, end) = (first.count as usize, (first.count + second.count) as usize);
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            self.store::<N, L>(first.dst as usize, sums, start);
            if start == end {
                return;
            }
            let dst = self.dst.add(second.dst as usize * bytes::<N>(NARROWS));
            let sum = size_of::<N::Sum>();
            if NARROWS {
                L::narrow_lanes::<N>(dst, sums, start..end);
            } else {
                L::store_bytes(dst, sums, start * sum..end * sum);
            }
        }
    }

    #[inline(always)]
    fn next(&mut self) {
        self.source = self.source.at(1);
        self.dst = self.dst.wrapping_offset(self.step);
    }

    /// Prefetches a row of the next batch, if `early` is set.
    #[inline(always)]
    fn fetch(self) {
        let ahead = self.source.at(self.batch).src;
        for line in 0..if self.early { EARLY_ROW / LINE } else { 0 } {
            prefetch(ahead.wrapping_add(line * LINE));
        }
    }

    /// Returns this place with another source, beginning with group number `group`.
    #[inline(always)]
    fn from(self, other: Source, group: usize) -> Self {
        Place { source: other.at(group), ..self }
    }

    /// Tells whether consecutive sums can be copied. They need one term and one source, and no rounding. If registers are long, short rows
    /// are not copied.
    #[inline(always)]
    pub(super) fn is_copied<L: Lanes>(self, terms: usize, length: usize) -> bool {
        terms == 1 && self.sources.len() == 1 && (L::BYTES < LINE || length >= LINE)
    }

    /// Describes the copy of `count` consecutive numbers to which nothing is added.
    #[inline(always)]
    pub(super) fn copied<N: Number>(self, number: u32, count: usize) -> Copied {
        let source =
            Source { src: self.source.src.wrapping_add(number as usize * bytes::<N>(WIDENS)), ..self.source };
        Copied {
            source,
            dst: self.dst,
            step: self.step,
            groups: self.groups,
            length: count * bytes::<N>(NARROWS),
            ahead: (self.fetched && !self.early).then_some((self.batch as isize).wrapping_mul(source.step)),
        }
    }

    /// Writes sums of few terms, if there is one source. Returns whether it did.
    #[inline(always)]
    pub(super) unsafe fn run_listed<N: Number, L: Lanes>(
        self,
        terms: &[u32],
        count: usize,
        exact: bool,
    ) -> bool {
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            seq_macro::seq!(TERMS in 1..=4 {
                match terms.len() {
                    _ if self.sources.len() > 1 => return false,
                    #(TERMS => self.run_few::<N, L, TERMS>(terms, count, exact),)*
                    _ => return false,
                }
            });
        }
        true
    }

    /// Writes sums of `TERMS` terms. Unless `exact`, it also writes the rest of the last register.
    #[inline(always)]
    unsafe fn run_few<N: Number, L: Lanes, const TERMS: usize>(
        mut self,
        terms: &[u32],
        count: usize,
        exact: bool,
    ) {
        let lanes = L::BYTES / size_of::<N::Sum>();
        let whole = if exact { count / lanes } else { count.div_ceil(lanes) };
        let rest = if exact { count % lanes } else { 0 };
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            let terms: [u32; TERMS] = core::array::from_fn(|i| *terms.get_unchecked(i));
            for _ in 0..self.groups {
                for i in 0..whole {
                    let sums = self.neighbours_of::<N, L, TERMS>(&terms, i * lanes);
                    self.store::<N, L>(i * lanes, sums, lanes);
                }
                if rest > 0 {
                    let sums = self.neighbours_of::<N, L, TERMS>(&terms, whole * lanes);
                    self.store::<N, L>(whole * lanes, sums, rest);
                }
                self.next();
            }
        }
    }

    /// Returns a register of sums of `TERMS` terms.
    #[inline(always)]
    unsafe fn neighbours_of<N: Number, L: Lanes, const TERMS: usize>(
        self,
        terms: &[u32; TERMS],
        at: usize,
    ) -> L::Register {
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            let mut sums = self.load::<N, L>(terms[0] + at as u32);
            for &term in &terms[1..] {
                sums = L::add::<N>(sums, self.load::<N, L>(term + at as u32));
            }
            sums
        }
    }

    /// Writes sums whose terms are neighbours. Unless `exact` is set, it also writes the rest of the last register.
    #[inline(always)]
    pub(super) unsafe fn run<N: Number, L: Lanes>(
        mut self,
        terms: &[u32],
        count: usize,
        exact: bool,
        removed: L::Register,
    ) {
        let lanes = L::BYTES / size_of::<N::Sum>();
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            for group in 0..self.groups {
                for i in (0..count).step_by(lanes) {
                    let wanted = if exact { count - i } else { lanes };
                    let mut sums = removed;
                    for (number, &source) in self.sources.iter().enumerate() {
                        let some = self.from(source, group).neighbours::<N, L>(terms, i as u32, removed);
                        sums = if number == 0 { some } else { L::add::<N>(sums, some) };
                    }
                    self.store::<N, L>(i, sums, wanted);
                }
                self.next();
            }
        }
    }

    /// Returns a register of sums of any number of terms.
    #[inline(always)]
    unsafe fn neighbours<N: Number, L: Lanes>(
        self,
        terms: &[u32],
        at: u32,
        removed: L::Register,
    ) -> L::Register {
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            let [first, ref others @ ..] = *terms else { return removed };
            let mut sums = self.load::<N, L>(first + at);
            for &term in others {
                sums = L::add::<N>(sums, self.load::<N, L>(term + at));
            }
            sums
        }
    }

    /// Runs a short list of permutations. All picks must share registers, or fill all lanes with `each` picks per term. Returns whether it
    /// did.
    #[inline(always)]
    pub(super) unsafe fn gather_listed<N: Number, L: Lanes>(
        self,
        gather: &Gather<'_, L>,
        each: u32,
        filled: bool,
        shared: bool,
    ) -> bool {
        let plain = self.sources.len() == 1 && !self.early;
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            match (gather.picks.len(), each) {
                (2, 1) if plain && shared => self.gather_plain::<N, L, 2>(gather, filled),
                (3, 1) if plain && shared => self.gather_plain::<N, L, 3>(gather, filled),
                (4, 1) if plain && shared => self.gather_plain::<N, L, 4>(gather, filled),
                (2, 1) if filled && shared => self.gather::<N, L, 2, 1>(gather),
                (3, 1) if filled && shared => self.gather::<N, L, 3, 1>(gather),
                (4, 1) if filled && shared => self.gather::<N, L, 4, 1>(gather),
                // If the CPU has permutations of two registers, one of them replaces the following pairs.
                _ if const { has_pairs::<N, L>(WIDENS) } => return false,
                (4, 2) if filled => self.gather::<N, L, 4, 2>(gather),
                (6, 2) if filled => self.gather::<N, L, 6, 2>(gather),
                (8, 2) if filled => self.gather::<N, L, 8, 2>(gather),
                _ => return false,
            }
        }
        true
    }

    /// Runs permutations that share registers. There is one source, and nothing is prefetched.
    #[inline(always)]
    unsafe fn gather_plain<N: Number, L: Lanes, const PICKS: usize>(
        mut self,
        gather: &Gather<'_, L>,
        filled: bool,
    ) {
        let Gather { parts, neutral, .. } = *gather;
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            let (picks, index) = gather.listed::<PICKS>();
            if filled {
                for _ in 0..self.groups {
                    let sums = self.picked_filled::<N, L, PICKS, 1>(&picks, &index, 0);
                    self.store_parts::<N, L>(sums, parts);
                    self.next();
                }
                return;
            }
            for _ in 0..self.groups {
                let shared = self.registers_at::<N, L>(picks[0].src);
                let mut sums = self.pick::<N, L>(neutral, shared, index[0]);
                for &index in &index[1..] {
                    sums = self.add::<N, L>(sums, shared, index, neutral);
                }
                self.store_parts::<N, L>(sums, parts);
                self.next();
            }
        }
    }

    /// Runs permutations that fill all lanes. There is one per term if they share registers, and otherwise one per term and part.
    #[inline(always)]
    unsafe fn gather<N: Number, L: Lanes, const PICKS: usize, const EACH: usize>(
        mut self,
        gather: &Gather<'_, L>,
    ) {
        let Gather { parts, neutral, .. } = *gather;
        let first = parts[0].count as usize;
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            let (picks, index) = gather.listed::<PICKS>();
            for group in 0..self.groups {
                self.fetch();
                let mut sums = neutral;
                for (number, &source) in self.sources.iter().enumerate() {
                    let place = self.from(source, group);
                    let some = place.picked_filled::<N, L, PICKS, EACH>(&picks, &index, first);
                    sums = if number == 0 { some } else { L::add::<N>(sums, some) };
                }
                self.store_parts::<N, L>(sums, parts);
                self.next();
            }
        }
    }

    /// Returns a register of sums from permutations that fill all lanes. Its first part has `first` lanes.
    #[inline(always)]
    unsafe fn picked_filled<N: Number, L: Lanes, const PICKS: usize, const EACH: usize>(
        self,
        picks: &[Pick; PICKS],
        index: &[L::Register; PICKS],
        first: usize,
    ) -> L::Register {
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            let shared = self.registers_at::<N, L>(picks[0].src);
            let mut sums = shared[0];
            for term in 0..PICKS / EACH {
                let at = term * EACH;
                let from = if EACH == 1 { shared } else { self.registers_at::<N, L>(picks[at].src) };
                let mut taken = self.take::<N, L>(from, index[at]);
                if EACH == 2 {
                    let second = self.registers_at::<N, L>(picks[at + 1].src);
                    let second = self.take::<N, L>(second, index[at + 1]);
                    taken = L::join(taken, second, first * size_of::<N::Sum>());
                }
                if bytes::<N>(WIDENS) < size_of::<N::Sum>() && N::IS_UPPER {
                    taken = L::upper(taken);
                }
                sums = if term == 0 { taken } else { L::add::<N>(sums, taken) };
            }
            sums
        }
    }

    /// Runs any number of permutations. `cleared` holds the value and the table of the lanes without terms.
    #[inline(always)]
    pub(super) unsafe fn gather_many<N: Number, L: Lanes>(
        mut self,
        gather: &Gather<'_, L>,
        cleared: Option<(L::Register, L::Register)>,
    ) {
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            let mut done = 0;
            if const { L::BYTES == LINE } {
                while done + TOGETHER <= self.groups {
                    self.gather_some::<N, L, TOGETHER>(done, gather, cleared);
                    done += TOGETHER;
                }
            }
            for group in done..self.groups {
                self.gather_some::<N, L, 1>(group, gather, cleared);
            }
        }
    }

    /// Runs the permutations for `GROUPS` groups from `done`.
    #[inline(always)]
    unsafe fn gather_some<N: Number, L: Lanes, const GROUPS: usize>(
        &mut self,
        done: usize,
        gather: &Gather<'_, L>,
        cleared: Option<(L::Register, L::Register)>,
    ) {
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            let mut all = [gather.neutral; GROUPS];
            for (number, &source) in self.sources.iter().enumerate() {
                let some = self.from(source, done).picked_many::<N, L, GROUPS>(gather, cleared);
                for (all, some) in all.iter_mut().zip(some) {
                    *all = if number == 0 { some } else { L::add::<N>(*all, some) };
                }
            }
            for sums in all {
                self.fetch();
                self.store_parts::<N, L>(sums, gather.parts);
                self.next();
            }
        }
    }

    /// Returns one register of sums for each of `GROUPS` groups, from any number of permutations.
    #[inline(always)]
    unsafe fn picked_many<N: Number, L: Lanes, const GROUPS: usize>(
        self,
        gather: &Gather<'_, L>,
        cleared: Option<(L::Register, L::Register)>,
    ) -> [L::Register; GROUPS] {
        let Gather { picks, tables, neutral, .. } = *gather;
        // SAFETY: the caller keeps the contract of this `impl` block.
        unsafe {
            let (mut sums, mut taken) = ([neutral; GROUPS], [neutral; GROUPS]);
            for pick in picks {
                let index = get(tables.get_unchecked(pick.table as usize).0.as_ptr());
                for (group, taken) in taken.iter_mut().enumerate() {
                    let from = self.from(self.source, group).registers_at::<N, L>(pick.src);
                    *taken = self.pick::<N, L>(*taken, from, index);
                }
                if pick.last {
                    for (sums, taken) in sums.iter_mut().zip(&mut taken) {
                        *sums = L::add::<N>(*sums, *taken);
                        *taken = neutral;
                    }
                }
            }
            if let Some((removed, index)) = cleared {
                for sums in &mut sums {
                    *sums = L::permute(*sums, removed, index);
                }
            }
            sums
        }
    }
}
