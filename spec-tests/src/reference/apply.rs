//! Copies elements as a [`Map`] says: formula 7 for data.

use super::Map;

impl Map {
    /// Returns the output for elements of any type.
    pub fn apply<T: Clone>(&self, data: &[T], fill: &T) -> Vec<T> {
        self.source.iter().map(|source| source.map_or(fill, |i| &data[i]).clone()).collect()
    }

    /// Returns the output for elements of `fill.len()` bytes.
    pub fn apply_bytes(&self, data: &[u8], fill: &[u8]) -> Vec<u8> {
        let size = fill.len();
        let mut out = Vec::with_capacity(self.source.len() * size);
        for source in &self.source {
            out.extend_from_slice(source.map_or(fill, |i| &data[i * size..][..size]));
        }
        out
    }

    /// Returns the index of the filler for output element `o`, if there is one filler per position of `axis`. The index is the
    /// element's position on that axis.
    pub fn filler_along(&self, o: usize, axis: usize) -> usize {
        let behind: usize = self.shape[axis + 1..].iter().product();
        o / behind % self.shape[axis]
    }

    /// Returns the output for elements of `size` bytes. `fills` holds one filler per position of `axis`.
    pub fn apply_bytes_along(&self, data: &[u8], fills: &[u8], axis: usize, size: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.source.len() * size);
        for (o, source) in self.source.iter().enumerate() {
            let fill = &fills[self.filler_along(o, axis) * size..][..size];
            out.extend_from_slice(source.map_or(fill, |i| &data[i * size..][..size]));
        }
        out
    }

    /// Returns the output for elements of 2 or 4 bits. They are packed over the flattened tensor, the low bits of each byte
    /// first.
    ///
    /// `fill` is in its low bits. Bits after the last element are ignored in the input and zero in the output.
    pub fn apply_packed(&self, data: &[u8], bits: u32, fill: u8) -> Vec<u8> {
        assert!(bits == 2 || bits == 4, "packed elements have 2 or 4 bits");
        let per_byte = 8 / bits as usize;
        let shift = |i: usize| (i % per_byte) * bits as usize;
        let mask = (1 << bits) - 1;
        let mut out = vec![0; self.source.len().div_ceil(per_byte)];
        for (o, source) in self.source.iter().enumerate() {
            let element = source.map_or(fill, |i| data[i / per_byte] >> shift(i)) & mask;
            out[o / per_byte] |= element << shift(o);
        }
        out
    }
}
