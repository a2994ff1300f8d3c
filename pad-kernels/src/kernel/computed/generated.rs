//! The table of kernels that compute borders. The macro generates a shell for each computation, type and instruction set, and a
//! list of all kernels. If the computation or the type is `scalar`, only the first set has a kernel. Otherwise, if one of them is
//! `vector`, the first two sets have one. If both are `wide`, all sets have one.

use super::fold::{self, Extreme, Mean, Present};
use super::number::{Brain, Complex, Flag, Half};
use super::{Computation, ComputedKernel, Job, median, odd, ramp, smooth};
use crate::dtype::DType;
use crate::isa::Isa;

pad_macros::computed_kernels! {
    isas: [
        Portable,
        Avx2 on "x86_64" with "avx2,bmi1,bmi2",
        Avx512 on "x86_64" with "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl",
    ];
    computations: [
        vector LinearRamp = ramp::run::<T>,
        wide Maximum = fold::run::<T, Extreme>,
        vector Mean = fold::run::<T, Mean>,
        wide Median = median::run::<T>,
        wide Minimum = fold::run::<T, Extreme>,
        scalar NanMaximum = fold::run::<T, Present<Extreme>>,
        scalar NanMean = fold::run::<T, Present<Mean>>,
        wide NanMedian = median::run::<T>,
        scalar NanMinimum = fold::run::<T, Present<Extreme>>,
        vector Odd = odd::run::<T>,
        vector Smooth = smooth::run::<T>,
    ];
    elements: [
        wide f64: F64,
        wide f32: F32,
        vector Half: F16,
        vector Brain: BF16,
        vector i8: I8,
        vector i16: I16,
        vector i32: I32,
        wide i64: I64,
        vector u8: U8,
        vector u16: U16,
        vector u32: U32,
        wide u64: U64,
        scalar Flag: Bool,
        vector Complex<f32>: C64,
        vector Complex<f64>: C128,
    ];
}
