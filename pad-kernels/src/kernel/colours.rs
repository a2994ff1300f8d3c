//! Runs of outputs whose planes have a fill each.

use core::mem::MaybeUninit;

use super::places::{Source, Target};
use super::walk::walk_nest;
use super::{Written, memory};
use crate::error::PadError;
use crate::plan::colours::Planes;
use crate::plan::nest::Nest;
use crate::plan::pattern::Pattern;

/// Pads a plane with its nest and its fill.
type RunPlane<'a> = dyn FnMut(&Nest, &Pattern, Source<'_>, Target<'_>) -> Result<Written, PadError> + 'a;

/// Calls `run` for each plane, with the nest of that plane, its fill, and its source and target, and tells how many bytes are
/// initialised, as [`super::run`] does.
///
/// # Errors
///
/// The first of `run`.
///
/// # Panics
///
/// If the memory is shorter than the planes need.
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
        // Planes that lie between each other are written to initialised memory only.
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
                    // SAFETY: all of a part may be written, and a plane is whole elements.
                    unsafe { memory::fill_exact(fill, plane.start, nest.dst_len) };
                    Ok(Written(nest.dst_len))
                }
            };
            outcome = written.map(|written| before.and(written));
        });
    });
    outcome
}
