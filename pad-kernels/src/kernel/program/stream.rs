//! Runs programs whose output goes to a stream. A stream collects the output in a small buffer, and writes whole cache lines with
//! non-temporal stores. A sheet holds the memory of source and output, the fill, and the stream.

use super::{Program, Run, Shells};
use crate::kernel::sheet::Sheet;
use crate::kernel::stream::{ROOM, SENT};

/// Writes blocks to the sheet's stream, a few at a time. The blocks follow each other, wherever the run places them. Blocks of more
/// than [`ROOM`] bytes go to the output directly, past the buffer and the cache.
///
/// # Safety
///
/// - The contract of [`run_program`](super::run_program) holds, for blocks without anything between them.
/// - The sheet has a stream, whose next byte is the first of the blocks.
/// - [`Pattern::step`](crate::plan::pattern::Pattern::step) of the fill is not 0.
#[inline(always)]
pub(in crate::kernel) unsafe fn stream_program<S: Shells>(
    sheet: &mut Sheet<'_>,
    program: &Program,
    run: Run,
) {
    let Sheet { src, src_len, fill, exact, nest, .. } = *sheet;
    let Some(stream) = &mut sheet.stream else { return };
    let (len, bypass) = (program.len, program.len > ROOM);
    let most = (SENT / len.max(1)).max(1);
    let mut left = Run { dst: 0, pitch: len as isize, ..run };
    while left.count > 0 {
        let count = left.count.min(most);
        let dst_len = count * len;
        // SAFETY: the caller keeps the contract. The bytes from `dst` on are the whole output of the program for
        // these blocks.
        unsafe {
            let ahead = src.wrapping_offset(left.src);
            let dst = if bypass { stream.skip::<S>(dst_len) } else { stream.place::<S>(dst_len, ahead) };
            let to =
                Sheet { src, src_len, dst, dst_len, fill, filled: false, exact, bypass, nest, stream: None };
            S::run_program(&to, program, Run { count, ..left });
        }
        left.src = left.src.wrapping_add(left.step.wrapping_mul(count as isize));
        left.count -= count;
    }
}
