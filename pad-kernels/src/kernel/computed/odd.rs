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
    let (stride, size) = (pass.stride, size_of::<T>() as isize);
    let mut groups = Groups::of(pass, size_of::<T>());
    while let Some(Group { at, lines, step }) = groups.next() {
        // The outer loop is over images, so that an image never reads what was written just before.
        for &Image { to, from, about, count } in images {
            // SAFETY:
            // - `Job`: elements of the pass are within the memory, and an image is of what the middle or an earlier image has written.
            // - What is written is apart from what is read.
            unsafe {
                let position = |index: usize| dst.offset(at + index as isize * stride);
                let (to, from, about) = (position(to), position(from), position(about));
                if step == size {
                    for row in (0..count as isize).map(|index| index * stride) {
                        turn::<T, false>(to.offset(row), from.offset(-row), about, lines);
                    }
                    continue;
                }
                for line in (0..lines as isize).map(|line| line * step) {
                    let (to, from, about) = (to.offset(line), from.offset(line), about.offset(line));
                    if stride == size {
                        turn::<T, true>(to, from, about, count);
                        continue;
                    }
                    for row in (0..count as isize).map(|index| index * stride) {
                        pieces::<T, false, 1>(to.offset(row), from.offset(-row), about, 1);
                    }
                }
            }
        }
    }
}

/// Writes `count` neighbouring images. Along a line they are of elements in reverse, all about one edge; across lines each has an edge.
///
/// # Safety
///
/// - As many elements as `count` from `to` on may be written.
/// - As many may be read from `from` on, or in reverse up to `from`; and from `about` on, or in reverse one.
/// - What is written is apart from what is read.
#[inline(always)]
unsafe fn turn<T: Number, const REVERSED: bool>(
    to: *mut u8,
    from: *const u8,
    about: *const u8,
    count: usize,
) {
    // SAFETY: the caller's: each piece is as long as `count` or shorter.
    unsafe {
        match count {
            32.. => pieces::<T, REVERSED, 32>(to, from, about, count),
            8.. => pieces::<T, REVERSED, 8>(to, from, about, count),
            4.. => pieces::<T, REVERSED, 4>(to, from, about, count),
            2.. => pieces::<T, REVERSED, 2>(to, from, about, count),
            _ => pieces::<T, REVERSED, 1>(to, from, about, count),
        }
    }
}

/// Writes images in pieces of `N`, of which there is at least one. The last piece overlaps the one before.
///
/// # Safety
///
/// - As for [`turn`].
#[inline(always)]
unsafe fn pieces<T: Number, const REVERSED: bool, const N: usize>(
    to: *mut u8,
    from: *const u8,
    about: *const u8,
    count: usize,
) {
    let mut done = 0;
    loop {
        // SAFETY: the caller keeps the contract. At least `N` elements follow `done`.
        unsafe {
            let at = |index: usize| index * size_of::<T>();
            let mut image: [T; N] =
                get(if REVERSED { from.sub(at(done + N - 1)) } else { from.add(at(done)) });
            let edges: [T; N] = if REVERSED { [get(about); N] } else { get(about.add(at(done))) };
            if REVERSED {
                image.reverse();
            }
            for (image, edge) in image.iter_mut().zip(edges) {
                *image = image.reflected(edge);
            }
            put(to.add(at(done)), image);
        }
        if done + N >= count {
            return;
        }
        done = (done + N).min(count - N);
    }
}
