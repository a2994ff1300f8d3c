//! Permutations of programs.

use super::list::Gather;
use super::moves::Batch;
use super::{Move, Program, Table, Window};
use crate::kernel::memory::{get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Permute};

/// What an index names of the register at `src`, of which all is readable, or what is needed, and `base` where it names nothing.
///
/// # Safety
///
/// - The machine has the instruction set; the index is of registers of this kind.
/// - `bytes` at `src` are readable, and a register if it is `WHOLE`.
#[inline(always)]
pub(super) unsafe fn pick<P: Permute, const WHOLE: bool>(
    base: P::Register,
    src: *const u8,
    bytes: usize,
    index: P::Register,
) -> P::Register {
    // SAFETY: the caller's.
    unsafe {
        if WHOLE {
            P::permute_at(base, src, index)
        } else {
            P::permute(base, P::load_part(src, bytes), index)
        }
    }
}

/// A register that is listed, of a block whose source is at `src`: of one window, or of two if it is and `TWO` holds.
///
/// # Safety
///
/// - The machine has the instruction set; the registers are of this kind, and its windows are readable whole.
/// - These are the tables among which it says where its own are.
#[inline(always)]
pub(super) unsafe fn gathered<P: Permute, const TWO: bool>(
    gather: &Gather,
    base: P::Register,
    tables: *const u8,
    src: *const u8,
) -> P::Register {
    let Gather { src: [first, second], two, table, .. } = *gather;
    // SAFETY: the caller's; tables lie where the list says.
    unsafe {
        let table = tables.add(table);
        let mut register = P::permute_at(base, src.wrapping_offset(first), get(table));
        // A branch: permutations that take nothing instead took 84 ns where this took 60.
        if TWO && two {
            let other = get(table.add(size_of::<Table>()));
            register = P::permute_at(register, src.wrapping_offset(second), other);
        }
        register
    }
}

/// A permutation that is run several times for every block, or whose registers are not all written whole.
///
/// # Safety
///
/// - As for [`run_batch`](super::run_batch); the permutations are the program's.
#[inline(always)]
pub(super) unsafe fn permute<P: Permute, const WHOLE: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    next: &Move,
    batch: &Batch,
) {
    let Move::Permute { windows: [_, second], .. } = *next else { return };
    // SAFETY: the caller's.
    unsafe {
        if second.bytes > 0 {
            permute_times::<P, WHOLE, true>(sheet, program, next, batch);
        } else {
            permute_times::<P, WHOLE, false>(sheet, program, next, batch);
        }
    }
}

/// Permutes one window, or `TWO`.
///
/// # Safety
///
/// - As for [`run_batch`](super::run_batch); the permutations are the program's.
#[inline(always)]
unsafe fn permute_times<P: Permute, const WHOLE: bool, const TWO: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    next: &Move,
    batch: &Batch,
) {
    let Move::Permute { windows: [first, second], step, table, dst, bytes, count } = *next else { return };
    // So many registers end within the block.
    let whole = match (program.len - dst).checked_sub(P::BYTES) {
        Some(room) => (room / bytes + 1).min(count),
        None => 0,
    };
    let fetch = sheet.fetch::<P::Register>();
    // SAFETY: the caller's.
    unsafe {
        let picked = Picked::<P>::new(sheet, program, [first, second], table);
        for (mut src, mut dst) in batch.places(first.src, dst) {
            if step == 0 {
                // The same register every time: a source that is shorter than one is slow to load.
                let register = picked.of::<WHOLE, TWO>(src);
                for _ in 0..whole {
                    fetch.output(dst);
                    put(dst, register);
                    dst = dst.wrapping_add(bytes);
                }
            } else {
                // A line of the output at a time: registers of 16 bytes took 0.8 times as long as one by one (EPYC with AVX2).
                let many = const { if let Some(many) = LINE.checked_div(P::BYTES) { many } else { 1 } };
                let mut left = whole;
                while left >= many {
                    fetch.output(dst);
                    for _ in 0..many {
                        put(dst, picked.of::<WHOLE, TWO>(src));
                        (src, dst) = (src.wrapping_offset(step), dst.wrapping_add(bytes));
                    }
                    left -= many;
                }
                if left > 0 {
                    fetch.output(dst);
                }
                for _ in 0..left {
                    put(dst, picked.of::<WHOLE, TWO>(src));
                    (src, dst) = (src.wrapping_offset(step), dst.wrapping_add(bytes));
                }
            }
            for _ in whole..count {
                fetch.output(dst);
                P::store_part(dst, picked.of::<WHOLE, TWO>(src), bytes);
                (src, dst) = (src.wrapping_offset(step), dst.wrapping_add(bytes));
            }
        }
    }
}

/// What registers of a permutation are picked by: indices of the first window and of the other, and the bytes that are needed of
/// each.
pub(super) struct Picked<P: Permute> {
    base: P::Register,
    index: P::Register,
    first: usize,
    other: P::Register,
    /// From the first window to the other.
    apart: isize,
    second: usize,
}

impl<P: Permute> Clone for Picked<P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Permute> Copy for Picked<P> {}

impl<P: Permute> Picked<P> {
    /// Those of windows of the program. Nothing is taken of the second one if it is none.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set; the permutations are the program's.
    #[inline(always)]
    pub(super) unsafe fn new(
        sheet: &Sheet<'_>,
        program: &Program,
        [first, second]: [Window; 2],
        table: usize,
    ) -> Picked<P> {
        // SAFETY: the caller's; any bytes are a register.
        unsafe {
            let tables = program.tables.as_ptr().add(table);
            let base = get::<P::Register>(sheet.fill.block().as_ptr());
            let index = get::<P::Register>(tables.cast());
            let (other, apart) = match second.bytes {
                0 => (get::<P::Register>(core::ptr::from_ref(&Table::NOTHING).cast()), 0),
                _ => (get::<P::Register>(tables.add(1).cast()), second.src - first.src),
            };
            Picked { base, index, first: first.bytes, other, apart, second: second.bytes }
        }
    }

    /// The register whose first window is at `src`, of one window or of `TWO`.
    ///
    /// # Safety
    ///
    /// - As for [`pick`], for both windows.
    #[inline(always)]
    pub(super) unsafe fn of<const WHOLE: bool, const TWO: bool>(&self, src: *const u8) -> P::Register {
        // SAFETY: the caller's.
        unsafe {
            let register = pick::<P, WHOLE>(self.base, src, self.first, self.index);
            if !TWO {
                return register;
            }
            pick::<P, WHOLE>(register, src.wrapping_offset(self.apart), self.second, self.other)
        }
    }
}
