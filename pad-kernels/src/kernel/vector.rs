//! What differs between instruction sets: the register, and the cells of short rows.
//!
//! Nothing here is exact: loads and stores run up to [`OVERSHOOT`] past what was asked for. The output is written
//! front to back, so the next store mends what this one spilt; the sink keeps away from the ends of its buffers.
#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "permutations of bytes are only written for x86-64 so far")
)]

use core::ptr;

use crate::plan::pattern::{BLOCK, Pattern};

/// Bodies up to this long are moved by as many registers as they take, unrolled. Above, a loop with aligned stores wins:
/// of rows of 224 bytes 0.82 of memcpy's speed against 0.78, of 256 bytes 0.86 against 0.72 (Zen 4, AVX-512).
const UNROLLED: usize = 128;

/// How far ahead of a long run's loop its source is brought into the cache: rows of 2 to 8 KiB ran at 1.4 of memcpy's speed
/// instead of 1.2 (11 MB), 1 GiB of them streamed at 0.95 instead of 0.88 (Skylake). Half or twice as far did no better.
pub(super) const AHEAD: usize = 2048;

/// How far ahead of its stores the lines of an output are brought into the cache: it is filled while what is before them is
/// written, instead of each store waiting for its line. Rows of 224 B to 1 KiB, 0.6 to 0.8 MB of them, ran at 1.0 of memcpy's
/// speed instead of 0.7 to 0.8, rows of 0.5 to 12 KiB, 33 to 37 MB of them, at 1.1 instead of 0.75 (Xeon with AMX). Half as
/// far to four times as far did as well.
pub(super) const CLAIMED: usize = 1024;

/// Single runs up to this long are moved register by register, and short gaps are filled so: a row of 300 bytes and 212
/// of fill took 9 ns, and 17 with two calls of libc (Zen 4, AVX-512).
pub(super) const SHORT: usize = 512;

/// The most bytes by which loads and stores run past what was asked for.
pub(super) const OVERSHOOT: usize = BLOCK;

/// Whether there are streaming stores. Miri knows none.
pub(crate) const STREAMS: bool = cfg!(all(target_arch = "x86_64", not(miri)));

/// What moves between cache and memory, and the bytes that a streaming store has to write whole.
pub(super) const LINE: usize = 64;

/// Cells of up to this many bytes of source and fill are woven, two or more a register of 64 bytes: rows of 3 bytes padded
/// to 4 ran at 1.2 of memcpy's speed this way, and at 0.01 row by row (Zen 4, AVX-512).
const WOVEN: usize = 32;

/// Lines of cells: in each `count` times `body` bytes of the source, with `gap` bytes of fill after each but the last,
/// and `line_gap` after that one.
///
/// The contract of everything that takes them:
/// - `body` bytes at each of `count` sources, `stride` apart from `src`, for each of `lines` lines, `line_stride` apart,
///   and [`OVERSHOOT`] bytes behind the last byte of any of them are readable.
/// - As many bytes as all lines take, a `gap` and [`OVERSHOOT`] more are writable at `dst`. `count` and `lines` are at
///   least 1.
/// - `fill` has a step; if a gap is more than [`BLOCK`] bytes it is all of the block.
#[derive(Clone, Copy)]
pub(super) struct Cells<'a> {
    pub(super) src: *const u8,
    pub(super) stride: isize,
    pub(super) dst: *mut u8,
    pub(super) count: usize,
    pub(super) body: usize,
    pub(super) gap: usize,
    pub(super) lines: usize,
    pub(super) line_stride: isize,
    pub(super) line_gap: usize,
    pub(super) fill: &'a Pattern,
}

impl Cells<'_> {
    /// The output bytes of a line, without the gap behind it.
    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.count * (self.body + self.gap) - self.gap
    }

    /// Writes them by `line(cells)`, which writes the cells of one line with a gap after each.
    ///
    /// # Safety
    ///
    /// - The contract of [`Cells`], and `line` is sound for each of the lines.
    #[inline(always)]
    unsafe fn line_by_line<R: Copy>(&self, line: impl Fn(&Self)) {
        let mut cells = *self;
        let bytes = self.bytes();
        line(&cells);
        for _ in 1..self.lines {
            // SAFETY: the caller's. The gap after a line's last cell is overwritten by what follows.
            unsafe {
                cells.dst = gap::<R>(self.fill, cells.dst.add(bytes), self.line_gap);
                cells.src = cells.src.wrapping_offset(self.line_stride);
            }
            line(&cells);
        }
    }
}

/// An instruction set as a type. Kernels are compiled with it enabled, so that moving a register is one load and one
/// store.
pub(super) trait Vector {
    /// As many bytes as a register holds.
    type Register: Copy;

    /// Writes cells.
    ///
    /// # Safety
    ///
    /// - The contract of [`Cells`]; the machine has the instruction set.
    unsafe fn cells(cells: &Cells<'_>, weave: &mut Option<Weave>);

    /// Writes the cells of one line and touches nothing else. The last one has no gap; bodies and gaps are at most
    /// [`BLOCK`] bytes.
    ///
    /// # Safety
    ///
    /// - The contract of [`Cells`], but for the overshoot; the machine has the instruction set.
    unsafe fn exact_cells(cells: &Cells<'_>) {
        let Cells { mut src, mut dst, count, body, gap, .. } = *cells;
        for i in 0..count {
            // SAFETY: the caller's. The source behind the last cell is not read, and may lie outside.
            unsafe {
                copy_exact(src, dst, body);
                if i + 1 < count {
                    copy_exact(cells.fill.block().as_ptr(), dst.add(body), gap);
                }
                dst = dst.wrapping_add(body + gap);
            }
            src = src.wrapping_offset(cells.stride);
        }
    }

    /// Copies past the cache: the destination is not read into it, nor kept there.
    ///
    /// # Safety
    ///
    /// - `bytes`, a multiple of [`LINE`], are readable at `src` and writable at `dst`, which is a multiple of `LINE`; they
    ///   do not overlap. The machine has the instruction set, and [`STREAMS`] holds.
    /// - [`fence`](Vector::fence) follows before anyone else may read what was written.
    unsafe fn stream(src: *const u8, dst: *mut u8, bytes: usize);

    /// Orders streaming stores before everything that follows.
    fn fence() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 has it.
        unsafe {
            core::arch::x86_64::_mm_sfence();
        }
    }

    /// Bytes of the registers whose bytes it can permute, or 0 if none.
    const SHUFFLED: usize;

    /// Writes bordered rows.
    ///
    /// # Safety
    ///
    /// - The contract of [`BorderedRows`], with shuffles for registers of [`SHUFFLED`](Vector::SHUFFLED) bytes, which
    ///   are not 0; the machine has the instruction set.
    unsafe fn bordered(rows: &BorderedRows<'_>);
}

/// One border of a row: units that follow each other in the source upwards, downwards or not at all.
#[derive(Clone, Copy, Default)]
pub(super) struct Border {
    /// The source of its first unit, in bytes from the row's.
    pub(super) from: isize,
    /// From one unit to the next in the source.
    pub(super) stride: isize,
    pub(super) units: usize,
}

/// Rows of two borders and a body, all of them alike.
///
/// The contract of everything that takes them:
/// - All bytes that the borders and the body take from each of `count` sources, `stride` apart from `src`, and
///   [`OVERSHOOT`] bytes behind each are readable.
/// - `count` rows and [`OVERSHOOT`] bytes at `dst` are writable. `count` is at least 1.
/// - `shuffles` were made from the same borders and unit.
pub(super) struct BorderedRows<'a> {
    pub(super) src: *const u8,
    pub(super) stride: isize,
    pub(super) dst: *mut u8,
    pub(super) count: usize,
    /// The source of the body, in bytes from the row's, and its bytes.
    pub(super) body_from: isize,
    pub(super) body: usize,
    pub(super) shuffles: &'a [Shuffle; 2],
}

/// A border as permutations of registers: full ones of the same kind, and a last one.
pub(super) struct Shuffle {
    /// How many full ones.
    full: usize,
    /// The source of the first full register, from one to the next, and their output bytes.
    from: isize,
    step: isize,
    chunk: usize,
    index: [u8; BLOCK],
    /// The source of the last, and its bytes.
    last_from: isize,
    last: usize,
    last_index: [u8; BLOCK],
}

impl Shuffle {
    /// The permutations of `border` for units of `unit` bytes in registers of `register` bytes. A unit must fit.
    #[inline(always)]
    pub(super) fn new(border: Border, unit: usize, register: usize) -> Shuffle {
        let Border { from, stride, units } = border;
        let a_register = (register / unit).min(units);
        let last = if a_register == 0 {
            0
        } else {
            planted!("last-permutation", (units - 1) % a_register, (units - 1) % a_register / 2) + 1
        };
        // A register is loaded from its lowest unit on, so nothing below what is needed is read.
        let lowest = |first: isize, units: usize| first + (stride * units.saturating_sub(1) as isize).min(0);
        let table = |units: usize| {
            let mut index = [0; BLOCK];
            let start = lowest(0, units);
            for i in 0..units {
                for byte in 0..unit {
                    index[i * unit + byte] = (i as isize * stride - start + byte as isize) as u8;
                }
            }
            index
        };
        let full = units - last;
        let last_first = from + stride * full as isize;
        Shuffle {
            full: if full == 0 { 0 } else { full / a_register },
            from: lowest(from, a_register),
            step: stride * a_register as isize,
            chunk: a_register * unit,
            index: if full > 0 { table(a_register) } else { [0; BLOCK] },
            last_from: lowest(last_first, last),
            last: last * unit,
            last_index: table(last),
        }
    }
}

/// Writes bordered rows with `permute(from, index)`: a register from an address, permuted.
///
/// # Safety
///
/// - The contract of [`BorderedRows`]; the permutation reads no more than [`OVERSHOOT`] bytes.
#[inline(always)]
unsafe fn bordered<R: Copy, P: Copy>(
    rows: &BorderedRows<'_>,
    permute: impl Fn(*const u8, &[u8; BLOCK]) -> P,
) {
    let vectors = rows.body.div_ceil(size_of::<R>());
    // SAFETY: the caller's, and each arm is for as many registers as the body needs.
    unsafe {
        seq_macro::seq!(N in 1..=8 {
            match vectors {
                #(N if size_of::<[R; N]>() <= UNROLLED => {
                    bordered_by(rows, &permute, |src, dst| copy_registers::<R, N>(src, dst));
                })*
                _ => bordered_by(rows, &permute, |src, dst| copy_aligned::<R>(src, dst, rows.body)),
            }
        });
    }
}

/// The same with `copy(src, dst)` for bodies.
///
/// # Safety
///
/// - As for [`bordered`]; the copy writes no more than the body and [`OVERSHOOT`] bytes.
#[inline(always)]
unsafe fn bordered_by<P: Copy>(
    rows: &BorderedRows<'_>,
    permute: &impl Fn(*const u8, &[u8; BLOCK]) -> P,
    copy: impl Fn(*const u8, *mut u8),
) {
    let BorderedRows { mut src, mut dst, stride, body_from, body, .. } = *rows;
    let [head, tail] = rows.shuffles;
    let border = |src: *const u8, mut dst: *mut u8, border: &Shuffle| {
        // SAFETY: the caller's. An empty border's only register is overwritten by what follows.
        unsafe {
            let mut from = src.offset(border.from);
            for _ in 0..border.full {
                put(dst, permute(from, &border.index));
                dst = dst.add(border.chunk);
                from = from.wrapping_offset(border.step);
            }
            put(dst, permute(src.offset(border.last_from), &border.last_index));
            dst.add(border.last)
        }
    };
    for _ in 0..rows.count {
        // SAFETY: the caller's. The source behind the last row is not read, and may lie outside.
        unsafe {
            let behind = border(src, dst, head);
            copy(src.offset(body_from), behind);
            dst = border(src, behind.add(body), tail);
            src = src.wrapping_offset(stride);
        }
    }
}

pub(super) struct Portable;

impl Vector for Portable {
    type Register = [u8; 16];
    const SHUFFLED: usize = 0;

    unsafe fn cells(cells: &Cells<'_>, _: &mut Option<Weave>) {
        // SAFETY: the caller's.
        unsafe { cells.line_by_line::<[u8; 16]>(|line| one_by_one::<[u8; 16]>(line)) }
    }

    #[cfg(target_arch = "x86_64")]
    unsafe fn stream(src: *const u8, dst: *mut u8, bytes: usize) {
        use core::arch::x86_64::{__m128i, _mm_stream_si128};
        // SAFETY: the caller's.
        unsafe {
            streamed::<__m128i>(src, dst, bytes, |dst, register| _mm_stream_si128(dst.cast(), register))
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    unsafe fn stream(_: *const u8, _: *mut u8, _: usize) {
        unreachable!("only x86-64 has streaming stores");
    }

    unsafe fn bordered(_: &BorderedRows<'_>) {
        unreachable!("the portable instruction set shuffles nothing");
    }
}

/// How cells come from the source within one register: `lanes` cells, each byte from an index or from the fill.
pub(super) struct Weave {
    /// What the table was made for.
    key: (isize, usize, usize),
    lanes: usize,
    /// Bytes of source and of output that `lanes` cells take.
    src_step: isize,
    dst_step: usize,
    /// The source byte of each output byte; the top bit is set where there is none.
    index: [u8; BLOCK],
    /// The fill where there is no source byte, and zero elsewhere.
    fill: [u8; BLOCK],
}

impl Weave {
    /// The table for these cells in registers of `register` bytes, if two of them fit.
    fn new(cells: &Cells<'_>, register: usize) -> Weave {
        let cell = cells.body + cells.gap;
        let stride = cells.stride.max(0) as usize;
        let mut lanes = register / cell;
        while lanes > 1 && (lanes - 1) * stride + cells.body > register {
            lanes -= 1;
        }
        let mut weave = Weave {
            key: (cells.stride, cells.body, cells.gap),
            lanes,
            src_step: lanes as isize * cells.stride,
            dst_step: lanes * cell,
            index: [0x80; BLOCK],
            fill: [0; BLOCK],
        };
        for lane in 0..lanes {
            for byte in 0..cells.body {
                weave.index[lane * cell + byte] = (lane * stride + byte) as u8;
            }
            let gap = lane * cell + cells.body;
            weave.fill[gap..gap + cells.gap].copy_from_slice(&cells.fill.block()[..cells.gap]);
        }
        weave
    }

    /// The table for these cells, made once for as long as they stay alike.
    #[inline(always)]
    fn of<'a>(cells: &Cells<'_>, register: usize, weave: &'a mut Option<Weave>) -> &'a Weave {
        let key = (cells.stride, cells.body, cells.gap);
        if weave.as_ref().is_some_and(|weave| weave.key != key) {
            *weave = None;
        }
        weave.get_or_insert_with(|| Weave::new(cells, register))
    }
}

/// Cells one after the other, in whole registers.
///
/// # Safety
///
/// - The contract of [`Cells`].
#[inline(always)]
unsafe fn one_by_one<R: Copy>(cells: &Cells<'_>) {
    let vectors = cells.body.div_ceil(size_of::<R>());
    // SAFETY: the caller's, and each arm is for as many registers as the body needs.
    unsafe {
        seq_macro::seq!(N in 1..=8 {
            match vectors {
                #(N if size_of::<[R; N]>() <= UNROLLED => each::<R, N>(cells),)*
                _ => {
                    let Cells { mut src, mut dst, .. } = *cells;
                    for _ in 0..cells.count {
                        copy_aligned::<R>(src, dst, cells.body);
                        dst = gap::<R>(cells.fill, dst.add(cells.body), cells.gap);
                        src = src.wrapping_offset(cells.stride);
                    }
                }
            }
        });
    }
}

/// Cells whose bodies take `N` registers.
///
/// # Safety
///
/// - The contract of [`Cells`].
#[inline(always)]
unsafe fn each<R: Copy, const N: usize>(cells: &Cells<'_>) {
    let Cells { mut src, mut dst, .. } = *cells;
    for _ in 0..cells.count {
        // SAFETY: the caller's.
        unsafe {
            copy_registers::<R, N>(src, dst);
            dst = gap::<R>(cells.fill, dst.add(cells.body), cells.gap);
            // The source behind the last cell is not read, and may lie outside.
            src = src.wrapping_offset(cells.stride);
        }
    }
}

/// Copies `N` registers.
///
/// # Safety
///
/// - As many bytes are readable at `src` and writable at `dst`.
#[inline(always)]
unsafe fn copy_registers<R: Copy, const N: usize>(src: *const u8, dst: *mut u8) {
    for line in (0..size_of::<[R; N]>()).step_by(LINE) {
        prefetch(dst.wrapping_add(CLAIMED + line));
    }
    for at in (0..size_of::<[R; N]>()).step_by(size_of::<R>()) {
        // SAFETY: the caller's.
        unsafe { put(dst.add(at), get::<R>(src.add(at))) };
    }
}

/// Copies `bytes`, more than a register, and up to a line more, with stores at whole registers.
///
/// # Safety
///
/// - As many bytes and [`OVERSHOOT`] more are readable at `src` and writable at `dst`.
#[inline(always)]
pub(super) unsafe fn copy_aligned<R: Copy>(src: *const u8, dst: *mut u8, bytes: usize) {
    let register = size_of::<R>();
    // SAFETY: the caller's; the last line begins before the end.
    unsafe {
        put(dst, get::<R>(src));
        let mut at = register - dst.addr() % register;
        while at < bytes {
            prefetch(src.wrapping_add(at + AHEAD));
            prefetch(dst.wrapping_add(at + CLAIMED));
            for i in 0..LINE / register {
                put(dst.add(at + i * register), get::<R>(src.add(at + i * register)));
            }
            at += LINE;
        }
    }
}

/// Writes `bytes` of fill and up to a block more; what is behind them.
///
/// # Safety
///
/// - `bytes` and [`OVERSHOOT`] more are writable at `dst`; if `bytes` is more than [`BLOCK`], the fill is all of the block.
#[inline(always)]
unsafe fn gap<R: Copy>(fill: &Pattern, dst: *mut u8, bytes: usize) -> *mut u8 {
    // SAFETY: the caller's.
    unsafe {
        if bytes > size_of::<R>() {
            for at in (0..bytes).step_by(BLOCK) {
                put(dst.add(at), *fill.block());
            }
        } else if bytes > 0 {
            put(dst, get::<R>(fill.block().as_ptr()));
        }
        dst.add(bytes)
    }
}

/// Copies lines with `store(dst, register)`.
///
/// # Safety
///
/// - As for [`Vector::stream`].
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only x86-64 has streaming stores"))]
unsafe fn streamed<R: Copy>(src: *const u8, dst: *mut u8, bytes: usize, store: impl Fn(*mut u8, R)) {
    debug_assert!(dst.addr().is_multiple_of(LINE) && bytes.is_multiple_of(LINE));
    let mut at = 0;
    while at < bytes {
        prefetch(src.wrapping_add(at + AHEAD));
        for i in 0..LINE / size_of::<R>() {
            // SAFETY: the caller's.
            unsafe { store(dst.add(at + i * size_of::<R>()), get(src.add(at + i * size_of::<R>()))) };
        }
        at += LINE;
    }
}

/// Has the line at this place brought into the cache, if there is any.
#[inline(always)]
pub(super) fn prefetch(place: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: any address will do; nothing is read.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = place;
}

/// Reads a `T` from any address.
///
/// # Safety
///
/// - `size_of::<T>()` bytes at `src` are readable, and any bytes are a `T`.
#[inline(always)]
pub(super) unsafe fn get<T: Copy>(src: *const u8) -> T {
    // SAFETY: the caller's.
    unsafe { src.cast::<T>().read_unaligned() }
}

/// Writes a `T` to any address.
///
/// # Safety
///
/// - `size_of::<T>()` bytes at `dst` are writable.
#[inline(always)]
pub(super) unsafe fn put<T: Copy>(dst: *mut u8, value: T) {
    // SAFETY: the caller's.
    unsafe { dst.cast::<T>().write_unaligned(value) }
}

/// Copies `bytes` bytes and touches no others.
///
/// # Safety
///
/// - `bytes` at `src` are readable and at `dst` writable, and they do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_exact(src: *const u8, dst: *mut u8, bytes: usize) {
    /// Two moves of a `T`, which meet or overlap, for sizes from one to two of them.
    #[inline(always)]
    unsafe fn ends<T: Copy>(src: *const u8, dst: *mut u8, bytes: usize) {
        let last = bytes - size_of::<T>();
        // SAFETY: both ends lie within the `bytes`.
        unsafe {
            let (low, high) = (get::<T>(src), get::<T>(src.add(last)));
            put(dst, low);
            put(dst.add(last), high);
        }
    }
    // SAFETY: the caller's; each arm moves within `bytes`.
    unsafe {
        match bytes {
            65.. => ptr::copy_nonoverlapping(src, dst, bytes),
            32.. => ends::<[u8; 32]>(src, dst, bytes),
            16.. => ends::<[u8; 16]>(src, dst, bytes),
            8.. => ends::<u64>(src, dst, bytes),
            4.. => ends::<u32>(src, dst, bytes),
            2.. => ends::<u16>(src, dst, bytes),
            1 => put(dst, get::<u8>(src)),
            0 => {}
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::{
        __m128i, __m256i, __m512i, _mm_or_si128, _mm_shuffle_epi8, _mm256_broadcastsi128_si256,
        _mm256_or_si256, _mm256_set_m128i, _mm256_shuffle_epi8, _mm256_stream_si256, _mm512_mask_storeu_epi8,
        _mm512_maskz_loadu_epi8, _mm512_maskz_permutexvar_epi8, _mm512_movepi8_mask, _mm512_or_si512,
        _mm512_permutexvar_epi8, _mm512_stream_si512,
    };

    use super::{
        BorderedRows, CLAIMED, Cells, Vector, WOVEN, Weave, bordered, get, one_by_one, prefetch, put,
        streamed,
    };

    pub(in crate::kernel) struct Avx2;

    impl Vector for Avx2 {
        type Register = [u8; 32];
        const SHUFFLED: usize = 16;

        #[target_feature(enable = "avx2,bmi1,bmi2")]
        unsafe fn bordered(rows: &BorderedRows<'_>) {
            // SAFETY: the caller's; a permutation reads 16 bytes.
            unsafe {
                bordered::<[u8; 32], _>(rows, |from, index| {
                    _mm_shuffle_epi8(get::<__m128i>(from), get(index.as_ptr()))
                });
            }
        }

        #[target_feature(enable = "avx2,bmi1,bmi2")]
        unsafe fn cells(cells: &Cells<'_>, weave: &mut Option<Weave>) {
            // SAFETY: the caller's; a woven register reads and writes 16 bytes from a cell on, which is less than a
            // cell and what it may overshoot.
            unsafe {
                if cells.body + cells.gap > 16 || cells.stride < 0 {
                    return cells.line_by_line::<[u8; 32]>(|line| one_by_one::<[u8; 32]>(line));
                }
                let weave = Weave::of(cells, 16, weave);
                let index = get::<__m128i>(weave.index.as_ptr());
                let fill = get::<__m128i>(weave.fill.as_ptr());
                let (indices, fills) =
                    (_mm256_broadcastsi128_si256(index), _mm256_broadcastsi128_si256(fill));
                cells.line_by_line::<[u8; 32]>(|line| {
                    let Cells { mut src, mut dst, .. } = *line;
                    let mut left = planted!(
                        "short-vector-tail",
                        cells.count.div_ceil(weave.lanes),
                        cells.count / weave.lanes
                    );
                    // Two at a time where the second follows the first without a hole.
                    while left >= 2 && weave.dst_step == 16 {
                        let next = src.wrapping_offset(weave.src_step);
                        let both = _mm256_set_m128i(get(next), get(src));
                        put::<__m256i>(dst, _mm256_or_si256(_mm256_shuffle_epi8(both, indices), fills));
                        prefetch(dst.wrapping_add(CLAIMED));
                        src = next.wrapping_offset(weave.src_step);
                        dst = dst.add(32);
                        left -= 2;
                    }
                    for _ in 0..left {
                        put(dst, _mm_or_si128(_mm_shuffle_epi8(get(src), index), fill));
                        src = src.wrapping_offset(weave.src_step);
                        dst = dst.add(weave.dst_step);
                    }
                });
            }
        }

        #[target_feature(enable = "avx2,bmi1,bmi2")]
        unsafe fn stream(src: *const u8, dst: *mut u8, bytes: usize) {
            // SAFETY: the caller's.
            unsafe {
                streamed::<__m256i>(src, dst, bytes, |dst, register| {
                    _mm256_stream_si256(dst.cast(), register)
                });
            }
        }
    }

    pub(in crate::kernel) struct Avx512;

    impl Vector for Avx512 {
        type Register = [u8; 64];
        const SHUFFLED: usize = 64;

        #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
        unsafe fn exact_cells(cells: &Cells<'_>) {
            let ones = |bytes: usize| if bytes == 0 { 0 } else { u64::MAX >> (64 - bytes) };
            let (body, gap) = (ones(cells.body), ones(cells.gap));
            let Cells { mut src, mut dst, count, .. } = *cells;
            // SAFETY: the caller's; what the masks leave out is not touched.
            unsafe {
                let fill = get::<__m512i>(cells.fill.block().as_ptr());
                for i in 0..count {
                    _mm512_mask_storeu_epi8(dst.cast(), body, _mm512_maskz_loadu_epi8(body, src.cast()));
                    if i + 1 < count {
                        _mm512_mask_storeu_epi8(dst.add(cells.body).cast(), gap, fill);
                    }
                    src = src.wrapping_offset(cells.stride);
                    dst = dst.wrapping_add(cells.body + cells.gap);
                }
            }
        }

        #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
        unsafe fn bordered(rows: &BorderedRows<'_>) {
            // SAFETY: the caller's; a permutation reads 64 bytes.
            unsafe {
                bordered::<[u8; 64], _>(rows, |from, index| {
                    _mm512_permutexvar_epi8(get(index.as_ptr()), get::<__m512i>(from))
                });
            }
        }

        #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
        unsafe fn cells(cells: &Cells<'_>, weave: &mut Option<Weave>) {
            // SAFETY: the caller's; a woven register reads and writes 64 bytes from a cell on, which is less than a
            // cell and what it may overshoot.
            unsafe {
                if cells.body + cells.gap > WOVEN || cells.stride < 0 {
                    return cells.line_by_line::<[u8; 64]>(|line| one_by_one::<[u8; 64]>(line));
                }
                let weave = Weave::of(cells, 64, weave);
                let index = get::<__m512i>(weave.index.as_ptr());
                let fill = get::<__m512i>(weave.fill.as_ptr());
                let from_source = !_mm512_movepi8_mask(index);
                cells.line_by_line::<[u8; 64]>(|line| {
                    let Cells { mut src, mut dst, .. } = *line;
                    for _ in 0..cells.count.div_ceil(weave.lanes) {
                        let bodies = _mm512_maskz_permutexvar_epi8(from_source, index, get(src));
                        put(dst, _mm512_or_si512(bodies, fill));
                        prefetch(dst.wrapping_add(CLAIMED));
                        src = src.wrapping_offset(weave.src_step);
                        dst = dst.add(weave.dst_step);
                    }
                });
            }
        }

        #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
        unsafe fn stream(src: *const u8, dst: *mut u8, bytes: usize) {
            // SAFETY: the caller's.
            unsafe {
                streamed::<__m512i>(src, dst, bytes, |dst, register| {
                    _mm512_stream_si512(dst.cast(), register)
                });
            }
        }
    }
}
