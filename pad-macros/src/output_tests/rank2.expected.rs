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
        axes: &[Axis],
        src: isize,
        dst: isize,
    ) {
        let [axis0, axis1] = axes else { return };
        unsafe {
            let mut cursor0 = Cursor::<Symmetric>::new(axis0);
            let mut dst0 = dst;
            for _ in 0..axis0.out {
                match cursor0.next() {
                    Some(offset) => {
                        let src0 = src + offset;
                        row::<Symmetric, _>(sink, axis1, src0, dst0);
                    }
                    None => fill_block(sink, &axes[1usize..], dst0, axis0.dst_stride),
                }
                dst0 = dst0.wrapping_add(axis0.dst_stride);
            }
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes2(job: &Job<'_>) {
        let mut sink = ByteSink::<W2, Portable>::new(job);
        unsafe {
            bytes2_plane(&mut sink, job.axes, job.src_offset, job.dst_offset);
            sink.finish();
        }
    }
}
