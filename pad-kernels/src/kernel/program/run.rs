//! Running programs.

use super::moves::{Batch, copy, fill, fill_bytes, interleave, rows};
use super::{Move, Program, Shells, Window};
use crate::kernel::memory::{
    CLAIMED, OVERSHOOT, SHORT, copy_aligned, copy_ends, copy_exact, copy_line, copy_within, get, in_lines,
    put, repeat,
};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, NoPermute, Permute, Simd, prefetch};
use crate::kernel::threshold;
use crate::plan::pattern::BLOCK;

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

/// The one block that is all there is.
///
/// # Safety
///
/// - As for [`run_program`].
#[inline(always)]
pub(in crate::kernel) unsafe fn run_all<S: Shells>(sheet: &Sheet<'_>, program: &Program) {
    let (src, dst) = (sheet.nest.src, sheet.nest.dst);
    // SAFETY: the caller's.
    unsafe {
        match program.window {
            0 => one::<S, NoPermute>(sheet, program, src, dst),
            window if window == S::Wide::BYTES => one::<S, S::Wide>(sheet, program, src, dst),
            _ => one::<S, S::Narrow>(sheet, program, src, dst),
        }
    }
}

/// One block.
///
/// # Safety
///
/// - As for [`run_program`]; the permutations are the program's.
#[inline(always)]
unsafe fn one<S: Shells, P: Permute>(sheet: &Sheet<'_>, program: &Program, src: isize, dst: isize) {
    // SAFETY: the caller's. Where a window reaches beyond the source, only what is needed of it is read.
    unsafe {
        if sheet.exact {
            S::run_exactly(sheet, program, src, dst);
        } else if src.saturating_add(program.src_over) <= sheet.src_len as isize {
            one_of::<S, P, true>(sheet, program, src, dst);
        } else {
            one_of::<S, P, false>(sheet, program, src, dst);
        }
    }
}

/// One block of a source of which all windows are readable whole, or not.
///
/// # Safety
///
/// - As for [`run_program`]; the permutations are the program's.
#[inline(always)]
unsafe fn one_of<S: Shells, P: Permute, const WHOLE: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    src: isize,
    dst: isize,
) {
    // SAFETY: the caller's.
    unsafe {
        let (from, to) = (sheet.src.wrapping_offset(src), sheet.dst.wrapping_offset(dst));
        let room = sheet.src_len as isize - src;
        let tables = program.tables.as_ptr();
        let base = sheet.fill.block().as_ptr();
        let load = |window: Window| load::<P, WHOLE>(from.wrapping_offset(window.src), window.bytes);
        for next in program.moves.as_slice() {
            match *next {
                Move::Gather { window, dst, table, .. } => {
                    let index = get::<P::Register>(tables.add(table).cast());
                    put(to.add(dst), P::permute(get(base), load(window), index));
                }
                Move::GatherTwo { windows: [first, second], dst, table, .. } => {
                    let index = get::<P::Register>(tables.add(table).cast());
                    let other = get::<P::Register>(tables.add(table + 1).cast());
                    let register = P::permute(get(base), load(first), index);
                    put(to.add(dst), P::permute(register, load(second), other));
                }
                Move::Permute { windows: [first, second], table, dst, bytes, count: 1, .. } => {
                    let index = get::<P::Register>(tables.add(table).cast());
                    let mut register = P::permute(get(base), load(first), index);
                    if second.bytes > 0 {
                        let other = get::<P::Register>(tables.add(table + 1).cast());
                        register = P::permute(register, load(second), other);
                    }
                    if dst + P::BYTES <= program.len {
                        put(to.add(dst), register);
                    } else {
                        P::store_part(to.add(dst), register, bytes);
                    }
                }
                Move::Copy { src, dst, bytes } if bytes <= SHORT => {
                    let (end, behind) = (src + (bytes + LINE) as isize, dst + bytes + LINE);
                    if bytes <= 2 * LINE {
                        copy_ends::<S>(from.wrapping_offset(src), to.add(dst), bytes, CLAIMED as isize);
                    } else if behind <= program.len && end <= room && !sheet.filled {
                        copy_aligned::<S, true>(from.wrapping_offset(src), to.add(dst), bytes);
                    } else {
                        copy_aligned::<S, false>(from.wrapping_offset(src), to.add(dst), bytes);
                    }
                }
                Move::Fill { dst, bytes } if bytes <= BLOCK && sheet.fill.step() == BLOCK => {
                    if sheet.filled {
                    } else if dst + BLOCK <= program.len {
                        copy_line::<S>(sheet.fill.block().as_ptr(), to.add(dst), CLAIMED as isize);
                    } else {
                        copy_exact(base, to.add(dst), bytes);
                    }
                }
                _ => {
                    let batch =
                        Batch { src: from, step: 0, dst: to, pitch: 0, count: 1, ahead: CLAIMED as isize };
                    if next.permutation().is_some() {
                        permute::<P, WHOLE>(sheet, program, next, &batch);
                    } else {
                        S::run_move(sheet, program, next, &batch);
                    }
                }
            }
        }
    }
}

/// # Safety
///
/// - As for [`run_program`]; the permutations are the program's.
#[inline(always)]
unsafe fn blocks<S: Shells, P: Permute>(sheet: &Sheet<'_>, program: &Program, run: Run) {
    let Run { mut src, mut dst, step, pitch, mut count } = run;
    let in_turn = program.len >= IN_TURN_FROM * program.steps && sheet.dst_len >= FAR_BYTES;
    let most = if in_turn { 1 } else { (BATCH / program.len.max(1)).max(1) };
    while count > 0 {
        let now = count.min(most);
        let behind = (now - 1) as isize;
        let (low, high) = (src + (behind * step).min(0), src + (behind * step).max(0));
        debug_assert!(
            program.src_start == program.src_end
                || low + program.src_start >= 0 && high + program.src_end <= sheet.src_len as isize
        );
        debug_assert!(dst >= 0 && (dst + behind * pitch) as usize + program.len <= sheet.dst_len);
        // SAFETY: the caller's. Where a window reaches beyond the source, only what is needed of it is read.
        unsafe {
            if now == 1 {
                one::<S, P>(sheet, program, src, dst);
            } else if sheet.exact {
                for i in 0..now as isize {
                    S::run_exactly(sheet, program, src + i * step, dst + i * pitch);
                }
            } else {
                let (src, dst) = (sheet.src.wrapping_offset(src), sheet.dst.wrapping_offset(dst));
                let now = Batch { src, step, dst, pitch, count: now, ahead: CLAIMED as isize };
                if high.saturating_add(program.src_over) <= sheet.src_len as isize {
                    batch::<S, P, true>(sheet, program, &now);
                } else {
                    batch::<S, P, false>(sheet, program, &now);
                }
            }
        }
        src = src.wrapping_add(now as isize * step);
        dst = dst.wrapping_add(now as isize * pitch);
        count -= now;
    }
}

/// Bytes of a move, on average, from which the moves of a block are run in turn: rows of 264 bytes in three moves, 4 MB of them,
/// took 285 us in turn and 310 in batches (Xeon with AMX). What is less is registers, which are faster in batches.
const IN_TURN_FROM: usize = 80;

/// Bytes of output from which moves are run in turn at all: what is less lies in a near cache, where copies of as many registers
/// each are faster than aligned ones. 0.5 MB of rows of 264 bytes took 12.1 us in batches and 16.8 in turn, 1.1 MB alike, 2.2 MB
/// 146 and 137 (Xeon with AMX).
const FAR_BYTES: usize = threshold(1 << 20, 1 << 12);

/// Bytes of output of which each move is run for all blocks before the next one: both sides of it stay in the first-level cache.
const BATCH: usize = 4096;

/// What a permutation takes units from, of which all is readable, or what is needed.
///
/// # Safety
///
/// - The machine has the instruction set; `bytes` at `src` are readable, and a register if it is `WHOLE`.
#[inline(always)]
unsafe fn load<P: Permute, const WHOLE: bool>(src: *const u8, bytes: usize) -> P::Register {
    // SAFETY: the caller's; any bytes are a register.
    unsafe { if WHOLE { get(src) } else { P::load_part(src, bytes) } }
}

/// Blocks whose moves may overshoot, each within its block, and of which all windows are readable whole, or not.
///
/// # Safety
///
/// - As for [`run_program`]; the permutations are the program's.
#[inline(always)]
unsafe fn batch<S: Shells, P: Permute, const WHOLE: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    batch: &Batch,
) {
    let base = sheet.fill.block().as_ptr();
    let tables = program.tables.as_ptr();
    for next in program.moves.as_slice() {
        // SAFETY: the caller's. A move that ends so near the end of its block that it could overshoot it does not.
        unsafe {
            match *next {
                Move::Gather { window, dst, table, .. } => {
                    let base = get::<P::Register>(base);
                    let index = get::<P::Register>(tables.add(table).cast());
                    for (src, dst) in batch.places(window.src, dst) {
                        prefetch(dst.wrapping_offset(batch.ahead));
                        put(dst, P::permute(base, load::<P, WHOLE>(src, window.bytes), index));
                    }
                }
                Move::GatherTwo { windows: [first, second], dst, table, .. } => {
                    let apart = second.src - first.src;
                    let base = get::<P::Register>(base);
                    let index = get::<P::Register>(tables.add(table).cast());
                    let other = get::<P::Register>(tables.add(table + 1).cast());
                    for (src, dst) in batch.places(first.src, dst) {
                        prefetch(dst.wrapping_offset(batch.ahead));
                        let register = P::permute(base, load::<P, WHOLE>(src, first.bytes), index);
                        let src = load::<P, WHOLE>(src.wrapping_offset(apart), second.bytes);
                        put(dst, P::permute(register, src, other));
                    }
                }
                Move::Copy { src, dst, bytes } if bytes <= SHORT => copy::<S>(src, dst, bytes, batch),
                Move::Fill { dst, bytes } if bytes <= SHORT && sheet.fill.step() == BLOCK => {
                    let block = sheet.fill.block();
                    if sheet.filled {
                    } else if bytes >= BLOCK {
                        fill::<S>(block, dst, bytes, batch);
                    } else if dst + BLOCK <= program.len {
                        for (_, dst) in batch.places(0, dst) {
                            copy_line::<S>(block.as_ptr(), dst, batch.ahead);
                        }
                    } else {
                        for (_, dst) in batch.places(0, dst) {
                            copy_exact(block.as_ptr(), dst, bytes);
                        }
                    }
                }
                Move::Permute { .. } => permute::<P, WHOLE>(sheet, program, next, batch),
                _ => S::run_move(sheet, program, next, batch),
            }
        }
    }
}

/// A permutation that is run several times for every block, or whose registers are not all written whole.
///
/// # Safety
///
/// - As for [`batch`].
#[inline(always)]
unsafe fn permute<P: Permute, const WHOLE: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    next: &Move,
    batch: &Batch,
) {
    let Move::Permute { windows: [_, second], .. } = *next else { return };
    // SAFETY: the caller's.
    unsafe {
        if second.bytes > 0 {
            permute_times::<P, WHOLE, true>(sheet, program, next, batch);
        } else {
            permute_times::<P, WHOLE, false>(sheet, program, next, batch);
        }
    }
}

/// The same of one window or of `TWO`.
///
/// # Safety
///
/// - As for [`batch`].
#[inline(always)]
unsafe fn permute_times<P: Permute, const WHOLE: bool, const TWO: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    next: &Move,
    batch: &Batch,
) {
    let Move::Permute { windows: [first, second], step, table, dst, bytes, count } = *next else { return };
    // So many registers end within the block.
    let whole = match (program.len - dst).checked_sub(P::BYTES) {
        Some(room) => (room / bytes + 1).min(count),
        None => 0,
    };
    // SAFETY: the caller's.
    unsafe {
        let tables = program.tables.as_ptr().add(table);
        let base = get::<P::Register>(sheet.fill.block().as_ptr());
        let index = get::<P::Register>(tables.cast());
        let other = if TWO { get::<P::Register>(tables.add(1).cast()) } else { index };
        let apart = second.src - first.src;
        let picked = Picked::<P> { base, index, first: first.bytes, other, apart, second: second.bytes };
        for (mut src, mut dst) in batch.places(first.src, dst) {
            if step == 0 {
                // The same register every time: a source that is shorter than one is slow to load.
                let register = picked.of::<WHOLE, TWO>(src);
                for _ in 0..whole {
                    prefetch_output::<P>(dst);
                    put(dst, register);
                    dst = dst.wrapping_add(bytes);
                }
            } else {
                // A line of the output at a time: registers of 16 bytes took 0.8 times as long as one by one (EPYC with AVX2).
                let many = const { if let Some(many) = LINE.checked_div(P::BYTES) { many } else { 1 } };
                let mut left = whole;
                while left >= many {
                    prefetch(dst.wrapping_add(CLAIMED));
                    for _ in 0..many {
                        put(dst, picked.of::<WHOLE, TWO>(src));
                        (src, dst) = (src.wrapping_offset(step), dst.wrapping_add(bytes));
                    }
                    left -= many;
                }
                if left > 0 {
                    prefetch(dst.wrapping_add(CLAIMED));
                }
                for _ in 0..left {
                    put(dst, picked.of::<WHOLE, TWO>(src));
                    (src, dst) = (src.wrapping_offset(step), dst.wrapping_add(bytes));
                }
            }
            for _ in whole..count {
                prefetch_output::<P>(dst);
                P::store_part(dst, picked.of::<WHOLE, TWO>(src), bytes);
                (src, dst) = (src.wrapping_offset(step), dst.wrapping_add(bytes));
            }
        }
    }
}

/// What registers of a permutation are picked by: indices of the first window and of the other, and the bytes that are needed of
/// each.
struct Picked<P: Permute> {
    base: P::Register,
    index: P::Register,
    first: usize,
    other: P::Register,
    /// From the first window to the other.
    apart: isize,
    second: usize,
}

impl<P: Permute> Picked<P> {
    /// The register whose first window is at `src`, of one window or of `TWO`.
    ///
    /// # Safety
    ///
    /// - As for [`load`], for both windows.
    #[inline(always)]
    unsafe fn of<const WHOLE: bool, const TWO: bool>(&self, src: *const u8) -> P::Register {
        // SAFETY: the caller's.
        unsafe {
            let register = P::permute(self.base, load::<P, WHOLE>(src, self.first), self.index);
            if !TWO {
                return register;
            }
            P::permute(register, load::<P, WHOLE>(src.wrapping_offset(self.apart), self.second), self.other)
        }
    }
}

/// Fetches the output ahead of a store, once a line.
#[inline(always)]
fn prefetch_output<P: Permute>(to: *mut u8) {
    if P::BYTES == LINE || to.addr() % LINE < P::BYTES {
        prefetch(to.wrapping_add(CLAIMED));
    }
}

/// A move that is none of the frequent ones, for every block.
///
/// # Safety
///
/// - As for [`batch`].
#[inline(always)]
pub(in crate::kernel) unsafe fn run_move<S: Shells>(
    sheet: &Sheet<'_>,
    program: &Program,
    next: &Move,
    batch: &Batch,
) {
    let over = |end: usize| end + OVERSHOOT <= program.len;
    // SAFETY: the caller's.
    unsafe {
        match *next {
            Move::Copy { src, dst, bytes } => {
                for (src, dst) in batch.places(src, dst) {
                    copy_within::<S>(src, dst, bytes);
                }
            }
            Move::Fill { dst, bytes } if !sheet.filled && in_lines(sheet.fill, bytes) => {
                for (_, dst) in batch.places(0, dst) {
                    S::fill_lines(sheet.fill, dst, bytes);
                }
            }
            Move::Interleave { src, step, body, dst, gap, count }
                if !sheet.filled && in_lines(sheet.fill, gap) =>
            {
                for (src, dst) in batch.places(src, dst) {
                    S::rows_apart(sheet.fill, (src, step), body, dst, gap, count);
                }
            }
            Move::Fill { dst, bytes } if over(dst + bytes) => {
                for (_, dst) in batch.places(0, dst) {
                    fill_bytes::<false>(sheet, dst, bytes);
                }
            }
            Move::Fill { dst, bytes } => {
                for (_, dst) in batch.places(0, dst) {
                    fill_bytes::<true>(sheet, dst, bytes);
                }
            }
            Move::Interleave { src, step, body, dst, gap, count } if body > 2 * LINE => {
                let room = program.len - dst;
                for (src, dst) in batch.places(src, dst) {
                    rows::<S>(sheet, (src, step), body, (dst, room), gap, count);
                }
            }
            Move::Interleave { src, step, body, dst, gap, count } => {
                // All but the last few may overshoot, each with the gap behind it.
                let pitch = body + gap;
                let room = (program.len - dst).saturating_sub(OVERSHOOT) / pitch;
                let first = room.min(count - 1);
                for (src, dst) in batch.places(src, dst) {
                    let (behind, rest) = (src.wrapping_offset(first as isize * step), dst.add(first * pitch));
                    if first > 0 {
                        interleave::<S, false>(sheet, (src, step), body, dst, gap, first);
                        fill_bytes::<false>(sheet, rest.sub(gap), gap);
                    }
                    interleave::<S, true>(sheet, (behind, step), body, rest, gap, count - first);
                }
            }
            Move::Again { from, dst, bytes } => {
                for (_, to) in batch.places(0, dst) {
                    repeat::<S>(to, dst - from, bytes);
                }
            }
            _ => debug_assert!(false, "run by `batch`"),
        }
    }
}

/// One block, which touches nothing but its own; a move overshoots where another follows that overwrites it.
///
/// # Safety
///
/// - As for [`run_program`].
#[inline(always)]
pub(in crate::kernel) unsafe fn run_exactly<S: Simd>(
    sheet: &Sheet<'_>,
    program: &Program,
    src: isize,
    dst: isize,
) {
    let (from, to) = (sheet.src.wrapping_offset(src), sheet.dst.wrapping_offset(dst));
    for next in program.moves.as_slice() {
        // SAFETY: the caller's.
        unsafe {
            match *next {
                Move::Copy { src, dst, bytes } => {
                    copy_within::<S>(from.wrapping_offset(src), to.add(dst), bytes)
                }
                Move::Fill { dst, bytes } => fill_bytes::<true>(sheet, to.add(dst), bytes),
                Move::Gather { .. } | Move::GatherTwo { .. } | Move::Permute { .. } => match program.window {
                    window if window == S::Wide::BYTES => {
                        permute_exactly::<S::Wide>(sheet, program, next, src, dst)
                    }
                    _ => permute_exactly::<S::Narrow>(sheet, program, next, src, dst),
                },
                Move::Interleave { src, step, body, dst, gap, count } => {
                    interleave::<S, true>(
                        sheet,
                        (from.wrapping_offset(src), step),
                        body,
                        to.add(dst),
                        gap,
                        count,
                    );
                }
                Move::Again { from, dst, bytes } => repeat::<S>(to.add(dst), dst - from, bytes),
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
    src: isize,
    dst: isize,
) {
    let Some(([first, second], step, table, to, bytes, count)) = next.permutation() else { return };
    let tables = program.tables[table].0.as_ptr();
    // SAFETY: the caller's. Registers are written whole where all of that lies within the block.
    unsafe {
        let base = get::<P::Register>(sheet.fill.block().as_ptr());
        let index = get::<P::Register>(tables);
        for i in 0..count {
            let src = src + step * i as isize;
            let mut register = P::permute(base, load_at::<P>(sheet, src + first.src, first.bytes), index);
            if second.bytes > 0 {
                let other = get::<P::Register>(tables.add(BLOCK));
                let second = load_at::<P>(sheet, src + second.src, second.bytes);
                register = P::permute(register, second, other);
            }
            let at = to + i * bytes;
            let to = sheet.dst.wrapping_offset(dst).add(at);
            if at + P::BYTES <= program.len { put(to, register) } else { P::store_part(to, register, bytes) }
        }
    }
}

/// The register at this place of the source, which is read whole where all of it lies within.
///
/// # Safety
///
/// - The machine has the instruction set; `bytes` at the place are readable.
#[inline(always)]
unsafe fn load_at<P: Permute>(sheet: &Sheet<'_>, place: isize, bytes: usize) -> P::Register {
    let is_whole = place + P::BYTES as isize <= sheet.src_len as isize && !sheet.exact;
    // SAFETY: the caller's, and that.
    unsafe {
        let from = sheet.src.wrapping_offset(place);
        if is_whole { load::<P, true>(from, bytes) } else { load::<P, false>(from, bytes) }
    }
}
