//! The sink of bits, with the row primitives for packed elements: whole words, shifted into place.

use crate::kernel::Job;
use crate::kernel::nest::{Grid, Parts, Sink};

const WORD: usize = u64::BITS as usize;

/// The destination in bits, low bits of a byte first.
///
/// Bits gather in a word that is stored when it is full, so a byte is never read to be completed, unless the
/// destination has holes: then what lies around is kept.
pub(super) struct BitSink {
    src: *const u8,
    src_len: usize,
    dst: *mut u8,
    dst_len: usize,
    /// The next bit to write, behind the fill that is only noted.
    at: usize,
    pending: usize,
    /// The byte that the gathered bits start in.
    byte: usize,
    gathered: u64,
    gathered_bits: usize,
    unit: usize,
    /// Fill in every field.
    fill: u64,
    sequential: bool,
}

impl BitSink {
    /// A sink at the first position of `job`, whose contract holds as long as the sink lives.
    pub(super) fn new(job: &Job<'_>) -> Self {
        BitSink {
            src: job.src,
            src_len: job.src_len,
            dst: job.dst,
            dst_len: job.dst_len,
            at: 0,
            pending: 0,
            byte: 0,
            gathered: 0,
            gathered_bits: 0,
            unit: job.unit,
            fill: u64::from_ne_bytes([job.fill.element()[0]; 8]),
            sequential: job.sequential,
        }
    }

    /// The `bits <= 64` bits of the source at `from`; those above are zero.
    ///
    /// # Safety
    ///
    /// - They lie within the source.
    #[inline(always)]
    unsafe fn read(&self, from: usize, bits: usize) -> u64 {
        debug_assert!(from + bits <= self.src_len * 8, "read {from} + {bits}");
        let (byte, shift) = (from / 8, from % 8);
        // SAFETY: the branch reads nine bytes if there are nine, the loop those that hold the bits.
        let word = unsafe {
            let src = self.src.add(byte);
            if byte + 9 <= self.src_len {
                let low = u64::from_le_bytes(src.cast::<[u8; 8]>().read());
                // Shifted in two steps: by 64 in one is not a shift.
                low >> shift
                    | planted!("bits-of-the-ninth-byte", u64::from(*src.add(8)) << 1 << (WORD - 1 - shift), 0)
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

    /// Appends the `bits` low bits of `word`, of which the others are zero.
    ///
    /// # Safety
    ///
    /// - They lie within the destination.
    #[inline(always)]
    unsafe fn push(&mut self, word: u64, bits: usize) {
        let held = self.gathered_bits;
        self.gathered |= word << held;
        if held + bits >= WORD {
            debug_assert!(self.byte + 8 <= self.dst_len);
            // SAFETY: all 64 bits were pushed, or lie before them in the same byte, so the 8 bytes are in bounds.
            unsafe { self.dst.add(self.byte).cast::<[u8; 8]>().write(self.gathered.to_le_bytes()) };
            self.byte += 8;
            self.gathered =
                planted!("bits-lost-at-a-word", if held == 0 { 0 } else { word >> (WORD - held) }, 0);
            self.gathered_bits = held + bits - WORD;
        } else {
            self.gathered_bits = held + bits;
        }
    }

    /// Appends `bits` bits of words that `next(offset, bits)` makes.
    ///
    /// # Safety
    ///
    /// - They lie within the destination, after the noted fill.
    /// - `next` may be called with every multiple of 64 below `bits`.
    #[inline(always)]
    unsafe fn push_words(&mut self, bits: usize, next: impl Fn(&Self, usize, usize) -> u64) {
        let mut done = 0;
        while done < bits {
            let now = (bits - done).min(WORD);
            let word = next(self, done, now);
            // SAFETY: the caller's bounds.
            unsafe { self.push(word, now) };
            done += now;
        }
    }

    /// Appends the noted fill, and counts `bits` more.
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
            // SAFETY: the caller's bounds.
            unsafe { self.push_words(pending, |sink, _, bits| sink.fill & low_bits(bits)) };
        }
    }

    /// Stores the gathered bits. Bits that follow in the last byte are zero, or if there are holes kept.
    ///
    /// # Safety
    ///
    /// - The gathered bits lie within the destination, which is initialised if there are holes.
    unsafe fn drain(&mut self) {
        let bytes = self.gathered.to_le_bytes();
        let (whole, rest) = (self.gathered_bits / 8, self.gathered_bits % 8);
        // SAFETY: the caller's.
        unsafe {
            let dst = self.dst.add(self.byte);
            for (i, &byte) in bytes[..whole].iter().enumerate() {
                dst.add(i).write(byte);
            }
            if rest > 0 {
                let last = dst.add(whole);
                let kept = if planted!("bits-behind-the-end", self.sequential, true) {
                    0
                } else {
                    last.read() & !(low_bits(rest) as u8)
                };
                last.write(bytes[whole] | kept);
            }
        }
        self.gathered = 0;
        self.gathered_bits = 0;
    }

    /// Appends a line of cells whose source is `from`.
    ///
    /// # Safety
    ///
    /// - As for [`Sink::cells`], for this line.
    #[inline(never)]
    unsafe fn line(&mut self, from: isize, grid: &Grid) {
        let Grid { cells: count, stride, atoms, gap, .. } = *grid;
        let unit = self.unit;
        // SAFETY: the caller's bounds: a cell and a gap each time, but for the last, which has no gap.
        unsafe {
            let mut done = 0;
            if unit <= 4 && atoms == unit && gap == unit && stride.unsigned_abs() == unit {
                // Half a word of units becomes a word, with its last gap: only while another unit follows.
                let half = WORD / 2 / unit;
                let fill = self.fill & !spaced(u64::MAX, unit);
                while planted!("bits-gap-after-the-last", done + half < count, done + half <= count) {
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
                self.copy(from + i as isize * stride, atoms);
                if i + 1 < count {
                    self.fill(gap);
                }
            }
        }
    }

    /// As many whole units as a word holds, in bits; 0 if a unit is longer.
    fn units_a_word(&self) -> usize {
        WORD / self.unit * self.unit
    }
}

/// A word of `bits <= 64` ones from the low end.
#[inline(always)]
const fn low_bits(bits: usize) -> u64 {
    if bits == WORD { u64::MAX } else { (1 << bits) - 1 }
}

/// The fields of `bits` bits in reverse order.
#[inline(always)]
fn reversed(word: u64, bits: usize) -> u64 {
    let nibbles = word.swap_bytes();
    let nibbles = nibbles >> 4 & 0x0f0f_0f0f_0f0f_0f0f | (nibbles & 0x0f0f_0f0f_0f0f_0f0f) << 4;
    match bits {
        4 => planted!("nibble-order", nibbles, word.swap_bytes()),
        _ => nibbles >> 2 & 0x3333_3333_3333_3333 | (nibbles & 0x3333_3333_3333_3333) << 2,
    }
}

/// The fields of `bits` bits in the lower half of `word`, with a field of zeros after each.
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

impl Sink for BitSink {
    #[inline(always)]
    fn unit(&self) -> usize {
        self.unit
    }

    #[inline(always)]
    fn sequential(&self) -> bool {
        self.sequential
    }

    #[inline(never)]
    unsafe fn seek(&mut self, at: isize) {
        let at = at as usize;
        if at == self.at && (self.sequential || self.gathered_bits > 0 || self.pending > 0) {
            return;
        }
        // SAFETY: what is gathered or noted lies within the destination; with holes it is initialised.
        unsafe {
            self.finish();
            self.at = at;
            self.byte = at / 8;
            self.gathered_bits = at % 8;
            if self.gathered_bits > 0 {
                self.gathered = u64::from(self.dst.add(self.byte).read()) & low_bits(self.gathered_bits);
            }
        }
    }

    #[inline(always)]
    unsafe fn fill(&mut self, atoms: usize) {
        self.at += atoms;
        self.pending += atoms;
    }

    #[inline(never)]
    unsafe fn copy(&mut self, from: isize, atoms: usize) {
        // SAFETY: the caller's bounds.
        unsafe {
            self.advance(atoms);
            self.push_words(atoms, |sink, done, bits| sink.read(from as usize + done, bits));
        }
    }

    #[inline(never)]
    unsafe fn reverse(&mut self, from: isize, units: usize) {
        let unit = self.unit;
        // SAFETY: the caller's bounds.
        unsafe {
            if unit > 4 {
                for i in 0..units {
                    self.copy(from - (i * unit) as isize, unit);
                }
                return;
            }
            self.advance(units * unit);
            let end = from as usize + unit;
            self.push_words(units * unit, |sink, done, bits| {
                reversed(sink.read(end - done - bits, bits), unit) >> (WORD - bits)
            });
        }
    }

    #[inline(never)]
    unsafe fn hold(&mut self, from: isize, units: usize) {
        let unit = self.unit;
        // SAFETY: the caller's bounds.
        unsafe {
            if unit > WORD {
                for _ in 0..units {
                    self.copy(from, unit);
                }
                return;
            }
            self.advance(units * unit);
            let one = self.read(from as usize, unit);
            let most = self.units_a_word();
            let many = (0..most / unit).fold(0, |word, i| word | one << (i * unit));
            let mut left = units * unit;
            while left > 0 {
                let now = left.min(most);
                self.push(many & low_bits(now), now);
                left -= now;
            }
        }
    }

    unsafe fn scatter(&mut self, from: isize, stride: isize, at: isize, at_stride: isize, count: usize) {
        for i in 0..count as isize {
            // SAFETY: the caller's bounds.
            unsafe {
                self.seek(at + i * at_stride);
                self.copy(from + i * stride, self.unit);
            }
        }
    }

    #[inline(never)]
    unsafe fn cells(&mut self, grid: &Grid) {
        for i in 0..grid.lines {
            // SAFETY: the caller's bounds.
            unsafe {
                if i > 0 {
                    self.fill(grid.line_gap);
                }
                self.line(grid.from + i as isize * grid.line_stride, grid);
            }
        }
    }

    #[inline(always)]
    unsafe fn bordered(&mut self, _: &Parts, _: isize, _: isize, _: usize, _: usize) -> usize {
        0
    }

    #[inline(always)]
    fn prefetch(&self, _: isize, _: usize) {}

    #[inline(never)]
    unsafe fn finish(&mut self) {
        // SAFETY: what is gathered or noted lies within the destination.
        unsafe {
            self.advance(0);
            self.drain();
        }
    }
}
