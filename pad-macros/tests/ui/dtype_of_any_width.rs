pad_macros::pad_kernels! {
    ranks: 2;
    modes: [Constant, Edge];
    isas: [Portable, Avx2 on "x86_64" with "avx2"];
    elements: [bytes Any: [F32]];
}

fn main() {}
