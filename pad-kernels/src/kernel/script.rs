//! Small plans as a list of moves, worked out once: for outputs of a few kilobytes setting up a loop nest takes longer
//! than all the moves.

use core::mem::MaybeUninit;

use smallvec::SmallVec;

use crate::kernel::cloned::{Piece, walk};
use crate::kernel::vector::{copy_exact, get, put};
use crate::plan::normalise::Nest;
use crate::plan::pattern::{BLOCK, Pattern};
use crate::spec::PadMode;

/// Outputs of up to this many bytes may be scripts: with a border of 1 around 1 x 500 and 2 x 240 floats they took 0.5 to 0.8 of
/// a nest's time, and 0.3 to 0.5 mirrored (Skylake).
const MOST_BYTES: usize = 8192;

/// Plans of more moves than this are loop nests. Nests of constant mode take 0.2 us to set up, for which 96 moves of 32
/// bytes or 60 of 12 are done; those of the others take 0.6 us (246 moves of 4 and 12 bytes: 0.4 us, as a nest 1.1).
const fn most_moves(mode: PadMode) -> usize {
    match mode {
        PadMode::Constant => 96,
        _ => 255,
    }
}

/// `len` bytes from `from` in the source to `to` in the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Move {
    from: u16,
    to: u16,
    len: u16,
}

impl Move {
    fn ends_at(self, from: u16, to: u16) -> bool {
        self.from.checked_add(self.len) == Some(from) && self.to.checked_add(self.len) == Some(to)
    }
}

/// Lengths that are one load and one store.
const SIZES: [u16; 6] = [1, 2, 4, 8, 16, 32];

/// All moves of a plan, in any order: none touches another's bytes. The output is fill where nothing is moved to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Script {
    moves: SmallVec<[Move; 8]>,
    /// How many of them, from the first on, are of each of [`SIZES`]. The rest are of others.
    of_size: [u8; SIZES.len()],
    /// Whether some of the output is fill.
    fills: bool,
    /// Behind the last byte that is read.
    src_end: usize,
    dst_len: usize,
}

impl Script {
    /// The script of a nest of bytes, whose output of `bytes` bytes has no holes, if it is short.
    pub(crate) fn new(nest: &Nest, fill: &Pattern, bytes: usize) -> Option<Script> {
        if bytes > MOST_BYTES || !nest.sequential || fill.step() == 0 {
            return None;
        }
        // Every row with data is a move at least: to count them is shorter than to list them.
        let outer = nest.axes.split_last().map_or(&[][..], |(_, outer)| outer);
        let rows = outer.iter().map(|axis| match nest.mode {
            // A step may be longer than memory.
            PadMode::Constant => (axis.inside().len() as i64 / axis.step()) as usize,
            _ => axis.out,
        });
        let most = most_moves(nest.mode);
        if rows.product::<usize>() > most {
            return None;
        }
        let mut script = Script {
            moves: SmallVec::new(),
            of_size: [0; SIZES.len()],
            fills: false,
            src_end: 0,
            dst_len: bytes,
        };
        let mut short = true;
        let unit = nest.unit as isize;
        walk(nest.mode)(&nest.axes, nest.src, nest.dst, &mut |piece: Piece| {
            short = short && script.add(piece, unit, most).is_some();
        });
        if !short {
            return None;
        }
        script
            .moves
            .sort_by_key(|a_move| SIZES.iter().position(|&size| size == a_move.len).unwrap_or(SIZES.len()));
        for (count, size) in script.of_size.iter_mut().zip(SIZES) {
            *count = script.moves.iter().filter(|a_move| a_move.len == size).count() as u8;
        }
        Some(script)
    }

    /// Adds a piece, as one move if its units are neighbours in the source too; `None` if the script gets too long.
    fn add(&mut self, piece: Piece, unit: isize, most: usize) -> Option<()> {
        let Piece { dst, src, src_stride, count, .. } = piece;
        let Some(src) = src else {
            self.fills = true;
            return Some(());
        };
        if planted!("script-mirror-forward", src_stride == unit, src_stride.abs() == unit) || count == 1 {
            return self.push(src, dst, unit * count as isize, most);
        }
        (0..count as isize).try_for_each(|i| self.push(src + i * src_stride, dst + i * unit, unit, most))
    }

    fn push(&mut self, from: isize, to: isize, len: isize, most: usize) -> Option<()> {
        let (from, to, len) = (u16::try_from(from).ok()?, u16::try_from(to).ok()?, u16::try_from(len).ok()?);
        self.src_end = self.src_end.max(usize::from(from) + usize::from(len));
        let full = self.moves.len() == most;
        match self.moves.last_mut() {
            Some(last) if last.ends_at(from, to) => last.len += len,
            _ if full => return None,
            _ => self.moves.push(Move { from, to, len }),
        }
        Some(())
    }

    /// How many moves.
    pub(crate) fn len(&self) -> usize {
        self.moves.len()
    }

    /// Runs it; `fill` is that of the plan.
    #[inline(always)]
    pub(super) fn run(&self, fill: &Pattern, src: &[u8], dst: &mut [MaybeUninit<u8>]) {
        assert!(src.len() >= self.src_end && dst.len() >= self.dst_len);
        let (src, dst) = (src.as_ptr(), dst.as_mut_ptr().cast::<u8>());
        // SAFETY:
        // - All moves lie within `src_end` and `dst_len` bytes, which were compared just now; a shared and an exclusive
        //   slice do not overlap.
        // - Blocks are written as far as `dst_len` bytes, the last one only in part.
        unsafe {
            if planted!("script-without-fill", self.fills, false) {
                let (len, step) = (self.dst_len, fill.step());
                let mut at = 0;
                while at + BLOCK <= len {
                    put(dst.add(at), *fill.block());
                    at += step;
                }
                copy_exact(fill.block().as_ptr(), dst.add(at), len - at);
            }
            let mut moves = &self.moves[..];
            macro_rules! of_size {
                ($($index:literal $word:ty),*) => {$(
                    let (now, rest) = moves.split_at(usize::from(self.of_size[$index]));
                    for &Move { from, to, .. } in now {
                        put(dst.add(usize::from(to)), get::<$word>(src.add(usize::from(from))));
                    }
                    moves = rest;
                )*};
            }
            of_size!(0 u8, 1 u16, 2 u32, 3 u64, 4 [u8; 16], 5 [u8; 32]);
            for &Move { from, to, len } in moves {
                copy_exact(src.add(usize::from(from)), dst.add(usize::from(to)), usize::from(len));
            }
        }
    }
}
