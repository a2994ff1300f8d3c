pad_macros::pad_kernels! {
    ranks: 2;
    modes: [Constant, Edge];
    isas: [Portable, Avx2];
    elements: [bytes W4 = 4: [F32]];
}

fn main() {}
