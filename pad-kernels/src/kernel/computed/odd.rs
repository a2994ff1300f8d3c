//! Odd reflection about the edge element: `[1 2 4]` becomes `[-2 0 1 2 4 6 7]`, because `2 * 1 - 2` is 0.

use super::lines::{Group, Groups};
use super::number::Number;
use super::{Borders, Image, Job};
use crate::kernel::raw::{get, put};

/// Writes odd reflections to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Number>(job: &mut Job<'_>) {
    let (pass, dst) = (job.pass, job.dst);
    let Borders::Odd { images } = &pass.borders else { unreachable!("the borders of an odd reflection") };
    let stride = pass.stride;
    let mut groups = Groups::of(pass, size_of::<T>());
    while let Some(Group { at, lines, step }) = groups.next() {
        // An image is one mirrored piece of a border. It can read an earlier image. Each image is therefore written for all
        // lines before the next one begins, so no load waits for a store.
        for &Image { to, from, about, count } in images {
            each!(T, (line, lines, step), (index, 0..count, stride) => {
                let place = |position: usize| at + line as isize * step + position as isize * stride;
                // SAFETY: the contract of `Job` says that the elements of the pass lie within the memory. An image reads only
                // the interior or an earlier image. Its source has therefore been written.
                unsafe {
                    let (image, edge) = (get::<T>(dst.offset(place(from - index))), get::<T>(dst.offset(place(about))));
                    put(dst.offset(place(to + index)), image.reflected(edge));
                }
            });
        }
    }
}
