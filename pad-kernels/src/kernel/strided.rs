//! Writes rows whose units are not contiguous in the output, unit by unit. The file also contains the functions that write the
//! fill of strided outputs. A sheet holds the memory of source and output, and the fill.

use crate::kernel::memory::{copy_exact, fill_exact, get, put};
use crate::kernel::program::Run;
use crate::kernel::sheet::Sheet;
use crate::kernel::simd::Simd;
use crate::plan::axis::Axis;
use crate::plan::form::Segment;
use crate::plan::pattern::BLOCK;

/// The size of a unit as a type. With such a type, a copy of one unit is a single instruction.
pub(super) trait Width: 'static {
    /// The size in bytes, or 0 if it is known only at run time.
    const BYTES: usize;
    /// An integer type of the size of a unit.
    type Word: Copy;
}

macro_rules! widths {
    ($($name:ident $bytes:literal $word:ty),*) => {$(
        pub(super) struct $name;

        impl Width for $name {
            const BYTES: usize = $bytes;
            type Word = $word;
        }
    )*};
}
widths! { W1 1 u8, W2 2 u16, W4 4 u32, W8 8 u64, W16 16 u128, Any 0 u8 }

/// Copies one unit.
///
/// # Safety
///
/// - `unit` bytes are readable at `src` and writable at `dst`. `unit` is the size of the width, unless the width is `Any`.
#[inline(always)]
pub(super) unsafe fn copy_unit<W: Width>(src: *const u8, dst: *mut u8, unit: usize) {
    // SAFETY: the caller keeps the contract.
    unsafe {
        if W::BYTES == 0 {
            copy_exact(src, dst, unit);
        } else {
            put(dst, get::<W::Word>(src));
        }
    }
}

/// Writes rows, with `gap` positions of fill of the next outer axis between two rows.
///
/// # Safety
///
/// - For every row of `run`, all offsets of the innermost axis lie within source and destination.
#[inline(always)]
pub(super) unsafe fn write_strided<W: Width>(sheet: &Sheet<'_>, run: Run, gap: usize) {
    let Run { src, step, dst, pitch, count } = run;
    let unit = sheet.nest.unit;
    let Some(row) = sheet.nest.axes.last() else { return };
    let segments = row.segments();
    for i in 0..count as isize {
        let src = src + i * step;
        let dst = dst + i * (gap as isize + 1) * pitch;
        if i > 0 && gap > 0 {
            let around = sheet.nest.axes.len().saturating_sub(2);
            // SAFETY: the caller keeps the contract.
            unsafe { fill_axes(sheet, &sheet.nest.axes[around..], dst - gap as isize * pitch, gap) };
        }
        let mut to = sheet.dst.wrapping_offset(dst);
        for segment in segments.expanded() {
            // SAFETY: the caller keeps the contract.
            unsafe {
                match segment {
                    Segment::Source { from, step, count, gap } => {
                        let mut from = sheet.src.wrapping_offset(src + from * row.src_stride);
                        for i in 0..count {
                            if i > 0 {
                                to = fill_units(sheet, row, to, gap);
                            }
                            copy_unit::<W>(from, to, unit);
                            to = to.wrapping_offset(row.dst_stride);
                            from = from.wrapping_offset(step * row.src_stride);
                        }
                    }
                    Segment::Fill { count } | Segment::Again { count, .. } => {
                        to = fill_units(sheet, row, to, count);
                    }
                }
            }
        }
    }
}

/// Writes fill for `count` units from the address `to`. Returns the address after them.
///
/// # Safety
///
/// - The units lie within the destination.
#[inline(always)]
unsafe fn fill_units(sheet: &Sheet<'_>, row: &Axis, mut to: *mut u8, count: usize) -> *mut u8 {
    for _ in 0..count {
        // SAFETY: the caller keeps the contract.
        unsafe { fill_exact(sheet.fill, to, sheet.nest.unit) };
        to = to.wrapping_offset(row.dst_stride);
    }
    to
}

/// Writes fill for `count` positions of the first of `axes`, from offset `at`. It fills the other axes completely.
///
/// # Safety
///
/// - The positions lie within the destination.
pub(super) unsafe fn fill_axes(sheet: &Sheet<'_>, axes: &[Axis], mut at: isize, count: usize) {
    let [axis, inner @ ..] = axes else { return };
    let unit = sheet.nest.unit;
    // SAFETY: the caller keeps the contract.
    unsafe {
        if inner.is_empty() && axis.dst_stride == unit as isize {
            return fill_exact(sheet.fill, sheet.dst.offset(at), count * unit);
        }
        if let [row] = inner
            && row.dst_stride == unit as isize
            && row.out * unit <= BLOCK
        {
            // Short rows are copied from the block of fill. A call for each row would take 2.7 times as long (borders of 8 `f32` beside
            // rows of 3).
            for _ in 0..count {
                copy_exact(sheet.fill.block().as_ptr(), sheet.dst.offset(at), row.out * unit);
                at = at.wrapping_add(axis.dst_stride);
            }
            return;
        }
        for _ in 0..count {
            match inner.first() {
                Some(first) => fill_axes(sheet, inner, at, first.out),
                None => fill_exact(sheet.fill, sheet.dst.offset(at), unit),
            }
            at = at.wrapping_add(axis.dst_stride);
        }
    }
}

/// Shells for units of one width, as in [`Shells`](super::program::Shells). They call functions of this module and of
/// [`tile`](super::tile).
pub(super) trait StridedShells<W: Width>: Simd + Sized {
    unsafe fn write_strided(sheet: &Sheet<'_>, run: Run, gap: usize);
    unsafe fn transpose(
        src: *const u8,
        across: isize,
        dst: (*mut u8, usize),
        size: (usize, usize),
        unit: usize,
    );
}
