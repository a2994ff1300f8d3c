//! Writes a block from lists of registers instead of moves. The block is a small output as a whole, or one of many blocks. Many
//! blocks have lists if the output is larger than the cache, or if few blocks would run in a batch. It must be possible to divide
//! the moves into registers and copies. Each kind of register has its own list and its own loop.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Bodies, Lanes, Move, Permutation, Program, Shells, Table, Window};
use crate::kernel::memory::{Fetch, copy_ends, get, put};
use crate::kernel::simd::Permute;
use crate::plan::pattern::Pattern;

/// Copies of at most this many registers are listed register by register. Longer copies are one entry.
const FEW: usize = 4;

/// The maximum size in bytes of a block that is written from lists.
const MOST_BYTES_OF_LISTS: usize = 8192;

/// The maximum average number of registers in a move. A longer move is faster than the list, because it loads its table once.
const STEPS_OF_A_MOVE: usize = 32;

/// The maximum average number of registers in a move, if the block is one of many. Zen 4 with AVX2 and AVX-512, 20 MB of
/// rows of 500 and 660 bytes with gaps, which have 5 registers in a move: lists take 1.5 times as long as batches. For 52 other
/// outputs of 24 MB, the limit makes no difference.
const STEPS_IN_MANY_BLOCKS: usize = 2;

/// The minimum number of moves in a block that is one of many. Zen 4 with AVX2, 16 MiB of rows of 100
/// bytes, which have fewer moves: lists take 1.3 times as long as batches.
const FEWEST_MOVES: usize = 4;

/// The registers of a block. The loops write the lists in this order:
///
/// - fill, which may also write bytes that later registers overwrite;
/// - permutations in the order of the output, each of which may write bytes that later ones overwrite, or fill where fill belongs;
/// - copies of single registers, which write only their own bytes;
/// - longer copies, which write only their own bytes;
/// - copies from the output, in the order of the output.
///
/// Each list is kept in reverse. A loop reads the list downwards in memory while it writes the output upwards. The reason is
/// that a load waits for an unfinished store if their addresses differ by about a multiple of 4 KiB. In opposite directions, the
/// two addresses keep such a distance only for a short time. Zen 3, 26 rows of 8 pixels: if both addresses increase, the rows
/// take up to 2.4 times as long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers {
    /// The output offsets of the fill.
    fill: Vec<usize>,
    gathers: Vec<Gather>,
    copies: Vec<RegisterCopy>,
    /// Copies of more than a few registers, and the size of each in bytes. Xeon with AMX, wrapped rows of 158 doubles: a list of
    /// every single register takes 1.3 times as long.
    long: Vec<(RegisterCopy, usize)>,
    again: Vec<RegisterCopy>,
    /// True if some permutations have two windows.
    two: bool,
    /// The offset of the source's first byte and the number of its bytes, if they are fewer than a register has. Then every
    /// permutation takes the whole source as its window.
    short: Option<(isize, usize)>,
    /// The tables of the permutations.
    tables: Vec<Table>,
}

/// A permutation of one or two windows of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Gather {
    src: [isize; 2],
    two: bool,
    /// The number of bytes to write, or 0 for a whole register.
    part: u8,
    /// The offset in bytes of the first window's table among all tables. The second window's table follows it.
    table: usize,
    dst: usize,
}

/// A copy of one register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RegisterCopy {
    src: isize,
    dst: usize,
}

/// Makes the lists of a program.
struct Lister<'a> {
    lanes: Lanes,
    /// The size of an element of fill in bytes.
    element: usize,
    /// The size of the block in bytes.
    len: usize,
    /// The offsets of the first readable byte and of the end of the readable bytes. They count from the source of the block.
    readable: (isize, isize),
    /// The tables of the program.
    of_moves: &'a [Table],
    list: Registers,
}

impl Lister<'_> {
    /// Lists a move. Returns false if it cannot be listed.
    fn add(&mut self, next: Move) -> bool {
        let whole = self.lanes.whole;
        match next {
            Move::Copy { src, dst, bytes } if bytes > FEW * whole => {
                self.list.long.push((RegisterCopy { src, dst }, bytes));
            }
            Move::Copy { src, dst, bytes } if bytes >= whole => {
                let places = (0..bytes).step_by(whole).map(|at| at.min(bytes - whole));
                self.list
                    .copies
                    .extend(places.map(|at| RegisterCopy { src: src + at as isize, dst: dst + at }));
            }
            Move::Copy { src, dst, bytes } => return self.short_copy(src, dst, bytes),
            Move::Again { from, dst, bytes } if (whole..=dst - from).contains(&bytes) => {
                let places = (0..bytes).step_by(whole).map(|at| at.min(bytes - whole));
                let copied = places.map(|at| RegisterCopy { src: (from + at) as isize, dst: dst + at });
                self.list.again.extend(copied);
            }
            // Every register of fill must contain whole elements. A whole register is a multiple of a window.
            Move::Fill { dst, bytes }
                if self.lanes.window.is_multiple_of(self.element) && self.len >= whole =>
            {
                let last = self.len - whole;
                self.list.fill.extend((0..bytes).step_by(whole).map(|at| (dst + at).min(last)));
            }
            Move::Interleave(Bodies { src, step, body, dst, gap, count }) => {
                return (0..count).all(|i| {
                    let (src, dst) = (src + i as isize * step, dst + i * (body + gap));
                    let between = Move::Fill { dst: dst + body, bytes: gap };
                    self.add(Move::Copy { src, dst, bytes: body }) && (i + 1 == count || self.add(between))
                });
            }
            Move::Permute(Permutation { windows, step, table, dst, bytes, count }) => {
                let tables = [0, usize::from(windows[1].bytes > 0)].map(|which| self.of_moves[table + which]);
                return (0..count).all(|i| {
                    let far = i as isize * step;
                    let windows = windows.map(|window| Window { src: window.src + far, ..window });
                    self.gather(windows, tables, (dst + i * bytes, bytes))
                });
            }
            _ => return false,
        }
        true
    }

    /// Lists a permutation. If the register of a window would end after the readable bytes, the window begins some grains
    /// earlier. Returns false if it would then begin before the readable bytes, or if the needed bytes would no longer fit the
    /// register.
    fn gather(&mut self, windows: [Window; 2], mut tables: [Table; 2], (dst, bytes): (usize, usize)) -> bool {
        let (Lanes { window, grain, .. }, (start, end)) = (self.lanes, self.readable);
        let two = windows[1].bytes > 0;
        let mut src = windows.map(|window| window.src);
        for i in 0..1 + usize::from(two) {
            let last = (end - window as isize).max(start);
            if src[i] > last {
                let back = ((src[i] - last) as usize).next_multiple_of(grain);
                if src[i] - (back as isize) < start || windows[i].bytes + back > window {
                    return false;
                }
                tables[i].shift(back, grain);
                src[i] -= back as isize;
            }
        }
        // Consecutive permutations with equal tables share one copy of the tables.
        let of = &tables[..1 + usize::from(two)];
        if !self.list.tables.ends_with(of) {
            self.list.tables.extend_from_slice(of);
        }
        let table = (self.list.tables.len() - of.len()) * size_of::<Table>();
        let part = if dst + window > self.len { bytes as u8 } else { 0 };
        self.list.gathers.push(Gather { src, two, part, table, dst });
        true
    }

    /// Lists a copy that is shorter than a register as permutations.
    fn short_copy(&mut self, src: isize, dst: usize, bytes: usize) -> bool {
        let Lanes { window, grain, .. } = self.lanes;
        if !bytes.is_multiple_of(grain) {
            return false;
        }
        (0..bytes).step_by(window).all(|at| {
            let now = window.min(bytes - at);
            let mut table = Table::NOTHING;
            table.set(0, 0, now, grain);
            let windows = [now, 0].map(|bytes| Window { src: src + at as isize, bytes });
            self.gather(windows, [table; 2], (dst + at, now))
        })
    }
}

impl Program<'_> {
    /// Lists the registers of a block. The program keeps the list if all moves can be listed and the list is faster.
    ///
    /// If the block is the whole output, `readable` holds the offsets of the first byte and of the end of the source, counted from
    /// the source of the block. Otherwise, it is `None`, and the list reads only the bytes that the moves read.
    ///
    /// EPYC with AVX2, mirrored arrays of 81 floats: the list takes 0.86 times as long as the moves. Zen 4, 120 outputs of 24 MB of
    /// all classes: the lists of their blocks take 0.84 times as long.
    pub(in crate::kernel) fn list_registers(
        &mut self,
        lanes: Lanes,
        element: usize,
        readable: Option<(isize, isize)>,
    ) {
        let moves = self.moves.len();
        let steps = self.moves.iter().fold(0usize, |steps, next| steps.saturating_add(next.steps()));
        let (most, fewest) = match readable {
            Some(_) => (STEPS_OF_A_MOVE, 0),
            None => (STEPS_IN_MANY_BLOCKS, FEWEST_MOVES),
        };
        let is_faster = steps <= most.saturating_mul(moves) && moves >= fewest;
        if self.len > MOST_BYTES_OF_LISTS || lanes.window == 0 || !is_faster {
            return;
        }
        let readable = readable.unwrap_or((self.src_start, self.src_over));
        let bytes = readable.1.abs_diff(readable.0);
        let short = (bytes < lanes.window).then_some((readable.0, bytes));
        let (len, of_moves, list) = (self.len, &*self.tables, Registers { short, ..Registers::default() });
        let mut lister = Lister { lanes, element, len, readable, of_moves, list };
        if !self.moves.iter().all(|&next| lister.add(next)) {
            return;
        }
        let mut list = lister.list;
        list.two = list.gathers.iter().any(|gather| gather.two);
        list.fill.reverse();
        list.gathers.reverse();
        list.copies.reverse();
        list.long.reverse();
        list.again.reverse();
        self.registers = Some(Box::new(list));
    }

    /// Tells whether [`run_registers`] runs the program.
    #[inline(always)]
    pub(in crate::kernel) fn is_registers(&self) -> bool {
        self.registers.is_some()
    }
}

/// Writes a block whose registers the program lists.
///
/// # Safety
///
/// - The machine has the instruction set `S`, and the program was packed for the lanes of `S`.
/// - `src` and `dst` are the addresses of the block. The bytes that [`list_registers`](Program::list_registers) assumed to be
///   readable are readable, and the block is writable.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_registers<S: Shells>(
    program: &Program,
    fill: &Pattern,
    src: *const u8,
    dst: *mut u8,
) {
    let Some(list) = &program.registers else { return };
    // SAFETY: the caller keeps the contract. The `match` chooses the registers that the list was made for.
    unsafe {
        if !list.fill.is_empty() {
            let register = get::<S::Register>(fill.block().as_ptr());
            for &to in list.fill.iter().rev() {
                put(dst.add(to), register);
            }
        }
        match (program.uses_wide::<S>(), list.two) {
            (true, false) => gather::<S::Wide, false>(list, fill, src, dst),
            (true, true) => gather::<S::Wide, true>(list, fill, src, dst),
            (false, false) => gather::<S::Narrow, false>(list, fill, src, dst),
            (false, true) => gather::<S::Narrow, true>(list, fill, src, dst),
        }
        for &RegisterCopy { src: from, dst: to } in list.copies.iter().rev() {
            put(dst.add(to), get::<S::Register>(src.wrapping_offset(from)));
        }
        for &(RegisterCopy { src: from, dst: to }, bytes) in list.long.iter().rev() {
            copy_ends::<S>(Fetch::NONE, src.wrapping_offset(from), dst.add(to), bytes);
        }
        for &RegisterCopy { src: from, dst: to } in list.again.iter().rev() {
            put(dst.add(to), get::<S::Register>(dst.offset(from)));
        }
    }
}

/// Runs the permutations of a list. If `TWO`, some of them have two windows.
///
/// # Safety
///
/// - The contract of [`run_registers`] holds. The list is for registers of type `P::Register`.
#[inline(always)]
unsafe fn gather<P: Permute, const TWO: bool>(
    list: &Registers,
    fill: &Pattern,
    src: *const u8,
    dst: *mut u8,
) {
    // SAFETY: the caller keeps the contract. If the source is shorter than a register, only its bytes are read.
    unsafe {
        let tables: *const u8 = list.tables.as_ptr().cast();
        let base = get::<P::Register>(fill.block().as_ptr());
        if let Some((start, bytes)) = list.short {
            let from = P::load_part(src.wrapping_offset(start), bytes);
            for next in list.gathers.iter().rev() {
                let mut register = P::permute(base, from, get(tables.add(next.table)));
                if TWO && next.two {
                    register = P::permute(register, from, get(tables.add(next.table + size_of::<Table>())));
                }
                store::<P>(dst.add(next.dst), register, next.part);
            }
            return;
        }
        for next in list.gathers.iter().rev() {
            let table = tables.add(next.table);
            let mut register = P::permute_at(base, src.wrapping_offset(next.src[0]), get(table));
            // A branch is faster than a second permutation that changes nothing: in one measurement, 60 ns instead of 84 ns.
            if TWO && next.two {
                let other = get(table.add(size_of::<Table>()));
                register = P::permute_at(register, src.wrapping_offset(next.src[1]), other);
            }
            store::<P>(dst.add(next.dst), register, next.part);
        }
    }
}

/// Writes the first `part` bytes of a register, or the whole register if `part` is 0.
///
/// # Safety
///
/// - The machine has the instruction set, and these bytes are writable.
#[inline(always)]
unsafe fn store<P: Permute>(dst: *mut u8, register: P::Register, part: u8) {
    // SAFETY: the caller keeps the contract.
    unsafe {
        match part {
            0 => put(dst, register),
            bytes => P::store_part(dst, register, bytes.into()),
        }
    }
}
