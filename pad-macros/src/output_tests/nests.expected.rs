// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

///Rank 1, portable.
mod r1_portable {
    use super::*;
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    #[inline(never)]
    pub(super) unsafe fn any_width(job: &Job<'_>, calls: &'static Calls) {
        let axes = axes_of::<1usize>(&job.nest.axes);
        let depth = job.blocks.depth;
        let (src, dst) = (job.nest.src, job.nest.dst);
        let mut output: Bytes<'_, Portable> = Bytes::<Portable>::new(job, calls);
        unsafe {
            debug_assert!(axes.len() == 1 && depth == 0);
            output.all(src, dst);
            output.finish();
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes4(job: &Job<'_>) {
        unsafe { any_width(job, const { &Calls::of::<W4, Portable>() }) }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes(job: &Job<'_>) {
        unsafe { any_width(job, const { &Calls::of::<Any, Portable>() }) }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    #[inline(never)]
    pub(super) unsafe fn bits(job: &Job<'_>) {
        let axes = axes_of::<1usize>(&job.nest.axes);
        let depth = 0usize;
        let (src, dst) = (job.nest.src, job.nest.dst);
        let mut output: Bits<'_> = Bits::new(job);
        unsafe {
            debug_assert!(axes.len() == 1 && depth == 0);
            output.all(src, dst);
            output.finish();
        }
    }
}
#[cfg(all(target_arch = "x86_64"))]
///Rank 3, avx2.
mod r3_avx2 {
    use super::*;
    /// Pads these axes, from the places `src` and `dst`. The blocks start `depth` axes further in.
    ///
    /// # Safety
    ///
    /// - The contract of a [`Job`] with these axes and places.
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    pub(super) unsafe fn any_width_axes(
        output: &mut Bytes<'_, Avx2>,
        axes: &[Axis; 3usize],
        segments: &[Segments; 2usize],
        depth: usize,
        src: isize,
        dst: isize,
    ) {
        let ([axis, inner @ ..], [of_axis, of_inner @ ..]) = (axes, segments);
        let (stride, is_dense) = (axis.dst_stride, output.is_dense());
        let mut at = dst;
        for segment in pieces(of_axis, is_dense) {
            let (begin, dst) = (dst, at);
            unsafe {
                match segment {
                    Segment::Fill { count } => output.fill(3usize, dst, count),
                    Segment::Again { from, count, .. } => {
                        output
                            .again(
                                dst - begin - from as isize * stride,
                                dst,
                                count as isize * stride,
                            );
                    }
                    Segment::Source { from, step, count, gap } => {
                        if depth == 1 {
                            let (src, step) = (
                                src + from * axis.src_stride,
                                step * axis.src_stride,
                            );
                            output.blocks(3usize, src, step, dst, count, gap);
                        } else {
                            let pitch = (gap as isize + 1) * stride;
                            let made = if step == 0 && gap == 0 && is_dense {
                                1
                            } else {
                                count
                            };
                            for i in 0..made as isize {
                                let (src, dst) = (
                                    src + (from + i * step) * axis.src_stride,
                                    dst + i * pitch,
                                );
                                if i > 0 && gap > 0 {
                                    output.fill(3usize, dst - gap as isize * stride, gap);
                                }
                                super::r2_avx2::any_width_axes(
                                    output,
                                    inner,
                                    of_inner,
                                    depth - 1,
                                    src,
                                    dst,
                                );
                            }
                            if made < count {
                                output
                                    .again(stride, dst + stride, (count - 1) as isize * stride);
                            }
                        }
                    }
                }
            }
            at = at.wrapping_add((segment.positions() as isize).wrapping_mul(stride));
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    pub(super) unsafe fn any_width(job: &Job<'_>, calls: &'static Calls) {
        let axes = axes_of::<3usize>(&job.nest.axes);
        let depth = job.blocks.depth;
        let (src, dst) = (job.nest.src, job.nest.dst);
        let mut output: Bytes<'_, Avx2> = Bytes::<Avx2>::new(job, calls);
        unsafe {
            if depth > 0 {
                let segments = [axes[0usize].segments(), axes[1usize].segments()];
                any_width_axes(&mut output, axes, &segments, depth, src, dst);
            } else {
                output.all(src, dst);
            }
            output.finish();
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn bytes4(job: &Job<'_>) {
        unsafe { any_width(job, const { &Calls::of::<W4, Avx2>() }) }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn bytes(job: &Job<'_>) {
        unsafe { any_width(job, const { &Calls::of::<Any, Avx2>() }) }
    }
}
