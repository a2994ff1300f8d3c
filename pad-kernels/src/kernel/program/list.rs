//! Moves as a list of registers, in the order of the output.

use smallvec::SmallVec;

use super::piece::Piece;
use super::{Bodies, Lanes, Move, Program, Table};
use crate::kernel::memory::SHORT;

/// Registers of a block, with room for those of one of several blocks.
pub(super) type List = SmallVec<[Register; MOST_OF_A_ROW]>;

/// The most registers of one of several blocks. 256 planes of 83 by 83 floats with gaps, whose blocks are 21 of them, took 1.45 ms and
/// 2.7 in batches (Zen 4).
pub(super) const MOST_OF_A_ROW: usize = 32;

/// Copies of up to so many registers are listed as such where a longer one can be listed whole.
const FEW: usize = 4;

/// The longest fill that counts as one register, as it has a loop of its own: 96 planes of 85 by 85 floats with gaps, whose blocks are
/// 22 registers and as much fill, took 620 us in batches and 418 so; 181 rows of 7 floats and 2.5 KiB of fill twice as long by moves (Zen
/// 3, AVX2). From so many bytes on libc is as fast.
const LONG_FILL: usize = 128 * SHORT;

/// A register of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Register {
    /// So many bytes of fill, of one register if they are within a block that is all there is.
    Fill {
        dst: usize,
        bytes: usize,
    },
    Gather(Gather),
    Copy(Copied),
    /// One of the output that is there already.
    Again(Copied),
    /// Neighbours of more than [`FEW`] registers.
    Long {
        src: isize,
        dst: usize,
        bytes: usize,
    },
}

/// A permutation of one window of the source or of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gather {
    pub(super) src: [isize; 2],
    /// Bytes that are needed of each.
    pub(super) needed: [u8; 2],
    pub(super) two: bool,
    /// Bytes that are written if these are not a whole register, or 0.
    pub(super) part: u8,
    /// The first table's place among all, in bytes; the second one follows it.
    pub(super) table: usize,
    pub(super) dst: usize,
}

impl Gather {
    /// One of which nothing is written.
    pub(super) const NONE: Gather =
        Gather { src: [0; 2], needed: [0; 2], two: false, part: 0, table: 0, dst: 0 };
}

/// A register as it is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Copied {
    pub(super) src: isize,
    pub(super) dst: usize,
}

/// How far registers may reach.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach {
    /// Over the end of the block, into what is written later. Sources are readable so far, too.
    Over,
    /// Within a block that is all there is. Its source is readable from `start` to `end`, behind its place.
    Within { start: isize, end: isize },
}

/// Lists the registers of a program.
pub(super) struct Lister<'a, 'b> {
    pub(super) program: &'a mut Program<'b>,
    pub(super) lanes: Lanes,
    /// Bytes of an element of fill.
    element: usize,
    pub(super) reach: Reach,
    /// The most registers that are listed.
    most: usize,
    list: &'a mut List,
    /// How many there are, but that copies of more than [`FEW`] count as one.
    count: usize,
    /// The last copy of less than a register: its bytes and its table.
    short: Option<(usize, usize)>,
    /// The last table for windows that begin before their own: which, how far, and where it is.
    shifted: Option<((usize, [usize; 2]), usize)>,
}

impl<'a, 'b> Lister<'a, 'b> {
    pub(super) fn new(
        program: &'a mut Program<'b>,
        lanes: Lanes,
        element: usize,
        reach: Reach,
        (list, most): (&'a mut List, usize),
    ) -> Self {
        Lister { program, lanes, element, reach, most, list, count: 0, short: None, shifted: None }
    }

    /// Adds the registers of all moves, and tells whether they are nothing else and not too many.
    pub(super) fn all(mut self) -> bool {
        (0..self.program.moves.len()).all(|i| self.add(self.program.moves[i]))
    }

    /// Adds a move, and tells whether that can be.
    fn add(&mut self, next: Move) -> bool {
        let whole = self.lanes.whole;
        let over = matches!(self.reach, Reach::Over);
        // Fill may be longer than memory.
        let registers = match next {
            Move::Copy { bytes, .. } if bytes > FEW * whole => 1,
            Move::Fill { bytes, .. } if over && (FEW * whole..=LONG_FILL).contains(&bytes) => 1,
            Move::Copy { bytes, .. } | Move::Fill { bytes, .. } | Move::Again { bytes, .. } => {
                bytes.div_ceil(whole)
            }
            _ => next.steps(),
        };
        if registers > self.most - self.count {
            return false;
        }
        if !matches!(next, Move::Interleave(_)) {
            self.count += registers;
        }
        match next {
            Move::Copy { src, dst, bytes } if bytes > FEW * whole => {
                self.list.push(Register::Long { src, dst, bytes });
                true
            }
            Move::Copy { src, dst, bytes } if over || bytes >= whole => {
                for at in (0..bytes).step_by(whole) {
                    let at = if over { at } else { at.min(bytes - whole) };
                    self.list.push(Register::Copy(Copied { src: src + at as isize, dst: dst + at }));
                }
                true
            }
            Move::Copy { src, dst, bytes } => self.short_copy(src, dst, bytes),
            Move::Again { from, dst, bytes } if (whole..=dst - from).contains(&bytes) => {
                let last = if over { bytes } else { bytes - whole };
                let places = (0..bytes).step_by(whole).map(|at| at.min(last));
                let copied = places.map(|at| Copied { src: (from + at) as isize, dst: dst + at });
                self.list.extend(copied.map(Register::Again));
                true
            }
            // Elements are whole in every register.
            Move::Fill { dst, bytes }
                if self.lanes.window.is_multiple_of(self.element) && (over || self.program.len >= whole) =>
            {
                self.fill(dst, bytes);
                true
            }
            Move::Interleave(Bodies { src, step, body, dst, gap, count }) => (0..count).all(|i| {
                let (src, dst) = (src + i as isize * step, dst + i * (body + gap));
                let between = Move::Fill { dst: dst + body, bytes: gap };
                self.add(Move::Copy { src, dst, bytes: body }) && (i + 1 == count || self.add(between))
            }),
            Move::Gather { .. } | Move::GatherTwo { .. } | Move::Permute { .. } => {
                let Some((windows, step, table, dst, bytes, count)) = next.permutation() else {
                    return false;
                };
                for i in 0..count {
                    let far = i as isize * step;
                    let src = windows.map(|window| window.src + far);
                    self.gather(src, windows.map(|window| window.bytes), table, (dst + i * bytes, bytes));
                }
                true
            }
            _ => false,
        }
    }

    /// Adds fill: to what is fill already if something is, or within a block as registers that end with it at the latest.
    fn fill(&mut self, dst: usize, bytes: usize) {
        match (self.reach, self.list.last_mut()) {
            (Reach::Over, Some(Register::Fill { bytes: before, .. })) => *before += bytes,
            (Reach::Over, _) => self.list.push(Register::Fill { dst, bytes }),
            (Reach::Within { .. }, _) => {
                let whole = self.lanes.whole;
                let last = self.program.len - whole;
                let fill = |at: usize| Register::Fill { dst: (dst + at).min(last), bytes: whole };
                self.list.extend((0..bytes).step_by(whole).map(fill));
            }
        }
    }

    fn gather(
        &mut self,
        mut src: [isize; 2],
        needed: [usize; 2],
        table: usize,
        (dst, bytes): (usize, usize),
    ) {
        let two = needed[1] > 0;
        if !two && self.program.tables[table] == Table::NOTHING && matches!(self.reach, Reach::Over) {
            return self.fill(dst, bytes);
        }
        debug_assert!(table + usize::from(two) < self.program.tables.len());
        let (window, mut needed, mut table) = (self.lanes.window, needed, table);
        let ends = matches!(self.reach, Reach::Within { .. }) && dst + window > self.program.len;
        let part = if ends { bytes as u8 } else { 0 };
        if let Reach::Within { start, end } = self.reach {
            let over = [0, 1].map(|i| self.over(src[i], needed[i], (start, end)));
            if over != [0; 2] {
                table = self.shifted(table, two, over);
            }
            for i in 0..1 + usize::from(two) {
                src[i] -= over[i] as isize;
                // What is readable whole is read whole.
                let is_whole = src[i].saturating_add(window as isize) <= end;
                needed[i] = if is_whole { window } else { needed[i] };
            }
        }
        let (needed, table) = (needed.map(|bytes| bytes as u8), table * size_of::<Table>());
        self.list.push(Register::Gather(Gather { src, needed, two, part, table, dst }));
    }

    /// How far a window of which so much is needed is moved to be readable whole, or 0 if it cannot be.
    fn over(&self, src: isize, needed: usize, (start, end): (isize, isize)) -> usize {
        let Lanes { window, grain, .. } = self.lanes;
        let over = src.saturating_add(window as isize) - end;
        let moves = needed > 0 && over > 0 && src - over >= start && over as usize + needed <= window;
        if moves && (over as usize).is_multiple_of(grain) { over as usize } else { 0 }
    }

    /// The place of a table, of two if it is of `two` windows, for windows that begin so much before.
    fn shifted(&mut self, table: usize, two: bool, over: [usize; 2]) -> usize {
        let what = (table, over);
        if let Some((last, at)) = self.shifted
            && last == what
        {
            return at;
        }
        let (at, grain) = (self.program.tables.len(), self.lanes.grain);
        for (i, by) in over.into_iter().enumerate().take(1 + usize::from(two)) {
            let mut next = self.program.tables[table + i];
            next.shift(by, grain);
            self.program.tables.push(next);
        }
        self.shifted = Some((what, at));
        at
    }

    /// A copy of less than a register within a block: as many as it takes of those that are permuted.
    fn short_copy(&mut self, mut src: isize, mut dst: usize, mut bytes: usize) -> bool {
        let Lanes { window, grain, .. } = self.lanes;
        if !bytes.is_multiple_of(grain) {
            return false;
        }
        while bytes > 0 {
            let now = bytes.min(window);
            let table = match self.short {
                Some((bytes, table)) if bytes == now => table,
                _ => {
                    let table = self.program.tables.len();
                    self.program.tables.push(run_of(self.lanes, now));
                    self.short = Some((now, table));
                    table
                }
            };
            self.gather([src; 2], [now, 0], table, (dst, now));
            (src, dst, bytes) = (src + now as isize, dst + now, bytes - now);
        }
        true
    }
}

/// The table of a permutation that takes the first `bytes` bytes of a window, and then fill.
pub(super) fn run_of(lanes: Lanes, bytes: usize) -> Table {
    let mut indices = Table::NOTHING;
    Piece::run(0, lanes.grain, bytes / lanes.grain).index(&mut indices.0, 0, lanes.grain, lanes.grain);
    indices
}
