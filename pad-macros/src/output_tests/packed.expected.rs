// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

///Rank 1, edge, portable.
mod r1_edge_portable {
    use super::*;
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes1(job: &Job<'_>) {
        let [axis0] = job.axes else { return };
        let mut sink = ByteSink::<W1, Portable>::new(job);
        unsafe {
            let row_plan = RowPlan::<Edge>::new(axis0, sink.unit());
            rows(&mut sink, &row_plan, (job.src_offset, 0), (job.dst_offset, 0), 1, 0);
            sink.finish();
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bits(job: &Job<'_>) {
        let [axis0] = job.axes else { return };
        let mut sink = BitSink::new(job);
        unsafe {
            let row_plan = RowPlan::<Edge>::new(axis0, sink.unit());
            rows(&mut sink, &row_plan, (job.src_offset, 0), (job.dst_offset, 0), 1, 0);
            sink.finish();
        }
    }
}
///Rank 2, edge, portable.
mod r2_edge_portable {
    use super::*;
    /// `count` planes, with `between` atoms of fill between each two if the sink is sequential.
    ///
    /// # Safety
    ///
    /// - As for a kernel, with two axes from these offsets on.
    #[inline(never)]
    pub(super) unsafe fn bytes1_plane(
        sink: &mut ByteSink<'_, W1, Portable>,
        axes: &[Axis; 2],
        row_plan: &RowPlan<'_, Edge>,
        (mut src, src_step): (isize, isize),
        (mut dst, dst_step): (isize, isize),
        count: usize,
        between: usize,
    ) {
        let axis0 = &axes[0];
        unsafe {
            if planes(sink, axis0, row_plan, (src, src_step), dst, count, between) {
                return;
            }
            for plane in 0..count {
                if plane > 0 {
                    sink.fill(between);
                }
                let mut cursor0 = Cursor::<Edge>::new(axis0);
                let (mut dst0, mut left) = (dst, axis0.out);
                while left > 0 {
                    let stretch = cursor0.stretch(left, sink.sequential());
                    let Stretch { from, step, count, gap } = stretch;
                    match from {
                        Some(offset) => {
                            let between = gap * axis0.dst_stride as usize;
                            let (src, dst) = (
                                (src + offset, step),
                                (dst0, axis0.dst_stride + between as isize),
                            );
                            rows(sink, row_plan, src, dst, count, between);
                        }
                        None => fill_rows(sink, axis0, &axes[1..], dst0, count),
                    }
                    let positions = stretch.positions();
                    dst0 = dst0
                        .wrapping_add(axis0.dst_stride.wrapping_mul(positions as isize));
                    left -= positions;
                }
                src = src.wrapping_add(src_step);
                dst = dst.wrapping_add(dst_step);
            }
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes1(job: &Job<'_>) {
        let Some(([], axes)) = job.axes.split_last_chunk() else { return };
        let mut sink = ByteSink::<W1, Portable>::new(job);
        unsafe {
            let row_plan = RowPlan::new(&axes[1], sink.unit());
            bytes1_plane(
                &mut sink,
                axes,
                &row_plan,
                (job.src_offset, 0),
                (job.dst_offset, 0),
                1,
                0,
            );
            sink.finish();
        }
    }
    /// `count` planes, with `between` atoms of fill between each two if the sink is sequential.
    ///
    /// # Safety
    ///
    /// - As for a kernel, with two axes from these offsets on.
    #[inline(never)]
    pub(super) unsafe fn bits_plane(
        sink: &mut BitSink,
        axes: &[Axis; 2],
        row_plan: &RowPlan<'_, Edge>,
        (mut src, src_step): (isize, isize),
        (mut dst, dst_step): (isize, isize),
        count: usize,
        between: usize,
    ) {
        let axis0 = &axes[0];
        unsafe {
            if planes(sink, axis0, row_plan, (src, src_step), dst, count, between) {
                return;
            }
            for plane in 0..count {
                if plane > 0 {
                    sink.fill(between);
                }
                let mut cursor0 = Cursor::<Edge>::new(axis0);
                let (mut dst0, mut left) = (dst, axis0.out);
                while left > 0 {
                    let stretch = cursor0.stretch(left, sink.sequential());
                    let Stretch { from, step, count, gap } = stretch;
                    match from {
                        Some(offset) => {
                            let between = gap * axis0.dst_stride as usize;
                            let (src, dst) = (
                                (src + offset, step),
                                (dst0, axis0.dst_stride + between as isize),
                            );
                            rows(sink, row_plan, src, dst, count, between);
                        }
                        None => fill_rows(sink, axis0, &axes[1..], dst0, count),
                    }
                    let positions = stretch.positions();
                    dst0 = dst0
                        .wrapping_add(axis0.dst_stride.wrapping_mul(positions as isize));
                    left -= positions;
                }
                src = src.wrapping_add(src_step);
                dst = dst.wrapping_add(dst_step);
            }
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bits(job: &Job<'_>) {
        let Some(([], axes)) = job.axes.split_last_chunk() else { return };
        let mut sink = BitSink::new(job);
        unsafe {
            let row_plan = RowPlan::new(&axes[1], sink.unit());
            bits_plane(
                &mut sink,
                axes,
                &row_plan,
                (job.src_offset, 0),
                (job.dst_offset, 0),
                1,
                0,
            );
            sink.finish();
        }
    }
}
#[cfg(target_arch = "x86_64")]
///Rank 1, edge, avx2.
mod r1_edge_avx2 {
    use super::*;
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn bytes1(job: &Job<'_>) {
        let [axis0] = job.axes else { return };
        let mut sink = ByteSink::<W1, Avx2>::new(job);
        unsafe {
            let row_plan = RowPlan::<Edge>::new(axis0, sink.unit());
            rows(&mut sink, &row_plan, (job.src_offset, 0), (job.dst_offset, 0), 1, 0);
            sink.finish();
        }
    }
}
#[cfg(target_arch = "x86_64")]
///Rank 2, edge, avx2.
mod r2_edge_avx2 {
    use super::*;
    /// `count` planes, with `between` atoms of fill between each two if the sink is sequential.
    ///
    /// # Safety
    ///
    /// - As for a kernel, with two axes from these offsets on.
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    pub(super) unsafe fn bytes1_plane(
        sink: &mut ByteSink<'_, W1, Avx2>,
        axes: &[Axis; 2],
        row_plan: &RowPlan<'_, Edge>,
        (mut src, src_step): (isize, isize),
        (mut dst, dst_step): (isize, isize),
        count: usize,
        between: usize,
    ) {
        let axis0 = &axes[0];
        unsafe {
            if planes(sink, axis0, row_plan, (src, src_step), dst, count, between) {
                return;
            }
            for plane in 0..count {
                if plane > 0 {
                    sink.fill(between);
                }
                let mut cursor0 = Cursor::<Edge>::new(axis0);
                let (mut dst0, mut left) = (dst, axis0.out);
                while left > 0 {
                    let stretch = cursor0.stretch(left, sink.sequential());
                    let Stretch { from, step, count, gap } = stretch;
                    match from {
                        Some(offset) => {
                            let between = gap * axis0.dst_stride as usize;
                            let (src, dst) = (
                                (src + offset, step),
                                (dst0, axis0.dst_stride + between as isize),
                            );
                            rows(sink, row_plan, src, dst, count, between);
                        }
                        None => fill_rows(sink, axis0, &axes[1..], dst0, count),
                    }
                    let positions = stretch.positions();
                    dst0 = dst0
                        .wrapping_add(axis0.dst_stride.wrapping_mul(positions as isize));
                    left -= positions;
                }
                src = src.wrapping_add(src_step);
                dst = dst.wrapping_add(dst_step);
            }
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn bytes1(job: &Job<'_>) {
        let Some(([], axes)) = job.axes.split_last_chunk() else { return };
        let mut sink = ByteSink::<W1, Avx2>::new(job);
        unsafe {
            let row_plan = RowPlan::new(&axes[1], sink.unit());
            bytes1_plane(
                &mut sink,
                axes,
                &row_plan,
                (job.src_offset, 0),
                (job.dst_offset, 0),
                1,
                0,
            );
            sink.finish();
        }
    }
}
