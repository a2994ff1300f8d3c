//! Instruction sets.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// An instruction set that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Isa {
    /// What the target guarantees: SSE2 on x86-64.
    Portable,
    /// AVX2 and BMI on x86-64.
    Avx2,
    /// AVX-512 F, BW, DQ and VL on x86-64 (Skylake and later servers).
    Avx512,
    /// The same with VBMI (Ice Lake, Zen 4 and later).
    Avx512Vbmi,
    /// NEON on aarch64, which guarantees it, where the least significant byte is first.
    Neon,
    /// WebAssembly's simd128, where it was enabled when compiling.
    Simd128,
}

/// Whether this machine gains by being told which lines it will need. AMD's with AVX-512 do not: on Zen 4 60 workloads took 0.94 of the
/// time without, rows of 2 to 10 KiB of 12 to 24 MB 0.65 to 0.9. SSE4a is AMD's alone.
static TOLD: AtomicBool = AtomicBool::new(true);

impl Isa {
    /// All instruction sets; those of one architecture the plainest first.
    pub const ALL: [Isa; 6] =
        [Isa::Portable, Isa::Avx2, Isa::Avx512, Isa::Avx512Vbmi, Isa::Neon, Isa::Simd128];

    /// The name in lower case.
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

    /// Whether this machine has it. Without the `std` feature: whether it was enabled when compiling.
    #[inline]
    pub fn available(self) -> bool {
        self <= Isa::best() && self.exists()
    }

    /// Whether it is one of this architecture.
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

    /// This one and those below it, the widest first.
    pub(crate) fn up_to(self) -> impl Iterator<Item = Isa> {
        Isa::ALL.into_iter().rev().filter(move |isa| *isa <= self)
    }

    /// The widest that this machine has.
    #[inline]
    pub fn best() -> Isa {
        // Asked for with every run of a plan: one load, where asking for each feature would be nine.
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

    /// Whether kernels tell the machine ahead which lines they will read and write.
    #[inline(always)]
    pub(crate) fn is_told() -> bool {
        TOLD.load(Ordering::Relaxed)
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
        let fetches_itself = has!("sse4a" "avx512f");
        TOLD.store(!fetches_itself, Ordering::Relaxed);
        // The features of the generated shells, in `generated.rs`.
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
