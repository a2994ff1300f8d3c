//! Short rows with fill between them, and planes that follow each other.

use super::moves::Batch;
use super::run::{is_within, readable};
use super::{Bodies, Program, Run, Shells};
use crate::kernel::memory::{copy_of, fill_exact, get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Simd};
use crate::plan::pattern::BLOCK;

/// The most registers of a body that [`short_rows`] copies.
const REGISTERS: usize = 8;

/// Fill of up to so many bytes is written as a word: a register of it is in two lines more often. 76 planes of 28 by 28 halves with gaps of
/// two took 6.2 us with registers and 4.3 so (Zen 3, AVX2).
const WORD: usize = 8;

/// The most fill between rows that [`short_rows`] writes.
const MOST_FILL: usize = 4 * LINE;

/// The most runs of rows of a plane: the source is one, and so is each border that is no longer. There may be fill around each.
pub(in crate::kernel) const MOST_RUNS: usize = 4;

/// More fill than a register.
const MORE: usize = 2 * LINE;

/// Whether [`short_rows`] writes rows of these bodies with fill between them.
///
/// Loops that prefetch leave rows of more than two lines to aligned stores: rows of 150 and 200 bytes took 0.7 to 0.9 of the time
/// (32 KiB to 16 MB; Cascade Lake).
#[inline(always)]
pub(super) fn are_short<S: Simd>(sheet: &Sheet<'_>, body: usize, gap: usize) -> bool {
    let register = size_of::<S::Register>();
    let most = if sheet.fetch::<S::Register>().is_told() { 2 * LINE } else { 8 * LINE };
    let fits = (register..=most).contains(&body) && body <= REGISTERS * register && gap <= MOST_FILL;
    fits && are_blocks(sheet)
}

/// Whether fill is written, as whole blocks.
#[inline(always)]
fn are_blocks(sheet: &Sheet<'_>) -> bool {
    !sheet.filled && sheet.fill.step() == BLOCK
}

/// Writes rows of a few registers each with fill between them.
///
/// Fill may spill into the row that follows, which is written later.
///
/// # Safety
///
/// - As for [`run_move`](super::run_move), for bodies and gaps that [are short](are_short).
#[inline(always)]
pub(in crate::kernel) unsafe fn short_rows<S: Simd>(sheet: &Sheet<'_>, blocks: &Batch, rows: &Bodies) {
    let Bodies { body, gap, .. } = *rows;
    let register = size_of::<S::Register>();
    // SAFETY: the caller's, and each arm is for as many registers as there are.
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

/// Writes rows of `N` registers, with no fill, a [`WORD`], a register or [`MORE`] between them, as `FILLED` says.
///
/// The last register of a row may begin within the one before. The loop prefetches every line: with the first line only, planes of rows of
/// 66 to 192 bytes took 1.1 to 1.9 times as long (60 KB to 12 MB; Cascade Lake).
///
/// # Safety
///
/// - As for [`short_rows`].
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
    // SAFETY: the caller's; a block is whole registers, and a body that follows fill is as long as one.
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

/// Whether all that [`rows_of`] reads and writes lies within the sheet's.
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

/// Planes next to each other: each is so many `rows` of the program, in the order of the output and with places within it, and fill around
/// them. What is between two rows of a run is alike for all runs. 256 planes of 28 by 28 floats, mirrored by 1, took 75 us run by run and
/// 27 so, 128 of 26 by 8 complex numbers 28 and 14 (Zen 3, AVX2).
///
/// # Safety
///
/// - As for [`run_program`](super::run_program), for the rows of all planes, of a nest that is sequential.
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
    // All but the last ones, which may not spill unless what is behind them is written later.
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
            // SAFETY: the caller's, and that: of the fill behind the last of these planes all is within those that follow.
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
            // SAFETY: the caller's; what is between rows and around them is the plane's.
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
        // SAFETY: as above.
        unsafe { fill_between(sheet, written, end) }
    }
}

/// # Safety
///
/// - All from the first place of the output to the other is writable.
#[inline(always)]
unsafe fn fill_between(sheet: &Sheet<'_>, from: isize, to: isize) {
    if from < to && !sheet.filled {
        // SAFETY: the caller's.
        unsafe { fill_exact(sheet.fill, sheet.dst.offset(from), (to - from) as usize) }
    }
}

/// Rows of planes, of which there is one at least.
#[derive(Clone, Copy)]
pub(super) struct Planes<'a> {
    pub(super) planes: &'a Batch,
    /// Those of each, with places within it.
    pub(super) rows: &'a [Run],
    /// Bytes of a row.
    pub(super) len: usize,
}

impl<'a> Planes<'a> {
    /// Bytes of fill behind every row but the last ones of the runs.
    #[inline(always)]
    pub(super) fn gap(&self) -> usize {
        self.rows.first().map_or(0, |rows| rows.pitch as usize - self.len)
    }

    /// Whether there is any fill around rows.
    #[inline(always)]
    pub(super) fn are_filled(&self) -> bool {
        let Batch { pitch, .. } = *self.planes;
        self.gap() > 0 || self.rows.iter().map(|rows| rows.count as isize * rows.pitch).sum::<isize>() < pitch
    }

    /// The rows of every plane, one run after the other, and how many bytes of fill there are up to the next one if each row is
    /// followed by a gap.
    #[inline(always)]
    pub(super) fn batches(self) -> Batches<'a> {
        Batches { all: self.rows, plane: *self.planes, rows: self.rows.iter() }
    }
}

/// The rows of planes that are left.
pub(super) struct Batches<'a> {
    all: &'a [Run],
    /// The first plane of those that are left.
    plane: Batch,
    /// What is left of that.
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
