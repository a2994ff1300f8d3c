//! Blocks next to each other that are a few registers each.
//!
//! They are written one after the other, and their registers in the order of the output: what each writes too much is overwritten by
//! those that follow, in its block or in the next one. So every line of the output is completed before the next one is begun, which
//! takes Zen 4 0.4 to 0.8 of the time of moves that are run for several blocks each.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::list::{Copied, Gather, Lister, Reach, Register};
use super::moves::Batch;
use super::{Lanes, Move, Program, Shells, Table};
use crate::kernel::memory::{Fetch, copy_over, get, put};
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::{LINE, Permute};
use crate::plan::pattern::Pattern;

/// The most registers of a block. 256 planes of 83 by 83 floats with gaps, whose blocks are 21 of them, took 1.45 ms and 2.7 in batches
/// (Zen 4).
const MOST: usize = 32;

/// Blocks of so few registers have a loop for each number. With loops for up to 16 those of few registers were compiled worse: 4873 rows
/// of 11 brain floats took 3.2 us, and 2.5 with loops for up to 12 (Zen 4).
const MOST_UNROLLED: usize = 12;

/// The registers of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    all: Vec<Register>,
    /// The same as permutations alone, of one window each or all of `two`, and then fill, if they can be.
    gathers: Vec<Gather>,
    fill: Vec<usize>,
    two: bool,
}

impl Program {
    /// Lists the registers of a program that is run for several blocks, where that is the fastest way.
    pub(in crate::kernel) fn list_rows(&mut self, lanes: Lanes, unit: usize) {
        let is_any = |is: fn(&Move) -> bool| self.moves.iter().any(is);
        let copies = is_any(|next| matches!(next, Move::Copy { .. }));
        let apart = is_any(|next| matches!(next, Move::Interleave { .. }));
        let permutes = is_any(|next| next.permutation().is_some());
        // A copy with borders has loops of its own, and so have rows apart and single moves.
        let own = self.moves.len() == 1 || copies && self.is_bordered();
        // Registers of 32 bytes and less take so many instructions that batches, which keep their indices, are as fast.
        let listed = if permutes { lanes.window == LINE } else { copies && !apart };
        if lanes.window == 0 || own || !listed {
            return;
        }
        let Some(all) = Lister::new(self, lanes, unit, Reach::Over, MOST).all() else { return };
        let mut rows = Rows { all, ..Rows::default() };
        self.gather_rows(lanes, &mut rows);
        rows.share();
        self.rows = Some(Box::new(rows));
    }

    /// Whether [`run_rows`] runs blocks of it that follow each other.
    #[inline(always)]
    pub(in crate::kernel) fn is_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// Lists registers as permutations, but for the fill behind them.
    fn gather_rows(&mut self, lanes: Lanes, rows: &mut Rows) {
        let is_fill = |register: &Register| matches!(register, Register::Fill(_));
        let behind = rows.all.iter().rev().take_while(|register| is_fill(register)).count();
        let (body, fill) = rows.all.split_at(rows.all.len() - behind);
        let gather =
            |register: &Register| if let Register::Gather(gather) = *register { Some(gather) } else { None };
        // Any window that is readable.
        let Some(first) = body.iter().find_map(gather) else { return };
        let two = body.iter().filter_map(gather).any(|gather| gather.two);
        if two && !body.iter().all(|register| gather(register).is_some_and(|gather| gather.two)) {
            return;
        }
        let mut gathers = Vec::with_capacity(body.len());
        for register in body {
            let (src, dst, bytes) = match *register {
                Register::Gather(gather) => {
                    gathers.push(gather);
                    continue;
                }
                Register::Copy(Copied { src, dst }) => (src, dst, lanes.window),
                Register::Fill(dst) => (first.src[0], dst, 0),
                Register::Same(_) | Register::Long { .. } => return,
            };
            let table = self.run_of(lanes, 0, bytes) * size_of::<Table>();
            gathers.push(Gather { src: [src; 2], table, dst, ..first });
        }
        let fill = fill
            .iter()
            .filter_map(|register| if let Register::Fill(dst) = *register { Some(dst) } else { None });
        (rows.fill, rows.gathers, rows.two) = (fill.collect(), gathers, two);
    }
}

impl Rows {
    /// Registers that are the same as the one gathered before are not gathered again.
    fn share(&mut self) {
        let mut last = None;
        for register in &mut self.all {
            let Register::Gather(gather) = *register else { continue };
            let what = Gather { dst: 0, ..gather };
            if last == Some(what) {
                *register = Register::Same(gather.dst);
            }
            last = Some(what);
        }
    }
}

/// Blocks of a program that lists its rows, each of which overshoots its end.
///
/// # Safety
///
/// - As for [`run_bordered`](super::run_bordered).
#[inline(always)]
pub(in crate::kernel) unsafe fn run_rows<S: Shells>(sheet: &Sheet<'_>, program: &Program, blocks: &Batch) {
    // SAFETY: the caller's; the window is the instruction set's.
    unsafe {
        if program.is_wide::<S>() {
            rows::<S, S::Wide>(sheet, program, blocks);
        } else {
            rows::<S, S::Narrow>(sheet, program, blocks);
        }
    }
}

/// # Safety
///
/// - As for [`run_rows`]; the permutations are the program's.
#[inline(always)]
unsafe fn rows<S: Shells, P: Permute>(sheet: &Sheet<'_>, program: &Program, blocks: &Batch) {
    let Some(list) = &program.rows else { return };
    // SAFETY: the caller's, and each arm is for as many registers as there are.
    unsafe {
        let tables: *const u8 = program.tables.as_ptr().cast();
        // Permutations of shorter registers are not listed, and have no loops here.
        if const { P::BYTES != LINE } {
            return in_turn::<S, P>(&list.all, tables, sheet.fill, blocks);
        }
        seq_macro::seq!(N in 1..=12 {
            const { assert!(MOST_UNROLLED == 12) };
            match (list.gathers.len(), list.two) {
                #((N, false) => unrolled::<S, P, N, false>(list, tables, sheet.fill, blocks),)*
                #((N, true) => unrolled::<S, P, N, true>(list, tables, sheet.fill, blocks),)*
                (1.., false) => each::<S, P>(list, tables, sheet.fill, blocks),
                _ => in_turn::<S, P>(&list.all, tables, sheet.fill, blocks),
            }
        });
    }
}

/// Blocks of `N` registers, each of one window or all of `TWO`, whose tables stay in registers.
///
/// # Safety
///
/// - As for [`run_rows`]; there are as many, and the permutations are the program's, whose tables these are.
#[inline(always)]
unsafe fn unrolled<S: Shells, P: Permute, const N: usize, const TWO: bool>(
    list: &Rows,
    tables: *const u8,
    fill: &Pattern,
    blocks: &Batch,
) {
    let Some(gathers) = list.gathers.first_chunk::<N>() else { return };
    let fetch = Fetch::of::<S::Register>();
    // SAFETY: a block is as long as a register.
    let (base, fill) = unsafe {
        let block = fill.block().as_ptr();
        (get::<P::Register>(block), get::<S::Register>(block))
    };
    let (mut index, mut other) = ([base; N], [base; N]);
    // SAFETY: the caller's; tables lie where the list says.
    unsafe {
        for i in 0..N {
            let table = tables.add(gathers[i].table);
            index[i] = get(table);
            if TWO {
                other[i] = get(table.add(size_of::<Table>()));
            }
        }
        for (from, to) in blocks.places(0, 0) {
            for i in 0..N {
                let Gather { src: [first, second], dst, .. } = gathers[i];
                let mut register = P::permute_at(base, from.wrapping_offset(first), index[i]);
                if TWO {
                    register = P::permute_at(register, from.wrapping_offset(second), other[i]);
                }
                fetch.output(to.add(dst));
                put(to.add(dst), register);
            }
            for &dst in &list.fill {
                put(to.add(dst), fill);
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
unsafe fn each<S: Shells, P: Permute>(list: &Rows, tables: *const u8, fill: &Pattern, blocks: &Batch) {
    let fetch = Fetch::of::<S::Register>();
    // SAFETY: the caller's; tables lie where the list says.
    unsafe {
        let block = fill.block().as_ptr();
        let (base, fill) = (get::<P::Register>(block), get::<S::Register>(block));
        for (from, to) in blocks.places(0, 0) {
            for &Gather { src: [src, _], table, dst, .. } in &list.gathers {
                fetch.output(to.add(dst));
                put(to.add(dst), P::permute_at(base, from.wrapping_offset(src), get(tables.add(table))));
            }
            for &dst in &list.fill {
                put(to.add(dst), fill);
            }
        }
    }
}

/// Blocks of any registers, one after the other.
///
/// # Safety
///
/// - As for [`run_rows`]; the permutations are the program's, whose tables these are.
#[inline(always)]
unsafe fn in_turn<S: Shells, P: Permute>(
    registers: &[Register],
    tables: *const u8,
    fill: &Pattern,
    blocks: &Batch,
) {
    let fetch = Fetch::of::<S::Register>();
    // SAFETY: the caller's; tables lie where the list says.
    unsafe {
        let base = get::<P::Register>(fill.block().as_ptr());
        let fill = get::<S::Register>(fill.block().as_ptr());
        let mut last = base;
        for (from, to) in blocks.places(0, 0) {
            for register in registers {
                match *register {
                    Register::Fill(dst) => put(to.add(dst), fill),
                    Register::Copy(Copied { src, dst }) => {
                        fetch.output(to.add(dst));
                        put(to.add(dst), get::<S::Register>(from.wrapping_offset(src)));
                    }
                    Register::Gather(Gather { src: [first, second], two, table, dst, .. }) => {
                        let table = tables.add(table);
                        last = P::permute_at(base, from.wrapping_offset(first), get(table));
                        if two {
                            let other = get(table.add(size_of::<Table>()));
                            last = P::permute_at(last, from.wrapping_offset(second), other);
                        }
                        fetch.output(to.add(dst));
                        put(to.add(dst), last);
                    }
                    Register::Same(dst) => {
                        fetch.output(to.add(dst));
                        put(to.add(dst), last);
                    }
                    Register::Long { src, dst, bytes } => {
                        copy_over::<S>(fetch, from.wrapping_offset(src), to.add(dst), bytes);
                    }
                }
            }
        }
    }
}
