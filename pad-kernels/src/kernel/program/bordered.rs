//! Writes rows that consist of a border, a copy and a second border, or of only some of these parts. A border consists of
//! permutations, each of which loads one or two windows of the source. Most plans have such rows.

use super::list::Gather;
use super::moves::Batch;
use super::permute::{Picked, gathered};
use super::planes::Planes;
use super::{Move, Program, Run, Shells, Table, Window};
use crate::kernel::memory::{Fetch, HALF, SHORT, copy_aligned, copy_halves, copy_of, copy_over, get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Permute};

/// Between borders of one register each, copies of up to this number of cache lines are unrolled. Longer copies use a loop with aligned
/// stores. EPYC with AVX2, copies of about 256 bytes: the unrolled copy takes 0.8 times as long as the loop.
const LINES: usize = 4;

/// The size of the shortest register that is copied, in bytes. EPYC with AVX2, copies of 16 bytes: this register takes 0.8 times
/// as long as one of half a cache line.
const QUARTER: usize = 16;

/// The maximum number of registers in a border. If a border has more registers, each move runs for a batch of rows instead. EPYC with AVX2,
/// borders of two or five registers: this loop takes 0.75 to 0.8 times as long as the batches.
pub(super) const REGISTERS: usize = 8;

/// The moves of the first border, the copy, and the moves of the second border. A copy is a source offset, an output offset and a size,
/// which may be 0.
type Parts<'a> = (&'a [Move], (isize, usize, usize), &'a [Move]);

/// Returns the parts of the program, if it is a copy with borders of a few registers, or if it is only one or two borders.
#[inline(always)]
fn parts<'a>(program: &'a Program<'_>) -> Option<Parts<'a>> {
    let moves = &*program.moves;
    let (head, body, tail) = match moves.iter().position(|next| matches!(next, Move::Copy { .. })) {
        Some(at) => {
            let Move::Copy { src, dst, bytes } = moves[at] else { return None };
            (&moves[..at], (src, dst, bytes), &moves[at + 1..])
        }
        None => match moves {
            [_] | [_, _] => (&moves[..1], (0, 0, 0), &moves[1..]),
            _ => return None,
        },
    };
    let most = registers(head)?.max(registers(tail)?);
    (most > 0 && (most <= REGISTERS || moves.len() == 1)).then_some((head, body, tail))
}

/// Returns the number of registers in a border, or `None` if the border contains moves that are not permutations.
#[inline(always)]
fn registers(border: &[Move]) -> Option<usize> {
    border.iter().try_fold(0, |so_far, next| next.permutation().map(|(.., count)| so_far + count))
}

impl Program<'_> {
    /// Tells whether [`run_bordered`] can write consecutive blocks of the program.
    #[inline(always)]
    pub(in crate::kernel) fn is_bordered(&self) -> bool {
        parts(self).is_some()
    }

    /// Returns the end of the source bytes that rows of the program read. Between borders of one register each, a short copy reads only its
    /// own bytes, or half a cache line if it is shorter.
    pub(super) fn read_by_rows(&self) -> isize {
        match parts(self) {
            Some((head, (src, _, bytes), tail))
                if bytes <= LINES * LINE && registers(head).max(registers(tail)) == Some(1) =>
            {
                self.src_over.max(src.saturating_add(bytes.max(HALF) as isize))
            }
            _ => self.src_overshot(),
        }
    }
}

/// Writes planes of rows by a program that [is bordered](Program::is_bordered). Each row writes beyond its end, and the next one overwrites
/// the excess.
///
/// # Safety
///
/// - The contract of [`run_batch`](super::run_batch) holds for the rows of all planes. All windows are readable as whole
///   registers. The source of each row is readable up to the offset `src_rows` of the program.
/// - Rows and planes are contiguous in the output. The [`OVERSHOOT`] bytes after the last row are written later.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_bordered<S: Shells>(
    sheet: &Sheet<'_>,
    program: &Program,
    planes: &Batch,
    rows: &[Run],
) {
    let planes = Planes { planes, rows, len: program.len };
    let Some(parts @ (head, _, tail)) = parts(program) else { return };
    let (Some(first), Some(last)) = (registers(head), registers(tail)) else { return };
    let of = (first, last, takes_two(head) || takes_two(tail));
    // SAFETY: the caller keeps the contract.
    unsafe {
        if program.is_wide::<S>() {
            bordered::<S, S::Wide>(sheet, program, parts, of, planes);
        } else {
            bordered::<S, S::Narrow>(sheet, program, parts, of, planes);
        }
    }
}

/// Selects the loop by the number of registers in the first and the last border, and by whether any register has two windows.
///
/// # Safety
///
/// - The contract of [`run_bordered`] holds, and the program uses permutations of type `P`.
#[inline(always)]
unsafe fn bordered<S: Shells, P: Permute>(
    sheet: &Sheet<'_>,
    program: &Program,
    parts: Parts<'_>,
    (head, tail, two): (usize, usize, bool),
    planes: Planes<'_>,
) {
    // SAFETY: the caller keeps the contract.
    unsafe {
        let (border, body, other) = parts;
        let is_alone = body.2 == 0 && other.is_empty();
        let joined = match (border, planes) {
            ([only], Planes { planes: Batch { count: 1, .. }, rows: [rows], .. }) if is_alone => {
                in_one_go(only, rows)
            }
            _ => None,
        };
        let single = match &joined {
            Some(rows) => Some(Planes { rows: core::slice::from_ref(rows), ..planes }),
            None if is_alone && head == 1 => Some(planes),
            None => None,
        };
        if let Some(planes) = single {
            return match two {
                false => alone::<P, false>(sheet, program, border, planes),
                true => alone::<P, true>(sheet, program, border, planes),
            };
        }
        if let ([only], true) = (border, is_alone) {
            return match two {
                false => alone_times::<P, false>(sheet, program, only, planes),
                true => alone_times::<P, true>(sheet, program, only, planes),
            };
        }
        // If there is no first border, the loop writes the last border twice: before the copy, which may overwrite it, and after
        // the copy.
        let both = if head == 0 { (other, body, other) } else { parts };
        match (head.max(tail), two) {
            (1, false) => bordered_by::<S, P, 1, false>(sheet, program, both, planes),
            (1, true) => bordered_by::<S, P, 1, true>(sheet, program, both, planes),
            (2, false) => bordered_by::<S, P, 2, false>(sheet, program, both, planes),
            _ => bordered_by_lists::<S, P>(sheet, program, parts, planes),
        }
    }
}

/// Tells whether any register of a border has two windows.
#[inline(always)]
fn takes_two(border: &[Move]) -> bool {
    border.iter().filter_map(Move::permutation).any(|([_, second], ..)| second.bytes > 0)
}

/// Returns all registers of the rows as one run, if the rows consist only of registers and all registers are equally spaced.
#[inline(always)]
fn in_one_go(only: &Move, rows: &Run) -> Option<Run> {
    let (_, step, _, _, bytes, count) = only.permutation()?;
    let goes_on = (count as isize * step, (count * bytes) as isize) == (rows.step, rows.pitch);
    goes_on.then(|| Run { step, pitch: bytes as isize, count: rows.count * count, ..*rows })
}

/// Writes rows of a single register, which has one window, or two if `TWO`. The loop writes two rows per step, because short
/// loops are slow if their code crosses a cache line. Zen 3 with AVX2, in a build where the code does so: two rows per step take
/// 0.7 times as long as one.
///
/// # Safety
///
/// - The contract of [`bordered`] holds.
#[inline(always)]
unsafe fn alone<P: Permute, const TWO: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    only: &[Move],
    planes: Planes<'_>,
) {
    let fetch = sheet.fetch::<P::Register>();
    // SAFETY: the caller keeps the contract.
    unsafe {
        let row = End::<P, 1>::new(sheet, program, only);
        for (rows, _) in planes.batches() {
            let (pairs, last) = rows.in_pairs();
            for (from, to) in pairs.places(0, 0) {
                row.put::<TWO>(fetch, from, to);
                let (from, to) = (from.wrapping_offset(rows.step), to.wrapping_offset(rows.pitch));
                row.put::<TWO>(fetch, from, to);
            }
            for (from, to) in last.places(0, 0) {
                row.put::<TWO>(fetch, from, to);
            }
        }
    }
}

/// Writes rows that consist of one permutation with several registers. Each register has one window, or two if `TWO`.
///
/// # Safety
///
/// - The contract of [`bordered`] holds.
#[inline(always)]
unsafe fn alone_times<P: Permute, const TWO: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    only: &Move,
    planes: Planes<'_>,
) {
    let Some((windows, step, table, dst, bytes, count)) = only.permutation() else { return };
    let fetch = sheet.fetch::<P::Register>();
    // SAFETY: the caller keeps the contract.
    unsafe {
        let picked = Picked::<P>::new(sheet, program, windows, table);
        for (rows, _) in planes.batches() {
            for (mut from, mut to) in rows.places(windows[0].src, dst) {
                fetch.output(to);
                for _ in 0..count {
                    put(to, picked.of::<true, TWO>(from));
                    (from, to) = (from.wrapping_offset(step), to.wrapping_add(bytes));
                }
            }
        }
    }
}

/// Writes rows of a copy with borders of up to `N` registers. Each register has one window, or up to two if `TWO`. The tables
/// stay in registers. Zen 3 with AVX2, borders of two registers: this takes 0.7 times as long as loading the tables for each row.
///
/// # Safety
///
/// - The contract of [`bordered`] holds.
#[inline(always)]
unsafe fn bordered_by<S: Shells, P: Permute, const N: usize, const TWO: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    (head, (src, dst, bytes), tail): Parts<'_>,
    planes: Planes<'_>,
) {
    let (fetch, ends) = (sheet.fetch::<S::Register>(), sheet.fetch::<P::Register>());
    // SAFETY: the caller keeps the contract, and the `match` takes the arm with the number of half cache lines. A copy without a
    // last border may write beyond its end, because the next row overwrites the excess.
    unsafe {
        let (head, tail) = (End::<P, N>::new(sheet, program, head), End::<P, N>::new(sheet, program, tail));
        for (rows, _) in planes.batches() {
            seq_macro::seq!(I in 1..=8 {
                const { assert!(LINES * LINE == 8 * HALF) };
                match bytes.div_ceil(HALF) {
                    // A register of 32 bytes would cross a boundary of cache lines more often.
                    1 if N == 1 && bytes <= QUARTER => for (from, to) in rows.places(0, 0) {
                        head.put::<TWO>(ends, from, to);
                        copy_of::<QUARTER>(from.wrapping_offset(src), to.add(dst));
                        tail.put_if_any::<TWO>(ends, from, to);
                    },
                    #(I if N == 1 => for (from, to) in rows.places(0, 0) {
                        head.put::<TWO>(ends, from, to);
                        copy_halves::<S, I>(fetch, from.wrapping_offset(src), to.add(dst), bytes);
                        tail.put_if_any::<TWO>(ends, from, to);
                    },)*
                    0 => for (from, to) in rows.places(0, 0) {
                        if const { P::BYTES != LINE } {
                            fetch.output(to);
                        }
                        head.put::<TWO>(ends, from, to);
                        tail.put_if_any::<TWO>(ends, from, to);
                    },
                    _ if bytes <= SHORT => for (from, to) in rows.places(0, 0) {
                        head.put::<TWO>(ends, from, to);
                        copy_aligned::<S, true>(fetch, from.wrapping_offset(src), to.add(dst), bytes);
                        tail.put_if_any::<TWO>(ends, from, to);
                    },
                    _ => for (from, to) in rows.places(0, 0) {
                        head.put::<TWO>(ends, from, to);
                        copy_over::<S>(fetch, from.wrapping_offset(src), to.add(dst), bytes);
                        tail.put_if_any::<TWO>(ends, from, to);
                    },
                }
            });
        }
    }
}

/// Returns the windows, the table and the output offset of register `number` of a border, or of its last register. The function
/// does not touch the data. It is never inlined, because inlining would add 86 KB of machine code.
#[inline(never)]
fn register(border: &[Move], number: usize) -> ([Window; 2], usize, usize) {
    let (mut found, mut before) = (([Window { src: 0, bytes: 0 }; 2], 0, 0), 0);
    for (mut windows, step, table, dst, bytes, count) in border.iter().filter_map(Move::permutation) {
        if before <= number {
            let at = (number - before).min(count - 1);
            for window in &mut windows {
                window.src += at as isize * step;
            }
            found = (windows, table, dst + at * bytes);
        }
        before += count;
    }
    found
}

/// A border of up to `N` registers, with loaded tables.
struct End<P: Permute, const N: usize> {
    /// The table, the source offset and the output offset of each register. If the border has fewer registers, the last one is repeated.
    registers: [(Picked<P>, isize, usize); N],
    is_any: bool,
}

impl<P: Permute, const N: usize> End<P, N> {
    /// Loads the tables of these permutations of the program.
    ///
    /// # Safety
    ///
    /// - The contract of [`Picked::new`] holds.
    #[inline(always)]
    unsafe fn new(sheet: &Sheet<'_>, program: &Program, moves: &[Move]) -> Self {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let (windows, table, dst) = register(moves, 0);
            let mut registers = [(Picked::new(sheet, program, windows, table), windows[0].src, dst); N];
            for (number, next) in registers.iter_mut().enumerate().skip(1) {
                let (windows, table, dst) = register(moves, number);
                *next = (Picked::new(sheet, program, windows, table), windows[0].src, dst);
            }
            End { registers, is_any: !moves.is_empty() }
        }
    }

    /// Writes the border of the row whose source begins at `from` and whose output begins at `to`.
    ///
    /// # Safety
    ///
    /// - The contract of [`bordered`] holds.
    #[inline(always)]
    unsafe fn put<const TWO: bool>(&self, fetch: Fetch, from: *const u8, to: *mut u8) {
        for (picked, src, dst) in &self.registers {
            // SAFETY: the caller keeps the contract.
            unsafe {
                let to = to.add(*dst);
                fetch.output(to);
                put(to, picked.of::<true, TWO>(from.wrapping_offset(*src)));
            }
        }
    }

    /// Writes the border, if the row has one.
    ///
    /// # Safety
    ///
    /// - The contract of [`bordered`] holds.
    #[inline(always)]
    unsafe fn put_if_any<const TWO: bool>(&self, fetch: Fetch, from: *const u8, to: *mut u8) {
        if self.is_any {
            // SAFETY: the caller keeps the contract.
            unsafe { self.put::<TWO>(fetch, from, to) }
        }
    }
}

/// Writes rows of a copy with borders of any number of registers. The registers are listed once, before the first row. Zen 3 with
/// AVX2, floats and doubles: this takes 0.65 to 0.75 times as long as reading the moves again for each row.
///
/// # Safety
///
/// - The contract of [`bordered`] holds.
#[inline(always)]
unsafe fn bordered_by_lists<S: Shells, P: Permute>(
    sheet: &Sheet<'_>,
    program: &Program,
    (head, (src, dst, bytes), tail): Parts<'_>,
    planes: Planes<'_>,
) {
    let (fetch, ends) = (sheet.fetch::<S::Register>(), sheet.fetch::<P::Register>());
    let (head, tail) = (Border::of(head), Border::of(tail));
    let tables: *const u8 = program.tables.as_ptr().cast();
    // SAFETY: the caller keeps the contract, and the block of fill is as long as a register.
    unsafe {
        let base = get::<P::Register>(sheet.fill.block().as_ptr());
        for (rows, _) in planes.batches() {
            for (from, to) in rows.places(0, 0) {
                head.put::<P>(ends, (base, tables), from, to);
                copy_over::<S>(fetch, from.wrapping_offset(src), to.add(dst), bytes);
                tail.put::<P>(ends, (base, tables), from, to);
            }
        }
    }
}

/// The registers of a border in the order of the output.
struct Border {
    all: [Gather; REGISTERS],
    count: usize,
}

impl Border {
    /// Lists these permutations, which have at most [`REGISTERS`] registers. Like [`register`], the function is never inlined, to
    /// keep the machine code short.
    #[inline(never)]
    fn of(moves: &[Move]) -> Border {
        let (mut all, mut count) = ([Gather::NONE; REGISTERS], 0);
        for (windows, step, table, dst, bytes, times) in moves.iter().filter_map(Move::permutation) {
            for i in 0..times {
                let src = windows.map(|window| window.src + i as isize * step);
                let (two, table) = (windows[1].bytes > 0, table * size_of::<Table>());
                all[count] = Gather { src, two, table, dst: dst + i * bytes, ..Gather::NONE };
                count += 1;
            }
        }
        Border { all, count }
    }

    /// Writes the border of the row whose source begins at `from` and whose output begins at `to`.
    ///
    /// # Safety
    ///
    /// - The contract of [`bordered`] holds, and `tables` are the program's tables.
    #[inline(always)]
    unsafe fn put<P: Permute>(
        &self,
        fetch: Fetch,
        (base, tables): (P::Register, *const u8),
        from: *const u8,
        to: *mut u8,
    ) {
        for gather in self.all.iter().take(self.count) {
            // SAFETY: the caller keeps the contract.
            unsafe {
                let to = to.add(gather.dst);
                fetch.output(to);
                put(to, gathered::<P, true>(gather, base, tables, from));
            }
        }
    }
}
