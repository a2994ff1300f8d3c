//! Odd reflection about the edge element: `[1 2 4]` becomes `[-2 0 1 2 4 6 7]`, because `2 * 1 - 2` is 0.

use core::mem::MaybeUninit;

use super::lines::{Group, Groups, MOST_LINES};
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
    let mut row = [const { MaybeUninit::<T>::uninit() }; MOST_LINES];
    let mut groups = Groups::of(pass, size_of::<T>());
    while let Some(Group { at, lines, step }) = groups.next() {
        // An image is one mirrored part of a border. It can read an earlier image. Each image is therefore written for all lines
        // of the group before the next image begins, so no load waits for a store.
        for &Image { to, from, about, count } in images {
            for index in 0..count {
                // SAFETY: the contract of `Job` says that the elements of the pass lie within the memory. An image reads only the
                // interior or earlier images, which have been written. The first loop writes `row` for each of the lines.
                unsafe {
                    let position = |index: usize| dst.offset(at + index as isize * stride);
                    let (to, from, about) = (position(to + index), position(from - index), position(about));
                    // Compilers can vectorise both loops, because the buffer `row` overlaps no element.
                    each!(T, (line, lines, step), (index, 0..1isize, stride) => {
                        let line_at = line as isize * step + index * stride;
                        let value = get::<T>(from.offset(line_at)).reflected(get(about.offset(line_at)));
                        row.get_unchecked_mut(line).write(value);
                    });
                    each!(T, (line, lines, step), (index, 0..1isize, stride) => {
                        put(to.offset(line as isize * step + index * stride), *row.get_unchecked(line));
                    });
                }
            }
        }
    }
}
