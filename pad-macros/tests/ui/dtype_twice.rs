pad_macros::pad_kernels! {
    ranks: 2;
    modes: [Constant, Edge];
    isas: [Portable, Avx2 on "x86_64" with "avx2"];
    elements: [
        bytes W4 = 4: [F32, I32],
        bytes W8 = 8: [F64, I32],
    ];
}

fn main() {}
