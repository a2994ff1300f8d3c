//! Conversions between slices of elements and bytes, and allocation of new outputs.

use alloc::alloc::{alloc, alloc_zeroed};
use alloc::vec::Vec;
use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::{ptr, slice};

use crate::element::Element;
use crate::error::PadError;
use crate::kernel::{Written, threshold};
use crate::plan::adjoint::Numbers;

/// The minimum size, in bytes, of a new output that is allocated as zero pages, if the fill is zero.
///
/// An allocator requests blocks of this size from the system, whose fresh pages are zero. The library then never writes pages
/// that contain only fill. Smaller allocations reuse memory, which the allocator would have to clear (glibc: below 32 MiB).
///
/// Skylake: an output of 32 MiB, three quarters of it fill, takes 4.7 ms as zero pages and 13 ms otherwise. An output of 12 MB
/// takes 5.5 ms as zero pages and 2.6 ms otherwise.
pub(crate) const ZEROED_FROM: usize = threshold(32 << 20, 1 << 10);

/// The minimum size, in bytes, of a new output for which large pages are requested. NumPy does this, too. A page fault takes longer than
/// writing a small page.
///
/// Skylake: a new tensor of 34 MiB takes 17 ms with large pages and 45 ms without.
const LARGE_PAGES_FROM: usize = 4 << 20;

/// Returns the bytes of elements.
pub(crate) fn as_bytes<T: Element>(values: &[T]) -> &[u8] {
    // SAFETY:
    // - The bytes belong to the slice and are borrowed as long as it is.
    // - The contract of `Element` says that all of them are initialised.
    unsafe { slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// Returns the bytes of numbers. The caller may write any bytes.
///
/// # Panics
///
/// The call panics unless `T` is a number type that can be summed. In other types, some bit patterns are not valid.
pub(crate) fn numbers_as_bytes<T: Element>(values: &mut [T]) -> &mut [u8] {
    assert!(T::DTYPE.is_some_and(|dtype| Numbers::of(dtype).is_some()));
    // SAFETY:
    // - The bytes belong to the slice and are borrowed exclusively. `Element` says that they are initialised.
    // - All bit patterns are values of a type that can be summed. The assertion checks the type.
    unsafe { slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

/// Returns the number zero.
///
/// # Panics
///
/// The call panics unless `T` is a number type that can be summed.
pub(crate) fn zero_number<T: Element>() -> T {
    assert!(T::DTYPE.is_some_and(|dtype| Numbers::of(dtype).is_some()));
    // SAFETY: the assertion checks the type, and for such types all bit patterns are values.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// Returns a slice that the caller is about to overwrite. The caller must write only initialised values to it.
pub(crate) fn as_uninit<T>(values: &mut [T]) -> &mut [MaybeUninit<T>] {
    let (start, len) = (values.as_mut_ptr(), values.len());
    // SAFETY:
    // - `MaybeUninit<T>` has the layout of `T`, and the slice is borrowed exclusively.
    // - Callers pass the result to kernels, which write only initialised elements.
    unsafe { slice::from_raw_parts_mut(start.cast(), len) }
}

/// Returns the bytes of memory for elements.
pub(crate) fn as_uninit_bytes<T: Element>(values: &mut [MaybeUninit<T>]) -> &mut [MaybeUninit<u8>] {
    let (start, bytes) = (values.as_mut_ptr(), size_of_val(values));
    // SAFETY: the bytes belong to the slice and are borrowed exclusively. A `MaybeUninit` byte needs no value.
    unsafe { slice::from_raw_parts_mut(start.cast(), bytes) }
}

/// Returns bytes that are all initialised.
///
/// # Safety
///
/// - All bytes are initialised.
pub(crate) unsafe fn assume_init(bytes: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    let (start, len) = (bytes.as_mut_ptr(), bytes.len());
    // SAFETY: the caller guarantees the values, and the slice is borrowed exclusively.
    unsafe { slice::from_raw_parts_mut(start.cast(), len) }
}

/// Returns the elements after a kernel has written all of their bytes.
///
/// # Panics
///
/// The call panics if `written` counts fewer or more bytes.
pub(crate) fn written<T: Element>(dst: &mut [MaybeUninit<T>], written: Written) -> &mut [T] {
    assert_eq!(written.0, size_of_val(dst), "all of the output is written");
    let (start, len) = (dst.as_mut_ptr(), dst.len());
    // SAFETY:
    // - Kernels have initialised all bytes. They received only this memory to write to.
    // - Each element is a copy of an input element or of the fill. The fill is a `T`, or the zero of its type.
    unsafe { slice::from_raw_parts_mut(start.cast(), len) }
}

/// Returns a new vector of `len` elements, which `write` writes. If `zeroed`, the memory is zero before the call of `write`.
///
/// # Errors
///
/// [`PadError::OutOfMemory`], and the errors of `write`.
///
/// # Panics
///
/// The call panics if `write` does not write all elements.
pub(crate) fn new_vec<T: Element>(
    len: usize,
    zeroed: bool,
    write: impl FnOnce(&mut [MaybeUninit<T>]) -> Result<Written, PadError>,
) -> Result<Vec<T>, PadError> {
    let bytes = len.saturating_mul(size_of::<T>());
    let mut dst = allocate::<T>(len, zeroed).ok_or(PadError::OutOfMemory { bytes })?;
    let memory = dst.spare_capacity_mut().split_at_mut(len).0;
    let bytes = write(memory)?;
    written(memory, bytes);
    // SAFETY: `written` has returned all of the first `len` elements initialised.
    unsafe { dst.set_len(len) };
    Ok(dst)
}

/// Returns a new vector of `len` zeros.
///
/// # Errors
///
/// - [`PadError::FillRequired`] if the type has no zero.
/// - [`PadError::OutOfMemory`] if the memory cannot be allocated.
pub(crate) fn zeros<T: Element>(len: usize) -> Result<Vec<T>, PadError> {
    if !T::HAS_ZERO {
        return Err(PadError::FillRequired { dtype: T::DTYPE });
    }
    // The memory is zero. `Element` says that zero bits are a value of types with a zero.
    new_vec(len, true, |dst| Ok(Written(size_of_val(dst))))
}

/// Sets memory to zero and returns it as elements.
///
/// # Errors
///
/// [`PadError::FillRequired`] if the type has no zero.
pub(crate) fn zeroed<T: Element>(dst: &mut [MaybeUninit<T>]) -> Result<&mut [T], PadError> {
    if !T::HAS_ZERO {
        return Err(PadError::FillRequired { dtype: T::DTYPE });
    }
    as_uninit_bytes(dst).fill(MaybeUninit::new(0));
    // All bytes are zero. `Element` says that zero bits are a value of types with a zero.
    let bytes = Written(size_of_val(dst));
    Ok(written(dst, bytes))
}

/// Returns an empty vector with room for `len` elements. If `zeroed`, its memory is zero.
fn allocate<T: Element>(len: usize, zeroed: bool) -> Option<Vec<T>> {
    if len == 0 {
        return Some(Vec::new());
    }
    let layout = Layout::array::<T>(len).ok()?;
    // SAFETY: elements are not zero-sized and there is at least one, so the size of the layout is not zero.
    let start = unsafe { if zeroed { alloc_zeroed(layout) } else { alloc(layout) } };
    let start = ptr::NonNull::new(start)?;
    if layout.size() >= LARGE_PAGES_FROM {
        // SAFETY: the bytes are the whole allocation.
        unsafe { advise_large_pages(start.as_ptr(), layout.size()) };
    }
    // SAFETY: the global allocator has just returned this memory for the layout of `len` elements. The vector gets the length 0,
    // so no element has to be initialised.
    Some(unsafe { Vec::from_raw_parts(start.as_ptr().cast(), 0, len) })
}

/// Asks the system for large pages within the `bytes` bytes from `start`.
///
/// # Safety
///
/// - The bytes are one allocation.
#[cfg(all(target_os = "linux", target_pointer_width = "64", feature = "std", not(miri)))]
unsafe fn advise_large_pages(start: *mut u8, bytes: usize) {
    use core::ffi::{c_int, c_void};

    const LARGE_PAGE: usize = 2 << 20;
    const MADV_HUGEPAGE: c_int = 14;
    unsafe extern "C" {
        fn madvise(start: *mut c_void, len: usize, advice: c_int) -> c_int;
    }
    let before = start.align_offset(LARGE_PAGE);
    let whole = bytes.saturating_sub(before) / LARGE_PAGE * LARGE_PAGE;
    if whole > 0 {
        // SAFETY:
        // - The range lies within the allocation and begins at a page.
        // - The advice does not change any byte. It only affects the time.
        unsafe { madvise(start.add(before).cast(), whole, MADV_HUGEPAGE) };
    }
}

/// Does nothing, because other systems have no such call.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64", feature = "std", not(miri))))]
unsafe fn advise_large_pages(_: *mut u8, _: usize) {}
