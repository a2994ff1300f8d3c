//! Allocates memory between two protected pages. An access outside the memory ends the process.
//!
//! On systems other than Unix, the memory is not protected. Under Miri it is not protected either, because Miri finds invalid
//! accesses itself.

pub use imp::Guarded;
#[cfg(all(unix, not(miri)))]
pub use imp::GuardedRows;

#[cfg(all(unix, not(miri)))]
mod imp {
    use std::ptr::NonNull;
    use std::{io, ptr, slice};

    /// Zeroed bytes between two protected pages.
    #[derive(Debug)]
    pub struct Guarded {
        mapping: NonNull<u8>,
        mapped: usize,
        page: usize,
    }

    // SAFETY: only this value owns the mapping, as a vector owns its memory.
    unsafe impl Send for Guarded {}

    impl Guarded {
        /// Maps at least `bytes` bytes, rounded up to whole pages.
        pub fn new(bytes: usize) -> Guarded {
            // SAFETY: the call has no preconditions. It returns a constant of the system.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            let page = usize::try_from(page).expect("a page has a size");
            let mapped = bytes.next_multiple_of(page) + 2 * page;
            let (protection, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: the system chooses the address, so the new private mapping overlaps no other memory.
            let mapping = unsafe { libc::mmap(ptr::null_mut(), mapped, protection, flags, -1, 0) };
            assert!(mapping != libc::MAP_FAILED, "mmap of {mapped} bytes: {}", io::Error::last_os_error());
            let mapping = NonNull::new(mapping.cast::<u8>()).expect("no mapping at address 0");
            let guarded = Guarded { mapping, mapped, page };
            guarded.protect(0);
            guarded.protect(mapped - page);
            guarded
        }

        /// Protects the page at `offset` in the mapping. No reference to the page may exist.
        fn protect(&self, offset: usize) {
            // SAFETY: the page is inside of the mapping, and no reference to it exists.
            let refused = unsafe {
                libc::mprotect(self.mapping.as_ptr().add(offset).cast(), self.page, libc::PROT_NONE)
            };
            assert_eq!(refused, 0, "mprotect: {}", io::Error::last_os_error());
        }

        /// Returns all bytes between the protected pages.
        pub fn bytes(&self) -> &[u8] {
            // SAFETY: the pages between the protected ones are readable, initialized to zero, and borrowed with `self`.
            unsafe { slice::from_raw_parts(self.start(), self.len()) }
        }

        /// Returns all bytes between the protected pages.
        pub fn bytes_mut(&mut self) -> &mut [u8] {
            // SAFETY: the pages between the protected ones are writable, initialized, and borrowed exclusively with `self`.
            unsafe { slice::from_raw_parts_mut(self.start(), self.len()) }
        }

        fn start(&self) -> *mut u8 {
            // SAFETY: the mapping has at least two pages, so the offset of one page is inside it.
            unsafe { self.mapping.as_ptr().add(self.page) }
        }

        fn len(&self) -> usize {
            self.mapped - 2 * self.page
        }
    }

    impl Drop for Guarded {
        fn drop(&mut self) {
            // SAFETY: `new` made the mapping, and no borrow of it is left.
            let refused = unsafe { libc::munmap(self.mapping.as_ptr().cast(), self.mapped) };
            debug_assert_eq!(refused, 0, "munmap: {}", io::Error::last_os_error());
        }
    }

    /// Zeroed rows of one page each. A protected page is before and after each row.
    #[derive(Debug)]
    pub struct GuardedRows(Guarded);

    impl GuardedRows {
        pub fn new(rows: usize) -> GuardedRows {
            let page = Guarded::new(0).page;
            let all = Guarded::new(2 * rows * page);
            (0..rows).for_each(|row| all.protect((2 * row + 2) * page));
            GuardedRows(all)
        }

        /// Returns the number of bytes from the start of one row to the start of the next.
        pub fn pitch(&self) -> usize {
            2 * self.0.page
        }

        pub fn rows(&self) -> usize {
            self.0.len() / self.pitch()
        }

        pub fn row_mut(&mut self, number: usize) -> &mut [u8] {
            assert!(number < self.rows());
            // SAFETY: the page of a row is readable, writable, and borrowed exclusively with `self`.
            unsafe { slice::from_raw_parts_mut(self.0.start().add(number * self.pitch()), self.0.page) }
        }

        /// Returns the start of the first row. Each further row begins [`pitch`](Self::pitch) bytes later.
        pub fn as_ptr(&self) -> *const u8 {
            self.0.start()
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn one_byte_too_far_faults() {
            let guarded = Guarded::new(100);
            // SAFETY: both addresses are inside the mapping, in the protected pages. Nothing is accessed.
            let [before, behind] = unsafe { [guarded.start().sub(1), guarded.start().add(guarded.len())] };
            for (address, writes) in [(before, false), (behind, false), (before, true), (behind, true)] {
                let status = in_a_child(|| {
                    // SAFETY: the access must fault and end the child process, so nothing is read or written.
                    unsafe {
                        match writes {
                            false => _ = ptr::read_volatile(address),
                            true => ptr::write_volatile(address, 1),
                        }
                    }
                });
                let faulted = libc::WIFSIGNALED(status)
                    && matches!(libc::WTERMSIG(status), libc::SIGSEGV | libc::SIGBUS);
                assert!(faulted, "{} {status:#x}", if address == before { "before" } else { "behind" });
            }
            // An access between the protected pages does not fault.
            let inside = guarded.start();
            // SAFETY: the first byte between the protected pages is readable.
            let status = in_a_child(|| _ = unsafe { ptr::read_volatile(inside) });
            assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "{status:#x}");
        }

        /// Calls `touch`, which only accesses memory, in a child process, and returns the exit status of the child.
        /// The process forks, because an emulator cannot start this program again.
        fn in_a_child(touch: impl FnOnce()) -> libc::c_int {
            // SAFETY: the child only accesses memory and then calls `_exit`.
            unsafe {
                let child = libc::fork();
                if child == 0 {
                    touch();
                    libc::_exit(0);
                }
                assert!(child > 0, "fork: {}", io::Error::last_os_error());
                let mut status = 0;
                assert_eq!(libc::waitpid(child, &mut status, 0), child, "{}", io::Error::last_os_error());
                status
            }
        }
    }
}

#[cfg(not(all(unix, not(miri))))]
mod imp {
    /// Zeroed bytes on systems without page protection. Like pages, they are aligned for every element type.
    #[derive(Debug)]
    // The path is complete, because tests of `pad-kernels` include this file without the prelude of `std`.
    pub struct Guarded(std::vec::Vec<u128>);

    impl Guarded {
        /// Allocates at least `bytes` bytes, rounded up to a multiple of 16.
        pub fn new(bytes: usize) -> Guarded {
            Guarded(std::vec![0; bytes.div_ceil(size_of::<u128>())])
        }

        pub fn bytes(&self) -> &[u8] {
            bytemuck::cast_slice(&self.0)
        }

        pub fn bytes_mut(&mut self) -> &mut [u8] {
            bytemuck::cast_slice_mut(&mut self.0)
        }
    }
}
