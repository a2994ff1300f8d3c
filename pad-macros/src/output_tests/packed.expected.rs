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
            row::<Edge, _>(&mut sink, axis0, job.src_offset, job.dst_offset);
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
            row::<Edge, _>(&mut sink, axis0, job.src_offset, job.dst_offset);
            sink.finish();
        }
    }
}
///Rank 2, edge, portable.
mod r2_edge_portable {
    use super::*;
    /// # Safety
    ///
    /// - As for a kernel, with two axes from these offsets on.
    #[inline(never)]
    pub(super) unsafe fn bytes1_plane(
        sink: &mut ByteSink<'_, W1, Portable>,
        axes: &[Axis; 2],
        row_plan: &RowPlan<'_, Edge>,
        src: isize,
        dst: isize,
    ) {
        let axis0 = &axes[0];
        let mut cursor0 = Cursor::<Edge>::new(axis0);
        let (mut dst0, mut left) = (dst, axis0.out);
        while left > 0 {
            let Stretch { from, step, count } = cursor0.stretch(left);
            let height = axis0.dst_stride.wrapping_mul(count as isize);
            unsafe {
                match from {
                    Some(offset) => {
                        rows(
                            sink,
                            row_plan,
                            (src + offset, step),
                            (dst0, axis0.dst_stride),
                            count,
                        );
                    }
                    None => fill_rows(sink, axis0, &axes[1..], dst0, count),
                }
            }
            dst0 = dst0.wrapping_add(height);
            left -= count;
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes1(job: &Job<'_>) {
        let Some(([], axes)) = job.axes.split_last_chunk() else { return };
        let mut sink = ByteSink::<W1, Portable>::new(job);
        unsafe {
            let row_plan = RowPlan::new(axes, sink.unit());
            bytes1_plane(&mut sink, axes, &row_plan, job.src_offset, job.dst_offset);
            sink.finish();
        }
    }
    /// # Safety
    ///
    /// - As for a kernel, with two axes from these offsets on.
    #[inline(never)]
    pub(super) unsafe fn bits_plane(
        sink: &mut BitSink,
        axes: &[Axis; 2],
        row_plan: &RowPlan<'_, Edge>,
        src: isize,
        dst: isize,
    ) {
        let axis0 = &axes[0];
        let mut cursor0 = Cursor::<Edge>::new(axis0);
        let (mut dst0, mut left) = (dst, axis0.out);
        while left > 0 {
            let Stretch { from, step, count } = cursor0.stretch(left);
            let height = axis0.dst_stride.wrapping_mul(count as isize);
            unsafe {
                match from {
                    Some(offset) => {
                        rows(
                            sink,
                            row_plan,
                            (src + offset, step),
                            (dst0, axis0.dst_stride),
                            count,
                        );
                    }
                    None => fill_rows(sink, axis0, &axes[1..], dst0, count),
                }
            }
            dst0 = dst0.wrapping_add(height);
            left -= count;
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bits(job: &Job<'_>) {
        let Some(([], axes)) = job.axes.split_last_chunk() else { return };
        let mut sink = BitSink::new(job);
        unsafe {
            let row_plan = RowPlan::new(axes, sink.unit());
            bits_plane(&mut sink, axes, &row_plan, job.src_offset, job.dst_offset);
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
            row::<Edge, _>(&mut sink, axis0, job.src_offset, job.dst_offset);
            sink.finish();
        }
    }
}
#[cfg(target_arch = "x86_64")]
///Rank 2, edge, avx2.
mod r2_edge_avx2 {
    use super::*;
    /// # Safety
    ///
    /// - As for a kernel, with two axes from these offsets on.
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    pub(super) unsafe fn bytes1_plane(
        sink: &mut ByteSink<'_, W1, Avx2>,
        axes: &[Axis; 2],
        row_plan: &RowPlan<'_, Edge>,
        src: isize,
        dst: isize,
    ) {
        let axis0 = &axes[0];
        let mut cursor0 = Cursor::<Edge>::new(axis0);
        let (mut dst0, mut left) = (dst, axis0.out);
        while left > 0 {
            let Stretch { from, step, count } = cursor0.stretch(left);
            let height = axis0.dst_stride.wrapping_mul(count as isize);
            unsafe {
                match from {
                    Some(offset) => {
                        rows(
                            sink,
                            row_plan,
                            (src + offset, step),
                            (dst0, axis0.dst_stride),
                            count,
                        );
                    }
                    None => fill_rows(sink, axis0, &axes[1..], dst0, count),
                }
            }
            dst0 = dst0.wrapping_add(height);
            left -= count;
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
            let row_plan = RowPlan::new(axes, sink.unit());
            bytes1_plane(&mut sink, axes, &row_plan, job.src_offset, job.dst_offset);
            sink.finish();
        }
    }
}
