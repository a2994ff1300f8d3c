//! Small plans whose one block is nothing but registers: lists of them, with loops of their own.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::list::{Copied, Gather, List, Lister, Reach, Register};
use super::permute::{gathered, pick};
use super::{Lanes, Program, Shells, Table};
use crate::kernel::memory::{Fetch, copy_aligned, get, put};
use crate::kernel::simd::{LINE, Permute};
use crate::plan::pattern::Pattern;

/// The most bytes of a block whose registers are listed, and on average of a move: what is longer is copied by loops.
const MOST_BYTES: usize = 8192;
const MOST_BYTES_OF_A_MOVE: usize = 512;

/// The most registers if not all of them are whole: 16 of one element took 21 ns as a move, and 31 so (Zen 4). More are listed if moves are short.
const MOST_PARTS: usize = 8;

/// Of shorter registers so many may be in part, but one in so many, copies counted. 6 KiB of rows of 36 bytes took 2.2 us as moves, and 0.5 so
/// (Zen 3, AVX2).
const PART_OF: usize = 4;

/// The most registers of a move, on average, of shorter ones, as a move of many keeps its table: 16 mirrored rows of 8 floats took 28 ns as
/// a move and 27 listed, and 128 of them 92 and 140 (Zen 3, AVX2).
const STEPS_OF_A_MOVE: usize = 16;
const STEPS_IN_PART: usize = 4;

/// The registers of a block that is all there is, in the order in which they are written: fill, which may write what is none; those
/// that are gathered, in the order of the output, each of which may spill what a later one overwrites; copies, which write
/// nothing but their own; what is longer than a few registers, likewise; and those of the output itself, in its order.
///
/// Each list begins with the last of them: it is read downward while the output is written upward. A load waits for a store that is not done
/// yet if their addresses are about a multiple of 4 KiB apart, and lists that go the way of the output keep such a distance. 26 rows of 8
/// pixels with edges took 55 ns, and up to 200 where the output happened to lie so; turned round they take up to 85 (Zen 3, AVX2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers {
    /// Their places in the output.
    fill: Vec<usize>,
    gathers: Vec<Gather>,
    copies: Vec<Copied>,
    /// Copies of more than a few registers each, and their bytes. Listed register by register three rows of 158 doubles, wrapped, took 71 ns,
    /// and where the list happened to lie as the output does 208; so 55 (Xeon with AMX).
    long: Vec<(Copied, usize)>,
    again: Vec<Copied>,
    /// Some of those that are gathered are of two windows.
    two: bool,
    /// Not all of them are readable, or written, whole.
    part: bool,
    /// The tables of those that are gathered.
    tables: Vec<Table>,
}

impl Registers {
    /// Makes a list of the tables that are needed of these.
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
    /// Lists the registers of a program that is run for one block alone, at `src` of a source of `src_len` bytes, if there is nothing
    /// but registers.
    ///
    /// Four axes of 3 floats, mirrored by 1, took 133 ns as moves and 115 so, three planes of 8 by 8 floats with fill around 63 and
    /// 49 (EPYC with AVX2).
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
        // Places are within the source, or less than isize::MAX before it.
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
        // Shorter registers have no masks: what is read in part takes them twenty instructions more than as a move.
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

    /// Whether [`run_registers`] runs it.
    #[inline(always)]
    pub(in crate::kernel) fn is_registers(&self) -> bool {
        self.registers.is_some()
    }
}

/// Writes the block of which a program lists the registers.
///
/// # Safety
///
/// - The machine has the instruction set, which the program was packed for.
/// - `src` and `dst` are the block's places in a source and an output that the registers were listed for.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_registers<S: Shells>(
    program: &Program,
    fill: &Pattern,
    src: *const u8,
    dst: *mut u8,
) {
    let Some(list) = &program.registers else { return };
    // SAFETY: the caller's; the window is the instruction set's, and what is long is longer than a line.
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

/// Registers of one window, or some of them of `TWO`.
///
/// # Safety
///
/// - As for [`run_registers`]; the permutations are the program's, and all registers are whole.
#[inline(always)]
unsafe fn gather<P: Permute, const TWO: bool>(
    list: &Registers,
    fill: &Pattern,
    src: *const u8,
    dst: *mut u8,
) {
    // SAFETY: the caller's.
    unsafe {
        let tables: *const u8 = list.tables.as_ptr().cast();
        let base = get::<P::Register>(fill.block().as_ptr());
        for next in list.gathers.iter().rev() {
            put(dst.add(next.dst), gathered::<P, TWO>(next, base, tables, src));
        }
    }
}

/// Gathers registers of which only what is needed is read and written: 12 floats of 8 took 16.5 ns as a move and 10 so (Zen 4).
///
/// # Safety
///
/// - As for [`run_registers`]; the permutations are the program's.
#[inline(always)]
unsafe fn gather_parts<P: Permute>(list: &Registers, fill: &Pattern, src: *const u8, dst: *mut u8) {
    // SAFETY: the caller's; tables lie where the list says.
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

/// What an index names of the register at `src`, of which `needed` bytes are readable, or of those of `base`.
///
/// # Safety
///
/// - As for [`run_registers`]; the index is of registers of this kind.
#[inline(always)]
unsafe fn pick_part<P: Permute>(
    base: P::Register,
    src: *const u8,
    needed: u8,
    index: P::Register,
) -> P::Register {
    let needed = usize::from(needed);
    // SAFETY: the caller's.
    unsafe {
        // To read in part is an instruction where registers are lines.
        if P::BYTES < LINE && needed == P::BYTES {
            pick::<P, true>(base, src, needed, index)
        } else {
            pick::<P, false>(base, src, needed, index)
        }
    }
}
