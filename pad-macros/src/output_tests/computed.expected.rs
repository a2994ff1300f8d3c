// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

unsafe fn maximum_f32_portable(job: &mut Job<'_>) {
    type T = f32;
    unsafe { fold::run::<T, Extreme>(job) }
}
unsafe fn maximum_c64_portable(job: &mut Job<'_>) {
    type T = Complex<f32>;
    unsafe { fold::run::<T, Extreme>(job) }
}
unsafe fn median_f32_portable(job: &mut Job<'_>) {
    type T = f32;
    unsafe { median::run::<T>(job) }
}
unsafe fn median_c64_portable(job: &mut Job<'_>) {
    type T = Complex<f32>;
    unsafe { median::run::<T>(job) }
}
#[cfg(all(target_arch = "x86_64"))]
#[target_feature(enable = "avx2")]
unsafe fn maximum_f32_avx2(job: &mut Job<'_>) {
    type T = f32;
    unsafe { fold::run::<T, Extreme>(job) }
}
/// All kernels that compute, sorted by instruction set, computation and element.
pub(super) static REGISTRY: &[ComputedKernel] = &[
    ComputedKernel {
        name: "maximum_f32_portable",
        computation: Computation::Maximum,
        dtype: DType::F32,
        isa: Isa::Portable,
        entry: maximum_f32_portable,
    },
    ComputedKernel {
        name: "maximum_c64_portable",
        computation: Computation::Maximum,
        dtype: DType::C64,
        isa: Isa::Portable,
        entry: maximum_c64_portable,
    },
    ComputedKernel {
        name: "median_f32_portable",
        computation: Computation::Median,
        dtype: DType::F32,
        isa: Isa::Portable,
        entry: median_f32_portable,
    },
    ComputedKernel {
        name: "median_c64_portable",
        computation: Computation::Median,
        dtype: DType::C64,
        isa: Isa::Portable,
        entry: median_c64_portable,
    },
    ComputedKernel {
        name: "minimum_f32_portable",
        computation: Computation::Minimum,
        dtype: DType::F32,
        isa: Isa::Portable,
        entry: maximum_f32_portable,
    },
    ComputedKernel {
        name: "minimum_c64_portable",
        computation: Computation::Minimum,
        dtype: DType::C64,
        isa: Isa::Portable,
        entry: maximum_c64_portable,
    },
    #[cfg(all(target_arch = "x86_64"))]
    ComputedKernel {
        name: "maximum_f32_avx2",
        computation: Computation::Maximum,
        dtype: DType::F32,
        isa: Isa::Avx2,
        entry: maximum_f32_avx2,
    },
    #[cfg(all(target_arch = "x86_64"))]
    ComputedKernel {
        name: "minimum_f32_avx2",
        computation: Computation::Minimum,
        dtype: DType::F32,
        isa: Isa::Avx2,
        entry: maximum_f32_avx2,
    },
];
