// Borders of an empty axis have nothing to be made from.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [2, 0]) = reflect { [1, 1], [0, 1] }
}

fn main() {}
