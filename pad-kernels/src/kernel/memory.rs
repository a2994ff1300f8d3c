//! Operations on contiguous memory: copies, fills and repetitions, in loops over registers.
//!
//! A loop moves whole cache lines (64 bytes). Functions with `over` in their name may read and write up to [`OVERSHOOT`] bytes past the
//! end. They therefore need no code for the last part of a line. The other functions touch only the bytes that they are asked for.
//!
//! A [`Fetch`] tells whether a loop prefetches. The constants were measured on the machine that each comment names.

use core::ptr;

use crate::isa::Isa;
pub(super) use crate::kernel::raw::{copy_exact, copy_of, get, put};
use crate::kernel::simd::{LINE, Portable, Simd, prefetch};
use crate::plan::pattern::{BLOCK, Pattern};

/// The maximum number of bytes that an overshooting operation reads or writes past the end.
pub(super) const OVERSHOOT: usize = BLOCK;

/// Copies of up to this number of bytes may use unaligned registers. Longer copies use a loop with aligned stores. Zen 4, rows of
/// 300 bytes and 212 bytes of fill: unaligned registers take half as long as two calls of libc.
pub(super) const SHORT: usize = 512;

/// The prefetch distance for the source of a long copy, in bytes.
///
/// Skylake, 11 MB of rows of 2 to 8 KiB: a copy takes 0.86 times as long as without prefetches. Half or twice the distance is not faster.
pub(super) const AHEAD: usize = 2048;

/// The prefetch distance for the output, in bytes. Its cache lines are then in the cache when the stores reach them.
///
/// Xeon with AMX, 0.6 to 0.8 MB of rows of up to 1 KiB: a copy takes 0.7 to 0.8 times as long as without prefetches. Half to four times the
/// distance is as fast.
pub(super) const CLAIMED: usize = 1024;

/// Tells whether a loop prefetches the cache lines that it will read and write. A loop tests the choice once, or once for each
/// cache line.
#[derive(Clone, Copy)]
pub(super) struct Fetch {
    /// True if the loop prefetches.
    prefetches: bool,
}

impl Fetch {
    /// No prefetches. If registers are shorter than a cache line, this is always the choice.
    pub(super) const NONE: Fetch = Fetch { prefetches: false };

    /// Returns the choice for loops over registers `R` that write an output of `output` bytes. Only machines with AVX-512
    /// prefetch.
    ///
    /// Zen 3 with AVX2: without prefetches, 800 random shapes take 0.97 times as long up to 4 MiB, and 1.03 times as long above.
    /// With a branch in the loop that chooses, they take 1.06 times as long.
    #[inline(always)]
    pub(super) fn of<R>(output: usize) -> Fetch {
        Fetch { prefetches: size_of::<R>() == LINE && Isa::prefetches_for(output) }
    }

    /// Tells whether to prefetch.
    #[inline(always)]
    pub(super) fn prefetches(self) -> bool {
        self.prefetches
    }

    /// Prefetches the cache line of the output that is [`CLAIMED`] bytes after `place`, if this loop prefetches.
    #[inline(always)]
    pub(super) fn output(self, place: *const u8) {
        if self.prefetches {
            prefetch(place.wrapping_add(CLAIMED));
        }
    }
}

/// Copies `bytes` bytes as whole registers. The stores of a long copy are aligned.
///
/// Long copies have two loops, with and without prefetches. A single loop would test the choice for every line. Cascade Lake, rows of
/// 1 KiB: that takes 1.2 times as long.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - `bytes` and [`OVERSHOOT`] more are readable at `src` and writable at `dst`.
/// - Source and destination do not overlap, or `dst` lies at least [`OVERSHOOT`] bytes after `src`. In the second case, the copy reads
///   bytes that it has written.
#[inline(always)]
pub(super) unsafe fn copy_over<S: Simd>(fetch: Fetch, src: *const u8, dst: *mut u8, bytes: usize) {
    let register = size_of::<S::Register>();
    // SAFETY: the caller keeps the contract. The first register and the last line begin before the end.
    unsafe {
        if bytes <= SHORT {
            let mut at = 0;
            while at < bytes {
                copy_line::<S>(fetch, src.add(at), dst.add(at));
                at += LINE;
            }
            return;
        }
        put(dst, get::<S::Register>(src));
        let mut at = register - dst.addr() % register;
        while fetch.prefetches() && at < bytes {
            prefetch(src.wrapping_add(at + AHEAD));
            copy_line::<S>(fetch, src.add(at), dst.add(at));
            at += LINE;
        }
        while at < bytes {
            copy_line::<S>(Fetch::NONE, src.add(at), dst.add(at));
            at += LINE;
        }
    }
}

/// Copies `bytes` bytes in lines at any address, and touches no others. The last line may overlap the line before it.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - `bytes` at `src` are readable and at `dst` writable, and they do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_ends<S: Simd>(fetch: Fetch, src: *const u8, dst: *mut u8, bytes: usize) {
    // SAFETY: the caller keeps the contract. The last line ends with the last byte.
    unsafe {
        if bytes < LINE {
            fetch.output(dst);
            return copy_exact(src, dst, bytes);
        }
        let last = bytes - LINE;
        let mut at = 0;
        while at < last {
            copy_line::<S>(fetch, src.add(at), dst.add(at));
            at += LINE;
        }
        copy_line::<S>(fetch, src.add(last), dst.add(last));
    }
}

/// Copies one line at any address.
///
/// # Safety
///
/// - The machine has the instruction set. [`LINE`] bytes at `src` are readable, and [`LINE`] bytes at `dst` are writable.
#[inline(always)]
pub(super) unsafe fn copy_line<S: Simd>(fetch: Fetch, src: *const u8, dst: *mut u8) {
    fetch.output(dst);
    let register = size_of::<S::Register>();
    for i in 0..LINE / register {
        // SAFETY: the caller keeps the contract.
        unsafe { put(dst.add(i * register), get::<S::Register>(src.add(i * register))) };
    }
}

/// Copies more than [`SHORT`] bytes and touches no others. It calls [`copy_over`] for all but the last [`OVERSHOOT`] bytes.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - `bytes` bytes at `src` are readable and at `dst` writable, and they do not overlap. `bytes` is at least [`OVERSHOOT`].
#[inline(always)]
pub(super) unsafe fn copy_within<S: Simd>(fetch: Fetch, src: *const u8, dst: *mut u8, bytes: usize) {
    let over = bytes - OVERSHOOT;
    // SAFETY: the caller keeps the contract. The first copy overshoots within `bytes`.
    unsafe {
        copy_over::<S>(fetch, src, dst, over);
        copy_exact(src.add(over), dst.add(over), OVERSHOOT);
    }
}

/// One block of fill (64 bytes) in registers.
pub(super) struct Filling<S: Simd>([S::Register; MOST_OF_A_LINE]);

/// The maximum number of registers per cache line.
const MOST_OF_A_LINE: usize = 4;

impl<S: Simd> Filling<S> {
    /// Loads the block of a fill. Loading it again for every line would take 1.35 times as long (Zen 3, stores of 180 KB).
    #[inline(always)]
    pub(super) fn of(fill: &Pattern) -> Filling<S> {
        const { assert!(BLOCK == LINE && LINE <= MOST_OF_A_LINE * size_of::<S::Register>()) };
        let (block, register) = (fill.block().as_ptr(), size_of::<S::Register>());
        // SAFETY: a register at a multiple of its size lies within the block.
        unsafe {
            Filling([
                get(block),
                get(block.add(register % BLOCK)),
                get(block.add(2 * register % BLOCK)),
                get(block.add(3 * register % BLOCK)),
            ])
        }
    }

    /// Writes the block, one register after the other, in ascending order. A copy of an array would be compiled in descending order, and
    /// then the CPU does not combine the stores. Zen 3 with AVX2, unaligned stores of 180 KB: that takes 1.6 times as long.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set. A block is writable at `dst`.
    #[inline(always)]
    pub(super) unsafe fn put(&self, fetch: Fetch, dst: *mut u8) {
        fetch.output(dst);
        for i in 0..BLOCK / size_of::<S::Register>() {
            // SAFETY: the caller keeps the contract.
            unsafe { put(dst.add(i * size_of::<S::Register>()), self.0[i]) };
        }
    }
}

/// Writes `bytes` bytes of fill as whole blocks.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - An element begins at `dst`, where `bytes` and [`OVERSHOOT`] more bytes are writable. The fill has a step.
#[inline(always)]
pub(super) unsafe fn fill_over<S: Simd>(fetch: Fetch, fill: &Pattern, dst: *mut u8, bytes: usize) {
    let (filling, step) = (Filling::<S>::of(fill), fill.step());
    let mut at = 0;
    while at < bytes {
        // SAFETY: the caller keeps the contract. A block begins before the end.
        unsafe { filling.put(fetch, dst.add(at)) };
        at += step;
    }
}

/// Writes `bytes` bytes of fill and touches no others.
///
/// # Safety
///
/// - `bytes` bytes are writable at `dst`. They are a whole number of elements.
#[inline(never)]
pub(super) unsafe fn fill_exact(fill: &Pattern, dst: *mut u8, bytes: usize) {
    debug_assert!(bytes.is_multiple_of(fill.element().len()));
    // SAFETY: the caller keeps the contract. All stores lie within `bytes`. After its whole elements, the block contains the start
    // of one more.
    unsafe {
        match (fill.uniform(), fill.step()) {
            (Some(byte), _) => ptr::write_bytes(dst, byte, bytes),
            (None, 0) => {
                let element = fill.element();
                for at in (0..bytes).step_by(element.len()) {
                    ptr::copy_nonoverlapping(element.as_ptr(), dst.add(at), element.len());
                }
            }
            (None, step) => {
                let filling = Filling::<Portable>::of(fill);
                let mut at = 0;
                while bytes - at > BLOCK {
                    filling.put(Fetch::NONE, dst.add(at));
                    at += step;
                }
                copy_exact(fill.block().as_ptr(), dst.add(at), bytes - at);
            }
        }
    }
}

/// Writes `bytes` bytes at `dst`, and touches no others. Each byte is equal to the byte `distance` before it. For example, `[a b]` with
/// distance 2 becomes `[a b a b a b]`.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - `distance` bytes before `dst` are readable, and `bytes` at `dst` are writable. `distance` is at least 1.
#[inline(always)]
pub(super) unsafe fn repeat<S: Simd>(fetch: Fetch, dst: *mut u8, distance: usize, bytes: usize) {
    let src = dst.cast_const().wrapping_sub(distance);
    // SAFETY: the caller keeps the contract. Every copy reads bytes before its destination, at a multiple of `distance`.
    unsafe {
        let mut done = 0;
        // While the distance from load to store is short, each copy doubles it. If it stayed equal, every load would wait for the
        // store just before it.
        while done < bytes && done + distance < SHORT {
            let now = (done + distance).min(bytes - done);
            copy_exact(src, dst.add(done), now);
            done += now;
        }
        // If bytes are left, `done` is a multiple of `distance`, so the bytes from `src` on come next.
        let over = (bytes - done).saturating_sub(OVERSHOOT);
        if over > 0 {
            copy_over::<S>(fetch, src, dst.add(done), over);
        }
        copy_exact(src.add(over), dst.add(done + over), bytes - done - over);
    }
}
