//! Writes the output of nests for packed types, such as two `i4` elements per byte.
//!
//! The bits are collected in a 64-bit word, which is stored when it is full. Bits of fill are only counted at first (`pending`).
//! They are appended before the next bits that are not fill. Offsets count bits. The low bits of a byte come first.

use core::ptr;

use crate::kernel::Job;
use crate::kernel::nest::Output;
use crate::plan::axis::Axis;
use crate::plan::form::{Segment, Segments};
use crate::plan::nest::Nest;

const WORD: usize = u64::BITS as usize;

/// Copies of at least this many bits move whole bytes.
const LONG: usize = 16 * WORD;

/// The destination as a stream of bits.
///
/// The stream stores whole words, so it need not read the destination. If the destination has holes, the stream reads a byte before it
/// changes some of its bits.
pub(super) struct Bits<'a> {
    nest: &'a Nest,
    /// The segments of the innermost axis.
    segments: Option<Segments>,
    src: *const u8,
    src_len: usize,
    dst: *mut u8,
    dst_len: usize,
    /// The offset of the next bit to write, after the counted fill. `pending` is the number of counted bits.
    at: usize,
    pending: usize,
    /// The offset of the byte in which the collected bits begin.
    byte: usize,
    gathered: u64,
    gathered_bits: usize,
    unit: usize,
    /// A word of fill.
    fill: u64,
    sequential: bool,
}

impl<'a> Bits<'a> {
    /// Starts a stream for a `job`. The contract of the job must hold as long as the stream exists.
    pub(super) fn new(job: &Job<'a>) -> Self {
        Bits {
            nest: job.nest,
            segments: job.nest.axes.last().map(Axis::segments),
            src: job.places.src,
            src_len: job.places.src_len,
            dst: job.places.dst,
            dst_len: job.places.dst_len,
            at: 0,
            pending: 0,
            byte: 0,
            gathered: 0,
            gathered_bits: 0,
            unit: job.nest.unit,
            fill: u64::from_ne_bytes([job.fill.element()[0]; 8]),
            sequential: job.nest.sequential,
        }
    }

    /// Reads `bits <= 64` bits of the source at bit `from`. The higher bits of the result are zero.
    ///
    /// # Safety
    ///
    /// - The bits lie within the source.
    #[inline(always)]
    unsafe fn read(&self, from: usize, bits: usize) -> u64 {
        debug_assert!(from + bits <= self.src_len * 8, "read {from} + {bits}");
        let (byte, shift) = (from / 8, from % 8);
        // SAFETY: the first branch reads nine bytes if that many remain. The loop reads only the bytes that hold the bits.
        let word = unsafe {
            let src = self.src.add(byte);
            if byte + 9 <= self.src_len {
                let low = u64::from_le_bytes(src.cast::<[u8; 8]>().read());
                // There are two shifts, because a shift by 64 is not allowed.
                low >> shift | u64::from(*src.add(8)) << 1 << (WORD - 1 - shift)
            } else {
                let mut word = 0;
                for i in 0..(shift + bits).div_ceil(8) {
                    word |= u128::from(*src.add(i)) << (8 * i);
                }
                (word >> shift) as u64
            }
        };
        word & low_bits(bits)
    }

    /// Appends the low `bits` bits of `word`. The other bits of `word` must be zero.
    ///
    /// # Safety
    ///
    /// - The bits lie within the destination.
    #[inline(always)]
    unsafe fn push(&mut self, word: u64, bits: usize) {
        let held = self.gathered_bits;
        self.gathered |= word << held;
        if held + bits >= WORD {
            debug_assert!(self.byte + 8 <= self.dst_len);
            // SAFETY: 64 bits are collected, all within the destination, so the 8 bytes are in bounds.
            unsafe { self.dst.add(self.byte).cast::<[u8; 8]>().write(self.gathered.to_le_bytes()) };
            self.byte += 8;
            self.gathered = if held == 0 { 0 } else { word >> (WORD - held) };
            self.gathered_bits = held + bits - WORD;
        } else {
            self.gathered_bits = held + bits;
        }
    }

    /// Appends `bits` bits. The closure `next(self, offset, bits)` returns the next `bits` of them, at most a word, from this
    /// offset.
    ///
    /// # Safety
    ///
    /// - The bits lie within the destination, after the counted fill.
    /// - `next` may be called with every multiple of 64 below `bits`.
    #[inline(always)]
    unsafe fn push_words(&mut self, bits: usize, next: impl Fn(&Self, usize, usize) -> u64) {
        let mut done = 0;
        while done < bits {
            let now = (bits - done).min(WORD);
            let word = next(self, done, now);
            // SAFETY: the caller promises that these bits lie within the destination.
            unsafe { self.push(word, now) };
            done += now;
        }
    }

    /// Appends the counted fill. The caller appends `bits` more bits next.
    ///
    /// # Safety
    ///
    /// - The fill lies within the destination.
    #[inline(always)]
    unsafe fn advance(&mut self, bits: usize) {
        debug_assert!(self.at + bits <= self.dst_len * 8, "write {} + {bits}", self.at);
        self.at += bits;
        if self.pending > 0 {
            let pending = core::mem::take(&mut self.pending);
            // SAFETY: the caller promises that these bits lie within the destination.
            unsafe { self.push_words(pending, |sink, _, bits| sink.fill & low_bits(bits)) };
        }
    }

    /// Stores the collected bits. The remaining bits of the last byte become zero, or keep their values if there are holes.
    ///
    /// # Safety
    ///
    /// - The collected bits lie within the destination. If there are holes, the destination is initialised.
    #[inline(always)]
    unsafe fn drain(&mut self) {
        let bytes = self.gathered.to_le_bytes();
        let (whole, rest) = (self.gathered_bits / 8, self.gathered_bits % 8);
        // SAFETY: the caller keeps the contract.
        unsafe {
            let dst = self.dst.add(self.byte);
            ptr::copy_nonoverlapping(bytes.as_ptr(), dst, whole);
            if rest > 0 {
                let last = dst.add(whole);
                let kept = if self.sequential { 0 } else { last.read() & !(low_bits(rest) as u8) };
                last.write(bytes[whole] | kept);
            }
        }
        self.byte += whole;
        (self.gathered, self.gathered_bits) = (0, 0);
    }

    /// Continues at bit `at`.
    ///
    /// # Safety
    ///
    /// - The collected bits, the counted fill and `at` lie within the destination. If there are holes, it is initialised.
    #[inline(never)]
    unsafe fn seek(&mut self, at: isize) {
        let at = at as usize;
        if at == self.at && (self.sequential || self.gathered_bits > 0 || self.pending > 0) {
            return;
        }
        // SAFETY: the caller keeps the contract.
        unsafe {
            self.advance(0);
            self.drain();
            self.at = at;
            self.byte = at / 8;
            self.gathered_bits = at % 8;
            if self.gathered_bits > 0 {
                self.gathered = u64::from(self.dst.add(self.byte).read()) & low_bits(self.gathered_bits);
            }
        }
    }

    /// Counts `bits` bits of fill.
    #[inline(always)]
    fn note(&mut self, bits: usize) {
        self.at += bits;
        self.pending += bits;
    }

    /// Copies `bits` bits of the source from bit `from`.
    ///
    /// # Safety
    ///
    /// - The bits lie within the source, and the destination has room for them.
    #[inline(never)]
    unsafe fn copy(&mut self, from: isize, bits: usize) {
        let from = from as usize;
        // SAFETY: the caller keeps the contract. If `shift` is not 0, each output byte needs bits of two source bytes, so both
        // lie within the source.
        unsafe {
            self.advance(bits);
            let mut done = 0;
            if bits >= LONG {
                done = self.gathered_bits.wrapping_neg() % 8;
                self.push(self.read(from, done), done);
                self.drain();
                let bytes = (bits - done) / 8;
                let (src, shift) = (self.src.add((from + done) / 8), (from + done) % 8);
                let dst = self.dst.add(self.byte);
                if shift == 0 {
                    ptr::copy_nonoverlapping(src, dst, bytes);
                } else {
                    let mut at = 0;
                    while at + 8 <= bytes {
                        let word = u64::from_le_bytes(src.add(at).cast::<[u8; 8]>().read()) >> shift
                            | u64::from(*src.add(at + 8)) << (WORD - shift);
                        dst.add(at).cast::<[u8; 8]>().write(word.to_le_bytes());
                        at += 8;
                    }
                    for at in at..bytes {
                        dst.add(at).write(*src.add(at) >> shift | *src.add(at + 1) << (8 - shift));
                    }
                }
                self.byte += bytes;
                done += bytes * 8;
            }
            self.push_words(bits - done, |sink, at, bits| sink.read(from + done + at, bits));
        }
    }

    /// Copies `units` units of the source in reverse order. The first one is at `from`, and the others are at decreasing offsets.
    ///
    /// # Safety
    ///
    /// - The contract of [`copy`](Bits::copy) holds.
    #[inline(never)]
    unsafe fn reverse(&mut self, from: isize, units: usize) {
        let unit = self.unit;
        // SAFETY: the caller keeps the contract.
        unsafe {
            if unit > 4 {
                return self.interleave(from, -(unit as isize), units, 0);
            }
            let bits = units * unit;
            self.advance(bits);
            let end = from as usize + unit;
            let mut done = 0;
            let word = |sink: &Self, done: usize, bits: usize| {
                reversed(sink.read(end - done - bits, bits), unit) >> (WORD - bits)
            };
            // This part reverses whole words, and words do not split units. If the next byte of the output begins within a unit,
            // this part is left out.
            let before = self.gathered_bits.wrapping_neg() % 8;
            if bits >= LONG && before.is_multiple_of(unit) {
                done = before;
                if done > 0 {
                    self.push(word(self, 0, done), done);
                }
                self.drain();
                while done + WORD <= bits {
                    let word = word(self, done, WORD);
                    self.dst.add(self.byte).cast::<[u8; 8]>().write(word.to_le_bytes());
                    self.byte += 8;
                    done += WORD;
                }
            }
            self.push_words(bits - done, |sink, at, bits| word(sink, done + at, bits));
        }
    }

    /// Appends `units` copies of the unit at `from`.
    ///
    /// # Safety
    ///
    /// - The contract of [`copy`](Bits::copy) holds.
    #[inline(never)]
    unsafe fn hold(&mut self, from: isize, units: usize) {
        let unit = self.unit;
        // SAFETY: the caller keeps the contract.
        unsafe {
            if unit > WORD {
                return self.interleave(from, 0, units, 0);
            }
            self.advance(units * unit);
            let one = self.read(from as usize, unit);
            let most = WORD / unit * unit;
            let many = (0..most / unit).fold(0, |word, i| word | one << (i * unit));
            let mut left = units * unit;
            while left > 0 {
                let now = left.min(most);
                self.push(many & low_bits(now), now);
                left -= now;
            }
        }
    }

    /// Appends `count` units, which are `stride` bits apart in the source, with `gap` bits of fill between two units.
    ///
    /// # Safety
    ///
    /// - The contract of [`copy`](Bits::copy) holds.
    #[inline(never)]
    unsafe fn interleave(&mut self, from: isize, stride: isize, count: usize, gap: usize) {
        let unit = self.unit;
        // SAFETY: the caller keeps the contract. A gap follows each unit except the last one.
        unsafe {
            let mut done = 0;
            if unit <= 4 && gap == unit && stride.unsigned_abs() == unit {
                // Half a word of the source becomes one word of units and gaps. The word ends with a gap, so another unit must
                // follow.
                let half = WORD / 2 / unit;
                let fill = self.fill & !spaced(u64::MAX, unit);
                while done + half < count {
                    let first = from as usize;
                    let word = if stride > 0 {
                        self.read(first + done * unit, WORD / 2)
                    } else {
                        let end = first + unit - done * unit;
                        reversed(self.read(end - WORD / 2, WORD / 2), unit) >> (WORD / 2)
                    };
                    self.advance(WORD);
                    self.push(spaced(word, unit) | fill, WORD);
                    done += half;
                }
            }
            for i in done..count {
                self.copy(from + i as isize * stride, unit);
                if i + 1 < count {
                    self.note(gap);
                }
            }
        }
    }

    /// Writes one row. `segments` are the segments of the innermost axis.
    ///
    /// # Safety
    ///
    /// - All offsets of `row` from `src` and `dst` lie within source and destination.
    unsafe fn row(&mut self, row: &Axis, segments: &Segments, src: isize, mut dst: isize) {
        let unit = self.unit as isize;
        // SAFETY: the caller keeps the contract.
        unsafe {
            for segment in segments.expanded() {
                let positions = segment.positions() as isize;
                match segment {
                    Segment::Source { from, step, count, gap } => {
                        let (from, stride) = (src + from * row.src_stride, step * row.src_stride);
                        if row.dst_stride != unit {
                            for i in 0..count as isize {
                                if i > 0 {
                                    let before = i * (gap as isize + 1) - gap as isize;
                                    self.fill_units(row, dst + before * row.dst_stride, gap);
                                }
                                self.seek(dst + i * (gap as isize + 1) * row.dst_stride);
                                self.copy(from + i * stride, self.unit);
                            }
                        } else {
                            self.seek(dst);
                            if gap > 0 || stride.abs() != unit && stride != 0 {
                                self.interleave(from, stride, count, gap * self.unit);
                            } else if stride == 0 {
                                self.hold(from, count);
                            } else if stride < 0 {
                                self.reverse(from, count);
                            } else {
                                self.copy(from, count * self.unit);
                            }
                        }
                    }
                    Segment::Fill { count } | Segment::Again { count, .. } => {
                        self.fill_units(row, dst, count)
                    }
                }
                dst = dst.wrapping_add(positions.wrapping_mul(row.dst_stride));
            }
        }
    }

    /// Writes fill for `count` units from `at`.
    ///
    /// # Safety
    ///
    /// - The units lie within the destination.
    unsafe fn fill_units(&mut self, row: &Axis, mut at: isize, count: usize) {
        // SAFETY: the caller keeps the contract.
        unsafe {
            if row.dst_stride == self.unit as isize {
                self.seek(at);
                return self.note(count * self.unit);
            }
            for _ in 0..count {
                self.seek(at);
                self.note(self.unit);
                at = at.wrapping_add(row.dst_stride);
            }
        }
    }

    /// Writes fill for `count` positions of the first of `axes`, from `at`.
    ///
    /// # Safety
    ///
    /// - The positions lie within the destination.
    unsafe fn fill_axes(&mut self, axes: &[Axis], mut at: isize, count: usize) {
        let [axis, inner @ ..] = axes else { return };
        // SAFETY: the caller keeps the contract.
        unsafe {
            if self.sequential {
                self.seek(at);
                return self.note(count * axis.dst_stride as usize);
            }
            let Some(first) = inner.first() else { return self.fill_units(axis, at, count) };
            for _ in 0..count {
                self.fill_axes(inner, at, first.out);
                at = at.wrapping_add(axis.dst_stride);
            }
        }
    }
}

/// Returns a word whose `bits <= 64` low bits are 1.
#[inline(always)]
const fn low_bits(bits: usize) -> u64 {
    if bits == WORD { u64::MAX } else { (1 << bits) - 1 }
}

/// Reverses the order of the fields of `bits` bits. For fields of 4 bits, `0x1234` becomes `0x4321` in the high bits of the word.
#[inline(always)]
fn reversed(word: u64, bits: usize) -> u64 {
    let nibbles = word.swap_bytes();
    let nibbles = nibbles >> 4 & 0x0f0f_0f0f_0f0f_0f0f | (nibbles & 0x0f0f_0f0f_0f0f_0f0f) << 4;
    match bits {
        4 => nibbles,
        _ => nibbles >> 2 & 0x3333_3333_3333_3333 | (nibbles & 0x3333_3333_3333_3333) << 2,
    }
}

/// Puts a zero field after each field in the lower half of `word`. For fields of 4 bits, `0x12` becomes `0x0102`.
#[inline(always)]
const fn spaced(word: u64, bits: usize) -> u64 {
    let word = (word | word << 16) & 0x0000_ffff_0000_ffff;
    let word = (word | word << 8) & 0x00ff_00ff_00ff_00ff;
    let word = (word | word << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    match bits {
        4 => word,
        _ => (word | word << 2) & 0x3333_3333_3333_3333,
    }
}

impl Output for Bits<'_> {
    /// Returns false. Repetitions must read the source, because the last bits of the output are not stored yet.
    #[inline(always)]
    fn is_dense(&self) -> bool {
        false
    }

    unsafe fn fill(&mut self, rank: usize, at: isize, count: usize) {
        let axes = &self.nest.axes;
        // SAFETY: the caller keeps the contract.
        unsafe { self.fill_axes(&axes[axes.len() - rank..], at, count) }
    }

    unsafe fn again(&mut self, _: isize, _: isize, _: isize) {
        unreachable!("every repetition is made from the source");
    }

    #[inline(never)]
    unsafe fn blocks(&mut self, rank: usize, src: isize, step: isize, dst: isize, count: usize, gap: usize) {
        let nest = self.nest;
        let (Some(axis), Some(row)) = (nest.axes.get(nest.axes.len() - rank), nest.axes.last()) else {
            return;
        };
        // Writing needs `&mut self`, so the segments are moved out of `self` until the loop ends.
        let Some(segments) = self.segments.take() else { return };
        for i in 0..count as isize {
            let at = dst + i * (gap as isize + 1) * axis.dst_stride;
            // SAFETY: the caller keeps the contract.
            unsafe {
                if i > 0 {
                    self.fill(rank, at - gap as isize * axis.dst_stride, gap);
                }
                self.row(row, &segments, src + i * step, at);
            }
        }
        self.segments = Some(segments);
    }

    unsafe fn all(&mut self, src: isize, dst: isize) {
        // SAFETY: the caller keeps the contract.
        unsafe { self.blocks(1, src, 0, dst, 1, 0) }
    }

    unsafe fn finish(&mut self) {
        // SAFETY: the collected bits and the counted fill lie within the destination.
        unsafe {
            self.advance(0);
            self.drain();
        }
    }
}
