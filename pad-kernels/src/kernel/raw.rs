//! Single loads and stores at any address, and copies of exact length. The instruction sets use these functions, too.

use core::ptr;

/// Reads a `T` from any address.
///
/// # Safety
///
/// - `size_of::<T>()` bytes at `src` are readable. Any bytes are a value of `T`.
#[inline(always)]
pub(super) unsafe fn get<T: Copy>(src: *const u8) -> T {
    // SAFETY: the caller keeps the contract.
    unsafe { src.cast::<T>().read_unaligned() }
}

/// Writes a `T` to any address.
///
/// # Safety
///
/// - `size_of::<T>()` bytes at `dst` are writable.
#[inline(always)]
pub(super) unsafe fn put<T: Copy>(dst: *mut u8, value: T) {
    // SAFETY: the caller keeps the contract.
    unsafe { dst.cast::<T>().write_unaligned(value) }
}

/// Copies `BYTES` bytes.
///
/// A load and a store of an array would go through the stack. Cascade Lake, rows of 65 bytes: that takes 1.4 times as long.
///
/// # Safety
///
/// - `BYTES` bytes at `src` are readable, and `BYTES` bytes at `dst` are writable. They do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_of<const BYTES: usize>(src: *const u8, dst: *mut u8) {
    // SAFETY: the caller keeps the contract.
    unsafe { ptr::copy_nonoverlapping(src, dst, BYTES) }
}

/// Copies `bytes` bytes and touches no others.
///
/// # Safety
///
/// - `bytes` bytes at `src` are readable, and `bytes` bytes at `dst` are writable. They do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_exact(src: *const u8, dst: *mut u8, bytes: usize) {
    /// Makes two copies of `SIDE` bytes: one from the start, and one up to the end. The copies may overlap. `bytes` is at least `SIDE`, and
    /// at most twice `SIDE`.
    #[inline(always)]
    unsafe fn ends<const SIDE: usize>(src: *const u8, dst: *mut u8, bytes: usize) {
        let last = bytes - SIDE;
        // SAFETY: both copies lie within the `bytes` bytes.
        unsafe {
            copy_of::<SIDE>(src, dst);
            copy_of::<SIDE>(src.add(last), dst.add(last));
        }
    }
    // SAFETY: the caller keeps the contract. Each arm moves only these bytes.
    unsafe {
        match bytes {
            65.. => ptr::copy_nonoverlapping(src, dst, bytes),
            32.. => ends::<32>(src, dst, bytes),
            16.. => ends::<16>(src, dst, bytes),
            8.. => ends::<8>(src, dst, bytes),
            4.. => ends::<4>(src, dst, bytes),
            2.. => ends::<2>(src, dst, bytes),
            1 => put(dst, get::<u8>(src)),
            0 => {}
        }
    }
}
