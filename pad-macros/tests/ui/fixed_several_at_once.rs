// All errors are told, of all functions.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4]) = mirror { [1, 1] }

    fn g(i32; [4, 2]) = constant { [-5, 0], [0, 0, -2] }
}

fn main() {}
