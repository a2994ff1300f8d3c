//! Runs permutations. A permutation builds an output register from one or two windows, which are registers of the source. The
//! table of a window holds an index into the window for each output byte or group of bytes. If the top bit of an index is set,
//! the byte at this position comes from a register of fill, or from the other window.

use super::moves::Batch;
use super::{Move, Program};
use crate::kernel::memory::{get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Permute};

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
    // SAFETY: the caller keeps the contract, and any bytes are a valid register.
    unsafe {
        let tables = program.tables.as_ptr().add(table);
        let picked = Picked::<P> {
            base: get(sheet.fill.block().as_ptr()),
            index: get(tables.cast()),
            first: first.bytes,
            other: get(tables.add(usize::from(TWO)).cast()),
            apart: second.src.wrapping_sub(first.src),
            second: second.bytes,
        };
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
/// With one window, `other`, `apart` and `second` are not used.
struct Picked<P: Permute> {
    base: P::Register,
    index: P::Register,
    first: usize,
    other: P::Register,
    /// The distance from the first window to the second.
    apart: isize,
    second: usize,
}

impl<P: Permute> Picked<P> {
    /// Returns the register whose first window is at `src`. If `TWO`, the register also takes bytes from the second window.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set, and the needed bytes of each window are readable.
    /// - If `WHOLE`, whole registers are readable.
    #[inline(always)]
    unsafe fn of<const WHOLE: bool, const TWO: bool>(&self, src: *const u8) -> P::Register {
        let far = src.wrapping_offset(self.apart);
        // SAFETY: the caller keeps the contract.
        unsafe {
            let register = if WHOLE {
                P::permute_at(self.base, src, self.index)
            } else {
                P::permute(self.base, P::load_part(src, self.first), self.index)
            };
            match (TWO, WHOLE) {
                (false, _) => register,
                (true, true) => P::permute_at(register, far, self.other),
                (true, false) => P::permute(register, P::load_part(far, self.second), self.other),
            }
        }
    }
}
