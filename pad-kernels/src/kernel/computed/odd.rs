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
        // An image is one mirrored piece of a border. It can read an earlier image. Each image is therefore written for all
        // lines before the next one begins, so no load waits for a store.
        for &Image { to, from, about, count } in images {
            // SAFETY: the contract of `Job` says that the elements of the pass lie within the memory. An image reads only the
            // interior or an earlier image. Its source has therefore been written, and does not overlap the image.
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

/// Writes `count` reflected elements. If `REVERSED` is true, they lie along a line, in reverse order and about one edge element.
/// Otherwise they lie across lines, and each has its own edge element.
///
/// # Safety
///
/// - `count` elements from `to` on are writable.
/// - `count` elements are readable from `from` on, or before and including `from` if `REVERSED`.
/// - `count` elements are readable from `about` on, or one if `REVERSED`.
/// - The written elements do not overlap the read ones.
#[inline(always)]
unsafe fn turn<T: Number, const REVERSED: bool>(
    to: *mut u8,
    from: *const u8,
    about: *const u8,
    count: usize,
) {
    // SAFETY: the caller keeps the contract, and no piece is longer than `count`.
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

/// Writes reflected elements in pieces of `N`. There must be at least `N` elements. The last piece overlaps the one before it.
///
/// # Safety
///
/// - The contract of [`turn`] holds, and `N` is at most `count`.
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
