// An axis has two ends.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4]) = edge { [1] }
}

fn main() {}
