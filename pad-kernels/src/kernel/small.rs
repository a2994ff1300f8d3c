//! Small outputs that are written once, from the segments of their axes. To pack a program for them would take longer.

use core::mem::MaybeUninit;

use smallvec::SmallVec;

use crate::kernel::Written;
use crate::kernel::memory::{copy_exact, fill_exact, get, put, repeat};
use crate::kernel::simd::Portable;
use crate::plan::form::{Segment, Segments};
use crate::plan::pattern::{BLOCK, Pattern};
use crate::plan::small::{Small, SmallAxis};

/// What moves at a time where there is room for it.
type Chunk = [u8; 32];

/// Writes all of `dst`.
///
/// # Panics
///
/// If input or output are not as long as planned.
#[inline]
pub(crate) fn write_small(small: &Small, fill: &Pattern, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Written {
    assert!(src.len() == small.src_len && dst.len() == small.dst_len);
    let Some((row, outer)) = small.axes.split_first() else { return Written::default() };
    let writer = Writer {
        fill,
        unit: small.unit,
        src_end: src.as_ptr_range().end.addr(),
        dst_end: dst.as_ptr_range().end.addr(),
    };
    let (mut segments, mut moves) = (Segments::new(), Moves::new());
    row.form.segments_into(&mut segments);
    add_moves(&mut moves, &segments, small.unit);
    let row = Level::Row(&moves);
    // SAFETY:
    // - `Small` is made by `plan` alone: what its axes reach are the bytes of tensors of these lengths.
    // - What is borrowed shared and what is exclusively do not overlap.
    unsafe { writer.nest(outer, &row, src.as_ptr(), dst.as_mut_ptr().cast()) };
    Written(small.dst_len)
}

/// Up to so many units are written one by one, more in registers.
const FEW: usize = 4;

/// One axis and those inside it.
enum Level<'a> {
    Row(&'a [Move]),
    Around { axis: &'a SmallAxis, segments: &'a [Segment], inner: &'a Level<'a> },
}

type Moves = SmallVec<[Move; Segments::MOST]>;

/// Neighbours of a row. Places are bytes from the row's beginning.
enum Move {
    Copy {
        src: isize,
        bytes: usize,
    },
    Fill {
        bytes: usize,
    },
    /// Units, `stride` bytes from one to the next, with `gap` bytes of fill between each two.
    Units {
        src: isize,
        stride: isize,
        count: usize,
        gap: usize,
    },
    /// What was written from `from` on, repeated.
    Again {
        from: usize,
        bytes: usize,
    },
}

/// Adds the moves of a row, in place.
#[inline(always)]
fn add_moves(moves: &mut Moves, segments: &[Segment], unit: usize) {
    for segment in segments.iter() {
        moves.push(match *segment {
            Segment::Fill { count } => Move::Fill { bytes: count * unit },
            Segment::Again { from, count, .. } => Move::Again { from: from * unit, bytes: count * unit },
            Segment::Source { from, step, count, gap } => {
                let src = from * unit as isize;
                if gap == 0 && (step == 1 || count == 1) {
                    Move::Copy { src, bytes: count * unit }
                } else {
                    Move::Units { src, stride: step * unit as isize, count, gap: gap * unit }
                }
            }
        });
    }
}

/// Bytes of fill before what a row copies, the place of that in the source, and its bytes: for rows that are nothing else.
#[inline(always)]
fn body(moves: &[Move]) -> Option<(usize, isize, usize)> {
    match *moves {
        [Move::Copy { src, bytes }] | [Move::Copy { src, bytes }, Move::Fill { .. }] => Some((0, src, bytes)),
        [Move::Fill { bytes: low }, Move::Copy { src, bytes }]
        | [Move::Fill { bytes: low }, Move::Copy { src, bytes }, Move::Fill { .. }] => {
            Some((low, src, bytes))
        }
        _ => None,
    }
}

/// Rows of `body` bytes of the source, `step` bytes from one to the next, with so much fill `between` each two.
struct Rows {
    body: usize,
    between: usize,
    step: isize,
    count: usize,
}

/// Fill, and where source and destination end.
struct Writer<'a> {
    fill: &'a Pattern,
    unit: usize,
    src_end: usize,
    dst_end: usize,
}

/// The contract of the unsafe methods:
/// - What the segments reach from `src` is readable, and what they take behind `dst` or `to` is writable.
/// - The output is written from front to back: what lies behind is not written yet.
impl Writer<'_> {
    /// `level` and `outer` axes around it.
    unsafe fn nest(&self, outer: &[SmallAxis], level: &Level<'_>, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            match outer.split_first() {
                None => self.write(level, src, dst),
                Some((axis, outer)) => {
                    let mut segments = Segments::new();
                    axis.form.segments_into(&mut segments);
                    let level = Level::Around { axis, segments: &segments, inner: level };
                    self.nest(outer, &level, src, dst);
                }
            }
        }
    }

    unsafe fn write(&self, level: &Level<'_>, src: *const u8, dst: *mut u8) {
        let (axis, segments, inner) = match level {
            // SAFETY: the caller's.
            Level::Row(moves) => return unsafe { self.row(moves, src, dst) },
            Level::Around { axis, segments, inner } => (axis, segments, inner),
        };
        let (stride, pitch) = (axis.src_stride as isize, axis.dst_stride);
        let mut to = dst;
        for segment in segments.iter() {
            // SAFETY: the caller's; what is made again was written.
            unsafe {
                match *segment {
                    Segment::Fill { count } => {
                        self.fill(to, count * pitch);
                        to = to.add(count * pitch);
                    }
                    Segment::Again { from, count, .. } => {
                        repeat::<Portable>(to, to.addr() - dst.addr() - from * pitch, count * pitch);
                        to = to.add(count * pitch);
                    }
                    Segment::Source { from, step, count, gap } => {
                        let mut src = src.offset(from * stride);
                        if let Level::Row(moves) = inner
                            && let Some((low, copied, body)) = body(moves)
                        {
                            let rows = Rows {
                                body,
                                between: pitch - body + gap * pitch,
                                step: step * stride,
                                count,
                            };
                            self.fill(to, low);
                            let end = self.rows(rows, src.offset(copied), to.add(low));
                            to = to.add((count + (count - 1) * gap) * pitch);
                            self.fill(end, to.addr() - end.addr());
                            continue;
                        }
                        for i in 0..count {
                            if i > 0 && gap > 0 {
                                self.fill(to, gap * pitch);
                                to = to.add(gap * pitch);
                            }
                            match inner {
                                Level::Row(moves) => self.row(moves, src, to),
                                _ => self.write(inner, src, to),
                            }
                            to = to.add(pitch);
                            src = src.wrapping_offset(step * stride);
                        }
                    }
                }
            }
        }
    }

    /// Writes rows, and returns where the last one's body ends.
    #[inline(always)]
    unsafe fn rows(&self, rows: Rows, mut src: *const u8, mut dst: *mut u8) -> *mut u8 {
        let Rows { body, between, step, count } = rows;
        let chunk = size_of::<Chunk>();
        // The rows that fill follows.
        let mut left = count - 1;
        let from = self.src_end.saturating_sub(body + chunk);
        let to = self.dst_end.saturating_sub(body + between.max(chunk) + chunk);
        // SAFETY: the caller's; where chunks may overshoot, what follows overwrites it.
        unsafe {
            if between <= BLOCK {
                let block = self.fill.block().as_ptr();
                let (low, high) = (get::<Chunk>(block), get::<Chunk>(block.add(chunk)));
                while left > 0 && src.addr() <= from && dst.addr() <= to {
                    over(src, dst, body);
                    put(dst.add(body), low);
                    if between > chunk {
                        put(dst.add(body + chunk), high);
                    }
                    dst = dst.add(body + between);
                    src = src.offset(step);
                    left -= 1;
                }
            }
            loop {
                copy_exact(src, dst, body);
                dst = dst.add(body);
                if left == 0 {
                    return dst;
                }
                self.fill(dst, between);
                dst = dst.add(between);
                src = src.offset(step);
                left -= 1;
            }
        }
    }

    #[inline(always)]
    unsafe fn row(&self, moves: &[Move], src: *const u8, dst: *mut u8) {
        let mut to = dst;
        for next in moves {
            // SAFETY: the caller's; what is made again was written.
            unsafe {
                match *next {
                    Move::Copy { src: from, bytes } => {
                        let from = src.offset(from);
                        if from.addr() + bytes + size_of::<Chunk>() <= self.src_end {
                            self.chunks(from, to, bytes);
                        } else {
                            copy_exact(from, to, bytes);
                        }
                        to = to.add(bytes);
                    }
                    Move::Fill { bytes } => {
                        self.fill(to, bytes);
                        to = to.add(bytes);
                    }
                    Move::Units { src: from, stride, count, gap } => {
                        self.units(src.offset(from), stride, count, gap, to);
                        to = to.add(count * self.unit + (count - 1) * gap);
                    }
                    Move::Again { from, bytes } => {
                        repeat::<Portable>(to, to.addr() - dst.addr() - from, bytes);
                        to = to.add(bytes);
                    }
                }
            }
        }
    }

    /// Writes units, `stride` bytes from one to the next in the source, with `gap` bytes of fill between each two.
    // Inlined, it would slow down the moves around it.
    #[inline(never)]
    unsafe fn units(&self, mut from: *const u8, stride: isize, count: usize, gap: usize, mut to: *mut u8) {
        let unit = self.unit;
        // SAFETY: the caller's; units that go backwards without gaps are neighbours.
        unsafe {
            if gap == 0 && count > FEW {
                match (unit, stride) {
                    (1, 0) => return held::<u8, 32>(from, to, count),
                    (2, 0) => return held::<u16, 16>(from, to, count),
                    (4, 0) => return held::<u32, 8>(from, to, count),
                    (8, 0) => return held::<u64, 4>(from, to, count),
                    (1, -1) => return backwards::<u8, 16>(from, to, count),
                    (2, -2) => return backwards::<u16, 8>(from, to, count),
                    (4, -4) => return backwards::<u32, 4>(from, to, count),
                    (8, -8) => return backwards::<u64, 2>(from, to, count),
                    _ => {}
                }
            }
            for i in 0..count {
                if i > 0 && gap > 0 {
                    self.fill(to, gap);
                    to = to.add(gap);
                }
                match unit {
                    1 => put(to, get::<u8>(from)),
                    2 => put(to, get::<u16>(from)),
                    4 => put(to, get::<u32>(from)),
                    8 => put(to, get::<u64>(from)),
                    unit => copy_exact(from, to, unit),
                }
                to = to.add(unit);
                from = from.wrapping_offset(stride);
            }
        }
    }

    #[inline(always)]
    unsafe fn fill(&self, to: *mut u8, bytes: usize) {
        // SAFETY: the caller's; a block is fill, and so is what it begins with.
        unsafe {
            if bytes <= BLOCK {
                self.chunks(self.fill.block().as_ptr(), to, bytes);
            } else {
                fill_exact(self.fill, to, bytes);
            }
        }
    }

    /// Copies `bytes` bytes, of which whole chunks are readable.
    #[inline(always)]
    unsafe fn chunks(&self, from: *const u8, to: *mut u8, bytes: usize) {
        // SAFETY: the caller's; where chunks may overshoot, what follows overwrites it.
        unsafe {
            if to.addr() + bytes + size_of::<Chunk>() > self.dst_end {
                return copy_exact(from, to, bytes);
            }
            over(from, to, bytes);
        }
    }
}

/// Writes a word `count` times.
///
/// # Safety
///
/// - It is readable at `src`, and at `dst` so many are writable.
#[inline(always)]
unsafe fn held<W: Copy, const AT_ONCE: usize>(src: *const u8, dst: *mut u8, count: usize) {
    let word = size_of::<W>();
    // SAFETY: the caller's; the last words end with the last word.
    unsafe {
        let words = [get::<W>(src); AT_ONCE];
        if count < AT_ONCE {
            for i in 0..count {
                put(dst.add(i * word), words[0]);
            }
            return;
        }
        for at in (0..count - AT_ONCE).step_by(AT_ONCE) {
            put(dst.add(at * word), words);
        }
        put(dst.add((count - AT_ONCE) * word), words);
    }
}

/// Writes `count` words, each of them one word before the last in the source.
///
/// # Safety
///
/// - From `src` down so many are readable, and at `dst` they are writable.
#[inline(always)]
unsafe fn backwards<W: Copy, const AT_ONCE: usize>(src: *const u8, dst: *mut u8, count: usize) {
    let word = size_of::<W>();
    let mut at = 0;
    // SAFETY: the caller's.
    unsafe {
        while count - at >= AT_ONCE {
            let mut words = get::<[W; AT_ONCE]>(src.sub((at + AT_ONCE - 1) * word));
            words.reverse();
            put(dst.add(at * word), words);
            at += AT_ONCE;
        }
        for i in at..count {
            put(dst.add(i * word), get::<W>(src.sub(i * word)));
        }
    }
}

/// Copies `bytes` bytes in chunks.
///
/// # Safety
///
/// - The chunks are readable and writable, and at least one is.
#[inline(always)]
unsafe fn over(from: *const u8, to: *mut u8, bytes: usize) {
    let mut at = 0;
    loop {
        // SAFETY: the caller's.
        unsafe { put(to.add(at), get::<Chunk>(from.add(at))) };
        at += size_of::<Chunk>();
        if at >= bytes {
            return;
        }
    }
}
