// The numbers themselves are too large.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(u8; [99999999999999999999]) = edge { [99999999999999999999, 0] }
}

fn main() {}
