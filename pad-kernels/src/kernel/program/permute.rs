//! Runs permutations. A permutation builds an output register from one or two windows, which are registers of the source. The
//! table of a window holds an index into the window for each output byte or group of bytes. If the top bit of an index is set,
//! the permutation keeps the byte that a register of fill has at this position.

use super::moves::Batch;
use super::{Move, Program, Table, Window};
use crate::kernel::memory::{get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Permute};

/// Permutes the window at `src`, and returns the new register. Each of its bytes is the byte of the window that `index` names,
/// or the byte of `base` if `index` names none.
///
/// # Safety
///
/// - The machine has the instruction set, and `index` is for registers of type `P::Register`.
/// - `bytes` bytes at `src` are readable. If `WHOLE`, a whole register at `src` is readable.
#[inline(always)]
pub(super) unsafe fn pick<P: Permute, const WHOLE: bool>(
    base: P::Register,
    src: *const u8,
    bytes: usize,
    index: P::Register,
) -> P::Register {
    // SAFETY: the caller keeps the contract.
    unsafe {
        if WHOLE {
            P::permute_at(base, src, index)
        } else {
            P::permute(base, P::load_part(src, bytes), index)
        }
    }
}

/// Runs a permutation for every block of a batch.
///
/// # Safety
///
/// - The contract of [`run_batch`](super::run_batch) holds, and the permutation belongs to the program.
#[inline(always)]
pub(super) unsafe fn permute<P: Permute, const WHOLE: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    next: &Move,
    batch: &Batch,
) {
    let Move::Permute { windows: [_, second], .. } = *next else { return };
    // SAFETY: the caller keeps the contract.
    unsafe {
        if second.bytes > 0 {
            permute_times::<P, WHOLE, true>(sheet, program, next, batch);
        } else {
            permute_times::<P, WHOLE, false>(sheet, program, next, batch);
        }
    }
}

/// Runs a permutation of one window, or of two windows if `TWO`.
///
/// # Safety
///
/// - The contract of [`run_batch`](super::run_batch) holds, and the permutation belongs to the program.
#[inline(always)]
unsafe fn permute_times<P: Permute, const WHOLE: bool, const TWO: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    next: &Move,
    batch: &Batch,
) {
    let Move::Permute { windows: [first, second], step, table, dst, bytes, count } = *next else { return };
    let (mut batch, mut count, mut len) = (*batch, count, program.len);
    // `early` is the number of blocks whose stores may write past the end of the block. If a block consists of this move only,
    // the next block overwrites the excess. Later writes of the nest overwrite up to `behind` bytes after the last block.
    let mut early = 0;
    if program.moves.len() == 1 && batch.pitch == len as isize {
        let is_over = sheet.nest.sequential && !sheet.filled;
        let behind = if is_over { sheet.dst_len - (batch.end().addr() - sheet.dst.addr()) } else { 0 };
        if step * count as isize == batch.step {
            // All registers of all blocks are equally spaced, so they are one block.
            (count, len) = (count * batch.count, len * batch.count);
            batch.count = 1;
        }
        let late = match (P::BYTES - bytes).saturating_sub(behind) {
            0 => 0,
            over if over <= len => 1,
            over => over.div_ceil(len),
        };
        early = batch.count.saturating_sub(late);
    }
    // In the other blocks, the first `within` registers are stored whole, because these stores end within the block. Only the
    // needed bytes of the remaining registers are stored.
    let within = match (len - dst).checked_sub(P::BYTES) {
        Some(_) if count == 1 => 1,
        Some(room) => (room / bytes + 1).min(count),
        None => 0,
    };
    let fetch = sheet.fetch::<P::Register>();
    let (early, late) = batch.split(early);
    // SAFETY: the caller keeps the contract.
    unsafe {
        let picked = Picked::<P>::new(sheet, program, [first, second], table);
        for (batch, whole) in [(early, count), (late, within)] {
            if (whole, count) == (1, 1) {
                for (src, dst) in batch.places(first.src, dst) {
                    fetch.output(dst);
                    put(dst, picked.of::<WHOLE, TWO>(src));
                }
                continue;
            }
            for (mut src, mut dst) in batch.places(first.src, dst) {
                if step == 0 {
                    // All registers are equal, so the source is loaded once. Repeated loads of a source that is shorter than a
                    // register would be slow.
                    let register = picked.of::<WHOLE, TWO>(src);
                    for _ in 0..whole {
                        fetch.output(dst);
                        put(dst, register);
                        dst = dst.wrapping_add(bytes);
                    }
                } else {
                    // The loop writes one cache line at a time. EPYC with AVX2, registers of 16 bytes: this takes 0.8 times as
                    // long as a loop over registers.
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
}

/// The operands of a permutation: the register of fill, the table of each window, and the number of bytes needed of each window.
pub(super) struct Picked<P: Permute> {
    base: P::Register,
    index: P::Register,
    first: usize,
    other: P::Register,
    /// The distance from the first window to the second.
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
    /// Loads the tables of these windows. If the second window has no bytes, the second table keeps every byte as it is.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set, and the permutation belongs to the program.
    #[inline(always)]
    pub(super) unsafe fn new(
        sheet: &Sheet<'_>,
        program: &Program,
        [first, second]: [Window; 2],
        table: usize,
    ) -> Picked<P> {
        // SAFETY: the caller keeps the contract, and any bytes are a valid register.
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

    /// Returns the register whose first window is at `src`. If `TWO`, the register also takes bytes from the second window.
    ///
    /// # Safety
    ///
    /// - The contract of [`pick`] holds for each window.
    #[inline(always)]
    pub(super) unsafe fn of<const WHOLE: bool, const TWO: bool>(&self, src: *const u8) -> P::Register {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let register = pick::<P, WHOLE>(self.base, src, self.first, self.index);
            if !TWO {
                return register;
            }
            pick::<P, WHOLE>(register, src.wrapping_offset(self.apart), self.second, self.other)
        }
    }
}
