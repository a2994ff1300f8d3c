//! Running programs.

use super::{Move, Program, Window};
use crate::kernel::memory::{
    CLAIMED, OVERSHOOT, copy_exact, copy_over, copy_within, fill_exact, fill_over, get, put, repeat,
};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, NoPermute, Permute, Simd, prefetch};
use crate::kernel::stream::ROOM;
use crate::plan::pattern::{BLOCK, Pattern};

/// Blocks whose sources are `step` apart from `src` on, and whose outputs are `dst_step` apart from `dst` on.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - All that the program reads of each source and writes of each output lies within the sheet's.
/// - If the sheet is dense, the blocks are written in the order of the output.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_blocks<S: Simd>(
    sheet: &Sheet<'_>,
    program: &Program,
    (src, step): (isize, isize),
    (dst, dst_step): (isize, isize),
    count: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        match program.window {
            0 => blocks::<S, NoPermute>(sheet, program, (src, step), (dst, dst_step), count),
            window if window == S::Wide::BYTES => {
                blocks::<S, S::Wide>(sheet, program, (src, step), (dst, dst_step), count)
            }
            _ => blocks::<S, S::Narrow>(sheet, program, (src, step), (dst, dst_step), count),
        }
    }
}

/// # Safety
///
/// - As for [`run_blocks`]; the permutations are the program's.
#[inline(always)]
unsafe fn blocks<S: Simd, P: Permute>(
    sheet: &Sheet<'_>,
    program: &Program,
    (src, step): (isize, isize),
    (dst, dst_step): (isize, isize),
    count: usize,
) {
    let fill = sheet.fill;
    let ahead = program.len.min(CLAIMED);
    let (mut from, mut to) = (src, dst);
    for _ in 0..count {
        let (source, output) = (sheet.src.wrapping_offset(from), sheet.dst.wrapping_offset(to));
        debug_assert!(from + program.src_start >= 0 && from + program.src_end <= sheet.src_len as isize);
        debug_assert!(to >= 0 && to as usize + program.len <= sheet.dst_len);
        for line in (0..ahead).step_by(LINE) {
            prefetch(output.wrapping_add(CLAIMED + line));
        }
        // SAFETY: the caller's. Where there is no room to overshoot, nothing does.
        unsafe {
            if sheet.has_room(from + program.src_end, to as usize + program.len) {
                block::<S, P, false>(program, fill, source, output);
            } else {
                block::<S, P, true>(program, fill, source, output);
            }
        }
        from = from.wrapping_add(step);
        to = to.wrapping_add(dst_step);
    }
}

/// One block.
///
/// # Safety
///
/// - The machine has the instruction set, and the permutations are the program's.
/// - All that the program reads and writes is readable from `src` and writable from `dst` on, and unless `EXACT` so are
///   [`OVERSHOOT`] bytes behind it. What is overwritten behind the block is written later.
#[inline(always)]
unsafe fn block<S: Simd, P: Permute, const EXACT: bool>(
    program: &Program,
    fill: &Pattern,
    src: *const u8,
    dst: *mut u8,
) {
    for next in &program.moves {
        // SAFETY: the caller's.
        unsafe {
            match *next {
                Move::Copy { src: from, dst: to, bytes } => {
                    let (src, dst) = (src.offset(from), dst.add(to));
                    if EXACT { copy_within::<S>(src, dst, bytes) } else { copy_over::<S>(src, dst, bytes) }
                }
                Move::Fill { dst: to, bytes } => fill_bytes::<EXACT>(fill, dst.add(to), bytes),
                Move::Permute { windows, step, table, dst: to, bytes, count } => {
                    let tables = &program.tables[table..];
                    let base = get::<P::Register>(fill.block().as_ptr());
                    let index = get::<P::Register>(tables[0].as_ptr());
                    let [first, second] = windows;
                    let mut to = dst.add(to);
                    let mut place = first.src;
                    if second.bytes == 0 {
                        for _ in 0..count {
                            let from = load::<P, EXACT>(src, place, first);
                            store::<P, EXACT>(to, P::permute(base, from, index), bytes);
                            (to, place) = (to.wrapping_add(bytes), place.wrapping_add(step));
                        }
                    } else {
                        let other = get::<P::Register>(tables[1].as_ptr());
                        let apart = second.src - first.src;
                        for _ in 0..count {
                            let from = load::<P, EXACT>(src, place, first);
                            let register = P::permute(base, from, index);
                            let from = load::<P, EXACT>(src, place.wrapping_add(apart), second);
                            store::<P, EXACT>(to, P::permute(register, from, other), bytes);
                            (to, place) = (to.wrapping_add(bytes), place.wrapping_add(step));
                        }
                    }
                }
                Move::Interleave { src: from, step, body, dst: to, gap, count } => {
                    interleave::<EXACT>(fill, (src.offset(from), step), body, dst.add(to), gap, count);
                }
                Move::Again { from, dst: to, bytes } => repeat::<S>(dst.add(to), to - from, bytes),
            }
        }
    }
}

/// # Safety
///
/// - As for [`block`], for this window.
#[inline(always)]
unsafe fn load<P: Permute, const EXACT: bool>(src: *const u8, place: isize, window: Window) -> P::Register {
    // SAFETY: the caller's.
    unsafe { if EXACT { P::load_part(src.offset(place), window.bytes) } else { get(src.offset(place)) } }
}

/// # Safety
///
/// - As for [`block`], for these bytes.
#[inline(always)]
unsafe fn store<P: Permute, const EXACT: bool>(dst: *mut u8, register: P::Register, bytes: usize) {
    // SAFETY: the caller's.
    unsafe { if EXACT { P::store_part(dst, register, bytes) } else { put(dst, register) } }
}

/// # Safety
///
/// - As for [`block`], for these bytes.
#[inline(always)]
unsafe fn fill_bytes<const EXACT: bool>(fill: &Pattern, dst: *mut u8, bytes: usize) {
    // SAFETY: the caller's.
    unsafe {
        if !EXACT && bytes <= 4 * BLOCK && fill.step() > 0 {
            fill_over(fill, dst, bytes);
        } else {
            fill_exact(fill, dst, bytes);
        }
    }
}

/// # Safety
///
/// - As for [`block`], for these bodies and gaps.
#[inline(always)]
unsafe fn interleave<const EXACT: bool>(
    fill: &Pattern,
    source: (*const u8, isize),
    body: usize,
    dst: *mut u8,
    gap: usize,
    count: usize,
) {
    // SAFETY: the caller's; a word is as long as the body.
    unsafe {
        match body {
            1 => words::<u8, EXACT>(fill, source, dst, gap, count),
            2 => words::<u16, EXACT>(fill, source, dst, gap, count),
            4 => words::<u32, EXACT>(fill, source, dst, gap, count),
            8 => words::<u64, EXACT>(fill, source, dst, gap, count),
            16 => words::<[u8; 16], EXACT>(fill, source, dst, gap, count),
            _ => {
                let copy = |src: *const u8, dst: *mut u8| {
                    if EXACT { copy_exact(src, dst, body) } else { copy_blocks(src, dst, body) }
                };
                bodies::<EXACT>(fill, source, body, dst, gap, count, copy);
            }
        }
    }
}

/// # Safety
///
/// - As for [`interleave`].
#[inline(always)]
unsafe fn words<W: Copy, const EXACT: bool>(
    fill: &Pattern,
    source: (*const u8, isize),
    dst: *mut u8,
    gap: usize,
    count: usize,
) {
    // SAFETY: the caller's.
    let copy = |src: *const u8, dst: *mut u8| unsafe { put(dst, get::<W>(src)) };
    // SAFETY: the caller's.
    unsafe { bodies::<EXACT>(fill, source, size_of::<W>(), dst, gap, count, copy) }
}

/// # Safety
///
/// - As for [`interleave`], and `copy` copies a body.
#[inline(always)]
unsafe fn bodies<const EXACT: bool>(
    fill: &Pattern,
    (mut src, step): (*const u8, isize),
    body: usize,
    mut dst: *mut u8,
    gap: usize,
    count: usize,
    copy: impl Fn(*const u8, *mut u8),
) {
    for i in 0..count {
        copy(src, dst);
        // SAFETY: the caller's.
        unsafe {
            if gap > 0 && i + 1 < count {
                fill_bytes::<EXACT>(fill, dst.add(body), gap);
            }
        }
        dst = dst.wrapping_add(body + gap);
        src = src.wrapping_offset(step);
    }
}

/// Copies `bytes` in blocks.
///
/// # Safety
///
/// - `bytes` and [`OVERSHOOT`] more are readable at `src` and writable at `dst`.
#[inline(always)]
unsafe fn copy_blocks(src: *const u8, dst: *mut u8, bytes: usize) {
    let mut at = 0;
    while at < bytes {
        // SAFETY: the caller's; a block begins before the end.
        unsafe { put(dst.add(at), get::<[u8; OVERSHOOT]>(src.add(at))) };
        at += OVERSHOOT;
    }
}

/// Blocks as for [`run_blocks`], to the sheet's stream.
///
/// # Safety
///
/// - As for [`run_blocks`]; the sheet has a stream, at the blocks' place, and the fill a step.
/// - Nothing is made again.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_blocks_staged<S: Simd>(
    sheet: &mut Sheet<'_>,
    program: &Program,
    (src, step): (isize, isize),
    count: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        match program.window {
            0 => staged::<S, NoPermute>(sheet, program, (src, step), count),
            window if window == S::Wide::BYTES => staged::<S, S::Wide>(sheet, program, (src, step), count),
            _ => staged::<S, S::Narrow>(sheet, program, (src, step), count),
        }
    }
}

/// # Safety
///
/// - As for [`run_blocks_staged`]; the permutations are the program's.
#[inline(always)]
unsafe fn staged<S: Simd, P: Permute>(
    sheet: &mut Sheet<'_>,
    program: &Program,
    (mut from, step): (isize, isize),
    count: usize,
) {
    let fill = sheet.fill;
    for _ in 0..count {
        let src = sheet.src.wrapping_offset(from);
        let room = (sheet.src_len as isize) - (from + program.src_end) >= OVERSHOOT as isize;
        let Some(stream) = &mut sheet.stream else { return };
        for next in &program.moves {
            // SAFETY: the caller's. What is put into the block has room to overshoot there.
            unsafe {
                match *next {
                    Move::Copy { src: from, bytes, .. } => {
                        if bytes > ROOM || !room {
                            stream.copy::<S>(src.offset(from), bytes);
                        } else {
                            copy_over::<S>(src.offset(from), stream.place::<S>(bytes), bytes);
                        }
                    }
                    Move::Fill { bytes, .. } => stream.fill::<S>(fill, bytes),
                    Move::Permute { windows, step, table, bytes, count, .. } => {
                        let tables = &program.tables[table..];
                        let base = get::<P::Register>(fill.block().as_ptr());
                        let index = get::<P::Register>(tables[0].as_ptr());
                        let [first, second] = windows;
                        for i in 0..count as isize {
                            let to = stream.place::<S>(bytes);
                            let from = load::<P, true>(src, first.src + i * step, first);
                            let mut register = P::permute(base, from, index);
                            if second.bytes > 0 {
                                let other = get::<P::Register>(tables[1].as_ptr());
                                let from = load::<P, true>(src, second.src + i * step, second);
                                register = P::permute(register, from, other);
                            }
                            put(to, register);
                        }
                    }
                    Move::Interleave { src: from, step, body, gap, count, .. } => {
                        for i in 0..count {
                            stream.copy::<S>(src.offset(from + i as isize * step), body);
                            if i + 1 < count {
                                stream.fill::<S>(fill, gap);
                            }
                        }
                    }
                    Move::Again { .. } => debug_assert!(false, "plans that repeat themselves do not stream"),
                }
            }
        }
        from = from.wrapping_add(step);
    }
}
