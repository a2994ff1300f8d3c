// A number has at most one sign, a length has none, a fill is one expression, and pads are in brackets.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4]) = edge { [--170141183460469231731687303715884105728, 0] }
}

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [-4]) = edge { [1, 0] }
}

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4]) = constant(0.0; 5) { [1, 0] }
}

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4]) = reflect { (1, 1) }
}

fn main() {}
