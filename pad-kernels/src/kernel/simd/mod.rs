//! Defines instruction sets as types, with methods for byte permutations and for partial loads and stores. The loops of the kernels
//! are generic over these types. The function [`stream`] makes non-temporal stores.
//!
//! The methods of a type are inlined into shells that the macro generates. A shell has the attribute `target_feature`, so most
//! methods become one or two instructions.

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod neon;
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub(super) use neon::Neon;
pub(super) use portable::Portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) use simd128::Simd128;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512, Avx512Vbmi, low};

use crate::kernel::raw::{copy_exact, get, put};

/// The size of a cache line in bytes. Consecutive non-temporal stores must fill whole lines.
pub(super) const LINE: usize = 64;

/// True if the target has non-temporal stores. Miri does not support them.
pub(crate) const STREAMS: bool = cfg!(all(target_arch = "x86_64", not(miri)));

/// An instruction set.
pub(super) trait Simd: 'static {
    /// The type of a register.
    type Register: Copy;
    /// Permutations of single bytes, or [`NoPermute`].
    type Narrow: Permute;
    /// Wider or faster permutations, which may move several bytes together. If there are none, this is `Narrow`.
    type Wide: Permute;
}

/// Copies one register with a non-temporal store.
///
/// # Safety
///
/// - The machine has the instruction set of `R`, and [`STREAMS`] holds.
/// - A register is readable at `src`, and writable at `dst`, which is a multiple of its size.
/// - The caller calls [`fence`] before anyone else may read the register.
#[inline(always)]
pub(super) unsafe fn stream<R>(src: *const u8, dst: *mut u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller keeps the contract.
    unsafe {
        use core::arch::x86_64::*;
        match size_of::<R>() {
            16 => _mm_stream_si128(dst.cast(), get(src)),
            32 => _mm256_stream_si256(dst.cast(), get(src)),
            _ => _mm512_stream_si512(dst.cast(), get(src)),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    unreachable!("only x86-64 has streaming stores: {src:?} {dst:?}");
}

/// Permutations of the bytes of a register.
///
/// For example, `from = [a b c d]`, `base = [w x y z]` and the index `[2 0 - -]` give `[c a y z]`. Here, `-` is an index with the top bit
/// set.
pub(super) trait Permute: 'static {
    type Register: Copy;
    /// The size of the register in bytes, or 0 if there are no permutations.
    const BYTES: usize = size_of::<Self::Register>();
    /// The number of bytes that move together, which are called a grain. Indices count grains.
    const GRAIN: usize = 1;

    /// Returns a register. Each of its grains is the grain of `from` that `index` names, or the grain of `base` if the top bit of the index
    /// is set.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set.
    /// - Indices without the top bit are below the number of grains in a register.
    unsafe fn permute(base: Self::Register, from: Self::Register, index: Self::Register) -> Self::Register;

    /// Permutes the register at `src`.
    ///
    /// # Safety
    ///
    /// - The contract of [`permute`](Self::permute) holds. A register is readable at `src`.
    #[inline(always)]
    unsafe fn permute_at(base: Self::Register, src: *const u8, index: Self::Register) -> Self::Register {
        // SAFETY: the caller keeps the contract.
        unsafe { Self::permute(base, get(src), index) }
    }

    /// Reads `bytes` bytes, at most as many as a register has. The other bytes of the result are unspecified.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set. `bytes` bytes at `src` are readable.
    #[inline(always)]
    unsafe fn load_part(src: *const u8, bytes: usize) -> Self::Register {
        let mut register = [0u8; LINE];
        // SAFETY: the caller keeps the contract. A register is at most as long as a line, and every bit pattern is a valid
        // register.
        unsafe {
            copy_exact(src, register.as_mut_ptr(), bytes);
            get(register.as_ptr())
        }
    }

    /// True if [`load_taken`](Self::load_taken) needs only one or two instructions.
    const MASKS: bool = false;

    /// Reads the bytes whose bits in `taken` are set. A grain must have all bits or none. The other bytes are not read, and their
    /// values in the result are unspecified.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set. Each byte from `src` is readable if its bit is set.
    #[inline(always)]
    unsafe fn load_taken(src: *const u8, taken: u64) -> Self::Register {
        let mut register = [0u8; LINE];
        for (i, byte) in register.iter_mut().enumerate() {
            if taken >> i & 1 == 1 {
                // SAFETY: the caller keeps the contract.
                *byte = unsafe { get(src.wrapping_add(i)) };
            }
        }
        // SAFETY: a register is at most as long as a line, and every bit pattern is a valid register.
        unsafe { get(register.as_ptr()) }
    }

    /// Writes the first `bytes` bytes of a register and touches no others.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set. `bytes` bytes at `dst` are writable.
    #[inline(always)]
    unsafe fn store_part(dst: *mut u8, register: Self::Register, bytes: usize) {
        let mut whole = [0u8; LINE];
        // SAFETY: the caller keeps the contract. A register is at most as long as a line.
        unsafe {
            put(whole.as_mut_ptr(), register);
            copy_exact(whole.as_ptr(), dst, bytes);
        }
    }
}

/// A placeholder for instruction sets without permutations.
pub(super) struct NoPermute;

impl Permute for NoPermute {
    type Register = [u8; 16];
    const BYTES: usize = 0;

    #[inline(always)]
    unsafe fn permute(base: [u8; 16], _: [u8; 16], _: [u8; 16]) -> [u8; 16] {
        debug_assert!(false, "no program holds a permutation");
        base
    }
}

/// True if every machine of the target can interleave two registers with one instruction.
pub(super) const PAIRS: bool = cfg!(target_arch = "x86_64");

/// A register that every machine of the target has. On x86-64 it is not an array, because the compiler would keep an array on the
/// stack.
#[cfg(target_arch = "x86_64")]
pub(super) type Baseline = core::arch::x86_64::__m128i;
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Baseline = [u8; 16];

/// A register of zeros.
// SAFETY: every bit pattern is a valid register.
pub(super) const BASELINE_ZERO: Baseline = unsafe { core::mem::zeroed() };

/// Interleaves the units of two registers: `[a b]` and `[c d]` become `[a c]` and `[b d]`. A unit has 1, 2, 4 or 8 bytes. Only
/// targets with [`PAIRS`] call this function.
#[inline(always)]
pub(super) fn pair_units(unit: usize, first: Baseline, second: Baseline) -> [Baseline; 2] {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 CPU has SSE2.
    unsafe {
        use core::arch::x86_64::*;
        match unit {
            1 => [_mm_unpacklo_epi8(first, second), _mm_unpackhi_epi8(first, second)],
            2 => [_mm_unpacklo_epi16(first, second), _mm_unpackhi_epi16(first, second)],
            4 => [_mm_unpacklo_epi32(first, second), _mm_unpackhi_epi32(first, second)],
            _ => [_mm_unpacklo_epi64(first, second), _mm_unpackhi_epi64(first, second)],
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (unit, first, second);
        unreachable!("this target copies units one by one")
    }
}

/// Makes all earlier non-temporal stores visible before any later store.
#[inline(always)]
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 CPU has SSE.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}

/// Prefetches the cache line at `place`, if the target has such an instruction.
#[inline(always)]
pub(super) fn prefetch(place: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch accepts any address and accesses no memory.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = place;
}
