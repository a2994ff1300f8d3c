//! Runs the move [`Interleave`](super::Move::Interleave), which writes rows with fill between them. The source bytes of a row are
//! its body, and the fill between two rows is a gap. A sheet holds the memory of source and output, and the fill.

use super::moves::{Batch, fill_bytes};
use super::{Bodies, Program, Shells};
use crate::kernel::memory::{OVERSHOOT, SHORT, copy_ends, copy_of, copy_within, get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Simd};
use crate::plan::pattern::BLOCK;

/// The maximum number of registers in a row that [`short_rows`] copies.
const REGISTERS: usize = 8;

/// If registers have more than 16 bytes, fill of up to this number of bytes is written as one word. A register would cross a cache
/// line more often. Zen 3 with AVX2, rows of 56 bytes with gaps of 4 bytes: words take 0.7 times as long.
const WORD: usize = 8;

/// The maximum number of bytes of fill between two rows that [`short_rows`] writes.
const MOST_FILL: usize = 4 * LINE;

/// The value of `FILLED` in [`rows_of`] for gaps that are longer than a register.
const MORE: usize = 2 * LINE;

/// Tells whether [`short_rows`] writes rows of `body` bytes with `gap` bytes of fill between them. If the sheet prefetches output,
/// [`bodies`] writes rows of more than two cache lines.
#[inline(always)]
fn are_short<S: Simd>(sheet: &Sheet<'_>, body: usize, gap: usize) -> bool {
    let register = size_of::<S::Register>();
    let most = if sheet.fetch::<S::Register>().prefetches() { 2 * LINE } else { REGISTERS * register };
    let fits = (register..=most).contains(&body) && gap <= MOST_FILL;
    // The fill is not written yet, and a block of fill consists of whole elements.
    fits && !sheet.filled && sheet.fill.step() == BLOCK
}

/// Writes rows of a few registers each, with fill between them. The fill may exceed its gap, because the next row overwrites
/// the excess.
///
/// # Safety
///
/// - The contract of [`run_move`](super::run_move) holds for these rows, and [`are_short`] is true for them.
#[inline(always)]
pub(in crate::kernel) unsafe fn short_rows<S: Simd>(sheet: &Sheet<'_>, blocks: &Batch, rows: &Bodies) {
    let Bodies { body, gap, .. } = *rows;
    let register = size_of::<S::Register>();
    // SAFETY: the caller keeps the contract, and the `match` takes the arm with the number of registers.
    unsafe {
        seq_macro::seq!(N in 1..=8 {
            const { assert!(REGISTERS == 8) };
            match (body.div_ceil(register), gap) {
                #((N, 0) => rows_of::<S, N, 0>(sheet, blocks, rows),)*
                #((N, 1..=WORD) if const { size_of::<S::Register>() > 2 * WORD } => rows_of::<S, N, WORD>(sheet, blocks, rows),)*
                #((N, _) if gap <= register => rows_of::<S, N, LINE>(sheet, blocks, rows),)*
                #((N, _) => rows_of::<S, N, MORE>(sheet, blocks, rows),)*
                _ => debug_assert!(false, "a row has more than {REGISTERS} registers"),
            }
        });
    }
}

/// Writes rows of `N` registers. `FILLED` selects the fill between them: none, a [`WORD`], one register or [`MORE`].
///
/// The last register of a row overlaps the one before it, so that it ends with the row. The loop prefetches every cache line.
/// Cascade Lake, rows of 66 to 192 bytes: if only the first line of a row is prefetched, they take 1.1 to 1.9 times as long.
///
/// # Safety
///
/// - The contract of [`short_rows`] holds.
#[inline(always)]
unsafe fn rows_of<S: Simd, const N: usize, const FILLED: usize>(
    sheet: &Sheet<'_>,
    blocks: &Batch,
    rows: &Bodies,
) {
    let Bodies { src, step, body, dst, gap, count } = *rows;
    let register = size_of::<S::Register>();
    debug_assert!(is_room::<S>(sheet, blocks, rows, FILLED));
    let (fetch, last) = (sheet.fetch::<S::Register>(), body - register);
    // SAFETY: the caller keeps the contract. A block of fill consists of whole registers. A row is at least as long as a
    // register, so it overwrites all bytes by which the fill before it exceeds the gap.
    unsafe {
        let block = sheet.fill.block().as_ptr();
        let fill = get::<S::Register>(block);
        let other = get::<S::Register>(block.add(register % BLOCK));
        for (mut src, mut dst) in blocks.places(src, dst) {
            let mut left = count;
            loop {
                for at in 1..N {
                    let at = (at - 1) * register;
                    fetch.output(dst.add(at));
                    put(dst.add(at), get::<S::Register>(src.add(at)));
                }
                fetch.output(dst.add(last));
                put(dst.add(last), get::<S::Register>(src.add(last)));
                left -= 1;
                if left == 0 {
                    break;
                }
                match FILLED {
                    0 => {}
                    WORD => copy_of::<WORD>(block, dst.add(body)),
                    _ => {
                        fetch.output(dst.add(body));
                        put(dst.add(body), fill);
                    }
                }
                if FILLED == MORE {
                    fetch.output(dst.add(body + register));
                    put(dst.add(body + register), other);
                    for at in (2 * register..gap).step_by(register) {
                        fetch.output(dst.add(body + at));
                        put(dst.add(body + at), get::<S::Register>(block.add(at % BLOCK)));
                    }
                }
                src = src.wrapping_offset(step);
                dst = dst.wrapping_add(body + gap);
            }
        }
    }
}

/// Tells whether everything that [`rows_of`] reads and writes lies within the source and the output of the sheet.
fn is_room<S: Simd>(sheet: &Sheet<'_>, blocks: &Batch, rows: &Bodies, filled: usize) -> bool {
    let register = size_of::<S::Register>();
    let Bodies { step, body, gap, .. } = *rows;
    let fill = if filled < register { filled } else { gap.next_multiple_of(register) };
    let last = blocks.split(blocks.count - 1).1;
    let last_rows = rows.at(last.src.wrapping_offset(rows.src), last.dst.wrapping_add(rows.dst));
    let last_row = last_rows.split(rows.count - 1).1.dst.addr();
    let mut end = last_row + body;
    if rows.count > 1 {
        end = end.max(last_row - gap + fill);
    }
    let far = |step: isize, count: usize| step.wrapping_mul(count as isize - 1);
    let ways = [far(blocks.step, blocks.count), far(step, rows.count)];
    let first = blocks.src.addr().wrapping_sub(sheet.src.addr()) as isize + rows.src;
    let low = first + ways.iter().map(|way| way.min(&0)).sum::<isize>();
    let high = first + ways.iter().map(|way| way.max(&0)).sum::<isize>() + body as isize;
    low >= 0 && high <= sheet.src_len as isize && end <= sheet.dst.addr() + sheet.dst_len
}

/// Writes bodies with gaps in every block.
///
/// # Safety
///
/// - The contract of [`run_move`](super::run_move) holds.
#[inline(always)]
pub(super) unsafe fn interleaved<S: Shells>(
    sheet: &Sheet<'_>,
    program: &Program,
    bodies: &Bodies,
    blocks: &Batch,
) {
    let Bodies { src, body, dst, gap, count, .. } = *bodies;
    // SAFETY: the caller keeps the contract.
    unsafe {
        if are_short::<S>(sheet, body, gap) {
            return S::short_rows(sheet, blocks, bodies);
        }
        // Writes may overshoot, except for those of the last few bodies, which are too close to the end of the block.
        let room = (program.len - dst).saturating_sub(OVERSHOOT);
        let first = (room / (body + gap)).min(count - 1);
        for (src, dst) in blocks.places(src, dst) {
            let (over, rest) = bodies.at(src, dst).split(first);
            if first > 0 {
                interleave::<S, false>(sheet, &over, (body, gap));
                fill_bytes::<S, false>(sheet, rest.dst.sub(gap), gap);
            }
            interleave::<S, true>(sheet, &rest, (body, gap));
        }
    }
}

/// Writes bodies with gaps. The gap is an argument, because the loop needs 1.10 times as many instructions if it computes the gap
/// from the pitch.
///
/// # Safety
///
/// - The contract of [`run_move`](super::run_move) holds for these bodies and gaps. Unless `EXACT`, [`OVERSHOOT`] bytes after
///   them are writable.
#[inline(always)]
unsafe fn interleave<S: Simd, const EXACT: bool>(
    sheet: &Sheet<'_>,
    all: &Batch,
    (body, gap): (usize, usize),
) {
    // SAFETY: the caller keeps the contract, and each word has the size of the body.
    unsafe {
        match body {
            1 => words::<u8, S, EXACT, 1>(sheet, all, gap),
            2 => words::<u16, S, EXACT, 2>(sheet, all, gap),
            3 => words::<[u8; 3], S, EXACT, 3>(sheet, all, gap),
            4 => words::<u32, S, EXACT, 4>(sheet, all, gap),
            6 => words::<[u8; 6], S, EXACT, 6>(sheet, all, gap),
            8 => words::<u64, S, EXACT, 8>(sheet, all, gap),
            12 => words::<[u8; 12], S, EXACT, 12>(sheet, all, gap),
            16 => words::<[u8; 16], S, EXACT, 16>(sheet, all, gap),
            5 | 7 if gap == 0 => pairs::<u32>(all, body),
            9..=15 if gap == 0 => pairs::<u64>(all, body),
            17..=32 if gap == 0 => pairs::<[u8; 16]>(all, body),
            33..=64 if gap == 0 => pairs::<[u8; 32]>(all, body),
            _ => bodies::<S, EXACT, 0>(sheet, all, (body, gap)),
        }
    }
}

/// Writes bodies that are words.
///
/// # Safety
///
/// - The contract of [`interleave`] holds.
#[inline(always)]
unsafe fn words<W: Copy, S: Simd, const EXACT: bool, const BYTES: usize>(
    sheet: &Sheet<'_>,
    all: &Batch,
    gap: usize,
) {
    const { assert!(size_of::<W>() == BYTES) };
    // SAFETY: the caller keeps the contract.
    unsafe {
        if gap == 0 {
            return lines::<W>(all);
        }
        bodies::<S, EXACT, BYTES>(sheet, all, (BYTES, gap));
    }
}

/// Copies bodies of one to two words each. The second word ends with the body.
///
/// Zen 3, 2,486 mirrored pixels of 20 bytes: they take 0.5 times as long as in [`bodies`].
///
/// # Safety
///
/// - The contract of [`interleave`] holds, and a body has at least one word and at most two.
#[inline(always)]
unsafe fn pairs<W: Copy>(all: &Batch, body: usize) {
    let last = body - size_of::<W>();
    // SAFETY: the caller keeps the contract.
    unsafe {
        for (src, dst) in all.places(0, 0) {
            put(dst, get::<W>(src));
            put(dst.add(last), get::<W>(src.add(last)));
        }
    }
}

/// Copies words to contiguous output, one cache line of the output at a time.
///
/// # Safety
///
/// - The contract of [`interleave`] holds, and a body has the size of `W`.
#[inline(always)]
unsafe fn lines<W: Copy>(all: &Batch) {
    let many = const { LINE / size_of::<W>() };
    let mut rest = *all;
    while rest.count > 0 {
        let (line, later) = rest.split(many.min(rest.count));
        // SAFETY: the caller keeps the contract.
        unsafe {
            if line.count == many {
                // The compiler unrolls this loop, because the count is a constant.
                for (src, dst) in (Batch { count: many, ..line }).places(0, 0) {
                    put(dst, get::<W>(src));
                }
            } else {
                for (src, dst) in line.places(0, 0) {
                    put(dst, get::<W>(src));
                }
            }
        }
        rest = later;
    }
}

/// Writes bodies of `BYTES` bytes, or of any length if `BYTES` is 0.
///
/// # Safety
///
/// - The contract of [`interleave`] holds. `BYTES` is 0 or the length of the body.
#[inline(always)]
unsafe fn bodies<S: Simd, const EXACT: bool, const BYTES: usize>(
    sheet: &Sheet<'_>,
    all: &Batch,
    (body, gap): (usize, usize),
) {
    let Batch { mut src, step, mut dst, count, .. } = *all;
    let spills = !EXACT && gap > 0 && sheet.fill.step() > 0 && !sheet.filled;
    let [narrowest, narrow, wide] = [spills && gap <= 8, spills && gap <= 16, spills && gap <= 32];
    // SAFETY: a block of fill is longer than this register.
    let fill = unsafe { get::<[u8; 32]>(sheet.fill.block().as_ptr()) };
    for i in 0..count {
        // SAFETY: the caller keeps the contract. `narrowest`, `narrow` and `wide` are false if `EXACT`. Otherwise bytes after
        // the last body are writable.
        unsafe {
            if BYTES > 0 {
                copy_of::<BYTES>(src, dst);
            } else {
                let fetch = sheet.fetch::<S::Register>();
                if body <= SHORT {
                    copy_ends::<S>(fetch, src, dst, body);
                } else {
                    copy_within::<S>(fetch, src, dst, body);
                }
            }
            if narrowest {
                put(dst.add(body), get::<[u8; 8]>(fill.as_ptr()));
            } else if narrow {
                put(dst.add(body), get::<[u8; 16]>(fill.as_ptr()));
            } else if wide {
                put(dst.add(body), fill);
            } else if gap > 0 && i + 1 < count {
                fill_bytes::<S, EXACT>(sheet, dst.add(body), gap);
            }
        }
        dst = dst.wrapping_add(body + gap);
        src = src.wrapping_offset(step);
    }
}
