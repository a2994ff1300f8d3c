//! Mirror images turned about the element at the edge: twice that, less what is mirrored.

use core::mem::MaybeUninit;

use super::lines::{APART, Group, Groups, NEIGHBOURS};
use super::number::Number;
use super::{Borders, Image, Job};

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
    let position = |index: usize| index as isize * pass.stride;
    let size = size_of::<T>();
    let mut groups = Groups::of(pass, size);
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
