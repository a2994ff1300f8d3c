//! Planes: rows with fill between them, of a few registers each, and planes that follow each other.

use super::moves::{Batch, fill_bytes, is_readable, rows};
use super::run::{is_within, readable};
use super::{Bodies, Move, Program, Run, Shells};
use crate::kernel::memory::{OVERSHOOT, SHORT, copy_of, fill_exact, get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Simd};
use crate::plan::pattern::BLOCK;

/// The most registers of a body that [`short_rows`] copies.
const REGISTERS: usize = 8;

/// Fill of up to so many bytes is written as a word: a register of it is in two lines more often. 76 planes of 28 by 28 halves with gaps of
/// two took 6.2 us with registers and 4.3 so (Zen 3, AVX2).
const WORD: usize = 8;

/// So is fill of up to so many bytes, by a store of two words: 90 drawn shapes with rows of 32 to 256 bytes and 9 to 16 of fill took 0.96 of the
/// time that they take with registers of 32 bytes (0.73 to 1.1; Zen 3, AVX2).
const WORDS: usize = 2 * WORD;
const LONGER: usize = WORD + 1;

/// The most fill between rows that [`short_rows`] writes.
const MOST_FILL: usize = 4 * LINE;

/// The most runs of rows of a plane: the source is one, and so is each border that is no longer. There may be fill around each.
pub(in crate::kernel) const MOST_RUNS: usize = 4;

/// More fill than a register.
const MORE: usize = 2 * LINE;

/// Whether [`short_rows`] writes rows of these bodies with fill between them. 51 rows of 148 bytes and 102 of fill took 308 ns by it,
/// and 456 as longer ones (EPYC with AVX2). Where lines are told of, more than two lines are, whose stores are aligned then: rows of 150 and 200
/// bytes, 32 KiB to 16 MB of them, took 0.7 to 0.9 of the time so (Cascade Lake).
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

/// Bodies of a few registers, as many for each, and fill: loops without a branch but their own, unless there is more of it than two
/// registers. What is filled spills into the body that follows, which is written later. So are the `between` bytes of fill behind
/// every block but the last.
///
/// # Safety
///
/// - As for [`run_move`](super::run_move), for bodies and gaps that [are short](are_short), or shorter: of these a register is readable
///   and writable at every body.
/// - If there is fill between blocks, they follow each other in the output, and these bytes with it.
#[inline(always)]
pub(in crate::kernel) unsafe fn short_rows<S: Simd>(
    sheet: &Sheet<'_>,
    blocks: &Batch,
    rows: &Bodies,
    between: usize,
) {
    let Bodies { body, gap, .. } = *rows;
    let register = size_of::<S::Register>();
    // SAFETY: the caller's, and each arm is for as many registers as there are.
    unsafe {
        seq_macro::seq!(N in 1..=8 {
            const { assert!(REGISTERS == 8) };
            match (body.div_ceil(register), gap) {
                #((N, 0) => rows_of::<S, N, 0>(sheet, blocks, rows, between),)*
                #((N, 1..=WORD) if const { size_of::<S::Register>() > 2 * WORD } => rows_of::<S, N, WORD>(sheet, blocks, rows, between),)*
                #((N, LONGER..=WORDS) if const { size_of::<S::Register>() > WORDS } => rows_of::<S, N, WORDS>(sheet, blocks, rows, between),)*
                #((N, _) if gap <= register => rows_of::<S, N, LINE>(sheet, blocks, rows, between),)*
                #((N, _) => rows_of::<S, N, MORE>(sheet, blocks, rows, between),)*
                _ => debug_assert!(false, "longer"),
            }
        });
    }
}

/// Writes rows with bodies of `N` registers, the last of which may begin within the one before, and of no fill, a [`WORD`] of it, a register
/// or [`MORE`], as `FILLED` says. The machine is told of every line: of the first one alone planes of rows of 66 to 192 bytes took 1.1 to 1.9
/// times as long (60 KB to 12 MB; Cascade Lake). A body of less than a register is followed by one more, or by as much that is written later.
///
/// # Safety
///
/// - As for [`short_rows`].
#[inline(always)]
unsafe fn rows_of<S: Simd, const N: usize, const FILLED: usize>(
    sheet: &Sheet<'_>,
    blocks: &Batch,
    rows: &Bodies,
    between: usize,
) {
    let Bodies { src, step, body, dst, gap, count } = *rows;
    let register = size_of::<S::Register>();
    debug_assert!(is_room::<S>(sheet, blocks, rows, FILLED, between));
    let (fetch, last) = (sheet.fetch::<S::Register>(), body.saturating_sub(register));
    let mut more = blocks.count;
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
                    WORDS => copy_of::<WORDS>(block, dst.add(body)),
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
            more -= 1;
            if more > 0 {
                for at in (0..between).step_by(register) {
                    put(dst.add(body + at), get::<S::Register>(block.add(at % BLOCK)));
                }
            }
        }
    }
}

/// Whether all that [`rows_of`] reads and writes lies within the sheet's.
fn is_room<S: Simd>(sheet: &Sheet<'_>, blocks: &Batch, rows: &Bodies, filled: usize, between: usize) -> bool {
    let register = size_of::<S::Register>();
    let Bodies { step, body, gap, .. } = *rows;
    let whole = body.max(register);
    let fill = if filled < register { filled } else { gap.next_multiple_of(register) };
    let last = blocks.split(blocks.count - 1).1;
    let last_rows = rows.at(last.src.wrapping_offset(rows.src), last.dst.wrapping_add(rows.dst));
    let last_row = last_rows.split(rows.count - 1).1.dst.addr();
    let mut end = last_row + whole;
    if rows.count > 1 {
        end = end.max(last_row - gap - body + whole).max(last_row - gap + fill);
    }
    if blocks.count > 1 {
        end = end.max(last_row - blocks.pitch as usize + body + between.next_multiple_of(register));
    }
    let far = |step: isize, count: usize| step.wrapping_mul(count as isize - 1);
    let ways = [far(blocks.step, blocks.count), far(step, rows.count)];
    let first = blocks.src.addr().wrapping_sub(sheet.src.addr()) as isize + rows.src;
    let low = first + ways.iter().map(|way| way.min(&0)).sum::<isize>();
    let high = first + ways.iter().map(|way| way.max(&0)).sum::<isize>() + whole as isize;
    low >= 0 && high <= sheet.src_len as isize && end <= sheet.dst.addr() + sheet.dst_len
}

/// The most bytes of fill between the rows of two planes. In one loop with as much as 3.6 KiB of it planes of 24 by 24 floats took 0.87 to
/// 0.9 of the time that they took with fill apart (Zen 3, AVX2).
const MOST_BETWEEN: usize = 16 * SHORT;

/// Fill, rows with fill between them, and fill: what planes with a border of fill are made of.
struct Plane {
    low: usize,
    rows: Bodies,
    /// Where the fill behind the rows begins, and how much of it there is.
    high: (usize, usize),
}

impl Plane {
    #[inline(always)]
    fn of(program: &Program) -> Option<Plane> {
        let (low, rows, high) = match *program.moves {
            [Move::Fill { bytes: low, .. }, Move::Interleave(rows), Move::Fill { dst, bytes: high }] => {
                (low, rows, (dst, high))
            }
            [Move::Fill { bytes: low, .. }, Move::Interleave(rows)] => (low, rows, (program.len, 0)),
            [Move::Interleave(rows), Move::Fill { dst, bytes: high }] => (0, rows, (dst, high)),
            _ => return None,
        };
        Some(Plane { low, rows, high })
    }
}

impl Program<'_> {
    /// Whether it is rows with fill between them and around, which [`run_planes`] writes if they are short.
    pub(in crate::kernel) fn is_plane(&self) -> bool {
        Plane::of(self).is_some()
    }
}

/// How many blocks of the program that follow each other may be written by [`run_planes`].
#[inline(always)]
pub(super) fn planes_at_once<S: Simd>(sheet: &Sheet<'_>, program: &Program, blocks: &Run) -> usize {
    let Some(Plane { low, rows: Bodies { body, gap, .. }, high: (_, high) }) = Plane::of(program) else {
        return 0;
    };
    let are_blocks = are_blocks(sheet);
    let are_long = body > 2 * LINE && gap <= SHORT && are_blocks;
    let whole = are_long || are_short::<S>(sheet, body, gap);
    let spill = spills::<S>(body) && program.len >= OVERSHOOT && gap <= MOST_FILL && are_blocks;
    if low + high > MOST_BETWEEN || !(whole || spill) {
        0
    } else if whole {
        blocks.count
    } else {
        // One follows, and what is read too much is there.
        readable(sheet, blocks.src, blocks.step, blocks.count - 1, program.src_overshot())
    }
}

/// Whether bodies are less than a register, of which [`short_rows`] writes each nonetheless.
#[inline(always)]
fn spills<S: Simd>(body: usize) -> bool {
    body < size_of::<S::Register>()
}

/// Whether [`short_rows`] writes all of so many rows but the last: their bodies are less than a register, and their sources begin here. The register
/// of the last but one ends with the last one, or before.
#[inline(always)]
pub(super) fn are_short_but_last<S: Simd>(sheet: &Sheet<'_>, src: *const u8, rows: &Bodies) -> bool {
    let (register, Bodies { step, body, gap, count, .. }) = (size_of::<S::Register>(), *rows);
    let fits = body > WORDS && spills::<S>(body) && (1..=MOST_FILL).contains(&gap) && count > 2;
    let whole = fits && 2 * body + gap >= register && are_blocks(sheet);
    whole && is_readable(sheet, (src, step), register, count - 1)
}

/// Blocks, [not too many](planes_at_once). 96 planes of 40 rows of 88 bytes took 14.5 us one by one and 10.3 so, 84 of 8 rows of 336 bytes
/// 9.8 and 7.2 (Zen 3, AVX2).
///
/// # Safety
///
/// - As for [`run_move`](super::run_move), for all moves of the program.
/// - Blocks have nothing between them.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_planes<S: Shells>(sheet: &Sheet<'_>, program: &Program, blocks: &Batch) {
    let Some(Plane { low, rows: bodies, high: (behind, high) }) = Plane::of(program) else { return };
    let Bodies { src, body, dst, gap, .. } = bodies;
    let between = low + high;
    // SAFETY: the caller's; what is between the first block and the last is theirs, and rows there are longer than what overshoots.
    unsafe {
        fill_exact(sheet.fill, blocks.dst, low);
        if are_short::<S>(sheet, body, gap) || spills::<S>(body) {
            S::short_rows(sheet, blocks, &bodies, between);
        } else {
            let mut left = blocks.count;
            for (from, to) in blocks.places(src, dst) {
                rows::<S>(sheet, &bodies.at(from, to), body, program.len - dst);
                left -= 1;
                if left > 0 {
                    fill_bytes::<S, false>(sheet, to.add(behind - dst), between);
                }
            }
        }
        let last = blocks.dst.wrapping_offset((blocks.count as isize - 1) * blocks.pitch);
        fill_exact(sheet.fill, last.wrapping_add(behind), high);
    }
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
