// More is removed than there is.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [3, 4]) = constant { [0, 0], [-2, -3] }
    fn g(f32; [3]) = constant { [-4, -3, 1] }
}

fn main() {}
