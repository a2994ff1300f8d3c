// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

unsafe fn mean_f32_portable(job: &mut Job<'_>) {
    type T = f32;
    unsafe { fold::run::<T, Mean>(job) }
}
unsafe fn mean_c64_portable(job: &mut Job<'_>) {
    type T = Complex<f32>;
    unsafe { fold::run::<T, Mean>(job) }
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
unsafe fn mean_f32_avx2(job: &mut Job<'_>) {
    type T = f32;
    unsafe { fold::run::<T, Mean>(job) }
}
/// Every kernel that computes, in order of instruction set, computation and element.
pub(super) static REGISTRY: &[ComputedRow] = &[
    ComputedRow {
        name: "mean_f32_portable",
        computation: Computation::Mean,
        dtype: DType::F32,
        isa: Isa::Portable,
        entry: mean_f32_portable,
    },
    ComputedRow {
        name: "mean_c64_portable",
        computation: Computation::Mean,
        dtype: DType::C64,
        isa: Isa::Portable,
        entry: mean_c64_portable,
    },
    ComputedRow {
        name: "median_f32_portable",
        computation: Computation::Median,
        dtype: DType::F32,
        isa: Isa::Portable,
        entry: median_f32_portable,
    },
    ComputedRow {
        name: "median_c64_portable",
        computation: Computation::Median,
        dtype: DType::C64,
        isa: Isa::Portable,
        entry: median_c64_portable,
    },
    #[cfg(all(target_arch = "x86_64"))]
    ComputedRow {
        name: "mean_f32_avx2",
        computation: Computation::Mean,
        dtype: DType::F32,
        isa: Isa::Avx2,
        entry: mean_f32_avx2,
    },
];
