//! What every machine has.

use super::{NoPermute, Simd};

/// Registers of 16 bytes, which the compiler makes of whatever the target guarantees, and no permutations.
pub(in crate::kernel) struct Portable;

impl Simd for Portable {
    type Register = [u8; 16];
    type Narrow = NoPermute;
    type Wide = NoPermute;

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn stream(dst: *mut u8, register: [u8; 16]) {
        use core::arch::x86_64::{__m128i, _mm_stream_si128};
        // SAFETY: the caller's; any bytes are a register, and every x86-64 has SSE2.
        unsafe { _mm_stream_si128(dst.cast(), core::mem::transmute::<[u8; 16], __m128i>(register)) }
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    unsafe fn stream(_: *mut u8, _: [u8; 16]) {
        unreachable!("only x86-64 has streaming stores");
    }
}
