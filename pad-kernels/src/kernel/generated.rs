//! Contains the table of kernels. The macro generates the loop nests, their shells, and a registry of all kernels from this
//! table.

use crate::dtype::DType;
use crate::isa::Isa;
use crate::kernel::bits::Bits;
use crate::kernel::nest::{Output, axes_of, pieces};
use crate::kernel::output::{Bytes, finish_stream, write_again, write_fill};
use crate::kernel::program::{
    Batch, Bodies, Lanes, Merging, Move, Program, Run, Shells, run_batch, run_merge, run_move, run_program,
    run_registers, short_rows, stream_program,
};
use crate::kernel::sheet::Sheet;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use crate::kernel::simd::Neon;
use crate::kernel::simd::Portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::kernel::simd::Simd128;
#[cfg(target_arch = "x86_64")]
use crate::kernel::simd::{Avx2, Avx512, Avx512Vbmi};
use crate::kernel::strided::{Any, StridedShells, W1, W2, W4, W8, W16, write_strided};
use crate::kernel::tile::{Calls, transpose};
use crate::kernel::{Entry, Job, PadKernel, Unit};
use crate::plan::axis::Axis;
use crate::plan::form::{Segment, Segments};
use crate::plan::pattern::Pattern;
use crate::spec::PadMode;

pad_macros::pad_kernels! {
    ranks: 6;
    modes: [Constant, Edge, Reflect, Symmetric, Wrap];
    isas: [
        Portable,
        Avx2 on "x86_64" with "avx2,bmi1,bmi2",
        Avx512 on "x86_64" with "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl",
        Avx512Vbmi as Avx512 on "x86_64" with "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi",
        Neon on "aarch64" built with "neon",
        Simd128 on "wasm32" built with "simd128",
    ];
    elements: [
        bytes W1 = 1: [I8, U8, Bool, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0],
        bytes W2 = 2: [F16, BF16, I16, U16],
        bytes W4 = 4: [F32, I32, U32],
        bytes W8 = 8: [F64, I64, U64, C64],
        bytes W16 = 16: [C128],
        bytes Any: [],
        packed: [I4, U4, F4E2M1, I2, U2],
        cloned: [String],
    ];
}
