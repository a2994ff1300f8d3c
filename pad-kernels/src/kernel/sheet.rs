//! The output of nests that move bytes.

use core::marker::PhantomData;

use crate::kernel::Job;
use crate::kernel::blocks::{Blocks, Kind};
use crate::kernel::memory::{OVERSHOOT, fill_exact, repeat};
use crate::kernel::nest::Output;
use crate::kernel::program::{Program, run_blocks, run_blocks_staged};
use crate::kernel::simd::{STREAMS, Simd};
use crate::kernel::stream::{Block, Stream};
use crate::kernel::strided::Width;
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
    /// Stores may overshoot up to here: what lies behind a position is not written yet.
    over_end: usize,
    pub(super) fill: &'a Pattern,
    /// The destination holds the fill already.
    pub(super) filled: bool,
    pub(super) nest: &'a Nest,
    pub(super) stream: Option<Stream>,
}

impl<'a> Sheet<'a> {
    /// That of a job whose output is streamed by way of `block`, if one is given.
    #[inline(always)]
    pub(super) fn new(job: &Job<'a>, block: Option<&mut Block>) -> Sheet<'a> {
        let dense = job.nest.sequential;
        Sheet {
            src: job.src,
            src_len: job.src_len,
            dst: job.dst,
            dst_len: job.dst_len,
            over_end: if dense && !job.filled { job.dst_len } else { 0 },
            fill: job.fill,
            filled: job.filled,
            nest: job.nest,
            stream: block.map(|block| Stream::new(block, job.dst)),
        }
    }

    /// Whether moves that read up to `src` and write up to `dst` may overshoot.
    #[inline(always)]
    pub(super) fn has_room(&self, src: isize, dst: usize) -> bool {
        dst + OVERSHOOT <= self.over_end && src + OVERSHOOT as isize <= self.src_len as isize
    }
}

/// Functions compiled for an instruction set, which the macro writes: each calls the function of its name in this module or
/// in [`strided`](super::strided).
///
/// The contract of them all: that of [`Output`], and the machine has the instruction set.
pub(super) trait Shells: Simd + Sized {
    unsafe fn write_blocks(
        sheet: &Sheet<'_>,
        program: &Program,
        src: (isize, isize),
        dst: (isize, isize),
        count: usize,
    );
    unsafe fn stream_blocks(sheet: &mut Sheet<'_>, program: &Program, src: (isize, isize), count: usize);
    unsafe fn write_fill(sheet: &mut Sheet<'_>, at: isize, bytes: usize);
    unsafe fn write_again(sheet: &Sheet<'_>, distance: usize, at: isize, bytes: usize);
    unsafe fn finish_stream(sheet: &mut Sheet<'_>);
}

/// The same for units of a width.
pub(super) trait StridedShells<W: Width>: Simd + Sized {
    unsafe fn write_strided(sheet: &Sheet<'_>, src: (isize, isize), dst: (isize, isize), count: usize);
    unsafe fn fill_strided(sheet: &Sheet<'_>, depth: usize, at: isize, count: usize);
}

/// See [`Shells`].
#[inline(always)]
pub(super) unsafe fn write_blocks<S: Simd>(
    sheet: &Sheet<'_>,
    program: &Program,
    src: (isize, isize),
    dst: (isize, isize),
    count: usize,
) {
    // SAFETY: the caller's.
    unsafe { run_blocks::<S>(sheet, program, src, dst, count) }
}

/// See [`Shells`].
#[inline(always)]
pub(super) unsafe fn stream_blocks<S: Simd>(
    sheet: &mut Sheet<'_>,
    program: &Program,
    src: (isize, isize),
    count: usize,
) {
    // SAFETY: the caller's.
    unsafe { run_blocks_staged::<S>(sheet, program, src, count) }
}

/// See [`Shells`].
#[inline(always)]
pub(super) unsafe fn write_fill<S: Simd>(sheet: &mut Sheet<'_>, at: isize, bytes: usize) {
    let fill = sheet.fill;
    // SAFETY: the caller's.
    unsafe {
        match &mut sheet.stream {
            _ if sheet.filled => {}
            Some(stream) => stream.fill::<S>(fill, bytes),
            None => fill_exact(fill, sheet.dst.offset(at), bytes),
        }
    }
}

/// See [`Shells`].
#[inline(always)]
pub(super) unsafe fn write_again<S: Simd>(sheet: &Sheet<'_>, distance: usize, at: isize, bytes: usize) {
    // SAFETY: the caller's.
    unsafe { repeat::<S>(sheet.dst.offset(at), distance, bytes) }
}

/// See [`Shells`].
#[inline(always)]
pub(super) unsafe fn finish_stream<S: Simd>(sheet: &mut Sheet<'_>) {
    if let Some(stream) = &mut sheet.stream {
        // SAFETY: the caller's.
        unsafe { stream.finish::<S>() }
    }
}

/// The output of a kernel for units of width `W`.
pub(super) struct Bytes<'a, W, S> {
    sheet: Sheet<'a>,
    blocks: &'a Blocks,
    kind: PhantomData<(W, S)>,
}

impl<'a, W: Width, S: Shells + StridedShells<W>> Bytes<'a, W, S> {
    #[inline(always)]
    pub(super) fn new(job: &Job<'a>, blocks: &'a Blocks, block: &'a mut Block) -> Self {
        let sheet = Sheet::new(job, if STREAMS && job.streams { Some(block) } else { None });
        Bytes { sheet, blocks, kind: PhantomData }
    }

    /// Blocks without fill between them.
    ///
    /// # Safety
    ///
    /// - As for [`Output::blocks`].
    #[inline(always)]
    unsafe fn neighbours(&mut self, src: (isize, isize), dst: (isize, isize), count: usize) {
        let sheet = &mut self.sheet;
        // SAFETY: the caller's.
        unsafe {
            match &self.blocks.kind {
                Kind::Programs { single, .. } if sheet.stream.is_some() => {
                    S::stream_blocks(sheet, single, src, count);
                }
                Kind::Programs { single, group } => {
                    let mut done = 0;
                    if let Some((together, program)) = group
                        && count >= *together
                        && src.1 == self.sheet.nest.axes[self.blocks.depth - 1].src_stride
                    {
                        // What is left at the end is written by a last group that goes back over some of the one before.
                        let at = |i: usize| ((src.0 + i as isize * src.1), dst.0 + i as isize * dst.1);
                        let (step, dst_step) = (*together as isize * src.1, *together as isize * dst.1);
                        S::write_blocks(
                            &self.sheet,
                            program,
                            (src.0, step),
                            (dst.0, dst_step),
                            count / together,
                        );
                        if count % together > 0 {
                            let (from, to) = at(count - together);
                            S::write_blocks(&self.sheet, program, (from, step), (to, dst_step), 1);
                        }
                        done = count;
                    }
                    if done < count {
                        S::write_blocks(&self.sheet, single, src, dst, count);
                    }
                }
                Kind::Strided => S::write_strided(sheet, src, dst, count),
            }
        }
    }
}

impl<W: Width, S: Shells + StridedShells<W>> Output for Bytes<'_, W, S> {
    #[inline(always)]
    fn is_dense(&self) -> bool {
        // What was streamed is in the cache no more, and its last line not even in the output.
        self.sheet.nest.sequential && self.sheet.stream.is_none()
    }

    #[inline(always)]
    unsafe fn fill(&mut self, depth: usize, at: isize, count: usize) {
        let stride = self.sheet.nest.axes[depth].dst_stride;
        // SAFETY: the caller's.
        unsafe {
            if self.sheet.nest.sequential {
                S::write_fill(&mut self.sheet, at, count * stride as usize);
            } else {
                S::fill_strided(&self.sheet, depth, at, count);
            }
        }
    }

    #[inline(always)]
    unsafe fn again(&mut self, distance: isize, at: isize, bytes: isize) {
        // SAFETY: the caller's.
        unsafe { S::write_again(&self.sheet, distance as usize, at, bytes as usize) }
    }

    #[inline(always)]
    unsafe fn blocks(&mut self, depth: usize, src: isize, step: isize, dst: isize, count: usize, gap: usize) {
        let stride = self.sheet.nest.axes[depth].dst_stride;
        // SAFETY: the caller's.
        unsafe {
            if gap == 0 {
                return self.neighbours((src, step), (dst, stride), count);
            }
            for i in 0..count as isize {
                let to = dst + i * (gap as isize + 1) * stride;
                if i > 0 {
                    self.fill(depth, to - gap as isize * stride, gap);
                }
                self.neighbours((src + i * step, step), (to, stride), 1);
            }
        }
    }

    #[inline(always)]
    unsafe fn all(&mut self, src: isize, dst: isize) {
        // SAFETY: the caller's.
        unsafe { self.neighbours((src, 0), (dst, 0), 1) }
    }

    #[inline(always)]
    unsafe fn finish(&mut self) {
        // SAFETY: the caller's.
        unsafe {
            if self.sheet.stream.is_some() {
                S::finish_stream(&mut self.sheet);
            }
        }
    }
}
