//! Makes an output from the data of an input and a [`Map`] (formula 7).

use super::Map;

impl Map {
    /// Returns the output for elements of any type.
    pub fn apply<T: Clone>(&self, data: &[T], fill: &T) -> Vec<T> {
        self.source.iter().map(|source| source.map_or(fill, |i| &data[i]).clone()).collect()
    }

    /// Returns the index of the fill for output element `o`, if there is one fill element per position of `axis`. The index is the
    /// element's position on that axis.
    pub fn fill_along(&self, o: usize, axis: usize) -> usize {
        let behind: usize = self.shape[axis + 1..].iter().product();
        o / behind % self.shape[axis]
    }

    /// Returns the output for elements of `bits` bits, as [`copy`] stores them. `fills` holds one fill element or, if `axis` is
    /// given, one per position of this axis.
    ///
    /// Bits after the last packed element are ignored in the input and zero in the output.
    pub fn apply_bits(&self, data: &[u8], fills: &[u8], axis: Option<usize>, bits: u32) -> Vec<u8> {
        let mut out = vec![0; (self.source.len() * bits as usize).div_ceil(8)];
        for (o, source) in self.source.iter().enumerate() {
            match *source {
                Some(i) => copy(&mut out, o, data, i, bits),
                None => copy(&mut out, o, fills, axis.map_or(0, |axis| self.fill_along(o, axis)), bits),
            }
        }
        out
    }
}

/// Copies element `i` of `data` to element `o` of `out`. Elements have whole bytes, or 2 or 4 bits. Elements of 2 or 4 bits are
/// packed, the low bits of each byte first.
pub fn copy(out: &mut [u8], o: usize, data: &[u8], i: usize, bits: u32) {
    assert!(bits == 2 || bits == 4 || bits.is_multiple_of(8), "packed elements have 2 or 4 bits");
    let bits = bits as usize;
    if bits >= 8 {
        out[o * bits / 8..][..bits / 8].copy_from_slice(&data[i * bits / 8..][..bits / 8]);
        return;
    }
    let (byte, shift, mask) = (o * bits / 8, o * bits % 8, (1 << bits) - 1);
    let element = data[i * bits / 8] >> (i * bits % 8) & mask;
    out[byte] = out[byte] & !(mask << shift) | element << shift;
}
