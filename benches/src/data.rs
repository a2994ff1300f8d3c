//! Aligned buffers, and their contents.

use std::ops::{Deref, DerefMut};

use pad_kernels::DType;

/// The alignment of every buffer: each begins at a cache line, so that all competitors have the same alignment.
const ALIGNMENT: usize = 64;

/// Bytes that start on a cache line.
#[derive(Debug)]
pub struct Buffer {
    storage: Vec<u8>,
    start: usize,
    len: usize,
}

impl Buffer {
    /// Makes a buffer of `len` bytes with the value `byte`. The writes make sure that its pages exist.
    pub fn filled(len: usize, byte: u8) -> Buffer {
        let mut storage = vec![0; len + ALIGNMENT];
        let start = storage.as_ptr().align_offset(ALIGNMENT);
        storage[start..start + len].fill(byte);
        Buffer { storage, start, len }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.storage[self.start..][..self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.start..][..self.len]
    }
}

/// Fills `bytes` with values of `dtype`. Floats are between 1 and 2, and other types have any value.
pub fn paint(bytes: &mut [u8], dtype: DType) {
    match dtype {
        DType::F64 | DType::C128 => each(bytes, |hash| (0x3FF0_0000_0000_0000 | hash >> 12).to_ne_bytes()),
        DType::F32 | DType::C64 => each(bytes, |hash| (0x3F80_0000 | (hash >> 41) as u32).to_ne_bytes()),
        DType::F16 => each(bytes, |hash| (0x3C00 | (hash >> 54) as u16).to_ne_bytes()),
        DType::BF16 => each(bytes, |hash| (0x3F80 | (hash >> 57) as u16).to_ne_bytes()),
        DType::Bool => each(bytes, |hash| [(hash >> 63) as u8]),
        _ => each(bytes, |hash| [(hash >> 56) as u8]),
    }
}

fn each<const N: usize>(bytes: &mut [u8], value: impl Fn(u64) -> [u8; N]) {
    for (i, element) in bytes.chunks_exact_mut(N).enumerate() {
        let hash = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        element.copy_from_slice(&value(hash ^ hash.rotate_left(29)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_start_on_a_line() {
        for len in [0, 1, 63, 4096, 1 << 20] {
            let buffer = Buffer::filled(len, 7);
            assert_eq!((buffer.as_ptr() as usize % ALIGNMENT, buffer.len()), (0, len));
            assert!(buffer.iter().all(|&byte| byte == 7));
        }
    }

    #[test]
    fn floats_are_finite_and_booleans_are() {
        let mut bytes = Buffer::filled(4096, 0);
        paint(&mut bytes, DType::F32);
        assert!(bytemuck::cast_slice::<u8, f32>(&bytes).iter().all(|x| (1.0..2.0).contains(x)));
        paint(&mut bytes, DType::Bool);
        assert!(bytes.iter().all(|&byte| byte < 2) && bytes.contains(&0) && bytes.contains(&1));
    }
}
