pad_macros::pad_kernels! {
    ranks: 2;
    modes: [Constant, Edge];
    isas: [Portable, Avx2 on "x86_64" with "avx2"];
    elements: [bytes W32 = 32: []];
}

fn main() {}
