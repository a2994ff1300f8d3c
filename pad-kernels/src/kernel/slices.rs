//! Between typed slices and bytes, and new tensors.

use alloc::alloc::{alloc, alloc_zeroed};
use alloc::vec::Vec;
use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::{ptr, slice};

use crate::element::Element;
use crate::error::PadError;
use crate::kernel::{Written, threshold};
use crate::plan::adjoint::Numbers;

/// New outputs at least this long start as zeroed pages if the fill is zero: allocators take memory of that size from the
/// system, whose fresh pages are zero anyway, and those that only hold fill are never touched. Below, they hand out memory
/// that was used before, which they would have to clear (glibc: below 32 MiB): a new tensor of 12 MB, a third of it fill,
/// took 5.5 ms zeroed and 2.6 ms so; one of 32 MiB, three quarters of it fill, 4.7 ms zeroed and 13 ms not (Skylake).
pub(crate) const ZEROED_FROM: usize = threshold(32 << 20, 1 << 10);

/// New outputs at least this long ask for large pages, as those of NumPy do: a fault takes longer than filling a small page.
/// New tensors of 34 and 276 MiB took 17 and 130 ms with them, 45 and 342 ms without (Skylake, a virtual machine).
const LARGE_PAGES_FROM: usize = 4 << 20;

/// The bytes of elements.
pub(crate) fn as_bytes<T: Element>(values: &[T]) -> &[u8] {
    // SAFETY:
    // - The bytes are those of the slice, borrowed for as long.
    // - `Element`: all of them are initialised.
    unsafe { slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The bytes of numbers, to be overwritten with others.
///
/// # Panics
///
/// If elements are no numbers that can be summed: of others not all bytes may be values.
pub(crate) fn numbers_as_bytes<T: Element>(values: &mut [T]) -> &mut [u8] {
    assert!(T::DTYPE.is_some_and(|dtype| Numbers::of(dtype).is_some()));
    // SAFETY:
    // - The bytes are those of the slice, borrowed exclusively for as long, and all of them are initialised (`Element`).
    // - Whatever is written to them is a value: of types that can be summed all bits are, and by the contract of `Element` they
    //   are values of `T`, too.
    unsafe { slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

/// The number zero.
///
/// # Panics
///
/// As for [`numbers_as_bytes`].
pub(crate) fn zero_number<T: Element>() -> T {
    assert!(T::DTYPE.is_some_and(|dtype| Numbers::of(dtype).is_some()));
    // SAFETY: of types that can be summed all bits are a value, and by the contract of `Element` a value of `T`, too.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// A slice that is about to be overwritten; only initialised values may be written to it.
pub(crate) fn as_uninit<T>(values: &mut [T]) -> &mut [MaybeUninit<T>] {
    let (start, len) = (values.as_mut_ptr(), values.len());
    // SAFETY:
    // - `MaybeUninit<T>` has the layout of `T`, and the borrow is exclusive for as long.
    // - Callers hand it to kernels, which write nothing but initialised elements.
    unsafe { slice::from_raw_parts_mut(start.cast(), len) }
}

/// The bytes of memory for elements.
pub(crate) fn as_uninit_bytes<T: Element>(values: &mut [MaybeUninit<T>]) -> &mut [MaybeUninit<u8>] {
    let (start, bytes) = (values.as_mut_ptr(), size_of_val(values));
    // SAFETY: the bytes are those of the slice, borrowed exclusively for as long; any byte may be uninitialised.
    unsafe { slice::from_raw_parts_mut(start.cast(), bytes) }
}

/// Bytes that are known to be initialised.
///
/// # Safety
///
/// - All of them are.
pub(crate) unsafe fn assume_init(bytes: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    let (start, len) = (bytes.as_mut_ptr(), bytes.len());
    // SAFETY: the caller's, and the borrow is exclusive for as long.
    unsafe { slice::from_raw_parts_mut(start.cast(), len) }
}

/// Elements that were written: as many bytes as they have.
///
/// # Panics
///
/// If not all of them were.
pub(crate) fn written<T: Element>(dst: &mut [MaybeUninit<T>], written: Written) -> &mut [T] {
    assert_eq!(written.0, size_of_val(dst), "all of the output is written");
    let (start, len) = (dst.as_mut_ptr(), dst.len());
    // SAFETY:
    // - So many bytes were initialised by kernels, which got this memory alone to write to.
    // - Each element is a copy of an input element or of the fill, which was given as a `T` or is the zero of its tag.
    unsafe { slice::from_raw_parts_mut(start.cast(), len) }
}

/// A new vector of `len` elements that `write` fills, in memory that holds zeros if it is `zeroed`.
///
/// # Errors
///
/// [`PadError::OutOfMemory`], and those of `write`.
///
/// # Panics
///
/// If not all elements were written.
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

/// A new vector of `len` zeros.
///
/// # Errors
///
/// [`PadError::FillRequired`] if the type has none, [`PadError::OutOfMemory`].
pub(crate) fn zeros<T: Element>(len: usize) -> Result<Vec<T>, PadError> {
    if !T::HAS_ZERO {
        return Err(PadError::FillRequired { dtype: T::DTYPE });
    }
    let bytes = len.saturating_mul(size_of::<T>());
    let mut values = allocate::<T>(len, true).ok_or(PadError::OutOfMemory { bytes })?;
    // SAFETY: so many elements of zero bits, which are values of the type, as `Element` says of those with a zero.
    unsafe { values.set_len(len) };
    Ok(values)
}

/// Memory made zero.
///
/// # Errors
///
/// [`PadError::FillRequired`] if the type has no zero.
pub(crate) fn zeroed<T: Element>(dst: &mut [MaybeUninit<T>]) -> Result<&mut [T], PadError> {
    if !T::HAS_ZERO {
        return Err(PadError::FillRequired { dtype: T::DTYPE });
    }
    as_uninit_bytes(dst).fill(MaybeUninit::new(0));
    let (start, len) = (dst.as_mut_ptr(), dst.len());
    // SAFETY:
    // - All bytes are zero, which is a value of the type, as `Element` says of those with a zero.
    // - The borrow is exclusive for as long.
    Ok(unsafe { slice::from_raw_parts_mut(start.cast(), len) })
}

/// An empty vector with room for `len` elements, of zero bits if `zeroed`.
fn allocate<T: Element>(len: usize, zeroed: bool) -> Option<Vec<T>> {
    if len == 0 {
        return Some(Vec::new());
    }
    let layout = Layout::array::<T>(len).ok()?;
    // SAFETY: an element has a size and there is at least one, so the layout's size is not zero.
    let start = unsafe { if zeroed { alloc_zeroed(layout) } else { alloc(layout) } };
    let start = ptr::NonNull::new(start)?;
    if layout.size() >= LARGE_PAGES_FROM {
        // SAFETY: they are the allocation.
        unsafe { advise_large_pages(start.as_ptr(), layout.size()) };
    }
    // SAFETY: allocated just now by the global allocator with the layout of `len` elements; none is claimed to be
    // initialised.
    Some(unsafe { Vec::from_raw_parts(start.as_ptr().cast(), 0, len) })
}

/// Asks the system for large pages behind `bytes` bytes from `start`, as far as they are whole.
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
        // - The range lies within the allocation, and begins at a page.
        // - This advice changes no byte. Whether it was taken makes no difference to anything but time.
        unsafe { madvise(start.add(before).cast(), whole, MADV_HUGEPAGE) };
    }
}

/// Elsewhere the system does as it likes.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64", feature = "std", not(miri))))]
unsafe fn advise_large_pages(_: *mut u8, _: usize) {}
