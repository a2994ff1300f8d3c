//! Runs programs. Several blocks form a batch, and each move runs for all of them before the next move runs. Two kinds of blocks run
//! one after the other: blocks of bordered or dilated rows, and blocks that have lists of registers.
//!
//! A sheet holds the memory of source and output, and the fill. An operation overshoots if it reads or writes bytes after its end.
//! Later moves overwrite the excess bytes of a write.

use super::bodies::interleaved;
use super::moves::{Batch, Run, fill, fill_bytes};
use super::permute::permute;
use super::{Move, Program, Shells};
use crate::kernel::memory::{Filling, SHORT, copy_ends, copy_within, repeat};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, NoPermute, Permute};
use crate::kernel::stream::copy_bypassing;
use crate::kernel::threshold;
use crate::plan::pattern::BLOCK;

/// Writes the blocks of a run, in the fastest way for the program.
///
/// # Safety
///
/// - The machine has the instruction set `S`, and the program was packed for the lanes of `S`.
/// - For every block, the program reads and writes only within the sheet's memory.
/// - If the blocks are planes, `sheet.exact` is false.
/// - If the nest is sequential, the blocks are written in the order of the output.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_program<S: Shells>(sheet: &Sheet<'_>, program: &Program, run: Run) {
    debug_assert!(run.count == 0 || is_within(sheet, program, run));
    let Run { mut src, mut dst, step, pitch, mut count } = run;
    while count > 0 {
        // `whole` is the number of next blocks whose windows may be loaded as whole registers. For other blocks, loads read
        // only the needed bytes.
        let whole = if sheet.exact { 0 } else { readable(sheet, src, step, count, program.src_over) };
        let now = match whole {
            // If the sources descend, whole windows of the next block may be readable, so this block runs alone.
            0 if step < 0 && !sheet.exact => 1,
            0 => count,
            _ => whole,
        };
        let batch = Run { src, step, dst, pitch, count: now }.at(sheet.src, sheet.dst);
        // SAFETY: the caller keeps the contract. The batch is a part of the run, and `whole` says whether whole windows are
        // readable.
        unsafe {
            if whole > 0 && program.is_registers() {
                for (src, dst) in batch.places(0, 0) {
                    S::run_registers(program, sheet.fill, src, dst);
                }
            } else {
                S::run_batch(sheet, program, &batch, whole > 0);
            }
        }
        src = src.wrapping_add((now as isize).wrapping_mul(step));
        dst = dst.wrapping_add((now as isize).wrapping_mul(pitch));
        count -= now;
    }
}

/// Tells whether all blocks lie within the sheet's memory, in source and output.
fn is_within(sheet: &Sheet<'_>, program: &Program, Run { src, step, dst, pitch, count }: Run) -> bool {
    let behind = (count - 1) as isize;
    let is_read = program.src_start < program.src_end;
    let first = src + (behind * step).min(0) + program.src_start;
    let last = src + (behind * step).max(0) + program.src_end;
    (!is_read || first >= 0 && last <= sheet.src_len as isize)
        && dst >= 0
        && (dst + behind * pitch) as usize + program.len <= sheet.dst_len
}

/// Returns the number of blocks before the first one whose source has fewer than `over` readable bytes. There are `count` blocks,
/// and their sources are `step` bytes apart.
#[inline(always)]
fn readable(sheet: &Sheet<'_>, src: isize, step: isize, count: usize, over: isize) -> usize {
    let room = sheet.src_len as isize - src;
    if room < over {
        0
    } else if step <= 0 || (count as isize - 1) * step <= room - over {
        count
    } else {
        ((room - over) / step) as usize + 1
    }
}

/// The size of a batch in bytes. Source and output of such a batch stay in the first-level cache. A batch of long blocks is
/// larger, because it has at least [`FEWEST`] blocks.
const BATCH: usize = 1 << 14;

/// The minimum number of blocks in a batch. Zen 4 with AVX2: with 24 blocks, random shapes take 1.03 times as long.
const FEWEST: usize = 80;

/// The size in bytes from which an output is larger than the cache. Each move of a batch visits all of its blocks, and hardware
/// prefetchers do not follow that well. The blocks of such outputs are therefore written from lists of registers, or in short
/// batches.
///
/// Zen 4, 16 MiB of mirrored rows of 80 bytes to 1 KiB: longer batches take 1.2 to 1.7 times as long.
pub(in crate::kernel) const LARGE: usize = threshold(8 << 20, 4 << 10);

/// The size in bytes of a short batch.
const SHORT_BATCH: usize = 1 << 10;

impl Program<'_> {
    /// Returns the number of blocks in a batch. There are `count` blocks. All batches have about the same size. A short last
    /// batch would take too long, because every move has to start again.
    #[inline(always)]
    fn blocks_in_batch(&self, count: usize, sheet: &Sheet<'_>) -> usize {
        let most = match self.moves.len() {
            1 => count,
            _ if sheet.dst_len >= LARGE => (SHORT_BATCH / self.len.max(1)).max(1),
            _ => FEWEST.max(BATCH / self.len.max(1)),
        };
        if count <= most { count } else { count.div_ceil(count.div_ceil(most)) }
    }
}

/// Runs blocks. Moves may overshoot within their block. If the only move is a permutation, it may also write into the next block.
/// If `is_whole`, all windows are readable as whole registers. Otherwise, loads read only the needed bytes.
///
/// # Safety
///
/// - The contract of [`run_program`] holds.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_batch<S: Shells>(
    sheet: &Sheet<'_>,
    program: &Program,
    blocks: &Batch,
    is_whole: bool,
) {
    // SAFETY: the caller keeps the contract.
    unsafe {
        match (program.window, is_whole) {
            (0, _) => batches::<S, NoPermute, true>(sheet, program, blocks),
            (_, true) if program.uses_wide::<S>() => batches::<S, S::Wide, true>(sheet, program, blocks),
            (_, false) if program.uses_wide::<S>() => batches::<S, S::Wide, false>(sheet, program, blocks),
            (_, true) => batches::<S, S::Narrow, true>(sheet, program, blocks),
            (_, false) => batches::<S, S::Narrow, false>(sheet, program, blocks),
        }
    }
}

/// Runs blocks in batches: every move runs for all blocks of a batch. If `WHOLE`, permutations load whole registers.
///
/// # Safety
///
/// - The contract of [`run_batch`] holds. `P` is the type of the program's permutations.
/// - If `WHOLE`, all windows are readable as whole registers.
#[inline(always)]
unsafe fn batches<S: Shells, P: Permute, const WHOLE: bool>(
    sheet: &Sheet<'_>,
    program: &Program,
    blocks: &Batch,
) {
    if WHOLE
        && P::BYTES > 0
        && let Some(rows) = &program.rows
    {
        // SAFETY: the caller keeps the contract.
        return unsafe { rows.run::<P>(sheet, program, blocks) };
    }
    debug_assert!(!program.are_planes(), "the moves of planes are those of one row");
    let fetch = sheet.fetch::<S::Register>();
    let most = program.blocks_in_batch(blocks.count, sheet);
    let mut rest = *blocks;
    while rest.count > 0 {
        let (batch, later) = rest.split(most.min(rest.count));
        rest = later;
        for next in program.moves.iter() {
            // SAFETY: the caller keeps the contract. Moves overshoot only as the comment of [`run_batch`] allows.
            unsafe {
                match *next {
                    // This move is inlined. Zen 3, planes of 21 by 23 mirrored 16-bit floats: a call of the shell takes 1.25
                    // times as long.
                    Move::Copy { src, dst, bytes } if bytes <= LINE => {
                        for (src, dst) in batch.places(src, dst) {
                            copy_ends::<S>(fetch, src, dst, bytes);
                        }
                    }
                    Move::Permute(ref next) => permute::<P, WHOLE>(sheet, program, next, &batch),
                    Move::Merge(ref next) => S::run_merge(sheet, program, next, &batch),
                    _ => S::run_move(sheet, program, next, &batch),
                }
            }
        }
    }
}

/// Runs a move for every block of the batch. The move must not be a permutation or a merge, because [`batches`] runs these and
/// the shortest copies in other ways.
///
/// # Safety
///
/// - The contract of [`run_batch`] holds for this batch, and `next` is a move of the program.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_move<S: Shells>(
    sheet: &Sheet<'_>,
    program: &Program,
    next: &Move,
    batch: &Batch,
) {
    let fetch = sheet.fetch::<S::Register>();
    let whole_elements = sheet.fill.step() == BLOCK;
    let short = match *next {
        Move::Copy { src, dst, bytes } if bytes <= SHORT => Some((*batch, src, dst, bytes)),
        Move::Again { from, dst, bytes } if bytes <= SHORT.min(dst - from) => {
            let output = Batch { src: batch.dst.cast_const(), step: batch.pitch, ..*batch };
            Some((output, from as isize, dst, bytes))
        }
        _ => None,
    };
    // SAFETY: the caller keeps the contract.
    unsafe {
        if let Some((batch, src, dst, bytes)) = short {
            for (src, dst) in batch.places(src, dst) {
                copy_ends::<S>(fetch, src, dst, bytes);
            }
            return;
        }
        match *next {
            Move::Copy { src, dst, bytes } if sheet.bypass => {
                for (src, dst) in batch.places(src, dst) {
                    copy_bypassing::<S>(src, dst, bytes);
                }
            }
            Move::Copy { src, dst, bytes } => {
                for (src, dst) in batch.places(src, dst) {
                    copy_within::<S>(fetch, src, dst, bytes);
                }
            }
            Move::Fill { .. } if sheet.filled => {}
            Move::Fill { dst, bytes } if (BLOCK..=SHORT).contains(&bytes) && whole_elements => {
                fill::<S>(fetch, sheet.fill, dst, bytes, batch);
            }
            Move::Fill { dst, bytes } if bytes < BLOCK && whole_elements && dst + BLOCK <= program.len => {
                let filling = Filling::<S>::of(sheet.fill);
                for (_, dst) in batch.places(0, dst) {
                    filling.put(fetch, dst);
                }
            }
            Move::Fill { dst, bytes } => {
                for (_, dst) in batch.places(0, dst) {
                    fill_bytes::<S, true>(sheet, dst, bytes);
                }
            }
            Move::Interleave(ref bodies) => interleaved::<S>(sheet, program, bodies, batch),
            Move::Again { from, dst, bytes } => {
                for (_, to) in batch.places(0, dst) {
                    repeat::<S>(fetch, to, dst - from, bytes);
                }
            }
            Move::Permute(_) | Move::Merge(_) => {
                unreachable!("the caller runs permutations and merges")
            }
        }
    }
}
