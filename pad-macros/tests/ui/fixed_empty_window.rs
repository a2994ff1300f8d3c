// What is removed cannot be mirrored back if it is gone.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4]) = symmetric cropped { [-4, 2] }
}

fn main() {}
