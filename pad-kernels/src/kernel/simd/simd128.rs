//! The instruction set simd128 of WebAssembly. It is selected at compile time.

use core::arch::wasm32::{i8x16_shr, i8x16_swizzle, v128, v128_bitselect};

use super::{Permute, Simd};

/// Registers of 16 bytes, with the instruction `swizzle`.
pub(in crate::kernel) struct Simd128;

impl Simd for Simd128 {
    type Register = v128;
    type Narrow = Swizzle;
    type Wide = Swizzle;
}

/// Permutations by the instruction `swizzle`.
pub(in crate::kernel) struct Swizzle;

impl Permute for Swizzle {
    type Register = v128;

    #[inline(always)]
    unsafe fn permute(base: v128, from: v128, index: v128) -> v128 {
        v128_bitselect(base, i8x16_swizzle(from, index), i8x16_shr(index, 7))
    }
}
