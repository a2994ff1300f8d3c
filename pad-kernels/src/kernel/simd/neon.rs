//! The instruction set NEON, which every aarch64 CPU has.

use core::arch::aarch64::{uint8x16_t, vqtbx1q_u8};

use super::{Permute, Simd};

/// Registers of 16 bytes, with the instruction `tbx`.
pub(in crate::kernel) struct Neon;

impl Simd for Neon {
    type Register = uint8x16_t;
    type Narrow = Table;
    type Wide = Table;
}

/// Permutations by the instruction `tbx`. If an index is outside the register, `tbx` keeps the byte of the base.
pub(in crate::kernel) struct Table;

impl Permute for Table {
    type Register = uint8x16_t;

    #[inline(always)]
    unsafe fn permute(base: uint8x16_t, from: uint8x16_t, index: uint8x16_t) -> uint8x16_t {
        // SAFETY: the caller keeps the contract.
        unsafe { vqtbx1q_u8(base, from, index) }
    }
}
