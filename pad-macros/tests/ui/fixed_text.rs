// Text is no bytes to be moved.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(String; [4]) = edge { [1, 1] }
}

fn main() {}
