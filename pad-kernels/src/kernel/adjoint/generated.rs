//! The table of kernels that sum. The macro generates a shell for each number type and instruction set, and a list of the
//! kernels.
//!
//! There are no VBMI kernels for numbers of two bytes or more, because only numbers of one byte gain from VBMI. Plain loops of
//! the AVX-512 kernels are compiled for AVX2, which is as fast.

use crate::dtype::DType;
use crate::isa::Isa;
use crate::kernel::adjoint::lanes::{Lanes, registers};
use crate::kernel::adjoint::number::{BF16, F16, F32, F64, Number, U8, U16, U32, U64};
use crate::kernel::adjoint::rows::{add_slot, fold_rows, run_step};
use crate::kernel::adjoint::run::{Job, Rows, SumShells, copy_rows, run_pass};
use crate::kernel::adjoint::{AdjointKernel, Spread, Step, Task};
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use crate::kernel::simd::Neon;
use crate::kernel::simd::Portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::kernel::simd::Simd128;
#[cfg(target_arch = "x86_64")]
use crate::kernel::simd::{Avx2, Avx512, Avx512Vbmi};

pad_macros::sum_kernels! {
    isas: [
        Portable,
        Avx2 on "x86_64" with "avx2,bmi1,bmi2",
        Avx512 as Avx2 on "x86_64" with "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl",
        Avx512Vbmi as Avx2 on "x86_64" with "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi" for [U8],
        Neon on "aarch64" built with "neon",
        Simd128 on "wasm32" built with "simd128",
    ];
    sums: [
        U8: [I8, U8],
        U16: [I16, U16],
        U32: [I32, U32],
        U64: [I64, U64],
        F16: [F16],
        BF16: [BF16],
        F32: [F32, C64],
        F64: [F64, C128],
    ];
}
