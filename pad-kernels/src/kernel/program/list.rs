//! Lists the registers of a block in the order of the output. A loop over the list need not test the kind of each move.

use smallvec::SmallVec;

use super::piece::Piece;
use super::{Bodies, Lanes, Move, Program, Table};
use crate::kernel::memory::SHORT;

/// The registers of a block. If the output has several blocks, the list fits on the stack.
pub(super) type List = SmallVec<[Register; MOST_OF_A_ROW]>;

/// The maximum number of registers in a list, if the output has several blocks. Zen 4, planes of 83 by 83 floats with gaps, 21
/// registers per block: the list takes 0.54 times as long as batches of moves.
pub(super) const MOST_OF_A_ROW: usize = 32;

/// Copies of at most this many registers are listed register by register. Longer copies are one entry.
const FEW: usize = 4;

/// The maximum length in bytes of a fill that is one entry. For longer fills, libc is as fast.
///
/// Zen 3, planes of 85 by 85 floats with gaps: the list takes 0.67 times as long as batches of moves.
const LONG_FILL: usize = 128 * SHORT;

/// An entry of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Register {
    /// Fill of `bytes` bytes. If the block is the whole output, the entry is one register.
    Fill {
        dst: usize,
        bytes: usize,
    },
    Gather(Gather),
    Copy(Copied),
    /// A copy of one register of the output.
    Again(Copied),
    /// A copy of more than [`FEW`] registers.
    Long {
        src: isize,
        dst: usize,
        bytes: usize,
    },
}

/// A permutation of one or two windows of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gather {
    pub(super) src: [isize; 2],
    /// The number of bytes that the permutation needs from each window.
    pub(super) needed: [u8; 2],
    pub(super) two: bool,
    /// The number of bytes to write, or 0 for a whole register.
    pub(super) part: u8,
    /// The offset in bytes of the first window's table among all tables. The second window's table follows it.
    pub(super) table: usize,
    pub(super) dst: usize,
}

impl Gather {
    /// A permutation that writes nothing.
    pub(super) const NONE: Gather =
        Gather { src: [0; 2], needed: [0; 2], two: false, part: 0, table: 0, dst: 0 };
}

/// A copy of one register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Copied {
    pub(super) src: isize,
    pub(super) dst: usize,
}

/// The limits of reads and writes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach {
    /// Stores may exceed the end of the block, because later stores overwrite the excess. Loads may exceed the end of the needed
    /// source bytes equally far.
    Over,
    /// Stores must stay within the block, which is the whole output. The source is readable from offset `start` to offset `end`,
    /// counted from the source of the block.
    Within { start: isize, end: isize },
}

/// Builds the list of a program.
pub(super) struct Lister<'a, 'b> {
    pub(super) program: &'a mut Program<'b>,
    pub(super) lanes: Lanes,
    /// The size of an element of fill in bytes.
    element: usize,
    pub(super) reach: Reach,
    /// The maximum number of registers.
    most: usize,
    list: &'a mut List,
    /// The number of registers so far. A copy of more than [`FEW`] registers counts as one.
    count: usize,
    /// The length of the last copy that was shorter than a register, and the index of its table.
    short: Option<(usize, usize)>,
    /// The last table that was made for moved windows: the index of the original table, the distances by which the windows moved,
    /// and the index of the new table.
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

    /// Lists all moves. Returns false if a move cannot be listed, or if there are too many registers.
    pub(super) fn all(mut self) -> bool {
        (0..self.program.moves.len()).all(|i| self.add(self.program.moves[i]))
    }

    /// Lists a move. Returns false if it cannot be listed.
    fn add(&mut self, next: Move) -> bool {
        let whole = self.lanes.whole;
        let over = matches!(self.reach, Reach::Over);
        // This number may exceed the number of entries, because a fill of many registers may be one entry.
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
            // Every register must contain whole elements.
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

    /// Adds fill. If the block is the whole output, the function adds single registers that end within the block. Otherwise it
    /// adds one entry, or extends the last entry if that is fill.
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
                // The load reads the whole register if all of its bytes are readable.
                let is_whole = src[i].saturating_add(window as isize) <= end;
                needed[i] = if is_whole { window } else { needed[i] };
            }
        }
        let (needed, table) = (needed.map(|bytes| bytes as u8), table * size_of::<Table>());
        self.list.push(Register::Gather(Gather { src, needed, two, part, table, dst }));
    }

    /// Returns by how many bytes a window must begin earlier so that its whole register is readable. Returns 0 if that is impossible.
    fn over(&self, src: isize, needed: usize, (start, end): (isize, isize)) -> usize {
        let Lanes { window, grain, .. } = self.lanes;
        let over = src.saturating_add(window as isize) - end;
        let moves = needed > 0 && over > 0 && src - over >= start && over as usize + needed <= window;
        if moves && (over as usize).is_multiple_of(grain) { over as usize } else { 0 }
    }

    /// Returns the index of a table for windows that begin `over` bytes earlier. If there are `two` windows, the second table
    /// follows.
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

    /// Lists a copy that is shorter than a register as permutations, in a block that is the whole output.
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

/// Returns the table that takes the first `bytes` bytes of a window, followed by fill.
pub(super) fn run_of(lanes: Lanes, bytes: usize) -> Table {
    let mut indices = Table::NOTHING;
    Piece::run(0, lanes.grain, bytes / lanes.grain).index(&mut indices.0, 0, lanes.grain, lanes.grain);
    indices
}
