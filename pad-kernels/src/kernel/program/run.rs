//! Running programs.

use super::{Move, Program};
use crate::kernel::memory::{
    CLAIMED, OVERSHOOT, SHORT, copy_exact, copy_over, copy_short, copy_within, fill_exact, fill_over, get,
    put, repeat,
};
use crate::kernel::sheet::{Sheet, Shells};
use crate::kernel::simd::{LINE, NoPermute, Permute, Simd, prefetch};
use crate::kernel::stream::{ROOM, Stream};
use crate::plan::pattern::{BLOCK, Pattern};

/// Blocks next to each other.
#[derive(Clone, Copy, Debug)]
pub(in crate::kernel) struct Run {
    /// The source of the first block, and from one to the next.
    pub(in crate::kernel) src: isize,
    pub(in crate::kernel) step: isize,
    /// The output of the first block, and from one to the next.
    pub(in crate::kernel) dst: isize,
    pub(in crate::kernel) pitch: isize,
    pub(in crate::kernel) count: usize,
}

/// Writes blocks.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - All that the program reads of each source and writes of each output lies within the sheet's.
/// - If the nest is sequential, the blocks are written in the order of the output.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_program<S: Shells>(sheet: &Sheet<'_>, program: &Program, run: Run) {
    // SAFETY: the caller's.
    unsafe {
        match program.window {
            0 => blocks::<S, NoPermute>(sheet, program, run),
            window if window == S::Wide::BYTES => blocks::<S, S::Wide>(sheet, program, run),
            _ => blocks::<S, S::Narrow>(sheet, program, run),
        }
    }
}

/// # Safety
///
/// - As for [`run_program`]; the permutations are the program's.
#[inline(always)]
unsafe fn blocks<S: Shells, P: Permute>(sheet: &Sheet<'_>, program: &Program, run: Run) {
    let Run { mut src, mut dst, step, pitch, count } = run;
    for _ in 0..count {
        // A block of fill alone may be of no source at all.
        let reads = program.src_start < program.src_end;
        debug_assert!(!reads || src + program.src_start >= 0);
        debug_assert!(!reads || src + program.src_end <= sheet.src_len as isize);
        debug_assert!(dst >= 0 && dst as usize + program.len <= sheet.dst_len);
        // SAFETY: the caller's. Where there is no room to overshoot, nothing does.
        unsafe {
            if sheet.has_room(src + program.src_end, dst as usize + program.len) {
                block::<S, P>(sheet, program, sheet.src.offset(src), sheet.dst.offset(dst));
            } else {
                let (src, dst) = (sheet.src.wrapping_offset(src), sheet.dst.wrapping_offset(dst));
                S::run_exactly(sheet, program, src, dst);
            }
        }
        src = src.wrapping_add(step);
        dst = dst.wrapping_add(pitch);
    }
}

/// One block, whose moves may overshoot.
///
/// # Safety
///
/// - As for [`run_program`]; the permutations are the program's.
/// - [`OVERSHOOT`] bytes behind all that is read and written are readable and writable, and will be overwritten.
#[inline(always)]
unsafe fn block<S: Shells, P: Permute>(sheet: &Sheet<'_>, program: &Program, src: *const u8, dst: *mut u8) {
    let (mut moves, tables) = (program.moves.as_ptr(), program.tables.as_ptr().cast::<u8>());
    let end = moves.wrapping_add(program.moves.len());
    while moves != end {
        // SAFETY: the caller's; a table is behind the ones before.
        unsafe {
            match *moves {
                Move::Copy { src: from, dst: to, bytes } if bytes <= SHORT => {
                    copy_short::<S>(src.offset(from), dst.add(to), bytes);
                }
                Move::Permute { windows: [first, second], step, table, dst: to, bytes, mut count } => {
                    let base = get::<P::Register>(sheet.fill.block().as_ptr());
                    let tables = tables.add(table * BLOCK);
                    let index = get::<P::Register>(tables);
                    let (mut from, mut to) = (src.offset(first.src), dst.add(to));
                    if second.bytes == 0 {
                        loop {
                            prefetch_output::<P>(to);
                            put(to, P::permute(base, get(from), index));
                            count -= 1;
                            if count == 0 {
                                break;
                            }
                            (to, from) = (to.add(bytes), from.wrapping_offset(step));
                        }
                    } else {
                        let other = get::<P::Register>(tables.add(BLOCK));
                        let apart = second.src - first.src;
                        loop {
                            prefetch_output::<P>(to);
                            let register = P::permute(base, get(from), index);
                            put(to, P::permute(register, get(from.offset(apart)), other));
                            count -= 1;
                            if count == 0 {
                                break;
                            }
                            (to, from) = (to.add(bytes), from.wrapping_offset(step));
                        }
                    }
                }
                _ => S::run_move(sheet, &*moves, src, dst),
            }
        }
        moves = moves.wrapping_add(1);
    }
}

/// Fetches the output ahead of a store, once a line.
#[inline(always)]
fn prefetch_output<P: Permute>(to: *mut u8) {
    if P::BYTES == LINE || to.addr() % LINE < P::BYTES {
        prefetch(to.wrapping_add(CLAIMED));
    }
}

/// A move that is none of the frequent ones.
///
/// # Safety
///
/// - As for [`block`].
#[inline(always)]
pub(in crate::kernel) unsafe fn run_move<S: Simd>(
    sheet: &Sheet<'_>,
    next: &Move,
    src: *const u8,
    dst: *mut u8,
) {
    // SAFETY: the caller's.
    unsafe {
        match *next {
            Move::Copy { src: from, dst: to, bytes } => copy_over::<S>(src.offset(from), dst.add(to), bytes),
            Move::Fill { dst: to, bytes } => fill_bytes::<false>(sheet, dst.add(to), bytes),
            Move::Interleave { src: from, step, body, dst: to, gap, count } => {
                interleave::<false>(sheet, (src.offset(from), step), body, dst.add(to), gap, count);
            }
            Move::Again { from, dst: to, bytes } => repeat::<S>(dst.add(to), to - from, bytes),
            Move::Permute { .. } => debug_assert!(false, "run by `block`"),
        }
    }
}

/// One block, which touches nothing but its own.
///
/// # Safety
///
/// - As for [`run_program`].
#[inline(always)]
pub(in crate::kernel) unsafe fn run_exactly<S: Simd>(
    sheet: &Sheet<'_>,
    program: &Program,
    src: *const u8,
    dst: *mut u8,
) {
    for next in &program.moves {
        // SAFETY: the caller's.
        unsafe {
            match *next {
                Move::Copy { src: from, dst: to, bytes } => {
                    copy_within::<S>(src.offset(from), dst.add(to), bytes);
                }
                Move::Fill { dst: to, bytes } => fill_bytes::<true>(sheet, dst.add(to), bytes),
                Move::Permute { .. } => match program.window {
                    window if window == S::Wide::BYTES => {
                        permute_exactly::<S::Wide>(sheet, program, next, src, dst)
                    }
                    _ => permute_exactly::<S::Narrow>(sheet, program, next, src, dst),
                },
                Move::Interleave { src: from, step, body, dst: to, gap, count } => {
                    interleave::<true>(sheet, (src.offset(from), step), body, dst.add(to), gap, count);
                }
                Move::Again { from, dst: to, bytes } => repeat::<S>(dst.add(to), to - from, bytes),
            }
        }
    }
}

/// # Safety
///
/// - As for [`run_exactly`], for a permutation of the program.
#[inline(always)]
unsafe fn permute_exactly<P: Permute>(
    sheet: &Sheet<'_>,
    program: &Program,
    next: &Move,
    src: *const u8,
    dst: *mut u8,
) {
    let Move::Permute { windows: [first, second], step, table, dst: to, bytes, count } = *next else {
        return;
    };
    let tables = &program.tables[table..];
    // SAFETY: the caller's.
    unsafe {
        let base = get::<P::Register>(sheet.fill.block().as_ptr());
        for i in 0..count {
            let src = src.wrapping_offset(step * i as isize);
            let from = P::load_part(src.offset(first.src), first.bytes);
            let mut register = P::permute(base, from, get(tables[0].as_ptr()));
            if second.bytes > 0 {
                let from = P::load_part(src.offset(second.src), second.bytes);
                register = P::permute(register, from, get(tables[1].as_ptr()));
            }
            P::store_part(dst.add(to + i * bytes), register, bytes);
        }
    }
}

/// # Safety
///
/// - As for [`block`], for these bytes.
#[inline(always)]
unsafe fn fill_bytes<const EXACT: bool>(sheet: &Sheet<'_>, dst: *mut u8, bytes: usize) {
    let fill = sheet.fill;
    // SAFETY: the caller's.
    unsafe {
        if sheet.filled {
        } else if !EXACT && bytes <= SHORT && fill.step() > 0 {
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
    sheet: &Sheet<'_>,
    source: (*const u8, isize),
    body: usize,
    dst: *mut u8,
    gap: usize,
    count: usize,
) {
    // SAFETY: the caller's; a word is as long as the body.
    unsafe {
        match body {
            1 => words::<u8, EXACT>(sheet, source, dst, gap, count),
            2 => words::<u16, EXACT>(sheet, source, dst, gap, count),
            4 => words::<u32, EXACT>(sheet, source, dst, gap, count),
            8 => words::<u64, EXACT>(sheet, source, dst, gap, count),
            16 => words::<[u8; 16], EXACT>(sheet, source, dst, gap, count),
            _ => {
                let copy = |src: *const u8, dst: *mut u8| {
                    if EXACT { copy_exact(src, dst, body) } else { copy_blocks(src, dst, body) }
                };
                bodies::<EXACT>(sheet, source, body, dst, gap, count, copy);
            }
        }
    }
}

/// # Safety
///
/// - As for [`interleave`].
#[inline(always)]
unsafe fn words<W: Copy, const EXACT: bool>(
    sheet: &Sheet<'_>,
    source: (*const u8, isize),
    dst: *mut u8,
    gap: usize,
    count: usize,
) {
    // SAFETY: the caller's.
    let copy = |src: *const u8, dst: *mut u8| unsafe { put(dst, get::<W>(src)) };
    // SAFETY: the caller's.
    unsafe { bodies::<EXACT>(sheet, source, size_of::<W>(), dst, gap, count, copy) }
}

/// # Safety
///
/// - As for [`interleave`], and `copy` copies a body.
#[inline(always)]
unsafe fn bodies<const EXACT: bool>(
    sheet: &Sheet<'_>,
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
                fill_bytes::<EXACT>(sheet, dst.add(body), gap);
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

/// Writes blocks to the sheet's stream.
///
/// # Safety
///
/// - As for [`run_program`]; the sheet has a stream, at the blocks' place, and the fill a step.
/// - Nothing is made again.
#[inline(always)]
pub(in crate::kernel) unsafe fn stream_program<S: Simd>(sheet: &mut Sheet<'_>, program: &Program, run: Run) {
    let Run { mut src, step, count, .. } = run;
    for _ in 0..count {
        let from = sheet.src.wrapping_offset(src);
        let room = src + program.src_end + OVERSHOOT as isize <= sheet.over_src;
        let fill = sheet.fill;
        let Some(stream) = &mut sheet.stream else { return };
        for next in &program.moves {
            // SAFETY: the caller's. What is put into the block has room to overshoot there.
            unsafe {
                match *next {
                    Move::Copy { src, bytes, .. } if bytes > ROOM || !room => {
                        stream.copy::<S>(from.offset(src), bytes);
                    }
                    Move::Copy { src, bytes, .. } => {
                        copy_over::<S>(from.offset(src), stream.place::<S>(bytes), bytes);
                    }
                    Move::Fill { bytes, .. } => stream.fill::<S>(fill, bytes),
                    Move::Permute { .. } => match program.window {
                        window if window == S::Wide::BYTES => {
                            permute_streamed::<S, S::Wide>(stream, fill, program, next, from);
                        }
                        _ => permute_streamed::<S, S::Narrow>(stream, fill, program, next, from),
                    },
                    Move::Interleave { src, step, body, gap, count, .. } => {
                        for i in 0..count {
                            stream.copy::<S>(from.offset(src + i as isize * step), body);
                            if i + 1 < count {
                                stream.fill::<S>(fill, gap);
                            }
                        }
                    }
                    Move::Again { .. } => debug_assert!(false, "plans that repeat themselves do not stream"),
                }
            }
        }
        src = src.wrapping_add(step);
    }
}

/// # Safety
///
/// - As for [`stream_program`], for a permutation of the program.
#[inline(always)]
unsafe fn permute_streamed<S: Simd, P: Permute>(
    stream: &mut Stream,
    fill: &Pattern,
    program: &Program,
    next: &Move,
    src: *const u8,
) {
    let Move::Permute { windows: [first, second], step, table, bytes, count, .. } = *next else { return };
    let tables = &program.tables[table..];
    // SAFETY: the caller's.
    unsafe {
        let base = get::<P::Register>(fill.block().as_ptr());
        for i in 0..count as isize {
            let src = src.wrapping_offset(step * i);
            let from = P::load_part(src.offset(first.src), first.bytes);
            let mut register = P::permute(base, from, get(tables[0].as_ptr()));
            if second.bytes > 0 {
                let from = P::load_part(src.offset(second.src), second.bytes);
                register = P::permute(register, from, get(tables[1].as_ptr()));
            }
            put(stream.place::<S>(bytes), register);
        }
    }
}
