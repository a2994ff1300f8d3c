//! Writing past the cache: the output is put together in a small block, whose whole lines are sent with streaming stores.

use core::mem::MaybeUninit;

use crate::kernel::memory::{AHEAD, OVERSHOOT, copy_exact, fill_exact, get, put};
use crate::kernel::simd::{LINE, Simd, fence, prefetch};
use crate::plan::pattern::Pattern;

/// Where lines are put together.
#[repr(C, align(64))]
pub(super) struct Stage([MaybeUninit<u8>; BLOCK + LINE]);

impl Stage {
    #[inline(always)]
    pub(super) const fn new() -> Stage {
        Stage([MaybeUninit::uninit(); BLOCK + LINE])
    }
}

/// Small, so that reading the source and streaming the output take turns often: 1 GiB of rows of 4 KiB ran at 0.90 of
/// memcpy's speed with 1 KiB, at 0.83 with 2 and at 0.82 with 4 (Skylake, before sources were fetched ahead).
const BLOCK: usize = 1024;

/// What may be put into the block at once, wherever in it the position is after a drain.
pub(super) const ROOM: usize = BLOCK - LINE - OVERSHOOT;

/// An output that is streamed from front to back.
pub(super) struct Stream {
    block: *mut u8,
    /// The output, and the place in it that the block begins with: of the first line perhaps before the output.
    dst: *mut u8,
    from: isize,
    /// The next byte to write.
    at: usize,
}

impl Stream {
    /// A stream to `dst`.
    #[inline(always)]
    pub(super) fn new(stage: *mut Stage, dst: *mut u8) -> Stream {
        Stream { block: stage.cast(), dst, from: -((dst.addr() % LINE) as isize), at: 0 }
    }

    /// Where the next `bytes <= ROOM` bytes go, with [`OVERSHOOT`] more behind them; goes past them.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set; the block is nobody else's.
    /// - All of the output before the position was written, and `bytes` more lie within it.
    #[inline(always)]
    pub(super) unsafe fn place<S: Simd>(&mut self, bytes: usize) -> *mut u8 {
        debug_assert!(bytes <= ROOM);
        if self.staged() + bytes + OVERSHOOT > BLOCK + LINE {
            // SAFETY: the caller's.
            unsafe { self.drain::<S>() };
        }
        let place = self.block.wrapping_add(self.staged());
        self.at += bytes;
        place
    }

    /// The bytes of the block that are written.
    #[inline(always)]
    fn staged(&self) -> usize {
        self.at.wrapping_sub(self.from as usize)
    }

    /// Sends the lines that are complete, and begins the block anew with the one that is not.
    ///
    /// # Safety
    ///
    /// - As for [`place`](Stream::place).
    #[inline(always)]
    unsafe fn drain<S: Simd>(&mut self) {
        let whole = self.staged() / LINE * LINE;
        if whole == 0 {
            return;
        }
        // SAFETY: so many bytes of the block are written, and stand for as many of the output, but for those before its
        // beginning, which are in the first line. The block holds a line more than is put into it.
        unsafe {
            let mut done = 0;
            if self.from < 0 {
                done = LINE;
                let before = -self.from as usize;
                copy_exact(self.block.add(before), self.dst, LINE - before);
            }
            let target = self.dst.wrapping_offset(self.from).wrapping_add(done);
            send::<S>(self.block.add(done), target, whole - done);
            let begun: [MaybeUninit<u8>; LINE] = get(self.block.add(whole));
            put(self.block, begun);
        }
        self.from = self.from.wrapping_add(whole as isize);
    }

    /// Copies from the source: of a long run the whole lines go past the block.
    ///
    /// # Safety
    ///
    /// - As for [`place`](Stream::place) with any number of bytes, which are readable at `src`.
    #[inline(always)]
    pub(super) unsafe fn copy<S: Simd>(&mut self, src: *const u8, bytes: usize) {
        // SAFETY: the caller's. With the line completed nothing is left in the block after the drain.
        unsafe {
            if bytes <= ROOM {
                copy_exact(src, self.place::<S>(bytes), bytes);
                return;
            }
            let head = self.staged().wrapping_neg() % LINE;
            copy_exact(src, self.place::<S>(head), head);
            self.drain::<S>();
            let whole = (bytes - head) / LINE * LINE;
            send::<S>(src.add(head), self.dst.add(self.at), whole);
            self.at += whole;
            self.from = self.at as isize;
            let rest = bytes - head - whole;
            copy_exact(src.add(bytes - rest), self.place::<S>(rest), rest);
        }
    }

    /// Writes fill.
    ///
    /// # Safety
    ///
    /// - As for [`place`](Stream::place) with any number of bytes, which are whole elements; the fill has a step.
    #[inline(always)]
    pub(super) unsafe fn fill<S: Simd>(&mut self, fill: &Pattern, mut bytes: usize) {
        let most = ROOM / fill.step() * fill.step();
        // SAFETY: the caller's.
        unsafe {
            while bytes > 0 {
                let now = bytes.min(most);
                fill_exact(fill, self.place::<S>(now), now);
                bytes -= now;
            }
        }
    }

    /// Sends all that is left.
    ///
    /// # Safety
    ///
    /// - As for [`place`](Stream::place).
    #[inline(always)]
    pub(super) unsafe fn finish<S: Simd>(&mut self) {
        // SAFETY: the caller's; what is left is less than a line.
        unsafe {
            self.drain::<S>();
            let first = self.from.max(0) as usize;
            let before = first.wrapping_sub(self.from as usize);
            copy_exact(self.block.add(before), self.dst.add(first), self.at - first);
        }
        fence();
    }
}

/// Copies lines past the cache.
///
/// # Safety
///
/// - The machine has the instruction set and streaming stores.
/// - `bytes`, whole lines, are readable at `src` and writable at `dst`, where a line begins; they do not overlap.
/// - [`fence`] follows before anyone else may read what was written.
#[inline(always)]
unsafe fn send<S: Simd>(src: *const u8, dst: *mut u8, bytes: usize) {
    debug_assert!(dst.addr().is_multiple_of(LINE) && bytes.is_multiple_of(LINE));
    let register = size_of::<S::Register>();
    let mut at = 0;
    while at < bytes {
        prefetch(src.wrapping_add(at + AHEAD));
        for i in 0..LINE / register {
            // SAFETY: the caller's.
            unsafe { S::stream(dst.add(at + i * register), get(src.add(at + i * register))) };
        }
        at += LINE;
    }
}
