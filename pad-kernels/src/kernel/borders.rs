//! Borders made from the inside of the output that they are of.

use core::mem::MaybeUninit;

use super::places::Target;
use super::raw::{get, put};
use super::simd::{LINE, prefetch};
use crate::plan::borders::{Loop, Move, Pass};

/// So many rows ahead the lines of borders are fetched: no line is neighbour of the one before, and while elements are moved one
/// by one two or three rows wait for theirs at a time. Borders of 8 around rows of 256 f32 took 2.5 to 5 ms, and 6 to 17 without
/// (68 MiB, a Xeon with AMX whose other cores were busy).
const AHEAD: isize = 16;

/// Writes the borders of the elements behind `dst`, each as long as one element of `fill`. The first of them that the passes know
/// lies `shift` bytes behind the first of the tensor.
///
/// A target that is no slice is of the very tensor that the passes were made for.
///
/// # Panics
///
/// If the memory is shorter than `len` bytes, which the tensor takes.
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
    // - Passes are made by `plan` alone, for a tensor that takes as many bytes as were asserted, or for the one that the target
    //   is, or for a plane of it that lies as far behind the first. They reach elements of that tensor only, which are borrowed exclusively.
    // - The fill is an element, which is whole units.
    unsafe { write(passes, fill, dst.start.wrapping_offset(shift)) };
}

/// Writes all passes in units of memory: an element is one, or several next to each other. They are moved, initialised or not.
///
/// # Safety
///
/// - All places that the passes reach from `base` are elements as long as the fill, which may be read and written.
/// - The fill is whole units.
unsafe fn write_all<U: Copy>(passes: &[Pass], fill: &[u8], base: *mut u8) {
    let units = fill.len() / size_of::<U>();
    for pass in passes {
        // SAFETY: the caller's.
        unsafe {
            if pass.run == 1 && pass.block.is_empty() && units == 1 {
                write_elements::<MaybeUninit<U>>(pass, get(fill.as_ptr()), base);
            } else {
                write_blocks::<MaybeUninit<U>>(pass, fill, base);
            }
        }
    }
}

/// Visits every place of these loops from `at` on.
#[inline]
fn each(loops: &[Loop], at: isize, visit: &mut impl FnMut(isize)) {
    match *loops {
        [] => visit(at),
        [Loop { count, stride }] => (0..count as isize).for_each(|i| visit(at + i * stride)),
        [Loop { count, stride }, ref inner @ ..] => {
            (0..count as isize).for_each(|i| each(inner, at + i * stride, visit));
        }
    }
}

/// The first and the last place of what is written, or of what is read near to it: the end of a row and the beginning of the next are
/// neighbours, so the last place of a low border and the first one of a high border are in the lines of both.
fn reach(next: Move, stride: isize) -> (isize, isize) {
    let span = |at: isize, step: isize, count: usize| {
        let end = at + (count as isize - 1) * step;
        (at.min(end), at.max(end))
    };
    let (Move::Fill { to, count } | Move::Copy { to, count, .. }) = next;
    let written = span(to, stride, count);
    match next {
        Move::Copy { from, step, .. } if (from - to).unsigned_abs() < LINE => {
            let read = span(from, step, count);
            (written.0.min(read.0), written.1.max(read.1))
        }
        _ => written,
    }
}

/// A pass whose blocks are units.
///
/// # Safety
///
/// - All places that the pass reaches from `base` are units, which may be read and written.
unsafe fn write_elements<U: Copy>(pass: &Pass, fill: U, base: *mut u8) {
    let stride = pass.stride;
    // Of what is prefetched nothing is touched, and it may be behind all memory.
    let base_ahead =
        pass.around.last().map_or(base, |row| base.wrapping_offset(row.stride.wrapping_mul(AHEAD)));
    let first = pass.moves.first().map_or(0, |first| reach(*first, stride).1);
    let last = pass.moves.last().map_or(0, |last| reach(*last, stride).0);
    each(&pass.around, pass.first, &mut |at| {
        prefetch(base_ahead.wrapping_offset(at + first));
        prefetch(base_ahead.wrapping_offset(at + last));
        for &next in &pass.moves {
            // SAFETY: the caller's.
            unsafe {
                match next {
                    Move::Copy { from, step: 0, to, count } => {
                        let element: U = get(base.offset(at + from));
                        for i in 0..count as isize {
                            put(base.offset(at + to + i * stride), element);
                        }
                    }
                    Move::Copy { from, step, to, count } => {
                        for i in 0..count as isize {
                            let element: U = get(base.offset(at + from + i * step));
                            put(base.offset(at + to + i * stride), element);
                        }
                    }
                    Move::Fill { to, count } => {
                        for i in 0..count as isize {
                            put(base.offset(at + to + i * stride), fill);
                        }
                    }
                }
            }
        }
    });
}

/// A pass whose blocks are runs of elements.
///
/// # Safety
///
/// - As for [`write_all`].
unsafe fn write_blocks<U: Copy>(pass: &Pass, fill: &[u8], base: *mut u8) {
    let Pass { stride, .. } = *pass;
    let run = pass.run * fill.len();
    // Neighbouring blocks are one run.
    let dense = pass.block.is_empty() && stride == run as isize;
    each(&pass.around, pass.first, &mut |at| {
        for &next in &pass.moves {
            match next {
                Move::Copy { from, step, to, count } => {
                    let mut together = 1;
                    if dense && step == stride {
                        // What is copied forward ends where its copy begins.
                        let apart = (to - from) / stride;
                        together = if apart > 0 { apart as usize } else { count };
                    }
                    let mut done = 0;
                    while done < count {
                        let now = together.min(count - done);
                        let (from, to) = (at + from + done as isize * step, at + to + done as isize * stride);
                        each(&pass.block, 0, &mut |inner| {
                            // SAFETY: the caller's; source and destination are different blocks, or a distance apart.
                            unsafe {
                                let (from, to) = (base.offset(from + inner), base.offset(to + inner));
                                from.copy_to_nonoverlapping(to, now * run);
                            }
                        });
                        done += now;
                    }
                }
                Move::Fill { to, count } => {
                    let (times, bytes) = if dense { (1, count * run) } else { (count, run) };
                    for i in 0..times as isize {
                        each(&pass.block, at + to + i * stride, &mut |to| {
                            // SAFETY: the caller's; the run is whole elements, and the fill one.
                            unsafe { write_fill::<U>(base.offset(to), fill, bytes) };
                        });
                    }
                }
            }
        }
    });
}

/// Repeats the fill.
///
/// # Safety
///
/// - `bytes` bytes from `to` on may be written, and are as long as the fill some times.
/// - The fill is whole units.
#[inline]
unsafe fn write_fill<U: Copy>(to: *mut u8, fill: &[u8], bytes: usize) {
    let unit = size_of::<U>();
    for part in (0..fill.len()).step_by(unit) {
        // SAFETY: the caller's.
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
