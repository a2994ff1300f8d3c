// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

///Rank 3, wrap, portable.
mod r3_wrap_portable {
    use super::*;
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes8(job: &Job<'_>) {
        let Some((outer, inner)) = job.axes.split_last_chunk() else { return };
        let [axis0] = outer else { return };
        let mut sink = ByteSink::<W8, Portable>::new(job);
        unsafe {
            let row_plan = RowPlan::new(&inner[1], sink.unit());
            let mut cursor0 = Cursor::<Wrap>::new(axis0);
            let (mut dst0, mut left0) = (job.dst_offset, axis0.out);
            while left0 > 0 {
                let stretch = cursor0.stretch(left0, sink.sequential());
                let Stretch { from, step, count, gap } = stretch;
                match from {
                    Some(offset) => {
                        let between = gap * axis0.dst_stride as usize;
                        let (src, dst) = (
                            (job.src_offset + offset, step),
                            (dst0, axis0.dst_stride + between as isize),
                        );
                        super::r2_wrap_portable::bytes8_plane(
                            &mut sink,
                            inner,
                            &row_plan,
                            src,
                            dst,
                            count,
                            between,
                        );
                    }
                    None => fill_rows(&mut sink, axis0, inner, dst0, count),
                }
                let positions = stretch.positions();
                dst0 = dst0
                    .wrapping_add(axis0.dst_stride.wrapping_mul(positions as isize));
                left0 -= positions;
            }
            sink.finish();
        }
    }
}
#[cfg(target_arch = "x86_64")]
///Rank 3, wrap, avx2.
mod r3_wrap_avx2 {
    use super::*;
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) unsafe fn bytes8(job: &Job<'_>) {
        let Some((outer, inner)) = job.axes.split_last_chunk() else { return };
        let [axis0] = outer else { return };
        let mut sink = ByteSink::<W8, Avx2>::new(job);
        unsafe {
            let row_plan = RowPlan::new(&inner[1], sink.unit());
            let mut cursor0 = Cursor::<Wrap>::new(axis0);
            let (mut dst0, mut left0) = (job.dst_offset, axis0.out);
            while left0 > 0 {
                let stretch = cursor0.stretch(left0, sink.sequential());
                let Stretch { from, step, count, gap } = stretch;
                match from {
                    Some(offset) => {
                        let between = gap * axis0.dst_stride as usize;
                        let (src, dst) = (
                            (job.src_offset + offset, step),
                            (dst0, axis0.dst_stride + between as isize),
                        );
                        super::r2_wrap_avx2::bytes8_plane(
                            &mut sink,
                            inner,
                            &row_plan,
                            src,
                            dst,
                            count,
                            between,
                        );
                    }
                    None => fill_rows(&mut sink, axis0, inner, dst0, count),
                }
                let positions = stretch.positions();
                dst0 = dst0
                    .wrapping_add(axis0.dst_stride.wrapping_mul(positions as isize));
                left0 -= positions;
            }
            sink.finish();
        }
    }
}
