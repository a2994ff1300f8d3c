//! Describes equally spaced blocks, by offsets ([`Run`]) or by addresses ([`Batch`]). Writes fill.
//!
//! A block of fill is a constant of 64 bytes ([`Pattern::block`]), which has nothing to do with the blocks of a program.

use super::Bodies;
use crate::kernel::memory::{Fetch, Filling, SHORT, copy_exact, fill_exact, fill_over};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::Simd;
use crate::plan::pattern::{BLOCK, Pattern};

/// Equally spaced blocks, by their offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernel) struct Run {
    /// The source offset of the first block, and the distance from one block to the next.
    pub(in crate::kernel) src: isize,
    pub(in crate::kernel) step: isize,
    /// The output offset of the first block, and the distance from one block to the next.
    pub(in crate::kernel) dst: isize,
    pub(in crate::kernel) pitch: isize,
    pub(in crate::kernel) count: usize,
}

impl Run {
    /// Returns the blocks as a batch. Their offsets count from these addresses.
    #[inline(always)]
    pub(super) fn at(&self, src: *const u8, dst: *mut u8) -> Batch {
        let (src, dst) = (src.wrapping_offset(self.src), dst.wrapping_offset(self.dst));
        Batch { src, step: self.step, dst, pitch: self.pitch, count: self.count }
    }
}

/// Equally spaced blocks, bodies of a block, or registers, by their addresses. Neighbours are `step` bytes apart in the source and
/// `pitch` bytes apart in the output.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct Batch {
    pub(super) src: *const u8,
    pub(super) step: isize,
    pub(super) dst: *mut u8,
    pub(super) pitch: isize,
    pub(super) count: usize,
}

impl Batch {
    /// Returns an iterator over the addresses of a move in every block. The method does not take a closure, because the
    /// compiler could turn a closure into a function without the instruction set.
    ///
    /// # Safety
    ///
    /// - For every block, these offsets lie within source and output.
    #[inline(always)]
    pub(super) unsafe fn places(&self, src: isize, dst: usize) -> Places {
        // SAFETY: the caller keeps the contract.
        let (src, dst) = unsafe { (self.src.wrapping_offset(src), self.dst.add(dst)) };
        Places(Batch { src, dst, ..*self })
    }

    /// Splits the batch after the first `first` blocks. With a single block, `step` may be so large that the products wrap.
    #[inline(always)]
    pub(super) fn split(&self, first: usize) -> (Batch, Batch) {
        let src = self.src.wrapping_offset(self.step.wrapping_mul(first as isize));
        let dst = self.dst.wrapping_offset(self.pitch.wrapping_mul(first as isize));
        (Batch { count: first, ..*self }, Batch { src, dst, count: self.count - first, ..*self })
    }

    /// Returns the address in the output where one more block would begin.
    #[inline(always)]
    pub(super) fn end(&self) -> *mut u8 {
        self.dst.wrapping_offset(self.count as isize * self.pitch)
    }
}

impl Bodies {
    /// Returns the bodies as a batch. The first one begins at these addresses.
    #[inline(always)]
    pub(super) fn at(&self, src: *const u8, dst: *mut u8) -> Batch {
        Batch { src, step: self.step, dst, pitch: (self.body + self.gap) as isize, count: self.count }
    }
}

/// An iterator over the addresses of a move in source and output, with one item per block.
pub(super) struct Places(Batch);

impl Iterator for Places {
    type Item = (*const u8, *mut u8);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let Places(Batch { src, step, dst, pitch, count }) = self;
        *count = count.checked_sub(1)?;
        let place = (*src, *dst);
        *src = src.wrapping_offset(*step);
        *dst = dst.wrapping_offset(*pitch);
        Some(place)
    }
}

/// Writes `bytes` bytes of fill in every block of the batch.
///
/// # Safety
///
/// - The contract of [`run_move`](super::run_move) holds. A block of fill consists of whole elements. `bytes` is at least [`BLOCK`].
#[inline(always)]
pub(super) unsafe fn fill<S: Simd>(fetch: Fetch, fill: &Pattern, dst: usize, bytes: usize, batch: &Batch) {
    let filling = Filling::<S>::of(fill);
    // SAFETY: the caller keeps the contract. The last block of fill may overlap the one before by whole elements.
    unsafe {
        for (_, dst) in batch.places(0, dst) {
            let mut at = 0;
            while at < bytes - BLOCK {
                filling.put(fetch, dst.add(at));
                at += BLOCK;
            }
            filling.put(fetch, dst.add(bytes - BLOCK));
        }
    }
}

/// Writes `bytes` bytes of fill to `dst`, unless the output already contains the fill.
///
/// # Safety
///
/// - The contract of [`run_move`](super::run_move) holds for these bytes. Unless `EXACT`, the next
///   [`OVERSHOOT`](crate::kernel::memory::OVERSHOOT) bytes are writable, too.
#[inline(always)]
pub(super) unsafe fn fill_bytes<S: Simd, const EXACT: bool>(sheet: &Sheet<'_>, dst: *mut u8, bytes: usize) {
    let fill = sheet.fill;
    // SAFETY: the caller keeps the contract.
    unsafe {
        if sheet.filled {
        } else if !EXACT && bytes <= SHORT && fill.step() > 0 {
            fill_over::<S>(sheet.fetch::<S::Register>(), fill, dst, bytes);
        } else if bytes <= BLOCK && fill.step() > 0 {
            // The block of fill begins with a whole element, so its start has the right bytes.
            copy_exact(fill.block().as_ptr(), dst, bytes);
        } else {
            fill_exact(fill, dst, bytes);
        }
    }
}
