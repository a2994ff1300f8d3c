// Other languages have other names.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(float32; [4]) = edge { [1, 1] }
}

fn main() {}
