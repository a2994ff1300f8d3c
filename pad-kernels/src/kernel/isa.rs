//! Instruction sets.

use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

/// An instruction set that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Isa {
    /// What the target guarantees: SSE2 on x86-64, NEON on aarch64.
    Portable,
    /// AVX2 and BMI on x86-64.
    Avx2,
    /// AVX-512 F, BW, DQ, VL and VBMI on x86-64 (Ice Lake, Zen 4 and later).
    Avx512,
}

impl Isa {
    /// All instruction sets, the plainest first.
    pub const ALL: [Isa; 3] = [Isa::Portable, Isa::Avx2, Isa::Avx512];

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }

    /// Whether this machine has it. Without the `std` feature: whether it was enabled when compiling.
    #[inline]
    pub fn available(self) -> bool {
        self <= Isa::best()
    }

    /// The widest that this machine has.
    #[inline]
    pub fn best() -> Isa {
        // Asked for with every run of a plan: one load, where asking for each feature would be nine.
        static BEST: AtomicU8 = AtomicU8::new(u8::MAX);
        match BEST.load(Ordering::Relaxed) {
            0 => Isa::Portable,
            1 => Isa::Avx2,
            2 => Isa::Avx512,
            _ => {
                let best = Isa::detect();
                BEST.store(best as u8, Ordering::Relaxed);
                best
            }
        }
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
        // The features of the generated shells, in `generated.rs`.
        if !has!("avx2" "bmi1" "bmi2") {
            Isa::Portable
        } else if !has!("avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512vbmi") {
            Isa::Avx2
        } else {
            Isa::Avx512
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
