//! A sheet holds what the functions of this folder need for one run: the memory of source and destination, and the fill.

use crate::kernel::Job;
use crate::kernel::memory::Fetch;
use crate::kernel::stream::Stream;
use crate::plan::nest::Nest;
use crate::plan::pattern::Pattern;

/// The memory that a kernel reads and writes, the fill, and the nest.
pub(super) struct Sheet<'a> {
    pub(super) src: *const u8,
    /// The number of bytes from `src` that hold all units of the source.
    pub(super) src_len: usize,
    pub(super) dst: *mut u8,
    /// The number of bytes from `dst` that hold all units of the output.
    pub(super) dst_len: usize,
    pub(super) fill: &'a Pattern,
    /// True if the destination already contains the fill.
    pub(super) filled: bool,
    /// True if the source is not a slice. Code that knows only the sheet then reads no bytes between the elements.
    pub(super) exact: bool,
    /// True if long copies use non-temporal stores, which bypass the cache.
    pub(super) bypass: bool,
    pub(super) nest: &'a Nest,
    pub(super) stream: Option<Stream>,
}

impl<'a> Sheet<'a> {
    /// Returns the sheet for a job.
    #[inline(always)]
    pub(super) fn new(job: &'a Job<'_>) -> Sheet<'a> {
        Sheet {
            src: job.places.src,
            src_len: job.places.src_len,
            dst: job.places.dst,
            dst_len: job.places.dst_len,
            fill: job.fill,
            filled: job.filled,
            exact: job.places.solid != usize::MAX,
            bypass: false,
            nest: job.nest,
            stream: job.stage.map(|stage| Stream::new(stage.as_ptr(), job.places.dst)),
        }
    }

    /// Returns the choice whether loops over registers `R` prefetch.
    #[inline(always)]
    pub(super) fn fetch<R>(&self) -> Fetch {
        Fetch::of::<R>(self.dst_len)
    }
}
