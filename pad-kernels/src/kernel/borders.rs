//! Writes the borders of an output whose interior is already filled. There is one pass per axis, which copies or fills the border.

use core::mem::MaybeUninit;

use super::places::Target;
use super::raw::{get, put};
use super::simd::{LINE, prefetch};
use crate::plan::borders::{BorderMove, Pass};

/// The prefetch distance in rows. Without prefetches, the CPU would wait for the borders of each row, because they are in other cache
/// lines.
///
/// Xeon with AMX, borders of 8 around rows of 256 `f32` (68 MiB): they take 2.5 to 5 ms with prefetches, and 6 to 17 ms without.
const AHEAD: isize = 16;

/// Writes the borders of a tensor whose elements are whole numbers of `fill`. Offset 0 of the passes is `shift` bytes after the start of `dst`.
///
/// A strided target must be the tensor that the passes were made for.
///
/// # Panics
///
/// The call panics if the memory is shorter than `len` bytes, the length of the tensor.
pub(crate) fn fill_borders(passes: &[Pass], fill: &[u8], shift: isize, len: usize, dst: Target<'_>) {
    assert!(dst.len >= len);
    let write = match fill.len().trailing_zeros() {
        0 => write_all::<u8>,
        1 => write_all::<u16>,
        2 => write_all::<u32>,
        3 => write_all::<u64>,
        _ => write_all::<u128>,
    };
    // SAFETY:
    // - Offsets: only `plan` makes passes. They reach elements of a tensor of the asserted length, of the strided target, or of
    //   one of its planes.
    // - The target borrows these elements exclusively.
    // - The fill is a whole number of units, and an element is a whole number of fills.
    unsafe { write(passes, fill, dst.start.wrapping_offset(shift)) };
}

/// Writes all passes in units of type `U`. An element is one unit or several. Its bytes may be uninitialised.
///
/// # Safety
///
/// - All offsets of the passes from `base` are elements, which are whole numbers of fills. They are readable and writable.
/// - The fill is a whole number of units.
unsafe fn write_all<U: Copy>(passes: &[Pass], fill: &[u8], base: *mut u8) {
    for pass in passes {
        // SAFETY: the caller keeps the contract.
        unsafe {
            if pass.run == size_of::<U>() && pass.block.is_empty() {
                write_elements::<MaybeUninit<U>>(pass, get(fill.as_ptr()), base);
            } else {
                write_blocks::<MaybeUninit<U>>(pass, fill, base);
            }
        }
    }
}

/// Calls `visit` with every offset of these loops, starting at `at`.
#[inline]
fn each(loops: &[(usize, isize)], at: isize, visit: &mut impl FnMut(isize)) {
    match *loops {
        [] => visit(at),
        [(count, stride)] => (0..count as isize).for_each(|i| visit(at + i * stride)),
        [(count, stride), ref inner @ ..] => {
            (0..count as isize).for_each(|i| each(inner, at + i * stride, visit));
        }
    }
}

/// Returns the lowest and the highest offset that a move writes. If a copy reads close to where it writes, the offsets that it
/// reads count, too.
///
/// The loop prefetches the highest offset of the first move and the lowest offset of the last move. The end of a row and the
/// start of the next row are contiguous, so the cache lines at these offsets contain both ends of the borders.
fn reach(next: BorderMove, stride: isize) -> (isize, isize) {
    let span = |at: isize, step: isize, count: usize| {
        let end = at + (count as isize - 1) * step;
        (at.min(end), at.max(end))
    };
    let (BorderMove::Fill { to, count } | BorderMove::Copy { to, count, .. }) = next;
    let written = span(to, stride, count);
    match next {
        BorderMove::Copy { from, step, .. } if (from - to).unsigned_abs() < LINE => {
            let read = span(from, step, count);
            (written.0.min(read.0), written.1.max(read.1))
        }
        _ => written,
    }
}

/// Writes a pass that moves single units.
///
/// # Safety
///
/// - All offsets of the pass from `base` are units, which are readable and writable.
unsafe fn write_elements<U: Copy>(pass: &Pass, fill: U, base: *mut u8) {
    let stride = pass.stride;
    // A prefetch does not access memory, so this address may be outside of the tensor.
    let base_ahead = pass.around.last().map_or(base, |row| base.wrapping_offset(row.1.wrapping_mul(AHEAD)));
    let first = pass.moves.first().map_or(0, |first| reach(*first, stride).1);
    let last = pass.moves.last().map_or(0, |last| reach(*last, stride).0);
    each(&pass.around, pass.first, &mut |at| {
        prefetch(base_ahead.wrapping_offset(at + first));
        prefetch(base_ahead.wrapping_offset(at + last));
        for &next in &pass.moves {
            // SAFETY: the caller keeps the contract.
            unsafe {
                match next {
                    BorderMove::Copy { from, step: 0, to, count } => {
                        let element: U = get(base.offset(at + from));
                        for i in 0..count as isize {
                            put(base.offset(at + to + i * stride), element);
                        }
                    }
                    BorderMove::Copy { from, step, to, count } => {
                        for i in 0..count as isize {
                            let element: U = get(base.offset(at + from + i * step));
                            put(base.offset(at + to + i * stride), element);
                        }
                    }
                    BorderMove::Fill { to, count } => {
                        for i in 0..count as isize {
                            put(base.offset(at + to + i * stride), fill);
                        }
                    }
                }
            }
        }
    });
}

/// Writes a pass that moves runs of several units.
///
/// # Safety
///
/// - The contract of [`write_all`] holds.
unsafe fn write_blocks<U: Copy>(pass: &Pass, fill: &[u8], base: *mut u8) {
    let Pass { stride, run, .. } = *pass;
    // Consecutive blocks form one run.
    let dense = pass.block.is_empty() && stride == run as isize;
    each(&pass.around, pass.first, &mut |at| {
        for &next in &pass.moves {
            match next {
                BorderMove::Copy { from, step, to, count } => {
                    let mut together = 1;
                    if dense && step == stride {
                        // The source of a copy to higher addresses must end where its destination begins.
                        let apart = (to - from) / stride;
                        together = if apart > 0 { apart as usize } else { count };
                    }
                    let mut done = 0;
                    while done < count {
                        let now = together.min(count - done);
                        let (from, to) = (at + from + done as isize * step, at + to + done as isize * stride);
                        each(&pass.block, 0, &mut |inner| {
                            // SAFETY: the caller keeps the contract. Source and destination are different blocks, which do not
                            // overlap.
                            unsafe {
                                let (from, to) = (base.offset(from + inner), base.offset(to + inner));
                                from.copy_to_nonoverlapping(to, now * run);
                            }
                        });
                        done += now;
                    }
                }
                BorderMove::Fill { to, count } => {
                    let (times, bytes) = if dense { (1, count * run) } else { (count, run) };
                    for i in 0..times as isize {
                        each(&pass.block, at + to + i * stride, &mut |to| {
                            // SAFETY: the caller keeps the contract. The run is a whole number of fills.
                            unsafe { write_fill::<U>(base.offset(to), fill, bytes) };
                        });
                    }
                }
            }
        }
    });
}

/// Writes the fill repeatedly.
///
/// # Safety
///
/// - `bytes` bytes at `to` are writable. Their number is a multiple of the fill's length.
/// - The fill is a whole number of units.
#[inline]
unsafe fn write_fill<U: Copy>(to: *mut u8, fill: &[u8], bytes: usize) {
    let unit = size_of::<U>();
    for part in (0..fill.len()).step_by(unit) {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let value: U = get(fill.as_ptr().add(part));
            if fill.len() == unit {
                for at in 0..bytes / unit {
                    put(to.add(at * unit), value);
                }
            } else {
                for at in (part..bytes).step_by(fill.len()) {
                    put(to.add(at), value);
                }
            }
        }
    }
}
