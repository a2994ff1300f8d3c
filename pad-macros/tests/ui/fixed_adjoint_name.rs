// An adjoint is a function of its own.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4]) = edge { [1, 1] } adjoint f
}

fn main() {}
