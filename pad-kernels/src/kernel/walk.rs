//! Visits the output of a plan in order, and finds the source of each element. This loop is in safe code, for any rank and any
//! element type.
//!
//! Plans for cloned values use this loop, and so do plans of bytes or bits for which there is no kernel.
#![forbid(unsafe_code)]

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use crate::plan::axis::Axis;
use crate::plan::form::Segment;
use crate::plan::nest::Nest;
use crate::plan::pattern::Pattern;

/// Equally spaced output units along the innermost axis. Their sources are equally spaced, too.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The destination offset of the first unit.
    dst: isize,
    /// The distance between two units in the destination.
    dst_stride: isize,
    /// The source offset of the first unit, or `None` if all units are fill.
    src: Option<isize>,
    /// The distance between two units in the source.
    src_stride: isize,
    /// The number of units.
    count: usize,
}

impl Piece {
    /// Calls `visit` with the destination and the source offset of each unit.
    pub(super) fn each(self, mut visit: impl FnMut(isize, Option<isize>)) {
        let Piece { mut dst, dst_stride, mut src, src_stride, count } = self;
        for _ in 0..count {
            visit(dst, src);
            dst = dst.wrapping_add(dst_stride);
            src = src.map(|src| src.wrapping_add(src_stride));
        }
    }
}

/// Visits the output of these axes in order, from the offsets `src` and `dst`. If `src` is `None`, all positions are fill.
fn walk_axes(axes: &[Axis], src: Option<isize>, mut dst: isize, visit: &mut dyn FnMut(Piece)) {
    let [axis, inner @ ..] = axes else { return };
    let segments = axis.segments();
    let mut positions = |src: Option<isize>, src_stride: isize, dst_stride: isize, count: usize| {
        let (mut from, mut to) = (src, dst);
        dst = dst.wrapping_add(dst_stride.wrapping_mul(count as isize));
        if inner.is_empty() {
            return visit(Piece { dst: to, dst_stride, src, src_stride, count });
        }
        for _ in 0..count {
            walk_axes(inner, from, to, visit);
            from = from.map(|from| from.wrapping_add(src_stride));
            to = to.wrapping_add(dst_stride);
        }
    };
    let Some(src) = src else { return positions(None, 0, axis.dst_stride, axis.out) };
    for segment in segments.expanded() {
        match segment {
            Segment::Fill { count } => positions(None, 0, axis.dst_stride, count),
            Segment::Again { .. } => unreachable!("expanded"),
            Segment::Source { from, step, count, gap } => {
                let (from, stride) = (src + from * axis.src_stride, step * axis.src_stride);
                if gap == 0 {
                    positions(Some(from), stride, axis.dst_stride, count);
                    continue;
                }
                for i in 0..count as isize {
                    if i > 0 {
                        positions(None, 0, axis.dst_stride, gap);
                    }
                    positions(Some(from + i * stride), stride, axis.dst_stride, 1);
                }
            }
        }
    }
}

/// Visits the output of a nest in order.
pub(super) fn walk_nest(nest: &Nest, visit: &mut dyn FnMut(Piece)) {
    walk_axes(&nest.axes, Some(nest.src), nest.dst, visit);
}

/// Clones elements into `dst`. Without a fill, border elements keep their values.
pub(crate) fn run_cloned<T: Clone>(nest: &Nest, src: &[T], fill: Option<&T>, dst: &mut [T]) {
    walk_nest(nest, &mut |piece| {
        piece.each(|to, from| {
            for i in 0..nest.unit {
                if let Some(value) = from.map(|from| &src[from as usize + i]).or(fill) {
                    dst[to as usize + i].clone_from(value);
                }
            }
        });
    });
}

/// Clones elements to the end of a vector with enough capacity. Without a fill, border elements are not pushed.
pub(crate) fn push_cloned<T: Clone>(nest: &Nest, src: &[T], fill: Option<&T>, dst: &mut Vec<T>) {
    walk_nest(nest, &mut |piece| {
        piece.each(|_, from| {
            let value = |i| from.map(|from| &src[from as usize + i]).or(fill).cloned();
            dst.extend((0..nest.unit).filter_map(value));
        });
    });
}

/// Copies bytes.
pub(super) fn run_bytes(nest: &Nest, fill: &Pattern, src: &[u8], dst: &mut [MaybeUninit<u8>]) {
    let unit = nest.unit;
    let fill = fill.element();
    walk_nest(nest, &mut |piece| {
        let forward = piece.src_stride == unit as isize && piece.dst_stride == unit as isize;
        if let (Some(from), true) = (piece.src, forward) {
            let bytes = piece.count * unit;
            write(&mut dst[piece.dst as usize..][..bytes], &src[from as usize..][..bytes]);
            return;
        }
        piece.each(|to, from| {
            let to = &mut dst[to as usize..][..unit];
            match from {
                Some(from) => write(to, &src[from as usize..][..unit]),
                None if fill.len() == 1 => to.fill(MaybeUninit::new(fill[0])),
                None => to.chunks_exact_mut(fill.len()).for_each(|to| write(to, fill)),
            }
        });
    });
}

/// Copies bits. Bits of the destination between its elements keep their values.
pub(super) fn run_bits(nest: &Nest, fill: &Pattern, src: &[u8], dst: &mut [u8]) {
    let fill = fill.element()[0];
    walk_nest(nest, &mut |piece| {
        piece.each(|to, from| {
            for bit in 0..nest.unit {
                let value = match from {
                    Some(from) => bit_of(src[(from as usize + bit) / 8], from as usize + bit),
                    None => bit_of(fill, bit),
                };
                let to = to as usize + bit;
                dst[to / 8] = dst[to / 8] & !(1 << (to % 8)) | value << (to % 8);
            }
        });
    });
}

fn bit_of(byte: u8, bit: usize) -> u8 {
    byte >> (bit % 8) & 1
}

fn write(dst: &mut [MaybeUninit<u8>], src: &[u8]) {
    for (to, from) in dst.iter_mut().zip(src) {
        to.write(*from);
    }
}
