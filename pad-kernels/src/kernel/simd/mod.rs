//! Instruction sets: loads, stores, permutations of bytes and streaming stores. Loops are written once over them.
//!
//! A type stands for an instruction set. Its methods are inlined into shells that the macro emits, functions that are
//! compiled with the features of the set, so that each method is an instruction or two.

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

/// The bytes of a cache line, which a streaming store has to write whole.
pub(super) const LINE: usize = 64;

/// Whether there are streaming stores. Miri knows none.
pub(crate) const STREAMS: bool = cfg!(all(target_arch = "x86_64", not(miri)));

/// An instruction set.
pub(super) trait Simd: 'static {
    /// What moves at a time.
    type Register: Copy;
    /// Permutations of single bytes, or none.
    type Narrow: Permute;
    /// Wider or faster permutations, of some bytes that move together, if there are any, else the narrow ones.
    type Wide: Permute;

    /// Writes one register past the cache.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set, and [`STREAMS`] holds.
    /// - A register at `dst`, which is a multiple of its size, is writable.
    /// - [`fence`] follows before anyone else may read what was written.
    unsafe fn stream(dst: *mut u8, register: Self::Register);
}

/// Permutations of the bytes of a register.
pub(super) trait Permute: 'static {
    type Register: Copy;
    /// Bytes of the register, or 0 if there are no permutations.
    const BYTES: usize = size_of::<Self::Register>();
    /// Bytes that move together: indices count these.
    const GRAIN: usize = 1;

    /// The grains of `from` that `index` names, and those of `base` where the top bit of an index is set.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set.
    /// - Indices without the top bit are less than the grains of a register.
    unsafe fn permute(base: Self::Register, from: Self::Register, index: Self::Register) -> Self::Register;

    /// Permutes the register at `src`.
    ///
    /// # Safety
    ///
    /// - As for [`permute`](Self::permute); a register is readable at `src`.
    #[inline(always)]
    unsafe fn permute_at(base: Self::Register, src: *const u8, index: Self::Register) -> Self::Register {
        // SAFETY: the caller's.
        unsafe { Self::permute(base, get(src), index) }
    }

    /// Reads `bytes` bytes, at most a register. Those behind them are anything.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set; `bytes` bytes at `src` are readable.
    #[inline(always)]
    unsafe fn load_part(src: *const u8, bytes: usize) -> Self::Register {
        let mut register = [0u8; LINE];
        // SAFETY: the caller's; a register is at most a line, and any bytes are one.
        unsafe {
            copy_exact(src, register.as_mut_ptr(), bytes);
            get(register.as_ptr())
        }
    }

    /// Whether [`load_taken`](Self::load_taken) is an instruction or two.
    const MASKS: bool = false;

    /// Reads the bytes whose bits are set, of every grain all or none. The others are not touched, and anything.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set; these bytes from `src` on are readable.
    #[inline(always)]
    unsafe fn load_taken(src: *const u8, taken: u64) -> Self::Register {
        let mut register = [0u8; LINE];
        for (i, byte) in register.iter_mut().enumerate() {
            if taken >> i & 1 == 1 {
                // SAFETY: the caller's.
                *byte = unsafe { get(src.wrapping_add(i)) };
            }
        }
        // SAFETY: a register is at most a line, and any bytes are one.
        unsafe { get(register.as_ptr()) }
    }

    /// Writes the first `bytes` bytes of a register and touches no others.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set; `bytes` bytes at `dst` are writable.
    #[inline(always)]
    unsafe fn store_part(dst: *mut u8, register: Self::Register, bytes: usize) {
        let mut whole = [0u8; LINE];
        // SAFETY: the caller's; a register is at most a line.
        unsafe {
            put(whole.as_mut_ptr(), register);
            copy_exact(whole.as_ptr(), dst, bytes);
        }
    }
}

/// Of instruction sets without permutations.
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

/// Whether registers take turns in one instruction, on every machine that the target stands for.
pub(super) const PAIRS: bool = cfg!(target_arch = "x86_64");

/// A register that every machine of the target has. As an array it would go through the stack.
#[cfg(target_arch = "x86_64")]
pub(super) type Baseline = core::arch::x86_64::__m128i;
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Baseline = [u8; 16];

/// One of zeros.
// SAFETY: any bytes are one.
pub(super) const BASELINE_ZERO: Baseline = unsafe { core::mem::zeroed() };

/// The units of two registers in turn, of `UNIT` bytes each: 1, 2, 4 or 8.
#[inline(always)]
pub(super) fn pair_units<const UNIT: usize>(first: Baseline, second: Baseline) -> [Baseline; 2] {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has them.
    unsafe {
        use core::arch::x86_64::*;
        match UNIT {
            1 => [_mm_unpacklo_epi8(first, second), _mm_unpackhi_epi8(first, second)],
            2 => [_mm_unpacklo_epi16(first, second), _mm_unpackhi_epi16(first, second)],
            4 => [_mm_unpacklo_epi32(first, second), _mm_unpackhi_epi32(first, second)],
            _ => [_mm_unpacklo_epi64(first, second), _mm_unpackhi_epi64(first, second)],
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    [0, 16].map(|half| {
        core::array::from_fn(|i| {
            let (unit, byte) = ((half + i) / UNIT, i % UNIT);
            if unit % 2 == 0 { first[unit / 2 * UNIT + byte] } else { second[unit / 2 * UNIT + byte] }
        })
    })
}

/// Orders streaming stores before everything that follows.
#[inline(always)]
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has it.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}

/// Has the line at this place brought into the cache, if there is any.
#[inline(always)]
pub(super) fn prefetch(place: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: any address will do; nothing is read.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = place;
}
