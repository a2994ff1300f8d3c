// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

///Rank 1, reflect, portable.
mod r1_reflect_portable {
    use super::*;
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes4(job: &Job<'_>) {
        let [axis0] = job.axes else { return };
        let mut sink = ByteSink::<W4, Portable>::new(job);
        unsafe {
            let row_plan = RowPlan::<Reflect>::new(axis0, sink.unit());
            rows(&mut sink, &row_plan, (job.src_offset, 0), (job.dst_offset, 0), 1, 0);
            sink.finish();
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes(job: &Job<'_>) {
        let [axis0] = job.axes else { return };
        let mut sink = ByteSink::<Any, Portable>::new(job);
        unsafe {
            let row_plan = RowPlan::<Reflect>::new(axis0, sink.unit());
            rows(&mut sink, &row_plan, (job.src_offset, 0), (job.dst_offset, 0), 1, 0);
            sink.finish();
        }
    }
}
