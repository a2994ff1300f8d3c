//! Writes a small output from lists of registers instead of moves. The program must have one block, which is the whole output,
//! and all of its moves must consist of registers and copies. Each kind of register has its own list and its own loop.
//!
//! A window is the source bytes that a permutation loads as one register. A permutation works in part if it may read only some
//! bytes of a window, or write only some bytes of its register.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::list::{Copied, Gather, List, Lister, Reach, Register};
use super::permute::{gathered, pick};
use super::{Lanes, Program, Shells, Table};
use crate::kernel::memory::{Fetch, copy_aligned, get, put};
use crate::kernel::simd::{LINE, Permute};
use crate::plan::pattern::Pattern;

/// The maximum size in bytes of a block that is written from lists. The second constant is the maximum average size in bytes of
/// one copy or register of its moves.
const MOST_BYTES: usize = 8192;
const MOST_BYTES_OF_A_MOVE: usize = 512;

/// For registers of a cache line: the maximum number of permutations if some of them work in part, unless the moves have few
/// registers. For shorter registers: the maximum number of permutations that work in part. Zen 4, 16 registers of one element
/// each: a list takes 1.5 times as long as a move.
const MOST_PARTS: usize = 8;

/// For registers shorter than a cache line: at most a quarter of all registers may come from permutations that work in part. Zen
/// 3, 160 rows of 36 bytes: moves take 4 times as long as a list.
const PART_OF: usize = 4;

/// The maximum average number of registers in a move. The first constant is for registers shorter than a cache line if no
/// permutation works in part, the second for lists in which some do. A longer move is faster than the list, because it loads its
/// table once.
const STEPS_OF_A_MOVE: usize = 16;
const STEPS_IN_PART: usize = 4;

/// The registers of a block that is the whole output. The loops write the lists in this order:
///
/// - fill, which may also write bytes that later registers overwrite;
/// - permutations in the order of the output, each of which may write bytes that later ones overwrite;
/// - copies of single registers, which write only their own bytes;
/// - longer copies, which write only their own bytes;
/// - copies from the output, in the order of the output.
///
/// Each list is stored in reverse. A loop reads the list downwards in memory while it writes the output upwards. The reason is
/// that a load waits for an unfinished store if their addresses differ by about a multiple of 4 KiB. In opposite directions, the
/// two addresses keep such a distance only for a short time. Zen 3, 26 rows of 8 pixels: if both addresses increase, the rows
/// take up to 2.4 times as long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers {
    /// The output offsets of the fill.
    fill: Vec<usize>,
    gathers: Vec<Gather>,
    copies: Vec<Copied>,
    /// Copies of more than a few registers, and the size of each in bytes. Xeon with AMX, wrapped rows of 158 doubles: a list of
    /// every single register takes 1.3 times as long.
    long: Vec<(Copied, usize)>,
    again: Vec<Copied>,
    /// True if some permutations have two windows.
    two: bool,
    /// True if some permutations work in part.
    part: bool,
    /// The tables of the permutations.
    tables: Vec<Table>,
}

impl Registers {
    /// Copies the tables that the permutations use. Consecutive permutations with equal tables share one copy.
    fn list_tables(&mut self, tables: &[Table]) {
        let mut last = None;
        for gather in &mut self.gathers {
            let first = gather.table / size_of::<Table>();
            let of = &tables[first..first + 1 + usize::from(gather.two)];
            if last != Some(of) {
                last = Some(of);
                self.tables.extend_from_slice(of);
            }
            gather.table = (self.tables.len() - of.len()) * size_of::<Table>();
        }
    }
}

impl Program<'_> {
    /// Lists the registers of a program whose block is the whole output. The block reads from offset `src` of a source of
    /// `src_len` bytes. The program keeps the list if all moves can be listed and the list is faster.
    ///
    /// EPYC with AVX2, mirrored arrays of 81 floats: the list takes 0.86 times as long as the moves.
    pub(in crate::kernel) fn list_registers(
        &mut self,
        lanes: Lanes,
        element: usize,
        (src, src_len): (isize, usize),
    ) {
        let steps = self.moves.iter().fold(0usize, |steps, next| steps.saturating_add(next.steps()));
        if self.len > MOST_BYTES || self.len > MOST_BYTES_OF_A_MOVE.saturating_mul(steps) || lanes.window == 0
        {
            return;
        }
        // `-src` does not overflow, because the block begins less than `isize::MAX` bytes before the source, or inside of it.
        let reach = Reach::Within { start: -src, end: (src_len as isize).saturating_sub(src) };
        let (mut all, mut list) = (List::new(), Registers::default());
        let of_moves = self.tables.len();
        let are_all = Lister::new(self, lanes, element, reach, (&mut all, MOST_BYTES)).all();
        for register in all.into_iter().rev() {
            match register {
                Register::Fill { dst, .. } => list.fill.push(dst),
                Register::Gather(gather) => list.gathers.push(gather),
                Register::Copy(copied) => list.copies.push(copied),
                Register::Again(copied) => list.again.push(copied),
                Register::Long { src, dst, bytes } => list.long.push((Copied { src, dst }, bytes)),
            }
        }
        list.two = list.gathers.iter().any(|gather| gather.two);
        let is_part = |gather: &&Gather| {
            let needed = &gather.needed[..1 + usize::from(gather.two)];
            gather.part > 0 || needed.iter().any(|&bytes| usize::from(bytes) < lanes.window)
        };
        let parts = list.gathers.iter().filter(is_part).count();
        let long = list.long.iter().map(|(_, bytes)| bytes / lanes.whole);
        let copies = list.copies.len() + long.sum::<usize>();
        list.part = parts > 0;
        // Most registers shorter than a cache line have no fast masked loads. To read one in part, the list needs twenty more
        // instructions than a move.
        let gathers = list.gathers.len();
        let is_faster = match (lanes.window, parts) {
            (LINE, _) => parts == 0 || gathers <= MOST_PARTS || steps <= STEPS_IN_PART * self.moves.len(),
            (_, 0) => steps <= STEPS_OF_A_MOVE * self.moves.len(),
            _ => {
                parts <= MOST_PARTS
                    && parts * PART_OF <= gathers + copies
                    && steps <= STEPS_IN_PART * self.moves.len()
            }
        };
        if are_all && is_faster {
            list.list_tables(&self.tables);
            self.registers = Some(Box::new(list));
        }
        self.tables.truncate(of_moves);
    }

    /// Tells whether [`run_registers`] runs the program.
    #[inline(always)]
    pub(in crate::kernel) fn is_registers(&self) -> bool {
        self.registers.is_some()
    }
}

/// Writes the block whose registers the program lists.
///
/// # Safety
///
/// - The machine has the instruction set for which the program was packed.
/// - `src` and `dst` are the addresses of the block, in a source and an output for which
///   [`list_registers`](Program::list_registers) made the list.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_registers<S: Shells>(
    program: &Program,
    fill: &Pattern,
    src: *const u8,
    dst: *mut u8,
) {
    let Some(list) = &program.registers else { return };
    // SAFETY: the caller keeps the contract. `window` is the size of the registers of this instruction set, and long copies
    // exceed a cache line.
    unsafe {
        if !list.fill.is_empty() {
            let register = get::<S::Register>(fill.block().as_ptr());
            for &to in list.fill.iter().rev() {
                put(dst.add(to), register);
            }
        }
        match (program.is_wide::<S>(), list.two, list.part) {
            (true, _, true) => gather_parts::<S::Wide>(list, fill, src, dst),
            (true, false, _) => gather::<S::Wide, false>(list, fill, src, dst),
            (true, true, _) => gather::<S::Wide, true>(list, fill, src, dst),
            (false, _, true) => gather_parts::<S::Narrow>(list, fill, src, dst),
            (false, false, _) => gather::<S::Narrow, false>(list, fill, src, dst),
            (false, true, _) => gather::<S::Narrow, true>(list, fill, src, dst),
        }
        for &Copied { src: from, dst: to } in list.copies.iter().rev() {
            put(dst.add(to), get::<S::Register>(src.wrapping_offset(from)));
        }
        for &(Copied { src: from, dst: to }, bytes) in list.long.iter().rev() {
            copy_aligned::<S, false>(Fetch::NONE, src.wrapping_offset(from), dst.add(to), bytes);
        }
        for &Copied { src: from, dst: to } in list.again.iter().rev() {
            put(dst.add(to), get::<S::Register>(dst.offset(from)));
        }
    }
}

/// Runs the permutations of a list in which none works in part. If `TWO`, some of them have two windows.
///
/// # Safety
///
/// - The contract of [`run_registers`] holds. The list is for registers of type `P::Register`, and no permutation works in part.
#[inline(always)]
unsafe fn gather<P: Permute, const TWO: bool>(
    list: &Registers,
    fill: &Pattern,
    src: *const u8,
    dst: *mut u8,
) {
    // SAFETY: the caller keeps the contract.
    unsafe {
        let tables: *const u8 = list.tables.as_ptr().cast();
        let base = get::<P::Register>(fill.block().as_ptr());
        for next in list.gathers.iter().rev() {
            put(dst.add(next.dst), gathered::<P, TWO>(next, base, tables, src));
        }
    }
}

/// Runs the permutations of a list so that they read and write only the needed bytes. Zen 4, 12 registers of 8 floats: this takes
/// 0.6 times as long as a move.
///
/// # Safety
///
/// - The contract of [`run_registers`] holds, and the list is for registers of type `P::Register`.
#[inline(always)]
unsafe fn gather_parts<P: Permute>(list: &Registers, fill: &Pattern, src: *const u8, dst: *mut u8) {
    // SAFETY: the caller keeps the contract, and the list gives the offset of each table.
    unsafe {
        let tables: *const u8 = list.tables.as_ptr().cast();
        let base = get::<P::Register>(fill.block().as_ptr());
        for &Gather { src: places, needed, two, part, table, dst: to } in list.gathers.iter().rev() {
            let table = tables.add(table);
            let mut register = pick_part::<P>(base, src.wrapping_offset(places[0]), needed[0], get(table));
            if two {
                let other = get(table.add(size_of::<Table>()));
                register = pick_part::<P>(register, src.wrapping_offset(places[1]), needed[1], other);
            }
            match part {
                0 => put(dst.add(to), register),
                bytes => P::store_part(dst.add(to), register, bytes.into()),
            }
        }
    }
}

/// Returns a register. Each of its bytes is the byte of the window at `src` that `index` names, or the byte of `base` if `index` names
/// none. The window has `needed` readable bytes.
///
/// # Safety
///
/// - The contract of [`run_registers`] holds, and `index` is for registers of type `P::Register`.
#[inline(always)]
unsafe fn pick_part<P: Permute>(
    base: P::Register,
    src: *const u8,
    needed: u8,
    index: P::Register,
) -> P::Register {
    let needed = usize::from(needed);
    // SAFETY: the caller keeps the contract.
    unsafe {
        // If a register is a cache line, one instruction reads it whole or in part, so no branch is needed.
        if P::BYTES < LINE && needed == P::BYTES {
            pick::<P, true>(base, src, needed, index)
        } else {
            pick::<P, false>(base, src, needed, index)
        }
    }
}
