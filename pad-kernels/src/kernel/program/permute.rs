//! Runs permutations. A permutation builds an output register from one or two windows of the source. The table of a window holds an
//! index into the window for each output byte or grain. If the top bit of an index is set, the byte at this position comes from a
//! register of fill, or from the other window.

use super::moves::Batch;
use super::{Permutation, Program, Table, Window};
use crate::kernel::memory::{Fetch, get, put};
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
    next: &Permutation,
    batch: &Batch,
) {
    // SAFETY: the caller keeps the contract.
    unsafe {
        if next.windows[1].bytes > 0 {
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
    next: &Permutation,
    batch: &Batch,
) {
    let Permutation { windows: [first, second], step, table, dst, bytes, count } = *next;
    let mut permuted =
        Permuted { batch: *batch, first: first.src, step, dst, bytes, count, whole: count, inside: true };
    // SAFETY: the caller keeps the contract.
    unsafe {
        let picked = Picked::<P>::new(sheet, program, &[first, second], table);
        let mut last = None;
        if program.moves.len() == 1 && batch.pitch == program.len as isize {
            last = Some(permuted.split::<P>(sheet, program.len));
        } else {
            permuted.limit::<P>(program.len);
        }
        // A loop, because a second call would double the machine code.
        loop {
            permuted.write::<P, WHOLE, TWO>(sheet, &picked);
            let Some(next) = last.take() else { break };
            permuted = next;
        }
    }
}

/// The maximum number of registers in a block that are written one by one for all blocks of a batch. Zen 3, 75 rows of 2 KB with 42
/// equal registers: without this limit, they take 2.8 times as long.
const FEW: usize = 4;

/// The registers that a permutation writes in every block of a batch.
struct Permuted {
    batch: Batch,
    /// The source offset of the first register, and the distance from one register to the next in the source.
    first: isize,
    step: isize,
    /// The output offset of the first register, and the number of bytes that each register writes.
    dst: usize,
    bytes: usize,
    count: usize,
    /// The number of registers that are stored whole. Only the needed bytes of the others are stored.
    whole: usize,
    /// True if whole stores end within their block. Otherwise, they may write into the next block, so that block is written later.
    inside: bool,
}

impl Permuted {
    /// Limits the whole stores to those that end within a block of `len` bytes.
    #[inline(always)]
    fn limit<P: Permute>(&mut self, len: usize) {
        let Permuted { dst, bytes, count, .. } = *self;
        self.whole = match (len - dst).checked_sub(P::BYTES) {
            // This common case needs no division.
            Some(room) if (count - 1) * bytes <= room => count,
            Some(room) => room / bytes + 1,
            None => 0,
        };
        self.inside = true;
    }

    /// Splits off the last blocks of a batch. Its blocks of `len` bytes are contiguous, and consist of this permutation only. Whole
    /// stores of the first blocks may write into the next block, which overwrites the excess. Later writes of the nest overwrite
    /// the bytes after the last block.
    #[inline(always)]
    fn split<P: Permute>(&mut self, sheet: &Sheet<'_>, mut len: usize) -> Permuted {
        let Permuted { batch, step, bytes, count, .. } = self;
        let is_over = sheet.nest.sequential && !sheet.filled;
        let behind = if is_over { sheet.dst_len - (batch.end().addr() - sheet.dst.addr()) } else { 0 };
        if *step * *count as isize == batch.step {
            // All registers of all blocks are equally spaced, so they are one block.
            (*count, len) = (*count * batch.count, len * batch.count);
            batch.count = 1;
        }
        let late = match (P::BYTES - *bytes).saturating_sub(behind) {
            // These common cases need no division.
            0 => 0,
            over if over <= len => 1,
            over => over.div_ceil(len),
        };
        let (early, late) = batch.split(batch.count.saturating_sub(late));
        (*batch, self.whole, self.inside) = (early, *count, false);
        let mut last = Permuted { batch: late, ..*self };
        last.limit::<P>(len);
        last
    }

    /// Writes the registers.
    ///
    /// # Safety
    ///
    /// - The contract of [`permute_times`] holds.
    #[inline(always)]
    unsafe fn write<P: Permute, const WHOLE: bool, const TWO: bool>(
        &self,
        sheet: &Sheet<'_>,
        picked: &Picked<P>,
    ) {
        let Permuted { batch, first, step, dst, bytes, count, whole, inside } = *self;
        let fetch = sheet.fetch::<P::Register>();
        let (src, dst) = (batch.src.wrapping_offset(first), batch.dst.wrapping_add(dst));
        let (mut outer, mut inner, mut whole) =
            (Batch { src, dst, ..batch }, Batch { src, step, dst, pitch: bytes as isize, count }, whole);
        // If there are few registers and more blocks, the inner loop runs over the blocks. If each register of a block is short,
        // the next one overwrites the excess.
        if whole == count && (count == 1 || inside && count <= FEW && count < batch.count) {
            (outer, inner, whole) = (inner, outer, batch.count);
        }
        // SAFETY: the caller keeps the contract.
        unsafe {
            for (src, dst) in outer.places(0, 0) {
                let (all, rest) = Batch { src, dst, ..inner }.split(whole);
                registers::<P, WHOLE, TWO>(fetch, picked, all);
                for (src, dst) in rest.places(0, 0) {
                    fetch.output(dst);
                    P::store_part(dst, picked.of::<WHOLE, TWO>(src), bytes);
                }
            }
        }
    }
}

/// Writes equally spaced whole registers. Each iteration writes two cache lines. Zen 3 with AVX2, 50 inputs whose channels get padding:
/// with one line, they take 0.87 times as long as with one register, and with two lines 0.78 times.
///
/// # Safety
///
/// - The contract of [`permute_times`] holds for these registers.
#[inline(always)]
unsafe fn registers<P: Permute, const WHOLE: bool, const TWO: bool>(
    fetch: Fetch,
    picked: &Picked<P>,
    all: Batch,
) {
    let Batch { mut src, step, mut dst, pitch, count: mut left } = all;
    let many = const { if let Some(many) = (2 * LINE).checked_div(P::BYTES) { many } else { 1 } };
    // SAFETY: the caller keeps the contract, and any bytes are a valid register.
    unsafe {
        if step == 0 && left > 0 {
            // All registers are equal, so the source is loaded once. Repeated loads of a source that is shorter than a register
            // would be slow.
            let register = picked.of::<WHOLE, TWO>(src);
            for (_, dst) in all.places(0, 0) {
                fetch.output(dst);
                put(dst, register);
            }
            return;
        }
        while left >= many {
            for _ in 0..many {
                fetch.output(dst);
                put(dst, picked.of::<WHOLE, TWO>(src));
                (src, dst) = (src.wrapping_offset(step), dst.wrapping_offset(pitch));
            }
            left -= many;
        }
        for _ in 0..left {
            fetch.output(dst);
            put(dst, picked.of::<WHOLE, TWO>(src));
            (src, dst) = (src.wrapping_offset(step), dst.wrapping_offset(pitch));
        }
    }
}

/// The operands of a permutation: the register of fill, the table of each window, and the number of bytes needed of each window.
/// With one window, the second table takes no bytes, and the second window equals the first.
#[derive(Clone, Copy)]
pub(super) struct Picked<P: Permute> {
    base: P::Register,
    index: P::Register,
    first: usize,
    other: P::Register,
    /// The distance from the first window to the second.
    apart: isize,
    second: usize,
}

impl<P: Permute> Picked<P> {
    /// Returns the operands of a permutation of `program` with these windows. Its first table has the index `table`.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set. `P` is the type of the program's permutations.
    #[inline(always)]
    pub(super) unsafe fn new(
        sheet: &Sheet<'_>,
        program: &Program,
        [first, second]: &[Window; 2],
        table: usize,
    ) -> Self {
        let two = second.bytes > 0;
        let index = if first.bytes > 0 { &program.tables[table] } else { &Table::NOTHING };
        let other = if two { &program.tables[table + 1] } else { &Table::NOTHING };
        // SAFETY: the caller keeps the contract. A table and a block of fill are at least as long as a register, and any bytes are a
        // valid register.
        unsafe {
            Picked {
                base: get(sheet.fill.block().as_ptr()),
                index: get(index.0.as_ptr()),
                first: first.bytes,
                other: get(other.0.as_ptr()),
                apart: if two { second.src.wrapping_sub(first.src) } else { 0 },
                second: second.bytes,
            }
        }
    }

    /// Returns the register whose first window is at `src`. If `TWO`, the register also takes bytes from the second window.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set, and the needed bytes of each window are readable.
    /// - If `WHOLE`, whole registers are readable.
    #[inline(always)]
    pub(super) unsafe fn of<const WHOLE: bool, const TWO: bool>(&self, src: *const u8) -> P::Register {
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
