//! Odd reflection about the edge element: `[1 2 4]` becomes `[-2 0 1 2 4 6 7]`, because `2 * 1 - 2` is 0.

use core::mem::MaybeUninit;

use super::lines::{Group, Groups, MOST_LINES};
use super::number::Number;
use super::{Borders, Image, Job};
use crate::kernel::raw::{get, put};

/// The number of contiguous elements that are computed in registers and written together.
const PIECE: usize = 8;

/// Writes odd reflections to the borders.
///
/// # Safety
///
/// - The contract of a [`Job`].
#[inline(always)]
pub(super) unsafe fn run<T: Number>(job: &mut Job<'_>) {
    let (pass, dst) = (job.pass, job.dst);
    let Borders::Odd { images } = &pass.borders else { unreachable!("the borders of an odd reflection") };
    // SAFETY: the contract of `Job` says that the elements lie within the memory. An image only reads positions that are already
    // written.
    let read = |at: isize| unsafe { dst.offset(at).cast::<T>().read_unaligned() };
    // SAFETY: the contract of `Job` says that the elements lie within the memory.
    let write = |at: isize, value: T| unsafe { dst.offset(at).cast::<T>().write_unaligned(value) };
    let stride = pass.stride;
    let position = |index: usize| index as isize * stride;
    let size = size_of::<T>();
    let mut groups = Groups::of(pass, size);
    while let Some(Group { at, lines, step }) = groups.next() {
        // The outer loop is over images, so that an image never reads what was written just before.
        for &Image { to, from, about, count } in images {
            let (to, from, about) = (at + position(to), at + position(from), at + position(about));
            let line_at = |line: usize| line as isize * step;
            if stride == size as isize && step != size as isize {
                for line in (0..lines).map(line_at) {
                    // SAFETY: the contract of `Job` gives these positions of a line, which are contiguous.
                    unsafe {
                        mirror(dst.offset(to + line), dst.offset(from + line), count, read(about + line))
                    };
                }
                continue;
            }
            let mut edges = [const { MaybeUninit::<T>::uninit() }; MOST_LINES];
            for (line, edge) in edges[..lines].iter_mut().enumerate() {
                edge.write(read(about + line_at(line)));
            }
            for index in 0..count {
                let (to, from) = (to + position(index), from - position(index));
                let turn = |at: isize, edge: &MaybeUninit<T>| {
                    // SAFETY: the loop above has written every edge.
                    write(to + at, read(from + at).reflected(unsafe { edge.assume_init() }));
                };
                if step == size as isize {
                    for (line, edge) in edges[..lines].iter().enumerate() {
                        turn((line * size) as isize, edge);
                    }
                } else {
                    for (line, edge) in edges[..lines].iter().enumerate() {
                        turn(line_at(line), edge);
                    }
                }
            }
        }
    }
}

/// Writes `2 * edge - x` for contiguous elements in reverse order. It works in pieces of `PIECE` elements or fewer, and the last
/// piece overlaps the one before.
///
/// # Safety
///
/// - `count` elements from `to` may be written. `count` elements up to `from`, which is the last one, may be read. They do not
///   overlap.
#[inline(always)]
unsafe fn mirror<T: Number>(to: *mut u8, from: *const u8, count: usize, edge: T) {
    // SAFETY: the caller keeps the contract. Each piece has at most `count` elements.
    unsafe {
        match count {
            PIECE.. => mirror_in::<T, PIECE>(to, from, count, edge),
            4.. => mirror_in::<T, 4>(to, from, count, edge),
            2.. => mirror_in::<T, 2>(to, from, count, edge),
            _ => mirror_in::<T, 1>(to, from, count, edge),
        }
    }
}

/// Works in pieces of `N` elements. There is at least one piece.
///
/// # Safety
///
/// - The contract of [`mirror`] holds.
#[inline(always)]
unsafe fn mirror_in<T: Number, const N: usize>(to: *mut u8, from: *const u8, count: usize, edge: T) {
    let mut done = 0;
    loop {
        // SAFETY: the caller keeps the contract. At least `N` elements follow `done`.
        unsafe {
            let source: [T; N] = get(from.sub((done + N - 1) * size_of::<T>()));
            let mut image = source;
            for (to, from) in image.iter_mut().zip(source.iter().rev()) {
                *to = from.reflected(edge);
            }
            put(to.add(done * size_of::<T>()), image);
        }
        if done + N >= count {
            return;
        }
        done = (done + N).min(count - N);
    }
}
