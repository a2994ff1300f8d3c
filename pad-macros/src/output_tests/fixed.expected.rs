// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

/// Pads a tensor of `f32` from shape `[64, 56, 56]` to shape `[64, 58, 58]`, in mode constant with fill `0.0`.
///
/// The pads, from the outermost axis: `[0, 0]`, `[1, 1]`, `[1, 1]`.
pub fn pad_conv3x3(src: &[f32; 200704], dst: &mut [f32; 215296]) {
    use pad_kernels::__fixed;
    #[inline(always)]
    fn __nest(src: &[f32; 200704], dst: &mut [f32; 215296]) {
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
    __fixed::run(__nest, src, dst);
}
/// A frame of speech.
#[inline]
#[allow(clippy::all)]
#[doc(hidden)]
///
/// Pads a tensor of `f32` from shape `[400]` to shape `[800]`, in mode reflect.
///
/// The pads, from the outermost axis: `[200, 200]`.
pub fn r#match(src: &[f32; 400], dst: &mut [f32; 800]) {
    use pad_kernels::__fixed;
    #[inline(always)]
    fn __nest(src: &[f32; 400], dst: &mut [f32; 800]) {
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
    __fixed::run(__nest, src, dst);
}
#[allow(clippy::all)]
#[doc(hidden)]
/// The sizes of [`match`](fn@match): of a tensor before and after.
#[allow(dead_code)]
pub mod r#match {
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
    fn __nest(src: &[half::f16; 3], dst: &mut [half::f16; 44]) {
        __fixed::copy(src, __fixed::part_mut::<0, 3, _, _>(dst));
        __fixed::copy(
            __fixed::part::<1, 1, _, _>(src),
            __fixed::part_mut::<3, 1, _, _>(dst),
        );
        __fixed::again::<0, 4, 40, _, _>(dst);
    }
    __fixed::run(__nest, src, dst);
}
/// Pads any number of tensors of `u8` from shape `[32, 32, 3]` to shape `[33, 69, 3]`, in mode symmetric with fill `9`.
///
/// The pads, from the outermost axis: `[-1, 2]`, `[3, 3, 1]`, `[0, 0]`, uncropped.
///
/// # Errors
///
/// If `src` is no whole number of tensors, or `dst` not the same number; nothing is written then.
pub(crate) fn pad_images(
    src: &[u8],
    dst: &mut [u8],
) -> ::core::result::Result<(), pad_kernels::PadError> {
    use pad_kernels::__fixed;
    #[inline(always)]
    fn __nest(src: &[u8; 3072], dst: &mut [u8; 6831]) {
        const __FILL: u8 = 9;
        let src: &[[u8; 96]; 32] = __fixed::rows(src);
        let dst: &mut [[u8; 207]; 33] = __fixed::rows_mut(dst);
        for i0 in 0..31 {
            let (src, dst) = (&src[1 + i0], &mut dst[i0]);
            let src: &[[u8; 3]; 32] = __fixed::rows(src);
            let dst: &mut [[u8; 3]; 69] = __fixed::rows_mut(dst);
            __fixed::spread::<
                2,
                false,
                _,
                _,
                _,
            >(src, __fixed::part_mut::<3, 63, _, _>(dst), [__FILL; 3]);
            __fixed::again_reverse::<5, 0, 3, _, _>(dst);
            __fixed::again_reverse::<65, 66, 3, _, _>(dst);
        }
        __fixed::again_reverse::<30, 31, 2, _, _>(dst);
    }
    __fixed::run_batch(__nest, src, dst)
}
/// The sizes of [`pad_images`](fn@pad_images): of one item of the batch before and after.
#[allow(dead_code)]
pub(crate) mod pad_images {
    /// The shape of one item of the batch that is padded.
    pub const INPUT_SHAPE: [usize; 3] = [32, 32, 3];
    /// The shape of one item of the batch once it is padded.
    pub const OUTPUT_SHAPE: [usize; 3] = [33, 69, 3];
    /// Elements of one item of the batch that is padded.
    pub const INPUT_LEN: usize = 3072;
    /// Elements of one item of the batch once it is padded.
    pub const OUTPUT_LEN: usize = 6831;
}
/// Pads a tensor of `u8` from shape `[4, 8, 8]` to shape `[5, 8, 10]`, in mode symmetric.
///
/// The pads, from the outermost axis: `[-3, 4]`, `[-2, 2]`, `[1, 1]`, uncropped.
pub(crate) fn pad_cut(src: &[u8; 256], dst: &mut [u8; 400]) {
    use pad_kernels::__fixed;
    #[inline(always)]
    fn __nest(src: &[u8; 256], dst: &mut [u8; 400]) {
        let src: &[[u8; 64]; 4] = __fixed::rows(src);
        let dst: &mut [[u8; 80]; 5] = __fixed::rows_mut(dst);
        #[inline(always)]
        fn __inside0(src: &[u8; 64], dst: &mut [u8; 80]) {
            let src: &[[u8; 8]; 8] = __fixed::rows(src);
            let dst: &mut [[u8; 10]; 8] = __fixed::rows_mut(dst);
            for i1 in 0..6 {
                let (src, dst) = (&src[2 + i1], &mut dst[i1]);
                __fixed::copy(
                    __fixed::part::<0, 1, _, _>(src),
                    __fixed::part_mut::<0, 1, _, _>(dst),
                );
                __fixed::copy(src, __fixed::part_mut::<1, 8, _, _>(dst));
                __fixed::copy(
                    __fixed::part::<7, 1, _, _>(src),
                    __fixed::part_mut::<9, 1, _, _>(dst),
                );
            }
            __fixed::again_reverse::<5, 6, 2, _, _>(dst);
        }
        {
            let (src, dst) = (&src[3], &mut dst[0]);
            __inside0(src, dst);
        }
        for i0 in 0..4 {
            let (src, dst) = (&src[3 - i0], &mut dst[1 + i0]);
            __inside0(src, dst);
        }
    }
    __fixed::run(__nest, src, dst);
}
