// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

/// A frame of speech.
#[inline]
///
/// Pads a tensor of `f32` from shape `[400]` to shape `[800]`, in mode reflect.
///
/// The pads, from the outermost axis: `[200, 200]`.
pub fn pad_frame(src: &[f32; 400], dst: &mut [f32; 800]) {
    use pad_kernels::__fixed;
    #[inline(always)]
    fn nest(src: &[f32; 400], dst: &mut [f32; 800]) {
        __fixed::reverse(
            __fixed::part::<1, 200, _, _>(src),
            __fixed::part_mut::<0, 200, _, _>(dst),
        );
        __fixed::copy(src, __fixed::part_mut::<200, 400, _, _>(dst));
        __fixed::reverse(
            __fixed::part::<199, 200, _, _>(src),
            __fixed::part_mut::<600, 200, _, _>(dst),
        );
    }
    __fixed::run(nest, src, dst);
}
/// The sizes of [`pad_frame`](fn@pad_frame): of a tensor before and after.
#[allow(dead_code)]
pub mod pad_frame {
    /// The shape of a tensor that is padded.
    pub const INPUT_SHAPE: [usize; 1] = [400];
    /// The shape of a tensor once it is padded.
    pub const OUTPUT_SHAPE: [usize; 1] = [800];
    /// Elements of a tensor that is padded.
    pub const INPUT_LEN: usize = 400;
    /// Elements of a tensor once it is padded.
    pub const OUTPUT_LEN: usize = 800;
}
/// Pads a tensor of `half::f16` from shape `[3]` to shape `[44]`, in mode reflect.
///
/// The pads, from the outermost axis: `[20, 21]`.
fn pad_far(src: &[half::f16; 3], dst: &mut [half::f16; 44]) {
    use pad_kernels::__fixed;
    #[inline(always)]
    fn nest(src: &[half::f16; 3], dst: &mut [half::f16; 44]) {
        __fixed::copy(src, __fixed::part_mut::<0, 3, _, _>(dst));
        __fixed::reverse(
            __fixed::part::<1, 1, _, _>(src),
            __fixed::part_mut::<3, 1, _, _>(dst),
        );
        __fixed::again::<0, 4, 40, _, _>(dst);
    }
    __fixed::run(nest, src, dst);
}
/// The sizes of [`pad_far`](fn@pad_far): of a tensor before and after.
#[allow(dead_code)]
mod pad_far {
    /// The shape of a tensor that is padded.
    pub const INPUT_SHAPE: [usize; 1] = [3];
    /// The shape of a tensor once it is padded.
    pub const OUTPUT_SHAPE: [usize; 1] = [44];
    /// Elements of a tensor that is padded.
    pub const INPUT_LEN: usize = 3;
    /// Elements of a tensor once it is padded.
    pub const OUTPUT_LEN: usize = 44;
}
