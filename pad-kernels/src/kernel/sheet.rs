//! The output of nests that move bytes.

use core::marker::PhantomData;

use crate::kernel::Job;
use crate::kernel::blocks::{Blocks, Kind};
use crate::kernel::memory::{OVERSHOOT, fill_exact, repeat};
use crate::kernel::nest::Output;
use crate::kernel::program::{Move, Program, Run};
use crate::kernel::simd::Simd;
use crate::kernel::stream::Stream;
use crate::kernel::strided::{Width, fill_axes};
use crate::kernel::tile::write_tiled;
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
    /// Loads may overshoot up to here, if at all.
    pub(super) over_src: isize,
    /// Stores may overshoot up to here: what lies behind a position is not written yet.
    pub(super) over_end: usize,
    pub(super) fill: &'a Pattern,
    /// The destination holds the fill already.
    pub(super) filled: bool,
    pub(super) nest: &'a Nest,
    pub(super) stream: Option<Stream>,
}

impl<'a> Sheet<'a> {
    /// That of a job.
    #[inline(always)]
    fn new(job: &'a Job<'_>) -> Sheet<'a> {
        let dense = job.nest.sequential;
        Sheet {
            src: job.places.src,
            src_len: job.places.src_len,
            over_src: if job.places.solid == usize::MAX { job.places.src_len as isize } else { 0 },
            dst: job.places.dst,
            dst_len: job.places.dst_len,
            over_end: if dense && !job.filled { job.places.dst_len } else { 0 },
            fill: job.fill,
            filled: job.filled,
            nest: job.nest,
            stream: job.stage.map(|stage| Stream::new(stage.as_ptr(), job.places.dst)),
        }
    }

    /// Whether moves that read up to `src` and write up to `dst` may overshoot.
    #[inline(always)]
    pub(super) fn has_room(&self, src: isize, dst: usize) -> bool {
        dst + OVERSHOOT <= self.over_end && src + OVERSHOOT as isize <= self.over_src
    }
}

/// Functions compiled for an instruction set, which the macro writes: each calls the function of its name in this module, in
/// [`program`](super::program), in [`strided`](super::strided) or in [`tile`](super::tile).
///
/// The contract of them all: that of the function, and the machine has the instruction set.
pub(super) trait Shells: Simd + Sized {
    unsafe fn run_program(sheet: &Sheet<'_>, program: &Program, run: Run);
    unsafe fn run_move(sheet: &Sheet<'_>, next: &Move, src: *const u8, dst: *mut u8);
    unsafe fn run_exactly(sheet: &Sheet<'_>, program: &Program, src: *const u8, dst: *mut u8);
    unsafe fn stream_program(sheet: &mut Sheet<'_>, program: &Program, run: Run);
    unsafe fn write_fill(sheet: &mut Sheet<'_>, depth: usize, at: isize, count: usize);
    unsafe fn write_again(sheet: &Sheet<'_>, distance: isize, at: isize, bytes: isize);
    unsafe fn finish_stream(sheet: &mut Sheet<'_>);
}

/// The same for units of a width.
pub(super) trait StridedShells<W: Width>: Simd + Sized {
    unsafe fn write_strided(sheet: &Sheet<'_>, run: Run);
    unsafe fn transpose(
        src: *const u8,
        across: isize,
        dst: (*mut u8, usize),
        size: (usize, usize),
        unit: usize,
    );
}

/// Fill for `count` positions of the axis at `depth`, from `at` on.
///
/// # Safety
///
/// - As for [`Output::fill`].
#[inline(always)]
pub(super) unsafe fn write_fill<S: Simd>(sheet: &mut Sheet<'_>, depth: usize, at: isize, count: usize) {
    let fill = sheet.fill;
    let bytes = count * sheet.nest.axes[depth].dst_stride as usize;
    // SAFETY: the caller's.
    unsafe {
        match &mut sheet.stream {
            _ if !sheet.nest.sequential => fill_axes(sheet, &sheet.nest.axes[depth..], at, count),
            _ if sheet.filled => {}
            Some(stream) => stream.fill::<S>(fill, bytes),
            None => fill_exact(fill, sheet.dst.offset(at), bytes),
        }
    }
}

/// What was written `distance` bytes before, up to there, for `bytes` bytes from `at` on.
///
/// # Safety
///
/// - As for [`Output::again`].
#[inline(always)]
pub(super) unsafe fn write_again<S: Simd>(sheet: &Sheet<'_>, distance: isize, at: isize, bytes: isize) {
    // SAFETY: the caller's.
    unsafe { repeat::<S>(sheet.dst.offset(at), distance as usize, bytes as usize) }
}

/// Completes what was streamed.
///
/// # Safety
///
/// - As for [`Output::finish`].
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
    pub(super) fn new(job: &'a Job<'_>) -> Self {
        Bytes { sheet: Sheet::new(job), blocks: job.blocks, kind: PhantomData }
    }
}

/// Blocks without fill between them.
///
/// # Safety
///
/// - As for [`Output::blocks`].
#[inline(never)]
unsafe fn write_programs<S: Shells>(
    sheet: &mut Sheet<'_>,
    depth: usize,
    (single, group): (&Program, &Option<(usize, Program)>),
    run: Run,
) {
    let Run { src, step, dst, pitch, count } = run;
    // SAFETY: the caller's.
    unsafe {
        if sheet.stream.is_some() {
            return S::stream_program(sheet, single, run);
        }
        if let Some((together, program)) = group
            && count >= *together
            && depth.checked_sub(1).is_some_and(|outer| step == sheet.nest.axes[outer].src_stride)
        {
            let many = *together as isize;
            let groups = Run { step: many * step, pitch: many * pitch, count: count / together, ..run };
            S::run_program(sheet, program, groups);
            if count % together > 0 {
                // What is left is written by a last group that goes back over some of the one before.
                let first = (count - together) as isize;
                let (src, dst) = (src + first * step, dst + first * pitch);
                S::run_program(sheet, program, Run { src, dst, count: 1, ..groups });
            }
            return;
        }
        S::run_program(sheet, single, run);
    }
}

impl<W: Width, S: Shells + StridedShells<W>> Bytes<'_, W, S> {
    /// # Safety
    ///
    /// - As for [`Output::blocks`].
    #[inline(always)]
    unsafe fn write(&mut self, run: Run) {
        let Blocks { depth, kind } = self.blocks;
        // SAFETY: the caller's.
        unsafe {
            match kind {
                Kind::Programs { single, group } => {
                    write_programs::<S>(&mut self.sheet, *depth, (single, group), run);
                }
                Kind::Strided => S::write_strided(&self.sheet, run),
                Kind::Tiled(tiles) => write_tiled::<W, S>(&mut self.sheet, *tiles, (run.src, run.dst)),
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
        // SAFETY: the caller's.
        unsafe { S::write_fill(&mut self.sheet, depth, at, count) }
    }

    #[inline(always)]
    unsafe fn again(&mut self, distance: isize, at: isize, bytes: isize) {
        // SAFETY: the caller's.
        unsafe { S::write_again(&self.sheet, distance, at, bytes) }
    }

    #[inline(never)]
    unsafe fn blocks(&mut self, depth: usize, src: isize, step: isize, dst: isize, count: usize, gap: usize) {
        let stride = self.sheet.nest.axes[depth].dst_stride;
        // SAFETY: the caller's.
        unsafe {
            if gap == 0 {
                return self.write(Run { src, step, dst, pitch: stride, count });
            }
            for i in 0..count as isize {
                let dst = dst + i * (gap as isize + 1) * stride;
                if i > 0 {
                    self.fill(depth, dst - gap as isize * stride, gap);
                }
                self.write(Run { src: src + i * step, step, dst, pitch: stride, count: 1 });
            }
        }
    }

    #[inline(always)]
    unsafe fn all(&mut self, src: isize, dst: isize) {
        // SAFETY: the caller's.
        unsafe { self.write(Run { src, step: 0, dst, pitch: 0, count: 1 }) }
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
