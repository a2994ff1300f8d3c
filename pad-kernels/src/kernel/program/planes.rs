//! Rows with fill between them: of a few registers each, and of planes that follow each other.

use super::moves::{Batch, fill_bytes, rows};
use super::{Move, Program, Shells};
use crate::isa::Isa;
use crate::kernel::memory::{Fetch, SHORT, get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Simd};
use crate::plan::pattern::BLOCK;

/// The most registers of a body that [`short_rows`] copies.
const REGISTERS: usize = 8;

/// More registers of fill than one.
const MORE: usize = 2;

/// Whether [`short_rows`] writes rows of these bodies with fill between them. 51 rows of 148 bytes and 102 of fill took 308 ns by it,
/// and 456 as longer ones (EPYC with AVX2).
#[inline(always)]
pub(super) fn are_short<S: Simd>(sheet: &Sheet<'_>, body: usize, gap: usize) -> bool {
    let register = size_of::<S::Register>();
    let most = if Isa::is_told() { 4 * LINE } else { 8 * LINE };
    let fits = (register..=most).contains(&body) && body <= REGISTERS * register && gap <= 4 * LINE;
    fits && !sheet.filled && sheet.fill.step() == BLOCK
}

/// Bodies of a few registers, as many for each, and fill: loops without a branch but their own, unless there is more of it than two
/// registers. What is filled spills into the body that follows, which is written later. So are the `between` bytes of fill behind
/// every block but the last.
///
/// # Safety
///
/// - As for [`run_move`](super::run_move), for bodies and gaps that [are short](are_short).
/// - If there is fill between blocks, they follow each other in the output, and these bytes with it.
#[inline(always)]
pub(in crate::kernel) unsafe fn short_rows<S: Simd>(
    sheet: &Sheet<'_>,
    blocks: &Batch,
    rows: &Move,
    between: usize,
) {
    let Move::Interleave { body, gap, .. } = *rows else { return };
    let register = size_of::<S::Register>();
    // SAFETY: the caller's, and each arm is for as many registers as there are.
    unsafe {
        seq_macro::seq!(N in 1..=8 {
            const { assert!(REGISTERS == 8) };
            match (body.div_ceil(register), gap.div_ceil(register)) {
                #((N, 0) => rows_of::<S, N, 0>(sheet, blocks, rows, between),)*
                #((N, 1) => rows_of::<S, N, 1>(sheet, blocks, rows, between),)*
                #((N, _) => rows_of::<S, N, MORE>(sheet, blocks, rows, between),)*
                _ => debug_assert!(false, "longer"),
            }
        });
    }
}

/// The same of bodies of `N` registers, the last of which may begin within the one before, and of fill of up to `FILLED` registers,
/// or [`MORE`].
///
/// # Safety
///
/// - As for [`short_rows`].
#[inline(always)]
unsafe fn rows_of<S: Simd, const N: usize, const FILLED: usize>(
    sheet: &Sheet<'_>,
    blocks: &Batch,
    rows: &Move,
    between: usize,
) {
    let Move::Interleave { src, step, body, dst, gap, count } = *rows else { return };
    debug_assert!(count > 0);
    let register = size_of::<S::Register>();
    let (fetch, last) = (Fetch::of::<S::Register>(), body - register);
    let mut more = blocks.count;
    // SAFETY: the caller's; a block is whole registers, and a body that follows fill is as long as one.
    unsafe {
        let block = sheet.fill.block().as_ptr();
        let fill = get::<S::Register>(block);
        let other = get::<S::Register>(block.add(register % BLOCK));
        for (mut src, mut dst) in blocks.places(src, dst) {
            let mut left = count;
            loop {
                fetch.output(dst);
                for at in 1..N {
                    let at = (at - 1) * register;
                    put(dst.add(at), get::<S::Register>(src.add(at)));
                }
                put(dst.add(last), get::<S::Register>(src.add(last)));
                left -= 1;
                if left == 0 {
                    break;
                }
                if FILLED > 0 {
                    put(dst.add(body), fill);
                }
                if FILLED == MORE {
                    put(dst.add(body + register), other);
                    for at in (2 * register..gap).step_by(register) {
                        put(dst.add(body + at), get::<S::Register>(block.add(at % BLOCK)));
                    }
                }
                src = src.wrapping_offset(step);
                dst = dst.wrapping_add(body + gap);
            }
            more -= 1;
            if more > 0 {
                for at in (0..between).step_by(register) {
                    put(dst.add(body + at), get::<S::Register>(block.add(at % BLOCK)));
                }
            }
        }
    }
}

/// The most bytes of fill between the rows of two planes. In one loop with as much as 3.6 KiB of it planes of 24 by 24 floats took 0.87 to
/// 0.9 of the time that they took with fill apart (Zen 3, AVX2).
const MOST_BETWEEN: usize = 16 * SHORT;

/// Fill, rows with fill between them, and fill: what planes with a border of fill are made of.
struct Plane {
    low: usize,
    rows: Move,
    /// Where the fill behind the rows begins, and how much of it there is.
    high: (usize, usize),
}

impl Plane {
    #[inline(always)]
    fn of(program: &Program) -> Option<Plane> {
        let (low, rows, high) = match *program.moves.as_slice() {
            [
                Move::Fill { bytes: low, .. },
                rows @ Move::Interleave { .. },
                Move::Fill { dst, bytes: high },
            ] => (low, rows, (dst, high)),
            [Move::Fill { bytes: low, .. }, rows @ Move::Interleave { .. }] => (low, rows, (program.len, 0)),
            [rows @ Move::Interleave { .. }, Move::Fill { dst, bytes: high }] => (0, rows, (dst, high)),
            _ => return None,
        };
        Some(Plane { low, rows, high })
    }
}

/// Whether blocks of the program that follow each other may be written by [`run_planes`].
#[inline(always)]
pub(super) fn are_planes<S: Simd>(sheet: &Sheet<'_>, program: &Program) -> bool {
    let Some(Plane { low, rows: Move::Interleave { body, gap, .. }, high: (_, high) }) = Plane::of(program)
    else {
        return false;
    };
    let are_long = body > 2 * LINE && gap <= SHORT && !sheet.filled && sheet.fill.step() == BLOCK;
    low + high <= MOST_BETWEEN && (are_long || are_short::<S>(sheet, body, gap))
}

/// Blocks that [are planes](are_planes). 96 planes of 40 rows of 88 bytes took 14.5 us one by one and 10.3 so, 84 of 8 rows of 336 bytes
/// 9.8 and 7.2 (Zen 3, AVX2).
///
/// # Safety
///
/// - As for [`run_move`](super::run_move), for all moves of the program.
/// - Blocks have nothing between them.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_planes<S: Shells>(sheet: &Sheet<'_>, program: &Program, blocks: &Batch) {
    let Some(Plane { low, rows: next, high: (behind, high) }) = Plane::of(program) else { return };
    let Move::Interleave { src, step, body, dst, gap, count } = next else { return };
    let between = low + high;
    // SAFETY: the caller's; what is between the first block and the last is theirs, and rows there are longer than what overshoots.
    unsafe {
        fill_bytes::<true>(sheet, blocks.dst, low);
        if are_short::<S>(sheet, body, gap) {
            S::short_rows(sheet, blocks, &next, between);
        } else {
            let mut left = blocks.count;
            for (from, to) in blocks.places(src, dst) {
                rows::<S>(sheet, (from, step), body, (to, program.len - dst), gap, count);
                left -= 1;
                if left > 0 {
                    fill_bytes::<false>(sheet, to.add(behind - dst), between);
                }
            }
        }
        let last = blocks.dst.wrapping_offset((blocks.count as isize - 1) * blocks.pitch);
        fill_bytes::<true>(sheet, last.wrapping_add(behind), high);
    }
}
