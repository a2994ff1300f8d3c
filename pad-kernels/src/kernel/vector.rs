//! What differs between instruction sets: the register, and the cells of short rows.
//!
//! Nothing here is exact: loads and stores run up to [`OVERSHOOT`] past what was asked for. The output is written
//! front to back, so the next store mends what this one spilt; the sink keeps away from the ends of its buffers.

use crate::plan::pattern::{BLOCK, Pattern};

/// The most bytes by which loads and stores run past what was asked for.
pub(super) const OVERSHOOT: usize = BLOCK;

/// Cells from 9 to this many bytes of source and fill are woven, several a register.
const WOVEN: usize = 32;

/// Short rows: `count` times `body` bytes of the source and `gap` bytes of fill.
///
/// The contract of everything that takes them:
/// - `body` bytes at each of `count` sources, `stride` apart from `src`, and [`OVERSHOOT`] bytes behind the last byte
///   of any of them are readable.
/// - `count * (body + gap) + OVERSHOOT` bytes at `dst` are writable. `count` is at least 1.
/// - `gap` is at most [`BLOCK`], and `fill` has a step.
pub(super) struct Cells<'a> {
    pub(super) src: *const u8,
    pub(super) stride: isize,
    pub(super) dst: *mut u8,
    pub(super) count: usize,
    pub(super) body: usize,
    pub(super) gap: usize,
    pub(super) fill: &'a Pattern,
}

/// An instruction set as a type. Kernels are compiled with it enabled, so that moving a register is one load and one
/// store.
pub(super) trait Vector {
    /// As many bytes as a register holds.
    type Register: Copy;

    /// Writes cells.
    ///
    /// # Safety
    ///
    /// - The contract of [`Cells`]; the machine has the instruction set.
    unsafe fn cells(cells: &Cells<'_>, weave: &mut Option<Weave>);
}

pub(super) struct Portable;

impl Vector for Portable {
    type Register = [u8; 16];

    unsafe fn cells(cells: &Cells<'_>, _: &mut Option<Weave>) {
        // SAFETY: the caller's.
        unsafe { one_by_one::<[u8; 16]>(cells) }
    }
}

/// How cells come from the source within one register: `lanes` cells, each byte from an index or from the fill.
pub(super) struct Weave {
    /// What the table was made for.
    key: (isize, usize, usize),
    lanes: usize,
    /// Bytes of source and of output that `lanes` cells take.
    src_step: isize,
    dst_step: usize,
    /// The source byte of each output byte; the top bit is set where there is none.
    index: [u8; BLOCK],
    /// The fill where there is no source byte, and zero elsewhere.
    fill: [u8; BLOCK],
}

impl Weave {
    /// The table for these cells in registers of `register` bytes, if two of them fit.
    fn new(cells: &Cells<'_>, register: usize) -> Weave {
        let cell = cells.body + cells.gap;
        let stride = cells.stride.max(0) as usize;
        let mut lanes = register / cell;
        while lanes > 1 && (lanes - 1) * stride + cells.body > register {
            lanes -= 1;
        }
        let mut weave = Weave {
            key: (cells.stride, cells.body, cells.gap),
            lanes,
            src_step: lanes as isize * cells.stride,
            dst_step: lanes * cell,
            index: [0x80; BLOCK],
            fill: [0; BLOCK],
        };
        for lane in 0..lanes {
            for byte in 0..cells.body {
                weave.index[lane * cell + byte] = (lane * stride + byte) as u8;
            }
            let gap = lane * cell + cells.body;
            weave.fill[gap..gap + cells.gap].copy_from_slice(&cells.fill.block()[..cells.gap]);
        }
        weave
    }

    /// The table for these cells, made once for as long as they stay alike.
    #[inline(always)]
    fn of<'a>(cells: &Cells<'_>, register: usize, weave: &'a mut Option<Weave>) -> &'a Weave {
        let key = (cells.stride, cells.body, cells.gap);
        if weave.as_ref().is_some_and(|weave| weave.key != key) {
            *weave = None;
        }
        weave.get_or_insert_with(|| Weave::new(cells, register))
    }
}

/// Cells one after the other, in whole registers.
///
/// # Safety
///
/// - The contract of [`Cells`].
#[inline(always)]
unsafe fn one_by_one<R: Copy>(cells: &Cells<'_>) {
    let vectors = cells.body.div_ceil(size_of::<R>());
    // SAFETY: the caller's, and each arm is for as many registers as the body needs.
    unsafe {
        seq_macro::seq!(N in 1..=8 {
            match vectors {
                #(N => each::<R, N>(cells),)*
                _ => {
                    let Cells { mut src, mut dst, .. } = *cells;
                    for _ in 0..cells.count {
                        for at in (0..cells.body).step_by(size_of::<R>()) {
                            put(dst.add(at), get::<R>(src.add(at)));
                        }
                        (src, dst) = gap::<R>(cells, src, dst);
                    }
                }
            }
        });
    }
}

/// Cells whose bodies take `N` registers.
///
/// # Safety
///
/// - The contract of [`Cells`].
#[inline(always)]
unsafe fn each<R: Copy, const N: usize>(cells: &Cells<'_>) {
    let Cells { mut src, mut dst, .. } = *cells;
    for _ in 0..cells.count {
        // SAFETY: the caller's.
        unsafe {
            for i in 0..N {
                put(dst.add(i * size_of::<R>()), get::<R>(src.add(i * size_of::<R>())));
            }
            (src, dst) = gap::<R>(cells, src, dst);
        }
    }
}

/// The gap behind a body, and the next cell's source and destination.
///
/// # Safety
///
/// - The contract of [`Cells`], for the cell at `src` and `dst`.
#[inline(always)]
unsafe fn gap<R: Copy>(cells: &Cells<'_>, src: *const u8, dst: *mut u8) -> (*const u8, *mut u8) {
    // SAFETY: the caller's. The source behind the last cell is not read, and may lie outside.
    unsafe {
        let behind = dst.add(cells.body);
        if cells.gap > size_of::<R>() {
            put(behind, *cells.fill.block());
        } else if cells.gap > 0 {
            put(behind, get::<R>(cells.fill.block().as_ptr()));
        }
        (src.wrapping_offset(cells.stride), behind.add(cells.gap))
    }
}

/// Reads a `T` from any address.
///
/// # Safety
///
/// - `size_of::<T>()` bytes at `src` are readable, and any bytes are a `T`.
#[inline(always)]
pub(super) unsafe fn get<T: Copy>(src: *const u8) -> T {
    // SAFETY: the caller's.
    unsafe { src.cast::<T>().read_unaligned() }
}

/// Writes a `T` to any address.
///
/// # Safety
///
/// - `size_of::<T>()` bytes at `dst` are writable.
#[inline(always)]
pub(super) unsafe fn put<T: Copy>(dst: *mut u8, value: T) {
    // SAFETY: the caller's.
    unsafe { dst.cast::<T>().write_unaligned(value) }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::{
        __m128i, __m512i, _mm_or_si128, _mm_shuffle_epi8, _mm512_maskz_permutexvar_epi8, _mm512_movepi8_mask,
        _mm512_or_si512,
    };

    use super::{Cells, Vector, WOVEN, Weave, get, one_by_one, put};

    pub(in crate::kernel) struct Avx2;

    impl Vector for Avx2 {
        type Register = [u8; 32];

        #[target_feature(enable = "avx2,bmi1,bmi2")]
        unsafe fn cells(cells: &Cells<'_>, weave: &mut Option<Weave>) {
            // SAFETY: the caller's; a woven register reads and writes 16 bytes from a cell on, which is less than a
            // cell and what it may overshoot.
            unsafe {
                if cells.body + cells.gap > 16 || cells.stride < 0 {
                    return one_by_one::<[u8; 32]>(cells);
                }
                let weave = Weave::of(cells, 16, weave);
                let index = get::<__m128i>(weave.index.as_ptr());
                let fill = get::<__m128i>(weave.fill.as_ptr());
                let Cells { mut src, mut dst, .. } = *cells;
                for _ in 0..cells.count.div_ceil(weave.lanes) {
                    put(dst, _mm_or_si128(_mm_shuffle_epi8(get(src), index), fill));
                    src = src.wrapping_offset(weave.src_step);
                    dst = dst.add(weave.dst_step);
                }
            }
        }
    }

    pub(in crate::kernel) struct Avx512;

    impl Vector for Avx512 {
        type Register = [u8; 64];

        #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
        unsafe fn cells(cells: &Cells<'_>, weave: &mut Option<Weave>) {
            // SAFETY: the caller's; a woven register reads and writes 64 bytes from a cell on, which is less than a
            // cell and what it may overshoot.
            unsafe {
                if cells.body + cells.gap > WOVEN || cells.stride < 0 {
                    return one_by_one::<[u8; 64]>(cells);
                }
                let weave = Weave::of(cells, 64, weave);
                let index = get::<__m512i>(weave.index.as_ptr());
                let fill = get::<__m512i>(weave.fill.as_ptr());
                let from_source = !_mm512_movepi8_mask(index);
                let Cells { mut src, mut dst, .. } = *cells;
                for _ in 0..cells.count.div_ceil(weave.lanes) {
                    let bodies = _mm512_maskz_permutexvar_epi8(from_source, index, get(src));
                    put(dst, _mm512_or_si512(bodies, fill));
                    src = src.wrapping_offset(weave.src_step);
                    dst = dst.add(weave.dst_step);
                }
            }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) type Avx2 = Portable;
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Avx512 = Portable;
