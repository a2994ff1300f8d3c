//! Blocks next to each other that are a few registers each.
//!
//! They are written one after the other, and their registers in the order of the output: what each writes too much is overwritten by
//! those that follow, in its block or in the next one. So every line of the output is completed before the next one is begun, which
//! takes Zen 4 0.4 to 0.8 of the time of moves that are run for several blocks each.

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

/// Blocks of so few registers have a loop for each number. With loops for up to 16 those of few registers were compiled worse: 4873 rows
/// of 11 brain floats took 3.2 us, and 2.5 with loops for up to 12 (Zen 4).
const MOST_UNROLLED: usize = 12;

/// Of so few registers the places are kept in registers too: behind a reference any store could change them. 774 rows of 85 bytes, two
/// registers each, took 2.07 us so and 2.48 by reference; 256 planes of 28 by 28 floats, of more registers, 61 and 39 (Zen 4).
const MOST_KEPT: usize = 4;

/// The registers of a block, if they are listed: so many bytes of fill, permutations alone, and fill from a place on. The permutations are of
/// one window each, or some of `two`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    before: usize,
    behind: (usize, usize),
    two: bool,
}

impl Program<'_> {
    /// Lists the registers of a program that is run for several blocks, where that is the fastest way. Of one that is run `once` it is
    /// not if there is no room for them without an allocation.
    pub(in crate::kernel) fn list_rows(&mut self, lanes: Lanes, element: usize, once: bool) {
        let is_any = |is: fn(&Move) -> bool| self.moves.iter().any(is);
        let copies = self.copies();
        let permutes = is_any(|next| next.permutation().is_some());
        // A copy with borders has loops of its own, and so have rows apart and single moves. Few registers with borders of several moves are
        // faster as permutations: 76 rows of 8 complex numbers, wrapped, took 0.83 us so, and 1.3 by those loops (Zen 3, AVX2).
        let few = lanes.window < LINE && self.moves.len() > 3 && self.len <= MOST_UNROLLED * lanes.window;
        let own = self.moves.len() == 1 || copies && self.is_bordered() && !few;
        // Registers of single bytes that are no lines take seven instructions, and have no loops.
        if lanes.window == 0 || own || !(permutes && lanes.are_wide()) {
            return;
        }
        let mut all = List::new();
        if !Lister::new(self, lanes, element, Reach::Over, (&mut all, MOST_OF_A_ROW)).all() {
            return;
        }
        let room = if once { self.tables.free() } else { usize::MAX };
        self.gather_rows(lanes, &all, room);
        // Registers of copies are whole.
        if self.is_rows() {
            self.src_rows = self.src_overshot();
        }
    }

    /// Whether [`run_rows`] runs blocks of it that follow each other.
    #[inline(always)]
    pub(in crate::kernel) fn is_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// Bytes of fill that they begin with.
    #[inline(always)]
    pub(super) fn before(&self) -> usize {
        self.rows.as_ref().map_or(0, |rows| rows.before)
    }

    /// The most bytes that the last of them spills.
    #[inline(always)]
    pub(super) fn spilled(&self) -> usize {
        self.before() + OVERSHOOT
    }

    /// Lists registers as permutations, but for the fill before and behind them, if they can be with so many tables more.
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
        // Any window that is readable.
        let Some(any) = each().find_map(gather) else { return };
        let two = each().any(|register| gather(register).is_some_and(|gather| gather.two));
        // Registers that are, or are none.
        let count = |register: Register| match register {
            Register::Fill { bytes, .. } => bytes.div_ceil(lanes.window),
            Register::Again(_) | Register::Long { .. } => MOST_OF_A_ROW,
            Register::Gather(_) | Register::Copy(_) => 1,
        };
        let all: usize = each().map(count).sum();
        let others: usize = each().filter(|&register| gather(register).is_none()).map(count).sum();
        // More of them are written one by one, and long fill by loops of its own.
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

/// Planes of blocks of a program that lists its rows, each of which overshoots its end, and fill around them.
///
/// # Safety
///
/// - As for [`run_bordered`](super::run_bordered), but that there may be fill around blocks: of the last plane it is written up to the
///   first block of one more, with what that begins with.
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
    // SAFETY: the caller's, and each arm is for as many registers as there are.
    unsafe {
        // Only wide permutations are listed, and of those none that take seven instructions.
        if const { <S::Wide as Permute>::BYTES != LINE && <S::Wide as Permute>::GRAIN == 1 } {
            unreachable!("they are not listed");
        }
        let Some(Rows { before, behind, two }) = &program.rows else { return };
        let gathers = &*program.gathers;
        // Behind a block are its own fill, the gap, and what the next one begins with, of which the first has it here.
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

/// Blocks of `N` registers, each of one window or some of `TWO`, whose tables stay in registers, and of fill if there may be any (`FILLED`).
/// Without the loops of fill 774 rows of two registers took 1.57 us, and 2.07 with them (Zen 4). A branch for each
/// register that may be of two: in a loop over any registers 15,379 rows of 31 bytes, wrapped, took 33 us, and 18 so, 1530 planes of 12 by 16
/// halves 43 and 24 (Xeon with AMX).
///
/// # Safety
///
/// - As for [`run_rows`]; there are as many, and the permutations are the program's, whose tables these are.
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
    // SAFETY: a block is as long as a register.
    let base = unsafe { get::<P::Register>(filled.fill.block().as_ptr()) };
    let (mut index, mut other) = ([base; N], [base; N]);
    // SAFETY: the caller's; tables lie where the list says.
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

/// Blocks of more registers, each of one window.
///
/// # Safety
///
/// - As for [`unrolled`].
#[inline(always)]
unsafe fn each<S: Shells, P: Permute>(
    (gathers, (end, behind)): (&[Gather], (usize, usize)),
    tables: *const u8,
    filled: &Filled<'_>,
    planes: Planes<'_>,
) {
    let fetch = filled.fetch;
    // SAFETY: the caller's; tables lie where the list says.
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

/// Whether the line of the register of this number is fetched with it: once a line.
#[inline(always)]
fn is_fetched<P: Permute>(number: usize) -> bool {
    (number * P::BYTES).is_multiple_of(LINE)
}

/// Fill of blocks, and around them.
struct Filled<'a> {
    fetch: Fetch,
    fill: &'a Pattern,
    /// What the next block begins with.
    before: usize,
}

impl<'a> Filled<'a> {
    #[inline(always)]
    fn new<S: Shells>(sheet: &Sheet<'a>, before: usize) -> Filled<'a> {
        Filled { fetch: sheet.fetch::<S::Register>(), fill: sheet.fill, before }
    }

    /// Writes what is between a run of blocks and their gaps, and the next one's first elements.
    ///
    /// # Safety
    ///
    /// - As for [`unrolled`].
    #[inline(always)]
    unsafe fn put_more(&self, rows: &Batch, more: usize) {
        if more > 0 {
            // SAFETY: the caller's.
            unsafe { fill_exact(self.fill, rows.end(), more + self.before) }
        }
    }

    /// Writes so many bytes of fill in whole registers, at least one.
    ///
    /// # Safety
    ///
    /// - As for [`unrolled`].
    #[inline(always)]
    unsafe fn put<S: Shells>(&self, to: *mut u8, bytes: usize) {
        // SAFETY: the caller's; a block is whole registers, which are whole elements.
        unsafe { Filling::<S>::of(self.fill).put_over(self.fetch, to, bytes) }
    }
}
