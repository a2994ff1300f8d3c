// A border cannot mirror elements that a crop has removed.

pad_macros::fixed_pad! {
    [pad_kernels]
    fn f(f32; [4]) = symmetric cropped { [-4, 2] }
}

fn main() {}
