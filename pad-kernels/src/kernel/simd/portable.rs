//! The instructions that every machine of the target has.

use super::{Baseline, NoPermute, Simd};

/// Registers of 16 bytes, without permutations. The compiler uses the instructions that the target guarantees.
pub(in crate::kernel) struct Portable;

impl Simd for Portable {
    type Register = Baseline;
    type Narrow = NoPermute;
    type Wide = NoPermute;

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn stream(dst: *mut u8, register: Baseline) {
        // SAFETY: the caller keeps the contract, and every x86-64 CPU has SSE2.
        unsafe { core::arch::x86_64::_mm_stream_si128(dst.cast(), register) }
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    unsafe fn stream(_: *mut u8, _: Baseline) {
        unreachable!("only x86-64 has streaming stores");
    }
}
