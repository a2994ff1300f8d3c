// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

#[inline]
#[doc(hidden)]
/// The adjoint of [`pad_conv3x3`](fn@pad_conv3x3): overwrites the gradient of its input, of shape `[64, 56, 56]`, with what the
/// gradient of its output, of shape `[64, 58, 58]`, makes of it.
pub fn crop_conv3x3(grad_out: &[f32; 215296], grad_in: &mut [f32; 200704]) {
    use pad_kernels::__fixed;
    #[inline(always)]
    fn __nest(src: &[f32; 215296], dst: &mut [f32; 200704]) {
        let src: &[[f32; 3364]; 64] = __fixed::rows(src);
        let dst: &mut [[f32; 3136]; 64] = __fixed::rows_mut(dst);
        for i0 in 0..64 {
            let (src, dst) = (&src[i0], &mut dst[i0]);
            let src: &[[f32; 58]; 58] = __fixed::rows(src);
            let dst: &mut [[f32; 56]; 56] = __fixed::rows_mut(dst);
            for i1 in 0..56 {
                let (src, dst) = (&src[1 + i1], &mut dst[i1]);
                __fixed::copy(__fixed::part::<1, 56, _, _>(src), dst);
            }
        }
    }
    __fixed::run(__nest, grad_out, grad_in);
}
/// The adjoint of [`pad_rows`](fn@pad_rows): overwrites the gradient of its input, of shape `[3, 2]`, with what the
/// gradient of its output, of shape `[4, 3]`, makes of it.
pub(crate) fn rows_gradient(grad_out: &[f32; 12], grad_in: &mut [f32; 6]) {
    use pad_kernels::__fixed;
    #[inline(always)]
    fn __nest(src: &[f32; 12], dst: &mut [f32; 6]) {
        let src: &[[f32; 3]; 4] = __fixed::rows(src);
        let dst: &mut [[f32; 2]; 3] = __fixed::rows_mut(dst);
        #[inline(always)]
        fn __inside0(src: &[f32; 3], dst: &mut [f32; 2]) {
            __fixed::copy(
                __fixed::part::<1, 1, _, _>(src),
                __fixed::part_mut::<0, 1, _, _>(dst),
            );
            {
                const TERMS: __fixed::Terms<3, 1> = __fixed::Terms::new(
                    &[__fixed::Term::new(0, 1, 1, 1), __fixed::Term::new(2, 1, 1, 1)],
                    1,
                    0,
                );
                TERMS
                    .write::<
                        1,
                        _,
                    >(__fixed::part_mut::<1, 1, _, _>(dst), |at| { at.load(src) });
            }
        }
        #[inline(always)]
        fn sums0(
            src: &[[f32; 3]; 4],
            at0: __fixed::Places<'_, 4, 1>,
            dst: &mut [f32; 2],
        ) {
            {
                const TERMS: __fixed::Terms<3, 1> = __fixed::Terms::new(
                    &[__fixed::Term::new(1, 1, 1, 1)],
                    1,
                    0,
                );
                TERMS
                    .write::<
                        1,
                        _,
                    >(
                        __fixed::part_mut::<0, 1, _, _>(dst),
                        |at| { at0.fold(src, |src| { at.load(src) }) },
                    );
            }
            {
                const TERMS: __fixed::Terms<3, 1> = __fixed::Terms::new(
                    &[__fixed::Term::new(0, 1, 1, 1), __fixed::Term::new(2, 1, 1, 1)],
                    1,
                    0,
                );
                TERMS
                    .write::<
                        1,
                        _,
                    >(
                        __fixed::part_mut::<1, 1, _, _>(dst),
                        |at| { at0.fold(src, |src| { at.load(src) }) },
                    );
            }
        }
        {
            let (src, dst) = (&src[1], &mut dst[0]);
            __inside0(src, dst);
        }
        {
            const TERMS: __fixed::Terms<4, 1> = __fixed::Terms::new(
                &[__fixed::Term::new(0, 1, 1, 1), __fixed::Term::new(2, 1, 1, 1)],
                1,
                0,
            );
            TERMS
                .each(
                    __fixed::part_mut::<1, 1, _, _>(dst),
                    |at0, dst| sums0(src, at0, dst),
                );
        }
        {
            let (src, dst) = (&src[3], &mut dst[2]);
            __inside0(src, dst);
        }
    }
    __fixed::run(__nest, grad_out, grad_in);
}
/// The adjoint of [`pad_pixels`](fn@pad_pixels): overwrites the gradient of its input, of shape `[8, 3]`, with what the
/// gradient of its output, of shape `[1008, 3]`, makes of it, of any number of tensors.
///
/// # Errors
///
/// If `grad_out` is no whole number of tensors, or `grad_in` not the same number; nothing is written then.
fn pixels_gradient(
    grad_out: &[u8],
    grad_in: &mut [u8],
) -> ::core::result::Result<(), pad_kernels::PadError> {
    use pad_kernels::__fixed;
    #[inline(always)]
    fn __nest(src: &[u8; 3024], dst: &mut [u8; 24]) {
        {
            const TERMS: __fixed::Terms<1008, 8> = __fixed::Terms::new(
                &[__fixed::Term::new(0, 1, 1, 63), __fixed::Term::new(15, -1, 1, 63)],
                1,
                16,
            );
            TERMS
                .each(
                    __fixed::rows_mut::<_, 3, 8, _>(dst),
                    |at0, dst| {
                        const TERMS: __fixed::Terms<3, 3> = __fixed::Terms::new(
                            &[__fixed::Term::new(0, 1, 1, 1)],
                            1,
                            0,
                        );
                        TERMS
                            .write::<
                                3,
                                _,
                            >(
                                dst,
                                |at| {
                                    at0.fold(
                                        __fixed::rows::<_, 3, 1008, _>(src),
                                        |src| { at.load(src) },
                                    )
                                },
                            );
                    },
                );
        }
    }
    __fixed::run_adjoint_batch(__nest, grad_out, grad_in)
}
/// The adjoint of [`pad_far`](fn@pad_far): overwrites the gradient of its input, of shape `[40]`, with what the
/// gradient of its output, of shape `[96]`, makes of it.
fn far_gradient(grad_out: &[half::bf16; 96], grad_in: &mut [half::bf16; 40]) {
    use pad_kernels::__fixed;
    #[inline(always)]
    fn __nest(src: &[half::bf16; 96], dst: &mut [half::bf16; 40]) {
        {
            const TERMS: __fixed::Terms<96, 5> = __fixed::Terms::new(
                &[__fixed::Term::new(8, 2, 1, 2)],
                1,
                79,
            );
            TERMS
                .write::<
                    5,
                    _,
                >(__fixed::part_mut::<0, 5, _, _>(dst), |at| { at.load(src) });
        }
        __fixed::gather::<
            2,
            false,
            _,
            _,
            _,
        >(__fixed::part::<18, 61, _, _>(src), __fixed::part_mut::<5, 31, _, _>(dst));
        {
            const TERMS: __fixed::Terms<96, 4> = __fixed::Terms::new(
                &[__fixed::Term::new(1, 2, 1, 1), __fixed::Term::new(80, 2, 1, 1)],
                1,
                79,
            );
            TERMS
                .write::<
                    4,
                    _,
                >(__fixed::part_mut::<36, 4, _, _>(dst), |at| { at.load(src) });
        }
    }
    __fixed::run(__nest, grad_out, grad_in);
}
