// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

///Rank 1, reflect, portable.
mod r1_reflect_portable {
    use super::*;
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes4(job: &Job<'_>) {
        let axes = axes_of::<1usize>(&job.nest.axes);
        let depth = job.blocks.depth;
        let mut output = Bytes::<W4, Portable>::new(job);
        let (src, dst) = (job.nest.src, job.nest.dst);
        unsafe {
            if depth == 0 {
                output.all(src, dst);
                return output.finish();
            }
            let is_dense = output.is_dense();
            output.finish();
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes(job: &Job<'_>) {
        let axes = axes_of::<1usize>(&job.nest.axes);
        let depth = job.blocks.depth;
        let mut output = Bytes::<Any, Portable>::new(job);
        let (src, dst) = (job.nest.src, job.nest.dst);
        unsafe {
            if depth == 0 {
                output.all(src, dst);
                return output.finish();
            }
            let is_dense = output.is_dense();
            output.finish();
        }
    }
}
