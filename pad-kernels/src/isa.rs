//! The instruction sets, and their detection on the machine.

use core::fmt;
use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// Names an instruction set for which kernels are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Isa {
    /// The instructions that every CPU of the target has, such as SSE2 on x86-64.
    Portable,
    /// AVX2 and BMI on x86-64.
    Avx2,
    /// AVX-512 F, BW, DQ and VL on x86-64 (Skylake and later servers).
    Avx512,
    /// AVX-512 with VBMI (Ice Lake, Zen 4 and later).
    Avx512Vbmi,
    /// NEON on little-endian aarch64.
    Neon,
    /// The instruction set simd128 of WebAssembly, if the build enables it.
    Simd128,
}

/// The minimum size of an output, in bytes, for which kernels prefetch on this machine. It is about half of the first-level cache. Smaller
/// outputs are in this cache with their sources, so prefetches only cost time.
///
/// - Cascade Lake (32 KiB): without prefetches, outputs of 4 to 12 KiB take 0.3 to 0.75 times as long. Outputs from 24 KiB on
///   take 0.85 to 1.4 times as long.
/// - Xeon with AMX (48 KiB): without prefetches, outputs of 16 to 24 KiB take 0.91 times as long. Outputs of 28 to 64 KiB take
///   1.07 to 1.16 times as long.
/// - On AMD CPUs with AVX-512, kernels never prefetch. Zen 4: without prefetches, 60 workloads take 0.94 times as long. The code
///   recognises these CPUs by SSE4a, which only AMD CPUs have.
static PREFETCHED_FROM: AtomicUsize = AtomicUsize::new(PREFETCHED_FROM_BEFORE_VBMI);
const PREFETCHED_FROM_BEFORE_VBMI: usize = 16 << 10;
const PREFETCHED_FROM_SINCE_VBMI: usize = 24 << 10;

impl Isa {
    /// Holds all instruction sets. The sets of one architecture are in ascending order.
    pub const ALL: [Isa; 6] =
        [Isa::Portable, Isa::Avx2, Isa::Avx512, Isa::Avx512Vbmi, Isa::Neon, Isa::Simd128];

    /// Returns the name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Avx512Vbmi => "avx512vbmi",
            Isa::Neon => "neon",
            Isa::Simd128 => "simd128",
        }
    }

    /// Returns whether this machine has the instruction set. Without the feature `std`, this depends on the target features of the
    /// build alone.
    #[inline]
    pub fn available(self) -> bool {
        self <= Isa::best() && self.exists()
    }

    /// Tells whether the instruction set belongs to the architecture of the target.
    const fn exists(self) -> bool {
        match self {
            Isa::Portable => true,
            Isa::Avx2 | Isa::Avx512 | Isa::Avx512Vbmi => cfg!(target_arch = "x86_64"),
            Isa::Neon => {
                cfg!(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))
            }
            Isa::Simd128 => cfg!(all(target_arch = "wasm32", target_feature = "simd128")),
        }
    }

    /// Returns this instruction set and all smaller ones, the widest first.
    pub(crate) fn up_to(self) -> impl Iterator<Item = Isa> {
        Isa::ALL.into_iter().rev().filter(move |isa| *isa <= self)
    }

    /// Returns the widest instruction set of this machine.
    #[inline]
    pub fn best() -> Isa {
        // Every run asks for this value. The cached value needs one load instead of nine feature tests.
        static BEST: AtomicU8 = AtomicU8::new(u8::MAX);
        match BEST.load(Ordering::Relaxed) {
            known if usize::from(known) < Isa::ALL.len() => Isa::ALL[usize::from(known)],
            _ => {
                let best = Isa::detect();
                BEST.store(best as u8, Ordering::Relaxed);
                best
            }
        }
    }

    /// Tells whether kernels prefetch on this machine, for outputs that are large enough.
    #[inline(always)]
    pub(crate) fn prefetches() -> bool {
        Isa::prefetches_for(usize::MAX)
    }

    /// Tells whether kernels prefetch for an output of this size.
    #[inline(always)]
    pub(crate) fn prefetches_for(bytes: usize) -> bool {
        bytes > PREFETCHED_FROM.load(Ordering::Relaxed)
    }

    #[cold]
    fn detect() -> Isa {
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        macro_rules! has {
            ($($feature:tt)*) => { true $(&& std::arch::is_x86_feature_detected!($feature))* };
        }
        #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
        macro_rules! has {
            ($($feature:tt)*) => { cfg!(target_arch = "x86_64") $(&& cfg!(target_feature = $feature))* };
        }
        let prefetched_from = match () {
            () if has!("sse4a" "avx512f") => usize::MAX,
            () if has!("avx512vbmi") => PREFETCHED_FROM_SINCE_VBMI,
            () => PREFETCHED_FROM_BEFORE_VBMI,
        };
        PREFETCHED_FROM.store(prefetched_from, Ordering::Relaxed);
        // These features are the ones that the shells in `kernel/generated.rs` enable.
        if !has!("avx2" "bmi1" "bmi2") {
            match () {
                () if Isa::Neon.exists() => Isa::Neon,
                () if Isa::Simd128.exists() => Isa::Simd128,
                () => Isa::Portable,
            }
        } else if !has!("avx512f" "avx512bw" "avx512dq" "avx512vl") {
            Isa::Avx2
        } else if !has!("avx512vbmi") {
            Isa::Avx512
        } else {
            Isa::Avx512Vbmi
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
