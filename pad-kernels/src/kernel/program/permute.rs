//! Runs permutations, and writes short rows with permuted borders. A permutation builds an output register from one or two windows,
//! which are registers of the source. The table of a window holds an index into the window for each output byte or group of bytes.
//! If the top bit of an index is set, the byte at this position comes from a register of fill, or from the other window.

use super::moves::Batch;
use super::{Move, Program, Table, Window};
use crate::kernel::memory::{SHORT, get, put};
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
        let picked = Picked::<P>::new(sheet, program, &[first, second], table);
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

/// The maximum number of registers in the copy of a row that [`Bordered`] writes.
const REGISTERS: usize = 16;

/// A program whose blocks are short rows with permuted borders: a permutation, at most one copy, and another permutation. A fill
/// of at most one register may replace a permutation.
pub(super) struct Bordered {
    /// The windows, the table and the output offset of each permutation. For fill, both windows have 0 bytes, and the table is not
    /// used.
    ends: [([Window; 2], usize, usize); 2],
    /// The offset of the copy in the source, its offset in the output, and its length. Without a copy, the length is 0.
    copy: (isize, usize, usize),
}

impl Bordered {
    /// Returns the rows of `program`, or `None` if it has other moves.
    #[inline(always)]
    pub(super) fn of(program: &Program) -> Option<Bordered> {
        let (first, copy, last) = match program.moves[..] {
            [first, last] => (first, (0, 0, 0), last),
            [first, Move::Copy { src, dst, bytes }, last] => (first, (src, dst, bytes), last),
            _ => return None,
        };
        // The stores of whole registers must not exceed the row.
        let whole = |dst: usize| dst + program.window <= program.len;
        let nothing = Window { src: program.src_start, bytes: 0 };
        let end = |next| match next {
            Move::Permute { windows, table, dst, count: 1, .. } if whole(dst) => Some((windows, table, dst)),
            Move::Fill { dst, bytes } if whole(dst) && bytes <= program.window => {
                Some(([nothing; 2], 0, dst))
            }
            _ => None,
        };
        let most = SHORT.min(REGISTERS * program.window);
        let fits = copy.2 == 0 || (program.window..=most).contains(&copy.2);
        Some(Bordered { ends: [end(first)?, end(last)?], copy }).filter(|_| fits)
    }

    /// Writes the rows of a batch one after the other. All stores then form one ascending stream. Otherwise each move would be a
    /// stream of its own.
    ///
    /// Zen 4, 192 stacks of planes with mirrored, repeated or wrapped borders: one stream takes 0.87 times as long with AVX2, and
    /// 0.9 times with AVX-512. 24 stacks with rows of 70 to 460 bytes: 0.82 times with both.
    ///
    /// # Safety
    ///
    /// - The contract of [`run_batch`](super::run_batch) holds for the program of these rows. Whole registers are readable at its
    ///   windows. `P` is the type of its permutations.
    #[inline(always)]
    pub(super) unsafe fn run<P: Permute>(&self, sheet: &Sheet<'_>, program: &Program, batch: &Batch) {
        let two = self.ends.iter().any(|(windows, ..)| windows[1].bytes > 0);
        // SAFETY: the caller keeps the contract. The `match` takes the arm with the number of registers of the copy.
        unsafe {
            let [first, last] = &self.ends;
            let of = |(windows, table, _): &_| Picked::<P>::new(sheet, program, windows, *table);
            let picked = [of(first), of(last)];
            seq_macro::seq!(N in 0..=16 {
                const { assert!(REGISTERS == 16) };
                match (self.copy.2.div_ceil(P::BYTES), two) {
                    #((N, false) if const { fits(N, P::BYTES) } => self.rows::<P, N, false>(sheet, &picked, batch),)*
                    #((N, true) if const { fits(N, P::BYTES) } => self.rows::<P, N, true>(sheet, &picked, batch),)*
                    _ => unreachable!("a copy has more than {REGISTERS} registers"),
                }
            });
        }
    }

    /// Writes rows whose copy has `N` registers. The last of these registers ends with the copy.
    ///
    /// # Safety
    ///
    /// - The contract of [`run`](Self::run) holds. Without `TWO`, no permutation has a second window.
    #[inline(always)]
    unsafe fn rows<P: Permute, const N: usize, const TWO: bool>(
        &self,
        sheet: &Sheet<'_>,
        [first, last]: &[Picked<P>; 2],
        batch: &Batch,
    ) {
        let Bordered { ends: [(low, _, begin), (high, _, end)], copy: (from, to, bytes) } = *self;
        let fetch = sheet.fetch::<P::Register>();
        // SAFETY: the caller keeps the contract. A copy is at least as long as a register. The moves of a row run in order, so each
        // overwrites the bytes by which the one before it exceeds its end.
        unsafe {
            for (src, dst) in batch.places(0, 0) {
                fetch.output(dst.add(begin));
                put(dst.add(begin), first.of::<true, TWO>(src.wrapping_offset(low[0].src)));
                for i in 1..N {
                    let at = (i - 1) * P::BYTES;
                    fetch.output(dst.add(to + at));
                    put(dst.add(to + at), get::<P::Register>(src.wrapping_offset(from).add(at)));
                }
                if N > 0 {
                    let at = bytes - P::BYTES;
                    fetch.output(dst.add(to + at));
                    put(dst.add(to + at), get::<P::Register>(src.wrapping_offset(from).add(at)));
                }
                fetch.output(dst.add(end));
                put(dst.add(end), last.of::<true, TWO>(src.wrapping_offset(high[0].src)));
            }
        }
    }
}

/// Tells whether some short copy has this number of registers of `bytes` bytes.
const fn fits(registers: usize, bytes: usize) -> bool {
    registers * bytes <= SHORT
}

/// The operands of a permutation: the register of fill, the table of each window, and the number of bytes needed of each window.
/// With one window, the second table takes only fill, and the second window equals the first.
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
    /// Returns the operands of a permutation of `program` with these windows. Its first table has the index `table`.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set. `P` is the type of the program's permutations.
    #[inline(always)]
    unsafe fn new(sheet: &Sheet<'_>, program: &Program, [first, second]: &[Window; 2], table: usize) -> Self {
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
