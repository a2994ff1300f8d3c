//! Small plans whose one block is nothing but registers: a list and a loop of their own.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::finish::Piece;
use super::{Lanes, Move, Program, Shells, Table};
use crate::kernel::memory::{get, put};
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

/// What a list of registers is made for.
struct Lister<'a> {
    program: &'a mut Program,
    lanes: Lanes,
    /// Units are whole in every register.
    even: bool,
    /// How far behind the block's place its source is readable, and before it.
    end: isize,
    start: isize,
    list: Registers,
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
        let (end, list) = ((src_len as isize).saturating_sub(src), Registers::default());
        let mut lister = Lister { program: self, lanes, even, end, start: -src, list, short: None };
        for i in 0..lister.program.moves.len() {
            if !lister.add(lister.program.moves[i]) {
                return;
            }
        }
        let mut list = lister.list;
        list.two = list.gathers.iter().any(|gather| gather.two);
        self.registers = Some(Box::new(list));
    }

    /// Whether [`run_registers`] runs it.
    #[inline(always)]
    pub(in crate::kernel) fn is_registers(&self) -> bool {
        self.registers.is_some()
    }
}

impl Lister<'_> {
    /// Adds a move, and tells whether that can be.
    fn add(&mut self, next: Move) -> bool {
        let whole = self.lanes.whole;
        match next {
            Move::Copy { src, dst, bytes } if bytes >= whole => {
                for at in (0..bytes).step_by(whole) {
                    let at = at.min(bytes - whole);
                    self.list.copies.push(Copied { src: src + at as isize, dst: dst + at });
                }
                true
            }
            Move::Copy { src, dst, bytes } => self.short_copy(src, dst, bytes),
            Move::Fill { dst, bytes } if self.program.len >= whole && self.even => {
                for at in (0..bytes).step_by(whole) {
                    self.list.fill.push((dst + at).min(self.program.len - whole));
                }
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
        if dst + self.lanes.window > self.program.len {
            return false;
        }
        debug_assert!(table + usize::from(two) < self.program.tables.len());
        self.list.gathers.push(Gather { src, two, table: table * size_of::<Table>(), dst });
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
