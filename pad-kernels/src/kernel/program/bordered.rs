//! Rows of a border, a copy and a border, or of some of these: what most plans are made of.

use super::list::Gather;
use super::moves::Batch;
use super::permute::{Picked, gathered};
use super::planes::Planes;
use super::{Move, Program, Run, Shells, Table, Window};
use crate::kernel::memory::{Fetch, HALF, SHORT, copy_aligned, copy_halves, copy_of, copy_over, get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Permute};

/// Between borders of one register copies of up to so many lines are as many registers, others a loop with aligned stores: 1056 rows of 264 bytes took 9.3 us
/// as registers and 11.3 by the loop (EPYC with AVX2).
const LINES: usize = 4;

/// The shortest register that is copied: 2888 rows of 48 bytes, 16 of them copied, took 5.9 us with it and 7.5 with half a line (EPYC
/// with AVX2).
const QUARTER: usize = 16;

/// The most registers of a border: what is made of more is written in batches, a line at a time. 136 rows of 1632 bytes whose
/// borders are two registers each took 5.1 us, and 6.9 in batches, 104 rows of 4116 bytes with borders of five 11.8 and 14.6 (EPYC with
/// AVX2).
pub(super) const REGISTERS: usize = 8;

/// The moves of a border; where a copy begins in the source and in the output, and its bytes, or none; and the moves of a border.
type Parts<'a> = (&'a [Move], (isize, usize, usize), &'a [Move]);

/// What the program is made of, if that is a copy with borders of a few registers, or a border or two alone.
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

/// How many registers a border is, if it is nothing else.
#[inline(always)]
fn registers(border: &[Move]) -> Option<usize> {
    border.iter().try_fold(0, |so_far, next| next.permutation().map(|(.., count)| so_far + count))
}

impl Program<'_> {
    /// Whether blocks of it that follow each other may be written by [`run_bordered`].
    #[inline(always)]
    pub(in crate::kernel) fn is_bordered(&self) -> bool {
        parts(self).is_some()
    }

    /// Whether all that rows of it read of a nest's source lies within that.
    /// Behind the last place that rows read. Between borders of a register each a short copy reads no more than it is long, or half a line.
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

/// Planes of blocks of a program that [is bordered](Program::is_bordered), each of which overshoots its end.
///
/// # Safety
///
/// - As for [`run_batch`](super::run_batch), for the rows of all planes; all windows are readable whole, and [`OVERSHOOT`] bytes behind what
///   is needed of each source.
/// - Rows and planes have nothing between them, and [`OVERSHOOT`] bytes behind the last are written later.
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
    // SAFETY: the caller's.
    unsafe {
        if program.is_wide::<S>() {
            bordered::<S, S::Wide>(sheet, program, parts, of, planes);
        } else {
            bordered::<S, S::Narrow>(sheet, program, parts, of, planes);
        }
    }
}

/// Writes rows of permutations of one kind: so many in the first border and in the last one, and whether any is of two windows.
///
/// # Safety
///
/// - As for [`run_bordered`]; the permutations are the program's.
#[inline(always)]
unsafe fn bordered<S: Shells, P: Permute>(
    sheet: &Sheet<'_>,
    program: &Program,
    parts: Parts<'_>,
    (head, tail, two): (usize, usize, bool),
    planes: Planes<'_>,
) {
    // SAFETY: the caller's.
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
        // In the place of no first border the last one is written: what that spills is overwritten, and this one again behind the copy.
        let both = if head == 0 { (other, body, other) } else { parts };
        match (head.max(tail), two) {
            (1, false) => bordered_by::<S, P, 1, false>(sheet, program, both, planes),
            (1, true) => bordered_by::<S, P, 1, true>(sheet, program, both, planes),
            (2, false) => bordered_by::<S, P, 2, false>(sheet, program, both, planes),
            _ => bordered_by_lists::<S, P>(sheet, program, parts, planes),
        }
    }
}

/// Whether any register of a border is of two windows.
#[inline(always)]
fn takes_two(border: &[Move]) -> bool {
    border.iter().filter_map(Move::permutation).any(|([_, second], ..)| second.bytes > 0)
}

/// Registers in the place of rows that are nothing but so many of them, if they are as far apart as the rows are.
#[inline(always)]
fn in_one_go(only: &Move, rows: &Run) -> Option<Run> {
    let (_, step, _, _, bytes, count) = only.permutation()?;
    let goes_on = (count as isize * step, (count * bytes) as isize) == (rows.step, rows.pitch);
    goes_on.then(|| Run { step, pitch: bytes as isize, count: rows.count * count, ..*rows })
}

/// Rows of a single register, of one window or of `TWO`, two at a time: where the end of the loop was in two lines of code, as it was in
/// one build of several, 32,768 pixels of one half and three of fill took 9.2 us one at a time and 6.4 elsewhere (Zen 3, AVX2).
///
/// # Safety
///
/// - As for [`bordered`].
#[inline(always)]
unsafe fn alone<P: Permute, const TWO: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    only: &[Move],
    planes: Planes<'_>,
) {
    let fetch = sheet.fetch::<P::Register>();
    // SAFETY: the caller's.
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

/// Rows of one permutation that is run several times for each, of one window or of `TWO`.
///
/// # Safety
///
/// - As for [`bordered`].
#[inline(always)]
unsafe fn alone_times<P: Permute, const TWO: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    only: &Move,
    planes: Planes<'_>,
) {
    let Some((windows, step, table, dst, bytes, count)) = only.permutation() else { return };
    let fetch = sheet.fetch::<P::Register>();
    // SAFETY: the caller's.
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

/// Rows of a copy with borders of up to `N` registers, each of one window or of up to `TWO`. With tables that are loaded for each row 200
/// rows of 276 bytes with borders of two registers took 3.4 us, and 2.3 with `N` of 2 (Zen 3, AVX2).
///
/// # Safety
///
/// - As for [`bordered`].
#[inline(always)]
unsafe fn bordered_by<S: Shells, P: Permute, const N: usize, const TWO: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    (head, (src, dst, bytes), tail): Parts<'_>,
    planes: Planes<'_>,
) {
    let (fetch, ends) = (sheet.fetch::<S::Register>(), sheet.fetch::<P::Register>());
    // SAFETY: the caller's, and each arm is for as many half lines as there are; what is one alone may overshoot.
    unsafe {
        let (head, tail) = (End::<P, N>::new(sheet, program, head), End::<P, N>::new(sheet, program, tail));
        for (rows, _) in planes.batches() {
            seq_macro::seq!(I in 1..=8 {
                const { assert!(LINES * LINE == 8 * HALF) };
                match bytes.div_ceil(HALF) {
                    // A register of 32 bytes would be in two lines more often.
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

/// The register of a border of this number, or the last one, as a permutation: its windows, table, and place in the output. Out of
/// line, as it moves no memory: inlined, with what both kinds of permutations ask, it was 86 KB of machine code more.
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

/// A border of up to `N` registers.
struct End<P: Permute, const N: usize> {
    /// How they are picked and their places in source and output; the last one several times if there are fewer.
    registers: [(Picked<P>, isize, usize); N],
    is_any: bool,
}

impl<P: Permute, const N: usize> End<P, N> {
    /// That of these permutations of the program.
    ///
    /// # Safety
    ///
    /// - As for [`Picked::new`].
    #[inline(always)]
    unsafe fn new(sheet: &Sheet<'_>, program: &Program, moves: &[Move]) -> Self {
        // SAFETY: the caller's.
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

    /// Writes that of the row whose source and output begin here.
    ///
    /// # Safety
    ///
    /// - As for [`bordered`].
    #[inline(always)]
    unsafe fn put<const TWO: bool>(&self, fetch: Fetch, from: *const u8, to: *mut u8) {
        for (picked, src, dst) in &self.registers {
            // SAFETY: the caller's.
            unsafe {
                let to = to.add(*dst);
                fetch.output(to);
                put(to, picked.of::<true, TWO>(from.wrapping_offset(*src)));
            }
        }
    }

    /// Puts a border, or nothing where there is none.
    ///
    /// # Safety
    ///
    /// - As for [`bordered`].
    #[inline(always)]
    unsafe fn put_if_any<const TWO: bool>(&self, fetch: Fetch, from: *const u8, to: *mut u8) {
        if self.is_any {
            // SAFETY: the caller's.
            unsafe { self.put::<TWO>(fetch, from, to) }
        }
    }
}

/// Rows of a copy with borders of more registers, which are listed before the first row: with moves that were taken apart in every row 26 rows
/// of 84 floats, mirrored by 28 and 20, took 680 ns, and 505 so, and 2 rows of 166 doubles 290 and 185 (Zen 3, AVX2).
///
/// # Safety
///
/// - As for [`bordered`].
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
    // SAFETY: the caller's; a block is as long as a register.
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
    /// Those of these permutations, which are no more. Out of line, as [`register`] is.
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

    /// Writes those of the row whose source and output begin here.
    ///
    /// # Safety
    ///
    /// - As for [`bordered`]; these are the program's tables.
    #[inline(always)]
    unsafe fn put<P: Permute>(
        &self,
        fetch: Fetch,
        (base, tables): (P::Register, *const u8),
        from: *const u8,
        to: *mut u8,
    ) {
        for gather in self.all.iter().take(self.count) {
            // SAFETY: the caller's.
            unsafe {
                let to = to.add(gather.dst);
                fetch.output(to);
                put(to, gathered::<P, true>(gather, base, tables, from));
            }
        }
    }
}
