//! Borders made from the inside of the output that they are of.

use super::places::Target;
use super::simd::{LINE, prefetch};
use crate::element::Element;
use crate::plan::borders::{Loop, Move, Pass};

/// So many rows ahead the lines of borders are fetched: no line is neighbour of the one before, and while elements are moved one
/// by one two or three rows wait for theirs at a time. Borders of 8 around rows of 256 f32 took 2.5 to 5 ms, and 6 to 17 without
/// (68 MiB, a Xeon with AMX whose other cores were busy).
const AHEAD: isize = 16;

/// Writes the borders of the elements behind `dst`. The fill is there if any of it is needed.
///
/// A target that is no slice is of the very tensor that the passes were made for.
///
/// # Panics
///
/// If the memory is shorter than `len` elements, which the tensor takes, or no place for elements.
pub(crate) fn fill_borders<T: Element>(passes: &[Pass], fill: Option<T>, len: usize, dst: Target<'_>) {
    let base: *mut T = dst.start.cast();
    assert!(dst.len / size_of::<T>() >= len && base.is_aligned());
    for pass in passes {
        // SAFETY:
        // - Passes are made by `plan` alone, for a tensor that takes as many elements as were asserted, or for the one that the
        //   target is. They reach elements of that tensor only, all of which are initialised, and are borrowed exclusively.
        unsafe {
            if pass.run == 1 && pass.block.is_empty() {
                write_elements(pass, fill, base);
            } else {
                write_blocks(pass, fill, base);
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

/// A pass whose blocks are elements.
///
/// # Safety
///
/// - All places that the pass reaches from `base` are elements, which may be read and written.
unsafe fn write_elements<T: Copy>(pass: &Pass, fill: Option<T>, base: *mut T) {
    let stride = pass.stride;
    let ahead = pass.around.last().map_or(0, |row| AHEAD * row.stride);
    let first = pass.moves.first().map_or(0, |first| reach(*first, stride).1) + ahead;
    let last = pass.moves.last().map_or(0, |last| reach(*last, stride).0) + ahead;
    each(&pass.around, pass.first, &mut |at| {
        prefetch(base.wrapping_byte_offset(at + first).cast());
        prefetch(base.wrapping_byte_offset(at + last).cast());
        for &next in &pass.moves {
            // SAFETY: the caller's.
            unsafe {
                match (next, fill) {
                    (Move::Copy { from, step: 0, to, count }, _) => {
                        let element = base.byte_offset(at + from).read();
                        for i in 0..count as isize {
                            base.byte_offset(at + to + i * stride).write(element);
                        }
                    }
                    (Move::Copy { from, step, to, count }, _) => {
                        for i in 0..count as isize {
                            let element = base.byte_offset(at + from + i * step).read();
                            base.byte_offset(at + to + i * stride).write(element);
                        }
                    }
                    (Move::Fill { to, count }, Some(fill)) => {
                        for i in 0..count as isize {
                            base.byte_offset(at + to + i * stride).write(fill);
                        }
                    }
                    (Move::Fill { .. }, None) => debug_assert!(false, "there is a fill"),
                }
            }
        }
    });
}

/// A pass whose blocks are runs of elements.
///
/// # Safety
///
/// - As for [`write_elements`].
unsafe fn write_blocks<T: Copy>(pass: &Pass, fill: Option<T>, base: *mut T) {
    let Pass { stride, run, .. } = *pass;
    // Neighbouring blocks are one run.
    let dense = pass.block.is_empty() && stride == (run * size_of::<T>()) as isize;
    each(&pass.around, pass.first, &mut |at| {
        for &next in &pass.moves {
            match (next, fill) {
                (Move::Copy { from, step, to, count }, _) => {
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
                                let (from, to) =
                                    (base.byte_offset(from + inner), base.byte_offset(to + inner));
                                from.copy_to_nonoverlapping(to, now * run);
                            }
                        });
                        done += now;
                    }
                }
                (Move::Fill { to, count }, Some(fill)) => {
                    let (times, elements) = if dense { (1, count * run) } else { (count, run) };
                    for i in 0..times as isize {
                        each(&pass.block, at + to + i * stride, &mut |to| {
                            for element in 0..elements {
                                // SAFETY: the caller's.
                                unsafe { base.byte_offset(to).add(element).write(fill) };
                            }
                        });
                    }
                }
                (Move::Fill { .. }, None) => debug_assert!(false, "there is a fill"),
            }
        }
    });
}
