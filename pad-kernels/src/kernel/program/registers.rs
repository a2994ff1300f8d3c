//! Small plans whose one block is nothing but registers: a list and a loop of their own.

use alloc::vec::Vec;

use super::{Move, Program, Shells, Table};
use crate::kernel::memory::{get, put};
use crate::kernel::simd::Permute;
use crate::plan::pattern::Pattern;

/// A register of the output, of one window of the source or of two, all of which are readable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Register {
    src: [isize; 2],
    two: bool,
    /// The first table's place among all, in bytes; the second one follows it.
    table: usize,
    dst: usize,
}

impl Program {
    /// Lists the registers of a program that is run for one block alone, at `src` of a source of `src_len` bytes, if it is nothing
    /// but registers whose windows are readable whole.
    ///
    /// Four axes of 3 floats, mirrored by 1, took 133 ns as moves and 115 so, three planes of 8 by 8 floats with fill around 63 and
    /// 49 (EPYC with AVX2).
    pub(in crate::kernel) fn list_registers(&mut self, src: isize, src_len: usize) {
        if src.saturating_add(self.src_over) > src_len as isize {
            return;
        }
        let mut registers = Vec::with_capacity(self.moves.len());
        for next in &self.moves {
            let (windows, two, table, dst) = match *next {
                Move::Gather { window, dst, table, .. } => ([window; 2], false, table, dst),
                Move::GatherTwo { windows, dst, table, .. } => (windows, true, table, dst),
                _ => return,
            };
            debug_assert!(dst + self.window <= self.len && table + usize::from(two) < self.tables.len());
            let src = [windows[0].src, windows[1].src];
            registers.push(Register { src, two, table: table * size_of::<Table>(), dst });
        }
        self.two = registers.iter().any(|register| register.two);
        self.registers = registers;
    }

    /// Whether [`run_registers`] runs it.
    #[inline(always)]
    pub(in crate::kernel) fn is_registers(&self) -> bool {
        !self.registers.is_empty()
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
    // SAFETY: the caller's; the window is the instruction set's.
    unsafe {
        match (program.window == S::Wide::BYTES, program.two) {
            (true, false) => gather::<S::Wide, false>(program, fill, src, dst),
            (true, true) => gather::<S::Wide, true>(program, fill, src, dst),
            (false, false) => gather::<S::Narrow, false>(program, fill, src, dst),
            (false, true) => gather::<S::Narrow, true>(program, fill, src, dst),
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
    fill: &Pattern,
    src: *const u8,
    dst: *mut u8,
) {
    // SAFETY: the caller's; tables lie where the list says.
    unsafe {
        let tables: *const u8 = program.tables.as_ptr().cast();
        let base = get::<P::Register>(fill.block().as_ptr());
        for &Register { src: [first, second], two, table, dst: to } in &program.registers {
            let table = tables.add(table);
            let mut register = P::permute(base, get(src.wrapping_offset(first)), get(table));
            // A branch: permutations that take nothing instead took 84 ns where this took 60.
            if TWO && two {
                let other = get(table.add(size_of::<Table>()));
                register = P::permute(register, get(src.wrapping_offset(second)), other);
            }
            put(dst.add(to), register);
        }
    }
}
