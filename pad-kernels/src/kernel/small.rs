//! Writes small outputs of one-shot calls. No program is packed for them, because that would take longer than these copies.
//!
//! First the whole output is filled, then the input is copied, and then the borders of each axis, the innermost axis first. If
//! runs of the input are long, fill is written only between them. Borders are copied from the output. For example, reflect with
//! two elements on the left turns `[1 2 3]` into `[. . 1 2 3]`, and then into `[3 2 1 2 3]`.
//!
//! The part of the output that holds the input is called the window. In the example, it is `1 2 3`. A function with the argument
//! `around` copies a run of bytes at every element of these axes, which means at every combination of their indices.

use core::cell::Cell;
use core::mem::MaybeUninit;
use core::ptr;

use crate::kernel::Written;
use crate::kernel::memory::{copy_exact, fill_exact, get, put};
use crate::plan::pattern::Pattern;
use crate::plan::small::{Border, FEW, LONG, Small, SmallAxis};

/// Writes the whole output. Without a `fill`, the fill is zero.
///
/// # Panics
///
/// The call panics if the input or the output does not have the planned length.
#[inline]
pub(crate) fn write_small(
    small: &Small,
    fill: Option<&[u8]>,
    src: &[u8],
    dst: &mut [MaybeUninit<u8>],
) -> Written {
    assert!(src.len() == small.src_len && dst.len() == small.dst_len);
    let start = dst.as_mut_ptr().cast();
    let writer = Writer { src: src.as_ptr(), src_len: src.len(), dst: start, dst_len: dst.len() };
    // SAFETY:
    // - Only `plan` makes a `Small`. Its axes stay within the bytes of tensors of these lengths.
    // - The input is borrowed shared and the output exclusively, so they do not overlap.
    // - The loop writes the borders of an axis after its window and after the borders of its inner axes.
    unsafe {
        let (run, around) = small.runs();
        if !small.has_fill {
            writer.copy_input(around, small.src, small.dst, run);
        } else if run < LONG {
            write_fill(fill.map(Pattern::of_bytes).as_ref(), start, dst.len());
            writer.copy_input(around, small.src, small.dst, run);
        } else {
            writer.copy_input_apart(around, (small.src, small.dst), run, fill);
        }
        // The output offset of the window of the current axis. This window includes the borders of the inner axes.
        let mut first = small.dst as isize;
        for (inside, axis) in small.axes.iter().enumerate() {
            let (around, stride) = (&small.axes[inside + 1..], axis.stride as isize);
            let last = first + (axis.window - 1) as isize * stride;
            for (edge, stride, (mode, count)) in [(first, -stride, axis.low), (last, stride, axis.high)] {
                if count > 0 {
                    writer.border(around, edge, stride, Border::new(mode, axis.window, count));
                }
            }
            first -= axis.before as isize * stride;
        }
    }
    Written(small.dst_len)
}

/// The memory of input and output.
struct Writer {
    src: *const u8,
    src_len: usize,
    dst: *mut u8,
    dst_len: usize,
}

/// The contract of the unsafe methods:
/// - At every element of the axes `around`, a method reads only the input, or output bytes that are already written.
/// - It writes only within the output.
/// - The bytes that it reads and the bytes that it writes do not overlap.
impl Writer {
    /// Copies `bytes` bytes of the input at every element of the axes `around`.
    unsafe fn copy_input(&self, around: &[SmallAxis], from: usize, to: usize, bytes: usize) {
        let step = |axis: &SmallAxis| axis.src_step;
        debug_assert!(from + reach(around, step) + bytes <= self.src_len);
        debug_assert!(to + reach(around, |axis| axis.dst_step) + bytes <= self.dst_len);
        // SAFETY: the caller keeps the contract.
        unsafe { copy(around, step, self.src.add(from), self.dst.add(to), bytes) }
    }

    /// Copies the input, and writes fill between the copies, before them and after them.
    #[inline(never)]
    unsafe fn copy_input_apart(
        &self,
        around: &[SmallAxis],
        (from, to): (usize, usize),
        bytes: usize,
        fill: Option<&[u8]>,
    ) {
        let fill = fill.map(Pattern::of_bytes);
        // Elements are visited in the order of the output. `written` is the end of the output that is already written.
        let written = Cell::new(0);
        let fill_to = |end: usize| {
            let (to, bytes) = (self.dst.wrapping_add(written.get()), end - written.get());
            debug_assert!(end <= self.dst_len);
            // SAFETY: the caller keeps the contract. The bytes between two copies belong to the output.
            unsafe { write_fill(fill.as_ref(), to, bytes) };
            written.set(end);
        };
        let visit = |src: *const u8, dst: *mut u8| {
            let at = dst.addr() - self.dst.addr();
            fill_to(at);
            // SAFETY: the caller keeps the contract.
            unsafe { copy_exact(src, dst, bytes) };
            written.set(at + bytes);
        };
        each(around, |axis| axis.src_step, self.src.wrapping_add(from), self.dst.wrapping_add(to), visit);
        fill_to(self.dst_len);
    }

    /// Copies `bytes` bytes of the output at every element of the axes `around`.
    unsafe fn copy_output(&self, around: &[SmallAxis], from: isize, to: isize, bytes: usize) {
        let step = |axis: &SmallAxis| axis.dst_step;
        debug_assert!(from.abs_diff(to) >= bytes && from.min(to) >= 0);
        debug_assert!(from.max(to) as usize + reach(around, step) + bytes <= self.dst_len);
        // SAFETY: the caller keeps the contract.
        unsafe { copy(around, step, self.dst.offset(from), self.dst.offset(to), bytes) }
    }

    /// Writes a border next to the window position at `edge`. Successive border positions are `stride` bytes apart; `stride` is
    /// negative on the low side.
    unsafe fn border(&self, around: &[SmallAxis], edge: isize, stride: isize, border: Border) {
        let Border { mirrored, skip, repeated, period } = border;
        let bytes = stride.unsigned_abs();
        let place = |position: usize| position as isize * stride;
        let (mirror, mut at) = (edge - place(skip), edge + stride);
        // SAFETY: the caller keeps the contract. Mirrored positions read the window, and repeated ones read the window or earlier border
        // positions.
        unsafe {
            if mirrored > FEW && matches!(bytes, 1 | 2 | 4 | 8) {
                // The words are written in ascending order.
                let first = if stride < 0 { place(mirrored - 1) } else { 0 };
                self.mirror(around, mirror - first, at + first, mirrored, bytes);
            } else {
                for i in 0..mirrored {
                    self.copy_output(around, mirror - place(i), at + place(i), bytes);
                }
            }
            at += place(mirrored);
            let (mut left, mut period) = (repeated, period);
            while left > 0 {
                let now = left.min(period);
                let to = if stride < 0 { at + place(now - 1) } else { at };
                self.copy_output(around, to - place(period), to, now * bytes);
                at += place(now);
                left -= now;
                // The output now contains twice as many whole periods.
                period *= 2;
            }
        }
    }

    /// Copies `count` words of `bytes` bytes in reverse order, at every element of the axes `around`. `from` is the offset of the last
    /// word.
    unsafe fn mirror(&self, around: &[SmallAxis], from: isize, to: isize, count: usize, bytes: usize) {
        let step = |axis: &SmallAxis| axis.dst_step;
        debug_assert!(from >= ((count - 1) * bytes) as isize && to >= 0);
        debug_assert!(from as usize + reach(around, step) + bytes <= self.dst_len);
        debug_assert!(to as usize + reach(around, step) + count * bytes <= self.dst_len);
        // SAFETY: the caller keeps the contract.
        unsafe {
            let (from, to) = (self.dst.offset(from).cast_const(), self.dst.offset(to));
            match bytes {
                1 => each(around, step, from, to, |from, to| backwards::<u8, 16>(from, to, count)),
                2 => each(around, step, from, to, |from, to| backwards::<u16, 8>(from, to, count)),
                4 => each(around, step, from, to, |from, to| backwards::<u32, 4>(from, to, count)),
                _ => each(around, step, from, to, |from, to| backwards::<u64, 2>(from, to, count)),
            }
        }
    }
}

/// Writes `bytes` bytes of fill, or of zeros.
///
/// # Safety
///
/// - `bytes` bytes are writable at `to`. They are a whole number of elements.
#[inline(always)]
unsafe fn write_fill(fill: Option<&Pattern>, to: *mut u8, bytes: usize) {
    // SAFETY: the caller keeps the contract.
    unsafe {
        match fill {
            None => ptr::write_bytes(to, 0, bytes),
            Some(fill) => fill_exact(fill, to, bytes),
        }
    }
}

/// Returns the distance in bytes from the first element of `axes` to the last.
fn reach(axes: &[SmallAxis], step: impl Fn(&SmallAxis) -> usize) -> usize {
    axes.iter().map(|axis| (axis.count - 1) * step(axis)).sum()
}

/// Calls `visit` with the source and the destination of every element of `axes`. `step` returns the source distance along an axis.
#[inline]
fn each(
    axes: &[SmallAxis],
    step: impl Fn(&SmallAxis) -> usize + Copy,
    mut src: *const u8,
    mut dst: *mut u8,
    visit: impl Fn(*const u8, *mut u8) + Copy,
) {
    let Some((outer, inner)) = axes.split_last() else { return visit(src, dst) };
    for _ in 0..outer.count {
        if inner.is_empty() {
            visit(src, dst)
        } else {
            each(inner, step, src, dst, visit)
        }
        (src, dst) = (src.wrapping_add(step(outer)), dst.wrapping_add(outer.dst_step));
    }
}

/// Copies `bytes` bytes at every element of the axes `around`.
///
/// # Safety
///
/// - At each element, `bytes` bytes are readable at the source and writable at the destination. They do not overlap.
unsafe fn copy(
    around: &[SmallAxis],
    step: impl Fn(&SmallAxis) -> usize + Copy,
    src: *const u8,
    dst: *mut u8,
    bytes: usize,
) {
    // SAFETY: the caller keeps the contract.
    unsafe {
        match bytes {
            1 => each(around, step, src, dst, |src, dst| put(dst, get::<u8>(src))),
            2 => each(around, step, src, dst, |src, dst| put(dst, get::<u16>(src))),
            4 => each(around, step, src, dst, |src, dst| put(dst, get::<u32>(src))),
            8 => each(around, step, src, dst, |src, dst| put(dst, get::<u64>(src))),
            16 => each(around, step, src, dst, |src, dst| put(dst, get::<[u64; 2]>(src))),
            32 => each(around, step, src, dst, |src, dst| put(dst, get::<[u64; 4]>(src))),
            _ => each(around, step, src, dst, |src, dst| copy_exact(src, dst, bytes)),
        }
    }
}

/// Writes `count` words in reverse order: `[a b c]` becomes `[c b a]`. `src` is the address of the last word.
///
/// # Safety
///
/// - `count` words are readable at `src` and below it, and `count` words are writable at `dst`.
#[inline(always)]
unsafe fn backwards<W: Copy, const AT_ONCE: usize>(src: *const u8, dst: *mut u8, count: usize) {
    let word = size_of::<W>();
    let mut at = 0;
    // SAFETY: the caller keeps the contract.
    unsafe {
        while count - at >= AT_ONCE {
            let mut words = get::<[W; AT_ONCE]>(src.sub((at + AT_ONCE - 1) * word));
            words.reverse();
            put(dst.add(at * word), words);
            at += AT_ONCE;
        }
        for i in at..count {
            put(dst.add(i * word), get::<W>(src.sub(i * word)));
        }
    }
}
