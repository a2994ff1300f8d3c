// Other systems have other names.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4]) = replicate { [1, 1] }
    fn g(f32; [4]) = Reflect { [1, 1] }
}

fn main() {}
