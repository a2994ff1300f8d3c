// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

///Rank 2, symmetric, portable.
mod r2_symmetric_portable {
    use super::*;
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes2(job: &Job<'_>) {
        let axes = axes_of::<2usize>(&job.nest.axes);
        let depth = job.blocks.depth;
        let mut output = Bytes::<W2, Portable>::new(job);
        let (src, dst) = (job.nest.src, job.nest.dst);
        unsafe {
            if depth == 0 {
                output.all(src, dst);
                return output.finish();
            }
            let is_dense = output.is_dense();
            let segments0 = Symmetric::segments(&axes[0usize]);
            let stride = axes[0usize].dst_stride;
            let mut at = dst;
            for segment in pieces(&segments0, is_dense) {
                let (begin, dst) = (dst, at);
                match segment {
                    Segment::Fill { count } => output.fill(0usize, dst, count),
                    Segment::Again { from, count, .. } => {
                        output
                            .again(
                                dst - begin - from as isize * stride,
                                dst,
                                count as isize * stride,
                            );
                    }
                    Segment::Source { from, step, count, gap } => {
                        let (from, step) = (
                            src + from * axes[0usize].src_stride,
                            step * axes[0usize].src_stride,
                        );
                        output.blocks(0usize, from, step, dst, count, gap);
                    }
                }
                at += segment.positions() as isize * stride;
            }
            output.finish();
        }
    }
}
