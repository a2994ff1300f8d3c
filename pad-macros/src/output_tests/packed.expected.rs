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
        axes: &[Axis],
        src: isize,
        dst: isize,
    ) {
        let [axis0, axis1] = axes else { return };
        unsafe {
            let mut cursor0 = Cursor::<Edge>::new(axis0);
            let mut dst0 = dst;
            for _ in 0..axis0.out {
                match cursor0.next() {
                    Some(offset) => {
                        let src0 = src + offset;
                        row::<Edge, _>(sink, axis1, src0, dst0);
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
    pub(super) unsafe fn bytes1(job: &Job<'_>) {
        let mut sink = ByteSink::<W1, Portable>::new(job);
        unsafe {
            bytes1_plane(&mut sink, job.axes, job.src_offset, job.dst_offset);
            sink.finish();
        }
    }
    /// # Safety
    ///
    /// - As for a kernel, with two axes from these offsets on.
    #[inline(never)]
    pub(super) unsafe fn bits_plane(
        sink: &mut BitSink,
        axes: &[Axis],
        src: isize,
        dst: isize,
    ) {
        let [axis0, axis1] = axes else { return };
        unsafe {
            let mut cursor0 = Cursor::<Edge>::new(axis0);
            let mut dst0 = dst;
            for _ in 0..axis0.out {
                match cursor0.next() {
                    Some(offset) => {
                        let src0 = src + offset;
                        row::<Edge, _>(sink, axis1, src0, dst0);
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
    pub(super) unsafe fn bits(job: &Job<'_>) {
        let mut sink = BitSink::new(job);
        unsafe {
            bits_plane(&mut sink, job.axes, job.src_offset, job.dst_offset);
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
        axes: &[Axis],
        src: isize,
        dst: isize,
    ) {
        let [axis0, axis1] = axes else { return };
        unsafe {
            let mut cursor0 = Cursor::<Edge>::new(axis0);
            let mut dst0 = dst;
            for _ in 0..axis0.out {
                match cursor0.next() {
                    Some(offset) => {
                        let src0 = src + offset;
                        row::<Edge, _>(sink, axis1, src0, dst0);
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
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn bytes1(job: &Job<'_>) {
        let mut sink = ByteSink::<W1, Avx2>::new(job);
        unsafe {
            bytes1_plane(&mut sink, job.axes, job.src_offset, job.dst_offset);
            sink.finish();
        }
    }
}
