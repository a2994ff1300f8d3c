//! Rows of a border, a copy and a border, or of some of these: what most plans are made of.

use super::moves::Batch;
use super::permute::Picked;
use super::{Move, Program, Shells, Window};
use crate::kernel::memory::{Fetch, HALF, SHORT, copy_aligned, copy_halves, copy_over, get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Permute};

/// Copies of up to so many lines are as many registers, longer ones a loop with aligned stores: 1056 rows of 264 bytes took 9.3 us
/// as registers and 11.3 by the loop (EPYC with AVX2).
const LINES: usize = 4;

/// The shortest register that is copied: 2888 rows of 48 bytes, 16 of them copied, took 5.9 us with it and 7.5 with half a line (EPYC
/// with AVX2).
type Quarter = [u8; 16];

/// The most registers of a border: what is made of more is written in batches, a line at a time. 136 rows of 1632 bytes whose
/// borders are two registers each took 5.1 us, and 6.9 in batches (EPYC with AVX2).
const REGISTERS: usize = 4;

/// The moves of a border, if there is one, of a copy of so many bytes, or none, and of a border.
type Parts = (Option<Move>, (isize, usize, usize), Option<Move>);

/// What the program is made of, if that is a copy with borders, or a border or two alone.
#[inline(always)]
fn parts(program: &Program) -> Option<Parts> {
    let (head, body, tail) = match *program.moves.as_slice() {
        [head, Move::Copy { src, dst, bytes }, tail] => (Some(head), (src, dst, bytes), Some(tail)),
        [Move::Copy { src, dst, bytes }, tail] => (None, (src, dst, bytes), Some(tail)),
        [head, Move::Copy { src, dst, bytes }] => (Some(head), (src, dst, bytes), None),
        [head, tail] => (Some(head), (0, 0, 0), Some(tail)),
        [head] => (Some(head), (0, 0, 0), None),
        _ => return None,
    };
    let is_one = program.moves.len() == 1;
    let few = |next: Option<Move>| {
        next.is_none_or(|next| next.permutation().is_some_and(|(.., count)| is_one || count <= REGISTERS))
    };
    (few(head) && few(tail)).then_some((head, body, tail))
}

impl Program {
    /// Whether blocks of it that follow each other may be written by [`run_bordered`].
    #[inline(always)]
    pub(in crate::kernel) fn is_bordered(&self) -> bool {
        parts(self).is_some()
    }
}

/// Blocks of a program that [is bordered](Program::is_bordered), each of which overshoots its end.
///
/// # Safety
///
/// - As for [`run_batch`](super::run_batch); all windows are readable whole, and
///   [`OVERSHOOT`](crate::kernel::memory::OVERSHOOT) bytes behind what is needed of each source.
/// - Blocks have nothing between them, and [`OVERSHOOT`](crate::kernel::memory::OVERSHOOT) bytes behind the last are written later.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_bordered<S: Shells>(sheet: &Sheet<'_>, program: &Program, rows: &Batch) {
    // SAFETY: the caller's.
    unsafe {
        if program.is_wide::<S>() {
            bordered::<S, S::Wide>(sheet, program, rows);
        } else {
            bordered::<S, S::Narrow>(sheet, program, rows);
        }
    }
}

/// # Safety
///
/// - As for [`run_bordered`]; the permutations are the program's.
#[inline(always)]
unsafe fn bordered<S: Shells, P: Permute>(sheet: &Sheet<'_>, program: &Program, rows: &Batch) {
    let Some((head, body, tail)) = parts(program) else { return };
    // SAFETY: the caller's.
    unsafe {
        let (head, tail) = (End::<P>::new(sheet, program, head), End::<P>::new(sheet, program, tail));
        if let Some(rows) = head.only(rows, body.2 == 0 && tail.count == 0) {
            return match head.picked.is_two() {
                false => alone::<P, false>(&head, &rows),
                true => alone::<P, true>(&head, &rows),
            };
        }
        match (head.count == 1 && tail.count == 1, head.picked.is_two() || tail.picked.is_two()) {
            (true, false) => bordered_by::<S, P, true, false>(&head, body, &tail, rows),
            (true, true) => bordered_by::<S, P, true, true>(&head, body, &tail, rows),
            (false, _) => bordered_by::<S, P, false, true>(&head, body, &tail, rows),
        }
    }
}

/// Rows of a single register, of one window or of up to `TWO`.
///
/// # Safety
///
/// - As for [`bordered`].
#[inline(always)]
unsafe fn alone<P: Permute, const TWO: bool>(row: &End<P>, rows: &Batch) {
    let fetch = Fetch::of::<P::Register>();
    // SAFETY: the caller's.
    unsafe {
        for (from, to) in rows.places(0, 0) {
            fetch.output(to);
            row.put::<true, TWO>(from, to);
        }
    }
}

/// The same with borders of `ONE` register, or of as many as there are, each of one window or of up to `TWO`.
///
/// # Safety
///
/// - As for [`bordered`].
#[inline(always)]
unsafe fn bordered_by<S: Shells, P: Permute, const ONE: bool, const TWO: bool>(
    head: &End<P>,
    (src, dst, bytes): (isize, usize, usize),
    tail: &End<P>,
    rows: &Batch,
) {
    let fetch = Fetch::of::<S::Register>();
    // SAFETY: the caller's, and each arm is for as many half lines as there are; what is one alone may overshoot.
    unsafe {
        seq_macro::seq!(N in 1..=8 {
            const { assert!(LINES * LINE == 8 * HALF) };
            match bytes.div_ceil(HALF) {
                // A register of 32 bytes would be in two lines more often.
                1 if bytes <= size_of::<Quarter>() => for (from, to) in rows.places(0, 0) {
                    head.put::<ONE, TWO>(from, to);
                    put(to.add(dst), get::<Quarter>(from.wrapping_offset(src)));
                    tail.put::<ONE, TWO>(from, to);
                },
                #(N => for (from, to) in rows.places(0, 0) {
                    head.put::<ONE, TWO>(from, to);
                    copy_halves::<S, N>(fetch, from.wrapping_offset(src), to.add(dst), bytes);
                    tail.put::<ONE, TWO>(from, to);
                },)*
                0 => for (from, to) in rows.places(0, 0) {
                    fetch.output(to);
                    head.put::<ONE, TWO>(from, to);
                    tail.put::<ONE, TWO>(from, to);
                },
                _ if bytes <= SHORT => for (from, to) in rows.places(0, 0) {
                    head.put::<ONE, TWO>(from, to);
                    copy_aligned::<S, true>(fetch, from.wrapping_offset(src), to.add(dst), bytes);
                    tail.put::<ONE, TWO>(from, to);
                },
                _ => for (from, to) in rows.places(0, 0) {
                    head.put::<ONE, TWO>(from, to);
                    copy_over::<S>(fetch, from.wrapping_offset(src), to.add(dst), bytes);
                    tail.put::<ONE, TWO>(from, to);
                },
            }
        });
    }
}

/// A border.
struct End<P: Permute> {
    picked: Picked<P>,
    src: isize,
    step: isize,
    dst: usize,
    bytes: usize,
    count: usize,
}

impl<P: Permute> End<P> {
    /// That of a permutation of the program, or none.
    ///
    /// # Safety
    ///
    /// - As for [`Picked::new`].
    #[inline(always)]
    unsafe fn new(sheet: &Sheet<'_>, program: &Program, next: Option<Move>) -> End<P> {
        let none = ([Window { src: 0, bytes: 0 }; 2], 0, 0, 0, 0, 0);
        let (windows, step, table, dst, bytes, count) =
            next.and_then(|next| next.permutation()).unwrap_or(none);
        // SAFETY: the caller's.
        let picked = unsafe { Picked::new(sheet, program, windows, table) };
        End { picked, src: windows[0].src, step, dst, bytes, count }
    }

    /// Registers in the place of rows, if these are nothing but so many of it, and as far apart as they are.
    #[inline(always)]
    fn only(&self, rows: &Batch, is_alone: bool) -> Option<Batch> {
        let &Batch { src, step, dst, pitch, count } = rows;
        if is_alone && self.count == 1 {
            return Some(*rows);
        }
        let (far, long) = (self.count as isize * self.step, (self.count * self.bytes) as isize);
        let goes_on = is_alone && (far, long) == (step, pitch);
        goes_on.then(|| Batch {
            src,
            step: self.step,
            dst,
            pitch: self.bytes as isize,
            count: count * self.count,
        })
    }

    /// Writes that of the row whose source and output begin here.
    ///
    /// # Safety
    ///
    /// - As for [`bordered`].
    #[inline(always)]
    unsafe fn put<const ONE: bool, const TWO: bool>(&self, from: *const u8, to: *mut u8) {
        let mut from = from.wrapping_offset(self.src);
        // SAFETY: the caller's.
        unsafe {
            let mut to = to.add(self.dst);
            for _ in 0..if ONE { 1 } else { self.count } {
                put(to, self.picked.of::<true, TWO>(from));
                from = from.wrapping_offset(self.step);
                to = to.wrapping_add(self.bytes);
            }
        }
    }
}
