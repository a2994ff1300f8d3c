// Elements cannot be moved together.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [3]) = constant { [0, 0, -1] }
}

fn main() {}
