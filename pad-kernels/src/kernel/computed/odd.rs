//! Mirror images turned about the element at the edge: twice that, less what is mirrored.

use core::mem::MaybeUninit;

use super::lines::{Group, Groups, MOST_LINES};
use super::number::Number;
use super::{Borders, Image, Job};
use crate::kernel::raw::{get, put};

/// Neighbouring elements that are made in registers, and written together.
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
    // SAFETY: `Job`: elements of the pass are within the memory; an image is of what is written, by an earlier image if not before.
    let read = |at: isize| unsafe { dst.offset(at).cast::<T>().read_unaligned() };
    // SAFETY: as above, without being read.
    let write = |at: isize, value: T| unsafe { dst.offset(at).cast::<T>().write_unaligned(value) };
    let stride = pass.stride;
    let position = |index: usize| index as isize * stride;
    let size = size_of::<T>();
    let mut groups = Groups::of(pass, size);
    while let Some(Group { at, lines, step }) = groups.next() {
        // Image after image of a whole group: an image reads nothing that was written just before.
        for &Image { to, from, about, count } in images {
            let (to, from, about) = (at + position(to), at + position(from), at + position(about));
            let line_at = |line: usize| line as isize * step;
            if stride == size as isize && step != size as isize {
                for line in (0..lines).map(line_at) {
                    // SAFETY: `Job`: positions of a line, which are neighbours.
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
                    // SAFETY: written above.
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

/// Writes the images of neighbouring elements, turned about an edge, in pieces as long as they fit. The last overlaps the one before.
///
/// # Safety
///
/// - `count` elements from `to` on may be written, and as many up to `from`, which is the last of them, may be read. None is both.
#[inline(always)]
unsafe fn mirror<T: Number>(to: *mut u8, from: *const u8, count: usize, edge: T) {
    // SAFETY: the caller's: each piece is as long as `count` or shorter.
    unsafe {
        match count {
            PIECE.. => mirror_in::<T, PIECE>(to, from, count, edge),
            4.. => mirror_in::<T, 4>(to, from, count, edge),
            2.. => mirror_in::<T, 2>(to, from, count, edge),
            _ => mirror_in::<T, 1>(to, from, count, edge),
        }
    }
}

/// Mirrors in pieces of `N`, of which there is at least one.
///
/// # Safety
///
/// - As for [`mirror`].
#[inline(always)]
unsafe fn mirror_in<T: Number, const N: usize>(to: *mut u8, from: *const u8, count: usize, edge: T) {
    let mut done = 0;
    loop {
        // SAFETY: the caller's; `done` is so far from the end that a whole piece is left.
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
