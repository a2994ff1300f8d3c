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

/// Writes each plane. The function calls `run` with the nest, fill, source and target of the plane. If the plane reads no input, the
/// function only writes fill. It returns the number of initialised bytes, as [`super::run`] does.
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
            let Ok(total) = &mut outcome else { return };
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
            outcome = written.map(|written| core::mem::take(total).and(written));
        });
    });
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Elements;
    use crate::isa::Isa;
    use crate::kernel::slices::as_uninit;
    use crate::plan::Geometry;
    use crate::spec::{Fill, PadMode, PadSpec};

    /// The first error ends the run, also if the number of planes is even.
    #[test]
    fn errors_of_planes_are_returned() {
        let spec = PadSpec::new(PadMode::Constant, [(0, 0), (1, 1)]).with_fill(Fill::along(0, &[1u8, 2]));
        let mut geometry = Geometry::blank();
        geometry.set(&spec, &[2, 3], Elements::of::<u8>()).unwrap();
        let (planes, mut calls) = (geometry.planes().unwrap(), 0);
        let mut run = |_: &Nest, _: &Pattern, _: Source<'_>, _: Target<'_>| {
            calls += 1;
            Err(PadError::IsaUnavailable { isa: Isa::Neon })
        };
        let (src, mut dst) = ([0; 6], [0; 10]);
        let target = Target::slice(as_uninit(&mut dst));
        let outcome = run_planes(planes, &geometry.nest, Source::slice(&src), target, &mut run);
        assert_eq!((outcome.err(), calls), (Some(PadError::IsaUnavailable { isa: Isa::Neon }), 1));
    }
}
