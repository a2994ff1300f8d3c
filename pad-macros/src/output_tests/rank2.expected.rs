// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

///Rank 2, symmetric, portable.
mod r2_symmetric_portable {
    use super::*;
    /// # Safety
    ///
    /// - As for a kernel, with two axes from these offsets on.
    #[inline(never)]
    pub(super) unsafe fn bytes2_plane(
        sink: &mut ByteSink<'_, W2, Portable>,
        axes: &[Axis; 2],
        row_plan: &RowPlan<'_, Symmetric>,
        src: isize,
        dst: isize,
    ) {
        let axis0 = &axes[0];
        let mut cursor0 = Cursor::<Symmetric>::new(axis0);
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
    pub(super) unsafe fn bytes2(job: &Job<'_>) {
        let Some(([], axes)) = job.axes.split_last_chunk() else { return };
        let mut sink = ByteSink::<W2, Portable>::new(job);
        unsafe {
            let row_plan = RowPlan::new(axes, sink.unit());
            bytes2_plane(&mut sink, axes, &row_plan, job.src_offset, job.dst_offset);
            sink.finish();
        }
    }
}
