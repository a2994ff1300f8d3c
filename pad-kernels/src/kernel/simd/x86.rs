//! Implements the instruction sets AVX2 and AVX-512 of x86-64. AVX-512 exists with and without byte permutations (VBMI).

use core::arch::x86_64::*;

use super::{Permute, Simd};

/// The instruction sets AVX2 and BMI.
pub(in crate::kernel) struct Avx2;

impl Simd for Avx2 {
    type Register = __m256i;
    type Narrow = DoubleShuffle;
    type Wide = DoubleWords;
}

/// The instruction sets AVX-512 F, BW, DQ and VL. They permute words of two bytes.
pub(in crate::kernel) struct Avx512;

impl Simd for Avx512 {
    type Register = __m512i;
    type Narrow = MaskedShuffle;
    type Wide = Words;
}

/// The instruction set AVX-512 VBMI, which permutes bytes.
pub(in crate::kernel) struct Avx512Vbmi;

impl Simd for Avx512Vbmi {
    type Register = __m512i;
    type Narrow = Shuffle;
    type Wide = Bytes;
}

/// Permutations by the instruction `pshufb`.
pub(in crate::kernel) struct Shuffle;

impl Permute for Shuffle {
    type Register = __m128i;

    #[inline(always)]
    unsafe fn permute(base: __m128i, from: __m128i, index: __m128i) -> __m128i {
        // SAFETY: the caller keeps the contract.
        unsafe { _mm_blendv_epi8(_mm_shuffle_epi8(from, index), base, index) }
    }
}

/// Permutations by two instructions `vpshufb`, one for each half of the source. AVX2 cannot permute bytes across the halves of a register.
pub(in crate::kernel) struct DoubleShuffle;

impl Permute for DoubleShuffle {
    type Register = __m256i;

    #[inline(always)]
    unsafe fn permute(base: __m256i, from: __m256i, index: __m256i) -> __m256i {
        // SAFETY: the caller keeps the contract.
        unsafe { shuffle(base, halves(from), index) }
    }

    #[inline(always)]
    unsafe fn permute_at(base: __m256i, src: *const u8, index: __m256i) -> __m256i {
        // SAFETY: the caller keeps the contract.
        unsafe { shuffle(base, halves_at(src), index) }
    }

    #[inline(always)]
    unsafe fn load_part(src: *const u8, bytes: usize) -> __m256i {
        // SAFETY: the caller keeps the contract.
        unsafe { load_low(src, bytes) }
    }
}

/// Returns two registers: one contains the low half of `from` twice, and the other the high half twice.
///
/// # Safety
///
/// - The machine has AVX2.
#[inline(always)]
unsafe fn halves(from: __m256i) -> [__m256i; 2] {
    // SAFETY: the caller keeps the contract.
    unsafe { [_mm256_permute2x128_si256::<0x00>(from, from), _mm256_permute2x128_si256::<0x11>(from, from)] }
}

/// Loads the register at `src`, and returns the results of [`halves`] for it. Broadcast loads need no permutation.
///
/// # Safety
///
/// - The machine has AVX2, and a register is readable at `src`.
#[inline(always)]
unsafe fn halves_at(src: *const u8) -> [__m256i; 2] {
    // SAFETY: the caller keeps the contract.
    unsafe {
        let (low, high) = (_mm_loadu_si128(src.cast()), _mm_loadu_si128(src.add(16).cast()));
        [_mm256_broadcastsi128_si256(low), _mm256_broadcastsi128_si256(high)]
    }
}

/// Returns a register of the source bytes that `index` names, or of bytes of `base`. `low` contains the low half of the source
/// twice, and `high` the high half.
///
/// # Safety
///
/// - The machine has AVX2.
#[inline(always)]
unsafe fn shuffle(base: __m256i, [low, high]: [__m256i; 2], index: __m256i) -> __m256i {
    // SAFETY: the caller keeps the contract.
    unsafe {
        let (low, high) = (_mm256_shuffle_epi8(low, index), _mm256_shuffle_epi8(high, index));
        // Bit 4 of an index selects the half. The top bit selects the base.
        let taken = _mm256_blendv_epi8(low, high, _mm256_slli_epi16::<3>(index));
        _mm256_blendv_epi8(taken, base, index)
    }
}

/// Permutations by masked `vpshufb`, for machines with AVX-512 but without byte permutations.
///
/// Cascade Lake: with `vpshufb` on 16 bytes instead, random shapes of bytes take 1.24 times as long on average.
pub(in crate::kernel) struct MaskedShuffle;

impl Permute for MaskedShuffle {
    type Register = __m256i;

    #[inline(always)]
    unsafe fn permute(base: __m256i, from: __m256i, index: __m256i) -> __m256i {
        // SAFETY: the caller keeps the contract.
        unsafe { shuffle_masked(base, halves(from), index) }
    }

    #[inline(always)]
    unsafe fn permute_at(base: __m256i, src: *const u8, index: __m256i) -> __m256i {
        // SAFETY: the caller keeps the contract.
        unsafe { shuffle_masked(base, halves_at(src), index) }
    }

    #[inline(always)]
    unsafe fn load_part(src: *const u8, bytes: usize) -> __m256i {
        // SAFETY: the caller keeps the contract. A masked load does not read the other bytes.
        unsafe { _mm256_maskz_loadu_epi8(low(bytes) as u32, src.cast()) }
    }

    #[inline(always)]
    unsafe fn store_part(dst: *mut u8, register: __m256i, bytes: usize) {
        // SAFETY: the caller keeps the contract. A masked store does not write the other bytes.
        unsafe { _mm256_mask_storeu_epi8(dst.cast(), low(bytes) as u32, register) }
    }
}

/// Permutes like [`shuffle`], with masks. In a loop, the compiler computes both masks once.
///
/// # Safety
///
/// - The machine has AVX-512 BW and VL.
#[inline(always)]
unsafe fn shuffle_masked(base: __m256i, [low, high]: [__m256i; 2], index: __m256i) -> __m256i {
    // SAFETY: the caller keeps the contract.
    unsafe {
        let in_high = _mm256_test_epi8_mask(index, _mm256_set1_epi8(16));
        let low = _mm256_shuffle_epi8(low, index);
        let taken = _mm256_mask_shuffle_epi8(low, in_high, high, index);
        _mm256_mask_mov_epi8(taken, _mm256_movepi8_mask(index), base)
    }
}

/// Permutations by the instruction `vpermps`. In AVX2, masked loads exist only for words of four or eight bytes.
pub(in crate::kernel) struct DoubleWords;

impl Permute for DoubleWords {
    type Register = __m256i;
    const GRAIN: usize = 4;
    const MASKS: bool = true;

    #[inline(always)]
    unsafe fn permute(base: __m256i, from: __m256i, index: __m256i) -> __m256i {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let taken = _mm256_permutevar8x32_ps(_mm256_castsi256_ps(from), index);
            let (base, index) = (_mm256_castsi256_ps(base), _mm256_castsi256_ps(index));
            _mm256_castps_si256(_mm256_blendv_ps(taken, base, index))
        }
    }

    #[inline(always)]
    unsafe fn load_taken(src: *const u8, taken: u64) -> __m256i {
        // SAFETY: the caller keeps the contract. A masked load does not read the other bytes.
        unsafe {
            let bits = _mm256_setr_epi32(
                0xf,
                0xf0,
                0xf00,
                0xf000,
                0xf_0000,
                0xf0_0000,
                0xf00_0000,
                0xf000_0000u32.cast_signed(),
            );
            let mask =
                _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(taken as u32 as i32), bits), bits);
            _mm256_maskload_epi32(src.cast(), mask)
        }
    }

    #[inline(always)]
    unsafe fn load_part(src: *const u8, bytes: usize) -> __m256i {
        // SAFETY: the caller keeps the contract.
        unsafe { load_low(src, bytes) }
    }
}

/// Reads `bytes` bytes, at most a register, and no bytes after them. The rest of the result is unspecified.
///
/// # Safety
///
/// - The machine has AVX2. `bytes` bytes at `src` are readable.
#[inline(always)]
unsafe fn load_low(src: *const u8, bytes: usize) -> __m256i {
    /// `MASKS` selects the first words of four bytes, and `ONE` selects the single word after them. The offset of the load
    /// decides how many words come first.
    static MASKS: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
    static ONE: [i32; 15] = [0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0];
    let (whole, rest) = (bytes / 4, bytes % 4);
    debug_assert!(bytes <= 32);
    // SAFETY: the caller keeps the contract. A masked load does not read the other bytes. Both tables have eight words from these
    // offsets.
    unsafe {
        let mask = _mm256_loadu_si256(MASKS.as_ptr().add(8 - whole).cast());
        let numbers = _mm256_maskload_epi32(src.cast(), mask);
        if rest == 0 {
            return numbers;
        }
        let last = if whole > 0 {
            src.add(bytes - 4).cast::<u32>().read_unaligned() >> (8 * (4 - rest))
        } else {
            (0..rest).fold(0, |last, i| last | u32::from(*src.add(i)) << (8 * i))
        };
        let mask = _mm256_loadu_si256(ONE.as_ptr().add(7 - whole).cast());
        _mm256_blendv_epi8(numbers, _mm256_set1_epi32(last.cast_signed()), mask)
    }
}

macro_rules! wide {
    ($($doc:literal $lanes:ident $grain:literal $permute:ident $mask:ident),*) => {$(
        #[doc = $doc]
        pub(in crate::kernel) struct $lanes;

        impl Permute for $lanes {
            type Register = __m512i;
            const GRAIN: usize = $grain;
            const MASKS: bool = true;

            #[inline(always)]
            unsafe fn permute(base: __m512i, from: __m512i, index: __m512i) -> __m512i {
                // SAFETY: the caller keeps the contract.
                unsafe { $permute(base, !$mask(index), index, from) }
            }

            #[inline(always)]
            unsafe fn load_taken(src: *const u8, taken: u64) -> __m512i {
                // SAFETY: the caller keeps the contract. A masked load does not read the other bytes.
                unsafe { _mm512_maskz_loadu_epi8(taken, src.cast()) }
            }

            #[inline(always)]
            unsafe fn load_part(src: *const u8, bytes: usize) -> __m512i {
                // SAFETY: the caller keeps the contract.
                unsafe { Self::load_taken(src, low(bytes)) }
            }

            #[inline(always)]
            unsafe fn store_part(dst: *mut u8, register: __m512i, bytes: usize) {
                // SAFETY: the caller keeps the contract. A masked store does not write the other bytes.
                unsafe { _mm512_mask_storeu_epi8(dst.cast(), low(bytes), register) }
            }
        }
    )*};
}
wide! {
    " Permutations by the instruction `vpermb`." Bytes 1 _mm512_mask_permutexvar_epi8 _mm512_movepi8_mask,
    " Permutations by the instruction `vpermw`." Words 2 _mm512_mask_permutexvar_epi16 _mm512_movepi16_mask
}

/// Returns a mask of the first `bytes <= 64` bytes.
#[inline(always)]
pub(in crate::kernel) fn low(bytes: usize) -> u64 {
    if bytes == 0 { 0 } else { u64::MAX >> (64 - bytes) }
}
