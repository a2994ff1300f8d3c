// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

/// Pads a tensor of `f32` from shape `[64, 56, 56]` to shape `[64, 58, 58]`, in mode constant with fill `0.0`.
///
/// The pads, from the outermost axis: `[0, 0]`, `[1, 1]`, `[1, 1]`.
pub fn pad_conv3x3(src: &[f32; 200704], dst: &mut [f32; 215296]) {
    use pad_kernels::__fixed;
    #[inline(always)]
    fn nest(src: &[f32; 200704], dst: &mut [f32; 215296]) {
        const __FILL: f32 = 0.0;
        let src: &[[f32; 3136]; 64] = __fixed::rows(src);
        let dst: &mut [[f32; 3364]; 64] = __fixed::rows_mut(dst);
        for i0 in 0..64 {
            let (src, dst) = (&src[i0], &mut dst[i0]);
            let src: &[[f32; 56]; 56] = __fixed::rows(src);
            let dst: &mut [[f32; 58]; 58] = __fixed::rows_mut(dst);
            __fixed::fill_rows(__fixed::part_mut::<0, 1, _, _>(dst), __FILL);
            __fixed::cells::<
                1,
                0,
                56,
                _,
                _,
                _,
                _,
            >(src, __fixed::part_mut::<1, 56, _, _>(dst), __FILL);
            __fixed::fill_rows(__fixed::part_mut::<57, 1, _, _>(dst), __FILL);
        }
    }
    __fixed::run(nest, src, dst);
}
/// The sizes of [`pad_conv3x3`](fn@pad_conv3x3): of a tensor before and after.
#[allow(dead_code)]
pub mod pad_conv3x3 {
    /// The shape of a tensor that is padded.
    pub const INPUT_SHAPE: [usize; 3] = [64, 56, 56];
    /// The shape of a tensor once it is padded.
    pub const OUTPUT_SHAPE: [usize; 3] = [64, 58, 58];
    /// Elements of a tensor that is padded.
    pub const INPUT_LEN: usize = 200704;
    /// Elements of a tensor once it is padded.
    pub const OUTPUT_LEN: usize = 215296;
}
