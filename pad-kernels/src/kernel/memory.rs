//! Moves of memory: copies, fill, and what repeats.

use core::ops::RangeInclusive;
use core::ptr;

use crate::isa::Isa;
pub(super) use crate::kernel::raw::{copy_exact, copy_of, get, put};
use crate::kernel::simd::{LINE, Portable, Simd, prefetch};
use crate::kernel::threshold;
use crate::plan::pattern::{BLOCK, Pattern};

/// The most bytes by which a move that may overshoot reads or writes past what was asked for.
pub(super) const OVERSHOOT: usize = BLOCK;

/// The shortest fill whose stores are aligned, by registers of a line and by shorter ones. 68 rows of 1127 halves, of which 25 are none, took
/// 2.9 us so and 4.3 with others, rows of 360 bytes alike (Zen 4). 80 to 1200 rows of 8 to 28 bytes with 100 to 240 of fill took 0.60 to
/// 0.86 of the time if they were bytes, and 0.77 to 0.96 if floats, with what is left over register by register (Zen 3, AVX2).
/// Registers of 16 bytes follow those of AVX2 unmeasured.
const ALIGNED_FROM: usize = 4 * LINE;
const ALIGNED_FROM_SHORT: usize = LINE;

/// Copies up to this long are registers without alignment, longer ones a loop with aligned stores: a row of 300 bytes and 212 of
/// fill took 9 ns, and 17 with two calls of libc (Zen 4, AVX-512).
pub(super) const SHORT: usize = 512;

/// Half a line: a register of AVX2, or two of those that are shorter.
pub(super) const HALF: usize = LINE / 2;

/// Prefetch distance of a long copy's source: rows of 2 to 8 KiB ran at 1.4 of memcpy's speed instead of 1.2 (11 MB), 1 GiB
/// of them streamed at 0.95 instead of 0.88 (Skylake). Half or twice as far did no better.
pub(super) const AHEAD: usize = 2048;

/// Prefetch distance of the output: its lines are in the cache when the stores come to them. Rows of 224 B to 1 KiB, 0.6 to
/// 0.8 MB of them, ran at 1.0 of memcpy's speed instead of 0.7 to 0.8, rows of 0.5 to 12 KiB, 33 to 37 MB of them, at 1.1
/// instead of 0.75 (Xeon with AMX). Half as far to four times as far did as well.
pub(super) const CLAIMED: usize = 1024;

/// Copies and fill of so many bytes to outputs of so many are libc's on machines that are told: it writes lines without reading them first.
/// Outputs of 640 KiB to 1 MiB took 0.7 to 0.85 of the time, whether they are one copy or eight, and of 1.5 MiB as long; 900 KiB between two
/// fills of 150 took 0.8. Single copies of 384 KiB, and of 6 MiB and more, took 1.2 to 1.6 times, and rows of 64 KiB as long (Cascade Lake,
/// whose second-level cache is 1 MiB).
const BY_LIBC: RangeInclusive<usize> = threshold(520 << 10, 1 << 12)..=1536 << 10;
const BY_LIBC_FROM: usize = threshold(128 << 10, 1 << 11);

/// Whether loops tell the machine ahead which lines they will read and write. It is asked once for a loop.
#[derive(Clone, Copy)]
pub(super) struct Fetch {
    told: bool,
    by_libc: bool,
}

impl Fetch {
    /// Of registers that are shorter than a line.
    pub(super) const NONE: Fetch = Fetch { told: false, by_libc: false };

    /// Whether this machine gains by it, in loops over registers `R` that write to an output of so many bytes. Only those of AVX-512 ask: of
    /// 800 drawn shapes those of up to 4 MiB of output took 0.97 of the time untold, longer ones 1.03 (Zen 3, AVX2), where a branch in the loops
    /// took 1.06. Beside a busy thread of the same core stores of fill took 1.5 times as long told as untold.
    #[inline(always)]
    pub(super) fn of<R>(output: usize) -> Fetch {
        let told = size_of::<R>() == LINE && Isa::is_told_of(output);
        Fetch { told, by_libc: told && BY_LIBC.contains(&output) }
    }

    /// What holds in a loop over registers `R`, too.
    #[inline(always)]
    pub(super) fn over<R>(self) -> Fetch {
        if size_of::<R>() == LINE { self } else { Fetch::NONE }
    }

    /// Whether it does.
    #[inline(always)]
    pub(super) fn is_told(self) -> bool {
        self.told
    }

    /// Whether so many bytes are copied, or set, by libc.
    #[inline(always)]
    fn is_by_libc(self, bytes: usize) -> bool {
        self.by_libc && bytes >= BY_LIBC_FROM
    }

    /// Has the line of the output that lies [`CLAIMED`] bytes behind this place brought into the cache.
    #[inline(always)]
    pub(super) fn output(self, place: *const u8) {
        if self.told {
            prefetch(place.wrapping_add(CLAIMED));
        }
    }
}

/// Copies `bytes` bytes in whole registers.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - `bytes` and [`OVERSHOOT`] more are readable at `src` and writable at `dst`.
/// - The two do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_over<S: Simd>(fetch: Fetch, src: *const u8, dst: *mut u8, bytes: usize) {
    // SAFETY: the caller's.
    unsafe {
        if fetch.is_by_libc(bytes) {
            ptr::copy_nonoverlapping(src, dst, bytes);
        } else {
            copy_forward::<S>(fetch, src, dst, bytes);
        }
    }
}

/// Copies bytes where the two may overlap.
///
/// # Safety
///
/// - As for [`copy_over`], or `dst` lies [`OVERSHOOT`] or more behind `src`: then what was written is read.
#[inline(always)]
unsafe fn copy_forward<S: Simd>(fetch: Fetch, src: *const u8, dst: *mut u8, bytes: usize) {
    let register = size_of::<S::Register>();
    // SAFETY: the caller's. The last register, or the last line of the loop with aligned stores, begins before the end.
    unsafe {
        if bytes <= SHORT {
            return copy_short::<S>(fetch, src, dst, bytes);
        }
        put(dst, get::<S::Register>(src));
        copy_on::<S, AHEAD>(fetch, src, dst, (register - dst.addr() % register, bytes));
    }
}

/// Copies lines, the first one `at` bytes behind the beginning and the last one before the `end`. Of the source the machine is told `FAR` bytes
/// ahead. There are two loops: of a single one the compiler made, in one caller of three, one that asks for every line, and 30 rows of 1 KiB took
/// 1.2 times as long by it (Cascade Lake).
///
/// # Safety
///
/// - The machine has the instruction set; all of these lines are readable and writable.
#[inline(always)]
unsafe fn copy_on<S: Simd, const FAR: usize>(
    fetch: Fetch,
    src: *const u8,
    dst: *mut u8,
    (mut at, end): (usize, usize),
) {
    // SAFETY: the caller's.
    unsafe {
        if fetch.is_told() {
            while at < end {
                prefetch(src.wrapping_add(at + FAR));
                copy_line::<S>(fetch, src.add(at), dst.add(at));
                at += LINE;
            }
        } else {
            while at < end {
                copy_line::<S>(Fetch::NONE, src.add(at), dst.add(at));
                at += LINE;
            }
        }
    }
}

/// Copies at least one and at most [`SHORT`] bytes.
///
/// # Safety
///
/// - As for [`copy_over`].
#[inline(always)]
pub(super) unsafe fn copy_short<S: Simd>(fetch: Fetch, src: *const u8, dst: *mut u8, bytes: usize) {
    let mut at = 0;
    while at < bytes {
        // SAFETY: the caller's; a line begins before the end.
        unsafe { copy_line::<S>(fetch, src.add(at), dst.add(at)) };
        at += LINE;
    }
}

/// Copies at least one and at most [`SHORT`] bytes, and touches no others.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - `bytes` at `src` are readable and at `dst` writable, and they do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_ends<S: Simd>(fetch: Fetch, src: *const u8, dst: *mut u8, bytes: usize) {
    // SAFETY: the caller's; the last line ends with the last byte.
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

/// Copies a number of bytes that takes `LINES` lines, or parts of them.
///
/// # Safety
///
/// - As for [`copy_ends`]; `bytes` is at most `LINES` lines, and more than one less.
#[inline(always)]
pub(super) unsafe fn copy_lines<S: Simd, const LINES: usize>(
    fetch: Fetch,
    src: *const u8,
    dst: *mut u8,
    bytes: usize,
) {
    // SAFETY: the caller's; the last line ends with the last byte.
    unsafe {
        for line in 1..LINES {
            copy_line::<S>(fetch, src.add((line - 1) * LINE), dst.add((line - 1) * LINE));
        }
        copy_line::<S>(fetch, src.add(bytes - LINE), dst.add(bytes - LINE));
    }
}

/// Copies a number of bytes that takes `HALVES` half lines, or parts of them; a single one is copied whole.
///
/// # Safety
///
/// - As for [`copy_ends`]; `bytes` is at most `HALVES` half lines, and more than one less. Of a single one all is readable and
///   writable.
#[inline(always)]
pub(super) unsafe fn copy_halves<S: Simd, const HALVES: usize>(
    fetch: Fetch,
    src: *const u8,
    dst: *mut u8,
    bytes: usize,
) {
    // SAFETY: the caller's; the last line, or half, ends with the last byte.
    unsafe {
        if const { HALVES > 2 && size_of::<S::Register>() == LINE } {
            for line in 1..HALVES.div_ceil(2) {
                copy_line::<S>(fetch, src.add((line - 1) * LINE), dst.add((line - 1) * LINE));
            }
            return copy_line::<S>(fetch, src.add(bytes - LINE), dst.add(bytes - LINE));
        }
        for half in 1..HALVES {
            if half % 2 == 1 {
                fetch.output(dst.wrapping_add(half * HALF));
            }
            copy_half::<S>(src.add((half - 1) * HALF), dst.add((half - 1) * HALF));
        }
        let last = if HALVES == 1 { 0 } else { bytes - HALF };
        copy_half::<S>(src.add(last), dst.add(last));
    }
}

/// Copies half a line's worth of bytes, wherever it lies.
///
/// # Safety
///
/// - As for [`copy_line`], of half a line.
#[inline(always)]
unsafe fn copy_half<S: Simd>(src: *const u8, dst: *mut u8) {
    let register = size_of::<S::Register>();
    // SAFETY: the caller's.
    unsafe {
        if register > HALF {
            return copy_of::<HALF>(src, dst);
        }
        for i in 0..HALF / register {
            put(dst.add(i * register), get::<S::Register>(src.add(i * register)));
        }
    }
}

/// Copies more than a line with aligned stores, all but the first and, unless it may write and read up to a line `OVER` the end,
/// the last.
///
/// # Safety
///
/// - As for [`copy_ends`]; `bytes` is more than a line. If `OVER`, a line more is readable and writable.
#[inline(always)]
pub(super) unsafe fn copy_aligned<S: Simd, const OVER: bool>(
    fetch: Fetch,
    src: *const u8,
    dst: *mut u8,
    bytes: usize,
) {
    let register = size_of::<S::Register>();
    // SAFETY: the caller's; the last line ends with the last byte, or begins before it.
    unsafe {
        copy_line::<S>(fetch, src, dst);
        let until = if OVER { bytes } else { bytes - LINE };
        copy_on::<S, CLAIMED>(fetch, src, dst, (LINE - dst.addr() % register, until));
        if !OVER {
            copy_line::<S>(fetch, src.add(until), dst.add(until));
        }
    }
}

/// Copies a line's worth of bytes, wherever it lies.
///
/// # Safety
///
/// - The machine has the instruction set; [`LINE`] bytes at `src` are readable and at `dst` writable.
#[inline(always)]
pub(super) unsafe fn copy_line<S: Simd>(fetch: Fetch, src: *const u8, dst: *mut u8) {
    fetch.output(dst);
    let register = size_of::<S::Register>();
    for i in 0..LINE / register {
        // SAFETY: the caller's.
        unsafe { put(dst.add(i * register), get::<S::Register>(src.add(i * register))) };
    }
}

/// Copies `bytes` bytes and touches no others: as [`copy_over`] as far as there is room, and the rest exactly.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - `bytes` at `src` are readable and at `dst` writable, and they do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_within<S: Simd>(fetch: Fetch, src: *const u8, dst: *mut u8, bytes: usize) {
    // SAFETY: the caller's; what overshoots is still within `bytes`.
    unsafe {
        let over = if bytes > SHORT { bytes - OVERSHOOT } else { 0 };
        if over > 0 {
            copy_over::<S>(fetch, src, dst, over);
        }
        copy_exact(src.add(over), dst.add(over), bytes - over);
    }
}

/// A block of fill in registers.
pub(super) struct Filling<S: Simd>([S::Register; MOST_OF_A_LINE]);

/// The most registers of a line.
const MOST_OF_A_LINE: usize = 4;

impl<S: Simd> Filling<S> {
    /// The fill's block. Where it is read again for every line, stores of 180 KB took 1.35 times as long (Zen 3, AVX2).
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

    /// Whether registers are whole elements of this fill, so that each may follow the other.
    #[inline(always)]
    pub(super) fn is_whole(fill: &Pattern) -> bool {
        fill.step() == BLOCK && size_of::<S::Register>().is_multiple_of(fill.element().len())
    }

    /// Writes the block, one register after the other. Compilers turn a copy of an array around: places that are no multiples
    /// of a register then take 1.6 times as long (180 KB; Zen 3, AVX2), as stores that go up are joined.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set; a block is writable at `dst`.
    #[inline(always)]
    pub(super) unsafe fn put(&self, fetch: Fetch, dst: *mut u8) {
        fetch.output(dst);
        for i in 0..BLOCK / size_of::<S::Register>() {
            // SAFETY: the caller's.
            unsafe { put(dst.add(i * size_of::<S::Register>()), self.0[i]) };
        }
    }

    /// Writes `bytes` bytes in whole registers, at least one. The mask says which bits of a place are to be none in those of the
    /// stores, but for the first one: there is no branch for it, for which compilers would make loops twice.
    ///
    /// # Safety
    ///
    /// - The machine has the instruction set; `bytes` and [`OVERSHOOT`] more are writable at `dst`.
    /// - Registers [are whole elements](Self::is_whole), unless one is enough; an element begins at `dst` and, with a mask, wherever its
    ///   bits are none.
    #[inline(always)]
    pub(super) unsafe fn put_over(&self, fetch: Fetch, dst: *mut u8, bytes: usize, mask: usize) {
        let register = size_of::<S::Register>();
        // SAFETY: the caller's; each register begins within `bytes`.
        unsafe {
            put(dst, self.0[0]);
            if bytes <= register {
                return;
            }
            let mut at = register - (dst.addr() & mask);
            // What is left over goes register by register: 80 to 1200 rows of 8 to 28 bytes with 68 to 240 of fill took 0.86 of the time
            // that whole lines take if they were bytes, and 0.97 if floats (Zen 3, AVX2).
            while at + (LINE - register) < bytes {
                fetch.output(dst.add(at));
                for _ in 0..LINE / register {
                    put(dst.add(at), self.0[0]);
                    at += register;
                }
            }
            while at < bytes {
                put(dst.add(at), self.0[0]);
                at += register;
            }
        }
    }

    /// Writes the block's first register.
    ///
    /// # Safety
    ///
    /// - As for [`put`](Self::put), of a register.
    #[inline(always)]
    pub(super) unsafe fn put_first(&self, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe { put(dst, self.0[0]) };
    }
}

/// The mask of [`Filling::put_over`] for fill of so many bytes, if elements begin `whole` at registers.
#[inline(always)]
pub(super) fn aligned<S: Simd>(whole: bool, bytes: usize) -> usize {
    let register = size_of::<S::Register>();
    let from = if register < LINE { ALIGNED_FROM_SHORT } else { ALIGNED_FROM };
    if whole && bytes >= from { register - 1 } else { 0 }
}

/// Writes `bytes` bytes of fill in whole blocks.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - `bytes` and [`OVERSHOOT`] more are writable at `dst`, where an element begins; the fill has a step.
#[inline(always)]
pub(super) unsafe fn fill_over<S: Simd>(fetch: Fetch, fill: &Pattern, dst: *mut u8, bytes: usize) {
    let (filling, step) = (Filling::<S>::of(fill), fill.step());
    let mut at = 0;
    while at < bytes {
        // SAFETY: the caller's; a block begins before the end.
        unsafe { filling.put(fetch, dst.add(at)) };
        at += step;
    }
}

/// Writes `bytes` bytes of fill and touches no others.
///
/// # Safety
///
/// - `bytes`, whole elements, are writable at `dst`.
#[inline(never)]
pub(super) unsafe fn fill_exact(fill: &Pattern, dst: *mut u8, bytes: usize) {
    debug_assert!(bytes.is_multiple_of(fill.element().len()));
    // SAFETY: the caller's; all stores lie within `bytes`, and the block continues the pattern past its step.
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

/// Whether so much fill is written by [`fill_lines`], rather than by [`fill_exact`].
///
/// What is one byte repeated is set by libc below a KiB: 32 rows of 640 bytes of fill took 235 ns by libc and 280 by lines, 512 rows of
/// 4 KiB 57 us and 46, and of 64 KiB alike (Xeon with AMX); 4 MiB in pieces of 4 KiB to 1 MiB took 0.70 to 0.97 of the time that libc takes
/// by such a loop in C (Zen 3, AVX2).
#[inline(always)]
pub(super) fn in_lines(fill: &Pattern, bytes: usize) -> bool {
    let set = fill.uniform().is_some() && bytes < 1 << 10;
    bytes > SHORT && fill.step() == BLOCK && !set
}

/// Writes `bytes` bytes of fill and touches no others, by aligned stores where elements begin at lines.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - `bytes`, whole elements and [`in_lines`], are writable at `dst`.
#[inline(always)]
pub(super) unsafe fn fill_lines<S: Simd>(fetch: Fetch, fill: &Pattern, dst: *mut u8, bytes: usize) {
    debug_assert!(in_lines(fill, bytes) && bytes.is_multiple_of(fill.element().len()));
    if fetch.is_by_libc(bytes)
        && let Some(byte) = fill.uniform()
    {
        // SAFETY: the caller's.
        return unsafe { ptr::write_bytes(dst, byte, bytes) };
    }
    let filling = Filling::<S>::of(fill);
    let boundary = LINE - dst.addr() % LINE;
    let last = bytes - LINE;
    // SAFETY: the caller's; every line begins with an element and ends within `bytes`.
    unsafe {
        filling.put(fetch, dst);
        let mut at = if boundary.is_multiple_of(fill.element().len()) { boundary } else { LINE };
        while at < last {
            filling.put(fetch, dst.add(at));
            at += LINE;
        }
        filling.put(fetch, dst.add(last));
    }
}

/// Writes `bytes` bytes at `dst` that repeat those from `distance` bytes before on, and touches no others.
///
/// # Safety
///
/// - The machine has the instruction set.
/// - `distance` bytes before `dst` are readable, and `bytes` at `dst` are writable. `distance` is at least 1.
#[inline(always)]
pub(super) unsafe fn repeat<S: Simd>(fetch: Fetch, dst: *mut u8, distance: usize, bytes: usize) {
    let src = dst.cast_const().wrapping_sub(distance);
    // SAFETY: the caller's. Every copy reads what lies before it, and the period is a divisor of its distance.
    unsafe {
        let mut done = 0;
        // Short distances double, so that loads do not wait for the stores that they read.
        while done < bytes && done + distance < SHORT {
            let now = (done + distance).min(bytes - done);
            copy_exact(src, dst.add(done), now);
            done += now;
        }
        let far = (done + distance) / distance * distance;
        let rest = bytes - done;
        if rest > OVERSHOOT {
            let over = rest - OVERSHOOT;
            copy_forward::<S>(fetch, dst.add(done).sub(far), dst.add(done), over);
            done += over;
        }
        copy_exact(dst.add(done).sub(far), dst.add(done), bytes - done);
    }
}
