// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

///Rank 3, wrap, portable.
mod r3_wrap_portable {
    use super::*;
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes8(job: &Job<'_>) {
        let axes = axes_of::<3usize>(&job.nest.axes);
        let depth = job.blocks.depth;
        let mut output = Bytes::<W8, Portable>::new(job);
        let (src, dst) = (job.nest.src, job.nest.dst);
        unsafe {
            if depth == 0 {
                output.all(src, dst);
                return output.finish();
            }
            let is_dense = output.is_dense();
            let segments0 = Wrap::segments(&axes[0usize]);
            let segments1 = Wrap::segments(&axes[1usize]);
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
                        if depth == 1usize {
                            output.blocks(0usize, from, step, dst, count, gap);
                        } else {
                            let pitch = (gap as isize + 1) * stride;
                            let made = if step == 0 && gap == 0 && is_dense {
                                1
                            } else {
                                count
                            };
                            for i in 0..made as isize {
                                let (src, dst) = (from + i * step, dst + i * pitch);
                                if i > 0 && gap > 0 {
                                    output.fill(0usize, dst - gap as isize * stride, gap);
                                }
                                let stride = axes[1usize].dst_stride;
                                let mut at = dst;
                                for segment in pieces(&segments1, is_dense) {
                                    let (begin, dst) = (dst, at);
                                    match segment {
                                        Segment::Fill { count } => output.fill(1usize, dst, count),
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
                                                src + from * axes[1usize].src_stride,
                                                step * axes[1usize].src_stride,
                                            );
                                            output.blocks(1usize, from, step, dst, count, gap);
                                        }
                                    }
                                    at += segment.positions() as isize * stride;
                                }
                            }
                            if made < count {
                                output
                                    .again(stride, dst + stride, (count - 1) as isize * stride);
                            }
                        }
                    }
                }
                at += segment.positions() as isize * stride;
            }
            output.finish();
        }
    }
}
#[cfg(all(target_arch = "x86_64"))]
///Rank 3, wrap, avx2.
mod r3_wrap_avx2 {
    use super::*;
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) unsafe fn bytes8(job: &Job<'_>) {
        let axes = axes_of::<3usize>(&job.nest.axes);
        let depth = job.blocks.depth;
        let mut output = Bytes::<W8, Avx2>::new(job);
        let (src, dst) = (job.nest.src, job.nest.dst);
        unsafe {
            if depth == 0 {
                output.all(src, dst);
                return output.finish();
            }
            let is_dense = output.is_dense();
            let segments0 = Wrap::segments(&axes[0usize]);
            let segments1 = Wrap::segments(&axes[1usize]);
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
                        if depth == 1usize {
                            output.blocks(0usize, from, step, dst, count, gap);
                        } else {
                            let pitch = (gap as isize + 1) * stride;
                            let made = if step == 0 && gap == 0 && is_dense {
                                1
                            } else {
                                count
                            };
                            for i in 0..made as isize {
                                let (src, dst) = (from + i * step, dst + i * pitch);
                                if i > 0 && gap > 0 {
                                    output.fill(0usize, dst - gap as isize * stride, gap);
                                }
                                let stride = axes[1usize].dst_stride;
                                let mut at = dst;
                                for segment in pieces(&segments1, is_dense) {
                                    let (begin, dst) = (dst, at);
                                    match segment {
                                        Segment::Fill { count } => output.fill(1usize, dst, count),
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
                                                src + from * axes[1usize].src_stride,
                                                step * axes[1usize].src_stride,
                                            );
                                            output.blocks(1usize, from, step, dst, count, gap);
                                        }
                                    }
                                    at += segment.positions() as isize * stride;
                                }
                            }
                            if made < count {
                                output
                                    .again(stride, dst + stride, (count - 1) as isize * stride);
                            }
                        }
                    }
                }
                at += segment.positions() as isize * stride;
            }
            output.finish();
        }
    }
}
