pad_macros::pad_kernels! {
    ranks: 2;
    modes: [Constant, Edge];
    isas: [Portable, Avx2 on "x86_64" with "avx2"];
    elements: [
        bytes W1 = 1: [U8],
        packed: [U4, U8],
    ];
}

fn main() {}
