// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

///Sums compiled for Portable.
mod sums_portable {
    use super::*;
    impl SumShells for Portable {
        #[inline(never)]
        unsafe fn run_pass<N: Number, L: Lanes, const WIDENS: bool, const NARROWS: bool>(
            job: &Job<'_, N::Sum>,
            src: &[u8],
            dst: &mut [u8],
        ) {
            unsafe { run_pass::<N, Portable, L, WIDENS, NARROWS>(job, src, dst) }
        }
        #[inline(never)]
        unsafe fn copy_rows(rows: Rows, length: usize) {
            unsafe { copy_rows::<Portable>(rows, length) }
        }
        #[inline(never)]
        unsafe fn fold_rows<N: Number>(
            task: &mut Task<'_>,
            blocks: Spread,
            slot: usize,
            count: usize,
        ) {
            unsafe { fold_rows::<N>(task, blocks, slot, count) }
        }
        #[inline(never)]
        unsafe fn add_slot<N: Number>(task: &mut Task<'_>, slot: usize, count: usize) {
            unsafe { add_slot::<N>(task, slot, count) }
        }
    }
    #[inline(never)]
    pub(super) unsafe fn f32(task: &mut Task<'_>, step: Step, count: usize) {
        unsafe { run_step::<F32, Portable>(task, step, count) }
    }
    #[inline(never)]
    pub(super) unsafe fn bf16(task: &mut Task<'_>, step: Step, count: usize) {
        unsafe { run_step::<BF16, Portable>(task, step, count) }
    }
}
#[cfg(all(target_arch = "x86_64"))]
///Sums compiled for Avx2.
mod sums_avx2 {
    use super::*;
    impl SumShells for Avx2 {
        #[target_feature(enable = "avx2")]
        #[inline(never)]
        unsafe fn run_pass<N: Number, L: Lanes, const WIDENS: bool, const NARROWS: bool>(
            job: &Job<'_, N::Sum>,
            src: &[u8],
            dst: &mut [u8],
        ) {
            unsafe { run_pass::<N, Avx2, L, WIDENS, NARROWS>(job, src, dst) }
        }
        #[target_feature(enable = "avx2")]
        #[inline(never)]
        unsafe fn copy_rows(rows: Rows, length: usize) {
            unsafe { copy_rows::<Avx2>(rows, length) }
        }
        #[inline(always)]
        unsafe fn fold_rows<N: Number>(
            task: &mut Task<'_>,
            blocks: Spread,
            slot: usize,
            count: usize,
        ) {
            unsafe { <Portable as SumShells>::fold_rows::<N>(task, blocks, slot, count) }
        }
        #[inline(always)]
        unsafe fn add_slot<N: Number>(task: &mut Task<'_>, slot: usize, count: usize) {
            unsafe { <Portable as SumShells>::add_slot::<N>(task, slot, count) }
        }
    }
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    pub(super) unsafe fn bf16(task: &mut Task<'_>, step: Step, count: usize) {
        unsafe { run_step::<BF16, Avx2>(task, step, count) }
    }
}
/// All kernels that sum, sorted by instruction set and element type.
pub(super) static SUMS: &[AdjointKernel] = &[
    AdjointKernel {
        name: "sum_f32_portable",
        dtype: DType::F32,
        isa: Isa::Portable,
        registers: registers::<F32, Portable>(),
        kernel: sums_portable::f32,
    },
    AdjointKernel {
        name: "sum_c64_portable",
        dtype: DType::C64,
        isa: Isa::Portable,
        registers: registers::<F32, Portable>(),
        kernel: sums_portable::f32,
    },
    AdjointKernel {
        name: "sum_bf16_portable",
        dtype: DType::BF16,
        isa: Isa::Portable,
        registers: registers::<BF16, Portable>(),
        kernel: sums_portable::bf16,
    },
    #[cfg(all(target_arch = "x86_64"))]
    AdjointKernel {
        name: "sum_bf16_avx2",
        dtype: DType::BF16,
        isa: Isa::Avx2,
        registers: registers::<BF16, Avx2>(),
        kernel: sums_avx2::bf16,
    },
];
