// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

///Rank 2, portable.
mod r2_portable {
    use super::*;
    /// All of these axes from two places on; blocks are `depth` axes further in.
    ///
    /// # Safety
    ///
    /// - As for a kernel, with these axes from these places on.
    #[inline(never)]
    pub(super) unsafe fn any_width_axes(
        output: &mut Bytes<'_, Portable>,
        axes: &[Axis; 2usize],
        segments: &[Segments; 1usize],
        depth: usize,
        src: isize,
        dst: isize,
    ) {
        let ([axis, _], [of_axis]) = (axes, segments);
        debug_assert_eq!(depth, 1);
        let (stride, is_dense) = (axis.dst_stride, output.is_dense());
        let mut at = dst;
        for segment in pieces(of_axis, is_dense) {
            let (begin, dst) = (dst, at);
            unsafe {
                match segment {
                    Segment::Fill { count } => output.fill(2usize, dst, count),
                    Segment::Again { from, count, .. } => {
                        output
                            .again(
                                dst - begin - from as isize * stride,
                                dst,
                                count as isize * stride,
                            );
                    }
                    Segment::Source { from, step, count, gap } => {
                        let (src, step) = (
                            src + from * axis.src_stride,
                            step * axis.src_stride,
                        );
                        output.blocks(2usize, src, step, dst, count, gap);
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
        let axes = axes_of::<2usize>(&job.nest.axes);
        let depth = job.blocks.depth;
        let (src, dst) = (job.nest.src, job.nest.dst);
        let mut output: Bytes<'_, Portable> = Bytes::<Portable>::new(job, calls);
        unsafe {
            if depth > 0 {
                let segments = [axes[0usize].segments()];
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
    pub(super) unsafe fn bytes2(job: &Job<'_>) {
        unsafe { any_width(job, const { &Calls::of::<W2, Portable>() }) }
    }
}
