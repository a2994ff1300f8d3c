//! Defines a list that avoids allocations. A caller lends space to the list, often on the stack. If that space is full, the list
//! moves to the heap. A plan keeps a copy that has exactly the needed size.

use alloc::vec::Vec;
use core::fmt;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};
use core::slice;

/// Space for `N` entries.
pub(super) struct Room<T, const N: usize>([MaybeUninit<T>; N]);

impl<T: Copy, const N: usize> Room<T, N> {
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Room([MaybeUninit::uninit(); N])
    }

    /// Returns an empty list in this space.
    #[inline(always)]
    pub(super) fn lend(&mut self) -> Entries<'_, T> {
        Entries::Lent(&mut self.0, 0)
    }
}

/// A list that grows in lent space first, and then on the heap.
pub(super) enum Entries<'a, T> {
    /// The lent space, and the number of initialised entries at its start.
    Lent(&'a mut [MaybeUninit<T>], usize),
    Own(Vec<T>),
}

impl<T: Copy> Entries<'_, T> {
    #[inline(always)]
    pub(super) fn push(&mut self, entry: T) {
        match self {
            Entries::Lent(room, len) if *len < room.len() => {
                room[*len].write(entry);
                *len += 1;
            }
            Entries::Lent(..) => self.grow(entry),
            Entries::Own(entries) => entries.push(entry),
        }
    }

    #[cold]
    fn grow(&mut self, entry: T) {
        let mut entries = Vec::with_capacity(2 * self.len() + 1);
        entries.extend_from_slice(self);
        entries.push(entry);
        *self = Entries::Own(entries);
    }

    /// Keeps only the first `len` entries.
    pub(super) fn truncate(&mut self, len: usize) {
        match self {
            Entries::Lent(_, all) => *all = len.min(*all),
            Entries::Own(entries) => entries.truncate(len),
        }
    }

    /// Returns a copy on the heap that has exactly the needed size.
    pub(super) fn kept(&self) -> Entries<'static, T> {
        Entries::Own(self.to_vec())
    }
}

impl<T> Deref for Entries<'_, T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        match self {
            // SAFETY: `push` has initialised the first `len` entries.
            Entries::Lent(room, len) => unsafe { slice::from_raw_parts(room.as_ptr().cast(), *len) },
            Entries::Own(entries) => entries,
        }
    }
}

impl<T> DerefMut for Entries<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            // SAFETY: `push` has initialised the first `len` entries.
            Entries::Lent(room, len) => unsafe { slice::from_raw_parts_mut(room.as_mut_ptr().cast(), *len) },
            Entries::Own(entries) => entries,
        }
    }
}

impl<T: Copy + 'static> Clone for Entries<'_, T> {
    fn clone(&self) -> Self {
        self.kept()
    }
}

impl<T: PartialEq> PartialEq for Entries<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Entries<'_, T> {}

impl<T: fmt::Debug> fmt::Debug for Entries<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
