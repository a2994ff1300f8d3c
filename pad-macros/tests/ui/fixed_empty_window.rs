// A border cannot mirror elements that a crop has removed.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4]) = symmetric cropped { [-4, 2] }
    fn g(f32; [4]) = wrap { [2, -5] }
}

fn main() {}
