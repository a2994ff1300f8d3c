//! The any-rank kernel, in safe code: what runs where no specialised kernel fits, and what they are measured against.
#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use crate::kernel::cloned::{Piece, each, walk};
use crate::plan::{Atom, PadPlan};

/// Runs a plan of bytes. The caller has checked the lengths.
pub(super) fn run_bytes(plan: &PadPlan, src: &[u8], dst: &mut [MaybeUninit<u8>]) {
    debug_assert_eq!(plan.atom, Atom::Byte);
    let nest = &plan.nest;
    let unit = nest.unit;
    let fill = plan.fill.element();
    walk(nest.mode)(&nest.axes, nest.src, nest.dst, &mut |piece: Piece| {
        let forward = piece.src_stride == unit as isize && piece.dst_stride == unit as isize;
        if let (Some(from), true) = (piece.src, forward) {
            let bytes = piece.count * unit;
            write(&mut dst[piece.dst as usize..][..bytes], &src[from as usize..][..bytes]);
            return;
        }
        each(piece, |to, from| {
            let to = &mut dst[to as usize..][..unit];
            match from {
                Some(from) => write(to, &src[from as usize..][..unit]),
                None => to.chunks_exact_mut(fill.len()).for_each(|to| write(to, fill)),
            }
        });
    });
}

/// Runs a plan of bits. The caller has checked the lengths, and cleared the bits that no element takes.
pub(super) fn run_bits(plan: &PadPlan, src: &[u8], dst: &mut [u8]) {
    debug_assert_eq!(plan.atom, Atom::Bit);
    let nest = &plan.nest;
    let fill = plan.fill.element()[0];
    walk(nest.mode)(&nest.axes, nest.src, nest.dst, &mut |piece| {
        each(piece, |to, from| {
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
