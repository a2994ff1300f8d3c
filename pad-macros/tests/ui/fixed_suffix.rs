// Lengths are of one type, which is not said.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4usize]) = edge { [1, 1i64] }
}

fn main() {}
