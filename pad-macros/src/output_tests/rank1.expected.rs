// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

///Rank 1, portable.
mod r1_portable {
    use super::*;
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes4(job: &Job<'_>) {
        let axes = axes_of::<1usize>(&job.nest.axes);
        let depth = job.blocks.depth;
        let (src, dst) = (job.nest.src, job.nest.dst);
        let mut output: Bytes<'_, W4, Portable> = Bytes::<W4, Portable>::new(job);
        unsafe {
            debug_assert!(axes.len() == 1 && depth == 0);
            output.all(src, dst);
            output.finish();
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes(job: &Job<'_>) {
        let axes = axes_of::<1usize>(&job.nest.axes);
        let depth = job.blocks.depth;
        let (src, dst) = (job.nest.src, job.nest.dst);
        let mut output: Bytes<'_, Any, Portable> = Bytes::<Any, Portable>::new(job);
        unsafe {
            debug_assert!(axes.len() == 1 && depth == 0);
            output.all(src, dst);
            output.finish();
        }
    }
}
