// There is one word for it.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4]) = edge { [1, 1] } backward back
}

fn main() {}
