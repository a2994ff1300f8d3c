//! Runs programs whose output goes to a stream. A stream collects the output in a small buffer, and writes whole cache lines with
//! non-temporal stores. A sheet holds the memory of source and output, the fill, and the stream.

use super::run::Run;
use super::{Bodies, Move, Program};
use crate::kernel::memory::{OVERSHOOT, copy_over, get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{Permute, Simd};
use crate::kernel::stream::{ROOM, Stream};
use crate::plan::pattern::{BLOCK, Pattern};

/// Writes blocks to the sheet's stream.
///
/// # Safety
///
/// - The contract of [`run_program`](super::run_program) holds.
/// - The sheet has a stream, whose next byte is the first of the blocks.
/// - [`Pattern::step`] of the fill is not 0.
/// - The program has no moves that read the output, and no [`Move::Merge`].
#[inline(always)]
pub(in crate::kernel) unsafe fn stream_program<S: Simd>(sheet: &mut Sheet<'_>, program: &Program, run: Run) {
    let Run { mut src, step, count, .. } = run;
    let fetch = sheet.fetch::<S::Register>();
    for _ in 0..count {
        let from = sheet.src.wrapping_offset(src);
        let room = !sheet.exact && sheet.src_len as isize - (src + program.src_end) >= OVERSHOOT as isize;
        let fill = sheet.fill;
        let Some(stream) = &mut sheet.stream else { return };
        for next in program.moves.iter() {
            // SAFETY: the caller keeps the contract. The stream's buffer has room for moves that overshoot.
            unsafe {
                match *next {
                    Move::Copy { src, bytes, .. } if bytes > ROOM || !room => {
                        stream.copy::<S>(from.wrapping_offset(src), bytes);
                    }
                    Move::Copy { src, bytes, .. } => {
                        copy_over::<S>(fetch, from.wrapping_offset(src), stream.place::<S>(bytes), bytes);
                    }
                    Move::Fill { bytes, .. } => stream.fill::<S>(fill, bytes),
                    Move::Permute { .. } => match program.window {
                        _ if program.is_wide::<S>() => {
                            permute_streamed::<S, S::Wide>(stream, fill, program, next, from);
                        }
                        _ => permute_streamed::<S, S::Narrow>(stream, fill, program, next, from),
                    },
                    Move::Interleave(Bodies { src, step, body, gap, count, .. }) => {
                        for i in 0..count {
                            stream.copy::<S>(from.wrapping_offset(src + i as isize * step), body);
                            if i + 1 < count {
                                stream.fill::<S>(fill, gap);
                            }
                        }
                    }
                    Move::Again { .. } | Move::Merge { .. } => {
                        debug_assert!(
                            false,
                            "plans that repeat themselves do not stream, nor rows that are apart"
                        );
                    }
                }
            }
        }
        src = src.wrapping_add(step);
    }
}

/// # Safety
///
/// - The contract of [`stream_program`] holds, and `next` is a permutation of the program.
#[inline(always)]
unsafe fn permute_streamed<S: Simd, P: Permute>(
    stream: &mut Stream,
    fill: &Pattern,
    program: &Program,
    next: &Move,
    src: *const u8,
) {
    let Move::Permute { windows: [first, second], step, table, bytes, count, .. } = *next else { return };
    let tables = program.tables[table].0.as_ptr();
    // SAFETY: the caller keeps the contract.
    unsafe {
        let base = get::<P::Register>(fill.block().as_ptr());
        for i in 0..count as isize {
            let src = src.wrapping_offset(step * i);
            let from = P::load_part(src.wrapping_offset(first.src), first.bytes);
            let mut register = P::permute(base, from, get(tables));
            if second.bytes > 0 {
                let from = P::load_part(src.wrapping_offset(second.src), second.bytes);
                register = P::permute(register, from, get(tables.add(BLOCK)));
            }
            put(stream.place::<S>(bytes), register);
        }
    }
}
