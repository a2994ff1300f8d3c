//! Writes consecutive blocks that consist of a few registers each.
//!
//! The blocks are written one after the other, and the registers of a block in the order of the output. The store of a register
//! may exceed the needed bytes, because the next register or block overwrites the excess. Each cache line of the output is
//! complete before the next one is begun. Zen 4: this takes 0.4 to 0.8 times as long as to run each move for several blocks.

use super::entries::Entries;
use super::list::{Copied, Gather, List, Lister, MOST_OF_A_ROW, Reach, Register, run_of};
use super::moves::Batch;
use super::permute::gathered;
use super::planes::Planes;
use super::{Lanes, Move, Program, Run, Shells, Table};
use crate::kernel::memory::{Fetch, Filling, OVERSHOOT, fill_exact, get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Permute};
use crate::plan::pattern::Pattern;

/// There is an unrolled loop for each number of registers per block, up to this number. With loops for more registers, the
/// compiler would spill registers in the shorter loops. Zen 4, rows of 11 bfloat16 numbers: with loops for up to 16 registers,
/// they take 1.3 times as long.
const MOST_UNROLLED: usize = 12;

/// Loops for at most this number of registers copy the offsets of the list to local variables. If the offsets stay behind a
/// reference, any store could change them, so the CPU loads them again. Zen 4: with the copies, rows of two registers take 0.8
/// times as long, and planes of more registers 1.6 times as long.
const MOST_KEPT: usize = 4;

/// Describes a block that consists of `before` bytes of fill, the permutations in the program's list `gathers`, and fill at the
/// end. `behind` is the offset and the size of the fill at the end. The source bytes that a permutation loads as one register are
/// called a window. If `two` is true, some permutations have two windows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    before: usize,
    behind: (usize, usize),
    two: bool,
}

impl Program<'_> {
    /// Lists the registers of a program that writes several blocks, if the list is the fastest way. If `once` is true, the
    /// function must not allocate, so the new tables must fit the space that the program has borrowed.
    pub(in crate::kernel) fn list_rows(&mut self, lanes: Lanes, element: usize, once: bool) {
        let is_any = |is: fn(&Move) -> bool| self.moves.iter().any(is);
        let copies = self.copies();
        let permutes = is_any(|next| next.permutation().is_some());
        // Copies with borders, strided rows and single moves have loops of their own. If a short block has several moves per border,
        // permutations are faster than these loops. Zen 3 with AVX2, wrapped rows of 8 complex numbers: they take 0.6 times as long.
        let few = lanes.window < LINE && self.moves.len() > 3 && self.len <= MOST_UNROLLED * lanes.window;
        let own = self.moves.len() == 1 || copies && self.is_bordered() && !few;
        // Permutations of single bytes in registers of half a cache line take seven instructions, so this file has no loops for
        // them.
        if lanes.window == 0 || own || !(permutes && lanes.are_wide()) {
            return;
        }
        let mut all = List::new();
        if !Lister::new(self, lanes, element, Reach::Over, (&mut all, MOST_OF_A_ROW)).all() {
            return;
        }
        let room = if once { self.tables.free() } else { usize::MAX };
        self.gather_rows(lanes, &all, room);
        // Listed copies load whole registers, so they read more of the source.
        if self.is_rows() {
            self.src_rows = self.src_overshot();
        }
    }

    /// Tells whether [`run_rows`] runs consecutive blocks of the program.
    #[inline(always)]
    pub(in crate::kernel) fn is_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// Returns the number of bytes of fill at the start of a block.
    #[inline(always)]
    pub(super) fn before(&self) -> usize {
        self.rows.as_ref().map_or(0, |rows| rows.before)
    }

    /// Returns the maximum number of bytes that the last block writes beyond its end.
    #[inline(always)]
    pub(super) fn spilled(&self) -> usize {
        self.before() + OVERSHOOT
    }

    /// Lists all registers as permutations, except for the fill at both ends. If there are more than `room` additional tables,
    /// the function lists nothing.
    fn gather_rows(&mut self, lanes: Lanes, all: &[Register], room: usize) {
        let gather =
            |register: Register| if let Register::Gather(gather) = register { Some(gather) } else { None };
        let (before, rest) = match *all {
            [Register::Fill { bytes, .. }, ref rest @ ..] => (bytes, rest),
            _ => (0, all),
        };
        let (behind, body) = match *rest {
            [ref body @ .., Register::Fill { dst, bytes }] => ((dst, bytes), body),
            _ => ((0, 0), rest),
        };
        let each = || body.iter().copied();
        // A register of fill becomes a permutation, too. This permutation loads a window but takes no byte of it, so it can load
        // the window of any other permutation.
        let Some(any) = each().find_map(gather) else { return };
        let two = each().any(|register| gather(register).is_some_and(|gather| gather.two));
        // Returns the number of registers of an entry. For an entry that cannot be listed, returns a number above the limit of
        // the test below, which then refuses the list.
        let count = |register: Register| match register {
            Register::Fill { bytes, .. } => bytes.div_ceil(lanes.window),
            Register::Again(_) | Register::Long { .. } => MOST_OF_A_ROW,
            Register::Gather(_) | Register::Copy(_) => 1,
        };
        let all: usize = each().map(count).sum();
        let others: usize = each().filter(|&register| gather(register).is_none()).map(count).sum();
        // The loop for longer lists supports only single windows, and other loops write long fill faster.
        let many = all > MOST_UNROLLED && (two || each().any(|register| count(register) > 1));
        if many || others > room {
            return;
        }
        self.rows = Some(Rows { before, behind, two });
        let Program { gathers, tables, .. } = self;
        let of = |tables: &mut Entries<'_, Table>, src: isize, dst: usize, table: Table| {
            let at = tables.len() * size_of::<Table>();
            tables.push(table);
            Gather { src: [src; 2], table: at, dst, two: false, ..any }
        };
        for register in each() {
            match register {
                Register::Gather(gather) => gathers.push(gather),
                Register::Copy(Copied { src, dst }) => {
                    gathers.push(of(tables, src, dst, run_of(lanes, lanes.window)));
                }
                Register::Fill { dst, bytes } => {
                    let fill = (0..bytes).step_by(lanes.window);
                    for at in fill {
                        gathers.push(of(tables, any.src[0], dst + at, Table::NOTHING));
                    }
                }
                Register::Again(_) | Register::Long { .. } => {
                    unreachable!("asked above")
                }
            }
        }
    }
}

/// Runs a program whose registers are listed, for all blocks of some planes. The function also writes the fill around the blocks.
/// The stores of a block may exceed its end.
///
/// # Safety
///
/// - The contract of [`run_bordered`](super::run_bordered) holds, except that there may be fill around blocks. After the last
///   plane, this function also writes fill up to the first row of the next plane, and that row's fill at its start.
#[inline(always)]
pub(in crate::kernel) unsafe fn run_rows<S: Shells>(
    sheet: &Sheet<'_>,
    program: &Program,
    planes: &Batch,
    rows: &[Run],
) {
    let planes = Planes { planes, rows, len: program.len };
    let tables: *const u8 = program.tables.as_ptr().cast();
    let filled = Filled::new::<S>(sheet, program.before());
    // SAFETY: the caller keeps the contract, and the `match` takes the arm with the number of registers.
    unsafe {
        // Programs list only wide permutations of one or two instructions, which this instruction set does not have.
        if const { <S::Wide as Permute>::BYTES != LINE && <S::Wide as Permute>::GRAIN == 1 } {
            unreachable!("they are not listed");
        }
        let Some(Rows { before, behind, two }) = &program.rows else { return };
        let gathers = &*program.gathers;
        // After each block, the loop writes the fill at its end, the fill between the blocks, and the fill at the start of the
        // next block. The code before the loop writes the fill at the start of the first block.
        let end = if behind.1 > 0 { behind.0 } else { planes.len };
        let list = (gathers, (end, behind.1 + planes.gap() + before));
        let is_filled = *before + behind.1 > 0 || planes.are_filled();
        if *before > 0
            && let Some((rows, _)) = planes.batches().next()
        {
            fill_exact(sheet.fill, rows.dst, *before);
        }
        seq_macro::seq!(N in 1..=12 {
            const { assert!(MOST_UNROLLED == 12) };
            match (gathers.len(), two, is_filled) {
                #((N, false, false) => unrolled::<S, S::Wide, N, false, false>(list, tables, &filled, planes),)*
                #((N, false, _) => unrolled::<S, S::Wide, N, false, true>(list, tables, &filled, planes),)*
                #((N, true, _) => unrolled::<S, S::Wide, N, true, true>(list, tables, &filled, planes),)*
                _ => each::<S, S::Wide>(list, tables, &filled, planes),
            }
        });
    }
}

/// Writes blocks of `N` registers and, if `FILLED` is true, the fill around them. The tables stay in registers. If `TWO` is true,
/// some permutations have two windows, and a branch for each permutation tests whether it has two.
///
/// Zen 4, rows of two registers: they take 0.75 times as long if `FILLED` is false and the code for fill is left out. Xeon with
/// AMX, rows of 31 bytes: a loop over any number of registers takes 1.8 times as long.
///
/// # Safety
///
/// - The contract of [`run_rows`] holds. The list has `N` permutations of type `P`, and `tables` are the program's tables.
#[inline(always)]
unsafe fn unrolled<S: Shells, P: Permute, const N: usize, const TWO: bool, const FILLED: bool>(
    (gathers, (end, behind)): (&[Gather], (usize, usize)),
    tables: *const u8,
    filled: &Filled<'_>,
    planes: Planes<'_>,
) {
    let Some(gathers) = gathers.first_chunk::<N>() else { return };
    let kept = *gathers;
    let fetch = filled.fetch;
    // SAFETY: the block of fill is as long as a register.
    let base = unsafe { get::<P::Register>(filled.fill.block().as_ptr()) };
    let (mut index, mut other) = ([base; N], [base; N]);
    // SAFETY: the caller keeps the contract, and the list gives the offset of each table.
    unsafe {
        for i in 0..N {
            let table = tables.add(gathers[i].table);
            index[i] = get(table);
            if TWO && gathers[i].two {
                other[i] = get(table.add(size_of::<Table>()));
            }
        }
        for (rows, more) in planes.batches() {
            for (from, to) in rows.places(0, 0) {
                for i in 0..N {
                    let Gather { src: [first, second], dst, two, .. } =
                        if N <= MOST_KEPT { kept[i] } else { gathers[i] };
                    let mut register = P::permute_at(base, from.wrapping_offset(first), index[i]);
                    if TWO && two {
                        register = P::permute_at(register, from.wrapping_offset(second), other[i]);
                    }
                    if is_fetched::<P>(i) {
                        fetch.output(to.add(dst));
                    }
                    put(to.add(dst), register);
                }
                if FILLED {
                    filled.put::<S>(to.add(end), behind);
                }
            }
            if FILLED {
                filled.put_more(&rows, more);
            }
        }
    }
}

/// Writes blocks of any number of registers. Each permutation has one window.
///
/// # Safety
///
/// - The contract of [`unrolled`] holds.
#[inline(always)]
unsafe fn each<S: Shells, P: Permute>(
    (gathers, (end, behind)): (&[Gather], (usize, usize)),
    tables: *const u8,
    filled: &Filled<'_>,
    planes: Planes<'_>,
) {
    let fetch = filled.fetch;
    // SAFETY: the caller keeps the contract, and the list gives the offset of each table.
    unsafe {
        let base = get::<P::Register>(filled.fill.block().as_ptr());
        for (rows, more) in planes.batches() {
            for (from, to) in rows.places(0, 0) {
                for (i, gather) in gathers.iter().enumerate() {
                    if is_fetched::<P>(i) {
                        fetch.output(to.add(gather.dst));
                    }
                    put(to.add(gather.dst), gathered::<P, false>(gather, base, tables, from));
                }
                filled.put::<S>(to.add(end), behind);
            }
            filled.put_more(&rows, more);
        }
    }
}

/// Tells whether a loop prefetches at register `number`. A loop prefetches once per cache line.
#[inline(always)]
fn is_fetched<P: Permute>(number: usize) -> bool {
    (number * P::BYTES).is_multiple_of(LINE)
}

/// The fill of blocks and the fill around them.
struct Filled<'a> {
    fetch: Fetch,
    fill: &'a Pattern,
    /// The number of bytes of fill at the start of a block.
    before: usize,
}

impl<'a> Filled<'a> {
    #[inline(always)]
    fn new<S: Shells>(sheet: &Sheet<'a>, before: usize) -> Filled<'a> {
        Filled { fetch: sheet.fetch::<S::Register>(), fill: sheet.fill, before }
    }

    /// Writes the `more` bytes of fill between a run of blocks and the next run, and the fill at the start of the next run's
    /// first block.
    ///
    /// # Safety
    ///
    /// - The contract of [`unrolled`] holds.
    #[inline(always)]
    unsafe fn put_more(&self, rows: &Batch, more: usize) {
        if more > 0 {
            // SAFETY: the caller keeps the contract.
            unsafe { fill_exact(self.fill, rows.end(), more + self.before) }
        }
    }

    /// Writes `bytes` bytes of fill as whole registers, at least one.
    ///
    /// # Safety
    ///
    /// - The contract of [`unrolled`] holds.
    #[inline(always)]
    unsafe fn put<S: Shells>(&self, to: *mut u8, bytes: usize) {
        // SAFETY: the caller keeps the contract. A block of fill consists of whole registers, and a register consists of whole
        // elements.
        unsafe { Filling::<S>::of(self.fill).put_over(self.fetch, to, bytes) }
    }
}
