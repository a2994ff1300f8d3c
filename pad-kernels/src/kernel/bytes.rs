//! The sink of bytes, with the row primitives for units of whole bytes.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr;

use crate::kernel::Job;
use crate::kernel::nest::{Grid, Parts, Sink};
use crate::kernel::vector::{
    AHEAD, Border, BorderedRows, Cells, LINE, OVERSHOOT, SHORT, STREAMS, Shuffle, Vector, Weave,
    copy_aligned, copy_exact, get, prefetch, put,
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

/// Where an output that streams past the cache is put together, line by line.
#[repr(C, align(64))]
pub(crate) struct Stage([MaybeUninit<u8>; STAGE + LINE]);

/// Small, so that reading the source and streaming the output take turns often: 1 GiB of rows of 4 KiB ran at 0.90 of
/// memcpy's speed with 1 KiB, at 0.83 with 2 and at 0.82 with 4 (Skylake, before sources were fetched ahead).
const STAGE: usize = 1024;

/// What may be written to the stage at once, wherever in it the position is after a drain.
const ROOM: usize = STAGE - LINE - OVERSHOOT;

/// The destination in bytes.
///
/// Either it is written directly, or through a stage: then `dst` is such that positions from `staged_from` on fall
/// into the stage, and [`drain`](ByteSink::drain) sends what lines are complete to `target`.
pub(super) struct ByteSink<'a, W, V> {
    src: *const u8,
    src_len: usize,
    dst: *mut u8,
    dst_len: usize,
    /// Stores may overshoot up to here: what lies behind the position is not written yet.
    wild_end: usize,
    /// The most bytes that may be written at once, and up to where they may reach.
    most: usize,
    end: usize,
    /// The next byte to write, behind the fill that is only noted.
    at: usize,
    pending: usize,
    unit: usize,
    fill: &'a Pattern,
    filled: bool,
    sequential: bool,
    /// The stage, or null if there is none, and the position of its first byte.
    stage: *mut u8,
    staged_from: isize,
    target: *mut u8,
    weave: Option<Weave>,
    shuffles: Option<[Shuffle; 2]>,
    kind: PhantomData<(W, V)>,
}

impl<'a, W: Width, V: Vector> ByteSink<'a, W, V> {
    /// A sink at the first position of `job`, whose contract holds as long as the sink lives.
    #[inline(always)]
    pub(super) fn new(job: &Job<'a>) -> Self {
        debug_assert!(W::BYTES == 0 || W::BYTES == job.unit);
        let mut sink = ByteSink {
            src: job.src,
            src_len: job.src_len,
            dst: job.dst,
            dst_len: job.dst_len,
            wild_end: if job.sequential && !job.filled { job.dst_len } else { 0 },
            most: usize::MAX,
            end: usize::MAX,
            at: 0,
            pending: 0,
            unit: job.unit,
            fill: job.fill,
            filled: job.filled,
            sequential: job.sequential,
            stage: ptr::null_mut(),
            staged_from: 0,
            target: job.dst,
            weave: None,
            shuffles: None,
            kind: PhantomData,
        };
        if STREAMS && !job.stage.is_null() {
            debug_assert!(job.sequential && !job.filled && job.fill.step() > 0);
            sink.stage = job.stage.cast();
            sink.most = ROOM;
            // The first line may begin before the destination.
            sink.stage_from(-((job.dst.addr() % LINE) as isize));
        }
        sink
    }

    /// Begins the stage at position `from`, which is the first of a line.
    #[inline(always)]
    fn stage_from(&mut self, from: isize) {
        self.staged_from = from;
        self.dst = self.stage.wrapping_offset(-from);
        self.end = from.wrapping_add(STAGE as isize) as usize;
        self.wild_end = self.end;
    }

    /// Sends the lines that are complete from the stage to the destination, and begins it anew with the line that is
    /// not. Nothing may be noted.
    ///
    /// # Safety
    ///
    /// - There is a stage, and all positions from its first to this one were written.
    #[inline(never)]
    unsafe fn drain(&mut self) {
        debug_assert!(self.pending == 0 && !self.stage.is_null());
        let staged = self.at.wrapping_sub(self.staged_from as usize);
        let whole = staged / LINE * LINE;
        if whole == 0 {
            return;
        }
        // SAFETY: `staged` bytes of the stage are written, and stand for as many of the destination, but for those before
        // its beginning, which are in the first line.
        unsafe {
            let mut done = 0;
            if self.staged_from < 0 {
                done = LINE;
                let before = -self.staged_from as usize;
                copy_exact(self.stage.add(before), self.target, LINE - before);
            }
            let target = self.target.wrapping_offset(self.staged_from).wrapping_add(done);
            V::stream(self.stage.add(done), target, whole - done);
            // The stage holds a whole line more than may be written to it.
            let begun: [MaybeUninit<u8>; LINE] = get(self.stage.add(planted!("begun-line-lost", whole, 0)));
            put(self.stage, begun);
        }
        self.stage_from(self.staged_from.wrapping_add(whole as isize));
    }

    /// Drains the stage, if there is one with lines to send: then there may be more room than before.
    ///
    /// # Safety
    ///
    /// - The noted fill lies within the destination.
    #[inline(always)]
    unsafe fn drained(&mut self) -> bool {
        if self.stage.is_null() {
            return false;
        }
        // SAFETY: the caller's.
        unsafe {
            self.flush();
            let before = self.staged_from;
            self.drain();
            self.staged_from != before
        }
    }

    /// Streams a long run of the source: its whole lines go past the stage.
    ///
    /// # Safety
    ///
    /// - As for [`Sink::copy`]; there is a stage, and `bytes` is more than a line.
    #[inline(never)]
    unsafe fn stream(&mut self, src: *const u8, bytes: usize) {
        // SAFETY: the caller's bounds. With the line completed, the stage is empty after the drain.
        unsafe {
            self.flush();
            let head = self.at.wrapping_sub(self.staged_from as usize).wrapping_neg() % LINE;
            copy_exact(src, self.advance(head), head);
            self.drain();
            let whole = (bytes - head) / LINE * LINE;
            V::stream(src.add(head), self.target.add(self.at), whole);
            self.at += whole;
            self.stage_from(self.at as isize);
            let rest = bytes - head - whole;
            copy_exact(src.add(bytes - rest), self.advance(rest), rest);
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
            if self.at + bytes > self.end {
                self.drain();
            }
        }
        debug_assert!(self.at + bytes <= self.end);
        let dst = self.dst.wrapping_add(self.at);
        self.at += bytes;
        dst
    }

    /// Whether a store may run [`OVERSHOOT`] bytes past the position.
    #[inline(always)]
    fn can_spill(&self) -> bool {
        planted!("spill-past-the-end", self.at + OVERSHOOT <= self.wild_end, self.at <= self.wild_end)
    }

    /// How many of `count` rows of `bytes` at the position, from `used` bytes of sources `stride` apart from `from`,
    /// leave room for the overshoot in both buffers, and in the output for `spilt` bytes more.
    #[inline(always)]
    fn rows_with_room(
        &self,
        count: usize,
        (bytes, spilt): (usize, usize),
        from: isize,
        used: usize,
        stride: isize,
    ) -> usize {
        let ahead = planted!("rows-with-too-little-room", self.at + spilt + OVERSHOOT, self.at);
        let Some(room) = self.wild_end.checked_sub(ahead) else { return 0 };
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
        let mut bytes = core::mem::take(&mut self.pending);
        if self.filled {
            return;
        }
        self.at -= bytes;
        // SAFETY: `bytes` from the position on lie within the destination, and so does what is up to `wild_end`.
        unsafe {
            while bytes > self.most {
                let whole = self.most / self.fill.step() * self.fill.step();
                write_fill(self.fill, self.advance(whole), whole);
                bytes -= whole;
            }
            let dst = self.advance(bytes);
            if bytes > BLOCK || self.fill.step() == 0 {
                write_fill(self.fill, dst, bytes);
            } else if self.at - bytes + BLOCK <= self.wild_end {
                put(dst, *self.fill.block());
            } else {
                copy_exact(self.fill.block().as_ptr(), dst, bytes);
            }
        }
    }

    /// Cells of one line, whose source is `from`, with nothing behind the last.
    ///
    /// # Safety
    ///
    /// - As for [`Sink::cells`].
    #[inline(never)]
    unsafe fn line(&mut self, from: isize, stride: isize, count: usize, atoms: usize, gap: usize) {
        // SAFETY: the caller's bounds: a body and a gap each time, but for the last, which has no gap. As many cells
        // as keep the overshoot away from the ends of both buffers are written at once, the others one by one.
        unsafe {
            let first = self.source(from, atoms);
            self.source(from + (count - 1) as isize * stride, atoms);
            let mut done = 0;
            if self.is_short(gap) {
                let mut cells = Cells {
                    src: first,
                    stride,
                    dst: self.dst,
                    count: 0,
                    body: atoms,
                    gap,
                    lines: 1,
                    line_stride: 0,
                    line_gap: 0,
                    fill: self.fill,
                };
                while done < count {
                    let next = from + done as isize * stride;
                    cells.count = self.rows_with_room(count - done, (atoms + gap, 0), next, atoms, stride);
                    if cells.count > 0 {
                        cells.src = first.offset(done as isize * stride);
                        done += cells.count;
                        // The last cell has no gap; what is spilt there will be written yet.
                        cells.dst = self.advance(cells.bytes() + if done == count { 0 } else { gap });
                        V::cells(&cells, &mut self.weave);
                    } else if !self.drained() {
                        break;
                    }
                }
                cells.count = count - done;
                if cells.count > 0 && atoms <= BLOCK && gap <= BLOCK && cells.bytes() <= self.most {
                    cells.src = first.offset(done as isize * stride);
                    cells.dst = self.advance(cells.bytes());
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

    /// Lines of several cells.
    ///
    /// # Safety
    ///
    /// - As for [`Sink::cells`].
    #[inline(never)]
    unsafe fn grid(&mut self, grid: &Grid) {
        let &Grid { from, cells: count, stride, atoms: body, gap, lines, line_stride, line_gap } = grid;
        let mut done = 0;
        // SAFETY: the caller's bounds. As many lines as keep the overshoot, and the gap behind a line's last cell, away
        // from the ends of both buffers are written at once, the others one by one.
        unsafe {
            if stride > 0 && self.is_short(gap) && self.is_short(line_gap) {
                let used = (count - 1) * stride as usize + body;
                let bytes = (grid.line() + line_gap, gap);
                while done < lines {
                    let next = from + done as isize * line_stride;
                    let room = self.rows_with_room(lines - done, bytes, next, used, line_stride);
                    if room > 0 {
                        let (src, dst) = (self.src.offset(next), self.advance(room * bytes.0 - line_gap));
                        let fill = self.fill;
                        let now = Cells {
                            src,
                            stride,
                            dst,
                            count,
                            body,
                            gap,
                            lines: room,
                            line_stride,
                            line_gap,
                            fill,
                        };
                        V::cells(&now, &mut self.weave);
                        done += room;
                        if planted!("gap-between-batches-of-lines", done < lines, false) {
                            self.fill(line_gap);
                        }
                    } else if !self.drained() {
                        break;
                    }
                }
            }
            for i in done..lines {
                self.line(from + i as isize * line_stride, stride, count, body, gap);
                if i + 1 < lines {
                    self.fill(line_gap);
                }
            }
        }
    }

    /// Sends all of the stage to the destination.
    ///
    /// # Safety
    ///
    /// - As for [`drain`](ByteSink::drain).
    #[inline(never)]
    unsafe fn finish_stage(&mut self) {
        // SAFETY: the caller's.
        unsafe {
            self.drain();
            let first = self.staged_from.max(0) as usize;
            copy_exact(self.dst.wrapping_add(first), self.target.add(first), self.at - first);
        }
        V::fence();
    }

    /// Whether a gap is one that is written with the cells around it.
    #[inline(always)]
    fn is_short(&self, gap: usize) -> bool {
        let step = self.fill.step();
        !self.filled && (gap <= BLOCK && step > 0 || gap <= SHORT && step == BLOCK)
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

    #[inline(always)]
    fn prefetch(&self, from: isize, atoms: usize) {
        let src = self.src.wrapping_offset(from);
        // What follows the loop of a long run fetches itself.
        let atoms = atoms.min(AHEAD);
        for line in (0..atoms + LINE).step_by(LINE) {
            prefetch(src.wrapping_add(line.min(atoms)));
        }
    }

    #[inline(never)]
    unsafe fn copy(&mut self, from: isize, atoms: usize) {
        // SAFETY: the caller's bounds; the short loop ends less than a register further, for which there is room.
        unsafe {
            let src = self.source(from, atoms);
            if atoms > self.most {
                return self.stream(src, atoms);
            }
            let dst = self.advance(atoms);
            let can_overshoot = self.can_spill()
                && planted!(
                    "overshoot-of-the-source",
                    self.src_len - (from as usize + atoms) >= OVERSHOOT,
                    true
                );
            if atoms > SHORT && can_overshoot {
                copy_aligned::<V::Register>(src, dst, atoms);
            } else if atoms <= SHORT && can_overshoot {
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
        if bytes > self.most {
            let most = self.most.checked_div(unit).filter(|&most| most > 0);
            for done in (0..units).step_by(most.unwrap_or(1)) {
                let from = from - (done * unit) as isize;
                // SAFETY: a part of what the caller vouches for.
                unsafe {
                    match most {
                        Some(most) => self.reverse(from, most.min(units - done)),
                        None => self.copy(from, unit),
                    }
                }
            }
            return;
        }
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
        if bytes > self.most {
            let most = self.most.checked_div(unit).filter(|&most| most > 0);
            for done in (0..units).step_by(most.unwrap_or(1)) {
                // SAFETY: a part of what the caller vouches for.
                unsafe {
                    match most {
                        Some(most) => self.hold(from, most.min(units - done)),
                        None => self.copy(from, unit),
                    }
                }
            }
            return;
        }
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
        debug_assert!(self.stage.is_null(), "plans that scatter do not stream");
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

    #[inline(always)]
    unsafe fn cells(&mut self, grid: &Grid) {
        let &Grid { from, cells, stride, atoms, gap, lines, line_stride, line_gap } = grid;
        // SAFETY: the caller's bounds.
        unsafe {
            if cells == 1 {
                self.line(from, line_stride, lines, atoms, line_gap);
            } else if lines == 1 {
                self.line(from, stride, cells, atoms, gap);
            } else {
                self.grid(grid);
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
        let body = parts.body.units * unit;
        if unit > V::SHUFFLED {
            return 0;
        }
        // All parts lie within the row's source, from its lowest unit to behind its highest.
        let used = parts.end as usize * unit;
        let body_from = parts.body.from as isize * unit as isize;
        let mut done = 0;
        while done < count {
            let from = src + done as isize * step;
            let room = self.rows_with_room(count - done, (atoms, 0), from, used, step);
            // SAFETY: the caller's bounds; the overshoot stays within both buffers for so many rows. The shuffles are
            // those of the innermost axis, which stays the same for as long as a sink lives.
            unsafe {
                if room == 0 {
                    if self.drained() {
                        continue;
                    }
                    break;
                }
                let rows = BorderedRows {
                    src: self.src.offset(from),
                    stride: step,
                    dst: self.advance(room * atoms),
                    count: room,
                    body_from,
                    body,
                    shuffles: self.shuffles.get_or_insert_with(|| {
                        [parts.head, parts.tail].map(|part| {
                            // The register of an empty border is read where the body is.
                            let from =
                                if part.units == 0 { body_from } else { part.from as isize * unit as isize };
                            let stride = part.direction as isize * unit as isize;
                            Shuffle::new(Border { from, stride, units: part.units }, unit, V::SHUFFLED)
                        })
                    }),
                };
                V::bordered(&rows);
            }
            done += room;
        }
        done
    }

    #[inline(always)]
    unsafe fn finish(&mut self) {
        // SAFETY: the fill was noted for bytes within the destination. What the stage still holds begins a line.
        unsafe {
            self.flush();
            if !self.stage.is_null() {
                self.finish_stage();
            }
        }
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
