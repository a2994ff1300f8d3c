//! Runs plans in which each plane of the output has its own fill, such as the channels of an image.

use core::mem::MaybeUninit;

use super::places::{Source, Target};
use super::walk::walk_nest;
use super::{Written, memory};
use crate::error::PadError;
use crate::plan::colours::Planes;
use crate::plan::nest::Nest;
use crate::plan::pattern::Pattern;

/// A function that pads one plane, given its nest, its fill and its memory.
type RunPlane<'a> = dyn FnMut(&Nest, &Pattern, Source<'_>, Target<'_>) -> Result<Written, PadError> + 'a;

/// Calls `run` for each plane, with its nest, fill, source and target. Returns the number of initialised bytes, as [`super::run`] does.
///
/// # Errors
///
/// The first error of `run`.
///
/// # Panics
///
/// The call panics if the memory is too short.
pub(crate) fn run_planes(
    planes: &Planes,
    nest: &Nest,
    src: Source<'_>,
    mut dst: Target<'_>,
    run: &mut RunPlane<'_>,
) -> Result<Written, PadError> {
    let (mut nest, mut outcome, mut number) = (nest.clone(), Ok(Written::default()), 0);
    let (first_src, first_dst) = (nest.src, nest.dst);
    if planes.apart
        && let Some(len) = planes.dense
        && let Some(slice) = dst.again().into_slice()
    {
        // Kernels write planes that are not contiguous only to initialised memory, so this memory is set to zero first.
        slice[..len].fill(MaybeUninit::new(0));
        outcome = Ok(Written(len));
    }
    walk_nest(&planes.around, &mut |piece| {
        piece.each(|to, from| {
            let Ok(before) = core::mem::replace(&mut outcome, Ok(Written::default())) else { return };
            let fill = &planes.fills[number % planes.fills.len()];
            number += 1;
            let written = match from {
                Some(from) if planes.apart => {
                    (nest.src, nest.dst) = (first_src + from, first_dst + to);
                    run(&nest, fill, src, dst.again())
                }
                Some(from) => {
                    let from = if nest.src_len > 0 { from as usize } else { 0 };
                    run(&nest, fill, src.part(from, nest.src_len), dst.part(to as usize, nest.dst_len))
                }
                None => {
                    let plane = dst.part(to as usize, nest.dst_len);
                    // SAFETY: `part` has borrowed the plane exclusively, and the plane is a whole number of elements.
                    unsafe { memory::fill_exact(fill, plane.start, nest.dst_len) };
                    Ok(Written(nest.dst_len))
                }
            };
            outcome = written.map(|written| before.and(written));
        });
    });
    outcome
}
