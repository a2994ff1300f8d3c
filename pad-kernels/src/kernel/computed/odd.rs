//! Mirror images turned about the element at the edge: twice that, less what is mirrored.

use core::mem::MaybeUninit;

use super::fold::PIECE;
use super::lines::{APART, Group, Groups, NEIGHBOURS, Repeated};
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
    // SAFETY: `Job`: elements of the pass are within the memory; an image is of what is written, by an earlier image if not before.
    let read = |at: isize| unsafe { dst.offset(at).cast::<T>().read_unaligned() };
    // SAFETY: as above, without being read.
    let write = |at: isize, value: T| unsafe { dst.offset(at).cast::<T>().write_unaligned(value) };
    let stride = pass.stride;
    let position = |index: usize| index as isize * stride;
    let size = size_of::<T>();
    let mut groups = Groups::of(pass, size, true);
    while let Some(group) = groups.next() {
        match group {
            Group::Neighbours(at, lines) => {
                let mut edges = [const { MaybeUninit::<T>::uninit() }; NEIGHBOURS];
                let lines = lines.min(NEIGHBOURS);
                for &Image { to, from, about, count } in images {
                    let about = at + position(about);
                    for (line, edge) in edges[..lines].iter_mut().enumerate() {
                        edge.write(read(about + (line * size) as isize));
                    }
                    for index in 0..count {
                        let (to, from) = (at + position(to + index), at + position(from - index));
                        for (line, edge) in edges[..lines].iter().enumerate() {
                            let line = (line * size) as isize;
                            // SAFETY: written just now.
                            write(to + line, read(from + line).reflected(unsafe { edge.assume_init() }));
                        }
                    }
                }
            }
            Group::Bundles(at, lines, Repeated { count: bundles, step }) => {
                // A position is all lines next to each other.
                let position = |index: usize| (index * lines * size) as isize;
                // Image after image, each of some runs: what an image reads was not written just before.
                for first in (0..bundles).step_by(NEAR) {
                    let near = first..bundles.min(first + NEAR);
                    for &Image { to, from, about, count } in images {
                        let (to, from, about) = (position(to), position(from), position(about));
                        for at in near.clone().map(|bundle| at + bundle as isize * step) {
                            let (to, from, about) = (at + to, at + from, at + about);
                            if lines == 1 {
                                // SAFETY: positions of a line, which are neighbours.
                                unsafe { mirror(dst.offset(to), dst.offset(from), count, read(about)) };
                                continue;
                            }
                            for line in (0..lines).map(|line| (line * size) as isize) {
                                let edge = read(about + line);
                                for index in 0..count {
                                    let value = read(from + line - position(index)).reflected(edge);
                                    write(to + line + position(index), value);
                                }
                            }
                        }
                    }
                }
            }
            Group::Apart(lines) => {
                for &at in &groups.offsets[..lines.min(APART)] {
                    for &Image { to, from, about, count } in images {
                        let edge = read(at + position(about));
                        for index in 0..count {
                            let value = read(at + position(from - index)).reflected(edge);
                            write(at + position(to + index), value);
                        }
                    }
                }
            }
        }
    }
}

/// Bundles whose images are written in turns.
const NEAR: usize = 32;

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
