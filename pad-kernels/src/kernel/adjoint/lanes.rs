//! Registers of sums: the operations that programs need besides permutations.
//!
//! A lane is one sum in a register. An index names the number that goes to a lane.

use super::number::Number;
use super::program::Registers;
use crate::kernel::raw::{copy_exact, get, put};
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use crate::kernel::simd::Neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::kernel::simd::Simd128;
use crate::kernel::simd::{Permute, Portable, Simd};

/// The types of registers that an instruction set uses for sums.
pub(super) trait Sums: Simd {
    /// For sums of one byte.
    type OfBytes: Lanes;
    /// For all other sums, which have two bytes or more.
    type OfWords: Lanes;
}

/// Registers whose numbers can be added. The default methods use arrays, which the compiler turns into registers.
pub(super) trait Lanes: Permute + Sized {
    /// Adds two registers, lane by lane.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set.
    #[inline(always)]
    unsafe fn add<N: Number>(a: Self::Register, b: Self::Register) -> Self::Register {
        let (mut a, b) = (whole(a), whole(b));
        let sums = N::sums_mut(&mut a[..Self::BYTES]);
        let mut other = b;
        for (a, b) in sums.iter_mut().zip(N::sums_mut(&mut other[..Self::BYTES])) {
            *a = N::store(N::add(N::load(*a), N::load(*b)));
        }
        // SAFETY: a register has at most 64 bytes, and any bytes are a register.
        unsafe { get(a.as_ptr()) }
    }

    /// Loads one number per lane and converts it to a sum.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set, and one number per lane is readable at `src`.
    #[inline(always)]
    unsafe fn widen<N: Number>(src: *const u8) -> Self::Register {
        // SAFETY: the caller keeps the contract. Any bytes are a register.
        unsafe {
            if size_of::<N::Bytes>() == size_of::<N::Sum>() {
                return get(src);
            }
            let mut sums = [0u8; 64];
            for (lane, sum) in N::sums_mut(&mut sums[..Self::BYTES]).iter_mut().enumerate() {
                *sum = N::store(N::widen(get(src.add(lane * size_of::<N::Bytes>()))));
            }
            get(sums.as_ptr())
        }
    }

    /// Rounds the sums to numbers and writes one per lane.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set, and one number per lane is writable at `dst`.
    #[inline(always)]
    unsafe fn narrow<N: Number>(dst: *mut u8, sums: Self::Register) {
        // SAFETY: the caller keeps the contract.
        unsafe {
            if size_of::<N::Bytes>() == size_of::<N::Sum>() {
                return put(dst, sums);
            }
            let mut sums = whole(sums);
            for (lane, sum) in N::sums_mut(&mut sums[..Self::BYTES]).iter_mut().enumerate() {
                put(dst.add(lane * size_of::<N::Bytes>()), N::narrow(N::load(*sum)));
            }
        }
    }

    /// Rounds the sums of the first `count` lanes to numbers and writes only these.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set. `count` numbers are writable at `dst`, and there are at least `count` lanes.
    #[inline(always)]
    unsafe fn narrow_part<N: Number>(dst: *mut u8, sums: Self::Register, count: usize) {
        let mut numbers = [0u8; 64];
        // SAFETY: the caller keeps the contract. A number is not longer than its sum.
        unsafe {
            Self::narrow::<N>(numbers.as_mut_ptr(), sums);
            copy_exact(numbers.as_ptr(), dst, count * size_of::<N::Bytes>());
        }
    }
}

/// Returns the bytes of a register, followed by zeros.
#[inline(always)]
fn whole<R: Copy>(register: R) -> [u8; 64] {
    let mut bytes = [0; 64];
    // SAFETY: a register has at most 64 bytes.
    unsafe { put(bytes.as_mut_ptr(), register) };
    bytes
}

/// Permutes byte by byte, for instruction sets without permutations.
pub(super) struct Emulated;

impl Permute for Emulated {
    type Register = [u8; 16];

    #[inline(always)]
    unsafe fn permute(base: [u8; 16], from: [u8; 16], index: [u8; 16]) -> [u8; 16] {
        core::array::from_fn(|i| if index[i] < 16 { from[usize::from(index[i])] } else { base[i] })
    }
}

impl Lanes for Emulated {}

impl Sums for Portable {
    type OfBytes = Emulated;
    type OfWords = Emulated;
}

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod neon {
    use super::*;

    impl Lanes for <Neon as Simd>::Wide {}

    impl Sums for Neon {
        type OfBytes = Self::Wide;
        type OfWords = Self::Wide;
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128 {
    use super::*;

    impl Lanes for <Simd128 as Simd>::Wide {}

    impl Sums for Simd128 {
        type OfBytes = Self::Wide;
        type OfWords = Self::Wide;
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::*;

    use super::*;
    use crate::kernel::adjoint::number::Kind;
    use crate::kernel::simd::{Avx2, Avx512, Avx512Vbmi, low};

    type Narrow = <Avx512Vbmi as Simd>::Narrow;
    type Words = <Avx512 as Simd>::Wide;
    type Bytes = <Avx512Vbmi as Simd>::Wide;

    impl Sums for Avx2 {
        type OfBytes = Narrow;
        type OfWords = Narrow;
    }

    impl Sums for Avx512 {
        type OfBytes = Narrow;
        type OfWords = Words;
    }

    impl Sums for Avx512Vbmi {
        type OfBytes = Bytes;
        type OfWords = Words;
    }

    impl Lanes for Narrow {
        #[inline(always)]
        unsafe fn add<N: Number>(a: __m128i, b: __m128i) -> __m128i {
            // SAFETY: every x86-64 CPU has SSE2.
            unsafe {
                match N::KIND {
                    Kind::U8 => _mm_add_epi8(a, b),
                    Kind::U16 => _mm_add_epi16(a, b),
                    Kind::U32 => _mm_add_epi32(a, b),
                    Kind::U64 => _mm_add_epi64(a, b),
                    Kind::F64 => _mm_castpd_si128(_mm_add_pd(_mm_castsi128_pd(a), _mm_castsi128_pd(b))),
                    _ => _mm_castps_si128(_mm_add_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b))),
                }
            }
        }
    }

    macro_rules! wide {
        ($($lanes:ty),*) => {$(
            impl Lanes for $lanes {
                #[inline(always)]
                unsafe fn add<N: Number>(a: __m512i, b: __m512i) -> __m512i {
                    // SAFETY: the caller keeps the contract.
                    unsafe {
                        match N::KIND {
                            Kind::U8 => _mm512_add_epi8(a, b),
                            Kind::U16 => _mm512_add_epi16(a, b),
                            Kind::U32 => _mm512_add_epi32(a, b),
                            Kind::U64 => _mm512_add_epi64(a, b),
                            Kind::F64 => {
                                _mm512_castpd_si512(_mm512_add_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b)))
                            }
                            _ => _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b))),
                        }
                    }
                }

                #[inline(always)]
                unsafe fn widen<N: Number>(src: *const u8) -> __m512i {
                    // SAFETY: the caller keeps the contract.
                    unsafe {
                        match N::KIND {
                            Kind::F16 => _mm512_castps_si512(_mm512_cvtph_ps(get(src))),
                            Kind::BF16 => _mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(get(src))),
                            _ => get(src),
                        }
                    }
                }

                #[inline(always)]
                unsafe fn narrow<N: Number>(dst: *mut u8, sums: __m512i) {
                    // SAFETY: the caller keeps the contract.
                    unsafe { put(dst, halves::<N>(sums)) }
                }

                #[inline(always)]
                unsafe fn narrow_part<N: Number>(dst: *mut u8, sums: __m512i, count: usize) {
                    // SAFETY: the caller keeps the contract. A masked store does not write the other numbers.
                    unsafe { _mm256_mask_storeu_epi16(dst.cast(), low(count) as u16, halves::<N>(sums)) }
                }
            }
        )*};
    }
    wide!(Words, Bytes);

    /// Converts sums to 16-bit floats. Rounds to nearest, ties to even, as [`Number::narrow`] does.
    #[inline(always)]
    unsafe fn halves<N: Number>(sums: __m512i) -> __m256i {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let value = _mm512_castsi512_ps(sums);
            if N::KIND == Kind::F16 {
                return _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(value);
            }
            let upper = _mm512_srli_epi32::<16>(sums);
            let odd = _mm512_and_si512(upper, _mm512_set1_epi32(1));
            let up = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
            let rounded = _mm512_srli_epi32::<16>(_mm512_add_epi32(sums, up));
            let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(value, value);
            let quiet = _mm512_or_si512(upper, _mm512_set1_epi32(0x40));
            _mm512_cvtepi32_epi16(_mm512_mask_mov_epi32(rounded, nan, quiet))
        }
    }
}

/// Returns a register in which every lane is `sum`.
#[inline(always)]
pub(super) fn splat<N: Number, L: Lanes>(sum: N::Sum) -> L::Register {
    let mut sums = [0u8; 64];
    N::sums_mut(&mut sums[..L::BYTES]).fill(N::store(sum));
    // SAFETY: any bytes are a register, and a register has at most 64 bytes.
    unsafe { get(sums.as_ptr()) }
}

/// Returns the description of the registers that a kernel's programs are made for.
pub(super) const fn registers<N: Number, S: Sums>() -> Registers {
    if size_of::<N::Sum>() == 1 { registers_of::<N, S::OfBytes>() } else { registers_of::<N, S::OfWords>() }
}

const fn registers_of<N: Number, L: Lanes>() -> Registers {
    let sum = size_of::<N::Sum>();
    let number = if N::IS_UPPER { size_of::<N::Bytes>() } else { sum };
    Registers { register: L::BYTES, grain: L::GRAIN, sum, number }
}
