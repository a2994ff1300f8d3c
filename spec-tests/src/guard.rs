//! Memory with nothing mapped before and behind it: a byte read or written too far ends the process.
//!
//! Where pages cannot be protected (other systems than Unix, Miri, which finds such accesses by itself) it is plain
//! memory.

pub use imp::{Guarded, GuardedRows};

#[cfg(all(unix, not(miri)))]
mod imp {
    use std::ptr::NonNull;
    use std::{io, ptr, slice};

    /// Zeroed bytes between two pages that cannot be touched.
    #[derive(Debug)]
    pub struct Guarded {
        mapping: NonNull<u8>,
        mapped: usize,
        page: usize,
    }

    // SAFETY: the mapping is owned by this value alone, like the memory of a vector.
    unsafe impl Send for Guarded {}

    impl Guarded {
        /// At least `bytes` bytes, rounded up to whole pages.
        pub fn new(bytes: usize) -> Guarded {
            // SAFETY: asks for a constant of the system.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            let page = usize::try_from(page).expect("a page has a size");
            let mapped = bytes.next_multiple_of(page) + 2 * page;
            // SAFETY: a new private mapping at an address of the system's choice; nothing else lies there.
            let mapping = unsafe {
                libc::mmap(
                    ptr::null_mut(),
                    mapped,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                    -1,
                    0,
                )
            };
            assert!(mapping != libc::MAP_FAILED, "mmap of {mapped} bytes: {}", io::Error::last_os_error());
            let mapping = NonNull::new(mapping.cast::<u8>()).expect("no mapping at address 0");
            let guarded = Guarded { mapping, mapped, page };
            for offset in [0, mapped - page] {
                // SAFETY: the first and the last page of the mapping, to which no reference exists yet.
                let refused =
                    unsafe { libc::mprotect(mapping.as_ptr().add(offset).cast(), page, libc::PROT_NONE) };
                assert_eq!(refused, 0, "mprotect: {}", io::Error::last_os_error());
            }
            guarded
        }

        /// All of the bytes, from page to page.
        pub fn bytes(&self) -> &[u8] {
            // SAFETY: the pages between the two protected ones are readable, initialised (zero at first) and
            // borrowed with `self`.
            unsafe { slice::from_raw_parts(self.start(), self.len()) }
        }

        /// All of the bytes, from page to page.
        pub fn bytes_mut(&mut self) -> &mut [u8] {
            // SAFETY: as for `bytes`, writable and borrowed exclusively with `self`.
            unsafe { slice::from_raw_parts_mut(self.start(), self.len()) }
        }

        fn start(&self) -> *mut u8 {
            // SAFETY: the mapping has at least the two protected pages.
            unsafe { self.mapping.as_ptr().add(self.page) }
        }

        fn len(&self) -> usize {
            self.mapped - 2 * self.page
        }
    }

    impl Drop for Guarded {
        fn drop(&mut self) {
            // SAFETY: the mapping of `new`, to which no borrow is left.
            let refused = unsafe { libc::munmap(self.mapping.as_ptr().cast(), self.mapped) };
            debug_assert_eq!(refused, 0, "munmap: {}", io::Error::last_os_error());
        }
    }

    /// Zeroed rows of a page each, with pages that cannot be touched before and behind each.
    #[derive(Debug)]
    pub struct GuardedRows(Guarded);

    impl GuardedRows {
        pub fn new(rows: usize) -> GuardedRows {
            let page = Guarded::new(0).page;
            let all = Guarded::new(2 * rows * page);
            for row in 0..rows {
                // SAFETY: the page behind a row, of which there is no reference, and none will be: only rows are borrowed.
                let refused = unsafe {
                    let behind = all.start().add((2 * row + 1) * page);
                    libc::mprotect(behind.cast(), page, libc::PROT_NONE)
                };
                assert_eq!(refused, 0, "mprotect: {}", io::Error::last_os_error());
            }
            GuardedRows(all)
        }

        /// Bytes from one row to the next.
        pub fn pitch(&self) -> usize {
            2 * self.0.page
        }

        pub fn row_mut(&mut self, number: usize) -> &mut [u8] {
            assert!((number + 1) * self.pitch() <= self.0.len());
            // SAFETY: a page that is readable, writable and borrowed exclusively with `self`.
            unsafe { slice::from_raw_parts_mut(self.0.start().add(number * self.pitch()), self.0.page) }
        }

        /// Where the first row begins. The others follow a pitch apart.
        pub fn as_ptr(&self) -> *const u8 {
            self.0.start()
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn all_bytes_are_there() {
            for bytes in [0, 1, 4096, 4097] {
                let mut guarded = Guarded::new(bytes);
                let len = guarded.bytes().len();
                assert!(len >= bytes && len.is_multiple_of(guarded.page));
                assert!(guarded.bytes().iter().all(|&byte| byte == 0));
                guarded.bytes_mut().fill(7);
                assert!(guarded.bytes().iter().all(|&byte| byte == 7));
            }
        }

        #[test]
        fn one_byte_too_far_faults() {
            let guarded = Guarded::new(100);
            // SAFETY: only computes the addresses of the pages' nearest bytes.
            let [before, behind] = unsafe { [guarded.start().sub(1), guarded.start().add(guarded.len())] };
            for (address, writes) in [(before, false), (behind, false), (before, true), (behind, true)] {
                let status = in_a_child(|| {
                    // SAFETY: none: the access is meant to fault, and ends the child.
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
            // What is in between does not fault.
            let inside = guarded.start();
            // SAFETY: the first byte, which is readable.
            let status = in_a_child(|| _ = unsafe { ptr::read_volatile(inside) });
            assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "{status:#x}");
        }

        /// The status that a child ends with after `touch`, which does nothing but touch memory. Forked, because
        /// an emulator cannot start this program again.
        fn in_a_child(touch: impl FnOnce()) -> libc::c_int {
            // SAFETY: between the fork and its end the child makes no call but `_exit`.
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
    /// Zeroed bytes, where no page can be protected. As pages do, they begin and end where any element may.
    #[derive(Debug)]
    // In full, as pad-kernels' tests take this file in, without the prelude of std.
    pub struct Guarded(std::vec::Vec<u128>);

    impl Guarded {
        /// At least `bytes` bytes, rounded up to whole elements of the largest type.
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

    /// Zeroed rows with as much memory between them.
    #[derive(Debug)]
    pub struct GuardedRows(Guarded);

    impl GuardedRows {
        const ROW: usize = 4096;

        pub fn new(rows: usize) -> GuardedRows {
            GuardedRows(Guarded::new(2 * rows * Self::ROW))
        }

        /// Bytes from one row to the next.
        pub fn pitch(&self) -> usize {
            2 * Self::ROW
        }

        pub fn row_mut(&mut self, number: usize) -> &mut [u8] {
            &mut self.0.bytes_mut()[2 * number * Self::ROW..][..Self::ROW]
        }

        /// Where the first row begins. The others follow a pitch apart.
        pub fn as_ptr(&self) -> *const u8 {
            self.0.bytes().as_ptr()
        }
    }
}
