// Negative pads are read in two ways.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4]) = wrap clipped { [-1, 1] }
}

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4]) = uncropped constant(0.0) { [-1, 1] }
}

fn main() {}
