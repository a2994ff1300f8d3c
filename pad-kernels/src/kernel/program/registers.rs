//! Small plans whose one block is nothing but registers: a list and a loop of their own.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::finish::Piece;
use super::moves::Batch;
use super::{Lanes, Move, Program, Shells, Table};
use crate::kernel::memory::{Fetch, copy_over, get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::Permute;
use crate::plan::pattern::{BLOCK, Pattern};

/// The most bytes of a block whose registers are listed, and on average of a move: what is longer is copied by loops.
const MOST_BYTES: usize = 8192;
const MOST_BYTES_OF_A_MOVE: usize = 256;

/// The registers of a block that is all there is, in the order in which they are written: fill, which may write what is none; those
/// that are gathered, in the order of the output, each of which may spill what a later one overwrites; and copies, which write
/// nothing but their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers {
    /// Their places in the output.
    fill: Vec<usize>,
    gathers: Vec<Gather>,
    /// Some of them are of two windows.
    two: bool,
    copies: Vec<Copied>,
}

/// A register of one window of the source or of two, all of which are readable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Gather {
    src: [isize; 2],
    two: bool,
    /// The first table's place among all, in bytes; the second one follows it.
    table: usize,
    dst: usize,
}

/// A register as it is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Copied {
    src: isize,
    dst: usize,
}

/// A register of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Register {
    /// Fill, at this place in the output.
    Fill(usize),
    Gather(Gather),
    Copy(Copied),
    /// What was gathered last, once more.
    Same(usize),
    /// Neighbours of more than [`FEW`] registers.
    Long {
        src: isize,
        dst: usize,
        bytes: usize,
    },
}

/// The registers of one of several blocks next to each other, in the order of the output: what each writes too much is overwritten by
/// those that follow, in its block or in the next one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    registers: Vec<Register>,
    /// The same, all as permutations of one window or all of `two`, if they can be, and then fill.
    gathers: Vec<Gather>,
    two: bool,
    /// Where they are followed by fill.
    fill: Vec<usize>,
}

/// Copies of up to so many registers are listed as such.
const FEW: usize = 4;

/// Blocks of so few registers have a loop for each number.
const MOST_UNROLLED: usize = 12;

/// The most registers of a block that are listed if others follow it.
const MOST_OF_A_ROW: usize = 32;

/// What a list of registers is made for.
struct Lister<'a> {
    program: &'a mut Program,
    lanes: Lanes,
    /// Units are whole in every register.
    even: bool,
    /// How far behind the block's place its source is readable, and before it.
    end: isize,
    start: isize,
    /// Whether registers may write behind the block.
    spills: bool,
    list: Vec<Register>,
    /// The last copy of less than a register: its bytes, how far its window begins before it, and its table.
    short: Option<(usize, isize, usize)>,
}

impl Program {
    /// Lists the registers of a program that is run for one block alone, at `src` of a source of `src_len` bytes, if there is nothing
    /// but registers whose windows are readable whole.
    ///
    /// Four axes of 3 floats, mirrored by 1, took 133 ns as moves and 115 so, three planes of 8 by 8 floats with fill around 63 and
    /// 49 (EPYC with AVX2).
    pub(in crate::kernel) fn list_registers(
        &mut self,
        lanes: Lanes,
        unit: usize,
        (src, src_len): (isize, usize),
    ) {
        let steps = self.moves.iter().fold(0usize, |steps, next| steps.saturating_add(next.steps()));
        if self.len > MOST_BYTES || self.len > MOST_BYTES_OF_A_MOVE.saturating_mul(steps) {
            return;
        }
        if lanes.window == 0 || src.saturating_add(self.src_over) > src_len as isize {
            return;
        }
        let even = lanes.window.is_multiple_of(unit);
        // Places are within the source, or less than isize::MAX before it.
        let (end, start) = ((src_len as isize).saturating_sub(src), -src);
        let lister =
            Lister { program: self, lanes, even, end, start, spills: false, list: Vec::new(), short: None };
        let Some(all) = lister.all() else { return };
        let mut list = Registers::default();
        for register in all {
            match register {
                Register::Fill(dst) => list.fill.push(dst),
                Register::Gather(gather) => list.gathers.push(gather),
                Register::Copy(copied) => list.copies.push(copied),
                Register::Same(_) | Register::Long { .. } => debug_assert!(false, "of rows alone"),
            }
        }
        list.two = list.gathers.iter().any(|gather| gather.two);
        self.registers = Some(Box::new(list));
    }

    /// Lists the registers of a program that is run for several blocks, if they are few.
    pub(in crate::kernel) fn list_rows(&mut self, lanes: Lanes, unit: usize) {
        let steps = self.moves.iter().fold(0usize, |steps, next| steps.saturating_add(next.steps()));
        let copies = self.moves.iter().any(|next| matches!(next, Move::Copy { .. }));
        if copies && self.is_bordered() {
            return;
        }
        if lanes.window == 0 || steps > MOST_OF_A_ROW {
            return;
        }
        let even = lanes.window.is_multiple_of(unit);
        let (end, start) = (isize::MAX, isize::MIN);
        let lister =
            Lister { program: self, lanes, even, end, start, spills: true, list: Vec::new(), short: None };
        let Some(registers) = lister.all().filter(|list| list.len() <= MOST_OF_A_ROW) else { return };
        let mut rows = Rows { registers, ..Rows::default() };
        self.gather_rows(lanes, &mut rows);
        rows.share();
        self.rows = Some(Box::new(rows));
    }

    /// Makes all registers permutations, if some are and the others can be.
    fn gather_rows(&mut self, lanes: Lanes, rows: &mut Rows) {
        let gather =
            |register: &Register| if let Register::Gather(gather) = register { Some(*gather) } else { None };
        let Some(first) = rows.registers.iter().find_map(gather) else { return };
        let two = rows.registers.iter().filter_map(gather).any(|gather| gather.two);
        if two && !rows.registers.iter().all(|register| gather(register).is_some_and(|gather| gather.two))
            || !two
                && lanes.window != lanes.whole
                && rows.registers.iter().any(|register| gather(register).is_none())
        {
            return;
        }
        let (mut gathers, mut fill) = (Vec::with_capacity(rows.registers.len()), Vec::new());
        let is_fill = |register: &Register| matches!(register, Register::Fill(_));
        let filled = rows.registers.iter().rev().take_while(|register| is_fill(register)).count();
        let (gathered, filled) = rows.registers.split_at(rows.registers.len() - filled);
        fill.extend(filled.iter().filter_map(|register| match *register {
            Register::Fill(dst) => Some(dst),
            _ => None,
        }));
        for register in gathered {
            let gathered = match *register {
                Register::Gather(gather) => gather,
                Register::Fill(dst) => {
                    self.tables.push(Table([0x80; BLOCK]));
                    Gather { table: (self.tables.len() - 1) * size_of::<Table>(), dst, ..first }
                }
                Register::Copy(Copied { src, dst }) => {
                    let piece = Piece {
                        window: 0,
                        at: 0,
                        count: lanes.window / lanes.grain,
                        src: 0,
                        stride: lanes.grain as isize,
                    };
                    let mut indices = Table([0x80; BLOCK]);
                    piece.index(&mut indices.0, 0, lanes.grain, lanes.grain);
                    self.tables.push(indices);
                    Gather {
                        src: [src; 2],
                        two: false,
                        table: (self.tables.len() - 1) * size_of::<Table>(),
                        dst,
                    }
                }
                Register::Same(_) | Register::Long { .. } => return,
            };
            gathers.push(gathered);
        }
        (rows.two, rows.gathers, rows.fill) = (two, gathers, fill);
    }

    /// Whether [`run_rows`] runs blocks of it that follow each other.
    #[inline(always)]
    pub(in crate::kernel) fn is_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// Whether [`run_registers`] runs it.
    #[inline(always)]
    pub(in crate::kernel) fn is_registers(&self) -> bool {
        self.registers.is_some()
    }
}

impl Rows {
    /// Registers that are the same as the one gathered before are not gathered again.
    fn share(&mut self) {
        let mut last = None;
        for register in &mut self.registers {
            let Register::Gather(gather) = *register else { continue };
            let what = Gather { dst: 0, ..gather };
            if last == Some(what) {
                *register = Register::Same(gather.dst);
            }
            last = Some(what);
        }
    }
}

impl Lister<'_> {
    /// The registers of all moves, if they are nothing else.
    fn all(mut self) -> Option<Vec<Register>> {
        (0..self.program.moves.len()).all(|i| self.add(self.program.moves[i])).then_some(self.list)
    }

    /// Adds a move, and tells whether that can be.
    fn add(&mut self, next: Move) -> bool {
        let whole = self.lanes.whole;
        match next {
            Move::Copy { src, dst, bytes } if self.spills && bytes > FEW * whole => {
                self.list.push(Register::Long { src, dst, bytes });
                true
            }
            Move::Copy { src, dst, bytes } if self.spills => {
                for at in (0..bytes).step_by(whole) {
                    self.list.push(Register::Copy(Copied { src: src + at as isize, dst: dst + at }));
                }
                true
            }
            Move::Copy { src, dst, bytes } if bytes >= whole => {
                for at in (0..bytes).step_by(whole) {
                    let at = at.min(bytes - whole);
                    self.list.push(Register::Copy(Copied { src: src + at as isize, dst: dst + at }));
                }
                true
            }
            Move::Copy { src, dst, bytes } => self.short_copy(src, dst, bytes),
            Move::Fill { dst, bytes } if self.even && (self.spills || self.program.len >= whole) => {
                let last = if self.spills { usize::MAX } else { self.program.len - whole };
                self.list.extend((0..bytes).step_by(whole).map(|at| Register::Fill((dst + at).min(last))));
                true
            }
            Move::Interleave { src, step, body, dst, gap, count } => (0..count).all(|i| {
                let (src, dst) = (src + i as isize * step, dst + i * (body + gap));
                let between = Move::Fill { dst: dst + body, bytes: gap };
                self.add(Move::Copy { src, dst, bytes: body }) && (i + 1 == count || self.add(between))
            }),
            Move::Gather { .. } | Move::GatherTwo { .. } | Move::Permute { .. } => {
                let Some((windows, step, table, dst, bytes, count)) = next.permutation() else {
                    return false;
                };
                (0..count).all(|i| {
                    let far = i as isize * step;
                    let src = [windows[0].src + far, windows[1].src + far];
                    self.gather(src, windows[1].bytes > 0, table, dst + i * bytes)
                })
            }
            _ => false,
        }
    }

    fn gather(&mut self, src: [isize; 2], two: bool, table: usize, dst: usize) -> bool {
        if !self.spills && dst + self.lanes.window > self.program.len {
            return false;
        }
        debug_assert!(table + usize::from(two) < self.program.tables.len());
        self.list.push(Register::Gather(Gather { src, two, table: table * size_of::<Table>(), dst }));
        true
    }

    /// A copy of less than a register that is not permuted: as many as it takes of those that are.
    fn short_copy(&mut self, mut src: isize, mut dst: usize, mut bytes: usize) -> bool {
        let Lanes { window, grain, .. } = self.lanes;
        if !bytes.is_multiple_of(grain) {
            return false;
        }
        while bytes > 0 {
            let now = bytes.min(window);
            let over = (src + window as isize - self.end).max(0);
            if src - over < self.start || over as usize + now > window || over % grain as isize != 0 {
                return false;
            }
            let table = match self.short {
                Some((bytes, before, table)) if (bytes, before) == (now, over) => table,
                _ => self.short_table(now, over),
            };
            if !self.gather([src - over; 2], false, table, dst) {
                return false;
            }
            (src, dst, bytes) = (src + now as isize, dst + now, bytes - now);
        }
        true
    }

    /// The table that takes `bytes` of a window, `before` bytes behind its beginning.
    fn short_table(&mut self, bytes: usize, before: isize) -> usize {
        let grain = self.lanes.grain;
        let mut indices = Table([0x80; BLOCK]);
        let piece = Piece { window: 0, at: 0, count: bytes / grain, src: before, stride: grain as isize };
        piece.index(&mut indices.0, 0, grain, grain);
        let table = self.program.tables.len();
        self.program.tables.push(indices);
        self.short = Some((bytes, before, table));
        table
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
    // SAFETY: the caller's; the window is the instruction set's.
    unsafe {
        if !list.fill.is_empty() {
            let register = get::<S::Register>(fill.block().as_ptr());
            for &to in &list.fill {
                put(dst.add(to), register);
            }
        }
        match (program.is_wide::<S>(), list.two) {
            (true, false) => gather::<S::Wide, false>(program, list, fill, src, dst),
            (true, true) => gather::<S::Wide, true>(program, list, fill, src, dst),
            (false, false) => gather::<S::Narrow, false>(program, list, fill, src, dst),
            (false, true) => gather::<S::Narrow, true>(program, list, fill, src, dst),
        }
        for &Copied { src: from, dst: to } in &list.copies {
            put(dst.add(to), get::<S::Register>(src.wrapping_offset(from)));
        }
    }
}

/// Registers of one window, or some of them of `TWO`.
///
/// # Safety
///
/// - As for [`run_registers`]; the permutations are the program's.
#[inline(always)]
unsafe fn gather<P: Permute, const TWO: bool>(
    program: &Program,
    list: &Registers,
    fill: &Pattern,
    src: *const u8,
    dst: *mut u8,
) {
    // SAFETY: the caller's; tables lie where the list says.
    unsafe {
        let tables: *const u8 = program.tables.as_ptr().cast();
        let base = get::<P::Register>(fill.block().as_ptr());
        for &Gather { src: [first, second], two, table, dst: to } in &list.gathers {
            let table = tables.add(table);
            let mut register = P::permute_at(base, src.wrapping_offset(first), get(table));
            // A branch: permutations that take nothing instead took 84 ns where this took 60.
            if TWO && two {
                let other = get(table.add(size_of::<Table>()));
                register = P::permute_at(register, src.wrapping_offset(second), other);
            }
            put(dst.add(to), register);
        }
    }
}

/// Blocks of a program that lists its rows, each of which overshoots its end.
///
/// # Safety
///
/// - As for [`run_bordered`](super::run_bordered).
#[inline(always)]
pub(in crate::kernel) unsafe fn run_rows<S: Shells>(sheet: &Sheet<'_>, program: &Program, blocks: &Batch) {
    // SAFETY: the caller's; the window is the instruction set's.
    unsafe {
        if program.is_wide::<S>() {
            rows::<S, S::Wide>(sheet, program, blocks);
        } else {
            rows::<S, S::Narrow>(sheet, program, blocks);
        }
    }
}

/// # Safety
///
/// - As for [`run_rows`]; the permutations are the program's.
#[inline(always)]
unsafe fn rows<S: Shells, P: Permute>(sheet: &Sheet<'_>, program: &Program, blocks: &Batch) {
    let Some(list) = &program.rows else { return };
    // SAFETY: the caller's, and each arm is for as many registers as there are.
    unsafe {
        let tables: *const u8 = program.tables.as_ptr().cast();
        seq_macro::seq!(N in 1..=12 {
            const { assert!(MOST_UNROLLED == 12) };
            match (list.gathers.len(), list.two) {
                #((N, false) => unrolled::<S, P, N, false>(list, tables, sheet.fill, blocks),)*
                #((N, true) => unrolled::<S, P, N, true>(list, tables, sheet.fill, blocks),)*
                (1.., false) => each::<S, P>(list, tables, sheet.fill, blocks),
                _ => in_turn::<S, P>(&list.registers, tables, sheet.fill, blocks),
            }
        });
    }
}

/// Blocks of `N` registers, each of one window or all of `TWO`, whose tables stay in registers.
///
/// # Safety
///
/// - As for [`run_rows`]; there are as many, and the permutations are the program's, whose tables these are.
#[inline(always)]
unsafe fn unrolled<S: Shells, P: Permute, const N: usize, const TWO: bool>(
    list: &Rows,
    tables: *const u8,
    fill: &Pattern,
    blocks: &Batch,
) {
    let Some(gathers) = list.gathers.first_chunk::<N>() else { return };
    let fetch = Fetch::here();
    // SAFETY: a block is as long as a register.
    let (base, fill) = unsafe {
        let block = fill.block().as_ptr();
        (get::<P::Register>(block), get::<S::Register>(block))
    };
    let (mut index, mut other) = ([base; N], [base; N]);
    // SAFETY: the caller's; tables lie where the list says.
    unsafe {
        for i in 0..N {
            let table = tables.add(gathers[i].table);
            index[i] = get(table);
            if TWO {
                other[i] = get(table.add(size_of::<Table>()));
            }
        }
        for (from, to) in blocks.places(0, 0) {
            for i in 0..N {
                let Gather { src: [first, second], dst, .. } = gathers[i];
                let mut register = P::permute_at(base, from.wrapping_offset(first), index[i]);
                if TWO {
                    register = P::permute_at(register, from.wrapping_offset(second), other[i]);
                }
                fetch.output(to.add(dst));
                put(to.add(dst), register);
            }
            for &dst in &list.fill {
                put(to.add(dst), fill);
            }
        }
    }
}

/// Blocks of more registers, each of one window.
///
/// # Safety
///
/// - As for [`unrolled`].
#[inline(always)]
unsafe fn each<S: Shells, P: Permute>(list: &Rows, tables: *const u8, fill: &Pattern, blocks: &Batch) {
    let fetch = Fetch::here();
    // SAFETY: the caller's; tables lie where the list says.
    unsafe {
        let block = fill.block().as_ptr();
        let (base, fill) = (get::<P::Register>(block), get::<S::Register>(block));
        for (from, to) in blocks.places(0, 0) {
            for &Gather { src: [src, _], table, dst, .. } in &list.gathers {
                fetch.output(to.add(dst));
                put(to.add(dst), P::permute_at(base, from.wrapping_offset(src), get(tables.add(table))));
            }
            for &dst in &list.fill {
                put(to.add(dst), fill);
            }
        }
    }
}

/// Blocks of any registers, one after the other.
///
/// # Safety
///
/// - As for [`run_rows`]; the permutations are the program's, whose tables these are.
#[inline(always)]
unsafe fn in_turn<S: Shells, P: Permute>(
    registers: &[Register],
    tables: *const u8,
    fill: &Pattern,
    blocks: &Batch,
) {
    let fetch = Fetch::here();
    // SAFETY: the caller's; tables lie where the list says.
    unsafe {
        let base = get::<P::Register>(fill.block().as_ptr());
        let fill = get::<S::Register>(fill.block().as_ptr());
        let mut last = base;
        for (from, to) in blocks.places(0, 0) {
            for register in registers {
                match *register {
                    Register::Fill(dst) => put(to.add(dst), fill),
                    Register::Copy(Copied { src, dst }) => {
                        fetch.output(to.add(dst));
                        put(to.add(dst), get::<S::Register>(from.wrapping_offset(src)));
                    }
                    Register::Gather(Gather { src: [first, second], two, table, dst }) => {
                        let table = tables.add(table);
                        last = P::permute_at(base, from.wrapping_offset(first), get(table));
                        if two {
                            let other = get(table.add(size_of::<Table>()));
                            last = P::permute_at(last, from.wrapping_offset(second), other);
                        }
                        fetch.output(to.add(dst));
                        put(to.add(dst), last);
                    }
                    Register::Same(dst) => {
                        fetch.output(to.add(dst));
                        put(to.add(dst), last);
                    }
                    Register::Long { src, dst, bytes } => {
                        copy_over::<S>(fetch, from.wrapping_offset(src), to.add(dst), bytes);
                    }
                }
            }
        }
    }
}
