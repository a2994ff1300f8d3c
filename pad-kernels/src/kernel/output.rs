//! Writes the output of nests that move bytes. For each block, fill and repetition, this file chooses the function to call. The
//! functions receive a sheet, which holds the memory of source and output, the fill and the staging buffer.
//!
//! These functions are called through shells, which are compiled for the instruction set (see [`Shells`]).

use core::marker::PhantomData;

use crate::kernel::Job;
use crate::kernel::blocks::Blocks;
use crate::kernel::memory::{fill_exact, repeat};
use crate::kernel::nest::Output;
use crate::kernel::program::{Program, Run, Shells};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::Simd;
use crate::kernel::strided::fill_axes;
use crate::kernel::tile::{Calls, write_tiled};

/// Writes fill for `count` positions of the axis at `depth`, from offset `at`.
///
/// # Safety
///
/// - The contract of [`Output::fill`] holds.
#[inline(always)]
pub(super) unsafe fn write_fill<S: Shells>(sheet: &mut Sheet<'_>, depth: usize, at: isize, count: usize) {
    let fill = sheet.fill;
    let bytes = count * sheet.nest.axes[depth].dst_stride as usize;
    // SAFETY: the caller keeps the contract.
    unsafe {
        match &mut sheet.stream {
            _ if !sheet.nest.sequential => fill_axes(sheet, &sheet.nest.axes[depth..], at, count),
            _ if sheet.filled => {}
            Some(stream) => stream.fill::<S>(fill, bytes),
            None => fill_exact(fill, sheet.dst.offset(at), bytes),
        }
    }
}

/// Writes `bytes` bytes from offset `at`, each equal to the byte `distance` before it.
///
/// # Safety
///
/// - The contract of [`Output::again`] holds.
#[inline(always)]
pub(super) unsafe fn write_again<S: Simd>(sheet: &Sheet<'_>, distance: isize, at: isize, bytes: isize) {
    // SAFETY: the caller keeps the contract.
    unsafe {
        repeat::<S>(sheet.fetch::<S::Register>(), sheet.dst.offset(at), distance as usize, bytes as usize)
    }
}

/// Stores the bytes that are still in the staging buffer.
///
/// # Safety
///
/// - The contract of [`Output::finish`] holds.
#[inline(always)]
pub(super) unsafe fn finish_stream<S: Simd>(sheet: &mut Sheet<'_>) {
    if let Some(stream) = &mut sheet.stream {
        // SAFETY: the caller keeps the contract.
        unsafe { stream.finish::<S>() }
    }
}

/// Writes the output of a kernel. Functions that depend on the size of a unit are called through pointers, so one nest serves
/// all sizes.
pub(super) struct Bytes<'a, S> {
    sheet: Sheet<'a>,
    blocks: &'a Blocks<'a>,
    calls: &'static Calls,
    isa: PhantomData<S>,
}

impl<'a, S: Shells> Bytes<'a, S> {
    #[inline(always)]
    pub(super) fn new(job: &'a Job<'_>, calls: &'static Calls) -> Self {
        Bytes { sheet: Sheet::new(job), blocks: job.blocks, calls, isa: PhantomData }
    }
}

/// Writes blocks, with `gap` positions of fill of the next outer axis between two blocks. If the plan has a program for a group
/// of blocks, this program writes most of them.
///
/// # Safety
///
/// - The contract of [`Output::blocks`] holds.
#[inline(never)]
unsafe fn write_programs<S: Shells>(sheet: &mut Sheet<'_>, blocks: &Blocks, mut run: Run, gap: usize) {
    let stride = run.pitch;
    let Blocks { depth, single, grouped, group, .. } = blocks;
    let has_group = *grouped > 0 && gap == blocks.gap && run.step == sheet.nest.axes[depth - 1].src_stride;
    let (many, pitch) = (*grouped as isize, (gap as isize + 1) * stride);
    // A group ends with a gap. After the last block, this gap may be written only if later writes overwrite it.
    let spills = gap == 0
        || has_group
            && sheet.nest.sequential
            && run.dst + run.count as isize * pitch <= sheet.dst_len as isize;
    let most = run.count - usize::from(!spills);
    // SAFETY: the caller keeps the contract, and `spills` says when a group may write the gap after the last block.
    unsafe {
        if sheet.stream.is_none() && has_group && most >= *grouped {
            let count = most / grouped;
            let groups = Run { step: many * run.step, pitch: many * pitch, count, ..run };
            S::run_program(sheet, group, groups);
            let done = (count * grouped) as isize;
            let rest = run.count - count * grouped;
            if rest == 0 {
                return;
            }
            if spills {
                // The remaining blocks are fewer than a group. One more group ends with the last block, and writes some earlier
                // blocks again.
                let back = done - (many - rest as isize);
                let (src, dst) = (run.src + back * run.step, run.dst + back * pitch);
                return S::run_program(sheet, group, Run { src, dst, count: 1, ..groups });
            }
            run.src += done * run.step;
            run.dst += done * pitch;
            run.count = rest;
        }
        if gap == 0 {
            return write_blocks::<S>(sheet, single, run);
        }
        for i in 0..run.count as isize {
            let dst = run.dst + i * pitch;
            if i > 0 {
                S::write_fill(sheet, depth - 1, dst - gap as isize * stride, gap);
            }
            write_blocks::<S>(sheet, single, Run { src: run.src + i * run.step, dst, count: 1, ..run });
        }
    }
}

/// Writes blocks without fill between them.
///
/// # Safety
///
/// - The contract of [`Output::blocks`] holds.
#[inline(always)]
unsafe fn write_blocks<S: Shells>(sheet: &mut Sheet<'_>, program: &Program, run: Run) {
    // SAFETY: the caller keeps the contract.
    unsafe {
        if sheet.stream.is_some() {
            S::stream_program(sheet, program, run);
        } else {
            S::run_program(sheet, program, run);
        }
    }
}

impl<S: Shells> Output for Bytes<'_, S> {
    #[inline(always)]
    fn is_dense(&self) -> bool {
        // A streamed output is not in the cache, and its last cache line is still in the staging buffer.
        self.sheet.nest.sequential && self.sheet.stream.is_none()
    }

    #[inline(always)]
    unsafe fn fill(&mut self, rank: usize, at: isize, count: usize) {
        let depth = self.sheet.nest.axes.len() - rank;
        // SAFETY: the caller keeps the contract.
        unsafe { S::write_fill(&mut self.sheet, depth, at, count) }
    }

    #[inline(always)]
    unsafe fn again(&mut self, distance: isize, at: isize, bytes: isize) {
        // SAFETY: the caller keeps the contract.
        unsafe { S::write_again(&self.sheet, distance, at, bytes) }
    }

    #[inline(always)]
    unsafe fn blocks(&mut self, rank: usize, src: isize, step: isize, dst: isize, count: usize, gap: usize) {
        let pitch = self.sheet.nest.axes[self.sheet.nest.axes.len() - rank].dst_stride;
        let run = Run { src, step, dst, pitch, count };
        // SAFETY: the caller keeps the contract.
        unsafe {
            if self.blocks.strided {
                (self.calls.write_strided)(&self.sheet, run, gap);
            } else {
                write_programs::<S>(&mut self.sheet, self.blocks, run, gap);
            }
        }
    }

    #[inline(always)]
    unsafe fn all(&mut self, src: isize, dst: isize) {
        let run = Run { src, step: 0, dst, pitch: 0, count: 1 };
        // SAFETY: the caller keeps the contract.
        unsafe {
            if let Some(tiles) = self.blocks.tiles {
                write_tiled(self.calls, &mut self.sheet, tiles, (src, dst));
            } else if self.blocks.strided {
                (self.calls.write_strided)(&self.sheet, run, 0);
            } else {
                write_blocks::<S>(&mut self.sheet, &self.blocks.single, run);
            }
        }
    }

    #[inline(always)]
    unsafe fn finish(&mut self) {
        // SAFETY: the caller keeps the contract.
        unsafe {
            if self.sheet.stream.is_some() {
                S::finish_stream(&mut self.sheet);
            }
        }
    }
}
