//! Borders made from the inside of the output that they are of.

use super::places::Target;
use crate::element::Element;
use crate::plan::borders::{Loop, Move, Pass};

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

/// A pass whose blocks are elements.
///
/// # Safety
///
/// - All places that the pass reaches from `base` are elements, which may be read and written.
unsafe fn write_elements<T: Copy>(pass: &Pass, fill: Option<T>, base: *mut T) {
    let stride = pass.stride;
    each(&pass.around, pass.first, &mut |at| {
        for &next in &pass.moves {
            // SAFETY: the caller's.
            unsafe {
                match (next, fill) {
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
