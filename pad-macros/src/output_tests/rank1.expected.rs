// Generated code, as it is compiled. Bless a wanted change with PAD_BLESS=1.

///Rank 1, portable.
mod r1_portable {
    use super::*;
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    #[inline(never)]
    pub(super) unsafe fn any_width(job: &Job<'_>, calls: &'static Calls) {
        let axes = axes_of::<1usize>(&job.nest.axes);
        let depth = job.blocks.depth;
        let (src, dst) = (job.nest.src, job.nest.dst);
        let mut output: Bytes<'_, Portable> = Bytes::<Portable>::new(job, calls);
        unsafe {
            debug_assert!(axes.len() == 1 && depth == 0);
            output.all(src, dst);
            output.finish();
        }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes4(job: &Job<'_>) {
        unsafe { any_width(job, const { &Calls::of::<W4, Portable>() }) }
    }
    /// # Safety
    ///
    /// - The contract of a [`Job`].
    pub(super) unsafe fn bytes(job: &Job<'_>) {
        unsafe { any_width(job, const { &Calls::of::<Any, Portable>() }) }
    }
}
