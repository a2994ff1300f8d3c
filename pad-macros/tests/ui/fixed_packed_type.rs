// Packed types are no elements.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(u4; [4]) = edge { [1, 1] }
}

fn main() {}
