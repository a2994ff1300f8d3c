// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

///Rank 3, portable.
mod r3_portable {
    use super::*;
    /// All of these axes from two places on; blocks are `depth` axes further in.
    ///
    /// # Safety
    ///
    /// - As for a kernel, with these axes from these places on.
    #[inline(never)]
    pub(super) unsafe fn any_width_axes(
        output: &mut Bytes<'_, Portable>,
        axes: &[Axis; 3usize],
        segments: &[Segments; 2usize],
        depth: usize,
        src: isize,
        dst: isize,
    ) {
        let ([axis, inner @ ..], [of_axis, of_inner @ ..]) = (axes, segments);
        let (stride, is_dense) = (axis.dst_stride, output.is_dense());
        let mut at = dst;
        let mut last = Made::NONE;
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
                                match last.place(from + i * step) {
                                    Some(before) => output.again(dst - before, dst, stride),
                                    None => {
                                        super::r2_portable::any_width_axes(
                                            output,
                                            inner,
                                            of_inner,
                                            depth - 1,
                                            src,
                                            dst,
                                        )
                                    }
                                }
                            }
                            if made < count {
                                output
                                    .again(stride, dst + stride, (count - 1) as isize * stride);
                            }
                            if is_dense {
                                last = Made::new((from, step, count), dst, pitch);
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
    #[inline(never)]
    pub(super) unsafe fn any_width(job: &Job<'_>, calls: &'static Calls) {
        let axes = axes_of::<3usize>(&job.nest.axes);
        let depth = job.blocks.depth;
        let (src, dst) = (job.nest.src, job.nest.dst);
        let mut output: Bytes<'_, Portable> = Bytes::<Portable>::new(job, calls);
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
    pub(super) unsafe fn bytes8(job: &Job<'_>) {
        unsafe { any_width(job, const { &Calls::of::<W8, Portable>() }) }
    }
}
#[cfg(all(target_arch = "x86_64"))]
///Rank 3, avx2.
mod r3_avx2 {
    use super::*;
    /// All of these axes from two places on; blocks are `depth` axes further in.
    ///
    /// # Safety
    ///
    /// - As for a kernel, with these axes from these places on.
    #[target_feature(enable = "avx2,bmi1,bmi2")]
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
        let mut last = Made::NONE;
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
                                match last.place(from + i * step) {
                                    Some(before) => output.again(dst - before, dst, stride),
                                    None => {
                                        super::r2_avx2::any_width_axes(
                                            output,
                                            inner,
                                            of_inner,
                                            depth - 1,
                                            src,
                                            dst,
                                        )
                                    }
                                }
                            }
                            if made < count {
                                output
                                    .again(stride, dst + stride, (count - 1) as isize * stride);
                            }
                            if is_dense {
                                last = Made::new((from, step, count), dst, pitch);
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
    #[target_feature(enable = "avx2,bmi1,bmi2")]
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
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) unsafe fn bytes8(job: &Job<'_>) {
        unsafe { any_width(job, const { &Calls::of::<W8, Avx2>() }) }
    }
}
