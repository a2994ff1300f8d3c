//! Writes short rows with fill between them, and consecutive planes. The source bytes of a row are its body, and the fill between
//! two rows is a gap. A sheet holds the memory of source and output, and the fill.

use super::moves::Batch;
use super::run::{is_within, readable};
use super::{Bodies, Program, Run, Shells};
use crate::kernel::memory::{copy_of, fill_exact, get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Simd};
use crate::plan::pattern::BLOCK;

/// The maximum number of registers in a row that [`short_rows`] copies.
const REGISTERS: usize = 8;

/// Fill of up to this number of bytes is written as one word, because a register crosses a cache line more often. Zen 3 with AVX2, rows of
/// 56 bytes with gaps of 4 bytes: words take 0.7 times as long.
const WORD: usize = 8;

/// The maximum number of bytes of fill between rows that [`short_rows`] writes.
const MOST_FILL: usize = 4 * LINE;

/// The maximum number of runs of rows in a plane. The interior is one run, and so is each border that is not longer than the input. There
/// may be fill around each run.
pub(in crate::kernel) const MOST_RUNS: usize = 4;

/// The value of `FILLED` in [`rows_of`] for gaps that are longer than a register.
const MORE: usize = 2 * LINE;

/// Tells whether [`short_rows`] writes rows of `body` bytes with `gap` bytes of fill between them.
///
/// If the call prefetches, [`short_rows`] does not write rows of more than two cache lines. Another loop writes such rows with
/// aligned stores. Cascade Lake, rows of 150 and 200 bytes: aligned stores take 0.7 to 0.9 times as long.
#[inline(always)]
pub(super) fn are_short<S: Simd>(sheet: &Sheet<'_>, body: usize, gap: usize) -> bool {
    let register = size_of::<S::Register>();
    let most = if sheet.fetch::<S::Register>().is_told() { 2 * LINE } else { 8 * LINE };
    let fits = (register..=most).contains(&body) && body <= REGISTERS * register && gap <= MOST_FILL;
    fits && are_blocks(sheet)
}

/// Tells whether this call has to write the fill, and can write it as whole blocks of 64 bytes.
#[inline(always)]
fn are_blocks(sheet: &Sheet<'_>) -> bool {
    !sheet.filled && sheet.fill.step() == BLOCK
}

/// Writes rows of a few registers each, with fill between them. The fill may exceed its gap, because the next row overwrites the excess.
///
/// # Safety
///
/// - The contract of [`run_move`](super::run_move) holds for these rows, and [`are_short`] is true for them.
#[inline(always)]
pub(in crate::kernel) unsafe fn short_rows<S: Simd>(sheet: &Sheet<'_>, blocks: &Batch, rows: &Bodies) {
    let Bodies { body, gap, .. } = *rows;
    let register = size_of::<S::Register>();
    // SAFETY: the caller keeps the contract, and the `match` takes the arm with the number of registers.
    unsafe {
        seq_macro::seq!(N in 1..=8 {
            const { assert!(REGISTERS == 8) };
            match (body.div_ceil(register), gap) {
                #((N, 0) => rows_of::<S, N, 0>(sheet, blocks, rows),)*
                #((N, 1..=WORD) if const { size_of::<S::Register>() > 2 * WORD } => rows_of::<S, N, WORD>(sheet, blocks, rows),)*
                #((N, _) if gap <= register => rows_of::<S, N, LINE>(sheet, blocks, rows),)*
                #((N, _) => rows_of::<S, N, MORE>(sheet, blocks, rows),)*
                _ => debug_assert!(false, "longer"),
            }
        });
    }
}

/// Writes rows of `N` registers. `FILLED` selects the fill between them: none, a [`WORD`], one register or [`MORE`].
///
/// The last register of a row overlaps the one before it, so that it ends with the row. The loop prefetches every cache line. Cascade Lake,
/// rows of 66 to 192 bytes: to prefetch only the first line of a row takes 1.1 to 1.9 times as long.
///
/// # Safety
///
/// - The contract of [`short_rows`] holds.
#[inline(always)]
unsafe fn rows_of<S: Simd, const N: usize, const FILLED: usize>(
    sheet: &Sheet<'_>,
    blocks: &Batch,
    rows: &Bodies,
) {
    let Bodies { src, step, body, dst, gap, count } = *rows;
    let register = size_of::<S::Register>();
    debug_assert!(is_room::<S>(sheet, blocks, rows, FILLED));
    let (fetch, last) = (sheet.fetch::<S::Register>(), body - register);
    // SAFETY: the caller keeps the contract. A block of fill consists of whole registers. A row is at least as long as a
    // register, so the fill before it does not exceed the row.
    unsafe {
        let block = sheet.fill.block().as_ptr();
        let fill = get::<S::Register>(block);
        let other = get::<S::Register>(block.add(register % BLOCK));
        for (mut src, mut dst) in blocks.places(src, dst) {
            let mut left = count;
            loop {
                for at in 1..N {
                    let at = (at - 1) * register;
                    fetch.output(dst.add(at));
                    put(dst.add(at), get::<S::Register>(src.add(at)));
                }
                fetch.output(dst.add(last));
                put(dst.add(last), get::<S::Register>(src.add(last)));
                left -= 1;
                if left == 0 {
                    break;
                }
                match FILLED {
                    0 => {}
                    WORD => copy_of::<WORD>(block, dst.add(body)),
                    _ => {
                        fetch.output(dst.add(body));
                        put(dst.add(body), fill);
                    }
                }
                if FILLED == MORE {
                    fetch.output(dst.add(body + register));
                    put(dst.add(body + register), other);
                    for at in (2 * register..gap).step_by(register) {
                        fetch.output(dst.add(body + at));
                        put(dst.add(body + at), get::<S::Register>(block.add(at % BLOCK)));
                    }
                }
                src = src.wrapping_offset(step);
                dst = dst.wrapping_add(body + gap);
            }
        }
    }
}

/// Tells whether everything that [`rows_of`] reads and writes lies within the source and the output of the sheet.
fn is_room<S: Simd>(sheet: &Sheet<'_>, blocks: &Batch, rows: &Bodies, filled: usize) -> bool {
    let register = size_of::<S::Register>();
    let Bodies { step, body, gap, .. } = *rows;
    let fill = if filled < register { filled } else { gap.next_multiple_of(register) };
    let last = blocks.split(blocks.count - 1).1;
    let last_rows = rows.at(last.src.wrapping_offset(rows.src), last.dst.wrapping_add(rows.dst));
    let last_row = last_rows.split(rows.count - 1).1.dst.addr();
    let mut end = last_row + body;
    if rows.count > 1 {
        end = end.max(last_row - gap + fill);
    }
    let far = |step: isize, count: usize| step.wrapping_mul(count as isize - 1);
    let ways = [far(blocks.step, blocks.count), far(step, rows.count)];
    let first = blocks.src.addr().wrapping_sub(sheet.src.addr()) as isize + rows.src;
    let low = first + ways.iter().map(|way| way.min(&0)).sum::<isize>();
    let high = first + ways.iter().map(|way| way.max(&0)).sum::<isize>() + body as isize;
    low >= 0 && high <= sheet.src_len as isize && end <= sheet.dst.addr() + sheet.dst_len
}

/// Writes consecutive planes. Each plane consists of some runs of rows, which the program writes, and of fill around them. `rows`
/// lists the runs in the order of the output, with offsets from the start of the plane. The fill between two rows is equally long
/// in all runs.
///
/// Zen 3 with AVX2, small mirrored planes: this function takes 0.4 to 0.5 times as long as writing the runs one by one.
///
/// # Safety
///
/// - The contract of [`run_program`](super::run_program) holds for the rows of all planes, and the nest runs sequentially.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_planes_of_rows<S: Shells>(
    sheet: &Sheet<'_>,
    program: &Program,
    rows: &[Run],
    planes: Run,
) {
    let Run { src, step, dst, pitch, count } = planes;
    debug_assert!(rows.iter().all(|rows| {
        [0, count as isize - 1].iter().all(|&plane| is_within(sheet, program, rows.of_plane(&planes, plane)))
    }));
    let Some(first) = rows.first() else { return };
    let gap = first.pitch as usize - program.len;
    // The stores of the first `done` planes may exceed the end of their plane, because the next planes overwrite the excess. The
    // last planes are among the first `done` only if later calls write the bytes after the last plane.
    let mut done = 0;
    let from = sheet.src.wrapping_offset(src);
    let mut batch = Batch { src: from, step, dst: sheet.dst.wrapping_offset(dst), pitch, count };
    if !(sheet.exact || sheet.filled && program.is_rows()) {
        let is_filled = Planes { planes: &batch, rows, len: program.len }.are_filled();
        let end = dst + count as isize * pitch + program.spilled() as isize;
        let spills = !sheet.filled && !is_filled && end <= sheet.dst_len as isize;
        let over = first.dst as usize + gap + program.spilled();
        let last = if spills { 0 } else { over.div_ceil((pitch as usize).max(1)) };
        let high = rows.iter().map(|rows| rows.src + (rows.count as isize - 1) * rows.step.max(0)).max();
        let over = program.src_rows.saturating_add(high.unwrap_or(0));
        done = readable(sheet, src, step, count.saturating_sub(last), over);
        if done > 0 {
            batch.count = done;
            // SAFETY: the caller keeps the contract. The fill after the last of these planes lies within the planes that follow.
            unsafe {
                fill_between(sheet, dst, dst + first.dst);
                if program.is_rows() {
                    S::run_rows(sheet, program, &batch, rows);
                } else {
                    S::run_bordered(sheet, program, &batch, rows);
                }
            }
        }
    }
    for plane in done as isize..count as isize {
        let mut written = dst + plane * pitch;
        let end = written + pitch;
        for rows in rows.iter().map(|rows| rows.of_plane(&planes, plane)) {
            // SAFETY: the caller keeps the contract. The bytes between and around the rows belong to the plane.
            unsafe {
                S::run_program(sheet, program, rows);
                if gap == 0 {
                    fill_between(sheet, written, rows.dst);
                    written = rows.dst + rows.count as isize * rows.pitch;
                    continue;
                }
                for row in 0..rows.count as isize {
                    let at = rows.dst + row * rows.pitch;
                    fill_between(sheet, written, at);
                    written = at + program.len as isize;
                }
            }
        }
        // SAFETY: the caller keeps the contract. The rest of the plane is fill.
        unsafe { fill_between(sheet, written, end) }
    }
}

/// Writes fill from offset `from` up to offset `to` of the output, unless the output already contains the fill.
///
/// # Safety
///
/// - All output bytes from offset `from` up to offset `to` are writable.
#[inline(always)]
unsafe fn fill_between(sheet: &Sheet<'_>, from: isize, to: isize) {
    if from < to && !sheet.filled {
        // SAFETY: the caller keeps the contract.
        unsafe { fill_exact(sheet.fill, sheet.dst.offset(from), (to - from) as usize) }
    }
}

/// One or more planes, and their rows.
#[derive(Clone, Copy)]
pub(super) struct Planes<'a> {
    pub(super) planes: &'a Batch,
    /// The runs of rows in each plane. Their offsets count from the start of the plane.
    pub(super) rows: &'a [Run],
    /// The size of a row in bytes.
    pub(super) len: usize,
}

impl<'a> Planes<'a> {
    /// Returns the number of bytes of fill between two rows of a run.
    #[inline(always)]
    pub(super) fn gap(&self) -> usize {
        self.rows.first().map_or(0, |rows| rows.pitch as usize - self.len)
    }

    /// Tells whether there is any fill around rows.
    #[inline(always)]
    pub(super) fn are_filled(&self) -> bool {
        let Batch { pitch, .. } = *self.planes;
        self.gap() > 0 || self.rows.iter().map(|rows| rows.count as isize * rows.pitch).sum::<isize>() < pitch
    }

    /// Iterates over the runs of all planes, one after the other. The second part of an item is the number of bytes of fill
    /// between the run and the next run. The gap after the last row of a run does not count, because it belongs to the row.
    #[inline(always)]
    pub(super) fn batches(self) -> Batches<'a> {
        Batches { all: self.rows, plane: *self.planes, rows: self.rows.iter() }
    }
}

/// The runs of rows that are left.
pub(super) struct Batches<'a> {
    all: &'a [Run],
    /// The planes that are left, including the current one.
    plane: Batch,
    /// The runs that are left in the current plane.
    rows: core::slice::Iter<'a, Run>,
}

impl Iterator for Batches<'_> {
    type Item = (Batch, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<(Batch, usize)> {
        loop {
            if let Some(&Run { src, step, dst, pitch, count }) = self.rows.next() {
                let end = dst + count as isize * pitch;
                let next = match self.rows.as_slice().first() {
                    Some(next) => next.dst,
                    None => self.plane.pitch + self.all[0].dst,
                };
                let (src, dst) = (self.plane.src.wrapping_offset(src), self.plane.dst.wrapping_offset(dst));
                return Some((Batch { src, step, dst, pitch, count }, (next - end).max(0) as usize));
            }
            if self.plane.count <= 1 {
                return None;
            }
            self.plane.count -= 1;
            self.plane.src = self.plane.src.wrapping_offset(self.plane.step);
            self.plane.dst = self.plane.dst.wrapping_offset(self.plane.pitch);
            self.rows = self.all.iter();
        }
    }
}
