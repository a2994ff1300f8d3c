//! Source and destination of a run.

use crate::kernel::Job;
use crate::kernel::memory::Fetch;
use crate::kernel::stream::Stream;
use crate::plan::nest::Nest;
use crate::plan::pattern::Pattern;

/// Source and destination of a run.
pub(super) struct Sheet<'a> {
    pub(super) src: *const u8,
    /// Bytes that may be read.
    pub(super) src_len: usize,
    pub(super) dst: *mut u8,
    /// Bytes that may be written.
    pub(super) dst_len: usize,
    pub(super) fill: &'a Pattern,
    /// The destination holds the fill already.
    pub(super) filled: bool,
    /// Nothing may be read but elements.
    pub(super) exact: bool,
    pub(super) nest: &'a Nest,
    pub(super) stream: Option<Stream>,
}

impl<'a> Sheet<'a> {
    /// That of a job.
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
            nest: job.nest,
            stream: job.stage.map(|stage| Stream::new(stage.as_ptr(), job.places.dst)),
        }
    }

    /// Whether loops over registers `R` tell the machine ahead.
    #[inline(always)]
    pub(super) fn fetch<R>(&self) -> Fetch {
        Fetch::of::<R>(self.dst_len)
    }
}
