//! Executes copies, fills, and rows with fill between them. Each function runs one move for all blocks of a batch.
//!
//! A body is a run of source bytes, and a gap is the fill after it.

use super::Bodies;
use crate::kernel::memory::{
    Fetch, Filling, HALF, OVERSHOOT, SHORT, aligned, copy_aligned, copy_ends, copy_exact, copy_lines,
    copy_of, copy_over, copy_within, fill_exact, fill_lines, fill_over, get, in_lines, put,
};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Simd};
use crate::plan::pattern::{BLOCK, Pattern};

/// Several equally spaced blocks that are written together, or several bodies of one block.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct Batch {
    pub(super) src: *const u8,
    pub(super) step: isize,
    pub(super) dst: *mut u8,
    pub(super) pitch: isize,
    pub(super) count: usize,
}

impl Batch {
    /// Iterates over the addresses of a move in every block. This is an iterator, because a closure could become a function
    /// without the instruction set.
    ///
    /// # Safety
    ///
    /// - Both addresses lie within source and output for every block.
    #[inline(always)]
    pub(super) unsafe fn places(&self, src: isize, dst: usize) -> Places {
        // SAFETY: the caller keeps the contract.
        let (src, dst) = unsafe { (self.src.wrapping_offset(src), self.dst.add(dst)) };
        Places { src, step: self.step, dst, pitch: self.pitch, left: self.count }
    }

    /// Returns the first blocks and the other ones. If there is one block, the step may exceed the memory.
    #[inline(always)]
    pub(super) fn split(&self, first: usize) -> (Batch, Batch) {
        let src = self.src.wrapping_offset(self.step.wrapping_mul(first as isize));
        let dst = self.dst.wrapping_offset(self.pitch.wrapping_mul(first as isize));
        (Batch { count: first, ..*self }, Batch { src, dst, count: self.count - first, ..*self })
    }

    /// Returns the first of each two blocks, and the last block if their number is odd.
    #[inline(always)]
    pub(super) fn in_pairs(&self) -> (Batch, Batch) {
        let (even, last) = self.split(self.count / 2 * 2);
        let (step, pitch) = (self.step.wrapping_mul(2), self.pitch.wrapping_mul(2));
        (Batch { step, pitch, count: self.count / 2, ..even }, last)
    }

    /// Returns a batch that reads the output.
    #[inline(always)]
    pub(super) fn of_output(&self) -> Batch {
        Batch { src: self.dst.cast_const(), step: self.pitch, ..*self }
    }

    /// Returns the number of bytes between two blocks of `bytes` bytes.
    #[inline(always)]
    fn gap(&self, bytes: usize) -> usize {
        self.pitch as usize - bytes
    }

    /// Returns the output address after the last block.
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

/// The addresses of a move that are left, in source and output.
pub(super) struct Places {
    src: *const u8,
    step: isize,
    dst: *mut u8,
    pitch: isize,
    left: usize,
}

impl Iterator for Places {
    type Item = (*const u8, *mut u8);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let place = (self.src, self.dst);
        self.src = self.src.wrapping_offset(self.step);
        self.dst = self.dst.wrapping_offset(self.pitch);
        Some(place)
    }
}

/// Copies at most [`SHORT`] bytes, line by line.
///
/// # Safety
///
/// - The contract of [`run_move`](super::run_move) holds.
#[inline(always)]
pub(super) unsafe fn copy<S: Simd>(fetch: Fetch, src: isize, dst: usize, bytes: usize, batch: &Batch) {
    // SAFETY: the caller keeps the contract, and each arm is for as many lines as there are.
    unsafe {
        seq_macro::seq!(N in 1..=8 {
            match bytes.div_ceil(LINE) {
                #(N if bytes >= LINE => for (src, dst) in batch.places(src, dst) {
                    copy_lines::<S, N>(fetch, src, dst, bytes);
                },)*
                _ => for (src, dst) in batch.places(src, dst) {
                    copy_ends::<S>(fetch, src, dst, bytes);
                },
            }
        });
    }
}

/// Writes between one block of fill and [`SHORT`] bytes.
///
/// # Safety
///
/// - The contract of [`run_move`](super::run_move) holds. A block of fill is whole elements.
#[inline(always)]
pub(super) unsafe fn fill<S: Simd>(fetch: Fetch, fill: &Pattern, dst: usize, bytes: usize, batch: &Batch) {
    let filling = Filling::<S>::of(fill);
    // SAFETY: the caller keeps the contract; the last block ends with the last byte, where an element does.
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

/// # Safety
///
/// - The contract of [`run_move`](super::run_move) holds for these bytes. Unless `EXACT`, [`OVERSHOOT`] bytes after them are
///   writable.
#[inline(always)]
pub(super) unsafe fn fill_bytes<S: Simd, const EXACT: bool>(sheet: &Sheet<'_>, dst: *mut u8, bytes: usize) {
    let fill = sheet.fill;
    // SAFETY: the caller keeps the contract.
    unsafe {
        if sheet.filled {
        } else if !EXACT && bytes <= SHORT && fill.step() > 0 {
            fill_over::<S>(sheet.fetch::<S::Register>(), fill, dst, bytes);
        } else if bytes <= BLOCK && fill.step() > 0 {
            // The start of the block of fill has the right bytes.
            copy_exact(fill.block().as_ptr(), dst, bytes);
        } else {
            fill_exact(fill, dst, bytes);
        }
    }
}

/// Writes bodies with gaps. The gap is an argument: to compute it from the pitch takes 1.10 times the instructions (floats with
/// gaps of one).
///
/// # Safety
///
/// - The contract of [`run_move`](super::run_move) holds for these bodies and gaps. Unless `EXACT`, [`OVERSHOOT`] bytes after
///   them are writable.
#[inline(always)]
pub(super) unsafe fn interleave<S: Simd, const EXACT: bool>(
    sheet: &Sheet<'_>,
    all: &Batch,
    (body, gap): (usize, usize),
) {
    let source = (all.src, all.step);
    // SAFETY: the caller keeps the contract; a word is as long as the body.
    unsafe {
        match body {
            1 => words::<u8, S, EXACT, 1>(sheet, all, gap),
            2 => words::<u16, S, EXACT, 2>(sheet, all, gap),
            4 => words::<u32, S, EXACT, 4>(sheet, all, gap),
            8 => words::<u64, S, EXACT, 8>(sheet, all, gap),
            16 => words::<[u8; 16], S, EXACT, 16>(sheet, all, gap),
            _ if !EXACT && body < 16 && !sheet.filled && is_readable(sheet, source, 16, all.count) => {
                bodies::<S, EXACT, 16>(sheet, all, (body, gap));
            }
            _ if !EXACT && body < HALF && !sheet.filled && is_readable(sheet, source, HALF, all.count) => {
                bodies::<S, EXACT, HALF>(sheet, all, (body, gap));
            }
            _ => bodies::<S, EXACT, 0>(sheet, all, (body, gap)),
        }
    }
}

/// Copies a body: `BYTES` bytes, or the body's length if `BYTES` is 0.
///
/// # Safety
///
/// - This many bytes are readable at `src` and writable at `dst`. They do not overlap.
#[inline(always)]
unsafe fn copy_body<S: Simd, const BYTES: usize>(
    sheet: &Sheet<'_>,
    src: *const u8,
    dst: *mut u8,
    body: usize,
) {
    // SAFETY: the caller keeps the contract.
    unsafe {
        if BYTES > 0 {
            return copy_of::<BYTES>(src, dst);
        }
        let fetch = sheet.fetch::<S::Register>().over::<S::Register>();
        if body <= SHORT {
            copy_ends::<S>(fetch, src, dst, body);
        } else {
            copy_within::<S>(fetch, src, dst, body);
        }
    }
}

/// Tells whether [`neighbours`] writes these bodies, which have no gaps. Xeon with AMX: with registers of 32 bytes, 14 rows of 6
/// pixels of 96 bytes take 1.2 times as long that way.
#[inline(always)]
pub(super) fn are_neighbours<S: Simd>(body: usize, gap: usize) -> bool {
    gap == 0 && (17..=HALF.max(size_of::<S::Register>()) * 2).contains(&body)
}

/// Writes [these](are_neighbours) bodies in every block, with two stores each.
///
/// Xeon with AMX: 32 rows of 8 mirrored pixels of 48 bytes take 0.32 us, and 0.58 us if every row chooses how to copy a body.
///
/// # Safety
///
/// - The contract of [`run_move`](super::run_move) holds for these bodies.
#[inline(always)]
pub(super) unsafe fn neighbours(blocks: &Batch, bodies: &Bodies) {
    // SAFETY: the caller keeps the contract; bodies are as long as a store, or longer.
    unsafe {
        match bodies.body {
            0..HALF => by_ends::<16>(blocks, bodies),
            HALF..LINE => by_ends::<HALF>(blocks, bodies),
            _ => by_ends::<LINE>(blocks, bodies),
        }
    }
}

/// # Safety
///
/// - The contract of [`neighbours`] holds for bodies of `N` to `2 * N` bytes.
#[inline(always)]
unsafe fn by_ends<const N: usize>(blocks: &Batch, bodies: &Bodies) {
    let body = bodies.body;
    // SAFETY: the caller keeps the contract.
    unsafe {
        for (src, dst) in blocks.places(bodies.src, bodies.dst) {
            for (src, dst) in bodies.at(src, dst).places(0, 0) {
                copy_of::<N>(src, dst);
                copy_of::<N>(src.add(body - N), dst.add(body - N));
            }
        }
    }
}

/// Tells whether [`words_apart`] writes these elements of 8 or 16 bytes, with gaps of at most a cache line. Zen 3: 70 random
/// shapes of such elements take 0.88 times as long on average.
#[inline(always)]
pub(super) fn are_words(sheet: &Sheet<'_>, body: usize, gap: usize) -> bool {
    let is_word = matches!(body, 8 | 16) && gap.is_multiple_of(body);
    is_word && (1..=LINE).contains(&gap) && !sheet.filled && sheet.fill.step() == BLOCK
}

/// Writes [these](are_words) elements and their gaps, in stores of up to 16 bytes. Longer stores would often cross a cache line.
///
/// # Safety
///
/// - The contract of [`run_move`](super::run_move) holds for these bodies and gaps.
#[inline(always)]
pub(super) unsafe fn words_apart(fill: &Pattern, all: &Batch, body: usize) {
    // SAFETY: the caller keeps the contract, and each arm is for as long elements and gaps.
    unsafe {
        const { assert!(LINE == 64) };
        match body {
            8 => seq_macro::seq!(N in 1..=8 {
                match all.gap(body) / 8 {
                    #(N => words_between::<u64, N>(fill, all),)*
                    _ => debug_assert!(false, "longer"),
                }
            }),
            _ => seq_macro::seq!(N in 1..=4 {
                match all.gap(body) / 16 {
                    #(N => words_between::<[u8; 16], N>(fill, all),)*
                    _ => debug_assert!(false, "longer"),
                }
            }),
        }
    }
}

/// # Safety
///
/// - The contract of [`words_apart`] holds for gaps of `N` elements.
#[inline(always)]
unsafe fn words_between<W: Copy, const N: usize>(
    fill: &Pattern,
    &Batch { mut src, step, mut dst, count, .. }: &Batch,
) {
    type Wide = [u8; 16];
    let (word, wide) = (size_of::<W>(), size_of::<Wide>());
    let pitch = (N + 1) * word;
    // SAFETY: the caller keeps the contract; a block is longer than a store, and whole elements.
    unsafe {
        let fill = get::<Wide>(fill.block().as_ptr());
        for _ in 1..count {
            put(dst, get::<W>(src));
            for at in (word..pitch).step_by(wide) {
                if at + wide <= pitch {
                    put(dst.add(at), fill);
                } else {
                    put(dst.add(at), get::<W>(fill.as_ptr()));
                }
            }
            src = src.wrapping_offset(step);
            dst = dst.add(pitch);
        }
        put(dst, get::<W>(src));
    }
}

/// Tells whether this many bytes are readable at each of the addresses.
#[inline(always)]
pub(super) fn is_readable(
    sheet: &Sheet<'_>,
    (src, step): (*const u8, isize),
    bytes: usize,
    count: usize,
) -> bool {
    let last = src.wrapping_offset((step * (count as isize - 1)).max(0)).addr() - sheet.src.addr();
    !sheet.exact && last + bytes <= sheet.src_len
}

/// Writes bodies that are longer than two lines. `room` bytes follow to the end of the block.
///
/// # Safety
///
/// - The contract of [`run_program`](super::run_program) holds.
#[inline(always)]
pub(super) unsafe fn rows<S: Simd>(sheet: &Sheet<'_>, all: &Batch, body: usize, room: usize) {
    let Batch { mut src, step, mut dst, pitch, count } = *all;
    let (fetch, gap) = (sheet.fetch::<S::Register>(), all.gap(body));
    let filling = Filling::<S>::of(sheet.fill);
    let over = if sheet.filled { 0 } else { spilling(sheet, all, (body, body), room) };
    let short = body <= SHORT;
    let few_blocks = gap <= SHORT && sheet.fill.step() == BLOCK;
    let mut done = 0;
    // This loop is separate: 64 planes of 58 by 58 floats take 24 us here and 27 us in the loop below (EPYC with AVX2).
    if short && few_blocks {
        let narrow = (1..=size_of::<S::Register>()).contains(&gap);
        done = over.min(count - 1);
        for _ in 0..done {
            // SAFETY: the caller keeps the contract; a row follows, and what overshoots is overwritten by it.
            unsafe {
                copy_aligned::<S, true>(fetch, src, dst, body);
                let to = dst.add(body);
                if narrow {
                    filling.put_first(to);
                } else {
                    for at in (0..gap).step_by(BLOCK) {
                        filling.put(fetch, to.add(at));
                    }
                }
            }
            src = src.wrapping_offset(step);
            dst = dst.wrapping_offset(pitch);
        }
    }
    for i in done..count {
        // SAFETY: the caller's; `over` of them may overshoot.
        unsafe {
            match (i < over, short) {
                (true, true) => copy_aligned::<S, true>(fetch, src, dst, body),
                (true, false) => copy_over::<S>(fetch, src, dst, body),
                (false, true) => copy_aligned::<S, false>(fetch, src, dst, body),
                (false, false) => copy_within::<S>(fetch, src, dst, body),
            }
            if gap > 0 && i + 1 < count {
                let to = dst.add(body);
                if i < over && few_blocks {
                    for at in (0..gap).step_by(BLOCK) {
                        filling.put(fetch, to.add(at));
                    }
                } else {
                    fill_bytes::<S, true>(sheet, to, gap);
                }
            }
        }
        src = src.wrapping_offset(step);
        dst = dst.wrapping_offset(pitch);
    }
}

/// Returns how many blocks come before the first one that may not read, or write within `room`, a line more than these bytes.
#[inline(always)]
fn spilling(
    sheet: &Sheet<'_>,
    &Batch { src, step, pitch, count, .. }: &Batch,
    (read, written): (usize, usize),
    room: usize,
) -> usize {
    let before = |end: usize, bytes: usize, pitch: usize| match end.checked_sub(bytes + OVERSHOOT) {
        Some(left) => left.checked_div(pitch).map_or(count, |more| count.min(more + 1)),
        None => 0,
    };
    let readable = sheet.src.addr() + sheet.src_len - src.addr();
    let over = match step {
        _ if sheet.exact => 0,
        0.. => before(readable, read, step as usize),
        _ if before(readable, read, 0) == count => count,
        _ => 0,
    };
    over.min(before(room, written, pitch as usize))
}

/// Tells whether [`rows_apart`] writes fill of this length between bodies. Zen 3: 1000 rows of 16 bytes with 72 of fill take 0.43
/// times as long as with whole blocks of fill.
#[inline(always)]
pub(super) fn are_apart<S: Simd>(sheet: &Sheet<'_>, body: usize, gap: usize) -> bool {
    !sheet.filled
        && (in_lines(sheet.fill, gap) || body <= HALF && gap > LINE && Filling::<S>::is_whole(sheet.fill))
}

/// Writes bodies of any length with [long](are_apart) gaps of fill. `room` bytes follow to the end of the block.
///
/// After a short body, the fill overshoots into what is written next, so that stores have ascending addresses.
///
/// # Safety
///
/// - The contract of [`run_program`](super::run_program) holds.
#[inline(always)]
pub(in crate::kernel) unsafe fn rows_apart<S: Simd>(
    sheet: &Sheet<'_>,
    all: &Batch,
    body: usize,
    room: usize,
) {
    let Batch { mut src, step, mut dst, pitch, count } = *all;
    let (fetch, fill, gap) = (sheet.fetch::<S::Register>(), sheet.fill, all.gap(body));
    let mut spills = 0;
    if body <= HALF && Filling::<S>::is_whole(fill) {
        spills = spilling(sheet, all, (body, body + gap), room);
        let (filling, element) = (Filling::<S>::of(fill), fill.element().len());
        let mask =
            aligned::<S>(dst.addr().is_multiple_of(element) && (pitch as usize).is_multiple_of(element), gap);
        for _ in 0..spills {
            // SAFETY: the caller keeps the contract; a line more is readable, and writable behind the gap: what follows is written later.
            unsafe {
                copy_of::<HALF>(src, dst);
                filling.put_over(fetch, dst.add(body), gap, mask);
            }
            src = src.wrapping_offset(step);
            dst = dst.wrapping_offset(pitch);
        }
    }
    for i in spills..count {
        // SAFETY: the caller keeps the contract.
        unsafe {
            copy_within::<S>(fetch, src, dst, body);
            if i + 1 < count {
                if in_lines(fill, gap) {
                    fill_lines::<S>(fetch, fill, dst.add(body), gap);
                } else {
                    fill_exact(fill, dst.add(body), gap);
                }
            }
        }
        src = src.wrapping_offset(step);
        dst = dst.wrapping_offset(pitch);
    }
}

/// # Safety
///
/// - The contract of [`interleave`] holds.
#[inline(always)]
unsafe fn words<W: Copy, S: Simd, const EXACT: bool, const BYTES: usize>(
    sheet: &Sheet<'_>,
    all: &Batch,
    gap: usize,
) {
    const { assert!(size_of::<W>() == BYTES) };
    // SAFETY: the caller keeps the contract.
    unsafe {
        if gap == 0 {
            return lines::<W>(all, |src, dst| put(dst, get::<W>(src)));
        }
        bodies::<S, EXACT, BYTES>(sheet, all, (BYTES, gap));
    }
}

/// Writes contiguous words, one line of the output at a time.
#[inline(always)]
fn lines<W>(&Batch { mut src, step, mut dst, mut count, .. }: &Batch, copy: impl Fn(*const u8, *mut u8)) {
    let many = const { LINE / size_of::<W>() };
    while count > 0 {
        let now = many.min(count);
        if now == many {
            for i in 0..many {
                copy(src.wrapping_offset(i as isize * step), dst.wrapping_add(i * size_of::<W>()));
            }
        } else {
            for i in 0..now {
                copy(src.wrapping_offset(i as isize * step), dst.wrapping_add(i * size_of::<W>()));
            }
        }
        src = src.wrapping_offset(now as isize * step);
        dst = dst.wrapping_add(now * size_of::<W>());
        count -= now;
    }
}

/// # Safety
///
/// - The contract of [`interleave`] holds. `BYTES` is 0, the length of the body, or more bytes that are readable and writable.
#[inline(always)]
unsafe fn bodies<S: Simd, const EXACT: bool, const BYTES: usize>(
    sheet: &Sheet<'_>,
    all: &Batch,
    (body, gap): (usize, usize),
) {
    let Batch { mut src, step, mut dst, count, .. } = *all;
    type Narrowest = [u8; 8];
    type Narrow = [u8; 16];
    type Wide = [u8; 32];
    let spills = !EXACT && gap > 0 && sheet.fill.step() > 0 && !sheet.filled;
    let (narrow, wide) = (spills && gap <= size_of::<Narrow>(), spills && gap <= size_of::<Wide>());
    let narrowest = spills && gap <= size_of::<Narrowest>();
    // SAFETY: a block is longer.
    let fill = unsafe { get::<Wide>(sheet.fill.block().as_ptr()) };
    for i in 0..count {
        // SAFETY: the caller keeps the contract; what follows the last body may be overwritten if not `EXACT`.
        unsafe {
            copy_body::<S, BYTES>(sheet, src, dst, body);
            if narrowest {
                put(dst.add(body), get::<Narrowest>(fill.as_ptr()));
            } else if narrow {
                put(dst.add(body), get::<Narrow>(fill.as_ptr()));
            } else if wide {
                put(dst.add(body), fill);
            } else if gap > 0 && i + 1 < count {
                fill_bytes::<S, EXACT>(sheet, dst.add(body), gap);
            }
        }
        dst = dst.wrapping_add(body + gap);
        src = src.wrapping_offset(step);
    }
}
