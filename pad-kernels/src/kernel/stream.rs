//! Writes output with non-temporal stores, which bypass the cache. Consecutive stores must fill whole cache lines.
//!
//! The output first goes to a small staging buffer. If the buffer holds [`SENT`] bytes or more, the next write first sends the
//! complete cache lines to memory. The incomplete last line then moves to the start of the buffer. Blocks of more than [`ROOM`]
//! bytes go to the output directly.

use core::mem::MaybeUninit;

use crate::kernel::memory::{AHEAD, OVERSHOOT, copy_exact, fill_exact, get, put};
use crate::kernel::simd::{LINE, Simd, fence, prefetch, stream};
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

/// The size of the staging buffer. It fits the first-level cache.
const BLOCK: usize = 8 << 10;

/// If the buffer holds at least this number of bytes, the next write first sends it. The number is small, so that reads of the
/// source and writes of the output alternate often.
///
/// Skylake, 1 GiB of rows of 4 KiB: they take 1.1 times as long if this number is 4 KiB instead of 1 KiB. Zen 4, 85 MB of rows of
/// 400 bytes: they take 1.3 times as long if it is 1 KiB instead of 2 KiB.
pub(super) const SENT: usize = 2048;

/// The maximum size of one write to the buffer. A write begins below position [`SENT`], so the buffer has room for it.
pub(super) const ROOM: usize = BLOCK - SENT - OVERSHOOT;

/// An output that is written in ascending order with non-temporal stores.
pub(super) struct Stream {
    block: *mut u8,
    /// The start of the output.
    dst: *mut u8,
    /// The output offset of the first byte of the buffer. A cache line of the output begins there. The offset is negative if this
    /// line begins before the output.
    line: isize,
    /// The output offset of the first byte that is not stored yet.
    from: usize,
    /// The output offset of the next byte to write.
    at: usize,
}

impl Stream {
    /// Returns a stream whose output starts at `dst`.
    #[inline(always)]
    pub(super) fn new(stage: *mut Stage, dst: *mut u8) -> Stream {
        Stream { block: stage.cast(), dst, line: -((dst.addr() % LINE) as isize), from: 0, at: 0 }
    }

    /// Returns the address for the next `bytes` bytes, at most [`ROOM`], and advances the position by `bytes`. After these bytes,
    /// [`OVERSHOOT`] more are writable. While the buffer is sent to memory, memory from `ahead` on is prefetched, which the caller
    /// will read.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set. Nobody else uses the buffer.
    /// - All bytes before the position have been written to the stream, and `bytes` more lie within the output.
    #[inline(always)]
    pub(super) unsafe fn place<S: Simd>(&mut self, bytes: usize, ahead: *const u8) -> *mut u8 {
        debug_assert!(bytes <= ROOM);
        if self.staged() >= SENT {
            // SAFETY: the caller keeps the contract.
            unsafe { self.drain::<S>(ahead) };
        }
        let place = self.block.wrapping_add(self.staged());
        self.at += bytes;
        place
    }

    /// Returns the number of bytes in the buffer.
    #[inline(always)]
    fn staged(&self) -> usize {
        self.at.wrapping_sub(self.line as usize)
    }

    /// Sends the complete lines to memory, and moves the incomplete one to the start of the buffer.
    ///
    /// # Safety
    ///
    /// - The contract of [`place`](Stream::place) holds.
    #[inline(always)]
    unsafe fn drain<S: Simd>(&mut self, ahead: *const u8) {
        let whole = self.staged() / LINE * LINE;
        if whole == 0 {
            return;
        }
        // SAFETY: the bytes of the buffer from `stored` on are written, and they belong to the output. The bytes before them are not
        // sent. The buffer is one line longer than its contents.
        unsafe {
            let stored = self.from.wrapping_sub(self.line as usize);
            let mut done = 0;
            if stored > 0 {
                done = LINE;
                copy_exact(self.block.add(stored), self.dst.add(self.from), LINE - stored);
            }
            let target = self.dst.wrapping_offset(self.line).wrapping_add(done);
            send::<S>(self.block.add(done), target, whole - done, ahead);
            let begun: [MaybeUninit<u8>; LINE] = get(self.block.add(whole));
            put(self.block, begun);
        }
        self.line = self.line.wrapping_add(whole as isize);
        self.from = self.line as usize;
    }

    /// Returns the address in the output of the next `bytes` bytes, and advances the position by `bytes`. The caller writes these
    /// bytes.
    ///
    /// # Safety
    ///
    /// - The contract of [`place`](Stream::place) holds for any number of bytes.
    #[inline(always)]
    pub(super) unsafe fn skip<S: Simd>(&mut self, bytes: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        let place = unsafe {
            self.flush::<S>();
            self.dst.add(self.at)
        };
        self.at += bytes;
        self.from = self.at;
        self.line = self.at as isize - (self.dst.addr().wrapping_add(self.at) % LINE) as isize;
        place
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
                fill_exact(fill, self.place::<S>(now, self.block), now);
                bytes -= now;
            }
        }
    }

    /// Stores all bytes that are in the buffer.
    ///
    /// # Safety
    ///
    /// - The contract of [`place`](Stream::place) holds.
    #[inline(always)]
    unsafe fn flush<S: Simd>(&mut self) {
        // SAFETY: the caller keeps the contract. After the drain, less than a line is left.
        unsafe {
            self.drain::<S>(self.block);
            let stored = self.from.wrapping_sub(self.line as usize);
            copy_exact(self.block.add(stored), self.dst.add(self.from), self.at - self.from);
        }
        self.from = self.at;
    }

    /// Sends the rest of the buffer to memory.
    ///
    /// # Safety
    ///
    /// - The contract of [`place`](Stream::place) holds.
    #[inline(always)]
    pub(super) unsafe fn finish<S: Simd>(&mut self) {
        // SAFETY: the caller keeps the contract.
        unsafe { self.flush::<S>() };
        fence();
    }
}

/// Copies `bytes` bytes with non-temporal stores, and touches no others. Plain stores write incomplete cache lines at both ends.
///
/// # Safety
///
/// - The contract of [`send`] holds, except that `dst` and `bytes` have any value.
#[inline(always)]
pub(super) unsafe fn copy_bypassing<S: Simd>(src: *const u8, dst: *mut u8, bytes: usize) {
    let head = (dst.addr().wrapping_neg() % LINE).min(bytes);
    let whole = (bytes - head) / LINE * LINE;
    let done = head + whole;
    // SAFETY: the caller keeps the contract. A cache line begins after the head.
    unsafe {
        copy_exact(src, dst, head);
        send::<S>(src.add(head), dst.add(head), whole, src.wrapping_add(head + AHEAD));
        copy_exact(src.add(done), dst.add(done), bytes - done);
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
unsafe fn send<S: Simd>(src: *const u8, dst: *mut u8, bytes: usize, ahead: *const u8) {
    debug_assert!(bytes == 0 || dst.addr().is_multiple_of(LINE) && bytes.is_multiple_of(LINE));
    let register = size_of::<S::Register>();
    let mut at = 0;
    while at < bytes {
        prefetch(ahead.wrapping_add(at));
        for i in 0..LINE / register {
            // SAFETY: the caller keeps the contract.
            unsafe { stream::<S::Register>(src.add(at + i * register), dst.add(at + i * register)) };
        }
        at += LINE;
    }
}
