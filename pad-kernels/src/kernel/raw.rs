//! Single moves: reads and writes at any address, and copies to the byte, of which instruction sets are made too.

use core::ptr;

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

/// Copies `bytes` bytes and touches no others.
///
/// # Safety
///
/// - `bytes` at `src` are readable and at `dst` writable, and they do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_exact(src: *const u8, dst: *mut u8, bytes: usize) {
    /// Two moves of a `T`, which meet or overlap, for sizes from one to two of them.
    #[inline(always)]
    unsafe fn ends<T: Copy>(src: *const u8, dst: *mut u8, bytes: usize) {
        let last = bytes - size_of::<T>();
        // SAFETY: both ends lie within the `bytes`.
        unsafe {
            put(dst, get::<T>(src));
            put(dst.add(last), get::<T>(src.add(last)));
        }
    }
    // SAFETY: the caller's; each arm moves within `bytes`.
    unsafe {
        match bytes {
            65.. => ptr::copy_nonoverlapping(src, dst, bytes),
            32.. => ends::<[u8; 32]>(src, dst, bytes),
            16.. => ends::<[u8; 16]>(src, dst, bytes),
            8.. => ends::<u64>(src, dst, bytes),
            4.. => ends::<u32>(src, dst, bytes),
            2.. => ends::<u16>(src, dst, bytes),
            1 => put(dst, get::<u8>(src)),
            0 => {}
        }
    }
}
