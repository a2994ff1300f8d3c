pad_macros::pad_kernels! {
    ranks: 12;
    modes: [Wrap, Wrap];
    isas: [Portable, Avx2];
    elements: [
        bytes W5 = 5: [F32],
        strings: [F32],
    ];
}

fn main() {}
