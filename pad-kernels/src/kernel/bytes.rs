//! The sink of bytes, with the row primitives for units of whole bytes.

use core::marker::PhantomData;
use core::ptr;

use crate::kernel::Job;
use crate::kernel::nest::{Part, Parts, Sink};
use crate::kernel::vector::{
    Border, BorderedRows, Cells, LONG, OVERSHOOT, SHORT, Shuffle, Vector, Weave, copy_exact, get, put,
};
use crate::plan::pattern::{BLOCK, Pattern};

/// The bytes of a unit as a type, so that moves of one unit are single instructions.
pub(super) trait Width {
    /// Bytes of the unit, or 0 if only known at run time.
    const BYTES: usize;
    /// A unit in a register.
    type Word: Copy;

    /// The units of a register in reverse order.
    fn reversed<V: Vector>(register: V::Register) -> V::Register;
}

macro_rules! widths {
    ($($name:ident $bytes:literal $word:ty),*) => {$(
        pub(super) struct $name;

        impl Width for $name {
            const BYTES: usize = $bytes;
            type Word = $word;

            #[inline(always)]
            fn reversed<V: Vector>(mut register: V::Register) -> V::Register {
                let words = size_of::<V::Register>() / size_of::<$word>();
                let start = (&raw mut register).cast::<u8>();
                for i in 0..words / 2 {
                    let (low, high) = (i * size_of::<$word>(), (words - 1 - i) * size_of::<$word>());
                    // SAFETY: both lie within the register, which any bytes make.
                    unsafe {
                        let (a, b) = (get::<$word>(start.add(low)), get::<$word>(start.add(high)));
                        put(start.add(low), b);
                        put(start.add(high), a);
                    }
                }
                register
            }
        }
    )*};
}
widths! { W1 1 u8, W2 2 u16, W4 4 u32, W8 8 u64, W16 16 u128, Any 0 u8 }

/// The destination in bytes.
pub(super) struct ByteSink<'a, W, V> {
    src: *const u8,
    src_len: usize,
    dst: *mut u8,
    dst_len: usize,
    /// Stores may overshoot up to here: what lies behind the position is not written yet.
    wild_end: usize,
    /// The next byte to write, behind the fill that is only noted.
    at: usize,
    pending: usize,
    unit: usize,
    fill: &'a Pattern,
    filled: bool,
    sequential: bool,
    weave: Option<Weave>,
    shuffles: Option<[Shuffle; 2]>,
    kind: PhantomData<(W, V)>,
}

impl<'a, W: Width, V: Vector> ByteSink<'a, W, V> {
    /// A sink at the first position of `job`, whose contract holds as long as the sink lives.
    #[inline(always)]
    pub(super) fn new(job: &Job<'a>) -> Self {
        debug_assert!(W::BYTES == 0 || W::BYTES == job.unit);
        ByteSink {
            src: job.src,
            src_len: job.src_len,
            dst: job.dst,
            dst_len: job.dst_len,
            wild_end: if job.sequential && !job.filled { job.dst_len } else { 0 },
            at: 0,
            pending: 0,
            unit: job.unit,
            fill: job.fill,
            filled: job.filled,
            sequential: job.sequential,
            weave: None,
            shuffles: None,
            kind: PhantomData,
        }
    }

    /// The source at `from`, of which `bytes` are read.
    ///
    /// # Safety
    ///
    /// - `from..from + bytes` is within the source.
    #[inline(always)]
    unsafe fn source(&self, from: isize, bytes: usize) -> *const u8 {
        debug_assert!(from >= 0 && from as usize + bytes <= self.src_len, "read {from} + {bytes}");
        // SAFETY: the caller's bounds.
        unsafe { self.src.offset(from) }
    }

    /// The position, at which `bytes` are written, after what is only noted so far; goes past them.
    ///
    /// # Safety
    ///
    /// - The noted fill and `bytes` more are within the destination.
    #[inline(always)]
    unsafe fn advance(&mut self, bytes: usize) -> *mut u8 {
        debug_assert!(self.at + bytes <= self.dst_len, "write {} + {bytes}", self.at);
        // SAFETY: the caller's bounds.
        unsafe {
            self.flush();
            let dst = self.dst.add(self.at);
            self.at += bytes;
            dst
        }
    }

    /// Whether a store may run [`OVERSHOOT`] bytes past the position.
    #[inline(always)]
    fn can_spill(&self) -> bool {
        planted!("spill-past-the-end", self.at + OVERSHOOT <= self.wild_end, self.at <= self.wild_end)
    }

    /// How many of `count` rows of `bytes` at the position, from `used` bytes of sources `stride` apart from `from`,
    /// leave room for the overshoot in both buffers.
    #[inline(always)]
    fn rows_with_room(&self, count: usize, bytes: usize, from: isize, used: usize, stride: isize) -> usize {
        let Some(room) =
            self.wild_end.checked_sub(planted!("rows-with-too-little-room", self.at + OVERSHOOT, self.at))
        else {
            return 0;
        };
        let Some(source) = self.src_len.checked_sub(from as usize + used + OVERSHOOT) else { return 0 };
        // Divided only where some have room and some have not: most often it is all of them, or in tiny tensors none.
        let stride = stride.max(0) as usize;
        if count * bytes <= room && (count - 1) * stride <= source {
            count
        } else if bytes > room {
            0
        } else {
            let sources = source.checked_div(stride).map_or(count, |more| more + 1);
            count.min(room / bytes).min(sources)
        }
    }

    /// Writes the fill that is only noted so far.
    ///
    /// # Safety
    ///
    /// - It lies within the destination.
    #[inline(always)]
    unsafe fn flush(&mut self) {
        if self.pending > 0 {
            // SAFETY: the caller's.
            unsafe { self.flush_pending() }
        }
    }

    /// The same where there is some.
    ///
    /// # Safety
    ///
    /// - As for [`flush`](ByteSink::flush).
    #[inline(never)]
    unsafe fn flush_pending(&mut self) {
        let bytes = core::mem::take(&mut self.pending);
        let start = self.at - bytes;
        if self.filled {
            return;
        }
        // SAFETY: `start..at` lies within the destination, and so does `start..wild_end`.
        unsafe {
            let dst = self.dst.add(start);
            if bytes > BLOCK || self.fill.step() == 0 {
                write_fill(self.fill, dst, bytes);
            } else if start + BLOCK <= self.wild_end {
                put(dst, *self.fill.block());
            } else {
                copy_exact(self.fill.block().as_ptr(), dst, bytes);
            }
        }
    }
}

impl<W: Width, V: Vector> Sink for ByteSink<'_, W, V> {
    #[inline(always)]
    fn unit(&self) -> usize {
        if W::BYTES == 0 { self.unit } else { W::BYTES }
    }

    #[inline(always)]
    fn sequential(&self) -> bool {
        self.sequential
    }

    #[inline(always)]
    unsafe fn seek(&mut self, at: isize) {
        if at as usize != self.at {
            // SAFETY: the fill was noted for bytes within the destination.
            unsafe { self.flush() };
            self.at = at as usize;
        }
    }

    #[inline(always)]
    unsafe fn fill(&mut self, atoms: usize) {
        debug_assert!(self.at + atoms <= self.dst_len, "fill {} + {atoms}", self.at);
        self.at += atoms;
        self.pending += atoms;
    }

    #[inline(never)]
    unsafe fn copy(&mut self, from: isize, atoms: usize) {
        // SAFETY: the caller's bounds; the short loop ends less than a register further, for which there is room.
        unsafe {
            let src = self.source(from, atoms);
            let dst = self.advance(atoms);
            if atoms <= SHORT
                && self.can_spill()
                && planted!(
                    "overshoot-of-the-source",
                    self.src_len - (from as usize + atoms) >= OVERSHOOT,
                    true
                )
            {
                let mut done = 0;
                while done < atoms {
                    put(dst.add(done), get::<V::Register>(src.add(done)));
                    done += size_of::<V::Register>();
                }
            } else {
                copy_exact(src, dst, atoms);
            }
        }
    }

    #[inline(never)]
    unsafe fn reverse(&mut self, from: isize, units: usize) {
        let unit = self.unit();
        let bytes = units * unit;
        // SAFETY: the caller's bounds: units from `from` down, each within the source. A register ends with the
        // unit at `from`; it may begin before the last unit, if there is source, and spill, if there is room.
        unsafe {
            let first = self.source(from, unit);
            self.source(from - (bytes - unit) as isize, bytes);
            let dst = self.advance(bytes);
            let below = from as usize + unit;
            let register = size_of::<V::Register>();
            if W::BYTES == 0 {
                for i in 0..units {
                    copy_exact(first.sub(i * unit), dst.add(i * unit), unit);
                }
            } else if bytes <= SHORT
                && self.can_spill()
                && planted!(
                    "mirror-before-the-source",
                    below >= bytes.next_multiple_of(register),
                    below >= bytes
                )
            {
                let end = first.add(unit);
                let mut done = 0;
                while done < bytes {
                    let word = get::<V::Register>(end.sub(done + register));
                    put(dst.add(done), W::reversed::<V>(word));
                    done += register;
                }
            } else {
                for i in 0..units {
                    put(dst.add(i * unit), get::<W::Word>(first.sub(i * unit)));
                }
            }
        }
    }

    #[inline(never)]
    unsafe fn hold(&mut self, from: isize, units: usize) {
        let unit = self.unit();
        let bytes = units * unit;
        // SAFETY: the caller's bounds; the source is read before anything is written, and the copies within the
        // destination take from the part already written. A register may spill, if there is room.
        unsafe {
            let src = self.source(from, unit);
            let dst = self.advance(bytes);
            if W::BYTES == 0 {
                let mut done = unit;
                copy_exact(src, dst, unit);
                while done < bytes {
                    let more = done.min(bytes - done);
                    ptr::copy_nonoverlapping(dst, dst.add(done), more);
                    done += more;
                }
                return;
            }
            let word = get::<W::Word>(src);
            if bytes <= OVERSHOOT && self.can_spill() {
                let words = OVERSHOOT / size_of::<W::Word>();
                for i in 0..words {
                    put(dst.add(i * size_of::<W::Word>()), word);
                }
            } else {
                for i in 0..units {
                    put(dst.add(i * unit), word);
                }
            }
        }
    }

    #[inline(never)]
    unsafe fn scatter(&mut self, from: isize, stride: isize, at: isize, at_stride: isize, count: usize) {
        let unit = self.unit();
        // SAFETY: the caller's bounds.
        unsafe {
            self.flush();
            let last = (count - 1) as isize;
            let (src, dst) = (self.source(from, unit), self.dst.offset(at));
            self.source(from + last * stride, unit);
            debug_assert!((at + last * at_stride) as usize + unit <= self.dst_len, "write {at} + {last}");
            for i in 0..count as isize {
                let (src, dst) = (src.offset(i * stride), dst.offset(i * at_stride));
                if W::BYTES == 0 {
                    copy_exact(src, dst, unit);
                } else {
                    put(dst, get::<W::Word>(src));
                }
            }
            self.at = (at + last * at_stride) as usize + unit;
        }
    }

    #[inline(never)]
    unsafe fn spread(&mut self, from: isize, stride: isize, count: usize, atoms: usize, gap: usize) {
        // SAFETY: the caller's bounds: a body and a gap each time, but for the last, which has no gap. As many cells
        // as keep the overshoot away from the ends of both buffers are written at once, the others one by one.
        unsafe {
            let first = self.source(from, atoms);
            self.source(from + (count - 1) as isize * stride, atoms);
            let mut done = 0;
            let step = self.fill.step();
            let short_gap = gap <= BLOCK && step > 0 || gap <= SHORT && step == BLOCK;
            if atoms <= LONG && short_gap && !self.filled {
                // The last cell has no gap; what is spilt there will be written yet.
                let write = |cells: usize| cells * (atoms + gap) - if cells == count { gap } else { 0 };
                let mut cells =
                    Cells { src: first, stride, dst: self.dst, count: 0, body: atoms, gap, fill: self.fill };
                done = self.rows_with_room(count, atoms + gap, from, atoms, stride);
                if done > 0 {
                    cells.dst = self.advance(write(done));
                    cells.count = done;
                    V::cells(&cells, &mut self.weave);
                }
                let rest = count - done;
                if rest > 0 && atoms <= BLOCK && gap <= BLOCK {
                    cells.src = first.offset(done as isize * stride);
                    cells.dst = self.advance(write(count) - write(done));
                    cells.count = rest;
                    V::exact_cells(&cells);
                    return;
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

    #[inline(never)]
    unsafe fn bordered(
        &mut self,
        parts: &Parts,
        src: isize,
        step: isize,
        atoms: usize,
        count: usize,
    ) -> usize {
        let unit = self.unit();
        if unit > V::SHUFFLED {
            return 0;
        }
        // All parts lie within the row's source, from its lowest unit to behind its highest.
        let done = self.rows_with_room(count, atoms, src, parts.end as usize * unit, step);
        if done == 0 {
            return 0;
        }
        let border = |part: Part| Border {
            from: part.from as isize * unit as isize,
            stride: part.direction as isize * unit as isize,
            units: part.units,
        };
        // SAFETY: the caller's bounds; the overshoot stays within both buffers for so many rows. The shuffles are
        // those of the innermost axis, which stays the same for as long as a sink lives.
        unsafe {
            let rows = BorderedRows {
                src: self.src.offset(src),
                stride: step,
                dst: self.advance(done * atoms),
                count: done,
                body_from: parts.body.from as isize * unit as isize,
                body: parts.body.units * unit,
                shuffles: self.shuffles.get_or_insert_with(|| {
                    let shuffle = |part| Shuffle::new(border(part), unit, V::SHUFFLED);
                    [shuffle(parts.head), shuffle(parts.tail)]
                }),
            };
            V::bordered(&rows);
        }
        done
    }

    #[inline(always)]
    unsafe fn finish(&mut self) {
        // SAFETY: the fill was noted for bytes within the destination.
        unsafe { self.flush() }
    }
}

/// Writes `bytes` bytes of fill and touches no others.
///
/// # Safety
///
/// - `bytes` at `dst` are writable and a multiple of the fill element's.
#[inline(never)]
unsafe fn write_fill(fill: &Pattern, dst: *mut u8, bytes: usize) {
    debug_assert!(bytes.is_multiple_of(fill.element().len()));
    // SAFETY: the caller's; all stores lie within `bytes`, and the block continues the pattern past its step.
    unsafe {
        match (fill.uniform(), fill.step()) {
            (Some(byte), _) => {
                ptr::write_bytes(dst, byte, planted!("one-byte-past-the-end", bytes, bytes + 1))
            }
            (None, 0) => {
                let element = fill.element();
                for at in (0..bytes).step_by(element.len()) {
                    ptr::copy_nonoverlapping(element.as_ptr(), dst.add(at), element.len());
                }
            }
            (None, step) => {
                let mut at = 0;
                while bytes - at > BLOCK {
                    put(dst.add(at), *fill.block());
                    at += step;
                }
                ptr::copy_nonoverlapping(
                    fill.block().as_ptr(),
                    dst.add(at),
                    planted!("fill-tail-unwritten", bytes - at, bytes - at - 1),
                );
            }
        }
    }
}
