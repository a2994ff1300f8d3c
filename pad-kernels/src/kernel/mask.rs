//! Changes the signs in a contiguous output with masks of one cache line.
//!
//! The output consists of equal groups of blocks. A list of masks covers all numbers of a group whose sign changes.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::raw::{get, put};
use super::simd::LINE;
use super::threshold;
use crate::isa::Isa;
use crate::plan::negated::SignedAxis;
use crate::plan::signs::Sign;

/// The maximum size of a group in bytes, unless a single row is longer.
const MOST_BYTES: usize = threshold(4096, 128);

/// The maximum number of masks of a group. Long rows with many runs have more.
const MOST_MASKS: usize = 64;

/// The minimum number of numbers that a mask covers on average. Otherwise, a loop over single numbers is faster. A store passes its data to a
/// later load only if it has written all bytes of the load, so the load of a whole line waits for the copy.
const FEWEST_NUMBERS: usize = threshold(4, 1);

/// The masks of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Masks {
    /// The axes around a block, the outermost axis last.
    outer: Vec<SignedAxis>,
    /// The sizes of a block, of a group and of the output in bytes.
    block: usize,
    group: usize,
    bytes: usize,
    /// The masks of a group, and those of a group whose outer axes change the sign once more.
    masks: [Box<[Mask]>; 2],
    sign: Sign,
    isa: Isa,
}

/// Covers `times` consecutive lines from offset `at` of a group. A bit is set if it has to change. For integers, all bits of a number
/// are set if the number is negated.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mask {
    at: usize,
    times: usize,
    bits: [u8; LINE],
}

impl Mask {
    /// Returns the number of numbers in a line whose signs change.
    fn numbers(&self, sign: Sign) -> usize {
        let bytes = self.bits.iter().filter(|bits| **bits != 0).count();
        if sign.is_bit { bytes } else { bytes / sign.bytes }
    }
}

impl Masks {
    /// Makes the masks for an output with these axes, the innermost axis first.
    ///
    /// Returns `None` if the output is shorter than a mask, if a row needs too many masks, or if masks cover few numbers.
    pub(super) fn new(axes: &[SignedAxis], bytes: usize, sign: Sign, isa: Isa) -> Option<Masks> {
        let mut depth = 1;
        while axes.get(depth).is_some_and(|axis| axis.bytes() <= MOST_BYTES) {
            depth += 1;
        }
        let (inner, outer) = axes.split_at_checked(depth)?;
        let block = inner.last()?.bytes();
        let mut blocks = if outer.is_empty() { 1 } else { (MOST_BYTES / block).max(1) };
        // If groups are whole lines, stores are aligned whenever the output is.
        let lines = LINE >> block.trailing_zeros().min(LINE.trailing_zeros());
        if blocks > lines {
            blocks -= blocks % lines;
        }
        let group = block * blocks;
        if group < LINE {
            return None;
        }
        let masks = |is_turned| {
            let mut runs = Vec::new();
            (0..blocks).for_each(|number| add_runs(inner, number * block, is_turned, &mut runs));
            masks(&runs, group, sign)
        };
        let outer_turns = outer.iter().flat_map(|axis| &axis.runs).any(|(_, turns)| *turns);
        let turned = if outer_turns { masks(true)? } else { Box::default() };
        let masks = [masks(false)?, turned];
        let counted = if masks[0].is_empty() { &masks[1] } else { &masks[0] };
        let lines: usize = counted.iter().map(|mask| mask.times).sum();
        let numbers: usize = counted.iter().map(|mask| mask.times * mask.numbers(sign)).sum();
        if numbers < FEWEST_NUMBERS * lines {
            return None;
        }
        Some(Masks { outer: outer.to_vec(), block, group, bytes, masks, sign, isa })
    }

    /// Changes the signs.
    ///
    /// # Safety
    ///
    /// - The output is initialised and writable.
    pub(super) unsafe fn run(&self, start: *mut u8) {
        let (Sign { bytes, is_bit, .. }, isa) = (self.sign, self.isa);
        // If the sign is a bit, each byte changes alone.
        let apply = match (bytes, is_bit) {
            (_, true) => shell::<u8, true>(isa),
            (1, _) => shell::<u8, false>(isa),
            (2, _) => shell::<u16, false>(isa),
            (4, _) => shell::<u32, false>(isa),
            _ => shell::<u64, false>(isa),
        };
        // SAFETY: the caller keeps the contract.
        unsafe { self.each(&self.outer, start, 0, false, apply) };
    }

    /// Applies the masks to the part from offset `at`, which contains the axes in `outer` and the block.
    ///
    /// # Safety
    ///
    /// - The output is initialised and writable.
    unsafe fn each(&self, outer: &[SignedAxis], start: *mut u8, at: usize, is_turned: bool, apply: Shell) {
        let masks = |is_turned| &self.masks[usize::from(is_turned)];
        let Some((axis, inner)) = outer.split_last() else {
            // SAFETY: the caller keeps the contract.
            return unsafe {
                apply(masks(is_turned), start.add(at), (self.group, self.block), self.bytes - at)
            };
        };
        for (run, turns) in &axis.runs {
            let (is_turned, first) = (is_turned != *turns, at + run.start * axis.stride);
            // SAFETY: the caller keeps the contract. Each run lies within the output.
            unsafe {
                if inner.is_empty() {
                    let bytes = run.len() * axis.stride;
                    apply(masks(is_turned), start.add(first), (self.group, bytes), self.bytes - first);
                } else {
                    for number in 0..run.len() {
                        self.each(inner, start, first + number * axis.stride, is_turned, apply);
                    }
                }
            }
        }
    }
}

/// Adds the byte ranges whose signs change, in ascending order. `axes` are the axes from the innermost on.
fn add_runs(axes: &[SignedAxis], at: usize, is_turned: bool, runs: &mut Vec<Range<usize>>) {
    let Some((axis, inner)) = axes.split_last() else { return };
    for (run, turns) in &axis.runs {
        let is_turned = is_turned != *turns;
        let (start, end) = (at + run.start * axis.stride, at + run.end * axis.stride);
        if !inner.is_empty() {
            (start..end).step_by(axis.stride).for_each(|at| add_runs(inner, at, is_turned, runs));
        } else if is_turned {
            match runs.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => runs.push(start..end),
            }
        }
    }
}

/// Covers ranges of a group with masks. No mask goes past the end of the group.
fn masks(runs: &[Range<usize>], group: usize, sign: Sign) -> Option<Box<[Mask]>> {
    let sign_byte = if cfg!(target_endian = "little") { sign.bytes - 1 } else { 0 };
    let (mut masks, mut done, mut left) = (Vec::new(), 0, runs);
    while let Some(run) = left.first() {
        if run.end <= done {
            left = &left[1..];
            continue;
        }
        let first = run.start.max(done);
        // A mask begins at a line, unless this would divide a short run that is alone.
        let line = first - first % LINE;
        let is_alone =
            run.end - first <= LINE && left.get(1).is_none_or(|next| next.start >= line + 2 * LINE);
        let at = if is_alone || line < done { first } else { line }.min(group - LINE);
        let times = if at >= run.start { ((run.end - at) / LINE).max(1) } else { 1 };
        let mut bits = [0; LINE];
        done = at + times * LINE;
        for run in left.iter().take_while(|run| run.start < at + LINE) {
            for byte in run.start.max(first)..run.end.min(at + LINE) {
                bits[byte - at] = match (byte - first) % sign.bytes {
                    _ if !sign.is_bit => 0xff,
                    of_number if of_number == sign_byte => 0x80,
                    _ => 0,
                };
            }
        }
        masks.push(Mask { at, times, bits });
        if masks.len() > MOST_MASKS {
            return None;
        }
    }
    Some(masks.into())
}

/// Applies masks from an address on: first to whole groups, then to a part of a group. The pair holds the sizes of a group and of all
/// that is covered. The last argument is the size of the memory from this address on.
type Shell = unsafe fn(&[Mask], *mut u8, (usize, usize), usize);

/// Returns [`apply`], compiled for AVX2 if `isa` contains it. Zen 4: with AVX-512, 131 random shapes take as long.
fn shell<T: Bits, const IS_BIT: bool>(isa: Isa) -> Shell {
    /// # Safety
    ///
    /// - The contract of [`apply`] holds, and the machine has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn avx2<T: Bits, const IS_BIT: bool>(
        masks: &[Mask],
        at: *mut u8,
        sizes: (usize, usize),
        room: usize,
    ) {
        // SAFETY: the caller keeps the contract.
        unsafe { apply::<T, IS_BIT>(masks, at, sizes, room) }
    }
    #[cfg(target_arch = "x86_64")]
    if isa >= Isa::Avx2 && Isa::Avx2.available() {
        return avx2::<T, IS_BIT>;
    }
    let _ = isa;
    apply::<T, IS_BIT>
}

/// Applies masks. [`Shell`] describes the arguments.
///
/// # Safety
///
/// - The memory is initialised and writable.
#[inline(always)]
unsafe fn apply<T: Bits, const IS_BIT: bool>(
    masks: &[Mask],
    at: *mut u8,
    (group, bytes): (usize, usize),
    room: usize,
) {
    // SAFETY: the caller keeps the contract. Masks lie within a group. After whole groups, each store ends within `room`.
    unsafe {
        let mut done = 0;
        while bytes - done >= group {
            for Mask { at: first, times, bits } in masks {
                for time in 0..*times {
                    T::change::<IS_BIT>(at.add(done + first + time * LINE), bits);
                }
            }
            done += group;
        }
        for Mask { at: first, times, bits } in masks {
            // Masks are in ascending order.
            let Some(left) = bytes.checked_sub(done + first) else { return };
            let at = at.add(done + first);
            let whole = (*times).min(left / LINE);
            for time in 0..whole {
                T::change::<IS_BIT>(at.add(time * LINE), bits);
            }
            let (at, left) = (at.add(whole * LINE), left - whole * LINE);
            if whole == *times || left == 0 {
                continue;
            }
            if room - (bytes - left) >= LINE {
                let mut part: [u8; LINE] = get(PART.as_ptr().add(LINE - left));
                for byte in 0..LINE {
                    part[byte] &= bits[byte];
                }
                T::change::<IS_BIT>(at, &part);
            } else {
                for number in (0..left).step_by(size_of::<T>()) {
                    let bits = get(bits.as_ptr().add(number));
                    put(at.add(number), get::<T>(at.add(number)).masked::<IS_BIT>(bits));
                }
            }
        }
    }
}

/// The line from offset `LINE - n` on keeps the first `n` bytes of a mask.
static PART: [u8; 2 * LINE] = {
    let mut part = [0; 2 * LINE];
    let mut byte = 0;
    while byte < LINE {
        part[byte] = 0xff;
        byte += 1;
    }
    part
};

/// An unsigned integer of the size of a number.
trait Bits: Copy {
    /// Changes the sign if the bits of the mask are set.
    fn masked<const IS_BIT: bool>(self, mask: Self) -> Self;

    /// Applies a mask.
    ///
    /// # Safety
    ///
    /// - A line is initialised and writable at `at`.
    unsafe fn change<const IS_BIT: bool>(at: *mut u8, bits: &[u8; LINE]);
}

macro_rules! bits {
    ($($type:ty),*) => {$(
        impl Bits for $type {
            #[inline(always)]
            fn masked<const IS_BIT: bool>(self, mask: $type) -> $type {
                if IS_BIT { self ^ mask } else { (self ^ mask).wrapping_sub(mask) }
            }

            #[inline(always)]
            unsafe fn change<const IS_BIT: bool>(at: *mut u8, bits: &[u8; LINE]) {
                type Line = [$type; LINE / size_of::<$type>()];
                // SAFETY: the caller keeps the contract.
                unsafe {
                    let (mut numbers, bits) = (get::<Line>(at), get::<Line>(bits.as_ptr()));
                    // A closure would not be compiled for the instruction set.
                    for i in 0..numbers.len() {
                        numbers[i] = numbers[i].masked::<IS_BIT>(bits[i]);
                    }
                    put(at, numbers);
                }
            }
        }
    )*};
}
bits!(u8, u16, u32, u64);
