//! Writes output with non-temporal stores, which bypass the cache. Such a store must write a whole cache line.
//!
//! The output first goes to a small staging buffer. When the buffer is full, its complete cache lines are sent to memory, and the
//! incomplete last line moves to the start of the buffer.

use core::mem::MaybeUninit;

use crate::kernel::memory::{AHEAD, OVERSHOOT, copy_exact, fill_exact, get, put};
use crate::kernel::simd::{LINE, Simd, fence, prefetch};
use crate::plan::pattern::Pattern;

/// The staging buffer: [`BLOCK`] bytes and one cache line more.
#[repr(C, align(64))]
pub(super) struct Stage([MaybeUninit<u8>; BLOCK + LINE]);

impl Stage {
    #[inline(always)]
    pub(super) const fn new() -> Stage {
        Stage([MaybeUninit::uninit(); BLOCK + LINE])
    }
}

/// The size of the staging buffer. It is small, so that reads of the source and writes of the output alternate often.
///
/// Skylake, 1 GiB of rows of 4 KiB: a buffer of 4 KiB takes 1.1 times as long.
const BLOCK: usize = 1024;

/// The maximum size of one write to the buffer. There is room for it at any position after a drain.
pub(super) const ROOM: usize = BLOCK - LINE - OVERSHOOT;

/// An output that is written in ascending order with non-temporal stores.
pub(super) struct Stream {
    block: *mut u8,
    /// The start of the output, and the output offset of the first byte of the buffer. That offset is negative if the first cache line
    /// begins before the output.
    dst: *mut u8,
    from: isize,
    /// The output offset of the next byte to write.
    at: usize,
}

impl Stream {
    /// Returns a stream whose output starts at `dst`.
    #[inline(always)]
    pub(super) fn new(stage: *mut Stage, dst: *mut u8) -> Stream {
        Stream { block: stage.cast(), dst, from: -((dst.addr() % LINE) as isize), at: 0 }
    }

    /// Returns the address for the next `bytes` bytes, at most [`ROOM`], and advances the position by `bytes`. After these bytes,
    /// [`OVERSHOOT`] more are writable.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set. Nobody else uses the buffer.
    /// - All bytes before the position have been written to the stream, and `bytes` more lie within the output.
    #[inline(always)]
    pub(super) unsafe fn place<S: Simd>(&mut self, bytes: usize) -> *mut u8 {
        debug_assert!(bytes <= ROOM);
        if self.staged() + bytes + OVERSHOOT > BLOCK + LINE {
            // SAFETY: the caller keeps the contract.
            unsafe { self.drain::<S>() };
        }
        let place = self.block.wrapping_add(self.staged());
        self.at += bytes;
        place
    }

    /// Returns the number of bytes in the buffer.
    #[inline(always)]
    fn staged(&self) -> usize {
        self.at.wrapping_sub(self.from as usize)
    }

    /// Sends the complete lines to memory, and moves the incomplete one to the start of the buffer.
    ///
    /// # Safety
    ///
    /// - The contract of [`place`](Stream::place) holds.
    #[inline(always)]
    unsafe fn drain<S: Simd>(&mut self) {
        let whole = self.staged() / LINE * LINE;
        if whole == 0 {
            return;
        }
        // SAFETY: the bytes in the buffer are written. They belong to the output, except for those in the first line before the output. The
        // buffer is one line longer than its contents.
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

    /// Copies from the source. Whole lines of a long run go directly to memory.
    ///
    /// # Safety
    ///
    /// - The contract of [`place`](Stream::place) holds for any number of bytes, and `bytes` bytes are readable at `src`.
    #[inline(always)]
    pub(super) unsafe fn copy<S: Simd>(&mut self, src: *const u8, bytes: usize) {
        // SAFETY: the caller keeps the contract. The first copy completes the line, so the buffer is empty after the drain.
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
    /// - The contract of [`place`](Stream::place) holds for any number of bytes. The bytes are whole elements, and the fill has a step.
    #[inline(always)]
    pub(super) unsafe fn fill<S: Simd>(&mut self, fill: &Pattern, mut bytes: usize) {
        let most = ROOM / fill.step() * fill.step();
        // SAFETY: the caller keeps the contract.
        unsafe {
            while bytes > 0 {
                let now = bytes.min(most);
                fill_exact(fill, self.place::<S>(now), now);
                bytes -= now;
            }
        }
    }

    /// Sends the rest of the buffer to memory.
    ///
    /// # Safety
    ///
    /// - The contract of [`place`](Stream::place) holds.
    #[inline(always)]
    pub(super) unsafe fn finish<S: Simd>(&mut self) {
        // SAFETY: the caller keeps the contract. After the drain, less than a line is left.
        unsafe {
            self.drain::<S>();
            let first = self.from.max(0) as usize;
            let before = first.wrapping_sub(self.from as usize);
            copy_exact(self.block.add(before), self.dst.add(first), self.at - first);
        }
        fence();
    }
}

/// Copies whole cache lines with non-temporal stores.
///
/// # Safety
///
/// - The machine has the instruction set and non-temporal stores.
/// - `bytes` is a multiple of a cache line, and a cache line begins at `dst`. `bytes` bytes are readable at `src` and writable at `dst`,
///   and they do not overlap.
/// - The caller calls [`fence`] before anyone else may read the output.
#[inline(always)]
unsafe fn send<S: Simd>(src: *const u8, dst: *mut u8, bytes: usize) {
    debug_assert!(dst.addr().is_multiple_of(LINE) && bytes.is_multiple_of(LINE));
    let register = size_of::<S::Register>();
    let mut at = 0;
    while at < bytes {
        prefetch(src.wrapping_add(at + AHEAD));
        for i in 0..LINE / register {
            // SAFETY: the caller keeps the contract.
            unsafe { S::stream(dst.add(at + i * register), get(src.add(at + i * register))) };
        }
        at += LINE;
    }
}
